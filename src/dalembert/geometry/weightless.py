"""Velocities that a constraint holds and L gives no kinetic energy: the constraint was probably put into L."""

from __future__ import annotations

import numpy as np

from ..calculus.exact.ranks import clearly_independent
from ..calculus.graph import evaluate, gradient
from ..calculus.hamel import Motion
from ..calculus.rank import RANK_TOLERANCE, definite, echelon
from ..calculus.slopes import numbers_of
from ..model.system import System
from .ranks import Ranks


def without_energy(system: System, decided: Ranks) -> dict[str, tuple[str, ...]]:
    """Directions n with W n = 0 that a constraint holds (N n not 0), unless all their velocities are declared massless.

    Parameters get random values here: a mass that happens to be 0 is the author's choice.

    Returns:
        ``{direction: names of constraints}``.
    """
    if decided.hidden or not decided.constraints or not decided.states:
        return {}
    algebra = system.algebra
    motion = Motion.of(system.space.frame, algebra)
    W = motion.euler_lagrange(algebra.read(system.lagrangian)).matrix
    rng = np.random.default_rng(4)
    values = {**decided.states[0], **{name: float(rng.uniform(0.5, 1.5)) for name in system.symbols}}
    matrix = numbers_of(W, len(W), values)
    if not np.isfinite(matrix).all() or not matrix.any():
        return {}
    # each velocity in the unit in which it alone carries energy of order 1
    energy = np.abs(np.diag(matrix))
    unit = 1 / np.sqrt(np.where(energy > 0, energy, energy.max(initial=0.0) or 1.0))
    scaled = (matrix + matrix.T) / 2 * unit[:, None] * unit
    if definite(scaled, RANK_TOLERANCE * float(np.linalg.norm(scaled))):
        return {}
    eigenvalues, vectors = np.linalg.eigh(scaled)
    null = vectors[:, np.abs(eigenvalues) < RANK_TOLERANCE * np.abs(eigenvalues).max()]
    if not null.size or len(clearly_independent(W, [values])) == len(W):
        return {}
    names = [u.name for u in system.space.velocities]
    light = {u.name for u in system.massless}
    rows = [gradient(c.row(motion), motion.u) for c in decided.constraints]
    normals = np.array(evaluate([e for row in rows for e in row], values), float).reshape(-1, len(W))
    found: dict[str, tuple[str, ...]] = {}
    for n in echelon((unit[:, None] * null).T):
        parts = [(name, c) for name, c in zip(names, n, strict=True) if abs(c) > 1e-9]
        if {name for name, _ in parts} <= light:
            continue
        holding = [  # a relation between positions may well hold something light
            c.name for c, row in zip(decided.constraints, normals, strict=True) if abs(row @ n) > 1e-9
        ]
        if holding:
            found[", ".join(f"{name} = {round(c, 4):g}" for name, c in parts)] = tuple(holding)
    return found
