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

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice

import numpy as np

from ..answer import Answer, all_of, no, undecided, yes
from ..calculus.exact.ranks import eliminated, solved
from ..calculus.exact.residues import MODULUS, Point, as_written, given_exactly
from ..calculus.exact.wide import MOST, Wide
from ..calculus.frame import TIME
from ..calculus.graph import Node, evaluate, gradient, live, symbols
from ..calculus.read import read
from .states import ConstraintSampler, Values

_PLAIN, _SIGNED = 2, 30  # points at which an identity holds, without signs and with them
_SEEDS, _DRAWS = 300, 12  # points that are tried; values of the others until a relation has a root
_SCALES = 1.0, 1e3, 1e-3, 10.0, 0.1, 1e6, 1e-6, 100.0, 0.01
_SWITCHES = ("abs", "sign", "max", "min", "lt", "le")
Rows = Sequence[Sequence[Node]]


# --- points modulo a prime --------------------------------------------------------------------------------------------


def points(sampler: ConstraintSampler) -> Iterator[Point]:
    """Random points modulo a prime on the constraints, the parameters at their values; few or none if they are bent."""
    for seed in range(_SEEDS):
        at = _placed(sampler, seed)
        if at is not None:
            yield Point(sampler.graph, at, sampler.space.unit_vectors, seed)


def _placed(sampler: ConstraintSampler, seed: int) -> dict[str, int] | None:
    """Values of the symbols with which the constraints hold; None where none were found."""
    space, graph, unit = sampler.space, sampler.graph, sampler.space.unit_vectors
    at: dict = {name: as_written(value) for name, value in sampler.known.items()}
    spheres = [{*vector} for vector in unit]
    further = [e for e in space.embedding if {s.name for s in e.free_symbols} not in spheres]
    free = {q.name for q in space.coordinates} - set().union(*spheres)

    def here(**more: int) -> Point:
        return Point(graph, {**at, **more}, unit, seed)

    for f in [*(read(e, graph) for e in further), *sampler.positions]:
        names = sorted(free & symbols([f]))
        if not _settled(f, names, here, at):
            return None
        free -= {*names}
    if sampler.phi and not _moving(sampler, here, at):
        return None
    point = here()
    held = all(point(f.index) == 0 for f in (*sampler.positions, *sampler.phi))
    return at if held and not point.blind else None


def _settled(f: Node, names: Sequence[str], here: Callable[..., Point], at: dict[str, int]) -> bool:
    """Find values of these coordinates with f = 0: a root in one of them, the others at random."""
    for draw in range(_DRAWS if len(names) > 1 else 1):
        others = {n: here()._random("draw", n, draw) for n in names} if draw else {n: here()._symbol(n) for n in names}
        for name in names:
            root = _root(partial(_along, here, f, others, name))
            if root is not None:
                at.update(others, **{name: root})
                return True
    return here()(f.index) == 0


def _along(here: Callable[..., Point], f: Node, others: Mapping[str, int], name: str, z: int) -> int:
    return here(**{**others, name: z})(f.index)


def _moving(sampler: ConstraintSampler, here: Callable[..., Point], at: dict[str, int]) -> bool:
    """Find velocities with phi = 0: those on which it depends linearly, and one relation that is bent."""
    u = [s.name for s in sampler.space.velocities]
    bent = [i for i, c in enumerate(sampler.constraints) if c.kind == "nonlinear"]
    straight = [i for i in range(len(sampler.phi)) if i not in bent]
    point = here()
    N = [[point(e.index) for e in sampler.normals[i]] for i in straight]
    shift = solved(N, [-point(sampler.phi[i].index) for i in straight]) if straight else [0] * len(u)
    if shift is None or len(bent) > 1:
        return False
    at.update({n: (point._symbol(n) + x) % MODULUS for n, x in zip(u, shift, strict=True)})
    if not bent:
        return True
    some = {i: point._random("along", n) for i, n in enumerate(u)}
    along = solved(N, [0] * len(N), some) if N else [*some.values()]
    assert along is not None  # 0 is a solution

    def moved(z: int) -> dict[str, int]:
        return {n: (at[n] + z * d) % MODULUS for n, d in zip(u, along, strict=True)}

    root = _root(lambda z: here(**moved(z))(sampler.phi[bent[0]].index))
    at.update(moved(root or 0))
    return root is not None


