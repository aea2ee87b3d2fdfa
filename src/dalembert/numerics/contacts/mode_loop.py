"""Mode after mode in compiled code: steps, guards, roots, what each change does, the next mode's steps.

What is met is what `integrate`, `crossings` and `change` do one after the other; a segment whose steps, guards or
change are not plain is left to them.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..events.crossings import NOTHING as NO_ZERO
from ..events.crossings import Step, WatchedGuard, classify, grain, in_step, interpolate
from ..events.guard import ROUNDING
from ..machine.loop.compiled_loop import loop
from ..machine.loop.function_address import call
from ..methods.explicit_runge_kutta.advance import Room, Rules, StepCode, StepState, advance
from ..methods.explicit_runge_kutta.step_ir import POWERS
from ..methods.stepper import END, EVALUATIONS, FULL, MARGIN, REJECTED, STEPS, Buffers, H, T, copy
from .active_set import APART, OTHER, ActiveSet, behind, passed

RHS, STEP, DENSE, FIRST, PROJECT, OUT, IN, WIDTH, GUARD, GUARDS = range(10)  # columns of `Modes.codes`
LIMIT, LOW, LOOKED, ATOL = range(4)  # of `Modes.limits`
VALUE, SIZE, SENSE, KIND, WHO, COUNT = range(6)  # of `Modes.guards`
FROM, TO, MODE, EVENT, HIT, STEPPED, REFUSED, EVALUATED = range(8)  # of `Tape.table`
DONE, ROOM, STRANGE, LEFT, UNDECIDED = range(5)  # how a run ends: what comes next is no known mode; a segment, or its
# change, is left to others


class Modes(NamedTuple):
    """The modes that are known.

    Attributes:
        keys: what each part does in each (M, C).
        codes: addresses, the number of its states, its first guard and how many there are (M, 10).
        p, watching: its parameters, and those of its guards (M, ...).
        limits: the least margin, that from which on it is left, that which is looked at, and whether `atol` is given.
        atol: absolute tolerances (M, n).
        layouts: of its work space (M, 10).
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


class ModeSpan(NamedTuple):
    """How far and how: the run's end, length, rtol, largest step, most steps of a segment and of one that is not looked
    at.
    """

    end: float
    length: float
    rtol: float
    max_step: float
    max_steps: int
    many: int


class Tape(NamedTuple):
    """What is written: nodes of segments, one behind the other, and what each segment is.

    Attributes:
        times, sizes: (N,), of a node the size of the step that ends there.
        states, full, coefficients: (N, n), (N, full row), (N, 7 n).
        table: first and last node, mode, event, is there an impact, steps, refused ones, evaluations (P, 8).
        margins: (P,).
        after, modes, impulses: behind the change at its end, full states, what each part does, and what hit it.
    """

    times: np.ndarray
    sizes: np.ndarray
    states: np.ndarray
    full: np.ndarray
    coefficients: np.ndarray
    table: np.ndarray
    margins: np.ndarray
    after: np.ndarray
    modes: np.ndarray
    impulses: np.ndarray


