"""Guards on the Chebyshev nodes of a step, as IR: what `crossings.classify` decides by, for lanes.

    watch(time, p, work, out)    after ``inside``: the Chebyshev coefficients of every guard on the step

``time`` is (t, h, t + h) and ``work`` as `dop853.code.Work` lays it out; the dense output is that of the components
that guards depend on. ``out`` holds 12 coefficients for each guard, and then 1 where no guard is anywhere near zero on
the step, else 0. The library has ``guard0``, ``guard1``, ... of the usual signature.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ...calculus.narrow import MUCH
from ..events.roots import NODES, RESOLVED, TRANSFORM, X
from ..machine.real import Real
from ..methods.dop853.code import POWERS, Part, Work, _Step, powers


@dataclass
class _Watch(_Step):
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


def watching(needed: Sequence[Sequence[int]], n: int, real: Real, wide: Sequence[bool]) -> str:
    """IR of ``watch``.

    Args:
        needed: for each guard, the positions of the components that it depends on.
        n: number of components.
        real: one number or lanes.
        wide: is it the argument of something narrow, quiet where it changes by little?
    """
    body = _Watch({}, {}, real, work=Work(n))
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


def _coefficients(body: _Watch, values: Sequence[str]) -> list[str]:
    """c_k = sum_j g(x_j) T_jk."""
    c = []
    for k in range(NODES):
        total = body.times(values[0], body.real.number(float(TRANSFORM[0, k])))
        for j in range(1, NODES):
            total = body.plus(total, body.times(values[j], body.real.number(float(TRANSFORM[j, k]))))
        c.append(total)
    return c


def _little(body: _Watch, c: Sequence[str]) -> str:
    """1 where 2 sum |c_k| <= MUCH, k > 0, else 0."""
    real, total = body.real, body.real.number(0.0)
    for x in c[1:]:
        total = body.plus(total, body.call(f"llvm.fabs.{real.suffix}", [x]))
    test = body.new(f"fcmp ole {real.type} {total}, {real.number(MUCH / 2)}")
    return body.new(f"uitofp {real.mask} {test} to {real.type}")


def _quiet(body: _Watch, c: Sequence[str]) -> str:
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
