"""A discrete-gradient method for constrained motion in any frame: energy to rounding, order 2, symmetric.

With q = (q0 + q1)/2, u = (u0 + u1)/2, p = dL/du, the method of Gonzalez [gonzalez1996] on the nonholonomic bracket:

    q1 - q0 = h E(q) v
    p1 - p0 = h (E^T dL/dq - C v (p0 + p1)/2 + Q)  + N^T Lam - kappa W v          at (t, q, v)
    W (v - u - kappa (u1 - u0)) + N^T nu = 0                                      W, N at (t, q, u)
    phi(t, q, v) = 0 and phi(t1, q1, u1) = 0,   or f(t1, q1) = 0 in place of the first
    kappa (v W v + (u1 - u0)(p1 - p0)) = D

D is what the midpoint rule would do to the energy; where L is quadratic it is 0, and so is kappa. Multiplied by v the
second line says, to rounding:

    E1 - E0 = h v Q + Lam (N v - phi) - h dL/dt

The right side is the work of forces and of moving constraints, and is what the method reports as such. Without them
the energy is kept. That the average velocity obeys the constraints (nu) makes reactions workless, that the new velocity
does (Lam) keeps the constraints at every step. For systems without C and L of second degree this is the energy-momentum
method; discrete gradients on nonholonomic brackets: [celledoni2019].
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from ....argument_checks import noun
from ....calculus.graph import Node, gradient, substitute
from ....equations import Equations
from ....errors import InvalidValue
from ...vector_field.field import Field
from .fixed_step_methods import ANY, FixedSteps, check_reactions
from .implicit_step import OneStep, Scheme, Shift, StepPhase

ROUNDING = 2.0**-52  # of the energy's terms: at rest there is no direction in which to put the energy right


@noun
@dataclass(frozen=True)
class DiscreteGradient(FixedSteps):
    """A discrete-gradient method: energy, or the balance of work, to rounding."""

    word: ClassVar[str] = "discrete_gradient"
    sources: ClassVar[tuple[tuple[str, str], ...]] = (
        ("gonzalez1996", "the integrator: discrete gradients"),
        ("celledoni2019", "the integrator: discrete gradients with constraints"),
    )

    def scheme(self, equations: Equations) -> Scheme:
        """One step of order 2 on the equations."""
        return discrete_gradient(equations)

    def check_fit(self, field: Field) -> None:
        """E307 where multipliers are states, or the kinetic energy is not positive definite."""
        check_reactions(self.word, field.kernel.equations)
        if not field.kernel.equations.metric_definite:
            fact = f'method="{self.word}" needs a positive definite kinetic energy'
            raise InvalidValue("E307", fact, ANY)


def discrete_gradient(equations: Equations) -> Scheme:
    """One step of the discrete-gradient method."""
    step = OneStep(equations)
    motion, h, m = step.motion, step.h, len(step.kept)
    k = len(motion.u)
    ahead = [u + h * a for u, a in zip(motion.u, step.acceleration, strict=True)]
    v = step.unknowns("v", [0.5 * (a + b) for a, b in zip(motion.u, ahead, strict=True)])
    u1 = step.unknowns("u1", ahead)
    Lam, nu, kappa = step.impulses("Lam", m), step.impulses("nu", m), step.impulses("kappa", 1)
    moved = step.shift(v.symbols)
    u = [0.5 * (a + b) for a, b in zip(motion.u, u1.symbols, strict=True)]
    change = [b - a for a, b in zip(motion.u, u1.symbols, strict=True)]
    W = step.rows_at(equations.machine.metric, step.middle, moved.q, u)
    N = step.rows_at(step.normals, step.middle, moved.q, u)
    phi = step.at(step.residuals, step.middle, moved.q, v.symbols)
    kick, balance, work = _momentum(step, moved, (v.symbols, u1.symbols, change), kappa.symbols[0], W)
    reaction = step.across(N, Lam.symbols, k)
    equations_ = [a - b for a, b in zip(kick, reaction, strict=True)]
    # W (v - u - kappa (u1 - u0)) + N^T nu
    lack = [a - b - kappa.symbols[0] * c for a, b, c in zip(v.symbols, u, change, strict=True)]
    turn = step.across(N, nu.symbols, k)
    equations_ += [a + b for a, b in zip(step.along(W, lack), turn, strict=True)]
    rows = list(phi)
    for i, f in zip(step.held, step.at(step.positions, step.end, moved.q1, u1.symbols), strict=True):
        rows[i] = f
    equations_ += rows + step.at(step.residuals, step.end, moved.q1, u1.symbols)
    # of the reactions' power Lam N v only Lam (N v - phi) is work: phi is 0, or the error of f's midpoint rule
    spurious = motion.sum(a * b for a, b in zip(Lam.symbols, phi, strict=True))
    driven = motion.sum(a * b for a, b in zip(reaction, v.symbols, strict=True))
    equations_ += [balance + spurious, *moved.equations]
    phase = StepPhase((v, u1, Lam, nu, kappa, moved.unknowns), equations_)
    return Scheme((phase,), [*step.retracted(moved.q1), *u1.symbols], work + driven - spurious)


def _momentum(
    step: OneStep,
    moved: Shift,
    velocities: tuple[Sequence[Node], Sequence[Node], Sequence[Node]],
    kappa: Node,
    W: Sequence[Sequence[Node]],
) -> tuple[list[Node], Node, Node]:
    """The momentum's equation without the reaction, kappa's own, and the work of forces and of explicit time."""
    motion, h, (v, u1, change) = step.motion, step.h, velocities
    graph, k = motion.zero.graph, len(motion.u)
    L = step.equations.system.over(graph).read(step.equations.lagrangian)
    momentum = gradient(L, motion.u)
    end = (step.end, moved.q1, u1)
    pairs = list(zip(momentum, step.at(momentum, *end), strict=True))
    mean, dp = [0.5 * (a + b) for a, b in pairs], [b - a for a, b in pairs]
    middle = (step.middle, moved.q, v)
    Q = step.at([*map(step.equations.system.over(graph).read, step.equations.system.forces)], *middle)
    # E^T dL/dq
    slope = step.across(moved.anchor, step.at(gradient(L, motion.q), *middle), k)
    L_t = step.at(gradient(L, [motion.t]), *middle)[0]
    p = [graph.symbol(f"step:p:{a}") for a in range(k)]
    bent = step.at(motion.curvatures(p), *middle)
    bent = _put(bent, p, mean)
    Wv = step.along(W, v)
    # p1 - p0 - h (E^T dL/dq - C v p + Q) + kappa W v
    kick = [d - h * (s - c + f) + kappa * w for d, s, c, f, w in zip(dp, slope, bent, Q, Wv, strict=True)]
    # D = E1 - E0 + h dL/dt + h v E^T dL/dq - (v - kappa (u1 - u0)) (p1 - p0)
    E = step.equations.machine.energy
    E1 = step.at([E], *end)[0]  # E0 is the start's and the work since: so rounding does not add up
    plain = [a - kappa * b for a, b in zip(v, change, strict=True)]
    D = E1 - step.energy + h * L_t + h * step.along([v], slope)[0] - step.along([plain], dp)[0]
    floor = ROUNDING * (graph.apply("abs", E) + graph.apply("abs", L))
    size = step.along([v], Wv)[0] + step.along([change], dp)[0] + floor
    return kick, D - kappa * size, h * step.along([v], Q)[0] - h * L_t


def _put(entries: Sequence[Node], symbols: Sequence[Node], values: Sequence[Node]) -> list[Node]:
    return substitute(list(entries), {s.key[1]: value for s, value in zip(symbols, values, strict=True)})
