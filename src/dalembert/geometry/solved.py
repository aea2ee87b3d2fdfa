"""One-forms solved for some of the velocities: which of them are integrable, seen in numbers before anything is solved.

omega = B^-1 M ,   B the columns of M that are solved for ;   omega_r is integrable iff  omega_r ^ d omega_r = 0
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import sympy as sp

from ..calculus.cofactors import adjugate, determinant
from ..calculus.elimination import solve
from ..calculus.graph import Graph, Node, evaluate, gradient
from ..calculus.read import read
from .forms import Form, brief

_POINTS, _NOTHING = 6, 1e-9


def solved_rows(forms: Sequence[Form], which: Sequence[int]) -> Iterator[Form]:
    """The integrable rows among the forms solved for these directions; only these are written out."""
    rows = _integrable(forms, which)
    if not rows:
        return
    matrix = sp.Matrix([f.entries for f in forms])
    block = matrix[:, list(which)]
    cofactors, det = adjugate(block), determinant(block)
    for r in rows:
        # B^-1 = adj B / det B
        yield Form(forms[0].x, tuple(brief(e / det) for e in cofactors[r, :] * matrix))


def _integrable(forms: Sequence[Form], which: Sequence[int]) -> list[int]:
    """Numbers of the solved rows with omega ^ d omega = 0 at random points; none where they cannot be solved so."""
    graph = Graph()
    table = [[read(e, graph) for e in form.entries] for form in forms]
    points = _points(forms)
    first = {name: float(values[0]) for name, values in points.items()}
    block = [[row[c] for c in which] for row in table]
    B = np.array(evaluate([e for row in block for e in row], first), float).reshape(len(forms), -1)
    if not np.isfinite(B).all() or np.linalg.matrix_rank(B) < len(forms):
        return []
    x = [graph.symbol(s.name) for s in forms[0].x]
    return [r for r, row in enumerate(solve(block, table, first)) if _is_integrable(row, x, points)]


def _is_integrable(row: Sequence[Node], x: Sequence[Node], points: dict[str, np.ndarray]) -> bool:
    n = len(x)
    flat = [*row, *(e for entry in row for e in gradient(entry, x))]
    found = np.array([np.broadcast_to(np.asarray(v, float), (_POINTS,)) for v in evaluate(flat, points)]).T
    found = found[np.isfinite(found).all(axis=1)]
    w, slopes = found[:, :n], found[:, n:].reshape(-1, n, n)  # slopes[:, j, i] = d_i omega_j
    curl = slopes.transpose(0, 2, 1) - slopes
    part = np.einsum("pi,pjk->pijk", w, curl)
    # (omega ^ d omega)_ijk = omega_i d omega_jk + omega_j d omega_ki + omega_k d omega_ij
    total = part + part.transpose(0, 3, 1, 2) + part.transpose(0, 2, 3, 1)
    return len(found) > 0 and bool(np.abs(total).max() <= _NOTHING * np.abs(found).max() ** 2)


def _points(forms: Sequence[Form]) -> dict[str, np.ndarray]:
    """Random values of all symbols, positive, the same each time."""
    symbols = {s for f in forms for e in f.entries for s in e.free_symbols} | set(forms[0].x)
    rng = np.random.default_rng(3)
    return {name: rng.uniform(0.3, 1.4, _POINTS) for name in sorted(s.name for s in symbols)}
