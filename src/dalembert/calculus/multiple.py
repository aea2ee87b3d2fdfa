"""Is one expression a multiple of another, at given points?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import sympy as sp
from numpy.typing import ArrayLike

from .graph import Graph, evaluate
from .read import read

_ROUNDING = 1e-12


def sign_of_multiple(f: sp.Expr, g: sp.Expr, points: Iterable[Mapping[str, ArrayLike]]) -> int:
    """The sign of c where f = c g at all points, 0 where there is no such c."""
    graph = Graph()
    nodes = [read(e, graph) for e in (f, g)]
    found = np.array([evaluate(nodes, dict(point)) for point in points])
    return sign_of_parallel(*found.T)


def sign_of_parallel(u: np.ndarray, v: np.ndarray) -> int:
    """The sign of c where u = c v for two vectors (n,), 0 where there is no such c."""
    if np.iscomplexobj(u) or np.iscomplexobj(v) or not (np.isfinite(u).all() and np.isfinite(v).all()):
        return 0
    # |f . g| = |f| |g|  where they are parallel
    size, along = np.linalg.norm(u) * np.linalg.norm(v) * (1 - _ROUNDING), u @ v
    return int(np.sign(along)) if 0 < size <= abs(along) else 0
