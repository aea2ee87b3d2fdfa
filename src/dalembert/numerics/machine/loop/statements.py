"""Python's statements as instructions."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

import numpy as np

from .arithmetic import Whole
from .calls import Calls, returned
from .syntax_tree import FunctionSource
from .value_types import COUNT, NOTHING, Array, Kind, Scalar, TupleKind, Value, components, outlives, told

_Ways = tuple[str, str, list[set[str]]]  # of a loop: where it goes on, where it ends, what is known where it is left


def _fill(row: np.ndarray, value: float) -> None:
    for i in range(len(row)):
        row[i] = value


def _fill_ints(row: np.ndarray, value: int) -> None:
    for i in range(len(row)):
        row[i] = value


def _copy(source: np.ndarray, row: np.ndarray) -> None:
    for i in range(len(row)):
        row[i] = source[i]


class Statements(Calls):
    """Writes a function's body."""

    def __init__(self, source: FunctionSource, whole: Whole) -> None:
        super().__init__(source, whole)
        self.result: Kind | None = None
        self._ways: list[_Ways] = []

    def body(self, statements: Sequence[ast.stmt]) -> None:
        """Statements one after another."""
        for statement in statements:
            if not self.open:
                self.refuse(statement, "never reached")
            self._statement(statement)

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Expr(value=ast.Constant(value=str())) | ast.Pass():
                pass
            case ast.Expr(value=ast.Call()):
                self.value(node.value)
            case ast.Assign():
                self._assign(node)
            case ast.AugAssign():
                self._change(node)
            case ast.If():
                self._if(node)
            case ast.While():
                self._while(node)
            case ast.For():
                self._for(node)
            case ast.Return():
                self._return(node)
            case ast.Break():
                self._ways[-1][2].append(set(self.known))
                self.jump(self._ways[-1][1])
            case ast.Continue():
                self.jump(self._ways[-1][0])
            case _:
                self.refuse(node, "no statement of a loop")

    # --- what gets a value ---

    def _assign(self, node: ast.Assign) -> None:
        single = len(node.targets) == 1 and isinstance(node.targets[0], ast.Tuple)
        if single and isinstance(node.value, ast.Tuple) and self._pairs(node.targets[0], node.value):
            return
        value = self.value(node.value)
        for target in node.targets:
            self._give(target, value)

    def _pairs(self, targets: ast.expr, values: ast.Tuple) -> bool:
        """a, b = x, y: all values first."""
        assert isinstance(targets, ast.Tuple)
        if len(targets.elts) != len(values.elts):
            self.refuse(targets, "as many names as values are wanted")
        found = [self.value(each) for each in values.elts]
        for target, value in zip(targets.elts, found, strict=True):
            self._give(target, value)
        return True

    def _give(self, target: ast.expr, value: Value) -> None:
        if isinstance(target, ast.Name):
            self.name(target, value)
        elif isinstance(target, ast.Subscript):
            self._put(target, value)
        elif isinstance(target, ast.Tuple) and isinstance(value.kind, TupleKind):
            if len(target.elts) != len(value.kind.fields):
                self.refuse(target, f"{len(value.kind.fields)} names are wanted")
            for each, field in zip(target.elts, value.kind.fields, strict=True):
                self._give(each, self.field(value, field))
        else:
            self.refuse(target, "nothing that can get this value")

    def name(self, node: ast.Name | ast.arg, value: Value) -> None:
        """Give a name a value, of the kind that it had before."""
        name = node.id if isinstance(node, ast.Name) else node.arg
        if value.kind == NOTHING:
            self.refuse(node, "a call that returns nothing")
        if name not in self.slots:
            self.slots[name] = Value(value.kind, tuple(self.room(t) for t in components(value.kind)))
        slot = self.slots[name]
        if slot.kind != value.kind:
            self.refuse(node, f"{told(value.kind)} for a name that is {told(slot.kind)} already")
        self.keep(value, slot.parts)
        self.known.add(name)

    def _place(self, target: ast.Subscript) -> Value:
        whole = self.value(target.value)
        if not isinstance(whole.kind, Array):
            self.refuse(target, "no array")
        if whole.parts[0].startswith("@"):
            self.refuse(target, "numbers that never change")
        return self.part(target, whole)

    def _put(self, target: ast.Subscript, value: Value) -> None:
        """Write to an element, or to all of a part of an array."""
        part = self._place(target)
        if isinstance(part.kind, Scalar):
            wanted = self.declared(target, value, part.kind.word)
            self.put(part.kind, part.parts[0], wanted.parts[0])
            return
        assert isinstance(part.kind, Array)
        row = self._flat(part)
        if isinstance(value.kind, Array):
            if value.kind.rank != part.kind.rank or value.kind.element != part.kind.element:
                self.refuse(target, f"{told(value.kind)} for {told(part.kind)}")
            self.apply(target, _copy, [self._flat(value), row])
            return
        wanted = self.declared(target, value, part.kind.element.word)
        if part.kind.element.word == "bool":
            self.refuse(target, "an array of bool that is filled")
        self.apply(target, _fill if part.kind.element.word == "float" else _fill_ints, [row, wanted])

    def _flat(self, array: Value) -> Value:
        """All numbers of an array in a row."""
        assert isinstance(array.kind, Array)
        total = array.parts[1]
        for size in array.parts[2:]:
            total = self.times(total, size)
        return Value(Array(array.kind.element, 1, array.kind.made), (array.parts[0], total))

    def _change(self, node: ast.AugAssign) -> None:
        """x += y; what was there is read before y is computed."""
        if isinstance(node.target, ast.Name):
            now = self.value(node.target)
            self.name(node.target, self.work(node, node.op, now, self.value(node.value)))
            return
        if not isinstance(node.target, ast.Subscript):
            self.refuse(node, "nothing that can get this value")
        part = self._place(node.target)
        if not isinstance(part.kind, Scalar):
            self.refuse(node, "arithmetic of arrays")
        now = self.element(part.kind, part.parts[0])
        changed = self.work(node, node.op, now, self.value(node.value))
        self.put(part.kind, part.parts[0], self.declared(node, changed, part.kind.word).parts[0])

    # --- ways ---

    def _if(self, node: ast.If) -> None:
        yes, no, end = self.fresh("b"), self.fresh("b"), self.fresh("b")
        self.fork(self.truth(node.test), yes, no)
        before, after = set(self.known), []
        for label, statements in ((yes, node.body), (no, node.orelse)):
            self.known = set(before)
            self.begin(label)
            self.body(statements)
            if self.open:
                after.append(self.known)
                self.jump(end)
        self.known = set.intersection(*after) if after else before
        if after:
            self.begin(end)

    def _repeat(self, statements: Sequence[ast.stmt], again: str, end: str) -> list[set[str]]:
        """A loop's body; what is known where it is left by ``break``."""
        left: list[set[str]] = []
        self._ways.append((again, end, left))
        self.loops += 1
        self.repeated += 1
        self.body(statements)
        self.repeated -= 1
        self._ways.pop()
        return left

    def _while(self, node: ast.While) -> None:
        if node.orelse:
            self.refuse(node, "else of a loop")
        head, inside, end = self.fresh("b"), self.fresh("b"), self.fresh("b")
        forever = isinstance(node.test, ast.Constant) and node.test.value is True
        self.begin(head)
        if not forever:
            self.fork(self.truth(node.test), inside, end)
        before = set(self.known)
        self.begin(inside)
        back = self.fresh("b")
        left = self._repeat(node.body, back, end)
        self.begin(back)
        self.again(head, self.whole.hint())
        self.known = set.intersection(*left) if forever and left else before
        if left or not forever:
            self.begin(end)

    def _for(self, node: ast.For) -> None:
        if node.orelse or not isinstance(node.target, ast.Name):
            self.refuse(node, "for with one name and without else is wanted")
        if isinstance(node.iter, ast.Call) and self.static(node.iter.func) is range:
            first, stop, step = self._range(node.iter)
            self._go_through(node, first, stop, step, lambda i: Value(COUNT, (i,)))
            return
        row = self.value(node.iter)
        if not isinstance(row.kind, Array) or row.kind.rank != 1:
            self.refuse(node.iter, "a range or a row is wanted")
        element = row.kind.element
        self._go_through(node, "0", row.parts[1], "1", lambda i: self.element(element, self.place(row, i)))

    def _range(self, node: ast.Call) -> tuple[str, str, str]:
        given = [self.count(each) for each in node.args]
        first, stop, step = given if len(given) == 3 else (*((["0"] if len(given) == 1 else []) + given), "1")
        if not step.lstrip("-").isdigit() or step == "0":
            self.refuse(node, "a range with a constant step is wanted")
        return first, stop, step

    def _go_through(self, node: ast.For, first: str, stop: str, step: str, at: Callable[[str], Value]) -> None:
        """Go through a range."""
        head, inside, again, end = (self.fresh("b") for _ in range(4))
        counter = self.room("i64")
        self.do(f"store i64 {first}, ptr {counter}")
        self.begin(head)
        i = self.new(f"load i64, ptr {counter}")
        test = "sgt" if step.startswith("-") else "slt"
        self.fork(self.new(f"icmp {test} i64 {i}, {stop}"), inside, end)
        before = set(self.known)
        self.begin(inside)
        assert isinstance(node.target, ast.Name)
        self.name(node.target, at(i))
        self._repeat(node.body, again, end)
        self.begin(again)
        self.do(f"store i64 {self.plus(i, step)}, ptr {counter}")
        self.again(head, self.whole.hint())
        self.known = before
        self.begin(end)

    def _return(self, node: ast.Return) -> None:
        value = Value(NOTHING, ()) if node.value is None else self.value(node.value)
        value = self._as_declared(node, value)
        if self.result not in (None, value.kind) or not outlives(value.kind):
            self.refuse(node, f"{told(value.kind)} is returned, where another kind is or that the caller cannot have")
        self.result = value.kind
        types = components(value.kind)
        self.open = False
        if len(types) < 2:
            self.do(f"ret {types[0]} {value.parts[0]}" if types else "ret void")
            return
        whole = "undef"
        for i, (type, part) in enumerate(zip(types, value.parts, strict=True)):
            whole = self.new(f"insertvalue {returned(types)} {whole}, {type} {part}, {i}")
        self.do(f"ret {returned(types)} {whole}")

    def _as_declared(self, node: ast.Return, value: Value) -> Value:
        """The value of the type that the function declares."""
        result = self.source.result
        if (result == "None") != (value.kind == NOTHING):
            self.refuse(node, f"{result} is declared")
        if not result.startswith("tuple["):
            return self.declared(node, value, result)
        declared = [each.strip() for each in result.removeprefix("tuple[").removesuffix("]").split(",")]
        if not isinstance(value.kind, TupleKind) or len(declared) != len(value.kind.fields):
            self.refuse(node, f"{result} is declared")
        parts = [self.field(value, field) for field in value.kind.fields]
        return self.gathered([self.declared(node, v, t) for v, t in zip(parts, declared, strict=True)])
