"""A homogeneous ball that rolls inside a vertical tube: it does not fall out, but goes up and down [gualtieri2006].

    L = m/2 (rho^2 vph^2 + vz^2) + I/2 (w1^2 + w2^2 + w3^2) - m g z
    around:  rho vph + r w3 = 0
    along:   vz + r (w1 sin(ph) - w2 cos(ph)) = 0

rho = b - r is the distance of the ball's centre from the axis of the tube, whose radius is b; the ball touches it in
the direction n = (cos(ph), sin(ph), 0). w is the angular velocity in space axes. Two linear constraints, nonholonomic,
growth vector (3, 5). It goes around at a constant rate vph, <w, n> - vph z/r is constant, and

    (I + m r^2) vzdot = - I vph^2 z - I r vph (<w, n> - vph z/r) - m g r^2 :

z swings sqrt(I/(I + m r^2)) times in a turn, sqrt(2/7) for a solid ball, whatever gravity is: golfers know it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import sympy as sp

from ..model.space import Space
from ..model.space_factors import angle, line, rotation
from ..model.symmetry import spin
from ..model.system import System
from .facts import Facts, Starts

SOURCE = "gualtieri2006"
SPACE = Space.product(angle("ph"), line("z"), rotation("R", velocities="w1 w2 w3", frame="space"))
PH, Z, VPH, VZ, W1, W2, W3 = (SPACE[n] for n in ("ph", "z", "vph", "vz", "w1", "w2", "w3"))
MASS, RADIUS, TUBE, INERTIA, GRAVITY = sp.symbols("m r b I g", positive=True)

STARTS: Starts = {
    "going around": {"ph": 0.2, "z": 0.0, "vph": 3.0, "vz": 0.4, "w1": 1.0},
    "falling": {"ph": 0.0, "z": 0.0, "vph": 0.0, "vz": 0.0, "w1": 0.0},
}
START = STARTS["going around"]

FACTS = Facts(
    kinds={"around": "linear", "along": "linear"},
    growth=(3, 5),
    generating=True,
    conserved={"turning": VPH, "twist": W1 * sp.cos(PH) + W2 * sp.sin(PH) - VPH * Z / RADIUS},
    agree={"going around": False, "falling": True},
)


# what is drawn, and what a page lets a person change
_CENTRE = ["(b - r)*cos(ph)", "(b - r)*sin(ph)", "z"]
BODIES: list[dict[str, object]] = [
    {"name": "axis", "shape": "rod", "radius": "b/50", "from": [0, 0, "-2*b"], "to": [0, 0, "b"]},
    {"shape": "ball", "radius": "r", "at": _CENTRE, "turn": "R", "trace": ["b*cos(ph)", "b*sin(ph)", "z"]},
]
RANGES = {"m": (0.2, 5), "g": (0, 20), "vph": (-5, 5), "vz": (-2, 2), "w1": (-5, 5)}
FOLLOWS = {"I": "2/5*m*r^2"}  # of a homogeneous body


def system(*, m: float = 1.0, r: float = 0.2, b: float = 1.0, I: float | None = None, g: float = 9.81) -> System:
    """The ball in the tube.

    Args:
        m, r: mass and radius of the ball.
        b: radius of the tube.
        I: moment of inertia; 2/5 m r^2, solid, if it is left out.
        g: gravity.
    """
    speed = (TUBE - RADIUS) * VPH
    return System(
        space=SPACE,
        lagrangian=MASS / 2 * (speed**2 + VZ**2) + INERTIA / 2 * (W1**2 + W2**2 + W3**2) - MASS * GRAVITY * Z,
        constraints={"around": speed + RADIUS * W3, "along": VZ + RADIUS * (W1 * sp.sin(PH) - W2 * sp.cos(PH))},
        symmetry=[*(spin("R", axis) for axis in ((1, 0, 0), (0, 1, 0), (0, 0, 1)))],
        parameters={"m": m, "r": r, "b": b, "I": 0.4 * m * r**2 if I is None else I, "g": g},
        bodies=BODIES,
        explore={"ranges": RANGES},
        title="Ball in a tube",
        cite=SOURCE,
    )


EXACT = ("ph", "z", "vph", "vz", "w1", "w2", "w3")


def exact(t: np.ndarray | float, start: Sequence[float], parameters: Mapping[str, float]) -> np.ndarray:
    """The columns `EXACT` at times t, shape (7, ...).

    Args:
        t: times.
        start: the same columns at t = 0.
        parameters: m, r, I, g.
    """
    ph, z, vph, vz, w1, w2, w3 = start
    m, r, I, g = (parameters[n] for n in "mrIg")
    t, heavy = np.asarray(t, float), I + m * r**2
    twist = w1 * np.cos(ph) + w2 * np.sin(ph) - vph * z / r
    # zddot = - k^2 z - c
    k, c = abs(vph) * np.sqrt(I / heavy), (I * r * vph * twist + m * g * r**2) / heavy
    # (1 - cos(k t))/k^2 = t^2/2 sinc^2(k t/2)
    rise, swing = t**2 / 2 * np.sinc(k * t / 2 / np.pi) ** 2, t * np.sinc(k * t / np.pi)
    z_t = z * np.cos(k * t) + vz * swing - c * rise
    vz_t = -z * k**2 * swing + vz * np.cos(k * t) - c * swing
    ph_t, normal = ph + vph * t, twist + vph * z_t / r
    # w = <w, n> n + vz/r e_ph + w3 e_z
    w1_t = normal * np.cos(ph_t) - vz_t / r * np.sin(ph_t)
    w2_t = normal * np.sin(ph_t) + vz_t / r * np.cos(ph_t)
    return np.array([ph_t, z_t, np.full_like(t, vph), vz_t, w1_t, w2_t, np.full_like(t, w3)])
