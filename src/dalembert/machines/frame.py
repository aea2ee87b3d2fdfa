"""Frames that move, each by its twist, axes and place in the frame that carries it; and the inertia fixed in one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
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
    is_number,
    plain,
    scaled,
    times,
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
        """Angular velocity, and velocity of a point of its z axis, in axes of its carrier, if it turns about that."""
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


# --- Rigid bodies: their mass, centre and moments, of one or of several that are fixed to each other -----------------

MASSLESS: Matrix = (ZERO, ZERO, ZERO)


@dataclass(frozen=True)
class Inertia:
    """Mass m, centre c and the tensor J about the centre, in the axes of a frame."""

    mass: Scalar = 0.0
    centre: Vector = ZERO
    tensor: Matrix = MASSLESS

    @property
    def is_number(self) -> bool:
        """Does it hold no parameter?"""
        return is_number(self.mass, *self.centre, *(e for row in self.tensor for e in row))

    @property
    def is_none(self) -> bool:
        """Has it neither mass nor moments?"""
        return self.mass == 0 and all(e == 0 for row in self.tensor for e in row)

    @property
    def _is_round(self) -> bool:
        """Is it the same however it is turned about the z axis?"""
        (a, *ab), (ba, b, bc), (ca, cb, _) = self.tensor
        return all(e == 0 for e in (*ab, ba, bc, ca, cb, *self.centre[:2])) and a == b

    def seen(self, pose: Placement) -> Inertia:
        """The same in the frame in which its own has this pose."""
        # J' = R J R^T
        tensor = composed(composed(pose.turn, self.tensor), transposed(pose.turn))
        return Inertia(self.mass, pose.outside(self.centre), tensor)

    def kinetic(self, frame: MovingFrame) -> Scalar:
        """T = m/2 |v_c|^2 + 1/2 w . J w, fixed in this frame."""
        if self.is_none:
            return 0.0
        # of a wheel the axes of its carrier serve as well as its own, and its angle does not enter
        w, v = (self._is_round and frame.unspun(self.centre)) or (frame.w, frame.velocity(self.centre))
        turning = [
            times(0.5 if i == j else 1.0, self.tensor[i][j], w[i], w[j]) for i in range(3) for j in range(i, 3)
        ]  # fmt: skip
        return total([times(0.5, self.mass, dot(v, v)), *turning])

    def potential(self, frame: MovingFrame, gravity: Vector) -> Scalar:
        """V = -m g . x_c."""
        heights = (times(-1.0, g, frame.coordinate(i, self.centre)) for i, g in enumerate(gravity) if g != 0)
        return times(self.mass, total(heights)) if self.mass != 0 else 0.0

    def momentum_rates(self, frame: MovingFrame, gravity: Vector) -> tuple[Vector, Vector]:
        """m (a_c - g), and J alpha + w x J w with the moment of the first about the frame's origin; in its axes."""
        fall = added(*(scaled(g, frame.axis(i)) for i, g in enumerate(gravity)))
        force = scaled(self.mass, added(frame.acceleration(self.centre), scaled(-1.0, fall)))
        w, moved = frame.w, applied(self.tensor, frame.w)
        moment = added(applied(self.tensor, frame.alpha), cross(w, moved), cross(self.centre, force))
        return force, moment


def joined(parts: Iterable[Inertia]) -> list[Inertia]:
    """Those of numbers as one, and those that hold parameters."""
    listed = [part for part in parts if not part.is_none]
    numbers = [part for part in listed if part.is_number]
    held = [part for part in listed if not part.is_number]
    if len(numbers) < 2:
        return [*numbers, *held]
    m = np.array([part.mass for part in numbers], float)
    c = np.array([part.centre for part in numbers], float)
    middle = m @ c / m.sum() if m.sum() else np.zeros(3)
    # J = sum of J_i + m_i (|d|^2 1 - d d^T) ,  d = c_i - c
    away = c - middle
    J = np.array([part.tensor for part in numbers], float).sum(axis=0)
    J += np.eye(3) * (m @ (away**2).sum(axis=1)) - np.einsum("n,ni,nj->ij", m, away, away)
    x, y, z = map(float, middle)
    a, b, d = ((float(row[0]), float(row[1]), float(row[2])) for row in J)
    return [Inertia(float(m.sum()), (x, y, z), (a, b, d)), *held]
