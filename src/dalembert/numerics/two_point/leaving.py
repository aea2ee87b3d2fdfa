"""Points near other curves, told by one that is known: its mirror images, and what leaves it at conjugate points.

Where z* has a conjugate point at t_c, motions z beside it end where it ends, to first order. Those that go on doing so,

    missed(tau, z) = missed(tau, z*) ,

are followed from t_c to the last time: off z* they go as the root of tau - t_c, and join the ends there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ..policy import Policy
from .conjugate import conjugate
from .curve import Curve
from .flight import Smooth
from .setting import Setting
from .shooting import Shooting

STEPS, NEWTON, MOST = 16, 8, 12  # of a way, of an iteration; conjugate points of a curve
SIZES = 0.02 * 2.0 ** np.arange(9)  # how far beside the curve a way may begin, in scales
REACHED = 1e-8


def near(setting: Setting, curve: Curve, policy: Policy) -> Iterator[np.ndarray]:
    """Points from which other curves may be reached."""
    problem, point = setting.problem, curve.shot.point
    yield -point
    n = len(problem.first) - 1
    ends = (
        np.array([problem.first[s.name] for s in problem.equations.space.coordinates]),
        curve.shot.y[: len(problem.equations.space.coordinates)],
    )
    if np.allclose(*ends, rtol=REACHED, atol=REACHED * float(problem.way.max())):
        yield -curve.shot.y[len(ends[0]) : len(ends[0]) + len(point)]  # the same backwards
    if isinstance(curve.flight, Smooth) and problem.met is None and not (curve.degenerate or curve.idle) and n:
        for t in (conjugate(problem, curve.flight, curve.seen) or ())[:MOST]:
            for sign in (1.0, -1.0):
                found = _followed(problem, curve, t, sign, policy)
                if found is not None:
                    yield found


def _followed(problem: Shooting, curve: Curve, first: float, sign: float, policy: Policy) -> np.ndarray | None:
    """The point at the last time of what leaves a curve at a conjugate point to one side; None where it is lost."""
    there = curve.flight.at(np.array([first]))
    if there is None:
        return None
    J = problem.end.missed(there[0][0], there[1][0])[1]
    way = sign * curve.shot.basis @ np.linalg.svd(J)[2][-1]
    way /= np.linalg.norm(way / problem.scale)
    line = [curve.shot.point]
    for j in range(1, STEPS + 1):
        t = first + (problem.end.t - first) * (j / STEPS) ** 2
        tried = [2 * line[-1] - line[-2]] if j > 1 else [line[0] + size * way for size in SIZES]
        found = (_solved(problem, curve, t, point, policy) for point in tried)
        least = np.linalg.norm((line[-1] - line[0]) / problem.scale) / 2 + SIZES[0] / 4
        off = [z for z in found if z is not None and np.linalg.norm((z - line[0]) / problem.scale) > least]
        if not off:
            return None
        line.append(off[0])
    return line[-1]


def _solved(problem: Shooting, curve: Curve, t: float, point: np.ndarray, policy: Policy) -> np.ndarray | None:
    """The point near another whose motion is at t where the curve is."""
    known, at = curve.flight.at(np.array([t])), replace(problem, end=replace(problem.end, t=t))
    if known is None:
        return None
    goal = problem.end.missed(known[0][0], known[1][0])[0]
    for _ in range(NEWTON):
        settled = problem.settled(point)
        shot = None if settled is None else at.shoot(settled, policy)
        if shot is None or settled is None:
            return None
        step = shot.basis @ np.linalg.lstsq(shot.J, goal - shot.F, rcond=1e-12)[0]
        if np.linalg.norm(step / problem.scale) > 1 + np.linalg.norm(point / problem.scale):
            return None
        point = settled + step
        if np.linalg.norm(step / problem.scale) <= REACHED:
            return point
    return None
