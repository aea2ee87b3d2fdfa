"""The vakonomic ball on the extended space, with matrices R and Lam: (3.8) to (3.10) of [lewis1995]."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import sympy as sp

from dalembert.calculus.euler_lagrange import Motion
from dalembert.model.space_factors import hat

from ...claim import Claim, identity
from ...symbolic import plain_motion, rows_of, solved
from .letters import (
    I,
    Om,
    a1,
    a2,
    a3,
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
    vx,
    vy,
    w1,
    w2,
    w3,
    x,
    xi,
    y,
)

R = sp.Matrix(3, 3, sp.symbols("R(1:4)(1:4)", real=True))
Lam = sp.Matrix(3, 3, sp.symbols("Lam(1:4)(1:4)", real=True))
Rdot = sp.Matrix(3, 3, sp.symbols("Rdot(1:4)(1:4)", real=True))
Lamdot = sp.Matrix(3, 3, sp.symbols("Lamdot(1:4)(1:4)", real=True))
V = sp.Matrix(sp.symbols("v1:4", real=True))  # the arbitrary vector of (3.9d)
XI, XIDOT = sp.Matrix(xi), sp.Matrix([a1, a2, a3])
FLOW = {  # Lamdot^T = hat(xi) Lam^T and Rdot = hat(xi) R, (3.9c) and (3.7)
    **dict(zip(Lamdot, -Lam * hat(XI), strict=True)),
    **dict(zip(Rdot, hat(XI) * R, strict=True)),
}


@cache
def extended_motion() -> Motion:
    """Derivatives on R^2 x R^3 x R^(3x3) x R^2 x R^(3x3)."""
    return plain_motion((x, y, *xi, *R, *lam, *Lam), (vx, vy, *XIDOT, *Rdot, *lamdot, *Lamdot))


def lagrangian_38(sign: int = -1) -> sp.Expr:
    """(3.8); with sign = +1 the Lagrangian printed in Lemma D.2."""
    L = I / 2 * (w1**2 + w2**2 + w3**2) + m / 2 * (vx**2 + vy**2)
    L += -lam1 * (vx - r * w2 + Om * y) + sign * lam2 * (vy + r * w1 - Om * x)
    return L - (Lam * (Rdot - hat(XI) * R)).trace()


class Extended(NamedTuple):
    """Euler-Lagrange expressions of (3.8) by coordinate."""

    position: list[Any]
    xi: Any
    R: Any
    lam: list[Any]
    Lam: Any


@cache
def extended(sign: int = -1) -> Extended:
    """EL of (3.8) on the extended space."""
    second = (ax, ay, *sp.symbols("_second:23", real=True))
    rows = rows_of(extended_motion().euler_lagrange(lagrangian_38(sign)), second)
    return Extended(
        rows[:2], sp.Matrix(rows[2:5]), sp.Matrix(3, 3, rows[5:14]), rows[14:16], sp.Matrix(3, 3, rows[16:])
    )


def equation_39a() -> sp.Expr:
    """m xddot - lamdot1 - Omega lam2."""
    return m * ax - ld1 - Om * lam2


def equation_39b() -> sp.Expr:
    """m yddot - lamdot2 + Omega lam1."""
    return m * ay - ld2 + Om * lam1


def equation_39d(spin: sp.Matrix) -> sp.Expr:
    """v^T(I spin + lam1 r e2 - lam2 r e1) + tr(Lam hat(v) R); the paper prints xidot for `spin`."""
    return (V.T * (I * spin + lam1 * r * e2 - lam2 * r * e1))[0] + (Lam * hat(V) * R).trace()


def lagrange_equations() -> Iterator[Claim]:
    """(3.9) and (3.10) from (3.8), for arbitrary matrices R and Lam."""
    EL = extended()
    yield identity("(3.9a)", "Lagrange's equation of (3.8) in x", EL.position[0] - equation_39a())
    yield identity("(3.9b)", "Lagrange's equation of (3.8) in y", EL.position[1] - equation_39b())
    yield identity("(3.9c)", "Lagrange's equations of (3.8) in R", EL.R + (Lamdot.T - hat(XI) * Lam.T))
    yield identity("(3.9d)", "Lagrange's equations in xi, without the dot on xi", (V.T * EL.xi)[0] + equation_39d(XI))
    rolling_rows = [vx - r * w2 + Om * y, vy + r * w1 - Om * x]
    rows = [p - e for p, e in zip(rolling_rows, EL.lam, strict=True)]
    yield identity("(3.10)", "Lagrange's equations in lam and Lam", rows, (Rdot - hat(XI) * R).T - EL.Lam)


def derivative_of_39d() -> sp.Expr:
    """d/dt of the repaired (3.9d), Lamdot and Rdot still arbitrary."""
    return extended_motion().derivative([equation_39d(XI)]).rest[0]


def modulo_39d(expression: sp.Expr) -> sp.Expr:
    """The expression where (3.9d) holds for every v: xi in terms of Lam, R and lam."""
    return expression.subs(solved(list(equation_39d(XI).diff(c) for c in V), xi))
