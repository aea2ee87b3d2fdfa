"""A sweep as a figure: what its members end in over its axes, or, where it kept the way, its members as families.

One axis is drawn along x. Of two axes the longer lies along x and the other is a family of curves, from pale to dark;
where both are long, colours over a plane. A third axis is a row of panels. Members that an event stopped have a ring,
members without a result are counted below.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InvalidValue
from .look import INK, STYLES, dress, head, in_order, is_flat, shades, symbols
from .look import with_unit as labelled
from .plan import pyplot
from .wish import Wish

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PANELS, FEW, CURVES, THIRD = 8, 9, 200, 4  # columns; curves in a family; members over time; panels of a third axis
WIDTH, HEIGHT, ACROSS = 3.2, 2.6, 4
TIME, STOPPED, REACHED = "time", 1, 0
BOOKS = ("outcome", "verdict", "steps", "rejected", "constraint_residual", "energy_drift", "margin", "t_end", "finite")


def is_sweep(thing: object) -> bool:
    """Is it the Dataset that `da.sweep` hands out? xarray is not loaded to ask."""
    kind, variables = type(thing), getattr(thing, "data_vars", ())
    return kind.__name__ == "Dataset" and kind.__module__.startswith("xarray.") and "outcome" in variables


@dataclass(frozen=True)
class Members:
    """The numbers of a sweep: axes of its grid, and columns over them.

    Attributes:
        axes: ``{dimension: numbers}``, the longest first.
        columns: ``{name: values}``, over the axes in their order, and over time where the way was kept.
        units: of axes and columns.
        outcome: how each member ended.
        time: (T,) where the way was kept.
        principle, title: whose they are.
    """

    axes: dict[str, np.ndarray]
    columns: dict[str, np.ndarray]
    units: dict[str, str]
    outcome: np.ndarray
    time: np.ndarray | None
    principle: str
    title: str

    def label(self, name: str) -> str:
        """``x (cm)``; the axis of a start as x(0)."""
        own = name.removesuffix("_start")
        shown = symbols(self.columns)[own] if own in self.columns else symbols([own])[own]
        return labelled(f"{shown}(0)" if own != name else shown, self.units.get(name, ""))

    @property
    def foot(self) -> str:
        """What became of the members."""
        count = {"were stopped by an event (rings)": int((self.outcome == STOPPED).sum())}
        count["have no result"] = int((self.outcome > STOPPED).sum() + (self.outcome < REACHED).sum())
        told = [f"{n} {words}" for words, n in count.items() if n]
        return f"{self.outcome.size} members" + "".join(f", {each}" for each in told)


def members_of(found: Any) -> Members:
    """The numbers of a Dataset."""
    dims = sorted((str(d) for d in found["outcome"].dims), key=lambda d: -found.sizes[d])
    axes = {d: np.asarray(found[d].values if d in found.coords else np.arange(found.sizes[d])) for d in dims}
    way = TIME in found.dims
    columns, units = {}, {}
    for name, variable in found.data_vars.items():
        wanted = {*dims, TIME} if way else set(dims)
        if name not in BOOKS and set(variable.dims) == wanted and variable.dtype.kind == "f":
            columns[str(name)] = variable.transpose(*dims, *([TIME] if way else [])).values
    for name, each in {**found.coords, **found.data_vars}.items():
        units[str(name)] = str(each.attrs.get("units", ""))
    time = np.asarray(found[TIME].values) if way else None
    return Members(
        axes, columns, units, found["outcome"].transpose(*dims).values, time,
        str(found.attrs.get("principle", "")), str(found.attrs.get("title", "")) or "Sweep",
    )  # fmt: skip


def draw(found: Any, wish: Wish | None = None) -> Figure:
    """A Matplotlib figure of what a sweep found.

    Raises:
        UnknownName: E317, a column or an axis that is not there.
        InvalidValue: E307, nothing to draw, or more than two axes in Axes that were given; E801, no Matplotlib.
    """
    wish, m = wish or Wish(), members_of(found)
    if not m.columns or not m.axes:
        raise InvalidValue("E307", "the sweep kept no columns over its axes", "name some in keep=")
    if wish.against is not None and m.time is None:
        (first,) = Wish((wish.against,)).of(m.axes, "the sweep")
        m = _turned(m, first)
    names, told = _columns(m, wish)
    rows = _thirds(m)
    if wish.ax is not None:
        if len(names) > 1 or len(rows) > 1:
            raise InvalidValue("E307", "one pair of Axes holds one column over two axes", f'columns="{names[0]}"')
        _panel(wish.ax, m, names[0], rows[0], wish)
        return _whole(wish.ax)
    return _page(m, names, rows, told, wish)


def _page(m: Members, names: list[str], rows: list[tuple[str, tuple[int, ...]]], told: list[str], wish: Wish) -> Figure:
    """Columns side by side; with a third axis, a row of panels for each of its values."""
    plan = m.time is not None and wish.columns is None and {"x", "y"} <= set(m.columns)
    count = len(names) + plan
    across = count if len(rows) > 1 else min(count, ACROSS)
    lines = len(rows) if len(rows) > 1 else -(-count // across)
    size = (WIDTH * across + 0.9, HEIGHT * lines + 1.0)
    figure, axes = pyplot().subplots(lines, across, figsize=size, squeeze=False, layout="constrained")
    free = iter(axes.ravel())
    for row in rows:
        if plan:
            _plane(next(free), m, row, wish)
        for name in names:
            _panel(next(free), m, name, row, wish)
    for ax in free:
        ax.set_visible(False)
    _legend(figure, m, wish)
    head(figure, f"{m.title}: {m.principle}", "\n".join([m.foot, *told]))
    return figure


def _whole(ax: Axes) -> Figure:
    figure = ax.get_figure(root=True)
    assert figure is not None
    return figure


def _turned(m: Members, first: str) -> Members:
    """With another axis along x."""
    order = [first, *(d for d in m.axes if d != first)]
    places = [list(m.axes).index(d) for d in order]
    columns = {name: np.transpose(v, places) for name, v in m.columns.items()}
    axes = {d: m.axes[d] for d in order}
    return Members(axes, columns, m.units, np.transpose(m.outcome, places), m.time, m.principle, m.title)


def _columns(m: Members, wish: Wish) -> tuple[list[str], list[str]]:
    """What is drawn, and what is said of the rest."""
    if wish.columns is not None:
        return list(wish.of(m.columns, "the sweep")), []
    flat = [n for n, v in m.columns.items() if is_flat(v, 0.0, 1e-12) or not np.isfinite(v).any()]
    moving = [n for n in in_order(m.columns) if n not in flat] or list(m.columns)
    most = 3 if len(_thirds(m)) > 1 else PANELS
    told = [f"constant: {_some(flat)}"] if flat and moving != list(m.columns) else []
    told += [f"drawn by columns=: {_some(moving[most:])}"] if moving[most:] else []
    return moving[:most], told


def _some(names: list[str]) -> str:
    return ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")


def _thirds(m: Members) -> list[tuple[str, tuple[int, ...]]]:
    """Title and indices of each row of panels: evenly chosen values of all axes after the second."""
    others = list(m.axes)[2:]
    if not others:
        return [("", ())]
    shape = tuple(len(m.axes[d]) for d in others)
    total = int(np.prod(shape))
    chosen = sorted({round(i) for i in np.linspace(0, total - 1, min(total, THIRD))})
    places = [tuple(int(k) for k in np.unravel_index(i, shape)) for i in chosen]
    more = f" ({len(chosen)} of {total})" if len(chosen) < total else ""
    return [
        (", ".join(f"{m.label(d)} = {_value(m.axes[d][k])}" for d, k in zip(others, place, strict=True)) + more, place)
        for place in places
    ]


def _value(number: object) -> str:
    return f"{number:.4g}" if isinstance(number, float | np.floating) else str(number)


def _panel(ax: Axes, m: Members, name: str, row: tuple[str, tuple[int, ...]], wish: Wish) -> None:
    """One column over the first two axes."""
    title, place = row
    values = m.columns[name][(slice(None),) * min(2, len(m.axes)) + place]
    outcome = m.outcome[(slice(None),) * min(2, len(m.axes)) + place]
    if m.time is not None:
        _over_time(ax, m, values, wish)
        dress(ax, title, "$t$ (s)", m.label(name))
    elif len(m.axes) > 1 and values.shape[1] > FEW:
        _colours(ax, m, name, values, outcome, title)
    else:
        _curves(ax, m, values, outcome, wish)
        dress(ax, title, m.label(next(iter(m.axes))), m.label(name) + " at the end")


def _curves(ax: Axes, m: Members, values: np.ndarray, outcome: np.ndarray, wish: Wish) -> None:
    """A curve for each value of the second axis."""
    x = next(iter(m.axes.values()))
    lines, ends = values.reshape(len(x), -1), outcome.reshape(len(x), -1)
    colours = wish.colours or shades(lines.shape[1], m.principle)
    for j, (y, end) in enumerate(zip(lines.T, ends.T, strict=True)):
        colour = colours[j % len(colours)]
        y = np.where((end == REACHED) | (end == STOPPED), y, np.nan)
        ax.plot(
            x,
            y,
            color=colour,
            linewidth=1.4,
            linestyle="-" if lines.shape[1] > len(STYLES) else STYLES[j],
            marker="." if len(x) < 60 else None,
            markersize=4,
        )
        ax.plot(x[end == STOPPED], y[end == STOPPED], "o", mfc="white", mec=colour, markersize=4.5, zorder=4)


def _colours(ax: Axes, m: Members, name: str, values: np.ndarray, outcome: np.ndarray, title: str) -> None:
    """Colours over the plane of two long axes."""
    from matplotlib.colors import LinearSegmentedColormap

    (first, x), (second, y) = list(m.axes.items())[:2]
    scale = LinearSegmentedColormap.from_list("sweep", ["#0c2f5e", "#2a78d6", "#cfe3f8", "#f7c08f", "#d55e00"])
    shown = np.where((outcome == REACHED) | (outcome == STOPPED), values, np.nan)
    across, up = (np.asarray(v, float) if v.dtype.kind in "iuf" else np.arange(len(v)) for v in (x, y))
    drawn = ax.pcolormesh(across, up, shown.T, cmap=scale, shading="nearest", rasterized=True)
    if (outcome == STOPPED).any():
        i, j = np.nonzero(outcome == STOPPED)
        size = max(1.0, 60.0 / max(outcome.shape))
        ax.plot(across[i], up[j], "o", mfc="none", mec="white", mew=0.6, markersize=size)
    bar = _whole(ax).colorbar(drawn, ax=ax, pad=0.02)
    bar.set_label(m.label(name) + " at the end", fontsize=8.5)
    bar.ax.tick_params(labelsize=7.5)
    dress(ax, title, m.label(first), m.label(second), grid=False)


def _members(m: Members, values: np.ndarray) -> tuple[np.ndarray, list[str]]:
    """Ways (K, T) of at most so many members, and a colour for each."""
    ways = values.reshape(-1, values.shape[-1])
    chosen = np.unique(np.linspace(0, len(ways) - 1, min(len(ways), CURVES)).round().astype(int))
    return ways[chosen], shades(len(chosen), m.principle)


def _over_time(ax: Axes, m: Members, values: np.ndarray, wish: Wish) -> None:
    ways, colours = _members(m, values)
    assert m.time is not None
    for i, way in enumerate(ways):
        ax.plot(m.time, way, color=(wish.colours or colours)[i % len(wish.colours or colours)], linewidth=1.0)


def _plane(ax: Axes, m: Members, row: tuple[str, tuple[int, ...]], wish: Wish) -> None:
    """The ways of all members seen from above."""
    title, place = row
    part = (slice(None),) * min(2, len(m.axes)) + place
    (x, colours), (y, _) = (_members(m, m.columns[n][part]) for n in "xy")
    for i in range(len(x)):
        ax.plot(x[i], y[i], color=(wish.colours or colours)[i % len(wish.colours or colours)], linewidth=1.0)
    ax.plot(x[:, 0], y[:, 0], "o", color=INK, markersize=3, zorder=5)
    ax.set_aspect("equal", adjustable="datalim")
    dress(ax, title or "seen from above", m.label("x"), m.label("y"))


def _legend(figure: Figure, m: Members, wish: Wish) -> None:
    """Which shade is which value of the family's axis."""
    from matplotlib.lines import Line2D

    dims = list(m.axes)
    family = dims[1] if len(dims) > 1 and m.time is None else dims[0] if m.time is not None and len(dims) == 1 else ""
    if not family or (m.time is None and len(m.axes[family]) > FEW):
        return
    values = m.axes[family]
    colours = wish.colours or shades(len(values), m.principle)
    shown = np.unique(np.linspace(0, len(values) - 1, min(len(values), FEW)).round().astype(int))
    lines = [Line2D([], [], color=colours[i % len(colours)], linewidth=1.6) for i in shown]
    title = m.label(family)
    figure.legend(
        lines, [_value(values[i]) for i in shown], title=title, loc="outside right upper", fontsize=8,
        title_fontsize=8.5, frameon=False,
    )  # fmt: skip
