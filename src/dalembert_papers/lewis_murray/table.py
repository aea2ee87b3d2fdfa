"""Table 1 of the paper, twice: as it was computed, and as the stated ball would do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import sympy as sp

from dalembert import nonholonomic, simulate
from dalembert.measures import amplitudes, crossings, period
from dalembert.systems import ball_on_turntable as ball
from dalembert.trajectory import Trajectory

from ..claim import Claim, Group, Kind, author, identity, misprint, said

CROSSINGS = 5
LONG_ENOUGH = 30.0  # s, six turns and more

# coefficients, printed period (s) and printed distances (cm) [lewis1995, Table 1]
PRINTED: dict[str, tuple[dict[str, Any], float, tuple[float, ...]]] = {
    "no friction": ({}, 4.67, (0.0, 0.0, 0.0, 0.0, 0.0)),
    "nu = 5": ({"nu": 5.0}, 4.65, (-0.8, -0.63, -0.49, -0.39, -0.3)),
    "mu = 6": ({"mu": 6.0}, 4.67, (-0.47, -0.29, -0.11, 0.05, 0.21)),
    "delta = 0.005": ({"delta": 0.005}, 4.67, (1.48, 1.61, 1.67, 1.72, 1.75)),
    "delta = 0.005, mu = 6": ({"delta": 0.005, "mu": 6.0}, 4.66, (0.79, 0.73, 0.67, 0.61, 0.57)),
}


@dataclass(frozen=True)
class Row:
    """One computed row: period (NaN without a crossing), distances between crossings, when the ball left the table."""

    label: str
    period: float
    distances: tuple[float, ...]
    left: float | None

    def agrees(self, printed_period: float, printed: tuple[float, ...]) -> bool:
        """Is every printed digit reproduced?"""
        if len(self.distances) < len(printed) or not np.isfinite(self.period):
            return False
        same = [round(d, 2) + 0.0 == p for d, p in zip(self.distances, printed, strict=True)]
        return all(same) and round(self.period, 2) == printed_period


def run(
    physics: bool,
    coefficients: dict[str, Any],
    until: float = LONG_ENOUGH,
    stop: bool = True,
    body: dict[str, float] | None = None,
) -> Trajectory:
    """One motion of the ball, as published or as physics, from the paper's start."""
    system = ball.system(
        ball.stated_ball() if physics else {**ball.published_ball(), **(body or {})},
        rolling="physics" if physics else "as published",
        **coefficients,
    )
    equations = nonholonomic(system)
    edge = ball.edge if stop else {**ball.edge, "then": "mark"}
    return simulate(equations, equations.start(**ball.START, w3=0.0), until=until, events=[edge, ball.ray])


def row(label: str, physics: bool, coefficients: dict[str, Any], body: dict[str, float] | None = None) -> Row:
    """A row of the table. As published, crossings are counted beyond the edge, as the printed numbers were."""
    path = run(physics, coefficients, stop=physics, body=body)
    left, times = crossings(path, "edge").t, crossings(path, "ray").t
    on_table = int(np.sum(times < left[0])) if len(left) else CROSSINGS
    averaged, met = min(on_table, CROSSINGS), min(len(times), CROSSINGS)
    return Row(
        label,
        period(path, "ray", averaged) if averaged else float("nan"),
        tuple(float(d) for d in amplitudes(path, "ray", "x", met)) if met else (),
        float(left[0]) if len(left) else None,
    )


@cache
def rows(physics: bool) -> tuple[Row, ...]:
    """All five rows."""
    return tuple(row(label, physics, coefficients) for label, (coefficients, _, _) in PRINTED.items())


def against_the_printed_one() -> Iterator[Claim]:
    """What the two tables say about the printed one."""
    for stated, computed, (label, (_, T, d)) in zip(rows(True), rows(False), PRINTED.items(), strict=True):
        printed, found = (
            said("Table 1", f"{label}: {ball_}", each.agrees(T, d), show(each))
            for ball_, each in (
                ("the stated ball, of 2.54 cm diameter and 7.8 g/cm^3, with the right sign of (3.6)", stated),
                ("r = 2.54 cm, m = 68.64 g, the printed (3.6)", computed),
            )
        )
        yield from (printed, found) if label == "no friction" else (misprint(printed, found, DIAMETER),)


DIAMETER = author(
    "All printed digits come out if the diameter is taken for the radius and the rolling term of (3.6) as it stands, "
    "which pushes the ball along its slip."
)
WITH_MU = ("mu = 6", "delta = 0.005, mu = 6")  # the rows that hold the mass: I/(m r^2) = 2/5 is without it
MASSES = {68.40: False, 68.42: True, 68.74: True, 68.76: False}  # g, and whether they agree with every digit


def of_the_mass() -> Iterator[Claim]:
    """What is behind 68.64 g, which is published nowhere."""
    density, radius = 8, sp.Rational(127, 100)  # g/cm^3, and the true radius in cm
    mass = density * sp.Rational(4, 3) * sp.pi * radius**3
    off = sp.Float(ball.published_ball()["m"], 15) - round(float(mass), 2)
    statement = "m = 68.64 g is published nowhere: 8.00 g/cm^3 times the volume for the true radius, 1.27 cm"
    yield identity("Table 1", statement, off, kind=Kind.NEW)
    agree = {m: all(_agrees(label, m) for label in WITH_MU) for m in MASSES}
    text = ", ".join(f"{m:.2f} g: {'yes' if same else 'no'}" for m, same in agree.items())
    statement = "with r = 2.54 cm every digit comes out for 68.42 to 68.74 g"
    yield said("Table 1", statement, agree == MASSES, text, kind=Kind.NEW)


def _agrees(label: str, m: float) -> bool:
    coefficients, T, d = PRINTED[label]
    r = ball.published_ball()["r"]
    return row(label, False, coefficients, {"m": m, "I": 0.4 * m * r**2}).agrees(T, d)


def of_the_edge() -> Iterator[Claim]:
    """When the ball leaves the table with rolling friction."""
    delta = next(r for r in rows(False) if r.label == "delta = 0.005")
    beyond = delta.left is not None and bool(np.isclose(delta.left, 17.83, atol=0.005))
    statement = "delta row: the ball is on the table for all five"
    yield said("Table 1", statement, not beyond, f"leaves at {delta.left:.2f} s", expected=False, kind=Kind.NEW)
    slow = [r for r in rows(True) if "delta" in r.label]
    text = ", ".join(f"leaves at {r.left:.2f} s" if r.left else "stays" for r in slow)
    within = all(r.left is not None and not r.distances for r in slow)
    yield said("Table 1", "both rows with delta, right sign: leaves within one turn", within, text, kind=Kind.NEW)


def show(r: Row) -> str:
    """A row as text."""
    if not r.distances:
        return f"left at {r.left:.2f} s" if r.left else "no crossing"
    return f"{r.period:.2f} s; " + " ".join(f"{round(d, 2) + 0.0:.2f}" for d in r.distances)


GROUPS: tuple[Group, ...] = (against_the_printed_one, of_the_mass, of_the_edge)
