"""The catalogue of all codes: what each error, warning and note means, an example, and how to mend it.

The texts are data, in the folder ``catalogue``; a test holds them to the code, both ways, and runs each example.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib.resources import files
from textwrap import wrap
from typing import Any

from ...errors import UnknownName, WrongType, as_given, closest, did_you_mean, kind_of

__all__ = ["GROUPS", "PRELUDE", "Entry", "about", "entries", "explain"]

WIDTH = 80
PRELUDE = """\
import sympy as sp
import dalembert as da

q = da.coordinates("x y")
x, y, vx, vy = q
T = (vx**2 + vy**2) / 2
"""
GROUPS = {
    "E1": "The system, and its inputs",
    "E2": "Parameters and the start",
    "E3": "Time, tolerances, options",
    "E4": "During the run",
    "E5": "Files and data",
    "E7": "Expressions",
    "E8": "The environment",
    "W": "Warnings",
    "N": "Notes",
}
_NAMES = "q, x, y, vx, vy and T are those of a point in a plane"


@dataclass(frozen=True)
class Entry:
    """What is to be said of a code.

    Attributes:
        code: ``E...`` for refusals, ``W...`` for doubts, ``N...`` for notes.
        title: one line.
        text: what it means, and why it is refused or doubted.
        mend: what to do; what is to be typed stands between backticks.
        example: lines of Python that provoke it, after those of `PRELUDE`; empty if there are none.
        files: files that the example reads, by name.
        why: why there is no example.
    """

    code: str
    title: str
    text: str
    mend: str
    example: str = ""
    files: Mapping[str, str] = field(default_factory=dict)
    why: str = ""

    @property
    def group(self) -> str:
        """Its key in `GROUPS`."""
        return self.code[:2] if self.code[0] == "E" else self.code[0]

    def as_data(self) -> dict[str, object]:
        """The entry as plain data."""
        return asdict(self)

    def __str__(self) -> str:
        lines = [*wrap(f"{self.code} {self.title}", WIDTH, subsequent_indent="     "), ""]
        lines += [f"  {line}" for line in wrap(self.text, WIDTH - 2)]
        lines += ["", "example", *self._example(), "", "mend"]
        return "\n".join(
            [*lines, *(part for line in self.mend.replace("`", "").splitlines() for part in _indented(line))]
        )

    def _example(self) -> list[str]:
        if self.why:
            return _indented(f"none here: {self.why}")
        given = [_cut(f"  # {name}: {as_given(content)}") for name, content in self.files.items()]
        named = [f"  # {_NAMES}"] if any(f"({name}" in self.example for name in ("q", "T", "x", "y")) else []
        return [*given, *named, *(part for line in self.example.splitlines() for part in _broken(line))]


def _cut(line: str) -> str:
    return line if len(line) <= WIDTH else f"{line[: WIDTH - 4].removesuffix(' ...')} ..."


def _indented(line: str) -> list[str]:
    return wrap(line, WIDTH, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False)


def _broken(line: str) -> list[str]:
    """A line of code; broken after a comma where it is too long."""
    indent = "  " + " " * (len(line) - len(line.lstrip()))
    out = []
    while len(indent + line.lstrip()) > WIDTH and ", " in line:
        at = line.rfind(", ", 0, WIDTH - len(indent))
        if at < 0:
            break
        out.append(f"{indent}{line[: at + 1].lstrip()}")
        line, indent = line[at + 2 :], "      "
    return [*out, f"{indent}{line.lstrip()}"]


@cache
def _catalogue() -> dict[str, Entry]:
    found: dict[str, Entry] = {}
    for source in files(__package__).joinpath("catalogue").iterdir():
        for code, given in tomllib.loads(source.read_text(encoding="utf-8")).items():
            texts: dict[str, Any] = {k: v.strip("\n") if isinstance(v, str) else v for k, v in given.items()}
            texts["text"] = " ".join(texts["text"].split())
            found[code] = Entry(code, **texts)
    return dict(sorted(found.items(), key=lambda item: (list(GROUPS).index(item[1].group), item[0])))


def entries() -> tuple[Entry, ...]:
    """All entries: errors, warnings, notes, each by number."""
    return tuple(_catalogue().values())


def explain(code: str) -> Entry:
    """What a code means: ``"E231"``, ``"e231"`` or, where there is only one of this number, ``"231"``.

    Raises:
        UnknownName: E321, there is no such code.
        WrongType: E321, not a code.
    """
    if not isinstance(code, str):
        raise WrongType("E321", f"a code is text, not {kind_of(code)}", 'explain("E231")')
    known, asked = _catalogue(), code.strip().upper()
    for found in (asked, *(f"{kind}{asked}" for kind in "EWN")):
        if found in known:
            return known[found]
    raise UnknownName("E321", f"there is no code {as_given(code.strip())}", _nearest(asked, known))


def about(words: str) -> tuple[Entry, ...]:
    """The entries that hold most of these words, or words that begin with them; those first that do in the title."""
    wanted = [re.compile(rf"(?<!\w){re.escape(word)}", re.IGNORECASE) for word in words.split()]

    def held(text: str) -> int:
        return sum(bool(word.search(text)) for word in wanted)

    counts = {entry.code: held(f"{entry.title} {entry.text} {entry.mend}") for entry in entries()}
    most = max(1, *counts.values())
    return tuple(sorted((e for e in entries() if counts[e.code] == most), key=lambda entry: -held(entry.title)))


def _nearest(asked: str, known: Mapping[str, Entry]) -> str:
    if closest(asked, known):
        return did_you_mean(asked, known)
    told = "; dalembert explain WORD lists those that speak of something" if asked.isalpha() else ""
    return f"dalembert explain lists all codes{told}"
