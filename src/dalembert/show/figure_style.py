"""One look for all figures: colours, dashes, axes with units, letters as they are written by hand.

Two curves differ in colour (a set that colour-blind people can tell apart) and in the style of the line, so that a
figure can be printed without colour. A family, curves in an order, goes from pale to dark in one colour.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np

from ..errors import InvalidValue, as_given

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.typing import LineStyleType

COLOURS = ("#2a78d6", "#d55e00", "#009e73", "#a64ca6", "#8a7000", "#7a7a7a")
STYLES: tuple[LineStyleType, ...] = ("-", "--", ":", "-.", (0, (5, 1)), (0, (3, 1, 1, 1)))
INK, FAINT, PALE, LIGHT = "#1b1b1b", "#5a5a5a", "#8c8c8c", "#e2e2e2"
PRINCIPLES = {"nonholonomic": 0, "vakonomic": 1}
MULTIPLIER = "lam_"
_FAMILY = (("#a8cdf5", "#0c2f5e"), ("#f7c08f", "#6b2c00"))  # pale and dark, of the first two colours
_COMMAND = re.compile(r"\\[a-zA-Z]+")  # a Greek letter
_TURN = re.compile(r"(.+)_(?:w|[xyz]{1,2}|[123]{1,2})")


def pyplot() -> Any:
    """Matplotlib's state-based interface, with the backend that the user has.

    Raises:
        InvalidValue: E801, Matplotlib is not installed, or knows no such backend as MPLBACKEND names.
    """
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise InvalidValue("E801", "figures need Matplotlib", "pip install 'dalembert[plot]'") from None
    except ValueError:
        fact = f"Matplotlib knows no backend {as_given(os.environ.get('MPLBACKEND'))}, which MPLBACKEND names"
        raise InvalidValue("E801", fact, "MPLBACKEND=agg, or leave it out") from None
    return plt


class Look(TypedDict):
    """How a curve is drawn, as Matplotlib has it."""

    color: str
    linestyle: LineStyleType
    linewidth: float
    zorder: int


def look(i: int, colours: Sequence[str] | None = None) -> Look:
    """Colour, style and width of the i-th curve; the first lies wide below the others."""
    chosen = colours or COLOURS
    width = 2.1 if i == 0 else 1.5
    return {"color": chosen[i % len(chosen)], "linestyle": STYLES[i % len(STYLES)], "linewidth": width, "zorder": 2 + i}


def colour_of(principle: str) -> str:
    """The colour that a principle has in every figure."""
    return COLOURS[PRINCIPLES.get(principle, 0)]


def shades(count: int, principle: str = "") -> list[str]:
    """So many colours from pale to dark, of one principle's hue."""
    from matplotlib.colors import LinearSegmentedColormap, to_hex

    i = PRINCIPLES.get(principle, 0)
    scale = LinearSegmentedColormap.from_list("family", [_FAMILY[i][0], COLOURS[i], _FAMILY[i][1]])
    return [to_hex(scale(at)) for at in np.linspace(0.0, 1.0, count)] if count > 1 else [COLOURS[i]]


# --- letters ---------------------------------------------------------------------------------------------------------


def symbol(name: str) -> str:
    """``R_w`` becomes R with w below, ``vtheta`` v with the Greek letter below; what is no letter stays upright.

    The letters are those of the equations; a multiplier is lambda with the name of its constraint below.
    """
    from ..calculus.symbol_letters import letter, multiplier  # SymPy's names of letters

    if name.startswith(MULTIPLIER):
        text = multiplier(name.removeprefix(MULTIPLIER))
    else:
        text, whose = letter(name), name[1:]
        if name[0] == "v" and whose.isalnum() and (len(whose) == 1 or _COMMAND.fullmatch(letter(whose))):
            text = f"v_{{{letter(whose)}}}"
    strange = re.search(r"\W", name) and not name.startswith(MULTIPLIER)  # no name of a column: kept as it is
    return f"${text}$" if not strange and _readable(text) else name.replace("$", r"\$")


