"""Statements with few, short names: a name is given anew once its value is not needed any more.

Programs that travel in pages are smaller by a quarter for it after packing, and engines keep fewer values at a time.
"""

from __future__ import annotations

import re
import string
from collections.abc import Collection, Iterator, Sequence
from itertools import count, product

_SPACED = re.compile(r" (=|[-+*/]) ")  # a number that is subtracted and negative stands in parentheses
_FIRST = string.ascii_letters
_LATER = string.digits + string.ascii_letters


def shortened(lines: Sequence[str], prefix: str, taken: Collection[str]) -> tuple[list[str], list[str]]:
    """The same statements without blanks, and the names that are given in them, to be declared before.

    Args:
        lines: statements in order; ``const PREFIXn = ...;`` gives a value a name, once.
        prefix: of the names that are replaced; no other name begins so and goes on in digits.
        taken: names that are not to be used.
    """
    own = re.compile(rf"(?<![\w$.]){re.escape(prefix)}\d+(?![\w$])")
    last = {name: i for i, line in enumerate(lines) for name in own.findall(line)}
    fresh, free, now = _names(taken), list[str](), dict[str, str]()
    found, given = list[str](), list[str]()
    for i, line in enumerate(lines):
        mark, name, value = _parts(line, own)
        ending = {n for n in own.findall(value) if last[n] == i}
        text = own.sub(lambda m: now[m[0]], value)
        free += sorted(now[n] for n in ending)
        if name:
            if not free:
                given.append(next(fresh))
                free.append(given[-1])
            now[name] = free.pop()
            text = f"{now[name]}{mark}{text}"
        found.append(_SPACED.sub(r"\1", text))
    return found, given


def _parts(line: str, own: re.Pattern[str]) -> tuple[str, str, str]:
    """``= ``, the name that is given, the rest; the first two are empty where none is."""
    head, mark, value = line.partition(" = ")
    name = head.removeprefix("const ")
    return (mark, name, value) if name != head and own.fullmatch(name) else ("", "", line)


def _names(taken: Collection[str]) -> Iterator[str]:
    for more in count():
        for letters in product(_FIRST, *[_LATER] * more):
            if (name := "".join(letters)) not in taken:
                yield name
