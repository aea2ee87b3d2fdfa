"""The row of the experiment, section 3.7: what is measured on a motion, how far it is from the row, models as they are.

The row carries no uncertainty. Distances from it are counted in units of its last printed digit, 0.01 s and 0.01 cm,
as a root mean square over the six numbers; a unit is not an uncertainty, and no probability follows from it.

What d_i is has two readings. Table 1's simulated rows are changes, d_i = x_i - x_(i-1), from the start on; the row of
the experiment mirrors itself about d_3 = 0, as places measured from the third crossing do, d_i = x_i - x_3, where the
ball drifts evenly along the ray. Both are computed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from dalembert import free, nonholonomic, simulate, vakonomic
from dalembert.systems import ball_on_turntable as ball
from dalembert.trajectory import Trajectory

from . import table
from .families import FAMILIES

PERIOD, ROW = float(ball.EXPERIMENT["period"][0]), np.asarray(ball.EXPERIMENT["d"], float)
UNIT = 0.01  # s and cm: the last printed digit
LONG = 28.0  # s: a period of up to 5.6 s
EVENTS = (ball.edge, ball.ray)
TURNS = table.CROSSINGS

# --- what is measured ------------------------------------------------------------------------------------------------


def crossed(path: Trajectory) -> tuple[np.ndarray, np.ndarray]:
    """Times and places of the start and of the first crossings of the ray, on the ray's own side of the axis."""
    marks = path.marks["ray"]
    out = marks["x"] > 0
    return np.r_[path.t[0], marks.t[out][:TURNS]], np.r_[path["x"][0], marks["x"][out][:TURNS]]


def mean_period(path: Trajectory) -> float:
    """Mean time between crossings; NaN with fewer than five."""
    t, _ = crossed(path)
    return float(t[-1] - t[0]) / TURNS if len(t) > TURNS else math.nan


def changes(path: Trajectory) -> np.ndarray:
    """d_i = x_i - x_(i-1), as in the simulated rows of Table 1; NaN with fewer than five crossings."""
    _, x = crossed(path)
    return np.diff(x) if len(x) > TURNS else np.full(TURNS, np.nan)


def places(path: Trajectory) -> np.ndarray:
    """d_i = x_i - x_3."""
    return about_third(changes(path))


def about_third(d: np.ndarray) -> np.ndarray:
    """Places from the third crossing that belong to some changes."""
    x = np.cumsum(d)
    return np.asarray(x - x[2])


READINGS: dict[str, Callable[[Trajectory], np.ndarray]] = {"changes": changes, "places": places}
SAID = {"changes": "d_i = x_i - x_(i-1)", "places": "d_i = x_i - x_3"}


@dataclass(frozen=True)
class Seen:
    """What a model shows, in one reading.

    Attributes:
        label: the model, with the values that were chosen for it.
        unknowns: how many values were chosen by the row.
        period, d: the six numbers; NaN without five crossings on the table.
    """

    label: str
    unknowns: int
    period: float
    d: tuple[float, ...]

    @property
    def distance(self) -> float:
        """Root mean square of the six differences from the row, in last digits; infinite without six numbers."""
        off = (np.r_[self.period, self.d] - np.r_[PERIOD, ROW]) / UNIT
        return float(np.sqrt(np.mean(off**2))) if np.isfinite(off).all() else math.inf

    def __str__(self) -> str:
        if not math.isfinite(self.distance):
            return "fewer than five crossings"
        return f"{self.period:.2f}; " + " ".join(f"{round(x, 2) + 0.0:.2f}" for x in self.d)


def seen(path: Trajectory, reading: str, label: str, unknowns: int = 0) -> Seen:
    """The six numbers of a path."""
    return Seen(label, unknowns, mean_period(path), tuple(map(float, READINGS[reading](path))))


def run(equations: Any, parameters: Any = None, **start: Any) -> Trajectory:
    """A motion from the paper's start, with some values replaced, until it leaves the table."""
    begin = equations.start(**{**ball.START, **start}, parameters=parameters)
    return simulate(equations, begin, until=LONG, events=list(EVENTS))


# --- models without unknowns -----------------------------------------------------------------------------------------


def rows_of_table(reading: str) -> list[Seen]:
    """The five rows of Table 1, as published and as physics."""
    found = []
    for kind, physics in (("as published", False), ("as physics", True)):
        for row in table.rows(physics):
            whole = len(row.distances) == TURNS
            d = np.array(row.distances) if whole else np.full(TURNS, np.nan)
            d = about_third(d) if reading == "places" else d
            found.append(Seen(f"{row.label}, {kind}", 0, row.period if whole else math.nan, tuple(map(float, d))))
    return found


@cache
def level(reading: str) -> Seen:
    """The stated ball on a level table, without friction."""
    return seen(run(nonholonomic(ball.system()), w3=0.0), reading, "level, no friction")


def unconstrained(reading: str) -> Seen:
    """The ball that slides without friction: a straight line, which crosses the ray once, at the start."""
    spins = {"w1": 0.0, "w2": 0.0, "w3": 0.0}
    return seen(run(free(ball.system()), **spins), reading, "free of the constraints")


REST = {"lam_roll_x": 0.0, "lam_roll_y": 0.0, "w3": 0.0}


@cache
def families() -> tuple[Seen, ...]:
    """The motions of Figures 11 to 13, for the stated ball and for that of the figures."""
    found = []
    for given in (ball.stated_ball(), ball.published_ball()):
        equations = vakonomic(ball.system(given))
        for _, varied, values in FAMILIES.values():
            paths = (run(equations, **{**REST, varied: float(v)}) for v in values)
            found += [seen(path, "changes", f"vakonomic, {varied}") for path in paths]
    return tuple(found)