@cache
def _readable(text: str) -> bool:
    from matplotlib.mathtext import MathTextParser

    try:
        MathTextParser("path").parse(f"${text}$")
    except ValueError:
        return False
    return True


def with_unit(shown: str, unit: str) -> str:
    """``x (m/s²)``, or what is shown alone where no unit is known."""
    raised = re.sub(r"\*\*(-?\d+)", r"$^{\1}$", unit).replace("*", "\u2009")
    return f"{shown} ({raised})" if unit and unit != "1" else shown


def in_order(names: Iterable[str]) -> list[str]:
    """Columns as they are looked at: rotations, the numbers that say least to an eye, come last."""
    names = list(names)
    count: dict[str, int] = {}
    for name in names:
        if turn := _TURN.fullmatch(name):
            count[turn[1]] = count.get(turn[1], 0) + 1
    turns = {
        name for name in names if (t := _TURN.fullmatch(name)) and count[t[1]] >= 4 and not name.startswith("lam_")
    }
    return [name for name in names if name not in turns] + [name for name in names if name in turns]


# --- rounding --------------------------------------------------------------------------------------------------------


def is_flat(values: np.ndarray, scale: float, rounding: float) -> bool:
    """Does a column change by no more than its numbers are known to?"""
    good = values[np.isfinite(values)]
    return bool(len(good)) and float(np.ptp(good)) <= rounding * max(float(np.abs(good).max()), scale)


def draw_flat(ax: Axes, values: np.ndarray) -> None:
    """Axes around a column that does not change; how little it does is written down."""
    good = values[np.isfinite(values)]
    middle, change = float(np.median(good)), float(np.ptp(good))
    room = abs(middle) / 2 or 1.0
    ax.set_ylim(middle - room, middle + room)
    told = f"constant, to {change:.0e}" if change else "constant"
    ax.text(0.98, 0.9, told, transform=ax.transAxes, ha="right", va="top", fontsize=7.5, color=FAINT)


# --- axes ------------------------------------------------------------------------------------------------------------


def dress(ax: Axes, title: str = "", x: str = "", y: str = "", grid: bool = True) -> None:
    """Thin grey frame and grid, the title at the left, names of the axes."""
    for spine in ax.spines.values():
        spine.set(color=PALE, linewidth=0.7)
    ax.tick_params(labelsize=7.5, color=PALE, width=0.7, length=3, labelcolor=INK)
    ax.set_axisbelow(True)
    ax.grid(grid, color=LIGHT, linewidth=0.6) if grid else ax.grid(False)
    if title:
        ax.set_title(title, fontsize=9, loc="left", color=INK)
    ax.set_xlabel(x or ax.get_xlabel(), fontsize=8.5, color=INK)
    ax.set_ylabel(y or ax.get_ylabel(), fontsize=8.5, color=INK)


def head(figure: Figure, title: str, foot: str = "") -> None:
    """The title of a whole figure, and below it what the reader has to be told."""
    figure.suptitle(title, fontsize=11, color=INK)
    if foot:
        figure.supxlabel(foot, fontsize=7.5, color=FAINT)


def chosen_colours(given: object) -> tuple[str, ...] | None:
    """Colours that Matplotlib knows, or None.

    Raises:
        InvalidValue: E307, something else.
    """
    if given is None:
        return None
    from matplotlib.colors import is_color_like, to_hex

    every = [given] if isinstance(given, str) else list(given) if isinstance(given, Sequence) else []
    wrong = next((each for each in every if not is_color_like(each)), None)
    if not every or wrong is not None:
        what = "are no colours" if wrong is None else f"has {as_given(wrong)}, which is no colour"
        fact = f"colours = {as_given(given)} {what}"
        raise InvalidValue("E307", fact, f'colours=["{COLOURS[0]}", "{COLOURS[1]}"]')
    return tuple(to_hex(each) for each in every)


def units_in(provenance: Mapping[str, object]) -> dict[str, str]:
    """Units of columns that a path knows; ``t`` is in seconds where any is known."""
    found = provenance.get("units")
    known = {str(k): str(v) for k, v in found.items()} if isinstance(found, Mapping) else {}
    return {"t": "s", **known}
