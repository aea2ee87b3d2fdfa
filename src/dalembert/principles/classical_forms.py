"""Shared by the classical forms: which velocities are dependent, what is refused, how equations are put together."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import sympy as sp

from ..calculus.algebra import Algebra, GraphAlgebra
from ..calculus.graph import Graph, Node, evaluate, gradient, operations
from ..calculus.simplification import at_most
from ..equations.saddle_form import Explicit
from ..errors import InvalidValue, Note, UnknownName, WrongType, as_given, did_you_mean
from ..errors.remedies import Code, Option, Principle, Words
from ..geometry.random_states import random_state
from ..model.system import System
from .lagrange import WellPosedEquations
from .well_posedness import remarks, well_posed

if TYPE_CHECKING:
    from ..equations.typeset import Shown
    from .adapted_velocities import Adapted

_STATES, _MANY = 40, 3000  # random states tried, and subsets of velocities looked at one by one
_CONSTANT, _WEAK = 1e-9, 1e-3
_MOST_ROWS, _LONGEST = 3, 200  # constraints and operations above which the rows are not printed


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class ClassicalEquations(WellPosedEquations):
    """A form without multipliers; each writes A s = b for the machine and its rows for the eye.

    Attributes:
        given: positions of the dependent velocities that the user named, or None.
        names_dependent: does the form name dependent velocities even where the user did not?
        solved_constraints: are they solved in what is shown? Then it is not where their solution is too long.
    """

    given: tuple[int, ...] | None = None
    by_multipliers = False
    names_dependent: ClassVar[bool] = False
    solved_constraints: ClassVar[bool] = True

    @classmethod
    def of(cls, system: System, dependent: Any = None) -> Self:
        """The equations of this form, with these velocities dependent.

        Raises:
            DalembertError: what `well_posed` raises; E161 for velocities that cannot be the dependent ones.
        """
        decided = well_posed(system)
        return cls(
            system=decided.system,
            kept=decided.kept,
            definite=decided.definite,
            metric_definite=decided.definite,
            decided=decided,
            given=None if dependent is None else _given(decided.system, decided.kept, dependent),
        )

    @cached_property
    def named(self) -> tuple[int, ...]:
        """Positions of the dependent velocities: those given, or those whose pivots keep farthest from 0."""
        return choose(self.decided.system, self.decided.kept) if self.given is None else self.given

    @property
    def split(self) -> tuple[int, ...] | None:
        """Positions of the dependent velocities; None where a basis is chosen at each state."""
        return self.named if self.names_dependent else self.given

    @property
    def dependent(self) -> tuple[int, ...]:
        """Positions of the velocities that this form expresses by the others; none where it chooses by itself."""
        return self.split or ()

    @cached_property
    def notes(self) -> tuple[Note, ...]:
        """What was noticed, and which velocities are dependent where the form chose them."""
        words = ", ".join(self.names(self.named)) or "none"
        told = (Note("N161", f"dependent velocities: {words}"),) if self.names_dependent else ()
        return remarks(self.decided, *told)

    @cached_property
    def in_entries(self) -> None:
        """None: the rows are those of the form."""
        return None

    @cached_property
    def direct(self) -> Explicit:
        """A s = b, udot = Z s + z on the graph of `machine`."""
        return self.explicit(self.system.over(self.machine.graph))

    def explicit(self, algebra: Algebra) -> Explicit:
        """A s = b, udot = Z s + z over any algebra."""
        from .adapted_velocities import Adapted

        return self.projected(Adapted(self.system, self.kept, self.split, algebra))

    def projected(self, adapted: Adapted) -> Explicit:
        """A s = b, udot = Z s + z over split velocities."""
        raise NotImplementedError

    def names(self, positions: Sequence[int]) -> tuple[str, ...]:
        """Names of the velocities at positions."""
        return tuple(self.system.space.velocities[a].name for a in positions)

    # --- for the eye -------------------------------------------------------------------------------------------------

    @cached_property
    def adapted(self) -> Adapted:
        """The split of the velocities in formulas, for what is printed."""
        from ..calculus.readable_form import Tidied
        from .adapted_velocities import Adapted

        return Adapted(self.decided.system, self.decided.kept, self.named, Tidied(Graph()))

    @property
    def remark(self) -> str:
        """How the printed rows are split, where the numbers are computed in a basis of their own."""
        if self.given is not None or not self.decided.kept:
            return ""
        dependent = ", ".join(f"`{name}`" for name in self.names(self.named)) or "none"
        return f"written with {dependent} dependent; numbers: a basis anew at each state"

    def shown(self, udot: Mapping[sp.Symbol, sp.Symbol]) -> Shown:
        """The form's own rows for the eye, given symbols for the accelerations."""
        from ..calculus.readable_form import TooLong

        if self.solved_constraints and not self._readable:
            raise TooLong
        return self.written(udot)

    def written(self, udot: Mapping[sp.Symbol, sp.Symbol]) -> Shown:
        """The form's own rows for the eye, however long."""
        raise NotImplementedError

    @property
    def _readable(self) -> bool:
        """Can the constraints be solved in a form short enough to be read?"""
        if len(self.decided.kept) > _MOST_ROWS or not at_most(_LONGEST, self.system.lagrangian):
            return False
        return sum(operations([e for row in self.adapted.Z for e in row]).values()) <= _LONGEST

    def free_rates(self, udot: Mapping[sp.Symbol, sp.Symbol]) -> list[Node]:
        """Accelerations of the free velocities, of these symbols."""
        rates, adapted = {u.name: a for u, a in udot.items()}, self.adapted
        return [adapted.algebra.read(rates[v.key[1]]) for v in adapted.v]

    def rows(self, left: Sequence[Node], right: Sequence[Node]) -> list[tuple[Node, Node]]:
        """Rows for the eye, with dependent velocities expressed by the free ones where that is possible."""
        return list(zip(self.eliminated(left), self.eliminated(right), strict=True))

    def eliminated(self, ys: Sequence[Node]) -> list[Node]:
        """Functions of the state as functions of t, q, v; as they are where a constraint is nonlinear."""
        adapted = self.adapted
        if any(c.kind == "nonlinear" for c in self.system.constraints) or not self.decided.kept:
            return list(ys)
        N, beta = adapted.affine()
        # w = -(N D)^-1 (N Y v + beta)
        driven = adapted.times(adapted.product(N, adapted.Y, adapted.r), adapted.v)
        w = [-e for e in adapted.times(adapted.F, [a + b for a, b in zip(driven, beta, strict=True)])]
        return adapted.algebra.substitute(ys, [adapted.motion.u[a] for a in self.named], w)


