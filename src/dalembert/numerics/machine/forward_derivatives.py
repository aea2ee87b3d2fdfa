"""A function of the graph together with its derivative in D directions at once, as IR for tied lanes.

Row i of the state holds y_i in lane 0 and its D derivatives in the lanes behind it. The function itself is computed in
single numbers, once; its derivative along "the" direction, whose symbols are whole rows, in vectors:

    d out = sum_i  (d out / d x_i) dx_i

An operation is one on vectors only where it depends on the direction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...calculus.graph import CONSTANT, SYMBOL, Node, live, tangent
from .function_source import Function
from .ir_numbers import Real
from .llvm_ir import Inputs, Instructions, call_solver, operation, spread, whole

DIRECTION = "d:"
_ARGUMENTS = {"t": "%a0", "y": "%a1", "p": "%a2"}


@dataclass
class _Mixed:
    """Instructions on single numbers and on vectors, side by side.

    Attributes:
        inputs: of the function itself; its state lies in lane 0 of the rows.
        rows: for the symbol of a direction, the row of an argument that holds it, or the lane in which it is 1.
        real: the lanes.
    """

    inputs: Inputs
    rows: Mapping[str, tuple[str, int]]
    real: Real
    one: Instructions = field(init=False)
    many: Instructions = field(init=False)
    vectors: set[int] = field(default_factory=set)
    spread: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.one = Instructions({}, _ARGUMENTS)
        self.many = Instructions(
            {}, _ARGUMENTS, self.real, self.one.lines, self.one.declarations, self.one.values, prefix="v"
        )

    def compute(self, outputs: Sequence[Node]) -> list[str]:
        """Values of the outputs, of those that depend on the direction as vectors."""
        nodes = outputs[0].graph.nodes if outputs else []
        for index in live(outputs):
            if index not in self.one.values:
                self.one.values[index] = self._value(index, nodes[index])
        return [self.one.values[y.index] for y in outputs]

    def vector(self, index: int) -> str:
        """A computed node in all lanes."""
        value = self.one.values[index]
        if index in self.vectors:
            return value
        if value not in self.spread:
            self.spread[value] = spread(self.many, self.real, value)
        return self.spread[value]

    def _value(self, index: int, key: tuple[Any, ...]) -> str:
        if key[0] == CONSTANT:
            return self.one.real.number(key[1])
        if key[0] == SYMBOL:
            return self._symbol(index, key[1])
        if any(i in self.vectors for i in key[1:]):
            self.vectors.add(index)
            return operation(self.many, key[0], [self.vector(i) for i in key[1:]])
        return operation(self.one, key[0], [self.one.values[i] for i in key[1:]])

    def _symbol(self, index: int, name: str) -> str:
        if name in self.rows:
            self.vectors.add(index)
            where, position = self.rows[name]
            if where == "lane":
                zero = f"{self.real.type} zeroinitializer"
                return self.many.new(f"insertelement {zero}, double {self.one.real.number(1.0)}, i32 {position}")
            return self.many.load(_ARGUMENTS.get(where, where), position)
        where, position = self.inputs[name]
        width = self.real.width if where in ("y", "%x") else 1
        return self.one.load(_ARGUMENTS.get(where, where), position * width)

    def merged(self, value: Node, derivative: Node) -> str:
        """A row: the value in lane 0, derivatives behind it."""
        number = self.one.values[value.index]
        return self.many.new(f"insertelement {self.real.type} {self.vector(derivative.index)}, double {number}, i32 0")


def directions(function: Function, names: Sequence[str]) -> list[Node]:
    """Derivative of the outputs along the direction, whose symbols are the names with `DIRECTION` before them."""
    graph = function.graph
    return tangent(
        list(function.outputs), [graph.symbol(n) for n in names], [graph.symbol(DIRECTION + n) for n in names]
    )


def with_tangents(
    name: str, function: Function, inputs: Inputs, rows: Mapping[str, tuple[str, int]], real: Real, untouched: int = 0
) -> str:
    """IR of a function that maps rows to rows.

    Args:
        name: of the IR function, with the usual four arguments; time and parameters are single numbers.
        function: outputs on the graph.
        inputs: of the function.
        rows: for each symbol that moves with the direction, the argument and the row there that holds its derivatives,
            ``("y", 3)``; or ``("lane", 2)``, the lane in which these are 1.
        real: the lanes.
        untouched: so many of the last outputs are not differentiated.
    """
    mixed = _Mixed(inputs, {DIRECTION + n: place for n, place in rows.items()}, real)
    derivatives = directions(function, [*rows, *(f"x:{i}" for i in range(function.size))])
    if untouched:
        derivatives[-untouched:] = [function.graph.constant(0)] * untouched
    if function.size:
        _solve(mixed, function, list(rows))
    mixed.compute([*function.outputs, *derivatives])
    merged = [mixed.merged(v, d) for v, d in zip(function.outputs, derivatives, strict=True)]
    mixed.many.store("%a3", merged)
    return whole(name, ("t", "y", "p"), mixed.one)


def _solve(mixed: _Mixed, function: Function, names: Sequence[str]) -> None:
    """x of K x = b, and lane by lane dx of  K dx = db - dK x."""
    size, one, many, width = function.size, mixed.one, mixed.many, mixed.real.width
    graph, count = function.graph, function.size * (function.size + 1) + 1
    areas = {"K": count, "kept": count, "x": (size + 1) * width, "dx": size * width}
    places = {n: one.new(f"alloca double, i64 {k}, align 64") for n, k in areas.items()}
    K, kept, x, dx = places["K"], places["kept"], places["x"], places["dx"]
    one.store(kept, mixed.compute(list(function.system)))
    one.copy(kept, 1, K, 1, count - 1)
    call_solver(one, K, size)
    one.copy(_offset(one, K, size * size), 1, x, width, size + 1)
    unknown = [graph.symbol(f"x:{i}") for i in range(size)]
    mixed.inputs = {**mixed.inputs, **{f"x:{i}": ("%x", i) for i in range(size + 1)}}
    one.do(f"%x = getelementptr double, ptr {x}, i64 0")
    # db - dK x, x being held
    residual = [
        function.system[size * size + i] - _dot(function.system[i * size : (i + 1) * size], unknown)
        for i in range(size)
    ]
    held = Function(tuple(residual))
    sources = directions(held, names)
    mixed.compute(sources)
    many.store(dx, [mixed.vector(s.index) for s in sources])
    for lane in range(1, width):
        one.copy(kept, 1, K, 1, size * size)
        one.copy(_offset(one, dx, lane), width, _offset(one, K, size * size), 1, size)
        call_solver(one, K, size)
        one.copy(_offset(one, K, size * size), 1, _offset(one, dx, lane), width, size)
    one.do(f"%dx = getelementptr double, ptr {dx}, i64 0")
    mixed.rows = {**mixed.rows, **{f"{DIRECTION}x:{i}": ("%dx", i) for i in range(size)}}


def _dot(row: Sequence[Node], x: Sequence[Node]) -> Node:
    total = x[0].graph.constant(0)
    for a, b in zip(row, x, strict=True):
        total = total + a * b
    return total


def _offset(body: Instructions, pointer: str, elements: int) -> str:
    return body.new(f"getelementptr double, ptr {pointer}, i64 {elements}")


# --- The same in single numbers, on the graph: for methods that take functions apart ----------------------------------


def row_by_row(
    function: Function, inputs: Inputs, rows: Mapping[str, tuple[str, int]], width: int, count: int
) -> tuple[Function, Inputs]:
    """A function with its derivatives in `count` directions, and where their symbols lie, in rows of some width.

    Each output is followed by its derivatives, and by 0 in lanes of no direction. Where K x = b is solved on the way,
    so is  K dx = db - dK x  for each direction, as one system with the unknowns x, dx, ...; no output may be the margin
    of the solver.
    """
    graph, size, every = function.graph, function.size, function.size * (1 + count)
    zero, lanes = graph.constant(0), range(1, 1 + count)
    moves = [_seeds(function, rows, lane) for lane in lanes]
    x = [graph.symbol(f"x:{i}") for i in range(size)]
    system = list(function.system)
    K, b = [system[i * size : (i + 1) * size] for i in range(size)], system[size * size :]
    blocks, right = [[*row, *[zero] * (every - size)] for row in K], list(b)
    for lane, (names, seeds) in zip(lanes, moves, strict=True):
        slopes = tangent(system, names, seeds)
        for i, row in enumerate(K):
            first = [*slopes[i * size : (i + 1) * size], *[zero] * (every - size)]
            first[lane * size : (lane + 1) * size] = row
            blocks.append(first)
        right += slopes[size * size :]
    outputs: list[Node] = []
    columns = [
        tangent(
            list(function.outputs), [*names, *x], [*seeds, *(graph.symbol(f"x:{lane * size + i}") for i in range(size))]
        )
        for lane, (names, seeds) in zip(lanes, moves, strict=True)
    ]
    for i, output in enumerate(function.outputs):
        outputs += [output, *(column[i] for column in columns), *[zero] * (width - 1 - count)]
    known = {name: (place, i * width if place == "y" else i) for name, (place, i) in inputs.items()}
    for name, (place, i) in rows.items():
        known |= {moved(name, lane): (place, i * width + lane) for lane in range(1, width) if place != "lane"}
    return Function(tuple(outputs), every, tuple([e for row in blocks for e in row] + right)), known


def moved(name: str, lane: int) -> str:
    """The symbol of the derivative of another one in the direction of a lane."""
    return f"{DIRECTION}{name}:{lane}"


def _seeds(function: Function, rows: Mapping[str, tuple[str, int]], lane: int) -> tuple[list[Node], list[Node | float]]:
    """What moves in the direction of a lane, and how."""
    graph, names, seeds = function.graph, list[Node](), list[Node | float]()
    for name, (place, i) in rows.items():
        if place != "lane" or i == lane:
            names.append(graph.symbol(name))
            seeds.append(1.0 if place == "lane" else graph.symbol(moved(name, lane)))
    return names, seeds
