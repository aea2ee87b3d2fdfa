"""`continue_special` for users: a special point of a branch, and a second parameter by its name."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..errors import InvalidValue, WrongType, as_given
from ..given import public
from ..numerics.families.equilibria import Branch, range_of
from ..numerics.families.locus import Second, SpecialCurve, curve_of
from ..numerics.steady import held_of
from .families import defined_in, parameter_of


@public
def continue_special(
    branch: Branch, place: int = 0, *, parameter: object, over: tuple[float, float], fix: Sequence[str] = ()
) -> SpecialCurve:
    """The curve of a fold, a Hopf point or a branch point in the parameter of the branch and a second one.

    Where steady motions form a family of more parameters the other directions at the point are held;
    `SpecialCurve.held` names them.

    Args:
        branch: of steady motions, from `da.continue_steady`.
        place: of the point in `branch.special`.
        parameter: the second: the name of a parameter of the system, of a state or of a definition of the system, or a
            quantity in states and parameters with a name, ``{"v": "r*vpsi"}``.
        over: its range, two numbers between which it lies at the point.
        fix: names of states that are held, ``"theta"`` or a list; what else the family may do is held unasked.

    Raises:
        WrongType: E241, no branch, a place that is no whole number, or a range that is none; E307, a `fix` that holds
            no names.
        UnknownName: E202 no such parameter, E235 no such state in `fix`.
        InvalidValue: E241, there is no such point, the parameter is that of the branch, or the range is empty or does
            not hold the point; E244, the parameter does not change along such points.
    """
    if not isinstance(branch, Branch):
        raise WrongType("E241", f"{as_given(branch)} is no branch", "da.continue_steady(system, ...)")
    kind, fork = branch.fork(place)
    equations, (low, high) = fork.standing.equations, range_of(over)
    name, quantity = parameter_of(equations, defined_in(equations.system, equations, parameter))
    if name == branch.parameter:
        raise InvalidValue("E241", f"{name} is the parameter of the branch", "name a second one")
    if quantity is None and name not in fork.standing.work.parameters:
        raise InvalidValue("E241", f"{name} has no value on the branch", "a parameter with a value")
    held = held_of(fix, list(branch.names), equations.space.attitudes)
    second = Second(name, quantity, high - low)
    spectrum = (branch.zeros, float(np.abs(branch.eigenvalues).max(initial=0.0)))
    return curve_of(fork, kind, spectrum, second, (low, high), held)
