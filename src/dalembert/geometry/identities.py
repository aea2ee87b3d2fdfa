"""What holds at all states: exact at generic points, contradicted at real ones, or not decided.

A function of the state vanishes, and a rate along the motion does,

    W udot - N^T mu = f ,   N udot = g ,   dy/dt = y_t + y_q qdot + y_u udot + y_mu mudot = 0 ,

if and only if the last row of a matrix follows from those above it: (y), or the bordered (y_u, y_mu, -y_t - y_q qdot)
below (W, -N^T, f) and (N, 0, g). Both are asked modulo a prime at random points that satisfy the constraints, where 0
shows an identity [schwartz1980; zippel1979], and in numbers of any size at real states, where a row that clearly does
not follow shows that there is none. Functions that are written with others than +, -, *, /, sines and exponentials may
vanish although this is not seen; then neither shows anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice

import numpy as np
import sympy as sp

from ..answer import Answer, all_of, no, undecided, yes
from ..calculus.exact.exact_rank import MOST, Wide, eliminated, null_space, solved
from ..calculus.exact.finite_field import MODULUS, ResiduePoint, as_written, given_exactly, root, short_fraction
from ..calculus.frame import TIME
from ..calculus.from_sympy import read
from ..calculus.graph import Node, evaluate, gradient, live, symbols
from .random_states import ConstraintSampler, Values

_PLAIN, _SIGNED = 2, 30  # points at which an identity holds, without signs and with them
_SEEDS, _FAILED = 300, 60  # points that are tried, and those after which it is given up where none was found
_LONG = 1000  # denominators of fractions that are shown as decimals
SIZES = 1.0, 1e3, 1e-3, 10.0, 0.1, 1e6, 1e-6, 100.0, 0.01
_SWITCHES = ("abs", "sign", "max", "min", "lt", "le")
Rows = Sequence[Sequence[Node]]


# --- points modulo a prime --------------------------------------------------------------------------------------------


def points(sampler: ConstraintSampler) -> Iterator[ResiduePoint]:
    """Random points modulo a prime on the constraints, the parameters at their values; none where they are too bent."""
    rows = (*sampler.positions, *sampler.phi)
    key = ("points", tuple(sampler.known.items()), tuple(f.index for f in rows))
    known: list[_Draw | None] = sampler.graph.memory.setdefault(key, [])
    for seed in range(_SEEDS):
        if len(known) == seed:
            known.append(_Draw(sampler, seed).settled())
        draw = known[seed]
        if draw is not None:
            yield draw.point()
        elif seed >= _FAILED and not any(known):
            return


class _Draw:
    """A point on the constraints in the making: values of symbols, and cosines and sines of angles."""

    def __init__(self, sampler: ConstraintSampler, seed: int) -> None:
        self.sampler, self.seed = sampler, seed
        self.at: dict[str, int | Fraction] = {name: as_written(value) for name, value in sampler.known.items()}
        self.circle: dict[str, tuple[int, int]] = {}

    def point(self, **more: int) -> ResiduePoint:
        """The point, perhaps with other values."""
        return ResiduePoint(
            self.sampler.graph, {**self.at, **more}, self.sampler.space.unit_vectors, self.seed, self.circle
        )

    def settled(self) -> _Draw | None:
        """This draw with the constraints satisfied; None where no root was found."""
        sampler, space = self.sampler, self.sampler.space
        spheres = [{*vector} for vector in space.unit_vectors]
        further = [read(e, sampler.graph) for e in space.embedding if {s.name for s in e.free_symbols} not in spheres]
        free = {q.name for q in space.coordinates} - set().union(*spheres)
        for f in (*further, *sampler.positions):
            names = sorted(free & symbols([f]))
            if not any(self._solved(f, name) for name in names) and self.point()(f.index):
                return None
            free -= {*names}
        if sampler.phi and not self._moving():
            return None
        point = self.point()
        held = all(point(f.index) == 0 for f in (*further, *sampler.positions, *sampler.phi))
        return self if held and not point.blind else None

    def _solved(self, f: Node, name: str) -> bool:
        """Put f = 0 by a coordinate on which it depends with degree 2 or less, or as on an angle."""
        z = _root([self.point(**{name: z})(f.index) for z in range(4)])
        if z is not None:
            self.at[name] = z
            return True
        # f = A c + B s + C
        y = []
        for self.circle[name] in ((0, 0), (1, 0), (0, 1), (1, 1)):
            y.append(self.point()(f.index))
        A, B, C = y[1] - y[0], y[2] - y[0], y[0]
        square = A * A + B * B
        h = root(square - C * C)
        if h is None or not square % MODULUS or (y[3] - A - B - C) % MODULUS:
            del self.circle[name]
            return False
        over = pow(square, -1, MODULUS)
        self.circle[name] = (h * -B - A * C) * over % MODULUS, (h * A - B * C) * over % MODULUS
        return True

    def _moving(self) -> bool:
        """Find velocities with phi = 0: those on which it depends linearly, and one relation that is bent."""
        sampler, point = self.sampler, self.point()
        u = [s.name for s in sampler.space.velocities]
        bent = [i for i, c in enumerate(sampler.constraints) if c.kind == "nonlinear"]
        straight = [i for i in range(len(sampler.phi)) if i not in bent]
        N = [[point(e.index) for e in sampler.normals[i]] for i in straight]
        shift = solved(N, [-point(sampler.phi[i].index) for i in straight]) if straight else [0] * len(u)
        if shift is None or len(bent) > 1:
            return False
        start = {n: point(sampler.graph.symbol(n).index) + x for n, x in zip(u, shift, strict=True)}
        some = {i: self.seed**i + i + 1 for i in range(len(u))}
        along = solved(N, [0] * len(N), some) if N else [*some.values()]
        lines = [{n: (start[n] + z * d) % MODULUS for n, d in zip(u, along or (), strict=True)} for z in range(4)]
        z = _root([self.point(**line)(sampler.phi[bent[0]].index) for line in lines]) if bent else 0
        if z is not None:
            self.at |= {n: (lines[0][n] + z * (lines[1][n] - lines[0][n])) % MODULUS for n in u}
        return z is not None


def _root(y: Sequence[int]) -> int | None:
    """A root of a polynomial of degree 2 or less, by its values at 0, 1, 2, 3; None where it has none, or is none."""
    if (y[3] - 3 * y[2] + 3 * y[1] - y[0]) % MODULUS:
        return None
    a, c = (y[2] - 2 * y[1] + y[0]) % MODULUS, 2 * y[0]  # a z^2 + b z + c, all doubled
    b = 2 * (y[1] - y[0]) - a
    h = root((b * b - 4 * a * c) % MODULUS)
    below = 2 * a if a else b % MODULUS
    if h is None or not below:
        return None
    return (h - b if a else -c) * pow(below, -1, MODULUS) % MODULUS


# --- the motion -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class MotionNodes:
    """A motion  W udot - N^T mu = f,  N udot = g,  qdot = E u,  on a sampler's graph.

    Attributes:
        sampler: of its states.
        W, N, f, g: nodes.
        states: names of multipliers that are states, whose rates are mu.
    """

    sampler: ConstraintSampler
    W: Rows
    N: Rows
    f: Sequence[Node]
    g: Sequence[Node]
    states: tuple[str, ...] = ()

    @classmethod
    def of(cls, sampler: ConstraintSampler, kept: Sequence[int]) -> MotionNodes:
        """The nonholonomic motion of a system."""
        motion = sampler.motion
        W, h = motion.euler_lagrange(read(sampler.system.lagrangian, sampler.graph))
        N, drift = motion.derivative([sampler.phi[s] for s in kept])
        Q = [read(e, sampler.graph) for e in sampler.system.forces]
        return cls(sampler, W, N, [Qa - ha for Qa, ha in zip(Q, h, strict=True)], [-1 * d for d in drift])

    @property
    def inputs(self) -> tuple[str, ...]:
        """What the rates of inputs, which may be anything, are called."""
        return tuple(f"rate of {name}" for name in self.sampler.system.inputs)

    def rows(self, y: Node) -> list[list[Node]]:
        """The bordered matrix whose last row follows from the others where dy/dt = 0."""
        motion, graph = self.sampler.motion, self.sampler.graph
        zero, m = motion.zero, len(self.N)
        inputs = [graph.symbol(name) for name in self.sampler.system.inputs]
        rates = [*motion.qdot, motion.one, *(graph.symbol(name) for name in self.inputs)]
        still = len(rates)
        slopes = gradient(y, [*motion.q, motion.t, *inputs, *motion.u, *(graph.symbol(n) for n in self.states)])
        rest = motion.sum(s * v for s, v in zip(slopes[:still], rates, strict=True))
        own = [*slopes[still:], *[zero] * (0 if self.states else m)]
        above = [[*row, *(-1 * n[a] for n in self.N), f] for a, (row, f) in enumerate(zip(self.W, self.f, strict=True))]
        below = [[*row, *[zero] * m, g] for row, g in zip(self.N, self.g, strict=True)]
        return [*above, *below, [*own, -1 * rest]]

    def constant(self, y: Node) -> Answer:
        """Is y constant along every motion?"""
        return decided(self.rows(y), self.sampler, "its rate", (*self.states, *self.inputs))

    def identically(self, y: Node) -> bool:
        """Is dy/dt shown to be 0?"""
        return _exactly(self.rows(y), self.sampler)[0] is True

    def rates(self, ys: Sequence[Node], here: ResiduePoint) -> list[int] | None:
        """dy/dt of functions at a point, modulo the prime; None where the motion is not determined there."""
        rows = [self.rows(y) for y in ys]
        above = [[here(e.index) for e in row] for row in rows[0][:-1]] if rows else []
        x = solved([row[:-1] for row in above], [row[-1] for row in above])
        last = ([here(e.index) for e in row[-1]] for row in rows)
        return None if x is None else [(sum(a * b for a, b in zip(y, x, strict=False)) - y[-1]) % MODULUS for y in last]


def constant_combinations(ys: Sequence[Node], flow: MotionNodes) -> list[list[Fraction]]:
    """All combinations of these functions, with fractions as coefficients, that are constant along every motion."""
    rows: list[list[int]] = []
    for here in points(flow.sampler) if ys else ():
        found = flow.rates(ys, here)
        rows += [] if found is None or here.blind else [found]
        if len(rows) == len(ys) + (_SIGNED if here.signed else _PLAIN):
            written = [[short_fraction(c) for c in x] for x in null_space(rows)]
            return [[c for c in x if c is not None] for x in written if None not in x]
    return []


def written(c: Fraction) -> sp.Expr:
    """A fraction; a decimal where it is long."""
    return sp.Rational(c.numerator, c.denominator) if c.denominator <= _LONG else sp.Float(float(c))


# --- verdicts ---------------------------------------------------------------------------------------------------------


def vanish(nodes: Iterable[Node], sampler: ConstraintSampler, what: str) -> Answer:
    """Are these nodes 0 at all states on the sampler's constraints?"""
    own = (decided([[node]], sampler, what) for node in nodes if not node.is_zero)
    return all_of([yes(f"{what} is 0 identically"), *own])


