"""`problem` in compiled code: which contacts act, and how, where each has at most one component of slip.

The same problem with the same conditions, of contacts and of their spin and rolling. What is not decided plainly, a
system that is nearly singular, no combination that holds or several that differ, is left to `problem`: `CAREFUL`.

What a part of a contact does is a number here: `APART`, `STICKS`, `SMOOTH`, it slides without friction, `FORTH` and
`BACK`, it slides with friction, in the sense of its slip or against it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..machine.loop.address import call
from ..machine.solve import solve_in_place
from ..methods.radau.linear import factor, solve
from .problem import SAME, TOLERANCE

APART, STICKS, SMOOTH, FORTH, BACK = 0, 1, 2, 3, 4
SENSE = (0.0, 0.0, 0.0, 1.0, -1.0)
RESTS, HAS_NO_SLIP = 0.0, 2.0  # what stands for a direction, besides 1 and -1
SOUND, CAREFUL = 0, 1
MOST = 6  # parts of contacts closed at once
FAR_APART = 1e-6  # of two singular values: so far apart, two equations are solved as they are
PLAIN = 1e-6  # the margin of a system that is solved as it is
FOUND = 32  # combinations that may hold at once


class Sizes(NamedTuple):
    """Where things lie in what a look at a state writes.

    Attributes:
        k: number of velocities.
        kept: rows of the system's own constraints (m,).
        rows, widths, masters: of each part its first row, how many components its slip has, whose part it is (C,).
        plain: 1 where its law of restitution is Newton's (C,).
        gaps, extents, laws, W, N, f, g: where the first number of each stands.
    """

    k: int
    kept: np.ndarray
    rows: np.ndarray
    widths: np.ndarray
    masters: np.ndarray
    plain: np.ndarray
    gaps: int
    extents: int
    laws: int
    W: int
    N: int
    f: int
    g: int


class Sight(NamedTuple):
    """A look at states: the address of what writes `out`, its parameters, and work space for a time and a state."""

    address: int
    p: np.ndarray
    moment: np.ndarray
    y: np.ndarray
    out: np.ndarray


class Desk(NamedTuple):
    """Work space of a problem of n rows at most, and its answer.

    Attributes:
        listed: the parts that take part (C,).
        direction: of each of these: 1, -1, `RESTS` or `HAS_NO_SLIP` (C,).
        barred: 1 where a part must not stick (C,).
        R, b: rows (n, k), and what R x is where all of it is held (n,).
        solved, G: W^-1 (R^T f), transposed (n + 1, k), and R times it, transposed (n + 1, n).
        held, columns: rows that a combination holds (n,), and what their multipliers do (n, n).
        normal, friction: of each part that takes part (C,).
        words, x: the answer, of each of these a number, and x (k,).
        tried: the combination at hand (C,).
        answers, paths: those that hold (`FOUND`, C), and their x (`FOUND`, k).
        normals: their normal forces (`FOUND`, C).
        frictions: and friction (`FOUND`, C).
    """

    listed: np.ndarray
    direction: np.ndarray
    barred: np.ndarray
    R: np.ndarray
    b: np.ndarray
    solved: np.ndarray
    G: np.ndarray
    held: np.ndarray
    columns: np.ndarray
    normal: np.ndarray
    friction: np.ndarray
    words: np.ndarray
    x: np.ndarray
    tried: np.ndarray
    answers: np.ndarray
    paths: np.ndarray
    normals: np.ndarray
    frictions: np.ndarray


def look(sight: Sight) -> None:
    """Write what is to be seen at the time and the state that stand in the work space."""
    call(sight.address, sight.moment, sight.y, sight.p, sight.out)


def terms(sizes: Sizes, sight: Sight, part: int, speeds: np.ndarray) -> float:
    """The size that the terms of a contact's rates have had."""
    k, row, rate, slip = sizes.k, sizes.rows[part], 0.0, 0.0
    for j in range(k):
        rate += abs(sight.out[sizes.N + row * k + j]) * speeds[j]
    if sizes.widths[part] > 0:
        for j in range(k):
            slip += abs(sight.out[sizes.N + (row + 1) * k + j]) * speeds[j]
    return rate + slip


