"""The row of the experiment beside what the models show, drawn: the five distances in both readings."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from dalembert.show.figure_style import COLOURS, INK, dress, head, pyplot
from dalembert.show.top_view import PANEL, save

from .row import PERIOD, READINGS, ROW, SAID, TURNS, UNIT, Seen, level
from .row_models import fitted, nearest, of_fit

SHOWN = {"changes": ("tilt", "mu, nu"), "places": ("tilt", "tilt, rate")}  # causes


def draw(folder: Path) -> Iterator[list[Path]]:
    """Write the figure; yield its files."""
    plt = pyplot()
    figure, axes = plt.subplots(1, 2, figsize=(2 * PANEL, PANEL + 0.9), sharey=True, layout="constrained")
    head(
        figure,
        "The row of the experiment and models with their unknowns fitted to it",
        "Crossings are single events: points, joined only to lead the eye. The row states no uncertainty; "
        "half a unit of its last digit, 0.005 cm, is smaller than its dots.",
    )
    for ax, reading in zip(axes, READINGS, strict=True):
        _panel(ax, reading)
    axes[0].set_ylabel("$d$ (cm)", fontsize=8.5)
    yield save(figure, folder, "experiment")


def _panel(ax: Any, reading: str) -> None:
    i = np.arange(1, TURNS + 1)
    models = [level(reading), *(of_fit(fitted(cause, reading)) for cause in SHOWN[reading]), nearest(reading)]
    for model, mark, colour in zip(models, "sD^v", COLOURS, strict=False):
        ax.plot(
            i, model.d, marker=mark, color=colour, linewidth=0.6, linestyle=":", ms=6, mfc="none", label=_label(model)
        )
    label = f"experiment; a turn takes {PERIOD:.2f} s"
    ax.errorbar(i, ROW, yerr=UNIT / 2, fmt="o", markersize=5, color=INK, capsize=2, zorder=3, label=label)
    dress(ax, f"${SAID[reading]}$".replace("x_(i-1)", "x_{i-1}"), "crossing $i$")
    ax.set_xticks(i)
    ax.legend(fontsize=7.5, frameon=False, loc="upper left", bbox_to_anchor=(0.0, -0.13))


def _label(model: Seen) -> str:
    """What it is, in letters, and how long its turns take."""
    words = model.label.replace("lam(0)", r"$\lambda$(0)").replace("w3(0)", "$w_3$(0)")
    words = words.replace("mu =", r"$\mu$ =").replace("nu =", r"$\nu$ =")
    return f"{words}; a turn takes {model.period:.2f} s"
