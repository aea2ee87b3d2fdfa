"""A path as a figure: in the plane where there are columns x and y, and over time; and Poincare sections of paths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np

from ..errors import InvalidValue
from ..trajectory import Marks, Trajectory
from .figure_options import Wish
from .figure_style import (
    COLOURS,
    FAINT,
    INK,
    colour_of,
    draw_flat,
    dress,
    head,
    in_order,
    is_flat,
    look,
    pyplot,
    symbol,
    units_in,
)
from .figure_style import with_unit as labelled
from .html.curve_sampling import SampledPath

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


MOST, ACROSS = 24, 4  # panels in one figure; panels side by side
WIDTH, HEIGHT = 2.9, 2.15  # inches, of a panel
EVENTS = 50  # thin lines of one event
ROUNDING = 1e-13  # of the largest number of its kind: what changes by less is constant


@dataclass(frozen=True)
class DrawnPath:
    """A path on the way into a figure: sampled densely, with its letters, units and scales."""

    path: Trajectory
    at: SampledPath

    @staticmethod
    def of(path: Trajectory) -> DrawnPath:
        """A path that has samples (InvalidValue E307 else)."""
        if not len(path):
            raise InvalidValue("E307", "the path has no samples: there is nothing to draw", "give a path that moved")
        return DrawnPath(path, SampledPath.of(path))

    @property
    def columns(self) -> dict[str, np.ndarray]:
        """Columns and the time."""
        return {**self.at.columns, "t": self.at.t}

    def label(self, name: str) -> str:
        """Letter and unit."""
        return labelled(symbol(name), units_in(self.path.provenance).get(name, ""))

    @property
    def rounding(self) -> float:
        """Of a number, what the run does not know of it."""
        rtol = self.path.provenance.get("rtol")
        return max(ROUNDING, 10 * rtol if isinstance(rtol, float) and rtol < 1e-6 else 0.0)

    def flat(self, name: str) -> bool:
        """Is a column constant as far as the run can tell, beside others of its kind?"""
        states = self.path.names[: self.path.states]
        kind = [n for n in states if n.startswith("lam_") == name.startswith("lam_")] if name in states else [name]
        values = [self.at.columns[n] for n in kind]
        scale = max((float(np.abs(v[np.isfinite(v)]).max(initial=0.0)) for v in values), default=0.0)
        return is_flat(self.columns[name], scale if np.isfinite(scale) else 0.0, self.rounding)


def draw(path: Trajectory, wish: Wish | None = None) -> Figure:
    """A Matplotlib figure: the way in the plane, then columns over time, events as thin lines across.

    Raises:
        InvalidValue: E307, no samples, or Axes without columns to fill them; E801, Matplotlib is not installed.
        UnknownName: E317, a column that is not there.
    """
    wish, plt = wish or Wish(), pyplot()
    drawn = DrawnPath.of(path)
    names = list(wish.of(path.names, "the path")) or in_order(path.names)
    plane = wish.columns is None and wish.against is None and {"x", "y"} <= set(path.names)
    over = Wish((wish.against or "t",)).of([*path.names, "t"], "the path")[0]
    colours = wish.colours or (colour_of(str(path.provenance.get("principle", ""))),)
    if wish.ax is not None:
        return _into(wish, drawn, names, over, plane)
    left, shown = names[MOST - plane :], names[: MOST - plane]
    count = len(shown) + plane
    across = min(count, ACROSS)
    size = (WIDTH * across + 0.3, HEIGHT * -(-count // across) + 0.7)
    figure, axes = plt.subplots(-(-count // across), across, figsize=size, squeeze=False, layout="constrained")
    free = iter(axes.ravel())
    if plane:
        _plane(next(free), drawn, colours[0])
    for i, (name, ax) in enumerate(zip(shown, free, strict=False)):
        _column(ax, drawn, name, over, colours[i % len(colours)])
    for ax in axes.ravel()[count:]:
        ax.set_visible(False)
    about = path.provenance
    head(figure, f"{about.get('title') or 'System'}: {about.get('principle', 'path')}", _foot(drawn, left))
    return figure


def _into(wish: Wish, drawn: DrawnPath, names: list[str], over: str, plane: bool) -> Figure:
    """All that is asked for in Axes that were given."""
    ax = wish.ax
    assert ax is not None
    if plane:
        _plane(ax, drawn, (wish.colours or COLOURS)[0])
    elif wish.columns is None:
        raise InvalidValue("E307", "one pair of Axes does not hold all columns", f'columns="{names[0]}"')
    else:
        for i, name in enumerate(names):
            ax.plot(drawn.columns[over], drawn.columns[name], label=drawn.label(name), **look(i, wish.colours))
        one = len(names) == 1
        dress(ax, "", drawn.label(over), drawn.label(names[0]) if one else "")
        if not one:
            ax.legend(fontsize=8, frameon=False)
        if one and drawn.flat(names[0]):
            draw_flat(ax, drawn.columns[names[0]])
    figure = ax.get_figure(root=True)
    assert figure is not None
    return figure


def _foot(drawn: DrawnPath, left: list[str]) -> str:
    """Why the motion ended, and what is not drawn."""
    path = drawn.path
    told = [path.outcome] if path.ending.event or not path.reached else []
    more = ", ".join(left[:6]) + (", ..." if len(left) > 6 else "")
    told += [f"{len(left)} more columns, to be named as columns: {more}"] if left else []
    return "\n".join(told)


def _plane(ax: Axes, drawn: DrawnPath, colour: str) -> None:
    x, y = drawn.columns["x"], drawn.columns["y"]
    ax.plot(x, y, color=colour, linewidth=1.6, label="y over x")
    ax.plot(x[:1], y[:1], marker="o", color=INK, markersize=4, linestyle="none", zorder=5)
    ax.plot(x[-1:], y[-1:], marker="x", color=colour, markersize=6, mew=1.6, linestyle="none", zorder=5)
    ax.set_aspect("equal", adjustable="datalim")
    dress(ax, "y over x, from dot to cross", drawn.label("x"), drawn.label("y"))


def _column(ax: Axes, drawn: DrawnPath, name: str, over: str, colour: str) -> None:
    path, values = drawn.path, drawn.columns[name]
    if over == "t":
        for marks in path.marks.values():
            for time in marks.t[:EVENTS]:
                ax.axvline(time, color=FAINT, linewidth=0.7, linestyle=":")
    ax.plot(drawn.columns[over], values, color=colour, linewidth=1.6, label=name)
    if path.ending.event:
        ax.plot(
            drawn.columns[over][-1:], values[-1:], "x", color=colour, markersize=6, mew=1.6, zorder=5, label="stopped"
        )
    dress(ax, "", drawn.label(over), drawn.label(name))
    if drawn.flat(name):
        draw_flat(ax, values)


# --- Poincare sections: motions differ in colour and in the mark -----------------------------------------------------

MOST_MOTIONS, SIDE = 6, 3.2  # panels; inches of one
DOTS = (".", "x", "+", "1", "2", "3")


def draw_section(marks: Marks, wish: Wish) -> Figure:
    """A Matplotlib figure of one event of one motion; see `several`."""
    return several_sections([marks], wish)


def several_sections(many: Sequence[Marks], wish: Wish) -> Figure:
    """A Matplotlib figure: a panel for each column, a dot for each time an event happened.

    Raises:
        UnknownName: E317, a column that is not there.
        InvalidValue: E307, nothing happened, or Axes for more than one column.
    """
    if not any(len(marks) for marks in many):
        raise InvalidValue("E307", "the event never happened: there is nothing to draw", "da.simulate, for longer")
    known = [name for name in many[0].names if all(name in marks.names for marks in many)]
    names = wish.of(known, "the marks") or tuple(in_order(known)[:MOST_MOTIONS])
    over = Wish((wish.against or "t",)).of([*known, "t"], "the marks")[0]
    if wish.ax is not None:
        if len(names) > 1:
            raise InvalidValue("E307", "one pair of Axes holds one column", f'columns="{names[0]}"')
        _panel(wish.ax, many, names[0], over, wish)
        return cast("Figure", wish.ax.figure)
    size = (SIDE * len(names) + 0.3, SIDE + 0.4)
    figure, axes = pyplot().subplots(1, len(names), figsize=size, squeeze=False, layout="constrained")
    for ax, name in zip(axes[0], names, strict=True):
        _panel(ax, many, name, over, wish)
    head(figure, f"{sum(len(marks) for marks in many)} events")
    return figure


def _panel(ax: Axes, many: Sequence[Marks], name: str, over: str, wish: Wish) -> None:
    colours = wish.colours or COLOURS
    for i, marks in enumerate(many):
        along = marks.t if over == "t" else marks[over]
        colour, dot = colours[i % len(colours)], DOTS[i // len(COLOURS) % len(DOTS)]
        ax.plot(along, marks[name], linestyle="none", markersize=3, color=colour, marker=dot)
    dress(ax, "", symbol(over), symbol(name))
