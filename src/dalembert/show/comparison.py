"""A comparison as a figure: the paths, and the distance between them over time; and the study of a limit.

Each principle has its colour and its style of line, in every figure the same.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ..comparison import VISIBLE, Comparison, Limit, Pair
from ..errors import InvalidValue
from ..trajectory import Trajectory
from .figure_options import Wish
from .figure_style import COLOURS, FAINT, INK, PALE, dress, head, look, pyplot, symbol, units_in
from .figure_style import with_unit as labelled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


SAMPLES = 2000
LEAST = 1e-17  # distances below it are left out: a logarithm has no 0
MOST, ACROSS = 4, 3  # coordinates over time beside the distance; panels side by side


def draw(comparison: Comparison, wish: Wish | None = None) -> Figure:
    """A Matplotlib figure: the plan view where there are columns x and y, else coordinates over time; then distances.

    Raises:
        InvalidValue: E307, Axes without columns to fill them; E801, Matplotlib is not installed.
        UnknownName: E317, a column that is not there.
    """
    wish = wish or Wish()
    if wish.columns is not None or wish.against is not None or wish.ax is not None:
        return _chosen(comparison, wish)
    plt = pyplot()
    plan = {"x", "y"} <= set(comparison.columns)
    rows = 1 if plan else min(len(comparison.columns), MOST)
    figure = plt.figure(figsize=(8.6, 4.3 if rows < 3 else 1.35 * rows + 1.4), layout="constrained")
    grid = figure.add_gridspec(rows, 2)
    if plan:
        _plan(figure.add_subplot(grid[0, 0]), comparison, wish)
    else:
        _coordinates([figure.add_subplot(grid[i, 0]) for i in range(rows)], comparison, wish)
    _distances(figure.add_subplot(grid[:, 1]), comparison)
    _legend(figure, comparison)
    return figure


def _chosen(comparison: Comparison, wish: Wish) -> Figure:
    """The columns that are asked for, each principle's in its look."""
    common = [name for name in comparison.paths[0].names if all(name in p.names for p in comparison.paths)]
    over = Wish((wish.against or "t",)).of([*common, "t"], "the comparison")[0]
    if wish.columns is None and wish.ax is not None:
        if not {"x", "y"} <= set(comparison.columns) or wish.against is not None:
            raise InvalidValue("E307", "one pair of Axes does not hold all columns", f'columns="{common[0]}"')
        _plan(wish.ax, comparison, wish)
        wish.ax.legend(fontsize=8, frameon=False)
        return _whole(wish.ax)
    names = wish.of(common, "the comparison") or comparison.columns
    if wish.ax is not None:
        if len(names) > 1:
            raise InvalidValue("E307", "one pair of Axes holds one column of each path", f'columns="{names[0]}"')
        _over(wish.ax, comparison, names[0], over, wish)
        wish.ax.legend(fontsize=8, frameon=False)
        return _whole(wish.ax)
    across = min(len(names), ACROSS)
    rows = -(-len(names) // across)
    size = (3.4 * across + 0.3, 2.5 * rows + 1.0)
    figure, axes = pyplot().subplots(rows, across, figsize=size, squeeze=False, layout="constrained")
    for name, ax in zip(names, axes.ravel(), strict=False):
        _over(ax, comparison, name, over, wish)
    for ax in axes.ravel()[len(names) :]:
        ax.set_visible(False)
    _legend(figure, comparison)
    return figure


def _whole(ax: Axes) -> Figure:
    figure = ax.get_figure(root=True)
    assert figure is not None
    return figure


def _legend(figure: Figure, comparison: Comparison) -> None:
    head(figure, comparison.title or "Comparison")
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, fontsize=8.5, handlelength=3.2, frameon=False)


def _label(comparison: Comparison, name: str) -> str:
    path = max(comparison.paths, key=lambda each: len(each.names))
    return labelled(symbol(name), units_in(path.provenance).get(name, ""))


def _over(ax: Axes, comparison: Comparison, name: str, over: str, wish: Wish) -> None:
    for i, (label, path) in enumerate(zip(comparison.principles, comparison.paths, strict=True)):
        at = _within(comparison, path)
        ax.plot(at[over], at[name], label=label, **look(i, wish.colours))
    dress(ax, "", _label(comparison, over), _label(comparison, name))


def _within(comparison: Comparison, path: Trajectory) -> dict[str, np.ndarray]:
    """A path's columns over the common time, densely."""
    t = np.linspace(comparison.t[0], comparison.t[-1], SAMPLES)
    return {"t": t, **path.at(t)}


