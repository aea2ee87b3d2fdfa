"""Terms of L that are linear in the velocities, as gyroscopic forces: their curl, never their momenta.

    L = L' + a_b(t, q) u^b ,      -EL_a(a_b u^b) = F_ab u^b - da_a/dt
    F_ab = e_a(a_b) - e_b(a_a) - C^c_ab a_c                      (e_a = E^i_a d/dq^i; antisymmetric)

Where a mass is small, the momentum dL/du is nearly a; in a form over momenta of an adapted frame a is multiplied by
brackets that cancel, and what is left keeps few digits of the small mass. Of a only the curl acts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sympy as sp

from ..calculus.hamel import Motion
from ..model.system import System
from .adapted import forces

Linear = dict[sp.Symbol, sp.Expr]  # {u: a}
Term = Any  # an expression or a node


def apart(system: System) -> tuple[sp.Expr, Linear]:
    """L' and a: the Lagrangian without the terms that are written linear in the velocities, and their coefficients."""
    return _parted(system.lagrangian, frozenset(system.space.velocities))


def acting(system: System, motion: Motion, linear: Mapping[sp.Symbol, sp.Expr]) -> list[Term]:
    """Q_a + F_ab u^b - da_a/dt."""
    Q, algebra = forces(system, motion.algebra), motion.algebra
    if not linear:
        return Q
    a = [algebra.read(linear.get(u, sp.S.Zero)) for u in system.space.velocities]
    held = algebra.along(a, [motion.t], [motion.one])
    Q = [force - e for force, e in zip(Q, held, strict=True)]
    for (i, j), F in _curl(motion, a).items():
        Q[i] = Q[i] + F * motion.u[j]
        Q[j] = Q[j] - F * motion.u[i]
    return Q


def _curl(motion: Motion, a: Sequence[Term]) -> dict[tuple[int, int], Term]:
    """F_ij for i < j, where it is not 0."""
    slopes = [motion.algebra.gradient(e, motion.q) for e in a]
    found = {}
    for j in range(len(a)):
        for i in range(j):
            # e_i(a_j) - e_j(a_i) - C^c_ij a_c
            along = motion.sum(e * slopes[j][x] for x, e in motion.columns[i])
            across = motion.sum(e * slopes[i][x] for x, e in motion.columns[j])
            turned = motion.sum(C * e for C, e in zip(motion.bracket(i, j), a, strict=True))
            F = along - across - turned
            if motion.zero != F:
                found[i, j] = F
    return found


def _parted(e: sp.Expr, velocities: frozenset[sp.Symbol]) -> tuple[sp.Expr, Linear]:
    """An expression without its terms linear in the velocities, and the coefficients of these."""
    if e in velocities:
        return sp.S.Zero, {e: sp.S.One}
    if e.is_Add:
        parts = [_parted(term, velocities) for term in e.args]
        names = {u for _, linear in parts for u in linear}
        sums = {u: sp.Add(*(linear[u] for _, linear in parts if u in linear)) for u in names}
        return sp.Add(*(rest for rest, _ in parts)), sums
    if e.is_Mul:
        moving = [factor for factor in e.args if factor.free_symbols & velocities]
        if len(moving) == 1:
            fixed = sp.Mul(*(factor for factor in e.args if factor is not moving[0]))
            rest, linear = _parted(moving[0], velocities)
            return fixed * rest, {u: fixed * a for u, a in linear.items()}
    return e, {}
