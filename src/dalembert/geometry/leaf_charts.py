"""Coordinates on a leaf f(t, q) = c: relations solved for coordinates in which they are linear, or a given chart.

Only coordinates whose rate is a velocity of its own, qdot^i = u^a, are replaced; all others stay as they are, such as
those of a rotation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import sympy as sp

from ..calculus.frame import TIME
from ..calculus.graph import Graph, evaluate
from ..calculus.quantity import number
from ..calculus.rank import rank_of
from ..calculus.read import read
from ..calculus.symbols import by_name
from ..errors import InvalidValue, as_given
from ..errors.remedies import Call, Give
from ..given import kind, mapping
from ..model.expression import Reader
from ..model.names import key_name
from ..model.space import Space
from ..model.system import System
from .examine import examine
from .kernel import tidy, vanishes
from .restated import in_coordinates

Relations = list[tuple[sp.Expr, sp.Expr]]
Way = tuple[tuple[int, int, int], sp.Symbol, sp.Expr]
_GIVE = 'give coordinates on it: leaf(system, on=da.angle("phi"), chart={"x": "l*sin(phi)", "y": "-l*cos(phi)"})'
_OPEN = sp.Symbol("c", real=True)  # the constant of an integral, until it has a name


@dataclass(frozen=True)
class Chart:
    """Where the leaf is.

    Attributes:
        space: of the leaf.
        places, speeds: replaced coordinates and velocities, as functions on the leaf.
        levels: the constants of the relations, in order.
        constants: those that are parameters.
    """

    space: Space
    places: Mapping[sp.Symbol, sp.Expr]
    speeds: Mapping[sp.Symbol, sp.Expr]
    levels: tuple[sp.Expr, ...]
    constants: Mapping[str, float | None] = field(default_factory=dict)


def relations(system: System) -> Relations:
    """(f, c) of f(t, q) = c: those given on positions, c = 0, and the integrals found, c open.

    Raises:
        InvalidValue: E124, there are none.
    """
    found = examine(system)
    drawn = [(c.given, sp.S.Zero) for c in system.constraints if c.holonomic and c.name not in found.redundant]
    drawn += [(i.expression, _OPEN) for i in found.integrals]
    if not drawn:
        fact = f"{found.verdict}: no constraint is a relation between positions, or the rate of one that was found"
        raise InvalidValue("E124", fact, ("what they are: ", Call("examine", "system")))
    return drawn


def separate(space: Space) -> dict[sp.Symbol, sp.Symbol]:
    """{coordinate: velocity} of those with qdot^i = u^a on which no other rate and no bracket depends."""
    E, found = sp.Matrix(space.anchor), {}
    tables = [*E, *(e for row in space.brackets.values() for e in row)]
    held = frozenset().union(*(e.free_symbols for e in (*tables, *space.embedding)))
    turning = {a for pair, row in space.brackets.items() for a in (*pair, *(c for c, e in enumerate(row) if e != 0))}
    for i, q in enumerate(space.coordinates):
        own = [a for a in range(E.cols) if E[i, a] != 0]
        unit = len(own) == 1 and E[i, own[0]] == 1 and sum(e != 0 for e in E[:, own[0]]) == 1
        if unit and own[0] not in turning and q not in held:
            found[q] = space.velocities[own[0]]
    return found


# --- solved ----------------------------------------------------------------------------------------------------------


def solved_chart(system: System, made: Relations, at: Mapping[str, object] | None) -> tuple[System, Relations, Chart]:
    """The relations solved one by one, in the system's coordinates, or in plain ones if those of its frame will not do.

    Raises:
        InvalidValue: E124, one is linear in no coordinate; E230, values of the place that are missing.
    """
    levels, constants = _levels(system, made, at)
    free = separate(system.space)
    solved = _solved(system, made, levels, free)
    if solved is None and len(free) < len(system.space.coordinates):
        system = in_coordinates(system)
        free = separate(system.space)
        solved = _solved(system, made, levels, free)
    if solved is None:
        shown = ", ".join(f"{f} = {'0' if c == 0 else 'const'}" for f, c in made)
        raise InvalidValue("E124", f"no coordinate can be told from the others in {shown}, everywhere", _GIVE)
    space = without(system.space, set(solved), free)
    speeds = {free[q]: tidy(sp.expand(rate(e, system.space))) for q, e in solved.items()}
    return system, made, Chart(space, solved, speeds, levels, constants)


def _levels(
    system: System, made: Relations, at: Mapping[str, object] | None
) -> tuple[tuple[sp.Expr, ...], dict[str, float | None]]:
    """The constants of the relations: 0, or parameters with their values at a place."""
    open_ = [f for f, c in made if c != 0]
    taken = {*system.space.by_name, *system.parameters, *system.symbols}
    stem = "leaf"
    while stem in taken or f"{stem}1" in taken:
        stem += "_"
    names = [stem] if len(open_) == 1 else [f"{stem}{i}" for i in range(1, len(open_) + 1)]
    values: list[float | None] = [None] * len(open_) if at is None else [*_at(system, open_, at)]
    each = iter(names)
    levels = tuple(c if c == 0 else sp.Symbol(next(each), real=True) for _, c in made)
    return levels, dict(zip(names, values, strict=True))


def _at(system: System, functions: list[sp.Expr], at: Mapping[str, object]) -> list[float]:
    """Values of the integrals at a place."""
    named = by_name(mapping(at, "a place", "E241", 'at={"x": 1.0}'), "the place")
    known = {**system.parameters, **getattr(at, "parameters", {}), **named}
    known |= {} if getattr(at, TIME.name, None) is None else {TIME.name: getattr(at, TIME.name)}
    known = {name: number(value, as_given(name)) for name, value in known.items() if value is not None}
    missing = sorted({s.name for f in functions for s in f.free_symbols} - {*known})
    if missing:
        raise InvalidValue("E230", f"free: {', '.join(missing)}", Give(tuple(missing)))
    graph = Graph()
    with np.errstate(all="ignore"):
        values = evaluate([read(f, graph) for f in functions], known)
    if not np.isfinite(values).all():
        raise InvalidValue("E203", "an integral of the constraints is no number at the place", "another place: at=...")
    return [float(v) for v in values]


def _solved(
    system: System, made: Relations, levels: tuple[sp.Expr, ...], free: Mapping[sp.Symbol, sp.Symbol]
) -> dict[sp.Symbol, sp.Expr] | None:
    """Replaced coordinates as functions of those that are left; None where a relation is linear in none."""
    found: dict[sp.Symbol, sp.Expr] = {}
    for (f, _), level in zip(made, levels, strict=True):
        here = sp.expand(f.xreplace(found) - level)
        ways = sorted(_ways(here, system, [q for q in free if q not in found]), key=lambda way: way[0])
        if not ways:
            return None
        _, q, value = ways[0]
        found = {s: tidy(e.xreplace({q: value})) for s, e in found.items()} | {q: value}
    return found


def _ways(
    here: sp.Expr, system: System, free: list[sp.Symbol]
) -> list[tuple[tuple[int, int, int], sp.Symbol, sp.Expr]]:
    """(how long the factor is, q, value) of a q + b = 0 or a log(q) + b = 0, with a that is 0 nowhere."""
    found = []
    for i, q in enumerate(q for q in free if here.has(q)):
        for old, back in ((q, lambda e: e), (sp.log(q), sp.exp)):
            x = sp.Dummy(real=True)
            line = sp.expand(here.subs(old, x))
            a = sp.simplify(line.diff(x))
            if a != 0 and not line.has(q) and not a.has(x) and _nowhere_zero(a, system):
                # q = -b/a
                value = tidy(back(sp.expand(-line.subs(x, 0) / a)))
                found.append(((len(a.free_symbols), int(sp.count_ops(a)), -i), q, value))
    return found


def _nowhere_zero(a: sp.Expr, system: System) -> bool:
    """Is it 0 at no place, whatever positive values parameters have?"""
    moving = {*system.space.coordinates, TIME}
    positive = {s: sp.Symbol(s.name, positive=True) for s in a.free_symbols - moving}
    top = sp.fraction(sp.together(a.xreplace(positive)))[0]
    return not top.free_symbols & moving or bool(top.is_nonzero)


def without(space: Space, gone: set[sp.Symbol], free: Mapping[sp.Symbol, sp.Symbol], on: Space | None = None) -> Space:
    """The space without some of its separate coordinates, times another.

    Raises:
        InvalidValue: E114, nothing is left that moves.
    """
    still = [a for a, u in enumerate(space.velocities) if u not in {free[q] for q in gone}]
    rows = [i for i, q in enumerate(space.coordinates) if q not in gone]
    if not still:
        if on is None:
            raise InvalidValue("E114", "the relations leave no coordinate: no motion is left", "leave one of them out")
        return on
    place = {a: j for j, a in enumerate(still)}
    kept = Space(
        [space.coordinates[i] for i in rows],
        [space.velocities[a] for a in still],
        sp.Matrix(space.anchor).extract(rows, still),
        {(place[a], place[b]): [row[c] for c in still] for (a, b), row in space.brackets.items()},
        almost=space.almost,
        embedding=space.embedding,
        retraction=space.retraction,
        attitudes=space.attitudes,
        angles=sorted(space.angles & {space.coordinates[i].name for i in rows}),
    )
    return kept if on is None else Space.product(kept, on)


def rate(e: sp.Expr, space: Space) -> sp.Expr:
    """d/dt of a function of the place, (de/dq^i) E^i_a u^a + de/dt."""
    moving = ((q, v) for q, v in space.rates.items() if e.has(q))
    return sum((e.diff(q) * v for q, v in moving), e.diff(TIME))


# --- given -----------------------------------------------------------------------------------------------------------


def given_chart(
    system: System, made: Relations, on: Space | None, chart: Mapping[sp.Symbol | str, object] | None
) -> Chart:
    """A chart as the user gives it, checked at random places: it lies on one leaf, and covers a piece of it.

    Raises:
        InvalidValue: E124, it does not.
    """
    on = None if on is None else kind(Space, on, "leaf", "on=da.angle(...), chart={...}")
    free = separate(system.space)
    named = by_name(
        mapping({} if chart is None else chart, "a chart", "E241", 'chart={"x": "l*sin(phi)"}'), "the chart", key_name
    )
    strange = [n for n in named if n not in {q.name for q in free}]
    if strange:
        fact = f"the chart gives {', '.join(strange)}, no coordinate that moves by itself"
        raise InvalidValue("E124", fact, f"there are {', '.join(q.name for q in free) or 'none'}")
    gone = {system.space[n] for n in named}
    space = without(system.space, gone, free, on)
    reader = Reader(space, (*system.parameters, *system.symbols))
    reader.parameters.update(system.symbols)
    places = {system.space[n]: reader.read(e, f"the chart of {n}") for n, e in named.items()}
    speeds = {free[q]: rate(e, space) for q, e in places.items()}
    levels = tuple(tidy(sp.expand(f.xreplace(places))) for f, _ in made)
    _check_level(made, levels, space)
    _check_cover(system, made, Chart(space, places, speeds, levels))
    return Chart(space, places, speeds, levels)


def _check_level(made: Relations, levels: tuple[sp.Expr, ...], space: Space) -> None:
    """E124: a relation that changes along the chart, or is not 0 there where it is given as 0."""
    for (f, c), level in zip(made, levels, strict=True):
        moving = {*space.coordinates, TIME} & level.free_symbols
        if any(not vanishes(level.diff(q)) for q in moving) or (c == 0 and not vanishes(level)):
            raise InvalidValue("E124", f"on the chart {f} is {level}: it leaves the leaf", "correct the chart")


def _check_cover(system: System, made: Relations, chart: Chart) -> None:
    """E124: too few or too many coordinates for the leaf, or dependent ones."""
    whole, v = len(system.space.velocities), chart.space.velocities
    wanted, graph = whole - len(made), Graph()
    U = [chart.speeds.get(u, u) for u in system.space.velocities]
    nodes = [read(e.diff(s), graph) for e in U for s in v]
    names = {s.name for e in U for s in e.free_symbols} - {*chart.space.by_name}
    rng = np.random.default_rng(4)
    states = [chart.space.sample(rng, sorted(names)) for _ in range(3)]
    rank = max(rank_of(np.array(evaluate(nodes, s), float).reshape(whole, -1)) for s in states)
    if rank != wanted or len(v) != wanted:
        fact = f"the leaf has {wanted} dimensions, the chart {len(v)} coordinates that move in {rank} directions"
        raise InvalidValue("E124", fact, "as many independent coordinates as the leaf has dimensions")
