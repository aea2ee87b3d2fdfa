"""An impact at contacts that press on each other, by Stronge's law at each of them [liu2008; stronge2000].

In what proportion their impulses grow is a matter of how stiff they are, which rigid bodies do not tell: all are taken
for equally stiff. With forces F and velocities c along the normals, friction T and slips s, in a time of its own,

    F' = -c  where c < 0 ,     F' = -c/e^2  where c > 0 and F > 0 ,     (c, s)' = G (F, T)

and T by Coulomb: mu F against a slip, and no more than mu_s F where none is. What a contact holds is e^2 F^2/2, e^2
of the work of its compression, of which it gives back all: its law of energy, whatever the others do. The stiffness
itself drops out, as positions do not change in an impact; at one contact F only says how fast its course is run.

Where e is 0 that is taken to its limit: when c comes to 0 the spring is without end stiffer, c stays 0 and F swings at
once about what would hold c where it is, F_0 with c' = 0: it becomes 2 F_0 - F, and is lost where that is negative.

While no contact changes what it does the motion is linear: its series is summed, and conditions are polynomials.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np

from .course import NoCourse

APART, PRESSES, SPRINGS, STICKS, IDLE = "apart", "presses", "springs back", "sticks", "idle"
_PIECES, _STEPS = 1000, 100_000  # of a course, and of a piece of it
_ORDER, _RADIUS, _LOOKS = 20, 0.25, 8  # of the series: terms, steps in its time, and looks in a step
_ROUNDING = 1e-13  # of its terms what is 0: one slip that follows from others that stick
_ZERO, _ORDERS = 1e-11, 8  # of its terms what is no sign, and derivatives of which one decides
_BELOW, _HALVINGS = 1e-14, 60  # of a condition that has been left, and of where
_SNAP = 1e-12  # of the speed: what is below it where a piece ends is rounding
_DONE = 1e-11  # of the speed: forces and approaches that are no more than it are over
_LOST = 1e-9  # of a force: what is left below it is rounding
_SAME, _DIFFER = 1e-9, 4  # of two ways to go on: so near they are one, in so many derivatives


class Rub(NamedTuple):
    """A component of friction: the contact that it belongs to, by number, and its coefficients."""

    of: int
    mu: float
    hold: float


class SpringCourse(NamedTuple):
    """Impulses of all contacts (n,) and components of friction (r,), and what each piece of the course was."""

    P: np.ndarray
    T: np.ndarray
    words: tuple[str, ...]


class Condition(NamedTuple):
    """What holds in a piece: row . z >= 0; which entry of z is 0 where it ends, if one is."""

    row: np.ndarray
    at: int | None = None


@dataclass(frozen=True, eq=False)
class LinearPiece:
    """Contacts and friction while none of them changes what it does: z' = M z."""

    words: tuple[str, ...]
    M: np.ndarray
    conditions: Sequence[Condition]

    @cached_property
    def rows(self) -> np.ndarray:
        """Of all conditions."""
        return np.array([condition.row for condition in self.conditions])

    def begins(self, z: np.ndarray) -> bool:
        """Do all conditions hold right after z? Of each the first derivative that is not 0 says it."""
        left, term, size = np.ones(len(self.rows), bool), z, np.abs(z)
        for _ in range(_ORDERS):
            value, scale = self.rows @ term, np.abs(self.rows) @ size
            if (left & (value < -_ZERO * scale)).any():
                return False
            left &= value <= _ZERO * scale
            term, size = self.M @ term, np.abs(self.M) @ size
        return True

    def after(self, z: np.ndarray, rate: float) -> tuple[np.ndarray, int | None]:
        """z where a condition ends, and which entry is 0 there; `rate` is that of the quickest motion."""
        h = _RADIUS / rate
        for _ in range(_STEPS):
            terms = [z]
            for j in range(1, _ORDER):
                terms.append(self.M @ terms[-1] / j)
            series = np.array(terms)
            found = _first(self.rows @ series.T, h)
            if found is not None:
                tau, which = found
                return series.T @ tau ** np.arange(_ORDER), self.conditions[which].at
            z = series.T @ h ** np.arange(_ORDER)
        raise NoCourse


