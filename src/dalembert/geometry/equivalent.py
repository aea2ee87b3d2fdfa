"""An equivalent set of constraints that a system carries: checked, then used in place of the given one."""

from __future__ import annotations

import numpy as np

from ..calculus.graph import evaluate
from ..calculus.rank import rank_of
from ..errors import InvalidValue
from ..model.system import System
from .ranks import ranks
from .states import ConstraintSampler


def equivalent_in_force(system: System) -> System:
    """The system with its equivalent constraints in force; the system itself if it carries none.

    At random states that satisfy the equivalent set, the given constraints must hold, and their normals must span the
    same directions wherever they have their full rank.

    Raises:
        InvalidValue: E143, the sets are not equivalent, with the reason.
    """
    if not system.equivalent:
        return system
    held = system.in_force
    decided = ranks(held)
    sampler = ConstraintSampler(system)
    names = ", ".join(c.name for c in system.equivalent)
    for values in decided.states if decided.held else ():
        phi = np.array(evaluate([*sampler.phi, *sampler.positions], values), float)
        N = np.array(evaluate([e for row in sampler.normals for e in row], values), float).reshape(len(sampler.phi), -1)
        M = np.array([[float(v) for v in row] for row in decided.normals[decided.states.index(values)]])
        size = 1 + np.abs(N).max() * max(abs(values[u.name]) for u in system.space.velocities)
        if np.abs(phi).max() > 1e-8 * size:
            worst = system.constraints[int(np.argmax(np.abs(phi[: len(sampler.phi)])))].name
            raise _different(names, f"{worst} does not follow from it")
        if rank_of(np.vstack([N, M])) > rank_of(M):
            raise _different(names, "the reactions point elsewhere")
        if rank_of(N) < rank_of(M):
            raise _different(names, "it allows fewer motions")
    return held


def _different(names: str, why: str) -> InvalidValue:
    return InvalidValue(
        "E143",
        f"{names} is not equivalent to the given constraints: {why}",
        "correct either set",
        subject=("equivalent", names.partition(", ")[0]),
    )
