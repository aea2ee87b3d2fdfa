"""Where events happened, as dots: Poincare sections. Motions differ in colour and in the mark."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from ..errors import InvalidValue
from ..trajectory import Marks
from .look import COLOURS, dress, head, in_order, symbol
from .plan import pyplot
from .wish import Wish

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST, SIDE = 6, 3.2  # panels; inches of one
DOTS = (".", "x", "+", "1", "2", "3")


def draw(marks: Marks, wish: Wish) -> Figure:
    """A Matplotlib figure of one event of one motion; see `several`."""
    return several([marks], wish)


def several(many: Sequence[Marks], wish: Wish) -> Figure:
    """A Matplotlib figure: a panel for each column, a dot for each time an event happened.

    Raises:
        UnknownName: E317, a column that is not there.
        InvalidValue: E307, nothing happened, or Axes for more than one column.
    """
    if not any(len(marks) for marks in many):
        raise InvalidValue("E307", "the event never happened: there is nothing to draw", "da.simulate, for longer")
    known = [name for name in many[0].names if all(name in marks.names for marks in many)]
    names = wish.of(known, "the marks") or tuple(in_order(known)[:MOST])
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
