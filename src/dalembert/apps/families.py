"""Families of motions for users: `continue_steady`, `periodic`, `swing`, `continue_periodic`, `continue_special`.

Each takes a system or equations, parameters by their names, states, and quantities with names, and passes on values.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import sympy as sp

from ..argument_checks import kind, number, public
from ..equations import Equations
from ..errors import InvalidValue, UnknownName, WrongType, as_given, did_you_mean
from ..geometry.quotient_space import Quotient
from ..geometry.reduction import Reduction, reduce
from ..model.expression_symbols import Reader
from ..model.system import System
from ..numerics.families import DRIFT, PERIOD
from ..numerics.families.bifurcation_locus import Second, SpecialCurve, curve_of
from ..numerics.families.equilibrium_branches import FASTEST, SLOWEST, Branch, branch_of, range_of, swing_about
from ..numerics.families.orbit_family import Orbits, orbits_of
from ..numerics.families.periodic_orbits import Periodic
from ..numerics.families.periodic_orbits import periodic as found
from ..numerics.families.periodicity_conditions import What
from ..numerics.families.tangent_flow import Parameters, is_autonomous
from ..numerics.relative_equilibria import Steady, held_of
from ..principles.nonholonomic import nonholonomic
from ..reconstruction.acting_group import group_of


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


# --- periodic motions ------------------------------------------------------------------------------------------------


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
        options: those of `Policy`, the method one that chooses its steps; by default rtol is 1e-11, and max_steps, in
            which a period must have passed, 100 000.

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


# --- families of periodic motions ------------------------------------------------------------------------------------


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
        options: those of `Policy`, the method one that chooses its steps; rtol is 1e-11 by default.

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


# --- special points --------------------------------------------------------------------------------------------------


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
