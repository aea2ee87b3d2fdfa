"""Expressions as plain text and as LaTeX, in the order in which a person writes.

Second derivatives come first, then the order is by degree, and a sum begins with a plus. In a product first the number,
then masses, other parameters, sums, what moves, and functions. `plain` makes text, `latex` a formula, `lines` formulas
that fit a column, with sums broken between their terms.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import sympy as sp
from sympy.printing.latex import LatexPrinter
from sympy.printing.precedence import PRECEDENCE
from sympy.printing.printer import Printer
from sympy.printing.str import StrPrinter

from .elementary_functions import arguments
from .symbol_letters import (
    ACCELERATION,
    POSITION,
    PUSH,
    RATE,
    VELOCITY,
    Alphabet,
    dotted,
    greek,
    letter,
    letters,
    multiplier,
)

__all__ = [
    "Alphabet",
    "Line",
    "Widths",
    "aligned",
    "dotted",
    "latex",
    "letter",
    "letters",
    "lines",
    "multiplier",
    "width",
    "words",
]

_MASSES = ("m", "M")
_MOVING = (ACCELERATION, VELOCITY, PUSH, POSITION)


class Order:
    """The order of terms and factors where symbols have the ranks of an alphabet.

    Args:
        names: the alphabet.
        text: the plain text of an expression, by which those are ordered that are alike otherwise.
    """

    def __init__(self, names: Mapping[str, str], text: Callable[[sp.Expr], str]) -> None:
        self.text = text
        self.names = names if isinstance(names, Alphabet) else Alphabet(names)

    # --- sums ----------------------------------------------------------------------------------------------------

    def terms(self, e: sp.Expr) -> list[sp.Expr]:
        """The terms of a sum; one with a plus comes first if there is one of the same order of derivatives."""
        found = sorted(sp.Add.make_args(e), key=self._term)
        top = self.degrees(found[0])[0]
        first = next((t for t in found if not negative(t) and self.degrees(t)[0] == top), found[0])
        return [first, *(t for t in found if t is not first)]

    def _term(self, term: sp.Expr) -> tuple[object, ...]:
        *degrees, place = self.degrees(term)
        sign = negative(term) and not any(degrees)
        return (*(-d for d in degrees), place, sign, _Late(term, self.text))

    def degrees(self, term: sp.Expr) -> tuple[float, ...]:
        """Degrees in what moves, accelerations first, and the place of the first of it."""
        degrees = dict.fromkeys(_MOVING, 0.0)
        place = len(self.names.places) + 1
        for factor in sp.Mul.make_args(term):
            base, power = factor.as_base_exp()
            if base.is_Symbol and power.is_number:
                rank = self.names.rank(base.name)
                if rank in degrees:
                    degrees[rank] += float(power)
                    place = min(place, self.names.place(base.name)) if rank != POSITION else place
            elif base.is_Add and power.is_Integer and power.is_positive:
                inside = [self.degrees(t) for t in base.args]
                for k, rank in enumerate(degrees):
                    degrees[rank] += float(power) * max(d[k] for d in inside)
                place = min(place, *(int(d[-1]) for d in inside))
        return (*degrees.values(), place)

    # --- products ------------------------------------------------------------------------------------------------

    def factors(self, factors: list[sp.Expr]) -> list[sp.Expr]:
        """Factors of a product without its number."""
        return sorted(factors, key=self._factor)

    def _factor(self, factor: sp.Expr) -> tuple[object, ...]:
        base, _ = factor.as_base_exp()
        if base.is_number:
            return (0, _Late(factor, self.text))
        if base.is_Symbol:
            rank = self.names.rank(base.name)
            group = 1 if not rank else 5 if rank == ACCELERATION else 3
            place = self.names.place(base.name)
            return (group, rank, base.name not in _MASSES, place, base.name.lower(), _Late(factor, self.text))
        if base.is_Function:
            places = [self.names.place(s.name) for s in base.free_symbols]
            return (6, min(places, default=0), base.func is not sp.sin, _Late(factor, self.text))
        return (4 if self.moves(base) else 2, _Late(factor, self.text))

    def moves(self, e: sp.Expr) -> bool:
        """Does anything in it move?"""
        return any(self.names.rank(s.name) for s in e.free_symbols)


class _Late:
    """Shorter ones first, then by their text, which is made where nothing else decides."""

    def __init__(self, e: sp.Expr, text: Callable[[sp.Expr], str]) -> None:
        self.e, self.text = e, text

    @cached_property
    def key(self) -> tuple[int, str]:
        """The length of the text, and the text."""
        text = self.text(self.e)
        return len(text), text

    def __lt__(self, other: _Late) -> bool:
        return self.key < other.key


class Product:
    """A product as it is written: a sign, numerator and denominator, what stands behind the fraction."""

    def __init__(self, e: sp.Expr, order: Order) -> None:
        number, rest = e.as_coeff_Mul()
        above: list[sp.Expr] = []
        under: list[sp.Expr] = []
        for factor in sp.Mul.make_args(rest):
            base, power = factor.as_base_exp()
            if base.is_Add and power in (1, -1):
                # the content of a sum, and a minus that all of its terms have
                content, base = base.primitive()
                flip = all(map(negative, base.args))
                number, base = number * content**power * (-1 if flip else 1), -base if flip else base
                factor = base**power
            if power.is_Rational and power.is_negative:
                under.append(base**-power)
            elif factor != 1:
                above.append(factor)
        self.minus = bool(number.is_extended_negative)
        number = -number if self.minus else number
        at = next((k for k, f in enumerate(above) if f.is_Add and any(map(negative, f.args))), None)
        if self.minus and at is not None and len(above) + len(under) > 1:
            self.minus, above[at] = False, -above[at]
        self.number: object
        self.below: int
        self.number, self.below = (number.p, number.q) if number.is_Rational else (number, 1)
        self.above, self.under = order.factors(above), order.factors(under)
        self._order = order

    @cached_property
    def split(self) -> tuple[list[sp.Expr], list[sp.Expr]]:
        """What stands above the line, and what behind the fraction: all that moves, where nothing below does."""
        still = [f for f in self.above if not self._order.moves(f)]
        if self.below != 1 and self.number != 1 and not self.under:
            return [], self.above  # 2/7 I, not 2 I/7
        fraction = bool(self.under) or self.below != 1
        if not fraction or any(self._order.moves(f) for f in self.under) or not (still or self.number != 1):
            return self.above, []
        return still, [f for f in self.above if f not in still]


def negative(e: sp.Expr) -> bool:
    """Does it begin with a minus?"""
    return bool(e.as_coeff_Mul()[0].is_extended_negative)


# --- plain text -------------------------------------------------------------------------------------------------------


class Remembering(Printer):
    """Before a printer of SymPy's among the bases of a class; `_known` is made by the class."""

    _known: dict[sp.Basic, str]

    def _print(self, expr: object, **kwargs: object) -> str:
        if not isinstance(expr, sp.Basic) or kwargs:
            return str(super()._print(expr, **kwargs))
        if expr not in self._known:
            self._known[expr] = str(super()._print(expr))
        return self._known[expr]