def decided(rows: Rows, sampler: ConstraintSampler, what: str, further: Sequence[str] = ()) -> Answer:
    """Does the last row follow from the others at all states, so that `what` is 0?"""
    exact, seen = _exactly(rows, sampler)
    if exact:
        return yes(f"{what} is 0 identically")
    tried = 0
    for place in _places(rows, sampler, further) if len(live([e for row in rows for e in row])) <= MOST else ():
        tried += 1
        if len(rows) - 1 in Wide(place, sampler.iterated).independent(rows):
            return no(f"{what} is not 0 at {_shown(place, sampler)}", place)
    rounded = [name for name, value in sampler.known.items() if not given_exactly(value)]
    if exact is False and seen is not None and not (seen.opaque or seen.rounded or seen.signed or rounded):
        place = next(sampler.inside(3), {})
        return no(f"{what} is not 0 identically: as a rational function of the state it differs from 0", place)
    why = "numbers were rounded" if exact is False and not (seen and seen.opaque) else "no identity was found"
    return undecided(f"{what} is 0 to rounding at {tried} states, and {why}")


def follows(rows: Rows, places: Iterable[ResiduePoint]) -> tuple[bool | None, ResiduePoint | None]:
    """Does the last row follow at points modulo a prime? None where there were too few; and the last point."""
    held, here = 0, None
    for here in places:
        numbers = [{c: here(e.index) for c, e in enumerate(row)} for row in rows]
        independent = len(eliminated(numbers)) > len(eliminated(numbers[:-1]))
        if here.blind:
            continue
        if independent:
            return False, here
        held += 1
        if held == (_SIGNED if here.signed else _PLAIN):
            return True, here
    return None, here


