"""Taylor coefficients of every operation from those of its arguments [jorba2005; griewank2008, 13].

Along a motion each node z of the graph is a series z_0 + z_1 x + z_2 x^2 + ... All recurrences have one form: with the
numbers of order 0 known, the coefficient of order k >= 1 is linear in those of order k,

    z_k = f (sum_i s_i c_i a^i_k + S_k) ,    S_k = sum_i s_i sum_{j=1}^{k-1} a^i_j b^i_{k-j} ,

c_i and f being numbers of order 0 and S_k a sum of convolutions of lower orders. For a derivative dz = g dx it is

    z_k = g_0 x_k + 1/k sum_{j=1}^{k-1} (j x_j) g_{k-j} ,

so that functions need no more than the partial derivatives that `ELEMENTARY` lists: g is one more node of the graph.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from ....calculus.elementary_functions import ELEMENTARY
from ....calculus.graph import CONSTANT, SYMBOL, Graph, Node, live

HIGHEST = 31  # order of a series
FLAT = {name for name, row in ELEMENTARY.items() if row.flat}  # constant between jumps


@dataclass(frozen=True)
class SeriesTerm:
    """s c_0 a_k: `coefficient` is the node c, None for 1."""

    sign: int
    coefficient: int | None
    node: int


@dataclass(frozen=True)
class Stream:
    """The coefficients of a node as a convolution takes them: a_j, or j a_j where `weighted`."""

    node: int
    weighted: bool = False


@dataclass(frozen=True)
class Convolution:
    """s sum_{j=1}^{k-1} a_j b_{k-j}."""

    sign: int
    a: Stream
    b: Stream


@dataclass(frozen=True)
class Rule:
    """z_k = f (sum of `terms` + sum of `convolutions`), the latter over k where `by_order`.

    Attributes:
        terms: what is linear in coefficients of order k.
        convolutions: what lower orders give.
        by_order: is the sum of convolutions divided by k?
        divisor: f = 1/(`twice` d_0) for the node d; None for f = 1.
        twice: 1 or 2.
        choice: for a `select`: c, a, b; the rest is empty then.
    """

    terms: tuple[SeriesTerm, ...] = ()
    convolutions: tuple[Convolution, ...] = ()
    by_order: bool = False
    divisor: int | None = None
    twice: int = 1
    choice: tuple[int, int, int] | None = None

    @property
    def is_sum(self) -> bool:
        """Can it be a part of another sum?"""
        return not self.by_order and self.divisor is None and self.choice is None

    def needs(self) -> Iterable[int]:
        """Nodes whose coefficients of order 1 and higher are used, each as often as it is used."""
        yield from (t.node for t in self.terms)
        yield from (s.node for c in self.convolutions for s in (c.a, c.b))
        yield from (self.choice[1:] if self.choice else ())


class Recurrences:
    """The rules of all nodes on which some outputs depend.

    Args:
        outputs: nodes of one graph.
        moving: names of the symbols that change along the motion; all other symbols are parameters.
        more: makes further rules, by negative keys, for what is not a node of the graph.

    Attributes:
        rules: rule by node, for nodes that change; the moving symbols are not among them.
        values: nodes whose numbers of order 0 are wanted.
    """

    def __init__(
        self,
        outputs: Sequence[Node],
        moving: Iterable[str],
        more: Callable[[Recurrences], dict[int, Rule]] | None = None,
    ) -> None:
        self.graph = outputs[0].graph
        self._moving, self._last = set(moving), False
        self._changing: dict[int, bool] = {}
        self.rules: dict[int, Rule] = {}
        further = more(self) if more else {}
        self._collect([*outputs, *(Node(self.graph, i) for rule in further.values() for i in rule.needs())])
        self.rules |= further
        self._merge({*(y.index for y in outputs), *further})

    @property
    def values(self) -> list[Node]:
        """Nodes whose numbers of order 0 the rules use."""
        found: set[int] = set()
        for rule in self.rules.values():
            found |= {t.coefficient for t in rule.terms if t.coefficient is not None}
            found |= {rule.divisor} if rule.divisor is not None else set()
            found |= {rule.choice[0]} if rule.choice else set()
        return [Node(self.graph, i) for i in sorted(found)]

    def changes(self, node: int) -> bool:
        """Does a node have coefficients of order 1 and higher that a rule can use?"""
        return self._varies(node) and (not self._last or node in self.rules or self.graph.nodes[node][0] == SYMBOL)

    def _varies(self, node: int) -> bool:
        nodes, known = self.graph.nodes, self._changing
        stack = [node]
        while stack:
            i = stack[-1]
            key = nodes[i]
            inner = key[0] not in (SYMBOL, CONSTANT, *FLAT)
            missing = [j for j in key[1:] if j not in known] if inner and i not in known else []
            stack += missing
            if not missing:
                known[i] = any(known[j] for j in key[1:]) if inner else key[0] == SYMBOL and key[1] in self._moving
                stack.pop()
        return known[node]

    def _collect(self, waiting: list[Node]) -> None:
        """Rules of the nodes and of all that these rules need in their turn.

        A derivative that a rule brings in is used to one order less than the rule's own node. So where each derivative
        brings in a further one (J_0, J_1, J_2, ...), those behind as many steps as there are orders count as numbers.
        """
        for generation in range(1, HIGHEST + 1):
            wanted = [Node(self.graph, i) for i in live(waiting)]
            self._last = generation == HIGHEST
            waiting = []
            for node in wanted:
                if node.index in self.rules or node.operation == SYMBOL or not self._varies(node.index):
                    continue
                rule = self.rules[node.index] = _rule(self, node)
                waiting += [Node(self.graph, i) for i in rule.needs()]

    def _merge(self, kept: set[int]) -> None:
        """Sums that only one other sum uses become parts of it: their convolutions are added up together."""
        while True:
            uses = Counter(i for rule in self.rules.values() for i in rule.needs())
            merged: set[int] = set()
            rules: dict[int, Rule] = {}
            for index, rule in sorted(self.rules.items(), key=_last_negative):
                terms: list[SeriesTerm] = []
                convolutions = list(rule.convolutions)
                for term in rule.terms:
                    part = rules.get(term.node)
                    single = term.coefficient is None and uses[term.node] == 1 and term.node not in kept
                    if part is None or not (single and part.is_sum) or rule.by_order:
                        terms.append(term)
                        continue
                    merged.add(term.node)
                    terms += [SeriesTerm(term.sign * t.sign, t.coefficient, t.node) for t in part.terms]
                    convolutions += [Convolution(term.sign * c.sign, c.a, c.b) for c in part.convolutions]
                rules[index] = Rule(
                    tuple(terms), tuple(convolutions), rule.by_order, rule.divisor, rule.twice, rule.choice
                )
            self.rules = {i: r for i, r in rules.items() if i not in merged and (uses[i] or i in kept)}
            if len(self.rules) == len(rules):
                return


def _last_negative(item: tuple[int, Rule]) -> tuple[bool, int]:
    return item[0] < 0, item[0]


def _rule(known: Recurrences, z: Node) -> Rule:
    """The recurrence of one operation."""
    if z.operation == "*":
        return _product(known, *z.args)
    if z.operation == "/":
        return _quotient(known, z, *z.args)
    if z.operation == "sqrt":
        # z z = a :  z_k = (a_k - sum z_j z_{k-j})/(2 z_0)
        squares = (Convolution(-1, Stream(z.index), Stream(z.index)),)
        return Rule((SeriesTerm(1, None, z.args[0].index),), squares, divisor=z.index, twice=2)
    if z.operation == "select":
        return Rule(choice=(z.args[0].index, z.args[1].index, z.args[2].index))
    terms: list[SeriesTerm] = []
    convolutions: list[Convolution] = []
    for a, partial in zip(z.args, _partials(z), strict=True):
        if known.changes(a.index):
            terms += _slope(known, a, partial, convolutions)
    return Rule(tuple(terms), tuple(convolutions), bool(convolutions))


def _product(known: Recurrences, a: Node, b: Node) -> Rule:
    # z_k = a_0 b_k + b_0 a_k + sum a_j b_{k-j}
    terms = [SeriesTerm(1, x.index, y.index) for x, y in ((a, b), (b, a)) if known.changes(y.index)]
    both = len(terms) == 2
    return Rule(tuple(terms), (Convolution(1, Stream(a.index), Stream(b.index)),) if both else ())


def _quotient(known: Recurrences, z: Node, a: Node, b: Node) -> Rule:
    # z b = a :  z_k = (a_k - z_0 b_k - sum z_j b_{k-j})/b_0
    terms = [SeriesTerm(1, None, a.index)] if known.changes(a.index) else []
    if not known.changes(b.index):
        return Rule(tuple(terms), divisor=b.index)
    terms.append(SeriesTerm(-1, z.index, b.index))
    return Rule(tuple(terms), (Convolution(-1, Stream(z.index), Stream(b.index)),), divisor=b.index)


def _partials(z: Node) -> list[Node]:
    """dz by each argument, as nodes."""
    graph: Graph = z.graph
    if z.operation == "pow":
        a, b = z.args
        # d(a^b) = b z/a da + z log(a) db : with powers of other exponents there would be no end
        return [b * z / a, graph.constant(0) if b.is_constant else z * graph.apply("log", a)]
    return [graph.lift(p) for p in ELEMENTARY[z.operation].partials(z, *z.args)]


def _slope(known: Recurrences, a: Node, g: Node, convolutions: list[Convolution]) -> list[SeriesTerm]:
    """g da: its term of order k; the convolution is appended."""
    sign = 1
    while g.operation == "neg":
        sign, g = -sign, g.args[0]
    if g.is_zero:
        return []
    if g.is_constant and abs(g.value) == 1:
        return [SeriesTerm(sign * int(g.value), None, a.index)]
    if known.changes(g.index):
        convolutions.append(Convolution(sign, Stream(a.index, weighted=True), Stream(g.index)))
    return [SeriesTerm(sign, g.index, a.index)]


def collected(terms: Sequence[SeriesTerm]) -> dict[tuple[int | None, int], int]:
    """(coefficient, node) -> how often."""
    found: dict[tuple[int | None, int], int] = {}
    for t in terms:
        found[t.coefficient, t.node] = found.get((t.coefficient, t.node), 0) + t.sign
    return found


def at_once(rule: Rule) -> list[int]:
    """Nodes whose coefficients of the same order a rule uses."""
    return [*(t.node for t in rule.terms), *(rule.choice[1:] if rule.choice else ())]


# --- The convolutions of a sweep as machine code: eight of them side by side, whatever they are of -------------------
# Convolution c has a column in a table: row j holds a_j and b_j for eight columns or a few times as many. So
#
#     S_k = sum_{j=1}^{k-1} a_j b_{k-j}
#
# is a sum of products of rows, with neither shifted vectors nor sums across a vector. Two orders, k even and k + 1, are
# added up in one pass: of the second order only the terms with a_k and b_k are missing, and come when these are known.
# The size of the code depends neither on the order nor on the number of convolutions.

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


class ConvolutionTable:
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
