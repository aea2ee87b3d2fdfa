"""`continue_steady` for users: a system or equations, a parameter by its name, a state, or a quantity with a name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import sympy as sp

from ..equations import Equations
from ..errors import InvalidValue, UnknownName, WrongType, as_given, did_you_mean
from ..geometry.quotient import Quotient
from ..geometry.reduction import Reduction, reduce
from ..given import public
from ..model.expression import Reader
from ..model.system import System
from ..numerics.families.equilibria import Branch, branch_of
from ..numerics.families.tangent_flow import Parameters
from ..numerics.steady import Steady
from ..principles.nonholonomic import nonholonomic


@public
def continue_steady(
    system: System | Equations | Reduction | Quotient,
    *,
    parameter: object,
    start: object,
    over: tuple[float, float],
    fix: Sequence[str] = (),
    parameters: Parameters | None = None,
) -> Branch:
    """The branch of steady motions through a given one, followed in a parameter to both ends of a range.

    Where steady motions form a family of more parameters (speeds, what is conserved), the other directions of the
    family at the start are held; `Branch.held` names them. `Branch.switch` gives a motion of what begins at one of its
    branch points and Hopf points.

    Args:
        system: equations of any principle, or a system, whose nonholonomic equations are taken; those of the system
            reduced by its symmetry where the start is a state of these. Vakonomic motions that go along a symmetry
            are steady in ``da.vakonomic(da.symmetry.quotient(s).system)``.
        parameter: what changes: the name of a parameter of the system, of a state, as a spin, or of a definition of the
            system; or a quantity in states and parameters with a name, ``{"v": "r*vpsi"}``.
        start: a steady motion, of `da.steady` or as values by name; parameters are those it was found with.
        over: the range, two numbers between which the start lies.
        fix: names of states that are held, ``"theta"`` or a list; what else the family may do is held unasked.
        parameters: values that replace those of the start.

    Raises:
        WrongType: E307 no equations, E241 what is no start or no range.
        UnknownName: E202 no such parameter, E235 the start holds a name that is no state.
        InvalidValue: E244 the start is not steady, or the parameter does not change along the steady motions near it;
            E241, the start is a steady motion of other equations, the range is empty or does not hold the start.
        Singular: E401, E402 rates that are not finite at the start.
    """
    equations = _equations(system, start)
    name, quantity = parameter_of(equations, defined_in(system, equations, parameter))
    return branch_of(equations, name, quantity, start, over, fix, parameters)


def _equations(system: object, start: object) -> Equations:
    """The equations that are meant."""
    if isinstance(system, Equations):
        return system
    if isinstance(system, Reduction | Quotient):
        system = system.system
    if not isinstance(system, System):
        fact = f"continue_steady needs equations or a system, not {as_given(system)}"
        raise WrongType("E307", fact, "da.nonholonomic(...)")
    given = start.state if isinstance(start, Steady) else start
    names = {str(getattr(n, "name", n)) for n in given} if isinstance(given, Mapping) else set[str]()
    for name, attitude in system.space.attitudes.items():
        names |= {s.name for s in attitude.coordinates if name in names}
    whole = names >= {q.name for q in system.space.coordinates}
    return nonholonomic(system if whole or not system.symmetry else reduce(system).system)


def defined_in(system: object, equations: Equations, parameter: object) -> object:
    """What a definition of the system stands for, with its name; anything else as it is."""
    given = [equations.system.definitions, getattr(system, "definitions", {})]
    name = str(getattr(parameter, "name", parameter))
    return next(({name: known[name]} for known in given if name in known), parameter)


def parameter_of(equations: Equations, parameter: object) -> tuple[str, sp.Expr | None]:
    """The name of what changes, and what it is in the states if it is no parameter of the system."""
    system, states = equations.system, equations.states
    if isinstance(parameter, Mapping):
        if len(parameter) != 1:
            raise InvalidValue("E241", f"one parameter is continued, not {len(parameter)}", '{"v": "r*vpsi"}')
        ((key, quantity),) = parameter.items()
        reader = Reader.of(system)
        reader.own |= {s.name: s for s in equations.states_of_multipliers}
        name, expression = str(getattr(key, "name", key)), reader.read(quantity, "the parameter")
        known = [*states, *system.parameters, *system.symbols]
        _check_known((s.name for s in expression.free_symbols), known)
        return name, expression
    wanted = parameter.name if isinstance(parameter, sp.Symbol) else parameter
    known = list(dict.fromkeys([*system.parameters, *system.symbols, *states]))
    if not isinstance(wanted, str) or wanted not in known:
        near = did_you_mean(wanted, known) if isinstance(wanted, str) else f"a name: {', '.join(known)}"
        remedy = near + '\nor name a quantity: {"v": "r*vpsi"}'
        raise UnknownName("E202", f"there is no parameter or state {as_given(wanted)}", remedy)
    if wanted not in states:
        return wanted, None
    symbols = {s.name: s for s in (*system.space, *equations.states_of_multipliers)}
    return wanted, symbols[wanted]


def _check_known(names: Iterable[str], known: list[str]) -> None:
    for name in sorted(names):
        if name not in known:
            fact = f"the parameter holds {name}, which is no state and no parameter"
            raise UnknownName("E202", fact, did_you_mean(name, known))
