"""Motions through many changes of contact in compiled code: steps, guards, roots, changes, the next mode's steps.

What is met is what `integrate`, `crossings` and `change` do one after the other; a piece whose steps, guards or change
are not plain is left to them.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..events.crossings import NOTHING as NO_ZERO
from ..events.crossings import Step, Watched, classify, grain, in_step, interpolate
from ..events.guard import ROUNDING
from ..machine.loop.address import call
from ..machine.loop.entry import loop
from ..methods.dop853.advance import Code, Room, Rules, State, advance
from ..methods.dop853.code import POWERS
from ..methods.loops import Buffers, copy
from ..methods.stepping import END, EVALUATIONS, FULL, MARGIN, REJECTED, STEPS, H, T
from .deciding import CAREFUL, Desk, Sight, Sizes
from .passing import OTHER, Turn, passed

RHS, STEP, DENSE, FIRST, PROJECT, OUT, IN, WIDTH, GUARD, GUARDS = range(10)  # columns of `Gears.codes`
LIMIT, LOW, LOOKED, ATOL = range(4)  # of `Gears.limits`
VALUE, SIZE, SENSE, KIND, WHO, COUNT = range(6)  # of `Gears.guards`
FROM, TO, GEAR, EVENT, STEPPED, REFUSED, EVALUATED, HIT = range(8)  # of `Tape.pieces`
DONE, ROOM, STRANGE, LEFT, UNDECIDED = range(5)  # how a stretch ends: what comes next is in no gear; a piece, or its
# change, is left to others
BEYOND, LEAST = 1e-9, 1e-6  # as in `segment`: how far a path may be beyond a gap


class Gears(NamedTuple):
    """The modes that are known.

    Attributes:
        keys: what each part does in each (G, C).
        codes: addresses, the number of its states, its first guard and how many there are (G, 10).
        p, watching: its parameters, and those of its guards (G, ...).
        limits: the least margin, that from which on it is left, that which is looked at, and whether `atol` is given.
        atol: absolute tolerances (G, n).
        layouts: of its work space (G, 8).
        guards: addresses, sense, kind, whose it is, and how many states it depends on (K, 6).
        needed: these states (K, n).
        gaps: address of the gaps of all parts and the sizes of their terms.
    """

    keys: np.ndarray
    codes: np.ndarray
    p: np.ndarray
    watching: np.ndarray
    limits: np.ndarray
    atol: np.ndarray
    layouts: np.ndarray
    guards: np.ndarray
    needed: np.ndarray
    gaps: int


class Road(NamedTuple):
    """How far and how: the run's end, length, rtol, largest step, most steps of a piece and of one that is not looked
    at.
    """

    end: float
    length: float
    rtol: float
    max_step: float
    max_steps: int
    many: int


class Tape(NamedTuple):
    """What is written: nodes of pieces, one behind the other, and what each piece is.

    Attributes:
        times, sizes: (N,), of a node the size of the step that ends there.
        states, full, coefficients: (N, n), (N, full row), (N, 7 n).
        pieces: (P, 8).
        margins: (P,).
        after, modes, impulses: behind the change at its end, full states, what each part does, and what hit it.
    """

    times: np.ndarray
    sizes: np.ndarray
    states: np.ndarray
    full: np.ndarray
    coefficients: np.ndarray
    pieces: np.ndarray
    margins: np.ndarray
    after: np.ndarray
    modes: np.ndarray
    impulses: np.ndarray


class Bench(NamedTuple):
    """Work space.

    Attributes:
        clock, y, counters: of `advance`.
        times, states, coefficients: its buffers for one step.
        work, moment: its room.
        tolerance: rtol and atol.
        row, point, out, value: a full row, a state, gaps, and a number.
        chebyshev, zeros, ways: of a guard.
        gaps, first: largest sizes of gaps' terms, and the gaps at the beginning of a piece.
        least: the least margin of a piece (1,).
    """

    clock: np.ndarray
    y: np.ndarray
    counters: np.ndarray
    times: np.ndarray
    states: np.ndarray
    coefficients: np.ndarray
    work: np.ndarray
    moment: np.ndarray
    tolerance: np.ndarray
    row: np.ndarray
    point: np.ndarray
    out: np.ndarray
    value: np.ndarray
    chebyshev: np.ndarray
    zeros: np.ndarray
    ways: np.ndarray
    gaps: np.ndarray
    first: np.ndarray
    least: np.ndarray


def _gear(gears: Gears, turn: Turn) -> int:
    """The mode that parts are in; -1 for one that is not known."""
    for g in range(len(gears.keys)):
        same = True
        for part in range(len(turn.modes)):
            same = same and gears.keys[g, part] == turn.modes[part]
        if same:
            return g
    return -1


def _written(gears: Gears, g: int, bench: Bench, tape: Tape, node: int, t: float, y: np.ndarray, h: float) -> None:
    """A node on the tape."""
    n, full = gears.codes[g, WIDTH], len(bench.row)
    tape.times[node], tape.sizes[node] = t, h
    for i in range(n):
        tape.states[node, i] = y[i]
    bench.moment[0] = t
    if gears.codes[g, OUT] != 0:
        call(gears.codes[g, OUT], bench.moment, y, gears.p[g], bench.row)
    else:
        for i in range(full):
            bench.row[i] = y[i]
    for i in range(full):
        tape.full[node, i] = bench.row[i]


def _noise(gears: Gears, g: int, guard: int, bench: Bench, t: float, y: np.ndarray) -> float:
    """What a guard's value means nothing below."""
    bench.moment[0] = t
    call(gears.guards[guard, SIZE], bench.moment, y, gears.watching[g], bench.value)
    size = bench.value[0]
    return ROUNDING * size if math.isfinite(size) else 0.0


