"""Expressions as a function of named columns, for numbers over time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import sympy as sp

from ..calculus.graph import Graph, evaluate
from ..calculus.read import read

Columns = Mapping[str, Any]
Curves = Callable[[np.ndarray, Columns], Columns]  # full columns at times, by the reduced columns there


class Function:
    """Expressions as a function of named columns."""

    def __init__(self, expressions: Sequence[sp.Expr]) -> None:
        graph = Graph()
        self._nodes = [read(e, graph) for e in expressions]

    def __call__(self, values: Columns) -> list[Any]:
        """The values of the expressions, one each."""
        return list(evaluate(self._nodes, values)) if self._nodes else []
