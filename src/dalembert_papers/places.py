"""Places of a paper by the names that it gives them: equations, definitions, theorems, tables, sections."""

from __future__ import annotations

import re
from collections.abc import Iterator

_LONG = {"Def": "Definition", "Prop": "Proposition", "Fig": "Figure"}
_WORDS = r"(Definition|Def|Proposition|Prop|Theorem|Lemma|Table|Figure|Fig|Remark|section)s?\.?"
_NAMED = re.compile(rf"{_WORDS} ([A-D\d][\d.]*\d|\d+)(?:(?:,| and| to) ([A-D\d][\d.]*\d|\d+))?", re.IGNORECASE)
_APPENDIX = re.compile(r"\b[A-D]\.\d+\b")
_NUMBER = r"\((\d+(?:\.\d+)?[a-z]?)\)"
_BARE = re.compile(r"\d+(?:\.\d+)?[a-z]?")
_RANGE = re.compile(rf"(?<!before )(?<!after ){_NUMBER}(?: to {_NUMBER})?")


def places(where: str) -> Iterator[str]:
    """The single names in a place: ``"(3.1a) to (3.1c)"`` is three, ``"Prop. 2.8 (iv)"`` is ``"Proposition 2.8"``."""
    for found in _NAMED.finditer(where):
        word = found[1].capitalize() if found[1][0].isupper() else found[1]
        yield from (f"{_LONG.get(word, word)} {n}" for n in found.groups()[1:] if n)
    yield from _APPENDIX.findall(where)
    for first, last in _RANGE.findall(where):
        yield from (f"({n})" for n in ([first] if not last else _between(first, last)))


def _between(first: str, last: str) -> Iterator[str]:
    """From a to b in the last part that counts: letters, or whole numbers."""
    if last[-1].isalpha():
        yield from (f"{first[:-1]}{chr(c)}" for c in range(ord(first[-1]), ord(last[-1]) + 1))
        return
    head, dot, tail = first.rpartition(".")
    yield from (f"{head}{dot}{n}" for n in range(int(tail), int(last.rpartition(".")[2]) + 1))


def is_of(place: str, name: str) -> bool:
    """Is a place that name, a part of it (Theorem 1.3 of Theorem 1), its number, or what holds it ((3.9) of (3.9a))?"""
    whole = place.removesuffix(")")
    letter = name.removeprefix(whole).removesuffix(")") if name.startswith(whole) else ""
    return place == name or place.startswith(f"{name}.") or name.endswith(f" {place}") or letter.isalpha()


def speaks_of(where: str, asked: str) -> bool:
    """Is a place, or one of those in it, what a person asks for? ``"57"`` and ``"(57)"`` are ``"(56) to (58)"`` too."""
    wanted = {asked, f"({asked})"} if re.fullmatch(_BARE, asked) else set(places(asked)) or {asked}
    alone = rf"(?<![\w(.])({'|'.join(map(re.escape, sorted(wanted)))})(?![\w).])"
    named = {*places(where), where}
    return bool(re.search(alone, where, re.IGNORECASE)) or any(
        is_of(a, b) or is_of(b, a) for a in named for b in wanted
    )
