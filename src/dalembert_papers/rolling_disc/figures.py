"""Contact paths and lean of four motions: rolling in a circle, wobbling, through upright, falling."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from dalembert.show.figure_style import COLOURS, INK, PALE, STYLES
from dalembert.show.top_view import Curves, TraceLine, save, traces

from . import motions

TITLES = {"circular": "steady: in a circle", "wobbling": "wobbling", "falling": "falling"}
SPAN = 6.0  # s, of the lean


def draw(folder: Path) -> Iterator[list[Path]]:
    """Draw one figure after another; yield the files of each."""
    title = f"The disc's contact path, {motions.UNTIL:g} s; r = 0.5 m"
    yield save(traces([plan(name) for name in TITLES], title), folder, "contact-paths")
    yield save(traces([lean(), wobble()], "The disc's lean; 0 lies flat, 90 is upright"), folder, "lean")


def plan(name: str) -> Curves:
    """Contact and centre from above."""
    path = motions.run(name)
    at = path.at(np.linspace(path.t[0], path.t[-1], 16_000))
    contact = motions.contact(at)
    lines = [
        TraceLine(at["x"], at["y"], "below the centre", colour=COLOURS[1], width=2.2),
        TraceLine(*contact, "contact", "-", COLOURS[0], 1.2),
        TraceLine(contact[0][:1], contact[1][:1], "start", "o", INK),
    ]
    return Curves(TITLES[name], ("x (m)", "y (m)"), lines, equal=True)


def lean() -> Curves:
    """theta over time."""
    t = np.linspace(0.0, SPAN, 3000)
    lines = []
    for i, name in enumerate(TITLES):
        angle = np.degrees(motions.run(name).at(t)["theta"])
        lines.append(TraceLine(t, angle, TITLES[name], STYLES[i], COLOURS[i]))
    return Curves("runs", ("t (s)", "θ (degrees)"), lines)


def wobble() -> Curves:
    """theta by the energy quadrature on the run."""
    name = "through upright"
    found = motions.Quadrature(motions.STARTS[name])
    t, angle = found.path(3 * found.period, 46)
    fine = np.linspace(0.0, 3 * found.period, 1500)
    run = np.degrees(motions.run(name).at(fine)["theta"])
    lines = [
        TraceLine(fine, run, f"{name}: run", "-", COLOURS[0], 1.6),
        TraceLine(t, np.degrees(angle), "by the energy quadrature and c1, c2", "o", COLOURS[1]),
        TraceLine(fine, np.full_like(fine, 90.0), "", ":", PALE, 1.0),
    ]
    return Curves(f"{name}, period {found.period:.3f} s", ("t (s)", "θ (degrees)"), lines)
