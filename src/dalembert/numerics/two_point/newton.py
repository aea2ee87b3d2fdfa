"""Zeros of the end map by damped steps of Levenberg's kind, no longer than a share of the point itself.

    step = -J^T (J J^T + mu)^-1 F ,   mu ~ |F|^2

With mu ~ |F|^2 steps converge quadratically also where the zeros are not isolated but form a family. A careful search
takes short steps that lessen |F| and comes to the nearest zeros; a bold one takes longer steps, after which |F| may be
larger, and comes to others too. Steps without any bound run away to motions that are of no interest.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..policy import Policy
from .shooting import Shooting, Shot

MOST = 60  # motions for one start
SHORTER, SHORTEST = 0.4, 2e-3
DAMPING = 1e-4  # mu in units of the largest singular value squared and |F|^2
STUCK = 8  # as many steps that gain less than a tenth in all
ROUNDING = 1e-15


@dataclass(frozen=True)
class Temper:
    """How far steps go and what they have to gain.

    Attributes:
        longest, reach: a step is at most longest + reach |point|, in scales.
        descent: a share s of the full step takes |F| to less than (1 - descent s) |F|; if negative, |F| may grow so.
    """

    longest: float
    reach: float
    descent: float

    def enough(self, share: float, before: float, after: float) -> bool:
        """Did a step gain what it has to?"""
        return after < before * (1 - self.descent * (share if self.descent > 0 else 1.0))


CAREFUL, BOLD = Temper(1.0, 0.3, 0.2), Temper(4.0, 1.2, -3.0)


def descend(
    problem: Shooting,
    point: np.ndarray,
    policy: Policy,
    goal: float,
    most: int = MOST,
    temper: Temper = CAREFUL,
    pressed: Callable[[], bool] = lambda: False,
) -> Shot | None:
    """From a point to one whose motion meets the end to `goal`, or as near as it comes; None where nothing runs.

    Args:
        problem: the end map.
        point: where to start.
        policy: how to integrate.
        goal: |F| that is near enough.
        most: motions.
        temper: of the steps.
        pressed: was it told to stop?
    """
    shot = best = problem.shoot(point, policy)
    count, history = 1, []
    while shot is not None and best is not None and shot.size > goal and count < most and not pressed():
        history.append(shot.size)
        if temper.descent > 0 and len(history) > STUCK and history[-1] > 0.9 * history[-1 - STUCK]:
            break
        shot, used = _next(problem, shot, policy, temper)
        count += used
        if shot is not None and shot.size < best.size:
            best = shot
    return best


def _next(problem: Shooting, shot: Shot, policy: Policy, temper: Temper) -> tuple[Shot | None, int]:
    """A shot that gains enough, and how many motions it took."""
    step = levenberg(shot.J, shot.F)
    length = float(np.linalg.norm(step))
    if not length > 0:
        return None, 0
    share = min(1.0, (temper.longest + temper.reach * float(np.linalg.norm(shot.point / problem.scale))) / length)
    used = 0
    while share > SHORTEST:
        point = problem.settled(shot.point + share * (shot.basis @ step))
        found = None if point is None else problem.shoot(point, policy)
        used += 1
        if found is not None and temper.enough(share, shot.size, found.size):
            return found, used
        share *= SHORTER
    return None, used


def levenberg(J: np.ndarray, F: np.ndarray) -> np.ndarray:
    """The step (d,) for a miss F (c,) with derivatives J (c, d)."""
    U, s, V = np.linalg.svd(J, full_matrices=False)
    if not s.size or not s[0] > 0:
        return np.zeros(J.shape[1])
    mu = DAMPING * s[0] ** 2 * min(1.0, float(F @ F)) + (ROUNDING * s[0]) ** 2
    return np.asarray(-V.T @ (s / (s**2 + mu) * (U.T @ F)))
