"""A whole step of an explicit Runge-Kutta pair as IR: stages, the new state, the error, the way back to constraints.

Functions around ``rhs`` and ``project`` of the same library, for one number or for lanes of them:

    step(time, p, tolerance, work)     from y and k0 to the new state, its derivative, the error and the least margin
    dense(time, p, work, F)            after it: the dense output, some stages more
    inside(time, p, work, F)           in lanes, those stages alone: `powers` tells what follows from them
    first(time, p, tolerance, work)    from y and k0 to the size of a first step, written where the error stands
    take(good, ..., work)              the new state and its derivative become y and k0 where `good` is not 0

In lanes, a ``step`` whose sines are turned on from its beginning does not look on the way how far, but at its end:
where one turned far it is made once more by ``anywhere``, to the same bits, and so is the next one at once.

``time`` is (t, h, t + h, number of components under error control), h the whole way for ``first``; ``tolerance``
(rtol, atol of each component), ``work`` as `Work` lays it out; each of their numbers is one per lane. An
`ExplicitTableau` has the weights.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass, field
from functools import reduce
from typing import NamedTuple

import numpy as np

from ....calculus.graph import symbols
from ...machine import sincos
from ...machine.compiler import widest
from ...machine.function_source import Function
from ...machine.ir_numbers import SCALAR, Real
from ...machine.llvm_ir import Inputs, Instructions, spread
from ...machine.sincos_update import ANCHOR, KEPT, NEARBY, ONWARD, Anchored
from ..stepper import FAILED
from .tableau import DOP853, POWERS, ExplicitTableau

SAFETY, SLOWEST, FASTEST = 0.9, 0.2, 10.0  # bounds of the factor to the next step size
TINY = 1e-300
ANYWHERE = "anywhere"  # the step in lanes whose sines turn far
INSIDE = "inside"
SMALL = 600  # operations of a right-hand side that is written into the step at each of its stages
TOGETHER = 8  # components whose sums over the stages stay in registers side by side
LONG = 96  # components of one state, from which on they are gone through in loops: the code does not grow with them


@dataclass(frozen=True)
class Work:
    """Where things lie in ``work``, for n components: first rows of y, the new state, errors, margin and stages.

    A stage is a derivative and `tail` numbers behind it, of which the first is the margin.
    """

    n: int
    tail: int = 1
    tableau: ExplicitTableau = DOP853

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

    @property
    def turn(self) -> int:
        """The square of the largest turn of a sine within the last step, of lanes."""
        return self.error + 4

    def stage(self, s: int) -> int:
        """Derivative and margin of stage s."""
        return self.error + 5 + s * (self.n + self.tail)

    @property
    def size(self) -> int:
        """How many rows there are."""
        return self.stage(self.tableau.every)


@dataclass(frozen=True)
class Part:
    """Components that are computed together: a row of lanes, or neighbours of one state in a register.

    In a loop `first` is the name of a number, else the number.
    """

    first: int | str
    real: Real


def registers(n: int) -> list[Part]:
    """Neighbours among n components that fill the widest registers."""
    parts, i, width = [], 0, widest()
    while i < n:
        while width > n - i:
            width //= 2
        parts.append(Part(i, Real.lanes(width)))
        i += width
    return parts


Turn = Callable[[Part, list[str]], list[str]]


class Traits(NamedTuple):
    """What is known of a right-hand side.

    Attributes:
        reads: components that it depends on; None where that is not known.
        still: components whose rate is 0 always, as the work is where nothing does any.
    """

    reads: Set[int] | None = None
    still: Set[int] = frozenset()

    @classmethod
    def of(cls, rhs: Function, n: int, inputs: Inputs) -> Traits:
        """Of a right-hand side for n components that finds its symbols where `inputs` says."""
        places = [inputs[name] for name in symbols([*rhs.outputs, *rhs.system]) if name in inputs]
        still = [i for i, rate in enumerate(rhs.outputs[:n]) if rate.graph.numbers.get(rate.index) == 0.0]
        return cls(frozenset(i for argument, i in places if argument == "y"), frozenset(still))


UNKNOWN = Traits()


@dataclass
class _Step(Instructions):
    """Instructions on numbers in ``time``, ``p``, ``tolerance`` or ``F``, and ``work``.

    With lanes, each row is a part. A state alone is cut into registers instead, so that one instruction serves several
    of its components.
    """

    work: Work = field(default=Work(0))
    inline: str = ""
    traits: Traits = UNKNOWN
    anchored: Anchored | None = None
    onward: str = ""
    slopes: dict[tuple[int, int | str], str] = field(default_factory=dict)
    block: str = "%0"
    loops: int = 0

    @property
    def long(self) -> bool:
        """Are there so many components that they are gone through in loops?"""
        return self.alone and self.work.n >= LONG

    @property
    def alone(self) -> bool:
        """Is this one run, whose components stand side by side?"""
        return self.real.width == 1

    @property
    def parts(self) -> list[Part]:
        """The components."""
        return registers(self.work.n) if self.alone else [Part(i, self.real) for i in range(self.work.n)]

    def each(self, action: Turn, carried: Sequence[str] = ()) -> list[str]:
        """Do something for every part in order, which takes what it gave for the part before and gives it anew."""
        found, parts = list(carried), self.parts
        if not self.long:
            for part in parts:
                found = action(part, found)
            return found
        whole = [part for part in parts if part.real == parts[0].real]
        found = self._again(action, action(parts[0], found), whole)
        for part in parts[len(whole) :]:
            found = action(part, found)
        return found

    def _again(self, action: Turn, carried: Sequence[str], whole: Sequence[Part]) -> list[str]:
        """The same for all but the first of some parts of one width, in a loop."""
        k, width, before = self.loops, whole[0].real.width, self.block
        self.loops += 1
        at, names = f"%at{k}", [f"%carried{k}_{j}" for j in range(len(carried))]
        self.do(f"br label %turn{k}")
        self.do(f"turn{k}:")
        begin = len(self.lines)
        given = action(Part(at, whole[0].real), names)
        following = self.new(f"add i64 {at}, {width}")
        phis = [f"{at} = phi i64 [ {width}, {before} ], [ {following}, %turn{k} ]"]
        kind = self.real.type
        for name, start, value in zip(names, carried, given, strict=True):
            phis.append(f"{name} = phi {kind} [ {start}, {before} ], [ {value}, %turn{k} ]")
        self.lines[begin:begin] = [f"  {line}" for line in phis]
        more = self.new(f"icmp slt i64 {following}, {width * len(whole)}")
        self.do(f"br i1 {more}, label %turn{k}, label %done{k}")
        self.do(f"done{k}:")
        self.block = f"%done{k}"
        return given

    def still(self, part: Part) -> bool:
        """Do all components of a part never change?"""
        return self._within(part) <= self.traits.still

    def read(self, part: Part) -> bool:
        """Does the right-hand side depend on one of them?"""
        return self.traits.reads is None or not self._within(part).isdisjoint(self.traits.reads)

    def wanted(self, part: Part, s: int) -> bool:
        """Does anything take the derivatives k_s of a part? The last is the first of the next step."""
        pair = self.work.tableau
        ends = any(weights[s : s + 1].any() for weights in (pair.A[pair.stages], *pair.errors, *pair.D))
        on_the_way = self.read(part) and pair.A[s + 1 :, s].any()
        return s == pair.stages or (not self.still(part) and bool(ends or on_the_way))

    def _within(self, part: Part) -> set[int]:
        """The components of a part; in a loop they stand for all."""
        if not isinstance(part.first, int):
            return set(range(self.work.n))
        return set(range(part.first, part.first + (part.real.width if self.alone else 1)))

    def place(self, part: Part, pointer: str, row: int) -> str:
        """Address of the first number of a part behind row `row` of a pointer."""
        if isinstance(part.first, int):
            return self.at(pointer, row + part.first)
        return self.new(f"getelementptr double, ptr {self.at(pointer, row)}, i64 {part.first}")

    def get(self, part: Part, pointer: str, row: int) -> str:
        """The numbers of a part behind row `row` of a pointer."""
        return self.new(f"load {part.real.type}, ptr {self.place(part, pointer, row)}, align 8")

    def put(self, part: Part, pointer: str, row: int, value: str) -> None:
        """Write them."""
        self.do(f"store {part.real.type} {value}, ptr {self.place(part, pointer, row)}, align 8")

    def put_row(self, row: int, value: str) -> None:
        """Write one number, or one of each lane, to ``work``."""
        self.put(Part(0, self.real), "%work", row, value)

    def same(self, part: Part, pointer: str, row: int) -> str:
        """A number that all components share, for a part."""
        return self.shared(part, self.load(pointer, row))

    def shared(self, part: Part, value: str) -> str:
        """The same, of a number that is there."""
        return spread(self, part.real, value) if self.alone else value

    def fused(self, real: Real, a: str, b: str, c: str | None) -> str:
        """a b + c."""
        if c is None:
            return self.on(real, "fmul", a, b)
        self.declarations.add(f"declare {real.type} @llvm.fmuladd.{real.suffix}({', '.join([real.type] * 3)})")
        return self.new(
            f"call {real.type} @llvm.fmuladd.{real.suffix}({real.type} {a}, {real.type} {b}, {real.type} {c})"
        )

    def on(self, real: Real, operation: str, a: str, b: str) -> str:
        """An operation on two numbers."""
        return self.new(f"{operation} {real.type} {a}, {b}")

    def apply(self, real: Real, function: str, *args: str) -> str:
        """An intrinsic function."""
        name = f"llvm.{function}.{real.suffix}"
        self.declarations.add(f"declare {real.type} @{name}({', '.join([real.type] * len(args))})")
        return self.new(f"call {real.type} @{name}({', '.join(f'{real.type} {a}' for a in args)})")

    def gathered(self, part: Part, pointer: str) -> str:
        """The numbers of a part that were written one by one a moment ago.

        A load of a whole register would wait until all these small writes have left the processor; small loads need
        not. Where the right-hand side is called, they are volatile, lest the compiler make one large load of them.
        """
        if part.real.width == self.real.width:
            return self.get(part, pointer, 0)
        kind, vector = "load" if self.inline else "load volatile", "undef"
        for lane in range(part.real.width):
            number = self.new(f"{kind} double, ptr {self.place(part, pointer, lane)}, align 8")
            vector = self.new(f"insertelement {part.real.type} {vector}, double {number}, i32 {lane}")
        return vector

    def slope(self, part: Part, s: int) -> str:
        """k_s, in a register or in ``work``."""
        found = self.slopes.get((s, part.first))
        return self.get(part, "%work", self.work.stage(s)) if found is None else found

    def larger(self, real: Real, a: str, b: str) -> str:
        """max(a, b): one instruction, which is b where one of them is no number."""
        which = self.new(f"fcmp ogt {real.type} {a}, {b}")
        return self.new(f"select {real.mask} {which}, {real.type} {a}, {real.type} {b}")

    def chosen(self, relation: str, a: str, b: str, yes: str, no: str) -> str:
        """One of two numbers, by a comparison."""
        real = self.real
        which = self.new(f"fcmp {relation} {real.type} {a}, {b}")
        return self.new(f"select {real.mask} {which}, {real.type} {yes}, {real.type} {no}")

    def combinations(self, parts: Sequence[Part], weights: np.ndarray) -> list[str]:
        """sum_j w_j k_j over the stages for several parts; few together, so that a weight is loaded once for them."""
        found: list[str] = []
        for few in (parts[i : i + TOGETHER] for i in range(0, len(parts), TOGETHER)):
            totals: list[str | None] = [None] * len(few)
            for j, weight in enumerate(weights):
                for i, part in enumerate(few) if weight else ():
                    if not self.still(part):
                        totals[i] = self.fused(
                            part.real, self.slope(part, j), part.real.number(float(weight)), totals[i]
                        )
            found += [
                part.real.number(0.0) if total is None else total for part, total in zip(few, totals, strict=True)
            ]
        return found

    def combination(self, part: Part, weights: np.ndarray) -> str:
        """The same for one."""
        return self.combinations([part], weights)[0]

    def moved(self, parts: Sequence[Part], s: int) -> list[str]:
        """y + h sum_j a_sj k_j for several parts."""
        found = []
        for part, total in zip(parts, self.combinations(parts, self.work.tableau.A[s, :s]), strict=True):
            y, h = self.get(part, "%work", self.work.Y), self.same(part, "%time", 1)
            found.append(y if self.still(part) else self.fused(part.real, h, total, y))
        return found

    def anchor(self, onward: str) -> None:
        """Keep the sines and cosines at the step's beginning: those of its stages are turned `onward` from there."""
        if self.anchored is not None:
            self.declarations |= self.anchored.texts
            for part in self.parts:
                self.put(part, "%state", 0, self.get(part, "%work", self.work.Y))
            self.put(Part(0, self.real), f"%{KEPT}", 0, self.real.number(0.0))
            self.do(f"call void @{ANCHOR}(ptr %time, ptr %state, ptr %p, ptr %slope, ptr %{KEPT})")
            self.onward = onward

    def far(self, pointer: str, row: int) -> str:
        """Did a sine turn so far in any lane that it has to be looked at?"""
        real = self.real
        beyond = self.new(f"fcmp ogt {real.type} {self.load(pointer, row)}, {real.number(sincos.NEARBY)}")
        self.declarations.add(f"declare i1 @llvm.vector.reduce.or.v{real.width}i1({real.mask})")
        return self.new(f"call i1 @llvm.vector.reduce.or.v{real.width}i1({real.mask} {beyond})")

    def evaluate(self, time: str, s: int, at: int, every: bool = False) -> None:
        """k_s = f(time, the state in rows `at`, or at `point`), of `every` component or those that a step takes.

        A right-hand side that is written in works on arrays of its own, which the compiler can keep in registers.
        """
        n, row = self.work.n, self.work.stage(s)
        state, slope = ("%state", "%slope") if self.inline else (self.at("%work", at), self.at("%work", row))
        for part in self.parts if self.inline and at != self.work.point else ():
            self.put(part, state, 0, self.get(part, "%work", at))
        # the last is the first of the next step, which others evaluate too
        if self.onward and s != self.work.tableau.stages:
            self.do(f"call void @{self.onward}(ptr {time}, ptr {state}, ptr %p, ptr {slope}, ptr %{KEPT})")
        else:
            self.do(f"call void @rhs(ptr {time}, ptr {state}, ptr %p, ptr {slope}){self.inline}")
        wanted = [part for part in self.parts if every or not self.inline or self.wanted(part, s)]
        for part in () if self.long else wanted:
            self.slopes[s, part.first] = self.gathered(part, slope)
        if self.inline:
            for part in wanted:
                self.put(part, "%work", row, self.slope(part, s))
            self.put_by()
            for i in range(n, n + self.work.tail):
                self.put_row(row + i, self.load(slope, i))

    def put_by(self) -> None:
        """Have the slopes of lanes taken from ``work`` from here on: they are more than there are registers.

        The compiler knows what was written and would keep it in registers, and put these by again, beside ``work``.
        """
        if not self.alone:
            self.slopes.clear()
            self.do('call void asm sideeffect "", "r,~{memory}"(ptr %work)')

    @property
    def point(self) -> tuple[str, int]:
        """Where the state of a stage lies."""
        return ("%state", 0) if self.inline else ("%work", self.work.point)

    def move(self, s: int, place: tuple[str, int]) -> None:
        """Write y + h sum_j a_sj k_j to rows behind a pointer; for a stage, as far as its derivative depends on it."""

        def moved(parts: Sequence[Part]) -> list[str]:
            wanted = [part for part in parts if place != self.point or self.read(part)]
            for part, value in zip(wanted, self.moved(wanted, s), strict=True):
                self.put(part, *place, value)
            return []

        if self.long:
            self.each(lambda part, _: moved([part]))
        else:
            moved(self.parts)

    def moment(self, s: int) -> str:
        """Address of t + c_s h."""
        t, h = self.load("%time", 0), self.load("%time", 1)
        return self.now(self.fused(self.real, h, self.real.number(float(self.work.tableau.C[s])), t))

    def now(self, t: str) -> str:
        """Address of a time."""
        self.do(f"store {self.real.type} {t}, ptr %moment, align 64")
        return "%moment"

    def text(self, name: str, arguments: Sequence[str], calls: Sequence[str]) -> str:
        """The whole function."""
        declared = [f"declare void @{function}(ptr, ptr, ptr, ptr)" for function in calls]
        widest_part = max((part.real for part in self.parts), key=lambda real: real.width)
        head = f"define void @{name}({', '.join(f'ptr noalias %{a}' for a in arguments)}) {widest_part.stack}{{"
        kept = 0 if self.anchored is None else self.anchored.room
        sizes = {"moment": 1, "state": self.work.n, "slope": self.work.n + self.work.tail, KEPT: kept}
        rooms = [f"  %{name} = alloca [{size * self.real.width} x double], align 64" for name, size in sizes.items()]
        return "\n".join([*sorted(self.declarations), *declared, head, *rooms, *self.lines, "  ret void", "}", ""])


