"""A leaf: an integral manifold of the constraints that can be integrated, and the system on it [lewis1995 2.3].

    f^a(t, q) = c^a ,   q = Q(t, s) ,   u = U(t, s, v) ,   L_Lambda(t, s, v) = L(t, Q, U) ,   J = dU/dv

For every curve on the leaf, a motion or not,

    J^T EL(L) = EL(L_Lambda)    [lewis1995 (2.10), (2.11)]          J^T EL(phi) = EL(phi on the leaf)

The second is 0 for a constraint that the leaf takes up, whatever its multiplier: where all are taken up, nonholonomic
and vakonomic motions are the free ones of L_Lambda [lewis1995 Proposition 2.8].
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice

import numpy as np
import sympy as sp

from ..argument_checks import kind, mapping, noun, public
from ..calculus.algebra import GraphAlgebra
from ..calculus.euler_lagrange import Affine, Motion
from ..calculus.frame import TIME
from ..calculus.from_sympy import read
from ..calculus.graph import Graph, Node, evaluate
from ..calculus.numerical_rank import rank_of, sized
from ..calculus.quantity import number
from ..calculus.symbols import by_name
from ..errors import InvalidValue, as_given
from ..errors.remedies import Call, Give
from ..model.expression_symbols import Reader
from ..model.names import key_name
from ..model.space import Space
from ..model.system import System
from .change_of_variables import in_coordinates, restated
from .constraint_rank import ranks
from .examination import examine
from .generators import needs_system
from .random_states import ConstraintSampler, Values
from .restriction import derivation
from .summary_lines import Summary
from .symbolic_null_space import tidy, vanishes


@noun
@dataclass(frozen=True, eq=False)
class Leaf:
    """A system on a leaf of its constraints.

    Attributes:
        system: on the leaf, with L_Lambda and the constraints that no relation between positions replaces.
        given: the system it was made of; in plain coordinates, where those of its frame could not be solved for.
        integrals: the relations f(t, q) = c that make the leaf, with c.
        coordinates: ``{name: function of the place on the leaf}`` for each coordinate of the given system.
        velocities: the same for its velocities, functions of the state on the leaf.
        constants: the parameters among c, with their values.
        rows: the given constraints, ``{name: phi}``, on the leaf: 0 where it takes one up.
    """

    system: System
    given: System
    integrals: tuple[tuple[sp.Expr, sp.Expr], ...]
    coordinates: Mapping[str, sp.Expr]
    velocities: Mapping[str, sp.Expr]
    constants: Mapping[str, float | None]
    rows: Mapping[str, sp.Expr] = field(repr=False)

    @property
    def holonomic(self) -> bool:
        """Does the leaf take up all constraints?"""
        return not self.system.constraints

    @cached_property
    def agreement(self) -> Agreement:
        """Is the expression of Lagrange's of L and of each constraint, pulled back, that on the leaf? For any curve."""
        back = [*self.coordinates.values(), *self.velocities.values()]
        return agreement(self.given, self.system, back, self.rows, self.constants)

    def lift(self, state: Mapping[str, object]) -> dict[str, np.ndarray]:
        """Coordinates and velocities of the given system, by name, at states on the leaf.

            leaf.lift(path.at(t))

        Args:
            state: values by name, numbers or arrays (T,), of a start, of ``path.at(t)`` or of a mapping, with t where
                the leaf moves.

        Returns:
            ``{name: (T,)}``.

        Raises:
            WrongType: E241, no values by name.
            InvalidValue: E203, E204, what is no number or array of numbers; E230, values that are missing.
        """
        named = by_name(mapping(state, "a state", "E241", "leaf.lift(path.at(0.0))"), "the state")
        known: dict[str, object] = {
            **self.given.parameters,
            **self.constants,
            **getattr(state, "parameters", {}),
            **named,
        }
        known |= {} if getattr(state, TIME.name, None) is None else {TIME.name: getattr(state, TIME.name)}
        known = {name: _numbers(value, as_given(name)) for name, value in known.items() if value is not None}
        wanted = {**self.coordinates, **self.velocities}
        missing = sorted({s.name for e in wanted.values() for s in e.free_symbols} - {*known})
        if missing:
            raise InvalidValue("E230", f"free: {', '.join(missing)}", Give(tuple(missing)))
        graph = Graph()
        with np.errstate(all="ignore"):
            found = evaluate([read(e, graph) for e in wanted.values()], known)
        return {name: np.asarray(value, float) for name, value in zip(wanted, found, strict=True)}

    def __str__(self) -> str:
        told = Summary(f"{self.given.title or 'System'}, on a leaf", ".system")
        for f, c in self.integrals:
            told.add("leaf", f"{f} = {c}")
        kept = {q.name for q in self.system.space.coordinates}
        for name, e in self.coordinates.items():
            if name not in kept:
                told.add("where", f"{name} = {e}")
        told.add_system(self.system)
        one = "nonholonomic and vakonomic motions are those of Lagrange's equations of L here"
        some = "motions of either principle on the leaf are those of the whole"
        told.add("so", (one if self.holonomic else some) if self.agreement.holds else str(self.agreement))
        return str(told)

    __repr__ = __str__


