"""Chaplygin's ball with a rotor that rolls on a sphere, or inside one, without gravity [dragovic2020].

    L = m/2 rho^2 (vth^2 + sin(th)^2 vph^2) + 1/2 (I1 w1^2 + I2 w2^2 + I3 w3^2) + C/2 (<w, e> + vpsi)^2
    slide_th:  rho vth - s r <R w, e_ph> = 0
    slide_ph:  rho sin(th) vph + s r <R w, e_th> = 0

The ball's middle is at rho n from that of the sphere, rho = b + s r, s = 1 outside and s = -1 inside, with n, e_th and
e_ph as in `ball_on_sphere`; w is the angular velocity in body axes, psi, C and e = (sin(beta), 0, cos(beta)) those of
the rotor, as in `gyroscopic_ball`. Two linear constraints, nonholonomic, growth vector (4, 6). The rotor's momentum
p = C (<w, e> + vpsi) is constant, and in space so is the angular momentum about the contact. With gamma = R^T n and
D = m r^2

    K = I w + p e + D gamma x (w x gamma) ,   Kdot = K x w ,   gammadot = b/rho gamma x w .

If I1 = I2 = I3 = I, as in the case that Demchenko integrated [dragovic2020], so is

    I <w, gamma> + rho/b p <e, gamma> .
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import sympy as sp

from ..model.space import Space
from ..model.space_factors import angle, rotation
from ..model.system import System
from . import ball_on_sphere, gyroscopic_ball
from .ball_on_sphere import MASS, NORMAL, RADIUS, SPHERE, TH, VPH, VTH
from .chaplygin_ball import INERTIA, SPIN, TURNING, W
from .facts import Facts, Starts, Variant
from .gyroscopic_ball import AXIAL, AXIS, MOMENTUM

SOURCE = "dragovic2020"
UNSOLVED = "quadratures if I1 = I2 = I3 [dragovic2020]"
SPACE = Space.product(angle("th"), angle("ph"), rotation("R", velocities="w1 w2 w3", frame="body"), angle("psi"))
# R (I w + p e) + D (R w - <R w, n> n)
_OWN = sp.Matrix([i * w for i, w in zip(INERTIA, W, strict=True)]) + MOMENTUM * AXIS
CONTACT = SPACE.R * _OWN + MASS * RADIUS**2 * (SPIN - SPIN.dot(NORMAL) * NORMAL)


def _on_the_spot(flat: Mapping[str, object], th: float) -> Mapping[str, object]:
    """A ball that spins about the line of the middles, at th, as one on a plane does about the vertical."""
    tilt = np.array([[math.cos(th), 0, math.sin(th)], [0, 1, 0], [-math.sin(th), 0, math.cos(th)]])
    R = (tilt @ np.array(flat["R"])).tolist()
    rates = {name: flat[name] for name in ("w1", "w2", "w3", "psi", "vpsi")}
    return {"th": th, "ph": 0.0, "vth": 0.0, "vph": 0.0, "R": R, **rates}


_TILTED = gyroscopic_ball.START["R"]
STARTS: Starts = {
    "tumbling": {
        **{"th": 1.2, "ph": 0.1, "R": _TILTED, "psi": 0.0},
        **{"w1": 1.1, "w2": -0.6, "w3": 0.8, "vpsi": 12.0},
    },
    "on the spot": _on_the_spot(gyroscopic_ball.spinning(0.3, 1.5), 1.0),
}
START = STARTS["tumbling"]

FACTS = Facts(
    kinds={"slide_th": "linear", "slide_ph": "linear"},
    growth=(4, 6),
    generating=True,
    conserved={"rotor": MOMENTUM, **{f"K_{axis}": K for axis, K in zip("xyz", CONTACT, strict=True)}},
    agree={"tumbling": False, "on the spot": True},
)
_EQUAL = {"I1": 0.3, "I2": 0.3, "I3": 0.3}


def demchenko(side: int) -> sp.Expr:
    """I <w, gamma> + rho/b p <e, gamma>."""
    gamma = SPACE.R.T * NORMAL
    return INERTIA[0] * W.dot(gamma) + (SPHERE + side * RADIUS) / SPHERE * MOMENTUM * AXIS.dot(gamma)


def _of_demchenko(side: int) -> Facts:
    return Facts(
        kinds=FACTS.kinds,
        growth=FACTS.growth,
        generating=True,
        conserved={**FACTS.conserved, "Demchenko": demchenko(side)},
        agree={"tumbling": False, "on the spot": True},
    )


# about the axis of the rotor, however fast that is
_ALONG = {"w1": 1.5 * math.sin(0.6), "w2": 0.0, "w3": 1.5 * math.cos(0.6), "vpsi": 8.0}
_EQUAL_STARTS: Starts = {
    "tumbling": START,
    "on the spot": _on_the_spot({**gyroscopic_ball.leaning(0.6), **_ALONG}, 1.0),
}
VARIANTS = {
    "Demchenko": Variant(_EQUAL, _EQUAL_STARTS, _of_demchenko(1)),
    "inside": Variant({**_EQUAL, "inside": True}, _EQUAL_STARTS, _of_demchenko(-1)),
}


# what is drawn, and what a page lets a person change
RANGES = {"m": (0.2, 5), "C": (0.01, 0.2), "beta": (0.0, 1.5), "w1": (-3, 3), "w2": (-3, 3), "vpsi": (-20, 20)}


def system(
    *,
    m: float = 1.0,
    r: float = 0.8,
    b: float = 2.0,
    I1: float = 0.2,
    I2: float = 0.3,
    I3: float = 0.35,
    C: float = 0.05,
    beta: float = 0.6,
    inside: bool = False,
) -> System:
    """The ball with its rotor, on a sphere.

    Args:
        m: mass of ball and rotor.
        r, b: radius of the ball and of the sphere.
        I1, I2, I3: principal moments of inertia about the ball's centre, without that of the rotor about its axis.
        C: moment of inertia of the rotor about its axis.
        beta: angle between the rotor's axis and axis 3, towards axis 1.
        inside: does the ball roll inside the sphere?
    """
    side = -1 if inside else 1
    way = (SPHERE + side * RADIUS) ** 2 * (VTH**2 + sp.sin(TH) ** 2 * VPH**2)
    return System(
        space=SPACE,
        lagrangian=MASS / 2 * way + TURNING + MOMENTUM**2 / (2 * AXIAL),
        constraints=ball_on_sphere.rolls(side, SPIN),
        symmetry=["psi"],
        parameters={"m": m, "r": r, "b": b, "I1": I1, "I2": I2, "I3": I3, "C": C, "beta": beta},
        bodies=[*ball_on_sphere.bodies(side), *gyroscopic_ball.BODIES[2:]],
        explore={"ranges": RANGES},
        title="Gyroscopic ball in a sphere" if inside else "Gyroscopic ball on a sphere",
        cite=SOURCE,
    )
