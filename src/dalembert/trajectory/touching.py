"""What contacts do along a path, in words: which of them slide, stick or are apart, and since when."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

CONTACTS, CHANGES = 3, 3  # told at most
WIDTH, INDENT = 80, 13


def told(modes: Iterable[tuple[float, str, str]]) -> list[str]:
    """Lines ``contact  floor: slides from 0 s, sticks from 1.019 s``, one for each of the first contacts.

    Of many changes the first are told, how many more there are, and the last.
    """
    begun: dict[str, list[str]] = {}
    for t, contact, mode in modes:
        begun.setdefault(contact, []).append(f"{mode} from {t:.4g} s")
    said = [f"contact      {name}: {_few(changes)}" for name, changes in list(begun.items())[:CONTACTS]]
    left = list(begun)[CONTACTS:]
    lines = [part for line in said for part in textwrap.wrap(line, WIDTH, subsequent_indent=" " * INDENT)]
    rest = textwrap.shorten(", ".join(left), WIDTH - 20, placeholder=" ...")
    return [*lines, f"  and {len(left)} more: {rest}"] if left else lines


def _few(changes: list[str]) -> str:
    if len(changes) <= CHANGES:
        return ", ".join(changes)
    first = changes[: CHANGES - 1]
    return f"{', '.join(first)}, and {len(changes) - len(first)} more, the last: {changes[-1]}"
