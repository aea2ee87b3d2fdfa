"""Reading the two ends of a curve, and holding them to the constraints between positions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...calculus.attitudes import read_attitude
from ...calculus.dimension import Dimension
from ...calculus.frame import TIME
from ...calculus.graph import evaluate, gradient, symbols
from ...calculus.keys import by_name
from ...calculus.quantity import quantity, wrong_dimension
from ...calculus.read import read
from ...equations import Equations
from ...equations.determined import TOLERANCE
from ...equations.rows import by_name_of
from ...equations.scale import scales
from ...equations.start import Completion, Row, conventional
from ...errors import InvalidValue, UnknownName, WrongType, as_given, did_you_mean
from .ends import End, Rotated


def positions_of(equations: Equations, given: object) -> object:
    """An end; of a row of a path its positions: velocities are what is found."""
    if not isinstance(given, Row):
        return given
    named = by_name_of(given, [equations], reactions=True)
    return {q.name: named[q.name] for q in equations.space.coordinates}


def read_values(
    equations: Equations, given: Any, which: str, also: Sequence[str], dimensions: dict[str, Dimension]
) -> dict[str, Any]:
    """Numbers by state name and rotations by their own, from what was given for one end.

    Args:
        equations: whose names.
        given: ``{name or symbol: value}``.
        which: ``"start"`` or ``"end"``, for messages.
        also: names that are allowed besides coordinates and rotations.
        dimensions: of what was given with units at the other end; those given here are added.

    Raises:
        DalembertError: E330 names, E203 to E207 values, E238, E239 rotations.
    """
    if not isinstance(given, Mapping):
        raise WrongType("E330", f"the {which} is {as_given(given)}, not a mapping of names", f"{which}={{'x': 0.0}}")
    attitudes = equations.space.attitudes
    coordinates = [q.name for q in equations.space.coordinates]
    known = [*coordinates, *attitudes, *also]
    found: dict[str, Any] = {}
    for name, value in by_name(
        given, f"the {which}", lambda key: key if isinstance(key, str) else as_given(key)
    ).items():
        if name not in known:
            _refuse_name(equations, name, which, known)
        if name in attitudes:
            read_attitude(name, value, attitudes[name])
            found[name] = value
            continue
        found[name], dimension = quantity(value, name)
        if dimension is not None and dimensions.setdefault(name, dimension) != dimension:
            raise wrong_dimension(f"{name} at the end", dimension, dimensions[name])
    equations.system.fits(dimensions)
    for name, attitude in attitudes.items():
        twice = [s.name for s in attitude.coordinates if s.name in found]
        if name in found and twice:
            raise InvalidValue("E330", f"the {which} gives {name} and {', '.join(twice)}", "give one of them")
    return found


def _refuse_name(equations: Equations, name: str, which: str, known: Sequence[str]) -> None:
    if name in equations.states:
        fact = f"the {which} gives {name}: the end is one of positions; velocities and multipliers are what is found"
        raise InvalidValue("E330", fact, f"leave {name} out, or give it at the start, where it is then held")
    if name in equations.system.symbols:
        raise UnknownName("E330", f"the {which} gives {name}, a parameter", f"parameters={{{as_given(name)}: ...}}")
    raise UnknownName(
        "E330", f"the {which} gives {as_given(name)}, which nothing here bears", did_you_mean(name, known)
    )


def positions(equations: Equations, found: Mapping[str, Any], t: float, parameters: Mapping[str, float]) -> Completion:
    """The positions at the start, completed by holonomic constraints.

    Raises:
        InvalidValue: E330 something is missing; E332 a constraint between positions does not hold.
    """
    space, machine = equations.space, equations.machine
    values = {n: v for n, v in found.items() if n not in space.attitudes}
    for name in (n for n in space.attitudes if n in found):
        values |= read_attitude(name, found[name], space.attitudes[name])
    for numbers in conventional(equations.system, found).values():
        values |= numbers
    work = Completion({**parameters, TIME.name: t, **values})
    rows = {equations.constraints[i].name: f for i, f in machine.position.items()}
    left = work.solve(rows, [q.name for q in space.coordinates])
    if left:
        raise InvalidValue(
            "E330", f"the start leaves {', '.join(left)} open", "give " + ", ".join(f"{n}=..." for n in left)
        )
    check(equations, work.values, "start")
    return work


def check(equations: Equations, values: Mapping[str, float], which: str) -> None:
    """E332 where a constraint between positions, or what holds a rotation's coordinates together, is violated."""
    machine = equations.machine
    rows = {i: f for i, f in machine.position.items() if symbols([f]) <= set(values)}
    sizes = scales(machine, list(rows.values()), equations.space.coordinates, values) if rows else []
    for (i, row), size in zip(rows.items(), sizes, strict=True):
        off = float(evaluate([row], values)[0])
        if not abs(off) <= TOLERANCE * size:
            name, given = equations.constraints[i].name, equations.constraints[i].given
            raise InvalidValue(
                "E332",
                f"the {which} contradicts the constraint {name}: {given} = {off:.6g}, must be 0",
                f"correct the {which}, or leave out what {name} determines",
            )
    for expression in equations.space.embedding:
        node = read(expression, machine.graph)
        if symbols([node]) <= set(values) and not abs(off := float(evaluate([node], values)[0])) <= TOLERANCE:
            raise InvalidValue("E332", f"the {which} is not on the space: {expression} = {off:.6g}", "normalise it")


