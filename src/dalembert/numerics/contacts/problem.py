"""Which contacts act, and how: one complementarity problem, on accelerations or on impulses.

Of every contact that is closed one of these holds, with x the accelerations or the jump of the velocities:

    apart     N = 0 ,                     a = A x - n >= 0
    sticks    N >= 0 ,  A x = n ,         B x = b ,  |T| <= mu_s N
    slides    N >= 0 ,  A x = n ,         T = -mu N d ,  d the direction of slip (that which begins, where none is yet)

What is at rest stays at rest where forces in the friction cones hold it, whatever else could happen: rest first. Where
these are not unique the least are told, by conic programmes. Otherwise few contacts are decided by all combinations, of
which one that sticks wins over one that slides from rest [moreau1988; brogliato2016]; of many the active set is named
by De Saxce's fixed point of such programmes [acary2008], solved as the linear equations that it is, and held against
every inequality. Where no combination is left, or several with different x, the motion of a rigid body is not
determined: Painleve's paradox [painleve1895].
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ...equations.contact_modes import APART, SLIDES, STICKS

FEW, FEW_TURNING = 300, 9  # combinations that are tried one by one; of those whose slip begins in a plane
TOLERANCE = 1e-9  # of accelerations and forces that are compared
SAME = 1e-7  # of accelerations: solutions that differ by less are one
DEPENDENT = 1e-11  # of the largest singular value: below it rows depend on each other
_ROUNDS, _SETTLED = 40, 1e-13  # of the direction in which a slip begins
_MOVED = 1e-8  # of accelerations by forces of one size: what depends less on them does not
_AT_LIMIT = 1e-9  # of the forces: as far as they may be outside of their cones
_NAMING, _NAMED = 60, 1e-7  # De Saxce's rounds
_TIGHT = 1e-12  # of a conic programme


@dataclass(frozen=True, eq=False)
class ClosedContact:
    """One closed contact.

    Attributes:
        name: of it.
        master: the contact that it belongs to, a piece before it: itself, but for spin and rolling, which have its
            normal force.
        A, normal: A x = normal where it stays closed.
        B, along: B x = along where the slip stays what it is, or ends; (p, k) and (p,).
        direction: of a slip that is there (p,), or None.
        mu, hold: coefficients of what slides and of what sticks.
        least: a normal force or impulse that a part has besides its master's.
        gap: has it a normal of its own? Dry friction in a joint has not: its normal force is `least`.
        sides: 2 where it cannot open and may push either way.
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
    gap: bool = True
    sides: int = 1


class Choice(NamedTuple):
    """What one contact does in a combination; `direction` of slip, None where it follows; the side that pushes."""

    word: str
    direction: np.ndarray | None = None
    side: int = 1


@dataclass(frozen=True, eq=False)
class Combination:
    """A combination that holds together.

    Attributes:
        choices: by contact, directions found.
        x: accelerations, or the jump of the velocities (k,).
        normal, friction: forces or impulses by contact; friction (p,).
        free: directions (n, f) of all rows along which the forces are not unique: these are the least.
        loose: does x depend on them? It is that of the least forces, one of many.
    """

    choices: Mapping[str, Choice]
    x: np.ndarray
    normal: Mapping[str, float]
    friction: Mapping[str, np.ndarray]
    free: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    loose: bool = False

    def words(self) -> dict[str, str]:
        """By contact."""
        return {name: choice.word for name, choice in self.choices.items()}


class Undecided(Exception):
    """No combination holds together, or several do; `count` of them."""

    def __init__(self, count: int) -> None:
        super().__init__(count)
        self.count = count


class _Held(NamedTuple):
    """The unknown forces z of a combination: F = C z + c along all rows, which make u = G F + q.

    Attributes:
        C, c: (n, m), (n,).
        rows: those of u that are 0 (h,).
        cones: in which z is, and whose they are.
    """

    C: np.ndarray
    c: np.ndarray
    rows: list[int]
    cones: list[FrictionCone]
    names: list[str]


