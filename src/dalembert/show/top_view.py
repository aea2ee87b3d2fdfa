"""Paths in the plane, seen from above: a round table, where a motion begins, which way it goes, where it ends.

A family goes from pale to dark in the colour of its principle; its values stand where the curves end. One that takes
little of the table is drawn large, and a small picture shows where.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any

import numpy as np

from ..output_file import Maker, draft
from ..trajectory import Trajectory
from .figure_style import COLOURS, INK, LIGHT, PALE, dress, head, pyplot, shades

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PANEL = 4.4  # inches
_SAMPLES = 2000
VIEW = 1.2  # half the side of what is seen of a table, over its radius
LITTLE, ROOM = 0.5, 1.3  # of that view: a family that takes less is drawn large; around it
APART, ARROW = 0.075, 0.145  # of half the side: between two values that are written; the arrow of the start


@dataclass(frozen=True)
class PlanView:
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


def plan_views(panels: Sequence[PlanView], radius: float, title: str, unit: str = "cm") -> Figure:
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
        middle, half = _view(panel, radius)
        ax.set_xlim(middle[0] - half, middle[0] + half)
        ax.set_ylim(middle[1] - half, middle[1] + half)
        if half < VIEW * radius:
            _whole(ax, radius, middle, half)
        _family(ax, panel, half)
        note = f"\n{panel.note}" if panel.note else ""
        dress(ax, panel.title, f"$x$ ({unit}){note}", f"$y$ ({unit})", grid=False)
    return figure


def save(figure: Figure, folder: Path, name: str) -> list[Path]:
    """Write the figure as SVG and PNG; return the files."""
    files = [folder / f"{name}.{kind}" for kind in ("svg", "png")]
    return [
        stored(figure, file, Maker("reproduce", name, remedy="give another folder, or remove that file"), 200)
        for file in files
    ]


def stored(figure: Figure, file: Path, maker: Maker, dpi: int | None = None) -> Path:
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


def _table(ax: Axes, radius: float) -> None:
    """Edge, centre and the ray along x."""
    angle = np.linspace(0, 2 * np.pi, 361)
    ax.plot(radius * np.cos(angle), radius * np.sin(angle), color=PALE, linewidth=1.4)
    ax.plot([0], [0], marker="+", color=PALE, markersize=7)
    ax.plot([0, radius], [0, 0], color=LIGHT, linewidth=0.8, zorder=0)
    ax.set_aspect("equal")


def _view(panel: PlanView, radius: float) -> tuple[np.ndarray, float]:
    """The middle and half the side of what is seen: the table, or the part of it that a small family takes."""
    ways = np.array([np.concatenate([path[name] for path in panel.paths]) for name in "xy"])
    low, high = ways.min(axis=1), ways.max(axis=1)
    half = ROOM * float((high - low).max()) / 2
    if len(panel.paths) == 1 or not 0 < half < LITTLE * VIEW * radius:
        return np.zeros(2), VIEW * radius
    return (low + high) / 2, half


def _whole(ax: Axes, radius: float, middle: np.ndarray, half: float) -> None:
    """The whole table in a corner, and on it the part that is seen."""
    inset = ax.inset_axes((0.02, 0.7, 0.28, 0.28), zorder=6)
    _table(inset, radius)
    x, y = np.array([[-1, 1, 1, -1, -1], [-1, -1, 1, 1, -1]]) * half + middle[:, None]
    inset.plot(x, y, color=INK, linewidth=0.8)
    inset.set(xlim=(-VIEW * radius, VIEW * radius), ylim=(-VIEW * radius, VIEW * radius), xticks=[], yticks=[])
    dress(inset, grid=False)


def _family(ax: Axes, panel: PlanView, half: float) -> None:
    count = len(panel.paths)
    colours = shades(count, panel.principle)
    for path, label, colour in zip(panel.paths, panel.labels, colours, strict=True):
        at = path.at(np.linspace(path.t[0], path.t[-1], _SAMPLES))
        ax.plot(at["x"], at["y"], color=colour, linewidth=1.5 if count == 1 else 1.1, label=label or None)
        if path.ending.event:
            ax.plot([at["x"][-1]], [at["y"][-1]], marker="x", color=colour, markersize=5, mew=1.4)
    _start(ax, panel.paths[0], ARROW * half)
    if count > 1:
        _values(ax, panel, colours, APART * half)


def _values(ax: Axes, panel: PlanView, colours: Sequence[str], apart: float) -> None:
    """Each value of a family where its path ends, from outside; of ends that lie close together only the first."""
    named: list[np.ndarray] = []
    for path, label, colour in zip(panel.paths, panel.labels, colours, strict=True):
        end = np.array([path["x"][-1], path["y"][-1]])
        if any(np.hypot(*(end - other)) < apart for other in named):
            continue
        named.append(end)
        place = end * (1 + apart / max(float(np.hypot(*end)), apart))
        ax.text(place[0], place[1], label, color=colour, fontsize=7.5, ha="center", va="center", clip_on=True)


def _start(ax: Axes, path: Trajectory, long: float) -> None:
    """A dot where the motion begins and an arrow the way it goes."""
    x, y, vx, vy = (path[name][0] for name in ("x", "y", "vx", "vy"))
    speed = float(np.hypot(vx, vy))
    ax.plot([x], [y], marker="o", color=INK, markersize=4.5)
    if speed:
        tip = (x + long * vx / speed, y + long * vy / speed)
        ax.annotate("", xy=tip, xytext=(x, y), arrowprops={"arrowstyle": "-|>", "color": INK, "linewidth": 1.2})


# --- curves in panels with axes of their own -------------------------------------------------------------------------
# Lines differ in colour and in style, so that a figure can be printed without colour.

SIZE = 3.9  # inches, of a panel


@dataclass(frozen=True)
class TraceLine:
    """One curve.

    Attributes:
        x, y: its points, two arrays of one length.
        label: for the legend; lines with one label share an entry.
        style: a line style of Matplotlib, or ``"o"`` for separate points.
        colour: of Matplotlib.
        width: of the line, in points; wide pale lines lie below the others.
    """

    x: np.ndarray
    y: np.ndarray
    label: str = ""
    style: Any = "-"
    colour: str = COLOURS[0]
    width: float = 1.5


@dataclass(frozen=True)
class Curves:
    """Curves on common axes.

    Attributes:
        title: above the panel.
        axes: what is drawn along x and along y, with units.
        lines: the curves.
        equal: is a unit along x as long as one along y?
        logarithmic: are both axes logarithmic?
    """

    title: str
    axes: tuple[str, str]
    lines: Sequence[TraceLine]
    equal: bool = False
    logarithmic: bool = False


def traces(panels: Sequence[Curves], title: str) -> Figure:
    """A Matplotlib figure with the panels side by side and one legend below.

    Raises:
        InvalidValue: E801, Matplotlib is not installed.
    """
    size = (SIZE * len(panels) + 0.4, SIZE + 0.6)
    figure, axes = pyplot().subplots(1, len(panels), figsize=size, squeeze=False, layout="constrained")
    head(figure, title)
    for ax, panel in zip(axes[0], panels, strict=True):
        _draw(ax, panel)
    entries = {label: handle for ax in axes[0] for handle, label in zip(*ax.get_legend_handles_labels(), strict=True)}
    if len(entries) > 1:
        columns = 3 if len(panels) > 1 else 2
        figure.legend(
            list(entries.values()),
            list(entries),
            loc="outside lower center",
            ncols=columns,
            fontsize=7.5,
            handlelength=3.4,
            frameon=False,
        )
    return figure


def _draw(ax: Axes, panel: Curves) -> None:
    for line in sorted(panel.lines, key=lambda each: -each.width):
        points = line.style == "o"
        ax.plot(
            line.x,
            line.y,
            color=line.colour,
            linestyle="none" if points else line.style,
            marker="o" if points else None,
            markersize=3.2,
            linewidth=line.width,
            label=line.label or None,
        )
    if panel.logarithmic:
        ax.set_xscale("log")
        ax.set_yscale("log")
    if panel.equal:
        ax.set_aspect("equal", adjustable="datalim")
    dress(ax, panel.title, *panel.axes)
