"""What is known of a convex body that rolls, however it is given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import numpy as np
import sympy as sp

from ...calculus.frame import TIME
from ...errors import InvalidValue, WrongType, as_given
from ...given import several
from ..body import Body
from ..expression import Reader
from ..factors import coordinates
from ..space import Space
from .level import OWN, Level
from .meeting import sign_outside
from .normals import NORMAL
from .quadric import quadric
from .support import EXAMPLE, of_function, of_shape


class Convex(Protocol):
    """A smooth convex surface in the body's axes."""

    @property
    def round(self) -> sp.Expr:
        """r, by which the surface lies outside of what follows."""

    @property
    def middle(self) -> sp.Matrix:
        """Of what is drawn."""

    @property
    def drawn(self) -> Body | None:
        """What is drawn."""

    @property
    def is_ball(self) -> bool:
        """Is r all there is?"""

    @property
    def own(self) -> Space | None:
        """Coordinates of the point that touches, None where its normal tells it."""

    def height(self, m: sp.Matrix) -> sp.Expr:
        """The distance of the tangent plane with the outward normal m from the origin, in the body's axes."""

    def arm(self, m: sp.Matrix) -> sp.Matrix:
        """r m less than the point whose outward normal is m."""

    def rate(self, m: sp.Matrix, dm: sp.Matrix) -> sp.Matrix:
        """Its rate in the body's axes."""

    def bent(self, m: np.ndarray, values: Mapping[str, float]) -> np.ndarray:
        """The radii of curvature there, less r (3 x 3), with the values of coordinates and parameters."""

    def held(self, m: sp.Matrix) -> dict[str, sp.Expr]:
        """Relations that the coordinates `own` obey."""

    def beside(self, dm: sp.Matrix) -> tuple[sp.Expr, ...]:
        """Velocities that these make 0."""


def convex(given: object, reader: Reader, attitude: str) -> Convex:
    """The surface of a body: its shape, its support function, or its equation.

    Args:
        given: a `Body` or the same as a mapping, or an expression in n1, n2, n3 or in x, y, z.
        reader: of lengths.
        attitude: the name of its rotation, by which coordinates of the point that touches are called.

    Raises:
        WrongType: E155, none of these.
        InvalidValue: E155, what does not roll.
    """
    if isinstance(given, Mapping | Body):
        return of_shape(given, reader)
    if not isinstance(given, str | sp.Expr):
        remedy = f"eliminate u and v of r(u, v): {EXAMPLE}" if several(given) or callable(given) else EXAMPLE
        raise WrongType("E155", f"{as_given(given)} is no body that rolls", remedy)
    names = [s.name for s in (*NORMAL.coordinates, *OWN.coordinates) if s.name not in reader.declared]
    found = Reader(known := coordinates(names), reader.declared).read(given, "the body")
    by_normal, by_place = (found.free_symbols & set(own.coordinates) for own in (NORMAL, OWN))
    moving = found.free_symbols & {TIME, *known.velocities}
    if moving or (by_normal and by_place):
        what = f"{moving.pop()}, which moves" if moving else "a normal, n1 to n3, and a place, x to z"
        raise InvalidValue("E155", f"the body {found} holds {what}", EXAMPLE)
    return of_function(found) if not by_place else quadric(found) or _level(found, attitude)


def _level(F: sp.Expr, attitude: str) -> Level:
    own = coordinates([f"{attitude}_{part}" for part in "123s"])
    found = Level(F, own)
    if found.bend.has(sp.DiracDelta):
        raise InvalidValue("E155", f"the surface {F} = 0 has edges", "a body that rolls is smooth")
    return Level(F * sign_outside(found), own)
