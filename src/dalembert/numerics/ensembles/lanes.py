"""Many runs of the same equations side by side, one in each SIMD lane: the arrays that all their functions share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ...calculus.narrow_places import MUCH
from ..events.crossings import MOST, NOTHING, Step, WatchedGuard, classify, grain, in_step
from ..events.guard_signs import ROUNDINGS
from ..events.roots import NODES, RESOLVED, TRANSFORM, X
from ..machine.ir_numbers import Real
from ..machine.loop.function_address import call
from ..methods.explicit_runge_kutta.advance import FURTHER, LEAST, NEW, Y
from ..methods.explicit_runge_kutta.step_ir import POWERS, Part, Work, _Step, powers
from ..methods.explicit_runge_kutta.tableau import ExplicitTableau
from ..methods.stepper import END

STOPPED, CAREFUL = 7, 8  # by an event; a run that the lanes leave to `simulate`
MARK, STOP, LEAVE, WIDE = 0, 1, 2, 3  # what an event does; WIDE is none, but an argument of something narrow
NOW, SIZE, NEXT, CONTROLLED = range(4)  # rows of `moment`, see `step`


class LaneCode(NamedTuple):
    """Addresses: of the functions for lanes, and of each guard for one state; `rounds` is 0 where there is one lane."""

    rhs: int
    step: int
    dense: int
    take: int
    first: int
    rounds: int
    watch: int
    guards: np.ndarray


class LaneTask(NamedTuple):
    """What is to be done, for K members of n components, with parameters and S sample times.

    Attributes:
        t, ends: where each begins and ends (K,), t <= ends.
        margin_limit, margin_low, max_step, max_steps, controlled: as for `explicit_runge_kutta.advance`.
        starts, h: (K, n), and the sizes of their first steps, 0 where the method chooses (K,).
        parameters: (K, np).
        tolerances: rtol and atol of each component, (K, n + 1).
        times: sample times (S,), rising, in [t, ends] of all.
        kinds, directions: of each event, (E,): MARK, STOP, LEAVE or WIDE, and the direction that counts, 0 for both.
        needed, depends: components that each guard depends on, (E, n), and how many these are, (E,).
        noise: size of each guard below which its sign means nothing, (K, E).
    """

    t: np.ndarray
    ends: np.ndarray
    margin_limit: float
    margin_low: float
    max_step: float
    max_steps: int
    controlled: int
    starts: np.ndarray
    h: np.ndarray
    parameters: np.ndarray
    tolerances: np.ndarray
    times: np.ndarray
    kinds: np.ndarray
    directions: np.ndarray
    needed: np.ndarray
    depends: np.ndarray
    noise: np.ndarray


class LaneResults(NamedTuple):
    """What is found in K members.

    Times and states at the ends (K,), (K, n), sizes of the steps planned there (K,), samples (K, S, n), status (K,),
    counts of steps, refused steps and evaluations (K, 3), earlier ones included, least margins (K,); how often each
    event happened (K, E), and when and where the first M times (K, E, M), (K, E, M, n); the event that stopped each
    run (K,), -1 for none.
    """

    t: np.ndarray
    y: np.ndarray
    h: np.ndarray
    samples: np.ndarray
    status: np.ndarray
    counts: np.ndarray
    margins: np.ndarray
    happened: np.ndarray
    when: np.ndarray
    where: np.ndarray
    stopped: np.ndarray


class Lanes(NamedTuple):
    """The W lanes: numbers of the compiled functions, (..., W), and which member each lane runs, -1 for none.

    `watch` holds the address of the function that watches guards, and the row of `coefficients` that says where nothing
    happens, two integers as bits of doubles (see `rounds`). `place` counts the samples already passed, `cut` is where
    in a step the run ends; `control` is as of `rounds.Control`, and `h`, `factor` and `good` are rows of it: the step
    planned, the largest growth allowed next, 1.0 where the step was good.
    """

    layout: np.ndarray
    work: np.ndarray
    F: np.ndarray
    moment: np.ndarray
    p: np.ndarray
    tolerance: np.ndarray
    coefficients: np.ndarray
    watch: np.ndarray
    member: np.ndarray
    place: np.ndarray
    control: np.ndarray
    h: np.ndarray
    factor: np.ndarray
    good: np.ndarray
    cut: np.ndarray


def finish(lanes: Lanes, found: LaneResults, lane: int, n: int, status: int) -> None:
    """The run of a lane ends with the state it has."""
    k, y, work, first = lanes.member[lane], found.y, lanes.work, lanes.layout[Y]
    found.status[k], found.t[k], found.h[k] = status, lanes.moment[NOW, lane], lanes.h[lane]
    for i in range(n):
        y[k, i] = work[first + i, lane]
    lanes.member[lane], lanes.h[lane] = -1, 0.0


# --- What happens inside the steps of the lanes: samples, events, and runs that stop there ---------------------------


class LaneEvents(NamedTuple):
    """Room for what happens in a step of a lane: when, in which direction, which event it is; the order of time."""

    times: np.ndarray
    directions: np.ndarray
    events: np.ndarray
    order: np.ndarray


def _inside(lanes: Lanes, i: int, lane: int, n: int, x: float) -> float:
    """Component i at the part x of a lane's step, as `trajectory.interpolant.dense`."""
    value = 0.0
    for power in range(POWERS - 1, -1, -1):
        value = (value + lanes.F[power * n + i, lane]) * (x if power % 2 == 0 else 1 - x)
    return value + lanes.work[lanes.layout[Y] + i, lane]


