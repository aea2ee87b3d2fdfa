"""The almost-Poisson bracket on the constraint manifold, with momenta along the constraints [vanderschaft1994].

    L_c(t, q, v) = L on phi = 0 ,   p_i = dL_c/dv^i ,   H(t, q, p) = p_i v^i - L_c
    {q^x, p_i} = E^x_a Z^a_i ,      {p_i, p_j} = -p_c C^c_ij
    qdot^x = {q^x, H} + drift ,     pdot_i = {p_i, H} - p_c C^c_i0 + Z^a_i Q_a

[e_i, e_j] = C^c_ij e_c over all directions of the frame adapted to the constraints, p_c being those momenta on the
constraint manifold: the bracket fails Jacobi's identity where the constraints are not integrable. The index 0 belongs
to the drift of affine and of time-dependent constraints.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import sympy as sp

from ..argument_checks import public
from ..calculus.graph import operations
from ..calculus.linear_systems import Factored
from ..calculus.readable_form import TooLong
from ..calculus.symbol_letters import RATE
from ..equations import Equations
from ..equations.saddle_form import Explicit
from ..equations.typeset import Shown
from ..errors.remedies import Principle
from ..model.system import System
from .adapted_velocities import Adapted, Matrix, acting, apart, forces
from .classical_forms import ClassicalEquations, refuse_nonlinear, refuse_unquadratic

LONGEST, MOST = 120, 4  # operations and rows of a metric that is inverted for the eye


@public
def almost_poisson(system: System, dependent: object = None) -> Equations:
    """Hamilton's equations with the almost-Poisson bracket on the constraint manifold, as equations for q and u.

    Args:
        system: the given system, its Lagrangian quadratic in the velocities and its constraints affine.
        dependent: names of velocities to be expressed by the others, one per independent constraint. Left out, a basis
            along the constraints is taken anew at each state.

    Raises:
        DalembertError: E106 to E114, where the system determines no motion; E160 where the form does not apply; E161
            for velocities that cannot be the dependent ones.
    """
    equations = AlmostPoissonEquations.of(system, dependent)
    refuse_nonlinear(equations.system, "almost_poisson", "the momenta on it span no linear space")
    refuse_unquadratic(equations.system, "H has no closed form", (Principle("hamel"), " needs no Hamiltonian"))
    return equations


class AlmostPoissonSpace:
    """H and the brackets over momenta p_i along the constraints."""

    def __init__(self, lagrangian: sp.Expr, adapted: Adapted) -> None:
        self.adapted, self.algebra, self.motion = adapted, adapted.algebra, adapted.motion
        algebra, motion = self.algebra, self.motion
        self.v, self.p = (
            [algebra.read(sp.Symbol(f"{letter}:{i}", real=True)) for i in range(adapted.r)] for letter in "vp"
        )
        N, beta = adapted.affine()
        inverse = adapted.inverse(N)
        self.Z = adapted.allowed(N, inverse)
        # u = Z v + drift ,  drift = -D (N D)^-1 beta
        self.drift = [-1 * e for e in adapted.times(adapted.D, adapted.times(inverse, beta))]
        self.u = [a + b for a, b in zip(adapted.times(self.Z, self.v), self.drift, strict=True)]
        L = algebra.read(lagrangian)
        L, *self.P = algebra.substitute([L, *algebra.gradient(L, motion.u)], motion.u, self.u)
        self.Pv, r = algebra.gradient(L, self.v), adapted.r
        flat = [*(e for p in self.Pv for e in algebra.gradient(p, self.v)), *self.Pv, L]
        flat = algebra.substitute(flat, self.v, [motion.zero] * r)
        # L_c = 1/2 G(v, v) + a v + rest
        self.G, self.a, self._rest = [flat[i * r : (i + 1) * r] for i in range(r)], flat[r * r : -1], flat[-1]

    @cached_property
    def H(self) -> Any:
        """1/2 (p - a) G^-1 (p - a) - L_c at v = 0."""
        return self._energy([p - ai for p, ai in zip(self.p, self.a, strict=True)])

    @cached_property
    def rates(self) -> list[Any]:
        """v^i = dH/dp_i."""
        return self.algebra.gradient(self.H, self.p)

    def _energy(self, shifted: Sequence[Any]) -> Any:
        """H where p - a are given."""
        v = self.adapted.times(self._metric_inverse(self.G), shifted)
        return self.motion.sum(s * vi for s, vi in zip(shifted, v, strict=True)) / 2 - self._rest

    def _metric_inverse(self, G: Matrix) -> Matrix:
        """G^-1, equal to the true one at the state together with its first derivatives."""
        r = len(G)
        if not self.algebra.holds:
            return self.algebra.inverse(G)[0]
        one, zero = self.motion.one, self.motion.zero
        factored = Factored.of(G)
        K = self.adapted.hold([factored.solve([one if i == j else zero for i in range(r)]) for j in range(r)])
        # G^-1 = 2 K - K G K + O(2) ,  since K G = 1 at the state
        step = self.adapted.product(self.adapted.product(K, G, r), K, r)
        return [[2 * a - b for a, b in zip(*rows, strict=True)] for rows in zip(K, step, strict=True)]

    def brackets(self) -> tuple[Matrix, list[Any]]:
        """The tables {p_i, p_j} and -p_c C^c_i0, the momenta as functions of q and v."""
        adapted, algebra, motion, r = self.adapted, self.algebra, self.motion, range(self.adapted.r)
        columns = [adapted.column(self.Z, i) for i in r]
        flat = [e for row in self.Z for e in row]
        k, n = range(adapted.k), adapted.r
        moved = [algebra.along([*flat, *self.drift], motion.q, adapted.moved(Z)) for Z in columns]
        drifting = algebra.along(flat, [*motion.q, motion.t], [*adapted.moved(self.drift), motion.one])

        def pair(first: Sequence[Any], second: Sequence[Any], Z: Sequence[Any], Y: Sequence[Any]) -> Any:
            """-p_c [e, e']^c from e(e') - e'(e) and the frame's own brackets."""
            turned = zip(self.P, first, second, adapted.turning(Z, Y), strict=True)
            return -1 * motion.sum(p * (a - b + c) for p, a, b, c in turned)

        table = [[motion.zero] * n for _ in r]
        for i in r:
            for j in range(i):
                along = ([moved[i][a * n + j] for a in k], [moved[j][a * n + i] for a in k])
                table[i][j] = pair(*along, columns[i], columns[j])
                table[j][i] = -1 * table[i][j]
        start = adapted.k * n
        drifts = [pair(moved[i][start:], [drifting[a * n + i] for a in k], columns[i], self.drift) for i in r]
        return table, drifts

    def slopes(self) -> list[Any]:
        """dH/dq^x at fixed p."""
        return self.algebra.gradient(self.H, self.motion.q)

    def pdot(self, Q: Sequence[Any]) -> list[Any]:
        """{p_i, H} - p_c C^c_i0 + Z^a_i Q_a, with v in the tables."""
        adapted, motion = self.adapted, self.motion
        table, drifts = self.brackets()
        dH, push = self.slopes(), adapted.pull(self.Z, Q)
        found = []
        for i, row in enumerate(table):
            X = adapted.moved(adapted.column(self.Z, i))
            # {p_i, H} = {p_i, q^x} dH/dq^x + {p_i, p_j} dH/dp_j
            by_q = motion.sum(x * e for x, e in zip(X, dH, strict=True))
            by_p = motion.sum(c * v for c, v in zip(row, self.rates, strict=True))
            found.append(by_p - by_q + drifts[i] + push[i])
        return found


class Shifted(AlmostPoissonSpace):
    """An almost Poisson space for numbers, over w = p - a = G v, which are never computed as that difference.

    Where a moving frame makes a, and the mass is small, p is nearly a, and p - a keeps few digits.
    """

    @cached_property
    def w(self) -> list[Any]:
        """The symbols that stand for p - a."""
        return [self.algebra.read(sp.Symbol(f"w:{i}", real=True)) for i in range(self.adapted.r)]

    @cached_property
    def H(self) -> Any:
        """1/2 w G^-1 w - L_c at v = 0."""
        return self._energy(self.w)

    @cached_property
    def rates(self) -> list[Any]:
        """v^i = dH/dp_i = dH/dw_i."""
        return self.algebra.gradient(self.H, self.w)

    def slopes(self) -> list[Any]:
        """dH/dq^x at fixed p is  dH/dq^x - v^i da_i/dq^x  at fixed w."""
        motion, moved = self.motion, [self.algebra.gradient(a, self.motion.q) for a in self.a]
        turned = [motion.sum(v * da[x] for v, da in zip(self.v, moved, strict=True)) for x in range(len(motion.q))]
        return [e - t for e, t in zip(self.algebra.gradient(self.H, motion.q), turned, strict=True)]


class AlmostPoissonEquations(ClassicalEquations):
    """Momenta along the constraints, and brackets that need not satisfy Jacobi's identity."""

    principle = "almost_poisson"
    heading = """{title}: almost_poisson (bracket on the constraints, p_i = dL_c/dv^i)
p_i' = {{p_i, H}} + Z^a_i Q_a, {{q, p_i}} = e_i q, {{p_i, p_j}} = -p_c C^c_ij
[vanderschaft1994]"""
    formula = r"\dot p_i = \{p_i, H\} + Z^a_i Q_a,\quad \{q^x, p_i\} = E^x_a Z^a_i,\quad \{p_i, p_j\} = -p_c C^c_{ij}"

    def projected(self, adapted: Adapted) -> Explicit:
        """vdot = d/dt dH/dp along the bracket's motion,  udot = Z vdot + z."""
        L, linear = apart(self.system)
        algebra, phase, motion = adapted.algebra, Shifted(L, adapted), adapted.motion
        back = list(zip(phase.v, adapted.v, strict=True))
        w = algebra.substitute(adapted.times(phase.G, phase.v), phase.v, adapted.v)
        qdot = adapted.moved(phase.u)
        drift = algebra.along(phase.a, [*motion.q, motion.t], [*qdot, motion.one])
        # wdot = pdot - adot
        wdot = [p - a for p, a in zip(phase.pdot(acting(self.system, motion, linear)), drift, strict=True)]
        vdot = algebra.along(phase.rates, [*motion.q, motion.t, *phase.w], [*qdot, motion.one, *wdot])
        z = algebra.along(phase.u, [*motion.q, motion.t], [*qdot, motion.one])
        one = [[motion.one if i == j else motion.zero for j in range(adapted.r)] for i in range(adapted.r)]
        return adapted.explicit(one, vdot, phase.Z, z, [*back, *zip(phase.w, w, strict=True)])

    def written(self, udot: Mapping[sp.Symbol, sp.Symbol]) -> Shown:
        """Momenta, H, brackets of momenta, and the rates of the momenta."""
        system, adapted = self.system, self.adapted
        phase, algebra, r = AlmostPoissonSpace(system.lagrangian, adapted), adapted.algebra, range(adapted.r)
        if sum(operations([e for row in phase.G for e in row]).values()) > LONGEST or adapted.r > MOST:
            raise TooLong
        names = [f"p_{u.key[1]}" for u in adapted.v]
        letters = {p.key[1]: sp.Symbol(name) for p, name in zip(phase.p, names, strict=True)}
        letters |= {f"{p.key[1]}{RATE}": sp.Symbol(f"{name}{RATE}") for p, name in zip(phase.p, names, strict=True)}
        momenta = self.eliminated(algebra.substitute(phase.Pv, phase.v, adapted.v))
        pairs = [(i, j) for i in r for j in range(i + 1, adapted.r)]
        table, _ = phase.brackets()
        Q = algebra.substitute(forces(system, algebra), adapted.motion.u, phase.u)
        inside = [phase.H, *(table[i][j] for i, j in pairs), *phase.pdot(Q)]
        H, *rest = algebra.substitute(inside, phase.v, phase.rates)
        words = [*names, "H", *(f"{{{names[i]}, {names[j]}}}" for i, j in pairs)]
        meanings = [*momenta, H, *rest[: len(pairs)]]
        rates = [algebra.read(sp.Symbol(f"{p.key[1]}{RATE}")) for p in phase.p]
        rows = list(zip(rates, rest[len(pairs) :], strict=True))
        return Shown(list(zip(map(sp.Symbol, words), meanings, strict=True)), rows, self.remark, letters)
