"""Section 2.3 of [lewis1995], the rolling penny: the start with which the two methods agree."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import sympy as sp

from dalembert import System, coincide, coordinates, nonholonomic, vakonomic
from dalembert.calculus.simplification import as_fraction

from ...claim import Claim, identity, said
from ...runs import largest_gap
from ...symbolic import saddle_solution
from .equal_steps import SAME, run

PENNY_START: dict[str, Any] = {"x": 0.0, "y": 0.0, "theta": 0.0, "phi": 0.3, "vtheta": 1.5, "vphi": 0.8}
PENNY = {"m": 2.0, "I": 0.7, "J": 0.4, "R": 0.9}


@cache
def penny_system() -> System:
    """The penny rolling upright; m, I, J, R its mass, inertias about its axle and a diameter, radius [bloch1995]."""
    q = coordinates("x y theta phi")
    m, I, J, R = sp.symbols("m I J R", positive=True)
    L = m / 2 * (q["vx"] ** 2 + q["vy"] ** 2) + I / 2 * q["vtheta"] ** 2 + J / 2 * q["vphi"] ** 2
    rolling = {
        "x": q["vx"] - R * sp.cos(q["phi"]) * q["vtheta"],
        "y": q["vy"] - R * sp.sin(q["phi"]) * q["vtheta"],
    }
    return System(q, L, rolling, parameters=PENNY, title="Rolling penny")


def penny() -> Iterator[Claim]:
    """Section 2.3: with lam(0) = m (xdot, ydot) the vakonomic penny does what the nonholonomic one does."""
    given, where = penny_system(), "2.3, penny"
    q = given.space
    m, I, J, R = (given.symbols[name] for name in ("m", "I", "J", "R"))
    non, vak = (
        saddle_solution(principle(given).symbolic).applyfunc(as_fraction) for principle in (nonholonomic, vakonomic)
    )
    lam1, lam2 = (c.multiplier for c in given.constraints)
    rolling = {q["vx"]: R * sp.cos(q["phi"]) * q["vtheta"], q["vy"]: R * sp.sin(q["phi"]) * q["vtheta"]}
    p, s = sp.symbols("p s", real=True)
    special = {lam1: m * q["vx"] + p, lam2: m * q["vy"] + s}
    gap = (vak[:4, :] - non[:4, :]).subs(special).subs(rolling)
    rate = (vak[4:, :] - m * vak[:2, :]).subs(special).subs(rolling)
    yield identity(where, "lamdot = m (xddot, yddot) for every lam", rate)
    at = {p: 0, s: 0}
    yield identity(where, "lam = m (xdot, ydot): the accelerations are the nonholonomic ones", gap.subs(at), key=True)
    # lam = m (xdot, ydot) + (p, s): the gap is B K with B = p sin(phi) - s cos(phi) and K = 0 only at rest
    B = p * sp.sin(q["phi"]) - s * sp.cos(q["phi"])
    K = (gap.diff(p) / sp.sin(q["phi"])).applyfunc(as_fraction)
    yield identity(where, "m (xdot, ydot) + (p, s): they differ by K (p sin(phi) - s cos(phi))", gap - B * K)
    # K is 0 only at rest
    turning = K[2] - R * q["vphi"] / (I + m * R**2), K[3] + R * q["vtheta"] / J
    yield identity(where, "K = (R phidot/(I + m R^2), -R thetadot/J) in theta, phi", *turning)
    # p, s are constant, so B = 0 for all t needs dB/dt = phidot (p cos(phi) + s sin(phi)) = 0 as well
    Bdot = B.diff(q["phi"]) * q["vphi"]
    determined = sp.Matrix([B, Bdot]).jacobian([p, s]).det()
    yield identity(
        where, "same for all t: det of B = dB/dt = 0 is phidot, spinning only p = s = 0", determined - q["vphi"]
    )
    zero = {p: -m * q["vx"], s: -m * q["vy"]}
    yield identity(where, "lam = 0: the same accelerations at that instant", gap.subs(zero).subs(rolling))
    leaving = Bdot.subs(zero).subs(rolling) + m * R * q["vphi"] * q["vtheta"]
    yield identity(where, "lam = 0: and not after it, dB/dt = -m R phidot thetadot", leaving)
    yield from coinciding(given)
    yield from penny_motions()


def coinciding(given: System) -> Iterator[Claim]:
    """The claims for every motion, from the system alone."""
    found, (vx, vy, *_) = coincide(given), given.space.velocities
    speed = {"lam_x": given.symbols["m"] * vx, "lam_y": given.symbols["m"] * vy}
    all_of_them = {s.name: e for s, e in found.branches[0].multipliers.items()} == speed
    right = found.verdict == "always" and found.unique and all_of_them
    statement = "every motion is vakonomic with lam(0) = m (xdot, ydot), almost every one with no other"
    yield said("2.3, penny", statement, right, f"{len(found.branches)} kinds of motions")


def penny_motions() -> Iterator[Claim]:
    """The claims for single motions, by running both methods over 5 s."""
    where, until = "2.3, penny", 5.0
    for label, spin, extra, expected in (
        ("lam(0) = m (xdot, ydot)", 0.8, 0.0, True),
        ("lam(0) = 0", 0.8, None, False),
        ("lam(0) = m (xdot, ydot) + (cos, sin)(phi)", 0.8, 1.0, False),
        ("no spin, lam(0) = m (xdot, ydot) + (cos, sin)(phi)", 0.0, 1.0, True),
    ):
        start = {**PENNY_START, "vphi": spin}
        speed = PENNY["m"] * PENNY["R"] * start["vtheta"]
        size = 0.0 if extra is None else speed + extra
        lam = {"lam_x": size * float(np.cos(0.3)), "lam_y": size * float(np.sin(0.3))}
        a = run(nonholonomic(penny_system()), start, until)
        b = run(vakonomic(penny_system()), {**start, **lam}, until)
        apart = largest_gap(a, b, ("x", "y", "theta", "phi"))
        statement = f"{label}: the nonholonomic motion"
        yield Claim(where, statement, expected, f"{apart:.2g} apart after {until:g} s", apart <= SAME, extra != 1.0)
