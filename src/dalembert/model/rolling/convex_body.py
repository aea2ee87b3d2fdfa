"""A convex body that rolls, given by its support function or by the equation of its surface, F(x, y, z) = 0.

The equation is in the axes of the body. Where F is of degree 2 the support function is known in closed form
(`quadric`). Elsewhere the point p of the body that touches is three coordinates more, and s = log |grad F(p)| a fourth:
with m the outward normal that touches,

    F(p) exp(-s) = 0 ,    grad F(p) exp(-s) = m

has one solution for a strictly convex body, of which every normal is that of one point: no chart, no pole, and no
second point on the far side, whose normal is -m. Both are relations between positions. Their rates, which vanish along
motions, give the four coordinates weight.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
import sympy as sp
from scipy.optimize import brentq

from ...argument_checks import several
from ...calculus.frame import TIME
from ...calculus.from_sympy import read
from ...calculus.graph import Graph, Node, evaluate
from ...errors import InvalidValue, WrongType, as_given
from ..bodies import Body
from ..expression_symbols import Reader
from ..space import Space
from ..space_factors import coordinates
from .support_function import EXAMPLE, NORMAL, Support, numbers, of_function, of_shape

OWN = coordinates("x y z")  # of the equation, in the body's axes
_FLAT = 1e12  # of the ratio of curvatures


@dataclass(frozen=True)
class Level:
    """A convex surface F = 0, with F < 0 inside.

    Attributes:
        given: F, in x, y, z.
        own: p and s.
        drawn: nothing: what is drawn has a shape of its own.
    """

    given: sp.Expr
    own: Space
    drawn: Body | None = None

    is_ball = False
    round = sp.S.Zero
    middle = sp.zeros(3, 1)

    @property
    def point(self) -> sp.Matrix:
        """p."""
        return sp.Matrix(self.own.coordinates[:3])

    @cached_property
    def F(self) -> sp.Expr:
        """F(p)."""
        return self.given.xreplace(dict(zip(OWN.coordinates, self.point, strict=True)))

    @cached_property
    def gradient(self) -> sp.Matrix:
        """grad F."""
        return sp.Matrix([self.F.diff(s) for s in self.point])

    @cached_property
    def bend(self) -> sp.Matrix:
        """Hess F (3 x 3)."""
        return self.gradient.jacobian(self.point)

    @property
    def _scale(self) -> sp.Expr:
        """exp(-s)."""
        return sp.exp(-self.own.coordinates[3])

    def height(self, m: sp.Matrix) -> sp.Expr:
        """p . m, the distance of the tangent plane from the origin."""
        return self.point.dot(m)

    def arm(self, m: sp.Matrix) -> sp.Matrix:
        """p, whose outward normal is m."""
        return self.point

    def rate(self, m: sp.Matrix, dm: sp.Matrix) -> sp.Matrix:
        """p'."""
        return sp.Matrix(self.own.velocities[:3])

    def held(self, m: sp.Matrix) -> dict[str, sp.Expr]:
        """F exp(-s) and grad F exp(-s) - m."""
        level = self.gradient * self._scale - m
        return {"body": self.F * self._scale, **{f"normal_{i}": e for i, e in enumerate(level, start=1)}}

    def beside(self, dm: sp.Matrix) -> tuple[sp.Expr, ...]:
        """The rates of these, as velocities: the first is one, the others are turned at the distance |p|."""
        p, dp, ds = self.point, sp.Matrix(self.own.velocities[:3]), self.own.velocities[3]
        turned = (self.bend * dp - self.gradient * ds) * self._scale - dm
        return (self.gradient.dot(dp) * self._scale, *(sp.sqrt(p.dot(p)) * e for e in turned))

    def bent(self, m: np.ndarray, values: Mapping[str, float]) -> np.ndarray:
        """|grad F| T (T^T Hess F T)^-1 T^T in numbers, T a basis across m."""
        steep = np.linalg.norm(numbers(self.gradient, values))
        H, T = numbers(self.bend, values).reshape(3, 3), np.linalg.svd(m.reshape(1, 3))[2][1:].T
        across = T.T @ H @ T
        if not np.isfinite(across).all() or np.linalg.cond(across) > _FLAT:
            return np.full((3, 3), np.nan)
        return np.asarray(steep * T @ np.linalg.inv(across) @ T.T)


