"""TQ = H + S + U: what the constraints and the group make of the velocities [cendra2001; bloch1996].

    V   the directions of the group            D   the velocities that the constraints allow
    S = D n V        H = the part of D orthogonal to S        U = the part of V orthogonal to S     (kinetic metric W)

H is horizontal for the *nonholonomic connection* A, whose curvature is B(X, Y) = -A([X, Y]) for X, Y in H. Everything
is written on the reduced space TQ/G, on which V are the velocities that leave the shape as it is.

On the frame (H, S, U) the constraints say that the U-velocities vanish, and the Euler-Lagrange expressions along H and
S are the horizontal and the vertical Lagrange-d'Alembert-Poincare equations; those along S are the momentum equation.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice

import numpy as np
import sympy as sp

from ..calculus.cofactors import adjugate, determinant
from ..calculus.graph import evaluate
from ..calculus.rank import rank_of
from ..calculus.read import read
from ..errors import InvalidValue
from ..model.space import Space
from ..model.system import System
from .kernel import kernel, tidy
from .quotient import Quotient
from .restrict import bracket, unlimited
from .states import Ground

_STATES, _TRIES, _WEAK = 6, 60, 1e-8


@dataclass(frozen=True, eq=False)
class Splitting:
    """The three parts over the reduced space.

    Attributes:
        quotient: the reduced system with its constraints.
        H, S, U: columns in the reduced space's velocities (k x h, k x s, k x u).
        curvature: ``{(i, j): vertical components of [H_i, H_j]}``, in the velocities, for i < j; pairs with none left
            out. The curvature of the connection is minus that.
        system: the reduced system on the frame (H, S, U): velocities ``h...``, ``s...``, ``u...``, of which the last
            are constrained to vanish.
    """

    quotient: Quotient
    H: sp.ImmutableMatrix
    S: sp.ImmutableMatrix
    U: sp.ImmutableMatrix
    curvature: dict[tuple[int, int], tuple[sp.Expr, ...]]
    system: System

    @property
    def kind(self) -> str:
        """Purely kinematic (S = 0), principal (D = TQ n ...), or general."""
        if not self.S.cols:
            return "purely kinematic (Chaplygin): the connection is the constraints"
        return "horizontal symmetries: V lies in D" if not self.U.cols else "general"

    @property
    def flat(self) -> bool:
        """Is the curvature 0?"""
        return not self.curvature

    @property
    def momenta(self) -> dict[str, sp.Expr]:
        """The momentum along each direction of S, on the constraints."""
        space = self.system.space
        u = [v for v in space.velocities if v.name.startswith("u")]
        zero = dict.fromkeys(u, sp.S.Zero)
        s = [v for v in space.velocities if v.name.startswith("s")]
        return {v.name: tidy(self.system.lagrangian.diff(v).xreplace(zero)) for v in s}

    def __str__(self) -> str:
        space, names = self.quotient.system.space, [v.name for v in self.quotient.system.space.velocities]
        lines = [f"{self.quotient.given.title or 'System'}: TQ = H + S + U, {self.kind}"]
        for letter, part in (("h", self.H), ("s", self.S), ("u", self.U)):
            lines += [f"  {letter}{j + 1} = {_field(list(part[:, j]), names)}" for j in range(part.cols)]
        shown = [f"  [h{i + 1}, h{j + 1}] vertical: {_field(row, names)}" for (i, j), row in self.curvature.items()]
        lines += shown or ["  the connection is flat"]
        lines.append(f"  on {space!r}")
        return "\n".join(line if len(line) <= 96 else f"{line[:92]} ..." for line in lines)

    __repr__ = __str__


def splitting(quotient: Quotient) -> Splitting:
    """Split the velocities of a reduced system by the kinetic metric.

    Raises:
        InvalidValue: E124, the constraints are not linear, or the dimension assumption D + V = TQ fails, or the rank of
            D n V changes, with the place.
    """
    system = quotient.system
    if any(c.kind != "linear" for c in system.constraints):
        raise InvalidValue(
            "E124", "H, S and U need constraints linear in the velocities", "da.reduce keeps other constraints"
        )
    space, u = system.space, sp.Matrix(system.space.velocities)
    k = len(u)
    N = sp.Matrix(len(system.constraints), k, [c.phi.diff(v) for c in system.constraints for v in u])
    rho = sp.Matrix(space.anchor) if space.coordinates else sp.zeros(0, k)
    _check_dimensions(system, N, rho)
    W = sp.hessian(system.lagrangian, list(u))
    S = _kernel(system, sp.Matrix.vstack(N, rho))
    across = (S.T * W).applyfunc(tidy)
    H = _kernel(system, sp.Matrix.vstack(N, across))
    U = _kernel(system, sp.Matrix.vstack(rho, across))
    frame = sp.Matrix.hstack(H, S, U)
    vertical = _curvature(space, H, S, U)
    split = _on_frame(system, frame, (H.cols, S.cols, U.cols))
    h, s, v = (sp.ImmutableMatrix(part) for part in (H, S, U))
    return Splitting(quotient, h, s, v, vertical, split)


def _kernel(system: System, A: sp.Matrix) -> sp.Matrix:
    """Columns that span the kernel of A."""
    if not any(e != 0 for e in A):
        return sp.eye(A.cols)
    columns = kernel(system, A)
    return sp.Matrix.hstack(*columns) if columns else sp.zeros(A.cols, 0)


def _check_dimensions(system: System, N: sp.Matrix, rho: sp.Matrix) -> None:
    """D + V = TQ, and D n V of one dimension: at random states on the reduced space, and where they are nearly not."""
    ground = Ground(system)
    both = sp.Matrix.vstack(N, rho)
    k, found = both.cols, []
    for values, A in _numbers(ground, both):
        m = N.rows
        D, V, S = k - rank_of(A[:m]) if m else k, k - rank_of(A[m:]) if rho.rows else k, k - rank_of(A)
        found.append((D + V - S, S, values))
    totals, inner = {total for total, _, _ in found}, {S for _, S, _ in found}
    if totals != {k}:
        least, _, values = min(found, key=lambda each: each[0])
        place = ", ".join(f"{q.name} = {values[q.name]:.3g}" for q in system.space.coordinates) or "everywhere"
        raise InvalidValue(
            "E124",
            f"the dimension assumption D + V = TQ fails: D + V has {least} of {k} dimensions at {place}",
            "the constraints hold the shape itself; da.reduce needs no such assumption",
        )
    if len(inner) > 1:
        raise InvalidValue("E124", f"D n V has {min(inner)} or {max(inner)} dimensions, depending on the place", "")


def _numbers(ground: Ground, A: sp.Matrix) -> Iterator[tuple[dict[str, float], np.ndarray]]:
    nodes = [read(e, ground.graph) for e in A]
    for values, held in islice(ground.states(23), _TRIES):
        if held:
            yield values, np.array(evaluate(nodes, values), float).reshape(A.shape)


def _curvature(space: Space, H: sp.Matrix, S: sp.Matrix, U: sp.Matrix) -> dict[tuple[int, int], tuple[sp.Expr, ...]]:
    """The part of [H_i, H_j] along S and U."""
    T = sp.Matrix.hstack(H, S, U)
    inverse, found = _inverse(T), {}
    for i, j in combinations(range(H.cols), 2):
        lie = sp.Matrix(bracket(space.frame, list(H[:, i]), list(H[:, j])))
        parts = inverse * lie
        vertical = [tidy(e) for e in T[:, H.cols :] * sp.Matrix(parts[H.cols :])]
        if any(e != 0 for e in vertical):
            found[i, j] = tuple(vertical)
    return found


def _inverse(T: sp.Matrix) -> sp.Matrix:
    return (adjugate(T) / tidy(determinant(T))).applyfunc(tidy)


def _on_frame(system: System, T: sp.Matrix, sizes: Sequence[int]) -> System:
    """The system in velocities along the columns of T, the last of which are constrained to vanish."""
    space = system.space
    names = [f"{letter}{i + 1}" for letter, size in zip("hsu", sizes, strict=True) for i in range(size)]
    taken = {q.name for q in space.coordinates} | set(system.symbols)
    names = [name if name not in taken else f"{name}_v" for name in names]
    v = [sp.Symbol(name, real=True) for name in names]
    inverse, table = _inverse(T), {}
    for a, b in combinations(range(T.cols), 2):
        row = [tidy(e) for e in inverse * sp.Matrix(bracket(space.frame, list(T[:, a]), list(T[:, b])))]
        if any(e != 0 for e in row):
            table[a, b] = row
    anchor = (sp.Matrix(space.anchor) * T).applyfunc(tidy) if space.coordinates else sp.zeros(0, T.cols)
    new = Space(
        list(space.coordinates),
        v,
        anchor,
        table,
        almost=space.almost,
        embedding=space.embedding,
        retraction=space.retraction,
        attitudes=space.attitudes,
        angles=sorted(space.angles),
    )
    there = dict(zip(space.velocities, T * sp.Matrix(v), strict=True))
    push = T.T * sp.Matrix([Q.xreplace(there) for Q in system.forces])
    return System(
        new,
        tidy(system.lagrangian.xreplace(there)),
        {f"no_{s.name}": s for s in v[sizes[0] + sizes[1] :]},
        {s: e for s, e in zip(v, push, strict=True) if e != 0},
        system.parameters,
        title=f"{system.title} on H + S + U",
        limits=unlimited(system),
    )


def _field(components: Sequence[sp.Expr], names: Sequence[str]) -> str:
    parts = [(c, n) for c, n in zip(components, names, strict=True) if c != 0]
    return " + ".join(f"e_{n}" if c == 1 else f"({c}) e_{n}" for c, n in parts) or "0"