def written_in(n: int, operations: int) -> bool:
    """Is a right-hand side of so many operations, for n components, written into the step, and not called?"""
    return operations <= SMALL and n < LONG


def stepping(
    n: int,
    operations: int,
    project: bool,
    real: Real = SCALAR,
    tail: int = 1,
    traits: Traits = UNKNOWN,
    anchored: Anchored | None = None,
    tableau: ExplicitTableau = DOP853,
) -> dict[str, str]:
    """IR of ``first``, ``step``, ``dense`` and ``take`` for n components.

    Args:
        n: number of components.
        operations: of the right-hand side; a small one is written into the step, a large one called.
        project: does the library have ``project``?
        real: one number or lanes.
        tail: how many numbers the right-hand side writes behind the derivative, the margin first.
        traits: of the right-hand side.
        anchored: the right-hand side near to where it was evaluated before, where it has sines.
        tableau: of the pair.
    """
    inline = " alwaysinline" if written_in(n if real.width == 1 else 0, operations) else ""
    body = lambda: _Step(  # noqa: E731
        {}, {}, real, work=Work(n, tail, tableau), inline=inline, traits=traits, anchored=anchored
    )
    texts = {"first": _first(body()), "dense": _dense(body()), "take": _take(body())}
    if real.width > 1:
        texts[INSIDE] = _inside(body())
    if anchored is None or real.width == 1:
        return {**texts, "step": _step(body(), project)}
    return {**texts, "step": _step_nearby(body(), project), ANYWHERE: _step(body(), project, ANYWHERE)}


