"""What moves a surface: nothing, or a body that moves itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import sympy as sp

from ...errors import InvalidValue, WrongType, as_given
from ..space import Space


@runtime_checkable
class Moved(Protocol):
    """A rigid body in motion, in axes of space."""

    @property
    def space(self) -> Space:
        """Its coordinates and velocities."""

    @property
    def position(self) -> sp.Matrix:
        """X, of its origin."""

    @property
    def velocity(self) -> sp.Matrix:
        """X'."""

    @property
    def rotation(self) -> sp.Matrix:
        """R, from its axes to those of space."""

    @property
    def turning(self) -> sp.Matrix:
        """w, its angular velocity."""


@dataclass(frozen=True)
class Carrier:
    """The frame in which a surface is given, in axes of space.

    Attributes:
        space: its own coordinates, None where nothing moves.
        position, velocity: of its origin.
        rotation, turning: its attitude and its angular velocity.
    """

    space: Space | None
    position: sp.Matrix
    velocity: sp.Matrix
    rotation: sp.Matrix
    turning: sp.Matrix

    def inside(self, X: sp.Matrix) -> sp.Matrix:
        """A point of space in the frame."""
        return self.rotation.T * (X - self.position)

    def outside(self, x: sp.Matrix) -> sp.Matrix:
        """A point of the frame in space."""
        return self.position + self.rotation * x

    def carried(self, C: sp.Matrix) -> sp.Matrix:
        """The velocity at a point C of space of what moves with the frame."""
        return self.velocity + self.turning.cross(C - self.position)


AT_REST = Carrier(None, sp.zeros(3, 1), sp.zeros(3, 1), sp.eye(3), sp.zeros(3, 1))


def carrier(given: object) -> Carrier:
    """The frame of what carries the surface: None, something that rolls itself, or the space of one body.

    Raises:
        WrongType: E156, something else.
        InvalidValue: E156, a space that is not that of one body.
    """
    if given is None:
        return AT_REST
    if isinstance(given, Space):
        return _of_space(given)
    if not isinstance(given, Moved):
        raise WrongType("E156", f"the surface is on {as_given(given)}", 'on=da.SE3("x y z", "R"), or on=rolls')
    return Carrier(given.space, given.position, given.velocity, given.rotation, given.turning)


def _of_space(space: Space) -> Carrier:
    """The body whose place the first three coordinates are, and whose attitude is the only rotation."""
    turned = [turning(space, name) for name in space.attitudes]
    attitudes = {s for attitude in space.attitudes.values() for s in attitude.coordinates}
    place = [s for s in space.coordinates if s not in attitudes][:3]
    if len(turned) != 1 or len(place) < 3 or turned[0] is None:
        fact = f"{as_given(space)} has not one rotation and three coordinates of a place"
        raise InvalidValue("E156", fact, 'on=da.SE3("x y z", "R")')
    rates = space.rates
    return Carrier(space, sp.Matrix(place), sp.Matrix([rates[s] for s in place]), sp.Matrix(space.R), turned[0])


def turning(space: Space, name: str) -> sp.Matrix | None:
    """w of a rotation of a space, in axes of space; None where another than `rotation` or `SE3` made it."""
    for factor in space.recipe:
        made = factor.arguments
        if made.get("rotation" if factor.kind == "SE3" else "name") == name and factor.kind in ("SE3", "rotation"):
            w = sp.Matrix([space[u] for u in str(made["velocities"]).split()[-3:]])
            return w if made["frame"] == "space" else sp.Matrix(space.rotation(name)) * w
    return None
