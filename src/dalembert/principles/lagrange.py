"""Lagrange's equations with multipliers, EL_a(L) = Q_a + N^s_a mu_s: what the principles have in common.

What impacts are made of is loaded with the first system that has walls, and what writes matrices of rotations with the
first equations that are printed.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from ..calculus.algebra import Algebra
from ..equations import Equations, Form, Lean
from ..errors import DalembertWarning, Note
from ..model.system import System
from .lean import lean
from .saddle import saddle
from .well_posedness import WellPosed, remarks

if TYPE_CHECKING:
    from ..equations.quasi_velocity_form import MatrixForm
    from ..equations.written_rows import InEntries
    from ..event import Event


class LagrangeEquations(Equations):
    """Equations in the form of Lagrange's."""

    def derive(self, algebra: Algebra) -> Form:
        """The form W, N, f, g over any algebra."""
        return saddle(self.system, self.lagrangian, self.constraints, algebra)

    def lean_at(self, values: Mapping[str, float] | None) -> Lean | None:
        """A lean form around a state whose values are given, or wherever it can be."""
        return lean(self.kept, self.system, values) if self.has_lean_form else None


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class WellPosedEquations(LagrangeEquations):
    """Equations of a system that determines a motion.

    Attributes:
        decided: what was found out about the system, before inputs were given.
    """

    decided: WellPosed

    @cached_property
    def notes(self) -> tuple[Note, ...]:
        """What was noticed about the system and its constraints, which may take an examination."""
        return remarks(self.decided)

    @cached_property
    def walls(self) -> tuple[Event, ...]:
        """The walls that the system declares, as events at which the velocities jump."""
        return declared_walls(self.decided.system)

    def matrix_form(self) -> MatrixForm | None:
        """The lean form before it is solved, for the eye, if that can be written."""
        from .rotation_entries import matrix_form

        return matrix_form(self.decided.system, self.decided.kept) if self.has_lean_form else None

    @cached_property
    def in_entries(self) -> InEntries | None:
        """The equations with the entries of rotation matrices, for the eye, if there are rotations."""
        from .rotation_entries import entries

        return entries(self.decided.system, self.lagrangian, self.constraints)


def declared_walls(
    system: System, constrained: bool = True, touching: Mapping[str, bool] | None = None
) -> tuple[Event, ...]:
    """The walls that a system declares, as `walls` makes them, with its constraints in force or without them.

    Some of these may be those of contacts, which only push (True), or give no impulses.
    """
    if not system.walls:
        return ()
    from .impulsive import walls

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DalembertWarning)  # they were shown with the system
        body = system if constrained or not system.constraints else system.changed(constraints={}, equivalent=None)
    found = ((event, event.impact) for event in walls(body))
    return tuple(replace(event, impact=impact and replace(impact, touching=touching or {})) for event, impact in found)
