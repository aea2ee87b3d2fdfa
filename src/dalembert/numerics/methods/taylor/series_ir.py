"""Taylor series of a motion as machine code: one function that writes all coefficients of a step.

    void series(double* t, double* y, double* p, double* out)

reads t = (time, order, scale s), the state y in two parts (see `point`) and the parameters p, and writes to `out` the
rank margin and then, from `HEAD` on, y_0, y_1, ... y_order, the coefficients of y(t + s x) = sum_k y_k x^k, each in
`padded` places. Behind them `out` is work space; what stands there before does not matter.

Order 0 is the plain right-hand side. For each order k after it there are two sweeps. The first adds up the
convolutions of lower orders (see `convolutions`). It depends on nothing that order k brings, so its sums are
independent of one another. The second is one straight line over all operations, and linear. Both are emitted once, so
that the size of the code does not depend on the order; a line that is long is cut into several functions (`cut`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ....calculus.graph import Node, live
from ...machine import linear_solve
from ...machine.function_source import Function
from ...machine.llvm_ir import ARGUMENTS, Inputs, Instructions
from .code_splitting import cut
from .recurrence import (
    HIGHEST,
    VECTOR,
    WIDTH,
    Convolution,
    ConvolutionTable,
    Recurrences,
    Rule,
    SeriesTerm,
    Stream,
    at_once,
    collected,
    declaration,
)

# --- Numbers at one point of a motion whose state has two parts: y and what rounding has left over of it -------------
# An angle of 2000 turns has no digits left behind 1e-12, and so have its sine and the forces. The sum of the steps
# knows more: y + low. What is linear in the state is carried in two parts, and the sine and cosine of such a number are
#
#     sin(a + e) = sin a + e cos a ,    cos(a + e) = cos a - e sin a .
#
# So the motion does not lose digits as positions and angles grow.


class TwoPartPoint(Instructions):
    """Instructions for the values of nodes at y + low; the argument ``"y"`` holds the n elements of each in turn.

    Args:
        inputs: for every symbol, the argument that holds it and its index there.
        n: number of states.

    Attributes:
        low: by node, what its value leaves over.
    """

    def __init__(self, inputs: Inputs, n: int) -> None:
        super().__init__(inputs, dict(zip(ARGUMENTS, ("%a0", "%a1", "%a2"), strict=True)))
        self.n = n
        self.low: dict[int, str] = {}

    def compute(self, outputs: Sequence[Node]) -> list[str]:
        """The values of the outputs, with all instructions that they need and that are not yet there."""
        if outputs:
            graph = outputs[0].graph
            for index in live(outputs):
                if index not in self.values:
                    self._in_two_parts(Node(graph, index))
        return super().compute(outputs)

    def _in_two_parts(self, node: Node) -> None:
        """The value of a node that is linear in the state, or its sine or cosine; others are left for later."""
        args = [a.index for a in node.args]
        if node.operation == "symbol":
            argument, place = self.inputs.get(node.key[1], ("", 0))
            if argument == "y":
                super().compute([node])
                self.low[node.index] = self.load("%a1", self.n + place)
        elif node.operation in ("sin", "cos"):
            if args[0] in self.low:
                self._turned(node.args[0])
        elif any(i in self.low for i in args):
            self._linear(node, args)

    def _linear(self, node: Node, args: list[int]) -> None:
        """a + b, a - b, -a and c a, the latter for a number c."""
        if node.operation == "neg":
            super().compute([node])
            self.low[node.index] = self.new(f"fneg double {self.low[args[0]]}")
        elif node.operation in ("+", "-"):
            super().compute([*node.args, node])  # both parts by themselves
            self._sum(node, args)
        elif node.operation in ("*", "/"):
            number = next((a for a in node.args if a.is_constant), None)
            if number is not None and not (node.operation == "/" and node.args[0].is_constant):
                super().compute([node])
                low = next(self.low[i] for i in args if i in self.low)
                factor = number.value if node.operation == "*" else 1 / number.value
                self.low[node.index] = self.new(f"fmul double {low}, {self.real.number(factor)}")

    def _sum(self, node: Node, args: list[int]) -> None:
        a, b = (self.values[i] for i in args)
        total = self.values[node.index]
        sign = "fadd" if node.operation == "+" else "fsub"
        # what a + b = total leaves over: (a - (total - part)) + (b - part) ,  part = total - a
        part = self.new(f"fsub double {total}, {a}")
        rest = self.new(f"fsub double {total}, {part}")
        rest = self.new(f"fsub double {a}, {rest}")
        if node.operation == "-":
            b = self.new(f"fneg double {b}")
        other = self.new(f"fsub double {b}, {part}")
        low = self.new(f"fadd double {rest}, {other}")
        for i, how in zip(args, ("fadd", sign), strict=True):
            if i in self.low:
                low = self.new(f"{how} double {low}, {self.low[i]}")
        new = self.new(f"fadd double {total}, {low}")
        change = self.new(f"fsub double {new}, {total}")
        self.values[node.index], self.low[node.index] = new, self.new(f"fsub double {low}, {change}")

    def _turned(self, a: Node) -> None:
        """Sine and cosine of a number in two parts."""
        graph, e = a.graph, self.low[a.index]
        sine, cosine = graph.apply("sin", a), graph.apply("cos", a)
        if sine.index in self.values:
            return
        s, c = super().compute([sine, cosine])
        upward, downward = self.new(f"fmul double {c}, {e}"), self.new(f"fmul double {s}, {e}")
        self.values[sine.index] = self.new(f"fadd double {s}, {upward}")
        self.values[cosine.index] = self.new(f"fsub double {c}, {downward}")


# --- Functions of a state in two parts, with linear equations on the way ---------------------------------------------


@dataclass(frozen=True)
class LinearEquations:
    """Linear equations K x = b on the way: K by rows and then b, n (n + 1) nodes; x_i is the symbol ``"x:i"``."""

    size: int
    assemble: Sequence[Node]

    @classmethod
    def of(cls, function: Function) -> LinearEquations:
        """The linear equations that a function solves on the way."""
        return cls(function.size, function.system)

    def row(self, i: int) -> tuple[Sequence[Node], Node]:
        """K_i, b_i."""
        n = self.size
        return self.assemble[i * n : (i + 1) * n], self.assemble[n * n + i]


NONE = LinearEquations(0, ())


def emit_values(name: str, outputs: Sequence[Node], inputs: Inputs, saddle: LinearEquations) -> str:
    """IR text of a function that writes the values of the outputs at y in two parts."""
    body = TwoPartPoint(inputs, len(outputs))
    body.lines.append("entry:")
    if saddle.size:
        solved(body, saddle)
    body.store("%a3", body.compute(outputs))
    return function_text(name, body)


def function_text(name: str, body: TwoPartPoint) -> str:
    """IR of the function with this body."""
    lines, parts = cut(name, body.lines)
    head = "\n".join([*sorted(body.declarations), *parts])
    define = f"define void @{name}(ptr noalias %a0, ptr noalias %a1, ptr noalias %a2, ptr noalias %a3) {{"
    return "\n".join([head, define, *lines, "  ret void", "}", ""])


def solved(body: TwoPartPoint, saddle: LinearEquations) -> tuple[str, list[str]]:
    """Assemble and solve the linear equations; afterwards x is an input. The matrix and its entries."""
    inputs, size = body.inputs, saddle.size
    body.inputs = {s: i for s, i in inputs.items() if i[0] != "x"}
    matrix = body.new(f"alloca double, i64 {size * (size + 1) + 1}, align 64")
    entries = body.compute(saddle.assemble)
    body.store(matrix, entries)
    solution = solve_in_place(body, matrix, size)
    body.inputs, body.pointers = inputs, {**body.pointers, "x": solution}
    return matrix, entries


def solve_in_place(body: TwoPartPoint, matrix: str, size: int) -> str:
    """Solve in place; the pointer to x, behind which the margin follows."""
    body.declarations.add(f"declare void @{linear_solve.SYMBOL}(ptr, ptr, i64, ptr)")
    solution, margin = body.at(matrix, size * size), body.at(matrix, size * (size + 1))
    body.do(f"call void @{linear_solve.SYMBOL}(ptr {matrix}, ptr {solution}, i64 {size}, ptr {margin})")
    return solution


HEAD = 8  # where the coefficients begin in `out`: on the border of a vector
LANES = 4  # the coefficients of one order take a multiple of so many places, so that loops over them need no rest


@dataclass(frozen=True)
class SeriesText:
    """IR text of ``series``, the length of its `out`, and how much work it is."""

    text: str
    length: int
    convolutions: int


def emit_series(
    name: str,
    outputs: Sequence[Node],
    margin: Node,
    states: Sequence[str],
    inputs: Inputs,
    time: str,
    saddle: LinearEquations,
) -> SeriesText:
    """The function of a first-order system dy/dt = f.

    Args:
        name: an ASCII identifier.
        outputs: f, a node for each element of y, the work included.
        margin: what is reported of order 0.
        states: the symbols of the elements of y, as many as have one.
        inputs: for every symbol, the argument that holds it and its index there.
        time: the symbol of time.
        saddle: linear equations between state and outputs.
    """
    return _Writer(name, outputs, margin, states, inputs, time, saddle).code()


class _Writer:
    """Builds the text of one function."""

    def __init__(
        self,
        name: str,
        outputs: Sequence[Node],
        margin: Node,
        states: Sequence[str],
        inputs: Inputs,
        time: str,
        saddle: LinearEquations,
    ) -> None:
        self.name, self.outputs, self.margin, self.saddle, self.time = name, outputs, margin, saddle, time
        self.graph, self.n = outputs[0].graph, len(outputs)
        self.x = [self.graph.symbol(f"x:{i}") for i in range(saddle.size)]
        self.known = Recurrences(outputs, [*states, time, *(x.key[1] for x in self.x)], self._rows)
        self.stride = padded(self.n)
        convolutions = [c for rule in self.known.rules.values() for c in rule.convolutions]
        self.table = ConvolutionTable(convolutions, HEAD + _up(self.stride * (HIGHEST + 1)), HIGHEST)
        self.end = self.table.end
        self.body = TwoPartPoint(inputs, self.n)
        self.moving = {self.graph.symbol(s).index: i for i, s in enumerate(states)}
        self.kept: dict[tuple[int, int], int] = {}

    def _rows(self, known: Recurrences) -> dict[int, Rule]:
        """Order k of  b - K x  without K_0 x_k: the right-hand side for x_k; row i has the key -1 - i."""
        rows = {}
        for i in range(self.saddle.size):
            K, b = self.saddle.row(i)
            pairs = [(e.index, x.index) for e, x in zip(K, self.x, strict=True) if known.changes(e.index)]
            terms = [SeriesTerm(1, None, b.index), *(SeriesTerm(-1, x, e) for e, x in pairs)]
            rows[-1 - i] = Rule(tuple(terms), tuple(Convolution(-1, Stream(e), Stream(x)) for e, x in pairs))
        return rows

    def code(self) -> SeriesText:
        body = self.body
        body.lines.append("entry:")
        self._order_zero()
        body.lines.append("head:")
        body.lines.append("  %k = phi i64 [ 1, %entry ], [ %next, %sweep ]")
        body.declarations.add(declaration())
        body.lines += self.table.text(self.sums, self.later)
        body.lines.append("sweep:")
        self._sweep()
        body.do("%more = icmp slt i64 %next, %order")
        body.do("br i1 %more, label %head, label %done")
        body.lines.append("done:")
        return SeriesText(function_text(self.name, body), self.end, len(self.table.columns))

    # --- order 0 -------------------------------------------------------------------------------------------------

    def _order_zero(self) -> None:
        body, n = self.body, self.n
        self.sums, self.later = body.at("%a3", self.end), body.at("%a3", self.end + self.table.length)
        self.end += 2 * self.table.length
        for first in range(0, self.table.length, WIDTH):
            body.do(f"store {VECTOR} zeroinitializer, ptr {body.at(self.sums, first)}, align 8")
        if self.saddle.size:
            self.matrix, entries = solved(body, self.saddle)
            body.compute(self.x)
            self.first_entry = self.end
            body.store(body.at("%a3", self.first_entry), entries[: self.saddle.size**2])
            self.end += self.saddle.size**2
        body.compute([*self.outputs, self.margin, *self.known.values])
        order = body.new(f"fptosi double {body.load('%a0', 1)} to i64")
        body.do(f"%order = add i64 {order}, 0")
        self.scale = body.load("%a0", 2)
        y = [body.load("%a1", i) for i in range(n)]
        rates = [self._times(self.scale, body.values[f.index]) for f in self.outputs]
        body.store("%a3", [body.values[self.margin.index]])
        body.store(body.at("%a3", HEAD), y)
        body.store(body.at("%a3", HEAD + self.stride), rates)
        for rule in self.known.rules.values():
            self._keep(rule)
        self.end = _up(self.end)
        body.do("br label %head")

    def _keep(self, rule: Rule) -> None:
        """Store the numbers of order 0 that the sweeps take: they are too many to stay in registers."""
        body = self.body
        for (c, _), multiple in collected(rule.terms).items():
            if c is not None and multiple and (c, abs(multiple)) not in self.kept:
                number = body.real.number(float(abs(multiple)))
                value = body.values[c] if abs(multiple) == 1 else self._times(number, body.values[c])
                self._hold((c, abs(multiple)), value)
        if rule.divisor is not None and (rule.divisor, -rule.twice) not in self.kept:
            one = body.real.number(1 / rule.twice)
            self._hold((rule.divisor, -rule.twice), body.new(f"fdiv double {one}, {body.values[rule.divisor]}"))
        if rule.choice and (rule.choice[0], 1) not in self.kept:
            self._hold((rule.choice[0], 1), body.values[rule.choice[0]])

    def _hold(self, key: tuple[int, int], value: str) -> None:
        self.kept[key] = self.end
        self.body.store(self.body.at("%a3", self.end), [value])
        self.end += 1

    def _held(self, node: int, multiple: int = 1) -> str:
        """A multiple of a node's number of order 0; for -1 and -2 it is 1 and 1/2 divided by that number."""
        return self.body.load("%a3", self.kept[node, multiple])

    # --- order k -------------------------------------------------------------------------------------------------

    def _sweep(self) -> None:
        body = self.body
        body.do("%next = add i64 %k, 1")
        body.do("%kd = uitofp i64 %k to double")
        body.do("%nextd = uitofp i64 %next to double")
        self.by_k = self._reciprocal("%kd")
        scaled = [self._times(self.scale, part) for part in self._reciprocal("%nextd")]
        body.do(f"%offset = mul i64 %k, {self.stride}")
        body.do("%now = getelementptr double, ptr %a3, i64 %offset")
        body.do(f"%then = getelementptr double, ptr %now, i64 {self.stride}")
        self.rows = {}
        for row in sorted({part.row for part in self.table.blocks}):
            first = body.new(f"mul i64 %k, {row}")
            self.rows[row] = body.new(f"getelementptr double, ptr %a3, i64 {first}")
        self.series: dict[int, str] = {}
        for node, i in self.moving.items():
            self._got(node, body.load("%now", HEAD + i))
        self._clock()
        rules = self.known.rules
        early = self._before_solving()
        for node in early:
            self._got(node, self._coefficient(node, rules[node]))
        if self.saddle.size:
            self._solve_again()
        for node in sorted(rules):
            if node not in self.series:
                self._got(node, self._coefficient(node, rules[node]))
        following = [self._product(self._series(f.index), scaled) for f in self.outputs]
        body.store(body.at("%then", HEAD), following)

    def _clock(self) -> None:
        """The series of time itself: t + s x."""
        node = self.graph.symbol(self.time).index
        zero = self.body.real.number(0.0)
        first = self.body.new("icmp eq i64 %k, 1")
        self._got(node, self.body.new(f"select i1 {first}, double {self.scale}, double {zero}"))

    def _before_solving(self) -> list[int]:
        """What the rows of the linear equations need, in order, and the rows."""
        rows = [-1 - i for i in range(self.saddle.size)]
        found: set[int] = set()
        stack = list(rows)
        while stack:
            rule = self.known.rules.get(stack.pop())
            if rule is not None:
                new = [i for i in at_once(rule) if i in self.known.rules and i not in found]
                found |= set(new)
                stack += new
        return [*sorted(found), *rows]

    def _solve_again(self) -> None:
        body, size = self.body, self.saddle.size
        body.store(self.matrix, [body.load("%a3", self.first_entry + i) for i in range(size * size)])
        body.store(body.at(self.matrix, size * size), [self._series(-1 - i) for i in range(size)])
        solution = solve_in_place(body, self.matrix, size)
        for i, x in enumerate(self.x):
            self._got(x.index, body.load(solution, i))

    def _coefficient(self, node: int, rule: Rule) -> str:
        body = self.body
        if rule.choice:
            c, a, b = rule.choice
            test = body.new(f"fcmp une double {self._held(c)}, {body.real.number(0.0)}")
            return body.new(f"select i1 {test}, double {self._series(a)}, double {self._series(b)}")
        total = ""
        if rule.convolutions:
            total = self._sum(rule)
            total = self._product(total, self.by_k) if rule.by_order else total
        # what comes last in the sweep is added last: the sum does not wait for it
        for (number, a), multiple in sorted(collected(rule.terms).items(), key=lambda item: item[0][1]):
            total = self._plus(total, number, multiple, self._series(a))
        total = total or body.real.number(0.0)
        return self._times(self._held(rule.divisor, -rule.twice), total) if rule.divisor is not None else total

    def _sum(self, rule: Rule) -> str:
        """S_k."""
        body, total = self.body, ""
        for c in sorted(rule.convolutions, key=lambda c: -c.sign):
            part = body.load(self.sums, self.table.column(c))
            if total:
                total = body.new(f"{'fadd' if c.sign > 0 else 'fsub'} double {total}, {part}")
            else:
                total = part if c.sign > 0 else body.new(f"fneg double {part}")
        return total

    def _plus(self, total: str, c: int | None, multiple: int, a: str) -> str:
        """total + multiple c_0 a_k."""
        body = self.body
        if multiple == 0:
            return total
        if c is None and abs(multiple) == 1:
            term = a
        elif c is None:
            term = self._times(body.real.number(float(abs(multiple))), a)
        else:
            term = self._times(self._held(c, abs(multiple)), a)
        if not total:
            return term if multiple > 0 else body.new(f"fneg double {term}")
        return body.new(f"{'fadd' if multiple > 0 else 'fsub'} contract double {total}, {term}")

    def _series(self, node: int) -> str:
        """Coefficient k of a node; 0 where it does not change."""
        return self.series.get(node, self.body.real.number(0.0))

    def _got(self, node: int, value: str) -> None:
        """Coefficient k of a node is known: store it where convolutions of higher orders look for it."""
        self.series[node] = value
        body = self.body
        for weighted in (False, True):
            places = self.table.places(Stream(node, weighted))
            what = self._times("%kd", value) if weighted and places else value
            for place, row in places:
                body.do(f"store double {what}, ptr {body.at(self.rows[row], place)}, align 8")

    def _reciprocal(self, k: str) -> list[str]:
        """1/k in two parts. The rounding of 1/3 alone would be the same on every step, and add up."""
        body = self.body
        body.declarations.add("declare double @llvm.fmuladd.f64(double, double, double)")
        one = body.real.number(1.0)
        # 1/k = q + (1 - q k)/k
        q = body.new(f"fdiv double {one}, {k}")
        minus = body.new(f"fneg double {q}")
        rest = body.new(f"call double @llvm.fmuladd.f64(double {minus}, double {k}, double {one})")
        return [q, body.new(f"fmul double {rest}, {q}")]

    def _product(self, a: str, b: list[str]) -> str:
        """a b for a number b in two parts."""
        little = self.body.new(f"fmul double {a}, {b[1]}")
        return self.body.new(f"call double @llvm.fmuladd.f64(double {a}, double {b[0]}, double {little})")

    def _times(self, a: str, b: str) -> str:
        return self.body.new(f"fmul contract double {a}, {b}")


def padded(n: int) -> int:
    """Room for n numbers."""
    return -(-n // LANES) * LANES


def _up(size: int) -> int:
    """The next multiple of the width."""
    return -(-size // WIDTH) * WIDTH
