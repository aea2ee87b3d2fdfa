"""Expressions in numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import sympy as sp

from ...calculus.graph import Graph, evaluate
from ...calculus.read import read


def numbers(entries: Iterable[sp.Expr], values: Mapping[str, float]) -> np.ndarray:
    """The values of expressions (n,), not finite where they have none."""
    graph = Graph()
    with np.errstate(all="ignore"):
        return np.array([float(e) for e in evaluate([read(e, graph) for e in entries], values)], float)
