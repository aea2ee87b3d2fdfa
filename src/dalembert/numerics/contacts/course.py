"""The course of an impact with friction at one contact, along its normal impulse P [routh1905; stronge2000].

    c' = a + b . t ,   s' = b + D t ,   t = dT/dP ,   a = A W^-1 A^T ,   b = B W^-1 A^T ,   D = B W^-1 B^T

for the normal velocity c and the slip s of one component or two. Where it slips t = -mu s/|s|. Where the slip has
stopped t is the least of (1 t) G (1 t)/2 in its cone, G = (a b; b D): it sticks, t = -D^-1 b, where mu_s allows that,
and slips on otherwise, along the one direction d with b - mu D d = x d, x > 0.

Compression, c < 0, has an impulse P_c and does a work w_c = integral of c dP < 0. Restitution, c > 0, ends

    by Poisson   where its impulse is e P_c ,
    by Stronge   where its work is -e^2 w_c .

A slip that turns may press together again what had begun to part; then all of it is summed. Where G is positive the
course ends, and no energy is gained: of T(u+) - T(u) = integral of (c - mu |s|) dP the integrand rises ever more
slowly, by (1 t) G (1 t), it is not positive where the last compression ends, and that is half of the course or more.

Where the slip is s = r (cos phi, sin phi), r > 0, the direction turns by itself in a measure tau with dP = r dtau:

    dphi/dtau = n . x(phi) ,     d(ln r)/dtau = d . x(phi) ,     x = b - mu D d

with d along the slip and n across it. A slip that stops takes all of tau, and one that passes near 0 turns no faster
there than elsewhere: nothing is stiff, and nothing is missed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ...equations.contact_modes import POISSON

REACHED, STOPS, CLOSES = "reached", "stops", "closes"
_TIGHT, _LONG = 1e-13, 1e15  # of the integration in tau
_PIECES = 100  # phases, and slips that stop
_STOPS = 1e-13  # of the first speeds: a slip below it has stopped
_STRAIGHT = 1e-15  # of the terms of s': below it the slip does not turn


class NoCourse(Exception):
    """An impact has no course, for a reason in words."""

    def __init__(self, fact: str = "it has no end: the kinetic energy is not positive") -> None:
        super().__init__(fact)


class Goal(NamedTuple):
    """Where a phase ends: ``"c"`` at that speed, ``"P"`` after a further impulse, ``"work"`` after a further work."""

    what: str
    value: float


class CoursePoint(NamedTuple):
    """A point of the course: impulses and work so far, and velocities."""

    P: float
    T: np.ndarray
    c: float
    s: np.ndarray
    work: float


@dataclass(frozen=True, eq=False)
class StraightFriction:
    """Friction that does not turn.

    Attributes:
        G, at: matrix of the impact, and where the piece begins.
        t: dT/dP (p,).
        slips: does it slip along t? It sticks otherwise.
    """

    G: np.ndarray
    at: CoursePoint
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

    def until(self, goal: Goal, small: float) -> tuple[list[CoursePoint], str]:
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
        return [CoursePoint(self.at.P + step, self.at.T + self.t * step, speed, slip, work)], why

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
class TurningSlip:
    """A slip of two components that turns.

    Attributes:
        G, at: matrix of the impact, and where the piece begins.
        mu: of friction.
    """

    G: np.ndarray
    at: CoursePoint
    mu: float
    word = "slips"

    def until(self, goal: Goal, small: float) -> tuple[list[CoursePoint], str]:
        """Points on the way to its end, the last one at it, and why it ends."""
        from scipy.integrate import solve_ivp

        v, g = self.units
        column, size = {"c": (6, v), "P": (2, v / g), "work": (5, v**2 / g)}[goal.what]

        def event(column: int, value: float, way: int) -> Callable[[float, np.ndarray], float]:
            def at(tau: float, z: np.ndarray) -> float:
                return float(z[column] - value)

            at.terminal, at.direction = True, way  # type: ignore[attr-defined]
            return at

        ends = {REACHED: event(column, goal.value / size, 1), STOPS: event(1, math.log(small / v), -1)}
        ends |= {} if goal.what == "c" else {CLOSES: event(6, 0.0, -1)}
        first = np.array(
            [math.atan2(*self.at.s[::-1]), math.log(np.linalg.norm(self.at.s) / v), 0, 0, 0, 0, self.at.c / v]
        )
        tight = {"method": "DOP853", "rtol": _TIGHT, "atol": _TIGHT}
        path = solve_ivp(self._rates, (0.0, _LONG), first, events=list(ends.values()), **tight)
        if path.status != 1:
            raise NoCourse
        at = next(i for i, times in enumerate(path.t_events) if len(times))
        # the dense output is less exact than the steps: the last one is done again, up to the event
        nodes, end = path.y.T[:-1], float(path.t_events[at][0])
        last = solve_ivp(self._rates, (path.t[-2], end), nodes[-1], **tight).y[:, -1] if end > path.t[-2] else nodes[-1]
        points = [self._point(z) for z in (*nodes[1:], last)]
        why = list(ends)[at]
        if why == STOPS:
            points[-1] = points[-1]._replace(s=np.zeros(2))
        elif why == CLOSES or goal.what == "c":
            points[-1] = points[-1]._replace(c=0.0)
        return points, why

    @cached_property
    def units(self) -> tuple[float, float]:
        """Of speed, and of velocities by impulses."""
        return float(abs(self.at.c) + np.linalg.norm(self.at.s)), float(np.trace(self.G))

    def _rates(self, tau: float, z: np.ndarray) -> list[float]:
        """Of phi, ln r, P, T, the work and c, in units of their own."""
        G = self.G / self.units[1]
        cos, sin, r = math.cos(z[0]), math.sin(z[0]), math.exp(z[1])
        # x = b - mu D d
        x = G[1:, 0] - self.mu * (G[1:, 1] * cos + G[1:, 2] * sin)
        rise = G[0, 0] - self.mu * (G[0, 1] * cos + G[0, 2] * sin)
        across, along = x[1] * cos - x[0] * sin, x[0] * cos + x[1] * sin
        return [across, along, r, -self.mu * cos * r, -self.mu * sin * r, z[6] * r, rise * r]

    def _point(self, z: np.ndarray) -> CoursePoint:
        """In the units of the impact."""
        v, g = self.units
        d = np.array([math.cos(z[0]), math.sin(z[0])])
        at = self.at
        return CoursePoint(
            at.P + z[2] * v / g, at.T + z[3:5] * v / g, z[6] * v, v * math.exp(z[1]) * d, at.work + z[5] * v**2 / g
        )


class CourseTrace(NamedTuple):
    """A course: the points at which pieces begin and end, and what each piece was, in words."""

    points: list[CoursePoint]
    words: tuple[str, ...]

    @property
    def end(self) -> CoursePoint:
        """Where it ends."""
        return self.points[-1]


class RestitutionLaw(NamedTuple):
    """How restitution ends: its coefficient, and its law."""

    e: float
    word: str

    def left(self, closing: np.ndarray, opening: np.ndarray) -> Goal:
        """What is missing to the end of the restitution, of impulse and work of all compression and all restitution."""
        if self.word == POISSON:
            return Goal("P", self.e * closing[0] - opening[0])
        return Goal("work", -(self.e**2) * closing[1] - opening[1])


@dataclass(frozen=True, eq=False)
class Course:
    """What leads the impact.

    Attributes:
        G: of the velocities (c, s) by the impulses (P, T), (1 + p, 1 + p).
        mu, mu_static: coefficients.
    """

    G: np.ndarray
    mu: float = 0.0
    mu_static: float = 0.0

    def along(self, c: float, s: np.ndarray, law: RestitutionLaw) -> CourseTrace:
        """From the normal velocity c < 0 and the slip s (p,) to the end.

        Raises:
            NoCourse: there is no end of it.
        """
        at = CoursePoint(0.0, np.zeros(len(s)), c, s, 0.0)
        way, small = [at], _STOPS * (abs(c) + float(np.linalg.norm(s)))
        words: tuple[str, ...] = ()
        opens, sums = False, [np.zeros(2), np.zeros(2)]
        for _ in range(_PIECES):
            goal = law.left(*sums) if opens else Goal("c", 0.0)
            piece = self.piece(at, small)
            found, why = piece.until(goal, small)
            sums[opens] = sums[opens] + (found[-1].P, found[-1].work) - (at.P, at.work)
            way, words, at = [*way, *found], (*words, f"{piece.word} {why}"), found[-1]
            if why == REACHED and (opens or not law.e):
                return CourseTrace(way, words)
            opens = why == REACHED or (opens and why != CLOSES)
        raise NoCourse

    def rubbed(self, s: np.ndarray, P: float) -> np.ndarray:
        """T (p,) of what rubs while a normal impulse that does nothing to its slip comes to P."""
        at = CoursePoint(0.0, np.zeros(len(s)), float(np.linalg.norm(s)), s, 0.0)
        small = _STOPS * at.c
        for _ in range(_PIECES):
            found, why = self.piece(at, small).until(Goal("P", P - at.P), small)
            at = found[-1]
            if why == REACHED:
                return at.T
        raise NoCourse

    def piece(self, at: CoursePoint, small: float) -> StraightFriction | TurningSlip:
        """The piece that begins here; a slip below `small` has stopped."""
        b, D = self.G[1:, 0], self.G[1:, 1:]
        size = float(np.linalg.norm(at.s))
        if size <= small:
            return StraightFriction(self.G, at._replace(s=0 * at.s), *self._from_rest())
        d = at.s / size
        turn = b - self.mu * D @ d
        aside = turn - d * (d @ turn)
        if np.abs(aside).max() <= _STRAIGHT * (np.abs(b).sum() + self.mu * np.abs(D).sum()):
            return StraightFriction(self.G, at, -self.mu * d, True)
        return TurningSlip(self.G, at, self.mu)

    def _from_rest(self) -> tuple[np.ndarray, bool]:
        """t where the slip has stopped, and does it slip on?"""
        b, D = self.G[1:, 0], self.G[1:, 1:]
        if not b.any() or not self.mu_static:
            return np.zeros(len(b)), False
        stuck = -np.linalg.lstsq(D, b, rcond=1e-12)[0]
        if np.linalg.norm(stuck) <= self.mu_static:
            return stuck, False
        return -self.mu * self._begins(b, D), True

    def _begins(self, b: np.ndarray, D: np.ndarray) -> np.ndarray:
        """The direction of the slip that begins: b - mu D d = x d."""
        if len(b) == 1:
            return np.sign(b)
        from scipy.optimize import brentq

        sizes, axes = np.linalg.eigh(D)
        along = axes.T @ b

        # |(mu D + x)^-1 b| = 1 ,  and d is that vector
        def beyond(x: float) -> float:
            return float(np.linalg.norm(along / (self.mu * sizes + x))) - 1

        most = float(np.linalg.norm(b))
        x = brentq(beyond, 1e-9 * most, most, xtol=1e-15 * most, rtol=1e-15) if beyond(most) < 0 else most
        d = axes @ (along / (self.mu * sizes + x))
        return np.asarray(d / np.linalg.norm(d))
