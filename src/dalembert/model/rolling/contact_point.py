"""Coordinates of a body that touches a surface: its place, or the point of contact.

Where the distance from the surface is known in closed form, the place of the body is taken: a ball on f = 0 with
|grad f| = 1, or any body on a plane. It may leave the surface, and nothing is singular.

    gap = f(X + R at) - r ,  N = grad f           ball
    gap = f(X)/|grad f| - h(m)                    plane

Elsewhere the point of contact c is taken [montana1988], by its Cartesian coordinates on f(c) = 0 or, where one of them
is a function of the others there, z = z(x, y), by these two; for what leaves the surface there is the gap s.

    X = c + (s + r) N - R p ,   p = grad h(m) ,   m = - R^T N
    X' = c' + s' N + (s + r) N' - R p' - w x R p ,   m' = - R^T (N' - w x N)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import sympy as sp

from ...calculus.frame import TIME
from ...errors import InvalidValue
from ..names import name_of
from ..space import Space
from ..space_factors import line
from .convex_body import Convex
from .support_function import numbers
from .surface import Carrier, Surface, turning


@dataclass(frozen=True)
class TouchingParts:
    """What touches: a body that turns, a surface, and what carries that.

    Attributes:
        body, surface, carrier: these.
        place: the space of the three coordinates in the surface's equation.
        rotation: the factor of the body's attitude.
        gap: the name of the coordinate s, or nothing.
    """

    body: Convex
    surface: Surface
    carrier: Carrier
    place: Space
    rotation: Space
    gap: str = ""

    @property
    def R(self) -> sp.Matrix:
        """The attitude of the body."""
        return sp.Matrix(self.rotation.R)

    @property
    def w(self) -> sp.Matrix:
        """Its angular velocity, in axes of space."""
        found = turning(self.rotation, next(iter(self.rotation.attitudes)))
        return sp.zeros(3, 1) if found is None else found

    @property
    def in_body(self) -> bool:
        """Are the rotation's velocities along the axes of the body?"""
        return bool(self.rotation.recipe[0].arguments["frame"] == "body")

    def space(self, *own: Space) -> Space:
        """The product of what carries, the coordinates of contact, those on the body and the rotation."""
        others = (self.carrier.space, *own, self.body.own, self.rotation)
        return Space.product(*(each for each in others if each is not None))


@dataclass(frozen=True)
class TouchingBody:
    """A body that touches a surface, in some coordinates; all vectors in axes of space.

    Attributes:
        space: the coordinates.
        position, velocity: X and X'.
        arm: R p - r N, from the origin to where the body touches.
        point, normal: C, on the surface, and N.
        gap: the distance; 0 where it is left out of the coordinates.
        held: relations that the coordinates obey.
        beside: velocities that are 0 along motions and give weight to coordinates that are too many: f'/|grad f| where
            they are four for the three of X, and what the body says of its own.
    """

    space: Space
    position: sp.Matrix
    velocity: sp.Matrix
    arm: sp.Matrix
    point: sp.Matrix
    normal: sp.Matrix
    gap: sp.Expr
    held: dict[str, sp.Expr]
    beside: tuple[sp.Expr, ...] = ()


def touching(parts: TouchingParts) -> TouchingBody:
    """The body on the surface, in the coordinates that fit (E156 for a gap that these hold already)."""
    by_place = parts.surface.is_plane or (parts.surface.is_distance and parts.body.is_ball)
    if by_place and parts.gap:
        fact = "the gap follows from the place of this body, and needs no coordinate"
        raise InvalidValue("E156", fact, "leave gap out")
    return _by_place(parts) if by_place else _by_contact(parts)


