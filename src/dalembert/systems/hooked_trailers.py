"""A car with two trailers, each hooked behind the axle before it: the general trailer [rouchon1993; altafini2001].

    L = sum_i m/2 |v_i|^2 + J/2 omega_i^2
    axle_i:  vy_i cos(theta_i) - vx_i sin(theta_i) = 0 ,   i = 0, 1, 2

(x, y) is the middle of the car's axle, theta_i the headings. The hooks are h behind the axles, and each trailer's axle
is l behind its hook:

    v_i = v_(i-1) + h omega_(i-1) e_(i-1) + l omega_i e_i ,     e_i = (sin(theta_i), -cos(theta_i)) .

Three linear constraints on five coordinates, nonholonomic, growth vector (2, 3, 5); with h = 0, or with one trailer,
the dimensions grow by one at a time. Trains of which they do not are not flat: the path of no point of the train says
how it moved, as that of the last axle does for h = 0 [rouchon1993]. On circles the radii of the axles obey

    r_i^2 = r_(i-1)^2 + h^2 - l^2 .
"""

from __future__ import annotations

import sympy as sp

from ..model.space import Space
from ..model.space_factors import angle, plane
from ..model.symmetry import euclidean
from ..model.system import System
from .facts import Facts, Starts

SOURCE = "altafini2001"
UNSOLVED = "none is known but for straight lines"
COUNT = 3  # axles
SPACE = Space.product(plane("x y"), *(angle(f"theta{i}", f"omega{i}") for i in range(COUNT)))
MASS, INERTIA, HOOK, LENGTH = sp.symbols("m J h l", positive=True)
THETA = [SPACE[f"theta{i}"] for i in range(COUNT)]
OMEGA = [SPACE[f"omega{i}"] for i in range(COUNT)]

_PLACE = {"x": 0.0, "y": 0.0, "vx": 0.8}
STARTS: Starts = {
    "turning": {**_PLACE, "theta0": 0.5, "theta1": 0.2, "theta2": -0.1, "omega0": 0.4},
    "straight": {**_PLACE, "theta0": 0.5, "theta1": 0.5, "theta2": 0.5, "omega0": 0.0},
}
START = STARTS["turning"]

FACTS = Facts(
    kinds={f"axle{i}": "linear" for i in range(COUNT)},
    growth=(2, 3, 5),
    generating=True,
    agree={"turning": False, "straight": True},
)


# what is drawn, and what a page lets a person change
def _bodies() -> list[dict[str, object]]:
    """Body by body: its box, two wheels, the bar ahead to its hook and the one behind to the next."""
    x, y = "x", "y"
    found: list[dict[str, object]] = [{"shape": "floor"}]
    for i in range(COUNT):
        if i:
            x = f"{x} - h*cos(theta{i - 1}) - l*cos(theta{i})"
            y = f"{y} - h*sin(theta{i - 1}) - l*sin(theta{i})"
        name = f"trailer {i}" if i else "car"
        place = {"at": [x, y, 0.15], "turn": f"z theta{i}", "trace": [x, y, 0]}
        found.append({"name": name, "shape": "box", "size": [0.4, 0.3, 0.12], **place})
        bar = {"shape": "rod", "on": name, "radius": 0.02}
        if i:
            found.append({"name": f"bar {i}", **bar, "from": [0, 0, 0], "to": ["l", 0, 0]})
        if i < COUNT - 1:
            found.append({"name": f"hook {i + 1}", **bar, "from": [0, 0, 0], "to": ["-h", 0, 0]})
        for side, across in (("left", 0.2), ("right", -0.2)):
            wheel = {"name": f"{name}, {side} wheel", "shape": "wheel", "on": name, "radius": 0.15, "thickness": 0.06}
            found.append({**wheel, "at": [0, across, 0], "turn": "x -pi/2"})
    return found


BODIES = _bodies()
RANGES = {"h": (0.05, 1), "l": (0.3, 2), "vx": (-2, 2), "omega0": (-2, 2)}


def system(*, m: float = 1.0, J: float = 0.2, h: float = 0.4, l: float = 1.0) -> System:
    """The car with two trailers.

    Args:
        m, J: mass of each of the three bodies, and its moment of inertia about the middle of its axle.
        h: from an axle to the hook behind it.
        l: from a hook to the axle of its trailer.
    """
    velocities = velocities_of_axles()
    bodies = zip(OMEGA, velocities, strict=True)
    T = sp.Add(*(MASS * (vx**2 + vy**2) + INERTIA * omega**2 for omega, (vx, vy) in bodies)) / 2
    return System(
        space=SPACE,
        lagrangian=T,
        constraints={
            f"axle{i}": vy * sp.cos(theta) - vx * sp.sin(theta)
            for i, (theta, (vx, vy)) in enumerate(zip(THETA, velocities, strict=True))
        },
        symmetry=euclidean("x y", "theta0 theta1 theta2"),
        parameters={"m": m, "J": J, "h": h, "l": l},
        bodies=BODIES,
        explore={"ranges": RANGES},
        title="Car with hooked trailers",
        cite=SOURCE,
    )


def velocities_of_axles() -> list[tuple[sp.Expr, sp.Expr]]:
    """(vx_i, vy_i) of the middles of the three axles."""
    found = [(SPACE["vx"], SPACE["vy"])]
    for i in range(1, COUNT):
        vx, vy = found[-1]
        # v_i = v_(i-1) + h omega_(i-1) e_(i-1) + l omega_i e_i
        for swing, theta in ((HOOK * OMEGA[i - 1], THETA[i - 1]), (LENGTH * OMEGA[i], THETA[i])):
            vx, vy = vx + swing * sp.sin(theta), vy - swing * sp.cos(theta)
        found.append((vx, vy))
    return found
