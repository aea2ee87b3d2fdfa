"""Forces in friction cones that balance: the least of them, and by how much there are any, by conic programmes.

    min |C z + c|^2   among   E z = r ,   s_j + M_j z in the second-order cone  |tail| <= head  (or >= 0)  of each j

with Clarabel's interior points [goulart2024]; what it finds is projected on the equations, to the last digit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

_TIGHT = 1e-12  # of the programme


class Cone(NamedTuple):
    """s + M z: its first component bounds the length of the others.

    Attributes:
        M: (d, n).
        s: (d,).
    """

    M: np.ndarray
    s: np.ndarray

    def excess(self, z: np.ndarray) -> float:
        """By how much z (n,) is outside; negative inside."""
        head, *tail = self.s + self.M @ z
        return float(np.hypot.reduce(tail) - head) if tail else float(-head)


def least(P: np.ndarray, p: np.ndarray, E: np.ndarray, r: np.ndarray, cones: Sequence[Cone]) -> np.ndarray | None:
    """z (n,) with the least z P z/2 + p z among E z = r in the cones, E of full row rank; None where there is none."""
    import clarabel  # takes long to import
    from scipy import sparse

    size = float(np.abs(r).max(initial=0.0) or max((np.abs(c.s).max() for c in cones), default=0.0)) or 1.0
    scale = float(np.abs(E).max(initial=0.0)) or 1.0
    # z = unit y
    unit = size / scale
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = _TIGHT
    weight = float(np.abs(P).max()) or 1.0
    A = np.vstack([E / scale, *(-cone.M for cone in cones)])
    b = np.concatenate([r / size, *(cone.s / unit for cone in cones)])
    kinds = [clarabel.ZeroConeT(len(E))] if len(E) else []
    kinds += [clarabel.SecondOrderConeT(len(c.s)) if len(c.s) > 1 else clarabel.NonnegativeConeT(1) for c in cones]
    quadratic = sparse.csc_matrix(np.triu(P / weight))
    found = clarabel.DefaultSolver(quadratic, p / (weight * unit), sparse.csc_matrix(A), b, kinds, settings).solve()
    if "Infeasible" in str(found.status):
        return None
    y = np.array(found.x)
    if not np.isfinite(y).all():
        return None
    z = unit * y
    return z + np.linalg.pinv(E) @ (r - E @ z) if len(E) else z


def innermost(E: np.ndarray, r: np.ndarray, cones: Sequence[Cone], most: float) -> tuple[float, np.ndarray]:
    """The largest s, up to a bound, by which a z with E z = r is in every cone, and z; s < 0 where none is in all."""
    n = E.shape[1]
    # min -s  over (z, s) with  head - s  in place of the head
    wider = [Cone(np.column_stack([c.M, -np.eye(len(c.s))[0]]), c.s) for c in cones]
    bound = Cone(np.r_[np.zeros(n), -1.0][None], np.array([most]))
    P, p = np.zeros((n + 1, n + 1)), np.r_[np.zeros(n), -1.0]
    found = least(P, p, np.column_stack([E, np.zeros(len(E))]), r, [*wider, bound])
    return (-most, np.zeros(n)) if found is None else (float(found[-1]), found[:-1])
