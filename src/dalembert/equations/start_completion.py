"""From values given by name to a `Start`: positions first, then velocities, then multipliers; then the checks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..argument_checks import overriding
from ..calculus.frame import TIME
from ..calculus.from_sympy import read
from ..calculus.graph import Node, evaluate, gradient, symbols
from ..calculus.plausibility import hertz, like_degrees, refuse_formula, turns
from ..calculus.quantity import LARGEST, SECOND, Dimension, in_hertz, quantity
from ..calculus.symbols import by_name
from ..errors import InvalidValue, Note, WrongType, about, as_given, kind_of, warn
from ..errors.remedies import Give, Option
from .determinacy import check_determined, check_regular
from .input_values import check_shaped, unset
from .mechanism_assembly import TOLERANCE, assembled, held_and_guessed, to_positions, to_velocities
from .nonfinite_values import require
from .residual_scale import is_rounding, scales
from .start import (
    Completion,
    Row,
    Start,
    State,
    check_columns,
    identity_of_idle_rotations,
    refuse_free,
    refuse_unknown,
    root,
    taken_from,
)

if TYPE_CHECKING:
    from . import Equations


def state_of(equations: Equations, state: Any, parameters: Mapping[Any, Any] | None = None) -> Start:
    """The state as a `Start` of these equations, completed anew where the parameters differ.

    Raises:
        WrongType: E241, neither a start nor a mapping nor a sequence of numbers; E204, parameters that are no mapping.
    """
    if isinstance(state, Start):
        _check_own(equations, state)
        changed = {getattr(key, "name", key): value for key, value in overriding(parameters).items()}
        if not changed and _as_declared(equations, state):
            return state
        values = equations.system.values({**state.parameters, **changed})  # with all inputs: E180
        if values == dict(state.parameters) and tuple(state) == equations.states:
            return state
        again = complete(
            equations, None, state.given, state.t, {**values, **changed}, state.project, guess=state.guess or None
        )
        return replace(again, notes=(*(note for note in state.notes if note.code == "N234"), *again.notes))
    if isinstance(state, State):
        free = equations.system.parameters.keys() - equations.system.defined.keys()
        own = {name: value for name, value in state.parameters.items() if name in free}
        parameters = {**own, **overriding(parameters)}
    if equations.system.inputs:
        equations.system.values(parameters)  # with all inputs: E180
    if isinstance(state, str) or not np.iterable(state):
        raise WrongType("E241", f"a state is a start or a mapping, not {kind_of(state)}", "equations.start(x=..., ...)")
    return complete(equations, state, {}, ..., parameters, None)


def restarted(
    equations: Equations, start: Start, t: object, parameters: Mapping[Any, Any] | None
) -> tuple[Mapping[str, Any], Any, Mapping[Any, Any]]:
    """What was given for a start: values by name, the time unless it is given, parameters with those that replace them.

    Raises:
        InvalidValue: E241, the start of another system.
    """
    _check_own(equations, start)
    return start.given, start.t if t is ... else t, {**start.parameters, **overriding(parameters)}


def _as_declared(equations: Equations, state: Start) -> bool:
    """Is it a start of all states of these equations, with the very values of parameters that the system declares?"""
    system, own = equations.system, dict(state.parameters)
    whole = not system.inputs and system.symbols.keys() <= own.keys() and tuple(state) == equations.states
    return bool(whole and own == system.parameters)


def _check_own(equations: Equations, state: Start) -> None:
    """E241: the start of another system, known by names that this one has not."""
    system = equations.system
    own = {*equations.states, *system.space.by_name, *system.symbols, *system.parameters, *system.space.attitudes}
    own |= {*system.inputs}
    foreign = [name for name in (*state.parameters, *state.state) if name not in own and not name.startswith("lam_")]
    if foreign:
        fact = f"this is the start of another system: {', '.join(foreign)} is nothing here"
        raise InvalidValue("E241", fact, "equations.start(...) of these equations")


def complete(
    equations: Equations,
    vector: Any,
    given: Mapping[str, object],
    t: object,
    parameters: Mapping[Any, Any] | None,
    project: str | None,
    hold: object = None,
    guess: object = None,
    *,
    ranging: bool = False,
) -> Start:
    """Complete a consistent state, or refuse; see `Equations.start`. Parameters that are `ranging` may be far away."""
    if project is not None and not (isinstance(project, str) and project == "kinetic"):
        raise InvalidValue(
            "E307", f"project={as_given(project)} is not known", (Option("project", "kinetic"), ", or leave it out")
        )
    names, system = equations.states, equations.system
    values = system.known(parameters)
    check_shaped(equations, values)
    taken = taken_from(equations, vector, given, t, values, parameters)
    given = by_name(taken.given, "the start", system.space.spelled)
    with about("start", "t"):
        time = quantity(taken.t, "t", SECOND).value
    if project and (hold is not None or guess):
        fact = "project moves all that is given; hold and guess say what may be moved"
        raise InvalidValue("E241", fact, ("leave ", Option("project", "kinetic"), " out"))
    exact, begun = held_and_guessed(equations, given, hold, guess)
    found, conventions = _read(equations, exact, values)
    from_guess = _read(equations, begun, values)[0] if begun else {}
    work = Completion({**unset(equations), **values, TIME.name: time, **found})
    known, count = {**from_guess, **work.values}, 0
    if begun or hold is not None:
        count = _assemble(equations, work, from_guess)
    else:
        _fill(equations, work)
    if project:
        _project(equations, work.values)
    rounded = _check_moved(equations, work.values) if project else _check_state(equations, work.values)
    changes = {n: work.values[n] - known[n] for n in names if n in known and work.values[n] != known[n]}
    full, follows = {n: work.values[n] for n in names}, tuple(work.follows)
    start = Start(full, time, exact, follows, conventions, changes, values, project, left_out=taken.left_out)
    start = replace(start, guess=begun, places=count)
    check_columns(equations, start, taken.columns)
    # what a motion came to was not typed
    angles = {} if isinstance(vector, State | Row) else {q.name: start[q.name] for q in equations.space.coordinates}
    turns = turned(equations.system, angles, start.given, 8)
    doubts = (*taken.doubts, *rounded, *turns, *_warn_scale(equations, start))
    if any(value != system.parameters.get(name) for name, value in start.parameters.items()):
        doubts = (*doubts, *system.doubts(start.parameters))
    doubts = (*doubts, *system.doubts_of_start(given, values, full))
    doubts = (*doubts, *(warn("W211", hertz(str(name), value), 6) for name, value in given.items() if in_hertz(value)))
    doubts = (*doubts, *system.doubts_of_override(parameters, {} if ranging else parameters))
    check_determined(equations.rows_at(work.values), work.values)
    check_regular(equations, work.values)
    return replace(start, notes=doubts)


def one_of_many(
    equations: Equations,
    given: Mapping[str, float],
    t: float,
    parameters: Mapping[str, float],
    project: str | None = None,
) -> Start:
    """`Equations.start` of a member of a sweep, or of another range of parameters."""
    start = complete(equations, None, given, t, parameters, project, ranging=True)
    equations.check_form({**unset(equations), **start.parameters, **start.state, TIME.name: start.t})
    return start


def _read(
    equations: Equations, given: Mapping[str, Any], values: Mapping[str, float]
) -> tuple[dict[str, float], dict[str, str]]:
    """Numbers by state name, and the conventions used for rotations on which nothing depends."""
    found: dict[str, float] = {}
    dimensions: dict[str, Dimension] = {}
    for name, value in given.items():
        with about("start", name):
            found |= _given(equations, name, value, values, set(given), dimensions)
    equations.system.fits(dimensions, "start")
    conventions = {}
    for name, numbers in identity_of_idle_rotations(equations.system, found).items():
        found |= numbers
        conventions[name] = "the identity, since nothing depends on it"
    return found, conventions


def _given(
    equations: Equations,
    name: str,
    value: object,
    values: Mapping[str, float],
    given: set[str],
    dimensions: dict[str, Dimension],
) -> dict[str, float]:
    """One value of the start as numbers by state; its dimension is noted."""
    attitudes = equations.space.attitudes
    if name in attitudes:
        from ..calculus.rotation_matrices import read_attitude, refuse_twice

        refuse_twice(name, attitudes[name], given)
        return read_attitude(name, value, attitudes[name])
    if name not in equations.states:
        multipliers = [s.name for s in equations.multipliers]
        refuse_unknown(name, [*equations.states, *attitudes], list(equations.system.symbols), multipliers)
    refuse_formula(name, value, equations.system.symbols, values, equations.system.unit)
    number, dimension = quantity(value, name)
    if dimension is not None:
        dimensions[name] = dimension
    return {name: number}


def _fill(equations: Equations, work: Completion) -> None:
    """Complete positions and velocities, and refuse what is left free."""
    machine, space = equations.machine, equations.space
    positions = {equations.constraints[i].name: f for i, f in machine.position.items()}
    phis = {c.name: phi for c, phi in zip(equations.constraints, machine.phi, strict=True)}
    left = work.solve(positions, [q.name for q in space.coordinates])
    names = [u.name for u in space.velocities]
    left_u = [n for n in names if n not in work.values] if left else work.solve(phis, names)
    missing = [s.name for s in equations.states_of_multipliers if s.name not in work.values]
    if left or left_u:
        rows = {**positions, **phis} if not left else positions
        links = {n: sorted(symbols([row]) & {*left, *left_u}) for n, row in rows.items()}
        given = [n for n in equations.states if n in work.values and n not in work.follows]
        rates, links = {str(u): str(q) for q, u in space.rates.items()}, {n: v for n, v in links.items() if v}
        refuse_free([*left, *left_u], work.follows, given, links, rates, space.attitudes)
    if missing:
        raise InvalidValue(
            "E234",
            f"the start needs {', '.join(missing)}: multipliers are initial data under this principle",
            Give(tuple(missing), example="0"),
            subject=("start",),
        )


def _project(equations: Equations, values: dict[str, float]) -> None:
    """To the nearest consistent state in the kinetic metric: first positions, then velocities."""
    to_positions(equations, values)
    to_velocities(equations, values)


def _assemble(equations: Equations, work: Completion, guess: Mapping[str, float]) -> int:
    """Complete positions and velocities, some of them from a guess; how many places were found."""
    machine, space = equations.machine, equations.space
    positions = {equations.constraints[i].name: f for i, f in machine.position.items()}
    held, guessed = {*work.values}, [name for name in guess if name in space.by_name]
    left = work.solve(positions, [q.name for q in space.coordinates])
    work.values |= {name: guess[name] for name in left if name in guess}
    if any(name not in work.values for name in left):
        _fill(equations, work)  # says what is free
    count = assembled(equations, work.values, held, guessed)
    phis = {c.name: phi for c, phi in zip(equations.constraints, machine.phi, strict=True)}
    free = work.solve(phis, [u.name for u in space.velocities])
    work.values |= {name: guess[name] for name in free if name in guess}
    _fill(equations, work)
    if free:
        to_velocities(equations, work.values, [u.name for u in space.velocities if u.name in held])
    return count


def _evaluate_map(
    equations: Equations, expressions: Mapping[Any, Any], values: Mapping[str, float]
) -> dict[Any, float]:
    nodes = [read(e, equations.machine.graph) for e in expressions.values()]
    return {s: float(v) for s, v in zip(expressions, evaluate(nodes, values), strict=True)}


def _check_state(equations: Equations, values: Mapping[str, float]) -> list[Note]:
    """Refuse a state that is none, or off a constraint."""
    _check_embedding(equations, values)
    machine, space = equations.machine, equations.space
    require([*machine.phi, *machine.position.values()], values, f"at t = {values[TIME.name]:g}")
    rounded = _check_rows(equations, machine.position, space.coordinates, values, "E232")
    _check_rows(equations, dict(enumerate(machine.phi)), space.velocities, values, "E231")
    return rounded


def _check_moved(equations: Equations, values: Mapping[str, float]) -> list[Note]:
    """The same where the state was to be moved to a consistent one: what to do is not to ask for that."""
    try:
        return _check_state(equations, values)
    except InvalidValue as error:
        if error.code == "E239":
            raise
        fact = "no consistent start was found near the given one"
        detail = f"{error.detail or error.fact}: there the search ended"
        raise InvalidValue(
            error.code, fact, "begin nearer to a consistent start, or give one", detail, subject=error.subject
        ) from None


def _check_embedding(equations: Equations, values: Mapping[str, float]) -> None:
    """Unit quaternions, rotation matrices and directions must be such."""
    for i, e in enumerate(equations.space.embedding):
        off = _evaluate_map(equations, {i: e}, values)[i]
        if not abs(off) <= TOLERANCE:
            names = sorted(s.name for s in e.free_symbols)
            whole = [n for n, a in equations.space.attitudes.items() if e.free_symbols & set(a.coordinates)]
            raise InvalidValue(
                "E238",
                f"{', '.join(names)}: {e} = {off:.6g}, must be 0"
                + (f" (norm {np.sqrt(1 + off):.6g})" if off > -1 else ""),
                ("normalise them, or ask for it: ", Option("project", "kinetic")),
                subject=("start", *names, *whole),
            )
    for name, attitude in equations.space.attitudes.items():
        entries = _evaluate_map(equations, dict(enumerate(attitude.matrix)), values)
        if np.linalg.det(np.reshape(list(entries.values()), (3, 3))) < 0:
            raise InvalidValue(
                "E239",
                f"{name} is a reflection: its determinant is -1",
                "give a rotation, with determinant 1",
                subject=("start", name),
            )


def _check_rows(
    equations: Equations, rows: Mapping[int, Node], variables: Sequence[Any], values: Mapping[str, float], code: str
) -> list[Note]:
    """Refuse a residual above 1e-9 of the row's own terms; one that is taken for a rounding is told."""
    sizes = scales(equations.machine.terms, list(rows.values()), variables, values)
    residuals, notes = evaluate(list(rows.values()), values), list[Note]()
    for (i, row), residual, size in zip(rows.items(), residuals, sizes, strict=True):
        if abs(float(residual)) <= TOLERANCE * size:
            continue
        slopes = evaluate(gradient(row, [row.graph.symbol(v.name) for v in variables]), values)
        if code != "E232" or not is_rounding(residual, slopes, [values[v.name] for v in variables]):
            raise _off(equations, i, row, variables, values, code)
        told = f"{equations.constraints[i].name} = {float(residual):.1e} at the start: taken for a rounding of 0"
        notes.append(Note("N232", told))
    return notes


