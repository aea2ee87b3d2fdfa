"""A comparison as a figure: the paths, and the distance between them over time.

Paths are told apart by grey value and line style, so that a figure can be printed without colour.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..comparison import VISIBLE, Comparison, Pair
from ..trajectory import Trajectory
from .plan import STYLES, pyplot

SAMPLES = 2000
SHADES = ("0.0", "0.45", "0.65", "0.25", "0.55", "0.35")
WIDTHS = (1.2, 1.7)  # a thin line over a thick one: both are seen where paths lie on each other
LEAST = 1e-17  # distances below it are left out: a logarithm has no 0
MOST = 4  # coordinates over time in one figure


def draw(comparison: Comparison) -> Any:
    """A Matplotlib figure: the plan view where there are columns x and y, else coordinates over time; then distances.

    Raises:
        InvalidValue: E801, Matplotlib is not installed.
    """
    plt = pyplot()
    plan = {"x", "y"} <= set(comparison.columns)
    rows = 1 if plan else min(len(comparison.columns), MOST)
    figure = plt.figure(figsize=(8.2, 3.9 if rows < 3 else 1.3 * rows + 1.2), layout="constrained")
    grid = figure.add_gridspec(rows, 2)
    if plan:
        _plan(figure.add_subplot(grid[0, 0]), comparison)
    else:
        _coordinates([figure.add_subplot(grid[i, 0]) for i in range(rows)], comparison)
    _distances(figure.add_subplot(grid[:, 1]), comparison)
    figure.suptitle(comparison.title or "Comparison", fontsize=10)
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, fontsize=8, handlelength=3.2, frameon=False)
    return figure


def _look(i: int) -> dict[str, Any]:
    """Shade, style and width of the i-th path; the first lies thick below."""
    return {
        "color": SHADES[i % len(SHADES)],
        "linestyle": STYLES[i % len(STYLES)],
        "linewidth": WIDTHS[0 if i else 1],
        "zorder": 2 + i,
    }


def _within(comparison: Comparison, path: Trajectory) -> dict[str, np.ndarray]:
    """A path's columns over the common time, densely."""
    t = np.linspace(comparison.t[0], comparison.t[-1], SAMPLES)
    return {"t": t, **path.at(t)}


def _plan(ax: Any, comparison: Comparison) -> None:
    for i, (label, path) in enumerate(zip(comparison.principles, comparison.paths, strict=True)):
        at = _within(comparison, path)
        ax.plot(at["x"], at["y"], label=label, **_look(i))
        ax.plot(at["x"][-1:], at["y"][-1:], marker="x", color=SHADES[i % len(SHADES)], markersize=6, zorder=9)
    first = _within(comparison, comparison.paths[0])
    ax.plot(first["x"][:1], first["y"][:1], marker="o", color="black", markersize=4.5, zorder=9)
    ax.set_aspect("equal", adjustable="datalim")
    ax.set_xlabel("x", fontsize=8)
    ax.set_ylabel("y", fontsize=8)
    ax.set_title("Paths, from the dot to the crosses", fontsize=9)
    ax.tick_params(labelsize=7)


def _coordinates(axes: list[Any], comparison: Comparison) -> None:
    """The coordinates in which the paths come farthest apart, over time."""
    worst = np.max([np.abs(pair.differences).max(axis=0) for pair in comparison.pairs], axis=0)
    order = np.argsort(-worst / np.array(list(comparison.scales.values())), kind="stable")
    for ax, column in zip(axes, sorted(order[: len(axes)]), strict=True):
        name = comparison.columns[column]
        for i, (label, path) in enumerate(zip(comparison.principles, comparison.paths, strict=True)):
            at = _within(comparison, path)
            ax.plot(at["t"], at[name], label=label, **_look(i))
        ax.set_ylabel(name, fontsize=8)
        ax.tick_params(labelsize=7, labelbottom=ax is axes[-1])
    left = len(comparison.columns) - len(axes)
    axes[0].set_title("Coordinates" + (f" ({left} more, closer together)" if left else ""), fontsize=9)
    axes[-1].set_xlabel("t (s)", fontsize=8)


def _distances(ax: Any, comparison: Comparison) -> None:
    for i, pair in enumerate(comparison.pairs):
        _curve(ax, comparison, pair, i)
    ax.axhline(VISIBLE, color="0.6", linewidth=0.7, zorder=1)
    ax.annotate(
        "visible (1 %)", (0.99, VISIBLE), xycoords=("axes fraction", "data"), ha="right", va="bottom", fontsize=7
    )
    ax.set_yscale("log")
    ax.set_ylim(top=max(10 * VISIBLE, 2 * max(pair.largest for pair in comparison.pairs)))
    ax.set_title("Distance over the motion's size", fontsize=9)
    ax.set_xlabel("t (s)", fontsize=8)
    ax.tick_params(labelsize=7)
    ax.legend(fontsize=7, loc="best", handlelength=3.2, frameon=True, framealpha=0.9)


def _curve(ax: Any, comparison: Comparison, pair: Pair, i: int) -> None:
    """One pair's distance, and below the light line what its runs cannot tell."""
    t, look = comparison.t, _look(i)
    shown = np.where(pair.distance > LEAST, pair.distance, np.nan)
    ax.plot(t, shown, label=f"{pair.first} - {pair.second}", **look)
    known = np.where(np.isfinite(pair.known), pair.known, np.nan)
    label = "known no better than this" if i == len(comparison.pairs) - 1 else None
    ax.plot(t, known, color="0.75", linewidth=0.8, linestyle="-", zorder=1, label=label)