def _crossed(gears: Gears, g: int, bench: Bench, step: Step, opening: bool) -> tuple[float, int]:
    """The first time on a step at which a guard acts, and which; -1 where none does, -2 where it is not plain."""
    best, which = math.inf, -1
    for guard in range(gears.codes[g, GUARD], gears.codes[g, GUARD] + gears.codes[g, GUARDS]):
        noise = _noise(gears, g, guard, bench, step.t, step.y)
        needed = gears.needed[guard, 0 : gears.guards[guard, COUNT]]
        watched = Watched(
            gears.guards[guard, VALUE], gears.watching[g], needed, noise, bench.moment, bench.point, bench.value
        )
        interpolate(watched, step, step.t, step.end, bench.chebyshev)
        if classify(bench.chebyshev, noise, opening, grain(step.t, step.end)) == NO_ZERO:
            continue
        count = in_step(watched, step, opening, bench.chebyshev, bench.zeros, bench.ways)
        if count < 0:
            return 0.0, -2
        for i in range(count):
            sense = gears.guards[guard, SENSE]
            if (sense == 0 or sense == bench.ways[i]) and bench.zeros[i] <= best:
                if bench.zeros[i] == best:
                    return 0.0, -2
                best, which = bench.zeros[i], guard
    return best, which


def _beyond(gears: Gears, bench: Bench, turn: Turn, sight: Sight, t: float, opening: bool) -> bool:
    """Has a contact that is apart been passed at a node?"""
    parts = len(turn.modes)
    bench.moment[0] = t
    call(gears.gaps, bench.moment, bench.row, sight.p, bench.out)
    for part in range(parts):
        gap, size = bench.out[part], bench.out[parts + part]
        if opening:
            bench.gaps[part], bench.first[part] = size, gap
        bench.gaps[part] = max(bench.gaps[part], size)
        slack = BEYOND * max(bench.gaps[part], LEAST) + 2 * max(-bench.first[part], 0.0)
        if turn.modes[part] == 0 and gap < -slack:
            return True
    return False


