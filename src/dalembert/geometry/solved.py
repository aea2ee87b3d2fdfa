"""One-forms solved for some of the velocities: which of them are integrable, told before anything is written out.

omega = B^-1 M ,   B the columns of M that are solved for ;   omega_r is integrable iff  omega_r ^ d omega_r = 0
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
import sympy as sp

from ..calculus.cofactors import adjugate, determinant
from ..calculus.elimination import solve
from ..calculus.exact.residues import MODULUS, Point
from ..calculus.graph import Graph, Node, evaluate, gradient
from ..calculus.read import read
from .forms import Form, brief

_POINTS = 60  # modulo a prime, of which one is to be clear


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
    """Numbers of the solved rows with omega ^ d omega = 0; none where they cannot be solved so."""
    graph = Graph()
    table = [[read(e, graph) for e in form.entries] for form in forms]
    symbols = sorted({s.name for f in forms for e in f.entries for s in e.free_symbols} | {s.name for s in forms[0].x})
    place = dict(zip(symbols, np.random.default_rng(3).uniform(0.3, 1.4, len(symbols)).tolist(), strict=True))
    block = [[row[c] for c in which] for row in table]
    B = np.array(evaluate([e for row in block for e in row], place), float).reshape(len(forms), -1)
    if not np.isfinite(B).all() or np.linalg.matrix_rank(B) < len(forms):
        return []
    x = [graph.symbol(s.name) for s in forms[0].x]
    return [r for r, row in enumerate(solve(block, table, place)) if _is_integrable(row, x)]


def _is_integrable(row: Sequence[Node], x: Sequence[Node]) -> bool:
    slopes = [gradient(e, x) for e in row]
    for here in (Point(x[0].graph, {}, seed=seed) for seed in range(_POINTS)):
        w, d = [here(e.index) for e in row], [[here(e.index) for e in some] for some in slopes]
        if not here.blind:
            # (omega ^ d omega)_ijk = omega_i d omega_jk + omega_j d omega_ki + omega_k d omega_ij
            cycles = ([(i, j, k), (j, k, i), (k, i, j)] for i, j, k in combinations(range(len(x)), 3))
            return not any(sum(w[i] * (d[k][j] - d[j][k]) for i, j, k in cycle) % MODULUS for cycle in cycles)
    return False