def _plan(ax: Axes, comparison: Comparison, wish: Wish) -> None:
    for i, (label, path) in enumerate(zip(comparison.principles, comparison.paths, strict=True)):
        at, each = _within(comparison, path), look(i, wish.colours)
        ax.plot(at["x"], at["y"], label=label, **each)
        ax.plot(at["x"][-1:], at["y"][-1:], "x", color=each["color"], markersize=7, mew=1.8, zorder=9)
    first = _within(comparison, comparison.paths[0])
    ax.plot(first["x"][:1], first["y"][:1], marker="o", color=INK, markersize=4.5, zorder=9)
    ax.set_aspect("equal", adjustable="datalim")
    dress(ax, "Paths, from the dot to the crosses", _label(comparison, "x"), _label(comparison, "y"))


def _coordinates(axes: list[Axes], comparison: Comparison, wish: Wish) -> None:
    """The coordinates in which the paths come farthest apart, over time."""
    worst = np.max([np.abs(pair.differences).max(axis=0) for pair in comparison.pairs], axis=0)
    order = np.argsort(-worst / np.array(list(comparison.scales.values())), kind="stable")
    for ax, column in zip(axes, sorted(order[: len(axes)]), strict=True):
        _over(ax, comparison, comparison.columns[column], "t", wish)
        ax.tick_params(labelbottom=ax is axes[-1])
        if ax is not axes[-1]:
            ax.set_xlabel("")
    left = [comparison.columns[k] for k in order[len(axes) :]]
    more = f" (closer together: {', '.join(left[:4])}{', ...' if len(left) > 4 else ''})" if left else ""
    axes[0].set_title(f"Coordinates{more}", fontsize=9, loc="left", color=INK)


def _distances(ax: Axes, comparison: Comparison) -> None:
    for i, pair in enumerate(comparison.pairs):
        _curve(ax, comparison, pair, i)
    ax.axhline(VISIBLE, color=FAINT, linewidth=0.8, zorder=1)
    place = (0.99, VISIBLE)
    ax.annotate(
        "seen by eye: 1 %",
        place,
        xycoords=("axes fraction", "data"),
        ha="right",
        va="bottom",
        fontsize=7.5,
        color=FAINT,
    )
    ax.set_yscale("log")
    ax.set_ylim(top=max(10 * VISIBLE, 2 * max(pair.largest for pair in comparison.pairs)))
    dress(ax, "Distance over the motion's size", "$t$ (s)")
    ax.legend(fontsize=7.5, loc="best", handlelength=3.2, frameon=True, framealpha=0.9, edgecolor="none")


def _curve(ax: Axes, comparison: Comparison, pair: Pair, i: int) -> None:
    """One pair's distance, and below the light line what its runs cannot tell."""
    t = comparison.t
    shown = np.where(pair.distance > LEAST, pair.distance, np.nan)
    style = {**look(i), "color": INK} if len(comparison.pairs) == 1 else look(i)
    ax.plot(t, shown, label=f"{pair.first} - {pair.second}", **style)
    known = np.where(np.isfinite(pair.known), pair.known, np.nan)
    label = "known no better than this" if i == len(comparison.pairs) - 1 else None
    ax.plot(t, known, color=PALE, linewidth=0.9, linestyle="-", zorder=1, label=label)


# --- limits: error over strength, with a line of slope -1 ------------------------------------------------------------


def draw_limit(limit: Limit) -> Figure:
    """A Matplotlib figure; filled marks are the strengths that entered the regression.

    Raises:
        InvalidValue: E801, Matplotlib is not installed.
    """
    plt = pyplot()
    figure, ax = plt.subplots(figsize=(4.8, 3.9), layout="constrained")
    s, errors, used = limit.strengths, limit.errors, limit.asymptotic
    ax.plot(
        s, errors, color=COLOURS[0], linewidth=1.5, marker="o", markerfacecolor="white", markersize=5, label="error"
    )
    if used.any():
        order = f"in the regression: order {limit.order:.3f}"
        ax.plot(s[used], errors[used], color=COLOURS[0], linestyle="none", marker="o", markersize=5, label=order)
    _slope(ax, limit)
    ax.set_xscale("log")
    ax.set_yscale("log")
    title = f"{limit.title or 'System'}\n{limit.penalty} to {limit.principle}"
    dress(ax, title, "strength of the penalty", f"largest distance at {len(limit.times)} times, over the motion's size")
    ax.legend(fontsize=7, loc="best", handlelength=3.2)
    return figure


def _slope(ax: Any, limit: Limit) -> None:
    """error ~ 1/strength, a factor 3 above the measured points."""
    finite = np.flatnonzero(np.isfinite(limit.errors) & (limit.errors > 0))
    if not len(finite):
        return
    chosen = np.flatnonzero(limit.asymptotic)
    i = int(chosen[len(chosen) // 2]) if len(chosen) else int(finite[0])
    # error = 3 error_i s_i/s
    line = 3 * limit.errors[i] * limit.strengths[i] / limit.strengths
    if math.isfinite(float(line.max())):
        ax.plot(limit.strengths, line, color=COLOURS[1], linewidth=1.5, linestyle="--", label="slope -1")
