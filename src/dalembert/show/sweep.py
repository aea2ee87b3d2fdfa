"""A sweep as a figure: what its members end in over its axes, or, where it kept the way, its members as families.

One axis is drawn along x. Of two axes the longer lies along x and the other is a family of curves, from pale to dark;
where both are long, colours over a plane. Over time the longer axis is a family from pale to dark, and the second has
styles of lines. A third axis is a row of panels. Members that an event stopped have a ring, suspect ones a diamond, and
members without a result a cross, at the foot of a panel of curves; all are counted below, as what is not drawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InvalidValue
from ..trajectory.audit import REACHED, STOPPED
from .figure_options import Wish
from .figure_style import (
    COLOURS,
    INK,
    MULTIPLIER,
    STYLES,
    draw_flat,
    dress,
    head,
    in_order,
    is_flat,
    pyplot,
    shades,
    symbol,
)
from .figure_style import with_unit as labelled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from matplotlib.typing import LineStyleType


# --- the members -----------------------------------------------------------------------------------------------------

TIME, START = "time", "_start"
SUSPECT = 1  # of the verdict
ROUNDING = 1e-12  # of the largest number of its kind: what changes by less is constant
BOOKS = ("outcome", "verdict", "steps", "rejected", "constraint_residual", "energy_drift", "margin", "t_end", "finite")


def is_sweep(thing: object) -> bool:
    """Is it the Dataset that `da.sweep` hands out? xarray is not loaded to ask."""
    kind, variables = type(thing), getattr(thing, "data_vars", ())
    return kind.__name__ == "Dataset" and kind.__module__.startswith("xarray.") and "outcome" in variables


@dataclass(frozen=True)
class Members:
    """The numbers of a sweep: axes of its grid, and columns over them.

    Attributes:
        axes: ``{name: numbers}``, the longest first; the rows of a table go by a value in which they differ, rising.
        columns: ``{name: values}``, over the axes in their order, and over time where the way was kept.
        units: of axes and columns.
        outcome: how each member ended.
        verdict: of the audit of each.
        time: (T,) where the way was kept.
        loose: axes along which members stand for themselves, as the rows of a table do.
        more: what else rows of tables differ in.
        principle, title: whose they are.
    """

    axes: dict[str, np.ndarray]
    columns: dict[str, np.ndarray]
    units: dict[str, str]
    outcome: np.ndarray
    verdict: np.ndarray
    time: np.ndarray | None
    loose: tuple[str, ...]
    more: tuple[str, ...]
    principle: str
    title: str

    def label(self, name: str) -> str:
        """``x (cm)``; the axis of a start as x(0)."""
        own = name.removesuffix(START)
        shown = symbol(own)
        return labelled(f"{shown}(0)" if own != name else shown, self.units.get(name, ""))

    def flat(self, name: str) -> bool:
        """Is a column constant as far as numbers go, beside others of its kind?"""
        kind = [v for n, v in self.columns.items() if n.startswith(MULTIPLIER) == name.startswith(MULTIPLIER)]
        scale = max(float(np.abs(v[np.isfinite(v)]).max(initial=0.0)) for v in kind)
        own = float(np.abs(self.columns[name][np.isfinite(self.columns[name])]).max(initial=0.0))
        return is_flat(self.columns[name], scale if own <= ROUNDING * scale else 0.0, ROUNDING)

    @property
    def mixed(self) -> bool:
        """Did an event stop some of them, and not all?"""
        stopped = self.outcome == STOPPED
        return bool(stopped.any() and not stopped.all())

    @property
    def lost(self) -> np.ndarray:
        """Which have no result: they were refused, failed or were not computed."""
        return (self.outcome != STOPPED) & (self.outcome != REACHED)

    @property
    def suspect(self) -> np.ndarray:
        """Which have a result that is doubted."""
        return ~self.lost & (self.verdict == SUSPECT)

    @property
    def foot(self) -> list[str]:
        """What became of the members."""
        stopped, lost, suspect = (int(w.sum()) for w in (self.outcome == STOPPED, self.lost, self.suspect))
        told = [f"{self.outcome.size} members"]
        told += [f"{stopped} were stopped by an event (rings)"] if stopped else []
        told += [f"{suspect} are suspect (diamonds)"] if suspect else []
        told += [f"{lost} have no result ({self._why}; crosses)"] if lost else []
        also = [f"members differ in {', '.join(self.more)} too"] if self.more else []
        return [", ".join(told), *also]

    @property
    def _why(self) -> str:
        """The codes of those that have no result, and how many have each."""
        codes, counts = np.unique(self.outcome[self.lost], return_counts=True)
        named = ["not computed" if code < 0 else f"E{code}" for code in codes.tolist()]
        return ", ".join(name if len(named) == 1 else f"{n} {name}" for name, n in zip(named, counts, strict=True))

    def turned(self, first: str) -> Members:
        """With another axis before all others."""
        order = [first, *(d for d in self.axes if d != first)]
        places = [list(self.axes).index(d) for d in order]
        way = [len(places)] if self.time is not None else []
        return Members(
            {d: self.axes[d] for d in order},
            {name: np.transpose(v, [*places, *way]) for name, v in self.columns.items()},
            self.units, np.transpose(self.outcome, places), np.transpose(self.verdict, places), self.time, self.loose,
            self.more, self.principle, self.title,
        )  # fmt: skip


def members_of(found: Any, against: str | None = None) -> Members:
    """The numbers of a Dataset; the rows of a table by `against`, if they differ in it."""
    dims = sorted((str(d) for d in found["outcome"].dims), key=lambda d: -found.sizes[d])
    along, differ = {}, {}
    for d in dims:
        differ[d] = _differing(found, d)
        along[d] = against if against in differ[d] else next(iter(differ[d]), d)
    numbers = {
        d: np.asarray(found[along[d]].values if along[d] in found.coords else np.arange(found.sizes[d])) for d in dims
    }
    rows = {d: np.argsort(numbers[d], kind="stable") for d in dims if differ[d]}
    found = found.isel(rows)
    way = TIME in found.dims
    columns = {}
    for name, variable in found.data_vars.items():
        if name not in BOOKS and set(variable.dims) == {*dims, *([TIME] if way else [])} and variable.dtype.kind == "f":
            columns[str(name)] = np.asarray(variable.transpose(*dims, *([TIME] if way else [])).values)
    return Members(
        {along[d]: numbers[d][rows[d]] if d in rows else numbers[d] for d in dims},
        columns,
        _units(found),
        np.asarray(found["outcome"].transpose(*dims).values),
        np.asarray(found["verdict"].transpose(*dims).values),
        np.asarray(found[TIME].values) if way else None,
        tuple(along[d] for d in rows),
        tuple(name for d in dims for name in differ[d] if name != along[d]),
        str(found.attrs.get("principle", "")),
        str(found.attrs.get("title", "")) or "Sweep",
    )


def _differing(found: Any, dimension: str) -> dict[str, np.ndarray]:
    """In what the rows of a table differ: coordinates along it that are not its own."""
    along = {str(name): np.asarray(c.values) for name, c in found.coords.items() if c.dims == (dimension,)}
    return {
        name: v for name, v in along.items() if name != dimension and v.dtype.kind in "iuf" and len(np.unique(v)) > 1
    }


def _units(found: Any) -> dict[str, str]:
    every: Iterable[tuple[Any, Any]] = {**found.coords, **found.data_vars}.items()
    units: Mapping[str, str] = {str(name): str(each.attrs.get("units", "")) for name, each in every}
    return dict(units)


__all__ = ["draw", "is_sweep"]

PANELS, FEW, CURVES, THIRD = 8, 9, 200, 4  # columns; curves in a family; members over time; panels of a third axis
WIDTH, HEIGHT, ACROSS = 3.2, 2.6, 4
BAND = 0.12  # of a panel's height, for crosses of members without a result
_MARKS: tuple[dict[str, Any], ...] = (  # of members that an event stopped, that are suspect, and that have no result
    {"marker": "o", "mfc": "white", "markersize": 4},
    {"marker": "D", "mfc": "none", "markersize": 6},
    {"marker": "x", "markersize": 4},
)
Row = tuple[str, tuple[int, ...]]  # a row of panels: its title, and the indices of the axes after the second


def draw(found: object, wish: Wish | None = None) -> Figure:
    """A Matplotlib figure of what a sweep found.

    Raises:
        UnknownName: E317, a column or an axis that is not there.
        InvalidValue: E307, nothing to draw, or more than two axes in Axes that were given; E801, no Matplotlib.
    """
    wish = wish or Wish()
    m = members_of(found, wish.against)
    if not m.columns or not m.axes:
        raise InvalidValue("E307", "the sweep kept no columns over its axes", "name some in keep=")
    m, over = _against(m, wish.against)
    names, told = _columns(m, wish)
    rows = _thirds(m)
    family = _family(m, wish, over)
    if wish.ax is not None:
        if len(names) > 1 or len(rows) > 1:
            raise InvalidValue("E307", "one pair of Axes holds one column over two axes", f'columns="{names[0]}"')
        _panel(wish.ax, m, names[0], rows[0], family)
        if entries := _entries(m, family):
            wish.ax.legend(handles=entries, fontsize=7.5, frameon=False)
        if family.left:
            wish.ax.set_title(family.left, fontsize=8.5, loc="left", color=INK)
        return _whole(wish.ax)
    return _page(m, names, rows, [*told, *([family.left] if family.left else [])], family, wish)


@dataclass(frozen=True)
class CurveLabels:
    """How the curves of a panel are told apart.

    Attributes:
        over: the column along x, of a sweep over time; else None.
        first, second: the curves that are drawn, as numbers along the first and the second axis.
        colours: one for each of `first` over time, one for each of `second` else.
        styles: one for each of `second`.
        left: what is not drawn, said.
    """

    over: str | None
    first: np.ndarray
    second: np.ndarray
    colours: tuple[str, ...]
    styles: Sequence[LineStyleType]
    left: str = ""


def _against(m: Members, name: str | None) -> tuple[Members, str]:
    """What lies along x: an axis; where the way was kept the time, or a column."""
    way = ["t", *m.columns] if m.time is not None else []
    over = Wish((name or ("t" if way else next(iter(m.axes))),)).of([*m.axes, *way], "the sweep")[0]
    if over in m.axes:
        return m.turned(over), "t"
    return m, over


def _family(m: Members, wish: Wish, over: str) -> CurveLabels:
    """Over time at most so many members, evenly chosen, and what is said of the others."""
    n = [len(v) for v in m.axes.values()][:2]
    one, two = n[0], n[1] if len(n) > 1 else 1
    if m.time is None:
        colours = wish.colours or tuple(shades(two, m.principle))
        dashes = two <= len(STYLES)
        styles = [STYLES[j] if dashes else "-" for j in range(two)]
        return CurveLabels(None, np.arange(one), np.arange(two), colours, styles)
    second = _even(two, len(STYLES))
    first = _even(one, CURVES // len(second))
    drawn = len(first) * len(second)
    left = f"{drawn} of {one * two} members are drawn, evenly chosen" if drawn < one * two else ""
    colours = wish.colours or tuple(shades(len(first), m.principle))
    return CurveLabels(over, first, second, colours, STYLES[: len(second)], left)


def _even(count: int, most: int) -> np.ndarray:
    """So many numbers at most, from 0 to count - 1."""
    return np.unique(np.linspace(0, count - 1, min(count, most)).round().astype(int))


def _page(m: Members, names: list[str], rows: list[Row], told: list[str], family: CurveLabels, wish: Wish) -> Figure:
    """Columns side by side; with a third axis, a row of panels for each of its values."""
    plan = family.over == "t" and _plan(m, wish)
    count = len(names) + plan
    across = count if len(rows) > 1 else min(count, ACROSS)
    lines = len(rows) if len(rows) > 1 else -(-count // across)
    size = (WIDTH * across + 0.9, HEIGHT * lines + 1.0)
    figure, axes = pyplot().subplots(lines, across, figsize=size, squeeze=False, layout="constrained")
    free = iter(axes.ravel())
    for row in rows:
        if plan:
            _plane(next(free), m, row, family)
        for name in names:
            _panel(next(free), m, name, row, family)
    for ax in free:
        ax.set_visible(False)
    if len(rows) > 1:
        for column in axes.T[int(plan) :]:
            _alike(column)
    if entries := _entries(m, family):
        figure.legend(handles=entries, loc="outside right upper", fontsize=8, frameon=False, handlelength=2.6)
    head(figure, f"{m.title}: {m.principle}", "\n".join([*m.foot, *told]))
    return figure


def _plan(m: Members, wish: Wish) -> bool:
    """Is there a way in the plane to draw?"""
    return m.time is not None and wish.columns is None and {"x", "y"} <= set(m.columns)


def _alike(column: Sequence[Axes]) -> None:
    """The same range in all rows, so that they can be compared."""
    low, high = min(ax.get_ylim()[0] for ax in column), max(ax.get_ylim()[1] for ax in column)
    for ax in column:
        ax.set_ylim(low, high)


def _whole(ax: Axes) -> Figure:
    figure = ax.get_figure(root=True)
    assert figure is not None
    return figure


def _columns(m: Members, wish: Wish) -> tuple[list[str], list[str]]:
    """What is drawn, and what is said of the rest."""
    if wish.columns is not None:
        return list(wish.of(m.columns, "the sweep")), []
    flat = [n for n, v in m.columns.items() if m.flat(n) or not np.isfinite(v).any()]
    moving = [n for n in in_order(m.columns) if n not in flat] or list(m.columns)
    most = 3 if len(_thirds(m)) > 1 else PANELS - _plan(m, wish)
    told = [f"constant: {_some(flat)}"] if flat and moving != list(m.columns) else []
    told += [f"also, to be named as columns: {_some(moving[most:])}"] if moving[most:] else []
    return moving[:most], told


def _some(names: list[str]) -> str:
    return ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")


def _thirds(m: Members) -> list[Row]:
    """Title and indices of each row of panels: evenly chosen values of all axes after the second."""
    others = list(m.axes)[2:]
    if not others:
        return [("", ())]
    shape = tuple(len(m.axes[d]) for d in others)
    total = int(np.prod(shape))
    chosen = _even(total, THIRD)
    places = [tuple(int(k) for k in np.unravel_index(int(i), shape)) for i in chosen]
    more = f" ({len(chosen)} of {total})" if len(chosen) < total else ""
    return [
        (", ".join(f"{m.label(d)} = {_value(m.axes[d][k])}" for d, k in zip(others, place, strict=True)) + more, place)
        for place in places
    ]


def _value(number: object) -> str:
    return f"{number:.4g}" if isinstance(number, float | np.floating) else str(number)


def _part(m: Members, values: np.ndarray, row: Row) -> np.ndarray:
    """Values over the first two axes, (n, m) or (n, m, T)."""
    part = values[(slice(None),) * min(2, len(m.axes)) + row[1]]
    return part if len(m.axes) > 1 else part[:, None]


def _panel(ax: Axes, m: Members, name: str, row: Row, family: CurveLabels) -> None:
    """One column over the first two axes."""
    values = _part(m, m.columns[name], row)
    if family.over is not None:
        _ways(ax, m, (family.over, name), row, family)
        dress(ax, row[0], "$t$ (s)" if family.over == "t" else m.label(family.over), m.label(name))
    elif len(family.second) > FEW:
        _colours(ax, m, name, values, row)
        return
    else:
        _curves(ax, m, values, row, family)
        dress(ax, row[0], m.label(next(iter(m.axes))), m.label(name) + " at the end")
    if m.flat(name):
        draw_flat(ax, m.columns[name])


def _curves(ax: Axes, m: Members, values: np.ndarray, row: Row, family: CurveLabels) -> None:
    """A curve for each value of the second axis; points alone where members stand for themselves.

    Members without a result are crosses at the foot of the panel.
    """
    first, x = next(iter(m.axes.items()))
    parts = [_part(m, which, row).T for which in (m.outcome == STOPPED, m.suspect, m.lost)]
    for j, (y, stopped, suspect, lost) in enumerate(zip(values.T, *parts, strict=True)):
        colour = family.colours[j % len(family.colours)]
        y = np.where(lost, np.nan, y)
        loose = first in m.loose
        ax.plot(
            x, y, color=colour, linewidth=1.4, linestyle="none" if loose else family.styles[j], markersize=4,
            marker="." if loose or len(x) < 60 else None,
        )  # fmt: skip
        ax.plot(x[stopped], y[stopped], "o", mfc="white", mec=colour, markersize=4.5, zorder=4)
        ax.plot(x[suspect], y[suspect], "D", mfc="none", mec=colour, markersize=6.5, zorder=4)
        foot = np.full(int(lost.sum()), 0.02 + BAND * (j % len(STYLES)) / len(STYLES))  # of the height of the panel
        ax.plot(x[lost], foot, "x", color=colour, markersize=4.5, transform=ax.get_xaxis_transform())
    if parts[2].any():
        low, high = ax.get_ylim()
        ax.set_ylim(low - BAND * (high - low), high)


def _colours(ax: Axes, m: Members, name: str, values: np.ndarray, row: Row) -> None:
    """Colours over the plane of two long axes, the same in all rows."""
    from matplotlib.colors import LinearSegmentedColormap

    (first, x), (second, y) = list(m.axes.items())[:2]
    scale = LinearSegmentedColormap.from_list("sweep", ["#0c2f5e", "#2a78d6", "#cfe3f8", "#f7c08f", "#d55e00"])
    stopped, suspect, lost = (_part(m, which, row) for which in (m.outcome == STOPPED, m.suspect, m.lost))
    shown = np.where(lost, np.nan, values)
    every = m.columns[name][np.isfinite(m.columns[name])]
    low, high = (float(every.min()), float(every.max())) if every.size else (0.0, 1.0)
    if m.flat(name):
        low, high = low - (abs(low) or 1.0), high + (abs(high) or 1.0)
    across, up = (np.asarray(v, float) if v.dtype.kind in "iuf" else np.arange(len(v)) for v in (x, y))
    drawn = ax.pcolormesh(
        across, up, shown.T, cmap=scale, shading="nearest", rasterized=True, vmin=low, vmax=high
    )  # fmt: skip
    size = max(1.0, 60.0 / max(lost.shape))
    for which, marker, colour in ((stopped & m.mixed, "o", "white"), (suspect, "D", "white"), (lost, "x", INK)):
        i, j = np.nonzero(which)
        if len(i):
            ax.plot(across[i], up[j], marker, mfc="none", mec=colour, mew=0.6, markersize=size)
    bar = _whole(ax).colorbar(drawn, ax=ax, pad=0.02)
    bar.set_label(m.label(name) + " at the end", fontsize=8.5)
    bar.ax.tick_params(labelsize=7.5)
    dress(ax, row[0], m.label(first), m.label(second), grid=False)


# --- over time -------------------------------------------------------------------------------------------------------


def _ways(ax: Axes, m: Members, names: tuple[str, str], row: Row, family: CurveLabels) -> None:
    """The way of each member, one column over another or over time; its end marked as in `_MARKS`."""
    assert m.time is not None
    marks = [
        (_part(m, which, row), look)
        for which, look in zip((m.outcome == STOPPED, m.suspect, m.lost), _MARKS, strict=True)
    ]
    y = _part(m, m.columns[names[1]], row)
    x = np.broadcast_to(m.time, y.shape) if names[0] == "t" else _part(m, m.columns[names[0]], row)
    for a, i in enumerate(family.first):
        colour = family.colours[a % len(family.colours)]
        for style, j in zip(family.styles, family.second, strict=True):
            ax.plot(x[i, j], y[i, j], color=colour, linestyle=style, linewidth=1.0)
            there = np.flatnonzero(np.isfinite(x[i, j]) & np.isfinite(y[i, j]))
            end = there[-1:]
            for which, look in marks:
                if which[i, j] and len(end):
                    ax.plot(x[i, j, end], y[i, j, end], **look, linestyle="none", mec=colour, zorder=4)


def _plane(ax: Axes, m: Members, row: Row, family: CurveLabels) -> None:
    """The ways of all members in the plane of x and y."""
    _ways(ax, m, ("x", "y"), row, family)
    x, y = (_part(m, m.columns[n], row)[family.first][:, family.second, 0] for n in "xy")
    ax.plot(x.ravel(), y.ravel(), "o", color=INK, markersize=3, zorder=5)
    ax.set_aspect("equal", adjustable="datalim")
    dress(ax, row[0] or "y over x", m.label("x"), m.label("y"))


# --- the legend ------------------------------------------------------------------------------------------------------


def _entries(m: Members, family: CurveLabels) -> list[Line2D]:
    """Which shade is which value of the family's axis, and which style which of the second."""
    dims = list(m.axes)
    second = dims[1] if len(dims) > 1 and len(family.second) <= FEW else ""
    if family.over is None:
        return _of_axis(m, second, family.second, family.colours, family.styles) if second else []
    shades = _of_axis(m, dims[0], family.first, family.colours, ("-",))
    return shades + (_of_axis(m, second, family.second, (COLOURS[5],), family.styles) if second else [])


def _of_axis(
    m: Members, name: str, chosen: np.ndarray, colours: Sequence[str], styles: Sequence[LineStyleType]
) -> list[Line2D]:
    from matplotlib.lines import Line2D

    lines = [Line2D([], [], linestyle="none", label=m.label(name))]
    for i in _even(len(chosen), FEW):
        look = {"color": colours[i % len(colours)], "linestyle": styles[i % len(styles)]}
        lines.append(Line2D([], [], linewidth=1.6, label=_value(m.axes[name][chosen[i]]), **look))
    return lines
