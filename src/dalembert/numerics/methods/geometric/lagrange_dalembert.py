"""The discrete Lagrange-d'Alembert principle: order 2, symmetric [cortes2001, mclachlan2006].

The discrete Lagrangian is the midpoint rule's,  L_d(q0, q1) = h L(t, q, v)  with  q = (q0 + q1)/2  and
q1 - q0 = h E(q) v. In the Hamilton-Pontryagin form, with S = mu E(q) v - L(t, q, v) and E(q)^T mu = dL/du:

    p0 + N(q0)^T Lam0 / 2 = E(q0)^T (mu + h/2 (dS/dq - F))        p0 = dL/du (q0, u0)
    phi(t, q, v) = 0, or f(t1, q1) = 0 for a constraint on positions
    p1 = E(q1)^T (mu - h/2 (dS/dq - F)) + N(q1)^T Lam1 / 2        p1 = dL/du (q1, u1)
    phi(t1, q1, u1) = 0

F being the forces in the middle, E^T F = Q. The discrete constraint is symmetric, the reaction acts at the ends; the
two halves Lam0 and Lam1 of it at one node add up to the multiplier of [cortes2001]. Holonomic constraints give RATTLE.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ....argument_checks import noun
from ....calculus.algebra import GraphAlgebra
from ....calculus.euler_lagrange import Motion
from ....calculus.frame import TIME
from ....calculus.graph import Node, evaluate, gradient, substitute, symbols
from ....calculus.linear_systems import Factored
from ....calculus.numerical_rank import rank_of
from ....equations import Equations
from ....errors import InvalidValue, Note, warn
from ...vector_field.field import Field
from .fixed_step_methods import ANY, FixedSteps, check_reactions
from .implicit_step import OneStep, Scheme, Shift, StepPhase

_COVECTOR = "step:covector"


@noun
@dataclass(frozen=True)
class DiscreteLagrangeDAlembert(FixedSteps):
    """The discrete Lagrange-d'Alembert principle: energy stays near its start for very long."""

    word: ClassVar[str] = "dla"
    sources: ClassVar[tuple[tuple[str, str], ...]] = (
        ("cortes2001", "the integrator: discrete Lagrange-d'Alembert"),
        ("mclachlan2006", "the integrator: discrete Lagrange-d'Alembert"),
    )

    def scheme(self, equations: Equations) -> Scheme:
        """One step of order 2 on the equations."""
        return lagrange_dalembert(equations)

    def check_fit(self, field: Field) -> None:
        """E307 where multipliers are states, or the rates of the coordinates do not determine the velocities."""
        equations = field.kernel.equations
        check_reactions(self.word, equations)
        if equations.space.almost or _anchor_rank(field) < len(equations.space.velocities):
            fact = (
                f'method="{self.word}" needs velocities that the rates of the coordinates determine (qdot = E u), and'
            )
            raise InvalidValue("E307", f"{fact} brackets that follow from E: this space has others", ANY)

    def doubts(self, equations: Equations) -> tuple[Note, ...]:
        """W308 where the long-time behaviour is promised for other systems than this one."""
        graph, who = equations.machine.graph, "the discrete Lagrange-d'Alembert method"
        if any(not equations.system.over(graph).read(Q).is_zero for Q in equations.system.forces):
            fact = f"forces act: that {who} keeps the energy near its start is known without"
        elif TIME.name in symbols([equations.machine.energy, *equations.machine.phi]):
            fact = f"the system knows the time: it has no energy that {who} could keep near"
        else:
            return ()
        return (warn("W308", f'{fact}; method="discrete_gradient" keeps the work balance', 5),)


def _anchor_rank(field: Field) -> int:
    """Rank of E at the start."""
    motion = Motion(field.equations.space.frame, GraphAlgebra(field.equations.machine.graph))
    flat: list[Any] = evaluate([e for row in motion.anchor for e in row], field.values(field.start.t, field.first))
    return int(rank_of(np.array(flat, float).reshape(len(motion.q), len(motion.u)))) if motion.q else 0


