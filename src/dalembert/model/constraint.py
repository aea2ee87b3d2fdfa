"""A constraint phi(t, q, u) = 0, its normal and its kind."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp

from ..calculus.algebra import GraphAlgebra
from ..calculus.euler_lagrange import Motion
from ..calculus.exact.exact_rank import some_clearly_not_zero
from ..calculus.exact.finite_field import Residues
from ..calculus.frame import TIME, Frame
from ..calculus.graph import Graph, Node, evaluate, gradient, symbols
from ..calculus.jacobians import Degrees
from ..calculus.simplification import expanded
from ..calculus.substitution import Substitution
from ..errors import InvalidValue, WrongType, as_given
from .contact import Touch
from .expression_symbols import Reader
from .names import check_name, key_name
from .space import Space


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
    algebra: GraphAlgebra = field(default_factory=lambda: GraphAlgebra(Graph()), compare=False, repr=False)

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


# --- Constraints as they are given: read, and refused where they say nothing or what cannot be -----------------------

_CLEAR = 1e-3  # of the terms: what differs by more is no constant
_ROUNDING = 1e-14  # of the terms of a constraint: nothing is left of them
_CANCELS = 1e-11  # of the terms of a constraint: what is left of them is rounding, or as uncertain as one
_NOTHING = 1e-14  # terms of this size are the rounding of 1, such as sin(3.14...)*vx


def read_constraints(
    given: Mapping[str, object] | None, reader: Reader, algebra: GraphAlgebra
) -> tuple[Constraint, ...]:
    """The constraints as given.

    Raises:
        DalembertError: E102 two of one name, E110 no relation at all, E111 one that cannot be satisfied.
    """
    if given is None:
        return ()
    if not isinstance(given, Mapping):
        raise WrongType("E110", "constraints are given by name", 'write constraints={"blade": phi}')
    found: list[Constraint] = []
    for name, phi in given.items():
        if name is None:  # its text, None, would do
            raise WrongType("E110", "constraints are given by name", 'write constraints={"blade": phi}')
        label = check_name(key_name(name), "a constraint")
        if isinstance(phi, Touch):
            remedy = f"contacts={{{as_given(label)}: da.contact(...)}}"
            raise WrongType("E137", f"the contact {label} is given among the constraints", remedy)
        if label in {c.name for c in found}:
            raise InvalidValue("E102", f"two constraints are called {as_given(label)}", "give each a name of its own")
        constraint = Constraint(label, reader.read(phi, f"constraint {label}"), reader.space.frame, algebra)
        found.append(constraint)
    for constraint in _perhaps_constant(found, reader.space, algebra):
        _refuse_constant(constraint, reader.space)
    return tuple(found)


def _perhaps_constant(constraints: Sequence[Constraint], space: Space, algebra: GraphAlgebra) -> list[Constraint]:
    """Those that do not clearly take different values at two random places, parameters and time being the same."""
    if not constraints:
        return []
    nodes = [algebra.read(c.given) for c in constraints]
    terms = [[algebra.read(term) for term in sp.Add.make_args(c.given)] for c in constraints]
    flat = [*nodes, *(term for some in terms for term in some)]
    others = sorted(symbols(flat) - set(space.by_name))
    here, there = (space.sample(np.random.default_rng(seed), others) for seed in (0, 1))
    moved = {**here, **{name: value for name, value in there.items() if name in space.by_name}}
    first, second = (np.array(evaluate(flat, point), float) for point in (here, moved))
    m, starts = len(nodes), np.cumsum([len(nodes), *(len(some) for some in terms)])
    sizes = [float(np.abs(first[a:b]).max()) for a, b in itertools.pairwise(starts)]
    clear = [
        abs(first[i] - second[i]) > _CLEAR * sizes[i] > _CLEAR**2 and min(abs(first[i]), abs(second[i])) > _CLEAR
        for i in range(m)
    ]
    return [c for c, passed in zip(constraints, clear, strict=True) if not passed]


def _refuse_constant(constraint: Constraint, space: Space) -> None:
    phi = constraint.given
    value, slope, size = _probe(phi, space, constraint.algebra)
    if min(value, slope) < 1e-9:  # small for its factors, or identically so? its expanded terms tell
        phi = expanded(phi)
        value, slope, size = _probe(phi, space, constraint.algebra)
    left = max(value, slope)
    nothing = left <= _CANCELS * size
    if left <= _ROUNDING * size and not _small(constraint.given, space, constraint.algebra):
        raise InvalidValue(
            "E110", f"{constraint.name} is 0 = 0 at all states that were tried", "remove it, or correct it"
        )
    if nothing:
        fact = f"{constraint.name} is numerically 0 = 0: of terms of {size:.2g} that cancel {left:.2g} is left"
        raise InvalidValue("E110", fact, "remove it, or correct it; if it is meant, write what is left of it")
    if size < _NOTHING:
        raise InvalidValue(
            "E110",
            f"{constraint.name} is numerically 0 = 0: {constraint.given} is {size:.2g} at most",
            "remove it, or correct it: numbers that cancel may leave a rounding (0.1 + 0.2 - 0.3 is 6e-17)\n"
            "if it is meant, multiply it by a large number",
        )
    if not phi.free_symbols & set(space) or slope <= 1e-12 * value:
        raise InvalidValue(
            "E111",
            f"{constraint.name} cannot be satisfied: {phi} = 0",
            "remove it, or write it with coordinates and velocities",
        )


def _small(phi: sp.Expr, space: Space, algebra: GraphAlgebra) -> bool:
    """Is it clearly not 0, if smaller than floating point can tell beside its terms?"""
    node = algebra.read(phi)
    others = [*sorted(symbols([node]) - set(space.by_name)), TIME.name]
    return some_clearly_not_zero([node], [space.sample(np.random.default_rng(seed), others) for seed in range(2)])


def _probe(phi: sp.Expr, space: Space, algebra: GraphAlgebra) -> tuple[float, float, float]:
    """Largest |phi| and |dphi/d(q, u)| at random points, and the size of phi's terms there; NaN is passed over."""
    node, terms = algebra.read(phi), [algebra.read(term) for term in sp.Add.make_args(phi)]
    slopes = [s for s in gradient(node, [algebra.read(s) for s in space]) if not s.is_zero]
    parameters = sorted(symbols([node]) - set(space.by_name))
    points = [space.sample(np.random.default_rng(seed), [*parameters, TIME.name]) for seed in range(5)]
    found = np.abs(np.array([evaluate([node, *slopes, *terms], point) for point in points], float))
    value, slope, size = np.split(found, [1, 1 + len(slopes)], axis=1)
    rows = np.stack([part.max(axis=1, initial=0.0) for part in (value, slope, size)], axis=1)
    finite = rows[np.isfinite(rows).all(axis=1)]
    largest = finite.max(axis=0) if len(finite) else np.ones(3)
    return float(largest[0]), float(largest[1]), float(largest[2])