def _begun(gears: Gears, g: int, bench: Bench, road: Road, t: float) -> None:
    """The state that a mode begins with, and its tolerances; the full row stands on the bench."""
    n, full, most = gears.codes[g, WIDTH], len(bench.row), 0.0
    bench.row[full - 1] = 0.0
    bench.moment[0] = t
    if gears.codes[g, IN] != 0:
        call(gears.codes[g, IN], bench.moment, bench.row, gears.p[g], bench.y)
    else:
        for i in range(n):
            bench.y[i] = bench.row[i]
    bench.y[n - 1] = 0.0
    for i in range(n - 1):
        most = max(most, abs(bench.y[i]))
    # rtol/100 times the size of the start, at most 1
    usual = road.rtol * 1e-2 * (min(most, 1.0) if most > 0.0 else 1.0)
    bench.tolerance[0] = road.rtol
    for i in range(n - 1):
        bench.tolerance[1 + i] = gears.atol[g, i] if gears.limits[g, ATOL] != 0.0 else usual
    bench.tolerance[n] = math.inf
    bench.clock[T], bench.clock[H], bench.clock[MARGIN] = t, 0.0, math.inf
    bench.counters[STEPS] = bench.counters[REJECTED] = bench.counters[EVALUATIONS] = 0


def _stepped(gears: Gears, g: int, bench: Bench, road: Road) -> int:
    """One step more; its status."""
    n = gears.codes[g, WIDTH]
    code = Code(gears.codes[g, RHS], gears.codes[g, STEP], gears.codes[g, DENSE], gears.codes[g, FIRST])
    rules = Rules(bench.tolerance, n - 1, gears.limits[g, LIMIT], gears.limits[g, LOW], road.max_step, road.max_steps)
    state = State(bench.clock, bench.y[0:n], bench.counters)
    buffers = Buffers(bench.times, bench.states, bench.coefficients)
    room = Room(bench.work, gears.layouts[g], bench.moment)
    status, count = advance(code, rules, road.end, gears.p[g], state, buffers, room, 1)
    return status if count == 1 else -1


def _at(step: Step, bench: Bench, gears: Gears, g: int, t: float) -> None:
    """The state at a time of a step, on the constraints: on the bench, as `point`."""
    n, F, x = gears.codes[g, WIDTH], step.F, (t - step.t) / step.h
    if t == step.end:
        for i in range(n):
            bench.point[i] = bench.y[i]
    else:
        for i in range(n):
            value = 0.0
            for power in range(POWERS - 1, -1, -1):
                value = (value + F[power, i]) * (x if power % 2 == 0 else 1 - x)
            bench.point[i] = value + step.y[i]
    if gears.codes[g, PROJECT] == 0:
        return
    bench.moment[0] = t
    call(gears.codes[g, PROJECT], bench.moment, bench.point, gears.p[g], bench.states[0])
    sound = True
    for i in range(n):
        sound = sound and math.isfinite(bench.states[0, i])
    if sound:
        for i in range(n):
            bench.point[i] = bench.states[0, i]


def _noted(turn: Turn, bench: Bench) -> None:
    """The largest speeds of the run, with those of a full row."""
    k = len(turn.speeds)
    first = len(bench.row) - 1 - k
    for j in range(k):
        turn.speeds[j] = max(turn.speeds[j], abs(bench.row[first + j]))


