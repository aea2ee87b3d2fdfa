"""Graph -> LLVM IR text, for one number at a time or for SIMD lanes; `library.Library` makes machine code of it.

Every function has the C signature ``void name(double* t, double* y, double* p, double* out)``. With lanes each number
is W numbers side by side: element i of lane l lies at ``i W + l``. All inputs are read before anything is written, so
`out` may be `y`. There is no fast-math flag: one that assumes away NaN would let the optimiser delete the tests that
stop a broken integration, and ``contract`` would let it choose between roundings; `fused` says where a b + c is one
operation.

Text that a user chose never enters the IR: values, arguments and symbols are numbers there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from ...calculus.elementary_functions import ELEMENTARY
from ...calculus.graph import CONSTANT, SYMBOL, Node
from ...calculus.node_store import LEAVES
from ...errors import as_given
from . import linear_solve, loop_rerolling, sincos, special_functions
from .compiler import widest
from .function_splitting import LARGEST, PREFIX, CodePieces
from .fused_multiply_add import Nodes, operands_of, products, products_in_sums
from .ir_numbers import SCALAR, Real
from .loop_ir import ROOM, Copy, Spot, Straight, Turn, copies
from .loop_ir import TEXT as COPY
from .loop_rerolling import Rolled, RolledLoop

Inputs = Mapping[str, tuple[str, int]]

Kept = CodePieces | Rolled  # know where values lie

ARGUMENTS = ("t", "y", "p")
LARGEST_SADDLE = 2048  # unknowns
SIDE_BY_SIDE = 8  # zeros: more are written together
ON_STACK = 160 * 162  # doubles, 200 kB, that may lie on the stack of any thread; more lie elsewhere

_TRIGONOMETRIC = {name: row.machine.kind for name, row in ELEMENTARY.items() if row.machine.kind in ("sine", "cosine")}


@dataclass
class Instructions:
    """Straight-line instructions of one function.

    Attributes:
        values: by a node's index, what holds its value.
        lying: by a node's index, where its value lies that nothing holds yet.
        rooms: room that is not on the stack, and is given back by `give_back`.
    """

    inputs: Inputs
    pointers: Mapping[str, str]
    real: Real = SCALAR
    lines: list[str] = field(default_factory=list)
    declarations: set[str] = field(default_factory=set)
    values: dict[int, str] = field(default_factory=dict)
    lying: dict[int, tuple[str, int]] = field(default_factory=dict)
    rooms: list[str] = field(default_factory=list)
    pairs: dict[str, tuple[str, str]] = field(default_factory=dict)
    prefix: str = "n"
    count: int = 0

    def do(self, instruction: str) -> None:
        """Append an instruction without a result."""
        self.lines.append(f"  {instruction}")

    def new(self, instruction: str) -> str:
        """Append an instruction and return the name of its result."""
        self.count += 1
        self.do(f"%{self.prefix}{self.count} = {instruction}")
        return f"%{self.prefix}{self.count}"

    def call(self, function: str, args: Sequence[str]) -> str:
        """Call a function of real numbers, declaring it."""
        real = self.real.type
        self.declarations.add(f"declare {real} @{function}({', '.join([real] * len(args))})")
        return self.new(f"call {real} @{function}({', '.join(f'{real} {a}' for a in args)})")

    def call_each(self, function: str, args: Sequence[str], more: Sequence[str] = ()) -> str:
        """Call a function of doubles, lane by lane; `more` are further arguments with their types."""
        if self.real.width == 1:
            return self._call_one(function, args, more)
        result = "undef"
        for lane in range(self.real.width):
            parts = [self.new(f"extractelement {self.real.type} {a}, i32 {lane}") for a in args]
            value = self._call_one(function, parts, more)
            result = self.new(f"insertelement {self.real.type} {result}, double {value}, i32 {lane}")
        return result

    def _call_one(self, function: str, args: Sequence[str], more: Sequence[str]) -> str:
        kinds = ["double"] * len(args) + [part.split()[0] for part in more]
        self.declarations.add(f"declare double @{function}({', '.join(kinds)})")
        return self.new(f"call double @{function}({', '.join([*(f'double {a}' for a in args), *more])})")

    def sine_and_cosine(self, x: str) -> tuple[str, str]:
        """(sin x, cos x), computed once for each x."""
        if x not in self.pairs:
            self.pairs[x] = self._sincos(self.real, x)
        return self.pairs[x]

    def _sincos(self, real: Real, x: str) -> tuple[str, str]:
        self.declarations |= {*sincos.declarations(real), sincos.function(real)}
        return self.both(real, f"{sincos.name(real)}({real.type} {x})")

    def both(self, real: Real, call: str) -> tuple[str, str]:
        """The sine and the cosine of which a call returns the pair."""
        kind = sincos.declared(real)
        pair = self.new(f"call {kind} @{call}")
        sine, cosine = (self.new(f"extractvalue {kind} {pair}, {i}") for i in (0, 1))
        return sine, cosine

    def _sines_together(self, arguments: Sequence[str]) -> None:
        """Sines and cosines of several single numbers in the lanes of one register."""
        names = [x for x in dict.fromkeys(arguments) if x not in self.pairs]
        for first in range(0, len(names), widest()):
            some = names[first : first + widest()]
            if len(some) == 1:
                continue
            real, packed = Real.lanes(1 << (len(some) - 1).bit_length()), "undef"
            for lane in range(real.width):
                number = some[min(lane, len(some) - 1)]
                packed = self.new(f"insertelement {real.type} {packed}, double {number}, i32 {lane}")
            both = self._sincos(real, packed)
            for lane, x in enumerate(some):
                sine, cosine = (self.new(f"extractelement {real.type} {part}, i32 {lane}") for part in both)
                self.pairs[x] = sine, cosine

    def at(self, pointer: str, index: int) -> str:
        """Address of element `index` behind a pointer."""
        return self.new(f"getelementptr double, ptr {pointer}, i64 {index * self.real.width}")

    def load(self, pointer: str, index: int) -> str:
        """The number at `index` behind a pointer."""
        return self.new(f"load {self.real.type}, ptr {self.at(pointer, index)}, align 8")

    def store(self, pointer: str, values: Iterable[str]) -> None:
        """Write numbers one after another from a pointer on."""
        for index, value in enumerate(values):
            self.do(f"store {self.real.type} {value}, ptr {self.at(pointer, index)}, align 8")

    def copy(self, source: str, step: int, target: str, step_to: int, count: int) -> None:
        """Copy `count` doubles that lie `step` apart to places that lie `step_to` apart."""
        self.declarations.add(COPY)
        self.do(f"call void @dalembert_copy(ptr {source}, i64 {step}, ptr {target}, i64 {step_to}, i64 {count})")

    def room(self, doubles: int) -> str:
        """Room for so many doubles, where `give_back` finds it."""
        if doubles <= ON_STACK:
            return self.new(f"alloca double, i64 {doubles}, align 64")
        self.declarations.add("declare ptr @malloc(i64)")
        self.rooms.append(self.new(f"call ptr @malloc(i64 {8 * doubles})"))
        return self.rooms[-1]

    def give_back(self) -> None:
        """The end of all that lies in room."""
        self.lying.clear()
        while self.rooms:
            self.declarations.add("declare void @free(ptr)")
            self.do(f"call void @free(ptr {self.rooms.pop()})")

    def compute_into(self, pointer: str, outputs: Sequence[Node]) -> None:
        """Compute, and write the values one after another from a pointer on."""
        self._prepare(outputs)
        spots: dict[str, list[Spot]] = {}
        empty = self._emptied(pointer, outputs)
        for k, y in enumerate(outputs):
            if k in empty:
                continue
            if y.index in self.lying:
                room, place = self.lying[y.index]
                spots.setdefault(room, []).append((place, k))
            else:
                self.do(f"store {self.real.type} {self.values[y.index]}, ptr {self.at(pointer, k)}, align 8")
        for room, those in spots.items():
            for one in copies(those):
                self._copy(room, pointer, one)

    def _emptied(self, pointer: str, outputs: Sequence[Node]) -> set[int]:
        """Write the zeros that stand side by side, as between the blocks of a matrix, together; their places."""
        found: set[int] = set()
        for zero, those in groupby(range(len(outputs)), lambda k: outputs[k].is_zero):
            run = list(those)
            if zero and len(run) > SIDE_BY_SIDE:
                self.declarations.add("declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)")
                many = 8 * len(run) * self.real.width
                self.do(f"call void @llvm.memset.p0.i64(ptr {self.at(pointer, run[0])}, i8 0, i64 {many}, i1 false)")
                found.update(run)
        return found

    def _copy(self, room: str, pointer: str, one: Copy) -> None:
        """Copy numbers: a loop over those of each lane, since those of a number lie side by side."""
        width = self.real.width
        if one.many == 1:
            value = self.load(room, one.place)
            self.do(f"store {self.real.type} {value}, ptr {self.at(pointer, one.target)}, align 8")
            return
        if one.step == one.step_to == 1:
            self.copy(self.at(room, one.place), 1, self.at(pointer, one.target), 1, one.many * width)
            return
        for lane in range(width):
            source = self.new(f"getelementptr double, ptr {room}, i64 {one.place * width + lane}")
            target = self.new(f"getelementptr double, ptr {pointer}, i64 {one.target * width + lane}")
            self.copy(source, one.step * width, target, one.step_to * width, one.many)

    def compute(self, outputs: Sequence[Node]) -> list[str]:
        """The values of the outputs, with all instructions that they need and that are not yet there."""
        self._prepare(outputs)
        values = [self._at_hand(y.index) for y in outputs]
        self.give_back()
        return values

    def _at_hand(self, index: int) -> str:
        if index in self.lying:
            self.values[index] = self.load(*self.lying.pop(index))
        return self.values[index]

    def _prepare(self, outputs: Sequence[Node]) -> None:
        """Compute what is not there: afterwards all outputs are among `values` or `lying`."""
        nodes = outputs[0].graph.nodes if outputs else []
        order = self._missing([y.index for y in outputs], nodes)
        fused = products_in_sums(order, nodes, [y.index for y in outputs])
        if len(order) > loop_rerolling.FROM and self._in_loops(outputs, order, fused):
            pass
        elif len(order) > LARGEST:
            self._in_pieces(outputs, order, fused)
        else:
            self._evaluate(order, nodes, fused)

    def _missing(self, wanted: Iterable[int], nodes: Nodes) -> list[int]:
        """What these need and is not there, operands first."""
        found: set[int] = set()
        stack = list(wanted)
        while stack:
            i = stack.pop()
            if i in self.lying:
                self._at_hand(i)
            elif i not in found and i not in self.values:
                found.add(i)
                stack += nodes[i][1:] if nodes[i][0] not in LEAVES else ()
        return sorted(found)

    def _evaluate(self, order: Sequence[int], nodes: Nodes, fused: Mapping[int, int]) -> None:
        """Compute nodes whose operands are there or among them; what sines and cosines are taken of comes first."""
        early = _early_arguments(order, nodes) if self.real.width == 1 else []
        if len(early) > 1:
            self._each(self._missing(early, nodes), nodes, fused)
            self._sines_together([self.values[index] for index in early])
        self._each(order, nodes, fused)

    def _each(self, order: Iterable[int], nodes: Nodes, fused: Mapping[int, int]) -> None:
        within = products(fused, nodes)
        for index in order:
            if index in self.values or index in within:
                continue
            key = nodes[index]
            if key[0] in LEAVES:
                self.values[index] = self._value(key)
            else:
                args = [self.values[i] for i in operands_of(index, nodes, fused)]
                self.values[index] = self.operation(key[0], args, fused.get(index))

    def operation(self, name: str, args: list[str], place: int | None = None) -> str:
        """An operation on these; with a place, a sum or difference of which that part is the product of the first two.

        Then it is rounded once where the processor can.
        """
        if place is None:
            return operation(self, name, args)
        a, b, c = args
        if name == "-" and place == 2:  # c - a b
            a = self.new(f"fneg {self.real.type} {a}")
        elif name == "-":  # a b - c
            c = self.new(f"fneg {self.real.type} {c}")
        return self.call(f"llvm.fmuladd.{self.real.suffix}", [a, b, c])

    # --- by loops ---------------------------------------------------------------------------------------------------

    def _in_loops(self, outputs: Sequence[Node], order: Sequence[int], fused: Mapping[int, int]) -> bool:
        """Compute by loops what is alike; False, and nothing is done, where that would not make the text shorter."""
        nodes = outputs[0].graph.nodes
        within = products(fused, nodes)
        code = Straight([i for i in order if nodes[i][0] not in LEAVES and i not in within], nodes, fused, self.inputs)
        before = [i for i in self.values if nodes[i][0] not in LEAVES]
        plan = Rolled.of(code, [y.index for y in outputs], frozenset(before))
        if plan is None:
            return False
        self._keep(plan, [i for i in plan.places if i in self.values], room := self.room(plan.room * self.real.width))
        for k, part in enumerate(plan.parts):
            straight = part.first if isinstance(part, RolledLoop) else part
            self._missing_from(room, plan, {j for i in straight for j in code.operands(i)}.difference(straight), nodes)
            self._each(straight, nodes, {i: fused[i] for i in straight if i in fused})
            self._keep(plan, straight, room)
            if isinstance(part, RolledLoop):
                self._loop(part, code, plan, f"{loop_rerolling.PREFIX}_{room[1:]}_{k}", room)
        self._lie(room, plan, outputs)
        return True

    def _lie(self, room: str, kept: Kept, outputs: Sequence[Node]) -> None:
        """Say of outputs that are not at hand where they lie."""
        for y in outputs:
            if y.index not in self.values and y.index in kept.places:
                self.lying[y.index] = room, kept.places[y.index]
            elif y.index not in self.values:
                self.values[y.index] = self._value(y.key)

    def _missing_from(self, room: str, kept: Kept, wanted: Iterable[int], nodes: Nodes) -> None:
        """Take what is not at hand from where it lies."""
        for j in wanted:
            if j not in self.values:
                place = kept.places.get(j)
                self.values[j] = self._value(nodes[j]) if place is None else self.load(room, place)

    def _loop(self, loop: RolledLoop, code: Straight, plan: Rolled, name: str, room: str) -> None:
        """The phases of a loop, each a function and its call: side by side while registers are full, then alone."""
        pointers = {name: f"%a{k}" for k, name in enumerate([*self.pointers, ROOM])}
        lanes = widest() if self.real.width == 1 else 1
        for k, phase in enumerate(loop.phases):
            slots = code.slots(loop, phase, plan.places)
            whole = len(loop.turns) // lanes * lanes if phase[1] and lanes > 1 else 0
            for real, first, end in ((Real.lanes(lanes), 0, whole), (self.real, whole, len(loop.turns))):
                if first < end:
                    turn = Turn(Instructions({}, pointers, real), self.real.width, f"{name}_{k}")
                    turn.compute(slots)
                    function = f"{name}_{k}_{first}"
                    self.declarations |= {*turn.body.declarations, turn.function(function, first, end)}
                    given = ", ".join(f"ptr {a}" for a in [*self.pointers.values(), room])
                    self.do(f"call void @{function}({given})")

    # --- by functions that are called one after another ----------------------------------------------------------

    def _in_pieces(self, outputs: Sequence[Node], order: Sequence[int], fused: Mapping[int, int]) -> None:
        nodes = outputs[0].graph.nodes
        within = products(fused, nodes)
        to_do = [i for i in order if nodes[i][0] not in LEAVES and i not in within]
        operands = {i: operands_of(i, nodes, fused) for i in to_do}
        pieces = CodePieces.of(to_do, operands.__getitem__, [y.index for y in outputs], self.values)
        room = self.room(pieces.room * self.real.width)
        self._keep(pieces, [i for i in pieces.places if i in self.values], room)
        for k, part in enumerate(pieces.parts):
            taken = sorted({j for i in part for j in operands[i]}.difference(part))
            piece = self._piece(pieces, taken, nodes)
            piece._evaluate(part, nodes, {i: fused[i] for i in part if i in fused})
            piece._keep(pieces, part, piece.pointers[ROOM])
            self._call(f"{PREFIX}_{room[1:]}_{k}", piece, room)
        self._lie(room, pieces, outputs)

    def _piece(self, pieces: CodePieces, taken: Iterable[int], nodes: Nodes) -> Instructions:
        """The beginning of a function: what it takes is there."""
        piece = Instructions(self.inputs, {name: f"%a{k}" for k, name in enumerate([*self.pointers, ROOM])}, self.real)
        piece._missing_from(piece.pointers[ROOM], pieces, taken, nodes)
        return piece

    def _keep(self, kept: Kept, indices: Iterable[int], room: str) -> None:
        """Write values to their places."""
        for i in indices:
            if i in kept.places:
                self.do(f"store {self.real.type} {self.values[i]}, ptr {self.at(room, kept.places[i])}, align 8")

    def _call(self, name: str, piece: Instructions, room: str) -> None:
        """The end of the function, and its call."""
        head = f"define internal void @{name}({', '.join(f'ptr {a}' for a in piece.pointers.values())}) noinline {{"
        self.declarations |= {*piece.declarations, "\n".join([head, *piece.lines, "  ret void", "}"])}
        self.do(f"call void @{name}({', '.join(f'ptr {a}' for a in [*self.pointers.values(), room])})")

    def _value(self, key: tuple[Any, ...]) -> str:
        if key[0] == CONSTANT:
            return self.real.number(key[1])
        if key[0] == SYMBOL:
            return self._input(key[1])
        return operation(self, key[0], [self.values[i] for i in key[1:]])

    def _input(self, symbol: str) -> str:
        if symbol not in self.inputs:
            raise KeyError(f"symbol {as_given(symbol)} is no input of the function to be compiled")
        argument, index = self.inputs[symbol]
        return self.load(self.pointers[argument], index)


def _early_arguments(order: Sequence[int], nodes: Nodes) -> list[int]:
    """The arguments of sines and cosines that depend on no sine or cosine themselves."""
    turned: set[int] = set()
    early: dict[int, None] = {}
    for index in order:
        key = nodes[index]
        if key[0] in _TRIGONOMETRIC and key[1] not in turned:
            early[key[1]] = None
        if key[0] in _TRIGONOMETRIC or (key[0] not in (CONSTANT, SYMBOL) and any(i in turned for i in key[1:])):
            turned.add(index)
    return list(early)


def spread(body: Instructions, real: Real, number: str) -> str:
    """A double in every lane."""
    if real.width == 1:
        return number
    first = body.new(f"insertelement {real.type} undef, double {number}, i32 0")
    mask = f"<{real.width} x i32> zeroinitializer"
    return body.new(f"shufflevector {real.type} {first}, {real.type} undef, {mask}")


def operation(body: Instructions, name: str, args: list[str]) -> str:
    """One operation of the table `ELEMENTARY`."""
    machine = ELEMENTARY[name].machine
    return _WRITTEN[machine.kind](body, machine.name, args)


def _arithmetic(body: Instructions, instruction: str, args: Sequence[str]) -> str:
    return body.new(f"{instruction} {body.real.type} {', '.join(args)}")


def _intrinsic(body: Instructions, name: str, args: Sequence[str]) -> str:
    return body.call(f"llvm.{name}.{body.real.suffix}", args)


def _special(body: Instructions, name: str, args: Sequence[str]) -> str:
    return body.call_each(
        special_functions.PREFIX + name, args, ["i32 0"] if special_functions.takes_flag(name) else []
    )


def _comparison(body: Instructions, relation: str, args: Sequence[str]) -> str:
    return body.new(f"uitofp {body.real.mask} {_compare(body, relation, *args)} to {body.real.type}")


def _select(body: Instructions, _: str, args: Sequence[str]) -> str:
    return _choose(body, _compare(body, "une", args[0], body.real.number(0.0)), *args[1:])


def _compare(body: Instructions, relation: str, a: str, b: str) -> str:
    return body.new(f"fcmp {relation} {body.real.type} {a}, {b}")


def _choose(body: Instructions, condition: str, a: str, b: str) -> str:
    real = body.real
    return body.new(f"select {real.mask} {condition}, {real.type} {a}, {real.type} {b}")


def _sign(body: Instructions, x: str) -> str:
    # sign x = x where x is 0 or NaN, else 1 with the sign of x
    one = body.call(f"llvm.copysign.{body.real.suffix}", [body.real.number(1.0), x])
    return _choose(body, _compare(body, "ueq", x, body.real.number(0.0)), x, one)


_WRITTEN: dict[str, Callable[[Instructions, str, Sequence[str]], str]] = {
    "instruction": _arithmetic,
    "comparison": _comparison,
    "intrinsic": _intrinsic,
    "libm": Instructions.call_each,
    "special": _special,
    "sine": lambda body, _, args: body.sine_and_cosine(*args)[0],
    "cosine": lambda body, _, args: body.sine_and_cosine(*args)[1],
    "sign": lambda body, _, args: _sign(body, *args),
    "select": _select,
}


def whole(name: str, arguments: Sequence[str], body: Instructions) -> str:
    """The text of a whole function and of what it declares."""
    if not (name.isascii() and name.isidentifier()):
        raise ValueError(f"{as_given(name)} cannot be the name of a compiled function")
    parameters = ", ".join(f"ptr %a{i}" for i in range(len(arguments) + 1))
    head = "\n".join(sorted(body.declarations))
    return "\n".join(
        [head, f"define void @{name}({parameters}) {body.real.stack}{{", *body.lines, "  ret void", "}", ""]
    )


def _pointers(arguments: Sequence[str]) -> dict[str, str]:
    return {argument: f"%a{i}" for i, argument in enumerate(arguments)}


def emit(
    name: str,
    outputs: Sequence[Node],
    inputs: Inputs,
    arguments: Sequence[str] = ARGUMENTS,
    real: Real = SCALAR,
) -> str:
    """IR text of the function `name` that writes the values of `outputs`, in their order, to its last argument.

    Args:
        name: an ASCII identifier, unique in the library it is compiled into.
        outputs: nodes of one graph.
        inputs: for every symbol, the argument that holds it and its index there.
        arguments: names of the arguments before the output, in the order of the C signature.
        real: one number or lanes of them, for all arguments and the output.

    Raises:
        KeyError: a symbol of the graph is not among the inputs.
        ValueError: the name cannot be used.
    """
    body = Instructions(inputs, _pointers(arguments), real)
    body.compute_into(f"%a{len(arguments)}", outputs)
    body.give_back()
    return whole(name, arguments, body)


def emit_one(name: str, function: str, place: int, size: int) -> str:
    """IR text of a function that writes one of the `size` numbers that another one of its library does."""
    body = Instructions({}, _pointers(ARGUMENTS), SCALAR)
    body.declarations.add(f"declare void @{function}(ptr, ptr, ptr, ptr)")
    room = body.new(f"alloca double, i64 {size}, align 64")
    body.do(f"call void @{function}(ptr %a0, ptr %a1, ptr %a2, ptr {room})")
    body.do(f"store double {body.load(room, place)}, ptr %a3, align 8")
    return whole(name, ARGUMENTS, body)


def emit_saddle(
    name: str,
    size: int,
    assemble: Sequence[Node],
    finish: Sequence[Node],
    inputs: Inputs,
    arguments: Sequence[str] = ARGUMENTS,
    real: Real = SCALAR,
) -> str:
    """IR text of a function that assembles and solves K x = b with pivots, and writes `finish`, which may contain x.

    The solution is one more argument called ``"x"``: ``inputs`` may map symbols to ``("x", i)`` for i < size, and to
    ``("x", size)``, the margin of `solve`: smallest by largest pivot, 0 where K is singular (x is NaN then).

    Args:
        name: an ASCII identifier, unique in the library it is compiled into.
        size: number of unknowns, at most `LARGEST_SADDLE`.
        assemble: K by rows and then b: size * (size + 1) nodes, free of x.
        finish: the outputs, nodes of the same graph.
        inputs: for every symbol, the argument that holds it and its index there.
        arguments: names of the arguments before the output.
        real: one number or lanes of them; the lanes are solved one after another.

    Raises:
        KeyError: a symbol of the graph is not among the inputs.
        ValueError: size and assemble do not fit together, or size is too large, or the name cannot be used.
    """
    if len(assemble) != size * (size + 1) or not 0 <= size <= LARGEST_SADDLE:
        raise ValueError(f"{len(assemble)} entries for a matrix and right-hand side of size {size}")
    body = Instructions({s: i for s, i in inputs.items() if i[0] != "x"}, _pointers(arguments), real)
    matrix = body.room((size * (size + 1) + 1) * real.width)
    body.compute_into(matrix, assemble)
    if real.width == 1:
        call_solver(body, matrix, size)
    else:
        _solve_each(body, matrix, size)
    body.inputs, body.pointers = inputs, {**body.pointers, "x": body.at(matrix, size * size)}
    body.compute_into(f"%a{len(arguments)}", finish)
    body.give_back()
    return whole(name, arguments, body)


def call_solver(body: Instructions, matrix: str, size: int) -> None:
    """Solve in place: x in place of b, and behind it the margin."""
    body.declarations.add(f"declare void @{linear_solve.SYMBOL}(ptr, ptr, i64, ptr)")
    solution = body.new(f"getelementptr double, ptr {matrix}, i64 {size * size}")
    margin = body.new(f"getelementptr double, ptr {matrix}, i64 {size * (size + 1)}")
    body.do(f"call void @{linear_solve.SYMBOL}(ptr {matrix}, ptr {solution}, i64 {size}, ptr {margin})")


def _solve_each(body: Instructions, matrix: str, size: int) -> None:
    """The same, lane by lane: each lane's numbers are copied side by side, solved, and x and its margin copied back."""
    count, width = size * (size + 1) + 1, body.real.width
    single = body.room(count)
    solved = body.new(f"getelementptr double, ptr {single}, i64 {size * size}")
    for lane in range(width):
        source = body.new(f"getelementptr double, ptr {matrix}, i64 {lane}")
        target = body.new(f"getelementptr double, ptr {matrix}, i64 {size * size * width + lane}")
        body.copy(source, width, single, 1, count)
        call_solver(body, single, size)
        body.copy(solved, 1, target, width, size + 1)
