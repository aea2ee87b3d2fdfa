"""Paths in the plane, seen from above: a round table, where a motion begins, which way it goes, where it ends.

Lines differ in grey value and in style, so that a figure can be printed without colour.
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

STYLES = ("-", "--", ":", "-.", (0, (5, 1)), (0, (3, 1, 1, 1)))
PANEL = 3.6  # inches
_SAMPLES = 2000


@dataclass(frozen=True)
class Panel:
    """One plan view.

    Attributes:
        title: above the panel.
        paths: what is drawn; several make a family.
        labels: one per path.
        note: one line below the panel.
    """

    title: str
    paths: Sequence[Trajectory]
    labels: Sequence[str]
    note: str = ""


def plan_views(panels: Sequence[Panel], radius: float, title: str, unit: str = "cm") -> Any:
    """A Matplotlib figure with one plan view per panel; paths need columns x and y.

    Raises:
        InvalidValue: E801, Matplotlib is not installed.
    """
    plt = pyplot()
    figure, axes = plt.subplots(
        1, len(panels), figsize=(PANEL * len(panels), PANEL + 0.45), squeeze=False, layout="constrained"
    )
    figure.suptitle(title, fontsize=10)
    for ax, panel in zip(axes[0], panels, strict=True):
        _table(ax, radius, unit)
        _family(ax, panel)
        ax.set_title(panel.title, fontsize=9)
        ax.set_xlabel(f"x ({unit})" + (f"\n{panel.note}" if panel.note else ""), fontsize=8)
    family = max(axes[0], key=lambda ax: len(ax.get_legend_handles_labels()[1]))
    handles, labels = family.get_legend_handles_labels()
    if len(labels) > 1:
        figure.legend(handles, labels, loc="outside lower center", ncols=6, fontsize=7, handlelength=3.2, frameon=False)
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


def _table(ax: Any, radius: float, unit: str) -> None:
    """Edge, centre and the ray along x."""
    angle = np.linspace(0, 2 * np.pi, 361)
    ax.plot(radius * np.cos(angle), radius * np.sin(angle), color="0.3", linewidth=1.2)
    ax.plot([0], [0], marker="+", color="0.3", markersize=7)
    ax.plot([0, radius], [0, 0], color="0.75", linewidth=0.7, zorder=0)
    ax.set_aspect("equal")
    ax.set_xlim(-1.16 * radius, 1.16 * radius)
    ax.set_ylim(-1.16 * radius, 1.16 * radius)
    ax.tick_params(labelsize=7)
    ax.set_ylabel(f"y ({unit})", fontsize=8)


def _family(ax: Any, panel: Panel) -> None:
    count = len(panel.paths)
    for i, (path, label) in enumerate(zip(panel.paths, panel.labels, strict=True)):
        shade = 0.0 if count == 1 else 0.72 * i / (count - 1)
        at = path.at(np.linspace(path.t[0], path.t[-1], _SAMPLES))
        style = STYLES[0] if count == 1 else STYLES[i % len(STYLES)]
        ax.plot(at["x"], at["y"], color=str(shade), linestyle=style, linewidth=1.1, label=label or None)
        if path.ending.event:
            ax.plot([at["x"][-1]], [at["y"][-1]], marker="x", color=str(shade), markersize=5)
    _start(ax, panel.paths[0])
    if count > 1:
        _increase(ax, panel.paths)


def _increase(ax: Any, paths: Sequence[Trajectory]) -> None:
    """An arrow outside the ends of the paths, from the first of the family as far as they follow each other round."""
    ends = np.array([[path["x"][-1], path["y"][-1]] for path in paths])
    turned = np.diff(np.arctan2(ends[:, 1], ends[:, 0]))
    back = np.flatnonzero(turned * turned[0] <= 0)
    last = int(back[0]) if len(back) else len(paths) - 1
    angle = np.arctan2(ends[0, 1], ends[0, 0]) + np.linspace(0.0, float(turned[:last].sum()), 50)
    x, y = 1.07 * np.hypot(*ends[0]) * np.array([np.cos(angle), np.sin(angle)])
    ax.plot(x, y, color="black", linewidth=0.9)
    ax.annotate("", xy=(x[-1], y[-1]), xytext=(x[-2], y[-2]), arrowprops={"arrowstyle": "-|>", "color": "black"})


def _start(ax: Any, path: Trajectory) -> None:
    """A dot where the motion begins and an arrow the way it goes."""
    x, y, vx, vy = (path[name][0] for name in ("x", "y", "vx", "vy"))
    speed = float(np.hypot(vx, vy))
    ax.plot([x], [y], marker="o", color="black", markersize=4.5)
    if speed:
        tip = (x + 2.6 * vx / speed, y + 2.6 * vy / speed)
        ax.annotate("", xy=tip, xytext=(x, y), arrowprops={"arrowstyle": "-|>", "color": "black", "linewidth": 1.2})
