"""Small figures as SVG inside a page: drawn by hand, so that they need no other package and follow the page's colours.

Curves differ in colour (a set that colour-blind people can tell apart, of middle lightness, so that it is seen on white
and on black) and in the style of the line. Axes and letters have the colour of the text around them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ..figure_style import COLOURS
from .markup import Html, tag

# --- numbers at an axis ----------------------------------------------------------------------------------------------
# Where an axis carries numbers, and how they are written: steps of 1, 2 or 5, few digits, the rest said once.

FLAT = 1e-9  # of the values: a change below it is drawn as none
LARGE, SMALL = 1e5, 1e-3  # beyond these a power of ten stands apart
FEW = 5  # labels on an axis
LIMIT = 1e300  # numbers beyond it are not drawn


@dataclass(frozen=True)
class PlotAxis:
    """One axis.

    Attributes:
        low, high: its ends; powers of ten where it is logarithmic.
        at: where it carries labels.
        labels: what stands there.
        note: what is to be added to or multiplied with the labels, "" if nothing.
        logarithmic: does it carry powers of ten?
    """

    low: float
    high: float
    at: tuple[float, ...]
    labels: tuple[str, ...]
    note: str = ""
    logarithmic: bool = False

    def place(self, values: np.ndarray) -> np.ndarray:
        """Where values lie, 0 at the low end and 1 at the high one; NaN for what cannot be drawn."""
        v = np.asarray(values, float)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            if self.logarithmic:
                v = np.where(v > 0, np.log10(v), np.nan)
            placed = np.where(np.abs(v) < LIMIT, v, np.nan) - self.low
            return np.asarray(placed / (self.high - self.low))


def linear(values: np.ndarray, room: float = 0.05) -> PlotAxis:
    """An axis on which all finite values find room."""
    v = np.asarray(values, float)
    v = v[np.abs(v) < LIMIT]
    low, high = (float(v.min()), float(v.max())) if v.size else (0.0, 1.0)
    largest = max(abs(low), abs(high))
    if high - low <= FLAT * largest:
        middle = low / 2 + high / 2
        low, high = middle - 0.5 * (largest or 1.0), middle + 0.5 * (largest or 1.0)
    low, high = low - room * (high - low), high + room * (high - low)
    return _labelled(low, high)


def between(low: float, high: float) -> PlotAxis:
    """An axis with the given ends."""
    return _labelled(low, high)


def _labelled(low: float, high: float) -> PlotAxis:
    step = _step(high - low)
    first, last = math.ceil(low / step), math.floor(high / step)
    at = [k * step for k in range(first, last + 1)] if last - first < 2 * FEW else [low, high]
    largest = max(abs(low), abs(high))
    base = float(f"{low / 2 + high / 2:.3g}") if largest > LARGE * step else 0.0
    while base and largest > LARGE * step and abs(low / 2 + high / 2 - base) > step:
        digits = 4 - math.floor(math.log10(abs(base - (low / 2 + high / 2)) / largest))
        base = float(f"{low / 2 + high / 2:.{min(digits, 17)}g}")
    power = _power(max(abs(v - base) for v in at) if at else largest)
    shown = tuple(_written((v - base) / 10**power, step / 10**power) for v in at)
    note = " ".join([*([f"\u00d710{_raised(power)}"] if power else []), *([f"{base:+.12g}"] if base else [])])
    return PlotAxis(low, high, tuple(at), shown, note.replace("-", "\u2212"))


def _step(span: float) -> float:
    """1, 2 or 5 times a power of ten, at most `FEW` to the span."""
    rough = span / FEW
    unit = 10.0 ** math.floor(math.log10(rough))
    return next((k * unit for k in (1, 2, 5) if k * unit >= rough), 10 * unit)


def _power(largest: float) -> int:
    if largest == 0 or SMALL <= largest < LARGE:
        return 0
    return math.floor(math.log10(largest))


def _written(value: float, step: float) -> str:
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    shown = f"{value:.{min(digits, 9)}f}"
    return (shown if float(shown) else shown.replace("-", "")).replace("-", "\u2212")


def logarithmic(values: np.ndarray, least: float = 1e-17) -> PlotAxis:
    """An axis of powers of ten for the positive values; those below `least` of interest to nobody."""
    v = np.asarray(values, float)
    v = v[(v > least) & (v < LIMIT)]
    low, high = (math.log10(float(v.min())), math.log10(float(v.max()))) if v.size else (-1.0, 0.0)
    low, high = math.floor(low), max(math.ceil(high), math.floor(low) + 1)
    stride = -(-(high - low) // FEW)
    at = tuple(float(k) for k in range(low, high + 1, stride))
    return PlotAxis(low, high, tuple(10**k for k in at), tuple(f"10{_raised(int(k))}" for k in at), logarithmic=True)


def _raised(power: int) -> str:
    return str(power).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


DASHES = (None, "7 3", "1.5 3", "9 3 1.5 3", "4 2", "12 3 3 3")
WIDTH, HEIGHT = 320, 220
LEFT, RIGHT, TOP, BOTTOM = 56, 10, 22, 36
SIZE = "11"


@dataclass(frozen=True)
class Polyline:
    """Points (N,), (N,) joined by a line; NaN breaks it. `look` chooses colour and style, None is thin and grey."""

    x: np.ndarray
    y: np.ndarray
    label: str = ""
    look: int | None = 0
    dots: bool = False


@dataclass(frozen=True)
class Mark:
    """A point worth seeing: a ``"dot"``, a ``"cross"`` or a ``"tick"`` across the time axis."""

    x: float
    y: float
    shape: str = "dot"
    look: int | None = None


@dataclass(frozen=True)
class Picture:
    """Curves on common axes.

    Attributes:
        caption: below the picture.
        axes: what is drawn along x and along y, with units.
        curves, marks: what is drawn.
        equal: is a unit along x as long as one along y?
        log: which axes are logarithmic, "", "x", "y" or "xy".
        told: the picture in words, for those who do not see it.
        level: a line across at this height.
    """

    caption: str
    axes: tuple[str, str]
    curves: Sequence[Polyline]
    marks: Sequence[Mark] = ()
    equal: bool = False
    log: str = ""
    told: str = ""
    level: float | None = None
    size: tuple[int, int] = field(default=(WIDTH, HEIGHT))


def figure(picture: Picture) -> Html:
    """The picture with its caption, and a legend where there is more than one curve."""
    named = {c.label: c for c in picture.curves if c.label}
    legend = [tag("span", _swatch(c), label, class_="key") for label, c in named.items()] if len(named) > 1 else []
    caption = tag("figcaption", picture.caption, *([tag("span", *legend, class_="legend")] if legend else []))
    return tag("figure", svg(picture), caption)


def svg(picture: Picture) -> Html:
    """The picture alone."""
    width, height = picture.size
    x, y = _axes(picture)
    told = picture.told or picture.caption
    parts = [
        tag("title", picture.caption),
        tag("desc", told),
        *_frame(picture, x, y),
        *(_curve(c, x, y, picture.size) for c in picture.curves),
        *(_mark(m, x, y, picture.size) for m in picture.marks),
    ]
    return tag("svg", *parts, viewBox=f"0 0 {width} {height}", role="img", aria_label=f"{picture.caption}. {told}")


def _axes(picture: Picture) -> tuple[PlotAxis, PlotAxis]:
    empty = np.zeros(0)
    xs = np.concatenate([*(c.x for c in picture.curves), np.array([m.x for m in picture.marks]), empty])
    ys = np.concatenate([*(c.y for c in picture.curves), np.array([m.y for m in picture.marks]), empty])
    if picture.level is not None:
        ys = np.r_[ys, picture.level]
    x = logarithmic(xs) if "x" in picture.log else linear(xs, 0.05 if picture.equal else 0.0)
    y = logarithmic(ys) if "y" in picture.log else linear(ys)
    return _equal(x, y, picture.size) if picture.equal else (x, y)


def _equal(x: PlotAxis, y: PlotAxis, size: tuple[int, int]) -> tuple[PlotAxis, PlotAxis]:
    """One unit as long along both axes: the axis with room to spare grows."""
    wide, high = size[0] - LEFT - RIGHT, size[1] - TOP - BOTTOM
    scale = max((x.high - x.low) / wide, (y.high - y.low) / high)
    ends = []
    for axis, length in ((x, wide), (y, high)):
        middle = axis.low / 2 + axis.high / 2
        ends.append(between(middle - scale * length / 2, middle + scale * length / 2))
    return ends[0], ends[1]


def _to(
    x: PlotAxis, y: PlotAxis, size: tuple[int, int], at: np.ndarray, over: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Places in the picture, from the upper left corner."""
    width, height = size
    return LEFT + (width - LEFT - RIGHT) * x.place(at), height - BOTTOM - (height - TOP - BOTTOM) * y.place(over)