def _state(lanes: Lanes, lane: int, t: float, y: np.ndarray) -> None:
    """The state at a time of a lane's step."""
    n, row = len(y), lanes.layout[NEW]
    for i in range(n):
        if t == lanes.moment[NEXT, lane]:
            y[i] = lanes.work[row + i, lane]
        else:
            y[i] = _inside(lanes, i, lane, n, (t - lanes.moment[NOW, lane]) / lanes.moment[SIZE, lane])


def _sample(lanes: Lanes, task: LaneTask, found: LaneResults, lane: int) -> None:
    """The samples in a lane's step, up to where it is cut."""
    while lanes.place[lane] < len(task.times) and task.times[lanes.place[lane]] <= lanes.cut[lane]:
        t = task.times[lanes.place[lane]]
        _state(lanes, lane, t, found.samples[lanes.member[lane], lanes.place[lane]])
        lanes.place[lane] += 1


def _search(lanes: Lanes, code: LaneCode, task: LaneTask, found: LaneResults, lane: int, seen: LaneEvents) -> int:
    """Everything that happens in a lane's step: how much, or -1 where it needs a careful search."""
    n, k, count = task.starts.shape[1], lanes.member[lane], 0
    times, directions, events = seen.times, seen.directions, seen.events
    c, one, out, y, point = np.empty(NODES), np.empty(1), np.empty(1), np.empty(n), np.empty(n)
    F, opening = np.empty((POWERS, n)), lanes.moment[NOW, lane] == task.t[k]
    step = Step(lanes.moment[NOW, lane], lanes.moment[NEXT, lane], lanes.moment[SIZE, lane], y, F)
    for e in range(len(task.kinds)):
        for j in range(NODES):
            c[j] = lanes.coefficients[e * NODES + j, lane]
        if task.kinds[e] == WIDE:
            if may_hide(c):
                return -1
            continue
        if classify(c, task.noise[k, e], opening, grain(step.t, step.end)) == NOTHING:
            continue
        for i in range(n):
            y[i] = lanes.work[lanes.layout[Y] + i, lane]
            for power in range(POWERS):
                F[power, i] = lanes.F[power * n + i, lane]
        needed = task.needed[e, : task.depends[e]]
        watched = WatchedGuard(code.guards[e], task.parameters[k], needed, task.noise[k, e], one, point, out)
        several = in_step(watched, step, opening, c, times[count:], directions[count:])
        if several < 0 or count + several + MOST > len(times):
            return -1
        events[count : count + several] = e
        count += several
    return count


def may_hide(c: np.ndarray) -> bool:
    """Does an argument with Chebyshev coefficients c change by much on a step, and is it 0 or stationary there?

    The error of the step knows what lies at the step's evaluations alone, see `events.narrow`.
    """
    others, curved = 0.0, 0.0
    for k in range(1, NODES):
        others += abs(c[k])
        curved += k * k * abs(c[k]) if k > 1 else 0.0  # |T_k'| <= k^2
    if 2 * others <= MUCH:
        return False
    return not (abs(c[0]) > others and abs(c[1]) > curved)


