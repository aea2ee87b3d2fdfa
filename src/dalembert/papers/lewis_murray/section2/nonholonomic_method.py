"""Definition 2.1, Proposition 2.3, (2.1) and Remark 2.4.1 of [lewis1995]: the nonholonomic method."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import sympy as sp

from ....calculus.frame import TIME
from ....principles.nonholonomic import nonholonomic
from ...arbitrary import unknown
from ...claim import Claim, identity
from ...symbolic import rows_of
from .arbitrary_forms import (
    ACC,
    FORMS,
    PLAIN,
    REACTIONS,
    Given,
    N,
    Q,
    U,
    along,
    euler_lagrange,
    general_system,
    polynomial,
    rows,
    undefined,
)


def definition_21() -> Iterator[Claim]:
    """Definition 2.1 and X_c of appendix A."""
    given, c = undefined(), sp.Symbol("c", real=True)
    X = given.w[0, :].T.cross(given.w[1, :].T)  # spans D = ker{w1, w2}
    yield identity("2.1", "qdot = gamma + c X, X in D, satisfies (D, gamma)", along(given.phi, given.gamma + c * X))
    solved = sp.solve(list(given.phi), list(U[1:]), dict=True)[0]
    gap = (sp.Matrix(U) - given.gamma).subs(solved).cross(X)
    yield identity("2.1", "and nothing else does: qdot - gamma is parallel to X", gap)
    shifted = Given(given.L, given.w, given.gamma + c * X)
    yield identity("2.1", "gamma and gamma + c X are one constraint", shifted.phi - given.phi)
    u = sp.Matrix(sp.symbols("u1:4", real=True))
    moved = along(given.phi, sp.Matrix(U) + u) - given.phi - given.w * u
    yield identity("A.2", "qdot + u satisfies (D, gamma) exactly if w(u) = 0", moved)
    kinds = {c.kind for c in general_system().constraints}
    yield Claim("2.1", "the library calls it affine", True, ", ".join(sorted(kinds)), kinds == {"affine"})


def proposition_23() -> Iterator[Claim]:
    """Proposition 2.3: dJ(c) u = -int EL u dt, for every L and every u that vanishes at both ends."""
    L = undefined().L
    u = [unknown(f"u{i + 1}", TIME) for i in range(N)]
    EL = euler_lagrange(L)
    change = sum((L.diff(q) * e + L.diff(v) * e.diff(TIME) for q, v, e in zip(Q, U, u, strict=True)), sp.S.Zero)
    boundary = sum((L.diff(v) * e for v, e in zip(U, u, strict=True)), sp.S.Zero)
    total = rows_of(PLAIN.derivative([boundary]), ACC)[0]
    residual = change + sum((E * e for E, e in zip(EL, u, strict=True)), sp.S.Zero) - total
    yield identity("Prop. 2.3", "dL/dq u + dL/dqdot udot + EL u = d/dt (dL/dqdot u), every L", residual)
    # EL u = 0 for every u in D: EL is in the span of w, since (EL . X = 0, X = w1 x w2) leaves two dimensions
    w1, w2 = (undefined().w[a, :].T for a in range(FORMS))
    R, X = sp.Matrix(sp.symbols("R1:4", real=True)), w1.cross(w2)
    # |X|^2 R = (R . w2 x X) w1 + (R . X x w1) w2 + (R . X) X
    parts = X.dot(X) * R - R.dot(w2.cross(X)) * w1 - R.dot(X.cross(w1)) * w2 - R.dot(X) * X
    yield identity("Prop. 2.3", "EL u = 0 for every u in D makes EL = lam_a w^a", parts)


def equation_21() -> Iterator[Claim]:
    """(2.1) from the library, and appendix B."""
    given, form = polynomial(), nonholonomic(general_system()).symbolic
    # EL(L)_i = lam_a w_i^a
    printed = euler_lagrange(given.L) - given.w.T * sp.Matrix(REACTIONS)
    yield identity("(2.1)", "the library's nonholonomic equations", rows(form, REACTIONS) - printed, key=True)
    X = given.w[0, :].T.cross(given.w[1, :].T)
    reaction = euler_lagrange(given.L) - rows(form, REACTIONS)
    yield identity("B.1", "the library's reaction does no work on D", reaction.dot(X))
    power = reaction.dot(sp.Matrix(U)) - (sp.Matrix(REACTIONS).T * (given.phi + given.w * given.gamma))[0]
    yield identity("B.1", "on the motion itself its power is lam_a w^a(gamma)", power)


def variations() -> Iterator[Claim]:
    """Remark 2.4.1: variations with u in D leave the constraint, by dw(qdot, u) + d(w(gamma))(u)."""
    given = polynomial()
    eps = sp.Symbol("eps")
    phi, wg = given.phi[0], (given.w[0, :] * given.gamma)[0]
    u = [unknown(f"u{i + 1}", TIME) for i in range(N)]
    moved = dict(zip((*Q, *U), (*(q + eps * e for q, e in zip(Q, u, strict=True)), *velocities(u, eps)), strict=True))
    change = phi.subs(moved, simultaneous=True).diff(eps).subs(eps, 0)
    w = list(given.w[0, :])
    # d/ds phi(c_s) = d/dt w(u) + dw(u, qdot) - d(w(gamma))(u)
    rate = sum((w[i].diff(Q[j]) * U[j] * u[i] for i in range(N) for j in range(N)), sp.S.Zero)
    rate += sum((w[i] * u[i].diff(TIME) for i in range(N)), sp.S.Zero)
    pairs = itertools.product(range(N), repeat=2)
    dw = sum(((w[i].diff(Q[j]) - w[j].diff(Q[i])) * u[j] * U[i] for i, j in pairs), sp.S.Zero)
    drift = sum((wg.diff(q) * e for q, e in zip(Q, u, strict=True)), sp.S.Zero)
    residual = change - rate - dw + drift
    statement = "dphi(c_s)/ds = d/dt w(u) + dw(u, qdot) - d(w(gamma))(u): not 0 with w(u) = 0"
    yield identity("Remark 2.4.1", statement, residual)


def velocities(u: Sequence[Any], eps: Any) -> list[Any]:
    """qdot + eps udot."""
    return [v + eps * e.diff(TIME) for v, e in zip(U, u, strict=True)]
