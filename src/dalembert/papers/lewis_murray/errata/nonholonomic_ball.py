"""Misprints about the nonholonomic ball: (3.6), and 3.3 items 2 and 3 of [lewis1995]."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sympy as sp

from ...claim import Claim, identity, pair
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
        key=True,
    )
    only_sign = against_36(derived, size, nu, mu)
    yield identity("(3.6)", "the sign alone repairs it: +(delta m g/|v|) v", only_sign, expected=False)
    yield from pair(
        "(3.6)", "homogeneous in the unit of length", homogeneity(-size), "homogeneous", homogeneity(r**2 * size)
    )


def homogeneity(rolling_term: Any) -> list[Any]:
    """(3.6) with lengths in a unit c times smaller, less c^3 times (3.6); mu is a torque times a time: c^2."""
    c = sp.Symbol("c", positive=True)
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
    )


def closed_form_velocity() -> Iterator[Claim]:
    """The closed form with nu only: its start."""
    yield from pair(
        "3.3 item 2",
        "closed form, exponent repaired: starts with the given position and velocity",
        initial_residual(closed_form(a)),
        "prefactor 1/(a^2 + om^2), its matrix and centre: starts as given",
        initial_residual(spiral()),
    )
    # (xdot, ydot)(0) - (u0, v0) = (a/om)(-v0, u0)
    off = sp.Matrix(initial_residual(closed_form(a))[2:]) - a / om * sp.Matrix([-v0, u0])
    yield identity("3.3 item 2", "exponent repaired: the velocity is off by (a/om)(-v0, u0)", off)
    yield identity("3.3 item 2", "repaired closed form solves (3.6) with nu", ode_residual(planar(nu=1.0), spiral()))


def stability_33() -> Iterator[Claim]:
    """3.3 item 3: how bulky the boundary is, and what it is."""
    where, D = "3.3 item 3", stability_determinant()
    boundary = sp.prod([base for base, _ in sp.factor_list(sp.numer(D))[1] if base.has(nu)])
    text = f"the boundary is {boundary} = 0: {sp.count_ops(boundary)} operations"
    bulky = int(sp.count_ops(boundary)) > 12
    yield Claim(where, "as printed: the stability boundary is too bulky to allow any analysis", False, text, bulky)
    (threshold,) = sp.solve(boundary, nu)
    yield identity(where, "repaired: the boundary is nu I = mu m", threshold * I - mu * m, key=True)
    sides = [decay(nu_value) for nu_value in (sp.Rational(1, 2), sp.Rational(7, 2))]
    text = f"largest real parts {', '.join(f'{part:.3g}' for part in sides)} below and above it"
    yield Claim(
        where, "solid sphere, m = r = mu = Omega = 1: decays only above nu = 5/2", True, text, sides[0] > 0 > sides[1]
    )


def decay(nu_value: Any) -> float:
    """The largest real part of the eigenvalues of a solid sphere with m = r = mu = Omega = 1."""
    values = {m: 1, r: 1, I: sp.Rational(2, 5), Om: 1, mu: 1, nu: nu_value}
    polynomial = sp.Poly(characteristic(planar(nu=1.0, mu=1.0)).subs(values), sp.Symbol("s"))
    return max(float(sp.re(root)) for root in polynomial.nroots())
