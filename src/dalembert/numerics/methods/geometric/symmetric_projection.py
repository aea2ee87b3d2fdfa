"""Symmetric projection of the midpoint rule: constraints at every step, order 2, reversible [hairer2006, V.4.1].

    y0~ = y0 + B(y0) mu ,   (y1~ - y0~)/h = f(t, (y0~ + y1~)/2) ,   y1 = y1~ + B(y1) mu ,   g(t1, y1) = 0

f are the equations of motion, g the constraints, and B leads back to them along the kinetic metric: W^-1 N^T for
velocities, E W^-1 N^T for coordinates. It uses nothing but the equations, and so serves every principle: multipliers
that are states go along.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from ....argument_checks import noun
from ....calculus.graph import Node
from ....calculus.linear_systems import Factored
from ....equations import Equations
from .fixed_step_methods import FixedSteps
from .implicit_step import OneStep, Scheme, StepPhase, UnknownKind


@noun
@dataclass(frozen=True)
class SymmetricProjection(FixedSteps):
    """Symmetric projection of the midpoint rule: for every set of equations."""

    word: ClassVar[str] = "symmetric_projection"
    sources: ClassVar[tuple[tuple[str, str], ...]] = (("hairer2006", "the integrator: symmetric projection (V.4.1)"),)

    def scheme(self, equations: Equations) -> Scheme:
        """One step of order 2 on the equations."""
        return symmetric_projection(equations)


def symmetric_projection(equations: Equations) -> Scheme:
    """One step of the symmetrically projected midpoint rule."""
    step = OneStep(equations)
    motion, h, m = step.motion, step.h, len(step.kept)
    ahead = [u + h * a for u, a in zip(motion.u, step.acceleration, strict=True)]
    v = step.unknowns("v", [0.5 * (a + b) for a, b in zip(motion.u, ahead, strict=True)])
    u1 = step.unknowns("u1", ahead)
    Lam, mu = step.impulses("Lam", m), step.impulses("mu", m)
    places, q1, coordinates, rows = _coordinates(step, v.symbols, u1)
    # u0~ = u0 + W^-1 N^T mu, u1~ = u1 - W^-1 N^T mu
    back = _back(step, step.normals, mu.symbols, (step.start, motion.q, motion.u))
    forth = _back(step, step.normals, mu.symbols, (step.end, q1, u1.symbols))
    u0_ = [a + b for a, b in zip(motion.u, back, strict=True)]
    u1_ = [a - b for a, b in zip(u1.symbols, forth, strict=True)]
    lam1, lam = _multipliers(step, Lam.symbols)
    form = equations.machine.form.rows(step.kept)
    W, N, fg = (
        step.rows_at(part, step.middle, places, v.symbols, lam) for part in (form.W, form.N, [[*form.f, *form.g]])
    )
    k = len(motion.u)
    # W (u1~ - u0~) - N^T Lam = h f,  N (u1~ - u0~) = h g,  v = (u0~ + u1~)/2
    change = [b - a for a, b in zip(u0_, u1_, strict=True)]
    push = step.across(N, Lam.symbols, k)
    residuals = [a - b - h * f for a, b, f in zip(step.along(W, change), push, fg[0][:k], strict=True)]
    residuals += [a - h * g for a, g in zip(step.along(N, change), fg[0][k:], strict=True)]
    residuals += [x - 0.5 * (a + b) for x, a, b in zip(v.symbols, u0_, u1_, strict=True)]
    residuals += step.at(step.residuals, step.end, q1, u1.symbols) + rows
    phase = StepPhase((v, u1, Lam, mu, *coordinates), residuals)
    return Scheme((phase,), [*step.retracted(q1), *u1.symbols, *lam1])


def _coordinates(
    step: OneStep, v: Sequence[Node], u1: UnknownKind
) -> tuple[list[Node], list[Node], list[UnknownKind], list[Node]]:
    """Coordinates in the middle and at the end, their unknowns, and the equations of these."""
    motion, held = step.motion, step.held
    moved = step.shift(v, implicit=bool(held))
    q1 = moved.q1
    if not held:
        return moved.q, q1, [moved.unknowns], moved.equations
    mu = step.impulses("mu_q", len(held))
    normals = [step.normals[i] for i in held]
    shifts = []
    for t, q, u in ((step.start, motion.q, motion.u), (step.end, q1, u1.symbols)):
        anchor = step.rows_at(motion.anchor, t, q, u)
        shifts.append(step.along(anchor, _back(step, normals, mu.symbols, (t, q, u))))
    # q0~ = q0 + E W^-1 N^T mu, q1~ = q1 - E W^-1 N^T mu
    q0_ = [a + b for a, b in zip(motion.q, shifts[0], strict=True)]
    q1_ = [a - b for a, b in zip(q1, shifts[1], strict=True)]
    middle = step.retracted([0.5 * (a + b) for a, b in zip(q0_, q1_, strict=True)])
    rates = step.along(step.rows_at(motion.anchor, step.middle, middle, motion.u), v)
    rows = [b - a - step.h * r for a, b, r in zip(q0_, q1_, rates, strict=True)]
    return middle, q1, [moved.unknowns, mu], rows + step.at(step.positions, step.end, q1, u1.symbols)


def _back(
    step: OneStep,
    normals: Sequence[Sequence[Node]],
    mu: Sequence[Node],
    place: tuple[Node, Sequence[Node], Sequence[Node]],
) -> list[Node]:
    """W^-1 N^T mu at a time and state."""
    k = len(step.motion.u)
    push = step.across(step.rows_at(normals, *place), mu, k)
    if not step.equations.metric_definite:
        return push
    return Factored.of(step.rows_at(step.equations.machine.metric, *place)).solve(push)


def _multipliers(step: OneStep, Lam: Sequence[Node]) -> tuple[list[Node], list[Node]]:
    """Multipliers that are states, at the end and in the middle; Lam are their changes."""
    equations, graph = step.equations, step.motion.zero.graph
    lam0 = [graph.symbol(s.name) for s in equations.states_of_multipliers]
    lam1 = list(lam0)
    for row, change in zip(step.kept, Lam, strict=True):
        if lam0:
            lam1[row] = lam0[row] + change
    return lam1, [0.5 * (a + b) for a, b in zip(lam0, lam1, strict=True)]
