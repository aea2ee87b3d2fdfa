"""A surface by its equation, and the velocity of what it is made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, runtime_checkable

import numpy as np
import sympy as sp

from ...calculus.frame import TIME
from ...calculus.from_sympy import read
from ...calculus.graph import Graph, evaluate
from ...errors import InvalidValue, WrongType, as_given
from ..expression_symbols import Reader
from ..guard_regularity import onto
from ..space import Space

_STARTS, _TOLERANCE = 40, 1e-9
_EXAMPLE = '"z" is a floor, "b^2 - x^2 - y^2" the inside of a tube, "z - k*(x^2 + y^2)" a bowl'


@dataclass(frozen=True)
class Surface:
    """A surface f(x, y, z, t) = 0 with bodies where f > 0.

    Attributes:
        f: its equation.
        place: the three coordinates in it.
        moving: the velocity of its matter, three components.
    """

    f: sp.Expr
    place: sp.Matrix
    moving: sp.Matrix

    @cached_property
    def gradient(self) -> sp.Matrix:
        """grad f."""
        return sp.Matrix([self.f.diff(s) for s in self.place])

    @cached_property
    def steepness(self) -> sp.Expr:
        """|grad f|, 1 where f is the distance from the surface."""
        return sp.S.One if self.is_distance else sp.sqrt(sp.factor_terms(self.gradient.dot(self.gradient)))

    @property
    def normal(self) -> sp.Matrix:
        """N = grad f/|grad f|."""
        return self.gradient / self.steepness

    @property
    def turning(self) -> sp.Matrix:
        """The angular velocity of its matter, curl U/2."""
        U, (x, y, z) = self.moving, self.place
        return sp.Matrix([U[2].diff(y) - U[1].diff(z), U[0].diff(z) - U[2].diff(x), U[1].diff(x) - U[0].diff(y)]) / 2

    @property
    def is_plane(self) -> bool:
        """Is its normal the same everywhere?"""
        return not self.gradient.free_symbols & set(self.place)

    @cached_property
    def is_distance(self) -> bool:
        """Is |grad f| 1 wherever it was tried? Then f is the distance from the surface."""
        square, graph, rng = self.gradient.dot(self.gradient), Graph(), np.random.default_rng(37)
        node, names = read(square, graph), sorted(s.name for s in square.free_symbols)
        values = [{name: float(rng.uniform(0.5, 1.5)) for name in names} for _ in range(_STARTS)]
        return all(abs(float(evaluate([node], each)[0]) - 1) <= _TOLERANCE for each in values)

    @cached_property
    def graph(self) -> tuple[sp.Symbol, sp.Expr] | None:
        """A coordinate that stands in f alone, and what it is in the others: z = k (x^2 + y^2); None if none does."""
        for s in reversed(list(self.place)):
            slope = self.f.diff(s)
            if slope != 0 and not slope.free_symbols & set(self.place):
                return s, sp.expand(s - self.f / slope)
        return None


def surface(given: object, moving: object, reader: Reader, space: Space) -> Surface:
    """The surface of an equation.

    Raises:
        WrongType: E156, no equation.
        InvalidValue: E156, one without a normal, or matter that leaves it.
    """
    if not isinstance(given, str | sp.Expr):
        remedy = f"eliminate u and v of r(u, v), to 0 = f(x, y, z): {_EXAMPLE}"
        raise WrongType("E156", f"the surface is {as_given(given)}, no equation", remedy)
    f = reader.read(given, "the surface")
    place, velocities = sp.Matrix(space.coordinates[:3]), set(space.velocities)
    if not f.free_symbols & set(place) or f.free_symbols & velocities:
        raise InvalidValue("E156", f"the surface {f} is no function of {', '.join(map(str, place))}", _EXAMPLE)
    found = Surface(f, place, sp.Matrix([reader.read(e, "moving") for e in _three(moving)]))
    if found.moving.free_symbols & velocities:
        raise InvalidValue(
            "E156", f"the matter of the surface moves with {found.moving.T}", 'moving=("-W*y", "W*x", 0)'
        )
    _check(found)
    return found


def _three(given: object) -> Sequence[str | sp.Expr | float]:
    if given is None:
        return (0, 0, 0)
    if isinstance(given, str) or not isinstance(given, Sequence | sp.MatrixBase) or len(given) != 3:
        fact = f"moving is {as_given(given)}, not three components of a velocity"
        raise WrongType("E156", fact, 'moving=("-W*y", "W*x", 0) turns with W about the z axis')
    return [*given]


def _check(surface: Surface) -> None:
    """E156 where the gradient vanishes all over the surface, there is no surface, or its matter leaves it."""
    graph, rng = Graph(), np.random.default_rng(41)
    U, slopes = surface.moving, surface.gradient
    leaving = surface.f.diff(TIME) + U.dot(slopes)
    asked = (surface.f, *slopes, leaving, *U)
    nodes, known = [read(e, graph) for e in asked], {s.name for e in asked for s in e.free_symbols}
    others, names = sorted(known - {s.name for s in surface.place}), [s.name for s in surface.place]
    met, flat = 0, 0
    for _ in range(_STARTS):
        values = {name: float(rng.uniform(0.5, 1.5)) for name in others}
        values |= {name: float(rng.normal()) for name in names}
        steep = onto(nodes, names, values)
        if steep is None:
            continue
        met, flat = met + 1, flat + (steep <= 1e-4)
        away, *fast = (float(e) for e in evaluate(nodes[4:], values))
        if steep > 1e-4 and abs(away) > 1e-6 * steep * (1 + float(np.linalg.norm(fast))):
            fact = f"what the surface {surface.f} = 0 is made of leaves it with the velocity {tuple(U)}"
            raise InvalidValue("E156", fact, "give a velocity along the surface; a surface that moves holds the time t")
    if not met or 2 * flat > met:
        fact = f"the surface {surface.f} = 0 " + ("has no normal" if met else "has no points that were found")
        raise InvalidValue("E156", fact, f"write an equation that passes through 0 there: {_EXAMPLE}")


def tangents(N: sp.Matrix) -> tuple[sp.Matrix, sp.Matrix]:
    """Two unit vectors across a unit vector N: what e1 and e2 become by the shortest turn that takes e3 to N."""
    e = sp.eye(3)
    if e[:, 2] == -N:
        return e[:, 0], -e[:, 1]
    # t_i = e_i - N_i (N + e3)/(1 + N_3)
    first, second = (e[:, i] - N[i] / (1 + N[2]) * (N + e[:, 2]) for i in (0, 1))
    return first, second


# --- what moves a surface: nothing, or a body that moves itself -------------------------------------------------------


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
