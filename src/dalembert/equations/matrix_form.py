"""Nonholonomic equations in free speeds before they are solved:  A(q) sdot = b(t, q, s) ,  u = velocities(t, q, s)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import sympy as sp

from ..calculus.frame import Frame
from ..calculus.graph import Node


@dataclass(frozen=True)
class MatrixForm:
    """What a person writes down: the matrix, the right-hand side and the velocities, on one graph.

    Attributes:
        frame: coordinates and velocities; entries of rotation matrices stand for unit quaternions where they can.
        rotations: names of the nine entries, row by row, of each rotation matrix that does, by its name.
        unit: vectors of names of coordinates whose squares sum to 1.
        speeds: names of the speeds s.
        A: the lower triangle, row by row.
        b: the right-hand side.
        velocities: u, in the order of the space.
        origin: s(t, q, u).
        lagrangian: in the same coordinates and velocities.
        definitions: those of the author's abbreviations that can be written in them.
    """

    frame: Frame
    rotations: Mapping[str, tuple[str, ...]]
    unit: tuple[tuple[str, ...], ...]
    speeds: tuple[str, ...]
    A: tuple[tuple[Node, ...], ...]
    b: tuple[Node, ...]
    velocities: tuple[Node, ...]
    origin: tuple[Node, ...]
    lagrangian: sp.Expr
    definitions: Mapping[str, sp.Expr]

    @property
    def entries(self) -> list[str]:
        """The entries of all rotation matrices."""
        return [name for rotation in self.rotations.values() for name in rotation]