def _exactly(rows: Rows, sampler: ConstraintSampler) -> tuple[bool | None, ResiduePoint | None]:
    """The same on the constraints."""
    found, here = follows(rows, points(sampler))
    if here is None and sampler.positions:  # what holds off the relations between positions holds on them, too
        wide = copy(sampler)
        wide.positions = []
        return _exactly(rows, wide)[0] or None, None
    return found, here


def _places(rows: Rows, sampler: ConstraintSampler, further: Sequence[str]) -> Iterator[Values]:
    """Real states of all sizes, and on both sides of where a function switches."""
    rng = np.random.default_rng(19)
    ordinary = list(islice(sampler.inside(17, SIZES), 2 * len(SIZES)))
    for place in ordinary:
        yield {**place, **{n: float(rng.normal()) for n in further}}
    for a, place in ((a, place) for a in switches(rows, sampler) for place in ordinary[:3]):
        for name in sorted(symbols([a]) & {s.name for s in (*sampler.space, TIME)}):
            value, slope = (float(v) for v in evaluate([a, *gradient(a, [a.graph.symbol(name)])], place))
            for side in (1, -1) if slope else ():
                # a = 0 and beyond, by Newton's step
                there = place[name] - value / slope
                beyond = {**place, name: there + side * 0.1 * (1 + abs(there))}
                if sampler.to_positions(beyond) and sampler.to_velocities(beyond) and sampler.in_domain(beyond):
                    yield {**beyond, **{n: float(rng.normal()) for n in further}}


def switches(rows: Rows, sampler: ConstraintSampler) -> list[Node]:
    """What changes its sign where a function of pieces goes over from one to the next, in a state or the time."""
    flat = [e for row in rows for e in row]
    keys = [flat[0].graph.nodes[i] for i in live(flat)] if flat else []
    found = [[Node(flat[0].graph, j) for j in key[1:]] for key in keys if key[0] in _SWITCHES]
    once = {n.index: n for n in (a[0] - a[1] if len(a) > 1 else a[0] for a in found)}.values()
    return [a for a in once if symbols([a]) & {s.name for s in (*sampler.space, TIME)}]


def _shown(place: Mapping[str, float], sampler: ConstraintSampler) -> str:
    return ", ".join(f"{s.name} = {place[s.name]:.3g}" for s in sampler.space)
