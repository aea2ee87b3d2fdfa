"""Curves in a plane, each panel with its own axes: a wheel's trace, a distance over time.

Lines differ in colour and in style, so that a figure can be printed without colour.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .look import COLOURS, dress, head
from .plan import pyplot

SIZE = 3.9  # inches, of a panel


@dataclass(frozen=True)
class Line:
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
class Panel:
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
    lines: Sequence[Line]
    equal: bool = False
    logarithmic: bool = False


def traces(panels: Sequence[Panel], title: str) -> Any:
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


def _draw(ax: Any, panel: Panel) -> None:
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