def _numbers(given: object, name: str) -> object:
    """A number, or an array of numbers (E204)."""
    if isinstance(given, np.ndarray) and given.dtype.kind in "fiu" and given.ndim == 1:
        return given.astype(float)
    return number(given, name)


@public
def leaf(
    system: System,
    at: Mapping[str, object] | None = None,
    *,
    on: Space | None = None,
    chart: Mapping[sp.Symbol | str, object] | None = None,
) -> Leaf:
    """Restrict a system to an integral manifold of its constraints: fewer coordinates, L_Lambda, and what is left.

        da.symmetry.leaf(system, at={"x": 1.0, "z": 0.5})
        da.symmetry.leaf(pendulum, on=da.angle("phi"), chart={"x": "l*sin(phi)", "y": "-l*cos(phi)"})

    The leaf is made of the relations given on positions and of the integrals that `da.examine` finds in constraints on
    velocities. Each is solved for a coordinate in which it is linear, with a factor that is 0 nowhere; where there is
    none, coordinates on the leaf are to be given. Coordinates that are left keep their names.

    Args:
        system: the system.
        at: a place of the leaf, ``{coordinate: value}``, with t where an integral holds the time, for the constants of
            the integrals, which are parameters ``leaf`` of the new system, without values if it is left out.
        on: the space of new coordinates on the leaf, if there are any.
        chart: ``{coordinate: function of these and of what is left}``, text or SymPy expressions; ``{"phi": "-z/b"}``
            says which coordinate is to go.

    Returns:
        A `Leaf`: its `system`, how to come back, and how far Lagrange's expressions there are those of the whole.

    Raises:
        WrongType: E101, not a system; E241, no values by name.
        InvalidValue: E124, no constraint can be integrated, a relation that is linear in no coordinate, coordinates
            that turn with others, a chart that leaves the leaf or does not cover it, or has a place beside it;
            E230, values of `at` that are missing; E136, it takes more time or memory than the system's limits.
        TextError: E701 to E717, text that is not an expression.
    """
    needs_system(system, "leaf")
    with derivation(system, "the system on a leaf"):
        made = relations(system)
        if on is None and chart is None:
            system, made, found = solved_chart(system, made, at)
        elif at is None:
            found = given_chart(system, made, on, chart)
        else:
            raise InvalidValue("E124", "a chart says on which leaf it lies: a place is given too", "leave at out")
        return _on(system, found, made)


def _on(system: System, chart: Chart, made: list[tuple[sp.Expr, sp.Expr]]) -> Leaf:
    """The system in the coordinates of a chart, without the constraints that hold by themselves."""
    places = {q: chart.places.get(q, q) for q in system.space.coordinates}
    speeds = {u: chart.speeds.get(u, u) for u in system.space.velocities}
    rows = {c.name: c.phi.xreplace({**places, **speeds}) for c in system.constraints}
    left = {n: e for n, e in rows.items() if not vanishes(e)}
    made_on = restated(system, chart.space, places, speeds, left, chart.constants)
    kept = [made_on.constraints[i].name for i in ranks(made_on).kept] if left else []
    if len(kept) < len(left):
        made_on = made_on.changed(constraints={n: left[n] for n in kept})
    coordinates, velocities = ({s.name: e for s, e in table.items()} for table in (places, speeds))
    integrals = tuple(zip((f for f, _ in made), chart.levels, strict=True))
    return Leaf(made_on, system, integrals, coordinates, velocities, chart.constants, rows)


# --- coordinates on a leaf f(t, q) = c --------------------------------------------------------------------------------

# Relations are solved for coordinates in which they are linear, or a chart is given. Only coordinates whose rate is a
# velocity of its own, qdot^i = u^a, are replaced; all others stay as they are, such as those of a rotation.

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


# --- relations solved for coordinates ---------------------------------------------------------------------------------


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


# --- a chart that is given --------------------------------------------------------------------------------------------


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
    for (f, c), level in zip(made, levels, strict=True):
        moving = {*space.coordinates, TIME} & level.free_symbols
        if any(not vanishes(level.diff(q)) for q in moving) or (c == 0 and not vanishes(level)):
            raise InvalidValue("E124", f"on the chart {f} is {level}: it leaves the leaf", "correct the chart")
    _check_cover(system, made, Chart(space, places, speeds, levels))
    return Chart(space, places, speeds, levels)


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


# --- agreement with the whole system ----------------------------------------------------------------------------------

# Whether the Euler-Lagrange expression on the leaf is that of the whole, pulled back, is decided in numbers for any
# curve there,
#
#     J^T (EL(L) - Q) = EL(L_Lambda) - Q_Lambda ,      J^T EL(phi) = EL(phi on Lambda) ,      J = dU/dv
#
# at random places, velocities and accelerations: udot = d/dt U = J vdot + (dU/ds) sdot + dU/dt.

