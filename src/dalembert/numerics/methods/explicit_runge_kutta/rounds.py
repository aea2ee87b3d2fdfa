"""Step after step of an explicit pair in lanes, as IR, as long as nothing happens in a lane that has to be looked at.

    rounds(time, control, p, tolerance, work, F, coefficients, watch)

Every round plans nothing but the usual: a step is made in all lanes, the good ones are taken, the others refused, and
the next ones planned, by the same rules as in `explicit_lanes`. It returns after a step, before that is judged, where
a lane reaches the end or a sample, has used up its steps, or met a number or a margin that is not sound; and
where something is watched, where an event may have happened in a good step.

``time``, ``p``, ``tolerance``, ``work`` and ``F`` are as in `code`; `Control` says what the rows of ``control`` are.
``watch`` holds two integers: the address of a function ``watch(time, p, work, coefficients)``, 0 where nothing is
watched, and the row of ``coefficients`` in which it writes 1 in lanes where nothing happens.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

from ...machine.ir_numbers import Real
from ..stepper import LARGEST_STATE
from .step_ir import FASTEST, INSIDE, Part, Work, _Step
from .tableau import ExplicitTableau

TINY, UNMOVED = 1e-300, 1e-14  # sizes of a step, the second by the time, below which it is looked at


class Control(IntEnum):
    """Rows of ``control``: one number for each lane.

    PLANNED is the size of the next step, GROWTH the largest factor to the one after it, BUSY 1 in a lane that runs a
    member, GOOD 1 where the last step was taken, LEFT how many may be tried, SAMPLE the time that is to be looked at;
    STEPS and REJECTED count, MARGIN is the least on good steps; END, MAX_STEP and LIMIT are as of `lanes.Task`.
    """

    PLANNED = 0
    GROWTH = 1
    BUSY = 2
    GOOD = 3
    LEFT = 4
    SAMPLE = 5
    STEPS = 6
    REJECTED = 7
    MARGIN = 8
    END = 9
    MAX_STEP = 10
    LIMIT = 11


class _Rounds(_Step):
    """Instructions on ``control`` besides."""

    def row(self, which: Control) -> str:
        """A row of ``control``."""
        return self.load("%control", which)

    def write(self, pointer: str, which: int, value: str) -> None:
        """Write a row."""
        self.do(f"store {self.real.type} {value}, ptr {self.at(pointer, which)}, align 8")

    def compare(self, relation: str, a: str, b: str) -> str:
        """Where a comparison holds."""
        return self.new(f"fcmp {relation} {self.real.type} {a}, {b}")

    def every(self, *masks: str) -> str:
        """Where all hold."""
        return self._joined("and", masks)

    def any(self, *masks: str) -> str:
        """Where one holds."""
        return self._joined("or", masks)

    def _joined(self, word: str, masks: Sequence[str]) -> str:
        found = masks[0]
        for mask in masks[1:]:
            found = self.new(f"{word} {self.real.mask} {found}, {mask}")
        return found

    def but(self, mask: str) -> str:
        """Where it does not hold."""
        return self.new(f"xor {self.real.mask} {mask}, splat (i1 true)")

    def where(self, mask: str, yes: str, no: str) -> str:
        """One of two numbers."""
        return self.new(f"select {self.real.mask} {mask}, {self.real.type} {yes}, {self.real.type} {no}")


def rounds(n: int, real: Real, tableau: ExplicitTableau) -> str:
    """IR of ``rounds`` for n components in lanes, more than one; what it calls but ``watch`` is in the same library."""
    body = _Rounds({}, {}, real, work=Work(n, tableau=tableau))
    body.do("br label %again")
    body.lines.append("again:")
    body.do("call void @step(ptr %time, ptr %p, ptr %tolerance, ptr %work)")
    good, bad, h, look = _judged(body)
    body.declarations.add(f"declare i1 @llvm.vector.reduce.or.v{real.width}i1({real.mask})")
    anywhere = body.new(f"call i1 @llvm.vector.reduce.or.v{real.width}i1({real.mask} {look})")
    body.do(f"br i1 {anywhere}, label %done, label %usual")
    body.lines.append("usual:")
    margin = body.get(Part(0, real), "%work", body.work.margin)
    address = body.new("load i64, ptr %watch, align 8")
    body.do(f"br i1 {body.new(f'icmp eq i64 {address}, 0')}, label %further, label %inside")
    least = _inside(body, address, good, margin)
    body.lines.append("further:")
    margin = body.new(f"phi {real.type} [ {margin}, %usual ], [ {least}, %quiet ]")
    _counted(body, good, bad, margin)
    body.write("%control", Control.PLANNED, h)
    body.do(f"call void @take(ptr {body.at('%control', Control.GOOD)}, ptr %p, ptr %p, ptr %work)")
    _planned(body, good, h)
    body.do("br label %again")
    body.lines.append("done:")
    names = ("time", "control", "p", "tolerance", "work", "F", "coefficients", "watch")
    return body.text("rounds", names, ("step", "take", INSIDE))


def _inside(body: _Rounds, address: str, good: str, margin: str) -> str:
    """What is watched inside the step, up to the label ``quiet``; the least margin with the evaluations for it.

    Where something may have happened in a good step, the margin of the step alone is written back, and it is looked at.
    """
    real, work = body.real, body.work
    body.lines.append("inside:")
    body.do(f"call void @{INSIDE}(ptr %time, ptr %p, ptr %work, ptr %F)")
    function = body.new(f"inttoptr i64 {address} to ptr")
    body.do(f"call void {function}(ptr %time, ptr %p, ptr %work, ptr %coefficients)")
    row = body.new(f"load i64, ptr {body.new('getelementptr i64, ptr %watch, i64 1')}, align 8")
    lanes = body.new(f"getelementptr {real.type}, ptr %coefficients, i64 {row}")
    quiet = body.new(f"load {real.type}, ptr {lanes}, align 8")
    loud = body.every(good, body.compare("oeq", quiet, real.number(0.0)))
    anywhere = body.new(f"call i1 @llvm.vector.reduce.or.v{real.width}i1({real.mask} {loud})")
    least = body.apply(real, "minnum", margin, body.get(Part(0, real), "%work", work.margin))
    body.do(f"br i1 {anywhere}, label %loud, label %quiet")
    body.lines.append("loud:")
    body.put_row(work.margin, margin)
    body.do("br label %done")
    body.lines.append("quiet:")
    body.do("br label %further")
    return least


def _judged(body: _Rounds) -> tuple[str, str, str, str]:
    """Where the step is good and where it is refused, the size of the next, and where it has to be looked at."""
    real, work = body.real, body.work
    error, growth = (body.get(Part(0, real), "%work", work.error + i) for i in (0, 1))
    margin, largest = (body.get(Part(0, real), "%work", row) for row in (work.margin, work.largest))
    now, size, following = (body.load("%time", i) for i in (0, 1, 2))
    moves = body.compare("ogt", size, real.number(0.0))
    busy = body.compare("une", body.row(Control.BUSY), real.number(0.0))
    sound = body.every(
        body.compare("ogt", margin, body.row(Control.LIMIT)),
        body.compare("ole", largest, real.number(LARGEST_STATE)),
        body.compare("olt", following, body.row(Control.END)),
        body.compare("olt", following, body.row(Control.SAMPLE)),
    )
    good = body.every(busy, moves, sound, body.compare("ole", error, real.number(1.0)))
    bad = body.every(busy, moves, body.compare("ogt", error, real.number(1.0)))
    # h_new = h min(growth, the largest), and at most h where the step is refused
    most = body.where(good, body.row(Control.GROWTH), real.number(1.0))
    h = body.on(real, "fmul", size, body.apply(real, "minnum", growth, most))
    floor = body.on(real, "fmul", real.number(UNMOVED), body.apply(real, "fabs", now))
    floor = body.apply(real, "maxnum", floor, real.number(TINY))
    goes_on = body.every(body.any(good, bad), body.compare("ogt", body.row(Control.LEFT), real.number(1.0)))
    goes_on = body.every(goes_on, body.compare("ogt", h, floor))
    return good, bad, h, body.every(busy, body.but(goes_on))


def _counted(body: _Rounds, good: str, bad: str, margin: str) -> None:
    """Steps, their least margin, and the largest growth of the next."""
    real, one, nothing = body.real, body.real.number(1.0), body.real.number(0.0)
    for which, mask in ((Control.STEPS, good), (Control.REJECTED, bad)):
        counted = body.where(mask, one, nothing)
        body.write("%control", which, body.on(real, "fadd", body.row(which), counted))
    body.write("%control", Control.GOOD, body.where(good, one, nothing))
    body.write("%control", Control.LEFT, body.on(real, "fsub", body.row(Control.LEFT), one))
    least = body.apply(real, "minnum", body.row(Control.MARGIN), margin)
    body.write("%control", Control.MARGIN, body.where(good, least, body.row(Control.MARGIN)))
    growth = body.where(bad, one, body.row(Control.GROWTH))
    body.write("%control", Control.GROWTH, body.where(good, real.number(FASTEST), growth))


def _planned(body: _Rounds, good: str, h: str) -> None:
    """Times and sizes of the next steps; the last one goes exactly to the end, see `loops.next_time`."""
    real, end = body.real, body.row(Control.END)
    now = body.where(good, body.load("%time", 2), body.load("%time", 0))
    planned = body.apply(real, "minnum", h, body.row(Control.MAX_STEP))
    last = body.compare("ole", body.on(real, "fsub", end, now), body.on(real, "fmul", real.number(1.01), planned))
    ahead = body.where(last, end, body.on(real, "fadd", now, planned))
    busy = body.compare("une", body.row(Control.BUSY), real.number(0.0))
    ahead = body.where(busy, ahead, now)
    for row, value in enumerate((now, body.on(real, "fsub", ahead, now), ahead)):
        body.write("%time", row, value)
