"""Stability of the nonholonomic ball with nu and mu: 3.3 item 3 of [lewis1995]."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import sympy as sp

from dalembert.calculus.simplification import as_fraction

from ...claim import Claim, identity
from .derived import planar
from .letters import I, J, Om, ax, ay, m, mu, nu, r, s, vx, vy, x, y
from .nonholonomic_ball import characteristic


@cache
def complex_polynomial() -> sp.Expr:
    """P(s) with P(d/dt) z = 0 for z = x + i y, from the equations with nu and mu."""
    first, second = planar(nu=1.0, mu=1.0)
    # x = exp(st)/2, y = exp(st)/(2i): then x + iy = exp(st), x - iy = 0
    half, other = sp.Rational(1, 2), -sp.I / 2
    point = {x: half, y: other, vx: s * half, vy: s * other, ax: s**2 * half, ay: s**2 * other}
    return sp.expand((first + sp.I * second).xreplace(point))


class Quadratic(NamedTuple):
    """s^2 + (a1 + i b1) s + a2 + i b2."""

    a1: Any
    b1: Any
    a2: Any
    b2: Any

    @property
    def determinant(self) -> sp.Expr:
        """a1^2 a2 + a1 b1 b2 - b2^2: the second determinant of Routh and Hurwitz for complex coefficients."""
        return self.a1**2 * self.a2 + self.a1 * self.b1 * self.b2 - self.b2**2

    @classmethod
    def of(cls, polynomial: sp.Expr) -> Quadratic:
        """From a polynomial in s, made monic."""
        c2, c1, c0 = sp.Poly(polynomial, s).all_coeffs()
        parts = [as_fraction(part) for c in (c1, c0) for part in sp.expand(c).as_real_imag()]
        return cls(*(part / c2 for part in parts))


@cache
def stability_determinant() -> sp.Expr:
    """The determinant of Routh and Hurwitz for the ball with nu and mu, in lowest terms."""
    return sp.factor(Quadratic.of(complex_polynomial()).determinant)


def stability() -> Iterator[Claim]:
    """3.3 item 3: for mu > 0, Omega != 0 both roots decay iff nu I > mu m."""
    where, P = "3.3 item 3", complex_polynomial()
    mirrored = sp.conjugate(P.xreplace({s: sp.Symbol("s", real=True)})).xreplace({sp.Symbol("s", real=True): s})
    real = characteristic(planar(nu=1.0, mu=1.0))
    yield identity(where, "the eigenvalues are the roots of P and their conjugates", J**2 * real - P * mirrored)
    yield root_rule(where)
    D = stability_determinant()
    # D = mu Omega^2 r^2 (nu I - mu m)/J^3
    yield identity(where, "D = mu Omega^2 r^2 (nu I - mu m)/J^3", D - mu * Om**2 * r**2 * (nu * I - mu * m) / J**3)
    yield one_grows(where, D)
    threshold = sp.solve(D / (mu * Om**2), nu)[0].subs(I, sp.Rational(2, 5) * m * r**2)
    yield identity(where, "solid sphere: the boundary is nu = 5 mu/(2 r^2)", threshold - 5 * mu / (2 * r**2))


def root_rule(where: str) -> Claim:
    """With roots -p1 + i q1, -p2 + i q2:  a1 = p1 + p2  and  D = p1 p2 ((p1 + p2)^2 + (q1 - q2)^2)."""
    p1, p2, q1, q2 = sp.symbols("p1 p2 q1 q2", real=True)
    found = Quadratic.of(sp.expand((s + p1 - sp.I * q1) * (s + p2 - sp.I * q2)))
    residuals = found.a1 - (p1 + p2), found.determinant - p1 * p2 * ((p1 + p2) ** 2 + (q1 - q2) ** 2)
    return identity(where, "a1 > 0: both roots decay iff D > 0, exactly one grows iff D < 0", *residuals)


def one_grows(where: str, D: sp.Expr) -> Claim:
    """For nu = 0, mu > 0, Omega != 0 the signs of a1 and D are decided by the assumptions alone."""
    definite = {mu: sp.Symbol("mu", positive=True), Om: sp.Symbol("Omega", real=True, nonzero=True), nu: sp.S.Zero}
    first = Quadratic.of(complex_polynomial()).a1.xreplace(definite)
    second = sp.factor(D.xreplace(definite))
    holds = bool(first.is_positive and second.is_negative)
    text = f"D = {second}, negative: {second.is_negative}; a1 positive: {first.is_positive}"
    return Claim(
        where, "nu = 0, mu > 0, Omega != 0: one root grows, alpha_2 > 0 is a theorem", True, text, holds, key=True
    )
