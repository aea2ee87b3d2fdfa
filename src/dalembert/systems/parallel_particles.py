"""Two particles with parallel velocities, a constraint that no linear one replaces [benenti2011].

    L = m1/2 (vx1^2 + vy1^2) + m2/2 (vx2^2 + vy2^2) - g (m1 y1 + m2 y2)
    parallel:  vx1 vy2 - vy1 vx2 = 0

One nonlinear constraint; its rank is 1 but where both stand still. By Chetaev's rule the reaction on each particle is
across its velocity. With v_i = s_i (cos(chi), sin(chi)), on a slope of gravity g downhill along y,

    s1dot = s2dot = -g sin(chi) ,     (m1 s1^2 + m2 s2^2) chidot = -g (m1 s1 + m2 s2) cos(chi) :

the difference s1 - s2 of the speeds is constant, besides the energy, and so is sqrt(m1 s1^2 + m2 s2^2) cos(chi), as the
first two rows over the third say. Particles of one velocity fall as free ones do.
"""

from __future__ import annotations

import sympy as sp

from ..model.space_factors import coordinates
from ..model.system import System
from .facts import Facts, Starts

SOURCE = "benenti2011"
UNSOLVED = "its constants leave one quadrature for the speeds; of one velocity they fall along parabolas"
SPACE = coordinates("x1 y1 x2 y2")
X1, Y1, X2, Y2, VX1, VY1, VX2, VY2 = SPACE
FIRST, SECOND, GRAVITY = sp.symbols("m1 m2 g", positive=True)

_SPEEDS = sp.sqrt(VX1**2 + VY1**2), sp.sqrt(VX2**2 + VY2**2)
_PLACE = {"x1": 0.0, "y1": 0.0, "x2": 1.0, "y2": 0.2}
STARTS: Starts = {
    "overtaking": {**_PLACE, "vx1": 2.0, "vy1": 1.0, "vx2": 1.0, "vy2": 0.5},
    "together": {**_PLACE, "vx1": 1.2, "vy1": 0.6, "vx2": 1.2, "vy2": 0.6},
}
START = STARTS["overtaking"]

FACTS = Facts(
    kinds={"parallel": "nonlinear"},
    growth=(),
    generating=False,
    conserved={
        "difference of speeds": _SPEEDS[0] - _SPEEDS[1],
        "across": sp.sqrt(FIRST * _SPEEDS[0] ** 2 + SECOND * _SPEEDS[1] ** 2) * VX1 / _SPEEDS[0],
    },
    agree={"overtaking": False, "together": True},
)


# what is drawn, and what a page lets a person change
BODIES: list[dict[str, object]] = [
    {"name": "first", "shape": "point", "radius": 0.05, "at": ["x1", "y1", 0], "trace": True},
    {"name": "second", "shape": "point", "radius": 0.05, "at": ["x2", "y2", 0], "trace": True},
]
RANGES = {"m1": (0.2, 5), "m2": (0.2, 5), "g": (0, 5), "vx1": (0.5, 3)}


def system(*, m1: float = 1.0, m2: float = 2.0, g: float = 1.0) -> System:
    """The two particles; g is what gravity leaves along their plane."""
    T = FIRST / 2 * (VX1**2 + VY1**2) + SECOND / 2 * (VX2**2 + VY2**2)
    return System(
        space=SPACE,
        lagrangian=T - GRAVITY * (FIRST * Y1 + SECOND * Y2),
        constraints={"parallel": VX1 * VY2 - VY1 * VX2},
        symmetry="x1 x2",
        parameters={"m1": m1, "m2": m2, "g": g},
        bodies=BODIES,
        explore={"ranges": RANGES},
        title="Particles with parallel velocities",
        cite=SOURCE,
    )
