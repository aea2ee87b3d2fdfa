"""The axis on its sphere, the path of the point of contact, and the bounces."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from dalembert.show.figure_style import COLOURS, INK, PALE
from dalembert.show.top_view import Curves, TraceLine, save, traces
from dalembert.systems import symmetric_sphere as machine

from . import motions

POINTS = 2000


def draw(folder: Path) -> Iterator[list[Path]]:
    """Draw one figure after another; yield the files of each."""
    title = f"The axis z on S², t = 0 to {motions.ROLLING:g} s"
    yield save(traces([view(0, 1, 2), view(0, 2, 1)], title), folder, "axis")
    title = f"Between two rough walls, t = 0 to {motions.BETWEEN:g} s"
    yield save(traces([contact(), spin()], title), folder, "bounces")


def view(right: int, up: int, towards: int) -> Curves:
    """The sphere seen along one axis; what lies behind is dotted."""
    z = motions.axis(motions.full().at(np.linspace(0.0, motions.ROLLING, POINTS)))
    # seen along e2 the side with z2 < 0 is in front
    front = z[towards] >= 0 if towards == 2 else z[towards] <= 0
    lines = [_circle()]
    for shown, label, style, colour in ((front, "in front", "-", COLOURS[0]), (~front, "behind", ":", COLOURS[0])):
        x, y = (np.where(shown, z[i], np.nan) for i in (right, up))
        lines.append(TraceLine(x, y, label, style, colour))
    lines.append(TraceLine(z[right, :1], z[up, :1], "start", "o", INK))
    seen = "from above" if towards == 2 else "from the side"
    return Curves(seen, (f"z$_{right + 1}$", f"z$_{up + 1}$"), lines, equal=True)


def _circle() -> TraceLine:
    angle = np.linspace(0.0, 2 * np.pi, 361)
    return TraceLine(np.cos(angle), np.sin(angle), "", "-", "#c9c9c9", 1.4)


def contact() -> Curves:
    """The path of the point of contact, and the same without walls."""
    t = np.linspace(0.0, motions.BETWEEN, POINTS)
    at, straight = motions.bouncing().at(t), motions.full().at(t[t <= 3.0])
    low, high = float(at["y"].min()), float(at["y"].max())
    height = np.array([low - 0.2, high + 0.2])
    lines = [TraceLine(np.full(2, x), height, "walls", "-", PALE, 4.0) for x in (0.0, -motions.LENGTH)]
    lines += [
        TraceLine(straight["x"], straight["y"], "without walls, 3 s", "--", COLOURS[1]),
        TraceLine(at["x"], at["y"], "contact"),
        TraceLine(at["x"][:1], at["y"][:1], "start", "o", INK),
    ]
    return Curves("path of the point of contact", ("x (m)", "y (m)"), lines)


def spin() -> Curves:
    """v0 and w3 over time: both jump."""
    path = motions.bouncing()
    t = np.sort(np.concatenate([np.linspace(0.0, motions.BETWEEN, POINTS), *_around(path)]))
    columns = path.at(t)
    v0 = motions.along([machine.SPIN], columns)[0]
    lines = [
        TraceLine(t, v0, "v$_0$, spin about z"),
        TraceLine(t, columns["w3"], "w$_3$, spin about the vertical", "--", COLOURS[1]),
    ]
    return Curves("bounces", ("t (s)", "angular velocity (1/s)"), lines)


def _around(path: motions.Trajectory) -> list[np.ndarray]:
    """Times just before and at each bounce, so that jumps are drawn upright."""
    return [each for marks in path.marks.values() for each in (np.nextafter(marks.t, 0.0), marks.t)]
