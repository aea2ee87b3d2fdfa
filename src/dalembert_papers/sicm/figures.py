"""Two figures: the knife edge under both sets of equations, and the ball's orientation as it goes round the bowl."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from dalembert.show.figure_style import COLOURS, INK, PALE, STYLES, dress, head, pyplot
from dalembert.show.top_view import save

from . import bowl, motions
from .examples import knife_edge

LAMBDAS = (-1.0, 0.0, 1.0, 2.0)
SIZE = (7.2, 3.9)  # inches


def draw(folder: Path) -> Iterator[list[Path]]:
    """Draw one figure after another; yield the files of each."""
    yield save(_initial_values(), folder, "figure-1-initial-multiplier")
    yield save(_orientation(), folder, "figure-2-ball-in-a-bowl")


def _figure(title: str) -> tuple[Any, Any]:
    figure, axes = pyplot().subplots(1, 2, figsize=SIZE, layout="constrained")
    head(figure, title)
    return figure, axes


def _label(ax: Any, x: str, y: str, title: str) -> None:
    dress(ax, title, x, y)


def _initial_values() -> Any:
    """Paths in the plane, and lam in time."""
    figure, (plane, multiplier) = _figure(
        "Knife edge: one q and Dq, one motion by (1.231), one for each lam(0) by (1.240)"
    )
    truth = motions.run(knife_edge())
    plane.plot(truth["x"], truth["y"], color=COLOURS[0], linewidth=2.4, label="(1.231)")
    for i, lam in enumerate(LAMBDAS):
        path = motions.run(knife_edge(), lam)
        look = {"color": COLOURS[(1 + i) % len(COLOURS)], "linestyle": STYLES[1 + i], "linewidth": 1.2}
        plane.plot(path["x"], path["y"], label=f"(1.240), lam(0) = {lam:g}", **look)
        multiplier.plot(path.t, -path["lam_psi"], **look)
    plane.plot([0], [0], marker="o", color=INK, markersize=4.5)
    plane.set_aspect("equal", adjustable="datalim")
    _label(plane, "$x$", "$y$", f"point of contact, t = 0 to {motions.UNTIL:g}")
    _label(multiplier, "$t$", r"$\lambda$", "multiplier of (1.240)")
    figure.legend(loc="outside lower center", ncols=3, fontsize=7, handlelength=3.2, frameon=False)
    return figure


def _orientation() -> Any:
    """The contact on the bowl from above, and the angle between the orientation and the first."""
    figure, (plan, angle) = _figure("Ball in a bowl: back at the same spot, with another orientation")
    for i, (label, alpha, spin) in enumerate(
        (
            ("50 deg, no spin", bowl.ALPHA, 0.0),
            ("50 deg, spin 20 rad/s", bowl.ALPHA, 20.0),
            ("30 deg, no spin", np.radians(30.0), 0.0),
        )
    ):
        found = bowl.turn(alpha, spin)
        look = {"color": COLOURS[i % len(COLOURS)], "linestyle": STYLES[i], "linewidth": 1.2}
        if not spin:
            contact = [100 * bowl.BOWL / bowl.H * found.path[n] for n in "xy"]
            plan.plot(*contact, **look)
            plan.plot(*(line[:1] for line in contact), marker="o", color=look["color"], markersize=4.5)
        turned = [bowl.degrees(bowl.attitude(found.path, k)) for k in range(len(found.path))]
        angle.plot(found.path.t / found.T, turned, label=label, **look)
        angle.annotate(f"{turned[-1]:.1f}", (1, turned[-1]), (5, -3), textcoords="offset points", fontsize=7)
        angle.plot([1], turned[-1:], marker="o", color=look["color"], markersize=4.5, clip_on=False)
    edge = np.linspace(0, 2 * np.pi, 181)
    plan.plot(100 * bowl.BOWL * np.cos(edge), 100 * bowl.BOWL * np.sin(edge), color=PALE, linewidth=1.0)
    plan.set_aspect("equal")
    _label(plan, "x (cm)", "y (cm)", "contact at 30 and 50 degrees, from above")
    _label(angle, "turns", "degrees", "angle to the first orientation")
    angle.set_ylim(0, 185)
    angle.set_xlim(0, 1.18)
    figure.legend(loc="outside lower center", ncols=3, fontsize=7, handlelength=3.2, frameon=False)
    return figure
