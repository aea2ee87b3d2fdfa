"""A ball rolling on a turning table [lewis1995, section 3].

    L = m/2 (vx^2 + vy^2) + I/2 (w1^2 + w2^2 + w3^2)
    roll_x:  vx - r w2 + Omega y = 0
    roll_y:  vy + r w1 - Omega x = 0

(x, y) is the contact point in axes at rest, w the angular velocity in space axes. Friction as in section 3.2:
translational viscous (nu), rotational viscous (mu, on w1 and w2), rolling (delta, against the velocity relative to the
table). Without friction the ball runs on a circle (section 3.3), which is vakonomic only where the ball rests, or where
the circle is centred on the axis and w3 = Omega (Lemma 3.1). Units: centimetre, gram, second, as in the paper, unless
other values are given.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import sympy as sp

from ..model.factors import plane, rotation
from ..model.force import Force, rolling_friction, rotational_friction, viscous_friction
from ..model.space import Space
from ..model.system import System
from ..record import Record
from .facts import Facts

SOURCE = "lewis1995"
EDGE = 15.0  # cm, radius of the table
RPM_45 = 45 * 2 * math.pi / 60
START: dict[str, Any] = {"x": 10.0, "y": 0.0, "vx": 0.0, "vy": 5.0}  # cm, cm/s; w1, w2 follow from rolling

SPACE = Space.product(plane("x y"), rotation("R", velocities="w1 w2 w3", frame="space"))
X, Y, VX, VY, W1, W2, W3 = (SPACE[n] for n in ("x", "y", "vx", "vy", "w1", "w2", "w3"))
M, RADIUS, INERTIA = sp.symbols("m r I", positive=True)
OMEGA = sp.Symbol("Omega", real=True)
NU, MU, DELTA = sp.symbols("nu mu delta", nonnegative=True)
GRAVITY = sp.Symbol("g", positive=True)

SLIP = (VX + OMEGA * Y, VY - OMEGA * X)  # velocity of the ball relative to the table

# events, as arguments of `Event`: off the table; across the ray through the start, in the direction of the start
edge = {"name": "edge", "guard": X**2 + Y**2 - EDGE**2, "then": "stop", "direction": +1}
ray = {"name": "ray", "guard": Y, "direction": +1}

_TURN = 2 / 7 * RPM_45  # a solid ball's circle about the axis
STARTS: dict[str, dict[str, Any]] = {
    "experiment": {**START, "w3": 0.0},
    "centred": {"x": 6.0, "y": -3.0, "vx": 3.0 * _TURN, "vy": 6.0 * _TURN, "w3": RPM_45},
    "resting": {"x": 7.0, "y": 2.0, "vx": 0.0, "vy": 0.0, "w3": 1.0},
}

# the circle's centre is (x, y) + (J/(I Omega)) (-vy, vx),  J = I + m r^2
_REACH = (INERTIA + M * RADIUS**2) / (INERTIA * OMEGA)
_CENTRE = (X - _REACH * VY, Y + _REACH * VX)
FACTS = Facts(
    kinds={"roll_x": "affine", "roll_y": "affine"},
    growth=(3, 5),
    generating=True,
    conserved={
        "spin": W3,
        "centre_x": _CENTRE[0],
        "centre_y": _CENTRE[1],
        # the energy is not, but what is left of it as seen from the table
        "T - Omega L_z": M / 2 * (VX**2 + VY**2)
        + INERTIA / 2 * (W1**2 + W2**2 + W3**2)
        - OMEGA * (M * (X * VY - Y * VX) + INERTIA * W3),
    },
    agree={"experiment": False, "centred": True, "resting": True},
    where=[[W3 - OMEGA, *_CENTRE], [VX, VY]],
    multipliers={"lam_roll_x": -INERTIA / RADIUS**2 * VX, "lam_roll_y": -INERTIA / RADIUS**2 * VY},
)

EXPERIMENT = Record({"period": (4.38,), "d": (-1.84, -0.64, 0.0, 0.64, 1.84)}, source="lewis1995, Table 1")


def stated_ball() -> dict[str, float]:
    """The ball of the text: steel, 2.54 cm diameter, 7.8 g/cm^3, solid."""
    return solid_ball(radius=1.27, density=7.8)


def published_ball() -> dict[str, float]:
    """The ball that Table 1 was computed with: 2.54 cm taken as the radius, and 68.64 g."""
    return {"m": 68.64, "r": 2.54, "I": 0.4 * 68.64 * 2.54**2}


def solid_ball(radius: float, density: float) -> dict[str, float]:
    """m, r and I = 2/5 m r^2 of a homogeneous ball."""
    m = 4 / 3 * math.pi * radius**3 * density
    return {"m": m, "r": radius, "I": 0.4 * m * radius**2}


def system(
    ball: dict[str, float] | None = None,
    *,
    Omega: float = RPM_45,
    nu: float = 0.0,
    mu: float = 0.0,
    delta: float = 0.0,
    rolling: str = "physics",
    title: str = "Ball on a turning table",
) -> System:
    """The ball with those frictions whose coefficient is not 0.

    Args:
        ball: m, r, I; `stated_ball()` by default.
        Omega: angular velocity of the table.
        nu, mu, delta: coefficients of translational, rotational and rolling friction.
        rolling: ``"physics"``: the friction opposes the motion relative to the table; ``"as published"``: the term of
            (3.6) as printed, which pushes along that motion and lacks a factor r^2.
        title: for headings.
    """
    laws: list[Force] = []
    parameters = {**(ball or stated_ball()), "Omega": Omega}
    if nu:
        laws.append(viscous_friction([VX, VY], NU))
        parameters["nu"] = nu
    if mu:
        laws.append(rotational_friction([W1, W2], MU))
        parameters["mu"] = mu
    if delta:
        laws.append(rolling_friction(SLIP, DELTA, M * GRAVITY) if rolling == "physics" else _as_printed())
        parameters |= {"delta": delta, "g": 981.0}
    return System(
        space=SPACE,
        lagrangian=M / 2 * (VX**2 + VY**2) + INERTIA / 2 * (W1**2 + W2**2 + W3**2),
        constraints={"roll_x": VX - RADIUS * W2 + OMEGA * Y, "roll_y": VY + RADIUS * W1 - OMEGA * X},
        forces=laws,
        parameters=parameters,
        title=title,
        cite=SOURCE,
    )


def _as_printed() -> Force:
    """The rolling term of [lewis1995 (3.6)] as printed: + delta m g v/(r^2 |v|)."""
    speed = sp.sqrt(SLIP[0] ** 2 + SLIP[1] ** 2)
    push = tuple(DELTA * M * GRAVITY * v / (RADIUS**2 * speed) for v in SLIP)
    return Force("rolling term as printed", SLIP, push, slip=SLIP, coefficients={"coefficient": DELTA})


EXACT = ("x", "y", "vx", "vy")


def exact(t: Any, start: Sequence[float], parameters: Mapping[str, float]) -> np.ndarray:
    """x, y, vx, vy (4, ...) of the nonholonomic ball at times t, closed form for nu, mu >= 0 without rolling friction.

    With z = x + i y and J = I + m r^2, (3.6) reads  J z'' + (mu + nu r^2 - i I Omega) z' - i mu Omega z = 0.

    Args:
        t: times.
        start: x, y, vx, vy at t = 0.
        parameters: m, r, I, Omega, and nu, mu if they are not 0.
    """
    s1, s2 = characteristic_roots(parameters)
    z0, v0 = complex(start[0], start[1]), complex(start[2], start[3])
    t = np.asarray(t, float)
    e1, e2 = np.exp(s1 * t), np.exp(s2 * t)
    if s1 == s2:
        a, b = z0, v0 - s1 * z0
        z, v = (a + b * t) * e1, (b + s1 * (a + b * t)) * e1
    else:
        # z = a exp(s1 t) + b exp(s2 t)
        a, b = (v0 - s2 * z0) / (s1 - s2), (s1 * z0 - v0) / (s1 - s2)
        z, v = a * e1 + b * e2, s1 * a * e1 + s2 * b * e2
    return np.array([z.real, z.imag, v.real, v.imag])


def characteristic_roots(parameters: Mapping[str, float]) -> tuple[complex, complex]:
    """s with J s^2 + (mu + nu r^2 - i I Omega) s - i mu Omega = 0; the eigenvalues are these and their conjugates."""
    p = {"nu": 0.0, "mu": 0.0, **parameters}
    J = p["I"] + p["m"] * p["r"] ** 2
    b, c = p["mu"] + p["nu"] * p["r"] ** 2 - 1j * p["I"] * p["Omega"], -1j * p["mu"] * p["Omega"]
    root = np.sqrt(b * b - 4 * J * c)
    big = -(b + (root if (b.conjugate() * root).real >= 0 else -root)) / 2
    return (complex(big / J), complex(c / big)) if big else (0j, 0j)


def decays(parameters: Mapping[str, float]) -> bool:
    """Do both roots decay? For mu > 0 this is so iff nu I > mu m."""
    return parameters.get("nu", 0.0) * parameters["I"] > parameters.get("mu", 0.0) * parameters["m"]
