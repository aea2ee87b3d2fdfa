"""The linear part of completing starts: what rows that are affine in missing names determine, for many members."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...calculus.graph import Node
from ...equations.determined import determined

CONTRADICTION, LEFT_FREE = 233, 230


def fill(rows: Sequence[Node], missing: Sequence[str], values: dict[str, np.ndarray], code: np.ndarray) -> None:
    """Fill in the missing names that the rows (each to be 0) determine, as `equations.start.Completion.solve` does.

    Args:
        rows: are used once they are affine in what is missing.
        missing: names without a value.
        values: arrays (K,) by name; the missing ones are added, NaN where they are left free.
        code: 0, or the code of a refusal, (K,); written where rows contradict what is given, or names are left free.
    """
    found = {name: np.full(len(code), np.nan) for name in missing}
    # members that know the same names are treated together
    groups = [(np.flatnonzero(code == 0), tuple(missing))] if missing else []
    while groups:
        members, left = groups.pop()
        if not left or not len(members):
            continue
        known = {name: _part(column, members) for name, column in values.items()}
        known |= {name: _part(found[name], members) for name in missing if name not in left}
        new = determined(rows, left, known, len(members))
        if new.known.all() and not new.contradiction.any():
            for name, x in zip(left, new.x.T, strict=True):
                found[name][members] = x
            continue
        code[members[new.contradiction]] = CONTRADICTION
        for pattern in _patterns(new.known[~new.contradiction]):
            rest = ~new.contradiction & (new.known == pattern).all(axis=1)
            if not pattern.any():
                code[members[rest]] = LEFT_FREE
                continue
            for i in np.flatnonzero(pattern):
                found[left[i]][members[rest]] = new.x[rest, i]
            groups.append((members[rest], tuple(n for n, hit in zip(left, pattern, strict=True) if not hit)))
    values |= found


def _patterns(determined: np.ndarray) -> np.ndarray:
    """The different rows of truth values; sorting is spared where all are determined."""
    return determined[:1] if determined.all() else np.unique(determined, axis=0)


def _part(column: np.ndarray, members: np.ndarray) -> np.ndarray:
    return column if len(members) == len(column) else column[members]
