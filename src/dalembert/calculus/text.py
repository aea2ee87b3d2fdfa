"""Lines of plain text that fit: cut with an ellipsis, and lists that say what they leave out."""

from __future__ import annotations

from collections.abc import Sequence

WIDTH = 96


def cut(line: str, width: int | None = WIDTH) -> str:
    """The line, shortened with an ellipsis to at most `width` characters; None leaves it whole."""
    return line if width is None or len(line) <= width else line[: width - 4] + " ..."


def most(lines: Sequence[str], count: int, what: str) -> list[str]:
    """At most `count` lines, the last saying how many more of `what` there are."""
    return list(lines) if len(lines) <= count else [*lines[: count - 1], f"  and {len(lines) - count + 1} more {what}"]
