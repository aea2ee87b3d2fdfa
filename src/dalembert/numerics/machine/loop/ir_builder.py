"""Instructions of one function, in blocks."""

from __future__ import annotations

from .value_types import Array, Kind, Scalar, TupleKind, Value, components, words

INVARIANT = "!invariant.load !0"  # a table never changes while a loop reads it


class Writer:
    """Instructions in the order they are written; `open` where the last block still needs its end."""

    def __init__(self) -> None:
        self.rooms: list[str] = []
        self.lines: list[str] = []
        self.open = True
        self._count = 0

    def fresh(self, letter: str = "v") -> str:
        """A new name."""
        self._count += 1
        return f"{letter}{self._count}"

    def do(self, instruction: str) -> None:
        """An instruction without a result."""
        self.lines.append(f"  {instruction}")

    def new(self, instruction: str) -> str:
        """An instruction; the name of its result."""
        name = f"%{self.fresh()}"
        self.do(f"{name} = {instruction}")
        return name

    def room(self, type: str) -> str:
        """Place on the stack, for as long as the function runs."""
        name = f"%{self.fresh('r')}"
        self.rooms.append(f"  {name} = alloca {type}, align 8")
        return name

    def begin(self, label: str) -> None:
        """A block; what came before goes on here."""
        self.jump(label)
        self.lines.append(f"{label}:")
        self.open = True

    def jump(self, label: str) -> None:
        """Go to a block, if this place is ever reached."""
        if self.open:
            self.do(f"br label %{label}")
            self.open = False

    def again(self, label: str, hint: str) -> None:
        """Back to the head of a loop, with a hint to the optimiser."""
        if self.open:
            self.do(f"br label %{label}, !llvm.loop {hint}")
            self.open = False

    def fork(self, condition: str, yes: str, no: str) -> None:
        """Go to one of two blocks."""
        self.do(f"br i1 {condition}, label %{yes}, label %{no}")
        self.open = False

    # --- integers ---

    def plus(self, a: str, b: str) -> str:
        """a + b of 64 bits."""
        if a == "0" or b == "0":
            return b if a == "0" else a
        return self.new(f"add nsw i64 {a}, {b}")

    def minus(self, a: str, b: str) -> str:
        """a - b."""
        return a if b == "0" else self.new(f"sub nsw i64 {a}, {b}")

    def times(self, a: str, b: str) -> str:
        """a b."""
        return a if b == "1" else self.new(f"mul nsw i64 {a}, {b}")

    # --- arrays ---

    def place(self, array: Value, position: str) -> str:
        """The address of an array's element, counted from its first one."""
        assert isinstance(array.kind, Array)
        return self.new(f"getelementptr inbounds {array.kind.element.memory}, ptr {array.parts[0]}, i64 {position}")

    def inside(self, shape: tuple[str, ...], positions: list[str]) -> str:
        """Where the element or row with leading positions begins."""
        offset = "0"
        for axis, position in enumerate(positions):
            offset = self.plus(self.times(offset, shape[axis]) if axis else "0", position)
        for size in shape[len(positions) :]:
            offset = self.times(offset, size)
        return offset

    def element(self, kind: Scalar, place: str) -> Value:
        """The number at an address in an array."""
        found = self.new(f"load {kind.memory}, ptr {place}, align {kind.size}")
        return Value(kind, (self.new(f"trunc i8 {found} to i1") if kind.type == "i1" else found,))

    def put(self, kind: Scalar, place: str, value: str) -> None:
        """Write a number there."""
        stored = self.new(f"zext i1 {value} to i8") if kind.type == "i1" else value
        self.do(f"store {kind.memory} {stored}, ptr {place}, align {kind.size}")

    # --- tables ---

    def word(self, table: str, place: int, type: str) -> str:
        """The word of a table."""
        address = self.new(f"getelementptr inbounds i64, ptr {table}, i64 {place}")
        if type == "i1":
            return self.new(f"icmp ne i64 {self.word(table, place, 'i64')}, 0")
        return self.new(f"load {type}, ptr {address}, align 8, {INVARIANT}")

    def from_table(self, kind: Kind, table: str, place: int) -> Value:
        """The value that begins at a word of a table."""
        if isinstance(kind, TupleKind):
            return Value(kind, (self.new(f"getelementptr inbounds i64, ptr {table}, i64 {place}"),))
        return Value(kind, tuple(self.word(table, place + i, t) for i, t in enumerate(components(kind))))

    def field(self, record: Value, name: str) -> Value:
        """An attribute of a tuple."""
        kind = record.kind
        assert isinstance(kind, TupleKind)
        i = kind.fields.index(name)
        if kind.framed:
            return self.from_table(kind.kinds[i], record.parts[0], sum(map(words, kind.kinds[:i])))
        first = sum(len(components(each)) for each in kind.kinds[:i])
        return Value(kind.kinds[i], record.parts[first : first + len(components(kind.kinds[i]))])
