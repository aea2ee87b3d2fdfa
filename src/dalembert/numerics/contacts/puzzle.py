"""Which contacts act, and how: one complementarity problem, on accelerations or on impulses.

Of every contact that is closed one of these holds, with x the accelerations or the jump of the velocities:

    apart     N = 0 ,                     a = A x - n >= 0
    sticks    N >= 0 ,  A x = n ,         B x = b ,  |T| <= mu_s N
    slides    N >= 0 ,  A x = n ,         T = -mu N d ,  d the direction of slip (that which begins, where none is yet)

All combinations are tried, whatever the order of contacts; one that sticks wins over one that slides from rest, as
friction at rest is what holds it there [moreau1988; brogliato2016]. Where none is left, or several with different x,
the motion of a rigid body is not determined: Painleve's paradox [painleve1895].
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ...equations.contacts import APART, SLIDES, STICKS

MOST = 6  # contacts closed at once of which all combinations are tried
TOLERANCE = 1e-9  # of accelerations and forces that are compared
SAME = 1e-7  # of accelerations: solutions that differ by less are one
FAR_APART = 1e-6  # of two singular values: so far apart, two equations are solved as they are
_ROUNDS, _SETTLED = 2000, 1e-13  # of the direction in which a slip begins


@dataclass(frozen=True, eq=False)
class Piece:
    """One closed contact.

    Attributes:
        name: of it.
        master: the contact that it belongs to, a piece before it: itself, but for spin and rolling, which have its
            normal force.
        A, normal: A x = normal where it stays closed.
        B, along: B x = along where the slip stays what it is, or ends; (p, k) and (p,).
        direction: of a slip that is there (p,), or None.
        mu, hold: coefficients of what slides and of what sticks.
        least: a normal impulse that a part has besides its master's.
    """

    name: str
    master: str
    A: np.ndarray
    normal: float
    B: np.ndarray
    along: np.ndarray
    direction: np.ndarray | None
    mu: float
    hold: float
    least: float = 0.0


class Choice(NamedTuple):
    """What one contact does in a combination; `direction` of slip, None where it follows."""

    word: str
    direction: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class Answer:
    """A combination that holds together.

    Attributes:
        choices: by contact, directions found.
        x: accelerations, or the jump of the velocities (k,).
        normal, friction: forces or impulses by contact; friction (p,).
    """

    choices: Mapping[str, Choice]
    x: np.ndarray
    normal: Mapping[str, float]
    friction: Mapping[str, np.ndarray]

    def words(self) -> dict[str, str]:
        """By contact."""
        return {name: choice.word for name, choice in self.choices.items()}


class Solved(NamedTuple):
    """A combination whose directions are known; in plain numbers, as there are few of them.

    Attributes:
        mu: multipliers of the rows that it holds (h,).
        free, columns: R x = free + sum of mu_j columns_j, of all rows (n,).
        normal, friction: forces or impulses by contact; friction (p,).
    """

    mu: Sequence[float]
    free: Sequence[float]
    columns: Sequence[Sequence[float]]
    normal: Mapping[str, float]
    friction: Mapping[str, np.ndarray]

    def v(self, row: int) -> float:
        """One row of R x."""
        return self.free[row] + sum(mu * column[row] for mu, column in zip(self.mu, self.columns, strict=True))

    def along(self, rows: slice) -> np.ndarray:
        """Several of them."""
        return np.array([self.v(row) for row in range(rows.start, rows.stop)])


class Undecided(Exception):
    """No combination holds together, or several do; `count` of them."""

    def __init__(self, count: int) -> None:
        super().__init__(count)
        self.count = count


@dataclass(frozen=True, eq=False)
class Puzzle:
    """The problem at one instant.

    Attributes:
        W, f: of  W x = f + reactions.
        J, g: rows that hold always, J x = g.
        pieces: the closed contacts.
        barred: ``(name, word)`` that cannot be, as an event has just ended it.
    """

    W: np.ndarray
    f: np.ndarray
    J: np.ndarray
    g: np.ndarray
    pieces: Sequence[Piece]
    barred: Set[tuple[str, str]] = frozenset()

    def solve(self) -> Answer:
        """The one combination that holds together.

        Raises:
            Undecided: there is none, or more than one.
        """
        found = [answer for choices in self._combinations() if (answer := self._tried(choices)) is not None]
        left = [a for a in found if not any(self._holds_more(b, a) for b in found)]
        if not left:
            raise Undecided(0)
        size = self._speed + max(float(np.abs(a.x).max(initial=0.0)) for a in left)
        if any(np.abs(a.x - left[0].x).max(initial=0.0) > SAME * size for a in left):
            raise Undecided(len(left))
        return min(left, key=self._rank)

    def along(self, choices: Mapping[str, Choice]) -> np.ndarray:
        """x of a combination whose directions are known, whether its conditions hold or not."""
        found = self._linear(choices)
        return self._free if found is None else self._x(choices, found)

    def _combinations(self) -> Iterator[dict[str, Choice]]:
        options = [self._options(piece) for piece in self.pieces]
        for choices in itertools.product(*options):
            found = {piece.name: choice for piece, choice in zip(self.pieces, choices, strict=True)}
            if all(p.least or (found[p.name].word == APART) == (found[p.master].word == APART) for p in self.pieces):
                yield found

    def _options(self, piece: Piece) -> list[Choice]:
        p = len(piece.B)
        if piece.direction is not None or not p:
            found = [Choice(APART), Choice(SLIDES, piece.direction)]
        elif p == 1:
            found = [Choice(APART), Choice(STICKS), *(Choice(SLIDES, np.array([s])) for s in (1.0, -1.0))]
        else:
            found = [Choice(APART), Choice(STICKS), Choice(SLIDES)]
        barred = {*self.barred, (piece.name, APART)} if piece.least else self.barred
        return [choice for choice in found if (piece.name, choice.word) not in barred]

    def _tried(self, choices: Mapping[str, Choice]) -> Answer | None:
        """The solution of a combination, None where its conditions do not hold."""
        begin = [p for p in self.pieces if len(p.B) and choices[p.name].word == SLIDES and choices[p.name][1] is None]
        directions = self._first(choices, begin)
        for _ in range(_ROUNDS):
            settled = {n: Choice(SLIDES, directions[n]) if n in directions else c for n, c in choices.items()}
            found = self._linear(settled)
            if found is None:
                return None
            turned = {p.name: self._turned(p, found, directions[p.name]) for p in begin}
            moved = max((float(np.abs(turned[n] - directions[n]).max()) for n in turned), default=0.0)
            if moved <= _SETTLED:
                fits = self._consistent(settled, found)
                return Answer(settled, self._x(settled, found), found.normal, found.friction) if fits else None
            directions = turned
        return None

    def _turned(self, piece: Piece, found: Solved, before: np.ndarray) -> np.ndarray:
        """A direction nearer to that in which the slip begins: of greatest dissipation, among all of one size.

        The slip that begins is b - mu N G d, G = B W^-1 B^T: a step along it of 1/(mu N |G|) cannot go too far.
        """
        _, B = self._places[piece.name]
        begins = found.along(B) - piece.along
        stiff = np.linalg.norm(np.array([row[B] for row in self._G[B]]), 2)
        hold = piece.mu * max(found.normal[piece.name], 0.0) * float(stiff)
        return _unit(hold * before + begins) if hold or begins.any() else before

    def _first(self, choices: Mapping[str, Choice], begin: Sequence[Piece]) -> dict[str, np.ndarray]:
        """Directions to begin with: against the friction that would hold these contacts."""
        if not begin:
            return {}
        found = self._linear({n: Choice(STICKS) if any(p.name == n for p in begin) else c for n, c in choices.items()})
        if found is None:
            return {p.name: _unit(np.zeros(len(p.B))) for p in begin}
        return {p.name: _unit(-found.friction[p.name]) for p in begin}

    def _linear(self, choices: Mapping[str, Choice]) -> Solved | None:
        """The forces of a combination with known directions, and what they make of the rows."""
        held, free, G = [*range(len(self.J))], self._a, self._G
        drags: list[tuple[int, list[float]]] = []
        at: dict[str, int] = {}  # the place of each normal force among the unknown ones
        for piece in self.pieces:
            word, d = choices[piece.name]
            if word == APART:
                continue
            A, B = self._places[piece.name]
            if piece.master == piece.name:
                at[piece.name] = len(held)
                held.append(A)
            if word == STICKS:
                held += range(B.start, B.stop)
            elif d is not None:
                rub = _scaled(piece.mu, d, G[B])
                if piece.least:
                    free = [a - piece.least * e for a, e in zip(free, rub, strict=True)]
                if piece.master in at:
                    drags.append((at[piece.master], rub))
        columns = [G[i] for i in held]
        for place, rub in drags:
            # R W^-1 (A - mu d B)^T N
            columns[place] = [c - e for c, e in zip(columns[place], rub, strict=True)]
        S, r = [[column[i] for column in columns] for i in held], [self._b[i] - free[i] for i in held]
        mu = _plain(S, r)
        if mu is None:
            mu = self._shared(choices, np.array(S), np.array(r))
        return None if mu is None else Solved(mu, free, columns, *self._forces(choices, mu[len(self.J) :]))

    def _x(self, choices: Mapping[str, Choice], found: Solved) -> np.ndarray:
        """x = W^-1 (f + R^T reactions)."""
        push = np.zeros(len(self._b))
        push[: len(self.J)] = found.mu[: len(self.J)]
        for piece in self.pieces:
            if choices[piece.name].word != APART:
                A, B = self._places[piece.name]
                push[A] = found.normal[piece.name] if piece.master == piece.name else 0.0
                push[B] = found.friction[piece.name]
        return np.asarray(self._free + self._back @ push)

    def _shared(self, choices: Mapping[str, Choice], S: np.ndarray, r: np.ndarray) -> list[float] | None:
        """S mu = r of least norm, None where it has no solution; where friction at rest can be shared in several ways,
        in proportion to what holds.
        """
        mu, _, rank, _ = np.linalg.lstsq(S, r, rcond=1e-12)
        if rank < len(S):
            normal, _ = self._forces(choices, mu[len(self.J) :])
            w, at = np.ones(len(mu)), len(self.J)
            for piece in self.pieces:
                word, p = choices[piece.name].word, len(piece.B)
                if word == STICKS:
                    first = at + (piece.master == piece.name)
                    w[first : first + p] = max(piece.hold * normal[piece.name], 0.0)
                at += 0 if word == APART else (piece.master == piece.name) + (p if word == STICKS else 0)
            # min sum mu^2/w
            root = np.sqrt(w)
            mu = root * np.linalg.lstsq(S * root, r, rcond=1e-12)[0]
        fits = np.abs(S @ mu - r).max() <= 1e-8 * (np.abs(r).max() + self._speed)
        return [float(e) for e in mu] if fits else None

    def _forces(
        self, choices: Mapping[str, Choice], mu: Sequence[float]
    ) -> tuple[dict[str, float], dict[str, np.ndarray]]:
        normal, friction, at = dict.fromkeys(choices, 0.0), dict(self._no_friction), 0
        for piece in self.pieces:
            word, d = choices[piece.name]
            if word == APART:
                continue
            if piece.master == piece.name:
                normal[piece.name], at = float(mu[at]), at + 1
            normal[piece.name] = normal[piece.master] + piece.least
            if word == STICKS:
                friction[piece.name], at = np.array(mu[at : at + len(piece.B)]), at + len(piece.B)
            elif d is not None:
                friction[piece.name] = -piece.mu * normal[piece.name] * d
        return normal, friction

    def _consistent(self, choices: Mapping[str, Choice], found: Solved) -> bool:
        slack, soft = TOLERANCE * self._speed, TOLERANCE * self._weight
        for piece in self.pieces:
            word, d = choices[piece.name]
            (A, B), N, T = self._places[piece.name], found.normal[piece.name], found.friction[piece.name]
            fits = found.v(A) - piece.normal >= -slack if word == APART else -soft <= N
            if word == STICKS:
                fits = fits and math.hypot(*T) <= piece.hold * N + soft
            if word == SLIDES and piece.direction is None and d is not None:
                fits = fits and d @ (found.along(B) - piece.along) >= -slack
            if not fits:
                return False
        return True

    def _holds_more(self, b: Answer, a: Answer) -> bool:
        """Is b the same as a, but that some contact sticks that slides from rest in a?"""
        known = {piece.name for piece in self.pieces if piece.direction is not None}
        pairs = [(a.choices[n].word, b.choices[n].word, n in known) for n in a.choices]
        more = [one == SLIDES and other == STICKS and not k for one, other, k in pairs]
        return any(more) and all(m or one == other for m, (one, other, _) in zip(more, pairs, strict=True))

    def _rank(self, answer: Answer) -> tuple[int, int, int, tuple[tuple[str, str], ...]]:
        """Of combinations of one motion that is first: all that touch press, as many as can, and stick."""
        closed = [n for n, c in answer.choices.items() if c.word != APART]
        idle = sum(answer.normal[n] <= TOLERANCE * self._weight for n in closed)
        sticking = sum(answer.choices[n].word == STICKS for n in closed)
        return idle, -len(closed), -sticking, tuple(sorted(answer.words().items()))

    @cached_property
    def _no_friction(self) -> dict[str, np.ndarray]:
        return {piece.name: np.zeros(len(piece.B)) for piece in self.pieces}

    @cached_property
    def _places(self) -> dict[str, tuple[int, slice]]:
        """Of each piece the rows of its normal and of its slip among all."""
        found, at = {}, len(self.J)
        for piece in self.pieces:
            found[piece.name] = at, slice(at + 1, at + 1 + len(piece.B))
            at += 1 + len(piece.B)
        return found

    @cached_property
    def _rows(self) -> np.ndarray:
        """R (n, k): what holds always, then of each piece its normal and its slip."""
        return np.vstack([self.J, *(row for p in self.pieces for row in (p.A[None], p.B))])

    @cached_property
    def _b(self) -> list[float]:
        """What R x is where all of it is held (n,)."""
        return [*self.g.tolist(), *(e for p in self.pieces for e in (float(p.normal), *p.along.tolist()))]

    @cached_property
    def _solved(self) -> np.ndarray:
        """W^-1 (R^T f), (k, n + 1)."""
        return np.linalg.solve(self.W, np.column_stack([self._rows.T, self.f]))

    @property
    def _free(self) -> np.ndarray:
        """W^-1 f."""
        return self._solved[:, -1]

    @property
    def _back(self) -> np.ndarray:
        """W^-1 R^T (k, n)."""
        return self._solved[:, :-1]

    @cached_property
    def _every(self) -> list[list[float]]:
        """R W^-1 (R^T f), transposed (n + 1, n)."""
        columns: list[list[float]] = (self._rows @ self._solved).T.tolist()
        return columns

    @property
    def _G(self) -> list[list[float]]:
        """R W^-1 R^T, column by column."""
        return self._every[:-1]

    @property
    def _a(self) -> list[float]:
        """R W^-1 f."""
        return self._every[-1]

    @cached_property
    def _speed(self) -> float:
        """The size of accelerations of the contacts."""
        m = len(self.J)
        return float((np.abs(self._rows[m:]) @ np.abs(self._free) + np.abs(np.array(self._b[m:]))).max(initial=0.0))

    @cached_property
    def _weight(self) -> float:
        """The size of forces on the contacts."""
        stiff = [self._G[A][A] for A, _ in self._places.values()]
        return self._speed / float(min(stiff, default=1.0))


def _scaled(mu: float, d: np.ndarray, columns: Sequence[Sequence[float]]) -> list[float]:
    """mu sum of d_i columns_i."""
    if len(columns) == 1:
        factor = mu * float(d[0])
        return [factor * e for e in columns[0]]
    return [mu * sum(di * e for di, e in zip(d.tolist(), row, strict=True)) for row in zip(*columns, strict=True)]


def _plain(S: Sequence[Sequence[float]], r: Sequence[float]) -> list[float] | None:
    """x with S x = r, of no more than two equations; None of others, and where they are not far from dependent."""
    if not r:
        return []
    if len(r) == 1:
        return [r[0] / S[0][0]] if S[0][0] else None
    if len(r) > 2:
        return None
    (a, b), (c, d) = S
    det = a * d - b * c
    # of the two singular values the product is det, and the squares add up to the sum of squares
    if not abs(det) > FAR_APART * (a * a + b * b + c * c + d * d):
        return None
    e, f = r
    return [(d * e - b * f) / det, (a * f - c * e) / det]


def _unit(v: np.ndarray) -> np.ndarray:
    size = float(np.linalg.norm(v))
    if not size:
        return np.eye(len(v))[0]
    return np.asarray(v / size)
