"""Impulses of walls, and the jump where more than two are met at once, from numbers.

    W (u+ - u) = N^T nu + sum_w A_w^T mu_w ,   N (u+ - u) = 0

Walls that are met at once act where all of them push, and no wall pulls: those that act reverse their rows,
A_r u+ + c_r = -e_r (A_r u + c_r), with normal impulses mu >= 0; the others are left fast enough,
df/dt(u+) + e df/dt(u) >= 0 [moreau1988]. Whatever order walls are declared in, the same sets of them are tried.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...calculus.frame import TIME
from ...calculus.graph import Graph, Node, evaluate
from ...calculus.rank import null_space, rank_of
from ...calculus.read import read
from ...event import Impact
from ..events.guard import Guard
from .gathered import Scene

Impulses = dict[str, dict[str, float]]
MOST = 8  # walls met at once of which all sets are tried
_SAME = 1e-9  # of the velocities' size: jumps of two sets that differ by less are one
_NONE = 1e-12  # of the largest: an impulse or a speed of this size is 0


@dataclass(frozen=True, eq=False)
class Met:
    """A wall at an instant, in numbers.

    Attributes:
        name: of the wall.
        labels: of its rows, ``"normal"`` first.
        A: its rows (r, k).
        rates, factors: A u + c before the jump, and the restitutions (r,).
    """

    name: str
    labels: tuple[str, ...]
    A: np.ndarray
    rates: np.ndarray
    factors: np.ndarray

    def independent(self, Z: np.ndarray) -> Met:
        """Without rows that follow from earlier ones on the allowed velocities."""
        kept: list[int] = []
        for r in range(len(self.A)):
            if rank_of(self.A[[*kept, r]] @ Z) > len(kept):
                kept.append(r)
        labels = tuple(self.labels[r] for r in kept)
        return Met(self.name, labels, self.A[kept], self.rates[kept], self.factors[kept])


@dataclass(frozen=True, eq=False)
class Instant:
    """A state in which walls are met.

    Attributes:
        G: the kinetic metric on the velocities that the constraints allow, u = Z v (r, r).
        Z: those velocities (k, r).
        walls: that are met.
        places: of the velocities among the states.
    """

    G: np.ndarray
    Z: np.ndarray
    walls: tuple[Met, ...]
    places: list[int]

    @classmethod
    def at(cls, t: float, full: np.ndarray, guards: Sequence[Guard], scene: Scene) -> Instant:
        """Of walls, at a time and a full row (n + 1,)."""
        states = scene.field.equations.states
        values = {**scene.parameters, **dict(zip(states, full, strict=False)), TIME.name: t}
        impacts = [(g.event.name, g.event.impact) for g in guards if g.event.impact is not None]
        first = impacts[0][1]
        k, numbers = len(first.velocities), _numbers(first, values, scene)
        W, N = numbers["metric"].reshape(k, k), numbers["constraints"].reshape(-1, k)
        Z = null_space(N) if len(N) else np.eye(k)
        walls = tuple(_met(name, impact, values, scene).independent(Z) for name, impact in impacts)
        return cls(Z.T @ W @ Z, Z, walls, [states.index(name) for name in first.velocities])

    def impulses(self, jump: np.ndarray) -> Impulses:
        """mu by wall and row, for a jump u+ - u of the velocities (k,)."""
        # Z^T W Z dv = (A Z)^T mu ,  du = Z dv
        right = self.G @ np.linalg.lstsq(self.Z, jump, rcond=None)[0]
        return _named(self.walls, np.linalg.lstsq(self._rows(self.walls).T, right, rcond=1e-10)[0])

    def together(self) -> tuple[np.ndarray, Impulses] | None:
        """The jump u+ - u (k,) of all these walls at once; None where no set of them can act, or several can."""
        found = [jump for acting in self._sets() if (jump := self._jump(acting)) is not None]
        size = max((float(np.abs(jump).max()) for jump, _ in found), default=0.0)
        alike = all(float(np.abs(jump - found[0][0]).max()) <= _SAME * size for jump, _ in found)
        return found[0] if found and alike else None

    def _rows(self, walls: Sequence[Met]) -> np.ndarray:
        """A Z (rows, r)."""
        return np.vstack([wall.A for wall in walls]) @ self.Z

    def _sets(self) -> Iterator[tuple[Met, ...]]:
        """Sets of walls, the largest first."""
        walls = sorted(self.walls, key=lambda wall: wall.name)
        for size in range(len(walls), 0, -1):
            yield from itertools.combinations(walls, size)

    def _jump(self, acting: Sequence[Met]) -> tuple[np.ndarray, Impulses] | None:
        """The jump where these walls act, None where one of them would pull or another is not left."""
        a = self._rows(acting)
        if rank_of(a) < len(a):  # what these do, fewer of them do
            return None
        back = np.concatenate([-(1 + wall.factors) * wall.rates for wall in acting])
        # dv = G^-1 a^T mu ,  a dv = -(1 + e) (A u + c)
        mu = np.linalg.solve(a @ np.linalg.solve(self.G, a.T), back)
        jump = self.Z @ np.linalg.solve(self.G, a.T @ mu)
        normals = np.cumsum([0, *(len(wall.A) for wall in acting)])[:-1]
        if (mu[normals] < -_NONE * np.abs(mu).max()).any():
            return None
        # df/dt(u+) + e df/dt(u) >= 0
        left = [(1 + w.factors[0]) * w.rates[0] + w.A[0] @ jump for w in self.walls if w not in acting]
        fast = all(rate >= -_SAME * float(np.abs(jump).max()) for rate in left)
        return (jump, _named(acting, mu)) if fast else None


def _named(walls: Sequence[Met], mu: np.ndarray) -> Impulses:
    """Impulses by wall and row; what is rounding is 0."""
    mu = np.where(np.abs(mu) > _NONE * np.abs(mu).max(initial=0.0), mu, 0.0)
    parts = np.split(mu, np.cumsum([len(wall.A) for wall in walls])[:-1])
    return {w.name: dict(zip(w.labels, map(float, part), strict=True)) for w, part in zip(walls, parts, strict=True)}


def _met(name: str, impact: Impact, values: Mapping[str, float], scene: Scene) -> Met:
    numbers, labels = _numbers(impact, values, scene), tuple(impact.rows)
    A = numbers["rows"].reshape(len(labels), -1)
    return Met(name, labels, A, numbers["rates"], numbers["factors"])


def _numbers(impact: Impact, values: Mapping[str, float], scene: Scene) -> dict[str, np.ndarray]:
    """All parts of an impact at a state, each flat."""
    if id(impact) not in scene.impacts:
        scene.impacts[id(impact)] = _read(impact)
    parts = scene.impacts[id(impact)]
    return {name: np.array(evaluate(nodes, values), float) for name, nodes in parts.items()}


def _read(impact: Impact) -> dict[str, list[Node]]:
    graph = Graph()
    flat = {
        "metric": [e for row in impact.metric for e in row],
        "constraints": [e for row in impact.constraints for e in row],
        "rows": [e for row in impact.rows.values() for e in row],
        "rates": list(impact.rates.values()),
        "factors": list(impact.factors.values()),
    }
    return {name: [read(e, graph) for e in entries] for name, entries in flat.items()}
