"""Expressions as lines of LaTeX that fit a column: a person's order, widths, and sums broken between their terms."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import sympy as sp
from sympy.printing.latex import LatexPrinter

from .alphabet import Alphabet, dotted, greek, letter, letters, multiplier
from .operation import arguments
from .ordering import Order, Product
from .plain import Plain, Remembering

__all__ = [
    "Alphabet",
    "Line",
    "Widths",
    "aligned",
    "dotted",
    "letter",
    "letters",
    "lines",
    "multiplier",
    "show",
    "width",
    "words",
]
COLUMN = 78.0  # widths of a letter in a line of an A4 page, 160 mm at 10 pt
_INDENT = 3.0
_SHORT = 0.25  # of a column: a left side before which the relation is aligned
_ESCAPES = {"\\": r"\textbackslash ", "{": r"\{", "}": r"\}", "~": r"\textasciitilde ", "^": r"\textasciicircum "}
_ESCAPES |= {c: f"\\{c}" for c in "$&#%_"}
_TOKEN = re.compile(r"\\[a-zA-Z]+|\\.|[{}^_&]|\s+|.", re.DOTALL)
_WORD = re.compile(r"(\\d{1,4}ot\{)?\\mathrm\{")  # a name of several letters, or its rate
_WIDE = {**dict.fromkeys(("=", "+", "-", "\\cdot", "\\geq", "\\leq", "\\to"), 2.6), ",": 1.2, "(": 0.8, ")": 0.8}
_NOTHING = {"\\,", "&", "\\left", "\\right", "\\text", "\\operatorname", "\\mathrm", "\\dot", "\\ddot"}
_WORDS = {name: 0.9 * len(name) + 0.5 for name in ("sin", "cos", "tan", "log", "exp", "min", "max", "sinh", "cosh")}
_BARE = {sp.sin: r"\sin", sp.cos: r"\cos", sp.tan: r"\tan"}  # of one letter without parentheses


class _Printer(Remembering, LatexPrinter):
    """SymPy's, in a person's order."""

    def __init__(self, names: Mapping[str, str]) -> None:
        super().__init__()
        self.order_of = Order(names, Plain(names)._print)
        self._known: dict[sp.Basic, str] = {}

    def _print_Symbol(self, e: sp.Symbol, style: str = "") -> str:
        return self.order_of.names.show(e.name)

    def _print_Add(self, e: sp.Expr, order: object = None) -> str:
        return " ".join(signed([self._print(t) for t in self.order_of.terms(e)]))

    def _print_Mul(self, e: sp.Expr) -> str:
        product = Product(e, self.order_of)
        above, behind = product.split
        shown = self._row(product.number, above)
        if product.under or product.below != 1:
            top, bottom = self._line(product.number, above), self._line(product.below, product.under)
            shown = rf"\frac{{{top}}}{{{bottom}}}"
        return " ".join(["-"] * product.minus + [shown] + ([self._row(1, behind)] if behind else []))

    def _line(self, number: object, factors: Sequence[sp.Expr]) -> str:
        """What stands above or below a line: there a sum alone needs no parentheses."""
        return str(self._print(factors[0])) if number == 1 and len(factors) == 1 else self._row(number, factors)

    def _row(self, number: object, factors: Sequence[sp.Expr]) -> str:
        """A number and factors side by side."""
        pieces = [] if number == 1 and factors else [str(self._print(number))]
        for factor in factors:
            shown = rf"\left({self._print(factor)}\right)" if factor.is_Add else str(self._print(factor))
            between = [r"\cdot"] * bool(pieces and shown[:1].isdigit())
            between += [r"\,"] * bool(pieces and _WORD.match(pieces[-1]) and _WORD.match(shown))
            pieces += [*between, shown]
        return " ".join(pieces)

    def _print_Function(self, e: sp.Expr, exp: str | None = None) -> str:
        if e.func in _BARE and _plain(e.args[0]):
            power = f"^{{{exp}}}" if exp else ""
            return f"{_BARE[e.func]}{power} {self._print(e.args[0])}"
        return str(super()._print_Function(e, exp))

    def _print_hyper(self, e: sp.hyper, exp: str | None = None) -> str:
        *members, last, x = (self._print(a) for a in arguments(e))
        shown = rf"{{}}_{{2}}F_{{1}}\left({', '.join(members)}; {last}; {x}\right)"
        return rf"{shown}^{{{exp}}}" if exp else shown


def _plain(e: sp.Expr) -> bool:
    """A symbol, or a whole multiple of one."""
    number, rest = e.as_coeff_Mul()
    return bool(rest.is_Symbol and number.is_Integer and number.is_positive)


def signed(shown: Sequence[str]) -> list[str]:
    """Terms side by side, each but the first with its sign."""
    return [shown[0], *(f"- {s[1:].lstrip()}" if s.startswith("-") else f"+ {s}" for s in shown[1:])]


def words(text: str, names: Alphabet | None = None) -> str:
    """Plain text as LaTeX within a formula: one line, nothing in it is a command.

    Greek letters, which its fonts of text lack, are letters of the formula, and so are names that stand in `...`.
    """
    parts = re.split("`([^`]*)`", " ".join(text.split())) if names is not None else [" ".join(text.split())]
    shown = [names.show(part) if names is not None and k % 2 else _text(part) for k, part in enumerate(parts)]
    return "".join(shown).replace(r"\text{, }", ", ")


def _text(text: str) -> str:
    r"""\text{...}, broken around Greek letters."""
    inside = "".join(f"}}{letter(c)}\\text{{" if greek(c) else _ESCAPES.get(c, c) for c in text)
    return f"\\text{{{inside}}}".replace("\\text{}", "")


def show(e: sp.Expr, names: Mapping[str, str]) -> str:
    """The LaTeX of an expression in these letters, by the names of its symbols."""
    return str(_Printer(names).doprint(e))


class Widths:
    """Widths of expressions in these letters, each part typeset once."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._printer = _Printer(names)
        self._found: dict[sp.Expr, float] = {}

    def __call__(self, e: sp.Expr) -> float:
        """About how wide it is set, in widths of a letter."""
        if e not in self._found:
            self._found[e] = width(str(self._printer.doprint(e)))
        return self._found[e]


