"""Chaplygin's equations: coordinates that occur nowhere, and velocities given by linear constraints [chaplygin1897].

    w^s = A^s_i(q) v^i ,   q the independent coordinates;   L*(t, q, v) = L(t, q, v, A v)
    d/dt (dL*/dv^i) - dL*/dq^i - p_s (dA^s_i/dq^j - dA^s_j/dq^i) v^j = Q_i + A^s_i Q_s ,      p_s = dL/dw^s

They are closed in the independent coordinates alone. They need plain coordinates (qdot = u), constraints that are
linear and homogeneous in the velocities, and dependent coordinates that occur in none of L, A and the forces
[neimark1972 III].
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import sympy as sp

from ..argument_checks import public
from ..calculus.algebra import GraphAlgebra
from ..calculus.budget import budget
from ..calculus.exact.exact_rank import Wide
from ..calculus.exact.finite_field import Residues
from ..calculus.frame import TIME
from ..calculus.from_sympy import read
from ..calculus.graph import Graph
from ..calculus.simplification import searchable
from ..equations import Equations
from ..equations.saddle_form import Explicit
from ..equations.typeset import Shown
from ..errors import InvalidValue
from ..errors.remedies import Option, Principle, Words
from ..geometry.identities import decided
from ..geometry.random_states import ConstraintSampler
from ..model.system import System
from .adapted_velocities import Adapted, Matrix, acting, apart, forces
from .classical_forms import (
    ClassicalEquations,
    choose,
    determined,
    refuse_nonlinear,
)

_INSTEAD = (Principle("voronec"), " allows it")
_PLACES = 2  # random ones, at which it is looked at first
_SHORT = 40  # operations up to which an expression is simplified to see whether it is 0


@public
def chaplygin(system: System, dependent: object = None) -> Equations:
    """Chaplygin's equations, closed in the independent coordinates; no multipliers.

    Args:
        system: the given system.
        dependent: names of the velocities that the constraints express by the others, one per independent constraint.
            Left out, those are taken whose coordinates occur nowhere; a note says which.

    Raises:
        DalembertError: E106 to E114, where the system determines no motion; E136 where the look takes more than the
            system's limits; E160 where the form does not apply, with the reason; E161 for velocities that cannot be the
            dependent ones.
    """
    equations = ChaplyginEquations.of(system, dependent)
    system = equations.system
    _refuse_frame(system)
    refuse_nonlinear(system, "chaplygin", "Chaplygin's constraints are linear and homogeneous")
    with budget("the look whether Chaplygin's form applies", _INSTEAD, system.limits):
        _refuse_affine(system)
        places = _places(equations)
    if TIME.name in places:
        raise InvalidValue("E160", f"the time occurs in {places[TIME.name]}: not a Chaplygin system", _INSTEAD)
    if equations.given is None:
        equations = replace(equations, given=_choose(equations, places))
    _refuse_places(equations, places)
    return equations


# --- does the form apply? --------------------------------------------------------------------------------------------


def _refuse_frame(system: System) -> None:
    space = system.space
    plain = len(space.coordinates) == len(space.velocities) and space.anchor == sp.eye(len(space.coordinates))
    if plain and not space.brackets:
        return
    moved = [q.name for q, u in zip(space.coordinates, space.velocities, strict=False) if space.rates[q] != u]
    moved = moved or [q.name for q in space.coordinates]
    raise InvalidValue(
        "E160",
        f"the velocities are not the rates of the coordinates ({', '.join(moved)}): Chaplygin's form needs qdot = u",
        (Principle("hamel"), " and ", Principle("voronec"), " take moving frames"),
    )


def _refuse_affine(system: System) -> None:
    affine = [c for c in system.constraints if not _vanishes(c.drift)]
    if affine:
        raise InvalidValue(
            "E160",
            f"{', '.join(c.name for c in affine)}: affine, not linear homogeneous in the velocities",
            _INSTEAD,
            "\n".join(f"{c.name} at rest is {c.drift}" for c in affine),
            subject=("constraints", affine[0].name),
        )


def _vanishes(e: sp.Expr) -> bool:
    """Is the expression 0? One that is not 0 at random places is not simplified, which may take minutes."""
    graph, rng = Graph(), np.random.default_rng(8)
    node = read(e, graph)
    if not Residues(graph)(node.index):
        return True
    places = [{s.name: rng.uniform(0.3, 1.7) for s in sorted(e.free_symbols, key=str)} for _ in range(_PLACES)]
    if any(Wide(place).not_zero(node) for place in places):
        return False
    plain = sp.expand(e)
    return bool(plain == 0 or (searchable(_SHORT, plain) and sp.simplify(plain) == 0))


def _places(equations: ChaplyginEquations) -> dict[str, str]:
    """Where each coordinate occurs, and t in the constraints; coordinates that occur nowhere are left out.

    Constraints are judged by their solved form, which says the same whatever velocities are the dependent ones: does
    the space of allowed velocities depend on the coordinate?
    """
    system, found = equations.system, {}
    said = {"L": system.lagrangian}
    said |= {f"the force on {u.name}": Q for u, Q in zip(system.space.velocities, system.forces, strict=True)}
    moving = _moving(equations)
    for x in (*system.space.coordinates, TIME):
        places = [name for name, e in said.items() if x != TIME and e.has(x) and not _vanishes(e.diff(x))]
        rows = ", ".join(c.name for c in system.constraints if c.phi.has(x))
        if places or x.name in moving:
            found[x.name] = places[0] if places else rows
    return found


def _moving(equations: ChaplyginEquations) -> set[str]:
    """Names of the coordinates, or t, on which A depends in  w = A v."""
    system, kept = equations.system, equations.kept
    if not kept:
        return set()
    machine = GraphAlgebra(Graph())
    adapted = Adapted(system, kept, equations.named, machine)
    N, _ = adapted.affine()
    A = adapted.product(adapted.inverse(N), adapted.product(N, adapted.Y, adapted.r), adapted.r)
    flat, motion = [e for row in A for e in row], adapted.motion
    sampler, found = ConstraintSampler(system, (), machine), set()
    for x in (*motion.q, motion.t):
        slopes = adapted.settle(adapted.algebra.along(flat, [x], [motion.one]))
        if decided([slopes], sampler, "a slope of A").value is False:
            found.add(x.key[1])
    return found


def _choose(equations: ChaplyginEquations, places: Mapping[str, str]) -> tuple[int, ...]:
    """Dependent velocities whose coordinates occur nowhere.

    Raises:
        InvalidValue: E160, there are too few, or the constraints do not determine them.
    """
    system, kept = equations.system, equations.kept
    nowhere = [a for a, q in enumerate(system.space.coordinates) if q.name not in places]
    names = ", ".join(system.space.coordinates[a].name for a in nowhere)
    occurring = "\n".join(f"{name} occurs in {place}" for name, place in places.items() if name != TIME.name)
    if len(nowhere) < len(kept):
        raise InvalidValue(
            "E160",
            f"too few coordinates ({names or 'none'}) occur in none of L, the forces and the constraints, "
            f"{len(kept)} needed: not a Chaplygin system",
            _INSTEAD,
            occurring,
        )
    chosen = choose(system, kept, nowhere)
    if kept and not determined(system, kept, chosen):
        raise InvalidValue(
            "E160",
            f"the coordinates that occur nowhere ({names}) are not determined by the others: not a Chaplygin system",
            _INSTEAD,
            occurring,
        )
    return chosen


def _refuse_places(equations: ChaplyginEquations, places: Mapping[str, str]) -> None:
    """Refuse dependent coordinates, as named by the user, that occur somewhere."""
    for q in (equations.system.space.coordinates[a] for a in equations.named):
        if q.name in places:
            raise InvalidValue(
                "E160",
                f"the dependent coordinate {q.name} occurs in {places[q.name]}: not Chaplygin's form",
                _other(equations, places),
            )


def _other(equations: ChaplyginEquations, places: Mapping[str, str]) -> Words:
    try:
        others = _choose(equations, places)
    except InvalidValue:
        return _INSTEAD
    return (Option("dependent", tuple(equations.names(others))), " is possible; ", _INSTEAD)


# --- the equations -------------------------------------------------------------------------------------------------


class Reduced:
    """L* and what belongs to it, functions of the independent coordinates and velocities."""

    def __init__(self, lagrangian: sp.Expr, adapted: Adapted, dependent: Sequence[int]) -> None:
        self.adapted, self.algebra = adapted, adapted.algebra
        algebra, motion = self.algebra, self.adapted.motion
        free = [a for a in range(adapted.k) if a not in dependent]
        self.q = [motion.q[a] for a in free]
        N, _ = adapted.affine()
        self.Z = adapted.allowed(N, adapted.inverse(N))
        self.A = [self.Z[s] for s in dependent]
        # w^s = A^s_i v^i
        self.w = adapted.times(self.A, adapted.v)
        L = algebra.read(lagrangian)
        across = [motion.u[s] for s in dependent]
        self.L, *self.p = algebra.substitute([L, *algebra.gradient(L, across)], across, self.w)

    def rate(self, ys: Sequence[Any]) -> list[Any]:
        """d/dt at constant v of functions of the independent coordinates and t."""
        motion = self.adapted.motion
        return self.algebra.along(ys, [*self.q, motion.t], [*self.adapted.v, motion.one])

    def motion_rows(self) -> tuple[Matrix, list[Any]]:
        """A and h of  A vdot + h,  the left side of Chaplygin's equations."""
        motion, v = self.adapted.motion, self.adapted.v
        P, dL = self.algebra.gradient(self.L, v), self.algebra.gradient(self.L, self.q)
        Pdot, Adot = self.rate(P), [self.rate(row) for row in self.A]
        h = []
        for i, q in enumerate(self.q):
            # (dA^s_i/dq^j - dA^s_j/dq^i) v^j
            dw = self.algebra.along(self.w, [q], [motion.one])
            curvature = [row[i] - e for row, e in zip(Adot, dw, strict=True)]
            h.append(Pdot[i] - dL[i] - motion.sum(p * c for p, c in zip(self.p, curvature, strict=True)))
        return [self.algebra.gradient(p, v) for p in P], h

    def drift(self) -> list[Any]:
        """z with  udot = Z vdot + z."""
        return self.adapted.times(self.adapted.D, self.rate(self.w))