def has_friction(sizes: Sizes, sight: Sight, part: int) -> bool:
    """Has a part a slip that friction acts on?"""
    return sizes.widths[part] > 0 and sight.out[sizes.laws + 3 * part + 1] > 0.0


def solved_for(sizes: Sizes, sight: Sight, desk: Desk, n: int, forced: bool) -> bool:
    """W^-1 (R^T f) and R times it, of n rows; f is 0 where nothing but impulses acts.

    False where W is singular.
    """
    k = sizes.k
    W, order = np.empty((k, k)), np.empty(k, np.int64)
    for i in range(k):
        for j in range(k):
            W[i, j] = sight.out[sizes.W + i * k + j]
    if not factor(W, order):
        return False
    for i in range(n + 1):
        row = desk.solved[i]
        for j in range(k):
            if i < n:
                row[j] = desk.R[i, j]
            else:
                row[j] = sight.out[sizes.f + j] if forced else 0.0
        solve(W, order, row)
        for r in range(n):
            total = 0.0
            for j in range(k):
                total += desk.R[r, j] * row[j]
            desk.G[i, r] = total
    return True


def _place(sizes: Sizes, desk: Desk, i: int) -> int:
    """The row of the normal of the i-th part that takes part; that of its slip is the next."""
    at = len(sizes.kept)
    for j in range(i):
        at += 2 if desk.direction[j] != HAS_NO_SLIP else 1
    return at


def _listed_at(desk: Desk, count: int, part: int) -> int:
    """Where a part stands among those that take part."""
    found = 0
    for i in range(count):
        if desk.listed[i] == part:
            found = i
    return found


def held_together(desk: Desk, h: int, mu: np.ndarray) -> bool:
    """The multipliers mu (h,) of the rows that are held, whose right-hand sides stand in mu; False where not plain."""
    if h == 0:
        return True
    held, C = desk.held, desk.columns
    if h == 1:
        s = C[0, held[0]]
        if s == 0.0:
            return False
        mu[0] = mu[0] / s
        return True
    if h == 2:
        a, b, c, d = C[0, held[0]], C[1, held[0]], C[0, held[1]], C[1, held[1]]
        det = a * d - b * c
        if not abs(det) > FAR_APART * (a * a + b * b + c * c + d * d):
            return False
        e, f = mu[0], mu[1]
        mu[0], mu[1] = (d * e - b * f) / det, (a * f - c * e) / det
        return True
    S = np.empty((h, h))
    for i in range(h):
        for j in range(h):
            S[i, j] = C[j, held[i]]
    return solve_in_place(S, mu[:h]) > PLAIN


def _held(sizes: Sizes, desk: Desk, count: int, at: np.ndarray, own: np.ndarray) -> int:
    """Note the rows that a combination holds; how many. `at` are places of normal forces among them, `own` of rows."""
    h = len(sizes.kept)
    for i in range(h):
        desk.held[i] = i
    for i in range(count):
        part, place, word = desk.listed[i], _place(sizes, desk, i), desk.tried[i]
        own[i], at[i] = place, -1
        if word == APART:
            continue
        if sizes.masters[part] == part:
            at[i], desk.held[h] = h, place
            h += 1
        else:
            at[i] = at[_listed_at(desk, count, sizes.masters[part])]
        if word == STICKS:
            desk.held[h] = place + 1
            h += 1
    return h


def _tried(sizes: Sizes, sight: Sight, desk: Desk, count: int, n: int, found: int) -> int:
    """Try a combination: 1 where it holds, noted as the answer of a number; 0 where it does not, -1 where not plain."""
    mu, at, own = np.empty(n + 1), np.empty(count + 1, np.int64), np.empty(count + 1, np.int64)
    h = _held(sizes, desk, count, at, own)
    for i in range(h):
        row = desk.held[i]
        for r in range(n):
            desk.columns[i, r] = desk.G[row, r]
        mu[i] = desk.b[row] - desk.G[n, row]
    for i in range(count):
        if desk.tried[i] >= FORTH and at[i] >= 0:
            # R W^-1 (A - mu d B)^T N
            rub = sight.out[sizes.laws + 3 * desk.listed[i]] * SENSE[desk.tried[i]]
            for r in range(n):
                desk.columns[at[i], r] -= rub * desk.G[own[i] + 1, r]
    if not held_together(desk, h, mu):
        return -1
    _shared_out(sizes, sight, desk, count, at, mu)
    if not _holds(sizes, sight, desk, count, n, h, own, mu):
        return 0
    _note(sizes, desk, count, n, own, mu, found)
    return 1


