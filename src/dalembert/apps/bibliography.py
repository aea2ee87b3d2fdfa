"""The library's own bibliography, read: entries of references.bib as data, as a line for people, as BibTeX.

A test holds the file to one form, one field a line; other BibTeX is not read.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FILE = Path(__file__).resolve().parents[1] / "references.bib"
_ACCENTS = {
    "'": "\u0301",
    "`": "\u0300",
    "^": "\u0302",
    '"': "\u0308",
    "~": "\u0303",
    "v": "\u030c",
    "c": "\u0327",
    "u": "\u0306",
}
_FIELD = re.compile(r"^\s+([a-z]+)\s*=\s*\{(.*)\},?$", re.MULTILINE)
_PLACES = ("journal", "booktitle", "publisher", "note")


@dataclass(frozen=True)
class Reference:
    """One entry: its key, its fields as they stand in the file, and the entry itself."""

    key: str
    fields: Mapping[str, str]
    bibtex: str

    @property
    def authors(self) -> str:
        """Family names: ``Lewis and Murray``, ``Harris et al.``"""
        names = [_family(name) for name in self.fields.get("author", self.fields.get("editor", "")).split(" and ")]
        if len(names) > 3 or "others" in names:
            return f"{names[0]} et al."
        return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))

    @property
    def year(self) -> str:
        """The year."""
        return self.fields.get("year", "")

    @property
    def title(self) -> str:
        """The title in plain letters."""
        return plain(self.fields.get("title", self.key))

    @property
    def line(self) -> str:
        """Authors, year, title and where it appeared, for people."""
        where = next((plain(self.fields[k]) for k in _PLACES if k in self.fields), "")
        volume = self.fields.get("volume", "") if "journal" in self.fields else ""
        pages = plain(self.fields.get("pages", ""))
        place = " ".join(filter(None, [where, volume])) + (f", {pages}" if pages else "")
        return f"{self.authors} ({self.year}). {self.title}.{f' {place}.' if place.strip() else ''}"


@cache
def references() -> Mapping[str, Reference]:
    """All entries by key, in the file's order."""
    entries = re.split(r"^(?=@)", FILE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    return {r.key: r for r in map(_read, entries)}


def _read(entry: str) -> Reference:
    key = re.match(r"@[a-z]+\{([^,\s]+),", entry)
    return Reference(key.group(1) if key else "", dict(_FIELD.findall(entry)), entry.strip())


_LETTERS = {"--": "\u2013", "\\aa": "\u00e5", "\\o": "\u00f8", "~": " "}


def _family(name: str) -> str:
    return plain(name.partition(",")[0])


def plain(text: str) -> str:
    r"""TeX's letters as letters: ``{\"U}ber`` becomes Über, braces and dollars go, -- is a dash."""
    for accent, mark in _ACCENTS.items():
        letter = r"(?:\{\\?(\w)\}|\s+(\w)|\\(\w))" if accent.isalpha() else r"\{?\\?(\w)\}?"
        spelt = rf"\\{re.escape(accent)}{letter}"
        text = re.sub(spelt, lambda m, mark=mark: next(filter(None, m.groups())) + mark, text)  # type: ignore[misc]
    text = re.sub(r"[{}$]|\\(?=[&%_])", "", text)
    for spelt, letter in _LETTERS.items():
        text = text.replace(spelt, letter)
    return unicodedata.normalize("NFC", text)
