"""Rigid bodies: their mass, centre and moments, of one or of several that are fixed to each other."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from .frame import MovingFrame, Placement
from .vectors import ZERO, Matrix, Scalar, Vector, added, applied, composed, cross, dot, is_number, scaled, times, total
from .vectors import transposed as turned_back

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
        tensor = composed(composed(pose.turn, self.tensor), turned_back(pose.turn))
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
