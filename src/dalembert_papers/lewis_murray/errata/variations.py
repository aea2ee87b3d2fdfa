"""First variations: the proof of Proposition 2.3, appendix C and (D.3) of [lewis1995], on a sample."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import sympy as sp

from ...claim import Claim, at_hand, misprint, pair, said
from ...symbolic import plain_motion, rows_of
from ..derivations.derived import nonholonomic_form, rolling
from ..derivations.letters import (
    Om,
    t,
    vx,
    vy,
    w1,
    w2,
    w3,
    x,
    y,
)


def proof_23() -> Iterator[Claim]:
    """Proof of Proposition 2.3: L = qdot^2/2 - q^3, q = t^2 + s u, u = t (1 - t) on [0, 1]."""
    where, (q, qd, qdd, eps) = "Proposition 2.3 proof", sp.symbols("q qd qdd eps", real=True)
    L = qd**2 / 2 - q**3
    u = t * (1 - t)
    family = t**2 + eps * u
    rates = [family.diff(t, order).diff(eps).subs(eps, 0) for order in range(3)]  # d/ds of q, qdot, qddot
    on_curve = {q: t**2, qd: 2 * t, qdd: 2}
    Lq, Lv = (L.diff(z).subs(on_curve) for z in (q, qd))
    dJ = integral(L.subs({q: family, qd: family.diff(t)}), 0, 1).diff(eps).subs(eps, 0)
    yield from pair(
        where,
        "dJ(c).u = int (dL/dq dqdot/ds + dL/dqdot dqddot/ds) dt",
        integral(Lq * rates[1] + Lv * rates[2], 0, 1) - dJ,
        "dJ(c).u = int (dL/dq dq/ds + dL/dqdot dqdot/ds) dt",
        integral(Lq * rates[0] + Lv * rates[1], 0, 1) - dJ,
        at_hand(
            "The chain rule; (A.3) and (A.4) are right. One dot too many stands on each differentiated q.",
            r"\frac{\partial L}{\partial q}\frac{d\dot{q}}{ds}"
            r" + \frac{\partial L}{\partial \dot{q}}\frac{d\ddot{q}}{ds}",
            r"\frac{\partial L}{\partial q}\frac{dq}{ds}"
            r" + \frac{\partial L}{\partial \dot{q}}\frac{d\dot{q}}{ds}",
        ),
    )
    yield from pair(
        where,
        "dqdot/ds = u, dqddot/ds = udot at s = 0",
        [rates[1] - u, rates[2] - u.diff(t)],
        "dq/ds = u, dqdot/ds = udot at s = 0",
        [rates[0] - u, rates[1] - u.diff(t)],
        at_hand(
            "The same dots.",
            r"\frac{d\dot{q}}{ds} = u, \quad \frac{d\ddot{q}}{ds} = \dot{u}",
            r"\frac{dq}{ds} = u, \quad \frac{d\dot{q}}{ds} = \dot{u}",
        ),
    )


def integral(integrand: sp.Expr, low: Any, high: Any) -> sp.Expr:
    """The integral over t."""
    return sp.integrate(sp.expand(integrand), (t, low, high))


Q1, Q2, U1, U2, ACC1, ACC2, L1, L1DOT, EPS = sp.symbols("q1 q2 u1 u2 acc1 acc2 l ldot eps", real=True)


def sample() -> tuple[Any, Any, list[Any], list[Any], Any]:
    """w(qdot), w(gamma), a curve, a variation that vanishes at t = 0 and 1, and lam(t)."""
    form = Q2 * U1 + (1 + Q1) * U2
    drift = Q2 * (Q1 * Q2) + (1 + Q1) * (Q1 + Q2**2)
    return form, drift, [t, t**2], [t * (1 - t), t**2 * (1 - t)], 1 + t**2


def on(expression: sp.Expr, curve: Sequence[sp.Expr]) -> sp.Expr:
    """An expression in q1, q2, u1, u2 along a curve."""
    first = [sp.diff(c, t) for c in curve]
    second = [sp.diff(c, t, 2) for c in curve]
    values = (*curve, *first, *second)
    return expression.subs(dict(zip((Q1, Q2, U1, U2, ACC1, ACC2), values, strict=True)), simultaneous=True)


@cache
def appended_functional(frozen: bool) -> tuple[sp.Expr, sp.Expr]:
    """J_D(c_s), gamma taken along c if `frozen` and along c_s if not; and -int (2.2)_i u^i dt."""
    form, drift, curve, change, multiplier = sample()
    varied = [c + EPS * d for c, d in zip(curve, change, strict=True)]
    L = (U1**2 + U2**2) / 2
    integrand = on(L - multiplier * form, varied) + multiplier * on(drift, curve if frozen else varied)
    motion = plain_motion((Q1, Q2, L1), (U1, U2, L1DOT))
    EL = rows_of(motion.euler_lagrange(L - L1 * (form - drift)), (ACC1, ACC2, 0))[:2]
    along = [on(e, curve).subs({L1: multiplier, L1DOT: multiplier.diff(t)}) for e in EL]
    return integral(integrand, 0, 1), -integral(sum(e * d for e, d in zip(along, change, strict=True)), 0, 1)


def proof_c2() -> Iterator[Claim]:
    """Proof of Proposition C.2: gamma varies with the curve."""
    residuals = []
    for frozen in (True, False):
        J_D, expected = appended_functional(frozen)
        residuals.append(J_D.diff(EPS).subs(EPS, 0) - expected)
    yield from pair(
        "App. C, proof of C.2",
        "with w^a(gamma(c(t))) inside d/ds the first variation is that of (2.2)",
        residuals[0],
        "with w^a(gamma(c_s(t))) it is that of (2.2)",
        residuals[1],
        at_hand(
            "Frozen along c, gamma would not be varied, and (2.2) would lack its derivatives.",
            r"w^a(\gamma(c(t)))",
            r"w^a(\gamma(c_s(t)))",
        ),
    )


def proposition_c2() -> Iterator[Claim]:
    """Proposition C.2: annihilate D, C^2(..., D, gamma), dJ_D/ds; the first two on the ball."""
    where, N = "C.2", sp.Matrix(nonholonomic_form().N)
    k, n = N.rows, N.cols
    everything, D = sp.eye(n), sp.Matrix.hstack(*N.nullspace())
    ranks = [len(vectors.T.nullspace()) for vectors in (everything, D)]  # forms that annihilate these vectors
    printed, repaired = (
        said(
            where,
            f"there are n - k = {k} independent one-forms that annihilate {vectors}",
            rank == k,
            f"rank of the annihilator {rank}",
        )
        for vectors, rank in (("Q (its tangent vectors)", ranks[0]), ("D", ranks[1]))
    )
    yield misprint(printed, repaired, at_hand("Nothing but 0 annihilates all of TQ.", "Q", "D"))
    velocity = sp.Matrix([vx, vy, *(rolling()[w] for w in (w1, w2)), w3])
    gamma = sp.Matrix([-Om * y, Om * x, 0, 0, 0])
    yield from pair(
        where,
        "the curves that satisfy the constraints are C^2(q1, q2, [a, b], D): w(cdot) = 0",
        N * velocity,
        "the curves that satisfy the constraints are C^2(q1, q2, [a, b], D, gamma): w(cdot) = w(gamma)",
        N * (velocity - gamma),
        at_hand(
            "Section 2 defines the set with gamma.", "C^2(q_1, q_2, [a, b], D)", r"C^2(q_1, q_2, [a, b], D, \gamma)"
        ),
    )
    J_D, first = appended_functional(False)
    yield from pair(
        where,
        "J_D(c_s)/ds, no d before J_D: the value of J_D at s = 0 is the right side",
        J_D.subs(EPS, 0) - first,
        "dJ_D(c_s)/ds at s = 0 is the right side",
        J_D.diff(EPS).subs(EPS, 0) - first,
        at_hand("The right side is a derivative; its d is lost.", r"\frac{J_D(c_s)}{ds}", r"\frac{d J_D(c_s)}{ds}"),
    )


def equation_d3() -> Iterator[Claim]:
    """(D.3) for L = qdot^2/2 - q^3, q = 1 + t^2, u = 1 + t on [0, 2]."""
    low, high, L = 0, 2, U1**2 / 2 - Q1**3
    curve, change = [1 + t**2, sp.S.Zero], 1 + t
    varied = [curve[0] + EPS * change, sp.S.Zero]
    dJ = integral(on(L, varied), low, high).diff(EPS).subs(EPS, 0)
    EL = on(rows_of(plain_motion((Q1,), (U1,)).euler_lagrange(L), (ACC1,))[0], curve)
    momentum = on(L.diff(U1), curve) * change
    boundary = momentum.subs(t, high) - momentum.subs(t, low)
    by_start = [integral(-EL * change, start, high) + boundary - dJ for start in (1, low)]
    yield from pair(
        "(D.3)",
        "the integral from 1 to b, with a = 0",
        by_start[0],
        "the integral from a to b",
        by_start[1],
        at_hand("Integration by parts over [a, b].", r"\int_1^b", r"\int_a^b"),
    )
