"""One whole step of DOP853 as IR: all stages, the new state, the error, the way back to the constraints.

Functions around ``rhs`` and ``project`` of the same library, for one number or for lanes of them:

    step(time, p, tolerance, work)     from y and k0 to the new state, its derivative, the error and the least margin
    dense(time, p, work, F)            after it: the dense output, three stages more
    take(good, ..., work)              the new state and its derivative become y and k0 where `good` is not 0

``time`` is (t, h, t + h), ``tolerance`` (rtol, atol of each component), ``work`` as `Work` lays it out; each of their
numbers is one per lane. The tableau is SciPy's published one in Hairer's order of stages: 0..11 the method, 12 the
derivative at the new point, 13..15 for the dense output only [hairer1993, II.5, II.6].
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.integrate._ivp import dop853_coefficients as tableau

from .llvm import Body
from .real import SCALAR, Real

STAGES, ALL_STAGES, POWERS = tableau.N_STAGES, tableau.N_STAGES_EXTENDED, tableau.INTERPOLATOR_POWER
C = np.ascontiguousarray(tableau.C)
# rows 0..15: the stages, row 12 being the step itself; 16..19: dense output
WEIGHTS = np.vstack([tableau.A, tableau.D])
E5, E3 = np.ascontiguousarray(tableau.E5[:STAGES]), np.ascontiguousarray(tableau.E3[:STAGES])
SMALL = 600  # operations of a right-hand side that is written into the step at each of its stages


@dataclass(frozen=True)
class Work:
    """Where things lie in ``work``, for n components: first rows of y, the new state, errors, margin and stages."""

    n: int

    Y = 0

    @property
    def new(self) -> int:
        """The new state."""
        return self.n

    @property
    def point(self) -> int:
        """Scratch: where the right-hand side is evaluated."""
        return 2 * self.n

    @property
    def error(self) -> int:
        """Sums of squares of the two scaled errors, and then the least margin of the new stages."""
        return 3 * self.n

    @property
    def margin(self) -> int:
        """The least margin of the new stages."""
        return self.error + 2

    @property
    def largest(self) -> int:
        """The largest number of the new state; NaN where one of it or of its derivative is not finite."""
        return self.error + 3

    def stage(self, s: int) -> int:
        """Derivative and margin of stage s."""
        return self.error + 4 + s * (self.n + 1)

    @property
    def size(self) -> int:
        """How many rows there are."""
        return self.stage(ALL_STAGES)


@dataclass
class _Step(Body):
    """A `Body` whose numbers lie in ``time``, ``p``, ``tolerance`` or ``F``, and ``work``."""

    work: Work = field(default=Work(0))
    inline: str = ""

    def time(self, index: int) -> str:
        """t, h or t + h."""
        return self.load("%time", index)

    def end(self) -> str:
        """Address of t + h."""
        return self.at("%time", 2)

    def rtol(self) -> str:
        """The relative tolerance."""
        return self.load("%tolerance", 0)

    def atol(self, i: int) -> str:
        """The absolute tolerance of a component."""
        return self.load("%tolerance", 1 + i)

    def put_sums(self, totals: Sequence[str]) -> None:
        """Write both sums of squared errors."""
        self.put(self.work.error, totals)

    def put_largest(self, largest: str) -> None:
        """Write the largest number of the new state."""
        self.put(self.work.largest, [largest])

    def row(self, index: int) -> str:
        """A number of ``work``."""
        return self.load("%work", index)

    def put(self, index: int, values: Iterable[str]) -> None:
        """Write numbers to ``work``."""
        self.store(self.at("%work", index), values)

    def fused(self, a: str, b: str, c: str | None) -> str:
        """a b + c."""
        if c is None:
            return self.new(f"fmul contract {self.real.type} {a}, {b}")
        real = self.real.type
        self.declarations.add(f"declare {real} @llvm.fmuladd.{self.real.suffix}({real}, {real}, {real})")
        return self.new(f"call {real} @llvm.fmuladd.{self.real.suffix}({real} {a}, {real} {b}, {real} {c})")

    def do2(self, operation: str, a: str, b: str) -> str:
        """An operation on two numbers."""
        return self.new(f"{operation} contract {self.real.type} {a}, {b}")

    def combination(self, weights: np.ndarray, i: int) -> str:
        """sum_j w_j k_ji over the stages."""
        total = None
        for j, weight in enumerate(weights):
            if weight:
                total = self.fused(self.row(self.work.stage(j) + i), self.real.number(float(weight)), total)
        assert total is not None
        return total

    def evaluate(self, time: str, s: int, at: int) -> None:
        """k_s = f(time, the state in rows `at`)."""
        point, stage = self.at("%work", at), self.at("%work", self.work.stage(s))
        self.do(f"call void @rhs(ptr {time}, ptr {point}, ptr %p, ptr {stage}){self.inline}")

    def moment(self, h: str, s: int) -> str:
        """Address of t + c_s h."""
        t = self.fused(h, self.real.number(float(C[s])), self.time(0))
        self.do(f"store {self.real.type} {t}, ptr %moment, align 64")
        return "%moment"

    def text(self, name: str, arguments: Sequence[str], calls: Sequence[str]) -> str:
        """The whole function."""
        declared = [f"declare void @{function}(ptr, ptr, ptr, ptr)" for function in calls]
        head = f"define void @{name}({', '.join(f'ptr noalias %{a}' for a in arguments)}) {{"
        moment = f"  %moment = alloca {self.real.type}, align 64"
        return "\n".join([*sorted(self.declarations), *declared, head, moment, *self.lines, "  ret void", "}", ""])


@dataclass
class _Tied(_Step):
    """Lanes that are parts of one run: one time, one step, one error, one relative tolerance."""

    def _one(self, pointer: str, index: int) -> str:
        address = self.new(f"getelementptr double, ptr {pointer}, i64 {index}")
        return self.spread(self.new(f"load double, ptr {address}, align 8"))

    def time(self, index: int) -> str:
        """t, h or t + h."""
        return self._one("%time", index)

    def end(self) -> str:
        """Address of t + h."""
        return self.new("getelementptr double, ptr %time, i64 2")

    def rtol(self) -> str:
        """The relative tolerance."""
        return self._one("%tolerance", 0)

    def atol(self, i: int) -> str:
        """The absolute tolerances of a component's lanes."""
        address = self.new(f"getelementptr double, ptr %tolerance, i64 {1 + i * self.real.width}")
        return self.new(f"load {self.real.type}, ptr {address}, align 8")

    def put_sums(self, totals: Sequence[str]) -> None:
        """Write both sums of squared errors, over all lanes."""
        real = self.real
        self.declarations.add(f"declare double @llvm.vector.reduce.fadd.{real.suffix}(double, {real.type})")
        for index, total in enumerate(totals):
            zero = "double 0x0000000000000000"
            every = self.new(f"call reassoc double @llvm.vector.reduce.fadd.{real.suffix}({zero}, {real.type} {total})")
            self._put_one(self.work.error * real.width + index, every)

    def put_largest(self, largest: str) -> None:
        """Write the largest number of all lanes."""
        real = self.real
        self.declarations.add(f"declare double @llvm.vector.reduce.fmaximum.{real.suffix}({real.type})")
        every = self.new(f"call double @llvm.vector.reduce.fmaximum.{real.suffix}({real.type} {largest})")
        self._put_one(self.work.largest * real.width, every)

    def _put_one(self, element: int, value: str) -> None:
        address = self.new(f"getelementptr double, ptr %work, i64 {element}")
        self.do(f"store double {value}, ptr {address}, align 8")


