"""Families of motions over what changes along them: lines where they are stable, dashes where they are not.

Special points stand as marks, one shape for each kind. Nothing is told by colour alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING, Protocol, cast, runtime_checkable

import numpy as np

from ..errors import InvalidValue
from .figure_options import Wish
from .figure_style import COLOURS, INK, dress, head, in_order, is_flat, pyplot, symbol

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MARKS = "oDs^vP"  # of the kinds of special points, in the order in which a figure meets them
STABLE, UNSTABLE = ("-", 2.0), ((0, (4, 2)), 1.2)
ROUNDING = 1e-9  # of the largest number of its kind: a state that changes by less is constant
ACROSS, WIDTH, HEIGHT = 3, 3.6, 2.9  # panels side by side; inches


@runtime_checkable
class Family(Protocol):
    """What a family of motions tells: its parameter, its states along it, and where they change."""

    @property
    def parameter(self) -> str:
        """What changes along it."""

    @property
    def values(self) -> np.ndarray:
        """Of the parameter, (N,)."""

    @property
    def names(self) -> tuple[str, ...]:
        """Of the states."""

    @property
    def states(self) -> np.ndarray:
        """(N, n)"""

    @property
    def special(self) -> list[tuple[str, float]]:
        """Kinds of points and values of the parameter there."""

    @property
    def stable(self) -> np.ndarray:
        """(N,)"""

    def __getitem__(self, name: str) -> np.ndarray:
        """A column along the family, (N,)."""


def draw(family: Family, asked: Wish) -> Figure:
    """A figure with one panel for each state that changes along the family, over the parameter.

    Raises:
        UnknownName: E317, a column that is not there.
    """
    return several([family], asked)


def several(families: Sequence[Family], asked: Wish) -> Figure:
    """A figure of several families over their parameter, a colour for each.

    Raises:
        UnknownName: E317, a column that is not there.
        InvalidValue: E307, the families go by several parameters.
    """
    parameters = list(dict.fromkeys(family.parameter for family in families))
    if len(parameters) > 1:
        fact = f"the families go by {' and '.join(parameters)}, and one figure has one parameter"
        raise InvalidValue("E307", fact, "draw those of one parameter together")
    shown = asked.columns or list(dict.fromkeys(name for family in families for name in changing(family)))
    over = asked.against or parameters[0]
    colours = asked.colours or COLOURS
    if asked.ax is not None:
        for i, (name, family) in enumerate(product(shown, families)):
            _curve(asked.ax, family, (over, name), colours[i % len(colours)])
        _labels(asked.ax, over, shown[0] if len(shown) == 1 else "")
        return cast("Figure", asked.ax.figure)
    across = min(len(shown), ACROSS)
    rows = -(-len(shown) // across)
    size = (max(WIDTH * across, 5.0), HEIGHT * rows + 0.6)
    figure, axes = pyplot().subplots(rows, across, figsize=size, squeeze=False, layout="constrained")
    head(figure, f"Family of motions over {symbol(over)}: lines are stable, dashes are not")
    for ax, name in zip(axes.flat, shown, strict=False):
        for i, family in enumerate(families):
            _curve(ax, family, (over, name), colours[i % len(colours)])
        _labels(ax, over, name)
    for ax in axes.flat[len(shown) :]:
        ax.set_visible(False)
    return figure


def changing(family: Family) -> Sequence[str]:
    """The states that change, in the order in which they are looked at; all of them where none does."""
    scale = float(np.abs(family.states).max(initial=0.0))
    states = [name for name in in_order(family.names) if name != family.parameter]
    return [name for name in states if not is_flat(family[name], scale, ROUNDING)] or states


def _curve(ax: Axes, family: Family, names: tuple[str, str], colour: str) -> None:
    """One column over another, in pieces of one stability, and its special points."""
    x, y = (family[name] for name in names)
    for piece, stable in pieces(family.stable):
        style, width = STABLE if stable else UNSTABLE
        ax.plot(x[piece], y[piece], color=colour, linestyle=style, linewidth=width)
    kinds = list(dict.fromkeys(kind for kind, _ in family.special))
    for kind, value in family.special:
        i = int(np.abs(family.values - value).argmin())
        mark = MARKS[kinds.index(kind) % len(MARKS)]
        known = kind in ax.get_legend_handles_labels()[1]
        at = [value if names[0] == family.parameter else x[i]], [y[i]]
        ax.plot(*at, marker=mark, markersize=6, color=INK, linestyle="none", label="_" if known else kind)


def pieces(stable: np.ndarray) -> Iterator[tuple[np.ndarray, bool]]:
    """Places of one stability in a row, each with the first of the next, so that no gap is left."""
    for part in np.split(np.arange(len(stable)), np.flatnonzero(np.diff(stable.astype(int))) + 1):
        more = [part[-1] + 1] if part[-1] + 1 < len(stable) else []
        yield np.r_[part, more].astype(int), bool(stable[part[0]])


def _labels(ax: Axes, over: str, name: str) -> None:
    """Letters of the axes, and a legend where there are special points."""
    dress(ax, "", symbol(over), symbol(name) if name else "")
    if ax.get_legend_handles_labels()[1]:
        ax.legend(fontsize=7, loc="best")