def _sort(times: np.ndarray, order: np.ndarray, count: int) -> None:
    """The places of the first times in their order; of equal ones the first stays first."""
    for i in range(count):
        k = i
        while k > 0 and times[order[k - 1]] > times[i]:
            order[k] = order[k - 1]
            k -= 1
        order[k] = i


def _act(lanes: Lanes, code: LaneCode, task: LaneTask, found: LaneResults, lane: int, seen: LaneEvents) -> int:
    """Events of a lane's step: returns STOPPED or CAREFUL where the run ends with them, else END."""
    times, directions, events, order = seen.times, seen.directions, seen.events, seen.order
    k, count = lanes.member[lane], _search(lanes, code, task, found, lane, seen)
    if count < 0:
        return CAREFUL
    for i in range(count):
        if task.kinds[events[i]] != MARK and task.directions[events[i]] in (0, directions[i]):
            if task.kinds[events[i]] == LEAVE:
                return CAREFUL
            if times[i] < lanes.cut[lane] or found.stopped[k] < 0:
                lanes.cut[lane], found.stopped[k] = times[i], events[i]
    _sort(times, order, count)
    instant = lanes.cut[lane] + ROUNDINGS * np.spacing(abs(lanes.cut[lane]))  # all events until then are at one time
    for place in range(count):
        i = order[place]
        e = events[i]
        if times[i] > instant or task.directions[e] not in (0, directions[i]):
            continue
        if task.kinds[e] == STOP and e != found.stopped[k]:
            continue
        if found.happened[k, e] < found.when.shape[2]:
            found.when[k, e, found.happened[k, e]] = times[i]
            _state(lanes, lane, times[i], found.where[k, e, found.happened[k, e]])
        found.happened[k, e] += 1
    return STOPPED if found.stopped[k] >= 0 else END


def _stop(lanes: Lanes, found: LaneResults, lane: int, n: int) -> None:
    """End the run of a lane inside its step."""
    k = lanes.member[lane]
    _state(lanes, lane, lanes.cut[lane], found.y[k])
    found.status[k], found.t[k] = STOPPED, lanes.cut[lane]
    lanes.member[lane], lanes.h[lane] = -1, 0.0


def look_inside(lanes: Lanes, code: LaneCode, task: LaneTask, found: LaneResults, seen: LaneEvents) -> None:
    """Events and samples inside the good steps."""
    n, least, member, good, work = task.starts.shape[1], lanes.layout[LEAST], lanes.member, lanes.good, lanes.work
    place, cut, counts, margins, samples = lanes.place, lanes.cut, found.counts, found.margins, task.times
    coefficients, quiet = lanes.coefficients, NODES * len(task.kinds)
    call(code.dense, lanes.moment, lanes.p, work, lanes.F)
    if len(task.kinds) > 0:
        call(code.watch, lanes.moment, lanes.p, work, coefficients)
    for l in range(len(member)):
        sampled = place[l] < len(samples) and samples[place[l]] <= cut[l]
        if good[l] == 0.0 or not (quiet > 0 or sampled):  # a lane is left alone where only its neighbours need this
            continue
        k, status = member[l], END
        counts[k, 2] += lanes.layout[FURTHER]
        margins[k] = min(margins[k], work[least, l])
        if quiet > 0 and coefficients[quiet, l] == 0.0:
            status = _act(lanes, code, task, found, l, seen)
        if status == CAREFUL:
            finish(lanes, found, l, n, CAREFUL)
            continue
        if sampled:
            _sample(lanes, task, found, l)
        if status == STOPPED:
            _stop(lanes, found, l, n)


# --- Guards on the Chebyshev nodes of a step, as IR: what `crossings.classify` decides by, for lanes -----------------
#     watch(time, p, work, out)    after ``inside``: the Chebyshev coefficients of every guard on the step
#
# ``time`` is (t, h, t + h) and ``work`` as `step_ir.Work` lays it out; the dense output is that of the components that
# guards depend on. ``out`` holds 12 coefficients for each guard, and then 1 where no guard is anywhere near zero on the
# step, else 0. The library has ``guard0``, ``guard1``, ... of the usual signature.


