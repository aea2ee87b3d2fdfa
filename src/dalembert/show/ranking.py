"""A ranking as a figure: each best fit over the data, what it leaves below. A plan: separation over design."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..findings.plan import NOTHING, Plan
from ..findings.ranking import Candidate, Ranking
from .fit import data_and_model, residuals
from .look import COLOURS, PALE, STYLES, dress, head, symbol
from .plan import pyplot

MOST = 4  # candidates in one figure
PANEL = 3.1  # inches
LINEAR = 3.0  # residuals up to which the axis is linear
CURVES = 6  # of one plan


def draw(ranking: Ranking) -> Any:
    """A Matplotlib figure of the best few candidates: data and model above, residuals over the noise below.

    Where the motion is predicted from earlier rows, a line marks the first cut; small dots right of it are the errors
    of the prediction.

    Raises:
        InvalidValue: E801, Matplotlib is not installed.
    """
    plt = pyplot()
    shown = [c for c in ranking.candidates if c.fit is not None][:MOST]
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


def _fit(ax: Any, c: Candidate) -> None:
    assert c.fit is not None
    data_and_model(ax, c.fit)
    ax.set_title(f"{c.label}{': rejected' if c.rejected else ''}", fontsize=9, loc="left")


def _left(ax: Any, c: Candidate, ranking: Ranking) -> None:
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


def draw_plan(plan: Plan) -> Any:
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
