"""Figure 2 of the paper with a run upon it, and the vakonomic motion that the paper did not integrate."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from dalembert.show.figure_style import COLOURS, PALE, STYLES
from dalembert.show.top_view import Curves, TraceLine, save, traces
from dalembert.trajectory import Trajectory

from .given import REST, VALUES
from .motions import SPAN, exact, forwards, newton
from .parting import STARTS as LAMBDAS
from .parting import distance, law, rivals, truth

TURNS = 4 * np.pi  # tau at the end of Figure 2
OMEGA = REST["omega"]


def draw(folder: Path) -> Iterator[list[Path]]:
    """Draw one figure after another; yield the files of each."""
    yield save(traces([trace()], "Figure 2. The wheel's trace"), folder, "figure-02")
    title = f"Vakonomic and Newton-Euler motion from rest, F = {VALUES['F']:g} N, thetadot(0) = {OMEGA:g}/s"
    yield save(traces([paths(), distances()], title), folder, "vakonomic")


def scaled(path: Trajectory, t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """xi = (omega^2/A_tau) x and eta = (omega^2/A_tau) y along a run."""
    factor = OMEGA**2 / forwards(VALUES)
    at = path.at(t)
    return factor * at["x"], factor * at["y"]


def trace() -> Curves:
    """The closed form, the circle it unrolls from, and a run."""
    tau = np.linspace(0.0, TURNS, 1000)
    factor = OMEGA**2 / forwards(VALUES)
    x, y = exact(tau / OMEGA, VALUES, 0.0, OMEGA)
    path = newton(TURNS / OMEGA)
    angle = np.linspace(0.0, 2 * np.pi, 361)
    lines = [
        TraceLine(factor * x, factor * y, "(27), (28)", colour="#c9c9c9", width=4.0),
        TraceLine(*scaled(path, np.linspace(0.0, TURNS / OMEGA, 49)), "run, from rest", "o", COLOURS[0]),
        TraceLine(np.cos(angle) - 1, np.sin(angle), "unit circle: the trace is its involute", ":", PALE, 1.1),
    ]
    return Curves("ω t = 0 to 4π", ("ξ = (ω²/A$_τ$) x", "η = (ω²/A$_τ$) y"), lines, equal=True)


def paths() -> Curves:
    """Wheel traces in the plane."""
    t = np.linspace(0.0, SPAN, 1200)
    lines = [TraceLine(truth().at(t)["x"], truth().at(t)["y"], "Newton-Euler", colour="#c9c9c9", width=4.0)]
    for i, (label, path) in enumerate(rivals().items()):
        at = path.at(t)
        lines.append(TraceLine(at["x"], at["y"], label, STYLES[i % len(STYLES)], COLOURS[i % len(COLOURS)]))
    return Curves(f"traces, t = 0 to {SPAN:g} s", ("x (m)", "y (m)"), lines, equal=True)


def distances() -> Curves:
    """Distance from the Newton-Euler motion over time, and the power of t it begins with."""
    t = np.geomspace(0.02, SPAN, 400)
    lines, early = [], t[t < 0.5]
    for i, (label, path) in enumerate(rivals().items()):
        first = law(LAMBDAS[label])
        lines.append(TraceLine(t, distance(path, t), label, STYLES[i % len(STYLES)], COLOURS[i % len(COLOURS)]))
        lines.append(
            TraceLine(early, first.coefficient * early**first.order, "t$^4$, t$^3$, t$^2$", "-", "#d2d2d2", 3.0)
        )
    return Curves("distance from Newton-Euler", ("t (s)", "distance (m)"), lines, logarithmic=True)
