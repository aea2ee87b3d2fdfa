"""The way back from a slice with coordinates of its own.

    qdot = E(q) M v ,    dM/dt = M zeta^alpha B_alpha

M carries the velocities from the slice to where the motion is.
"""

from __future__ import annotations

import numpy as np

from ..geometry.reduce import Reduction
from ..trajectory import Trajectory
from .columns import Columns, Curves, Function
from .slice import Slice
from .solved import solved


def from_slice(reduction: Reduction, path: Trajectory, values: Columns) -> tuple[Curves, str]:
    """The full columns over time, and how the group's coordinates were found."""
    work = Slice(reduction, values)
    given = reduction.given.space
    fixed = {k: v for k, v in values.items() if k not in given.by_name}
    on_slice = Function(list(reduction.velocities))
    d, k = len(work.moved), work.k

    def derivative(t: float, state: np.ndarray) -> np.ndarray:
        now = {**fixed, **path.at(float(t)), "t": float(t)}
        v = np.array(on_slice(now), float)
        M = state[d:].reshape(k, k)
        place = {**now, **dict(zip(work.moved, state[:d], strict=True))}
        turning = np.einsum("a,acb->cb", work.zeta(now) @ v, work.turning)
        return np.concatenate([work.rates(place, M @ v), (M @ turning).ravel()])

    first = np.concatenate([[values[n] for n in work.moved], work.to(values)[1].ravel()])
    sol = solved(derivative, path.t, first)

    def columns(t: np.ndarray, reduced: Columns) -> Columns:
        now, states = {**fixed, **reduced, "t": t}, sol(t)
        v = np.array([np.broadcast_to(e, np.shape(t)) for e in on_slice(now)])
        u = np.einsum("cbn,bn->cn", states[d:].reshape(k, k, -1), v)
        return {**now, **dict(zip(work.moved, states[:d], strict=True)), **dict(zip(work.names, u, strict=True))}

    return columns, f"{', '.join(work.moved)} by integration in the group"
