"""Misprints about the nonholonomic ball: (3.6), and 3.3 items 2 and 3 of [lewis1995]."""

from __future__ import annotations

from collections.abc import Iterator

import sympy as sp

from ...claim import Claim, Kind, at_hand, author, identity, pair
from ..derivations.closed_forms import closed_form, initial_residual, ode_residual, spiral, u0, v0
from ..derivations.derived import planar
from ..derivations.letters import (
    I,
    Om,
    a,
    ax,
    ay,
    delta,
    g,
    m,
    mu,
    nu,
    om,
    r,
    unit,
    vx,
    vy,
    x,
    y,
)
from ..derivations.nonholonomic_ball import against_36, characteristic, equations_36
from ..derivations.routh_hurwitz import stability_determinant


def equation_36() -> Iterator[Claim]:
    """(3.6): sign and dimension of the rolling term."""
    derived = planar(nu=1.0, mu=1.0, delta=1.0)
    size = delta * m * g
    yield from pair(
        "(3.6)",
        "rolling term -(delta m g/|v|) v on the left side",
        against_36(derived, -size, nu, mu),
        "rolling term +(r^2 delta m g/|v|) v on the left side",
        against_36(derived, r**2 * size, nu, mu),
        author(
            "Elimination from (3.1) to (3.3) with the paper's own F = -delta m g v/|v|. Table 1 was computed with it.",
            r"-\frac{\delta m g}{|v|} v",
            r"+\frac{r^2 \delta m g}{|v|} v",
        ),
    )
    # derived - printed
    left = [e - (r**2 - 1) * size * u for e, u in zip(against_36(derived, size, nu, mu), unit, strict=False)]
    yield identity("(3.6)", "with the sign alone (r^2 - 1)(delta m g/|v|) v is left over", left)
    grown = [e + (c - c**3) * size * u for e, u in zip(homogeneity(-size), unit, strict=False)]
    yield identity("(3.6)", "in other units of length the printed rolling term grows as c, all else as c^3", grown)
    yield identity("(3.6)", "with r^2 it grows as c^3, too", homogeneity(r**2 * size))


c = sp.Symbol("c", positive=True)


def homogeneity(rolling_term: sp.Expr) -> list[sp.Expr]:
    """(3.6) with lengths in a unit c times smaller, less c^3 times (3.6); mu is a torque times a time: c^2."""
    lengths = {z: c * z for z in (x, y, vx, vy, ax, ay, r, g)}
    scaled = {**lengths, I: c**2 * I, mu: c**2 * mu}
    equations = equations_36(rolling_term, nu, mu)
    return [e.subs(scaled, simultaneous=True) - c**3 * e for e in equations]


def closed_form_exponent() -> Iterator[Claim]:
    """The closed form with nu only: its exponent."""
    equations = planar(nu=1.0)
    yield from pair(
        "3.3 item 2",
        "closed form with exp(-nu r^2 t) solves (3.6) with nu",
        ode_residual(equations, closed_form(nu * r**2)),
        "with exp(-nu r^2 t/J) it solves (3.6) with nu",
        ode_residual(equations, closed_form(a)),
        at_hand("The rate is nu r^2/J with J = I + m r^2.", r"e^{-\nu r^2 t}", r"e^{-\nu r^2 t/(I + m r^2)}"),
    )


def closed_form_velocity() -> Iterator[Claim]:
    """The closed form with nu only: its start."""
    yield from pair(
        "3.3 item 2",
        "closed form, exponent repaired: starts with the given position and velocity",
        initial_residual(closed_form(a)),
        "prefactor 1/(a^2 + om^2), its matrix and centre: starts with the given position and velocity",
        initial_residual(spiral()),
        author(
            "The constants are those without friction, a = nu r^2/J = 0; its rate at t = 0 is off by (a/om)(-v0, u0).",
            r"\frac{1}{\omega}\begin{pmatrix} \sin\omega t & \cos\omega t \\"
            r" -\cos\omega t & \sin\omega t \end{pmatrix}",
            r"\frac{1}{a^2 + \omega^2}\begin{pmatrix}"
            r" \omega\sin\omega t - a\cos\omega t & \omega\cos\omega t + a\sin\omega t \\"
            r" -\omega\cos\omega t - a\sin\omega t & \omega\sin\omega t - a\cos\omega t \end{pmatrix}",
        ),
    )
    # (xdot, ydot)(0) - (u0, v0) = (a/om)(-v0, u0)
    off = sp.Matrix(initial_residual(closed_form(a))[2:]) - a / om * sp.Matrix([-v0, u0])
    yield identity("3.3 item 2", "exponent repaired: the velocity is off by (a/om)(-v0, u0)", off)


def stability_33() -> Iterator[Claim]:
    """3.3 item 3: the boundary that is called too bulky to allow any analysis."""
    where, D = "3.3 item 3", stability_determinant()
    boundary = sp.prod([base for base, _ in sp.factor_list(sp.numer(D))[1] if base.has(nu)])
    (threshold,) = sp.solve(boundary, nu)
    statement = "the boundary, called too bulky to allow any analysis, is nu I = mu m"
    yield identity(where, statement, threshold * I - mu * m, key=True, kind=Kind.NEW)
    sides = [decay(nu_value) for nu_value in (sp.Rational(1, 2), sp.Rational(7, 2))]
    text = f"largest real parts {', '.join(f'{part:.3g}' for part in sides)} below and above it"
    yield Claim(
        where, "solid sphere, m = r = mu = Omega = 1: decays only above nu = 5/2", True, text, sides[0] > 0 > sides[1]
    )


def decay(nu_value: sp.Expr) -> float:
    """The largest real part of the eigenvalues of a solid sphere with m = r = mu = Omega = 1."""
    values = {m: 1, r: 1, I: sp.Rational(2, 5), Om: 1, mu: 1, nu: nu_value}
    polynomial = sp.Poly(characteristic(planar(nu=1.0, mu=1.0)).subs(values), sp.Symbol("s"))
    return max(float(sp.re(root)) for root in polynomial.nroots())
