"""The row of the experiment, section 3.7, against every model: what a row of six numbers says, and what it does not."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from dalembert import nonholonomic
from dalembert.systems import ball_on_turntable as ball

from ..claim import Claim, Group
from . import table
from .row import (  # fmt: skip
    PERIOD,
    READINGS,
    ROW,
    TURNS,
    Seen,
    level,
    mean_period,
    rows_of_table,
    run,
    unconstrained,
)
from .row_models import ASKED, SCAN, fitted, nearest, of_fit, rate_of_period, scan, shape_of_period

# --- claims ----------------------------------------------------------------------------------------------------------


def _claim(statement: str, expected: bool, computed: str, holds: bool, key: bool = False) -> Claim:
    return Claim("3.7", statement, expected, computed, bool(holds), key)


def of_the_row() -> Iterator[Claim]:
    """How its five distances mirror themselves, as those of Table 1 do not."""
    yield _claim(
        "the experiment's d mirror themselves: d1 = -d5, d2 = -d4, d3 = 0",
        True,
        f"the five add up to {ROW.sum() + 0.0:.2f}",
        np.array_equal(ROW, -ROW[::-1]),
    )


def of_the_period() -> Iterator[Claim]:
    """4.38 s, which no row of Table 1 has, and what it can tell."""
    known = [row.period for row in (*table.rows(False), *table.rows(True)) if len(row.distances) == TURNS]
    far = [round(T - PERIOD, 2) for T in known]
    yield _claim(
        "the rows of Table 1, as published or as physics, have periods 0.27 to 0.29 s longer than 4.38 s",
        True,
        f"{min(known):.2f} to {max(known):.2f} s",
        (min(far), max(far)) == (0.27, 0.29),
        True,
    )
    equations = nonholonomic(ball.system())
    pushes = {"vy": 5.0}, {"vy": 2.0}, {"vx": 3.0, "vy": 8.0}
    periods = np.array([mean_period(run(equations, w3=0.0, **push)) for push in pushes])
    # 2 pi (1 + m r^2/I)/Omega of a solid ball
    off = float(np.abs(periods - 2 * math.pi * 3.5 / ball.RPM_45).max())
    yield _claim(
        "the period is 7 pi/Omega, whatever velocity the start has (no friction, level)",
        True,
        f"three velocities, off by {off:.1e} s",
        off < 1e-8,
    )
    Omega, k = rate_of_period(), shape_of_period()
    turning = nonholonomic(ball.system(Omega=Omega * 2 * math.pi / 60))
    other = {**ball.stated_ball(), "I": k * ball.stated_ball()["m"] * ball.stated_ball()["r"] ** 2}
    both = [mean_period(run(eq, w3=0.0)) for eq in (turning, nonholonomic(ball.system(other)))]
    yield _claim(
        "4.38 s is a rate of 47.9 rpm, or I/(m r^2) = 0.44, and no telling which",
        True,
        f"{Omega:.2f} rpm or {k:.4f}: {both[0]:.4f} and {both[1]:.4f} s",
        np.allclose(both, PERIOD, atol=1e-8),
    )


def of_the_vakonomic_ball() -> Iterator[Claim]:
    """Whether a vakonomic motion crosses the ray as often as the ball did."""
    yield _claim(
        "no vakonomic motion crosses the ray five times on the table, whatever lam(0) and w3(0)",
        False,
        f"{len(scan())} of {SCAN} starts with lam_roll_y(0) about -1000 do",
        not scan(),
        True,
    )


def of_the_tilt() -> Iterator[Claim]:
    """Whether a tilt of the table, or another cause, gives the row."""
    found = fitted("tilt", "places")
    near, angle = of_fit(found), math.degrees(math.hypot(found["tilt_x"], found["tilt_y"]))
    off = float(np.abs(np.array(near.d) - ROW).max())
    yield _claim(
        "d_i = x_i - x_3: a tilt below 0.03 deg gives each d to 0.3 cm",
        True,
        f"{angle:.4f} deg, {off:.2f} cm",
        angle < 0.03 and off < 0.3,
        True,
    )
    yield _claim("that tilt gives 4.60 s, not 4.38 s", True, f"{near.period:.2f} s", round(near.period, 2) == 4.60)
    still, plain = of_fit(fitted("tilt", "changes")), level("changes")
    swaying = [of_fit(fitted("wobble", reading)) for reading in READINGS]
    rows = (plain, still, *swaying)
    yield _claim(
        "level the ball is 113 digits off; d_i = x_i - x_(i-1) with a tilt and either reading with a wobble are, too",
        True,
        ", ".join(f"{each.distance:.1f}" for each in rows) + " digits",
        all(abs(each.distance - 113) < 1 for each in rows),
    )
    best = [min((of_fit(fitted(cause, reading)) for cause in ASKED[reading]), key=_distance) for reading in READINGS]
    yield _claim(
        "no cause, nor two of them, gives all six numbers to the digit: the nearest are 18 and 14 digits off",
        True,
        ", ".join(f"{each.distance:.1f} with {each.label}" for each in best),
        all(abs(each.distance - known) < 1 for each, known in zip(best, (18, 14), strict=True)),
        True,
    )


def _distance(each: Seen) -> float:
    return each.distance


def far(each: Seen) -> str:
    """The distance as text."""
    return f"{each.distance:.0f}" if math.isfinite(each.distance) else "-"


def lines(reading: str) -> list[Seen]:
    """Every model in one reading, the farthest first."""
    found = [*rows_of_table(reading), unconstrained(reading), nearest(reading)]
    found += [of_fit(fitted(cause, reading)) for cause in ASKED[reading]]
    return sorted(found, key=lambda each: (-each.distance, each.unknowns))


GROUPS: tuple[Group, ...] = (of_the_row, of_the_period, of_the_vakonomic_ball, of_the_tilt)