def _first(body: _Step) -> str:
    """A first step [hairer1993, II.4]: a trial that is 1/100 of the state by its slope, then the order's own size."""
    work, real = body.work, body.real

    def y(part: Part) -> str:
        return body.get(part, "%work", work.Y)

    def f(part: Part) -> str:
        return body.get(part, "%work", work.stage(0))

    slope = _norm(body, f)
    trial = _trial(body, _norm(body, y), slope)
    h = body.apply(real, "copysign", trial, body.load("%time", 1))

    def tried(part: Part, _: list[str]) -> list[str]:
        body.put(part, *body.point, body.fused(part.real, body.shared(part, h), f(part), y(part)))
        return []

    body.each(tried)
    body.evaluate(body.now(body.on(real, "fadd", body.load("%time", 0), h)), 1, work.point, every=True)
    changed = _norm(body, lambda part: body.on(part.real, "fsub", body.slope(part, 1), f(part)))
    change = body.on(real, "fdiv", changed, trial)
    body.put_row(work.error, _order_size(body, trial, body.chosen("ogt", change, slope, change, slope)))
    return body.text("first", ("time", "p", "tolerance", "work"), ("rhs",))


def _trial(body: _Step, size: str, slope: str) -> str:
    """min(|y| / 100 |f|, the whole way), 1e-6 where one of them is next to nothing."""
    real, small = body.real, body.real.number(1e-5)
    ratio = body.on(real, "fdiv", body.on(real, "fmul", real.number(0.01), size), slope)
    for norm in (size, slope):
        ratio = body.chosen("olt", norm, small, real.number(1e-6), ratio)
    return body.apply(real, "minnum", ratio, body.apply(real, "fabs", body.load("%time", 1)))


