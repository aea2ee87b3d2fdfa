"""Section 3 of [xu2007]: Chetaev's equations (35) to (38) from the nonlinear constraint, and what follows from them.

The paper's lam1 is lam_blade. Its lam2 belongs to half of (4): lam2 = 2 lam_cone where (4) is given as it stands.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import sympy as sp

from dalembert import nonholonomic
from dalembert.symmetry import leaf

from ..claim import Claim, Group, identity, small
from ..symbolic import constraint_rows, motion_rows
from . import given, newton_euler
from .given import A_TAU, A_tau, F, I, J, M, a, atheta, ax, ay, az, b, cos, g, m, sin, vx, vy, vz

lam1, lam2 = lam = sp.symbols("lambda1 lambda2", real=True)
speed = sp.sqrt(vx**2 + vy**2)
v = sp.Symbol("v", positive=True)
FORWARDS = {vx: v * cos, vy: v * sin}  # (1) with xdot cos theta + ydot sin theta = sqrt(xdot^2 + ydot^2)
work = vx * ax + vy * ay


@cache
def form(scale: Any) -> Any:
    """The nonholonomic equations with (1) and `scale` times (4)."""
    return nonholonomic(given.quadratic(scale)).symbolic


def rows(scale: Any, inertia: Any = 0) -> list[sp.Expr]:
    """W udot - N^T lam - f with I = `inertia`."""
    return [e.subs(I, inertia) for e in motion_rows(form(scale), given.accelerations, lam)]


def printed() -> list[sp.Expr]:
    """(35) to (38), left side minus right side."""
    return [
        (m + M) * ax - (F * cos + lam1 * sin + lam2 * vx),
        (m + M) * ay - (F * sin - lam1 * cos + lam2 * vy),
        m * az - (-m * g - lam2 * a**2 / b**2 * vz),
        J * atheta,
    ]


def gap(left: Sequence[sp.Expr], right: Sequence[sp.Expr]) -> list[sp.Expr]:
    """Differences, entry by entry."""
    return [p - q for p, q in zip(left, right, strict=True)]


def lagrangian() -> Iterator[Claim]:
    """(33), and the general I."""
    L = (m + M) / 2 * (vx**2 + vy**2) + m / 2 * vz**2 + J / 2 * given.vtheta**2 - m * g * given.z
    given_L = given.quadratic().lagrangian
    yield identity("(33)", "L for I = 0", given_L.subs(I, 0) - L)
    turn = given_L - (L + I / 2 * given.vphi**2)
    yield identity("(33)", "for I != 0 add (I/2) phidot^2, phidot = -zdot/b", turn.subs(given.vphi, -vz / b))
    # (3) is the rate of z + b phi: phi = -z/b + const
    held = leaf(given.linear(), chart={"phi": "-z/b"})
    there = held.system.lagrangian - given_L.subs(given.vphi, -vz / b)
    yield identity("(33)", "it is L on the leaf z + b phi = 0 of the thread's constraint", there)
    Q = dict(zip(held.system.space.velocities, held.system.forces, strict=True))
    printed_Q = {vx: F * cos, vy: F * sin, vz: 0, given.vtheta: 0}
    yield identity("(34)", "the forces on that leaf", [Q[u] - e for u, e in printed_Q.items()])
    off = held.agreement
    largest = max(off.lagrangian, *off.constraints.values())
    text = "Lagrange's expressions of L and of (1) to (3) there are those of the whole, for any curve"
    yield small("(33), (34)", text, largest, 1e-11)


def equations() -> Iterator[Claim]:
    """(35) to (38)."""
    statement = "Chetaev's equations with half of (4), by the library"
    yield identity("(35) to (38)", statement, gap(rows(sp.Rational(1, 2)), printed()), key=True)


def multiplier() -> Any:
    """The right side of (41)."""
    return -m * b**2 / a**2 * work / (vx**2 + vy**2) + m * g * b / (a * speed)


def equations_42_43() -> list[Any]:
    """(42) and (43), left side minus right side."""
    inertia = m * b**2 / a**2 * work / (vx**2 + vy**2)
    push = m * g * b / (a * speed)
    return [
        (m + M) * ax + inertia * vx - (push * vx + F * cos + lam1 * sin),
        (m + M) * ay + inertia * vy - (push * vy + F * sin - lam1 * cos),
    ]


def steps() -> Iterator[Claim]:
    """(39) to (45), each from the one before, on (5): zdot = -(b/a) sqrt(xdot^2 + ydot^2)."""
    downwards = {vz: -b / a * speed}
    fall = b**2 / (a**2 * vz) * work
    drift = constraint_rows(form(1), given.accelerations)[1]
    yield identity("(39)", "zddot from d/dt of (4)", drift.subs(az, fall))
    third = printed()[2].subs(az, fall).subs(downwards)
    yield identity("(40)", "(37) with (39) and (5)", third - (-m * b / a * work / speed + m * g - lam2 * a / b * speed))
    yield identity("(41)", "lambda2 solves (40)", third.subs(lam2, multiplier()))
    eliminated = [e.subs(lam2, multiplier()) for e in rows(sp.Rational(1, 2))[:2]]
    yield identity("(42), (43)", "the library's (35), (36) with (41)", gap(eliminated, equations_42_43()))
    # xdot (42) + ydot (43)
    first, second = (e.xreplace(FORWARDS) for e in equations_42_43())
    power = sp.simplify(v * cos * first + v * sin * second)
    P = work.xreplace(FORWARDS)
    target = (m * g * b + F * a) / (m * b**2 + (m + M) * a**2) * a * v
    yield identity("(44)", "xdot xddot + ydot yddot", sp.simplify(power - (m + m * b**2 / a**2 + M) * (P - target)))


@cache
def motion() -> dict[Any, Any]:
    """udot and the multipliers of (1) and (4), for the general I, on the constraints."""
    return given.accelerations_of(form(1), lam)


def result() -> Iterator[Claim]:
    """(45), and that both sets of constraints lead to the same motion."""
    found, linear = motion(), newton_euler.motion()
    printed_45 = (m * g * b + F * a) / (m * b**2 + (m + M) * a**2) * a
    yield identity("(45)", "A_tau by the library, I = 0", found[A_tau].subs(I, 0) - printed_45)
    yield identity("(45)", "is (12) for I = 0", A_TAU.subs(I, 0) - printed_45, key=True)
    yield identity("(45)", "with m b^2 + I for m b^2 it is (12)", found[A_tau] - A_TAU, key=True)
    same = [found[acc] - linear[acc] for acc in (ax, ay, az, atheta)]
    yield identity("section 3", "the same accelerations from (4) and from (1) to (3), out of rest", same, key=True)


GROUPS: tuple[Group, ...] = (lagrangian, equations, steps, result)
