"""A disc that rolls on a plane, leaning as it likes [cushman1995, section 6; neimark1972].

    L = m/2 (vx^2 + vy^2 + r^2 cos(theta)^2 vtheta^2) + A/2 (vtheta^2 + sin(theta)^2 vphi^2)
        + C/2 (vpsi + cos(theta) vphi)^2 - m g r sin(theta)
    along:   vx cos(phi) + vy sin(phi) - r sin(theta) vtheta = 0
    across:  vy cos(phi) - vx sin(phi) + r cos(theta) vphi + r vpsi = 0

zyz Euler angles: theta between the vertical and the axle (pi/2: upright), psi about the axle; (x, y) is below the
centre of mass, whose height is r sin(theta). Two linear constraints, nonholonomic, growth vector (3, 4, 5): every
position can be reached. Straight upright rolling is steady, and stable when vpsi^2 > A m g r/(C (C + m r^2)); so is
upright spinning on the spot when vphi^2 > m g r/(A + m r^2). Upright rolling in a straight line is vakonomic, as the
penny's is.

The plane's motions and turns of the disc about its axle, E(2) x SO(2), leave the system as it is. No generator
conserves a momentum, and yet there are two constants linear in the velocities, `constants`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import sympy as sp

from ..model.space import Space
from ..model.space_factors import angle, plane
from ..model.symmetry import euclidean
from ..model.system import System
from .facts import Facts

SOURCE = "cushman1995"
UNSOLVED = "two constants with Legendre's functions, `constants`, leave one quadrature for theta"
SPACE = Space.product(plane("x y"), angle("theta"), angle("phi"), angle("psi"))
X, Y, THETA, PHI, PSI, VX, VY, VTHETA, VPHI, VPSI = SPACE
MASS, RADIUS, DIAMETRAL, AXIAL, GRAVITY = sp.symbols("m r A C g", positive=True)

_T = MASS * (VX**2 + VY**2 + RADIUS**2 * sp.cos(THETA) ** 2 * VTHETA**2)
_T += DIAMETRAL * (VTHETA**2 + sp.sin(THETA) ** 2 * VPHI**2) + AXIAL * (VPSI + sp.cos(THETA) * VPHI) ** 2
LAGRANGIAN = _T / 2 - MASS * GRAVITY * RADIUS * sp.sin(THETA)
ROLL = {
    "along": VX * sp.cos(PHI) + VY * sp.sin(PHI) - RADIUS * sp.sin(THETA) * VTHETA,
    "across": VY * sp.cos(PHI) - VX * sp.sin(PHI) + RADIUS * (sp.cos(THETA) * VPHI + VPSI),
}

_PLACE = {"x": 0.0, "y": 0.0, "phi": 0.3, "psi": 0.0}
STARTS: dict[str, dict[str, Any]] = {
    "leaning": {**_PLACE, "theta": 1.2, "vtheta": 0.1, "vphi": 0.8, "vpsi": 4.0},
    "upright": {**_PLACE, "theta": math.pi / 2, "vtheta": 0.0, "vphi": 0.0, "vpsi": 5.0},
}
START = STARTS["leaning"]

FACTS = Facts(
    kinds={"along": "linear", "across": "linear"},
    growth=(3, 4, 5),
    generating=True,
    agree={"leaning": False, "upright": True},
)


# what is drawn, and what a page lets a person change
BODIES: list[dict[str, object]] = [
    {"shape": "floor"},
    {
        "name": "disc",
        "shape": "disc",
        "radius": "r",
        "thickness": "r/20",
        "at": ["x", "y", "r*sin(theta)"],
        "turn": ["z phi", "y theta", "z psi"],
        "trace": ["x + r*cos(theta)*cos(phi)", "y + r*cos(theta)*sin(phi)", 0],
    },
]
RANGES = {"m": (0.2, 5), "r": (0.2, 1), "theta": (0.3, 2.8), "vtheta": (-2, 2), "vphi": (-4, 4), "vpsi": (-12, 12)}
FOLLOWS = {"A": "m*r^2/4", "C": "m*r^2/2"}  # of a homogeneous body


def system(
    *, m: float = 1.0, r: float = 0.5, A: float | None = None, C: float | None = None, g: float = 9.81
) -> System:
    """The disc; A = m r^2/4 and C = m r^2/2, homogeneous, if they are left out."""
    return System(
        space=SPACE,
        lagrangian=LAGRANGIAN,
        constraints=ROLL,
        parameters={
            "m": m,
            "r": r,
            "A": m * r**2 / 4 if A is None else A,
            "C": m * r**2 / 2 if C is None else C,
            "g": g,
        },
        symmetry=[euclidean("x y", headings="phi"), "psi"],
        bodies=BODIES,
        explore={"ranges": RANGES},
        title="Rolling disc",
        cite=SOURCE,
    )


# --- two constants of the motion -------------------------------------------------------------------------------------

ADDED, MOST = 1e-17, 100_000  # the size of terms that are left out; how many are added up at most


def constants(state: Mapping[str, object], parameters: Mapping[str, float]) -> np.ndarray:
    """c1, c2 of  p_psi = c1 u1(cos theta) + c2 u2(cos theta), shape (2, ...): constant along every motion.

    p_psi = (C + m r^2) (vpsi + cos(theta) vphi); u1, u2 as in `solutions`. At the upright disc c1 is p_psi, and c2 its
    slope in cos(theta), -m r^2 vphi [cushman1995 (36), (37)].

    Args:
        state: theta, vphi, vpsi by name, numbers or arrays of one shape; 0 < theta < pi.
        parameters: m, r, A, C.
    """
    m, r, C = (parameters[name] for name in ("m", "r", "C"))
    theta, vphi, vpsi = (np.asarray(state[name], float) for name in ("theta", "vphi", "vpsi"))
    u, slopes = solutions(theta, kappa(parameters))
    p = (C + m * r**2) * (vpsi + np.cos(theta) * vphi)
    # (1 - s^2) dp_psi/ds = -(m r^2/A) (p_phi - s p_psi) = -m r^2 sin(theta)^2 vphi ,  s = cos(theta)
    slope = -m * r**2 * np.sin(theta) ** 2 * vphi
    # (1 - s^2) (u1 du2/ds - u2 du1/ds) = 1
    return np.array([p * slopes[1] - slope * u[1], slope * u[0] - p * slopes[0]])


def kappa(parameters: Mapping[str, float]) -> float:
    """C m r^2/(A (C + m r^2)), 4/3 for a homogeneous disc."""
    m, r, A, C = (parameters[name] for name in ("m", "r", "A", "C"))
    return C * m * r**2 / (A * (C + m * r**2))


def solutions(theta: Any, kappa: float) -> tuple[np.ndarray, np.ndarray]:
    """u1, u2 and (1 - s^2) du1/ds, (1 - s^2) du2/ds at s = cos(theta), each of shape (2, ...).

    (1 - s^2) u'' - 2 s u' - kappa u = 0 ,  u1 = F(a, b; 1/2; s^2) ,  u2 = s F(a + 1/2, b + 1/2; 3/2; s^2)

    with a + b = 1/2, a b = kappa/4: complex for kappa > 1/4, while u1 and u2 are real. u1 is even in s, u2 is odd.
    """
    theta = np.asarray(theta, float)
    s = np.cos(theta)
    side = np.where(s < 0, -1.0, 1.0)
    met = max(0.5, 1 - 2 / kappa)  # the nearer to 1 the larger kappa is, so that P and Q do not cancel there
    near = np.abs(s) <= met
    upright, upright_slopes = _about_upright(np.where(near, np.abs(s), 0.0), kappa, met)
    # t = (1 - |s|)/2
    t = np.where(near, (1 - met) / 2, np.minimum(np.sin(theta / 2) ** 2, np.cos(theta / 2) ** 2))
    flat, flat_slopes = _about_flat(t, kappa, met)
    u, slopes = np.where(near, upright, flat), np.where(near, upright_slopes, flat_slopes)
    parity = np.array([np.ones_like(s), side])
    return u * parity, slopes * parity * side


def _about_upright(s: np.ndarray, kappa: float, met: float) -> tuple[np.ndarray, np.ndarray]:
    """u and (1 - s^2) du/ds by powers of s, 0 <= s <= met."""
    found, slopes = [], []
    for first in (0, 1):
        a, n = 1.0, first
        u, du = np.zeros_like(s), np.zeros_like(s)
        while n < MOST:
            u, du = u + a * s**n, du + n * a * s ** max(n - 1, 0)
            # (n + 1) (n + 2) a_n+2 = (n (n + 1) + kappa) a_n
            a *= (n * (n + 1) + kappa) / ((n + 1) * (n + 2))
            n += 2
            if n * abs(a) * met ** (n - 1) < ADDED:
                break
        found.append(u)
        slopes.append((1 - s**2) * du)
    return np.array(found), np.array(slopes)


def _about_flat(t: np.ndarray, kappa: float, met: float) -> tuple[np.ndarray, np.ndarray]:
    """u and (1 - s^2) du/ds for s = 1 - 2 t >= met, from P(t) and Q(t) = P(t) log(t) + powers of t."""
    (P, dP), (Q, dQ) = _by_logarithm(np.asarray((1 - met) / 2), kappa)
    u, slopes = _about_upright(np.asarray(met), kappa, met)
    # w d/dt = -(1/2) (1 - s^2) d/ds ,  w = t (1 - t) ,  w (P dQ/dt - Q dP/dt) = 1
    along_P, along_Q = u * dQ + slopes / 2 * Q, -slopes / 2 * P - u * dP
    (P, dP), (Q, dQ) = _by_logarithm(t, kappa)
    found = np.multiply.outer(along_P, P) + np.multiply.outer(along_Q, Q)
    return found, -2 * (np.multiply.outer(along_P, dP) + np.multiply.outer(along_Q, dQ))


def _by_logarithm(t: np.ndarray, kappa: float) -> tuple[tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """P, w dP/dt and Q, w dQ/dt with w = t (1 - t):  w y'' + (1 - 2 t) y' - kappa y = 0."""
    p, b, n = 1.0, 0.0, 0
    P, dP, B, dB = (np.zeros_like(t) for _ in range(4))
    while n < MOST:
        P, dP = P + p * t**n, dP + n * p * t ** max(n - 1, 0)
        B, dB = B + b * t**n, dB + n * b * t ** max(n - 1, 0)
        # (n + 1)^2 p_n+1 = (n (n + 1) + kappa) p_n ,  (n + 1)^2 b_n+1 = the same b_n - 2 (n + 1) p_n+1 + (2 n + 1) p_n
        factor = n * (n + 1) + kappa
        following = factor * p / (n + 1) ** 2
        b = (factor * b - 2 * (n + 1) * following + (2 * n + 1) * p) / (n + 1) ** 2
        p, n = following, n + 1
        if n * (abs(p) + abs(b)) * 0.25 ** (n - 1) < ADDED:
            break
    w = t * (1 - t)
    Q, dQ = P * np.log(t) + B, dP * np.log(t) + P / t + dB
    return (P, w * dP), (Q, w * dQ)


# --- critical rates --------------------------------------------------------------------------------------------------


def least_rolling(parameters: Mapping[str, float]) -> float:
    """The rate psidot above which straight rolling is stable: sqrt(A m g r/(C (C + m r^2)))."""
    m, r, A, C, g = (parameters[n] for n in ("m", "r", "A", "C", "g"))
    return math.sqrt(A * m * g * r / (C * (C + m * r**2)))


def least_spinning(parameters: Mapping[str, float]) -> float:
    """The rate phidot above which spinning on the spot, upright, is stable: sqrt(m g r/(A + m r^2))."""
    m, r, A, g = (parameters[n] for n in ("m", "r", "A", "g"))
    return math.sqrt(m * g * r / (A + m * r**2))