def _frame(picture: Picture, x: PlotAxis, y: PlotAxis) -> list[Html]:
    """Axes, numbers, names."""
    width, height = picture.size
    bottom, right = height - BOTTOM, width - RIGHT
    parts = [
        tag(
            "rect",
            **{"x": LEFT, "y": TOP, "width": right - LEFT, "height": bottom - TOP},
            **{"fill": "none", "stroke": "currentColor", "stroke-width": "0.8", "opacity": "0.6"},
        )
    ]
    across, _ = _to(x, y, picture.size, np.array(x.at), np.array(y.at[:1] * len(x.at)))
    _, up = _to(x, y, picture.size, np.array(x.at[:1] * len(y.at)), np.array(y.at))
    for place, label in zip(across, x.labels, strict=True):
        parts += [_line(place, bottom, place, TOP, 0.13), _word(label, place, bottom + 13, "middle")]
    for place, label in zip(up, y.labels, strict=True):
        parts += [_line(LEFT, place, right, place, 0.13), _word(label, LEFT - 5, place + 4, "end")]
    parts += [_word(" ".join([picture.axes[0], *([f"({x.note})"] if x.note else [])]), right, height - 6, "end")]
    parts += [_word(" ".join([picture.axes[1], *([f"({y.note})"] if y.note else [])]), 2, 10, "start")]
    if picture.level is not None:
        _, level = _to(x, y, picture.size, np.array(x.at[:1]), np.array([picture.level]))
        parts.append(_line(LEFT, level[0], right, level[0], 0.7))
    return parts


