"""The action of a curve,  S = int L dt,  L as it was given, by Gauss's rule on steps that end at its nodes."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ...calculus.frame import TIME
from ...calculus.graph import Node, evaluate
from .flight import Flight
from .shooting import Shooting

POINTS, FIRST, LAST = 10, 8, 256  # nodes of a panel, and how many panels at first and at most
SETTLED = 1e-13  # relative to the integral of |L|
NOISE = 1e-6  # an action of this size, beside that of a motion with velocities of their scales, may be rounding


def lagrangian(problem: Shooting) -> Node:
    """L on the equations' graph."""
    return problem.equations.system.over(problem.equations.machine.graph).read(problem.equations.system.lagrangian)


def along(problem: Shooting, t: np.ndarray, y: np.ndarray) -> np.ndarray:
    """L (N,) at times (N,) and states (N, n)."""
    values = {**problem.parameters, **dict(zip(problem.equations.states, y.T, strict=True)), TIME.name: t}
    values |= {} if problem.met is None else problem.met.along(t)
    return np.broadcast_to(np.asarray(evaluate([lagrangian(problem)], values)[0], float), t.shape)


def action(problem: Shooting, flight: Flight) -> tuple[float, float]:
    """S of a motion, and the integral of |L|, in which differences of S count, not less than a
    small part of that of a typical motion.

    Panels are halved until nothing changes. NaN where the motion is cut off.
    """
    panels, before = FIRST, np.inf
    typical = np.r_[[problem.first[s.name] for s in problem.equations.space.coordinates], problem.scale]
    least = NOISE * abs(float(along(problem, np.array([problem.t]), typical[None])[0])) * (problem.end.t - problem.t)
    while True:
        found, size = _sum(problem, flight, panels)
        size = max(size, least)
        if not np.isfinite(found) or abs(found - before) <= SETTLED * size or panels >= LAST:
            return found, size
        panels, before = 2 * panels, found


def gauss(edges: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights of Gauss's rule on each panel, (N,) in their order."""
    x, w = np.polynomial.legendre.leggauss(POINTS)
    h = np.diff(edges)
    return (edges[:-1, None] + h[:, None] * (1 + x) / 2).ravel(), (h[:, None] * w / 2).ravel()


def _sum(problem: Shooting, flight: Flight, panels: int) -> tuple[float, float]:
    """S and the integral of |L| with so many panels between the instants at which the motion goes on otherwise."""
    ends = pairwise([problem.t, *flight.cuts, problem.end.t])
    t, weight = gauss(np.unique(np.concatenate([np.linspace(a, b, panels + 1) for a, b in ends])))
    found = flight.at(t)
    if found is None:
        return float("nan"), 0.0
    L = along(problem, t, found[0])
    return float(weight @ L), float(weight @ np.abs(L))
