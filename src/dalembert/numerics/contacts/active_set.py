"""The active set in compiled code: what one instant does to few contacts of at most one component of slip each.

The problem of `problem` with the same conditions, of contacts and of their spin and rolling, decided by all
combinations; around it what `change` does: impacts by Newton's law of restitution that give no energy, contacts that
begin, end, stick and yield. What is not plain, a system that is nearly singular, no combination that holds or several
that differ, bounces that pile up, an impact that follows a course, is left to `change`. What is near enough to count as
closed, at rest or over is said here, once for both.

What a part of a contact does is a number here: `APART`, `STICKS`, `SMOOTH`, it slides without friction, `FORTH` and
`BACK`, it slides with friction, in the sense of its slip or against it.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..machine.linear_solve import solve_in_place
from ..machine.loop.function_address import call
from ..methods.lu import clear, factor, solve
from ..methods.stepper import copy
from .instant import NEAR
from .problem import SAME, TOLERANCE

APART, STICKS, SMOOTH, FORTH, BACK = 0, 1, 2, 3, 4
SENSE = (0.0, 0.0, 0.0, 1.0, -1.0)
RESTS, HAS_NO_SLIP = 0.0, 2.0  # what stands for a direction, besides 1 and -1
TOUCHES, LIFTS, HALTS, YIELDS, OTHER = 0, 1, 2, 3, 4  # what ends a mode
MU, HOLD, E = 0, 1, 2  # columns of the laws of contacts
MOST = 6  # parts of contacts closed at once
FAR_APART = 1e-6  # of two singular values: so far apart, two equations are solved as they are
PLAIN = 1e-6  # the margin of a system that is solved as it is
FOUND = 32  # combinations that may hold at once

MET = 1e-10  # of what the gap changes by in the run: two contacts met within it are met at once
PILES = 1e-6  # of the time since the first bounce: what is left of infinitely many is not followed one by one
SHORT = 1e-9  # of the run's length: bounces that end within it are not followed either
LOW = 1e-13  # of the gap's terms: nor is a hop that rises no higher, which rounding hides, or does not leave
ROUNDED = 1e-14  # of the fastest slip that the energy would allow: what rounding leaves where rows cancel in themselves
CLOSES = 1e-6  # of the terms of its acceleration: a contact that closes again by less does not
BEYOND, LENGTH = (
    1e-9,
    1e-6,
)  # of the gap's terms, taken for no smaller than such a length: as far a path may be beyond it
GAINS = 1e-12  # of the kinetic energy: a gain below it is rounding


class ActiveSet(NamedTuple):
    """An instant: its contacts, what they do, and work space. C parts, k velocities, m rows, n rows of a problem at
    most.

    Attributes:
        address, p, moment, y, out: what is seen at a time and a state: machine code that writes it, its parameters,
            time (1,), state, and all of it.
        phi, gaps, sizes, laws, W, N, f, g: parts of that: rates (m,), gaps and their terms (C,), coefficients (C, 3),
            W (k, k), rows (m, k), what else acts (k,), and N udot = g where rates stay what they are (m,).
        kept: rows of the system's own constraints.
        first, widths, masters, newton: of each part its first row, how many components its slip has, whose part it is,
            and whether its restitution is Newton's (C,).
        modes: what each part does, before the change and then after it (C,).
        since: since when each bounces, not a number where it does not (C,).
        speeds: the largest |u| of the run (k,).
        u: the velocities, after the change in the end (k,).
        impulses: normal and friction of each part (C, 2).
        terms: of the rates of each (C,).
        closed, lasting, rest, held, barred: 1 for parts that touch, stay closed, do not slip, are held by friction,
            must not stick (C,).
        rows, b: of a problem the rows R among N, and what R x is where all of it is held (n,).
        solved, G: W^-1 (R^T f), transposed (n + 1, k), and R times it, transposed (n + 1, n).
        listed, spot: the parts that take part, and where each part stands among them (C,).
        place, direction: of each of these its first row, and 1, -1, `RESTS` or `HAS_NO_SLIP` (C,).
        tried, normal, friction: of each a combination, and its forces (C,).
        pushes, sticks: which of the multipliers these are (C,).
        active, columns: rows that a combination holds (n,), and what their multipliers do (n, n).
        answers, paths, normals, frictions: combinations that hold, their x and forces (`FOUND`, ...).
        x: of the answer (k,); its combination and forces stand where those tried were.
    """

    address: int
    p: np.ndarray
    moment: np.ndarray
    y: np.ndarray
    out: np.ndarray
    phi: np.ndarray
    gaps: np.ndarray
    sizes: np.ndarray
    laws: np.ndarray
    W: np.ndarray
    N: np.ndarray
    f: np.ndarray
    g: np.ndarray
    kept: np.ndarray
    first: np.ndarray
    widths: np.ndarray
    masters: np.ndarray
    newton: np.ndarray
    modes: np.ndarray
    since: np.ndarray
    speeds: np.ndarray
    u: np.ndarray
    impulses: np.ndarray
    terms: np.ndarray
    closed: np.ndarray
    lasting: np.ndarray
    rest: np.ndarray
    held: np.ndarray
    barred: np.ndarray
    rows: np.ndarray
    b: np.ndarray
    solved: np.ndarray
    G: np.ndarray
    listed: np.ndarray
    spot: np.ndarray
    place: np.ndarray
    direction: np.ndarray
    tried: np.ndarray
    normal: np.ndarray
    friction: np.ndarray
    pushes: np.ndarray
    sticks: np.ndarray
    active: np.ndarray
    columns: np.ndarray
    answers: np.ndarray
    paths: np.ndarray
    normals: np.ndarray
    frictions: np.ndarray
    x: np.ndarray


# --- what counts as closed, at rest, over -----------------------------------------------------------------------------


def is_met(gap: float, size: float, rate: float, terms: float, length: float) -> bool:
    """Is a gap closed at an instant of a run of some length, and does not open?"""
    return gap <= MET * abs(rate) * length + NEAR * size and rate <= NEAR * terms


def left_to_bounce(rate: float, fall: float, e: float, gap: float, size: float, since: float, length: float) -> float:
    """The time in which bounces that pile up are over; infinite for those that are followed one by one.

    After one with a rate, where the gap falls with an acceleration, restitution e, so long after the first bounce.
    """
    if fall <= 0.0 or e >= 1.0:
        return math.inf
    # 2 v/a (1 + e + e^2 + ...)
    left = 2 * rate / fall / (1 - e)
    # v^2/(2 a)
    low = rate * rate / (2 * fall) <= LOW * size + 2 * max(-gap, 0.0)
    return left if low or left <= max(PILES * since, SHORT * length) else math.inf


def behind(size: float, first: float) -> float:
    """How far a path may be behind a surface where it is apart, with a gap at first and terms of some size."""
    return BEYOND * max(size, LENGTH) + 2 * max(-first, 0.0)


# --- sums -------------------------------------------------------------------------------------------------------------


def _dot(a: np.ndarray, b: np.ndarray) -> float:
    total = 0.0
    for j in range(len(a)):
        total += a[j] * b[j]
    return total


def _size(a: np.ndarray, b: np.ndarray) -> float:
    """The size of the terms of a . b."""
    total = 0.0
    for j in range(len(a)):
        total += abs(a[j] * b[j])
    return total


def _energy(s: ActiveSet, left: np.ndarray, right: np.ndarray) -> float:
    """left W right."""
    total = 0.0
    for i in range(len(left)):
        total += left[i] * _dot(s.W[i], right)
    return total


def _slip(s: ActiveSet, part: int) -> float:
    return s.phi[s.first[part] + 1] if s.widths[part] > 0 else 0.0


def _rubs(s: ActiveSet, part: int) -> bool:
    """Has a part a slip that friction acts on?"""
    return s.widths[part] > 0 and s.laws[part, HOLD] > 0.0


def _closing(s: ActiveSet, part: int) -> bool:
    return s.phi[s.first[part]] < -NEAR * s.terms[part]


def _look(s: ActiveSet) -> None:
    """See what is at the time and the state, with the velocities of now."""
    copy(s.u, s.y[len(s.y) - len(s.u) :])
    call(s.address, s.moment, s.y, s.p, s.out)


# --- the problem ------------------------------------------------------------------------------------------------------


def _with_row(s: ActiveSet, n: int, row: int, b: float) -> int:
    """One row more of a problem of n."""
    s.rows[n], s.b[n] = row, b
    return n + 1


def _solved(s: ActiveSet, n: int, forced: bool) -> bool:
    """W^-1 (R^T f) and R times it, of n rows; f is 0 where nothing but impulses acts. False where W is singular."""
    k = len(s.u)
    W, order = np.empty((k, k)), np.empty(k, np.int64)
    for i in range(k):
        copy(s.W[i], W[i])
    if not factor(W, order):
        return False
    for i in range(n + 1):
        row = s.solved[i]
        if i < n:
            copy(s.N[s.rows[i]], row)
        elif forced:
            copy(s.f, row)
        else:
            clear(row)
        solve(W, order, row)
        for r in range(n):
            s.G[i, r] = _dot(s.N[s.rows[r]], row)
    return True


def _multipliers(s: ActiveSet, h: int, mu: np.ndarray) -> bool:
    """The multipliers mu (h,) of the rows that are held, whose right-hand sides stand in mu; False where not plain."""
    if h == 0:
        return True
    held, C = s.active, s.columns
    if h == 1:
        size = C[0, held[0]]
        if size == 0.0:
            return False
        mu[0] = mu[0] / size
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


def _hold(s: ActiveSet, among: np.ndarray) -> int:
    """Velocities nearest in the metric at which contacts keep their gap, and what is held its slip: 1 where they
    differ, 0 where not, -1 where it is not plain.
    """
    n, moves, differs = 0, False, False
    for i in range(len(s.kept)):
        n = _with_row(s, n, s.kept[i], 0.0)
    for part in range(len(s.first)):
        if s.masters[part] == part and among[part] != 0:
            n = _with_row(s, n, s.first[part], s.phi[s.first[part]])
            moves = moves or s.b[n - 1] != 0.0
    for part in range(len(s.first)):
        if s.held[part] != 0 and s.widths[part] > 0:
            n = _with_row(s, n, s.first[part] + 1, _slip(s, part))
            moves = moves or s.b[n - 1] != 0.0
    if not moves:
        return 0
    if not _solved(s, n, False):
        return -1
    mu = np.empty(n)
    for i in range(n):
        s.active[i], mu[i] = i, s.b[i]
        copy(s.G[i, 0:n], s.columns[i])
    if not _multipliers(s, n, mu):
        return -1
    # u+ = u - W^-1 R^T (R W^-1 R^T)^-1 (R u + c)
    for j in range(len(s.u)):
        total = 0.0
        for i in range(n):
            total += mu[i] * s.solved[i, j]
        new = s.u[j] - total
        differs = differs or new != s.u[j]
        s.u[j] = new
    return 1 if differs else 0


def _decided(s: ActiveSet, among: np.ndarray, hits: bool) -> int:
    """Solve the problem of accelerations, or of an impact, of the contacts among some; how many parts take part, -1
    where it is not plain which one combination holds.
    """
    n, count = 0, 0
    for i in range(len(s.kept)):
        n = _with_row(s, n, s.kept[i], 0.0 if hits else s.g[s.kept[i]])
    for part in range(len(s.first)):
        if among[s.masters[part]] == 0:
            continue
        row, slip = s.first[part], _slip(s, part)
        rate, e = s.phi[row], s.laws[part, E]
        s.listed[count], s.spot[part], s.place[count], s.direction[count] = part, count, n, HAS_NO_SLIP
        # A du = -(1 + e) rate ,  B du = -slip
        n = _with_row(s, n, row, -rate - e * min(rate, 0.0) if hits else s.g[row])
        if _rubs(s, part):
            known = not hits and s.rest[part] == 0 and slip != 0.0
            s.direction[count] = math.copysign(1.0, slip) if known else RESTS
            n = _with_row(s, n, row + 1, -slip if hits else s.g[row + 1])
        count += 1
    if count > MOST or not _solved(s, n, not hits):
        return -1
    # the sizes of accelerations of the contacts, and of forces on them
    speed, stiff = 0.0, math.inf
    for r in range(len(s.kept), n):
        speed = max(speed, abs(s.b[r]) + _size(s.N[s.rows[r]], s.solved[n]))
    for i in range(count):
        stiff = min(stiff, s.G[s.place[i], s.place[i]])
    weight = speed / (stiff if count > 0 else 1.0)
    found, total = 0, 1
    for _ in range(count):
        total *= 4
    for number in range(total):
        if not _combination(s, count, number):
            continue
        holds = _tried(s, count, n, found, speed, weight)
        if holds < 0 or found + 2 > FOUND:
            return -1
        found += holds
    return count if _chosen(s, count, found, speed, weight) else -1


def _combination(s: ActiveSet, count: int, number: int) -> bool:
    """Put down the combination of a number, with a digit for each part; is there such a one?"""
    for i in range(count):
        digit, d = number % 4, s.direction[i]
        number //= 4
        if digit > 1 and d != RESTS:
            return False
        first = STICKS if d == RESTS else SMOOTH if d == HAS_NO_SLIP else FORTH if d > 0.0 else BACK
        s.tried[i] = APART if digit == 0 else first if digit == 1 else FORTH + digit - 2
        if s.tried[i] == STICKS and s.barred[s.listed[i]] != 0:
            return False
    together = True  # spin and rolling do what their contact does
    for i in range(count):
        together = together and (s.tried[i] == APART) == (s.tried[s.spot[s.masters[s.listed[i]]]] == APART)
    return together


def _tried(s: ActiveSet, count: int, n: int, found: int, speed: float, weight: float) -> int:
    """Try a combination: 1 where it holds, noted as the answer of a number; 0 where it does not, -1 where not plain."""
    mu, h, slack, soft = np.empty(n + 1), len(s.kept), TOLERANCE * speed, TOLERANCE * weight
    for i in range(h):
        s.active[i] = i
    for i in range(count):
        master = s.masters[s.listed[i]]
        if s.tried[i] != APART and master == s.listed[i]:
            s.pushes[i], s.active[h] = h, s.place[i]
            h += 1
        s.pushes[i] = s.pushes[s.spot[master]]
        if s.tried[i] == STICKS:
            s.sticks[i], s.active[h] = h, s.place[i] + 1
            h += 1
    for i in range(h):
        row = s.active[i]
        copy(s.G[row, 0:n], s.columns[i])
        mu[i] = s.b[row] - s.G[n, row]
    for i in range(count):
        if s.tried[i] >= FORTH:
            # R W^-1 (A - mu d B)^T N
            rub = s.laws[s.listed[i], MU] * SENSE[s.tried[i]]
            for r in range(n):
                s.columns[s.pushes[i], r] -= rub * s.G[s.place[i] + 1, r]
    if not _multipliers(s, h, mu):
        return -1
    for i in range(count):
        word, part, at = s.tried[i], s.listed[i], s.place[i]
        s.normal[i], s.friction[i] = 0.0, 0.0
        if word == APART:
            if not _along(s, n, h, mu, at) >= -slack:
                return 0
            continue
        N = mu[s.pushes[i]]
        T = mu[s.sticks[i]] if word == STICKS else -s.laws[part, MU] * N * SENSE[word]
        s.normal[i], s.friction[i] = N, T
        if not -soft <= N or (word == STICKS and not abs(T) <= s.laws[part, HOLD] * N + soft):
            return 0
        if word >= FORTH and s.direction[i] == RESTS and not SENSE[word] * _along(s, n, h, mu, at + 1) >= -slack:
            return 0
    _note(s, count, n, mu, found)
    return 1


def _along(s: ActiveSet, n: int, h: int, mu: np.ndarray, row: int) -> float:
    """One row of R x - b."""
    total = 0.0
    for j in range(h):
        total += mu[j] * s.columns[j, row]
    return s.G[n, row] + total - s.b[row]


def _note(s: ActiveSet, count: int, n: int, mu: np.ndarray, found: int) -> None:
    """x = W^-1 (f + R^T reactions), and what it belongs to."""
    for j in range(len(s.x)):
        total = 0.0
        for i in range(len(s.kept)):
            total += mu[i] * s.solved[i, j]
        for i in range(count):
            if s.tried[i] != APART:
                if s.masters[s.listed[i]] == s.listed[i]:
                    total += s.normal[i] * s.solved[s.place[i], j]
                if s.direction[i] != HAS_NO_SLIP:
                    total += s.friction[i] * s.solved[s.place[i] + 1, j]
        s.paths[found, j] = s.solved[n, j] + total
    copy(s.tried, s.answers[found])
    copy(s.normal, s.normals[found])
    copy(s.friction, s.frictions[found])


def _outdone(s: ActiveSet, count: int, one: int, other: int) -> bool:
    """Is the other the same but that some part sticks that slides from rest in the one?"""
    more = False
    for i in range(count):
        a, b = s.answers[one, i], s.answers[other, i]
        if a >= FORTH and b == STICKS and s.direction[i] == RESTS:
            more = True
        elif a != b and not (a >= FORTH and b >= FORTH):
            return False
    return more


def _rank(s: ActiveSet, count: int, one: int, weight: float) -> int:
    """The less the better: all that touch press, as many as can, and stick."""
    idle, closed, sticking = 0, 0, 0
    for i in range(count):
        if s.answers[one, i] != APART:
            closed += 1
            idle += 1 if s.normals[one, i] <= TOLERANCE * weight else 0
            sticking += 1 if s.answers[one, i] == STICKS else 0
    return (idle * 64 - closed) * 64 - sticking


def _chosen(s: ActiveSet, count: int, found: int, speed: float, weight: float) -> bool:
    """Take that of the combinations that hold which is first, if all are one motion."""
    best, best_rank, ties, largest, out = -1, 0, 0, 0.0, np.zeros(FOUND, np.int64)
    for a in range(found):
        for b in range(found):
            if a != b and _outdone(s, count, a, b):
                out[a] = 1
        if out[a] != 0:
            continue
        for x in s.paths[a]:
            largest = max(largest, abs(x))
        rank = _rank(s, count, a, weight)
        if best < 0 or rank < best_rank:
            best, best_rank, ties = a, rank, 0
        elif rank == best_rank:
            ties += 1
    if best < 0 or ties > 0:
        return False
    for a in range(found):
        for j in range(len(s.x)):
            if out[a] == 0 and not abs(s.paths[a, j] - s.paths[best, j]) <= SAME * (speed + largest):
                return False
    copy(s.paths[best], s.x)
    copy(s.answers[best], s.tried)
    copy(s.normals[best], s.normal)
    copy(s.frictions[best], s.friction)
    return True


# --- the instant ------------------------------------------------------------------------------------------------------


def passed(s: ActiveSet, kind: int, who: int, length: float) -> tuple[bool, bool]:
    """What an instant does, whose time and state stand in `moment` and `y`: is it plain, and is there an impact?

    Modes, velocities, impulses and times after it are written; where it is not plain, nothing of it counts.
    """
    hit, touching, newton, left = False, 0, True, who if kind == LIFTS else -1
    copy(s.y[len(s.y) - len(s.u) :], s.u)
    _look(s)
    for j in range(len(s.u)):
        s.speeds[j] = max(s.speeds[j], abs(s.u[j]))
    for part in range(len(s.first)):
        row = s.first[part]
        s.terms[part] = _size(s.N[row], s.speeds) + (_size(s.N[row + 1], s.speeds) if s.widths[part] > 0 else 0.0)
        s.impulses[part, 0] = s.impulses[part, 1] = 0.0
        s.barred[part] = 0
        met = s.modes[part] != APART or is_met(s.gaps[part], s.sizes[part], s.phi[row], s.terms[part], length)
        met = (kind == TOUCHES and who == part) or (met and part != left)
        s.closed[part] = 1 if s.masters[part] == part and met else 0
        hit = hit or (s.closed[part] != 0 and _closing(s, part))
        newton = newton and (s.closed[part] == 0 or s.newton[part] != 0)
        touching += s.closed[s.masters[part]]
    energy = _energy(s, s.u, s.u)
    if touching > MOST or (hit and not (newton and _struck(s))) or not _last(s, length):
        return False, hit
    for part in range(len(s.first)):
        still = (kind == HALTS and who == part) or (not hit and s.modes[part] == STICKS)
        rests = s.lasting[s.masters[part]] != 0 and _rubs(s, part) and (still or _rests(s, part, energy))
        s.rest[part] = s.held[part] = 1 if rests else 0
    if kind == YIELDS:
        s.barred[who] = 1
    moved = _hold(s, s.lasting)
    if moved > 0:
        _look(s)
    for part in range(len(s.first)):
        # what holds some contacts may hold others that were about to open
        still = abs(s.phi[s.first[part]]) <= NEAR * s.terms[part] and part != left
        if still and s.gaps[part] <= NEAR * s.sizes[part] and s.lasting[s.masters[part]] == 0:
            return False, hit
    count = _decided(s, s.lasting, False) if moved >= 0 else -1
    if count < 0 or (left >= 0 and _closes(s, left)):
        return False, hit
    for part in range(len(s.first)):
        lasts = s.lasting[s.masters[part]] != 0
        s.modes[part] = s.tried[s.spot[part]] if lasts else APART
        s.closed[part] = 1 if s.modes[part] != APART else 0
        s.held[part] = 1 if s.modes[part] == STICKS else 0
        struck = s.impulses[part, 0] != 0.0 or s.impulses[part, 1] != 0.0
        if s.modes[part] != APART:
            s.since[part] = math.nan
        elif struck and math.isnan(s.since[part]):
            s.since[part] = s.moment[0]
    return _hold(s, s.closed) >= 0, hit


def _struck(s: ActiveSet) -> bool:
    """The impact at all that touch; False where it is not plain, would give energy, or hits what else touches."""
    count, k = _decided(s, s.closed, True), len(s.u)
    if count < 0:
        return False
    middle = np.empty(k)
    for j in range(k):
        middle[j] = s.u[j] + s.x[j] / 2
    # T(u+) - T(u) = du W (u + u+)/2 ;  a surface's own speed v0 supplies p v0
    gained = _energy(s, s.x, middle)
    for i in range(count):
        part = s.listed[i]
        row = s.first[part]
        if s.masters[part] == part:
            gained += s.normal[i] * (s.phi[row] - _dot(s.N[row], s.u))
            s.impulses[part, 0] = s.normal[i]
        if s.direction[i] != HAS_NO_SLIP:
            gained += s.friction[i] * (s.phi[row + 1] - _dot(s.N[row + 1], s.u))
            s.impulses[part, 1] = s.friction[i]
    if gained > GAINS * _energy(s, s.u, s.u) / 2:
        return False
    for j in range(k):
        s.u[j] += s.x[j]
    _look(s)
    for part in range(len(s.first)):
        if s.closed[s.masters[part]] == 0 and s.gaps[part] <= NEAR * s.sizes[part] and _closing(s, part):
            return False
    return True


def _last(s: ActiveSet, length: float) -> bool:
    """Which contacts stay closed; False where bounces pile up, or it is not plain."""
    for part in range(len(s.first)):
        s.rest[part] = 0
        s.lasting[part] = 1 if s.closed[part] != 0 and abs(s.phi[s.first[part]]) <= NEAR * s.terms[part] else 0
    for part in range(len(s.first)):
        row = s.first[part]
        if s.closed[part] == 0 or s.lasting[part] != 0 or not s.phi[row] > 0.0:
            continue
        if _decided(s, s.lasting, False) < 0:
            return False
        since = 0.0 if math.isnan(s.since[part]) else s.moment[0] - s.since[part]
        fall = s.g[row] - _dot(s.N[row], s.x)
        if left_to_bounce(s.phi[row], fall, s.laws[part, E], s.gaps[part], s.sizes[part], since, length) < math.inf:
            return False
    return True


def _rests(s: ActiveSet, part: int, energy: float) -> bool:
    """Does a part slip by less than can be told of a double energy?"""
    if abs(_slip(s, part)) <= NEAR * s.terms[part]:
        return True
    # |B u|^2 <= |B W^-1 B^T| u W u
    solved = _solved(s, _with_row(s, 0, s.first[part] + 1, 0.0), False)
    return solved and abs(_slip(s, part)) <= ROUNDED * math.sqrt(abs(s.G[0, 0]) * abs(energy))


def _closes(s: ActiveSet, part: int) -> bool:
    """Do accelerations take a contact through its surface?"""
    row = s.first[part]
    return _dot(s.N[row], s.x) - s.g[row] < -CLOSES * (_size(s.N[row], s.x) + abs(s.g[row]))