def width(latex: str) -> float:
    """About how wide the LaTeX is set, in widths of a letter."""
    return _width(_TOKEN.findall(latex), 0)[0]


def _width(tokens: Sequence[str], i: int) -> tuple[float, int]:
    """The width of the tokens from i on up to the brace that closes, and where it ends."""
    total = 0.0
    while i < len(tokens) and tokens[i] != "}":
        token = tokens[i]
        if token == "\\frac":
            above, i = _group(tokens, i + 1)
            below, i = _group(tokens, i)
            total += max(above, below) + 0.6
        elif token in "^_":
            inside, i = _group(tokens, i + 1)
            total += 0.7 * inside
        elif token == "{":
            inside, i = _group(tokens, i)
            total += inside
        else:
            total += _one(token)
            i += 1
    return total, i


def _group(tokens: Sequence[str], i: int) -> tuple[float, int]:
    while i < len(tokens) and tokens[i].isspace():
        i += 1
    if i >= len(tokens) or tokens[i] != "{":
        return (_one(tokens[i]) if i < len(tokens) else 0.0), i + 1
    inside, end = _width(tokens, i + 1)
    return inside, end + 1


def _one(token: str) -> float:
    if token in _WIDE:
        return _WIDE[token]
    if token in _NOTHING or token.isspace():
        return 0.0
    return _WORDS.get(token[1:], 1.0) if token.startswith("\\") else 1.0


def terms(e: sp.Expr, names: Mapping[str, str]) -> list[str]:
    """The terms of a sum, each but the first with its sign."""
    printer = _Printer(names)
    return signed([str(printer.doprint(term)) for term in printer.order_of.terms(e)])


class Line(NamedTuple):
    """An equation, the left side as LaTeX or as an expression, with a label at the right margin."""

    left: sp.Expr | str
    right: sp.Expr
    label: str = ""
    relation: str = "="


def lines(rows: Sequence[Line], names: Mapping[str, str], column: float = COLUMN) -> list[str]:
    """Rows of one ``aligned`` environment, broken between terms so that all of it fits a column.

    Where all left sides are short, the relations stand below one another: the widest left side and the widest label
    take of the room of every row. Else all rows begin below one another, left sides with them.
    """
    before = [[row.left] if isinstance(row.left, str) else terms(row.left, names) for row in rows]
    wide = max((width(" ".join(left)) for left in before), default=0.0)
    rights = [terms(row.right, names) for row in rows]
    room = column - max((width(row.label) + 2 for row in rows if row.label), default=0.0)
    widest = max(map(width, (piece for right in rights for piece in right)), default=0.0)
    # a term that nothing can break has to fit beside the left sides
    below = wide <= min(column * _SHORT, room - widest - _INDENT)
    found: list[str] = []
    for row, left, after in zip(rows, before, rights, strict=True):
        head = f"{' '.join(left)} &{row.relation} " if below else "&"
        pieces = after if below else [*left, f"{row.relation} {after[0]}", *after[1:]]
        taken = room - wide if below else room
        found += _broken(head, pieces, width(head.partition("&")[2]), taken, f" && {row.label}" if row.label else "")
    return found


def _broken(head: str, pieces: Sequence[str], start: float, room: float, tail: str) -> list[str]:
    """Pieces side by side behind the point of alignment, from `start` on, as far as there is room."""
    found, used = [head], start
    for piece in pieces:
        if used > start and used + width(piece) > room and not found[-1].endswith("\\quad "):
            found.append("&\\quad ")
            used = start = _INDENT
        found[-1] += f"{piece} "
        used += width(piece)
    return [line.rstrip() for line in found[:-1]] + [found[-1].rstrip() + tail]


def aligned(rows: Sequence[str]) -> str:
    """Rows in an ``aligned`` environment."""
    body = " \\\\\n".join(rows)
    return f"\\begin{{aligned}}\n{body}\n\\end{{aligned}}"
