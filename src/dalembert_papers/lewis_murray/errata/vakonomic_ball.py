"""Misprints about the vakonomic ball: (3.9d), the derivation of (3.11), before (3.15), Lemmas 3.1 and D.2."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sympy as sp

from dalembert.calculus.simplification import as_fraction
from dalembert.model.space_factors import hat

from ...claim import Claim, at_hand, identity, misprint, pair, said, scope
from ...symbolic import constraint_rows, motion_rows, solved
from ...vanishing import all_vanish
from ..derivations.agreement import disagreement
from ..derivations.derived import planar, rolling, vakonomic_form, vakonomic_motion
from ..derivations.extended_space import (
    FLOW,
    XI,
    XIDOT,
    Lam,
    Lamdot,
    R,
    Rdot,
    V,
    derivative_of_39d,
    equation_39a,
    equation_39b,
    equation_39d,
    extended,
    modulo_39d,
)
from ..derivations.letters import (
    I,
    Om,
    a1,
    a2,
    ax,
    ay,
    e1,
    e2,
    lam,
    lam1,
    lam2,
    lamdot,
    ld1,
    ld2,
    m,
    r,
    udot,
    vx,
    vy,
    w1,
    w2,
    w3,
)
from ..derivations.vakonomic_ball import equation_311


def equation_39() -> Iterator[Claim]:
    """(3.9d): xi without a dot."""
    row = (V.T * extended().xi)[0]
    yield from pair(
        "(3.9d)",
        "v^T(I xidot + ...) + tr(Lam hat(v) R) = 0",
        row + equation_39d(XIDOT),
        "v^T(I xi + ...) + tr(Lam hat(v) R) = 0",
        row + equation_39d(XI),
        at_hand(
            "Lagrange's equation of (3.8) in xi; its next derivative has I xidot.",
            r"v^T(I\dot{\xi} + \lambda_1 r e_2 - \lambda_2 r e_1) + \mathrm{tr}(\Lambda\hat{v}R) = 0",
            r"v^T(I\xi + \lambda_1 r e_2 - \lambda_2 r e_1) + \mathrm{tr}(\Lambda\hat{v}R) = 0",
        ),
    )


def torque(spin: sp.Matrix, p: sp.Expr, q: sp.Expr) -> sp.Matrix:
    """I spin + p r e2 - q r e1."""
    return I * spin + p * r * e2 - q * r * e1


def first_line() -> Iterator[Claim]:
    """First line of the derivation of (3.11): d/dt of (3.9d)."""
    exact = derivative_of_39d()
    printed = (V.T * torque(XIDOT, lam1, lam2))[0] + (Lamdot * hat(V) * R - Lam * hat(V) * Rdot).trace()
    repaired = (V.T * torque(XIDOT, ld1, ld2))[0] + (Lamdot * hat(V) * R + Lam * hat(V) * Rdot).trace()
    yield from pair(
        "(3.11) derivation, line 1",
        "v^T(I xidot + lam1 r e2 - ...) + tr(Lamdot hat(v) R - Lam hat(v) Rdot) is d/dt of (3.9d)",
        printed - exact,
        "with lamdot1, lamdot2 and + Lam hat(v) Rdot it is d/dt of (3.9d)",
        repaired - exact,
        at_hand(
            "d/dt of the repaired (3.9d); the second line is right again.",
            r"v^T(I\dot{\xi} + \lambda_1 r e_2 - \lambda_2 r e_1)"
            r" + \mathrm{tr}(\dot{\Lambda}\hat{v}R - \Lambda\hat{v}\dot{R})",
            r"v^T(I\dot{\xi} + \dot{\lambda}_1 r e_2 - \dot{\lambda}_2 r e_1)"
            r" + \mathrm{tr}(\dot{\Lambda}\hat{v}R + \Lambda\hat{v}\dot{R})",
        ),
    )


def commutator(inner: sp.Matrix) -> sp.Expr:
    """v^T I xidot - tr(Lam inner R) + v^T(lamdot1 r e2 - lamdot2 r e1): lines 2 and 3."""
    return (V.T * torque(XIDOT, ld1, ld2))[0] - (Lam * inner * R).trace()


def third_line() -> Iterator[Claim]:
    """Lines 2 and 3: the bracket of two skew matrices is the skew matrix of the cross product."""
    exact = derivative_of_39d().xreplace(FLOW)
    second = commutator(hat(XI) * hat(V) - hat(V) * hat(XI))
    yield identity("(3.11) derivation, line 2", "follows from (3.9c) and (3.7)", second - exact)
    yield from pair(
        "(3.11) derivation, line 3",
        "hat(xi v), the product taken by components (as matrices it does not exist)",
        commutator(hat(sp.matrix_multiply_elementwise(XI, V))) - second,
        "hat(xi x v)",
        commutator(hat(XI.cross(V))) - second,
        at_hand("[hat(xi), hat(v)] = hat(xi x v).", r"\widehat{(\xi v)}", r"\widehat{(\xi \times v)}"),
    )


def fourth_line() -> Iterator[Claim]:
    """Lines 4 and 5, where (3.9d) holds."""
    third = commutator(hat(XI.cross(V)))

    def fourth(spin: sp.Matrix) -> sp.Expr:
        rest = (V.T * torque(XIDOT, ld1, ld2))[0]
        return rest - (V.T * hat(XI) * torque(spin, lam1, lam2))[0]

    yield from pair(
        "(3.11) derivation, line 4",
        "- v^T hat(xi)(I xidot + lam1 r e2 - lam2 r e1)",
        modulo_39d(fourth(XIDOT) - third),
        "- v^T hat(xi)(I xi + lam1 r e2 - lam2 r e1)",
        modulo_39d(fourth(XI) - third),
        at_hand(
            "(3.9d) without its dot, put into the third line.",
            r"-v^T\hat{\xi}(I\dot{\xi} + \lambda_1 r e_2 - \lambda_2 r e_1)",
            r"-v^T\hat{\xi}(I\xi + \lambda_1 r e_2 - \lambda_2 r e_1)",
        ),
    )
    yield identity("(3.11) derivation, line 5", "is the repaired line 4", fourth(XI) - (V.T * equation_311())[0])


def before_315() -> Iterator[Claim]:
    """The display before (3.15): r xi against r xidot."""
    form = vakonomic_form()
    acceleration = solved(motion_rows(form, udot, lamdot)[:2], (ax, ay))
    right = (lam1 * Om - ld2) / m + Om * vx, (lam2 * Om + ld1) / m + Om * vy
    printed = [r * rolling()[w1] - (Om * vx - vy), r * rolling()[w2] - (Om * vy + vx)]
    printed += [Om * vx - vy - right[0], Om * vy + vx - right[1]]
    rate = solved(constraint_rows(form, udot), (a1, a2))
    repaired = [r * rate[a1] - (Om * vx - ay), r * rate[a2] - (Om * vy + ax)]
    repaired += [(e - p).subs(acceleration) for e, p in zip((Om * vx - ay, Om * vy + ax), right, strict=True)]
    yield from pair(
        "before (3.15)",
        "r xi1 = Omega xdot - ydot = (lam1 Omega - lamdot2)/m + Omega xdot, and the same for xi2",
        printed,
        "r xidot1 = Omega xdot - yddot, r xidot2 = Omega ydot + xddot, with the right sides of the text",
        repaired,
        at_hand(
            "The rate of the constraint; the right sides are its values on (3.9).",
            r"r\xi^1 = \Omega\dot{x} - \dot{y}, \quad r\xi^2 = \Omega\dot{y} + \dot{x}",
            r"r\dot{\xi}^1 = \Omega\dot{x} - \ddot{y}, \quad r\dot{\xi}^2 = \Omega\dot{y} + \ddot{x}",
        ),
    )


def lemma_31() -> Iterator[Claim]:
    """Lemma 3.1 with and without the hypothesis Omega != 0."""
    where = "Lemma 3.1"
    gap = disagreement(Omega=0)
    stuck = not all_vanish(gap)
    text = "lam(0) = 0: accelerations differ or lamdot != 0" if stuck else "lam(0) = 0: same accelerations, lamdot = 0"
    printed = said(where, "some nonholonomic motion is reproduced by no lam(0), for Omega = 0 too", stuck, text)
    found, holds = no_multiplier()
    statement = "for Omega != 0, xi3 != Omega and the ball moving, none is reproduced by any lam(0)"
    derivation = "The proof divides by Omega. In section 3 the table turns, so that Omega != 0 is understood."
    yield misprint(printed, said(where, statement, holds, found), scope(derivation))


def no_multiplier() -> tuple[str, bool]:
    """Can any lam follow the nonholonomic motion with xi3 != Omega? lam = 0 is forced, and lamdot = 0 only at rest."""
    excess = sp.Symbol("excess", real=True, nonzero=True)  # xi3 - Omega
    forced = sp.solve([e.subs(w3, Om + excess) for e in disagreement_in_plane()], lam, dict=True)
    rates = [vakonomic_motion()[k].subs({lam1: 0, lam2: 0}) for k in lamdot]
    # lamdot1^2 + lamdot2^2 = factor (xdot^2 + ydot^2)
    factor = sp.factor(sum(e**2 for e in rates) / (vx**2 + vy**2))
    nonzero = factor.xreplace({Om: sp.Symbol("Omega", real=True, nonzero=True)})
    holds = forced == [{lam1: 0, lam2: 0}] and bool(nonzero.is_positive)
    return f"forced: {forced}; then |lamdot|^2 = |v|^2 {nonzero}", holds


def disagreement_in_plane() -> list[sp.Expr]:
    """xddot and yddot, vakonomic minus nonholonomic."""
    vak = vakonomic_motion()
    derived = solved(planar(), (ax, ay))
    return [as_fraction(vak[k] - derived[k]) for k in (ax, ay)]


def lemma_d2() -> Iterator[Claim]:
    """Lemma D.2: the sign of lam2 in the Lagrangian."""
    printed, right = extended(+1), extended(-1)

    def residuals(EL: Any, sign: int = 1) -> list[sp.Expr]:
        flip = {lam2: sign * lam2, ld2: sign * ld2}
        equations = equation_39a(), equation_39b(), -equation_39d(XI)
        found = *EL.position, (V.T * EL.xi)[0]
        return [e - p.subs(flip, simultaneous=True) for e, p in zip(found, equations, strict=True)]

    yield from pair(
        "Lemma D.2",
        "+ lam2 (ydot + r xi1 - Omega x) gives (3.9)",
        residuals(printed),
        "- lam2 (ydot + r xi1 - Omega x) gives (3.9)",
        residuals(right),
        at_hand(
            "(3.8), the same Lagrangian, has the other sign; it turns (3.9) into itself with -lam2 for lam2.",
            r"+\lambda_2(\dot{y} + r\xi^1 - \Omega x)",
            r"-\lambda_2(\dot{y} + r\xi^1 - \Omega x)",
        ),
    )
    yield identity("Lemma D.2", "the printed sign gives (3.9) with -lam2 for lam2", residuals(printed, -1))
