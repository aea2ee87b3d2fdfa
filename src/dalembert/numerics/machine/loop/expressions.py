"""Python's expressions as instructions."""

from __future__ import annotations

import ast
import types
from collections.abc import Sequence

import numpy as np

from ..ir_numbers import SCALAR
from .arithmetic import Arithmetic, Whole
from .syntax_tree import FunctionSource
from .value_types import COUNT, REAL, TRUTH, Array, Scalar, TupleKind, Value, components, several, told

UNKNOWN = object()


class ExpressionWriter(Arithmetic):
    """Writes what an expression's value is computed by."""

    def __init__(self, source: FunctionSource, whole: Whole) -> None:
        super().__init__(source, whole)
        self.slots: dict[str, Value] = {}  # where a name's value is kept
        self.known: set[str] = set()  # names that have one here, whatever way was taken
        self.loops = self.repeated = 0  # loops of the function, and of these how many are around this place

    def value(self, node: ast.expr) -> Value:
        """The value of an expression."""
        found = self.static(node)
        if found is not UNKNOWN:
            return self._constant(node, found)
        match node:
            case ast.Name():
                return self._name(node)
            case ast.Attribute():
                return self._attribute(node)
            case ast.Subscript():
                return self._subscript(node)
            case ast.BinOp():
                return self.work(node, node.op, self.value(node.left), self.value(node.right))
            case ast.UnaryOp():
                return self._sign(node)
            case ast.BoolOp():
                return self._either(node, node.values)
            case ast.Compare():
                return self._compare(node)
            case ast.IfExp():
                return self._choice(node)
            case ast.Call():
                return self.called(node)
            case ast.Tuple():
                return self.gathered([self.value(each) for each in node.elts])
        self.refuse(node, "no expression of a loop")

    # --- names and constants ---

    def static(self, node: ast.expr) -> object:
        """What is known before the run: a constant, or something of the module; else UNKNOWN."""
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name) and node.id not in self.source.locals:
            builtins = self.source.names["__builtins__"]
            there = builtins if isinstance(builtins, dict) else vars(builtins)
            return self.source.names.get(node.id, there.get(node.id, UNKNOWN))
        if isinstance(node, ast.Attribute):
            holder = self.static(node.value)
            if isinstance(holder, types.ModuleType):
                return getattr(holder, node.attr, UNKNOWN)
        return UNKNOWN

    def _constant(self, node: ast.expr, found: object) -> Value:
        if isinstance(found, bool):
            return Value(TRUTH, ("true" if found else "false",))
        if isinstance(found, int):
            return Value(COUNT, (str(int(found)),))
        if isinstance(found, float):
            return Value(REAL, (SCALAR.number(float(found)),))
        if isinstance(found, tuple) and len({type(each) for each in np.array(found, object).ravel()}) == 1:
            found = np.array(found)
        if isinstance(found, np.ndarray) and found.dtype in (np.float64, np.int64):
            kind = Array(REAL if found.dtype == np.float64 else COUNT, found.ndim)
            return Value(kind, (self.whole.constant(found), *map(str, found.shape)))
        self.refuse(node, "neither a number nor numbers of one kind")

    def _name(self, node: ast.Name) -> Value:
        if node.id not in self.known:
            self.refuse(node, "a name that has no value on some way to here")
        slot = self.slots[node.id]
        types = components(slot.kind)
        parts = [self.new(f"load {t}, ptr {p}, align 8") for t, p in zip(types, slot.parts, strict=True)]
        return Value(slot.kind, tuple(parts))

    def _attribute(self, node: ast.Attribute) -> Value:
        whole = self.value(node.value)
        if isinstance(whole.kind, Array) and node.attr == "shape":
            return Value(several(*[COUNT] * whole.kind.rank), whole.parts[1:])
        if isinstance(whole.kind, TupleKind) and node.attr in whole.kind.fields:
            return self.field(whole, node.attr)
        self.refuse(node, f"no attribute of {told(whole.kind)}")

    # --- elements and parts ---

    def _subscript(self, node: ast.Subscript) -> Value:
        whole = self.value(node.value)
        if isinstance(whole.kind, Array):
            found = self.part(node, whole)
            return self.element(found.kind, found.parts[0]) if isinstance(found.kind, Scalar) else found
        if isinstance(whole.kind, TupleKind) and isinstance(node.slice, ast.Constant):
            return self.field(whole, whole.kind.fields[int(node.slice.value)])  # type: ignore[arg-type]
        self.refuse(node, f"no part of {told(whole.kind)}")

    def part(self, node: ast.Subscript, whole: Value) -> Value:
        """A part of an array; for one element its kind and its address."""
        given = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        cut = given[-1] if isinstance(given[-1], ast.Slice) else None
        positions = [self._position(each) for each in (given[:-1] if cut else given)]
        kind, shape = whole.kind, whole.parts[1:]
        assert isinstance(kind, Array)
        if len(given) > kind.rank:
            self.refuse(node, f"too many indices for {told(kind)}")
        if cut is not None:
            first, size = self._bounds(cut, shape[len(positions)])
            where = self.inside(shape, [*positions, first])
            left = (size, *shape[len(positions) + 1 :])
        else:
            where, left = self.inside(shape, positions), shape[len(positions) :]
        place = self.place(whole, where)
        found = Array(kind.element, len(left), kind.made) if left else kind.element
        return Value(found, (place, *left))

    def _position(self, node: ast.expr) -> str:
        place = self.count(node)
        if place.startswith("-"):
            self.refuse(node, "an index below 0")
        return place

    def _bounds(self, cut: ast.Slice, size: str) -> tuple[str, str]:
        """First position and length of a slice."""
        if cut.step is not None:
            self.refuse(cut, "a slice with a step")
        first = self._position(cut.lower) if cut.lower else "0"
        return first, self.minus(self._position(cut.upper) if cut.upper else size, first)

    # --- numbers ---

    def count(self, node: ast.expr) -> str:
        """The value of an expression that must be an int."""
        return self.scalar(node, COUNT)

    def truth(self, node: ast.expr) -> str:
        """The value of an expression that must be a bool."""
        return self.scalar(node, TRUTH)

    def scalar(self, node: ast.expr, kind: Scalar) -> str:
        """The value of an expression of a kind."""
        return self.wanted(node, self.value(node), kind)

    def wanted(self, node: ast.expr, found: Value, kind: Scalar) -> str:
        """A value that must be of a kind."""
        if found.kind != kind:
            self.refuse(node, f"{kind.word} is wanted, not {told(found.kind)}")
        return found.parts[0]

    def _sign(self, node: ast.UnaryOp) -> Value:
        if isinstance(node.op, ast.Not):
            return Value(TRUTH, (self.new(f"xor i1 {self.truth(node.operand)}, true"),))
        value = self.value(node.operand)
        x = value.parts[0]
        if not isinstance(node.op, ast.USub) or value.kind not in (REAL, COUNT):
            self.refuse(node, "no sign of a number")
        if value.kind == REAL:
            return Value(REAL, (self.new(f"fneg double {x}"),))
        return Value(COUNT, (f"-{x}" if x.isdigit() else self.new(f"sub nsw i64 0, {x}"),))

    # --- what is so, and what is chosen by it ---

    def _compare(self, node: ast.Compare) -> Value:
        if isinstance(node.ops[0], ast.In | ast.NotIn):
            return self._among(node, isinstance(node.ops[0], ast.In))
        room, end, a = self.room("i1"), self.fresh("b"), self.value(node.left)
        for i, (op, comparator) in enumerate(zip(node.ops, node.comparators, strict=True)):
            b = self.value(comparator)
            so = self.test(node, op, a, b)
            if len(node.ops) == 1:
                return Value(TRUTH, (so,))
            self.do(f"store i1 {so}, ptr {room}")
            if i + 1 < len(node.ops):
                on = self.fresh("b")
                self.fork(so, on, end)
                self.begin(on)
            a = b
        self.begin(end)
        return Value(TRUTH, (self.new(f"load i1, ptr {room}"),))

    def _among(self, node: ast.Compare, wanted: bool) -> Value:
        """Is a number one of several?"""
        if not isinstance(node.comparators[0], ast.Tuple) or len(node.ops) > 1:
            self.refuse(node, "a tuple is wanted")
        a, found = self.value(node.left), "false"
        for each in node.comparators[0].elts:
            found = self.new(f"or i1 {found}, {self.test(node, ast.Eq(), a, self.value(each))}")
        return Value(TRUTH, (found if wanted else self.new(f"xor i1 {found}, true"),))

    def _either(self, node: ast.BoolOp, values: Sequence[ast.expr]) -> Value:
        """`and` and `or`: what is behind is not computed where the first decides."""
        room, end, all_of = self.room("i1"), self.fresh("b"), isinstance(node.op, ast.And)
        for each in values:
            so, on = self.truth(each), self.fresh("b")
            self.do(f"store i1 {so}, ptr {room}")
            self.fork(so, *((on, end) if all_of else (end, on)))
            self.begin(on)
        self.begin(end)
        return Value(TRUTH, (self.new(f"load i1, ptr {room}"),))

    def _choice(self, node: ast.IfExp) -> Value:
        yes, no, end = self.fresh("b"), self.fresh("b"), self.fresh("b")
        self.fork(self.truth(node.test), yes, no)
        self.begin(yes)
        first = self.value(node.body)
        rooms = [self.room(t) for t in components(first.kind)]
        self.keep(first, rooms)
        self.jump(end)
        self.begin(no)
        second = self.value(node.orelse)
        if second.kind != first.kind:
            self.refuse(node, f"a choice between {told(first.kind)} and {told(second.kind)}")
        self.keep(second, rooms)
        self.begin(end)
        types = components(first.kind)
        return Value(first.kind, tuple(self.new(f"load {t}, ptr {r}") for t, r in zip(types, rooms, strict=True)))

    def keep(self, value: Value, rooms: Sequence[str]) -> None:
        """Put a value's parts into places on the stack."""
        for type, part, room in zip(components(value.kind), value.parts, rooms, strict=True):
            self.do(f"store {type} {part}, ptr {room}")

    def gathered(self, values: Sequence[Value], name: str = "tuple", fields: Sequence[str] = ()) -> Value:
        """A tuple of values."""
        kind = several(*(v.kind for v in values))
        kind = TupleKind(name, tuple(fields) or kind.fields, kind.kinds)
        return Value(kind, tuple(part for v in values for part in v.parts))

    def called(self, node: ast.Call) -> Value:
        """What a call returns; see `calls`."""
        raise NotImplementedError
