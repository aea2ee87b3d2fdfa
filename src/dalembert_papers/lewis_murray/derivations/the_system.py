"""Section 3 of [lewis1995]: the constraints and L with the matrix R, Newton's equations (3.1), rolling (3.2), (3.3)."""

from __future__ import annotations

from collections.abc import Iterator

import sympy as sp

from dalembert import nonholonomic
from dalembert.model.space_factors import hat
from dalembert.systems import ball_on_turntable as ball

from ...claim import Claim, identity
from ...symbolic import constraint_rows, motion_rows, solved
from .derived import nonholonomic_form, rolling
from .letters import I, Om, Rx, Ry, a1, a2, a3, ax, ay, e1, e2, e3, m, mu, r, reaction, udot, vx, vy, w1, w2, x, xi, y


def matrix_form() -> Iterator[Claim]:
    """The constraints and L with the matrix R, at a rational rotation and for every angular velocity."""
    quaternion = dict(
        zip(ball.SPACE.attitudes["R"].coordinates, (sp.Rational(i, 5) for i in (1, 2, 2, 4)), strict=True)
    )
    R = ball.SPACE.R
    Rdot = sum((R.diff(q) * ball.SPACE.rates[q] for q in quaternion), sp.zeros(3)).xreplace(quaternion)
    spin = Rdot * R.xreplace(quaternion).T
    yield identity("section 3", "Rdot R^T = hat(xi)", spin - hat(sp.Matrix(xi)))
    given = ball.system()
    printed = (
        vx - r * (e1.T * spin * e3)[0] + Om * y,
        vy + r * (e3.T * spin * e2)[0] - Om * x,
    )
    residuals = [c.phi - p for c, p in zip(given.constraints, printed, strict=True)]
    yield identity("section 3", "constraints with e^T Rdot R^T e are those with xi", residuals)
    # L = -(I/4) tr(Rdot R^T Rdot R^T) + (m/2)(xdot^2 + ydot^2)
    L = -I / 4 * (spin * spin).trace() + m / 2 * (vx**2 + vy**2)
    yield identity("section 3", "L with the trace is I/2 |xi|^2 + m/2 (xdot^2 + ydot^2)", given.lagrangian - L)


def newton() -> Iterator[Claim]:
    """(3.1): forces and torques, the reactions being the multipliers."""
    Fx, Fy, T1, T2, T3 = sp.symbols("F_x F_y T_1 T_2 T_3", real=True)
    forces = dict(zip((vx, vy, *xi), (Fx, Fy, T1, T2, T3), strict=True))
    rows = motion_rows(nonholonomic(ball.system().changed(forces=forces)).symbolic, udot, reaction)
    printed = [
        m * ax - (Rx + Fx),
        m * ay - (Ry + Fy),
        I * a1 - (r * Ry + T1),
        I * a2 - (-r * Rx + T2),
        I * a3 - T3,
    ]
    yield identity("(3.1)", "forces and torques with R_x, R_y", [p - e for p, e in zip(printed, rows, strict=True)])


def torques() -> Iterator[Claim]:
    """(3.5): the torques that the air adds to the rows."""
    # a row is its left side minus the forces
    with_air, without = (motion_rows(nonholonomic_form(**air), udot, reaction) for air in ({"mu": 1.0}, {}))
    printed = [0, 0, -mu * w1, -mu * w2, 0]
    off = [a - b + T for a, b, T in zip(with_air, without, printed, strict=True)]
    yield identity("(3.5)", "T_1 = -mu xi_1, T_2 = -mu xi_2", off)


def rolling_relations() -> Iterator[Claim]:
    """(3.2) and (3.3): w1, w2 and their rates from the constraints."""
    # (3.2) xi1 = (Omega/r) x - ydot/r ,  xi2 = (Omega/r) y + xdot/r
    printed = Om / r * x - vy / r, Om / r * y + vx / r
    yield identity("(3.2)", "w1, w2 from rolling", [rolling()[w] - p for w, p in zip((w1, w2), printed, strict=True)])
    # (3.3) xi1dot = (Omega/r) xdot - yddot/r ,  xi2dot = (Omega/r) ydot + xddot/r
    rates = solved(constraint_rows(nonholonomic_form(), udot), (a1, a2))
    printed = Om / r * vx - ay / r, Om / r * vy + ax / r
    yield identity("(3.3)", "their rates", [rates[w] - p for w, p in zip((a1, a2), printed, strict=True)])
