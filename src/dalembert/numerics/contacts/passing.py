"""`change` in compiled code: what one instant does where that is plain, see `deciding`.

Impacts by Newton's law of restitution that give no energy, contacts that begin, end, stick and yield. Bounces that
pile up, impacts that follow a course, and what `deciding` leaves, are `CAREFUL`: they are left to `change`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from .change import CLOSES, LOW, MET, PILES, ROUNDED, SHORT
from .deciding import (
    APART,
    CAREFUL,
    HAS_NO_SLIP,
    MOST,
    RESTS,
    SOUND,
    STICKS,
    Desk,
    Sight,
    Sizes,
    decide,
    has_friction,
    held_together,
    look,
    solved_for,
    terms,
)
from .instant import NEAR
from .rows import GAINS

TOUCHES, LIFTS, HALTS, YIELDS, OTHER = 0, 1, 2, 3, 4  # what ends a mode


class Turn(NamedTuple):
    """A change: what was before it, and what comes of it.

    Attributes:
        modes: what each part does, before and then after (C,).
        since: since when each bounces, not a number where it does not (C,).
        speeds: the largest |u| of the run (k,).
        u: the velocities after it (k,).
        impulses: normal and friction of each part (C, 2).
        sizes_of_rates: of the terms of the rates of each (C,).
        closed, lasting, rest: 1 for parts that touch, stay closed, do not slip (C,).
        chosen, held: what each part does, and what friction holds (C,).
    """

    modes: np.ndarray
    since: np.ndarray
    speeds: np.ndarray
    u: np.ndarray
    impulses: np.ndarray
    sizes_of_rates: np.ndarray
    closed: np.ndarray
    lasting: np.ndarray
    rest: np.ndarray
    chosen: np.ndarray
    held: np.ndarray


def _rate(sizes: Sizes, sight: Sight, part: int) -> float:
    return sight.out[sizes.rows[part]]


def _slip(sizes: Sizes, sight: Sight, part: int) -> float:
    return sight.out[sizes.rows[part] + 1] if sizes.widths[part] > 0 else 0.0


def _row_of(sizes: Sizes, sight: Sight, row: int, desk: Desk, to: int) -> None:
    for j in range(sizes.k):
        desk.R[to, j] = sight.out[sizes.N + row * sizes.k + j]


def _laid_out(sizes: Sizes, sight: Sight, turn: Turn, desk: Desk, among: np.ndarray, hits: bool) -> tuple[int, int]:
    """Put parts among which those of a contact are on the desk, and their rows; how many of each.

    Right-hand sides are those of accelerations, or of an impact.
    """
    n, count, out = 0, 0, sight.out
    for i in range(len(sizes.kept)):
        _row_of(sizes, sight, sizes.kept[i], desk, n)
        desk.b[n] = 0.0 if hits else out[sizes.g + sizes.kept[i]]
        n += 1
    for part in range(len(sizes.rows)):
        if among[sizes.masters[part]] == 0:
            continue
        row, rate, e = sizes.rows[part], _rate(sizes, sight, part), out[sizes.laws + 3 * part + 2]
        _row_of(sizes, sight, row, desk, n)
        # A du = -(1 + e) rate ,  B du = -slip
        desk.b[n] = -rate - e * min(rate, 0.0) if hits else out[sizes.g + row]
        n += 1
        desk.listed[count], desk.direction[count] = part, HAS_NO_SLIP
        if has_friction(sizes, sight, part):
            slip = _slip(sizes, sight, part)
            desk.direction[count] = RESTS
            if not hits and turn.rest[part] == 0 and slip != 0.0:
                desk.direction[count] = 1.0 if slip > 0.0 else -1.0
            _row_of(sizes, sight, row + 1, desk, n)
            desk.b[n] = -slip if hits else out[sizes.g + row + 1]
            n += 1
        count += 1
    return count, n


def _decided(sizes: Sizes, sight: Sight, turn: Turn, desk: Desk, among: np.ndarray, hits: bool) -> int:
    """Solve the problem of accelerations, or of an impact, of the contacts among some; how many parts take part,
    or -1 where it is not plain.
    """
    count, n = _laid_out(sizes, sight, turn, desk, among, hits)
    if not solved_for(sizes, sight, desk, n, not hits):
        return -1
    return count if decide(sizes, sight, desk, count, n) == SOUND else -1


def _hold(sizes: Sizes, sight: Sight, desk: Desk, turn: Turn, among: np.ndarray) -> int:
    """Velocities nearest in the metric at which contacts keep their gap, and others their slip: 1 where they differ, 0
    where not, -1 where it is not plain.
    """
    n, moves, k = 0, False, sizes.k
    for i in range(len(sizes.kept)):
        _row_of(sizes, sight, sizes.kept[i], desk, n)
        desk.b[n] = 0.0
        n += 1
    for part in range(len(sizes.rows)):
        if sizes.masters[part] == part and among[part] != 0:
            _row_of(sizes, sight, sizes.rows[part], desk, n)
            desk.b[n] = _rate(sizes, sight, part)
            moves = moves or desk.b[n] != 0.0
            n += 1
    for part in range(len(sizes.rows)):
        if turn.held[part] != 0 and sizes.widths[part] > 0:
            _row_of(sizes, sight, sizes.rows[part] + 1, desk, n)
            desk.b[n] = _slip(sizes, sight, part)
            moves = moves or desk.b[n] != 0.0
            n += 1
    if not moves:
        return 0
    if not solved_for(sizes, sight, desk, n, False):
        return -1
    mu = np.empty(n)
    for i in range(n):
        desk.held[i] = i
        mu[i] = desk.b[i]
        for r in range(n):
            desk.columns[i, r] = desk.G[i, r]
    if not held_together(desk, n, mu):
        return -1
    # u+ = u - W^-1 R^T (R W^-1 R^T)^-1 (R u + c)
    differs = False
    for j in range(k):
        total = 0.0
        for i in range(n):
            total += mu[i] * desk.solved[i, j]
        new = turn.u[j] - total
        differs = differs or new != turn.u[j]
        turn.u[j] = new
    return 1 if differs else 0


def _seen(sizes: Sizes, sight: Sight, turn: Turn) -> None:
    """Look again with the velocities of now."""
    first = len(sight.y) - sizes.k
    for j in range(sizes.k):
        sight.y[first + j] = turn.u[j]
    look(sight)


def _energy(sizes: Sizes, sight: Sight, left: np.ndarray, right: np.ndarray) -> float:
    """left W right."""
    k, total = sizes.k, 0.0
    for i in range(k):
        for j in range(k):
            total += left[i] * sight.out[sizes.W + i * k + j] * right[j]
    return total


def _close(sizes: Sizes, sight: Sight, turn: Turn, kind: int, who: int, length: float) -> int:
    """Which contacts touch; how many parts these have."""
    count = 0
    for part in range(len(sizes.rows)):
        turn.closed[part] = 0
        if sizes.masters[part] != part:
            continue
        gap, extent, rate = sight.out[sizes.gaps + part], sight.out[sizes.extents + part], _rate(sizes, sight, part)
        left = kind == LIFTS and who == part
        near = gap <= MET * abs(rate) * length + NEAR * extent and rate <= NEAR * turn.sizes_of_rates[part]
        touched = kind == TOUCHES and who == part
        if touched or ((turn.modes[part] != APART or near) and not left):
            turn.closed[part] = 1
    for part in range(len(sizes.rows)):
        count += turn.closed[sizes.masters[part]]
    return count


def _approaches(sizes: Sizes, sight: Sight, turn: Turn) -> bool:
    """Does a contact that touches approach?"""
    for part in range(len(sizes.rows)):
        if turn.closed[part] != 0 and _rate(sizes, sight, part) < -NEAR * turn.sizes_of_rates[part]:
            return True
    return False


def _plain(sizes: Sizes, turn: Turn) -> bool:
    """Have all that touch Newton's law?"""
    others = 0
    for part in range(len(sizes.rows)):
        others += turn.closed[part] * (1 - sizes.plain[part])
    return others == 0


