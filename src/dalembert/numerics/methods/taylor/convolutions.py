"""The convolutions of a sweep as machine code: eight of them side by side, whatever they are of.

Convolution c has a column in a table: row j holds a_j and b_j for eight columns or a few times as many. So

    S_k = sum_{j=1}^{k-1} a_j b_{k-j}

is a sum of products of rows, with neither shifted vectors nor sums across a vector. Two orders, k even and k + 1, are
added up in one pass: of the second order only the terms with a_k and b_k are missing, and come when these are known.
The size of the code depends neither on the order nor on the number of convolutions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .recurrence import Convolution, Stream

WIDTH = 8  # numbers in one vector; where the processor has shorter ones, LLVM splits them
ABREAST = 4  # vectors that are added up at the same time: sums that do not wait for each other
VECTOR = f"<{WIDTH} x double>"
FMA = f"llvm.fmuladd.v{WIDTH}f64"

Pair = tuple[Stream, Stream]


@dataclass(frozen=True)
class Blocks:
    """Tables of equal shape, one behind the other: `rows` rows of a and b, each for `abreast` vectors of columns."""

    start: int
    first: int
    count: int
    abreast: int
    rows: int

    @property
    def row(self) -> int:
        """Numbers in a row."""
        return 2 * WIDTH * self.abreast

    @property
    def size(self) -> int:
        """Numbers in a table."""
        return self.row * self.rows


class Table:
    """Where the factors of the convolutions lie.

    Args:
        wanted: the convolutions; those of the same factors share a column.
        start: where the first table begins, a multiple of the width.
        highest: the largest order of the series.

    Attributes:
        columns: by factors.
        end: the first place behind the tables.
        length: how many sums there are, a multiple of the width.
    """

    def __init__(self, wanted: Iterable[Convolution], start: int, highest: int) -> None:
        self.columns: dict[Pair, int] = {}
        for c in wanted:
            if (c.b, c.a) not in self.columns:
                self.columns.setdefault((c.a, c.b), len(self.columns))
        vectors = -(-len(self.columns) // WIDTH)
        self.blocks, self.end, first = [], start, 0
        for count, abreast in ((vectors // ABREAST, ABREAST), (1, vectors % ABREAST)):
            if count and abreast:
                part = Blocks(self.end, first, count, abreast, highest)
                self.blocks.append(part)
                self.end += part.size * count
                first += WIDTH * abreast * count
        self.length = WIDTH * vectors
        self._places: dict[Stream, list[tuple[int, int]]] = {}
        for (a, b), column in self.columns.items():
            for stream, side in ((a, 0), (b, 1)):
                self._places.setdefault(stream, []).append(self._place(column, side))

    def column(self, c: Convolution) -> int:
        """The column of a convolution."""
        return self.columns[c.a, c.b] if (c.a, c.b) in self.columns else self.columns[c.b, c.a]

    def places(self, stream: Stream) -> list[tuple[int, int]]:
        """Where a stream's coefficient of order k belongs: at first + k row, for each pair (first, row)."""
        return self._places.get(stream, [])

    def _place(self, column: int, side: int) -> tuple[int, int]:
        part = next(b for b in reversed(self.blocks) if column >= b.first)
        wide = WIDTH * part.abreast
        which, lane = divmod(column - part.first, wide)
        return part.start + which * part.size - part.row + side * wide + lane, part.row

    def text(self, sums: str, later: str) -> list[str]:
        """IR from ``head`` to ``sweep``: S_k to `sums`, of which `later` holds the part that was known before."""
        lines = [
            "  %parity = and i64 %k, 1",
            "  %isodd = icmp eq i64 %parity, 1",
            "  %isfirst = icmp eq i64 %k, 1",
            f"  br i1 %isfirst, label %sweep, label %{'parts' if self.blocks else 'sweep'}",
        ]
        if not self.blocks:
            return lines
        lines += ["parts:", "  br i1 %isodd, label %one0, label %two0"]
        for name, emit in (("one", _completed), ("two", _two_orders)):
            for i, part in enumerate(self.blocks):
                before = "parts" if i == 0 else f"{name}{i - 1}end"
                lines += emit(f"{name}{i}", before, part, sums, later)
                lines.append(f"  br label %{'sweep' if i == len(self.blocks) - 1 else f'{name}{i + 1}'}")
        return lines


def _completed(n: str, before: str, part: Blocks, sums: str, later: str) -> list[str]:
    """S_k = what is known + a_1 b_{k-1} + a_{k-1} b_1."""
    lines = [*_opened(n, before, part), f"  %{n}last = sub i64 %k, 2"]
    lines += [f"  %{n}far = mul i64 %{n}last, {part.row}", f"  %{n}back = getelementptr double, ptr %{n}t, i64 %{n}far"]
    for v in range(part.abreast):
        a, b = WIDTH * v, WIDTH * (part.abreast + v)
        for name, pointer, place in (("a1", "t", a), ("b1", "t", b), ("ak", "back", a), ("bk", "back", b)):
            lines += _load(f"%{n}{name}{v}", f"%{n}{pointer}", place)
        lines += _load(f"%{n}l{v}", later, WIDTH * v, f"%{n}c")
        lines.append(_fused(f"%{n}x{v}", f"%{n}a1{v}", f"%{n}bk{v}", f"%{n}l{v}"))
        lines.append(_fused(f"%{n}s{v}", f"%{n}ak{v}", f"%{n}b1{v}", f"%{n}x{v}"))
        lines += _store(f"%{n}s{v}", sums, WIDTH * v, f"%{n}c")
    return [*lines, *_closed(n, part)]