def _piece(
    gears: Gears, g: int, bench: Bench, road: Road, tape: Tape, turn: Turn, sight: Sight, first: int
) -> tuple[int, int]:
    """One mode from the state on the bench on: its last node, and the guard that ended it; -1 for the end of the run,
    -2 where something is not plain, -3 where the tape is full.
    """
    n, node, status, least = gears.codes[g, WIDTH], first, FULL, math.inf
    _written(gears, g, bench, tape, node, bench.clock[T], bench.y, 0.0)
    if _beyond(gears, bench, turn, sight, bench.clock[T], True):
        return node, -2
    while status != END:
        if node + 2 > len(tape.times):
            return node, -3
        t, before = tape.times[node], tape.states[node]
        bench.clock[MARGIN] = math.inf
        status = _stepped(gears, g, bench, road)
        least = min(least, bench.clock[MARGIN])
        strange = status < END or status > FULL
        if strange or least < gears.limits[g, LOOKED] or bench.counters[STEPS] > road.many:
            return node, -2
        F = bench.coefficients[0, 0 : POWERS * n].reshape(POWERS, n)
        end = bench.clock[T]
        step = Step(t, end, end - t, before, F)
        when, guard = _crossed(gears, g, bench, step, node == first)
        if guard == -2 or (guard >= 0 and gears.guards[guard, KIND] == OTHER):
            return node, -2
        node += 1
        copy(bench.coefficients[0, 0 : POWERS * n], tape.coefficients[node, 0 : POWERS * n])
        if guard >= 0:
            _at(step, bench, gears, g, when)
            _written(gears, g, bench, tape, node, when, bench.point, end - t)
        else:
            _written(gears, g, bench, tape, node, end, bench.y, end - t)
        _noted(turn, bench)
        if _beyond(gears, bench, turn, sight, tape.times[node], False):
            return node, -2
        bench.least[0] = least
        if guard >= 0:
            return node, guard
    return node, -1


def _kept(turn: Turn, tape: Tape, piece: int, bench: Bench, told: np.ndarray) -> None:
    """Put down what a piece was: first and last node, gear, event, and whether there was an impact."""
    for i in range(len(told)):
        tape.pieces[piece, i] = told[i]
    tape.pieces[piece, STEPPED] = bench.counters[STEPS]
    tape.pieces[piece, REFUSED] = bench.counters[REJECTED]
    tape.pieces[piece, EVALUATED] = bench.counters[EVALUATIONS]
    first = len(bench.row) - 1 - len(turn.u)
    for part in range(len(turn.modes)):
        tape.modes[piece, part] = turn.modes[part]
        tape.impulses[piece, 2 * part] = turn.impulses[part, 0]
        tape.impulses[piece, 2 * part + 1] = turn.impulses[part, 1]
    for i in range(first):
        tape.after[piece, i] = bench.row[i]
    for j in range(len(turn.u)):
        tape.after[piece, first + j] = bench.row[first + j] = turn.u[j]


@loop
def relay(
    gears: Gears, road: Road, bench: Bench, tape: Tape, turn: Turn, sizes: Sizes, sight: Sight, desk: Desk, t: float
) -> tuple[int, int]:
    """From a full row on the bench on, in the modes of `turn`: how it ends, and how many pieces are on the tape."""
    piece, node, now, told = 0, 0, t, np.zeros(4, np.int64)
    while piece < len(tape.pieces):
        g = _gear(gears, turn)
        if g < 0:
            return STRANGE, piece
        _begun(gears, g, bench, road, now)
        last, event = _piece(gears, g, bench, road, tape, turn, sight, node)
        if event < -1:
            return (LEFT if event == -2 else ROOM), piece
        told[FROM], told[TO], told[GEAR], told[EVENT] = node, last, g, event
        tape.margins[piece] = bench.least[0]
        tape.pieces[piece, HIT] = 0
        now = tape.times[last]
        if event == -1:
            _kept(turn, tape, piece, bench, told)
            return DONE, piece + 1
        for i in range(len(sight.y)):
            sight.y[i] = bench.row[i]
        sight.moment[0] = now
        kind, who = gears.guards[event, KIND], gears.guards[event, WHO]
        how, hit = passed(sizes, sight, desk, turn, kind, who, road.length)
        _kept(turn, tape, piece, bench, told)
        if how == CAREFUL:
            return UNDECIDED, piece + 1
        tape.pieces[piece, HIT] = 1 if hit else 0
        piece += 1
        if now >= road.end:
            return DONE, piece
        node = last + 1
    return ROOM, piece
