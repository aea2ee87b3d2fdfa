"""A program: a function and all that it calls, each once for every kind of arguments, as IR."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..ir_numbers import SCALAR
from .arithmetic import declared
from .calls import returned
from .statements import Statements
from .syntax_tree import Function, source_of
from .value_types import NOTHING, REAL, Array, Kind, NotCompilable, Value, components, words


class LoopProgram:
    """The functions of a program, written as they are called."""

    def __init__(self) -> None:
        self.needed: set[str] = set()
        self._texts: list[str] = []
        self._made: dict[tuple[Function, tuple[Kind, ...]], tuple[str, Kind] | None] = {}
        self._constants: dict[str, str] = {}
        self._hints = 0

    def made(self, function: Function, kinds: Sequence[Kind]) -> tuple[str, Kind]:
        """Name and kind of result of a function that is compiled for kinds of arguments.

        Raises:
            Refused: it is no loop.
        """
        key = function, tuple(kinds)
        if key not in self._made:
            self._made[key] = None
            self._made[key] = self._written(function, kinds, f"{function.__name__}.{len(self._made)}")
        found = self._made[key]
        if found is None:
            raise NotCompilable(f"{function.__name__} calls itself")
        return found

    def _written(self, function: Function, kinds: Sequence[Kind], name: str) -> tuple[str, Kind]:
        source = source_of(function)
        body = Statements(source, self)
        parameters = []
        for parameter, kind in zip(source.tree.args.args, kinds, strict=True):
            names = [f"%{body.fresh('p')}" for _ in components(kind)]
            parameters += [f"{t} {n}" for t, n in zip(components(kind), names, strict=True)]
            body.name(parameter, Value(kind, tuple(names)))
        body.body(source.tree.body)
        if body.open:
            if source.result != "None":
                body.refuse(source.tree, "it may end without a value")
            body.do("ret void")
        result = body.result or NOTHING
        # inlined everywhere, functions with loops of their own would take LLVM seconds, and save nanoseconds
        how = "noinline " if body.loops else ""
        head = f"define internal {returned(components(result))} @{name}({', '.join(parameters)}) {how}{{"
        self._texts.append("\n".join([head, "entry:", *body.rooms, *body.lines, "}"]))
        return name, result

    def constant(self, numbers: np.ndarray) -> str:
        """The address of numbers that never change."""
        if numbers.dtype == np.float64:
            kind, texts = "double", [SCALAR.number(float(x)) for x in numbers.ravel()]
        else:
            kind, texts = "i64", [str(int(x)) for x in numbers.ravel()]
        text = f"[{len(texts)} x {kind}] [{', '.join(f'{kind} {x}' for x in texts)}]"
        return self._constants.setdefault(text, f"@numbers.{len(self._constants)}")

    def hint(self) -> str:
        """Loops are not unrolled: they are short, or call machine code, and LLVM would take as long again."""
        self._hints += 1
        return f"!{self._hints + 2}"

    def text(self, *more: str) -> str:
        """The whole of it, and functions around it."""
        constants = [f"{name} = private unnamed_addr constant {text}" for text, name in self._constants.items()]
        hints = [f"!{k} = distinct !{{!{k}, !1, !2}}" for k in range(3, self._hints + 3)]
        told = ["!0 = !{}", '!1 = !{!"llvm.loop.unroll.disable"}', '!2 = !{!"llvm.loop.interleave.count", i32 1}']
        return "\n".join([*declared(self.needed), *constants, *self._texts, *more, *told, *hints, ""])


def entered(function: Function, kinds: Sequence[tuple[Kind, bool]], name: str) -> tuple[str, Kind]:
    """IR of ``void name(i64* words)``, which calls a function with what lies in a table, and the kind of its result.

    Args:
        function: what is called.
        kinds: of its arguments, and whether each is behind an address of its own; the words of the result come after
            them.
        name: of the function in the library.
    """
    program, given, place = LoopProgram(), [], 0
    body = Statements(source_of(function), program)
    for kind, apart in kinds:
        if apart:
            given.append(Value(kind, (body.word("%words", place, "ptr"),)))
        else:
            given.append(body.from_table(kind, "%words", place))
        place += 1 if apart else words(kind)
    result = body.apply(source_of(function).tree, function, given)
    for i, (part, type) in enumerate(_numbers(result)):
        target = body.new(f"getelementptr inbounds i64, ptr %words, i64 {place + i}")
        stored = body.new(f"zext i1 {part} to i64") if type == "i1" else part
        body.do(f"store {'i64' if type == 'i1' else type} {stored}, ptr {target}, align 8")
    text = "\n".join([f"define void @{name}(ptr noalias %words) {{", *body.rooms, *body.lines, "  ret void", "}"])
    return program.text(text), result.kind


def _numbers(result: Value) -> list[tuple[str, str]]:
    """The numbers that a function returns, with their types."""
    types = components(result.kind)
    if "ptr" in types:
        raise NotCompilable("a function that is called from Python returns numbers only")
    return list(zip(result.parts, types, strict=True))


def solving(function: Function, name: str) -> str:
    """IR of ``void name(double* A, double* b, i64 n, double* out)`` around a function of A (n, n) and b (n,)."""
    program = LoopProgram()
    body = Statements(source_of(function), program)
    matrix, row = Value(Array(REAL, 2), ("%A", "%n", "%n")), Value(Array(REAL, 1), ("%b", "%n"))
    result = body.apply(source_of(function).tree, function, [matrix, row])
    body.do(f"store double {result.parts[0]}, ptr %out, align 8")
    head = f"define void @{name}(ptr %A, ptr %b, i64 %n, ptr %out) {{"
    return program.text("\n".join([head, *body.rooms, *body.lines, "  ret void", "}"]))