def stepping(n: int, operations: int, project: bool, real: Real = SCALAR, tied: bool = False) -> dict[str, str]:
    """IR of ``step``, ``dense`` and ``take`` for n components.

    Args:
        n: number of components.
        operations: of the right-hand side; a small one is written into the step, a large one called.
        project: does the library have ``project``?
        real: one number or lanes.
        tied: are the lanes parts of one run, which share time, step size and error?
    """
    inline = " alwaysinline" if operations <= SMALL else ""
    kind = _Tied if tied else _Step
    body = lambda: kind({}, {}, real, work=Work(n), inline=inline)  # noqa: E731
    return {"step": _step(body(), project), "dense": _dense(body()), "take": _take(body())}


def _step(body: _Step, project: bool) -> str:
    n, work = body.work.n, body.work
    h = body.time(1)
    y = [body.row(work.Y + i) for i in range(n)]
    for s in range(1, STAGES):
        # k_s = f(t + c_s h, y + h sum_{j<s} a_sj k_j)
        body.put(work.point, [body.fused(h, body.combination(WEIGHTS[s, :s], i), y[i]) for i in range(n)])
        body.evaluate(body.moment(h, s), s, work.point)
    new = [body.fused(h, body.combination(WEIGHTS[STAGES, :STAGES], i), y[i]) for i in range(n)]
    body.put(work.new, new)
    body.put_sums(_errors(body, y, new))
    end = body.end()
    if project:
        place = body.at("%work", work.new)
        body.do(f"call void @project(ptr {end}, ptr {place}, ptr %p, ptr {place})")
    body.evaluate(end, STAGES, work.new)
    body.put(work.margin, [_least_margin(body, range(1, STAGES + 1))])
    body.put_largest(_largest(body))
    return body.text("step", ("time", "p", "tolerance", "work"), ("rhs", "project") if project else ("rhs",))