def _two_orders(n: str, before: str, part: Blocks, sums: str, later: str) -> list[str]:
    """S_k, and S_{k+1} but for its first and last term."""
    lines = [*_opened(n, before, part), f"  %{n}last = sub i64 %k, 1", f"  br label %{n}in", f"{n}in:"]
    lines.append(f"  %{n}j = phi i64 [ 0, %{n} ], [ %{n}jn, %{n}in ]")
    for v, name in ((v, name) for v in range(part.abreast) for name in "suq"):
        new = {"s": "sn", "u": "un", "q": "b"}[name]
        lines.append(f"  %{n}{name}{v} = phi {VECTOR} [ zeroinitializer, %{n} ], [ %{n}{new}{v}, %{n}in ]")
    lines += [
        f"  %{n}jn = add i64 %{n}j, 1",
        f"  %{n}far = sub i64 %{n}last, %{n}jn",
        f"  %{n}ao = mul i64 %{n}j, {part.row}",
        f"  %{n}bo = mul i64 %{n}far, {part.row}",
        f"  %{n}ap = getelementptr double, ptr %{n}t, i64 %{n}ao",
        f"  %{n}bp = getelementptr double, ptr %{n}t, i64 %{n}bo",
    ]
    for v in range(part.abreast):
        lines += _load(f"%{n}a{v}", f"%{n}ap", WIDTH * v)
        lines += _load(f"%{n}b{v}", f"%{n}bp", WIDTH * (part.abreast + v))
        # a_j b_{k-j} to the first order, a_j b_{k+1-j} to the second
        lines.append(_fused(f"%{n}sn{v}", f"%{n}a{v}", f"%{n}b{v}", f"%{n}s{v}"))
        lines.append(_fused(f"%{n}un{v}", f"%{n}a{v}", f"%{n}q{v}", f"%{n}u{v}"))
    lines.append(f"  %{n}more = icmp slt i64 %{n}jn, %{n}last")
    lines += [f"  br i1 %{n}more, label %{n}in, label %{n}out", f"{n}out:"]
    for v in range(part.abreast):
        lines += _store(f"%{n}sn{v}", sums, WIDTH * v, f"%{n}c")
        lines += _store(f"%{n}un{v}", later, WIDTH * v, f"%{n}c")
    return [*lines, *_closed(n, part)]


def _opened(n: str, before: str, part: Blocks) -> list[str]:
    """The beginning of a loop over tables: t is where the table's row 1 is, c the first of its columns."""
    return [
        f"{n}:",
        f"  %{n}g = phi i64 [ 0, %{before} ], [ %{n}gn, %{n}next ]",
        f"  %{n}o = mul i64 %{n}g, {part.size}",
        f"  %{n}p = add i64 %{n}o, {part.start}",
        f"  %{n}t = getelementptr double, ptr %a3, i64 %{n}p",
        f"  %{n}w = mul i64 %{n}g, {WIDTH * part.abreast}",
        f"  %{n}c = add i64 %{n}w, {part.first}",
    ]


def _closed(n: str, part: Blocks) -> list[str]:
    return [
        f"  br label %{n}next",
        f"{n}next:",
        f"  %{n}gn = add i64 %{n}g, 1",
        f"  %{n}again = icmp slt i64 %{n}gn, {part.count}",
        f"  br i1 %{n}again, label %{n}, label %{n}end",
        f"{n}end:",
    ]


def _address(name: str, pointer: str, place: int, index: str) -> Iterator[str]:
    if index:
        yield f"  {name}i = add i64 {index}, {place}"
        yield f"  {name}p = getelementptr double, ptr {pointer}, i64 {name}i"
    else:
        yield f"  {name}p = getelementptr double, ptr {pointer}, i64 {place}"


def _load(name: str, pointer: str, place: int, index: str = "") -> list[str]:
    return [*_address(name, pointer, place, index), f"  {name} = load {VECTOR}, ptr {name}p, align 8"]


def _store(value: str, pointer: str, place: int, index: str) -> list[str]:
    to = f"{value}to{pointer[1:]}"
    return [*_address(to, pointer, place, index), f"  store {VECTOR} {value}, ptr {to}p, align 8"]


def _fused(name: str, a: str, b: str, c: str) -> str:
    return f"  {name} = call {VECTOR} @{FMA}({VECTOR} {a}, {VECTOR} {b}, {VECTOR} {c})"


def declaration() -> str:
    """What the code calls."""
    return f"declare {VECTOR} @{FMA}({VECTOR}, {VECTOR}, {VECTOR})"
