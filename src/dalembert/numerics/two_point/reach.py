"""How far motions of a given speed come under linear constraints, forces left aside: the sizes of things.

Random smooth velocities are carried along the constraints. A coordinate that only the constraints move, as the height
of the Heisenberg system, so gets a size of its own, whatever the units of the others.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ...calculus.frame import TIME
from ...calculus.graph import evaluate
from ...calculus.read import read
from ...equations import Equations

CURVES, STEPS = 16, 16
YIELDING = 1e6  # a velocity without energy gives way to a constraint so much more than one with
ENOUGH, DOUBLINGS, BELOW = 0.5, 90, 60  # part of the way to come, and speeds tried, the first so far below


class Reach(NamedTuple):
    """Root mean squares over random curves.

    Attributes:
        coordinates: how far each goes (n,).
        velocities: how large each is (k,).
    """

    coordinates: np.ndarray
    velocities: np.ndarray


def reach(
    equations: Equations, values: Mapping[str, float], duration: float, size: np.ndarray, massive: np.ndarray
) -> Reach:
    """From the start with velocities of so many (k,) in `duration`; those not `massive` follow from constraints."""
    space, graph, form = equations.space, equations.machine.graph, equations.machine.form
    k, n = len(size), len(space.coordinates)
    linear = all(c.kind != "nonlinear" for c in equations.constraints)
    rows = [e for row in form.N for e in row] if linear else []
    nodes = [*(read(e, graph) for e in space.anchor), *rows]
    names = [q.name for q in space.coordinates]
    q0 = np.array([values[name] for name in names])
    q, most, speeds = np.tile(q0, (CURVES, 1)), np.zeros((CURVES, n)), np.zeros(k)
    w = np.random.default_rng(1).normal(size=(2, CURVES, k)) * np.where(massive | (not linear), size, 0.0)
    weight = np.where(massive, 1.0, YIELDING) * size
    rest = {name: 0.0 for name in equations.states[n:]}
    for i in range(STEPS):
        where = {**rest, **values, **dict(zip(names, q.T, strict=True)), TIME.name: values[TIME.name]}
        flat = np.stack([np.broadcast_to(np.asarray(e, float), CURVES) for e in evaluate(nodes, where)], axis=1)
        E, N = flat[:, : n * k].reshape(-1, n, k), flat[:, n * k :].reshape(CURVES, -1, k)
        phase = np.pi * (i + 0.5) / STEPS
        u = _kept(w[0] * np.cos(phase) + w[1] * np.sin(phase), N * weight, weight)
        q = _restored(equations, q + duration / STEPS * np.einsum("cnk,ck->cn", E, u), q0)
        most, speeds = np.maximum(most, np.abs(q - q0)), speeds + (u**2).mean(axis=0) / STEPS
    return Reach(np.sqrt((most**2).mean(axis=0)), np.sqrt(speeds))


def _kept(u: np.ndarray, N: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Velocities (c, k) brought to N u = 0, N in units of the weights."""
    if not N.shape[1]:
        return u
    length = np.linalg.norm(N, axis=2, keepdims=True)
    N = N / np.where(length > 0, length, 1.0)
    inverse = np.linalg.pinv(N, rcond=1e-10)
    return np.asarray(u - weight * np.einsum("ckm,cm->ck", inverse, np.einsum("cmk,ck->cm", N, u / weight)))


def _restored(equations: Equations, q: np.ndarray, first: np.ndarray) -> np.ndarray:
    """The coordinates of rotations brought back to the length that they have."""
    names = [s.name for s in equations.space.coordinates]
    for attitude in equations.space.attitudes.values():
        at = [names.index(s.name) for s in attitude.coordinates]
        length = np.linalg.norm(q[:, at], axis=1, keepdims=True)
        q[:, at] *= np.linalg.norm(first[at]) / np.where(length > 0, length, 1.0)
    return q


def speed(
    equations: Equations,
    values: Mapping[str, float],
    way: Mapping[str, float],
    duration: float,
    unit: np.ndarray,
    massive: np.ndarray,
    straight: np.ndarray,
) -> float:
    """The least of doubled speeds with which motions come about as far as wanted, in units of velocities.

    Args:
        equations: whose constraints.
        values: the start.
        way: how far each wanted coordinate has to go.
        duration: the time for it.
        unit: velocities of the same energy (k,).
        massive: which carry any (k,).
        straight: velocities of the straight way (k,).
    """
    usual = float(np.linalg.norm(straight / unit)) or 1 / (duration * float(unit.max()))
    least = float(np.linalg.norm((straight / unit)[massive]))
    if not equations.constraints or (massive.all() and not any(way.values())):
        return least or usual
    names = [q.name for q in equations.space.coordinates]
    places, wanted = [names.index(n) for n in way], ENOUGH * np.abs(list(way.values()))
    first = least or usual * 2.0**-BELOW
    with np.errstate(all="ignore"):
        for i in range(DOUBLINGS):
            found = reach(equations, values, duration, first * 2.0**i * unit, massive).coordinates[places]
            if np.all(found >= wanted):
                return first * 2.0**i
    return usual