def _order_size(body: _Step, trial: str, steepest: str) -> str:
    """h^order max(|f|, |f'|) = 1/100, at most 100 times the trial; 0 where there is no trial."""
    real, nothing = body.real, body.real.number(0.0)
    h = _root(body, body.on(real, "fdiv", real.number(0.01), steepest))
    flat = body.apply(real, "maxnum", real.number(1e-6), body.on(real, "fmul", trial, real.number(1e-3)))
    h = body.chosen("ogt", steepest, real.number(1e-15), h, flat)
    h = body.apply(real, "minnum", h, body.on(real, "fmul", real.number(100.0), trial))
    infinite = real.number(math.inf)
    h = body.chosen("olt", steepest, infinite, h, body.on(real, "fmul", trial, real.number(FAILED)))
    return body.chosen("ogt", trial, nothing, h, nothing)


def _root(body: _Step, x: str) -> str:
    """The root whose order is that of the error; by square roots where it is a power of 2."""
    real, order = body.real, body.work.tableau.order
    if order.bit_count() > 1:
        return body.apply(real, "pow", x, real.number(1 / order))
    for _ in range(order.bit_length() - 1):
        x = body.apply(real, "sqrt", x)
    return x


def _norm(body: _Step, value: Callable[[Part], str]) -> str:
    """Root mean square of numbers that are weighted by the state, over the components under error control."""

    def square(part: Part) -> list[str]:
        weight = _weight(body, part, body.apply(part.real, "fabs", body.get(part, "%work", body.work.Y)))
        product = body.on(part.real, "fmul", value(part), weight)
        return [body.on(part.real, "fmul", product, product)]

    (total,) = _sums_of(body, square)
    return body.apply(body.real, "sqrt", body.on(body.real, "fdiv", total, body.load("%time", 3)))