def _shared_out(sizes: Sizes, sight: Sight, desk: Desk, count: int, at: np.ndarray, mu: np.ndarray) -> None:
    """Normal forces and friction of a combination."""
    place = len(sizes.kept)
    for i in range(count):
        part, word = desk.listed[i], desk.tried[i]
        desk.normal[i], desk.friction[i] = 0.0, 0.0
        if word == APART:
            continue
        desk.normal[i] = mu[at[i]]
        if sizes.masters[part] == part:
            place += 1
        if word == STICKS:
            desk.friction[i] = mu[place]
            place += 1
        elif word >= FORTH:
            desk.friction[i] = -sight.out[sizes.laws + 3 * part] * desk.normal[i] * SENSE[word]


def speed_of(sizes: Sizes, desk: Desk, n: int) -> float:
    """The size of accelerations of the contacts."""
    most = 0.0
    for r in range(len(sizes.kept), n):
        total = abs(desk.b[r])
        for j in range(sizes.k):
            total += abs(desk.R[r, j]) * abs(desk.solved[n, j])
        most = max(most, total)
    return most


def weight_of(sizes: Sizes, desk: Desk, count: int, n: int) -> float:
    """The size of forces on the contacts."""
    least = 0.0
    for i in range(count):
        place = _place(sizes, desk, i)
        stiff = desk.G[place, place]
        least = stiff if i == 0 else min(least, stiff)
    return speed_of(sizes, desk, n) / (least if count > 0 else 1.0)


def _row(desk: Desk, n: int, h: int, mu: np.ndarray, row: int) -> float:
    """One row of R x."""
    total = 0.0
    for j in range(h):
        total += mu[j] * desk.columns[j, row]
    return desk.G[n, row] + total


def _holds(sizes: Sizes, sight: Sight, desk: Desk, count: int, n: int, h: int, own: np.ndarray, mu: np.ndarray) -> bool:
    """Do the conditions of a combination hold?"""
    slack = TOLERANCE * speed_of(sizes, desk, n)
    soft = TOLERANCE * weight_of(sizes, desk, count, n)
    for i in range(count):
        word, N, T = desk.tried[i], desk.normal[i], desk.friction[i]
        if word == APART:
            if not _row(desk, n, h, mu, own[i]) - desk.b[own[i]] >= -slack:
                return False
            continue
        if not -soft <= N:
            return False
        if word == STICKS and not abs(T) <= sight.out[sizes.laws + 3 * desk.listed[i] + 1] * N + soft:
            return False
        if word >= FORTH and desk.direction[i] == RESTS:
            slips = SENSE[word] * (_row(desk, n, h, mu, own[i] + 1) - desk.b[own[i] + 1])
            if not slips >= -slack:
                return False
    return True


def _note(sizes: Sizes, desk: Desk, count: int, n: int, own: np.ndarray, mu: np.ndarray, found: int) -> None:
    """x = W^-1 (f + R^T reactions), and what it belongs to."""
    x = desk.paths[found]
    for j in range(sizes.k):
        total = 0.0
        for i in range(len(sizes.kept)):
            total += mu[i] * desk.solved[i, j]
        for i in range(count):
            if desk.tried[i] != APART:
                if sizes.masters[desk.listed[i]] == desk.listed[i]:
                    total += desk.normal[i] * desk.solved[own[i], j]
                if desk.direction[i] != HAS_NO_SLIP:
                    total += desk.friction[i] * desk.solved[own[i] + 1, j]
        x[j] = desk.solved[n, j] + total
    for i in range(count):
        desk.answers[found, i] = desk.tried[i]
        desk.normals[found, i] = desk.normal[i]
        desk.frictions[found, i] = desk.friction[i]


