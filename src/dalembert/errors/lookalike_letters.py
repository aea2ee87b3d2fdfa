"""Names that look alike and are not the same: a Cyrillic x, a micro sign for mu, a subscript 1 for 1."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

# letters whose shape is that of an ASCII letter, behind it
_SHAPES = {
    "A": "ΑАᎪ", "B": "ΒВᏴ", "C": "СϹᏟ", "D": "Ꭰ", "E": "ΕЕᎬ", "G": "Ꮐ", "H": "ΗНᎻ", "I": "ΙІӀ", "J": "ЈͿᎫ",
    "K": "ΚКᏦ", "L": "Ꮮ", "M": "ΜМᎷ", "N": "Ν", "O": "ΟОՕ", "P": "ΡРᏢ", "Q": "Ԛ", "R": "Ꭱ", "S": "ЅՏᏚ", "T": "ΤТᎢ",
    "U": "Ս", "V": "ѴᏙ", "W": "ԜᎳ", "X": "ΧХ", "Y": "ΥҮУ", "Z": "ΖᏃ",
    "a": "аɑ", "b": "Ьᖯ", "c": "сϲᴄ", "d": "ԁ", "e": "еҽ", "f": "ſք", "g": "ɡց", "h": "һհ", "i": "іıɩ", "j": "јϳȷ",
    "k": "кᴋ", "l": "ӏǀ", "n": "ո", "o": "оοօᴏ", "p": "р", "q": "ԛզ", "r": "гᴦ", "s": "ѕꜱ", "u": "սᴜʋ", "v": "ѵᴠ",
    "w": "ԝᴡ", "x": "х", "y": "уүʏ", "z": "ᴢ", "α": "⍺", "ε": "ԑ", "μ": "ꭎ",
}  # fmt: skip
_NEAR = str.maketrans("01ν", "Olv")  # what is one shape in some typefaces, as nu and v; I and l only inside a name
_TWIN = {ord(letter): plain for plain, letters in _SHAPES.items() for letter in letters}


def shape(name: str) -> str:
    """What the name looks like: two names of one shape cannot be told apart by eye."""
    shown = "".join(c for c in unicodedata.normalize("NFKC", name) if not _unseen(c))
    return unicodedata.normalize("NFKC", shown.translate(_TWIN))


def named(c: str) -> str:
    """A character by its number and name: ``U+0445 CYRILLIC SMALL LETTER HA``."""
    return f"U+{ord(c):04X} {unicodedata.name(c, '')}".strip()


def stranger(name: str) -> str | None:
    """The first character of a name that does not show, or that passes for another; None if there is none.

    Subscripts and the second forms of Greek letters are letters of their own; so are those of a word of another
    alphabet, if not all of it looks like ASCII.
    """
    foreign = shape(name).isascii()
    for c in name:
        if _unseen(c) or unicodedata.category(c) in ("Mn", "Mc", "Me"):
            return c
        if c.isascii() or shape(c) == c or _subscript(c):
            continue
        if foreign if ord(c) in _TWIN else not unicodedata.name(c).endswith("SYMBOL"):
            return c
    return None


def strange(name: str) -> tuple[str, str] | None:
    """What is wrong with a name that holds a `stranger`, and what to type in its place; None if it holds none."""
    c = stranger(name)
    if c is None:
        return None
    looks = "does not show" if _unseen(c) else "is no letter" if shape(c) == c else f"looks like {shape(c)}"
    return f"{named(c)} {looks}", f"type {shape(name).replace(c, '') or 'a letter'}"


def apart(one: str, other: str) -> str:
    """How two names of one shape can be told apart: the characters of each that the other lacks."""
    parts = [", ".join(named(c) for c in a if c not in b) for a, b in ((one, other), (other, one))]
    return " and ".join(f"{name} holds {part}" for name, part in zip((one, other), parts, strict=True) if part)


def twins(names: Iterable[str]) -> tuple[str, str] | None:
    """The first two of the names that differ and look alike."""
    seen: dict[str, str] = {}
    for name in names:
        other = seen.setdefault(shape(name), name)
        if other != name:
            return other, name
    return None


def mistakable(names: Iterable[str]) -> tuple[str, str] | None:
    """The first two of the names that some typefaces show alike: x0 and xO, k1 and kl, kI and kl, nu and v.

    A capital I that begins a name is a moment of inertia beside a length l, which all are used to tell apart.
    """
    seen: dict[str, str] = {}
    for name in names:
        other = seen.setdefault(name[:1].translate(_NEAR) + name[1:].translate(_NEAR).replace("I", "l"), name)
        if other != name:
            return other, name
    return None


def _subscript(c: str) -> bool:
    return "SUBSCRIPT" in unicodedata.name(c, "")


def _unseen(c: str) -> bool:
    """A character that does not show: a joiner, a filler, a mark of direction."""
    return unicodedata.category(c) in ("Cf", "Cc") or "FILLER" in unicodedata.name(c, "")
