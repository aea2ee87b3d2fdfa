"""A homogeneous ball that rolls on a fixed sphere, outside or, as in a bowl, inside [routh1905].

    L = m/2 rho^2 (vth^2 + sin(th)^2 vph^2) + I/2 (w1^2 + w2^2 + w3^2) - m g rho cos(th)
    slide_th:  rho vth - s r <w, e_ph> = 0
    slide_ph:  rho sin(th) vph + s r <w, e_th> = 0

The ball's centre is rho n from that of the sphere, n = (sin(th) cos(ph), sin(th) sin(ph), cos(th)), rho = b + s r,
with s = 1 outside and s = -1 inside; e_th and e_ph are the derivatives of n, of length 1, and w is the angular velocity
in space axes. Two linear constraints, nonholonomic, growth vector (3, 5). The spin about the normal, and a moment about
the vertical that no group conserves directly, are constant [routh1905]:

    <w, n> ,     I w3 + s m r rho sin(th)^2 vph
"""

from __future__ import annotations

import sympy as sp

from ..model.space import Space
from ..model.space_factors import angle, rotation
from ..model.symmetry import spin
from ..model.system import System
from .facts import Facts, Starts, Variant

SOURCE = "routh1905"
UNSOLVED = "with z = cos(th), (dz/dt)^2 is a cubic in z: z is an elliptic function of the time"
SPACE = Space.product(angle("th"), angle("ph"), rotation("R", velocities="w1 w2 w3", frame="space"))
TH, PH, VTH, VPH = (SPACE[n] for n in ("th", "ph", "vth", "vph"))
W = sp.Matrix([SPACE[n] for n in ("w1", "w2", "w3")])
MASS, RADIUS, SPHERE, INERTIA, GRAVITY = sp.symbols("m r b I g", positive=True)
NORMAL = sp.Matrix([sp.sin(TH) * sp.cos(PH), sp.sin(TH) * sp.sin(PH), sp.cos(TH)])
E_TH, E_PH = NORMAL.diff(TH), sp.Matrix([-sp.sin(PH), sp.cos(PH), 0])

STARTS: Starts = {
    "rolling down": {"th": 0.5, "ph": 0.1, "vth": 0.2, "vph": 0.7, "w3": 4.0},
    "straight up": {"th": 0.8, "ph": 0.0, "vth": -0.6, "vph": 0.0, "w3": 0.0},
}
START = STARTS["rolling down"]
_IN_THE_BOWL: Starts = {
    "going around": {"th": 2.2, "ph": 0.1, "vth": 0.2, "vph": 1.5, "w3": 4.0},
    "swinging": {"th": 2.2, "ph": 0.0, "vth": -0.8, "vph": 0.0, "w3": 0.0},
}


def lagrangian(rho: sp.Expr) -> sp.Expr:
    """L of a ball whose centre is at the distance rho from that of the sphere."""
    way = rho**2 * (VTH**2 + sp.sin(TH) ** 2 * VPH**2)
    return MASS / 2 * way + INERTIA / 2 * W.dot(W) - MASS * GRAVITY * rho * sp.cos(TH)


def rolls(side: int, spin: sp.Matrix = W, rate: sp.Expr = sp.S.Zero) -> dict[str, sp.Expr]:
    """The constraints, for an angular velocity in space axes and a rate at which the sphere turns."""
    rho = SPHERE + side * RADIUS
    return {
        "slide_th": rho * VTH - side * RADIUS * spin.dot(E_PH),
        "slide_ph": (rho * VPH - SPHERE * rate) * sp.sin(TH) + side * RADIUS * spin.dot(E_TH),
    }


def _facts(side: int, agree: dict[str, bool]) -> Facts:
    rho = SPHERE + side * RADIUS
    moment = INERTIA * W[2] + side * MASS * RADIUS * rho * sp.sin(TH) ** 2 * VPH
    return Facts(
        kinds={"slide_th": "linear", "slide_ph": "linear"},
        growth=(3, 5),
        generating=True,
        conserved={"spin": W.dot(NORMAL), "moment": moment},
        agree=agree,
    )


FACTS = _facts(1, {"rolling down": False, "straight up": True})
_BOWL = _facts(-1, {"going around": False, "swinging": True})
VARIANTS = {"bowl": Variant({"inside": True}, _IN_THE_BOWL, _BOWL)}


# what is drawn, and what a page lets a person change
RANGES = {"m": (0.2, 5), "g": (0, 20), "vth": (-2, 2), "vph": (-3, 3), "w3": (-10, 10)}
FOLLOWS = {"I": "2/5*m*r^2"}  # of a homogeneous body


def bodies(side: int) -> list[dict[str, object]]:
    """The sphere, or the middle of the bowl (side = -1), and the ball."""

    def out(length: str) -> list[str]:
        return [f"{length}*sin(th)*cos(ph)", f"{length}*sin(th)*sin(ph)", f"{length}*cos(th)"]

    fixed: dict[str, object] = {"name": "sphere", "shape": "ball", "radius": "b", "at": [0, 0, 0], "both": True}
    middle: dict[str, object] = {"name": "middle", "shape": "point", "radius": "b/30", "at": [0, 0, 0], "trace": False}
    ball = {"shape": "ball", "radius": "r", "at": out(f"(b + ({side})*r)"), "turn": "R", "trace": out("b")}
    return [fixed if side > 0 else middle, {"name": "ball", **ball}]


def system(
    *, m: float = 1.0, r: float = 0.5, b: float = 10.0, I: float | None = None, g: float = 9.81, inside: bool = False
) -> System:
    """The ball on the sphere.

    Args:
        m, r: mass and radius of the ball.
        b: radius of the sphere.
        I: moment of inertia; 2/5 m r^2, solid, if it is left out.
        g: gravity.
        inside: does the ball roll in a bowl?
    """
    side = -1 if inside else 1
    return System(
        space=SPACE,
        lagrangian=lagrangian(SPHERE + side * RADIUS),
        constraints=rolls(side),
        symmetry=[*(spin("R", axis) for axis in ((1, 0, 0), (0, 1, 0), (0, 0, 1)))],
        parameters={"m": m, "r": r, "b": b, "I": 0.4 * m * r**2 if I is None else I, "g": g},
        bodies=bodies(side),
        explore={"ranges": RANGES},
        title="Ball in a bowl" if inside else "Ball on a sphere",
        cite=SOURCE,
    )