def _struck(sizes: Sizes, sight: Sight, turn: Turn, desk: Desk) -> bool:
    """The impact at all that touch; False where it is not plain, or would give energy."""
    count, k = _decided(sizes, sight, turn, desk, turn.closed, True), sizes.k
    if count < 0:
        return False
    middle = np.empty(k)
    for j in range(k):
        middle[j] = turn.u[j] + desk.x[j] / 2
    # T(u+) - T(u) = du W (u + u+)/2 ;  a surface's own speed v0 supplies p v0
    gained = _energy(sizes, sight, desk.x, middle)
    for i in range(count):
        part = desk.listed[i]
        row, whole = sizes.rows[part], sizes.masters[part] == part
        own, along = _rate(sizes, sight, part), _slip(sizes, sight, part)
        for j in range(k):
            own -= sight.out[sizes.N + row * k + j] * turn.u[j]
            if sizes.widths[part] > 0:
                along -= sight.out[sizes.N + (row + 1) * k + j] * turn.u[j]
        if whole:
            gained += desk.normal[i] * own
            turn.impulses[part, 0] = desk.normal[i]
        if desk.direction[i] != HAS_NO_SLIP:
            gained += desk.friction[i] * along
            turn.impulses[part, 1] = desk.friction[i]
    if gained > GAINS * _energy(sizes, sight, turn.u, turn.u) / 2:
        return False
    for j in range(k):
        turn.u[j] += desk.x[j]
    _seen(sizes, sight, turn)
    return True


