"""The Heisenberg system: the shortest way to enclose an area [bloch2015].

    L = m/2 (vx^2 + vy^2)
    area:  vz - (x vy - y vx)/2 = 0

z counts the area that the radius (x, y) sweeps; its velocity carries no kinetic energy. One linear constraint,
nonholonomic, growth vector (2, 3). Vakonomic motions are the geodesics of a sub-Riemannian metric: lam is constant, and
the projection to the plane is a circle, run at the rate -lam/m (a charge in a magnetic field; Dido's problem).
Nonholonomic motions are straight lines; they are vakonomic with lam(0) = 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import sympy as sp

from ..model.space_factors import coordinates
from ..model.system import System
from .closed import moments
from .facts import Facts, multiplier

SOURCE = "bloch2015"
SPACE = coordinates("x y z")
X, Y, Z, VX, VY, VZ = SPACE
MASS = sp.Symbol("m", positive=True)
LAM = multiplier("area")

STARTS: dict[str, dict[str, object]] = {
    "line": {"x": 0.3, "y": -0.2, "z": 0.0, "vx": 1.0, "vy": 0.5},
    "origin": {"x": 0.0, "y": 0.0, "z": 0.0, "vx": 0.0, "vy": 1.0},
}
START = STARTS["line"]

FACTS = Facts(
    kinds={"area": "linear"},
    growth=(2, 3),
    generating=True,
    conserved={"p_x": VX, "p_y": VY},
    vakonomic={"multiplier": LAM, "centre_x": MASS * VY + LAM * X, "centre_y": MASS * VX - LAM * Y},
    agree={"line": True, "origin": True},
    coincide="always",
    multipliers={"lam_area": sp.Integer(0)},
    principle="vakonomic",
)


# what is drawn, and what a page lets a person change
BODIES: list[dict[str, object]] = [
    {"shape": "floor"},
    {"name": "particle", "shape": "point", "radius": 0.05, "at": ["x", "y", "z"], "trace": True},
    {"name": "shadow", "shape": "point", "radius": 0.02, "at": ["x", "y", 0], "trace": True},
]
RANGES = {"m": (0.2, 5), "vx": (-2, 2), "vy": (-2, 2)}


def system(*, m: float = 1.0) -> System:
    """The Heisenberg system."""
    return System(
        space=SPACE,
        lagrangian=MASS / 2 * (VX**2 + VY**2),
        constraints={"area": VZ - (X * VY - Y * VX) / 2},
        symmetry={"along x": {X: 1, Z: Y / 2}, "along y": {Y: 1, Z: -X / 2}, "up": {Z: 1}},
        parameters={"m": m},
        massless=[VZ],
        bodies=BODIES,
        explore={"ranges": RANGES},
        title="Heisenberg system",
        cite=SOURCE,
    )


EXACT = ("x", "y", "z", "vx", "vy", "vz", "lam_area")


def exact(t: np.ndarray | float, start: Sequence[float], parameters: Mapping[str, float]) -> np.ndarray:
    """The columns `EXACT` of the vakonomic motion at times t, shape (7, ...): a helix over a circle; lam = 0: a line.

    With w = x + i y:  m w'' = -i lam w',  z' = Im(conj(w) w')/2.

    Args:
        t: times.
        start: the same columns at t = 0.
        parameters: m.
    """
    x, y, z, vx, vy, _, lam = start
    t = np.asarray(t, float)
    w0, v0, rate = complex(x, y), complex(vx, vy), -lam / parameters["m"]
    first, second = moments(1j * rate * t)
    v = v0 * np.exp(1j * rate * t)
    way = v0 * t * first
    # Im(conj(w - w0) w') = |v0|^2 Im(int_0^t e^(i rate s) ds): integrated, with int_0^t (t - s) e^(i rate s) ds
    swept = (np.conj(w0) * way).imag + abs(v0) ** 2 * (t**2 * (first - second)).imag
    w = w0 + way
    return np.array([w.real, w.imag, z + swept / 2, v.real, v.imag, (np.conj(w) * v).imag / 2, np.full_like(t, lam)])


def lift(lam: float, speed: float, parameters: Mapping[str, float]) -> float:
    """Height gained in one turn of the helix: the area of the circle, -sign(lam) pi (m speed/lam)^2."""
    radius = parameters["m"] * speed / lam
    return -float(np.sign(lam) * np.pi * radius**2)