def _off(
    equations: Equations, i: int, row: Node, variables: Sequence[Any], values: Mapping[str, float], code: str
) -> InvalidValue:
    residual = float(evaluate([row], values)[0])
    constraint = equations.constraints[i]
    expression = constraint.given if code == "E232" or not constraint.holonomic else constraint.phi
    size = f"{residual:.6g}{_unit(equations, expression)}"
    repairs = _repairs(row, [v.name for v in variables], values) or ["correct the start"]
    linked = [v.name for v in variables if v.name in symbols([row])] if code == "E232" else []
    return InvalidValue(
        code,
        f"the constraint {constraint.name} does not hold at the start",
        (
            *(f"{line}\n" for line in repairs),
            *("or ask for the nearest consistent start: ", Option("project", "kinetic")),
            *(("\nor say what is exact, and the rest is a guess: ", Option("hold", linked[:1])) if linked else ()),
        ),
        f"{constraint.name} = {expression} = {size}, must be 0 (tolerance {TOLERANCE:g} of its terms)",
        subject=("start", *(v.name for v in variables if v.name in symbols([row]))),
    )


def _repairs(row: Node, names: Sequence[str], values: Mapping[str, float]) -> list[str]:
    """Values of single variables with which the row holds: those it is affine in may be left out, others be given."""
    affine: list[str] = []
    others: list[str] = []
    for name in names:
        slope = gradient(row, [row.graph.symbol(name)])[0]
        found = root(row, slope, name, values)
        if found is not None:
            (others if name in symbols([slope]) else affine).append(f"{name} = {found:.10g}")
    lines = [f"leave out one of these and it will be computed: {', '.join(affine)}"] if affine else []
    return [*lines, *([f"{'or ' if affine else ''}give {' or '.join(others)}"] if others else [])]


def _unit(equations: Equations, expression: object) -> str:
    unit = equations.system.unit(expression)
    return f" {unit}" if unit else ""


def _warn_scale(equations: Equations, start: Start) -> list[Note]:
    """W208: values so large or small that their squares leave the range of floating point."""
    known = equations.system.parameters
    new = {name: value for name, value in start.parameters.items() if value != known.get(name)}
    return [
        warn("W208", f"{name} = {value:g}: badly scaled, choose other units", 7)
        for name, value in {**new, **start.state}.items()
        if value and not 1 / LARGEST < abs(value) < LARGEST and (name in new or name in start.given)
    ]


def turned(system: Any, values: Mapping[str, object], given: Mapping[str, object], level: int = 7) -> list[Note]:
    """W209: a large angle is usually one in degrees, where it was not given with its unit."""
    texts = {str(name) for name, value in given.items() if isinstance(value, str)}
    coordinates = {q.name for q in system.space.coordinates} - texts
    numbers = {n: v for n, v in values.items() if n in coordinates and isinstance(v, int | float)}
    large = {n for n, v in numbers.items() if like_degrees(v, given.get(n))}
    return [warn("W209", turns(n, numbers[n]), level) for n in sorted(large & system.angles)] if large else []
