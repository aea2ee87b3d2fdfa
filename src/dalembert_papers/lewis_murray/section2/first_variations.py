"""Definitions 2.2 and 2.5 of [lewis1995], decided by integrals along computed motions."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np
from scipy.integrate import cumulative_simpson, simpson

from dalembert import System, coordinates, nonholonomic, vakonomic
from dalembert.trajectory import Trajectory

from ...claim import Claim
from .equal_steps import QUADRATURE, run


@cache
def particle_paths() -> tuple[Trajectory, Trajectory]:
    """zdot = y xdot, L = |qdot|^2/2: the motions of both methods from one start, lam(0) = 1, over [0, 1]."""
    q = coordinates("x y z")
    L = (q["vx"] ** 2 + q["vy"] ** 2 + q["vz"] ** 2) / 2
    given = System(q, L, {"w": q["vz"] - q["y"] * q["vx"]}, title="Nonholonomic particle")
    start = {"x": 0.0, "y": 0.0, "z": 0.0, "vx": 1.0, "vy": 1.0}
    return run(nonholonomic(given), start, 1.0), run(vakonomic(given), {**start, "lam_w": 1.0}, 1.0)


def definitions_22_25() -> Iterator[Claim]:
    """Definitions 2.2 and 2.5, decided by integrals along the simulated motions of zdot = y xdot."""
    for name, path, expected in zip(("nonholonomic", "vakonomic"), particle_paths(), (True, False), strict=True):
        in_D, admissible, worked = first_variations(path)
        largest = max(map(abs, in_D))
        text = f"|dJ u| up to {largest:.2g}"
        statement = f"zdot = y xdot: the {name} motion has dJ(c) u = 0, u in D"
        yield Claim("Def. 2.2", statement, expected, text, largest <= QUADRATURE, key=True)
        largest, off = max(map(abs, admissible)), float(np.abs(np.subtract(admissible, worked)).max())
        text = f"|dJ u| up to {largest:.2g}, off by {off:.1e}" if expected else f"|dJ u| up to {largest:.2g}"
        so = "dJ(c) u = -int lam w(u) dt, not 0" if expected else "dJ(c) u = 0"
        holds = off <= QUADRATURE < largest if expected else largest <= QUADRATURE
        statement = f"zdot = y xdot: the {name} motion has {so}, u along curves that satisfy (D, gamma)"
        yield Claim("Def. 2.5", statement, True, text, holds, key=True)


def first_variations(path: Trajectory) -> tuple[list[float], list[float], list[float]]:
    """dJ(c) u for sample u in D, and for sample u tangent to the curves that satisfy the constraint; 0 at both ends.

    Of the last also -int lam w(u) dt.
    """
    t, y, (vx, vy, vz) = path.t, path["y"], (path[n] for n in ("vx", "vy", "vz"))

    def dJ(udot: Sequence[Any]) -> float:
        # L = |qdot|^2/2: dJ u = int qdot udot dt
        return float(simpson(vx * udot[0] + vy * udot[1] + vz * udot[2], x=t))

    bumps = [(np.sin(k * np.pi * t), k * np.pi * np.cos(k * np.pi * t)) for k in (1, 2, 3)]
    # u = b (1, 0, y) and u = b (0, 1, 0)
    in_D = [dJ((bd, 0 * b, y * bd + vy * b)) for b, bd in bumps] + [dJ((0 * b, bd, 0 * b)) for b, bd in bumps]
    admissible, worked = [], []
    for (a, ad), (b, bd) in itertools.product(bumps, bumps):
        # udot_z = y udot_x + u_y xdot, and u_z = 0 at the end: u_x = s a with s from one integral
        free_end, tied_end = float(simpson(b * vx, x=t)), float(simpson(y * ad, x=t))
        if abs(tied_end) > 1e-3:
            s = -free_end / tied_end
            admissible.append(dJ((s * ad, bd, y * s * ad + b * vx)))
            # w(u) = u_z - y u_x
            u_z = cumulative_simpson(y * s * ad + b * vx, x=t, initial=0.0)
            worked.append(-float(simpson(path["lam_w"] * (u_z - y * s * a), x=t)))
    return in_D, admissible, worked