def _weight(body: _Step, part: Part, size: str) -> str:
    """1 by  atol + rtol |y|; 0 for a component that is carried along."""
    atol, rtol = body.get(part, "%tolerance", 1), body.same(part, "%tolerance", 0)
    return body.on(part.real, "fdiv", part.real.number(1.0), body.fused(part.real, rtol, size, atol))


_STEP = ("time", "p", "tolerance", "work")


def _step(body: _Step, project: bool, name: str = "step") -> str:
    body.anchor(ONWARD)
    _stages(body, project)
    if body.onward and not body.alone:
        body.put_row(body.work.turn, body.load(f"%{KEPT}", 0))
    return body.text(name, _STEP, ("rhs", "project") if project else ("rhs",))


def _step_nearby(body: _Step, project: bool) -> str:
    """The same of lanes whose sines turn little; else it is made by `ANYWHERE`."""
    turn = body.work.turn
    body.do(f"br i1 {body.far('%work', turn)}, label %far, label %near")
    body.lines.append("near:")
    body.anchor(NEARBY)
    _stages(body, project)
    body.put_row(turn, body.load(f"%{KEPT}", 0))
    body.do(f"br i1 {body.far('%work', turn)}, label %far, label %done")
    body.lines.append("far:")
    body.do(f"call void @{ANYWHERE}({', '.join(f'ptr %{a}' for a in _STEP)})")
    body.do("br label %done")
    body.lines.append("done:")
    return body.text("step", _STEP, ("rhs", ANYWHERE, *(["project"] if project else [])))


