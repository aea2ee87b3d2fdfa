"""Which characters a text may hold: ASCII, Greek letters, letters with accents, subscripts.

A letter of another alphabet is let through if a declared name holds it. All else is refused with its ASCII spelling.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection

from ...errors.alike import shape
from .refusal import TextError

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
