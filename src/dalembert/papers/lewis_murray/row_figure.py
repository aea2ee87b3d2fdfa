"""The row of the experiment beside what the models show, drawn: the five distances in both readings."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ...show.plan import PANEL, STYLES, pyplot, save
from .row import PERIOD, READINGS, ROW, SAID, TURNS, Seen, level
from .row_models import fitted, nearest, of_fit

SHOWN = {"changes": ("tilt", "mu, nu"), "places": ("tilt", "tilt, rate")}  # causes


def draw(folder: Path) -> Iterator[list[Path]]:
    """Write the figure; yield its files."""
    plt = pyplot()
    figure, axes = plt.subplots(1, 2, figsize=(2 * PANEL, PANEL + 0.9), sharey=True, layout="constrained")
    figure.suptitle("The row of the experiment and models with their unknowns fitted to it", fontsize=10)
    for ax, reading in zip(axes, READINGS, strict=True):
        _panel(ax, reading)
    axes[0].set_ylabel("d (cm)", fontsize=8)
    yield save(figure, folder, "experiment")


def _panel(ax: Any, reading: str) -> None:
    i = np.arange(1, TURNS + 1)
    models = [level(reading), *(of_fit(fitted(cause, reading)) for cause in SHOWN[reading]), nearest(reading)]
    for model, style, shade in zip(models, STYLES, ("0.6", "0.0", "0.35", "0.0"), strict=False):
        ax.plot(i, model.d, linestyle=style, color=shade, linewidth=1.1, label=_label(model))
    ax.plot(
        i, ROW, linestyle="none", marker="o", markersize=5, color="black", zorder=3, label=f"experiment, {PERIOD:.2f} s"
    )
    ax.set_title(f"${SAID[reading]}$".replace("x_(i-1)", "x_{i-1}"), fontsize=9)
    ax.set_xticks(i)
    ax.set_xlabel("i", fontsize=8)
    ax.tick_params(labelsize=7)
    ax.legend(fontsize=6.5, frameon=False, loc="upper left", bbox_to_anchor=(0.0, -0.13))


def _label(model: Seen) -> str:
    return f"{model.label}: {model.period:.2f} s"
