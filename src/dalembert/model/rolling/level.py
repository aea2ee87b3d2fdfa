"""A convex body by the equation of its surface, F(x, y, z) = 0 in its own axes.

Where F is of degree 2 the support function is known in closed form (`quadric`). Elsewhere the point p of the body that
touches is three coordinates more, and s = log |grad F(p)| a fourth: with m the outward normal that touches,

    F(p) exp(-s) = 0 ,    grad F(p) exp(-s) = m

has one solution for a strictly convex body, of which every normal is that of one point: no chart, no pole, and no
second point on the far side, whose normal is -m. Both are relations between positions. Their rates, which vanish along
motions, give the four coordinates weight.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import sympy as sp

from ..bodies import Body
from ..factors import coordinates
from ..space import Space
from .support import numbers

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