def lagrange_dalembert(equations: Equations) -> Scheme:
    """One step of the discrete Lagrange-d'Alembert method."""
    step = OneStep(equations)
    motion, h, m = step.motion, step.h, len(step.kept)
    k = len(motion.u)
    L = equations.system.over(motion.zero.graph).read(equations.lagrangian)
    momentum = gradient(L, motion.u)
    v = step.unknowns("v", [u + 0.5 * h * a for u, a in zip(motion.u, step.acceleration, strict=True)])
    u1 = step.unknowns("u1", [u + h * a for u, a in zip(motion.u, step.acceleration, strict=True)])
    before, after = step.impulses("before", m), step.impulses("after", m)
    moved = step.shift(v.symbols)
    mu, slope = _middle(step, L, moved, v.symbols)
    # p0 + N(q0)^T Lam0 / 2 - E(q0)^T (mu + h/2 dS/dq)
    leaving = step.across(motion.anchor, [a + 0.5 * h * b for a, b in zip(mu, slope, strict=True)], k)
    push = step.across(step.normals, before.symbols, k)
    first = [p + 0.5 * r - left for p, r, left in zip(momentum, push, leaving, strict=True)]
    first += _discrete_constraints(step, moved, v.symbols) + moved.equations
    # p1 - E(q1)^T (mu - h/2 dS/dq) - N(q1)^T Lam1 / 2
    q1, end = moved.q1, (step.end, moved.q1, u1.symbols)
    anchor = step.rows_at(motion.anchor, step.end, q1, motion.u)
    arriving = step.across(anchor, [a - 0.5 * h * b for a, b in zip(mu, slope, strict=True)], k)
    push = step.across(step.rows_at(step.normals, *end), after.symbols, k)
    second = [p - a - 0.5 * r for p, a, r in zip(step.at(momentum, *end), arriving, push, strict=True)]
    second += step.at(step.residuals, *end)
    phases = (StepPhase((v, before, moved.unknowns), first), StepPhase((u1, after), second))
    return Scheme(phases, [*step.retracted(q1), *u1.symbols])


def _discrete_constraints(step: OneStep, moved: Shift, v: Sequence[Node]) -> list[Node]:
    """phi(t, q, v) in the middle, and f(t1, q1) for constraints on positions."""
    rows = step.at(step.residuals, step.middle, moved.q, v)
    ends = step.at(step.positions, step.end, moved.q1, v)
    for i, f in zip(step.held, ends, strict=True):
        rows[i] = f
    return rows


def _middle(step: OneStep, L: Node, moved: Shift, v: Sequence[Node]) -> tuple[list[Node], list[Node]]:
    """mu and dS/dq - F in the middle, as covectors on the coordinates."""
    motion, graph = step.motion, L.graph
    k = len(motion.u)
    free = [graph.symbol(f"{_COVECTOR}:{i}") for i in range(len(motion.q))]
    E, L_u = moved.anchor, step.at(gradient(L, motion.u), step.middle, moved.q, v)
    Q = step.at([*map(step.equations.system.over(graph).read, step.equations.system.forces)], step.middle, moved.q, v)
    # E^T mu = dL/du with mu = E (E^T E)^-1 dL/du
    gram = Factored.of([[motion.sum(row[a] * row[b] for row in E) for b in range(a + 1)] for a in range(k)])
    mu, F = (step.along(E, gram.solve(covector)) for covector in (L_u, Q))
    # S = mu E(q) v - L(t, q, v), q being retracted
    S = motion.sum(c * rate for c, rate in zip(free, motion.qdot, strict=True)) - L
    surface = dict(zip((q.key[1] for q in motion.q), step.retracted(motion.q), strict=True))
    slope = gradient(substitute([S], surface)[0], motion.q)
    middle = [0.5 * (a + b) for a, b in zip(motion.q, moved.q1, strict=True)]
    values = {c.key[1]: value for c, value in zip(free, mu, strict=True)}
    there = substitute(step.at(slope, step.middle, middle, v), values)
    return mu, [s - f for s, f in zip(there, F, strict=True)]
