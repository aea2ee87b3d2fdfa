"""Horizontal combinations of generators, written down: S = D n V.

    y = s^alpha(q) x_alpha   with   N y = 0

The coefficients s solve A s = 0, A^s_alpha = N^s_a x^a_alpha. They are functions of the place, so that the momentum
p_a y^a of such a combination is in general not conserved:

    d/dt (p_a y^a) = p_a x^a_alpha ds^alpha/dt + s^alpha delta_alpha L + Q_a y^a

delta_alpha L, the change of L under a generator, is 0 for a symmetry.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sympy as sp

from ..calculus.algebra import Symbolic
from ..calculus.hamel import Motion
from ..calculus.simplification import at_most
from ..model.symmetry import Generator
from ..model.system import System
from .kernel import TIDIED, kernel, on_space, tidy

_LONGEST = 120  # operations of A that is solved in symbols
_COEFFICIENT = 60  # operations up to which a coefficient of velocities is simplified


@dataclass(frozen=True)
class Section:
    """One horizontal combination of generators.

    Attributes:
        coefficients: ``{generator: s^alpha(q)}``, those that are not 0.
        components: y^a(q).
        momentum: p_a y^a.
        rate: d/dt of it along the motion, p_a x^a_alpha ds^alpha/dt + s^alpha delta_alpha L + Q_a y^a.
    """

    coefficients: dict[str, sp.Expr]
    components: tuple[sp.Expr, ...]
    momentum: sp.Expr
    rate: sp.Expr

    def __str__(self) -> str:
        words = " + ".join(name if s == 1 else f"({s}) ({name})" for name, s in self.coefficients.items())
        return f"horizontal: {words}; d/dt ({self.momentum}) = {self.rate}"


def horizontal(
    system: System, given: Sequence[Generator], kept: Sequence[int], changing: Sequence[bool] = ()
) -> tuple[Section, ...]:
    """A basis of the horizontal combinations, or none where they are too long to be written down.

    Args:
        system: the system.
        given: the generators.
        kept: positions of independent constraints.
        changing: does each generator change L? None does if left out.
    """
    u, m = sp.Matrix(system.space.velocities), len(kept)
    if not given or any(system.constraints[s].kind == "nonlinear" for s in kept):
        return ()
    X = sp.Matrix([list(g.components) for g in given]).T
    N = sp.Matrix([[system.constraints[s].phi.diff(v) for v in u] for s in kept]) if m else sp.zeros(0, len(u))
    A = (N * X).applyfunc(tidy)
    if not at_most(_LONGEST, *A):
        return ()
    changing = changing or [False] * len(given)
    deltas = [_change(system, X[:, i]) if changes else sp.S.Zero for i, changes in enumerate(changing)]
    return tuple(_section(system, given, X, s, deltas) for s in kernel(system, A))


def _section(
    system: System, given: Sequence[Generator], X: sp.Matrix, s: sp.Matrix, deltas: Sequence[sp.Expr]
) -> Section:
    space = system.space
    p = sp.Matrix([sp.factor_terms(system.lagrangian.diff(u)) for u in space.velocities])
    y = X * s
    # ds/dt = ds/dq qdot
    sdot = s.applyfunc(lambda e: sum((e.diff(q) * rate for q, rate in space.rates.items()), sp.S.Zero))
    push = sum((Q * ya for Q, ya in zip(system.forces, y, strict=True)), sp.S.Zero)
    coefficients = {g.name: e for g, e in zip(given, s, strict=True) if e != 0}
    change = sum((e * delta for e, delta in zip(s, deltas, strict=True)), sp.S.Zero)
    rate = (p.T * X * sdot)[0] + change + push
    momentum, rate = (readable(system, e) for e in ((p.T * y)[0], rate))
    return Section(coefficients, tuple(y.applyfunc(tidy)), momentum, rate)


def readable(system: System, e: sp.Expr) -> sp.Expr:
    """A function that is polynomial in the velocities, its coefficients simplified, if that is shorter."""
    u = system.space.velocities
    short = tidy(e)
    if at_most(TIDIED, e) or not e.is_polynomial(*u):
        return short
    terms = sp.collect(sp.expand(e), u, evaluate=False)
    collected = sum((tidy(on_space(system.space, c), _COEFFICIENT) * m for m, c in terms.items()), sp.S.Zero)
    return min(short, sp.factor_terms(collected), collected, key=sp.count_ops)


def _change(system: System, x: sp.Matrix) -> sp.Expr:
    """delta L = (dL/dq^i) E^i_a x^a + (dL/du^a) (dx^a/dt + C^a_bc u^b x^c)."""
    motion, L = Motion(system.space.frame, Symbolic()), system.lagrangian
    dq = [motion.sum(e * xa for e, xa in zip(row, x, strict=True)) for row in motion.anchor]
    du = motion.algebra.along(list(x), motion.q, motion.qdot)
    for (b, c), row in motion.brackets.items():
        area = motion.u[b] * x[c] - motion.u[c] * x[b]
        du = [d + C * area for d, C in zip(du, row, strict=True)]
    (change,) = motion.algebra.along([L], [*motion.q, *motion.u], [*dq, *du])
    return change
