"""Is the Euler-Lagrange expression on a submanifold that of the whole, pulled back? For any curve there, in numbers.

    J^T (EL(L) - Q) = EL(L_Lambda) - Q_Lambda ,      J^T EL(phi) = EL(phi on Lambda) ,      J = dU/dv

at random places, velocities and accelerations there: udot = d/dt U = J vdot + (dU/ds) sdot + dU/dt.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
import sympy as sp

from ..calculus.algebra import Machine
from ..calculus.frame import TIME
from ..calculus.graph import Graph, Node, evaluate
from ..calculus.hamel import Affine, Motion
from ..calculus.rank import sized
from ..model.system import System
from .states import ConstraintSampler, Values

HOLDS = 1e-9  # of the size of the terms
_STATES, _TRIES = 4, 40


@dataclass(frozen=True)
class Agreement:
    """How far expressions of Lagrange's on a leaf are off those of the whole, over the size of their terms.

    Attributes:
        lagrangian: of L and the forces.
        constraints: of each constraint, ``{name: ...}``: one that the leaf takes up has none there.
    """

    lagrangian: float
    constraints: Mapping[str, float]

    @property
    def holds(self) -> bool:
        """Are all the same?"""
        return max(self.lagrangian, *self.constraints.values(), 0.0) <= HOLDS

    def __str__(self) -> str:
        rows = ", ".join(f"{name} {off:.1e}" for name, off in self.constraints.items())
        return f"pulled back from the whole: L {self.lagrangian:.1e}{', ' if rows else ''}{rows} of the terms"


def agreement(
    whole: System,
    leaf: System,
    back: Sequence[sp.Expr],
    rows: Mapping[str, sp.Expr],
    constants: Mapping[str, float | None],
) -> Agreement:
    """Compare the whole and the leaf at random curves on it, known to second order.

    Args:
        whole, leaf: the systems.
        back: coordinates and velocities of the whole, as functions on the leaf.
        rows: its constraints on the leaf.
        constants: of the leaf, by name.
    """
    lift, ground = _Back(leaf, back, len(whole.space.coordinates)), ConstraintSampler(leaf)
    phis = {c.name: c.phi for c in whole.constraints}
    expressions = [whole.lagrangian, *(phis[n] for n in rows)], [leaf.lagrangian, *rows.values()]
    sides = [_Rows(s, e) for s, e in zip((whole, leaf), expressions, strict=True)]
    rng, off = np.random.default_rng(8), []
    drawn = (values for values, held in islice(ground.states(7), _TRIES) if held)
    for values in islice(drawn, _STATES):
        held = {**whole.parameters, **constants}
        values |= {n: float(rng.uniform(0.5, 1.5)) if v is None else float(v) for n, v in held.items()} | values
        vdot = rng.normal(size=len(leaf.space.velocities))
        there, udot, J = lift(whole, values, vdot)
        (above, size), (below, other) = sides[0](there, udot), sides[1](values, vdot)
        scale = size @ np.abs(J) + other
        off.append(np.abs(above @ J - below).max(axis=1) / np.where(scale.max(axis=1) > 0, scale.max(axis=1), 1.0))
    worst = np.max(off, axis=0) if off else np.full(1 + len(rows), np.inf)
    return Agreement(float(worst[0]), dict(zip(rows, map(float, worst[1:]), strict=True)))


class _Back:
    """From the leaf to the whole: places, velocities, their rates, and J."""

    def __init__(self, leaf: System, back: Sequence[sp.Expr], places: int) -> None:
        algebra = leaf.over(Graph())
        motion = Motion.of(leaf.space.frame, algebra)
        nodes = [algebra.read(e) for e in back]
        moved = motion.derivative(nodes[places:])
        self.k, self.nodes = len(nodes) - places, [*nodes, *moved.rest, *_flat(moved.matrix)]

    def __call__(self, whole: System, values: Values, vdot: np.ndarray) -> tuple[Values, np.ndarray, np.ndarray]:
        """State of the whole by name, udot (k,), J (k, r)."""
        found, n = np.array(evaluate(self.nodes, values), float), len(whole.space.coordinates)
        named = {s.name: float(v) for s, v in zip(whole.space, found, strict=False)}
        rest, J = found[n + self.k : n + 2 * self.k], found[n + 2 * self.k :].reshape(self.k, -1)
        return {**values, **named, TIME.name: values[TIME.name]}, J @ vdot + rest, J


class _Rows:
    """EL of some expressions, the first less the forces, and the sizes of their terms."""

    def __init__(self, system: System, expressions: Sequence[sp.Expr]) -> None:
        algebra: Machine = system.over(Graph())
        motion = Motion.of(system.space.frame, algebra)
        found: list[Affine] = [motion.euler_lagrange(algebra.read(e)) for e in expressions]
        self.k, self.count = len(motion.u), len(found)
        self.nodes = [e for each in found for e in (*_flat(each.matrix), *each.rest)]
        self.nodes += [algebra.read(q) for q in system.forces]

    def __call__(self, values: Values, udot: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(rows, k) and their sizes."""
        (flat, sizes), k = sized(self.nodes, values), self.k
        pushed = np.vstack([flat, sizes])[:, len(flat) - k :]
        blocks = np.vstack([flat, sizes])[:, : len(flat) - k].reshape(2, self.count, k * k + k)
        W, rest = blocks[..., : k * k].reshape(2, -1, k, k), blocks[..., k * k :]
        found, size = W[0] @ udot + rest[0], W[1] @ np.abs(udot) + rest[1]
        found[0], size[0] = found[0] - pushed[0], size[0] + pushed[1]
        return found, size


def _flat(matrix: Iterable[Sequence[Node]]) -> list[Node]:
    return [e for row in matrix for e in row]
