"""Long expressions folded behind named common subexpressions, so that they can be read.

What occurs more than once and is long gets a name; so does a sum inside a term that no line can hold. Nothing is
expanded and nothing is solved: with the names put back the expressions are what they were. `fold` does so to SymPy's
expressions, `formulas` to nodes of the graph.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import sympy as sp

from .elementary_functions import ELEMENTARY
from .graph import CONSTANT, SYMBOL, Graph, Node, live
from .graph import symbols as names_of
from .printing import COLUMN, Widths

WIDEST_TERM = COLUMN - 24  # beside left sides and labels
SHORT = 5 * COLUMN  # a row of at most this width is left as it is
WORTH = 9.0  # width from which a repeated part is worth a name
_ROUNDS = 400


@dataclass(frozen=True)
class Folded:
    """Expressions and the names in them: each definition uses earlier names only."""

    definitions: tuple[tuple[sp.Symbol, sp.Expr], ...]
    expressions: tuple[sp.Expr, ...]

    def unfolded(self) -> tuple[sp.Expr, ...]:
        """The expressions with all names put back."""
        whole: dict[sp.Symbol, sp.Expr] = {}
        for name, meaning in self.definitions:
            whole[name] = meaning.xreplace(whole)
        return tuple(e.xreplace(whole) for e in self.expressions)


def fold(expressions: Sequence[sp.Expr], names: Mapping[str, str]) -> Folded:
    """Fold the expressions; those that can be read as they are stay as they are.

    Args:
        expressions: what is shown together.
        names: the LaTeX of their symbols, for widths.
    """
    fresh = fresh_names([s for e in expressions for s in e.free_symbols])
    long = any(_weight(e) > SHORT for e in expressions)
    width = Widths(names)
    found = _common(expressions, width, fresh) if long else Folded((), tuple(expressions))
    return _ordered(_narrow(found, width, fresh))


def _weight(e: sp.Expr) -> float:
    """About how wide an expression is, from its operations."""
    return 2.2 * float(sp.count_ops(e))


def fresh_names(taken: Iterable[sp.Symbol]) -> Iterator[sp.Symbol]:
    """Symbols c1, c2, ... with the first letter of which no symbol with a number is taken."""
    used = {s.name.replace("_", "").rstrip("0123456789") for s in taken}
    first = next(p for p in ("c", "h", "k", "s", "A", "B", "C", *("c" * i for i in range(2, 99))) if p not in used)
    return (sp.Symbol(f"{first}{i}", real=True) for i in range(1, 10**6))


def _common(expressions: Sequence[sp.Expr], width: Widths, fresh: Iterator[sp.Symbol]) -> Folded:
    """Parts that occur more than once and are wide enough to be worth a name."""
    replaced, reduced = sp.cse(list(expressions), symbols=(sp.Symbol(f"_fold{i}", real=True) for i in range(10**6)))
    inline: dict[sp.Symbol, sp.Expr] = {}
    kept: list[tuple[sp.Symbol, sp.Expr]] = []
    for symbol, meaning in replaced:
        whole = meaning.xreplace(inline)
        if whole.is_Add or _weight(whole) > COLUMN or width(whole) >= WORTH:
            name = next(fresh)
            kept.append((name, whole))
            inline[symbol] = name
        else:
            inline[symbol] = whole
    return Folded(tuple(kept), tuple(e.xreplace(inline) for e in reduced))


def _narrow(folded: Folded, width: Widths, fresh: Iterator[sp.Symbol]) -> Folded:
    """Sums inside terms that are too wide for a line get a name, the widest first."""
    definitions, expressions = list(folded.definitions), list(folded.expressions)
    for _ in range(_ROUNDS):
        inner = _widest([e for _, e in definitions] + expressions, width)
        if inner is None:
            break
        name = next(fresh)
        swap = {inner: name}
        definitions = [(s, e.xreplace(swap)) for s, e in definitions] + [(name, inner)]
        expressions = [e.xreplace(swap) for e in expressions]
    return Folded(tuple(definitions), tuple(expressions))


def _widest(expressions: Sequence[sp.Expr], width: Widths) -> sp.Expr | None:
    """A part to be named so that a term becomes narrower, or None if all terms fit or cannot be narrowed."""
    for e in expressions:
        for term in sp.Add.make_args(e):
            if width(term) > WIDEST_TERM:
                parts = [p for p in sp.preorder_traversal(term) if p is not term and isinstance(p, sp.Expr)]
                sums = [p for p in parts if p.is_Add] or [p for p in parts if p.is_Mul or p.is_Function or p.is_Pow]
                fitting = [(width(p), i) for i, p in enumerate(sums)]
                if fitting and max(fitting)[0] > WORTH:
                    return sums[max(fitting)[1]]
    return None


def _ordered(folded: Folded) -> Folded:
    """Definitions so that each uses earlier names only, as late as they are needed; the names stay."""
    meaning = dict(folded.definitions)
    order: list[sp.Symbol] = []

    def visit(e: sp.Expr) -> None:
        for s in sorted(e.free_symbols & meaning.keys(), key=lambda s: (len(s.name), s.name)):
            if s not in order:
                visit(meaning[s])
                order.append(s)

    for e in folded.expressions:
        visit(e)
    numbered = dict(zip(order, sorted(order, key=lambda s: (len(s.name), s.name)), strict=True))
    definitions = tuple((numbered[s], meaning[s].xreplace(numbered)) for s in order)
    return Folded(definitions, tuple(e.xreplace(numbered) for e in folded.expressions))


# --- nodes of the graph -----------------------------------------------------------------------------------------------

_WORTH = 3  # operations of a shared part from which a name is shorter


def formulas(outputs: Sequence[Node], symbols: Mapping[str, sp.Symbol]) -> Folded:
    """The outputs as SymPy expressions, as they are computed.

    Args:
        outputs: nodes of one graph.
        symbols: those to be used for the graph's symbols; for others new ones of the same name.
    """
    if not outputs:
        return Folded((), ())
    graph, order = outputs[0].graph, live(outputs)
    uses = _uses(graph, order, outputs)
    found: dict[int, sp.Expr] = {}
    sizes: dict[int, int] = {}
    known = {name: symbols.get(name, sp.Symbol(name, real=True)) for name in names_of(outputs)}
    fresh = fresh_names(known.values())
    definitions: list[tuple[sp.Symbol, sp.Expr]] = []
    for i in order:
        e = expression(graph, i, found, known)
        sizes[i] = 1 + sum(sizes[j] for j in graph.nodes[i][1:]) if graph.nodes[i][0] not in (CONSTANT, SYMBOL) else 0
        if uses[i] > 1 and sizes[i] >= _WORTH:
            name = next(fresh)
            definitions.append((name, e))
            e, sizes[i] = name, 0
        found[i] = e
    return Folded(tuple(definitions), tuple(found[y.index] for y in outputs))


def _uses(graph: Graph, order: Sequence[int], outputs: Sequence[Node]) -> dict[int, int]:
    """How often each node is an argument or an output."""
    uses = dict.fromkeys(order, 0)
    for i in order:
        if graph.nodes[i][0] not in (CONSTANT, SYMBOL):
            for j in graph.nodes[i][1:]:
                uses[j] += 1
    for y in outputs:
        uses[y.index] += 1
    return uses


def expression(graph: Graph, i: int, found: Mapping[int, sp.Expr], symbols: Mapping[str, sp.Symbol]) -> sp.Expr:
    """One node, its arguments being known."""
    operation, *args = graph.nodes[i]
    if operation == CONSTANT:
        return sp.Integer(int(args[0])) if float(args[0]).is_integer() and abs(args[0]) < 1e9 else _number(args[0])
    if operation == SYMBOL:
        return symbols[args[0]]
    parts = [found[j] for j in args]
    if operation == "+":
        return parts[0] + parts[1]
    if operation == "-":
        return parts[0] - parts[1]
    if operation == "*":
        return parts[0] * parts[1]
    if operation == "/":
        return parts[0] / parts[1]
    if operation == "neg":
        return -parts[0]
    if operation == "pow":
        return parts[0] ** parts[1]
    if operation == "select":
        return sp.Piecewise((parts[1], sp.Ne(parts[0], 0)), (parts[2], True))
    symbol = ELEMENTARY[operation].symbol
    assert symbol is not None  # of every other row of the table
    return symbol(*parts)


def _number(value: float) -> sp.Expr:
    """A short fraction where the number is one, else its digits."""
    fraction = sp.nsimplify(value, rational=True)
    return fraction if fraction.q <= 64 and float(fraction) == value else sp.Float(value, 15)
