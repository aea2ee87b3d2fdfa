"""A skater on one blade, rigid, who leans to the sides and keeps the blade level [gzenda2020].

    L = m/2 |v_c|^2 + A/2 vth^2 + (B sin(th)^2 + C cos(th)^2)/2 omega^2 - m g l cos(th)
    blade:  vy cos(phi) - vx sin(phi) = 0

The blade touches the ice at (x, y) and points along phi; the skater leans by th about it, to the right for th > 0. The
centre of mass c lies a ahead of the point of contact and l from the blade, v_c is its velocity. One linear constraint
on four coordinates, nonholonomic, growth vector (3, 4). With v the speed along the blade, and omega the rate of phi,
there are two constants linear in the velocities if a = 0, and only then [gzenda2020]:

    J = I(th) omega ,     v + l sin(th) omega + l J int cos(th)/I(th) dth ,     I(th) = B sin(th)^2 + C cos(th)^2 .

Otherwise motions are chaotic.
"""

from __future__ import annotations

import sympy as sp

from ..model.space import Space
from ..model.space_factors import angle, plane
from ..model.symmetry import euclidean
from ..model.system import System
from .facts import Facts, Starts, Variant

SOURCE = "gzenda2020"
UNSOLVED = "one quadrature if a = 0; else none: it is chaotic [gzenda2020]"
SPACE = Space.product(plane("x y"), angle("phi", "omega"), angle("th"))
X, Y, PHI, TH, VX, VY, OMEGA, VTH = SPACE
MASS, LENGTH, GRAVITY = sp.symbols("m l g", positive=True)
INERTIA = sp.symbols("A B C", positive=True)
AHEAD = sp.Symbol("a", nonnegative=True)

_PLACE = {"x": 0.0, "y": 0.0, "phi": 0.4}
STARTS: Starts = {
    "curving": {**_PLACE, "th": -0.3, "vx": 3.0, "omega": 1.2, "vth": 0.1},
    "upright": {**_PLACE, "th": 0.0, "vx": 3.0, "omega": 0.0, "vth": 0.0},
}
START = STARTS["curving"]

FORWARD = VX * sp.cos(PHI) + VY * sp.sin(PHI)
# of the angular velocity about the vertical
ABOUT = INERTIA[1] * sp.sin(TH) ** 2 + INERTIA[2] * sp.cos(TH) ** 2
FACTS = Facts(
    kinds={"blade": "linear"},
    growth=(3, 4),
    generating=True,
    agree={"curving": False, "upright": True},
)


def _linear() -> dict[str, sp.Expr]:
    """The two constants for a = 0 and B > C."""
    _, B, C = INERTIA
    J = ABOUT * OMEGA
    # int cos(th)/(C + (B - C) sin(th)^2) dth
    F = sp.atan(sp.sqrt((B - C) / C) * sp.sin(TH)) / sp.sqrt(C * (B - C))
    return {"turning": J, "gliding": FORWARD + LENGTH * sp.sin(TH) * OMEGA + LENGTH * J * F}


_BALANCED = Facts(kinds=FACTS.kinds, growth=FACTS.growth, generating=True, conserved=_linear(), agree=FACTS.agree)
VARIANTS = {"a = 0": Variant({"a": 0.0}, STARTS, _BALANCED)}


# what is drawn, and what a page lets a person change
BODIES: list[dict[str, object]] = [
    {"shape": "floor"},
    {
        "name": "blade",
        "shape": "blade",
        "size": ["0.35*l", "0.02*l", "0.06*l"],
        "at": ["x + 0.03*l*sin(th)*sin(phi)", "y - 0.03*l*sin(th)*cos(phi)", "0.03*l*cos(th)"],
        "turn": ["z phi", "x th"],
        "trace": ["x", "y", 0],
    },
    {"name": "skater", "shape": "box", "on": "blade", "size": ["0.2*l", "0.35*l", "1.8*l"], "at": ["a", 0, "l"]},
]
RANGES = {"a": (0, 0.3), "l": (0.5, 1.5), "vx": (-6, 6), "omega": (-4, 4), "th": (-0.6, 0.6), "vth": (-1, 1)}


def system(
    *,
    m: float = 60.0,
    l: float = 1.0,
    a: float = 0.05,
    A: float = 12.0,
    B: float = 11.0,
    C: float = 1.5,
    g: float = 9.81,
) -> System:
    """The skater.

    Args:
        m: mass.
        l, a: the centre of mass above the blade, and ahead of the point of contact.
        A, B, C: moments of inertia about the centre of mass: along the blade, across it, and from blade to head.
        g: gravity.
    """
    across = VY * sp.cos(PHI) - VX * sp.sin(PHI)
    # c = contact + a e1 - l sin(th) e2 + l cos(th) e3
    velocity = (
        FORWARD + LENGTH * sp.sin(TH) * OMEGA,
        across + AHEAD * OMEGA - LENGTH * sp.cos(TH) * VTH,
        -LENGTH * sp.sin(TH) * VTH,
    )
    T = (MASS * sum(v**2 for v in velocity) + INERTIA[0] * VTH**2 + ABOUT * OMEGA**2) / 2
    return System(
        space=SPACE,
        lagrangian=T - MASS * GRAVITY * LENGTH * sp.cos(TH),
        constraints={"blade": across},
        symmetry=euclidean("x y", "phi"),
        parameters={"m": m, "l": l, "a": a, "A": A, "B": B, "C": C, "g": g},
        bodies=BODIES,
        explore={"ranges": RANGES},
        title="Figure skater",
        cite=SOURCE,
    )
