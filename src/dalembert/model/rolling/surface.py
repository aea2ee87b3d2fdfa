"""A surface by its equation, and the velocity of what it is made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import sympy as sp

from ...calculus.frame import TIME
from ...calculus.graph import Graph, evaluate
from ...calculus.read import read
from ...errors import InvalidValue, WrongType, as_given
from ..expression import Reader
from ..guard import onto
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
