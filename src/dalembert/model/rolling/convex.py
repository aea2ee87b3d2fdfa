"""What is known of a convex body that rolls, however it is given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import numpy as np
import sympy as sp

from ...calculus.frame import TIME
from ...errors import InvalidValue, WrongType, as_given
from ...given import several
from ..bodies import Body
from ..expression import Reader
from ..factors import coordinates
from ..space import Space
from .level import OWN, Level
from .meeting import sign_outside
from .support import EXAMPLE, NORMAL, Support, of_function, of_shape

_X, _N = sp.Matrix(OWN.coordinates), sp.Matrix(NORMAL.coordinates)


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


# --- a quadric, in closed form ----------------------------------------------------------------------------------------

# With F = p . A p + 2 b . p + f, the middle c = - A^-1 b and d = c . A c - f, F = (p - c) . A (p - c) - d:
#
#     h(n) = c . n + sqrt(d n . A^-1 n)
#
# It is the same for -F. Of a ball A = a 1, and sqrt(d/a) is its radius.


def quadric(F: sp.Expr) -> Support | None:
    """The body that F = 0 bounds; None where F is not of degree 2 in x, y, z.

    Raises:
        InvalidValue: E155, a quadric that bounds no body: a cone, a hyperboloid, a cylinder, an empty one.
    """
    bend = sp.hessian(F, list(_X))
    if bend.free_symbols & set(_X) or any(not sp.simplify(e).is_finite for e in bend if e.is_number):
        return None
    A, at = bend / 2, dict.fromkeys(_X, sp.S.Zero)
    b, f = sp.Matrix([F.diff(s) for s in _X]).subs(at) / 2, F.subs(at)
    if A.det() == 0:
        raise _no_body(F)
    inverse = A.inv()
    c = (-inverse * b).applyfunc(sp.factor_terms)
    d = sp.factor_terms(c.dot(A * c) - f)
    shape = (d * inverse).applyfunc(sp.cancel)
    _check(F, shape)
    spread, away = shape[0, 0], c.dot(_N)
    if shape == spread * sp.eye(3):
        radius = sp.sqrt(spread)
        return Support(away, radius, c, Body("ball", radius=radius, at=tuple(c)))
    h = sp.sqrt(sp.expand(_N.dot(shape * _N)))
    drawn = Body("ellipsoid", size=tuple(2 * sp.sqrt(shape[i, i]) for i in range(3)), at=tuple(c))
    return Support(h + away, middle=c, drawn=drawn if shape.is_diagonal() else None)


def _check(F: sp.Expr, shape: sp.Matrix) -> None:
    """E155 unless d A^-1 is positive; where parameters decide, the values say so (`fitting`)."""
    if not shape.free_symbols and np.linalg.eigvalsh(np.array(shape.tolist(), float))[0] <= 0:
        raise _no_body(F)


def _no_body(F: sp.Expr) -> InvalidValue:
    remedy = '"x^2/a^2 + y^2/b^2 + z^2/c^2 - 1" is an ellipsoid'
    return InvalidValue("E155", f"the surface {F} = 0 is not closed, or has no points", remedy)
