"""What is printed of equations and no motion asks for: its derivation is loaded with the first that is printed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import sympy as sp

from ..model.constraint import Constraint
from ..model.system import System

if TYPE_CHECKING:
    from ..equations.quasi_velocity_form import MatrixForm
    from ..equations.written_rows import InEntries


def entries(system: System, lagrangian: sp.Expr, constraints: Sequence[Constraint]) -> InEntries | None:
    """The equations with the entries of rotation matrices for the eye, if there are rotations."""
    from .rotation_entries import entries

    return entries(system, lagrangian, constraints)


def matrix_form(system: System, kept: Sequence[int]) -> MatrixForm | None:
    """The lean equations before they are solved, for the eye, if that can be written."""
    from .rotation_entries import matrix_form

    return matrix_form(system, kept)
