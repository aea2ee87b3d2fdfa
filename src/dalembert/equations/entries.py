"""Equations with the entries of rotation matrices in place of unit quaternions, as they are printed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import sympy as sp

from ..calculus.algebra import Algebra
from ..calculus.frame import Frame
from .form import Form


@dataclass(frozen=True)
class InEntries:
    """The same equations where the entries R11, ..., R33 of rotations are the coordinates.

    Attributes:
        frame: coordinates and velocities.
        rotations: names of the nine entries, row by row, of each rotation matrix, by its name.
        derive: the form W, N, f, g over any algebra.
        forces: Q_a.
        constraints: as they were given, by name.
        definitions: those of the author's abbreviations that can be written in them.
    """

    frame: Frame
    rotations: Mapping[str, tuple[str, ...]]
    derive: Callable[[Algebra], Form]
    forces: tuple[sp.Expr, ...]
    constraints: Mapping[str, sp.Expr]
    definitions: Mapping[str, sp.Expr]
