"""Chaplygin's sleigh under water: the blade guides an elliptic body in a perfect fluid [fedorov2010].

    L = m/2 (u^2 + w^2) + J/2 omega^2 + pi rho/2 (B^2 U^2 + A^2 V^2) + pi rho/16 (A^2 - B^2)^2 omega^2
    blade:  -vx sin(theta) + vy cos(theta) = 0

The blade is at (x, y), a behind the body's centre; u and w are the centre's velocity along and across the blade, U and
V along and across the long axis of the ellipse, which is turned by mu against the blade; A and B are its half axes. The
fluid, of density rho in a layer of depth 1, adds mass: more across the ellipse than along. One linear constraint,
nonholonomic, growth vector (2, 3). With v the speed along the blade and K the matrix of the kinetic energy,

    d/dt (K11 v + K13 omega) = omega q ,   d/dt (K13 v + K33 omega) = -v q ,   q = K12 v + K23 omega :

the motion runs on an ellipse of constant energy from q = 0 to q = 0. The sleigh does not end on a straight line as it
does in the air, but on a circle: omega/v = -K12/K23 [fedorov2010].
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import sympy as sp

from ..model.space import Space
from ..model.space_factors import angle, plane
from ..model.symmetry import euclidean
from ..model.system import System
from .closed import separatrix
from .facts import Facts, Starts

SOURCE = "fedorov2010"
SPACE = Space.product(plane("x y"), angle("theta", "omega"))
X, Y, THETA, VX, VY, OMEGA = SPACE
MASS, INERTIA, ARM, DENSITY, LONG, SHORT = sp.symbols("m J a rho A B", positive=True)
TURNED = sp.Symbol("mu", real=True)

STARTS: Starts = {
    "backwards": {"x": 0.0, "y": 0.0, "theta": 0.4, "vx": -0.9, "omega": 0.8},
    "other way": {"x": 0.0, "y": 0.0, "theta": -0.2, "vx": 0.5, "omega": -1.6},
}
START = STARTS["backwards"]

FACTS = Facts(
    kinds={"blade": "linear"},
    growth=(2, 3),
    generating=True,
    agree={"backwards": False, "other way": False},
    coincide="never",
)


# what is drawn, and what a page lets a person change
BODIES: list[dict[str, object]] = [
    {"shape": "floor"},
    {
        "name": "body",
        "shape": "ellipsoid",
        "size": ["A", "B", "B/4"],
        "at": ["x + a*cos(theta)", "y + a*sin(theta)", "B/4"],
        "turn": "z theta + mu",
    },
    {
        "name": "blade",
        "shape": "blade",
        "size": ["A/2", "A/30", "B/2"],
        "at": ["x", "y", "B/3"],
        "turn": "z theta",
        "trace": ["x", "y", 0],
    },
]
RANGES = {"m": (0.2, 5), "a": (0.1, 1), "rho": (0.1, 3), "mu": (-1.5, 1.5), "vx": (-2, 2), "omega": (-3, 3)}


def system(
    *,
    m: float = 1.0,
    J: float = 0.2,
    a: float = 0.3,
    rho: float = 1.0,
    A: float = 0.6,
    B: float = 0.3,
    mu: float = 0.5,
) -> System:
    """The body in the fluid.

    Args:
        m, J: mass and moment of inertia about the centre, without the fluid.
        a: from the blade to the centre.
        rho: density of the fluid, in kg/m^2 of its layer.
        A, B: half axes of the ellipse.
        mu: the angle of its long axis against the blade.
    """
    along, across = VX * sp.cos(THETA) + VY * sp.sin(THETA), VY * sp.cos(THETA) - VX * sp.sin(THETA)
    u, w = along, across + ARM * OMEGA
    U, V = u * sp.cos(TURNED) + w * sp.sin(TURNED), w * sp.cos(TURNED) - u * sp.sin(TURNED)
    fluid = sp.pi * DENSITY * (SHORT**2 * U**2 + LONG**2 * V**2 + (LONG**2 - SHORT**2) ** 2 / 8 * OMEGA**2)
    return System(
        space=SPACE,
        lagrangian=(MASS * (u**2 + w**2) + INERTIA * OMEGA**2 + fluid) / 2,
        constraints={"blade": across},
        symmetry=euclidean("x y", "theta"),
        parameters={"m": m, "J": J, "a": a, "rho": rho, "A": A, "B": B, "mu": mu},
        bodies=BODIES,
        explore={"ranges": RANGES},
        title="Sleigh in a fluid",
        cite=SOURCE,
    )


EXACT = ("theta", "vx", "vy", "omega")


def exact(t: np.ndarray | float, start: Sequence[float], parameters: Mapping[str, float]) -> np.ndarray:
    """The columns `EXACT` at times t >= 0, shape (4, ...).

    With (K11, K13; K13, K33) = S^2 and eta = S (v, omega), |eta| = V is constant and eta turns at the rate -q/det(S),
    q = V <b, eta>/|eta|: the angle of eta across b obeys  chidot = V |b|/det(S) cos(chi).

    Args:
        t: times, not before the start.
        start: the same columns at t = 0.
        parameters: those of the system.
    """
    theta, vx, vy, omega = start
    K11, K12, K13, K23, K33 = energy(parameters)
    size, axes = np.linalg.eigh(np.array([[K11, K13], [K13, K33]]))
    S, inverse = (axes * size**p @ axes.T for p in (0.5, -0.5))
    eta = S @ [vx * np.cos(theta) + vy * np.sin(theta), omega]
    b = inverse @ [K12, K23]
    V, steep = np.hypot(*eta), np.hypot(*b)
    # along: the unit vector of b;  ahead: the one at which the motion ends, a right angle before it
    along = b / steep
    ahead = np.array([along[1], -along[0]])
    kappa = V * steep / np.sqrt(K11 * K33 - K13**2)
    sine0, cosine0 = ahead @ eta / V, along @ eta / V
    sine, cosine = separatrix(t, kappa, sine0, cosine0)
    v, rate = V * inverse @ (np.multiply.outer(ahead, sine) + np.multiply.outer(along, cosine))
    # int sin(chi) = -log(cos(chi)/cos(chi0))/kappa ,  int cos(chi) = (chi - chi0)/kappa
    chi = np.arctan2(sine * cosine0 - cosine * sine0, cosine * cosine0 + sine * sine0)
    past = -np.log(cosine / cosine0) if cosine0 else kappa * sine0 * np.asarray(t, float)
    heading = theta + V / kappa * (inverse[1] @ ahead * past + inverse[1] @ along * chi)
    return np.array([heading, v * np.cos(heading), v * np.sin(heading), rate])


def energy(parameters: Mapping[str, float]) -> tuple[float, float, float, float, float]:
    """K11, K12, K13, K23 and K33 of 2 T in the speeds along and across the blade, and the rate of turning."""
    m, J, a, rho, A, B, mu = (parameters[n] for n in ("m", "J", "a", "rho", "A", "B", "mu"))
    sine, cosine = np.sin(mu), np.cos(mu)
    K11 = m + np.pi * rho * (B**2 * cosine**2 + A**2 * sine**2)
    K22 = m + np.pi * rho * (B**2 * sine**2 + A**2 * cosine**2)
    K12 = np.pi * rho * (B**2 - A**2) * sine * cosine
    return K11, K12, a * K12, a * K22, J + np.pi * rho * (A**2 - B**2) ** 2 / 8 + a**2 * K22
