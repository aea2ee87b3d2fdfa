"""Where a body given by an equation has a given normal, in numbers, and whether it is closed and convex.

Rays from the origin, the centre of mass, which lies inside, meet a convex surface once. From the point where the ray
along m meets it, p follows the normal by continuity to m, with Newton's method for

    F(p) exp(-s) = 0 ,    grad F(p) exp(-s) = m

at each step; a strictly convex body has all the normals in between.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.optimize import brentq

from ...calculus.graph import Graph, Node, evaluate
from ...calculus.read import read
from ...errors import InvalidValue
from .level import Level

_RAYS, _TOLERANCE, _FLAT = 60, 1e-9, 1e-5
_TRIES = 12  # of parameters
_LENGTHS = np.geomspace(1e-9, 1e9, 400)
_TURN, _STEPS, _LEAST = 0.2, 12, 1e-4  # of a step of the normal, of Newton's method


@dataclass(frozen=True)
class Shown:
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
        return check_convex(Shown(level, {}))
    rng = np.random.default_rng(47)
    tried = [Shown(level, {name: float(rng.uniform(0.5, 1.5)) for name in names}) for _ in range(_TRIES)]
    inside = np.sign([float(each.height(np.zeros((3, 1)))[0]) for each in tried])
    return -1 if (inside > 0).all() else 1


def check_convex(shown: Shown) -> int:
    """The same with the values of parameters: every tangent plane has the body on one side of it."""
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
    if bends.min() < -_FLAT:
        raise _not_convex(shown, f"a curvature is {bends.min() / size:.3g}")
    if np.median(bends.min(axis=1)) < _FLAT:
        raise _not_convex(shown, "it is bent in one direction only, or in none")
    return int(outwards[0])


def _bends(g: np.ndarray, H: np.ndarray) -> np.ndarray:
    """The two curvatures, of the sign of F."""
    steep = np.linalg.norm(g)
    along = np.linalg.svd(g.reshape(1, 3))[2][1:]
    return np.asarray(np.linalg.eigvalsh(along @ H @ along.T) / steep)


def _not_convex(shown: Shown, why: str) -> InvalidValue:
    fact = f"the body {shown.level.given} = 0 does not roll: {why}"
    return InvalidValue("E155", fact, "a body that rolls on its whole surface is convex")
