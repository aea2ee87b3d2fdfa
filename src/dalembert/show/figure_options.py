"""What a person asks of a figure beyond what is drawn by itself."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..argument_checks import names as as_names
from ..argument_checks import one_of
from ..errors import InvalidValue, WrongType, as_given
from .figure_style import chosen_colours, pyplot

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Wish:
    """Columns to draw, what they are drawn over, Axes to draw into, colours of the curves; None where nothing is asked.

    Attributes:
        columns: names.
        against: the name of the column along x, by default the time.
        ax: Axes of Matplotlib that hold everything.
        colours: one for each curve, taken again from the first where there are more curves.
    """

    columns: tuple[str, ...] | None = None
    against: str | None = None
    ax: Axes | None = None
    colours: tuple[str, ...] | None = None

    @property
    def given(self) -> str:
        """The first thing that is asked, or nothing."""
        return next((name for name in ("columns", "against", "ax", "colours") if getattr(self, name) is not None), "")

    def of(self, known: Iterable[str], owner: str) -> tuple[str, ...]:
        """The columns that are asked for, all known (UnknownName E317 else)."""
        every = list(known)
        return tuple(one_of(every, name, owner, "column") for name in self.columns or ())


def wish(columns: object, against: object, ax: object, colours: object) -> Wish:
    """The arguments of `draw`, checked.

    Raises:
        WrongType: E317 names of columns that are none, E307 Axes that are none.
        InvalidValue: E307, colours that are none; E801, Matplotlib is not installed.
    """
    pyplot()
    found = None if columns is None else as_names(columns, "columns")
    over = None if against is None else as_names(against, "against")
    if over is not None and len(over) != 1:
        raise InvalidValue("E307", f"against = {as_given(against)} is not one column", 'against="x"')
    return Wish(found, over and over[0], _axes(ax), chosen_colours(colours))


def _axes(given: object) -> Axes | None:
    from matplotlib.axes import Axes

    if given is None or isinstance(given, Axes):
        return given
    raise WrongType("E307", f"ax = {as_given(given)} is not Axes of Matplotlib", "figure, ax = plt.subplots()")
