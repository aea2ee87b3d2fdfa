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

from ....calculus.graph import Node, gradient, substitute
from ....calculus.linear import Factored
from ....calculus.read import read
from ....equations import Equations
from .one_step import OneStep, Phase, Scheme, Shift

_COVECTOR = "step:covector"


def lagrange_dalembert(equations: Equations) -> Scheme:
    """One step of the discrete Lagrange-d'Alembert method."""
    step = OneStep(equations)
    motion, h, m = step.motion, step.h, len(step.kept)
    k = len(motion.u)
    graph = motion.zero.graph
    L = read(equations.lagrangian, graph)
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
    phases = (Phase((v, before, moved.unknowns), first), Phase((u1, after), second))
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
    Q = step.at([read(e, graph) for e in step.equations.system.forces], step.middle, moved.q, v)
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
