"""Definition 2.1, Proposition 2.3, (2.1) and Remark 2.4.1 of [lewis1995]: the nonholonomic method."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import sympy as sp

from dalembert import System, coordinates, nonholonomic
from dalembert.calculus.frame import TIME
from dalembert.symmetry import allowed

from ...arbitrary import unknown
from ...claim import Claim, identity
from ...symbolic import rows_of
from .arbitrary_forms import (
    ACC,
    FORMS,
    PLAIN,
    REACTIONS,
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
    """Definition 2.1 and X_c of appendix A: what is said of one place, for any values that w and gamma have there."""
    w = sp.Matrix(FORMS, N, lambda a, i: sp.Symbol(f"w{a + 1}{i + 1}", real=True))
    phi = w * (sp.Matrix(U) - sp.Matrix(sp.symbols(f"g1:{N + 1}", real=True)))
    rows = {f"w{a + 1}": e for a, e in enumerate(phi)}
    found, c = allowed(System(coordinates("x y z"), sum(v**2 for v in U) / 2, rows)), sp.Symbol("c", real=True)
    gamma = sp.Matrix([*found.drift.values()])
    moved = [along(phi, gamma + c * sp.Matrix([*X.values()])) for X in found.fields.values()]
    text = "qdot = gamma + c X, with the gamma and the X in D that the library finds, satisfies (D, gamma)"
    yield identity("2.1", text, *moved)
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


def velocities(u: Sequence[sp.Expr], eps: sp.Expr) -> list[sp.Expr]:
    """qdot + eps udot."""
    return [v + eps * e.diff(TIME) for v, e in zip(U, u, strict=True)]
