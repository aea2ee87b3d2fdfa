"""Velocities split along the constraints: free ones v and dependent ones w, with  u = Y v + D w.

    phi^s(t, q, Y v + D w) = 0  determines w,    N = dphi/du,    N D invertible
    Z = du/dv = Y - D (N D)^-1 N Y               (k x r; its columns span the allowed velocities: N Z = 0)

Two choices of the constant matrices Y, D serve the classical forms.

*Named*: some of the velocities are the dependent ones. This is how the forms are written in books, and it fails where
N D is singular, although the motion is determined there.

*Local*: an orthonormal basis along and across the constraints at the state itself, in the unit of each velocity. It is
regular wherever the constraints are. The accelerations at a state do not depend on the basis in which they are
computed, so each state may have its own, which is held fixed in derivatives.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any

import sympy as sp

from ..calculus.algebra import Algebra
from ..calculus.euler_lagrange import Motion
from ..calculus.linear_systems import Orthogonal, householder
from ..equations.saddle_form import WEAK_PIVOT, Explicit
from ..model.system import System

Matrix = list[list[Any]]


class Adapted:
    """The split of the velocities at a state, over an algebra.

    Attributes:
        motion: the frame as read into the algebra.
        L: the Lagrangian.
        phi: independent constraints on velocities (m).
        N: their normals dphi/du (m x k).
        Y, D: u = Y v + D w (k x r and k x m), constant; on the graph symbols that `settle` replaces by numbers.
        F: (N D)^-1 at the state (m x m), constant likewise.
        left: v = left u (r x k).
        v: values of the free velocities at the state (r).
        charts: functions of the state, positive where the split is regular: how far the share of the dependent
            velocities in the constraints is above `WEAK_PIVOT`, where they are named; and the constraints' volume.
    """

    def __init__(self, system: System, kept: Sequence[int], dependent: Sequence[int] | None, algebra: Algebra) -> None:
        self.algebra, self.motion = algebra, Motion.of(system.space.frame, algebra)
        self.L = algebra.read(system.lagrangian)
        self.phi = [algebra.read(system.constraints[s].phi) for s in kept]
        self.N = [algebra.gradient(p, self.motion.u) for p in self.phi]
        self._held: dict[Any, Any] = {}
        self.charts: list[Any] = []
        if dependent is not None or not self.phi:
            self._name(tuple(dependent or ()))
        else:
            self._orient()

    @property
    def k(self) -> int:
        """How many velocities there are."""
        return len(self.motion.u)

    @property
    def m(self) -> int:
        """How many independent constraints there are."""
        return len(self.phi)

    @property
    def r(self) -> int:
        """How many velocities are free."""
        return self.k - self.m

    # --- the two choices -----------------------------------------------------------------------------------------

    def _name(self, dependent: tuple[int, ...]) -> None:
        """w are the velocities at the positions `dependent`, v the others."""
        free = [a for a in range(self.k) if a not in dependent]
        zero, one = self.motion.zero, self.motion.one
        self.Y = [[one if a == i else zero for i in free] for a in range(self.k)]
        self.D = [[one if a == i else zero for i in dependent] for a in range(self.k)]
        self.left = [[one if a == i else zero for a in range(self.k)] for i in free]
        self.v = [self.motion.u[i] for i in free]
        M = [[row[a] for a in dependent] for row in self.N]
        inverse, determinant = self.algebra.inverse(M) if M else ([], self.motion.one)
        self.F = self.hold(inverse)
        if self.m and self.algebra.holds:
            unit = self._units()
            volume = self._factored(unit).determinant
            # (det N_D / volume of N)^2, both in units of the velocities
            share = reduce(lambda a, b: a * b, (unit[a] for a in dependent), determinant) / volume
            self.charts = [share * share - WEAK_PIVOT**2, volume * volume]

    def _orient(self) -> None:
        """v and w are components along and across the constraints, where each velocity alone carries energy 1/2."""
        unit = self._units()
        factored = self._factored(unit)
        across, along = factored.Q[: self.m], factored.Q[self.m :]
        self.Y = self.hold([[unit[a] * y[a] for y in along] for a in range(self.k)])
        self.D = self.hold([[unit[a] * d[a] for d in across] for a in range(self.k)])
        self.left = [[y[a] / unit[a] for a in range(self.k)] for y in along]
        self.v = self.times(self.left, self.motion.u)
        # N D = R^T
        self.F = self.hold(factored.lower_inverse())
        volume = factored.determinant
        self.charts = [volume * volume]

    def _units(self) -> list[Any]:
        """The size of each velocity that alone carries energy 1/2."""
        p = self.algebra.gradient(self.L, self.motion.u)
        return [_unit(self.algebra.gradient(pa, [u])[0]) for pa, u in zip(p, self.motion.u, strict=True)]

    def _factored(self, unit: list[Any]) -> Orthogonal:
        """(N unit)^T = Q R."""
        return householder([[n * s for n, s in zip(row, unit, strict=True)] for row in self.N])

    def hold(self, A: Matrix) -> Matrix:
        """The entries at the state, as something that derivatives take for constant."""
        if not self.algebra.holds:
            return A
        values = [e for row in A for e in row]
        if self._held:
            values = self.algebra.substitute(values, list(self._held), list(self._held.values()))
        entries = iter([self._held_symbol(value) for value in values])
        return [[next(entries) for _ in row] for row in A]

    def _held_symbol(self, value: Any) -> Any:
        if value.is_constant:
            return value
        symbol = value.graph.symbol(f"held:{value.index}")
        self._held[symbol] = value
        return symbol

    # --- what follows from the split -----------------------------------------------------------------------------

    def times(self, A: Sequence[list[Any]], x: Sequence[Any]) -> list[Any]:
        """A x."""
        return [self.motion.sum(a * xi for a, xi in zip(row, x, strict=True)) for row in A]

    def product(self, A: Sequence[list[Any]], B: Matrix, columns: int) -> Matrix:
        """A B, B having so many columns."""
        return [[self.motion.sum(a * b[c] for a, b in zip(row, B, strict=True)) for c in range(columns)] for row in A]

    def inverse(self, N: Matrix) -> Matrix:
        """(N D)^-1, equal to the true one at the state together with its first derivatives."""
        if not self.algebra.holds:
            return self.F
        # (N D)^-1 = 2 F - F (N D) F + O(2) ,  since F N D = 1 at the state
        step = self.product(self.product(self.F, self.product(N, self.D, self.m), self.m), self.F, self.m)
        return [[2 * f - s for f, s in zip(*rows, strict=True)] for rows in zip(self.F, step, strict=True)]

    def allowed(self, N: Matrix, inverse: Matrix) -> Matrix:
        """Z = Y - D (N D)^-1 N Y."""
        slopes = self.product(self.product(self.D, inverse, self.m), self.product(N, self.Y, self.r), self.r)
        return [[y - s for y, s in zip(*rows, strict=True)] for rows in zip(self.Y, slopes, strict=True)]

    @property
    def Z(self) -> Matrix:
        """Z at the state."""
        return self.allowed(self.N, self.F)

    def forced(self) -> list[Any]:
        """z with  N z + drift = 0,  the part of udot that the constraints alone determine:  udot = Z s + z."""
        drift = self.motion.derivative(self.phi).rest
        return [-1 * e for e in self.times(self.D, self.times(self.F, drift))]

    def column(self, Z: Matrix, alpha: int) -> list[Any]:
        """One column of Z."""
        return [row[alpha] for row in Z]

    def pull(self, Z: Matrix, p: Sequence[Any]) -> list[Any]:
        """Z^a_alpha p_a."""
        return [self.motion.sum(row[c] * pa for row, pa in zip(Z, p, strict=True)) for c in range(self.r)]

    def moved(self, y: Sequence[Any]) -> list[Any]:
        """qdot^i = E^i_a y^a for a velocity y."""
        return self.times(self.motion.anchor, y)

    def turning(self, Z: Sequence[Any], u: Sequence[Any]) -> list[Any]:
        """C^c_ab Z^a u^b."""
        turning = [self.motion.zero] * self.k
        for (a, b), row in self.motion.brackets.items():
            area = Z[a] * u[b] - Z[b] * u[a]
            turning = [c + C * area for c, C in zip(turning, row, strict=True)]
        return turning

    def explicit(
        self,
        A: Matrix,
        b: list[Any],
        Z: Matrix,
        z: list[Any],
        local: Sequence[tuple[Any, Any]] = (),
    ) -> Explicit:
        """A s = b, udot = Z s + z, with the `local` symbols and what was held fixed put in."""
        flat = self.settle([e for row in (*A, *Z) for e in row] + b + z, local)
        r, k = len(b), len(z)
        rows = [flat[i * r : (i + 1) * r] for i in range(r + k)]
        rest = flat[(r + k) * r :]
        return Explicit(rows[:r], rest[:r], rows[r:], rest[r:], self.charts)

    def settle(self, ys: Sequence[Any], local: Sequence[tuple[Any, Any]] = ()) -> list[Any]:
        """Functions of the state: the `local` symbols, then what was held fixed, put in."""
        if local:
            ys = self.algebra.substitute(ys, [x for x, _ in local], [value for _, value in local])
        return self.algebra.substitute(ys, list(self._held), list(self._held.values())) if self._held else list(ys)

    # --- affine constraints --------------------------------------------------------------------------------------

    def affine(self) -> tuple[Matrix, list[Any]]:
        """N and beta, functions of t and q alone, of  phi = N u + beta."""
        at_rest = [self.motion.zero] * self.k
        flat = self.algebra.substitute([*(n for row in self.N for n in row), *self.phi], self.motion.u, at_rest)
        return [flat[s * self.k : (s + 1) * self.k] for s in range(self.m)], flat[self.m * self.k :]


def forces(system: System, algebra: Algebra) -> list[Any]:
    """Q_a."""
    return [algebra.read(Q) for Q in system.forces]


def _unit(energy: Any) -> Any:
    """1/sqrt(|W_aa|), or 1 for a velocity that carries no energy."""
    graph = energy.graph
    if energy.is_constant:
        return graph.constant(abs(energy.value) ** -0.5 if energy.value else 1.0)
    size = graph.apply("abs", energy)
    return 1 / graph.apply("sqrt", graph.apply("select", graph.apply("lt", 1e-280, size), size, 1))


# --- gyroscopic forces: terms of L linear in the velocities ----------------------------------------------------------
#     L = L' + a_b(t, q) u^b ,      -EL_a(a_b u^b) = F_ab u^b - da_a/dt
#     F_ab = e_a(a_b) - e_b(a_a) - C^c_ab a_c                      (e_a = E^i_a d/dq^i; antisymmetric)
#
# Where a mass is small, the momentum dL/du is nearly a; in a form over momenta of an adapted frame a is multiplied by
# brackets that cancel, and what is left keeps few digits of the small mass. Of a only the curl acts.

Linear = dict[sp.Symbol, sp.Expr]  # {u: a}
Term = Any  # an expression or a node


def apart(system: System) -> tuple[sp.Expr, Linear]:
    """L' and a: the Lagrangian without the terms that are written linear in the velocities, and their coefficients."""
    return _parted(system.lagrangian, frozenset(system.space.velocities))


