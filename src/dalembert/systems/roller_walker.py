"""A roller walker: a platform that skates on two legs with wheels, which swing and stretch [chitta2004].

    L = m/2 (vx^2 + vy^2) + J/2 omega^2 + sum_i (p/2 |v_i|^2 - k/2 (d_i - l)^2 - c/2 gamma_i^2)
    left, right:  <h_i, u_i> + vd_i = 0

(x, y) is the middle of the platform, theta its heading. The hips are b to its left and right; from there a leg of the
length d_i leads along u_i to a wheel of mass p, at right angles to the heading if the leg's angle gamma_i is 0, and
backwards if it is more. h_i is the velocity of the hip, v_i that of the wheel, which rolls across its leg and does not
slip along it. Springs k and c hold the legs at the length l and at gamma_i = 0. Two linear constraints on seven
coordinates, nonholonomic, growth vector (5, 7). Where both legs do the same, the walker goes straight on at a speed v,

    vd = v sin(gamma) :

a leg that points backwards and is stretched pushes the platform ahead, one that points forwards does so when it is
pulled in. Rolling on with both legs at rest is steady, and vakonomic.
"""

from __future__ import annotations

import sympy as sp

from ..model.space import Space
from ..model.space_factors import angle, line, plane
from ..model.symmetry import euclidean
from ..model.system import System
from .facts import Facts, Starts

SOURCE = "chitta2004"
UNSOLVED = "none is known"
SPACE = Space.product(plane("x y"), angle("theta", "omega"), angle("gamma1"), angle("gamma2"), line("d1"), line("d2"))
X, Y, THETA = SPACE.coordinates[:3]
VX, VY, OMEGA = SPACE.velocities[:3]
SWINGS, LENGTHS = SPACE.coordinates[3:5], SPACE.coordinates[5:]
MASS, INERTIA, WHEEL, HIP, LENGTH, SPRING, HINGE = sp.symbols("m J p b l k c", positive=True)
SIDES = {"left": 1, "right": -1}

_PLACE = {"x": 0.0, "y": 0.0, "theta": 0.0}
STARTS: Starts = {
    "stretching": {
        **{**_PLACE, "gamma1": 0.5, "gamma2": 0.4, "d1": 0.2, "d2": 0.22},
        **{"vx": 0.2, "vy": 0.05, "omega": 0.1, "vgamma1": 0.3, "vgamma2": -0.2},
    },
    "coasting": {
        **{**_PLACE, "gamma1": 0.0, "gamma2": 0.0, "d1": 0.25, "d2": 0.25},
        **{"vx": 0.8, "vy": 0.0, "omega": 0.0, "vgamma1": 0.0, "vgamma2": 0.0},
    },
}
START = STARTS["stretching"]

FACTS = Facts(
    kinds={"left": "linear", "right": "linear"},
    growth=(5, 7),
    generating=True,
    agree={"stretching": False, "coasting": True},
)


# what is drawn, and what a page lets a person change
def _bodies() -> list[dict[str, object]]:
    """The platform, and on each side a leg with its wheel."""
    found: list[dict[str, object]] = [
        {"shape": "floor"},
        {
            **{"name": "platform", "shape": "box", "size": ["b", "2*b", "b/4"], "at": ["x", "y", "b"]},
            **{"turn": "z theta", "trace": ["x", "y", 0]},
        },
    ]
    for i, (side, sign) in enumerate(SIDES.items(), start=1):
        leg = {"name": f"{side} hip", "shape": "point", "on": "platform", "radius": "b/12", "at": [0, sign * HIP, 0]}
        found.append({**leg, "turn": f"z {sign}*(pi/2 + gamma{i})"})
        end = [f"d{i}", 0, 0]
        found.append(
            {"name": f"{side} leg", "shape": "rod", "on": f"{side} hip", "radius": "b/20", "from": [0, 0, 0], "to": end}
        )
        wheel = {"name": f"{side} wheel", "shape": "wheel", "on": f"{side} hip", "radius": "b/3", "thickness": "b/10"}
        found.append({**wheel, "at": [f"d{i}", 0, "-2*b/3"], "turn": "y pi/2", "trace": True})
    return found


BODIES = _bodies()
RANGES = {
    "m": (0.5, 5),
    "p": (0.1, 1),
    "k": (0, 200),
    "c": (0, 5),
    "vx": (-2, 2),
    "vgamma1": (-3, 3),
    "vgamma2": (-3, 3),
}


def system(
    *,
    m: float = 2.0,
    J: float = 0.03,
    p: float = 0.3,
    b: float = 0.15,
    l: float = 0.25,
    k: float = 40.0,
    c: float = 0.5,
) -> System:
    """The roller walker.

    Args:
        m, J: mass of the platform, and its moment of inertia about its middle.
        p: mass of a wheel.
        b: from the middle to a hip.
        l, k: length of a leg at rest, and of the spring that it stretches.
        c: of the spring that holds a leg across the heading.
    """
    ahead = sp.Matrix([sp.cos(THETA), sp.sin(THETA)])
    across = sp.Matrix([-sp.sin(THETA), sp.cos(THETA)])
    legs, slips = sp.Integer(0), {}
    for (side, sign), swing, length in zip(SIDES.items(), SWINGS, LENGTHS, strict=True):
        hip = sp.Matrix([X, Y]) + sign * HIP * across
        leg = sign * sp.cos(swing) * across - sp.sin(swing) * ahead
        moved, wheel = (_rate(place) for place in (hip, hip + length * leg))
        legs += WHEEL * wheel.dot(wheel) - SPRING * (length - LENGTH) ** 2 - HINGE * swing**2
        slips[side] = moved.dot(leg) + SPACE.rates[length]
    return System(
        space=SPACE,
        lagrangian=(MASS * (VX**2 + VY**2) + INERTIA * OMEGA**2 + legs) / 2,
        constraints=slips,
        symmetry=euclidean("x y", "theta"),
        parameters={"m": m, "J": J, "p": p, "b": b, "l": l, "k": k, "c": c},
        bodies=BODIES,
        explore={"ranges": RANGES},
        title="Roller walker",
        cite=SOURCE,
    )


def _rate(place: sp.Matrix) -> sp.Matrix:
    return sum((place.diff(q) * rate for q, rate in SPACE.rates.items()), sp.zeros(2, 1))
