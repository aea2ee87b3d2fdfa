"""One whole step of DOP853 as IR: all stages, the new state, the error, the way back to the constraints.

Functions around ``rhs`` and ``project`` of the same library, for one number or for lanes of them:

    step(time, p, tolerance, work)     from y and k0 to the new state, its derivative, the error and the least margin
    dense(time, p, work, F)            after it: the dense output, three stages more
    take(good, ..., work)              the new state and its derivative become y and k0 where `good` is not 0

``time`` is (t, h, t + h, number of components under error control), ``tolerance`` (rtol, atol of each component),
``work`` as `Work` lays it out; each of their numbers is one per lane. `tableau` has the numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from ...machine.library import widest
from ...machine.llvm import Body, spread
from ...machine.real import SCALAR, Real
from .tableau import ALL_STAGES, E3, E5, POWERS, STAGES, A, C, D

# rows 0..15: the stages, row 12 being the step itself; 16..19: dense output
WEIGHTS = np.vstack([A, D])
SAFETY, SLOWEST, FASTEST = 0.9, 0.2, 10.0  # bounds of the factor to the next step size
TINY = 1e-300
SMALL = 600  # operations of a right-hand side that is written into the step at each of its stages


@dataclass(frozen=True)
class Work:
    """Where things lie in ``work``, for n components: first rows of y, the new state, errors, margin and stages.

    A stage is a derivative and `tail` numbers behind it, of which the first is the margin.
    """

    n: int
    tail: int = 1

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
        """The error, at most 1 where the step is good, and the factor to the next step size."""
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
        return self.error + 4 + s * (self.n + self.tail)

    @property
    def size(self) -> int:
        """How many rows there are."""
        return self.stage(ALL_STAGES)


@dataclass(frozen=True)
class Part:
    """Components that are computed together: a row of lanes, or neighbours of one state in a register."""

    first: int
    real: Real


@dataclass
class _Step(Body):
    """Instructions on numbers in ``time``, ``p``, ``tolerance`` or ``F``, and ``work``.

    With lanes, each row is a part. A state alone is cut into registers instead, so that one instruction serves several
    of its components.
    """

    work: Work = field(default=Work(0))
    inline: str = ""

    @property
    def alone(self) -> bool:
        """Is this one run, whose components stand side by side?"""
        return self.real.width == 1

    @property
    def parts(self) -> list[Part]:
        """The components."""
        if not self.alone:
            return [Part(i, self.real) for i in range(self.work.n)]
        parts, i, width = [], 0, widest()
        while i < self.work.n:
            while width > self.work.n - i:
                width //= 2
            parts.append(Part(i, Real.lanes(width)))
            i += width
        return parts

    def get(self, part: Part, pointer: str, row: int) -> str:
        """The numbers of a part behind row `row` of a pointer."""
        return self.new(f"load {part.real.type}, ptr {self.at(pointer, row + part.first)}, align 8")

    def get_stage(self, part: Part, row: int) -> str:
        """The numbers of a part in ``work``."""
        return self.get(part, "%work", row)

    def put(self, part: Part, pointer: str, row: int, value: str) -> None:
        """Write them."""
        self.do(f"store {part.real.type} {value}, ptr {self.at(pointer, row + part.first)}, align 8")

    def put_row(self, row: int, value: str) -> None:
        """Write one number, or one of each lane, to ``work``."""
        self.put(Part(0, self.real), "%work", row, value)

    def same(self, part: Part, pointer: str, row: int) -> str:
        """A number that all components share, for a part."""
        value = self.load(pointer, row)
        return spread(self, part.real, value) if self.alone else value

    def fused(self, real: Real, a: str, b: str, c: str | None) -> str:
        """a b + c."""
        if c is None:
            return self.new(f"fmul contract {real.type} {a}, {b}")
        self.declarations.add(f"declare {real.type} @llvm.fmuladd.{real.suffix}({', '.join([real.type] * 3)})")
        return self.new(
            f"call {real.type} @llvm.fmuladd.{real.suffix}({real.type} {a}, {real.type} {b}, {real.type} {c})"
        )

    def on(self, real: Real, operation: str, a: str, b: str) -> str:
        """An operation on two numbers."""
        return self.new(f"{operation} contract {real.type} {a}, {b}")

    def apply(self, real: Real, function: str, *args: str) -> str:
        """An intrinsic function."""
        name = f"llvm.{function}.{real.suffix}"
        self.declarations.add(f"declare {real.type} @{name}({', '.join([real.type] * len(args))})")
        return self.new(f"call {real.type} @{name}({', '.join(f'{real.type} {a}' for a in args)})")

    def just_written(self, part: Part, row: int) -> str:
        """The numbers of a part that were written one by one a moment ago.

        A load of a whole register would wait until all these small writes have left the processor; small loads need
        not. Where the right-hand side is called, they are volatile, lest the compiler make one large load of them.
        """
        if part.real.width == self.real.width:
            return self.get(part, "%work", row)
        kind, vector = "load" if self.inline else "load volatile", "undef"
        for lane in range(part.real.width):
            number = self.new(f"{kind} double, ptr {self.at('%work', row + part.first + lane)}, align 8")
            vector = self.new(f"insertelement {part.real.type} {vector}, double {number}, i32 {lane}")
        return vector

    def combination(self, part: Part, weights: np.ndarray) -> str:
        """sum_j w_j k_j over the stages, of which the last one was written just now."""
        total = None
        for j, weight in enumerate(weights):
            if weight:
                read = self.just_written if j == len(weights) - 1 else self.get_stage
                k = read(part, self.work.stage(j))
                total = self.fused(part.real, k, part.real.number(float(weight)), total)
        assert total is not None
        return total

    def moved(self, part: Part, s: int) -> str:
        """y + h sum_j a_sj k_j."""
        y, h = self.get(part, "%work", self.work.Y), self.same(part, "%time", 1)
        return self.fused(part.real, h, self.combination(part, WEIGHTS[s, :s]), y)

    def evaluate(self, time: str, s: int, at: int) -> None:
        """k_s = f(time, the state in rows `at`)."""
        point, stage = self.at("%work", at), self.at("%work", self.work.stage(s))
        self.do(f"call void @rhs(ptr {time}, ptr {point}, ptr %p, ptr {stage}){self.inline}")

    def moment(self, s: int) -> str:
        """Address of t + c_s h."""
        t, h = self.load("%time", 0), self.load("%time", 1)
        now = self.fused(self.real, h, self.real.number(float(C[s])), t)
        self.do(f"store {self.real.type} {now}, ptr %moment, align 64")
        return "%moment"

    def text(self, name: str, arguments: Sequence[str], calls: Sequence[str]) -> str:
        """The whole function."""
        declared = [f"declare void @{function}(ptr, ptr, ptr, ptr)" for function in calls]
        head = f"define void @{name}({', '.join(f'ptr noalias %{a}' for a in arguments)}) {{"
        moment = f"  %moment = alloca {self.real.type}, align 64"
        return "\n".join([*sorted(self.declarations), *declared, head, moment, *self.lines, "  ret void", "}", ""])


def stepping(n: int, operations: int, project: bool, real: Real = SCALAR, tail: int = 1) -> dict[str, str]:
    """IR of ``step``, ``dense`` and ``take`` for n components.

    Args:
        n: number of components.
        operations: of the right-hand side; a small one is written into the step, a large one called.
        project: does the library have ``project``?
        real: one number or lanes.
        tail: how many numbers the right-hand side writes behind the derivative, the margin first.
    """
    inline = " alwaysinline" if operations <= SMALL else ""
    body = lambda: _Step({}, {}, real, work=Work(n, tail), inline=inline)  # noqa: E731
    return {"step": _step(body(), project), "dense": _dense(body()), "take": _take(body())}


def _step(body: _Step, project: bool) -> str:
    work = body.work
    for s in range(1, STAGES):
        # k_s = f(t + c_s h, y + h sum_{j<s} a_sj k_j)
        for part in body.parts:
            body.put(part, "%work", work.point, body.moved(part, s))
        body.evaluate(body.moment(s), s, work.point)
    for part in body.parts:
        body.put(part, "%work", work.new, body.moved(part, STAGES))
    error = _error(body)
    body.put_row(work.error, error)
    body.put_row(work.error + 1, _growth(body, error))
    end = body.at("%time", 2)
    if project:
        place = body.at("%work", work.new)
        body.do(f"call void @project(ptr {end}, ptr {place}, ptr %p, ptr {place})")
    body.evaluate(end, STAGES, work.new)
    body.put_row(work.margin, _least_margin(body, range(1, STAGES + 1)))
    body.put_row(work.largest, _largest(body))
    return body.text("step", ("time", "p", "tolerance", "work"), ("rhs", "project") if project else ("rhs",))


def _error(body: _Step) -> str:
    """Norm of the error estimate; a step is good where it is at most 1 [hairer1993, II.10]."""
    real = body.real
    e5, e3 = _sums(body)
    # err = |h| |e5|^2 / sqrt(n (|e5|^2 + |e3|^2 / 100)), 0 where both are 0
    both = body.fused(real, e3, real.number(0.01), e5)
    both = body.apply(real, "maxnum", body.on(real, "fmul", both, body.load("%time", 3)), real.number(TINY))
    size = body.on(real, "fmul", body.apply(real, "fabs", body.load("%time", 1)), e5)
    return body.on(real, "fdiv", size, body.apply(real, "sqrt", both))


def _growth(body: _Step, error: str) -> str:
    """0.9 err^(-1/8) within bounds; the eighth root by three square roots."""
    real, root = body.real, error
    for _ in range(3):
        root = body.apply(real, "sqrt", root)
    factor = body.on(real, "fdiv", real.number(SAFETY), root)
    return body.apply(real, "maxnum", body.apply(real, "minnum", factor, real.number(FASTEST)), real.number(SLOWEST))


def _sums(body: _Step) -> list[str]:
    """Sums over the components of the squares of both errors by  atol + rtol max(|y|, |new|)."""
    totals: list[list[tuple[Real, str]]] = [[], []]
    for part in body.parts:
        real = part.real
        sizes = [body.apply(real, "fabs", body.get(part, "%work", row)) for row in (body.work.Y, body.work.new)]
        atol, rtol = body.get(part, "%tolerance", 1), body.same(part, "%tolerance", 0)
        scale = body.fused(real, rtol, body.apply(real, "maxnum", *sizes), atol)
        weight = body.on(real, "fdiv", real.number(1.0), scale)
        for total, weights in zip(totals, (E5, E3), strict=True):
            error = body.on(real, "fmul", body.combination(part, weights), weight)
            total.append((real, body.on(real, "fmul", error, error)))
    return [_together(body, total, "fadd", "fadd", "double 0x0000000000000000, ") for total in totals]


def _together(body: _Step, values: Sequence[tuple[Real, str]], operation: str, reduction: str, first: str = "") -> str:
    """Numbers of all parts put together by an operation: ``fadd``, or a function of two numbers."""
    total: str | None = None
    for real, value in values:
        if body.alone and real.width > 1:
            name = f"llvm.vector.reduce.{reduction}.{real.suffix}"
            body.declarations.add(f"declare double @{name}({'double, ' if first else ''}{real.type})")
            value = body.new(f"call reassoc double @{name}({first}{real.type} {value})")
        if total is None:
            total = value
        elif operation == "fadd":
            total = body.on(body.real, "fadd", total, value)
        else:
            total = body.apply(body.real, operation, total, value)
    return total or body.real.number(0.0)


def _least_margin(body: _Step, stages: Iterable[int]) -> str:
    margins = [(body.real, body.load("%work", body.work.stage(s) + body.work.n)) for s in stages]
    return _together(body, margins, "minimum", "fminimum")


def _largest(body: _Step) -> str:
    """max |new| + 0 sum k_12, so that it is NaN where a number is not finite."""
    sizes, slopes = [], []
    for part in body.parts:
        sizes.append((part.real, body.apply(part.real, "fabs", body.get(part, "%work", body.work.new))))
        slopes.append((part.real, body.get(part, "%work", body.work.stage(STAGES))))
    total = _together(body, slopes, "fadd", "fadd", "double 0x0000000000000000, ")
    nothing = body.on(body.real, "fmul", body.real.number(0.0), total)
    return body.on(body.real, "fadd", _together(body, sizes, "maximum", "fmaximum"), nothing)


def _take(body: _Step) -> str:
    n, work, real = body.work.n, body.work, body.real
    mask = body.new(f"fcmp une {real.type} {body.load('%good', 0)}, {real.number(0.0)}")
    pairs = [(work.new + i, work.Y + i) for i in range(n)]
    pairs += [(work.stage(STAGES) + i, work.stage(0) + i) for i in range(n + work.tail)]
    for source, target in pairs:
        new, old = body.load("%work", source), body.load("%work", target)
        body.put_row(target, body.new(f"select {real.mask} {mask}, {real.type} {new}, {real.type} {old}"))
    return body.text("take", ("good", "p", "unused", "work"), ())


def _dense(body: _Step) -> str:
    n, work = body.work.n, body.work
    for s in range(STAGES + 1, ALL_STAGES):
        for part in body.parts:
            body.put(part, "%work", work.point, body.moved(part, s))
        body.evaluate(body.moment(s), s, work.point)
    body.put_row(work.margin, _least_margin(body, range(STAGES + 1, ALL_STAGES)))
    for part in body.parts:
        real, h = part.real, body.same(part, "%time", 1)
        change = body.on(real, "fsub", *(body.get(part, "%work", row) for row in (work.new, work.Y)))
        first, last = (body.get(part, "%work", work.stage(s)) for s in (0, STAGES))
        # F0 = dy, F1 = h k_0 - dy, F2 = 2 dy - h (k_12 + k_0), F_m = h sum_j d_mj k_j
        both = body.on(real, "fmul", h, body.on(real, "fadd", first, last))
        rows = [change, body.on(real, "fsub", body.on(real, "fmul", h, first), change)]
        rows += [body.on(real, "fsub", body.on(real, "fadd", change, change), both)]
        rows += [body.on(real, "fmul", h, body.combination(part, WEIGHTS[ALL_STAGES + m])) for m in range(POWERS - 3)]
        for m, value in enumerate(rows):
            body.put(part, "%F", m * n, value)
    return body.text("dense", ("time", "p", "work", "F"), ("rhs",))
