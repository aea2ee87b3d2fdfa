"""Section 2 of [xu2007]: equations (6) to (12) from L and the constraints, the special motions, Figure 2."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import sympy as sp

from dalembert import nonholonomic

from ..claim import Claim, Group, identity
from ..symbolic import constraint_rows, motion_rows
from . import given
from .given import (
    A_TAU,
    CONE,
    ROLLING,
    A_tau,
    F,
    I,
    J,
    K,
    M,
    a,
    accelerations,
    aphi,
    atheta,
    ax,
    ay,
    az,
    b,
    cos,
    g,
    m,
    s,
    sin,
    t,
    theta,
    velocities,
    vphi,
    vtheta,
    vx,
    vy,
    vz,
)

R, T = sp.symbols("R T", real=True)  # friction at the contact point, tension of the rope
side = sp.Symbol("lam_blade", real=True)
x0, y0, theta0, omega = sp.symbols("x0 y0 theta0 omega_0", real=True)


@cache
def form() -> Any:
    """The nonholonomic equations with (1), (2), (3)."""
    return nonholonomic(given.linear()).symbolic


@cache
def motion() -> dict[sp.Symbol, sp.Expr]:
    """udot and the reactions lam_blade, R = lam_roll, T = lam_thread, on the constraints."""
    return given.accelerations_of(form(), (side, R, T))


def constraints() -> Iterator[Claim]:
    """(4) and (34)."""
    yield identity("(4)", "holds for the velocities that (1), (2), (3) allow", CONE.xreplace(given.left()))
    Q = dict(zip(velocities, given.linear().forces, strict=True))
    printed = {vx: F * cos, vy: F * sin, vtheta: 0}
    yield identity("(34)", "Q_x, Q_y, Q_theta", [Q[u] - e for u, e in printed.items()])


def newton_euler() -> Iterator[Claim]:
    """(6) to (10): the multipliers of (2) and (3) are the friction R and the tension T."""
    rows = dict(zip(velocities, motion_rows(form(), accelerations, (side, R, T)), strict=True))
    along = sp.expand(rows[vx] * cos + rows[vy] * sin)
    forwards = ax * cos + ay * sin
    yield identity("(6)", "F + R = (M + m) A_tau, R being lam_roll", along + (F + R) - (M + m) * forwards)
    yield identity("(7)", "T - m g = m zddot, T being lam_thread", rows[vz] + (T - m * g) - m * az)
    yield identity("(8)", "T b - R a = I phiddot", rows[vphi] + (T * b - R * a) - I * aphi)
    yield identity("(9)", "I' thetaddot = 0", rows[vtheta] - J * atheta)
    # d/dt (xdot cos theta + ydot sin theta), and on (1) and (2)
    total = forwards + vtheta * (-vx * sin + vy * cos)
    rolling = constraint_rows(form(), accelerations)[1]
    residuals = [(total - forwards).xreplace(ROLLING), rolling - (total - a * aphi)]
    yield identity("(10)", "A_tau = d/dt (xdot cos theta + ydot sin theta) = a phiddot", residuals)


def acceleration() -> Iterator[Claim]:
    """(11), (12), and what the constraint forces are."""
    found = motion()
    yield identity("(11)", "phiddot", found[aphi] - (F * a + m * g * b) / K)
    yield identity("(12)", "A_tau, by the library from L and (1), (2), (3)", found[A_tau] - A_TAU, key=True)
    normal = found[side] + (m + M) * s * vtheta
    yield identity("section 2", "the constraint supplies the normal force (m + M) s thetadot", normal)


# --- the two special motions -----------------------------------------------------------------------------------------


def start_i(factor: sp.Expr) -> tuple[sp.Expr, sp.Expr, sp.Expr]:
    """x, y, theta of (17), (18), (19) with `factor` for the fraction in front of a t^2."""
    return x0 + factor * a * t**2 * sp.cos(theta0), y0 + factor * a * t**2 * sp.sin(theta0), theta0


def start_ii(heading: Any = 0) -> tuple[sp.Expr, sp.Expr, sp.Expr]:
    """x, y, theta of (27), (28), (29), turned by `heading`."""
    # x = A (t/om sin om t + cos om t/om^2 - 1/om^2) ,  y = A (-t/om cos om t + sin om t/om^2)
    X = A_TAU * (t / omega * sp.sin(omega * t) + sp.cos(omega * t) / omega**2 - 1 / omega**2)
    Y = A_TAU * (-t / omega * sp.cos(omega * t) + sp.sin(omega * t) / omega**2)
    c, d = sp.cos(heading), sp.sin(heading)
    return c * X - d * Y, d * X + c * Y, omega * t + heading


def velocity_ii(speed: sp.Expr) -> tuple[sp.Expr, sp.Expr, sp.Expr]:
    """xdot, ydot, theta of (24), (25), (29) with a speed in front of cos, sin."""
    return speed * sp.cos(omega * t), speed * sp.sin(omega * t), omega * t


HALF = A_TAU / a / 2  # the fraction of (17), (18) repaired


def residuals(xdot: sp.Expr, ydot: sp.Expr, heading: sp.Expr) -> list[sp.Expr]:
    """The library's equations along xdot(t), ydot(t), theta(t); phidot, zdot follow from (2), (3)."""
    speed = xdot * sp.cos(heading) + ydot * sp.sin(heading)
    point = {theta: heading, vx: xdot, vy: ydot, vtheta: heading.diff(t), vphi: speed / a, vz: -b / a * speed, s: speed}
    found = motion()
    rates = [point[u].diff(t) - found[acc].xreplace(point) for u, acc in zip(velocities, accelerations, strict=True)]
    return [given.BLADE.xreplace(point), *rates]


