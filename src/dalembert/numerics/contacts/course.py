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
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...equations.contacts import POISSON
from .hodograph import CLOSES, REACHED, Along, Curve, Goal, NoCourse, Straight

_PIECES = 100  # phases, and slips that stop
_STOPS = 1e-13  # of the first speeds: a slip below it has stopped
_STRAIGHT = 1e-15  # of the terms of s': below it the slip does not turn


class Way(NamedTuple):
    """A course: the points at which pieces begin and end, and what each piece was, in words."""

    points: list[Along]
    words: tuple[str, ...]

    @property
    def end(self) -> Along:
        """Where it ends."""
        return self.points[-1]


class Sum(NamedTuple):
    """Impulse and work of all compression, or of all restitution."""

    P: float = 0.0
    work: float = 0.0

    def plus(self, before: Along, after: Along) -> Sum:
        """A piece more."""
        return Sum(self.P + after.P - before.P, self.work + after.work - before.work)


class Law(NamedTuple):
    """How restitution ends: its coefficient, and its law."""

    e: float
    word: str

    def left(self, closing: Sum, opening: Sum) -> Goal:
        """What is missing to the end of the restitution."""
        if self.word == POISSON:
            return Goal("P", self.e * closing.P - opening.P)
        return Goal("work", -(self.e**2) * closing.work - opening.work)


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

    def along(self, c: float, s: np.ndarray, law: Law) -> Way:
        """From the normal velocity c < 0 and the slip s (p,) to the end.

        Raises:
            NoCourse: there is no end of it.
        """
        at = Along(0.0, np.zeros(len(s)), c, s, 0.0)
        way, small = [at], _STOPS * (abs(c) + float(np.linalg.norm(s)))
        words: tuple[str, ...] = ()
        closing = opening = Sum()
        opens = False
        for _ in range(_PIECES):
            goal = law.left(closing, opening) if opens else Goal("c", 0.0)
            piece = self.piece(at, small)
            found, why = piece.until(goal, small)
            if opens:
                opening = opening.plus(at, found[-1])
            else:
                closing = closing.plus(at, found[-1])
            way, words, at = [*way, *found], (*words, f"{piece.word} {why}"), found[-1]
            if why == REACHED and (opens or not law.e):
                return Way(way, words)
            opens = why == REACHED or (opens and why != CLOSES)
        raise NoCourse

    def rubbed(self, s: np.ndarray, P: float) -> np.ndarray:
        """T (p,) of what rubs while a normal impulse that does nothing to its slip comes to P."""
        at = Along(0.0, np.zeros(len(s)), float(np.linalg.norm(s)), s, 0.0)
        small = _STOPS * at.c
        for _ in range(_PIECES):
            found, why = self.piece(at, small).until(Goal("P", P - at.P), small)
            at = found[-1]
            if why == REACHED:
                return at.T
        raise NoCourse

    def piece(self, at: Along, small: float) -> Straight | Curve:
        """The piece that begins here; a slip below `small` has stopped."""
        b, D = self.G[1:, 0], self.G[1:, 1:]
        size = float(np.linalg.norm(at.s))
        if size <= small:
            return Straight(self.G, at._replace(s=0 * at.s), *self._from_rest())
        d = at.s / size
        turn = b - self.mu * D @ d
        aside = turn - d * (d @ turn)
        if np.abs(aside).max() <= _STRAIGHT * (np.abs(b).sum() + self.mu * np.abs(D).sum()):
            return Straight(self.G, at, -self.mu * d, True)
        return Curve(self.G, at, self.mu)

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