def _line(x1: float, y1: float, x2: float, y2: float, opacity: float) -> Html:
    ends = {"x1": f"{x1:.1f}", "y1": f"{y1:.1f}", "x2": f"{x2:.1f}", "y2": f"{y2:.1f}"}
    return tag("line", **ends, stroke="currentColor", **{"stroke-width": "0.8"}, opacity=opacity)


def _word(label: str, x: float, y: float, anchor: str) -> Html:
    return tag("text", label, x=f"{x:.1f}", y=f"{y:.1f}", text_anchor=anchor, font_size=SIZE, fill="currentColor")


def _curve(curve: Polyline, x: PlotAxis, y: PlotAxis, size: tuple[int, int]) -> Html:
    across, up = _to(x, y, size, curve.x, curve.y)
    look = _look(curve.look)
    if curve.dots:
        points = [tag("circle", cx=f"{a:.1f}", cy=f"{b:.1f}", r="2.6", fill=look["stroke"])
                  for a, b in zip(across, up, strict=True) if np.isfinite(a + b)]  # fmt: skip
        return tag("g", *points)
    return tag("path", d=_course(across, up), fill="none", **look)


def _course(across: np.ndarray, up: np.ndarray) -> str:
    """``M x y L x y ...``, a new M after a gap; points that fall on the one before are left out."""
    pieces: list[str] = []
    last, pen = "", "M"
    for a, b in zip(across, up, strict=True):
        if not np.isfinite(a + b):
            last, pen = "", "M"
            continue
        point = f"{a:.1f} {b:.1f}"
        if point != last:
            pieces.append(pen + point)
        last, pen = point, "L"
    if pieces and pieces[-1].startswith("M"):
        pieces.append("h0.1")  # a single point
    return "".join(pieces)


def _look(look: int | None) -> dict[str, str]:
    if look is None:
        return {"stroke": "currentColor", "stroke-width": "1", "opacity": "0.45"}
    dash = DASHES[look % len(DASHES)]
    # the first lies wide below the others: both are seen where curves lie on each other
    style = {"stroke": COLOURS[look % len(COLOURS)], "stroke-width": "1.9" if look else "2.4"}
    return {**style, "stroke-linejoin": "round", **({"stroke-dasharray": dash} if dash else {})}


def _swatch(curve: Polyline) -> Html:
    """A short piece of the curve, for the legend; the label beside it says it all."""
    line = tag("path", d="M1 5L33 5", fill="none", **_look(curve.look))
    return tag("svg", line, viewBox="0 0 34 10", width="34", height="10", aria_hidden="true", class_="swatch")


def _mark(mark: Mark, x: PlotAxis, y: PlotAxis, size: tuple[int, int]) -> Html:
    a, b = (float(v[0]) for v in _to(x, y, size, np.array([mark.x]), np.array([mark.y])))
    colour = "currentColor" if mark.look is None else COLOURS[mark.look % len(COLOURS)]
    if not np.isfinite(a + b):
        return Html()
    if mark.shape == "dot":
        return tag("circle", cx=f"{a:.1f}", cy=f"{b:.1f}", r="3.2", fill=colour)
    cross = {"cross": f"M{a - 4:.1f} {b - 4:.1f}l8 8m0 -8l-8 8", "tick": f"M{a:.1f} {TOP}V{size[1] - BOTTOM}"}
    dash = {"stroke-dasharray": "2 2"} if mark.shape == "tick" else {}
    return tag("path", d=cross[mark.shape], fill="none", stroke=colour, **{"stroke-width": "1.6"}, **dash)