def _options(desk: Desk, i: int) -> int:
    """How many things a part may do."""
    return 4 if desk.direction[i] == RESTS else 2


def _option(desk: Desk, i: int, which: int) -> int:
    """One of them."""
    d = desk.direction[i]
    if which == 0:
        return APART
    if d == HAS_NO_SLIP:
        return SMOOTH
    if d != RESTS:
        return FORTH if d > 0.0 else BACK
    return STICKS if which == 1 else (FORTH if which == 2 else BACK)


def _possible(sizes: Sizes, desk: Desk, count: int) -> bool:
    """Is what parts do allowed, and that of spin and rolling what their contact does?"""
    for i in range(count):
        if desk.tried[i] == STICKS and desk.barred[desk.listed[i]] != 0:
            return False
        master = _listed_at(desk, count, sizes.masters[desk.listed[i]])
        if (desk.tried[i] == APART) != (desk.tried[master] == APART):
            return False
    return True


def _outdone(desk: Desk, count: int, one: int, other: int) -> bool:
    """Is the other the same but that some part sticks that slides from rest in the one?"""
    more = False
    for i in range(count):
        a, b = desk.answers[one, i], desk.answers[other, i]
        if a >= FORTH and b == STICKS and desk.direction[i] == RESTS:
            more = True
        elif a != b and not (a >= FORTH and b >= FORTH):
            return False
    return more


def _rank(desk: Desk, count: int, one: int, soft: float) -> int:
    """The less the better: all that touch press, as many as can, and stick."""
    idle, closed, sticking = 0, 0, 0
    for i in range(count):
        if desk.answers[one, i] != APART:
            closed += 1
            idle += 1 if desk.normals[one, i] <= TOLERANCE * soft else 0
            sticking += 1 if desk.answers[one, i] == STICKS else 0
    return (idle * 64 - closed) * 64 - sticking


def decide(sizes: Sizes, sight: Sight, desk: Desk, count: int, n: int) -> int:
    """The one combination that holds, written as the answer; `CAREFUL` where it is not plain which.

    Rows, right-hand sides, the parts that take part and their directions stand on the desk, and what `solved_for`
    makes of them.
    """
    found = 0
    if count > MOST:
        return CAREFUL
    total = 1
    for i in range(count):
        total *= _options(desk, i)
    which = np.zeros(MOST + 1, np.int64)
    for _ in range(total):
        for i in range(count):
            desk.tried[i] = _option(desk, i, which[i])
        if _possible(sizes, desk, count):
            holds = _tried(sizes, sight, desk, count, n, found)
            if holds < 0 or found + 2 > FOUND:
                return CAREFUL
            found += holds
        for i in range(count):
            which[i] += 1
            if which[i] < _options(desk, i):
                break
            which[i] = 0
    return _chosen(sizes, desk, count, n, found)


def _chosen(sizes: Sizes, desk: Desk, count: int, n: int, found: int) -> int:
    """Of the combinations that hold that which is first, if all are one motion."""
    best, best_rank, ties, largest = -1, 0, 0, 0.0
    soft = weight_of(sizes, desk, count, n)
    out = np.zeros(FOUND, np.int64)
    for a in range(found):
        for b in range(found):
            if a != b and _outdone(desk, count, a, b):
                out[a] = 1
        if out[a] == 0:
            for j in range(sizes.k):
                largest = max(largest, abs(desk.paths[a, j]))
    for a in range(found):
        if out[a] == 0:
            rank = _rank(desk, count, a, soft)
            if best < 0 or rank < best_rank:
                best, best_rank, ties = a, rank, 0
            elif rank == best_rank:
                ties += 1
    if best < 0 or ties > 0:
        return CAREFUL
    size = speed_of(sizes, desk, n) + largest
    for a in range(found):
        if out[a] == 0:
            for j in range(sizes.k):
                if not abs(desk.paths[a, j] - desk.paths[best, j]) <= SAME * size:
                    return CAREFUL
    for j in range(sizes.k):
        desk.x[j] = desk.paths[best, j]
    for i in range(count):
        desk.words[i] = desk.answers[best, i]
        desk.normal[i], desk.friction[i] = desk.normals[best, i], desk.frictions[best, i]
    return SOUND
