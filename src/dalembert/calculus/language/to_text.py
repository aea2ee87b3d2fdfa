"""A SymPy expression as text of the language. The text is read back before it is handed out."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

import sympy as sp

from ...errors import InvalidValue, WrongType, as_given, kind_of
from ..elementary_functions import OF_SYMPY, arguments
from ..symbols import leaves
from .from_text import read_text
from .functions import FUNCTIONS, RESERVED
from .syntax_errors import LIMITS, TextError, TextLimits
from .tokens import in_name, is_letter

_SUM, _SIGNED, _PRODUCT, _POWER, _ATOM = range(5)  # how tightly a text holds together
_NAMES = {kind: row.name for kind, row in OF_SYMPY.items() if row.spoken}
_NAMES |= {f.build: name for name, f in FUNCTIONS.items() if isinstance(f.build, type)}
_COMPARISONS = {
    sp.StrictLessThan: "<",
    sp.LessThan: "<=",
    sp.StrictGreaterThan: ">",
    sp.GreaterThan: ">=",
    sp.Equality: "==",
    sp.Unequality: "!=",
}


class Piece(NamedTuple):
    """A text and how tightly it holds together."""

    text: str
    level: int

    def within(self, level: int) -> str:
        """In brackets if it does not hold together at this level."""
        return self.text if self.level >= level else f"({self.text})"


def write_text(expression: object, *, limits: TextLimits = LIMITS) -> str:
    """The text of an expression: ``read_text(write_text(e), names) == e``, names being those of its symbols.

    Raises:
        WrongType: E718, not a SymPy expression or number.
        InvalidValue: E719 what the language cannot say, E716 a text longer than the limit.
    """
    if isinstance(expression, int | float) and not isinstance(expression, bool):
        expression = sp.Integer(expression) if isinstance(expression, int) else sp.Float(expression)
    if not isinstance(expression, sp.Expr):
        fact = f"{as_given(expression)} is not a SymPy expression but {kind_of(expression)}"
        raise WrongType("E718", fact, "give an expression of symbols and numbers")
    if (count := leaves(expression)) > limits.characters:  # before all of it is written, which may take long
        fact = f"the text of the expression has more than {count} characters, the limit is {limits.characters}"
        raise InvalidValue("E716", fact, "give parts of it names of their own")
    names = _names(expression)
    try:
        text = _write(expression).text
    except RecursionError:
        raise InvalidValue(
            "E716", "the expression is nested too deeply to be written", "give parts of it names"
        ) from None
    if len(text) > limits.characters:
        fact = f"the text of the expression has {len(text)} characters, the limit is {limits.characters}"
        raise InvalidValue("E716", fact, "give parts of it names of their own")
    try:
        back = read_text(text, names, limits=limits)
    except TextError as error:
        fact = f"{as_given(expression)} cannot be written: {error.fact}"
        raise InvalidValue("E719", fact, error.told[1]) from None
    if back != expression:
        fact = f"{as_given(expression)} cannot be written so that it is read as the same"
        raise InvalidValue(
            "E719", fact, "evaluate it first: expression.doit()", f"its text would be read as {as_given(back)}"
        )
    return text


def _names(expression: sp.Expr) -> dict[str, sp.Symbol]:
    names: dict[str, sp.Symbol] = {}
    for symbol in expression.atoms(sp.Symbol):
        name = symbol.name
        good = name and is_letter(name[0]) and all(map(in_name, name)) and name not in RESERVED
        if not good or unicodedata.normalize("NFC", name) != name:
            raise _unwritable(f"the symbol {as_given(name)}", "names are letters, digits and _, and no functions")
        if names.setdefault(name, symbol) != symbol:
            raise _unwritable(f"{name} and {name}, two symbols of one name,", "use one symbol for one name")
    return names


def _unwritable(what: str, remedy: str) -> InvalidValue:
    return InvalidValue("E719", f"{what} cannot be written as text", remedy)


def _write(e: sp.Basic) -> Piece:
    if isinstance(e, sp.Symbol):
        return Piece(e.name, _ATOM)
    if isinstance(e, sp.Rational | sp.Float):
        return _number(e)
    if isinstance(e, sp.Add):
        return _sum(e)
    if isinstance(e, sp.Mul):
        return _product(e)
    if isinstance(e, sp.Pow) and not isinstance(e, sp.exp):
        return _product(e) if _below(e) else _power(e.base, e.exp)
    if e is sp.pi or e is sp.E:
        return Piece("pi" if e is sp.pi else "exp(1)", _ATOM)
    return Piece(_call(e), _ATOM)


def _number(e: sp.Rational | sp.Float) -> Piece:
    if e.is_negative:
        return Piece(f"-{_number(-e).within(_PRODUCT)}", _SIGNED)
    if isinstance(e, sp.Float):
        value = float(e)
        if sp.Float(value) != e or e._prec != sp.Float(value)._prec:
            raise _unwritable(f"the number {e!s} of {e._prec} bits", "use a float of 53 bits, or an exact fraction")
        return Piece(repr(value), _ATOM)
    over = numeral(int(e.p))
    top = Piece(over, _SUM if "+" in over else _PRODUCT if "*" in over else _ATOM)
    if e.q == 1:
        return top
    below = numeral(int(e.q))
    return Piece(f"{top.within(_PRODUCT)}/{below if below.isdigit() else f'({below})'}", _PRODUCT)


def _sum(e: sp.Add) -> Piece:
    pieces = [_write(term) for term in e.as_ordered_terms()]
    first = next((i for i, p in enumerate(pieces) if p.level != _SIGNED), 0)
    pieces = [pieces[first], *pieces[:first], *pieces[first + 1 :]]
    text = pieces[0].within(_SIGNED)
    for piece in pieces[1:]:
        text += f" - {piece.text[1:]}" if piece.level == _SIGNED else f" + {piece.within(_PRODUCT)}"
    return Piece(text, _SUM)


def _below(e: sp.Basic) -> bool:
    """Is it written below the line?"""
    return isinstance(e, sp.Pow) and not isinstance(e, sp.exp) and e.exp.is_Rational and e.exp.is_negative


def _product(e: sp.Expr) -> Piece:
    factors = list(e.as_ordered_factors()) if e.is_Mul else [e]
    number = next((f for f in e.args if f.is_Number), sp.S.One) if e.is_Mul else sp.S.One
    kept = len(e.args) == 2 and e.args[0].is_Number and e.args[1].is_Add  # 2*(x + y), not multiplied out
    rest = list(e.args[1:]) if kept else [f for f in factors if not f.is_Number]
    if (e.is_Mul and len([f for f in e.args if f.is_Number]) > 1) or any(f.is_Mul for f in rest):
        raise _unwritable(as_given(e), "evaluate it first: expression.doit()")
    size = abs(number)
    above = ["1"] if kept else []
    numerator = sp.Integer(int(size.p)) if isinstance(size, sp.Rational) else size
    above += [] if numerator is sp.S.One else [_number(numerator).within(_POWER)]
    above += [_write(f).within(_POWER) for f in rest if not _below(f)]
    below = [_power(f.base, -f.exp).within(_POWER) for f in rest if _below(f)]
    sums = any(f.base.is_Add for f in rest if _below(f))
    text = "*".join(above or ["1"])
    if isinstance(size, sp.Rational) and size.q != 1:
        q = numeral(int(size.q))
        q = q if q.isdigit() else f"({q})"
        below, text = (below, f"{text}/{q}") if sums or kept else ([q, *below], text)
    if below:
        text += f"/{below[0]}" if len(below) == 1 else f"/({'*'.join(below)})"
    return Piece(f"-{text}", _SIGNED) if number.is_negative else Piece(text, _PRODUCT)


def _power(base: sp.Expr, exponent: sp.Expr) -> Piece:
    if exponent == sp.S.Half:
        return Piece(f"sqrt({_write(base).text})", _ATOM)
    if exponent is sp.S.One:
        return _write(base)
    return Piece(f"{_write(base).within(_ATOM)}^{_write(exponent).within(_ATOM)}", _POWER)


def _call(e: sp.Basic) -> str:
    if isinstance(e, sp.Piecewise):
        return _where(e)
    name = _NAMES.get(type(e))
    if name is None:
        raise _unwritable(
            f"{as_given(e)}, {kind_of(e)},", "the language has " + ", ".join(sorted(RESERVED & FUNCTIONS.keys()))
        )
    args: Sequence[sp.Basic] = arguments(e)
    if isinstance(e, sp.Min | sp.Max):
        args = sorted(args, key=sp.default_sort_key)
    if isinstance(e, sp.Heaviside) and args[1] == sp.S.Half:
        args = args[:1]
    return f"{name}({', '.join(_write(a).text for a in args)})"


def _where(e: sp.Piecewise) -> str:
    parts: list[str] = []
    for value, condition in e.args:
        parts += [_write(value).text] if condition is sp.true else [_condition(condition, 0), _write(value).text]
    return f"where({', '.join(parts)})"


def _condition(e: sp.Basic, level: int) -> str:
    """A condition; `level` counts how tightly it must hold: or 0, and 1, not 2."""
    if type(e) in _COMPARISONS:
        return f"{_write(e.args[0]).text} {_COMPARISONS[type(e)]} {_write(e.args[1]).text}"
    if isinstance(e, sp.Not):
        return f"not ({_condition(e.args[0], 0)})"
    if isinstance(e, sp.And | sp.Or):
        own, word = (1, " and ") if isinstance(e, sp.And) else (0, " or ")
        parts = sorted(e.args, key=sp.default_sort_key)
        text = word.join(_condition(a, own + 1) for a in parts)
        return f"({text})" if level > own else text
    raise _unwritable(f"the condition {as_given(e)}", "conditions compare two values, and are joined by and, or, not")


def numeral(n: int) -> str:
    """A whole number, not negative, as text."""
    if n < 10**LIMITS.digits:
        return str(n)
    k = LIMITS.digits - 1
    high, low = divmod(n, 10**k)
    if high < 10**LIMITS.digits:
        top = f"{high}*10^{k}"
        return f"{top} + {low}" if low else top
    return f"({numeral(high)})*10^{k}" + (f" + {low}" if low else "")
