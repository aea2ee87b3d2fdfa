"""The almost-Poisson structure of a system without constraints, on its (almost) space, over positions and momenta.

    {q^i, p_a} = E^i_a ,   {p_a, p_b} = -p_c C^c_ab + B_ab ,   H = p_a u^a - L ,   zdot = Pi dH

B are the forces Q_a = B_ab u^b with B_ab = -B_ba, which do no work: of a magnetic field, or of what a part of L that is
linear in the velocities leaves where constraints are left out (`restrict`).

On a reduced space of shapes and momenta this is the reduced distributional Hamiltonian system [cushman1995 Theorem 3]:
where Pi is regular its inverse is the form omega-bar with  xi _| omega-bar = dH.  The form is closed where the Jacobi
identity holds, and in general neither is so.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, islice, product
from typing import Any

import sympy as sp

from ..answer import Answer, all_of
from ..argument_checks import public
from ..calculus.exact.exact_rank import eliminated
from ..calculus.from_sympy import read
from ..calculus.graph import Node, tangent
from ..calculus.simplification import adjugate, determinant
from ..errors import InvalidValue
from ..errors.remedies import Principle
from ..model.scalar import scalar
from ..model.system import System
from .generators import needs_system
from .identities import decided, points
from .random_states import ConstraintSampler
from .restriction import derivation, restrict
from .summary_lines import Summary
from .symbolic_null_space import tidy, vanishes

MOST = 60  # operations up to which H and the inverse metric are simplified
_POINTS = 2  # at which the rank is taken


@dataclass(frozen=True, eq=False)
class Phase:
    """Positions and momenta with their bracket.

    Attributes:
        system: without constraints.
        coordinates: q, then the momenta ``p_<velocity>``.
        momenta: each momentum as a function of q and u.
        bivector: Pi, with {f, g} = df Pi dg.
        hamiltonian: H(q, p).
    """

    system: System
    coordinates: tuple[sp.Symbol, ...]
    momenta: dict[sp.Symbol, sp.Expr]
    bivector: sp.ImmutableMatrix
    hamiltonian: sp.Expr

    def bracket(self, f: Any, g: Any) -> sp.Expr:
        """{f, g} = (df/dz_i) Pi_ij (dg/dz_j) of two functions of the positions and momenta.

        Raises:
            InvalidValue: E104, a name that is neither of these nor a parameter.
        """
        slopes = [sp.Matrix([e.diff(z) for z in self.coordinates]) for e in (self._read(f), self._read(g))]
        return tidy((slopes[0].T * self.bivector * slopes[1])[0], MOST)

    def _read(self, f: Any) -> sp.Expr:
        own = {z.name: z for z in self.coordinates} | dict(self.system.symbols)
        e = scalar(f, "a function")
        unknown = sorted({s.name for s in e.free_symbols} - set(own))
        if unknown:
            raise InvalidValue("E104", f"the function holds {', '.join(unknown)}", f"use {', '.join(own)}")
        return e.xreplace({s: own[s.name] for s in e.free_symbols})

    @cached_property
    def rates(self) -> dict[sp.Symbol, sp.Expr]:
        """zdot = Pi dH of each coordinate, without the forces that do work."""
        dH = sp.Matrix([self.hamiltonian.diff(z) for z in self.coordinates])
        return dict(zip(self.coordinates, (self.bivector * dH).applyfunc(tidy), strict=True))

    @cached_property
    def form(self) -> sp.ImmutableMatrix:
        """omega-bar: the matrix with  xi^i omega_ij = dH_j.

        Raises:
            InvalidValue: E124, Pi is singular everywhere: positions or momenta can be left out.
        """
        det = tidy(determinant(sp.Matrix(self.bivector)))
        if det == 0 or self.rank < len(self.coordinates):
            raise InvalidValue(
                "E124",
                f"the bracket has rank {self.rank} on {len(self.coordinates)} positions and momenta: it has no inverse",
                "use the bivector",
            )
        # zdot = Pi dH  and  zdot^T omega = dH^T :  omega = (Pi^T)^-1 = -Pi^-1
        return sp.ImmutableMatrix((-adjugate(sp.Matrix(self.bivector)) / det).applyfunc(tidy))

    @cached_property
    def rank(self) -> int:
        """The rank of Pi at almost every point."""
        sampler, Pi = self._entries
        ranks = (
            len(eliminated([{c: here(e.index) for c, e in enumerate(row)} for row in Pi]))
            for here in islice(points(sampler), _POINTS)
        )
        return max(ranks, default=0)

    @cached_property
    def answer(self) -> Answer:
        """Does the Jacobi identity hold? Where Pi is regular: is omega-bar closed?"""
        sampler, Pi = self._entries
        z, moving = [sampler.graph.symbol(s.name) for s in self.coordinates], [p.name for p in self.momenta]
        # X_i = Pi_il d_l ,  J_ijk = X_i Pi_jk + cyclic
        along = [[tangent(row, z, X) for row in Pi] for X in Pi]
        each = combinations(range(len(z)), 3)
        rows = (along[i][j][k] + along[j][k][i] + along[k][i][j] for i, j, k in each)
        return all_of(decided([[e]], sampler, "Jacobi's sum", moving) for e in rows if not e.is_zero)

    @property
    def poisson(self) -> bool:
        """`answer`, which is refused (E158) where it was not decided."""
        return bool(self.answer)

    def __str__(self) -> str:
        told = Summary(
            f"{self.system.title or 'System'}: almost-Poisson structure", ".momenta, .hamiltonian, .bivector"
        )
        told.add("coordinates", ", ".join(str(z) for z in self.coordinates))
        told.add("momenta", ", ".join(f"{p} = {e}" for p, e in self.momenta.items()))
        told.add("H", str(self.hamiltonian))
        for (i, z), (j, y) in combinations(enumerate(self.coordinates), 2):
            if self.bivector[i, j] != 0:
                told.add("bracket", f"{{{z}, {y}}} = {self.bivector[i, j]}")
        B, u = _gyroscopic(self.system), sp.Matrix(self.system.space.velocities)
        left = zip(u, self.system.forces, B * u, strict=True)
        if working := [s.name for s, Q, still in left if not vanishes(Q - still)]:
            told.add("left out", f"what the forces on {', '.join(working)} do")
        words = {True: "holds: Poisson", False: "fails: no Poisson structure", None: ""}
        told.add(
            "Jacobi", f"{words.get(self.answer.value) or self.answer}; rank {self.rank} of {len(self.coordinates)}"
        )
        return str(told)

    __repr__ = __str__

    @cached_property
    def _entries(self) -> tuple[ConstraintSampler, list[list[Node]]]:
        """Random positions, and Pi on their graph."""
        sampler = ConstraintSampler(self.system, ())
        return sampler, [[read(e, sampler.graph) for e in row] for row in self.bivector.tolist()]


@public
def phase_space(system: System) -> Phase:
    """The almost-Poisson structure of a system whose Lagrangian is quadratic in the velocities.

    A system with linear constraints is restricted first, see `da.symmetry.restrict`: `Phase.system` is then on the
    velocities that they allow.

    Raises:
        WrongType: E101, not a system.
        InvalidValue: E114, the constraints leave no motion; E124, constraints that are not linear, or L is not
            quadratic.
    """
    needs_system(system, "phase_space")
    with derivation(system, "the almost-Poisson structure"):
        return _phase(restrict(system).system if system.constraints else system)


def _phase(system: System) -> Phase:
    space = system.space
    u, q = sp.Matrix(space.velocities), space.coordinates
    W = sp.hessian(system.lagrangian, list(u))
    if W.free_symbols & {*u}:
        raise InvalidValue("E124", "L is not quadratic in the velocities: H has no closed form", Principle("hamel"))
    p = sp.Matrix([sp.Symbol(f"p_{v.name}", real=True) for v in u])
    still = dict.fromkeys(u, sp.S.Zero)
    a = sp.Matrix([system.lagrangian.diff(v).xreplace(still) for v in u])
    inverse = (adjugate(W) / tidy(determinant(W), MOST)).applyfunc(tidy)
    # H = 1/2 (p - a) W^-1 (p - a) - L at rest
    H = tidy(((p - a).T * inverse * (p - a))[0] / 2, MOST) - system.lagrangian.xreplace(still)
    n, k = len(q), len(u)
    Pi = sp.zeros(n + k, n + k)
    for i, b in product(range(n), range(k)):
        Pi[i, n + b] = space.anchor[i, b]
        Pi[n + b, i] = -space.anchor[i, b]
    B = _gyroscopic(system)
    for b, c in combinations(range(k), 2):
        # {p_b, p_c} = -p_d C^d_bc + B_bc
        turned = sum((pd * C for pd, C in zip(p, space.frame.bracket(b, c), strict=True)), sp.S.Zero)
        Pi[n + b, n + c] = tidy(B[b, c] - turned)
        Pi[n + c, n + b] = -Pi[n + b, n + c]
    momenta = {pa: tidy(system.lagrangian.diff(v)) for pa, v in zip(p, u, strict=True)}
    return Phase(system, (*q, *p), momenta, sp.ImmutableMatrix(Pi), H)


def _gyroscopic(system: System) -> sp.Matrix:
    """B (k x k) of the forces linear in the velocities: their antisymmetric part, Q_a = B_ab u^b + ..."""
    u = system.space.velocities
    still = dict.fromkeys(u, sp.S.Zero)
    A = sp.Matrix(len(u), len(u), [Q.diff(s).xreplace(still) for Q in system.forces for s in u])
    return (A - A.T) / 2
