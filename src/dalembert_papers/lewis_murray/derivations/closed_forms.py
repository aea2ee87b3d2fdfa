"""The closed forms of 3.1 and 3.3 of [lewis1995] for the nonholonomic ball."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import sympy as sp

from ...claim import Claim, identity
from .derived import planar
from .letters import a, ax, ay, om, t, vx, vy, x, y

u0, v0, x0, y0 = sp.symbols("u0 v0 x0 y0", real=True)


def ode_residual(equations: Sequence[sp.Expr], curve: sp.Matrix) -> list[sp.Expr]:
    """The equations of x, y along a curve (x(t), y(t))."""
    first, second = curve.diff(t), curve.diff(t, 2)
    point = dict(zip((x, y, vx, vy, ax, ay), (*curve, *first, *second), strict=True))
    return [sp.expand(e).xreplace(point) for e in equations]


def initial_residual(curve: sp.Matrix) -> list[sp.Expr]:
    """Position and velocity at t = 0, less x0, y0, u0, v0."""
    return list(curve.subs(t, 0) - sp.Matrix([x0, y0])) + list(curve.diff(t).subs(t, 0) - sp.Matrix([u0, v0]))


def closed_form(rate: Any) -> sp.Matrix:
    """The closed form as printed in 3.1, with exp(-rate t) in front as in 3.3 item 2."""
    # (1/om) exp(-rate t) [sin cos; -cos sin] (u0, v0) + (x0 - v0/om, y0 + u0/om)
    sin, cos = sp.sin(om * t), sp.cos(om * t)
    turning = sp.Matrix([[sin, cos], [-cos, sin]]) * sp.Matrix([u0, v0])
    return sp.exp(-rate * t) / om * turning + sp.Matrix([x0 - v0 / om, y0 + u0 / om])


def spiral() -> sp.Matrix:
    """The closed form with nu only, repaired."""
    # exp(-a t)/(a^2 + om^2) [om sin - a cos, om cos + a sin; -om cos - a sin, om sin - a cos] (u0, v0) + centre
    sin, cos, q = sp.sin(om * t), sp.cos(om * t), a**2 + om**2
    turning = sp.Matrix([[om * sin - a * cos, om * cos + a * sin], [-om * cos - a * sin, om * sin - a * cos]])
    centre = sp.Matrix([x0 + (a * u0 - om * v0) / q, y0 + (om * u0 + a * v0) / q])
    return sp.exp(-a * t) / q * turning * sp.Matrix([u0, v0]) + centre


def undamped() -> Iterator[Claim]:
    """The closed form of 3.1."""
    curve = closed_form(0)
    yield identity("3.1 closed form", "solves (3.4)", ode_residual(planar(), curve))
    yield identity("3.1 closed form", "has the given start", initial_residual(curve))


def damped() -> Iterator[Claim]:
    """The closed form with nu only, as repaired; that it has the given start is in `errata`."""
    curve = spiral()
    yield identity("3.3 item 2", "the repaired closed form solves (3.6) with nu", ode_residual(planar(nu=1.0), curve))