def wanted(
    equations: Equations,
    found: Mapping[str, Any],
    first: Mapping[str, float],
    t: float,
    parameters: Mapping[str, float],
) -> End:
    """The end as it was given; natural conditions are decided later.

    Raises:
        InvalidValue: E330 nothing is given, or a part of a rotation's coordinates; E332 as of `check`.
    """
    space = equations.space
    if not found:
        raise InvalidValue("E330", "the end gives no position", f"end={{{as_given(space.coordinates[0].name)}: ...}}")
    plain = {n: float(v) for n, v in found.items() if n not in space.attitudes}
    check(equations, {**parameters, TIME.name: t, **plain}, "end")
    rotations = []
    for name, attitude in space.attitudes.items():
        names = [s.name for s in attitude.coordinates]
        parts = [n for n in names if n in plain]
        if parts and len(parts) < len(names):
            raise InvalidValue("E330", f"the end gives {', '.join(parts)} of the rotation {name}", f"give {name} whole")
        if parts or name in found:
            values = {n: plain.pop(n) for n in parts} if parts else read_attitude(name, found[name], attitude)
            rotations.append(_rotated(equations, attitude, values))
    return End(equations, t, plain, tuple(rotations), parameters, np.ones(len(plain)))


def sized(end: End, far: np.ndarray, first: Mapping[str, float]) -> End:
    """The end with the scale of each coordinate: how far it has to go, or how far motions go (n,)."""
    angles = {*end.equations.space.angles}
    sizes = []
    for place, (name, last) in zip(end.places, end.plain.items(), strict=True):
        usual = min(far[place], 1.0) if name in angles else far[place]
        size = max(abs(last - first[name]), usual if np.isfinite(usual) else 0.0)
        sizes.append(size or max(abs(first[name]), abs(last)) or 1.0)
    return replace(end, sizes=np.array(sizes))


def _rotated(equations: Equations, attitude: Any, values: Mapping[str, float]) -> Rotated:
    graph = equations.machine.graph
    entries = [read(e, graph) for e in attitude.matrix]
    by = [graph.symbol(s.name) for s in attitude.coordinates]
    every = [node for e in entries for node in (e, *gradient(e, by))]
    R = np.array(evaluate(entries, values), float).reshape(3, 3)
    places = tuple(equations.states.index(s.name) for s in attitude.coordinates)
    return Rotated(attitude.name, places, R, tuple(every))