def _last(sizes: Sizes, sight: Sight, turn: Turn, desk: Desk, length: float) -> bool:
    """Which contacts stay closed; False where bounces pile up, or it is not plain."""
    for part in range(len(sizes.rows)):
        turn.lasting[part] = 0
    for part in range(len(sizes.rows)):
        if turn.closed[part] != 0 and abs(_rate(sizes, sight, part)) <= NEAR * turn.sizes_of_rates[part]:
            turn.lasting[part] = 1
    t = sight.moment[0]
    for part in range(len(sizes.rows)):
        rate, e = _rate(sizes, sight, part), sight.out[sizes.laws + 3 * part + 2]
        if turn.closed[part] == 0 or turn.lasting[part] != 0 or not rate > 0.0:
            continue
        if _decided(sizes, sight, turn, desk, turn.lasting, False) < 0:
            return False
        row, fall = sizes.rows[part], sight.out[sizes.g + sizes.rows[part]]
        for j in range(sizes.k):
            fall -= sight.out[sizes.N + row * sizes.k + j] * desk.x[j]
        if fall <= 0.0 or e >= 1.0:
            continue
        # 2 v/a (1 + e + e^2 + ...) ,  v^2/(2 a)
        left = 2 * rate / fall / (1 - e)
        since = 0.0 if math.isnan(turn.since[part]) else t - turn.since[part]
        behind = max(-sight.out[sizes.gaps + part], 0.0)
        low = rate * rate / (2 * fall) <= LOW * sight.out[sizes.extents + part] + 2 * behind
        if low or left <= max(PILES * since, SHORT * length):
            return False
    return True


def _reach(sizes: Sizes, sight: Sight, desk: Desk, part: int, energy: float) -> float:
    """The fastest slip of a part that this energy allows; not a number where the metric is singular."""
    _row_of(sizes, sight, sizes.rows[part] + 1, desk, 0)
    if not solved_for(sizes, sight, desk, 1, False):
        return math.nan
    # |B u|^2 <= |B W^-1 B^T| u W u
    return math.sqrt(abs(desk.G[0, 0]) * abs(energy))


def _rests(sizes: Sizes, sight: Sight, turn: Turn, desk: Desk, kind: int, who: int, keeps: bool, energy: float) -> None:
    """Which parts do not slip, or by less than can be told of a double energy; without an impact what stuck keeps."""
    for part in range(len(sizes.rows)):
        turn.rest[part] = turn.held[part] = 0
        if turn.lasting[sizes.masters[part]] == 0 or not has_friction(sizes, sight, part):
            continue
        still = (kind == HALTS and who == part) or (keeps and turn.modes[part] == STICKS)
        slip = abs(_slip(sizes, sight, part))
        small = still or slip <= NEAR * turn.sizes_of_rates[part]
        if small or slip <= ROUNDED * _reach(sizes, sight, desk, part, energy):
            turn.rest[part] = turn.held[part] = 1


def _took(sizes: Sizes, turn: Turn, desk: Desk, count: int) -> None:
    """What each part does from here on."""
    for part in range(len(sizes.rows)):
        turn.chosen[part] = APART
        turn.held[part] = turn.closed[part] = 0
    for i in range(count):
        part, word = desk.listed[i], desk.words[i]
        turn.chosen[part] = word
        if word != APART:
            turn.closed[part] = 1
        if word == STICKS:
            turn.held[part] = 1


