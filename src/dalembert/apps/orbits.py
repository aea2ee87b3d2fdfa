"""`continue_periodic` for users: a parameter by its name, the period, a state at the start, or a named quantity."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from ..equations import Equations
from ..errors import InvalidValue, WrongType, as_given
from ..given import public
from ..model.expression import Reader
from ..numerics.families.closure import What
from ..numerics.families.columns import DRIFT, PERIOD
from ..numerics.families.equilibria import range_of
from ..numerics.families.orbits import Orbits, orbits_of
from ..numerics.families.periodic import Periodic
from ..numerics.families.tangent_flow import is_autonomous
from ..numerics.steady import held_of
from .families import defined_in, parameter_of


@public
def continue_periodic(
    start: Periodic,
    *,
    parameter: object,
    over: tuple[float, float],
    fix: Sequence[str] = (),
    period: object = None,
    **options: object,
) -> Orbits:
    """The family of periodic motions through a given one, followed in a parameter to both ends of a range.

    Where periodic motions form a family of more parameters, as by each conserved quantity and each symmetry, the other
    directions of the family at the start are held; `Orbits.held` names them. A family without a parameter is followed
    in its period, a state at the start or a quantity.

    Motions may meet walls, forces that switch, contacts and events that set states: a family ends where one is grazed.
    Starts of its rows lie where nothing happens.

    Args:
        start: a periodic motion, of `da.periodic` or `Orbits.switch`.
        parameter: what changes: the name of a parameter of the system, of a state (at the start of each motion) or of a
            definition of the system; ``"period"``; a drift, ``"drift theta"``, of motions that come back up to a
            symmetry; or a quantity at the start with a name, ``{"E": "vx^2/2 - 1/x"}``.
        over: the range, two numbers between which the start lies.
        fix: names of states at the start that are held, or ``"period"``; what else the family may do is held unasked.
        period: where the equations change with time, a formula of the period in the parameters, ``"2*pi/w"``; left out,
            the period stays as it is.
        options: those of `Policy` for the method dop853; rtol is 1e-11 by default.

    Raises:
        WrongType: E241, the start is no periodic motion, or the range none; E307, a `fix` that holds no names.
        UnknownName: E202 no such parameter, E235 no such state in `fix`.
        InvalidValue: E335, the parameter does not change along the periodic motions near the start, or the period is
            none of the equations; E241, the range is empty or does not hold the start; E319, what has no
            derivatives on the way, as of `sensitivities`.
    """
    low, high = range_of(over)
    if not isinstance(start, Periodic):
        fact = f"a family starts from a periodic motion, not from {as_given(start)}"
        raise WrongType("E241", fact, "da.periodic(equations, ..., period=...)")
    equations = start.equations
    held = held_of(fix, [*equations.states, PERIOD], equations.space.attitudes)
    drifts = [DRIFT + name for name in start.drift]
    if isinstance(parameter, str) and parameter in drifts:
        name, own, quantity = parameter, False, sp.Symbol(parameter)
    else:
        name, own, quantity = _parameter(equations, parameter)
    what = What(name, own, quantity, _formula(start, period), high - low)
    return orbits_of(start, what, (low, high), held, options)


def _parameter(equations: Equations, parameter: object) -> tuple[str, bool, sp.Expr | None]:
    """The name of what changes, whether it is a parameter of the system, and what else it is."""
    known = {*equations.system.parameters, *equations.system.symbols, *equations.states}
    if isinstance(parameter, str) and parameter == PERIOD and PERIOD not in known:
        return PERIOD, False, None
    name, quantity = parameter_of(equations, defined_in(equations.system, equations, parameter))
    return name, quantity is None, quantity


def _formula(start: Periodic, period: object) -> sp.Expr | None:
    """The period in the parameters, read."""
    if period is None:
        return None
    equations = start.equations
    if is_autonomous(equations, start.walls, start.events):
        fact = "the equations do not change with time: the period of a motion follows from it"
        raise InvalidValue("E335", fact, "leave period out")
    expression = Reader.of(equations.system).read(period, "the period")
    if not {s.name for s in expression.free_symbols} <= set(equations.system.symbols):
        raise InvalidValue("E335", f"the period {as_given(period)} is no formula in the parameters", 'period="2*pi/w"')
    return expression
