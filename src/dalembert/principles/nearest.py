"""The nearest velocities, in the kinetic metric, that constraints nonlinear in the velocities allow.

    W (v - u) = N(v)^T mu ,    phi(v) = 0 ,    N = dphi/dv

The impulse is along dphi/dv where the velocities arrive, as Chetaev's rule has it; v is nearest if

    W - mu_s d2phi^s/dv dv > 0    on the velocities with N dv = 0 .
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress

import numpy as np
from scipy.linalg import null_space

from ..calculus.graph import Node, evaluate, gradient
from ..equations import Equations
from ..errors import InvalidValue

_STEPS, _MORE = 60, 30  # projections onto the tangents, then steps of Newton's iteration
_SETTLED, _POSITIVE = 1e-12, 1e-9  # of a velocity, of the metric
_SEEDS, _SAME, _APART = 24, 1e-9, 1e-4  # other places to begin at; of a distance: equal, elsewhere


class Nearest:
    """Constraints at a position, as functions of the velocities.

    Args:
        equations: whose constraints are imposed; of dependent ones those that are kept.
        values: of all symbols by name; its velocities are those before.
    """

    def __init__(self, equations: Equations, values: Mapping[str, float]) -> None:
        machine = equations.machine
        self.names, self.values = [v.name for v in equations.space.velocities], dict(values)
        kept, symbols = list(equations.kept), [machine.graph.symbol(name) for name in self.names]
        rows: list[Node] = [machine.phi[s] for s in kept]
        self.slopes = [gradient(row, symbols) for row in rows]
        self.rows, self.m, self.k = rows, len(rows), len(symbols)
        self.curves = [e for row in self.slopes for slope in row for e in gradient(slope, symbols)]
        self.W = np.array(evaluate([e for row in machine.metric for e in row], values), float).reshape(self.k, self.k)
        self.u = np.array([values[name] for name in self.names])

    def at(self, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """phi (m,), N (m, k) and d2phi (m, k, k)."""
        here = {**self.values, **dict(zip(self.names, v, strict=True))}
        flat = np.array(evaluate([*self.rows, *(e for row in self.slopes for e in row), *self.curves], here), float)
        phi, N, H = np.split(flat, [self.m, self.m + self.m * self.k])
        return phi, N.reshape(self.m, self.k), H.reshape(self.m, self.k, self.k)

    def found(self) -> dict[str, float]:
        """The velocities by name: the nearest of those that are reached from many places.

        Raises:
            InvalidValue: E131, there are none near by, or which are nearest is not determined.
        """
        v = self._first()
        far = self._far(v)
        for other in self._reached(self._ball(far)):
            d, least = self._far(other), self._far(v)
            if d < least * (1 - _SAME):
                v = other
            elif d < least * (1 + _SAME) and self._far(other, v) > _APART * far:
                raise _undetermined()
        self._check(v)
        return dict(zip(self.names, map(float, v), strict=True))

    def _first(self) -> np.ndarray:
        """Some velocities at which the iteration comes to rest: from those before, else from around them."""
        for v in self._reached([self.u, *self._ball(4 * max(self._far(np.zeros(self.k)), 1.0))]):
            return v
        raise _nowhere()

    def _reached(self, seeds: Iterable[np.ndarray]) -> Iterator[np.ndarray]:
        for seed in seeds:
            with suppress(InvalidValue):
                yield self._arrived(seed)

    def _far(self, v: np.ndarray, since: np.ndarray | None = None) -> float:
        """|v - u| in the kinetic metric."""
        d = v - (self.u if since is None else since)
        return float(np.sqrt(max(d @ self.W @ d, 0.0)))

    def _ball(self, far: float) -> list[np.ndarray]:
        """Velocities no farther from u than `far`: nearer ones than those that were found lie there."""
        sizes, axes = np.linalg.eigh(self.W)
        steps = np.random.default_rng(0).normal(size=(_SEEDS, self.k))
        steps /= np.linalg.norm(steps, axis=1)[:, None]
        # |s|_W = far
        ball = axes / np.sqrt(np.maximum(sizes, sizes.max() * 1e-12))
        return [self.u + far * (i + 1) / _SEEDS * ball @ step for i, step in enumerate(steps)]

    def _arrived(self, first: np.ndarray) -> np.ndarray:
        """Where the iteration from `first` comes to rest; E131 where it does not."""
        v = first
        for _ in range(_STEPS):
            # the nearest velocities on the tangent at v
            before = v
            v, _ = self._solved(self.W, v)
            if np.abs(v - before).max() <= _SETTLED * (1 + np.abs(v).max()):
                break
        mu = self._impulse(v)
        for _ in range(_MORE):
            before = v
            v, mu = self._solved(self._bent(v, mu), v)
            if np.abs(v - before).max() <= _SETTLED * (1 + np.abs(v).max()):
                return v
        raise _nowhere()

    def _impulse(self, v: np.ndarray) -> np.ndarray:
        return np.asarray(np.linalg.lstsq(self.at(v)[1].T, self.W @ (v - self.u), rcond=None)[0])

    def _bent(self, v: np.ndarray, mu: np.ndarray) -> np.ndarray:
        """W - mu_s d2phi^s."""
        return np.asarray(self.W - np.einsum("s,sab->ab", mu, self.at(v)[2]))

    def _solved(self, B: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """v + dv and mu with B dv + W (v - u) = N^T mu ,  phi + N dv = 0."""
        phi, N, _ = self.at(v)
        K = np.block([[B, -N.T], [N, np.zeros((self.m, self.m))]])
        if not (np.isfinite(K).all() and np.isfinite(phi).all()):
            raise _nowhere()
        try:
            x = np.linalg.solve(K, np.r_[self.W @ (self.u - v), -phi])
        except np.linalg.LinAlgError:
            raise _undetermined() from None
        return v + x[: self.k], x[self.k :]

    def _check(self, v: np.ndarray) -> None:
        """E131: another velocity near by is as near."""
        Z, mu = null_space(self.at(v)[1]), self._impulse(v)
        G = Z.T @ self.W @ Z
        least = np.linalg.eigvals(np.linalg.solve(G, Z.T @ self._bent(v, mu) @ Z)).real.min(initial=1.0)
        if least <= _POSITIVE:
            raise _undetermined()


def _nowhere() -> InvalidValue:
    return InvalidValue("E131", "no velocity was found that is nearest to the one before", "impose it elsewhere")


def _undetermined() -> InvalidValue:
    fact = "other velocities that the constraints allow are as near as the one that was found, or nearer"
    return InvalidValue("E131", fact, "impose it at other velocities")