def _given(system: System, kept: Sequence[int], dependent: object) -> tuple[int, ...]:
    names = dependent.replace(",", " ").split() if isinstance(dependent, str) else dependent
    if isinstance(names, sp.Symbol):
        names = [names]
    if not isinstance(names, Sequence):
        raise WrongType(
            "E161", f"dependent={as_given(dependent)} does not name velocities", 'for example dependent=("vx", "vy")'
        )
    known = [u.name for u in system.space.velocities]
    found = [str(getattr(n, "name", n)) for n in names]
    for name in found:
        if name not in known:
            raise UnknownName(
                "E161", f"dependent: {as_given(name)} is not a velocity of the space", did_you_mean(name, known)
            )
    if len(set(found)) != len(found) or len(found) != len(kept):
        raise InvalidValue(
            "E161",
            f"{len(set(found))} dependent velocities for {len(kept)} independent constraints",
            ("name one velocity per independent constraint, or leave ", Option("dependent"), " out"),
        )
    positions = tuple(known.index(n) for n in found)
    if not determined(system, kept, positions):
        raise InvalidValue(
            "E161",
            f"the constraints do not determine {', '.join(found)} by the other velocities",
            (Option("dependent", tuple(known[a] for a in choose(system, kept))), ", or leave it out"),
        )
    return positions


def determined(system: System, kept: Sequence[int], positions: Sequence[int]) -> bool:
    """Do the constraints determine these velocities by the others, at random states?"""
    return bool(_shares(_normals(system, kept), positions).max(initial=0.0) >= _CONSTANT)


def choose(system: System, kept: Sequence[int], among: Sequence[int] | None = None) -> tuple[int, ...]:
    """Dependent velocities: those whose pivots keep farthest from 0 over random states, constant pivots before others.

    Only velocities at the positions `among` are taken, by default any. The pivot is det(dphi/du_dependent); it is
    measured against the volume of all normals, each velocity in the unit in which it carries energy of order 1.
    """
    m, among = len(kept), range(len(system.space.velocities)) if among is None else among
    if not m:
        return ()
    normals = _normals(system, kept)
    if math.comb(len(among), m) > _MANY:
        import scipy.linalg

        order = scipy.linalg.qr(normals[0][:, list(among)], pivoting=True, mode="r")[1]
        return tuple(sorted(among[i] for i in order[:m]))
    return min(itertools.combinations(among, m), key=lambda subset: _rank(normals, subset))