def acting(system: System, motion: Motion, linear: Mapping[sp.Symbol, sp.Expr]) -> list[Term]:
    """Q_a + F_ab u^b - da_a/dt."""
    Q, algebra = forces(system, motion.algebra), motion.algebra
    if not linear:
        return Q
    a = [algebra.read(linear.get(u, sp.S.Zero)) for u in system.space.velocities]
    held = algebra.along(a, [motion.t], [motion.one])
    Q = [force - e for force, e in zip(Q, held, strict=True)]
    for (i, j), F in _curl(motion, a).items():
        Q[i] = Q[i] + F * motion.u[j]
        Q[j] = Q[j] - F * motion.u[i]
    return Q


def _curl(motion: Motion, a: Sequence[Term]) -> dict[tuple[int, int], Term]:
    """F_ij for i < j, where it is not 0."""
    slopes = [motion.algebra.gradient(e, motion.q) for e in a]
    found = {}
    for j in range(len(a)):
        for i in range(j):
            # e_i(a_j) - e_j(a_i) - C^c_ij a_c
            along = motion.sum(e * slopes[j][x] for x, e in motion.columns[i])
            across = motion.sum(e * slopes[i][x] for x, e in motion.columns[j])
            turned = motion.sum(C * e for C, e in zip(motion.bracket(i, j), a, strict=True))
            F = along - across - turned
            if motion.zero != F:
                found[i, j] = F
    return found


def _parted(e: sp.Expr, velocities: frozenset[sp.Symbol]) -> tuple[sp.Expr, Linear]:
    """An expression without its terms linear in the velocities, and the coefficients of these."""
    if e in velocities:
        return sp.S.Zero, {e: sp.S.One}
    if e.is_Add:
        parts = [_parted(term, velocities) for term in e.args]
        names = {u for _, linear in parts for u in linear}
        sums = {u: sp.Add(*(linear[u] for _, linear in parts if u in linear)) for u in names}
        return sp.Add(*(rest for rest, _ in parts)), sums
    if e.is_Mul:
        moving = [factor for factor in e.args if factor.free_symbols & velocities]
        if len(moving) == 1:
            fixed = sp.Mul(*(factor for factor in e.args if factor is not moving[0]))
            rest, linear = _parted(moving[0], velocities)
            return fixed * rest, {u: fixed * a for u, a in linear.items()}
    return e, {}
