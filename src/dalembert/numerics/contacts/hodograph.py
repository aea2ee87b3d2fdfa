"""Pieces of the course of an impact: slips along a line, sticking, and slips of two components that turn.

Where the slip is s = r (cos phi, sin phi), r > 0, the direction turns by itself in a measure tau with dP = r dtau:

    dphi/dtau = n . x(phi) ,     d(ln r)/dtau = d . x(phi) ,     x = b - mu D d

with d along the slip and n across it. A slip that stops takes all of tau, and one that passes near 0 turns no faster
there than elsewhere: nothing is stiff, and nothing is missed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

REACHED, STOPS, CLOSES = "reached", "stops", "closes"
_TIGHT, _LONG = 1e-13, 1e15  # of the integration in tau


class NoCourse(Exception):
    """An impact has no course, for a reason in words."""

    def __init__(self, fact: str = "it has no end: the kinetic energy is not positive") -> None:
        super().__init__(fact)


class Goal(NamedTuple):
    """Where a phase ends: ``"c"`` at that speed, ``"P"`` after a further impulse, ``"work"`` after a further work."""

    what: str
    value: float


class Along(NamedTuple):
    """A point of the course: impulses and work so far, and velocities."""

    P: float
    T: np.ndarray
    c: float
    s: np.ndarray
    work: float


@dataclass(frozen=True, eq=False)
class Straight:
    """Friction that does not turn.

    Attributes:
        G, at: matrix of the impact, and where the piece begins.
        t: dT/dP (p,).
        slips: does it slip along t? It sticks otherwise.
    """

    G: np.ndarray
    at: Along
    t: np.ndarray
    slips: bool

    @property
    def word(self) -> str:
        """What it does."""
        return "slips" if self.slips else "sticks"

    @property
    def rise(self) -> float:
        """c' = a + b . t"""
        return float(self.G[0, 0] + self.G[0, 1:] @ self.t)

    @property
    def turn(self) -> np.ndarray:
        """s' = b + D t"""
        return np.asarray(self.G[1:, 0] + self.G[1:, 1:] @ self.t) * self.slips

    def until(self, goal: Goal, small: float) -> tuple[list[Along], str]:
        """The point at which it ends, and why."""
        c, s = self.at.c, self.at.s
        closing = float(s @ self.turn)
        steps = {
            REACHED: self._to(goal),
            STOPS: -float(s @ s) / closing if closing < 0 else math.inf,
            CLOSES: -c / self.rise if c > 0 and self.rise < 0 else math.inf,
        }
        why = min(steps, key=lambda word: steps[word])
        step = steps[why]
        if not math.isfinite(step):
            raise NoCourse
        slip = 0 * s if why == STOPS else s + self.turn * step
        speed = 0.0 if why == CLOSES or (why == REACHED and goal.what == "c") else c + self.rise * step
        # integral of c dP
        work = self.at.work + c * step + self.rise * step**2 / 2
        return [Along(self.at.P + step, self.at.T + self.t * step, speed, slip, work)], why

    def _to(self, goal: Goal) -> float:
        """The impulse to the goal, infinite where it is never reached."""
        c, rise = self.at.c, self.rise
        if goal.what == "P":
            return goal.value
        if goal.what == "c":
            return (goal.value - c) / rise if (goal.value - c) * rise > 0 else math.inf
        left = c**2 + 2 * rise * goal.value
        # P = 2 w/(c + sqrt(c^2 + 2 c' w))
        return 2 * goal.value / (c + math.sqrt(left)) if left > 0 else math.inf


@dataclass(frozen=True, eq=False)
class Curve:
    """A slip of two components that turns.

    Attributes:
        G, at: matrix of the impact, and where the piece begins.
        mu: of friction.
    """

    G: np.ndarray
    at: Along
    mu: float
    word = "slips"

    def until(self, goal: Goal, small: float) -> tuple[list[Along], str]:
        """Points on the way to its end, the last one at it, and why it ends."""
        from scipy.integrate import solve_ivp

        v, g = self._units()
        size = {"c": v, "P": v / g, "work": v**2 / g}[goal.what]
        found = self._ends(goal.what, goal.value / size, math.log(small / v))
        events, words = list(found.values()), list(found)
        first = np.array(
            [math.atan2(*self.at.s[::-1]), math.log(np.linalg.norm(self.at.s) / v), 0, 0, 0, 0, self.at.c / v]
        )
        tight = {"method": "DOP853", "rtol": _TIGHT, "atol": _TIGHT}
        path = solve_ivp(self._rates, (0.0, _LONG), first, events=events, **tight)
        if path.status != 1:
            raise NoCourse
        at = next(i for i, times in enumerate(path.t_events) if len(times))
        # the dense output is less exact than the steps: the last one is done again, up to the event
        nodes, end = path.y.T[:-1], float(path.t_events[at][0])
        last = solve_ivp(self._rates, (path.t[-2], end), nodes[-1], **tight).y[:, -1] if end > path.t[-2] else nodes[-1]
        points = [self._point(z) for z in (*nodes[1:], last)]
        why = words[at]
        if why == STOPS:
            points[-1] = points[-1]._replace(s=np.zeros(2))
        elif why == CLOSES or goal.what == "c":
            points[-1] = points[-1]._replace(c=0.0)
        return points, why

    def _ends(self, what: str, value: float, low: float) -> dict[str, Callable[[float, np.ndarray], float]]:
        """What ends it, as events."""
        column = {"c": 6, "P": 2, "work": 5}[what]

        def reached(tau: float, z: np.ndarray) -> float:
            return float(z[column] - value)

        def stops(tau: float, z: np.ndarray) -> float:
            return float(z[1] - low)

        def closes(tau: float, z: np.ndarray) -> float:
            return float(z[6])

        found = {REACHED: (reached, 1), STOPS: (stops, -1)} | ({} if what == "c" else {CLOSES: (closes, -1)})
        for event, way in found.values():
            event.terminal, event.direction = True, way  # type: ignore[attr-defined]
        return {word: event for word, (event, _) in found.items()}

    def _units(self) -> tuple[float, float]:
        """Of speed, and of velocities by impulses."""
        return float(abs(self.at.c) + np.linalg.norm(self.at.s)), float(np.trace(self.G))

    def _rates(self, tau: float, z: np.ndarray) -> list[float]:
        """Of phi, ln r, P, T, the work and c, in units of their own."""
        G = self.G / self._units()[1]
        cos, sin, r = math.cos(z[0]), math.sin(z[0]), math.exp(z[1])
        # x = b - mu D d
        x = G[1:, 0] - self.mu * (G[1:, 1] * cos + G[1:, 2] * sin)
        rise = G[0, 0] - self.mu * (G[0, 1] * cos + G[0, 2] * sin)
        across, along = x[1] * cos - x[0] * sin, x[0] * cos + x[1] * sin
        return [across, along, r, -self.mu * cos * r, -self.mu * sin * r, z[6] * r, rise * r]

    def _point(self, z: np.ndarray) -> Along:
        """In the units of the impact."""
        v, g = self._units()
        d = np.array([math.cos(z[0]), math.sin(z[0])])
        at = self.at
        return Along(
            at.P + z[2] * v / g, at.T + z[3:5] * v / g, z[6] * v, v * math.exp(z[1]) * d, at.work + z[5] * v**2 / g
        )
