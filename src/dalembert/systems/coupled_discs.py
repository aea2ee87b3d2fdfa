"""Two upright discs that roll at the ends of a bar, each free to turn about the vertical [bloch1996].

    L = M/2 (vx^2 + vy^2) + J/2 omega^2 + sum_i (m/2 |v_i|^2 + C/2 vpsi_i^2 + A/2 vphi_i^2)
    along1, across1, along2, across2:  v_i = R vpsi_i (cos(phi_i), sin(phi_i))

Two pennies, as in `penny`, whose middles a bar of length 2 l joins; (x, y) is its middle, theta its heading, and v_1,
v_2 are the velocities of its rear and front end. Four linear constraints on seven coordinates, nonholonomic, growth
vector (3, 5, 7). The bar only pushes and pulls the discs, so that their headings turn uniformly, vphi_i = const. Both
go as fast along the bar, so there is s with

    R vpsi1 = s cos(phi2 - theta) ,    R vpsi2 = s cos(phi1 - theta) ,    2 l omega = s sin(phi2 - phi1) ,

and the energy gives s: theta follows a differential equation of first order.
"""

from __future__ import annotations

import sympy as sp

from ..model.space import Space
from ..model.space_factors import angle, plane
from ..model.symmetry import euclidean
from ..model.system import System
from .facts import Facts, Starts

SOURCE = "bloch1996"
UNSOLVED = "one equation of the first order is left, for theta"
SPACE = Space.product(plane("x y"), angle("theta", "omega"), angle("phi1"), angle("phi2"), angle("psi1"), angle("psi2"))
THETA, VX, VY, OMEGA = (SPACE[n] for n in ("theta", "vx", "vy", "omega"))
BAR, INERTIA, MASS, RADIUS, AXIAL, DIAMETRAL, HALF = sp.symbols("M J m R C A l", positive=True)

_PLACE = {"x": 0.0, "y": 0.0, "theta": 0.0, "psi1": 0.0, "psi2": 0.0}
STARTS: Starts = {
    "turning": {**_PLACE, "phi1": 0.4, "phi2": -0.3, "vphi1": 0.6, "vphi2": -0.5, "vpsi1": 3.0},
    "in line": {**_PLACE, "phi1": 0.0, "phi2": 0.0, "vphi1": 0.0, "vphi2": 0.0, "vpsi1": 3.0},
}
START = STARTS["turning"]

FACTS = Facts(
    kinds=dict.fromkeys(("along1", "across1", "along2", "across2"), "linear"),
    growth=(3, 5, 7),
    generating=True,
    conserved={"rear": SPACE["vphi1"], "front": SPACE["vphi2"]},
    agree={"turning": False, "in line": True},
)


# what is drawn, and what a page lets a person change
def _bodies() -> list[dict[str, object]]:
    """The bar, and at each end a disc."""
    ends = [[f"x {sign} l*cos(theta)", f"y {sign} l*sin(theta)", "R"] for sign in "-+"]
    found: list[dict[str, object]] = [
        {"shape": "floor"},
        {"name": "bar", "shape": "rod", "radius": "R/20", "from": ends[0], "to": ends[1]},
    ]
    for i, (name, end) in enumerate(zip(("rear disc", "front disc"), ends, strict=True), start=1):
        disc = {"name": name, "shape": "disc", "radius": "R", "thickness": "R/10", "at": end}
        found.append({**disc, "turn": [f"z phi{i}", "x -pi/2", f"z psi{i}"], "trace": [*end[:2], 0]})
    return found


BODIES = _bodies()
RANGES = {"M": (0.1, 3), "m": (0.2, 5), "l": (0.3, 1), "vphi1": (-3, 3), "vphi2": (-3, 3), "vpsi1": (-6, 6)}


def system(
    *,
    M: float = 0.5,
    J: float = 0.06,
    m: float = 1.0,
    R: float = 0.25,
    l: float = 0.6,
    C: float = 0.031,
    A: float = 0.016,
) -> System:
    """The discs and their bar.

    Args:
        M, J: mass of the bar, and its moment of inertia about its middle.
        m, R: mass and radius of a disc.
        l: half the length of the bar.
        C, A: moments of inertia of a disc about its axle and about its vertical diameter.
    """
    T, rolls = BAR * (VX**2 + VY**2) + INERTIA * OMEGA**2, {}
    for i, side in ((1, -1), (2, 1)):
        heading, turn, roll = SPACE[f"phi{i}"], SPACE[f"vphi{i}"], SPACE[f"vpsi{i}"]
        end = VX - side * HALF * sp.sin(THETA) * OMEGA, VY + side * HALF * sp.cos(THETA) * OMEGA
        T += MASS * (end[0] ** 2 + end[1] ** 2) + AXIAL * roll**2 + DIAMETRAL * turn**2
        rolls[f"along{i}"] = end[0] * sp.cos(heading) + end[1] * sp.sin(heading) - RADIUS * roll
        rolls[f"across{i}"] = end[1] * sp.cos(heading) - end[0] * sp.sin(heading)
    return System(
        space=SPACE,
        lagrangian=T / 2,
        constraints=rolls,
        symmetry=[euclidean("x y", headings="theta phi1 phi2"), "psi1", "psi2"],
        parameters={"M": M, "J": J, "m": m, "R": R, "l": l, "C": C, "A": A},
        bodies=BODIES,
        explore={"ranges": RANGES},
        title="Two discs on a bar",
        cite=SOURCE,
    )
