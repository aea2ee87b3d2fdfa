"""The Appell-Hamel system of [xu2007], given twice: with its linear constraints, and with the quadratic one.

    L = (m + M)/2 (xdot^2 + ydot^2) + m/2 zdot^2 + J/2 thetadot^2 + I/2 phidot^2 - m g z
    blade:   xdot sin theta - ydot cos theta = 0                 (1)
    roll:    xdot cos theta + ydot sin theta - a phidot = 0      (2)
    thread:  zdot + b phidot = 0                                 (3)
    cone:    xdot^2 + ydot^2 - (a^2/b^2) zdot^2 = 0              (4), in place of (2) and (3)

(x, y) is the contact point, z the height of the block, theta the heading, phi the wheel's turn; J is the paper's I'.
The force F follows the wheel: Q_x = F cos theta, Q_y = F sin theta. Without phi, phidot = -zdot/b in L.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import sympy as sp

from dalembert import System
from dalembert.calculus.frame import TIME
from dalembert.equations import Form
from dalembert.symmetry import allowed
from dalembert.systems import appell_hamel as machine

from ..symbolic import constraint_rows, motion_rows, solved

t = TIME
x, y, z, theta, phi = machine.WHEEL_SPACE.coordinates
vx, vy, vz, vtheta, vphi = velocities = machine.WHEEL_SPACE.velocities
ax, ay, az, atheta, aphi = accelerations = sp.symbols("ax ay az atheta aphi", real=True)

m, M, a, b, g = machine.BLOCK, machine.WHEEL, machine.WHEEL_RADIUS, machine.DRUM_RADIUS, machine.GRAVITY
I, J, F = machine.DRUM_INERTIA, machine.INERTIA, machine.FORCE
# the paper gives no numbers; these are kilogram, metre, second
VALUES = {"m": 1.0, "M": 2.0, "a": 0.2, "b": 0.1, "I": 0.05, "J": 0.1, "g": 9.81, "F": 1.0}

sin, cos = sp.sin(theta), sp.cos(theta)
BLADE, CONE = machine.NONLINEAR["blade"], machine.NONLINEAR["cone"]

# K phiddot = F a + m g b ,  A_tau = a phiddot                (11), (12)
K = I + (m + M) * a**2 + m * b**2
A_TAU = (F * a + m * g * b) / K * a

REST: dict[str, Any] = {"x": 0.0, "y": 0.0, "z": 0.0, "theta": 0.0, "vx": 0.0, "omega": 1.0}  # omega is thetadot


def linear(**values: float) -> System:
    """The wheel with (1), (2), (3); `values` replace some of `VALUES`."""
    given: dict[str, Any] = {**VALUES, **values}
    light = () if given["I"] else (vphi,)
    return machine.system(**given, wheel=True).changed(massless=light, title="Appell-Hamel, (1) to (3)")


def quadratic(scale: Any = 1, **values: float) -> System:
    """The wheel with (1) and (4), the latter times `scale`; phi does not occur."""
    given: dict[str, Any] = {**VALUES, **values}
    rows = {"blade": BLADE, "cone": scale * CONE}
    return machine.system(**given, constraints="nonlinear").changed(constraints=rows, title="Appell-Hamel, (1), (4)")


# --- what is the same in every section -------------------------------------------------------------------------------


s = sp.Symbol("s", real=True)  # speed along the heading: positive forwards
# (1), (2), (3):  xdot = s cos theta ,  ydot = s sin theta ,  zdot = -(b/a) s ,  phidot = s/a
ROLLING = {vx: s * cos, vy: s * sin, vz: -b / a * s, vphi: s / a}


@cache
def left() -> dict[sp.Symbol, sp.Expr]:
    """The velocities that (1) to (3) allow, by thetadot and phidot."""
    system = linear()
    free = [velocities.index(v) for v in (vtheta, vphi)]
    held = [i for i in range(len(velocities)) if i not in free]
    columns = [sp.Matrix([*X.values()]) for X in allowed(system).fields.values()]
    # u = X c with the components of thetadot and phidot as they are
    X = sp.Matrix.hstack(*columns)
    u = X * X.extract(free, range(X.cols)).inv() * sp.Matrix([vtheta, vphi])
    return {velocities[i]: sp.simplify(u[i]) for i in held}


def rolled(expression: Any) -> Any:
    """The expression on the constraints, with the speed s."""
    return sp.simplify(expression.xreplace(ROLLING))


A_tau, A_n = sp.symbols("A_tau A_n", real=True)  # accelerations along the heading and to its left


def along_heading(form: Form) -> Form:
    """The form on the constraints, in the velocities along the heading and to its left instead of xdot, ydot."""
    turn = sp.eye(len(form.W))
    turn[:2, :2] = sp.Matrix([[cos, sin], [-sin, cos]])
    W, N = turn * sp.Matrix(form.W) * turn.T, sp.Matrix(form.N) * turn.T
    f, g = turn * sp.Matrix(form.f), sp.Matrix(form.g)
    W, N, f, g = (block.xreplace(ROLLING).applyfunc(sp.simplify) for block in (W, N, f, g))
    return Form(W.tolist(), N.tolist(), list(f), list(g))


def accelerations_of(form: Form, multipliers: Sequence[sp.Expr]) -> dict[sp.Symbol, sp.Expr]:
    """All accelerations, and `multipliers`, on the constraints, as functions of theta, thetadot, s."""
    turned = along_heading(form)
    unknowns = (A_tau, A_n, *accelerations[2 : len(form.W)])
    rows = [*motion_rows(turned, unknowns, multipliers), *constraint_rows(turned, unknowns)]
    found = solved(rows, (*unknowns, *multipliers))
    found = {k: sp.factor(e) for k, e in found.items()}
    # xddot = A_tau cos theta - A_n sin theta ,  yddot = A_tau sin theta + A_n cos theta
    planar = {ax: found[A_tau] * cos - found[A_n] * sin, ay: found[A_tau] * sin + found[A_n] * cos}
    return {**found, **planar}
