"""Reduction by symmetry: from a system and its generators to a smaller system, and what leads back.

Three ways, the first that applies:

    drop, then restrict    the frame is left alone by the group
    restrict, then drop    the allowed velocities are left alone by the group: u = Z(q) v leads back by quadratures
    slice, then restrict   the frame is carried along by the group: the group's motion is integrated beside

Constraints are kept where they are not linear, and where the velocities they allow have no frame without poles: then
the reduced system has them, and nothing is restricted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp

from ..calculus.text import TERMINAL, folded
from ..errors import InvalidValue
from ..model.symmetry import Generator
from ..model.system import System
from .action import Action, declared
from .poles import poles
from .quotient import Quotient, check_orbits, drop, frame_stays, left_alone, quotient, rates
from .ranks import ranks
from .restrict import Restricted, derivation, frame_on, restrict
from .shape import Shape, shape_of
from .states import Ground


@dataclass(frozen=True, eq=False)
class Reduction:
    """A system reduced by its symmetry.

    Attributes:
        given: the system that was reduced.
        system: the reduced system, for `da.nonholonomic`; where no constraints are left `da.free` is the same.
        generators: of the group.
        structure: structure constants f[a, b, c] with [X_a, X_b] = f^c_ab X_c.
        shape: the reduced coordinates as functions on the given space.
        velocities: k expressions: the given velocities, or those on the slice, by the reduced ones.
        zeta: g x k, where the frame was carried along: the group's velocity by the velocities on the slice.
        way: how it was reduced, in words.
    """

    given: System
    system: System
    generators: tuple[Generator, ...]
    structure: np.ndarray
    shape: Shape
    velocities: tuple[sp.Expr, ...]
    zeta: sp.ImmutableMatrix | None
    way: str

    @property
    def group(self) -> tuple[sp.Symbol, ...]:
        """The coordinates of the given space that the reduction leaves out."""
        return tuple(q for q in self.given.space.coordinates if q not in self.shape.kept)

    @cached_property
    def poles(self) -> tuple[sp.Expr, ...]:
        """Functions of the place at whose zeros the reduced velocities do not determine the given ones."""
        return tuple(poles(self.Z, [self.given.space, self.system.space], self.given.parameters))

    @property
    def Z(self) -> sp.ImmutableMatrix:
        """k x r with the given velocities, or those on the slice, u = Z v."""
        v = self.system.space.velocities
        return sp.ImmutableMatrix(len(self.velocities), len(v), [e.diff(s) for e in self.velocities for s in v])

    @property
    def abelian(self) -> bool:
        """Do the generators commute?"""
        return not np.any(self.structure)

    @property
    def solvable(self) -> bool:
        """Does the derived series of the algebra end at 0?"""
        g = len(self.generators)
        span = np.eye(g)
        for _ in range(g + 1):
            if not len(span):
                return True
            brackets = np.einsum("ia,jb,abc->ijc", span, span, self.structure).reshape(-1, g)
            _, sizes, rows = np.linalg.svd(brackets)
            new = rows[: int(np.sum(sizes > 1e-9))]
            if len(new) == len(span):
                return False
            span = new
        return True

    def __str__(self) -> str:
        names = ", ".join(g.name for g in self.generators)
        kind = "abelian" if self.abelian else "solvable" if self.solvable else "not solvable"
        space, q = self.system.space, ", ".join(f"{s} = {e}" for s, e in self.shape.meaning.items()) or "none"
        lines = [f"{self.given.title or 'System'}, reduced by {names} ({kind})", f"  way          {self.way}"]
        lines.append(f"  shape        {q}")
        left = len(self.given.space.coordinates) + len(self.given.space.velocities)
        lines.append(f"  size         {left} states become {len(space.coordinates) + len(space.velocities)}")
        lines.append(f"  left out     {', '.join(q.name for q in self.group)}")
        if self.poles:
            where = " or ".join(map(str, self.poles))
            lines.append(f"  poles        where {where} = 0 the reduced velocities are singular")
        if self.system.constraints:
            lines.append(f"  constraints  {', '.join(c.name for c in self.system.constraints)}")
        lines.append(f"  {self.system.space!r}")
        return "\n".join(part for line in lines for part in folded(line, TERMINAL, 15))

    __repr__ = __str__


def reduce(system: System, symmetry: Any = None) -> Reduction:
    """Reduce a system by its symmetry.

    Args:
        system: the system.
        symmetry: generators as for `System`; by default those that the system declares.

    Raises:
        WrongType: E101, not a system.
        InvalidValue: E122 the generators are no symmetry, E123 they are not closed under brackets, E124 the reduced
            space cannot be written down, E125 there are no generators.
    """
    given = declared(system, symmetry, "reduce")
    if not given:
        raise InvalidValue("E125", "the system declares no symmetry", 'symmetry="x y", or da.reduce(system, symmetry)')
    with derivation(system, "the reduction"):
        return _reduced(system, given)


def _reduced(system: System, given: tuple[Generator, ...]) -> Reduction:
    if not _linear(system):
        return _plain(quotient(system, given))
    system = _independent(system)
    found = _restricted_first(system, given) or _restricted_after(quotient(system, given))
    return _without_poles(found) if found.poles else found


def _linear(system: System) -> bool:
    return all(c.kind == "linear" and not c.phi.has(sp.Symbol("t", real=True)) for c in system.constraints)


def _independent(system: System) -> System:
    """The system without constraints that follow from others."""
    kept = ranks(system).kept
    if len(kept) == len(system.constraints):
        return system
    return system.changed(constraints={system.constraints[s].name: system.constraints[s].given for s in kept})


def _plain(found: Quotient) -> Reduction:
    u = tuple(found.given.space.velocities)
    return _reduction(found, found.system, u, f"{_way(found)}; constraints kept")


def _without_poles(found: Reduction) -> Reduction:
    """The reduction that keeps its constraints, where one exists."""
    try:
        kept = _plain(quotient(found.given, found.generators))
    except InvalidValue:
        return found
    return replace(kept, way=f"{kept.way}: the velocities they allow have no frame without poles")


def _way(found: Quotient) -> str:
    return "frame carried along from a slice" if found.carried else "frame left alone by the group"


def _restricted_first(system: System, given: Sequence[Generator]) -> Reduction | None:
    """Allowed velocities that the group leaves alone, if those chosen are and the frame is not."""
    action = Action(Ground(system), given)
    action.check()
    shape = shape_of(system.space, given)
    if action.rank() != len(given) or frame_stays(system, action, shape):
        return None
    check_orbits(action, shape)
    Z, v = frame_on(system)
    there = dict(zip(system.space.velocities, Z * sp.Matrix(v), strict=True))
    u = sp.Matrix(system.space.velocities)
    moves = [sum(a * b for a, b in zip(rates(system.space, s), u, strict=True)) for s in shape.meaning.values()]
    if not left_alone(action, [e.xreplace(there) for e in (system.lagrangian, *moves)]):
        return None  # before the brackets are computed
    smaller = restrict(system)
    if not frame_stays(smaller.system, action, shape):
        return None
    found = drop(smaller.system, action, shape, smaller.lowered)
    u = tuple(smaller.velocities.values())
    way = "allowed velocities left alone by the group"
    return Reduction(system, found.system, tuple(given), action.structure, shape, u, None, way)


def _restricted_after(found: Quotient) -> Reduction:
    smaller: Restricted = restrict(found.system)
    u = tuple(smaller.velocities.values())
    return _reduction(found, smaller.system, u, f"{_way(found)}, then restricted")


def _reduction(found: Quotient, system: System, u: tuple[sp.Expr, ...], way: str) -> Reduction:
    zeta = found.zeta if found.carried else None
    return Reduction(found.given, system, found.generators, found.structure, found.shape, u, zeta, way)
