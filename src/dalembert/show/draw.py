"""One name for the figures of all nouns: `draw(noun)` finds the drawing by the noun's type."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..argument_checks import public
from ..comparison import Comparison, Limit
from ..errors import InvalidValue, WrongType, kind_of
from ..findings.fit import Fit
from ..findings.plan import Plan
from ..findings.ranking import Ranking
from ..trajectory import Marks, Trajectory
from . import comparison, family, fit, path_figure, sweep
from .figure_options import wish

_ASKED: dict[type, Callable[..., Any]] = {
    Trajectory: path_figure.draw, Comparison: comparison.draw, Marks: path_figure.draw_section,
}  # fmt: skip
_SEVERAL: dict[type, Callable[..., Any]] = {family.Family: family.several, Marks: path_figure.several_sections}
_WHOLE: dict[type, Callable[..., Any]] = {
    Limit: comparison.draw_limit, Fit: fit.draw, Ranking: fit.draw_ranking, Plan: fit.draw_plan,
}  # fmt: skip


@public
def draw(
    thing: object, *, columns: object = None, against: object = None, ax: object = None, colours: object = None
) -> Any:
    """A Matplotlib figure of a path, events, a comparison, sweep, family or fit; ``figure.savefig("a.pdf")`` stores it.

    Of a family of steady or periodic motions it is the bifurcation diagram: lines where they are stable, dashes where
    they are not, a mark at each special point. Of ``path.marks["section"]``, where an event happened, it has a dot each
    time: with ``columns="vy", against="y"`` a Poincare section. Matplotlib keeps every figure until it is closed, some
    2 MB of memory each: in a loop, ``plt.close(figure)``.

    Args:
        thing: what da.simulate, da.compare, da.sweep, da.continue_steady, da.families.continue_periodic, da.limit,
            da.fit, da.rank or da.plan returned, or marks of a path; families of one parameter, and marks, in a list
            are drawn together.
        columns: of a path, events, a comparison, a sweep or a family: which to draw, ``"x vx"``; by default all,
            of a family those that change, and what does not fit is named.
        against: what they are drawn over, by default the time; of a sweep, one of its axes; of a family its parameter.
        ax: Axes to draw into; all columns then share them.
        colours: one for each curve.

    Raises:
        WrongType: E307, there is no figure of this, or `ax` is no Axes.
        UnknownName: E317, a column that is not there.
        InvalidValue: E307, colours that are none, or a wish that this figure cannot fulfil; E801, no Matplotlib.
    """
    of = sweep.draw if sweep.is_sweep(thing) else _found(_ASKED, thing)
    if of is None and isinstance(thing, family.Family):
        of = family.draw
    elif of is None and isinstance(thing, list | tuple) and thing:
        of = next((several for kind, several in _SEVERAL.items() if all(isinstance(one, kind) for one in thing)), None)
    if of is not None:
        return of(thing, wish(columns, against, ax, colours))
    of = _found(_WHOLE, thing)
    if of is None:
        raise WrongType(
            "E307",
            f"there is no figure of {kind_of(thing)}",
            "give what da.simulate, da.compare, da.sweep, da.limit or da.fit returned",
        )
    if asked := wish(columns, against, ax, colours).given:
        raise InvalidValue("E307", f"a figure of {kind_of(thing)} has no {asked} to choose", f"leave {asked} out")
    return of(thing)


def _found(table: dict[type, Callable[..., Any]], thing: object) -> Callable[..., Any] | None:
    return next((of for kind, of in table.items() if isinstance(thing, kind)), None)
