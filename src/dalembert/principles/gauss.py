"""Gauss's principle of least constraint, solved by the pseudo-inverse [udwadia1992].

    Z = 1/2 (udot - a)^T W (udot - a)  is least among the udot with  N udot = g ,      W a = f
    udot = a + W^-1/2 (N W^-1/2)^+ (g - N a)

All rows of N take part, dependent ones too. Any root of W serves; here W = R^T R, R = sqrt(pivots) L^T.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import sympy as sp

from ..argument_checks import public
from ..calculus.algebra import Algebra, GraphAlgebra
from ..calculus.graph import Graph, Node, operations, sqrt
from ..calculus.linear_systems import Factored, dot, householder
from ..calculus.readable_form import TooLong
from ..equations import Equations, Form
from ..equations.saddle_form import Explicit
from ..equations.typeset import Shown
from ..model.system import System
from .adapted_velocities import Adapted
from .classical_forms import ClassicalEquations

_LONGEST = 1000  # operations of the rows above which they are not printed


@public
def gauss(system: System) -> Equations:
    """Gauss's principle: the accelerations nearest to the free ones, in the kinetic metric, that the constraints allow.

    All constraint rows enter, redundant ones too; nonlinear constraints as their time derivative, which gives Chetaev's
    rule. Where some velocity carries no energy there is no root of W to invert, and Z, without its terms that hold no
    acceleration, is made least over a basis of the allowed accelerations.

    Raises:
        DalembertError: E106 to E114, where the system determines no motion.
    """
    return GaussEquations.of(system)


class GaussEquations(ClassicalEquations):
    """The accelerations are the nearest to the free ones."""

    principle = "gauss"
    heading = """{title}: gauss (least constraint, solved by the pseudo-inverse)
Z = 1/2 (u' - a)^T W (u' - a) least among N u' = g, where W a = f [udwadia1992]"""
    formula = r"Z = \tfrac12 (\dot u - a)^T W (\dot u - a) \to \min,\quad N \dot u = g,\quad W a = f"
    solved_constraints = False

    def explicit(self, algebra: Algebra) -> Explicit:
        """By the pseudo-inverse where W has a root, else over a basis of the allowed accelerations."""
        if not self.decided.definite:
            return super().explicit(algebra)
        return nearest(self.derive(algebra), self.kept, algebra)

    def projected(self, adapted: Adapted) -> Explicit:
        """dZ/ds = 0 over udot = V s + z,  Z = 1/2 udot^T W udot - f^T udot."""
        algebra, form = adapted.algebra, self.derive(adapted.algebra)
        motion, V, z = adapted.motion, adapted.Z, adapted.forced()
        s = [algebra.read(sp.Symbol(f"s:{i}", real=True)) for i in range(adapted.r)]
        udot = [a + b for a, b in zip(adapted.times(V, s), z, strict=True)]
        Wu = adapted.times(form.W, udot)
        Z = motion.sum(a * (w / 2 - f) for a, w, f in zip(udot, Wu, form.f, strict=True))
        dZ = algebra.gradient(Z, s)
        b = [-e for e in algebra.substitute(dZ, s, [motion.zero] * len(s))]
        return adapted.explicit([algebra.gradient(e, s) for e in dZ], b, V, z)

    def written(self, udot: Mapping[sp.Symbol, sp.Symbol]) -> Shown:
        """Z, without its terms that hold no acceleration, and the constraints on accelerations."""
        algebra = GraphAlgebra(Graph())
        form = self.derive(algebra)
        if sum(operations(form.entries).values()) > _LONGEST:
            raise TooLong
        acc = [algebra.read(s) for s in udot.values()]
        Wu = [dot(row, acc) for row in form.W]
        Z = dot(acc, Wu) / 2 - dot(form.f, acc)
        return Shown([(sp.Symbol("Z"), Z)], [(dot(row, acc), g) for row, g in zip(form.N, form.g, strict=True)])


def nearest(form: Form, kept: Sequence[int], algebra: Algebra) -> Explicit:
    """udot = a + W^-1/2 (N W^-1/2)^+ (g - N a)."""
    factored = Factored.of(form.W)
    root = [sqrt(pivot) for pivot in factored.pivots]
    udot = factored.solve(form.f)
    charts = []
    if kept:
        short = [g - dot(row, udot) for g, row in zip(form.g, form.N, strict=True)]
        # (N R^-1)^T = Q T ,  (N R^-1)^+ = Q_1 T^-T
        Q, _ = turned = householder([_behind(factored, root, form.N[s]) for s in kept])
        pull = [dot(row, _agreed(form, kept, short)) for row in turned.lower_inverse()]
        step = [dot(pull, [column[a] for column in Q[: len(kept)]]) for a in range(len(udot))]
        udot = [a + d for a, d in zip(udot, _before(factored, root, step), strict=True)]
        charts = [turned.determinant * turned.determinant]
    zero, one = algebra.read(0), algebra.read(1)
    identity = [[one if a == b else zero for b in range(len(udot))] for a in range(len(udot))]
    return Explicit(identity, udot, identity, [zero] * len(udot), charts)


def _agreed(form: Form, kept: Sequence[int], short: list[Node]) -> list[Node]:
    """All rows, dependent ones too, reduced to the independent ones: F^+ short, where N = F N_kept.

    (F B)^+ = B^+ F^+ for F of full column and B of full row rank.
    """
    if len(kept) == len(form.N):
        return short
    rows = [form.N[s] for s in kept]
    inner = Factored.of([[dot(a, b) for b in rows] for a in rows])
    # F = N N_kept^T (N_kept N_kept^T)^-1 ,  F^+ = (F^T F)^-1 F^T
    F = [inner.solve([dot(row, b) for b in rows]) for row in form.N]
    columns = list(zip(*F, strict=True))
    outer = Factored.of([[dot(a, b) for b in columns] for a in columns])
    return outer.solve([dot(column, short) for column in columns])


def _behind(factored: Factored, root: list[Node], row: Sequence[Node]) -> list[Node]:
    """R^-T row:  L y = row,  then y over the root of the pivots."""
    return [yi / d for yi, d in zip(factored.forward(row), root, strict=True)]


def _before(factored: Factored, root: list[Node], y: Sequence[Node]) -> list[Node]:
    """R^-1 y:  L^T x = y over the root of the pivots."""
    return factored.lower.back([yi / d for yi, d in zip(y, root, strict=True)])
