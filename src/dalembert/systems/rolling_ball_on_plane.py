"""A homogeneous ball that rolls on a plane at rest [neimark1972; lewis1995].

    L = m/2 (vx^2 + vy^2) + I/2 (w1^2 + w2^2 + w3^2)
    roll_x:  vx - r w2 = 0
    roll_y:  vy + r w1 = 0

w is the angular velocity in space axes. Two linear constraints, nonholonomic, growth vector (3, 5). Everything is
uniform: the ball rolls straight on with any spin w3, and needs no reaction. So every nonholonomic motion is vakonomic,
with lam(0) = 0; other lam give other motions. With a turning table see `ball_on_turntable`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import sympy as sp

from ..model.space import Space
from ..model.space_factors import plane, rotation
from ..model.symmetry import spin, translations
from ..model.system import System
from .facts import Facts

SOURCE = "neimark1972"
SPACE = Space.product(plane("x y"), rotation("R", velocities="w1 w2 w3", frame="space"))
X, Y, VX, VY, W1, W2, W3 = (SPACE[n] for n in ("x", "y", "vx", "vy", "w1", "w2", "w3"))
MASS, RADIUS, INERTIA = sp.symbols("m r I", positive=True)
LAGRANGIAN = MASS / 2 * (VX**2 + VY**2) + INERTIA / 2 * (W1**2 + W2**2 + W3**2)
ROLL = {"roll_x": VX - RADIUS * W2, "roll_y": VY + RADIUS * W1}
SYMMETRY = [translations("x y"), *(spin("R", axis) for axis in ((1, 0, 0), (0, 1, 0), (0, 0, 1)))]

STARTS: dict[str, dict[str, object]] = {
    "rolling with spin": {"x": 0.1, "y": 0.2, "vx": 0.7, "vy": -0.4, "w3": 1.3},
    "spinning": {"x": 0.0, "y": 0.0, "vx": 0.0, "vy": 0.0, "w3": 2.0},
}
START = STARTS["rolling with spin"]

FACTS = Facts(
    kinds={"roll_x": "linear", "roll_y": "linear"},
    growth=(3, 5),
    generating=True,
    conserved={"p_x": VX, "p_y": VY, "spin": W3},
    agree=dict.fromkeys(STARTS, True),
    coincide="always",
    multipliers={"lam_roll_x": sp.Integer(0), "lam_roll_y": sp.Integer(0)},
)


# what is drawn, and what a page lets a person change
BODIES: list[dict[str, object]] = [
    {"shape": "floor"},
    {"shape": "ball", "radius": "r", "at": ["x", "y", "r"], "turn": "R", "trace": ["x", "y", 0]},
]
RANGES = {"m": (0.2, 5), "r": (0.1, 0.6), "vx": (-2, 2), "vy": (-2, 2), "w3": (-10, 10)}
FOLLOWS = {"I": "2/5*m*r^2"}  # of a homogeneous body


def system(*, m: float = 1.0, r: float = 0.3, I: float | None = None) -> System:
    """The ball; I = 2/5 m r^2, solid, if it is left out."""
    return System(
        space=SPACE,
        lagrangian=LAGRANGIAN,
        constraints=ROLL,
        symmetry=SYMMETRY,
        parameters={"m": m, "r": r, "I": 0.4 * m * r**2 if I is None else I},
        bodies=BODIES,
        explore={"ranges": RANGES},
        title="Ball rolling on a plane",
        cite=SOURCE,
    )


EXACT = ("x", "y", "R_w", "R_x", "R_y", "R_z", "vx", "vy", "w1", "w2", "w3")


def exact(t: np.ndarray | float, start: Sequence[float], parameters: Mapping[str, float]) -> np.ndarray:
    """The columns `EXACT` at times t, shape (11, ...): uniform motion, the attitude turning about a fixed axis.

    Args:
        t: times.
        start: the same columns at t = 0.
        parameters: none is needed.
    """
    x, y, *_, vx, vy, w1, w2, w3 = start
    t = np.asarray(t, float)
    w, q = np.array([w1, w2, w3], float), np.array(start[2:6], float)
    # q(t) = exp(w t/2) q0:  cos(|w| t/2) + w t/2 sinc(|w| t/2)
    half = np.linalg.norm(w) * t / 2
    c, v = np.cos(half), np.multiply.outer(w, t / 2 * np.sinc(half / np.pi))
    attitude = _times(np.array([c, *v]), q)
    uniform = [np.full_like(t, value) for value in (vx, vy, *w)]
    return np.array([x + vx * t, y + vy * t, *attitude, *uniform])


def _times(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """The product of quaternions (scalar first)."""
    a, b, c, d = p
    e, f, g, h = q
    return np.array(
        [
            a * e - b * f - c * g - d * h,
            a * f + b * e + c * h - d * g,
            a * g - b * h + c * e + d * f,
            a * h + b * g - c * f + d * e,
        ]
    )
