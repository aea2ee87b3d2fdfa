"""The phase of a body that turns freely: about its momentum L, by -Omega + the integral of p . w/|L| [montgomery1991].

Reduced by all rotations in space such a body has no shape; its reduced motion is a loop p(t) of the momentum on its
sphere, |p| = |L|. After it the body has turned about L: by the dynamic phase, the integral of p . w/|L|, and by the
geometric one, the solid angle that the loop encloses, taken negative.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..calculus.graph import Graph, evaluate
from ..calculus.read import read
from ..geometry.reduce import Reduction
from ..trajectory import Trajectory

_SAME = 1e-6
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(3)


def geometric_turn(
    reduction: Reduction, path: Trajectory, total: np.ndarray, ends: tuple[np.ndarray, np.ndarray], period: float
) -> np.ndarray | None:
    """The geometric part (3,) of a turn, along the momentum in space; None where the motion is no such loop.

    Args:
        reduction: of the system by its rotations.
        path: the reduced run.
        total: the rotation vector of the whole displacement.
        ends: the rotations (3, 3) at the beginning and after the period.
        period: from the path's beginning.
    """
    if not _is_free_turning(reduction):
        return None
    t0 = float(path.t[0])
    p, _ = _momentum(reduction, path, np.array([t0, t0 + period]))
    first, last = (R @ each for R, each in zip(ends, p, strict=True))
    size = float(np.linalg.norm(first))
    if not size or np.linalg.norm(first - last) > _SAME * size:
        return None
    axis = first / size
    # total = dynamic + geometric about L, modulo 2 pi
    angle = float(total @ axis) - _dynamic(reduction, path, t0 + period) / size
    return np.asarray(((angle + np.pi) % (2 * np.pi) - np.pi) * axis)


def _is_free_turning(reduction: Reduction) -> bool:
    given, left = reduction.given, reduction.system.space
    free = not given.constraints and all(Q == 0 for Q in given.forces) and given.autonomous
    return free and not left.coordinates and len(left.velocities) == len(reduction.generators) == 3


def _momentum(reduction: Reduction, path: Trajectory, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """p and the velocities at these times, (n, 3) each."""
    system, graph = reduction.system, Graph()
    columns = path.at(times)
    known = {n: v for n, v in system.parameters.items() if v is not None}
    values: Mapping[str, Any] = {**known, **path.provenance.get("parameters", {}), **columns}
    found = evaluate([read(system.lagrangian.diff(v), graph) for v in system.space.velocities], values)
    p = np.array([np.broadcast_to(e, times.shape) for e in found], float).T
    return p, np.array([columns[v.name] for v in system.space.velocities], float).T


def _dynamic(reduction: Reduction, path: Trajectory, end: float) -> float:
    """The integral of p . w until the end, by three nodes of Gauss in each interval."""
    t = np.append(path.t[path.t < end], end)
    middle, half = (t[1:] + t[:-1]) / 2, np.diff(t) / 2
    p, w = _momentum(reduction, path, (middle[:, None] + half[:, None] * _NODES).ravel())
    return float(half @ ((p * w).sum(axis=1).reshape(len(half), 3) @ _WEIGHTS))
