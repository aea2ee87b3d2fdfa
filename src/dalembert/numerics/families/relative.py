"""Motions that come back up to a symmetry, as motions that come back in a state and an element of the group.

    g(c)^-1 phi_T(y) = y :     z = (y, c) is back at z, with c' = 0

so that what finds and follows periodic motions z finds and follows these. Along the group and the motion the return map
D = d(g^-1 phi_T)/dy only turns the group's own directions, D X_a = Ad_g^-1 X_a, with multipliers of size 1 for turns
and 1 for shifts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ...calculus.graph import Node
from ...equations import Equations, Start
from ...event import Event
from ...trajectory import Trajectory
from ..linearised import Linearised
from ..policy import Policy
from ..vector_field.field import Field
from .carried import Carried
from .columns import DRIFT
from .group import Group


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
