"""Where the constraints lose rank: states at which a combination of the rows vanishes.

    y_s N^s_a(t, q, u) = 0 ,  |y| = 1 ,  phi = 0 ,  f = 0

Solved by Gauss and Newton's iteration from many random states at once. Finding none is no proof that there is none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from ..calculus.graph import Node, evaluate, gradient, symbols
from ..calculus.rank import rank_of
from ..calculus.read import read
from ..model.constraint import Constraint
from .states import ConstraintSampler, Values

_STARTS, _STEPS, _REACHED = 24, 40, 1e-10
_MOST = 12_000  # numbers in one Jacobian, over all starts
_FAR, _BESIDE = 1e3, 1e-5


@dataclass(frozen=True)
class Drop:
    """A place where the rank is lower than elsewhere.

    Attributes:
        rank: the rank there.
        where: values on which it happens, as text.
        state: one such state, by name.
    """

    rank: int
    where: str
    state: Values

    def __str__(self) -> str:
        return f"rank {self.rank} where {self.where}"


def drops(
    sampler: ConstraintSampler, constraints: Sequence[Constraint], kept: Sequence[int], states: Sequence[Values] = ()
) -> tuple[Drop, ...] | None:
    """Places found where the constraints lose rank; None if the search is too large to be made.

    Args:
        sampler: the constraints.
        constraints: the same.
        kept: positions of independent rows; where these lose rank, all rows together are looked at.
        states: some on the constraints, to see whether the rank is lost wherever these hold.
    """
    search = _Search(sampler, kept)
    if not search.names:
        return ()
    if not search.small:
        return None
    found = [(values, rank_of(search.normals(values))) for values in search.run()]
    lowest = [(values, r) for values, r in found if r < len(kept)]
    if not lowest:
        return ()
    most = max(r for _, r in lowest)
    places = [values for values, _ in lowest]
    if search.moves and states and search.everywhere(states):
        where = "the constraints hold"
    else:
        where = _described(places, search.names, _angles(sampler, constraints))
    return (Drop(most, where, {n: places[0][n] for n in search.names}),)


class _Search:
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
        coupled = symbols(constrained) if depends else set()
        self.names = [n for n in own if n in depends]
        self.unknown = [n for n in own if n in depends | coupled] + [f"y:{s}" for s in range(m)]
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

    def everywhere(self, states: Sequence[Values]) -> bool:
        """Are there states with dependent rows right beside each of these states?"""
        found = self._reached([dict(v) for v in states])
        return all(
            there is not None and self._size(there, here) < _BESIDE * self._size(here)
            for here, there in zip(states, found, strict=True)
        )

    def _size(self, there: Values, here: Values | None = None) -> float:
        return max(abs(there[n] - (here[n] if here else 0.0)) for n in self.names)

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


def _described(states: Sequence[Values], names: Sequence[str], angles: set[str]) -> str:
    """The coordinates that all these states share, as text; if there are none, one state as an example."""
    common = []
    for n in names:
        values = np.array([v[n] for v in states])
        for period, tail in ((0.0, ""), *(((np.pi, " (mod pi)"), (2 * np.pi, " (mod 2 pi)")) if n in angles else ())):
            folded = (values + 1e-7) % period - 1e-7 if period else values
            if np.ptp(folded) < 1e-6 and len(states) > 1:
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
