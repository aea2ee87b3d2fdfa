"""Lines of plain text that fit: cut with an ellipsis, and lists that say what they leave out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from textwrap import wrap

WIDTH = 96
TERMINAL = 80
# a number without its sign; the runs of digits are not tried again, so that a long one is refused at once
DECIMAL = r"(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][+-]?[0-9]++)?"


def cut(line: str, width: int | None = WIDTH) -> str:
    """The line, shortened with an ellipsis to at most `width` characters; None leaves it whole."""
    return line if width is None or len(line) <= width else line[: width - 4] + " ..."


def on_one_line(text: str) -> str:
    """The text with blanks for line ends and for characters that do not show or that move others."""
    return "".join(c if c.isprintable() else " " for c in text)


def folded(line: str, width: int | None = WIDTH, indent: int = 4) -> list[str]:
    """The line on as many lines of at most `width` characters as it needs, the later ones indented."""
    return [line] if width is None else wrap(line, width, subsequent_indent=" " * indent, break_long_words=False)


def broken(line: str, width: int | None = WIDTH, indent: int = 6) -> list[str]:
    """A formula on as many lines as it needs, broken before a sign that stands between terms where that is possible."""
    if width is None or len(line) <= width:
        return [line]
    found = [""]
    for piece in re.split(r" (?=[-+=] )", line):
        longer = f"{found[-1]} {piece}" if found[-1] else piece
        if len(longer) > width and found[-1]:
            found.append(" " * indent + piece)
        else:
            found[-1] = longer
    return [part for row in found for part in folded(row, width, indent)]


def most(lines: Sequence[str], count: int, what: str) -> list[str]:
    """At most `count` lines, the last saying how many more of `what` there are."""
    return list(lines) if len(lines) <= count else [*lines[: count - 1], f"  and {len(lines) - count + 1} more {what}"]


def abridged(lines: Sequence[str], count: int, where: str, width: int = TERMINAL, indent: int = 4) -> list[str]:
    """The lines folded, on at most `count` together: long ones are cut, and the last line says where they are whole."""
    after = " " * indent
    parts = [wrap(line, width, subsequent_indent=after) or [""] for line in most(lines, count - 1, "lines")]
    if sum(map(len, parts)) <= count:
        return [row for part in parts for row in part]
    each = max(k for k in range(1, count + 1) if k == 1 or sum(min(len(part), k) for part in parts) < count)
    left, shown = count - 1 - sum(min(len(part), each) for part in parts), list[list[str]]()
    for part in parts:  # the first long ones take what lines are left
        room = each + max(left, 0)
        left -= max(min(len(part), room) - each, 0)
        shown.append(part if len(part) <= room else [*part[: room - 1], f"{part[room - 1][: width - 4]} ..."])
    return [*(row for part in shown for row in part), f"  whole: {where}"]