def _by_place(parts: TouchingParts) -> TouchingBody:
    body, surface, carrier = parts.body, parts.surface, parts.carrier
    space = parts.space(parts.place)
    X, V = sp.Matrix(parts.place.coordinates), sp.Matrix(parts.place.velocities)
    # the ball's middle, or the origin of another body on a plane
    off = parts.R * body.middle if body.is_ball else sp.zeros(3, 1)
    here = dict(zip(surface.place, carrier.inside(X + off), strict=True))
    N = _tidy(carrier.rotation * sp.Matrix(surface.normal.xreplace(here)))
    m = -parts.R.T * N
    reach = body.round if body.is_ball else body.height(m)
    gap = surface.f.xreplace(here) / surface.steepness - reach
    arm = parts.R * body.arm(m) - body.round * N
    if body.own is None:
        return TouchingBody(space, X, V, arm, X + arm - gap * N, N, gap, {})
    # the plane turns with what carries it, or in time
    dN = carrier.turning.cross(N) + carrier.rotation * surface.normal.diff(TIME)
    beside = body.beside(-parts.R.T * (dN - parts.w.cross(N)))
    return TouchingBody(space, X, V, arm, X + arm - gap * N, N, gap, body.held(m), beside)


def _by_contact(parts: TouchingParts) -> TouchingBody:
    body, surface, carrier, place = parts.body, parts.surface, parts.carrier, parts.place
    found, c, held = _on_surface(surface, place)
    own = [found] if not parts.gap else [found, line(name_of(parts.gap, "coordinates"))]
    space = parts.space(*own)
    s, ds = (own[1].coordinates[0], own[1].velocities[0]) if parts.gap else (sp.S.Zero, sp.S.Zero)
    inside = sp.Matrix(surface.normal.xreplace(dict(zip(surface.place, c, strict=True))))
    Q, R, w, W = carrier.rotation, parts.R, parts.w, carrier.turning
    N, C = Q * inside, carrier.outside(c)
    # the rates of what is given in the frame: Q x' + W x Q x
    dN = Q * _rate(inside, found) + W.cross(N)
    dC = Q * _rate(c, found) + carrier.carried(C)
    m = -R.T * N
    dm = -R.T * (dN - w.cross(N))
    p, dp, apart = body.arm(m), body.rate(m, dm), s + body.round
    X = C + apart * N - R * p
    V = dC + ds * N + apart * dN - R * dp - w.cross(R * p)
    beside = body.beside(dm)
    if held and parts.gap:
        on = dict(zip(surface.place, c, strict=True))
        beside += (_rate(sp.Matrix([surface.f.xreplace(on)]), found)[0] / surface.steepness.xreplace(on),)
    return TouchingBody(space, X, V, R * p - body.round * N, C, N, s, held | body.held(m), beside)


def _on_surface(surface: Surface, place: Space) -> tuple[Space, sp.Matrix, dict[str, sp.Expr]]:
    """The coordinates of the point of contact, the point, and the relation between them."""
    if surface.graph is None:
        return place, sp.Matrix(place.coordinates), {"surface": surface.f}
    alone, height = surface.graph
    kept = [(q, u) for q, u in zip(place.coordinates, place.velocities, strict=True) if q != alone]
    space = Space([q for q, _ in kept], [u for _, u in kept])
    return space, sp.Matrix([height if q == alone else q for q in place.coordinates]), {}


def _rate(x: sp.Matrix, space: Space) -> sp.Matrix:
    """x' of a vector of coordinates."""
    moved = [x.diff(q) * u for q, u in zip(space.coordinates, space.velocities, strict=True)]
    return sum(moved, x.diff(TIME))


def _tidy(N: sp.Matrix) -> sp.Matrix:
    """The normal, in short where it is constant."""
    return N.applyfunc(sp.simplify) if not N.free_symbols else N


# --- does a body touch a surface at a place, and nowhere else near by? ------------------------------------------------

# With S = N' of the surface along itself and the radii of curvature Hess h + r of the body, both in the plane of
# contact, the gap about the contact is positive where all eigenvalues of
#
#     1 + P^(1/2) S P^(1/2) ,   P = Hess h + r
#
# are [montana1988]: 1 on a plane, 1 - r/b for a ball in a tube.

_TOLERANCE = 1e-9


