"""A limit study as a figure: error over strength, both logarithmic, with a line of slope -1."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..comparison import Limit
from .look import COLOURS, dress
from .plan import pyplot


def draw(limit: Limit) -> Any:
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