class Plain(Remembering, StrPrinter):
    """SymPy's, in a person's order; ``'`` is the time derivative."""

    def __init__(self, names: Mapping[str, str]) -> None:
        super().__init__()
        self.order_of = Order(names, self._print)
        self._known: dict[sp.Basic, str] = {}

    def _print_Symbol(self, e: sp.Symbol) -> str:
        return str(e.name).replace(RATE, "'")

    def _print_Add(self, e: sp.Expr, order: object = None) -> str:
        first, *rest = (str(self._print(t)) for t in self.order_of.terms(e))
        return first + "".join(f" - {t[1:]}" if t.startswith("-") else f" + {t}" for t in rest)

    def _print_Mul(self, e: sp.Expr) -> str:
        product = Product(e, self.order_of)
        above, behind = product.split
        under, below = product.under, product.below
        shown = self._row(product.number, above)
        if under or below != 1:
            bottom = self._row(below, under)
            shown += f"/{bottom}" if len(under) + (below != 1) == 1 else f"/({bottom})"
        return "-" * product.minus + "*".join([shown, *([self._row(1, behind)] if behind else [])])

    def _print_hyper(self, e: sp.hyper) -> str:
        return f"hyp2f1({', '.join(self._print(a) for a in arguments(e))})"

    def _row(self, number: object, factors: Sequence[sp.Expr]) -> str:
        pieces = [] if number == 1 and factors else [str(self._print(number))]
        return "*".join([*pieces, *(self.parenthesize(f, PRECEDENCE["Mul"], strict=False) for f in factors)])


def plain(e: sp.Expr, names: Mapping[str, str]) -> str:
    """The text of an expression; `names` gives its symbols their ranks."""
    return str(Plain(names).doprint(e))


# --- LaTeX ------------------------------------------------------------------------------------------------------------
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


def latex(e: sp.Expr, names: Mapping[str, str]) -> str:
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