def relative_curvatures(
    parts: TouchingParts, place: Mapping[str, sp.Matrix], values: Mapping[str, float]
) -> tuple[float, float]:
    """The two eigenvalues in the plane of contact, the lesser first.

    Args:
        parts: what touches.
        place: `point` C, `normal` N, `gap`, and `held`, the relations that hold there.
        values: of the state and the parameters, by name.

    Raises:
        InvalidValue: E155, the body is not convex there; E157, a singular place, off the surface, or surfaces that
            intersect about the contact.
    """
    C, N, off = (numbers(place[name], values) for name in ("point", "normal", "held"))
    (gap,) = numbers(place["gap"], values)
    if not np.isfinite(N).all():
        raise InvalidValue("E157", "the surface has no normal here", "start away from its tip or edge")
    if not np.isfinite(C).all():
        raise InvalidValue("E157", "the body touches in more than a point here", "tilt it: a disc rolls on its edge")
    near = _TOLERANCE * max(1.0, np.abs(C).max())
    if np.abs(off).max(initial=0.0) > near or gap < -near:
        fact = "the body is not on the surface" if gap >= -near else f"the body reaches {-gap:.6g} into the surface"
        raise InvalidValue("E157", fact, "let equations.start(...) find the coordinate that is left out")
    P, S = _radii(parts, N, values), _shape(parts, C, values)
    if not np.isfinite(P).all():
        raise InvalidValue("E155", "the body is flat, or has a corner, where it touches", "tilt it")
    lengths, axes = np.linalg.eigh(P)
    if lengths[0] < -_TOLERANCE * max(1.0, lengths[-1]):
        fact = f"a radius of curvature of the body is {lengths[0]:.6g} where it touches"
        raise InvalidValue("E155", fact, "a body that rolls is convex")
    root = axes @ np.diag(np.sqrt(np.maximum(lengths, 0))) @ axes.T
    # along the normal it is 1
    least, most = np.sort(_across(np.eye(3) + root @ S @ root, N))
    if least <= 0:
        fact = f"the surfaces intersect about the contact: 1 + radius x curvature is {least:.6g}"
        raise InvalidValue("E157", fact, "the body must be bent more than the surface that holds it")
    return float(least), float(most)


def normal_of_body(parts: TouchingParts, normal: sp.Matrix, values: Mapping[str, float]) -> np.ndarray:
    """m = - R^T N, of length 1 (E157 where the surface has no normal)."""
    m = -numbers(parts.R, values).reshape(3, 3).T @ numbers(normal, values)
    if not np.isfinite(m).all():
        raise InvalidValue("E157", "the surface has no normal here", "start away from its tip or edge")
    return np.asarray(m / np.linalg.norm(m))


def _across(M: np.ndarray, N: np.ndarray) -> np.ndarray:
    """Eigenvalues of a symmetric matrix in the plane across N."""
    T = np.linalg.svd(N.reshape(1, 3))[2][1:]
    return np.linalg.eigvalsh(T @ M @ T.T)


def _radii(parts: TouchingParts, N: np.ndarray, values: Mapping[str, float]) -> np.ndarray:
    """P, in axes of space."""
    R = numbers(parts.R, values).reshape(3, 3)
    body = parts.body
    inner, r = body.bent(-R.T @ N, values), numbers([body.round], values)[0]
    across = np.eye(3) - np.outer(N, N)
    found: np.ndarray = across @ (R @ inner @ R.T + r * np.eye(3)) @ across
    return found


def _shape(parts: TouchingParts, C: np.ndarray, values: Mapping[str, float]) -> np.ndarray:
    """S = Hess f/|grad f| across N, in axes of space."""
    surface, Q = parts.surface, numbers(parts.carrier.rotation, values).reshape(3, 3)
    inside = Q.T @ (C - numbers(parts.carrier.position, values))
    here = {**values, **dict(zip((s.name for s in surface.place), map(float, inside), strict=True))}
    slope, bend = numbers(surface.gradient, here), numbers(surface.gradient.jacobian(surface.place), here)
    n = slope / np.linalg.norm(slope)
    across = np.eye(3) - np.outer(n, n)
    found: np.ndarray = Q @ across @ bend.reshape(3, 3) @ across @ Q.T / np.linalg.norm(slope)
    return found
