"""Fits, rankings and plans as figures: data and model, and below what is left, in units of the noise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import DalembertError
from ..findings.fit import Fit
from ..findings.plan import NOTHING, Plan
from ..findings.ranking import Candidate, Ranking
from .figure_style import COLOURS, PALE, STYLES, dress, head, pyplot, symbol

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SAMPLES, MOST = 1000, 4  # points of the model's curve; columns over time
MARKS = ("o", "s", "^", "D")


def draw(fit: Fit) -> Figure:
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


def data_and_model(ax: Axes, fit: Fit) -> None:
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


def residuals(ax: Axes, fit: Fit) -> None:
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


def _in_plane(ax: Axes, fit: Fit, plane: tuple[str, str], curves: dict[str, np.ndarray]) -> None:
    x, y = (np.asarray(fit.record[name], float) for name in plane)
    ax.plot(x, y, MARKS[0], color=COLOURS[0], markersize=3, mfc="none", label="seen", zorder=2)
    ax.plot(curves[plane[0]], curves[plane[1]], color=COLOURS[1], linewidth=1.0, label="model", zorder=3)
    ax.set_aspect("equal", adjustable="datalim")
    ax.set_xlabel(symbol(plane[0]))
    ax.set_ylabel(symbol(plane[1]))
    ax.set_title("Data and model", fontsize=9, loc="left")


def _over_time(ax: Axes, fit: Fit, curves: dict[str, np.ndarray]) -> None:
    for i, name in enumerate(fit.columns[:MOST]):
        mine = fit.column == i
        ax.plot(fit.t[mine], fit.seen[mine], MARKS[i % 4], color=COLOURS[i % 4], markersize=3, mfc="none", label=name)
        if name in curves:
            ax.plot(curves["t"], curves[name], color=COLOURS[i % 4], linewidth=1.0, linestyle=STYLES[i % len(STYLES)])
    ax.set_xlabel("t (s)", fontsize=8)
    ax.set_title("Data (marks) and model (lines)", fontsize=9, loc="left")


def _side_by_side(ax: Axes, fit: Fit) -> None:
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


# --- rankings and plans ----------------------------------------------------------------------------------------------

MOST_CANDIDATES = 4  # candidates in one figure
PANEL = 3.1  # inches
LINEAR = 3.0  # residuals up to which the axis is linear
CURVES = 6  # of one plan


def draw_ranking(ranking: Ranking) -> Figure:
    """A Matplotlib figure of the best few candidates: data and model above, residuals over the noise below.

    Where the motion is predicted from earlier rows, a line marks the first cut; small dots right of it are the errors
    of the prediction.

    Raises:
        InvalidValue: E801, Matplotlib is not installed.
    """
    plt = pyplot()
    shown = [c for c in ranking.candidates if c.fit is not None][:MOST_CANDIDATES]
    size = (max(PANEL * len(shown), 4.5), 5.6)
    figure, axes = plt.subplots(2, len(shown), figsize=size, squeeze=False, layout="constrained")
    for (above, below), candidate in zip(axes.T, shown, strict=True):
        _fit(above, candidate)
        _left(below, candidate, ranking)
    for row in axes if axes[0, 0].get_aspect() == "auto" else axes[1:]:
        _alike(row)
    left = len(ranking) - len(shown)
    more = f" ({left} more)" if left else ""
    head(figure, f"{ranking.title or 'System'}: {len(ranking)} candidates{more}")
    return figure


def _fit(ax: Axes, c: Candidate) -> None:
    assert c.fit is not None
    data_and_model(ax, c.fit)
    ax.set_title(f"{c.label}{': rejected' if c.rejected else ''}", fontsize=9, loc="left")


def _left(ax: Axes, c: Candidate, ranking: Ranking) -> None:
    fit = c.fit
    assert fit is not None
    residuals(ax, fit)
    if ranking.later is not None and c.forecast is not None:
        ax.axvline(ranking.later, color=PALE, linewidth=0.8, linestyle="--", zorder=1)
        finite = np.isfinite(c.forecast.errors)
        label = "predicted"
        ax.plot(c.forecast.t[finite], c.forecast.errors[finite], ".", color=PALE, markersize=2.5, label=label, zorder=2)
    ax.set_yscale("symlog", linthresh=LINEAR)
    per = f"chi2/dof {fit.chi2 / fit.dof:.3g}, " if fit.p_value is not None else ""
    ax.set_title(f"{per}{ranking.criterion} +{c.difference:.1f}", fontsize=9, loc="left")
    ax.legend(fontsize=7, frameon=False, loc="best", ncols=3)


def _alike(row: Any) -> None:
    """The same range of the ordinate in a row, so that panels can be compared; named once."""
    low, high = min(ax.get_ylim()[0] for ax in row), max(ax.get_ylim()[1] for ax in row)
    for ax in row:
        ax.set_ylim(low, high)
    for ax in row[1:]:
        ax.set_ylabel("")


def draw_plan(plan: Plan) -> Figure:
    """A Matplotlib figure: the smaller separation over the first design variable, a curve for each value of the others.

    Raises:
        InvalidValue: E801, Matplotlib is not installed.
    """
    plt = pyplot()
    figure, ax = plt.subplots(figsize=(5.4, 3.9), layout="constrained")
    first, *others = plan.best.values
    families: dict[tuple[float, ...], list[tuple[float, float]]] = {}
    for d in plan.designs:
        families.setdefault(tuple(d[n] for n in others), []).append((d[first], d.sigmas))
    for i, (values, points) in enumerate(list(families.items())[:CURVES]):
        x, y = np.array(sorted(points)).T
        label = ", ".join(f"{n} = {v:.4g}" for n, v in zip(others, values, strict=True))
        style = {
            "linestyle": STYLES[i % len(STYLES)],
            "color": COLOURS[i % len(COLOURS)],
            "marker": "o",
            "markersize": 4,
        }
        ax.plot(x, np.where(np.isfinite(y), y, np.nan), linewidth=1.0, label=label or None, **style)
    ax.axhline(NOTHING, color=PALE, linewidth=0.8, linestyle="--", zorder=1)
    ax.set_yscale("symlog", linthresh=NOTHING)
    ax.set_ylim(0, 1.5 * ax.get_ylim()[1])
    title = f"{plan.title or 'System'}: {' or '.join(plan.between)}"
    dress(ax, title, symbol(first), "separation (standard deviations)")
    if others:
        ax.legend(fontsize=7, frameon=False, loc="best")
    return figure
