"""A homogeneous ball that rolls inside a cone standing on its apex [routh1905].

    L = m/2 (vs^2 + s^2 sin(alpha)^2 vph^2) + I/2 (w1^2 + w2^2 + w3^2) - m g s cos(alpha)
    up:      vs - r <w, e_ph> = 0
    around:  s sin(alpha) vph + r <w, e_s> = 0

The ball's centre moves on a cone too, at s e_s from its apex, with the normal n = e_s x e_ph,

    e_s = (sin(alpha) cos(ph), sin(alpha) sin(ph), cos(alpha)) ,     e_ph = (-sin(ph), cos(ph), 0) ;

w is the angular velocity in space axes. Two linear constraints, nonholonomic, growth vector (3, 5). No group conserves
directly what is constant besides the energy, C and K with

    C = s^2 vph ,     K = <w, n> - cos(alpha) s vph/r ,

so that s moves like a particle in a field, the straight lines of the unrolled cone bent by the ball's inertia:

    (I + m r^2) vsdot = ((I + m r^2) sin(alpha)^2 + I cos(alpha)^2) C^2/s^3
                        + I r K cos(alpha) C/s^2 - m g r^2 cos(alpha) .
"""

from __future__ import annotations

import sympy as sp

from ..model.space import Space
from ..model.space_factors import angle, line, rotation
from ..model.symmetry import spin
from ..model.system import System
from .facts import Facts, Starts

SOURCE = "routh1905"
UNSOLVED = "s^2 vs^2 is a cubic in s: s follows by elliptic integrals"
SPACE = Space.product(line("s"), angle("ph"), rotation("R", velocities="w1 w2 w3", frame="space"))
S, PH, VS, VPH = (SPACE[n] for n in ("s", "ph", "vs", "vph"))
W = sp.Matrix([SPACE[n] for n in ("w1", "w2", "w3")])
MASS, RADIUS, INERTIA, OPENING = sp.symbols("m r I alpha", positive=True)
GRAVITY = sp.Symbol("g", nonnegative=True)
E_S = sp.Matrix([sp.sin(OPENING) * sp.cos(PH), sp.sin(OPENING) * sp.sin(PH), sp.cos(OPENING)])
E_PH = sp.Matrix([-sp.sin(PH), sp.cos(PH), 0])
NORMAL = sp.Matrix([-sp.cos(OPENING) * sp.cos(PH), -sp.cos(OPENING) * sp.sin(PH), sp.sin(OPENING)])

STARTS: Starts = {
    "going around": {"s": 1.0, "ph": 0.2, "vs": 0.3, "vph": 5.0, "w3": 2.0},
    "straight up": {"s": 2.0, "ph": 0.0, "vs": 3.0, "vph": 0.0, "w3": 0.0},
}
START = STARTS["going around"]

FACTS = Facts(
    kinds={"up": "linear", "around": "linear"},
    growth=(3, 5),
    generating=True,
    conserved={"area": S**2 * VPH, "twist": W.dot(NORMAL) - sp.cos(OPENING) * S * VPH / RADIUS},
    agree={"going around": False, "straight up": True},
)


# what is drawn, and what a page lets a person change
def _bodies() -> list[dict[str, object]]:
    """The ball, and the cone as eight of its straight lines: its apex lies r/sin(alpha) below that of the centre's."""
    apex = [0, 0, "-r/sin(alpha)"]
    found: list[dict[str, object]] = []
    for i in range(8):
        rim = [f"2*sin(alpha)*cos({i}*pi/4)", f"2*sin(alpha)*sin({i}*pi/4)", "2*cos(alpha) - r/sin(alpha)"]
        found.append({"name": f"line {i + 1}", "shape": "rod", "radius": "r/30", "from": apex, "to": rim})
    # c - r n
    out, high = "(s*sin(alpha) + r*cos(alpha))", "s*cos(alpha) - r*sin(alpha)"
    centre: list[object] = ["s*sin(alpha)*cos(ph)", "s*sin(alpha)*sin(ph)", "s*cos(alpha)"]
    touched = [f"{out}*cos(ph)", f"{out}*sin(ph)", high]
    return [*found, {"shape": "ball", "radius": "r", "at": centre, "turn": "R", "trace": touched}]


BODIES = _bodies()
RANGES = {"alpha": (0.2, 1.4), "g": (0, 20), "vs": (-1, 1), "vph": (-8, 8), "w3": (-10, 10)}
FOLLOWS = {"I": "2/5*m*r^2"}  # of a homogeneous body


def system(*, m: float = 1.0, r: float = 0.2, alpha: float = 0.7, I: float | None = None, g: float = 9.81) -> System:
    """The ball in the cone.

    Args:
        m, r: mass and radius of the ball.
        alpha: angle between the cone's axis and its side.
        I: moment of inertia; 2/5 m r^2, solid, if it is left out.
        g: gravity.
    """
    across = S * sp.sin(OPENING) * VPH
    return System(
        space=SPACE,
        lagrangian=MASS / 2 * (VS**2 + across**2) + INERTIA / 2 * W.dot(W) - MASS * GRAVITY * S * sp.cos(OPENING),
        constraints={"up": VS - RADIUS * W.dot(E_PH), "around": across + RADIUS * W.dot(E_S)},
        symmetry=[*(spin("R", axis) for axis in ((1, 0, 0), (0, 1, 0), (0, 0, 1)))],
        parameters={"m": m, "r": r, "alpha": alpha, "I": 0.4 * m * r**2 if I is None else I, "g": g},
        bodies=BODIES,
        explore={"ranges": RANGES},
        title="Ball in a cone",
        cite=SOURCE,
    )