@dataclass
class _LaneWatch(_Step):
    rows: dict[int, list[str]] = field(default_factory=dict)

    def times(self, a: str, b: str) -> str:
        """a b."""
        return self.new(f"fmul {self.real.type} {a}, {b}")

    def plus(self, a: str, b: str) -> str:
        """a + b."""
        return self.new(f"fadd {self.real.type} {a}, {b}")

    def component(self, i: int, x: float) -> str:
        """y_i at the part x of the step, as `trajectory.interpolant.dense`."""
        # y + x (F0 + (1 - x) (F1 + x (F2 + ...)))
        value = self.real.number(0.0)
        if i not in self.rows:
            self.rows[i] = powers(self, Part(i, self.real))
        for power in range(POWERS - 1, -1, -1):
            factor = self.real.number(x if power % 2 == 0 else 1 - x)
            value = self.times(self.plus(value, self.rows[i][power]), factor)
        return self.plus(value, self.load("%work", self.work.Y + i))


def watching(
    needed: Sequence[Sequence[int]], n: int, real: Real, wide: Sequence[bool], tableau: ExplicitTableau
) -> str:
    """IR of ``watch``.

    Args:
        needed: for each guard, the positions of the components that it depends on.
        n: number of components.
        real: one number or lanes.
        tableau: of the steps.
        wide: is it the argument of something narrow, quiet where it changes by little?
    """
    body = _LaneWatch({}, {}, real, work=Work(n, tableau=tableau))
    t, h, quiet = body.load("%time", 0), body.load("%time", 1), real.number(1.0)
    for e, components in enumerate(needed):
        values = []
        for j in range(NODES):
            x = float((1 + X[j]) / 2)
            now = body.plus(t, body.times(h, body.real.number(x)))
            body.do(f"store {real.type} {now}, ptr %moment, align 64")
            for i in components:
                body.store(body.at("%point", i), [body.component(i, x)])
            body.do(f"call void @guard{e}(ptr %moment, ptr %point, ptr %p, ptr %value)")
            values.append(body.load("%value", 0))
        c = _coefficients(body, values)
        body.store(body.at("%out", e * NODES), c)
        quiet = body.times(quiet, _little(body, c) if wide[e] else _quiet(body, c))
    body.store(body.at("%out", len(needed) * NODES), [quiet])
    arguments = ", ".join(f"ptr noalias %{a}" for a in ("time", "p", "work", "out"))
    places = [f"  %{a} = alloca {real.type}, align 64" for a in ("moment", "value")]
    places += [f"  %point = alloca [{max(n, 1) * real.width} x double], align 64"]
    declared = [f"declare void @guard{e}(ptr, ptr, ptr, ptr)" for e in range(len(needed))]
    head = f"define void @watch({arguments}) {{"
    return "\n".join([*sorted(body.declarations), *declared, head, *places, *body.lines, "  ret void", "}", ""])


def _coefficients(body: _LaneWatch, values: Sequence[str]) -> list[str]:
    """c_k = sum_j g(x_j) T_jk."""
    c = []
    for k in range(NODES):
        total = body.times(values[0], body.real.number(float(TRANSFORM[0, k])))
        for j in range(1, NODES):
            total = body.plus(total, body.times(values[j], body.real.number(float(TRANSFORM[j, k]))))
        c.append(total)
    return c


def _little(body: _LaneWatch, c: Sequence[str]) -> str:
    """1 where 2 sum |c_k| <= MUCH, k > 0, else 0."""
    real, total = body.real, body.real.number(0.0)
    for x in c[1:]:
        total = body.plus(total, body.call(f"llvm.fabs.{real.suffix}", [x]))
    test = body.new(f"fcmp ole {real.type} {total}, {real.number(MUCH / 2)}")
    return body.new(f"uitofp {real.mask} {test} to {real.type}")


def _quiet(body: _LaneWatch, c: Sequence[str]) -> str:
    """1 where |c_0| > sum |c_k| + 12 tail and tail <= |c_0| 1e-10, the tail being the last two coefficients, else 0."""
    real = body.real
    sizes = [body.call(f"llvm.fabs.{real.suffix}", [x]) for x in c]
    tail = body.plus(sizes[-1], sizes[-2])
    others = body.times(tail, real.number(float(NODES)))
    for size in sizes[1:]:
        others = body.plus(others, size)
    resolved = body.times(sizes[0], real.number(RESOLVED))
    tests = [
        body.new(f"fcmp {how} {real.type} {a}, {b}")
        for how, a, b in (("ogt", sizes[0], others), ("ole", tail, resolved))
    ]
    numbers = [body.new(f"uitofp {real.mask} {test} to {real.type}") for test in tests]
    return body.times(*numbers)