def _first(conditions: np.ndarray, h: float) -> tuple[float, int] | None:
    """When the first of some polynomials (n, order) is negative, up to h, and which one it is."""
    powers = np.arange(_ORDER)
    looks = np.linspace(0, h, _LOOKS + 1)
    values = conditions @ looks ** powers[:, None]
    below = values < -_BELOW
    below[:, 0] = False
    if not below.any():
        return None
    k = int(np.argmax(below.any(axis=0)))
    ends = [(_bisected(conditions[i], looks[k - 1], looks[k]), int(i)) for i in np.flatnonzero(below[:, k])]
    return min(ends)


def _bisected(polynomial: np.ndarray, low: float, high: float) -> float:
    """Where it becomes negative."""
    powers = np.arange(_ORDER)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if polynomial @ middle**powers < 0 else (middle, high)
    return high


@dataclass(frozen=True, eq=False)
class Springs:
    """What leads the impact.

    Attributes:
        G: of the velocities (c, s) by the impulses (P, T), (n + r, n + r).
        e: of each contact (n,).
        rubs: components of friction.
    """

    G: np.ndarray
    e: np.ndarray
    rubs: Sequence[Rub]

    def course(self, v: np.ndarray) -> SpringCourse:
        """From velocities (n + r,) to where no contact presses and none approaches.

        Raises:
            NoCourse: there is no end of it, or several ways to go on.
        """
        n, size = self._n, float(np.abs(v[: self._n]).max())
        # z = (F, c, s, P, T) in units of the speed
        z = np.concatenate([np.zeros(n), v / size, np.zeros(len(v))])
        words: list[str] = []
        for _ in range(_PIECES):
            if z[:n].max() <= _DONE and z[n : 2 * n].min() >= -_DONE:
                p = z[n + len(v) :] * size / self._unit
                return SpringCourse(p[:n], p[n:], tuple(words))
            piece = self._piece(z)
            words.append(", ".join(piece.words))
            z, at = piece.after(z, self._rate(piece))
            z[np.abs(z) < _SNAP] = 0.0
            if at is not None:
                z[at] = 0.0
                self._let_go(piece, z, at - n)
        raise NoCourse

    def _let_go(self, piece: LinearPiece, z: np.ndarray, i: int) -> None:
        """What a contact that gives nothing back still presses with where its compression has ended, written into z."""
        n = self._n
        if not 0 <= i < n or self.e[i]:
            return
        moves = piece.M[n + i, :n]
        # c' = g F + r ,  F_0 = -r/g
        balanced = z[i] - float(moves @ z[:n]) / moves[i] if moves[i] > 0 else 0.0
        after = 2 * balanced - z[i]
        z[i] = after if after > _LOST * z[i] else 0.0

    @property
    def _n(self) -> int:
        return len(self.e)

    @cached_property
    def _unit(self) -> float:
        return float(np.trace(self.G[: self._n, : self._n]))

    def _rate(self, piece: LinearPiece) -> float:
        """Of the quickest motion: of F'' = (M M) F."""
        n = self._n
        return math.sqrt(max(float(np.linalg.norm((piece.M @ piece.M)[:n, :n], 2)), 1e-6))

    def _piece(self, z: np.ndarray) -> LinearPiece:
        """What contacts and friction do from z on: as many stick as can."""
        found = [piece for piece in self._pieces(z) if piece.begins(z)]
        if not found:
            raise NoCourse("no way to go on is consistent")
        most = max(piece.words.count(STICKS) for piece in found)
        left = [piece for piece in found if piece.words.count(STICKS) == most]
        if any(self._differ(z, piece, left[0]) for piece in left[1:]):
            raise NoCourse(f"{len(left)} ways to go on differ")
        return min(left, key=partial(self._rubbed, z)) if len(left) > 1 else left[0]

    def _differ(self, z: np.ndarray, a: LinearPiece, b: LinearPiece) -> bool:
        """Do forces and velocities become others?"""
        one, other, moved = z, z, 2 * self._n + len(self.rubs)
        for _ in range(_DIFFER):
            one, other = a.M @ one, b.M @ other
            if np.abs(one - other)[:moved].max() > _SAME * max(np.abs(one).max(), np.abs(z).max()):
                return True
        return False

    def _rubbed(self, z: np.ndarray, piece: LinearPiece) -> list[float]:
        """How much friction there is: of ways to share it among contacts the one with the least is taken."""
        found, term = [], z
        for _ in range(_DIFFER):
            term = piece.M @ term
            found.append(float(np.linalg.norm(term[len(term) - len(self.rubs) :])))
        return found

    def _pieces(self, z: np.ndarray) -> Iterator[LinearPiece]:
        """All that fits the signs of F, c and s."""
        n = self._n
        presses = [self._presses(F, c, e) for F, c, e in zip(z[:n], z[n : 2 * n], self.e, strict=True)]
        slips = z[2 * n : 2 * n + len(self.rubs)]
        for normal in itertools.product(*presses):
            options = [self._slips(s, normal[rub.of]) for s, rub in zip(slips, self.rubs, strict=True)]
            for tangent in itertools.product(*options):
                yield self._linear(normal, tangent)

    @staticmethod
    def _presses(F: float, c: float, e: float) -> tuple[str, ...]:
        if c < 0 or (F > 0 and not e):
            return (PRESSES,)
        still = (APART,) if F <= 0 else (SPRINGS,)
        return still if c > 0 else (*still, PRESSES)

    @staticmethod
    def _slips(s: float, normal: str) -> tuple[str, ...]:
        if normal == APART:
            return (IDLE,)
        return (STICKS, "+", "-") if s == 0 else ("+",) if s > 0 else ("-",)

    def _linear(self, normal: Sequence[str], tangent: Sequence[str]) -> LinearPiece:
        """M and the conditions of a combination."""
        n, r = self._n, len(self.rubs)
        G, K = self.G / self._unit, self._friction(tangent)
        M = np.zeros((2 * (n + r) + n, 2 * (n + r) + n))
        for i, word in enumerate(normal):
            M[i, n + i] = -1.0 if word == PRESSES else -1 / self.e[i] ** 2 if word == SPRINGS else 0.0
        pushes = np.vstack([np.eye(n), K])
        moved, terms = G @ pushes, np.abs(G) @ np.abs(pushes)
        M[n : 2 * n + r, :n] = np.where(np.abs(moved) > _ROUNDING * terms, moved, 0.0)
        stuck = [2 * n + j for j, word in enumerate(tangent) if word == STICKS]
        M[stuck] = 0.0
        M[2 * n + r :, :n] = pushes
        M[:, [i for i, word in enumerate(normal) if word == APART]] = 0.0
        return LinearPiece((*normal, *tangent), M, [*self._of_normals(normal), *self._of_slips(tangent, K)])

    def _friction(self, tangent: Sequence[str]) -> np.ndarray:
        """T = K F (r, n)."""
        n = self._n
        G, K = self.G / self._unit, np.zeros((len(self.rubs), self._n))
        for j, (rub, word) in enumerate(zip(self.rubs, tangent, strict=True)):
            # -mu F against the slip
            K[j, rub.of] = {"+": -rub.mu, "-": rub.mu}.get(word, 0.0)
        stuck = [j for j, word in enumerate(tangent) if word == STICKS]
        if stuck:
            rows = G[[n + j for j in stuck]]
            # s' = 0
            free = rows @ np.vstack([np.eye(n), K])
            K[stuck] = -np.linalg.lstsq(rows[:, [n + j for j in stuck]], free, rcond=1e-12)[0]
        return K

    def _of_normals(self, normal: Sequence[str]) -> Iterator[Condition]:
        n = self._n
        for i, word in enumerate(normal):
            yield Condition((-1.0 if word == PRESSES else 1.0) * self._entry(n + i), n + i)
            if word == SPRINGS:
                yield Condition(self._entry(i), i)

    def _of_slips(self, tangent: Sequence[str], K: np.ndarray) -> Iterator[Condition]:
        n = self._n
        for j, (rub, word) in enumerate(zip(self.rubs, tangent, strict=True)):
            if word == STICKS:
                for sign in (1.0, -1.0):
                    # mu_s F -+ T
                    row = rub.hold * self._entry(rub.of)
                    row[:n] += sign * K[j]
                    yield Condition(row)
            elif word != IDLE:
                yield Condition((1.0 if word == "+" else -1.0) * self._entry(2 * n + j), 2 * n + j)

    def _entry(self, i: int) -> np.ndarray:
        row = np.zeros(2 * (self._n + len(self.rubs)) + self._n)
        row[i] = 1.0
        return row