def _stages(body: _Step, project: bool) -> None:
    """All stages, the new state, its derivative, the error and the least margin."""
    work, stages = body.work, body.work.tableau.stages
    at_the_end = any(weights[stages:].any() for weights in work.tableau.errors)
    for s in range(1, stages):
        # k_s = f(t + c_s h, y + h sum_{j<s} a_sj k_j)
        body.move(s, body.point)
        body.evaluate(body.moment(s), s, work.point)
    body.move(stages, ("%work", work.new))
    if not at_the_end:
        _estimate(body)
    end = body.at("%time", 2)
    if project:
        place = body.at("%work", work.new)
        body.do(f"call void @project(ptr {end}, ptr {place}, ptr %p, ptr {place})")
    body.evaluate(end, stages, work.new)
    if at_the_end:
        _estimate(body)
    body.put_row(work.margin, _least_margin(body, range(1, stages + 1)))
    body.put_row(work.largest, _largest(body))


def _estimate(body: _Step) -> None:
    """The error, and the factor to the size of the next step."""
    error = _error(body)
    body.put_row(body.work.error, error)
    body.put_row(body.work.error + 1, _growth(body, error))


def _error(body: _Step) -> str:
    """Norm of the error estimate; a step is good where it is at most 1 [hairer1993, II.10]."""
    real = body.real
    if len(body.work.tableau.errors) == 1:
        # err = |h| |e| / sqrt(n)
        mean = body.on(real, "fdiv", _sums(body)[0], body.load("%time", 3))
        return body.on(real, "fmul", body.apply(real, "fabs", body.load("%time", 1)), body.apply(real, "sqrt", mean))
    e5, e3 = _sums(body)
    # err = |h| |e5|^2 / sqrt(n (|e5|^2 + |e3|^2 / 100)), 0 where both are 0
    both = body.fused(real, e3, real.number(0.01), e5)
    both = body.apply(real, "maxnum", body.on(real, "fmul", both, body.load("%time", 3)), real.number(TINY))
    size = body.on(real, "fmul", body.apply(real, "fabs", body.load("%time", 1)), e5)
    return body.on(real, "fdiv", size, body.apply(real, "sqrt", both))


