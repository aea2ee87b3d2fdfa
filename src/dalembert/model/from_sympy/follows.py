"""Does a velocity follow from the coordinates?

A scalar v = A_a(t, q) u^a + b(t, q) is the rate of a function of t and q, and an angular velocity that of an attitude,
where the Maurer-Cartan equations hold [bloch2015]

    E_a(A_b) - E_b(A_a) - C^c_ab A_c = 0            dA_a/dt - E_a(b) = 0                for each component of a velocity
    E_a(A_b) - E_b(A_a) - C^c_ab A_c = A_a x A_b    dA_a/dt - E_a(b) = b x A_a          for an angular velocity in space
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import sympy as sp

from ...calculus.algebra import Machine
from ...calculus.graph import Graph, Node, substitute
from ...calculus.hamel import Motion
from ...calculus.rank import sized
from ..space import TOLERANCE, Space

_SAMPLES = 3


def follows(space: Space, components: Sequence[sp.Expr], turning: bool = False) -> bool:
    """Are these velocities, all components of one, rates of functions of t and q? `turning`: of an attitude."""
    algebra = Machine(Graph())
    motion = Motion.of(space.frame, algebra)
    read = [algebra.read(e) for e in components]
    A = [algebra.gradient(v, motion.u) for v in read]  # A[i][a]
    b = substitute(read, {u.name: 0.0 for u in space.velocities})
    known = {s.name for e in components for s in e.free_symbols} | {s.name for s in space.frame.letters}
    own = {s.name for s in space}
    rest = [e for e in _curl(motion, A, b, turning) if not e.is_zero]
    rng = np.random.default_rng(0)
    for _ in range(_SAMPLES if rest else 0):
        values, sizes = sized(rest, {"t": float(rng.normal()), **space.sample(rng, sorted(known - own - {"t"}))})
        if not (np.abs(values) <= TOLERANCE * np.maximum(sizes, 1e-300)).all():
            return False
    return True


def _curl(motion: Motion, A: Sequence[Sequence[Node]], b: Sequence[Node], turning: bool) -> list[Node]:
    """What has to vanish."""
    k, n = len(motion.u), len(A)
    along = [[motion.algebra.along(row, motion.q, [E[a] for E in motion.anchor]) for row in A] for a in range(k)]
    drift = [motion.algebra.along(b, motion.q, [E[a] for E in motion.anchor]) for a in range(k)]
    in_time = [motion.algebra.along(row, [motion.t], [motion.one]) for row in A]
    found = []
    for a, c in itertools.combinations(range(k), 2):
        bracket = motion.bracket(a, c)
        found += [
            along[a][i][c] - along[c][i][a] - motion.sum(C * A[i][s] for s, C in enumerate(bracket) if not C.is_zero)
            - (_cross([row[a] for row in A], [row[c] for row in A], i) if turning else motion.zero)
            for i in range(n)
        ]  # fmt: skip
    for a in range(k):
        found += [
            in_time[i][a] - drift[a][i] - (_cross(b, [row[a] for row in A], i) if turning else motion.zero)
            for i in range(n)
        ]
    return found


def _cross(x: Sequence[Node], y: Sequence[Node], i: int) -> Node:
    j, k = (i + 1) % 3, (i + 2) % 3
    return x[j] * y[k] - x[k] * y[j]