def along(curve: tuple[sp.Expr, sp.Expr, sp.Expr]) -> list[sp.Expr]:
    """The library's equations along x(t), y(t), theta(t)."""
    X, Y, heading = curve
    return residuals(X.diff(t), Y.diff(t), heading)


def beginning(
    curve: tuple[sp.Expr, sp.Expr, sp.Expr], X0: Any, Y0: Any, heading: sp.Expr, turning: Any
) -> list[sp.Expr]:
    """Position less (X0, Y0), velocity, heading less theta(0) and its rate less thetadot(0), at t = 0."""
    X, Y, angle = curve
    states = X - X0, Y - Y0, X.diff(t), Y.diff(t), angle - heading, angle.diff(t) - turning
    return [e.subs(t, 0) for e in states]


def special_motions() -> Iterator[Claim]:
    """i) and ii), as repaired and as printed where that is right."""
    first = start_i(HALF)
    yield identity("(17), (18), (19)", "with the constants repaired they solve the equations", along(first), key=True)
    yield identity("(13) to (16)", "they have the start i)", beginning(first, x0, y0, theta0, 0))
    second = start_ii()
    yield identity("(26) to (29)", "they solve the equations", along(second), key=True)
    yield identity("(20) to (23)", "they have the start ii) with theta0 = 0", beginning(second, 0, 0, 0, omega))


def figure_2() -> Iterator[Claim]:
    """The curve of Figure 2: the scaling makes it one curve for all systems, the involute of a circle."""
    X, Y, _ = start_ii()
    tau = sp.Symbol("tau", real=True)
    xi, eta = (sp.simplify((omega**2 / A_TAU * e).subs(t, tau / omega)) for e in (X, Y))
    printed = [xi - (tau * sp.sin(tau) + sp.cos(tau) - 1), eta - (-tau * sp.cos(tau) + sp.sin(tau))]
    yield identity("Figure 2", "xi = tau sin tau + cos tau - 1, eta = sin tau - tau cos tau, tau = omega t", printed)
    # the end of a thread of length tau that leaves the circle at the angle tau
    unrolled = [-1 + sp.cos(tau) + tau * sp.sin(tau) - xi, sp.sin(tau) - tau * sp.cos(tau) - eta]
    bend = xi.diff(tau) * eta.diff(tau, 2) - xi.diff(tau, 2) * eta.diff(tau)
    # radius of curvature |tau|: (xi'^2 + eta'^2)^3 = tau^2 bend^2
    radius = (xi.diff(tau) ** 2 + eta.diff(tau) ** 2) ** 3 - tau**2 * bend**2
    yield identity("Figure 2", "is the involute of the unit circle about (-1, 0)", [*unrolled, radius])


GROUPS: tuple[Group, ...] = (
    constraints,
    newton_euler,
    acceleration,
    special_motions,
    figure_2,
)
