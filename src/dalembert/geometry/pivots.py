"""Rows and columns of a matrix of functions of the state that carry its rank, chosen so that formulas stay short."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, islice
from math import comb
from typing import Any

import numpy as np
import sympy as sp

from ..calculus.exact.ranks import clearly_independent, rank_at_most
from ..calculus.graph import Node, evaluate
from ..calculus.linear import choose_columns
from ..calculus.rank import first_independent, rank_of
from ..calculus.read import read
from .states import ConstraintSampler, Values

_TRIES, _STATES, _SINGULAR, _MANY = 60, 12, 1e-9, 500


def pivots(system: Any, A: sp.Matrix) -> tuple[list[int], list[int]]:
    """Independent rows of A, and as many columns of which these rows can be solved.

    Columns with a constant determinant come first, then those whose determinant keeps its sign, so that it may vanish
    nowhere, then short ones, then those whose determinant keeps farthest from 0.
    """
    sampler = ConstraintSampler(system)
    nodes = [[read(e, sampler.graph) for e in A.row(i)] for i in range(A.rows)]
    states = [values for values, held in islice(sampler.states(17), _TRIES) if held][:_STATES]
    values = np.array([evaluate([e for row in nodes for e in row], v) for v in states], float)
    values = values.reshape(len(states), *A.shape)
    rows = _rows(sampler, nodes, states, values)
    if comb(A.cols, len(rows)) > _MANY:
        return rows, sorted(choose_columns(values[0][rows]))
    subsets = (list(columns) for columns in combinations(range(A.cols), len(rows)))
    return rows, min(subsets, key=lambda columns: _cost(A, values, rows, columns))


def _rows(
    sampler: ConstraintSampler, nodes: Sequence[Sequence[Node]], states: Sequence[Values], values: np.ndarray
) -> list[int]:
    """Independent rows, the first ones first; those too that are so by small numbers."""
    rows = first_independent(values[int(np.argmax([rank_of(N) for N in values]))])
    if len(rows) == rank_at_most(nodes):
        return rows
    return max(rows, list(clearly_independent(nodes, states, sampler.iterated)), key=len)


def _cost(A: sp.Matrix, values: np.ndarray, rows: list[int], columns: list[int]) -> tuple[bool, bool, bool, int, float]:
    with np.errstate(all="ignore"):  # numbers that run over: such a choice is lost
        det = np.nan_to_num(np.linalg.det(values[:, rows][:, :, columns]), nan=0.0)
    lost = bool(np.abs(det).min() < _SINGULAR * np.abs(values).max(initial=1.0))
    wanders = bool(np.ptp(det) > _SINGULAR * np.abs(det).max())
    crosses = bool(det.min() < 0 < det.max())
    length = sp.count_ops(A.extract(rows, columns))
    return lost, wanders, wanders and crosses, length, -float(np.abs(det).min())