class ChaplyginEquations(ClassicalEquations):
    """Chaplygin's equations, in which no dependent coordinate occurs."""

    principle = "chaplygin"
    heading = """{title}: chaplygin (dependent coordinates occur nowhere; w = A v)
d/dt dL*/dv^i - dL*/dq^i - p_s (dA^s_i/dq^j - dA^s_j/dq^i) v^j = Q_i + A^s_i Q_s
[chaplygin1897]"""
    formula = (
        r"\frac{d}{dt}\frac{\partial L^*}{\partial v^i} - \frac{\partial L^*}{\partial q^i} - p_s"
        r" \left(\frac{\partial A^s_i}{\partial q^j} - \frac{\partial A^s_j}{\partial q^i}\right) v^j"
        r" = Q_i + A^s_i Q_s"
    )
    names_dependent = True

    def projected(self, adapted: Adapted) -> Explicit:
        """Chaplygin's equations for vdot,  udot = Z vdot + z."""
        L, linear = apart(self.system)
        reduced = Reduced(L, adapted, self.dependent)
        A, h = reduced.motion_rows()
        b = [
            Q - e for Q, e in zip(adapted.pull(reduced.Z, acting(self.system, adapted.motion, linear)), h, strict=True)
        ]
        return adapted.explicit(A, b, reduced.Z, reduced.drift())

    def written(self, udot: Mapping[sp.Symbol, sp.Symbol]) -> Shown:
        """L* and the rows for the free velocities."""
        system, adapted = self.system, self.adapted
        reduced = Reduced(system.lagrangian, adapted, self.named)
        A, h = reduced.motion_rows()
        acc = self.free_rates(udot)
        left = [e + rest for e, rest in zip(adapted.times(A, acc), h, strict=True)]
        (L,) = self.eliminated([reduced.L])
        rows = self.rows(left, adapted.pull(reduced.Z, forces(system, adapted.algebra)))
        return Shown([(sp.Symbol("L*"), L)], rows)
