"""Does a body touch a surface at a place, and nowhere else near by?

With S = N' of the surface along itself and the radii of curvature Hess h + r of the body, both in the plane of contact,
the gap about the contact is positive where all eigenvalues of

    1 + P^(1/2) S P^(1/2) ,   P = Hess h + r

are [montana1988]: 1 on a plane, 1 - r/b for a ball in a tube.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import sympy as sp

from ...errors import InvalidValue
from .support import numbers
from .touching import Parts

_TOLERANCE = 1e-9


def relative_curvatures(
    parts: Parts, place: Mapping[str, sp.Matrix], values: Mapping[str, float]
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


def normal_of_body(parts: Parts, normal: sp.Matrix, values: Mapping[str, float]) -> np.ndarray:
    """m = - R^T N, of length 1 (E157 where the surface has no normal)."""
    m = -numbers(parts.R, values).reshape(3, 3).T @ numbers(normal, values)
    if not np.isfinite(m).all():
        raise InvalidValue("E157", "the surface has no normal here", "start away from its tip or edge")
    return np.asarray(m / np.linalg.norm(m))


def _across(M: np.ndarray, N: np.ndarray) -> np.ndarray:
    """Eigenvalues of a symmetric matrix in the plane across N."""
    T = np.linalg.svd(N.reshape(1, 3))[2][1:]
    return np.linalg.eigvalsh(T @ M @ T.T)


def _radii(parts: Parts, N: np.ndarray, values: Mapping[str, float]) -> np.ndarray:
    """P, in axes of space."""
    R = numbers(parts.R, values).reshape(3, 3)
    body = parts.body
    inner, r = body.bent(-R.T @ N, values), numbers([body.round], values)[0]
    across = np.eye(3) - np.outer(N, N)
    found: np.ndarray = across @ (R @ inner @ R.T + r * np.eye(3)) @ across
    return found


def _shape(parts: Parts, C: np.ndarray, values: Mapping[str, float]) -> np.ndarray:
    """S = Hess f/|grad f| across N, in axes of space."""
    surface, Q = parts.surface, numbers(parts.carrier.rotation, values).reshape(3, 3)
    inside = Q.T @ (C - numbers(parts.carrier.position, values))
    here = {**values, **dict(zip((s.name for s in surface.place), map(float, inside), strict=True))}
    slope, bend = numbers(surface.gradient, here), numbers(surface.gradient.jacobian(surface.place), here)
    n = slope / np.linalg.norm(slope)
    across = np.eye(3) - np.outer(n, n)
    found: np.ndarray = Q @ across @ bend.reshape(3, 3) @ across @ Q.T / np.linalg.norm(slope)
    return found