def _rank(normals: np.ndarray, subset: tuple[int, ...]) -> tuple[bool, float, tuple[int, ...]]:
    shares = _shares(normals, subset)
    pivots = np.linalg.det(normals[:, :, list(subset)])
    constant = bool(np.ptp(pivots) <= _CONSTANT * np.abs(pivots).max()) and shares.min() > _WEAK
    return (not constant, -round(float(shares.min()), 6), subset)


def _shares(normals: np.ndarray, subset: Sequence[int]) -> np.ndarray:
    """|det N_D| over the volume of the rows of N, at each state: 1 where w alone carries the constraints, 0 where it
    cannot.
    """
    volume = np.sqrt(np.abs(np.linalg.det(normals @ np.swapaxes(normals, 1, 2))))
    return np.asarray(np.abs(np.linalg.det(normals[:, :, list(subset)])) / volume)


def _normals(system: System, kept: Sequence[int]) -> np.ndarray:
    """N (states, m, k) at random states, each velocity in the unit in which it carries energy of order 1."""
    graph = Graph()
    algebra = GraphAlgebra(graph)
    u = [graph.symbol(s.name) for s in system.space.velocities]
    rows = [gradient(algebra.read(system.constraints[s].phi), u) for s in kept]
    energies = [gradient(p, [a])[0] for p, a in zip(gradient(algebra.read(system.lagrangian), u), u, strict=True)]
    rng, found = np.random.default_rng(2), []
    for _ in range(4 * _STATES):
        values = random_state(system, rng)
        N = np.array([evaluate(row, values) for row in rows], float).reshape(len(rows), len(u))
        W = np.abs(np.array(evaluate(energies, values), float))
        unit = 1 / np.sqrt(np.where(np.isfinite(W) & (W > 1e-280), W, 1.0))
        if np.isfinite(N).all():
            scaled = N * unit
            found.append(scaled / np.linalg.norm(scaled, axis=1, keepdims=True))
        if len(found) == _STATES:
            break
    return np.array(found).reshape(-1, len(rows), len(u))


# --- refusals ------------------------------------------------------------------------------------------------------


def refuse_nonlinear(system: System, form: str, reason: str) -> None:
    """E160: a constraint that is nonlinear in the velocities, in a form that needs affine ones."""
    for c in system.constraints:
        if c.kind == "nonlinear":
            raise InvalidValue(
                "E160",
                f"{c.name} is nonlinear in the velocities: {reason}",
                (
                    *(Principle("voronec"), ", ", Principle("gibbs_appell"), ", ", Principle("maggi"), " and "),
                    *(Principle("gauss"), " take nonlinear constraints; or give the system an "),
                    *(Option("equivalent", Code("{...}")), " of linear ones"),
                ),
                f"{form} needs phi = N(t, q) u + beta(t, q); given {c.name}: {c.given}",
                subject=("constraints", c.name),
            )


def refuse_unquadratic(system: System, reason: str, instead: Words) -> None:
    """E160: a Lagrangian that is not quadratic in the velocities, in a form that needs a kinetic metric."""
    graph = Graph()
    algebra = GraphAlgebra(graph)
    u = [graph.symbol(s.name) for s in system.space.velocities]
    W = [gradient(p, u) for p in gradient(algebra.read(system.lagrangian), u)]
    if all(w.is_constant for row in W for w in row):
        return
    slopes, rng = [[gradient(w, u) for w in row] for row in W], np.random.default_rng(3)
    for _ in range(3):
        values = random_state(system, rng)
        g = np.abs(np.array([evaluate(row, values) for row in W], float))
        change = np.array([[evaluate(e, values) for e in row] for row in slopes], float) * evaluate(u, values)
        # |dg_ab/du^c u^c| beside sqrt(g_aa g_bb)
        size = np.maximum(g, np.sqrt(np.outer(np.diag(g), np.diag(g))))
        if (np.abs(change).max(axis=2) > _CONSTANT * size).any():
            raise InvalidValue(
                "E160", f"L is not quadratic in the velocities: {reason}", instead, subject=("lagrangian",)
            )