def _errors(body: _Step, y: Sequence[str], new: Sequence[str]) -> list[str]:
    """Sums over the components of the squares of both errors by  atol + rtol max(|y|, |new|)."""
    rtol, one = body.rtol(), body.real.number(1.0)
    suffix = body.real.suffix
    totals: list[str | None] = [None, None]
    for i, (a, b) in enumerate(zip(y, new, strict=True)):
        larger = body.call(f"llvm.maxnum.{suffix}", [body.call(f"llvm.fabs.{suffix}", [x]) for x in (a, b)])
        scale = body.do2("fdiv", one, body.fused(rtol, larger, body.atol(i)))
        for which, weights in enumerate((E5, E3)):
            error = body.do2("fmul", body.combination(weights, i), scale)
            totals[which] = body.fused(error, error, totals[which])
    return [total or body.real.number(0.0) for total in totals]


def _least_margin(body: _Step, stages: Iterable[int]) -> str:
    least = None
    for s in stages:
        margin = body.row(body.work.stage(s) + body.work.n)
        least = margin if least is None else body.call(f"llvm.minimum.{body.real.suffix}", [least, margin])
    assert least is not None
    return least


def _largest(body: _Step) -> str:
    """max |new| + 0 sum k_12, so that it is NaN where a number is not finite."""
    n, work, suffix = body.work.n, body.work, body.real.suffix
    largest, total = None, None
    for i in range(n):
        size = body.call(f"llvm.fabs.{suffix}", [body.row(work.new + i)])
        largest = size if largest is None else body.call(f"llvm.maximum.{suffix}", [largest, size])
        slope = body.row(work.stage(STAGES) + i)
        total = slope if total is None else body.do2("fadd", total, slope)
    assert largest is not None and total is not None
    return body.do2("fadd", largest, body.do2("fmul", body.real.number(0.0), total))


def _take(body: _Step) -> str:
    n, work = body.work.n, body.work
    good = body.load("%good", 0)
    mask = body.new(f"fcmp une {body.real.type} {good}, {body.real.number(0.0)}")
    pairs = [(work.new + i, work.Y + i) for i in range(n)]
    pairs += [(work.stage(STAGES) + i, work.stage(0) + i) for i in range(n + 1)]
    for source, target in pairs:
        kind = body.real.type
        kept = body.new(f"select {body.real.mask} {mask}, {kind} {body.row(source)}, {kind} {body.row(target)}")
        body.put(target, [kept])
    return body.text("take", ("good", "p", "unused", "work"), ())


def _dense(body: _Step) -> str:
    n, work = body.work.n, body.work
    h = body.time(1)
    for s in range(STAGES + 1, ALL_STAGES):
        points = [body.fused(h, body.combination(WEIGHTS[s, :s], i), body.row(work.Y + i)) for i in range(n)]
        body.put(work.point, points)
        body.evaluate(body.moment(h, s), s, work.point)
    body.put(work.margin, [_least_margin(body, range(STAGES + 1, ALL_STAGES))])
    for i in range(n):
        change = body.do2("fsub", body.row(work.new + i), body.row(work.Y + i))
        first, last = (body.row(work.stage(s) + i) for s in (0, STAGES))
        # F0 = dy, F1 = h k_0 - dy, F2 = 2 dy - h (k_12 + k_0), F_m = h sum_j d_mj k_j
        both = body.do2("fmul", h, body.do2("fadd", first, last))
        rows = [change, body.do2("fsub", body.do2("fmul", h, first), change)]
        rows += [body.do2("fsub", body.do2("fadd", change, change), both)]
        rows += [body.do2("fmul", h, body.combination(WEIGHTS[ALL_STAGES + m], i)) for m in range(POWERS - 3)]
        for m, value in enumerate(rows):
            body.store(body.at("%F", m * n + i), [value])
    return body.text("dense", ("time", "p", "work", "F"), ("rhs",))
