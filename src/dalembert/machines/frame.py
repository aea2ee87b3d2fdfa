"""Frames that move: each has its twist, its axes and its place by those of the frame that carries it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import sympy as sp

from .vectors import (
    UNIT,
    ZERO,
    Matrix,
    Scalar,
    Vector,
    added,
    applied,
    composed,
    cross,
    dot,
    plain,
    scaled,
    total,
    transposed,
)


@dataclass(frozen=True)
class Placement:
    """A place and axes in another frame: x_outside = at + turn x_inside."""

    at: Vector = ZERO
    turn: Matrix = UNIT

    def then(self, inner: Placement) -> Placement:
        """The pose of what has the pose `inner` in this one's frame."""
        return Placement(self.outside(inner.at), composed(self.turn, inner.turn))

    def outside(self, x: Sequence[Scalar]) -> Vector:
        """A point of this frame in the frame outside."""
        return added(self.at, applied(self.turn, x))

    @cached_property
    def inverse(self) -> Placement:
        """The outside, seen from this frame."""
        back = transposed(self.turn)
        return Placement(scaled(-1.0, applied(back, self.at)), back)


_HERE = Placement()


class MovingFrame:
    """A frame carried by another: placed there by `pose`, and moved against it by the rates of its joint.

    Args:
        carrier: the frame that carries it, None for the ground.
        pose: where it is in that, with the joint's coordinates.
        turning: angular velocity against the carrier, in its own axes; linear in the velocities.
        moving: velocity of its origin against the carrier, in its own axes; linear in the velocities.
        dots: of the ground, the symbol of each velocity's rate.
    """

    def __init__(
        self,
        carrier: MovingFrame | None = None,
        pose: Placement = _HERE,
        turning: Vector = ZERO,
        moving: Vector = ZERO,
        dots: Mapping[sp.Symbol, sp.Symbol] | None = None,
    ) -> None:
        self.carrier, self.pose, self._turning, self._moving = carrier, pose, turning, moving
        self._dots: Mapping[sp.Symbol, sp.Symbol] = dots or ({} if carrier is None else carrier._dots)
        self._rows: dict[int, Vector] = {}
        self._places: dict[int, Scalar] = {}

    def _inside(self, vector: Vector) -> Vector:
        """A vector of the carrier's axes in those of this frame."""
        return applied(transposed(self.pose.turn), vector)

    @cached_property
    def w(self) -> Vector:
        """Angular velocity, in its own axes."""
        # w = R^T w_carrier + w_joint
        return self._turning if self.carrier is None else added(self._inside(self.carrier.w), self._turning)

    @cached_property
    def v(self) -> Vector:
        """Velocity of its origin, in its own axes."""
        if self.carrier is None:
            return self._moving
        # v = R^T (v_carrier + w_carrier x d) + v_joint
        return added(self._inside(self.carrier.velocity(self.pose.at)), self._moving)

    def slopes(self, u: sp.Symbol) -> tuple[Vector, Vector]:
        """How its origin moves, and how it turns, against its carrier for each unit of a velocity."""
        x, y, z, a, b, c = (
            plain(e.diff(u)) if isinstance(e, sp.Expr) else 0.0 for e in (*self._moving, *self._turning)
        )  # fmt: skip
        return (x, y, z), (a, b, c)

    def _rate(self, vector: Vector) -> Vector:
        """Of what is linear in the velocities, with constant coefficients."""
        x, y, z = (e.xreplace(self._dots) if isinstance(e, sp.Expr) else 0.0 for e in vector)
        return x, y, z

    @cached_property
    def alpha(self) -> Vector:
        """Angular acceleration, in its own axes."""
        if self.carrier is None:
            return ZERO
        # alpha = R^T alpha_carrier + (R^T w_carrier) x w_joint + w_joint'
        swung = cross(self._inside(self.carrier.w), self._turning)
        return added(self._inside(self.carrier.alpha), swung, self._rate(self._turning))

    @cached_property
    def a(self) -> Vector:
        """Acceleration of its origin, in its own axes."""
        if self.carrier is None:
            return ZERO
        # a = R^T (a_carrier at d) + 2 (R^T w_carrier) x v_joint + w_joint x v_joint + v_joint'
        coriolis = scaled(2.0, cross(self._inside(self.carrier.w), self._moving))
        own = added(cross(self._turning, self._moving), self._rate(self._moving))
        return added(self._inside(self.carrier.acceleration(self.pose.at)), coriolis, own)

    def acceleration(self, point: Sequence[Scalar]) -> Vector:
        """Acceleration of a point fixed in it, in its own axes."""
        # a + alpha x p + w x (w x p)
        return added(self.a, cross(self.alpha, point), cross(self.w, cross(self.w, point)))

    def velocity(self, point: Sequence[Scalar]) -> Vector:
        """Velocity of a point fixed in it, in its own axes."""
        return added(self.v, cross(self.w, point))

    def unspun(self, point: Sequence[Scalar]) -> tuple[Vector, Vector] | None:
        """Angular velocity, and velocity of a point on its z axis, in axes of its carrier; None if it turns otherwise."""
        if self.carrier is None or self.pose.turn[2] != UNIT[2]:
            return None
        velocity = self.carrier.velocity(self.pose.outside(point))
        return added(self.carrier.w, self._turning), added(velocity, self._moving)

    def axis(self, i: int) -> Vector:
        """An axis of space, 0 to 2, in the axes of this frame."""
        if self.carrier is None:
            return UNIT[i]
        if i not in self._rows:
            self._rows[i] = self._inside(self.carrier.axis(i))
        return self._rows[i]

    def place(self, i: int) -> Scalar:
        """A coordinate of its origin in space."""
        if self.carrier is None:
            return 0.0
        if i not in self._places:
            self._places[i] = self.carrier.coordinate(i, self.pose.at)
        return self._places[i]

    def coordinate(self, i: int, point: Sequence[Scalar]) -> Scalar:
        """A coordinate in space of a point fixed in it."""
        return total((self.place(i), dot(self.axis(i), point)))

    def position(self, point: Sequence[Scalar]) -> Vector:
        """All three of them."""
        return self.coordinate(0, point), self.coordinate(1, point), self.coordinate(2, point)

    def in_space(self, vector: Sequence[Scalar]) -> Vector:
        """A vector of its own axes in those of space."""
        return dot(self.axis(0), vector), dot(self.axis(1), vector), dot(self.axis(2), vector)
