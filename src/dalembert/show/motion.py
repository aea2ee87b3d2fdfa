"""A path as a figure: seen from above where there are columns x and y, and its states over time."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..trajectory import Trajectory
from .plan import pyplot

SAMPLES, MOST, ACROSS = 1500, 12, 3  # points of a line; columns drawn; panels side by side
WIDTH, HEIGHT = 3.1, 2.3  # inches, of a panel


def draw(path: Trajectory) -> Any:
    """A Matplotlib figure: the way in the plane, then states over time, events as thin lines across.

    Raises:
        InvalidValue: E801, Matplotlib is not installed.
    """
    plt = pyplot()
    names = [name for name in path.names if name in path.at(float(path.t[0]))][:MOST]
    plane = {"x", "y"} <= set(names)
    panels = len(names) + plane
    rows = -(-panels // ACROSS)
    columns = min(panels, ACROSS)
    figure, axes = plt.subplots(
        rows, columns, figsize=(WIDTH * columns, HEIGHT * rows + 0.4), squeeze=False, layout="constrained"
    )
    t = np.linspace(path.t[0], path.t[-1], SAMPLES)
    at = path.at(t)
    free = iter(axes.ravel())
    if plane:
        _plane(next(free), at)
    for name, ax in zip(names, free, strict=False):
        _column(ax, name, t, at[name], [m.t for m in path.marks.values()])
    for ax in axes.ravel()[panels:]:
        ax.set_visible(False)
    about = path.provenance
    figure.suptitle(f"{about.get('title') or 'System'}: {about.get('principle', 'path')}", fontsize=10)
    return figure


def _plane(ax: Any, at: dict[str, Any]) -> None:
    ax.plot(at["x"], at["y"], color="0.0", linewidth=1.0)
    ax.plot(at["x"][:1], at["y"][:1], marker="o", color="0.0", markersize=4)
    ax.set_aspect("equal", adjustable="datalim")
    ax.set_title("y over x", fontsize=9)
    ax.tick_params(labelsize=7)


def _column(ax: Any, name: str, t: np.ndarray, values: np.ndarray, marks: list[np.ndarray]) -> None:
    for times in marks:
        for time in times[:50]:
            ax.axvline(time, color="0.8", linewidth=0.7)
    ax.plot(t, values, color="0.0", linewidth=1.0)
    ax.set_title(name, fontsize=9)
    ax.set_xlabel("t", fontsize=8)
    ax.tick_params(labelsize=7)
