"""Paths in the plane, seen from above: a round table, where a motion begins, which way it goes, where it ends.

A family goes from pale to dark in the colour of its principle; its values stand where the curves end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import numpy as np

from ..errors import InvalidValue
from ..output import Maker, draft
from ..trajectory import Trajectory
from .look import INK, LIGHT, PALE, dress, head, shades

PANEL = 4.4  # inches
_SAMPLES = 2000
APART = 0.09  # rad between two values that are written


@dataclass(frozen=True)
class Panel:
    """One plan view.

    Attributes:
        title: above the panel.
        paths: what is drawn; several make a family.
        labels: one per path.
        note: one line below the panel.
        principle: whose paths they are.
    """

    title: str
    paths: Sequence[Trajectory]
    labels: Sequence[str]
    note: str = ""
    principle: str = "nonholonomic"


def plan_views(panels: Sequence[Panel], radius: float, title: str, unit: str = "cm") -> Any:
    """A Matplotlib figure with one plan view per panel; paths need columns x and y.

    Raises:
        InvalidValue: E801, Matplotlib is not installed.
    """
    plt = pyplot()
    figure, axes = plt.subplots(
        1, len(panels), figsize=(PANEL * len(panels), PANEL + 0.5), squeeze=False, layout="constrained"
    )
    head(figure, title)
    for ax, panel in zip(axes[0], panels, strict=True):
        _table(ax, radius)
        _family(ax, panel)
        note = f"\n{panel.note}" if panel.note else ""
        dress(ax, panel.title, f"$x$ ({unit}){note}", f"$y$ ({unit})", grid=False)
    return figure


def save(figure: Any, folder: Path, name: str) -> list[Path]:
    """Write the figure as SVG and PNG; return the files."""
    files = [folder / f"{name}.{kind}" for kind in ("svg", "png")]
    return [
        stored(figure, file, Maker("reproduce", name, remedy="give another folder, or remove that file"), 200)
        for file in files
    ]


def stored(figure: Any, file: Path, maker: Maker, dpi: int | None = None) -> Path:
    """Write a figure, whole or not at all, to a file whose ending says its form; the figure is closed."""
    form = file.suffix[1:].lower()
    with draft(file, maker, form) as beside:
        figure.savefig(beside, format=form, dpi=dpi or "figure")
    pyplot().close(figure)
    return file


def prepare(folder: Path) -> None:
    """Make sure that figures can be drawn into the folder, before any work is done.

    Raises:
        InvalidValue: E801, Matplotlib is not installed.
        OSError: the folder cannot be made or written.
    """
    pyplot().switch_backend("Agg")
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryFile(dir=folder):
        pass


def pyplot() -> Any:
    """Matplotlib's state-based interface, with the backend that the user has.

    Raises:
        InvalidValue: E801, Matplotlib is not installed.
    """
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise InvalidValue("E801", "figures need Matplotlib", "pip install 'dalembert[plot]'") from None
    return plt


def _table(ax: Any, radius: float) -> None:
    """Edge, centre and the ray along x."""
    angle = np.linspace(0, 2 * np.pi, 361)
    ax.plot(radius * np.cos(angle), radius * np.sin(angle), color=PALE, linewidth=1.4)
    ax.plot([0], [0], marker="+", color=PALE, markersize=7)
    ax.plot([0, radius], [0, 0], color=LIGHT, linewidth=0.8, zorder=0)
    ax.set_aspect("equal")
    ax.set_xlim(-1.2 * radius, 1.2 * radius)
    ax.set_ylim(-1.2 * radius, 1.2 * radius)


def _family(ax: Any, panel: Panel) -> None:
    count = len(panel.paths)
    colours = shades(count, panel.principle)
    for path, label, colour in zip(panel.paths, panel.labels, colours, strict=True):
        at = path.at(np.linspace(path.t[0], path.t[-1], _SAMPLES))
        ax.plot(at["x"], at["y"], color=colour, linewidth=1.5 if count == 1 else 1.1, label=label or None)
        if path.ending.event:
            ax.plot([at["x"][-1]], [at["y"][-1]], marker="x", color=colour, markersize=5, mew=1.4)
    _start(ax, panel.paths[0])
    if count > 1:
        _values(ax, panel, colours)


def _values(ax: Any, panel: Panel, colours: Sequence[str]) -> None:
    """Each value of a family where its path ends, from outside; of ends that lie close together only the first."""
    named: list[float] = []
    for path, label, colour in zip(panel.paths, panel.labels, colours, strict=True):
        angle = float(np.arctan2(path["y"][-1], path["x"][-1]))
        if any(abs((angle - other + np.pi) % (2 * np.pi) - np.pi) < APART for other in named):
            continue
        named.append(angle)
        reach = 1.09 * float(np.hypot(path["x"][-1], path["y"][-1]))
        ax.text(
            reach * np.cos(angle), reach * np.sin(angle), label, color=colour, fontsize=7.5, ha="center", va="center"
        )


def _start(ax: Any, path: Trajectory) -> None:
    """A dot where the motion begins and an arrow the way it goes."""
    x, y, vx, vy = (path[name][0] for name in ("x", "y", "vx", "vy"))
    speed = float(np.hypot(vx, vy))
    ax.plot([x], [y], marker="o", color=INK, markersize=4.5)
    if speed:
        tip = (x + 2.6 * vx / speed, y + 2.6 * vy / speed)
        ax.annotate("", xy=tip, xytext=(x, y), arrowprops={"arrowstyle": "-|>", "color": INK, "linewidth": 1.2})
