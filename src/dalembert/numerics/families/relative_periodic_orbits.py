"""Motions that come back up to a symmetry, as motions that come back in a state and an element of the group.

    g(c)^-1 phi_T(y) = y :     z = (y, c) is back at z, with c' = 0

so that what finds and follows periodic motions z finds and follows these. Along the group and the motion the return map
D = d(g^-1 phi_T)/dy only turns the group's own directions, D X_a = Ad_g^-1 X_a, with multipliers of size 1 for turns
and 1 for shifts.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from ...calculus.frame import TIME
from ...calculus.graph import Node, evaluate, gradient, symbols
from ...equations import Equations, Start
from ...event import Event
from ...trajectory import Trajectory
from ..node_derivatives import Linearised
from ..policy import Policy
from ..vector_field.field import Field
from . import DRIFT
from .tangent_flow import Carried

# ---------------------------------------------------------------------------------------------------------------------
# A group that acts on the states of a system: how far it moves them, and how far it leads from one state to
# another.
# An element is written in coordinates of the second kind, in the order of the generators X_1 ... X_k,
#
#     g(c) = exp(c_1 X_1) exp(c_2 X_2) ... exp(c_k X_k) ,     g(c)^-1 y = exp(-c_k X_k) ... exp(-c_1 X_1) y .
#
# Turns stand behind shifts, so that c has no singular places on the group of the plane. Generators that are affine in
# the states, X y = A y + b, move them by exponentials of matrices; others are integrated.

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


class Standstill:
    """Rates, and what is held, of a state with an element of the group, which stays as it is."""

    def __init__(self, work: Linearised, group: Group) -> None:
        self._work, self.graph, self._n = work, work.graph, len(work.names)
        self.names = [*work.names, *(DRIFT + name for name in group.names)]
        self.held, zero = work.held, work.graph.constant(0.0)
        self.rates: list[Node] = [*work.rates, *(zero for _ in group.names)]

    def values(self, z: np.ndarray) -> dict[str, float]:
        """All symbols at a state."""
        n = self._n
        return {**self._work.values(z[:n]), **dict(zip(self.names[n:], map(float, z[n:]), strict=True))}

    def normals(self, z: np.ndarray) -> np.ndarray:
        """Derivatives of what is held (rows, n + k)."""
        N = self._work.normals(z[: self._n])
        return np.column_stack([N, np.zeros((len(N), len(z) - self._n))])


class Relative:
    """What `Carried` carries, taken back by the group at the end.

    Args:
        carried: the equations.
        group: which acts on their states, with their motions.
        c: the first guess of the element (k,).
    """

    def __init__(self, carried: Carried, group: Group, c: np.ndarray) -> None:
        self.inner, self.group = carried, group
        self.work = Standstill(carried.work, group)
        self.y, self.directions = np.r_[carried.y, c], carried.directions

    @property
    def start(self) -> Start:
        """The start of the motion."""
        return self.inner.start

    @property
    def drifts(self) -> tuple[str, ...]:
        """Names of the generators."""
        return self.group.names

    @property
    def policy(self) -> Policy:
        """Tolerances and limits."""
        return self.inner.policy

    @property
    def events(self) -> tuple[Event, ...]:
        """What acts beside the walls."""
        return self.inner.events

    def followed(self, until: float) -> Trajectory:
        """The motion from the start."""
        return self.inner.followed(until)

    @property
    def equations(self) -> Equations:
        """What moves."""
        return self.inner.equations

    @property
    def autonomous(self) -> bool:
        """Does the time occur nowhere?"""
        return self.inner.autonomous

    def parted(self, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """y and c."""
        n = len(self.inner.y)
        return z[:n], z[n:]

    def tangents(self, z: np.ndarray) -> np.ndarray:
        """A basis (n + k, d + k) of the directions in which z may move."""
        B, k = self.inner.tangents(self.parted(z)[0]), len(self.group)
        return np.block([[B, np.zeros((len(B), k))], [np.zeros((k, B.shape[1])), np.eye(k)]])

    def consistent(self, z: np.ndarray) -> np.ndarray:
        """The state nearby that satisfies what holds."""
        y, c = self.parted(z)
        return np.r_[self.inner.consistent(y), c]

    def at(self, z: np.ndarray) -> tuple[Start, Field]:
        """The start from another state, and its vector field."""
        return self.inner.at(self.parted(z)[0])

    def put(self, name: str, value: float) -> None:
        """Go on with another value of a parameter."""
        self.inner.put(name, value)

    def surfaces(self, z: np.ndarray, t: float, parameters: Mapping[str, float] | None = None) -> np.ndarray:
        """Values of the guards of walls and the gaps of contacts."""
        return self.inner.surfaces(self.parted(z)[0], t, parameters)

    def moved(
        self, z: np.ndarray, S: np.ndarray, stops: Sequence[float], parameter: str | None = None
    ) -> tuple[np.ndarray, np.ndarray] | None:
        """As `Carried.moved`, taken back by g(c) at the last stop and by g(c s) a part s of the way before."""
        (y, c), n = self.parted(z), len(self.inner.y)
        # columns that move y; those of the element stand behind them
        ways = [*range(self.directions), *([S.shape[1] - 1] if parameter is not None else [])]
        found = self.inner.moved(y, S[:n, ways], stops, parameter)
        if found is None:
            return None
        t, known = self.start.t, dict(self.start.parameters)
        states, slopes = list[np.ndarray](), list[np.ndarray]()
        for stop, end, M in zip(stops, *found, strict=True):
            part = (stop - t) / (stops[-1] - t)
            back, D, by = self.group.back(part * c, end, known)
            full = part * by @ S[n:]
            full[:, ways] += D @ M
            states.append(np.r_[back, c])
            slopes.append(np.vstack([full, S[n:]]))
        return np.array(states), np.array(slopes)

    def generators(self, z: np.ndarray) -> np.ndarray:
        """X_a at a state, (n + k, k)."""
        X = self.group.fields(self.parted(z)[0], self.start.parameters)
        return np.vstack([X, np.zeros((len(self.group),) * 2)])

    def guessed(self, T: float) -> np.ndarray:
        """The start with the element that leads nearest to where the motion is after T."""
        y, c = self.parted(self.y)
        found = self.inner.moved(y, self.inner.tangents(y), [self.start.t + T])
        return self.y if found is None else np.r_[y, self.group.nearest(y, found[0][0], self.start.parameters, c)]

    def repeated(self, z: np.ndarray, laps: int) -> np.ndarray:
        """The state with g^laps for g."""
        (y, c), known = self.parted(z), self.start.parameters
        end = y
        for _ in range(laps):
            end = self.group.taken(c, end, known)
        return np.r_[y, self.group.nearest(y, end, known, laps * c)]