# --- where a body given by an equation touches, in numbers, and whether it is closed and convex -----------------------

# Rays from the origin, the centre of mass, which lies inside, meet a convex surface once. From the point where the ray
# along m meets it, p follows the normal by continuity to m, with Newton's method for
#
#     F(p) exp(-s) = 0 ,    grad F(p) exp(-s) = m
#
# at each step; a strictly convex body has all the normals in between.

_RAYS, _TOLERANCE, _FLAT_NORMAL = 60, 1e-9, 1e-5
_TRIES = 12  # of parameters
_LENGTHS = np.geomspace(1e-9, 1e9, 400)
_TURN, _STEPS, _LEAST = 0.2, 12, 1e-4  # of a step of the normal, of Newton's method


@dataclass(frozen=True)
class NumericSurface:
    """A body's equation with numbers.

    Attributes:
        level: its equation.
        values: of the parameters.
    """

    level: Level
    values: Mapping[str, float]

    @cached_property
    def _nodes(self) -> list[Node]:
        graph, body = Graph(), self.level
        return [read(e, graph) for e in (body.F, *body.gradient, *body.bend)]

    def at(self, p: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """F, grad F and Hess F at a point (3,)."""
        found = np.array([float(e) for e in self._evaluated(self._nodes, p)])
        return found[0], found[1:4], found[4:].reshape(3, 3)

    def height(self, points: np.ndarray) -> np.ndarray:
        """F at points (3, n)."""
        (found,) = self._evaluated(self._nodes[:1], points)
        return np.asarray(np.broadcast_to(np.asarray(found, float), points[0].shape))

    def _evaluated(self, nodes: list[Node], p: np.ndarray) -> list[np.ndarray]:
        names = (s.name for s in self.level.point)
        with np.errstate(all="ignore"):
            return evaluate(nodes, {**self.values, **dict(zip(names, p, strict=True))})

    def along(self, ray: np.ndarray) -> np.ndarray:
        """The point where a ray from the origin leaves the body (E155 where it does not, or comes back)."""
        heights = self.height(np.outer(ray, _LENGTHS))
        known = np.isfinite(heights)
        sign = np.sign(heights[known])
        crossed = np.flatnonzero(sign[1:] != sign[:-1])
        if len(crossed) != 1:
            shown = ", ".join(f"{e:.3g}" for e in ray)
            fact = (
                f"a ray from the origin along ({shown}) meets the surface {self.level.given} = 0 {len(crossed)} times"
            )
            raise InvalidValue("E155", fact, "the surface is closed and convex about the body's centre of mass")
        lengths = _LENGTHS[known]
        a, b = lengths[crossed[0]], lengths[crossed[0] + 1]
        s = brentq(lambda s: float(self.height(s * ray[:, None])[0]), a, b, xtol=1e-300, rtol=1e-14)
        return np.asarray(s * ray)

    def where(self, m: np.ndarray) -> np.ndarray:
        """p and s, where the outward normal is m (E155 where the surface is flat or not convex on the way)."""
        p = self.along(m)
        g = self.at(p)[1]
        found, angle = np.array([*p, np.log(np.linalg.norm(g))]), 0.0
        n, step = g / np.linalg.norm(g), _TURN
        whole = np.arctan2(np.linalg.norm(np.cross(n, m)), n @ m)
        across = (m - (n @ m) * n) / max(np.linalg.norm(m - (n @ m) * n), 1e-300)
        while angle < whole:
            step = min(step, whole - angle)
            nearer = self._newton(found, np.cos(angle + step) * n + np.sin(angle + step) * across)
            if nearer is None and step < _LEAST:
                fact = f"the surface {self.level.given} = 0 is flat, or has a corner, where its normal would touch"
                raise InvalidValue("E155", fact, "turn the body, or give one that is bent everywhere")
            found, angle, step = (found, angle, step / 2) if nearer is None else (nearer, angle + step, 2 * step)
        last = self._newton(found, m)
        return found if last is None else last

    def _newton(self, start: np.ndarray, m: np.ndarray) -> np.ndarray | None:
        """p and s for a normal near by, None if the iteration does not settle there."""
        at = start.copy()
        for _ in range(_STEPS):
            F, g, H = self.at(at[:3])
            scale = np.exp(-at[3])
            residual = np.r_[F * scale, g * scale - m]
            slopes = scale * np.block([[g[None, :], np.array([[-F]])], [H, -g[:, None]]])
            if not np.isfinite(slopes).all() or np.linalg.cond(slopes) > 1 / _TOLERANCE**1.5:
                return None
            change = np.linalg.solve(slopes, residual)
            at = at - change
            size = max(float(np.linalg.norm(at[:3])), 1e-300)
            if np.linalg.norm(change[:3]) < 1e-13 * size and abs(change[3]) < 1e-12:
                return at
        return None


def sign_outside(level: Level) -> int:
    """The sign that F has outside: that which it has not at the origin, with parameters from 0.5 to 1.5.

    Raises:
        InvalidValue: E155, a surface that is not closed about the origin or not convex; where parameters decide, that
            is seen with their values (`check_convex`).
    """
    names = sorted(s.name for s in level.F.free_symbols - set(level.point))
    if not names:
        return check_convex(NumericSurface(level, {}))
    rng = np.random.default_rng(47)
    tried = [NumericSurface(level, {name: float(rng.uniform(0.5, 1.5)) for name in names}) for _ in range(_TRIES)]
    inside = np.sign([float(each.height(np.zeros((3, 1)))[0]) for each in tried])
    return -1 if (inside > 0).all() else 1


def check_convex(shown: NumericSurface) -> int:
    """The sign outside, with the values of parameters: every tangent plane has the body on one side of it (E155)."""
    rays = np.random.default_rng(43).normal(size=(_RAYS, 3))
    points = np.array([shown.along(ray / np.linalg.norm(ray)) for ray in rays])
    found = [shown.at(p) for p in points]
    normals = np.array([g / np.linalg.norm(g) for _, g, _ in found])
    outwards = np.sign(np.einsum("ij,ij->i", normals, points))
    if not (np.isfinite(normals).all() and (outwards == outwards[0]).all()):
        raise _not_convex(shown, "the surface has no normal somewhere")
    normals *= outwards[0]
    above = np.einsum("ij,kj->ik", normals, points) - np.einsum("ij,ij->i", normals, points)[:, None]
    size = np.linalg.norm(points, axis=1).max()
    bends = np.array([_bends(g, H) * outwards[0] * size for _, g, H in found])
    if above.max() > _TOLERANCE * size:
        raise _not_convex(shown, f"a point lies {above.max():.3g} outside of a plane that touches it")
    if bends.min() < -_FLAT_NORMAL:
        raise _not_convex(shown, f"a curvature is {bends.min() / size:.3g}")
    if np.median(bends.min(axis=1)) < _FLAT_NORMAL:
        raise _not_convex(shown, "it is bent in one direction only, or in none")
    return int(outwards[0])


def _bends(g: np.ndarray, H: np.ndarray) -> np.ndarray:
    """The two curvatures, of the sign of F."""
    steep = np.linalg.norm(g)
    along = np.linalg.svd(g.reshape(1, 3))[2][1:]
    return np.asarray(np.linalg.eigvalsh(along @ H @ along.T) / steep)


def _not_convex(shown: NumericSurface, why: str) -> InvalidValue:
    fact = f"the body {shown.level.given} = 0 does not roll: {why}"
    return InvalidValue("E155", fact, "a body that rolls on its whole surface is convex")


# --- the body, however it is given ------------------------------------------------------------------------------------

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
