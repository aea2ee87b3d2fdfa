"""The saddle form that both principles lead to, written once over any algebra."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import sympy as sp

from ..calculus.algebra import Algebra
from ..calculus.euler_lagrange import Motion
from ..calculus.frame import Frame
from ..equations import Form
from ..model.constraint import Constraint
from ..model.system import System


def saddle(system: System, lagrangian: sp.Expr, constraints: tuple[Constraint, ...], algebra: Algebra) -> Form:
    """W, N, f, g of  EL_a(L) = Q_a + N^s_a mu_s,  d/dt phi^s = 0."""
    return formed(system.space.frame, lagrangian, [c.row for c in constraints], system.forces, algebra)


def formed(
    frame: Frame,
    lagrangian: sp.Expr,
    rows: Sequence[Callable[[Motion], sp.Expr]],
    forces: Sequence[sp.Expr],
    algebra: Algebra,
) -> Form:
    """W, N, f, g in any frame; `rows` give phi in the algebra of a motion."""
    motion = Motion.of(frame, algebra)
    W, h = motion.euler_lagrange(algebra.read(lagrangian))
    N, drift = motion.derivative([row(motion) for row in rows])
    Q = [algebra.read(e) for e in forces]
    # W udot + h = Q + N^T mu ,  N udot + drift = 0
    return Form(W, N, [Qa - ha for Qa, ha in zip(Q, h, strict=True)], [-1 * d for d in drift])
