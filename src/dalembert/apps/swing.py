"""`swing` for users: a small periodic motion about a steady one."""

from __future__ import annotations

from ..equations import Equations
from ..errors import InvalidValue, WrongType, as_given
from ..given import kind, number, public
from ..numerics.families.birth import FASTEST, SLOWEST, swing_about
from ..numerics.families.periodic import Periodic
from ..numerics.steady import Steady


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
