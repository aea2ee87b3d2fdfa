"""Is the zero of a guard a simple one?

A wall's impulse is along the gradient of its guard. Where the gradient vanishes with the guard, as for x^2 at x = 0,
there is none. Newton's iteration tells: it halves the distance to such a zero at each step, and the gradient with it,
while at a simple zero the gradient stays as it is.
"""

from __future__ import annotations

import numpy as np
import sympy as sp

from ..calculus.graph import Graph, Node, evaluate, gradient
from ..calculus.read import read
from ..errors import InvalidValue
from .space import Space

_STARTS, _STEPS, _MOST = 8, 80, 2  # of the starts, so many may find a zero with a vanishing gradient before it counts
_FLAT, _NEAR = 1e-6, 1e-5  # of the usual gradient; the last step, of the coordinates' size
_ROUNDING = 1e-15  # of the coordinates' size: steps that change them no more
_FALLS = 0.9  # of the gradient before: by how much it falls at least in a step towards such a zero


def check_simple(guard: sp.Expr, space: Space) -> None:
    """Refuse a guard whose gradient vanishes with it (E131)."""
    q = [s for s in space.coordinates if guard.has(s)]
    graph, rng = Graph(), np.random.default_rng(43)
    f = read(guard, graph)
    nodes = [f, *gradient(f, [graph.symbol(s.name) for s in q])]
    others = sorted({s.name for s in guard.free_symbols} - {s.name for s in space})
    starts = [space.sample(rng, others) for _ in range(_STARTS)]
    with np.errstate(all="ignore"):
        sizes = [np.linalg.norm(evaluate(nodes[1:], values)) for values in starts]
        usual = float(np.median(sizes))
        flat = [_flat(nodes, [s.name for s in q], values, usual) for values in starts]
    if sum(flat) < _MOST:
        return
    root = sp.factor(guard)
    base = root.base if isinstance(root, sp.Pow) else None
    raise InvalidValue(
        "E131",
        f"the gradient of the guard {guard} vanishes where the guard does: the wall has no normal there",
        f"write {base}" if base is not None else "write a function that passes through 0 at the wall",
    )


def _flat(nodes: list[Node], names: list[str], values: dict[str, float], usual: float) -> bool:
    """Does Newton's iteration from here end where the gradient vanishes as well?"""
    values, step, steep = dict(values), np.inf, 0.0
    for _ in range(_STEPS):
        f, *slopes = (float(e) for e in evaluate(nodes, values))
        before, steep = steep, float(np.linalg.norm(slopes))
        size = 1 + max(abs(values[n]) for n in names)
        if not np.isfinite([f, steep]).all() or f == 0 or steep == 0 or step <= _ROUNDING * size:
            break
        # q - f grad f/|grad f|^2
        step = abs(f) / steep
        for name, slope in zip(names, slopes, strict=True):
            values[name] -= f * slope / steep**2
    falls = steep <= min(_FLAT * usual, _FALLS * before) or steep == 0
    return bool(falls and (f == 0 or step <= _NEAR * size))
