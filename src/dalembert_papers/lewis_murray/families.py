"""Figures 11 to 13 of [lewis1995]: vakonomic motions from one start, one initial value varied."""

from __future__ import annotations

from typing import Any

from dalembert import simulate, vakonomic
from dalembert.systems import ball_on_turntable as ball
from dalembert.trajectory import Trajectory

TENS, UNITS = tuple(range(0, 101, 10)), tuple(range(11))
FAMILIES = {
    "figure-11": (r"$\lambda_1(0)$ = 0, 10, ..., 100 g cm/s", "lam_roll_x", TENS),
    "figure-12": (r"$\lambda_2(0)$ = 0, 10, ..., 100 g cm/s", "lam_roll_y", TENS),
    "figure-13": (r"$w_3(0)$ = 0, 1, ..., 10 rad/s", "w3", UNITS),
}


def family(physics: bool, varied: str, values: tuple[int, ...]) -> list[Trajectory]:
    """Vakonomic motions from the paper's start, one initial value varied, each until it leaves the table."""
    equations = vakonomic(ball.system(ball.stated_ball() if physics else ball.published_ball()))
    rest: dict[str, Any] = {"w3": 0.0, "lam_roll_x": 0.0, "lam_roll_y": 0.0}
    starts = [equations.start(**{**ball.START, **rest, varied: float(v)}) for v in values]
    return [simulate(equations, start, until=20.0, events=[ball.edge]) for start in starts]
