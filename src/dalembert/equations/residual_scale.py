"""What a residual counts against: the size of the constraint's own terms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..calculus.graph import Node, evaluate
from ..calculus.jacobians import slopes_of

HELD = 1e-2  # of |dphi/dx| times the extent of what a row holds, where its terms are smaller
FLOOR = 1e-4  # of |dphi/dx| |x|: a constraint whose terms all vanish is still only known to rounding

_SHORT = 1000  # numbers in an array: longer ones are not worth a copy
NEAR, ROUNDING = 1e-13, 1e-14  # of the origin, where a row with one term has no size of its own; a rounding there


def scales(
    terms: Mapping[Node, Sequence[Node]], rows: Sequence[Node], variables: Sequence[Any], values: Mapping[str, object]
) -> list[float]:
    """The size of each row's terms, at its largest where `values` are arrays.

    That is sum |term| over the summands as the user wrote them, so that (x - 1000)^2 + y^2 - 1 is of size 1 on its
    circle; for a row with one term, |dphi/dx| |x|.

    Args:
        terms: the summands of each row as they were written.
        rows: constraints on velocities or positions.
        variables: their velocities or coordinates.
        values: numbers or arrays by symbol.
    """
    return measured(terms, rows, variables, values)[1]


def measured(
    terms: Mapping[Node, Sequence[Node]],
    rows: Sequence[Node],
    variables: Sequence[Any],
    values: Mapping[str, Any],
    extents: Mapping[str, float] = MappingProxyType({}),
) -> tuple[list[float], list[float]]:
    """|row| at its largest and the size of its terms, row by row; the first arguments are those of `scales`.

    Terms that all vanish, as those of a product of axes that stay perpendicular, have no size. What they hold has: the
    largest |dphi/dx| of the row times the largest extent of its variables along the path, where that is given. Their
    units may differ, so that it counts in part.
    """
    if not rows:
        return [], []
    graph = rows[0].graph
    xs = [graph.symbol(v.name) for v in variables]
    slopes, written = slopes_of(graph, rows, xs), [node for row in rows for node in terms[row]]
    few = [] if slopes.many else [e for row in slopes for e in row]
    found = evaluate([*rows, *written, *few], values)
    m, k, parts = len(rows), len(xs), iter(found[len(rows) : len(rows) + len(written)])
    sums = [sum(np.abs(next(parts)) for _ in terms[row]) for row in rows]
    tops = peaks([*found[:m], *sums, *(values[x.key[1]] for x in xs), *found[m + len(written) :]])
    largest = max(tops[2 * m : 2 * m + k], default=0.0)
    # the largest |dphi/dx| of each row and variable
    slope = slopes.tops(values) if slopes.many else np.reshape(tops[2 * m + k :], (m, k))
    steepest = slope.max(axis=1, initial=0.0).tolist()
    reach = graph.reach
    ways = [(reach[x.index], extents.get(v.name, 0.0)) for x, v in zip(xs, variables, strict=True)]
    held = [
        HELD * steep * max((way for bit, way in ways if bit & reach[row.index]), default=0.0)
        for row, steep in zip(rows, steepest, strict=True)
    ]
    sizes = [
        steep * largest if len(terms[row]) == 1 else max(size, whole, FLOOR * steep * largest)
        for row, steep, size, whole in zip(rows, steepest, tops[m : 2 * m], held, strict=True)
    ]
    return tops[:m], sizes


def peaks(numbers: Sequence[float | np.ndarray]) -> list[float]:
    """The largest |x| of each of numbers and arrays; short arrays are gone through together."""
    arrays = [x for x in numbers if type(x) is np.ndarray]
    shapes = {x.shape for x in arrays}
    if len(shapes) == 1 and arrays[0].ndim == 1 and len(arrays[0]) <= _SHORT:
        together = iter(np.abs(arrays).max(axis=1).tolist())
        return [next(together) if type(x) is np.ndarray else abs(float(x)) for x in numbers]
    return [float(np.abs(x).max()) if type(x) is np.ndarray else abs(float(x)) for x in numbers]


def is_rounding(residual: ArrayLike, slopes: Sequence[ArrayLike], coordinates: Sequence[ArrayLike]) -> np.ndarray:
    """Is a relation between positions kept but for a rounding of numbers of order 1, at the origin?

    All terms of z = 0 are z: where the other coordinates are 0 as well, nothing says what 5e-15 is small against.
    """
    near = [np.abs(np.asarray(x, float)) <= NEAR for x in coordinates]
    # |f| <= 1e-14 max |df/dx|
    kept = [np.abs(np.asarray(residual, float)) <= ROUNDING * np.abs(np.asarray(slope, float)) for slope in slopes]
    return np.asarray(np.logical_and.reduce(near) & np.logical_or.reduce(kept)) if near and kept else np.asarray(False)
