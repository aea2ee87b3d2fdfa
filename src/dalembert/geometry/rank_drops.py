"""Where the constraints lose rank: states at which a combination of the rows vanishes.

    y_s N^s_a(t, q, u) = 0 ,  |y| = 1 ,  phi = 0 ,  f = 0

Solved by Gauss and Newton's iteration from many random states at once. What it finds are candidates: near each the
rank is taken exactly, at a place of simple numbers. Finding none is no proof that there is none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, product

import numpy as np
import sympy as sp

from ..calculus.exact.exact_rank import eliminated
from ..calculus.exact.finite_field import ResiduePoint, as_written
from ..calculus.from_sympy import read
from ..calculus.graph import Graph, Node, evaluate, gradient, symbols
from ..calculus.numerical_rank import rank_of, sized
from ..model.constraint import Constraint
from .identities import points
from .random_states import ConstraintSampler, Values

_STARTS, _STEPS, _REACHED = 24, 40, 1e-10
_MOST = 12_000  # numbers in one Jacobian, over all starts
_FAR = 1e3
_NEAR = 1e-6, 2e-2  # of simple numbers; the second where zeros are multiple, to which Newton's iteration creeps
_ROUNDING = 1e-12  # of the coordinates: what is left where an equation holds
_HELD, _PLACES = 1e-9, 300  # of the terms of a constraint; places at which ranks are taken


@dataclass(frozen=True)
class Drop:
    """A place where the rank is lower than elsewhere.

    Attributes:
        rank: the rank there.
        where: values on which it happens, as text.
        state: one such state, by name.
        exact: was the rank taken exactly there? Else it is what numbers show.
    """

    rank: int
    where: str
    state: Values
    exact: bool = True

    def __str__(self) -> str:
        return f"rank {self.rank} {'where' if self.exact else '(to rounding)'} {self.where}"


def drops(
    sampler: ConstraintSampler, constraints: Sequence[Constraint], kept: Sequence[int]
) -> tuple[Drop, ...] | None:
    """Places found where the constraints lose rank; None if the search is too large to be made.

    Args:
        sampler: the constraints.
        constraints: the same.
        kept: positions of independent rows; where these lose rank, all rows together are looked at.
    """
    search = _DropSearch(sampler, kept)
    if not search.names:
        return ()
    if not search.small:
        return None
    found = [(values, rank_of(search.normals(values))) for values in search.run()]
    places = [values for values, r in found if r < len(kept)]
    for here in islice(points(sampler), 1 if places and search.moves else 0):
        lowest = len(eliminated([{c: here(e.index) for c, e in enumerate(row)} for row in sampler.normals]))
        if lowest < len(kept):
            return (Drop(lowest, "the constraints hold", {n: places[0][n] for n in search.names}),)
    if not places:
        return ()
    angles = _angles(sampler, constraints)
    exact = _Exact(search, constraints, angles)
    groups: dict[tuple, list[Values]] = {}
    open_ = []
    for values in places:
        near = [found for found in map(exact.near(values).get, _NEAR) if found]
        if not near and search.rounded(values):
            open_.append(values)
        for (rank, names), there in (item for each in near[:1] for item in each.items()):
            folded = (round(float(there[n]) % np.pi if n in angles else float(there[n]), 9) for n in names)
            groups.setdefault((rank, names, *folded), []).append(there)
    told = [Drop(rank, _described(some, names, angles, True), some[0]) for (rank, names, *_), some in groups.items()]
    if not told and open_:
        rank = max(rank_of(search.normals(values)) for values in open_)
        where = _described(open_, search.names, angles)
        told = [Drop(rank, where, {n: open_[0][n] for n in search.names}, exact=False)]
    return tuple(sorted(told, key=lambda d: -d.rank))


class _Exact:
    """Ranks at places of simple numbers, exactly."""

    def __init__(self, search: _DropSearch, constraints: Sequence[Constraint], angles: set[str]) -> None:
        self.search, self.angles, self.sampler = search, angles, search.sampler
        self.N = [c.normal for c in constraints]
        self.known: dict[frozenset, int] = {}

    def near(self, values: Values) -> dict[float, dict[tuple[int, tuple[str, ...]], Values]]:
        """{how near: {(rank, coordinates that must have their values for it): a place}} beside a candidate."""
        found = {}
        for tolerance in _NEAR:
            own = {n: _simple(values[n], tolerance, n in self.angles) for n in self.search.own}
            simple = {n: e for n, e in own.items() if e is not None}
            there = {**values, **{n: float(e) for n, e in simple.items()}}
            at = {n: e for n, e in simple.items() if n in self.search.names}
            if at and self.search.held(there) and self._rank(at) < self.search.m and len(self.known) < _PLACES:
                found[tolerance] = self._minimal(at, there)
        return found

    def _minimal(self, at: dict[str, sp.Expr], there: Values) -> dict[tuple[int, tuple[str, ...]], Values]:
        """For each lower rank the fewest of these values for which it is so low, in several ways."""
        found: dict[tuple[int, tuple[str, ...]], Values] = {}
        names = list(at)
        for most, first in product(range(self._rank(at), self.search.m), range(len(names))):
            kept = dict(at)
            for n in names[first:] + names[:first]:
                fewer = {k: e for k, e in kept.items() if k != n}
                kept = fewer if fewer and self._rank(fewer) <= most else kept
            place = {n: there[n] if n in kept or self.search.bound else 0.7 for n in self.search.names}
            found.setdefault((self._rank(kept), tuple(kept)), place)
        return found

    def _rank(self, at: dict[str, sp.Expr]) -> int:
        """The rank of all rows where these coordinates have these values, and the others any."""
        key = frozenset(at.items())
        if key not in self.known:
            put = {s: at[s.name] for row in self.N for e in row for s in e.free_symbols if s.name in at}
            graph, unit = Graph(), [v for v in self.sampler.space.unit_vectors if not {*v} & {*at}]
            rows = [[read(e.xreplace(put), graph) for e in row] for row in self.N]
            here = ResiduePoint(graph, {n: as_written(v) for n, v in self.sampler.known.items()}, unit)
            self.known[key] = len(eliminated([{c: here(e.index) for c, e in enumerate(row)} for row in rows]))
        return self.known[key]


def _simple(value: float, tolerance: float, angle: bool) -> sp.Expr | None:
    """A simple number near a value: a short fraction, or one of pi; None where there is none."""
    for unit in (sp.S.One, *([sp.pi] if angle else [])):
        for k in range(1, 13) if tolerance < 1e-3 else (1, 2) if angle else (1,):
            whole = round(value / float(unit) * k)
            if abs(value - whole * float(unit) / k) < tolerance:
                return unit * sp.Rational(Fraction(whole, k))
    return None


class _DropSearch:
    """The equations, their unknowns and derivatives."""

    def __init__(self, sampler: ConstraintSampler, kept: Sequence[int]) -> None:
        self.sampler = sampler
        graph = sampler.graph
        self.N = [sampler.normals[s] for s in kept]
        k, m = len(sampler.motion.u), len(self.N)
        depends = symbols([e for row in self.N for e in row])
        self.moves = moves = bool(depends & {u.name for u in sampler.space.velocities})
        own = [s.name for s in sampler.space]
        constrained = [
            *sampler.positions,
            *(read(e, graph) for e in sampler.space.embedding),
            *(sampler.phi if moves else []),
        ]
        self.constrained = constrained
        coupled = symbols(constrained) if depends else set()
        self.bound = bool(coupled & depends)
        self.names = [n for n in own if n in depends]
        self.own = [n for n in own if n in depends | coupled]
        self.unknown = self.own + [f"y:{s}" for s in range(m)]
        y = [graph.symbol(f"y:{s}") for s in range(m)]
        # y_s N^s_a = 0
        rows = [sampler.motion.sum(ys * row[a] for ys, row in zip(y, self.N, strict=True)) for a in range(k)]
        # y_s y_s = 1
        self.rows: list[Node] = [*rows, sampler.motion.sum(ys * ys for ys in y) - 1.0, *constrained]
        self.m = m

    @property
    def small(self) -> bool:
        """Is the search cheap enough to be part of every examination?"""
        return _STARTS * len(self.rows) * len(self.unknown) <= _MOST

    def run(self) -> list[Values]:
        """States at which the rows are dependent, found from random ones."""
        found = self._reached([dict(v) for v, _ in islice(self.sampler.states(7), _STARTS)])
        return [values for values in found if values is not None]

    def held(self, values: Values) -> bool:
        """Do the constraints hold at a state, up to rounding of their terms?"""
        found, sizes = sized(self.constrained, values)
        return bool((np.abs(found) <= _HELD * sizes).all())

    def rounded(self, values: Values) -> bool:
        """Is what is left of the equations no more than a rounding of the coordinates makes?"""
        rows = [row for i, row in enumerate(self.rows) if i != len(self.sampler.motion.u)]
        x = [self.sampler.graph.symbol(n) for n in self.own]
        left = np.abs(np.array(evaluate(rows, values), float))
        slopes = np.abs(np.array([evaluate(gradient(row, x), values) for row in rows], float))
        return bool((left <= _ROUNDING * slopes @ [1 + abs(values[n]) for n in self.own]).all()) and self.held(values)

    def _reached(self, states: list[Values]) -> list[Values | None]:
        """From each state one at which the equations hold; None where none is reached."""
        sampler = self.sampler
        slopes = [gradient(row, [sampler.graph.symbol(n) for n in self.unknown]) for row in self.rows]
        flat = [*self.rows, *(e for row in slopes for e in row)]
        rng = np.random.default_rng(8)
        for values in states:
            y = rng.normal(size=self.m)
            values.update({f"y:{s}": float(c) for s, c in enumerate(y / np.linalg.norm(y))})
        fixed = {name: np.array([v[name] for v in states]) for name in states[0]}
        z = np.array([[v[name] for name in self.unknown] for v in states])
        for _ in range(_STEPS):
            r, J = self._numbers(flat, fixed, z)
            z = z - _step(J, r)
        r, _ = self._numbers(flat, fixed, z)
        good = np.isfinite(z).all(axis=1) & (np.abs(r).max(axis=1) < _REACHED) & (np.abs(z).max(axis=1) < _FAR)
        return [
            {**v, **dict(zip(self.unknown, map(float, row), strict=True))} if g else None
            for v, row, g in zip(states, z, good, strict=True)
        ]

    def _numbers(self, flat: list[Node], fixed: dict[str, np.ndarray], z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        values = {**fixed, **dict(zip(self.unknown, z.T, strict=True))}
        found = [np.broadcast_to(np.asarray(v, float), (len(z),)) for v in evaluate(flat, values)]
        table = np.array(found).T
        n = len(self.rows)
        return table[:, :n], table[:, n:].reshape(len(z), n, len(self.unknown))

    def normals(self, values: Values) -> np.ndarray:
        """N at one state, all rows: those left out may carry the rank where those kept do not."""
        every = self.sampler.normals
        return np.array(evaluate([e for row in every for e in row], values), float).reshape(len(every), -1)


def _step(J: np.ndarray, r: np.ndarray) -> np.ndarray:
    """The least step that solves J step = r, of length 1 at most; 0 where a number is not finite."""
    good = np.isfinite(J).all(axis=(1, 2)) & np.isfinite(r).all(axis=1)
    step = np.zeros((len(r), J.shape[2]))
    step[good] = (np.linalg.pinv(J[good], rcond=1e-9) @ r[good][..., None])[..., 0]
    length = np.linalg.norm(step, axis=1, keepdims=True)
    return np.asarray(step / np.maximum(length, 1.0))


def _angles(sampler: ConstraintSampler, constraints: Sequence[Constraint]) -> set[str]:
    """Coordinates that occur in sines and cosines only, so that turns do not count."""
    import sympy as sp

    free: set[str] = set()
    turning: set[str] = set()
    for c in constraints:
        trig = c.phi.atoms(sp.sin, sp.cos, sp.tan)
        turning |= {s.name for e in trig for s in e.free_symbols}
        free |= {s.name for s in c.phi.xreplace({e: sp.Dummy() for e in trig}).free_symbols}
    return turning - free | set(sampler.space.angles)


def _described(states: Sequence[Values], names: Sequence[str], angles: set[str], sure: bool = False) -> str:
    """The coordinates that all these states share, as text; if there are none, one state as an example."""
    common = []
    for n in names:
        values = np.array([v[n] for v in states])
        for period, tail in ((0.0, ""), *(((np.pi, " (mod pi)"), (2 * np.pi, " (mod 2 pi)")) if n in angles else ())):
            folded = (values + 1e-7) % period - 1e-7 if period else values
            if np.ptp(folded) < 1e-6 and (sure or len(states) > 1):
                common.append(f"{n} = {_number(float(folded[0]))}{tail}")
                break
    if common:
        return ", ".join(common)
    return "for instance " + ", ".join(f"{n} = {_number(states[0][n])}" for n in names[:6])


def _number(value: float) -> str:
    for k in range(1, 7):
        turns = value * k / np.pi
        if round(turns) and abs(turns - round(turns)) < 1e-7:
            top = {1: "pi", -1: "-pi"}.get(round(turns), f"{round(turns)} pi")
            return top if k == 1 else f"{top}/{k}"
    return f"{round(value, 6) + 0.0:g}"