def _since(sizes: Sizes, turn: Turn, t: float) -> None:
    """Since when each bounces."""
    for part in range(len(sizes.rows)):
        hit = turn.impulses[part, 0] != 0.0 or turn.impulses[part, 1] != 0.0
        if turn.chosen[part] != APART:
            turn.since[part] = math.nan
        elif hit and math.isnan(turn.since[part]):
            turn.since[part] = t
        turn.modes[part] = turn.chosen[part]


def passed(sizes: Sizes, sight: Sight, desk: Desk, turn: Turn, kind: int, who: int, length: float) -> tuple[int, bool]:
    """What an instant does, whose time and state stand in `sight`, and whether there was an impact.

    `turn` has modes, velocities, impulses and times after it; where it is `CAREFUL`, nothing of it counts.
    """
    first, hit = len(sight.y) - sizes.k, False
    look(sight)
    for j in range(sizes.k):
        turn.u[j] = sight.y[first + j]
        turn.speeds[j] = max(turn.speeds[j], abs(turn.u[j]))
    for part in range(len(sizes.rows)):
        turn.sizes_of_rates[part] = terms(sizes, sight, part, turn.speeds)
        turn.impulses[part, 0] = turn.impulses[part, 1] = 0.0
        turn.rest[part] = desk.barred[part] = 0
    if _close(sizes, sight, turn, kind, who, length) > MOST:
        return CAREFUL, hit
    energy = _energy(sizes, sight, turn.u, turn.u)
    if _approaches(sizes, sight, turn):
        hit = True
        if not (_plain(sizes, turn) and _struck(sizes, sight, turn, desk)) or _hits_others(sizes, sight, turn):
            return CAREFUL, hit
    if not _last(sizes, sight, turn, desk, length):
        return CAREFUL, hit
    _rests(sizes, sight, turn, desk, kind, who, not hit, energy)
    if kind == YIELDS:
        desk.barred[who] = 1
    return _settled(sizes, sight, desk, turn, who if kind == LIFTS else -1), hit


def _hits_others(sizes: Sizes, sight: Sight, turn: Turn) -> bool:
    """Is another contact that touches hit by what was given?"""
    for part in range(len(sizes.rows)):
        touches = sight.out[sizes.gaps + part] <= NEAR * sight.out[sizes.extents + part]
        closes = _rate(sizes, sight, part) < -NEAR * turn.sizes_of_rates[part]
        if turn.closed[sizes.masters[part]] == 0 and touches and closes:
            return True
    return False


def _closes(sizes: Sizes, sight: Sight, desk: Desk, part: int) -> bool:
    """Do accelerations take a contact through its surface?"""
    row = sizes.rows[part]
    total, terms = -sight.out[sizes.g + row], abs(sight.out[sizes.g + row])
    for j in range(sizes.k):
        total += sight.out[sizes.N + row * sizes.k + j] * desk.x[j]
        terms += abs(sight.out[sizes.N + row * sizes.k + j] * desk.x[j])
    return total < -CLOSES * terms


def _settled(sizes: Sizes, sight: Sight, desk: Desk, turn: Turn, left: int) -> int:
    """What sticks and slides behind the impact, and the velocities of that; `left` is what has lost its pressure."""
    moved = _hold(sizes, sight, desk, turn, turn.lasting)
    if moved < 0:
        return CAREFUL
    if moved > 0:
        _seen(sizes, sight, turn)
    for part in range(len(sizes.rows)):
        # what holds some contacts may hold others that were about to open
        still = abs(_rate(sizes, sight, part)) <= NEAR * turn.sizes_of_rates[part] and part != left
        closed = sight.out[sizes.gaps + part] <= NEAR * sight.out[sizes.extents + part]
        if still and closed and turn.lasting[sizes.masters[part]] == 0:
            return CAREFUL
    count = _decided(sizes, sight, turn, desk, turn.lasting, False)
    if count < 0 or (left >= 0 and _closes(sizes, sight, desk, left)):
        return CAREFUL
    _took(sizes, turn, desk, count)
    if _hold(sizes, sight, desk, turn, turn.closed) < 0:
        return CAREFUL
    _since(sizes, turn, sight.moment[0])
    return SOUND
