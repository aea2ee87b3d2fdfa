"""`periodic` and `swing` for users: a motion may come back up to a symmetry that is declared, or to generators."""

from __future__ import annotations

from collections.abc import Mapping

from ..equations import Equations
from ..errors import InvalidValue, WrongType, as_given
from ..given import kind, number, public
from ..numerics.families.equilibria import FASTEST, SLOWEST, swing_about
from ..numerics.families.periodic import Periodic
from ..numerics.families.periodic import periodic as found
from ..numerics.families.tangent_flow import Parameters
from ..numerics.steady import Steady
from ..reconstruction.acting_group import group_of


@public
def periodic(
    equations: Equations,
    start: object,
    *,
    period: float,
    symmetry: object = None,
    parameters: Parameters | None = None,
    inputs: Mapping[str, object] | None = None,
    events: object = (),
    **options: object,
) -> Periodic:
    """A motion that comes back after about a given time, near a start.

    First the period alone is moved, then the state too, by least steps: where periodic motions form a family, that of
    the start is taken, or the nearest. Angles may have made full turns. Where the equations change with time the period
    is held: it must be one of the equations. It may meet walls, forces that switch, contacts, and events that set
    states, and may start where it meets them: on a wall that it leaves, with a contact closed, or with a state that an
    event has just set, as on a section that is the heel strike of a walker. With a symmetry it comes back up to that,
    as a snake that has its shape back, and goes elsewhere with it: `Periodic.drift` says how far. Such a motion is also
    a periodic one of the system that `da.reduce` makes.

    Args:
        equations: from a principle.
        start: a `Start`, or a mapping of values that `Equations.start` completes.
        period: about how long it takes.
        symmetry: what it may come back up to: generators as for `System`, or True for those that the system declares.
        parameters: values that replace those of the start.
        inputs: what drives each input of the system for all times: a number or a formula of t and states.
        events: as of `simulate`; those that set states act.
        options: those of `Policy` for the method dop853; by default rtol is 1e-11, and max_steps, in which a period
            must have passed, 100 000.

    Raises:
        WrongType: E307, no equations; E303, a period that is no number.
        UnknownName: E104 a symbol of a generator that the system does not have.
        InvalidValue: E303, a period that is not positive and finite; E335, no motion near the start comes back, or
            the period is longer than max_steps steps reach, or an event stops the motion, or there are events and a
            symmetry; E319, what has no derivatives on the way, as of `sensitivities`; E125 no generators, E122, E123
            they are no symmetry, or no algebra; E335, constraints that are not linear in velocities where multipliers
            are states.
        DalembertError: those of `simulate`.
    """
    kind(Equations, equations, "periodic")
    group = None if symmetry is None or symmetry is False else group_of(equations, symmetry)
    return found(
        equations, start, period=period, parameters=parameters, inputs=inputs, events=events, group=group, **options
    )


@public
def swing(
    equations: Equations, steady: Steady, *, frequency: float | str | None = None, size: float = 0.01
) -> Periodic:
    """A small periodic motion about a steady one, the first of the family that begins there.

    A pair of eigenvalues on the imaginary axis must belong to it, as about a centre: where something is conserved, or
    the motion is reversible, each such pair begins a family of periodic motions (Lyapunov), whose period is 2 pi/w
    there. `da.families.continue_periodic` follows it, in the period or in what is conserved. Where a pair crosses the
    axis in a parameter `branch.switch` leads to the family that is born.

    Args:
        equations: from a principle.
        steady: a steady motion of them, of `da.steady`.
        frequency: about that of the pair, rad a unit of time, where there are several; or ``"slowest"`` or
            ``"fastest"``.
        size: how far from the steady motion, in sizes of its states; a negative one begins on the other side.

    Raises:
        WrongType: E307, no equations; E241, no steady motion, or a size that is no number, or a frequency
            that is none and neither word.
        InvalidValue: E241, a size of 0; E335, no pair lies on the axis, or several do, or no periodic motion is
            reached; E319, walls, or forces that switch.
    """
    kind(Equations, equations, "swing")
    if not isinstance(steady, Steady):
        raise WrongType("E241", f"{as_given(steady)} is no steady motion", "da.steady(equations, {...})")
    if set(steady.state) != set(equations.states):
        raise InvalidValue("E241", "the steady motion is one of other equations", "da.steady(equations, {...})")
    return swing_about(equations, steady, _wanted(frequency), number(size, "size", "E241"))


def _wanted(frequency: object) -> float | str | None:
    """One of the words, or a number."""
    if frequency is None:
        return None
    if isinstance(frequency, str):
        if frequency in (SLOWEST, FASTEST):
            return frequency
        fact = f"frequency = {as_given(frequency)} says not which"
        raise WrongType("E241", fact, f'a number, "{SLOWEST}" or "{FASTEST}"')
    return number(frequency, "frequency", "E241", above=0.0)
