"""A group that acts on the states of a system: how far it moves them, and how far it leads from one state to another.

An element is written in coordinates of the second kind, in the order of the generators X_1 ... X_k,

    g(c) = exp(c_1 X_1) exp(c_2 X_2) ... exp(c_k X_k) ,     g(c)^-1 y = exp(-c_k X_k) ... exp(-c_1 X_1) y .

Turns stand behind shifts, so that c has no singular places on the group of the plane. Generators that are affine in the
states, X y = A y + b, move them by exponentials of matrices; others are integrated.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from ...calculus.frame import TIME
from ...calculus.graph import Node, evaluate, gradient, symbols

Values = Mapping[str, float]
_STEPS, _FEW, _HALVINGS, _SAME, _LEAST = 40, 4, 12, 1e-9, 1e-10
_RTOL, _ATOL = 1e-13, 1e-15


class Group:
    """Generators as fields on the states.

    Args:
        names: of the generators.
        states: names.
        fields: rates of all states for each generator, (k, n).
        angles: which states come back after 2 pi (n,).
    """

    def __init__(
        self, names: Sequence[str], states: Sequence[str], fields: Sequence[Sequence[Node]], angles: np.ndarray
    ) -> None:
        self.names, self.states = tuple(names), tuple(states)
        y = [fields[0][0].graph.symbol(n) for n in states]
        self._fields = [list(field) for field in fields]
        self._slopes = [[e for rate in field for e in gradient(rate, y)] for field in fields]
        bends = [[b for e in slopes for b in gradient(e, y)] for slopes in self._slopes]
        self._affine = [all(b.is_zero for b in each) for each in bends]
        still = [all(field[i].is_zero for field in fields) for i in range(len(states))]
        self._used = symbols([e for group in (*self._fields, *self._slopes) for e in group]) - set(states)
        self._known: dict[tuple[float, ...], list[tuple[np.ndarray, np.ndarray]]] = {}
        self._turning = angles & np.array(still, bool)

    def __len__(self) -> int:
        return len(self.names)

    def fields(self, y: np.ndarray, parameters: Values) -> np.ndarray:
        """X_a at a state, (n, k)."""
        return np.column_stack([self._field(a, y, parameters) for a in range(len(self))])

    def _field(self, a: int, y: np.ndarray, parameters: Values) -> np.ndarray:
        """X_a at a state (n,)."""
        if self._affine[a]:
            A, b = self._parts(parameters)[a]
            return np.asarray(A @ y + b)
        return np.array(evaluate(self._fields[a], self._values(y, parameters)), float)

    def _parts(self, parameters: Values) -> list[tuple[np.ndarray, np.ndarray]]:
        """A (n, n) and b (n,) of each generator, empty where it is not affine."""
        values = self._values(np.zeros(len(self.states)), parameters)
        key = tuple(values[name] for name in sorted(self._used))
        if key not in self._known:
            parts = zip(self._slopes, self._fields, self._affine, strict=True)
            every = [(evaluate(A, values), evaluate(b, values)) if affine else ([], []) for A, b, affine in parts]
            self._known[key] = [(np.array(A, float).reshape(len(b), len(b)), np.array(b, float)) for A, b in every]
        return self._known[key]

    def _values(self, y: np.ndarray, parameters: Values) -> dict[str, float]:
        return {TIME.name: 0.0, **parameters, **dict(zip(self.states, map(float, y), strict=True))}

    def _flow(self, a: int, s: float, y: np.ndarray, parameters: Values) -> tuple[np.ndarray, np.ndarray]:
        """exp(s X_a) y and its derivative (n, n)."""
        n = len(y)

        def rates(z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            values = self._values(z, parameters)
            slopes = np.array(evaluate(self._slopes[a], values), float).reshape(n, n)
            return np.array(evaluate(self._fields[a], values), float), slopes

        if self._affine[a]:
            A, b = self._parts(parameters)[a]
            # exp of s (A b; 0 0)
            E = _exponential(np.block([[A, b[:, None]], [np.zeros((1, n + 1))]]), s)
            return E[:n, :n] @ y + E[:n, n], E[:n, :n]

        def moving(_: float, z: np.ndarray) -> np.ndarray:
            f, A = rates(z[:n])
            return s * np.r_[f, (A @ z[n:].reshape(n, n)).ravel()]

        from scipy.integrate import solve_ivp

        begin = np.r_[y, np.eye(n).ravel()]
        end = solve_ivp(moving, (0.0, 1.0), begin, method="DOP853", rtol=_RTOL, atol=_ATOL).y[:, -1]
        return end[:n], end[n:].reshape(n, n)

    def back(self, c: np.ndarray, y: np.ndarray, parameters: Values) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """g(c)^-1 y, its derivative by y (n, n) and by c (n, k)."""
        D, by = np.eye(len(y)), np.zeros((len(y), len(self)))
        for a, s in enumerate(c.tolist()):
            y, E = self._flow(a, -s, y, parameters)
            D, by = E @ D, E @ by
            by[:, a] = -self._field(a, y, parameters)
        return y, D, by

    def taken(self, c: np.ndarray, y: np.ndarray, parameters: Values) -> np.ndarray:
        """g(c) y."""
        for a, s in reversed(list(enumerate(c.tolist()))):
            y = self._flow(a, s, y, parameters)[0]
        return y

    def off(self, y: np.ndarray, z: np.ndarray) -> np.ndarray:
        """z - y, whole turns of what the group leaves alone apart."""
        way = z - y
        return np.where(self._turning, way - math.tau * np.rint(way / math.tau), way)

    def nearest(
        self, y: np.ndarray, z: np.ndarray, parameters: Values, c: np.ndarray | None = None, steps: int = _STEPS
    ) -> np.ndarray:
        """c for which g(c) y is about z: least squares of g(c)^-1 z - y, from a guess."""
        c = np.zeros(len(self)) if c is None else c
        at, _, by = self.back(c, z, parameters)
        for _ in range(steps):
            r = self.off(y, at)
            step = np.linalg.lstsq(by, -r, rcond=_LEAST)[0]
            if np.linalg.norm(step) <= _SAME * (1 + np.linalg.norm(c)):
                return np.asarray(c + step)
            for part in (0.5**n for n in range(_HALVINGS)):
                found = self.back(c + part * step, z, parameters)
                if np.linalg.norm(self.off(y, found[0])) <= np.linalg.norm(r):
                    break
            else:
                break
            c, (at, _, by) = c + part * step, found
        return c

    def off_at_best(self, y: np.ndarray, z: np.ndarray, parameters: Values) -> np.ndarray:
        """g^-1 z - y with the nearest g."""
        return self.off(y, self.back(self.nearest(y, z, parameters), z, parameters)[0])

    def along(self, y: np.ndarray, path: Sequence[np.ndarray], parameters: Values) -> list[np.ndarray]:
        """g^-1 z - y of states z that follow each other, each with about the nearest g."""
        found, c = list[np.ndarray](), np.zeros(len(self))
        for z in path:
            c = self.nearest(y, z, parameters, c, _FEW)
            found.append(self.off(y, self.back(c, z, parameters)[0]))
        return found


def _exponential(M: np.ndarray, s: float) -> np.ndarray:
    """exp(s M): in closed form of shifts, turns and both at once, whose minimal polynomial divides x^2 (x^2 + 1)."""
    M2 = M @ M
    if not np.array_equal(M2 @ M2, -M2):
        from scipy.linalg import expm

        return np.asarray(expm(s * M))
    # exp(s M) = 1 + s M + (1 - cos s) M^2 + (s - sin s) M^3 ,  M^4 = -M^2
    return np.asarray(np.eye(len(M)) + s * M + (1 - math.cos(s)) * M2 + (s - math.sin(s)) * M2 @ M)