def _growth(body: _Step, error: str) -> str:
    """0.9 err^(-1/order) within bounds."""
    real = body.real
    factor = body.on(real, "fdiv", real.number(SAFETY), _root(body, error))
    return body.apply(real, "maxnum", body.apply(real, "minnum", factor, real.number(FASTEST)), real.number(SLOWEST))


def _sums(body: _Step) -> list[str]:
    """Sums over the components of the squares of the errors by  atol + rtol max(|y|, |new|)."""
    parts, known, estimates = [] if body.long else body.parts, {}, body.work.tableau.errors
    if parts:
        both = []
        for weights in estimates:
            body.put_by()
            both.append(body.combinations(parts, weights))
        known = {part.first: pair for part, *pair in zip(parts, *both, strict=True)}

    def squares(part: Part) -> list[str]:
        real = part.real
        if body.still(part):
            return [real.number(0.0)] * len(estimates)
        pair = known.get(part.first) or [body.combination(part, weights) for weights in estimates]
        sizes = [body.apply(real, "fabs", body.get(part, "%work", row)) for row in (body.work.Y, body.work.new)]
        weight = _weight(body, part, body.larger(real, *sizes))
        errors = [body.on(real, "fmul", each, weight) for each in pair]
        return [body.on(real, "fmul", error, error) for error in errors]

    return _sums_of(body, squares)


def _sums_of(body: _Step, terms: Callable[[Part], list[str]]) -> list[str]:
    """Sums over all components."""
    return _over_all(body, terms, lambda real, a, b: body.on(real, "fadd", a, b))


Joined = Callable[[Real, str, str], str]  # two numbers of a kind made one


def _over_all(body: _Step, terms: Callable[[Part], list[str]], joined: Joined) -> list[str]:
    """Numbers of all components joined, in the same order for one number and for lanes: their bits are the same."""
    if not body.alone:
        return [_of_rows(body, values, joined) for values in zip(*map(terms, body.parts), strict=True)]

    def further(part: Part, totals: list[str]) -> list[str]:
        values = [_folded(body, part.real.width, value, joined) for value in terms(part)]
        return [joined(body.real, *pair) for pair in zip(totals, values, strict=True)] if totals else values

    return body.each(further)


def _of_rows(body: _Step, values: Sequence[str], joined: Joined) -> str:
    """Rows of lanes joined as registers are: their halves, and theirs, and so on."""
    total = ""
    for part in registers(body.work.n):
        assert isinstance(part.first, int)
        mine = list(values[part.first : part.first + part.real.width])
        while len(mine) > 1:
            half = len(mine) // 2
            mine = [joined(body.real, a, b) for a, b in zip(mine[:half], mine[half:], strict=True)]
        total = joined(body.real, total, mine[0]) if total else mine[0]
    return total