class ModeWork(NamedTuple):
    """Work space.

    Attributes:
        clock, y, counters: of `advance`.
        times, states, coefficients: its buffers for one step.
        work, moment: its room.
        tolerance: rtol and atol.
        row, point, out, value: a full row, a state, gaps, and a number.
        chebyshev, zeros, ways: of a guard.
        gaps, first: largest sizes of gaps' terms, and the gaps at the beginning of a segment.
        least: the least margin of a segment (1,).
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


def _known(known: Modes, s: ActiveSet) -> int:
    """The mode that parts are in; -1 for one that is not known."""
    for m in range(len(known.keys)):
        same = True
        for part in range(len(s.modes)):
            same = same and known.keys[m, part] == s.modes[part]
        if same:
            return m
    return -1


def _translated(
    known: Modes, m: int, way: int, bench: ModeWork, t: float, given: np.ndarray, found: np.ndarray
) -> None:
    """A full row of the states of a mode (`OUT`), or the states of a full row (`IN`)."""
    if known.codes[m, way] != 0:
        bench.moment[0] = t
        call(known.codes[m, way], bench.moment, given, known.p[m], found)
    else:
        copy(given[: known.codes[m, WIDTH]], found)


def _written(known: Modes, m: int, bench: ModeWork, tape: Tape, node: int, t: float, y: np.ndarray, h: float) -> None:
    """A node on the tape."""
    tape.times[node], tape.sizes[node] = t, h
    copy(y[: known.codes[m, WIDTH]], tape.states[node])
    _translated(known, m, OUT, bench, t, y, bench.row)
    copy(bench.row, tape.full[node])


def _crossed(known: Modes, m: int, bench: ModeWork, step: Step, opening: bool) -> tuple[float, int]:
    """The first time on a step at which a guard acts, and which; -1 where none does, -2 where it is not plain."""
    best, which = math.inf, -1
    for guard in range(known.codes[m, GUARD], known.codes[m, GUARD] + known.codes[m, GUARDS]):
        bench.moment[0] = step.t
        call(known.guards[guard, SIZE], bench.moment, step.y, known.watching[m], bench.value)
        # below it a guard's value means nothing
        noise = ROUNDING * bench.value[0] if math.isfinite(bench.value[0]) else 0.0
        needed = known.needed[guard, 0 : known.guards[guard, COUNT]]
        watched = WatchedGuard(
            known.guards[guard, VALUE], known.watching[m], needed, noise, bench.moment, bench.point, bench.value
        )
        interpolate(watched, step, step.t, step.end, bench.chebyshev)
        if classify(bench.chebyshev, noise, opening, grain(step.t, step.end)) == NO_ZERO:
            continue
        count = in_step(watched, step, opening, bench.chebyshev, bench.zeros, bench.ways)
        if count < 0:
            return 0.0, -2
        for i in range(count):
            sense = known.guards[guard, SENSE]
            if (sense == 0 or sense == bench.ways[i]) and bench.zeros[i] <= best:
                if bench.zeros[i] == best:
                    return 0.0, -2
                best, which = bench.zeros[i], guard
    return best, which


def _beyond(known: Modes, bench: ModeWork, s: ActiveSet, t: float, opening: bool) -> bool:
    """Has a contact that is apart been passed at a node?"""
    parts = len(s.modes)
    bench.moment[0] = t
    call(known.gaps, bench.moment, bench.row, s.p, bench.out)
    for part in range(parts):
        gap, size = bench.out[part], bench.out[parts + part]
        if opening:
            bench.gaps[part], bench.first[part] = size, gap
        bench.gaps[part] = max(bench.gaps[part], size)
        if s.modes[part] == APART and gap < -behind(bench.gaps[part], bench.first[part]):
            return True
    return False


def _begun(known: Modes, m: int, bench: ModeWork, span: ModeSpan, t: float) -> None:
    """The state that a mode begins with, and its tolerances; the full row stands on the bench."""
    n, most = known.codes[m, WIDTH], 0.0
    bench.row[len(bench.row) - 1] = 0.0
    _translated(known, m, IN, bench, t, bench.row, bench.y)
    bench.y[n - 1] = 0.0
    for i in range(n - 1):
        most = max(most, abs(bench.y[i]))
    # rtol/100 times the size of the start, at most 1
    usual = span.rtol * 1e-2 * (min(most, 1.0) if most > 0.0 else 1.0)
    bench.tolerance[0], bench.tolerance[n] = span.rtol, math.inf
    for i in range(n - 1):
        bench.tolerance[1 + i] = known.atol[m, i] if known.limits[m, ATOL] != 0.0 else usual
    bench.clock[T], bench.clock[H], bench.clock[MARGIN] = t, 0.0, math.inf
    bench.counters[STEPS] = bench.counters[REJECTED] = bench.counters[EVALUATIONS] = 0


def _stepped(known: Modes, m: int, bench: ModeWork, span: ModeSpan) -> int:
    """One step more; its status."""
    n = known.codes[m, WIDTH]
    code = StepCode(known.codes[m, RHS], known.codes[m, STEP], known.codes[m, DENSE], known.codes[m, FIRST])
    rules = Rules(bench.tolerance, n - 1, known.limits[m, LIMIT], known.limits[m, LOW], span.max_step, span.max_steps)
    state = StepState(bench.clock, bench.y[0:n], bench.counters)
    buffers = Buffers(bench.times, bench.states, bench.coefficients)
    room = Room(bench.work, known.layouts[m], bench.moment)
    status, count = advance(code, rules, span.end, known.p[m], state, buffers, room, 1)
    return status if count == 1 else -1


def _at(step: Step, bench: ModeWork, known: Modes, m: int, t: float) -> None:
    """The state at a time of a step, on the constraints: on the bench, as `point`."""
    n, F, x = known.codes[m, WIDTH], step.F, (t - step.t) / step.h
    if t == step.end:
        copy(bench.y[0:n], bench.point)
    else:
        for i in range(n):
            value = 0.0
            for power in range(POWERS - 1, -1, -1):
                value = (value + F[power, i]) * (x if power % 2 == 0 else 1 - x)
            bench.point[i] = value + step.y[i]
    if known.codes[m, PROJECT] == 0:
        return
    bench.moment[0] = t
    call(known.codes[m, PROJECT], bench.moment, bench.point, known.p[m], bench.states[0])
    sound = True
    for i in range(n):
        sound = sound and math.isfinite(bench.states[0, i])
    if sound:
        copy(bench.states[0, 0:n], bench.point)


def _segment(
    known: Modes, m: int, bench: ModeWork, span: ModeSpan, tape: Tape, s: ActiveSet, first: int
) -> tuple[int, int]:
    """One mode from the state on the bench on: its last node, and the guard that ended it; -1 for the end of the run,
    -2 where something is not plain, -3 where the tape is full.
    """
    n, node, status, least = known.codes[m, WIDTH], first, FULL, math.inf
    velocities = len(bench.row) - 1 - len(s.u)
    _written(known, m, bench, tape, node, bench.clock[T], bench.y, 0.0)
    if _beyond(known, bench, s, bench.clock[T], True):
        return node, -2
    while status != END:
        if node + 2 > len(tape.times):
            return node, -3
        t, before = tape.times[node], tape.states[node]
        bench.clock[MARGIN] = math.inf
        status = _stepped(known, m, bench, span)
        least = min(least, bench.clock[MARGIN])
        strange = status < END or status > FULL
        if strange or least < known.limits[m, LOOKED] or bench.counters[STEPS] > span.many:
            return node, -2
        F = bench.coefficients[0, 0 : POWERS * n].reshape(POWERS, n)
        end = bench.clock[T]
        step = Step(t, end, end - t, before, F)
        when, guard = _crossed(known, m, bench, step, node == first)
        if guard == -2 or (guard >= 0 and known.guards[guard, KIND] == OTHER):
            return node, -2
        node += 1
        copy(bench.coefficients[0, 0 : POWERS * n], tape.coefficients[node])
        if guard >= 0:
            _at(step, bench, known, m, when)
            _written(known, m, bench, tape, node, when, bench.point, end - t)
        else:
            _written(known, m, bench, tape, node, end, bench.y, end - t)
        for j in range(len(s.u)):
            s.speeds[j] = max(s.speeds[j], abs(bench.row[velocities + j]))
        if _beyond(known, bench, s, tape.times[node], False):
            return node, -2
        bench.least[0] = least
        if guard >= 0:
            return node, guard
    return node, -1


@loop
def run_modes(known: Modes, span: ModeSpan, bench: ModeWork, tape: Tape, s: ActiveSet, t: float) -> tuple[int, int]:
    """From a full row on the bench on, in the modes of the active set: how it ends, and how many segments are on the
    tape.
    """
    number, node, now = 0, 0, t
    velocities = len(bench.row) - 1 - len(s.u)
    while number < len(tape.table):
        m = _known(known, s)
        if m < 0:
            return STRANGE, number
        _begun(known, m, bench, span, now)
        last, event = _segment(known, m, bench, span, tape, s, node)
        if event < -1:
            return (LEFT if event == -2 else ROOM), number
        now = tape.times[last]
        plain, hit = True, False
        if event >= 0:
            copy(bench.row[: len(s.y)], s.y)
            s.moment[0] = now
            plain, hit = passed(s, known.guards[event, KIND], known.guards[event, WHO], span.length)
        told = tape.table[number]
        told[FROM], told[TO], told[MODE], told[EVENT] = node, last, m, event
        told[HIT] = 1 if plain and hit else 0
        told[STEPPED], told[REFUSED] = bench.counters[STEPS], bench.counters[REJECTED]
        told[EVALUATED], tape.margins[number] = bench.counters[EVALUATIONS], bench.least[0]
        copy(s.u, bench.row[velocities:])
        copy(bench.row[: len(s.y)], tape.after[number])
        copy(s.modes, tape.modes[number])
        for part in range(len(s.modes)):
            copy(s.impulses[part], tape.impulses[number, 2 * part :])
        number += 1
        if not plain:
            return UNDECIDED, number
        if event == -1 or now >= span.end:
            return DONE, number
        node = last + 1
    return ROOM, number
