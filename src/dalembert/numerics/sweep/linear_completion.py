"""The linear part of completing starts: what rows that are affine in missing names determine, for many members."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ...calculus.graph import Node, evaluate, gradient, symbols
from ...equations.start import TOLERANCE

FREE = 1e-9  # of a null vector: a name that it moves by less is determined
RANK = 1e-12  # of the largest singular value
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
        x, determined, contradiction = _determined(rows, left, known, len(members))
        code[members[contradiction]] = CONTRADICTION
        for pattern in _patterns(determined[~contradiction]):
            rest = ~contradiction & (determined == pattern).all(axis=1)
            if not pattern.any():
                code[members[rest]] = LEFT_FREE
                continue
            for i in np.flatnonzero(pattern):
                found[left[i]][members[rest]] = x[rest, i] + 0.0
            groups.append((members[rest], tuple(n for n, hit in zip(left, pattern, strict=True) if not hit)))
    values |= found


def _patterns(determined: np.ndarray) -> np.ndarray:
    """The different rows of truth values; sorting is spared where all are determined."""
    return determined[:1] if determined.all() else np.unique(determined, axis=0)


def _part(column: np.ndarray, members: np.ndarray) -> np.ndarray:
    return column if len(members) == len(column) else column[members]


def _determined(
    rows: Sequence[Node], left: Sequence[str], values: Mapping[str, np.ndarray], count: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Values of the names left (K, n), which of them are determined (K, n), and where rows contradict (K,)."""
    n = len(left)
    nothing = np.zeros((count, n)), np.zeros((count, n), bool), np.zeros(count, bool)
    slopes = [gradient(row, [row.graph.symbol(name) for name in left]) for row in rows]
    usable = [(row, g) for row, g in zip(rows, slopes, strict=True) if not symbols(g) & set(left)]
    if not usable:
        return nothing
    at_zero = {**values, **{name: np.zeros(count) for name in left}}
    A = _matrix([e for _, g in usable for e in g], at_zero, count).reshape(count, len(usable), n)
    b = -_matrix([row for row, _ in usable], at_zero, count)
    good = np.isfinite(A).all(axis=(1, 2)) & np.isfinite(b).all(axis=1)
    A, b = np.where(good[:, None, None], A, 0.0), np.where(good[:, None], b, 0.0)
    size = np.abs(A).max(axis=2)
    bound = size > 0
    unit = np.where(bound, size, 1.0)
    A, b = A / unit[..., None], np.where(bound, b / unit, 0.0)
    x, null = _least_squares(A, b)
    # |A x - b| against |x| + |b|
    off = np.abs((A * x[:, None, :]).sum(axis=2) - b).max(axis=1)
    contradiction = off > TOLERANCE * (np.abs(x).max(axis=1) + np.abs(b).max(axis=1))
    return x, (null <= FREE) & bound.any(axis=1)[:, None], contradiction


def _matrix(nodes: Sequence[Node], values: Mapping[str, np.ndarray], count: int) -> np.ndarray:
    return np.stack([np.broadcast_to(np.asarray(e, float), count) for e in evaluate(nodes, values)], axis=1)


def _least_squares(A: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The least x (K, n) that minimises |A x - b|, and the largest |component| of a null vector by name (K, n)."""
    # A = U diag(s) V^T
    U, s, Vt = np.linalg.svd(A)
    held = s > RANK * s[:, :1]
    inverse = np.where(held, 1 / np.where(held, s, 1.0), 0.0)
    r = s.shape[1]
    projected = (U[:, :, :r] * b[:, :, None]).sum(axis=1) * inverse
    x = (Vt[:, :r] * projected[:, :, None]).sum(axis=1)
    empty = np.ones(Vt.shape[:2], bool)
    empty[:, :r] = ~held
    return x, np.where(empty[:, :, None], np.abs(Vt), 0.0).max(axis=1)
