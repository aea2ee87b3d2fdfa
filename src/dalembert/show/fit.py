"""A fit as a figure: what was seen and what the model says of it, and below what is left, in units of the noise."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import DalembertError
from ..findings.fit import Fit
from .look import COLOURS, PALE, STYLES, dress, head, symbol
from .plan import pyplot

SAMPLES, MOST = 1000, 4  # points of the model's curve; columns over time
MARKS = ("o", "s", "^", "D")


def draw(fit: Fit) -> Any:
    """A Matplotlib figure: data and model, in the plane where two columns span one, else over time; then residuals.

    Raises:
        InvalidValue: E801, Matplotlib is not installed.
    """
    plt = pyplot()
    figure, (left, right) = plt.subplots(1, 2, figsize=(8.6, 3.9), layout="constrained")
    data_and_model(left, fit)
    residuals(right, fit)
    head(figure, f"{fit.title or 'Fit'}: {fit.principle}")
    return figure


def data_and_model(ax: Any, fit: Fit) -> None:
    """The data as marks and the model as lines."""
    plane, curves = _plane(fit), curves_of(fit, SAMPLES)
    if plane and curves:
        _in_plane(ax, fit, plane, curves)
    elif curves:
        _over_time(ax, fit, curves)
    else:
        _side_by_side(ax, fit)
    dress(ax)
    ax.legend(fontsize=7.5, frameon=False, loc="best")


def residuals(ax: Any, fit: Fit) -> None:
    """(seen - predicted)/noise, with two standard deviations shaded."""
    ax.axhspan(-2, 2, color="#f1f1f1", zorder=0)
    ax.axhline(0, color=PALE, linewidth=0.8, zorder=1)
    for i, name in enumerate(fit.columns[:MOST]):
        mine = fit.column == i
        x = fit.t[mine] if np.isfinite(fit.t[mine]).all() else np.arange(1, mine.sum() + 1)
        ax.plot(x, fit.residuals[mine], MARKS[i % 4], color=COLOURS[i % 4], markersize=2.6, label=name, mfc="none")
    ax.set_xlabel("t (s)" if np.isfinite(fit.t).all() else "number", fontsize=8)
    ax.set_ylabel("residual / noise", fontsize=8)
    told = "" if fit.p_value is None else f", p = {fit.p_value:.2g}"
    ax.set_title(f"What is left: chi2 {fit.chi2:.4g} for {fit.dof}{told}", fontsize=9, loc="left")
    dress(ax)
    ax.legend(fontsize=7.5, frameon=False, loc="best", ncols=MOST)


def _plane(fit: Fit) -> tuple[str, str] | None:
    """Two columns that span a plane: x and y, or the only two if their names end so."""
    pairs = [("x", "y")] + ([tuple(fit.columns)] if len(fit.columns) == 2 else [])
    for a, b in pairs:
        if {a, b} <= set(fit.columns) and a.endswith("x") and b.endswith("y"):
            return a, b
    return None


def _in_plane(ax: Any, fit: Fit, plane: tuple[str, str], curves: dict[str, np.ndarray]) -> None:
    x, y = (np.asarray(fit.record[name], float) for name in plane)
    ax.plot(x, y, MARKS[0], color=COLOURS[0], markersize=3, mfc="none", label="seen", zorder=2)
    ax.plot(curves[plane[0]], curves[plane[1]], color=COLOURS[1], linewidth=1.0, label="model", zorder=3)
    ax.set_aspect("equal", adjustable="datalim")
    ax.set_xlabel(symbol(plane[0]))
    ax.set_ylabel(symbol(plane[1]))
    ax.set_title("Data and model", fontsize=9, loc="left")


def _over_time(ax: Any, fit: Fit, curves: dict[str, np.ndarray]) -> None:
    for i, name in enumerate(fit.columns[:MOST]):
        mine = fit.column == i
        ax.plot(fit.t[mine], fit.seen[mine], MARKS[i % 4], color=COLOURS[i % 4], markersize=3, mfc="none", label=name)
        if name in curves:
            ax.plot(curves["t"], curves[name], color=COLOURS[i % 4], linewidth=1.0, linestyle=STYLES[i % len(STYLES)])
    ax.set_xlabel("t (s)", fontsize=8)
    ax.set_title("Data (marks) and model (lines)", fontsize=9, loc="left")


def _side_by_side(ax: Any, fit: Fit) -> None:
    """Numbers without times, one after the other."""
    x = np.arange(1, fit.numbers + 1)
    ax.plot(x, fit.seen, "o", color=COLOURS[0], markersize=4, mfc="none", label="seen")
    ax.plot(x, fit.predicted, "x", color=COLOURS[1], markersize=4, label="model")
    names = [fit.columns[i] for i in fit.column]
    ax.set_xticks(x, names, fontsize=7)
    ax.set_title("Data and model", fontsize=9, loc="left")


def curves_of(fit: Fit, samples: int) -> dict[str, np.ndarray]:
    """The model's columns at so many times, with these as ``t``; empty if none is an expression."""
    t = np.linspace(fit.path.t[0], fit.path.t[-1], samples)
    try:
        values, _ = fit.predict(t)
    except DalembertError:
        return {}
    return {"t": t, **values} if values else {}