HOLDS = 1e-9  # of the size of the terms
_STATES, _TRIES = 4, 40


@dataclass(frozen=True)
class Agreement:
    """How far expressions of Lagrange's on a leaf are off those of the whole, over the size of their terms.

    Attributes:
        lagrangian: of L and the forces.
        constraints: of each constraint, ``{name: ...}``: one that the leaf takes up has none there.
    """

    lagrangian: float
    constraints: Mapping[str, float]

    @property
    def holds(self) -> bool:
        """Are all the same?"""
        return max(self.lagrangian, *self.constraints.values(), 0.0) <= HOLDS

    def __str__(self) -> str:
        rows = ", ".join(f"{name} {off:.1e}" for name, off in self.constraints.items())
        return f"pulled back from the whole: L {self.lagrangian:.1e}{', ' if rows else ''}{rows} of the terms"


def agreement(
    whole: System,
    leaf: System,
    back: Sequence[sp.Expr],
    rows: Mapping[str, sp.Expr],
    constants: Mapping[str, float | None],
) -> Agreement:
    """Compare the whole and the leaf at random curves on it, known to second order.

    Args:
        whole, leaf: the systems.
        back: coordinates and velocities of the whole, as functions on the leaf.
        rows: its constraints on the leaf.
        constants: of the leaf, by name.
    """
    lift, ground = _Back(leaf, back, len(whole.space.coordinates)), ConstraintSampler(leaf)
    phis = {c.name: c.phi for c in whole.constraints}
    expressions = [whole.lagrangian, *(phis[n] for n in rows)], [leaf.lagrangian, *rows.values()]
    sides = [_Rows(s, e) for s, e in zip((whole, leaf), expressions, strict=True)]
    rng, off = np.random.default_rng(8), []
    drawn = (values for values, held in islice(ground.states(7), _TRIES) if held)
    for values in islice(drawn, _STATES):
        held = {**whole.parameters, **constants}
        values |= {n: float(rng.uniform(0.5, 1.5)) if v is None else float(v) for n, v in held.items()} | values
        vdot = rng.normal(size=len(leaf.space.velocities))
        there, udot, J = lift(whole, values, vdot)
        (above, size), (below, other) = sides[0](there, udot), sides[1](values, vdot)
        scale = size @ np.abs(J) + other
        off.append(np.abs(above @ J - below).max(axis=1) / np.where(scale.max(axis=1) > 0, scale.max(axis=1), 1.0))
    worst = np.max(off, axis=0) if off else np.full(1 + len(rows), np.inf)
    return Agreement(float(worst[0]), dict(zip(rows, map(float, worst[1:]), strict=True)))


class _Back:
    """From the leaf to the whole: places, velocities, their rates, and J."""

    def __init__(self, leaf: System, back: Sequence[sp.Expr], places: int) -> None:
        algebra = leaf.over(Graph())
        motion = Motion.of(leaf.space.frame, algebra)
        nodes = [algebra.read(e) for e in back]
        moved = motion.derivative(nodes[places:])
        self.k, self.nodes = len(nodes) - places, [*nodes, *moved.rest, *_flat(moved.matrix)]

    def __call__(self, whole: System, values: Values, vdot: np.ndarray) -> tuple[Values, np.ndarray, np.ndarray]:
        """State of the whole by name, udot (k,), J (k, r)."""
        found, n = np.array(evaluate(self.nodes, values), float), len(whole.space.coordinates)
        named = {s.name: float(v) for s, v in zip(whole.space, found, strict=False)}
        rest, J = found[n + self.k : n + 2 * self.k], found[n + 2 * self.k :].reshape(self.k, -1)
        return {**values, **named, TIME.name: values[TIME.name]}, J @ vdot + rest, J


class _Rows:
    """EL of some expressions, the first less the forces, and the sizes of their terms."""

    def __init__(self, system: System, expressions: Sequence[sp.Expr]) -> None:
        algebra: GraphAlgebra = system.over(Graph())
        motion = Motion.of(system.space.frame, algebra)
        found: list[Affine] = [motion.euler_lagrange(algebra.read(e)) for e in expressions]
        self.k, self.count = len(motion.u), len(found)
        self.nodes = [e for each in found for e in (*_flat(each.matrix), *each.rest)]
        self.nodes += [algebra.read(q) for q in system.forces]

    def __call__(self, values: Values, udot: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(rows, k) and their sizes."""
        (flat, sizes), k = sized(self.nodes, values), self.k
        pushed = np.vstack([flat, sizes])[:, len(flat) - k :]
        blocks = np.vstack([flat, sizes])[:, : len(flat) - k].reshape(2, self.count, k * k + k)
        W, rest = blocks[..., : k * k].reshape(2, -1, k, k), blocks[..., k * k :]
        found, size = W[0] @ udot + rest[0], W[1] @ np.abs(udot) + rest[1]
        found[0], size[0] = found[0] - pushed[0], size[0] + pushed[1]
        return found, size


def _flat(matrix: Iterable[Sequence[Node]]) -> list[Node]:
    return [e for row in matrix for e in row]
