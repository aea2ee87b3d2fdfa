"""HTML built from elements: what is not markup already becomes text, so nothing a user wrote is ever markup.

tag("p", "a < b", tag("b", "!"), class_="note")     <p class="note">a &lt; b<b>!</b></p>
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

VOID = {"br", "hr", "meta"}  # elements without an end
# control characters (but for the ends of lines), marks that turn the direction of text, halves of surrogate pairs
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
_ANSI = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")


class Html(str):
    """Text that is markup. Only this file and what builds on it makes it."""

    __slots__ = ()


def plain(value: Any) -> str:
    """Any value as text without control characters and colour codes of a terminal."""
    return _CONTROL.sub("", _ANSI.sub("", str(value)))


def text(value: Any) -> Html:
    """A value as it stands in a page: markup as it is, all else as text."""
    return value if isinstance(value, Html) else Html(escape(plain(value)))


def join(parts: Iterable[Any], between: str = "") -> Html:
    """Parts one after another."""
    return Html(between.join(text(part) for part in parts))


def tag(name: str, /, *children: Any, **attributes: Any) -> Html:
    """An element. ``class_`` stands for ``class``, ``_`` in other names for ``-``; None leaves an attribute out."""
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(plain(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Html(f"<{name}{given}/>" if name in VOID else f"<{name}{given}>{join(children)}</{name}>")


def number(value: float, digits: int = 6) -> Html:
    """A number to some digits for the eye, to the last bit in the page: ``<data value="0.1">0.1</data>``."""
    return tag("data", f"{float(value):.{digits}g}".replace("-", "\u2212"), value=repr(float(value)))


def table(head: Sequence[Any], rows: Iterable[Sequence[Any]], caption: Any = None, **attributes: Any) -> Html:
    """A table with heads of columns; the first cell of each row is its head."""
    top = tag("tr", *(tag("th", cell, scope="col") for cell in head))
    body = [tag("tr", tag("th", row[0], scope="row"), *(tag("td", cell) for cell in row[1:])) for row in rows]
    title = [tag("caption", caption)] if caption else []
    return tag("div", tag("table", *title, tag("thead", top), tag("tbody", *body), **attributes), class_="wide")


def pairs(rows: Iterable[tuple[Any, Any]]) -> Html:
    """Names and what belongs to them, as a table of two columns without heads of columns."""
    body = [tag("tr", tag("th", name, scope="row"), tag("td", value)) for name, value in rows]
    return tag("div", tag("table", tag("tbody", *body), class_="pairs"), class_="wide")


def listed(items: Iterable[Any], **attributes: Any) -> Html:
    """A list of points; nothing at all where there are none."""
    points = [tag("li", item) for item in items]
    return tag("ul", *points, **attributes) if points else Html()


def folded(summary: Any, *children: Any, open_: bool = False) -> Html:
    """Content that a reader opens."""
    return tag("details", tag("summary", summary), *children, **({"open_": ""} if open_ else {}))