def _folded(body: _Step, width: int, value: str, joined: Joined) -> str:
    """The numbers of a register: its halves joined, and theirs, and so on."""
    while width > 1:
        whole, half = Real.lanes(width), Real.lanes(width // 2)
        low, high = (
            body.new(f"shufflevector {whole.type} {value}, {whole.type} {value}, <{half.width} x i32> <{places}>")
            for places in (", ".join(f"i32 {j}" for j in range(k, k + half.width)) for k in (0, half.width))
        )
        if half.width == 1:
            low, high = (body.new(f"extractelement <1 x double> {side}, i32 0") for side in (low, high))
        value, width = joined(half, low, high), half.width
    return value


def _least_margin(body: _Step, stages: Iterable[int]) -> str:
    margins = [body.load("%work", body.work.stage(s) + body.work.n) for s in stages]
    return reduce(lambda least, margin: body.apply(body.real, "minimum", least, margin), margins)


def _largest(body: _Step) -> str:
    """max |new| + 0 sum (new + k_12), so that it is NaN where a number is not finite."""
    row, slope = body.work.new, body.work.stage(body.work.tableau.stages)

    def size(part: Part) -> list[str]:
        return [body.apply(part.real, "fabs", body.get(part, "%work", row))]

    def both(part: Part) -> list[str]:
        return [body.on(part.real, "fadd", *(body.get(part, "%work", at) for at in (row, slope)))]

    (largest,), (total,) = _over_all(body, size, body.larger), _sums_of(body, both)
    return body.fused(body.real, body.real.number(0.0), total, largest)


def _take(body: _Step) -> str:
    n, work, real = body.work.n, body.work, body.real
    last = work.stage(work.tableau.stages)
    good = body.new(f"fcmp une {real.type} {body.load('%good', 0)}, {real.number(0.0)}")
    which = f"i1 {good}" if body.alone else f"{real.mask} {good}"  # one bit chooses whole registers

    def taken(part: Part, source: int, target: int) -> list[str]:
        new, old = body.get(part, "%work", source), body.get(part, "%work", target)
        kind = part.real.type
        body.put(part, "%work", target, body.new(f"select {which}, {kind} {new}, {kind} {old}"))
        return []

    body.each(lambda part, _: taken(part, work.new, work.Y))
    body.each(lambda part, _: taken(part, last, work.stage(0)))
    for i in range(work.tail):
        taken(Part(n + i, real), last, work.stage(0))
    return body.text("take", ("good", "p", "unused", "work"), ())


_DENSE = ("time", "p", "work", "F")


def _dense(body: _Step) -> str:
    if body.alone:
        _stages_inside(body)
    else:
        body.do(f"call void @{INSIDE}({', '.join(f'ptr %{a}' for a in _DENSE)})")

    def written(part: Part, _: list[str]) -> list[str]:
        for m, value in enumerate(powers(body, part)):
            body.put(part, "%F", m * body.work.n, value)
        return []

    body.each(written)
    return body.text("dense", _DENSE, ("rhs",) if body.alone else (INSIDE,))


def _inside(body: _Step) -> str:
    _stages_inside(body)
    return body.text(INSIDE, _DENSE, ("rhs",))


def _stages_inside(body: _Step) -> None:
    """The stages that dense output takes besides, and their least margin."""
    further = range(body.work.tableau.stages + 1, body.work.tableau.every)
    for s in further:
        body.move(s, body.point)
        body.evaluate(body.moment(s), s, body.work.point)
    if further:
        body.put_row(body.work.margin, _least_margin(body, further))


def powers(body: _Step, part: Part) -> list[str]:
    """The rows of dense output of a part, after all stages."""
    work, real, h, pair = body.work, part.real, body.same(part, "%time", 1), body.work.tableau
    change = body.on(real, "fsub", *(body.get(part, "%work", row) for row in (work.new, work.Y)))
    first, last = (body.get(part, "%work", work.stage(s)) for s in (0, pair.stages))
    # F0 = dy, F1 = h k_0 - dy, F2 = 2 dy - h (k_12 + k_0), F_m = h sum_j d_mj k_j
    both = body.on(real, "fmul", h, body.on(real, "fadd", first, last))
    rows = [change, body.on(real, "fsub", body.on(real, "fmul", h, first), change)]
    rows += [body.on(real, "fsub", body.on(real, "fadd", change, change), both)]
    rows += [body.on(real, "fmul", h, body.combination(part, weights)) for weights in pair.D]
    return rows + [real.number(0.0)] * (POWERS - len(rows))
