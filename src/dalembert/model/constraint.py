"""A constraint phi(t, q, u) = 0, its normal and its kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import sympy as sp

from ..calculus.algebra import Machine
from ..calculus.exact.residues import Residues
from ..calculus.frame import TIME, Frame
from ..calculus.graph import Graph, Node, gradient
from ..calculus.hamel import Motion
from ..calculus.length import expanded
from ..calculus.slopes import Degrees
from ..calculus.substitution import Substitution


@dataclass(frozen=True)
class Constraint:
    """One scalar constraint.

    A relation f(t, q) = 0 between positions alone is holonomic: `position` holds f and `phi` its rate along the motion.

    Attributes:
        name: multipliers are named after it.
        given: the expression as the user wrote it.
        frame: the frame it is written in.
        algebra: the graph on which its kind is decided; the system's own.
    """

    name: str
    given: sp.Expr
    frame: Frame
    algebra: Machine = field(default_factory=lambda: Machine(Graph()), compare=False, repr=False)

    @property
    def multiplier(self) -> sp.Symbol:
        """The symbol ``lam_<name>``."""
        return sp.Symbol(f"lam_{self.name}", real=True)

    @cached_property
    def holonomic(self) -> bool:
        """Is it given on positions?"""
        # what the graph holds is in the expression; the expression may hold more
        if self.algebra.graph.reach[self.algebra.read(self.given).index] & self._moving.wanted:
            return False
        return not self.given.free_symbols & set(self.frame.velocities)

    @property
    def position(self) -> sp.Expr | None:
        """f(t, q) of a constraint given on positions."""
        return self.given if self.holonomic else None

    @cached_property
    def phi(self) -> sp.Expr:
        """The constraint on velocities: as given, or df/dt = (E^i_a df/dq^i) u^a + df/dt."""
        if not self.holonomic:
            return self.given
        moving = zip(self.frame.coordinates, self.frame.rates, strict=True)
        return sum((self.given.diff(q) * rate for q, rate in moving), self.given.diff(TIME))

    def row(self, motion: Motion) -> Any:
        """phi in the algebra of `motion`; the rate of a relation between positions is taken there."""
        algebra = motion.algebra
        if not self.holonomic:
            return algebra.read(self.given)
        # df/dt = df/dq^i qdot^i + df/dt
        return algebra.along([algebra.read(self.given)], [*motion.q, motion.t], [*motion.qdot, motion.one])[0]

    def terms(self, motion: Motion) -> list[Any]:
        """The summands of phi as the user wrote them; df/dq^i qdot^i and df/dt of a relation between positions."""
        algebra = motion.algebra
        if not self.holonomic:
            return [algebra.read(term) for term in sp.Add.make_args(self.given)]
        slopes = algebra.gradient(algebra.read(self.given), [*motion.q, motion.t])
        found = [s * rate for s, rate in zip(slopes, [*motion.qdot, motion.one], strict=True)]
        return [term for term in found if term != motion.zero] or [motion.zero]

    @cached_property
    def normal(self) -> tuple[sp.Expr, ...]:
        """N_a = dphi/du^a."""
        return tuple(self.phi.diff(u) for u in self.frame.velocities)

    @cached_property
    def drift(self) -> sp.Expr:
        """phi at u = 0."""
        return self.phi.xreplace(dict.fromkeys(self.frame.velocities, sp.S.Zero))

    @property
    def _moving(self) -> Degrees:
        """How nodes depend on the velocities, made once for all constraints of a system."""
        memory, graph, key = self.algebra.memory, self.algebra.graph, ("velocities", id(self.frame))
        if key not in memory:
            memory[key] = self.frame, Degrees(graph, [graph.symbol(u.name) for u in self.frame.velocities])
        found: Degrees = memory[key][1]
        return found

    @property
    def _at_rest(self) -> Substitution:
        """Velocities put to 0, remembered for all constraints of a system."""
        memory, key = self.algebra.memory, ("at rest", id(self.frame))
        if key not in memory:
            zero = self.algebra.graph.constant(0)
            memory[key] = (self.frame, Substitution(zero.graph, {u.name: zero for u in self.frame.velocities}))
        found: Substitution = memory[key][1]
        return found

    @cached_property
    def kind(self) -> str:
        """``"holonomic"`` (given on positions), ``"linear"``, ``"affine"`` or ``"nonlinear"`` in the velocities."""
        if self.holonomic:
            return "holonomic"
        row, moving = self.algebra.read(self.phi), self._moving
        if not moving.affine(row) and self._bent([n.index for n in gradient(row, moving.xs)]):
            return "nonlinear"
        return "linear" if self._rests(row) else "affine"

    @cached_property
    def homogeneous(self) -> bool:
        """Does its velocity form hold for every multiple of a velocity for which it holds?"""
        return self.kind == "linear" or (self.holonomic and self._rests(self.algebra.read(self.phi)))

    def _rests(self, row: Node) -> bool:
        """Does it hold at rest, everywhere and at all times?"""
        drift = self._at_rest(row)
        return drift.is_zero or not Residues(self.algebra.graph)(drift.index) or expanded(self.drift) == 0

    def _bent(self, normal: Sequence[int]) -> bool:
        """Does dphi/du, nodes of the graph that are written with u, depend on u?"""
        graph = self.algebra.graph
        here, elsewhere = Residues(graph), Residues(graph, moved=[u.name for u in self.frame.velocities])
        if all(here(n) == elsewhere(n) for n in normal):
            return False
        # residues overlook that exp(a + b) = exp(a) exp(b); SymPy sees it where the expression is short
        return any(expanded(n).free_symbols & set(self.frame.velocities) for n in self.normal)
