"""Figures 5 and 8 to 13 of the paper, on the table's plan view."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from dalembert.show.top_view import PlanView, plan_views, save
from dalembert.systems import ball_on_turntable as ball

from .families import FAMILIES, family
from .table import run

ORBIT = 24.0  # s, five turns
FRICTION = {
    "figure-05": ("No friction", {}),
    "figure-08": (r"Translational viscous friction, $\nu$ = 5 g/s", {"nu": 5.0}),
    "figure-09": (r"Rotational viscous friction, $\mu$ = 6 g cm$^2$/s", {"mu": 6.0}),
    "figure-10": (r"Rolling friction, $\delta$ = 0.005", {"delta": 0.005}),
}


SETS = {False: "as published (r = 2.54 cm, m = 68.64 g)", True: "as physics (r = 1.27 cm, m = 66.93 g)"}


def draw(folder: Path) -> Iterator[list[Path]]:
    """Draw one figure after another; yield the files of each."""
    for name, (title, coefficients) in FRICTION.items():
        panels = [_orbit(physics, coefficients) for physics in SETS]
        yield save(plan_views(panels, ball.EDGE, f"Figure {int(name[-2:])}. Nonholonomic. {title}"), folder, name)
    for name, (title, varied, values) in FAMILIES.items():
        panels = [_panel(physics, varied, values) for physics in SETS]
        yield save(plan_views(panels, ball.EDGE, f"Figure {int(name[-2:])}. Vakonomic. {title}"), folder, name)


def _orbit(physics: bool, coefficients: dict[str, float]) -> PlanView:
    path = run(physics, coefficients, until=ORBIT)
    left = bool(path.ending.event)
    return PlanView(
        SETS[physics],
        [path],
        [""],
        f"leaves the table at t = {path.t[-1]:.2f} s" if left else f"t = 0 to {path.t[-1]:g} s",
    )


def _panel(physics: bool, varied: str, values: tuple[int, ...]) -> PlanView:
    paths = family(physics, varied, values)
    first, last = min(p.t[-1] for p in paths), max(p.t[-1] for p in paths)
    note = (
        f"all leave the table, at t = {first:.2f} to {last:.2f} s"
        if last < 20.0
        else "stopped at the edge, or at t = 20 s"
    )
    return PlanView(SETS[physics], paths, [str(v) for v in values], note, "vakonomic")
