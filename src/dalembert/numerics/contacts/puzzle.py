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
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ...equations.contacts import APART, SLIDES, STICKS

MOST = 6  # contacts closed at once of which all combinations are tried
_TOLERANCE = 1e-9  # of accelerations and forces that are compared
_ROUNDS, _SAME = 2000, 1e-13  # of the direction in which a slip begins


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
        if any(np.abs(a.x - left[0].x).max(initial=0.0) > 1e-7 * size for a in left):
            raise Undecided(len(left))
        return min(left, key=self._rank)

    def along(self, choices: Mapping[str, Choice]) -> np.ndarray:
        """x of a combination whose directions are known, whether its conditions hold or not."""
        answer = self._linear(choices)
        return self._free if answer is None else answer.x

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
            answer = self._linear(settled)
            if answer is None:
                return None
            turned = {p.name: self._turned(p, answer, directions[p.name]) for p in begin}
            moved = max((float(np.abs(turned[n] - directions[n]).max()) for n in turned), default=0.0)
            if moved <= _SAME:
                return answer if self._consistent(answer) else None
            directions = turned
        return None

    def _turned(self, piece: Piece, answer: Answer, before: np.ndarray) -> np.ndarray:
        """A direction nearer to that in which the slip begins: of greatest dissipation, among all of one size.

        The slip that begins is b - mu N G d, G = B W^-1 B^T: a step along it of 1/(mu N |G|) cannot go too far.
        """
        begins = piece.B @ answer.x - piece.along
        stiff = np.linalg.norm(piece.B @ self._backs[piece.name][1:].T, 2)
        hold = piece.mu * max(answer.normal[piece.name], 0.0) * float(stiff)
        return _unit(hold * before + begins) if hold or begins.any() else before

    def _first(self, choices: Mapping[str, Choice], begin: Sequence[Piece]) -> dict[str, np.ndarray]:
        """Directions to begin with: against the friction that would hold these contacts."""
        stuck = {n: Choice(STICKS) if any(p.name == n for p in begin) else c for n, c in choices.items()}
        answer = self._linear(stuck) if begin else None
        if answer is None:
            return {p.name: _unit(np.zeros(len(p.B))) for p in begin}
        return {p.name: _unit(-answer.friction[p.name]) for p in begin}

    def _linear(self, choices: Mapping[str, Choice]) -> Answer | None:
        """x and the forces of a combination with known directions."""
        free, (held, *given) = self._free, self._back
        rows, backs, targets = [*self.J], [*held], [*self.g]
        at: dict[str, int] = {}  # the row of each normal force
        for piece, back in zip(self.pieces, given, strict=True):
            word, d = choices[piece.name]
            if word == APART:
                continue
            if piece.master == piece.name:
                at[piece.name] = len(rows)
                rows, backs, targets = [*rows, piece.A], [*backs, back[0]], [*targets, piece.normal]
            if word == STICKS:
                rows, backs, targets = [*rows, *piece.B], [*backs, *back[1:]], [*targets, *piece.along]
            elif d is not None:
                if piece.least:
                    free = free - piece.least * piece.mu * (d @ back[1:])
                if piece.master in at:
                    # W^-1 (A - mu d B)^T N
                    backs[at[piece.master]] = backs[at[piece.master]] - piece.mu * (d @ back[1:])
        if not rows:
            return Answer(choices, free, *self._forces(choices, np.empty(0)))
        R, back, b = np.array(rows), np.array(backs).T, np.array(targets)
        S, r = R @ back, b - R @ free
        mu = self._shared(choices, S, r)
        if not np.abs(S @ mu - r).max() <= 1e-8 * (np.abs(r).max() + self._speed):
            return None
        # x = W^-1 (f + C mu)
        x = free + back @ mu
        return Answer(choices, x, *self._forces(choices, mu[len(self.J) :]))

    def _shared(self, choices: Mapping[str, Choice], S: np.ndarray, r: np.ndarray) -> np.ndarray:
        """S mu = r of least norm; where friction at rest can be shared in several ways, in proportion to what holds."""
        mu, _, rank, _ = np.linalg.lstsq(S, r, rcond=1e-12)
        if rank == len(S):
            return np.asarray(mu)
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
        return np.asarray(root * np.linalg.lstsq(S * root, r, rcond=1e-12)[0])

    @cached_property
    def _no_friction(self) -> dict[str, np.ndarray]:
        return {piece.name: np.zeros(len(piece.B)) for piece in self.pieces}

    def _forces(self, choices: Mapping[str, Choice], mu: np.ndarray) -> tuple[dict[str, float], dict[str, np.ndarray]]:
        normal, friction, at = dict.fromkeys(choices, 0.0), dict(self._no_friction), 0
        for piece in self.pieces:
            word, d = choices[piece.name]
            if word == APART:
                continue
            if piece.master == piece.name:
                normal[piece.name], at = float(mu[at]), at + 1
            normal[piece.name] = normal[piece.master] + piece.least
            if word == STICKS:
                friction[piece.name], at = mu[at : at + len(piece.B)], at + len(piece.B)
            elif d is not None:
                friction[piece.name] = -piece.mu * normal[piece.name] * d
        return normal, friction

    def _consistent(self, answer: Answer) -> bool:
        for piece in self.pieces:
            word, d = answer.choices[piece.name]
            N, T = answer.normal[piece.name], answer.friction[piece.name]
            slack, soft = _TOLERANCE * self._speed, _TOLERANCE * self._weight
            fits = piece.A @ answer.x - piece.normal >= -slack if word == APART else -soft <= N
            if word == STICKS:
                fits = fits and np.linalg.norm(T) <= piece.hold * N + soft
            if word == SLIDES and piece.direction is None and d is not None:
                fits = fits and d @ (piece.B @ answer.x - piece.along) >= -slack
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
        idle = sum(answer.normal[n] <= _TOLERANCE * self._weight for n in closed)
        sticking = sum(answer.choices[n].word == STICKS for n in closed)
        return idle, -len(closed), -sticking, tuple(sorted(answer.words().items()))

    @cached_property
    def _free(self) -> np.ndarray:
        return np.linalg.solve(self.W, self.f)

    @cached_property
    def _back(self) -> list[np.ndarray]:
        """W^-1 times the rows that hold always, and times the normal and the slip of each piece: (m, k), (1 + p, k)."""
        rows = [self.J, *(np.vstack([p.A[None], p.B]) for p in self.pieces)]
        every = np.linalg.solve(self.W, np.vstack(rows).T).T
        return np.split(every, np.cumsum([len(each) for each in rows])[:-1])

    @cached_property
    def _backs(self) -> dict[str, np.ndarray]:
        """The same of the pieces, by name."""
        return {piece.name: back for piece, back in zip(self.pieces, self._back[1:], strict=True)}

    @cached_property
    def _speed(self) -> float:
        """The size of accelerations of the contacts."""
        terms = [np.abs(p.A) @ np.abs(self._free) + abs(p.normal) for p in self.pieces]
        terms += [e for p in self.pieces for e in np.abs(p.B) @ np.abs(self._free) + np.abs(p.along)]
        return float(max(terms, default=0.0))

    @cached_property
    def _weight(self) -> float:
        """The size of forces on the contacts."""
        stiff = [piece.A @ back[0] for piece, back in zip(self.pieces, self._back[1:], strict=True)]
        return self._speed / float(min(stiff, default=1.0))


def _unit(v: np.ndarray) -> np.ndarray:
    size = float(np.linalg.norm(v))
    if not size:
        return np.eye(len(v))[0]
    return np.asarray(v / size)
