"""The search: points to start from, one after the other, each followed to a zero of the end map or given up."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...calculus import clock
from ..policy import Policy
from . import guesses as guessing
from .curve import Curve, polished, same
from .leaving import near
from .newton import BOLD, CAREFUL, Temper, descend
from .setting import Setting
from .shooting import Shooting, Shot

MOST_KNOWN = 24  # curves from which others are sought
NEAR = 1e-7  # what is missed, in scales, from which a curve is polished


@dataclass
class Searched:
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
) -> Searched:
    """Look for curves from each point in turn, until all were tried, the clock ends it, or Ctrl-C was pressed."""
    coarse, fine = policies
    result = Searched([])
    spent = clock.cpu_clock()
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
                result.aborted = _cut_short(fine.seconds, result.tried, len(given) + starts)
                break
            if pressed():
                result.aborted = f"interrupted: {result.tried} of {len(given) + starts} starts were tried"
                break
    _told_by_known(setting, result, policies, spent, pressed)
    return result


def _told_by_known(
    setting: Setting,
    result: Searched,
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


def _cut_short(seconds: float, tried: int, wanted: int) -> str:
    """Said first of all, since another machine would have come to more or to fewer; empty where all was done."""
    told = f"the clock ended the search after {seconds:g} s of CPU time: {tried} of {wanted} starts were tried"
    return told if tried < wanted else ""


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
