"""The rattleback on a table with dry friction: rough enough, it turns back as if it rolled [garcia1988].

    L = m/2 |v|^2 + 1/2 <w, I w> - m g z
    table: the lowest point of the ellipsoid, with friction mu

(x, y, z) is the centre of mass, d below the middle of the surface with the half-axes a, b, c, and w is along these. It
is friction that turns the stone back: it comes to a quarter of the weight while the stone rattles. Where the table
gives as much, the contact sticks throughout: the motion is that of `rattleback`, which loses nothing. Where it gives
less the stone slips at its swings, loses energy, and turns back later, or not at all.
"""

from __future__ import annotations

import math

import sympy as sp

from ..model.bodies import Body
from ..model.rolling.rolling import rolling
from ..model.space_factors import rotation
from ..model.symmetry import translations
from ..model.system import System
from .facts import Facts, Starts

SOURCE = "garcia1988"
UNSOLVED = "none is known"
STONE = rolling(
    Body("ellipsoid", size=("2*a", "2*b", "2*c"), at=(0, 0, "d")),
    "z",
    rotation=rotation("R", frame="body"),
    parameters="a b c d",
)
SPACE = STONE.space
MASS, GRAVITY = sp.symbols("m g", positive=True)
FIRST, SECOND, THIRD = sp.symbols("I1 I2 I3", positive=True)
MIXED = sp.Symbol("I12", real=True)
MU = sp.Symbol("mu", nonnegative=True)

_A, _B, _C, _D = 0.2, 0.03, 0.02, 0.01
_STONE = {"m": 1.0, "I1": 2e-4, "I2": 1.6e-3, "I3": 1.7e-3, "g": 9.81}  # as in `rattleback`


def spun(spin: float, tilt: float) -> dict[str, object]:
    """Spun about the vertical without slip, tilted about its second axis."""
    up = -math.sin(tilt), 0.0, math.cos(tilt)
    height = math.hypot(_A * up[0], _C * up[2]) - _D * up[2]
    # the arm from the centre of mass to the contact
    first, third = -(_A**2) * up[0] / (height + _D * up[2]), _D - _C**2 * up[2] / (height + _D * up[2])
    along = first * math.cos(tilt) + third * math.sin(tilt)
    place = {"x": 0.0, "y": 0.0, "z": height, "vx": 0.0, "vy": -spin * along, "vz": 0.0}
    turned = {"w": math.cos(tilt / 2), "x": 0.0, "y": math.sin(tilt / 2), "z": 0.0}
    return {**place, "R": turned, "w1": spin * up[0], "w2": 0.0, "w3": spin * up[2]}


STARTS: Starts = {"spun": spun(-2.0, 0.005), "spun and tilted": spun(-1.0, 0.02)}
START = STARTS["spun"]
SPAN = 4.0

_STICKS = (("table", "sticks"),)
FACTS = Facts(kinds={}, growth=(), generating=True, modes=dict.fromkeys(STARTS, _STICKS))

# what is drawn, and what a page lets a person change
RANGES = {"mu": (0.02, 1), "I12": (-1e-4, 1e-4), "w1": (-2, 2), "w2": (-2, 2), "w3": (-8, 8)}


def system(
    *,
    a: float = _A,
    b: float = _B,
    c: float = _C,
    d: float = _D,
    I12: float = -2e-5,
    mu: float = 0.6,
) -> System:
    """The stone of `rattleback` on a table with friction mu."""
    moments = sp.Matrix([[FIRST, MIXED, 0], [MIXED, SECOND, 0], [0, 0, THIRD]])
    return System(
        space=SPACE,
        lagrangian=STONE.kinetic(MASS, moments) - MASS * GRAVITY * STONE.position[2],
        constraints=STONE.held,
        contacts={"table": STONE.contact(mu=MU)},
        symmetry=translations("x y"),  # turns of the table are one, too; what they leave has no slice
        parameters={**_STONE, "a": a, "b": b, "c": c, "d": d, "I12": I12, "mu": mu},
        bodies=STONE.bodies,
        explore={"ranges": RANGES},
        title="Rattleback with friction",
        cite=SOURCE,
    )