@dataclass(frozen=True, eq=False)
class Problem:
    """The problem at one instant.

    Attributes:
        W, f: of  W x = f + reactions.
        J, g: rows that hold always, J x = g.
        pieces: the closed contacts.
        barred: ``(name, word)`` and ``(name, side)`` that cannot be, as an event has just ended it.
        spent: words by name that cannot be all together, for the same reason.
    """

    W: np.ndarray
    f: np.ndarray
    J: np.ndarray
    g: np.ndarray
    pieces: Sequence[ClosedContact]
    barred: Set[tuple[str, str | int]] = frozenset()
    spent: Mapping[str, str] = field(default_factory=dict)

    def solve(self) -> Combination:
        """What happens: rest, where that can be, or the one combination that holds together.

        Raises:
            Undecided: there is none, or more than one.
        """
        if not self.pieces:
            return Combination({}, self._kept[1], {}, {})
        still = all(piece.direction is None or not piece.gap for piece in self.pieces)
        rests = next(filter(None, map(self.tried, self._staying())), None)
        if rests is not None and still:
            return rests
        many = math.prod(map(len, self._options))
        found = (
            self._enumerated() if many <= (FEW_TURNING if self._turns else FEW) else [] if rests is None else [rests]
        )
        if not found and (named := self._named()) is not None:
            found = [named]
        if not found and FEW_TURNING < many <= FEW and self._turns:
            found = self._enumerated()
        if not found:
            raise Undecided(0)
        size = self._speed + max(float(np.abs(a.x).max(initial=0.0)) for a in found)
        if not any(answer.loose for answer in found) and any(
            np.abs(a.x - found[0].x).max(initial=0.0) > SAME * size for a in found
        ):
            raise Undecided(len(found))
        return min(found, key=self._rank)

    def along(self, choices: Mapping[str, Choice]) -> np.ndarray:
        """x of a combination whose directions are known, whether its conditions hold or not."""
        held = self._held(choices)
        z, *_ = self._balanced(held)
        return self._x(held.C @ z + held.c)

    def forces(self, choices: Mapping[str, Choice]) -> Combination | None:
        """The forces of a combination whose directions are known, None where it does not hold."""
        held = self._held(choices)
        z, fits, null = self._balanced(held)
        if not fits:
            return None
        if null.shape[1] and any(cone.excess(z) > self._soft for cone in held.cones):
            E, r = self._balance(held)
            room, inside = innermost(E, r, held.cones, self.weight)
            if room < -_AT_LIMIT * self.weight:
                return None
            found = least(held.C.T @ held.C, held.C.T @ held.c, E, r, held.cones)
            z = inside if found is None or any(cone.excess(found) > self._soft for cone in held.cones) else found
        F = held.C @ z + held.c
        free = held.C @ null
        moved = np.abs(self._G @ free).max(initial=0.0) > _MOVED * np.abs(self._G).max(initial=0.0)
        normal, friction = {}, {}
        for piece in self.pieces:
            _, B = self._places[piece.name]
            normal[piece.name], friction[piece.name] = self._normal(piece, F, choices), F[B]
        answer = Combination(choices, self._x(F), normal, friction, free, bool(moved))
        return answer if self._consistent(answer, F) else None

    def margin(self, choices: Mapping[str, Choice], among: Set[str]) -> float:
        """By how much forces of a combination whose directions are known can be inside of the cones of some pieces."""
        held = self._held(choices)
        cones = [cone for name, cone in zip(held.names, held.cones, strict=True) if name in among]
        z, _, null = self._balanced(held)
        if not null.shape[1]:
            return -max((cone.excess(z) for cone in cones), default=-self.weight)
        return innermost(*self._balance(held), cones, self.weight)[0]

    @property
    def rows(self) -> list[str]:
        """The forces along all rows, in words."""
        names = []
        for piece in self.pieces:
            p = len(piece.B)
            rubs = [f"{piece.name}_friction"] if p == 1 else [f"{piece.name}_friction_{i + 1}" for i in range(p)]
            names += [f"{piece.name}_normal", *rubs]
        return names

    # --- combinations ------------------------------------------------------------------------------------------------

    @cached_property
    def _options(self) -> list[list[Choice]]:
        return [self._of(piece) for piece in self.pieces]

    @staticmethod
    def _closed(piece: ClosedContact) -> list[Choice]:
        """What one that stays closed may do."""
        p = len(piece.B)
        if piece.direction is not None or not p:
            closed = [Choice(SLIDES, piece.direction)]
        elif p == 1:
            closed = [Choice(STICKS), *(Choice(SLIDES, np.array([s])) for s in (1.0, -1.0))]
        else:
            closed = [Choice(STICKS), Choice(SLIDES)]
        return [choice._replace(side=side) for choice in closed for side in ((1, -1) if piece.sides == 2 else (1,))]

    def _of(self, piece: ClosedContact) -> list[Choice]:
        """What one may do."""
        opens = piece.gap and piece.sides == 1 and not piece.least
        found = [*([Choice(APART)] if opens else []), *self._closed(piece)]
        return [c for c in found if not {(piece.name, c.word), (piece.name, c.side)} & self.barred]

    @property
    def _turns(self) -> bool:
        """Can a slip begin in a plane?"""
        return any(len(piece.B) > 1 and piece.direction is None for piece in self.pieces)

    def _staying(self) -> Iterator[dict[str, Choice]]:
        """The combinations in which all that touch stay closed, and what does not slip sticks."""
        kept = []
        for piece, options in zip(self.pieces, self._options, strict=True):
            word = STICKS if piece.direction is None and len(piece.B) else SLIDES
            kept.append([choice for choice in options if choice.word == word])
        yield from map(self._named_by, itertools.islice(itertools.product(*kept), FEW))

    def _named_by(self, choices: Sequence[Choice]) -> dict[str, Choice]:
        return {piece.name: choice for piece, choice in zip(self.pieces, choices, strict=True)}

    def _enumerated(self) -> list[Combination]:
        """All combinations that hold, but those of which another holds more."""
        found = []
        for each in itertools.product(*self._options):
            choices = self._named_by(each)
            parts = (p for p in self.pieces if p.gap and not p.least)
            if any((choices[p.name].word == APART) != (choices[p.master].word == APART) for p in parts):
                continue
            answer = self.tried(choices)
            found += [] if answer is None else [answer]
        return [a for a in found if not any(self._holds_more(b, a) for b in found)]

    def _holds_more(self, b: Combination, a: Combination) -> bool:
        """Is b the same as a, but that some contact sticks that slides from rest in a, or lifts?"""
        known = {piece.name for piece in self.pieces if piece.direction is not None}
        pairs = [(a.choices[n].word, b.choices[n].word, n in known) for n in a.choices]
        more = [one != STICKS and other == STICKS and not k for one, other, k in pairs]
        return any(more) and all(m or one == other for m, (one, other, _) in zip(more, pairs, strict=True))

    def _rank(self, answer: Combination) -> tuple[int, int, int, tuple[tuple[str, str], ...]]:
        """The less the better: all that touch press, as many as can, and stick; and always the same one."""
        words = tuple(sorted(answer.words().items()))
        closed = [name for name, word in words if word != APART]
        idle = sum(abs(answer.normal[name]) <= self._soft for name in closed)
        return (idle, -len(closed), -sum(word == STICKS for _, word in words), words)

    def tried(self, choices: Mapping[str, Choice]) -> Combination | None:
        """The solution of a combination, None where its conditions do not hold."""
        if self.spent and all(self.spent.get(n) == c.word for n, c in choices.items()):
            return None
        begin = [p for p in self.pieces if len(p.B) and choices[p.name].word == SLIDES and choices[p.name][1] is None]
        return self.forces(self._turned(choices, begin) if begin else choices)

    def _turned(self, choices: Mapping[str, Choice], begin: Sequence[ClosedContact]) -> dict[str, Choice]:
        """With the directions in which slips begin: of greatest dissipation, among all of one size.

        The slip that begins is b - mu N G d, G = B W^-1 B^T: a step along it of 1/(mu N |G|) cannot go too far. Where
        such steps are many, Newton's are taken on the angles.
        """
        held = self._held({**choices, **{p.name: choices[p.name]._replace(word=STICKS) for p in begin}})
        F = held.C @ self._balanced(held)[0] + held.c
        ways = {p.name: unit(-F[self._places[p.name][1]]) for p in begin}
        stiff = {p.name: float(np.linalg.norm(self._G[(B := self._places[p.name][1]), B], 2)) for p in begin}

        def along(ways: Mapping[str, np.ndarray]) -> dict[str, Choice]:
            return {n: c._replace(direction=ways[n]) if n in ways else c for n, c in choices.items()}

        def slips(ways: Mapping[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
            held = self._held(along(ways))
            F = held.C @ self._balanced(held)[0] + held.c
            return F, self._G @ F + self._q

        for _ in range(_ROUNDS):
            F, u = slips(ways)
            new = {}
            for p in begin:
                hold = p.mu * max(self._normal(p, F, choices), 0.0) * stiff[p.name]
                begins = u[self._places[p.name][1]]
                new[p.name] = unit(hold * ways[p.name] + begins) if hold or begins.any() else ways[p.name]
            moved = max(float(np.abs(new[n] - ways[n]).max()) for n in new)
            ways = new
            if moved <= _SETTLED:
                return along(ways)
        from scipy.optimize import root

        def aside(angles: np.ndarray) -> np.ndarray:
            turned = {p.name: rotated(ways[p.name], angle) for p, angle in zip(begin, angles, strict=True)}
            _, u = slips(turned)
            across = [rotated(turned[p.name], np.pi / 2) @ u[self._places[p.name][1]] for p in begin]
            return np.array(across) / self._speed

        angles = root(aside, np.zeros(len(begin)), tol=_SETTLED).x
        return along({p.name: rotated(ways[p.name], angle) for p, angle in zip(begin, angles, strict=True)})

    # --- forces ------------------------------------------------------------------------------------------------------

    def _held(self, choices: Mapping[str, Choice]) -> _Held:
        """The unknown forces of a combination with known directions."""
        n, rows = len(self._q), list[int]()
        columns, cones = list[np.ndarray](), list[tuple[str, int | None, float, float, range]]()
        c = np.zeros(n)
        at: dict[str, int] = {}  # the place of each normal force among the unknown ones
        for piece in self.pieces:
            word, d, side = choices[piece.name]
            if word == APART:
                continue
            A, B = self._places[piece.name]
            if piece.master == piece.name and piece.gap:
                at[piece.name] = len(columns)
                columns.append(_one(n, A, side))
                rows.append(A)
            mine = at.get(piece.master)
            if word == STICKS:
                first = len(columns)
                columns += [_one(n, row) for row in range(B.start, B.stop)]
                rows += range(B.start, B.stop)
                cones.append((piece.name, mine, piece.hold, piece.least, range(first, len(columns))))
            elif d is not None:
                # F = N A - mu N d B
                c[B] -= piece.mu * piece.least * d
                if mine is not None:
                    columns[mine] = columns[mine].copy()
                    columns[mine][B] -= piece.mu * d
        C = np.array(columns).reshape(len(columns), n).T
        found = [FrictionCone(_one(len(columns), i)[None], np.zeros(1)) for i in at.values()]
        for _, mine, hold, push, tangent in cones:
            M = np.zeros((1 + len(tangent), len(columns)))
            M[0, mine if mine is not None else 0] = hold if mine is not None else 0.0
            M[range(1, len(M)), tangent] = 1.0
            found.append(FrictionCone(M, np.r_[hold * push, np.zeros(len(tangent))]))
        return _Held(C, c, rows, found, [*at, *(name for name, *_ in cones)])

    def _balanced(self, held: _Held) -> tuple[np.ndarray, bool, np.ndarray]:
        """z of least norm with u = 0 along the rows that are held, whether there is one, and what else z could be."""
        G = self._G[held.rows]
        E, r = G @ held.C, -self._q[held.rows] - G @ held.c
        if not len(r):
            return np.zeros(0), True, np.zeros((0, 0))
        U, sizes, V = np.linalg.svd(E)
        rank = int((sizes > DEPENDENT * sizes[0]).sum())
        z = V[:rank].T @ ((U[:, :rank].T @ r) / sizes[:rank])
        fits = np.abs(E @ z - r).max() <= 1e-8 * (np.abs(r).max() + self._speed)
        return z, bool(fits), V[rank:].T

    def _balance(self, held: _Held) -> tuple[np.ndarray, np.ndarray]:
        """E z = r for u = 0 along the rows that are held, as many equations as are independent."""
        rows = self._G[held.rows]
        return _independent(rows @ held.C, -self._q[held.rows] - rows @ held.c)

    def _x(self, F: np.ndarray) -> np.ndarray:
        """x of forces along all rows."""
        return np.asarray(self._kept[1] + self._kept[0] @ F)

    def _normal(self, piece: ClosedContact, F: np.ndarray, choices: Mapping[str, Choice]) -> float:
        """The normal force of a piece, positive on the side that pushes."""
        if choices[piece.name].word == APART:
            return 0.0
        own = self.pieces[self._order[piece.master]]
        push = float(F[self._places[own.name][0]]) * choices[own.name].side if own.gap else 0.0
        return push + piece.least

    def _consistent(self, answer: Combination, F: np.ndarray) -> bool:
        u = self._G @ F + self._q
        slack, soft = TOLERANCE * self._speed, self._soft
        for piece in self.pieces:
            word, d, _ = answer.choices[piece.name]
            (A, B), N, T = self._places[piece.name], answer.normal[piece.name], answer.friction[piece.name]
            fits = u[A] >= -slack if word == APART else -soft <= N
            if word == STICKS:
                fits = fits and math.hypot(*T) <= piece.hold * N + soft
            if word == SLIDES and piece.direction is None and d is not None:
                fits = fits and d @ u[B] >= -slack
            if not fits:
                return False
        return True

    # --- many contacts -----------------------------------------------------------------------------------------------

    def _named(self) -> Combination | None:
        """The combination that De Saxce's fixed point names, in which as many stick as can."""
        met = set()
        for choices in self._by_fixed_point():
            for _ in range(2 * len(self.pieces)):
                told = tuple(
                    (c.word, None if c.direction is None else tuple(np.sign(c.direction))) for c in choices.values()
                )
                if told in met:
                    break
                met.add(told)
                answer = self.tried(choices)
                if answer is not None:
                    return self._held_more(answer)
                choices = self._mended(choices)
        return None

    def _mended(self, choices: Mapping[str, Choice]) -> dict[str, Choice]:
        """With what does not hold done otherwise: pulls let go, what closes is closed, too much friction slides."""
        begin = [p for p in self.pieces if len(p.B) and choices[p.name].word == SLIDES and choices[p.name][1] is None]
        found = self._turned(choices, begin) if begin else dict(choices)
        held = self._held(found)
        F = held.C @ self._balanced(held)[0] + held.c
        u, slack, soft = self._G @ F + self._q, TOLERANCE * self._speed, self._soft
        for piece in self.pieces:
            (A, B), (word, d, side) = self._places[piece.name], found[piece.name]
            N, T = self._normal(piece, F, choices), F[B]
            if word == APART:
                found[piece.name] = self._closed(piece)[0] if u[A] < -slack else found[piece.name]
            elif -soft > N and piece.gap:
                found[piece.name] = Choice(APART) if piece.sides == 1 else Choice(word, d, -side)
            elif word == STICKS and math.hypot(*T) > piece.hold * N + soft:
                found[piece.name] = Choice(SLIDES, -np.sign(T) if len(T) == 1 else None, side)
            elif word == SLIDES and piece.direction is None and d is not None and d @ u[B] < -slack:
                found[piece.name] = Choice(STICKS, None, side)
        return found

    def _held_more(self, answer: Combination) -> Combination:
        """What slides from rest sticks, one after the other, where that holds as well."""
        for piece in self.pieces:
            if piece.direction is None and len(piece.B) and answer.choices[piece.name].word == SLIDES:
                sticks = answer.choices[piece.name]._replace(word=STICKS, direction=None)
                if (piece.name, STICKS) not in self.barred:
                    answer = self.tried({**answer.choices, piece.name: sticks}) or answer
        return answer

    def _by_fixed_point(self) -> Iterator[dict[str, Choice]]:
        """Combinations named by rounds of

            min  F G F/2 + (q + mu |u_T| on the normals) F   among F in the cones ,

        what slides already with the friction of the round before.
        """
        stay = self._named_by([self._closed(piece)[0] for piece in self.pieces])
        held, q = self._held(stay), self._q
        D = (held.C != 0) & np.array([[i in held.rows] for i in range(len(q))])
        D = np.where(D, np.sign(held.C), 0.0)
        P, z = D.T @ self._G @ D, np.zeros(held.C.shape[1])
        P = P + 1e-14 * np.trace(P) * np.eye(len(P))
        said: list[tuple[tuple[str, str], ...]] = []
        u = q
        for _ in range(_NAMING):
            # u_N + mu |u_T| + i u_T in the dual cone
            shift = np.zeros(len(q))
            for piece in self.pieces:
                if piece.direction is None and len(piece.B) and piece.gap:
                    _, B = self._places[piece.name]
                    side = stay[piece.master].side
                    shift[self._places[piece.master][0]] += side * piece.hold * float(np.linalg.norm(u[B]))
            rest = self._G @ ((held.C - D) @ z + held.c)
            new = least(P, D.T @ (q + rest + shift), np.zeros((0, len(z))), np.zeros(0), held.cones)
            if new is None:
                return
            moved, z = float(np.abs(new - z).max(initial=0.0)), new
            u = self._G @ (held.C @ z + held.c) + q
            choices = self._read(held.C @ z + held.c, u, stay)
            words = tuple((n, c.word) for n, c in choices.items())
            if words not in said:
                said.append(words)
                yield choices
            if moved <= _NAMED * float(np.abs(z).max(initial=0.0)):
                return

    def _read(self, F: np.ndarray, u: np.ndarray, stay: Mapping[str, Choice]) -> dict[str, Choice]:
        """What contacts do with these forces and accelerations: of two that should be 0 the smaller is."""
        found: dict[str, Choice] = {}
        for piece in self.pieces:
            A, B = self._places[piece.name]
            N, choice = self._normal(piece, F, stay), stay[piece.name]
            apart = piece.gap and piece.sides == 1 and not piece.least
            if (apart and piece.master != piece.name and found[piece.master].word == APART) or (
                apart and piece.master == piece.name and N / self.weight < u[A] / self._speed
            ):
                found[piece.name] = Choice(APART)
            elif piece.direction is not None or not len(piece.B):
                found[piece.name] = choice
            else:
                room = (piece.hold * N - float(np.linalg.norm(F[B]))) / self.weight
                slips = float(np.linalg.norm(u[B])) / self._speed > room or (piece.name, STICKS) in self.barred
                way = np.sign(u[B]) if len(u[B]) == 1 and u[B].any() else None
                way = unit(u[B]) if len(u[B]) == 1 and way is None else way
                found[piece.name] = choice._replace(word=SLIDES, direction=way) if slips else choice
        return found

    # --- numbers -----------------------------------------------------------------------------------------------------

    @cached_property
    def _order(self) -> dict[str, int]:
        return {piece.name: i for i, piece in enumerate(self.pieces)}

    @cached_property
    def _places(self) -> dict[str, tuple[int, slice]]:
        """Of each piece the rows of its normal and of its slip among all."""
        found, at = {}, 0
        for piece in self.pieces:
            found[piece.name] = at, slice(at + 1, at + 1 + len(piece.B))
            at += 1 + len(piece.B)
        return found

    @cached_property
    def _rows(self) -> np.ndarray:
        """R (n, k): of each piece its normal and its slip."""
        return np.vstack([np.zeros((0, len(self.f))), *(row for p in self.pieces for row in (p.A[None], p.B))])

    @cached_property
    def _kept(self) -> tuple[np.ndarray, np.ndarray]:
        """W^-1 R^T and W^-1 f, what holds always held: (k, n) and (k,)."""
        solved = np.linalg.solve(self.W, np.column_stack([self._rows.T, self.f, self.J.T]))
        n, m = len(self._rows), len(self.J)
        back, free, held = solved[:, :n], solved[:, n], solved[:, n + 1 :]
        if m:
            S = self.J @ held
            # W^-1 - W^-1 J^T (J W^-1 J^T)^-1 J W^-1
            mu = np.linalg.lstsq(S, np.column_stack([-self.J @ back, self.g - self.J @ free]), rcond=1e-12)[0]
            back, free = back + held @ mu[:, :n], free + held @ mu[:, n]
        return back, free

    @cached_property
    def _G(self) -> np.ndarray:
        """R W^-1 R^T (n, n)."""
        return np.asarray(self._rows @ self._kept[0])

    @cached_property
    def _b(self) -> np.ndarray:
        """What R x is where all of it is held (n,)."""
        return np.array([e for p in self.pieces for e in (float(p.normal), *p.along.tolist())])

    @cached_property
    def _q(self) -> np.ndarray:
        """R x - b without forces (n,)."""
        return np.asarray(self._rows @ self._kept[1] - self._b)

    @cached_property
    def _speed(self) -> float:
        """The size of accelerations of the contacts."""
        loose = np.linalg.solve(self.W, self.f)
        return (
            float((np.abs(self._rows) @ (np.abs(loose) + np.abs(self._kept[1])) + np.abs(self._b)).max(initial=0.0))
            or 1.0
        )

    @cached_property
    def weight(self) -> float:
        """The size of forces on the contacts."""
        every = np.diag(self._G)
        stiff = np.array([every[A] for (A, _), p in zip(self._places.values(), self.pieces, strict=True) if p.gap])
        stiff = stiff[stiff > DEPENDENT * every.max(initial=0.0)]
        return self._speed / float(stiff.min(initial=every.max(initial=0.0) or 1.0))

    @property
    def _soft(self) -> float:
        return TOLERANCE * self.weight


def _one(n: int, i: int, size: float = 1.0) -> np.ndarray:
    """A vector with one entry."""
    found: np.ndarray = np.zeros(n)
    found[i] = size
    return found


def _independent(E: np.ndarray, r: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same equations, as many as are independent."""
    U, sizes, V = np.linalg.svd(E, full_matrices=False)
    rank = int((sizes > DEPENDENT * sizes[0]).sum())
    return V[:rank], (U[:, :rank].T @ r) / sizes[:rank]


def unit(v: np.ndarray) -> np.ndarray:
    """The direction of a vector; the first axis where it is 0."""
    size = float(np.linalg.norm(v))
    if not size:
        return np.eye(len(v))[0]
    return np.asarray(v / size)


def rotated(d: np.ndarray, angle: float) -> np.ndarray:
    """A direction turned."""
    return np.cos(angle) * d + np.sin(angle) * np.array([-d[1], d[0]])


# --- cones -----------------------------------------------------------------------------------------------------------


class FrictionCone(NamedTuple):
    """s + M z: its first component bounds the length of the others.

    Attributes:
        M: (d, n).
        s: (d,).
    """

    M: np.ndarray
    s: np.ndarray

    def excess(self, z: np.ndarray) -> float:
        """By how much z (n,) is outside; negative inside."""
        head, *tail = self.s + self.M @ z
        return float(np.hypot.reduce(tail) - head) if tail else float(-head)


def least(
    P: np.ndarray, p: np.ndarray, E: np.ndarray, r: np.ndarray, cones: Sequence[FrictionCone]
) -> np.ndarray | None:
    """z (n,) with the least z P z/2 + p z among E z = r in the cones, E of full row rank; None where there is none.

    By Clarabel's interior points [goulart2024]; what they find is projected on the equations, to the last digit.
    """
    import clarabel  # takes long to import
    from scipy import sparse

    size = float(np.abs(r).max(initial=0.0) or max((np.abs(c.s).max() for c in cones), default=0.0)) or 1.0
    scale = float(np.abs(E).max(initial=0.0)) or 1.0
    # z = unit y
    unit = size / scale
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = _TIGHT
    weight = float(np.abs(P).max()) or 1.0
    A = np.vstack([E / scale, *(-cone.M for cone in cones)])
    b = np.concatenate([r / size, *(cone.s / unit for cone in cones)])
    kinds = [clarabel.ZeroConeT(len(E))] if len(E) else []
    kinds += [clarabel.SecondOrderConeT(len(c.s)) if len(c.s) > 1 else clarabel.NonnegativeConeT(1) for c in cones]
    quadratic = sparse.csc_matrix(np.triu(P / weight))
    found = clarabel.DefaultSolver(quadratic, p / (weight * unit), sparse.csc_matrix(A), b, kinds, settings).solve()
    if "Infeasible" in str(found.status):
        return None
    y = np.array(found.x)
    if not np.isfinite(y).all():
        return None
    z = unit * y
    return z + np.linalg.pinv(E) @ (r - E @ z) if len(E) else z


def innermost(E: np.ndarray, r: np.ndarray, cones: Sequence[FrictionCone], most: float) -> tuple[float, np.ndarray]:
    """The largest s, up to a bound, by which a z with E z = r is in every cone, and z; s < 0 where none is in all."""
    n = E.shape[1]
    # min -s  over (z, s) with  head - s  in place of the head
    wider = [FrictionCone(np.column_stack([c.M, -np.eye(len(c.s))[0]]), c.s) for c in cones]
    bound = FrictionCone(np.r_[np.zeros(n), -1.0][None], np.array([most]))
    P, p = np.zeros((n + 1, n + 1)), np.r_[np.zeros(n), -1.0]
    found = least(P, p, np.column_stack([E, np.zeros(len(E))]), r, [*wider, bound])
    return (-most, np.zeros(n)) if found is None else (float(found[-1]), found[:-1])
