"""The search: points to start from, one after the other, each followed to a zero of the end map or given up."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...calculus import budget
from ..policy import Policy
from . import initial_guesses as guessing
from .boundary_conditions import Setting
from .differentiated_motion import Smooth
from .extremal_curve import Curve, conjugate, polished, same
from .shooting import BOLD, CAREFUL, Shooting, Shot, Temper, descend

# ---------------------------------------------------------------------------------------------------------------------
# Points near other curves, told by one that is known: its mirror images, and what leaves it at conjugate points.
# Where z* has a conjugate point at t_c, motions z beside it end where it ends, to first order. Those that go on doing
# so,
#
#     missed(tau, z) = missed(tau, z*) ,
#
# are followed from t_c to the last time: off z* they go as the root of tau - t_c, and join the ends there.

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
                found = _led(problem, curve, t, sign, policy)
                if found is not None:
                    yield found


def _led(problem: Shooting, curve: Curve, first: float, sign: float, policy: Policy) -> np.ndarray | None:
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


MOST_KNOWN = 24  # curves from which others are sought
NEAR = 1e-7  # what is missed, in scales, from which a curve is polished


@dataclass
class FoundCurves:
    """What a search found.

    Attributes:
        curves: the distinct ones.
        converged, tried: how many starts.
        nearest: the motion that missed the end by least.
        aborted: what the clock or Ctrl-C cut short, if it was.
    """

    curves: list[Curve]
    converged: int = 0
    tried: int = 0
    nearest: Shot | None = None
    aborted: str = ""

    def add(self, problem: Shooting, curve: Curve | None) -> None:
        """Take in a curve, if it is one and a new one."""
        if curve is None:
            return
        self.converged += 1
        if not any(curve is other or same(problem, curve, other) for other in self.curves):
            self.curves.append(curve)


def search(
    setting: Setting,
    given: list[np.ndarray],
    starts: int,
    rng: np.random.Generator,
    policies: tuple[Policy, Policy],
    shown: bool,
    pressed: Callable[[], bool],
) -> FoundCurves:
    """Look for curves from each point in turn, until all were tried, the clock ends it, or Ctrl-C was pressed."""
    coarse, fine = policies
    result = FoundCurves([])
    spent = budget.cpu_clock()
    with _progress(len(given) + starts, shown) as tick:
        for point in _points(setting, given, starts, rng):
            result.tried += 1
            temper = CAREFUL if result.tried % 3 == 1 else BOLD
            shot = None if point is None else _followed(setting, point, coarse, temper, pressed)
            if shot is not None and (result.nearest is None or shot.size < result.nearest.size):
                result.nearest = shot
            if shot is not None and shot.size <= NEAR:
                result.add(setting.problem, polished(setting, shot, coarse, fine, result.curves))
            tick()
            if spent() > fine.seconds:
                # said first of all, since another machine would have come to more or to fewer; empty where all was done
                if result.tried < (wanted := len(given) + starts):
                    tried = f"{result.tried} of {wanted} starts were tried"
                    result.aborted = f"the clock ended the search after {fine.seconds:g} s of CPU time: {tried}"
                break
            if pressed():
                result.aborted = f"interrupted: {result.tried} of {len(given) + starts} starts were tried"
                break
    _told_by_known(setting, result, policies, spent, pressed)
    return result


def _told_by_known(
    setting: Setting,
    result: FoundCurves,
    policies: tuple[Policy, Policy],
    spent: Callable[[], float],
    pressed: Callable[[], bool],
) -> None:
    """Add what rest, mirror images and conjugate points of the curves lead to, and of those found so in turn."""
    (coarse, fine), counted = policies, result.converged
    points = [iter([np.zeros(len(setting.problem.names))])] if not setting.problem.held else []
    for k in range(MOST_KNOWN):
        points += [near(setting, result.curves[k], coarse)] if k < len(result.curves) else []
        for point in points.pop() if points else ():
            if result.aborted or pressed() or spent() > fine.seconds:
                return
            settled = setting.problem.settled(point)
            shot = None if settled is None else _followed(setting, settled, coarse, CAREFUL, pressed)
            if shot is not None and shot.size <= NEAR:
                result.add(setting.problem, polished(setting, shot, coarse, fine, result.curves))
    result.converged = counted  # of the starts


def _followed(
    setting: Setting, point: np.ndarray, policy: Policy, temper: Temper, pressed: Callable[[], bool]
) -> Shot | None:
    return descend(setting.problem, point, policy, NEAR, temper=temper, pressed=pressed)


def _points(
    setting: Setting, given: list[np.ndarray], starts: int, rng: np.random.Generator
) -> Iterator[np.ndarray | None]:
    """Consistent points, the given ones first; None for one that the constraints do not let be."""
    for point in given:
        yield setting.problem.settled(point)
    for point in guessing.points(setting.problem, setting.ways, starts, rng):
        yield setting.problem.settled(point)


@contextmanager
def _progress(total: int, wanted: bool) -> Iterator[Any]:
    """A progress bar on a terminal, nothing elsewhere."""
    if not wanted:
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        row = bar.add_task("searching", total=total)
        yield lambda: bar.update(row, advance=1)
