"""`periodic` for users: what the motion may come back up to is a symmetry that the system declares, or generators."""

from __future__ import annotations

from collections.abc import Mapping

from ..equations import Equations
from ..given import kind, public
from ..numerics.families.carried import Parameters
from ..numerics.families.periodic import Periodic
from ..numerics.families.periodic import periodic as found
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
    **options: object,
) -> Periodic:
    """A motion that comes back after about a given time, near a start.

    First the period alone is moved, then the state too, by least steps: where periodic motions form a family, that of
    the start is taken, or the nearest. Angles may have made full turns. Where the equations change with time the period
    is held: it must be one of the equations. It may meet walls, forces that switch and contacts, which are open at its
    start. With a symmetry it comes back up to that, as a snake that has its shape back, and goes elsewhere with it:
    `Periodic.drift` says how far. Such a motion is also a periodic one of the system that `da.reduce`
    makes.

    Args:
        equations: from a principle.
        start: a `Start`, or a mapping of values that `Equations.start` completes.
        period: about how long it takes.
        symmetry: what it may come back up to: generators as for `System`, or True for those that the system declares.
        parameters: values that replace those of the start.
        inputs: what drives each input of the system for all times: a number or a formula of t and states.
        options: those of `Policy` for the method dop853; by default rtol is 1e-11, and max_steps, in which a period
            must have passed, 100 000.

    Raises:
        WrongType: E307, no equations; E303, a period that is no number.
        UnknownName: E104 a symbol of a generator that the system does not have.
        InvalidValue: E303, a period that is not positive and finite; E335, no motion near the start comes back, or
            the period is longer than max_steps steps reach; E319,
            what has no derivatives on the way, as of `sensitivities`; E125 no generators, E122, E123 they are no
            symmetry, or no algebra; E335, constraints that are not linear in velocities where multipliers are states.
        DalembertError: those of `simulate`.
    """
    kind(Equations, equations, "periodic")
    group = None if symmetry is None or symmetry is False else group_of(equations, symmetry)
    return found(equations, start, period=period, parameters=parameters, inputs=inputs, group=group, **options)
