"""A homogeneous ball that rolls on a sphere, or in a bowl, that turns about the vertical [fasso2016; routh1905].

    L = m/2 rho^2 (vth^2 + sin(th)^2 vph^2) + I/2 (w1^2 + w2^2 + w3^2) - m g rho cos(th)
    slide_th:  rho vth - s r <w, e_ph> = 0
    slide_ph:  rho sin(th) vph + s r <w, e_th> = b Omega sin(th)

The sphere turns at the rate Omega; all else is as in `ball_on_sphere`: the centre is at rho n from that of the sphere,
rho = b + s r, with s = 1 outside and s = -1 inside. A linear and an affine constraint, nonholonomic, growth vector
(3, 5). The sphere does work, and the energy changes. Constant are

    <w, n> + s b Omega cos(th)/r ,     M = I w3 + s m r rho sin(th)^2 vph ,     E - Omega J ,

the last one the moving energy [fasso2016], in which J = I w3 + m rho^2 sin(th)^2 vph is the moment of momentum about
the vertical through the middle. With sigma = <w, n> - s (rho vph - b Omega) cos(th)/r the ball keeps its height where

    I vph sigma = s m r (g + rho vph^2 cos(th)) .

Both sides are 0 in a conical pendulum's motion: that alone of these needs no friction, and is vakonomic.
"""

from __future__ import annotations

import math

import sympy as sp

from ..model.symmetry import spin
from ..model.system import System
from . import ball_on_sphere
from .ball_on_sphere import GRAVITY, INERTIA, MASS, NORMAL, RADIUS, SPACE, SPHERE, TH, VPH, W, lagrangian, rolls
from .facts import Facts, Starts, Variant

SOURCE = "fasso2016"
UNSOLVED = "its three constants leave one quadrature for th"
RATE = sp.Symbol("Omega", real=True)


def pendulum(th: float, side: int) -> dict[str, float]:
    """The motion of a conical pendulum at th > pi/2, for the values by default; outside the ball has to be held."""
    r, b, g, Omega = 0.5, 10.0, 9.81, 1.0
    rho = b + side * r
    # g + rho vph^2 cos(th) = 0 ,  w = s (rho vph - b Omega)/r e3
    vph = math.sqrt(-g / (rho * math.cos(th)))
    return {"th": th, "ph": 0.0, "vth": 0.0, "vph": vph, "w3": side * (rho * vph - b * Omega) / r}


STARTS: Starts = {
    "rolling down": {"th": 0.5, "ph": 1.7, "vth": 0.2, "vph": 0.7, "w3": 4.0},
    "carried along": {"th": 0.3, "ph": 0.0, "vth": 0.0, "vph": 1.2, "w3": 1.2},
    "held below": pendulum(2.0, 1),
}
START = STARTS["rolling down"]
_IN_THE_BOWL: Starts = {
    "going around": {"th": 2.2, "ph": 0.1, "vth": 0.2, "vph": 1.5, "w3": 4.0},
    "let go": {"th": 2.2, "ph": 0.0, "vth": 0.0, "vph": 0.0, "w3": 0.0},
    "conical pendulum": pendulum(2.2, -1),
}


def _facts(side: int, starts: Starts) -> Facts:
    rho, around = SPHERE + side * RADIUS, MASS * sp.sin(TH) ** 2 * VPH
    # E = L + 2 m g rho cos(th)
    energy = lagrangian(rho) + 2 * MASS * GRAVITY * rho * sp.cos(TH)
    return Facts(
        kinds={"slide_th": "linear", "slide_ph": "affine"},
        growth=(3, 5),
        generating=True,
        conserved={
            "spin": W.dot(NORMAL) + side * SPHERE * RATE * sp.cos(TH) / RADIUS,
            "moment": INERTIA * W[2] + side * RADIUS * rho * around,
            "moving energy": energy - RATE * (INERTIA * W[2] + rho**2 * around),
        },
        agree={name: name in ("held below", "conical pendulum") for name in starts},
    )


FACTS = _facts(1, STARTS)
VARIANTS = {"bowl": Variant({"inside": True}, _IN_THE_BOWL, _facts(-1, _IN_THE_BOWL))}


# what is drawn, and what a page lets a person change
RANGES = {**ball_on_sphere.RANGES, "Omega": (-5, 5)}
FOLLOWS = {"I": "2/5*m*r^2"}  # of a homogeneous body


def _bodies(side: int) -> list[dict[str, object]]:
    """The ball, and the sphere that turns; of a bowl its middle, and a rod across its axis that turns with it."""
    held, ball = ball_on_sphere.bodies(side)
    if side > 0:
        return [{**held, "turn": "z Omega*t"}, ball]
    ends = [[f"{sign}b*cos(Omega*t)", f"{sign}b*sin(Omega*t)", 0] for sign in ("-", "")]
    mark = {"name": "mark", "shape": "rod", "radius": "b/60", "from": ends[0], "to": ends[1], "trace": False}
    return [held, ball, mark]


def system(
    *,
    m: float = 1.0,
    r: float = 0.5,
    b: float = 10.0,
    I: float | None = None,
    g: float = 9.81,
    Omega: float = 1.0,
    inside: bool = False,
) -> System:
    """The ball on the turning sphere.

    Args:
        m, r: mass and radius of the ball.
        b: radius of the sphere.
        I: moment of inertia; 2/5 m r^2, solid, if it is left out.
        g: gravity.
        Omega: rate at which the sphere turns about the vertical.
        inside: does the ball roll in a bowl?
    """
    side = -1 if inside else 1
    return System(
        space=SPACE,
        lagrangian=lagrangian(SPHERE + side * RADIUS),
        constraints=rolls(side, rate=RATE),
        symmetry=[*(spin("R", axis) for axis in ((1, 0, 0), (0, 1, 0), (0, 0, 1)))],
        parameters={"m": m, "r": r, "b": b, "I": 0.4 * m * r**2 if I is None else I, "g": g, "Omega": Omega},
        bodies=_bodies(side),
        explore={"ranges": RANGES},
        title="Ball in a turning bowl" if inside else "Ball on a turning sphere",
        cite=SOURCE,
    )
