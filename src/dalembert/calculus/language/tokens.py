"""Text to tokens. What cannot begin a token is refused here, with what people probably meant by it.

A text holds ASCII, Greek letters, letters with accents, and subscripts; a letter of another alphabet is let through if
a declared name holds it. All else is refused with its ASCII spelling.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from typing import NamedTuple

from ...errors.lookalike_letters import shape
from ..line_width import DECIMAL
from .functions import FUNCTIONS, WORDS
from .syntax_errors import TextError, TextLimits

_NUMBER = re.compile(DECIMAL)
_SIGNS = {
    "**": "POWER", "^": "POWER", "*": "STAR", "/": "SLASH", "+": "PLUS", "-": "MINUS", "(": "LPAR", ")": "RPAR",
    ",": "COMMA", "<=": "LE", ">=": "GE", "<": "LT", ">": "GT", "==": "EQ", "!=": "NE",
}  # fmt: skip
_CALCULUS = ("diff", "dt", "derivative", "dot", "integrate", "subs", "d")
_STRAY = {
    "'": "text needs no quotes: write the expression itself",
    '"': "text needs no quotes: write the expression itself",
    "`": "write the expression itself",
    "|": "write abs(x)",
    "!": "the language has no factorial",
    "[": "write (x); an index is part of a name: x0",
    "]": "write (x); an index is part of a name: x0",
    "{": "write (x)",
    "}": "write (x)",
    "$": "write the expression itself, not LaTeX",
    "#": "the language has no comments",
    "%": '30 per cent are 0.3, or "30 percent" as the value of a parameter; the language has no remainder',
    ";": "write one expression",
    ":": "write one expression; cases are where(x < 0, a, b)",
    "?": "cases are where(x < 0, a, b)",
    "&": "conditions within where(...) are joined by and, or",
    "~": "a condition within where(...) is denied by not",
    ".": "an expression has no attributes",
    "@": "multiply with *",
}


class Token(NamedTuple):
    """A piece of the text: what it is, its text, and where it begins."""

    kind: str
    text: str
    column: int

    @property
    def end(self) -> int:
        """Column behind it."""
        return self.column + len(self.text)


def tokens(text: str, where: str, names: Collection[str], limits: TextLimits) -> list[Token]:
    """The tokens of a screened text.

    Raises:
        TextError: E705, E706, E709, E714, E715, E716 (a name too long).
    """
    found: list[Token] = []
    at, last = 0, len(text)
    while at < last:
        c = text[at]
        if c.isspace():
            at += 1
        elif c in "0123456789" or (c == "." and text[at + 1 : at + 2].isdigit() and not _attribute(text, at)):
            found.append(_number(text, at, where, names, limits))
            at = found[-1].end
        elif is_letter(c):
            found.append(_name(text, at, where, names, limits))
            at = found[-1].end
        else:
            found.append(_sign(text, at, where))
            at = found[-1].end
    return found


def _attribute(text: str, at: int) -> bool:
    return at > 0 and (in_name(text[at - 1]) or text[at - 1] == ")")


def _word(text: str, at: int) -> str:
    end = at
    while end < len(text) and in_name(text[end]):
        end += 1
    return text[at:end]


def _name(text: str, at: int, where: str, names: Collection[str], limits: TextLimits) -> Token:
    word = _word(text, at)
    if len(word) > limits.name:
        fact = f"{where}: a name of {len(word)} characters, the limit is {limits.name}"
        raise TextError("E716", fact, "use a shorter name", text, at, len(word))
    if word in WORDS and word not in names:
        return Token(word.upper(), word, at)
    dots = dotted_letter(word[0]) if len(word) == 1 and word not in names else None
    if dots:
        fact = f"{where}: a dot above a letter is not part of the language"
        raise TextError("E709", fact, rate_remedy(*dots), text, at)
    return Token("NAME", word, at)


def _number(text: str, at: int, where: str, names: Collection[str], limits: TextLimits) -> Token:
    match = _NUMBER.match(text, at)
    assert match is not None
    number, end = match[0], match.end()
    tail = _word(text, end)
    no_number = None
    if text[end : end + 1] == "." or (
        tail and not number.endswith(".") and text[end + len(tail) :][:1] == "." and tail.isdigit()
    ):
        no_number = "a number has one decimal mark: 1.2"
    elif re.match(r"[xXoObB][0-9a-fA-F]", tail) and number == "0" and tail not in names:
        no_number = "write it with decimal digits"
    elif tail.startswith("_"):
        no_number = (
            f"write {number}{tail.replace('_', '')}" if tail.replace("_", "").isdigit() else f"write {number}*{tail}"
        )
    elif tail in ("e", "E") and tail not in names:
        no_number = f"an exponent has digits: {number}e3; exp(1) is the number e"
    elif tail in ("j", "J") and tail not in names:
        no_number = "complex numbers do not occur: all quantities are real"
    if no_number:
        stop = end + max(1, len(tail))
        while stop < len(text) and (in_name(text[stop]) or text[stop] == "."):
            stop += 1
        fact = f"{where}: {_cut(text[at:stop])} is not a number of this language"
        raise TextError("E714", fact, no_number, text, at, stop - at)
    _check_range(number, text, at, where, limits)
    return Token("NUMBER", number, at)


def _check_range(number: str, text: str, at: int, where: str, limits: TextLimits) -> None:
    mantissa, _, exponent = number.lower().partition("e")
    digits = sum(c.isdigit() for c in mantissa)
    if digits > limits.digits:
        fact = f"{where}: a number of {digits} digits, the limit is {limits.digits}"
        raise TextError("E714", fact, "round it: computing is done with 16 digits", text, at, len(number))
    power = exponent.lstrip("+-").lstrip("0") or "0"
    if len(power) > 4 or int(power) > limits.decimal:
        fact = (
            f"{where}: {_cut(number)} is out of range, decimal exponents go from -{limits.decimal} to {limits.decimal}"
        )
        raise TextError("E714", fact, "choose other units", text, at, len(number))


def _sign(text: str, at: int, where: str) -> Token:
    for length in (2, 1):
        kind = _SIGNS.get(text[at : at + length])
        if kind and (kind != "EQ" or text[at + 2 : at + 3] != "="):
            return Token(kind, text[at : at + length], at)
    c = text[at]
    before = text[:at].rstrip()[-1:]
    if c == "=" or text[at : at + 2] == ":=":
        fact = f"{where}: '=' makes it an equation"
        remedy = "write an expression: move everything to one side, lhs - rhs"
        if "where" in text[:at]:
            remedy += "\nvalues are compared by ==: where(x == 0, a, b)"
        raise TextError("E706", fact, remedy, text, at)
    if c == "\\":
        command = _word(text, at + 1)
        fact = f"{where}: LaTeX, \\{_cut(command)}, is not part of the language"
        raise TextError("E709", fact, _latex(text, at, command), text, at, 1 + len(command))
    if c == "'" and at and (in_name(text[at - 1]) or text[at - 1] == ")") and before:
        primed = re.search(r"[^\W\d]\w*\Z", text[:at])
        if re.search(r"(?<!\w)\d+\Z", text[:at]) and text[at + 1 : at + 2].isdigit():
            raise TextError("E714", f"{where}: digits are not grouped by '", "leave out the separator", text, at)
        order = 2 if text[at : at + 2] == "''" else 1
        remedy = rate_remedy(primed[0] if primed else "x", order)
        raise TextError("E709", f"{where}: a prime is not part of the language", remedy, text, at, order)
    if c == ".":
        attribute = _word(text, at + 1)
        if attribute in FUNCTIONS:
            owner = re.split(r"\W", text[:at])[-1]
            fact = f"{where}: an expression has no attributes"
            raise TextError("E715", fact, f"write {attribute}(...)", text, at - len(owner), len(owner) + 1)
        if attribute in _CALCULUS and at and _attribute(text, at):
            begin = re.search(r"[^\W\d]\w*\Z", text[:at])
            fact = f"{where}: .{attribute} is not part of the language"
            raise TextError("E709", fact, rate_remedy(begin[0] if begin else "x"), text, at, 1 + len(attribute))
    fact = f"{where}: unexpected character {c}"
    raise TextError("E715", fact, _STRAY.get(c, "use + - * / ^ ( ), numbers and names"), text, at)


def _latex(text: str, at: int, command: str) -> str:
    inside = re.match(r"\\\w+\s*\{\s*\\?(\w+)\s*\}", text[at : at + 80])
    if command in ("dot", "ddot"):
        return rate_remedy(inside[1] if inside else "x", len(command) - 2)
    if command == "frac":
        return "write (a)/(b)"
    if command in ("cdot", "times"):
        return "write *"
    return f"write {command}" if command.isalpha() else "write the expression with + - * / ^ and names"


def _cut(text: str) -> str:
    text = unicodedata.normalize("NFC", text)
    return text if len(text) <= 24 else text[:20] + "..."


# --- characters -------------------------------------------------------------------------------------------------------

_BLANK = " \t\n\r"
_DOTS = {"\u0307": 1, "\u0308": 2}  # combining dots above: time derivatives
_SPELT = {
    "\u2212": "-", "\u2013": "-", "\u2014": "-", "\u2010": "-", "\u2011": "-", "\ufe63": "-",
    "\u00d7": "*", "\u00b7": "*", "\u22c5": "*", "\u2219": "*", "\u2217": "*", "\u2022": "*", "\u2062": "*",
    "\u00f7": "/", "\u2215": "/", "\u2044": "/", "\u2264": "<=", "\u2265": ">=", "\u2260": "!=", "\u2248": "=",
    "\u221a": "sqrt(...)", "\u221b": "(...)^(1/3)", "\u2202": "dot(x) for a rate", "\u221e": "a finite number",
    "\u201c": "the expression without quotes", "\u201d": "the expression without quotes",
    "\u2018": "nothing", "\u2019": "dot(x) for a rate", "\u2032": "dot(x) for a rate", "\u2033": "dot(x) for a rate",
    "\u00b5": "\u03bc (the Greek letter U+03BC) or mu", "\u2207": "the derivative itself", "\u222b": "its value",
    "\u2211": "the sum itself", "\u00b0": "radians: pi/180 for one degree", "\u2220": "nothing",
    "\u00a0": "an ordinary space", "\u202f": "an ordinary space", "\u2009": "an ordinary space",
}  # fmt: skip


def screen(text: str, where: str, names: Collection[str]) -> None:
    """Refuse the first character that is not one of the language.

    Raises:
        TextError: E717, and E709 for a dot above a letter.
    """
    if text.isascii() and text.isprintable():
        return
    own = {c for name in names for c in name if not c.isascii() and c.isalpha()}
    for i, c in enumerate(text):
        if not (_plain(c) or c in own):
            _refuse(text, i, where)


def is_letter(c: str) -> bool:
    """May a name begin with this character?"""
    return c == "_" or (c.isalpha() and not _subscript(c))


def in_name(c: str) -> bool:
    """May it stand within a name?"""
    return c == "_" or (c.isascii() and c.isalnum()) or (not c.isascii() and (c.isalpha() or _subscript(c)))


def _plain(c: str) -> bool:
    if c.isascii():
        return c.isprintable() or c in _BLANK
    latin = "\u00c0" <= c <= "\u024f" or "\u1e00" <= c <= "\u1eff"
    greek = "\u0370" <= c <= "\u03ff" or "\u1f00" <= c <= "\u1fff"
    return ((latin or greek) and c.isalpha()) or _subscript(c)


def _subscript(c: str) -> bool:
    return "\u2080" <= c <= "\u2089" or "\u2090" <= c <= "\u209c" or "\u1d62" <= c <= "\u1d6a"


def _refuse(text: str, at: int, where: str) -> None:
    c = text[at]
    if c in _DOTS and at and text[at - 1].isalpha():
        raise _dotted(text, at - 1, text[at - 1], _DOTS[c], where)
    code = f"U+{ord(c):04X}"
    name = unicodedata.name(c, "")
    shown = f" {c}" if c.isprintable() else ""
    fact = f"{where}: the character{shown} ({code}{', ' + name if name else ''}) is not allowed"
    raise TextError("E717", fact, _remedy(text, at), text, at)


def dotted_letter(c: str) -> tuple[str, int] | None:
    """A letter that has absorbed dots above it (NFC): the bare letter and the number of dots."""
    parts = unicodedata.normalize("NFD", c)
    return (parts[0], _DOTS[parts[1]]) if len(parts) == 2 and parts[1] in _DOTS else None


def _dotted(text: str, at: int, letter: str, dots: int, where: str) -> TextError:
    return TextError(
        "E709", f"{where}: a dot above a letter is not part of the language", rate_remedy(letter, dots), text, at
    )


def rate_remedy(name: str, order: int = 1) -> str:
    """How to write the time derivative of a name."""
    if order == 1:
        return f"write dot({name})"
    return f"dot({name}) is the first derivative; accelerations cannot occur, they follow from the equations"


def _superscript(c: str) -> bool:
    return "SUPERSCRIPT" in unicodedata.name(c, "")


def _ascii(text: str) -> str:
    return unicodedata.normalize("NFKC", text).replace("\u2044", "/").replace("\u2212", "-")


def _remedy(text: str, at: int) -> str:
    c = text[at]
    if c in _SPELT:
        return f"write {_SPELT[c]}"
    if _superscript(c):
        end = next((i for i in range(at, len(text)) if not _superscript(text[i])), len(text))
        return f"write ^{_ascii(text[at:end])}"
    plain = _ascii(c)
    if plain != c and plain.isascii() and plain.isprintable() and plain.strip():
        return f"write ({plain})" if "/" in plain else f"write {plain}"
    if shape(c) != c and shape(c).isascii() and shape(c).strip():
        return f"write {shape(c)}, the ASCII letter, in place of {c}"
    if unicodedata.category(c) in ("Nd", "Nl", "No"):
        return f"write {unicodedata.numeric(c):g}"
    if unicodedata.category(c) in ("Cf", "Cc", "Zs", "Mn"):
        return "remove it; it may have come with a copied text"
    return "use ASCII; Greek letters and subscript digits are allowed in names"