def _root(value: Callable[[int], int]) -> int | None:
    """A root of a polynomial of degree 2 or less; None where it has none, or is none."""
    y = [value(z) for z in range(4)]
    if (y[3] - 3 * y[2] + 3 * y[1] - y[0]) % MODULUS:
        return None
    half = pow(2, -1, MODULUS)
    a = (y[2] - 2 * y[1] + y[0]) * half % MODULUS
    b, c = (y[1] - y[0] - a) % MODULUS, y[0]
    if not a:
        return -c * pow(b, -1, MODULUS) % MODULUS if b else None
    d = (b * b - 4 * a * c) % MODULUS
    root = pow(d, (MODULUS + 1) // 4, MODULUS)
    return (root - b) * half * pow(a, -1, MODULUS) % MODULUS if root * root % MODULUS == d else None


# --- the motion -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Flow:
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
    def of(cls, sampler: ConstraintSampler, kept: Sequence[int]) -> Flow:
        """The nonholonomic motion of a system."""
        motion = sampler.motion
        W, h = motion.euler_lagrange(read(sampler.system.lagrangian, sampler.graph))
        N, drift = motion.derivative([sampler.phi[s] for s in kept])
        Q = [read(e, sampler.graph) for e in sampler.system.forces]
        return cls(sampler, W, N, [Qa - ha for Qa, ha in zip(Q, h, strict=True)], [-1 * d for d in drift])

    def rows(self, y: Node) -> list[list[Node]]:
        """The bordered matrix whose last row follows from the others where dy/dt = 0."""
        motion, graph = self.sampler.motion, self.sampler.graph
        zero, m = motion.zero, len(self.N)
        slopes = gradient(y, [*motion.q, motion.t, *motion.u, *(graph.symbol(n) for n in self.states)])
        still = len(motion.q) + 1
        rest = motion.sum(s * v for s, v in zip(slopes[:still], [*motion.qdot, motion.one], strict=True))
        own = [*slopes[still:], *[zero] * (0 if self.states else m)]
        above = [[*row, *(-1 * n[a] for n in self.N), f] for a, (row, f) in enumerate(zip(self.W, self.f, strict=True))]
        below = [[*row, *[zero] * m, g] for row, g in zip(self.N, self.g, strict=True)]
        return [*above, *below, [*own, -1 * rest]]

    def constant(self, y: Node) -> Answer:
        """Is y constant along every motion?"""
        return decided(self.rows(y), self.sampler, "its rate", self.states)

    def rates(self, ys: Sequence[Node], here: Point) -> list[int] | None:
        """dy/dt of functions at a point, modulo the prime; None where the motion is not determined there."""
        rows = [self.rows(y) for y in ys]
        above = [[here(e.index) for e in row] for row in rows[0][:-1]] if rows else []
        x = solved([row[:-1] for row in above], [row[-1] for row in above])
        last = ([here(e.index) for e in row[-1]] for row in rows)
        return None if x is None else [(sum(a * b for a, b in zip(y, x, strict=False)) - y[-1]) % MODULUS for y in last]


# --- verdicts ---------------------------------------------------------------------------------------------------------


def vanish(nodes: Iterable[Node], sampler: ConstraintSampler, what: str) -> Answer:
    """Are these nodes 0 at all states on the sampler's constraints?"""
    return all_of(decided([[node]], sampler, what) for node in nodes if not node.is_zero)


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
    if exact is False and seen is not None and not (seen.opaque or seen.rounded or rounded):
        place = next(sampler.inside(3), {})
        return no(f"{what} is not 0 identically: as a rational function of the state it differs from 0", place)
    why = "numbers were rounded" if exact is False and not (seen and seen.opaque) else "no identity was found"
    return undecided(f"{what} is 0 to rounding at {tried} states, and {why}")


def _exactly(rows: Rows, sampler: ConstraintSampler) -> tuple[bool | None, Point | None]:
    """Does the last row follow at points modulo a prime? None where there were too few; and the last point."""
    held, here = 0, None
    for here in points(sampler):
        numbers = [{c: here(e.index) for c, e in enumerate(row)} for row in rows]
        follows = len(eliminated(numbers)) == len(eliminated(numbers[:-1]))
        if here.blind:
            continue
        if not follows:
            return False, here
        held += 1
        if held == (_SIGNED if here.signed else _PLAIN):
            return True, here
    return None, here


def _places(rows: Rows, sampler: ConstraintSampler, further: Sequence[str]) -> Iterator[Values]:
    """Real states of all sizes, and on both sides of where a function switches."""
    rng = np.random.default_rng(19)
    ordinary = list(islice(sampler.inside(17, _SCALES), 2 * len(_SCALES)))
    for place in ordinary:
        yield {**place, **{n: float(rng.normal()) for n in further}}
    switches = [a for a in _switches(rows) if symbols([a]) & {s.name for s in (*sampler.space, TIME)}]
    for a, place in ((a, place) for a in switches for place in ordinary[:3]):
        for name in sorted(symbols([a]) & {s.name for s in (*sampler.space, TIME)}):
            value, slope = (float(v) for v in evaluate([a, *gradient(a, [a.graph.symbol(name)])], place))
            for side in (1, -1) if slope else ():
                # a = 0 and beyond, by Newton's step
                there = place[name] - value / slope
                beyond = {**place, name: there + side * 0.1 * (1 + abs(there))}
                if sampler.to_positions(beyond) and sampler.to_velocities(beyond) and sampler.in_domain(beyond):
                    yield {**beyond, **{n: float(rng.normal()) for n in further}}


def _switches(rows: Rows) -> list[Node]:
    """What changes its sign where a function of pieces goes over from one to the next."""
    flat = [e for row in rows for e in row]
    keys = [flat[0].graph.nodes[i] for i in live(flat)] if flat else []
    found = [[Node(flat[0].graph, j) for j in key[1:]] for key in keys if key[0] in _SWITCHES]
    return list({n.index: n for n in (a[0] - a[1] if len(a) > 1 else a[0] for a in found)}.values())


def _shown(place: Mapping[str, float], sampler: ConstraintSampler) -> str:
    return ", ".join(f"{s.name} = {place[s.name]:.3g}" for s in sampler.space)
