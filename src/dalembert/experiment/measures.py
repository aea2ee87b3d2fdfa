"""Measures of a motion, one function for a path that was run and for a record of one that was seen.

A record has no dense output: what lies between its rows is interpolated, and the result says how well it is known.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

import numpy as np

from .. import given
from ..errors import InvalidValue, WrongType, as_given, did_you_mean, warn
from ..given import public
from ..record import Record
from ..trajectory import Marks, Trajectory
from ..trajectory.steps import knots
from . import circle, oscillation
from .circle import Circle
from .crossing import Crossings, between_rows, in_record, on_path
from .oscillation import Oscillation
from .series import Series, between, series

__all__ = [
    "Circle",
    "Crossings",
    "Oscillation",
    "amplitudes",
    "crossings",
    "dominant_frequency",
    "exit_time",
    "fitted_circle",
    "growth_rate",
    "period",
]


@public
def crossings(path: Trajectory | Record, event: str, *, level: float = 0.0, direction: int = 0) -> Marks | Crossings:
    """Times and columns at which an event happened, or a column crossed a level.

    Args:
        path: a run, or a record.
        event: name of an event that the run watched, or of a column.
        level: of the column, in its unit.
        direction: +1 rising, -1 falling, 0 both; for a column.

    Raises:
        InvalidValue: E318, the run watched no such event, and there is no such column; E307, a level, or -1 for the
            direction, of an event.
        UnknownName: E317, the record has no such column.
    """
    name, level, direction = given.name(event, "an event or a column", "E318"), _level(level), _direction(direction)
    if isinstance(path, Trajectory) and name in path.marks:
        _check_unasked(name, level, direction)
        return path.marks[name]
    if isinstance(path, Trajectory) and name not in path.names:
        remedy = did_you_mean(name, [*path.names, *path.marks])
        raise InvalidValue("E318", f"the run has no column {as_given(name)}, and watched no event of that name", remedy)
    g = series(path, name)
    return _all_columns(path, *_zeros(path, (name,), lambda p: p[:, 0] - level, g.sigma, direction))


def _zeros(path: Trajectory | Record, names: tuple[str, ...], g: Any, sigma: Any, direction: int) -> Any:
    """Times at which g of some columns is 0, with their uncertainties."""
    found = series(path, names)
    if isinstance(path, Record):
        return in_record(Series(found.t, g(found.values)[:, None], sigma), direction)
    columns = [path.names.index(name) for name in names]
    if max(columns) >= between(path):  # known at the samples only
        times, _ = in_record(Series(found.t, g(found.values)[:, None], np.zeros((len(found.t), 1))), direction)
        return times, np.full(len(times), np.nan)
    times = on_path(lambda t: g(path.dense(t)[:, columns]), found.t, direction, knots(path))
    return times, np.zeros(len(times))


def _all_columns(path: Trajectory | Record, times: np.ndarray, sigma_t: np.ndarray) -> Crossings:
    """Every column at the times."""
    if isinstance(path, Trajectory) and not between(path):
        known = Series(path.t, path.values, np.zeros_like(path.values))
        values, sigma = between_rows(known, times, sigma_t)
        return Crossings(times, values, path.names, sigma_t, sigma)
    if isinstance(path, Trajectory):
        values = path.dense(times) if len(times) else np.empty((0, len(path.names)))
        names = path.names[: values.shape[1]]
        return Crossings(times, values, names, sigma_t, values * 0.0)
    names = tuple(name for name in path.names if name != path.time and len(path[name]) == len(path.t))
    parts = [between_rows(series(path, name), times, sigma_t) for name in names]
    return Crossings(times, np.hstack([v for v, _ in parts]), names, sigma_t, np.hstack([s for _, s in parts]))


@public
def period(
    path: Trajectory | Record, event: str, count: int | None = None, *, level: float = 0.0, direction: int = +1
) -> float:
    """Mean time between crossings.

    For an event the start of the run counts as the first crossing; for a column the first crossing is the first.

    Args:
        path: a run that began on the crossing, watched as an event; or any run or record, for a column.
        event: name of the event, or of a column.
        count: how many periods to average over; all that there are by default.
        level, direction: of the column, as in `crossings`.

    Raises:
        InvalidValue: E548, there are fewer than were asked for, or none; and what `crossings` raises.
    """
    found, count = crossings(path, event, level=level, direction=direction), _count(count)
    if isinstance(found, Marks):
        t = np.r_[path.t[0], found.t[:count]]
    else:
        t = found.t if count is None else found.t[: count + 1]
    periods = len(t) - 1
    if periods < (count or 1):
        what = event if isinstance(found, Marks) else f"{event} = {level:g}"
        seen = f"{len(found.t)} time{'s' * (len(found.t) != 1)} from t = {path.t[0]:g} to {path.t[-1]:g}"
        fewer = f", or count={periods}" if periods > 0 else "" if isinstance(found, Marks) else ", or another level"
        longer = "a longer record" if isinstance(path, Record) else "a longer run: until=..."
        raise InvalidValue("E548", f"{what} is crossed {seen}: too few for {_periods(count)}", f"{longer}{fewer}")
    return float((t[-1] - t[0]) / periods)


@public
def amplitudes(
    path: Trajectory | Record,
    event: str,
    column: str,
    count: int | None = None,
    *,
    level: float = 0.0,
    direction: int = +1,
) -> np.ndarray[Any, Any]:
    """Changes of a column from crossing to crossing: x_i - x_(i-1).

    For an event the start of the run counts as the first crossing; for a column the first crossing is the first. Fewer
    than were asked for, and none, are said (W580).
    """
    found, count = crossings(path, event, level=level, direction=direction), _count(count)
    name = given.name(column, "a column")
    series(path, name)  # refuses an unknown column
    if isinstance(found, Marks):
        changes = np.diff(np.r_[path[name][0], found[name][:count]])
    else:
        changes = np.diff(found[name] if count is None else found[name][: count + 1])
    if len(changes) < (count or 1):
        warn("W580", f"{event} crosses{_at(found, level)} {len(found.t)} times: there are {len(changes)} changes")
    return changes


@public
def growth_rate(path: Trajectory | Record, columns: Any = "x y") -> Oscillation:
    """Growth s and frequency w/(2 pi) of e^(s t) (a cos w t + b sin w t) about a fitted centre, best for all columns.

    A spiral in the plane is one: its distance from the centre grows as e^(s t).

    Raises:
        InvalidValue: E546, fewer than 6 rows.
    """
    return oscillation.fitted(series(path, columns, least=6), growing=True)


@public
def dominant_frequency(path: Trajectory | Record, columns: Any = "x") -> Oscillation:
    """The frequency in Hz that explains most of the columns, with its uncertainty; rows need not be equally spaced.

    Raises:
        InvalidValue: E546, fewer than 6 rows.
    """
    return oscillation.fitted(series(path, columns, least=6), growing=False)


@public
def fitted_circle(path: Trajectory | Record, columns: Any = "x y") -> Circle:
    """Centre and radius of the circle that is nearest to the points, by least squares.

    Raises:
        InvalidValue: E546, fewer than 3 rows; E540, not two columns.
    """
    names = given.names(columns, "columns")
    if len(names) != 2:
        raise InvalidValue("E540", f"a circle lies in two columns, not {len(names)}", 'columns="x y"')
    return circle.fitted(series(path, names, least=3))


@public
def exit_time(
    path: Trajectory | Record, radius: float, columns: Any = "x y", centre: Any = None
) -> tuple[float, float]:
    """When the distance from a centre first reaches a radius, and the standard uncertainty of this time.

    Returns:
        (time, uncertainty): the first time if it begins outside, NaN if it never leaves; both are said (W580).
    """
    names, radius = given.names(columns, "columns"), given.number(radius, "radius", "E307", above=0)
    data, c = series(path, names), _centre(centre, names)

    def g(p: np.ndarray) -> np.ndarray:
        return np.asarray(np.sqrt(((p - c) ** 2).sum(axis=1)) - radius)

    far = data.values - c
    r = np.sqrt((far**2).sum(axis=1))
    # sigma_r^2 = sum ((x - c)/r)^2 sigma_x^2
    sigma = np.sqrt(((far / np.where(r > 0, r, 1.0)[:, None]) ** 2 * data.sigma**2).sum(axis=1))[:, None]
    if r[0] >= radius:
        if r[0] > radius:
            warn("W580", f"the distance is {r[0]:.6g} at the first time, beyond {radius:g} already: in one unit?")
        return float(data.t[0]), 0.0
    times, spread = _zeros(path, names, g, sigma, +1)
    if not len(times):
        warn("W580", f"the distance does not reach {radius:g}, it is at most {r.max():.6g}: the time is NaN")
        return float("nan"), float("nan")
    return float(times[0]), float(spread[0])


# --- what is asked ----------------------------------------------------------------------------------------------------


def _periods(count: int | None) -> str:
    return "a period" if count in (None, 1) else f"{count} periods"


def _at(found: Marks | Crossings, level: float) -> str:
    """The level of a column in words; an event has none."""
    return "" if isinstance(found, Marks) else f" {level:g}"


def _level(asked: object) -> float:
    return given.number(asked, "level", "E307")


def _check_unasked(event: str, level: float, direction: int) -> None:
    """E307: an event has a guard of its own, which says at which level and in which direction it happens."""
    if level or direction < 0:
        fact = f"{'level' if level else 'direction'} = {level or direction:g} is of a column, and {event} is an event"
        guard = f"da.Event({as_given(event)}, GUARD{f' - {level:g}' if level else ', direction=-1'})"
        raise InvalidValue("E307", fact, f"leave it out, or watch events=[{guard}] in the run")


def _direction(asked: object) -> int:
    """+1 rising, -1 falling, 0 both (E307)."""
    return given.whole(asked, "direction", "E307", least=-1, most=1)


def _count(asked: object) -> int | None:
    """How many crossings, at least one; None for all (E307)."""
    return None if asked is None else given.whole(asked, "count", "E307", least=1)


def _centre(asked: object, names: tuple[str, ...]) -> np.ndarray:
    """A number for each column, 0 where none is given (E307)."""
    if asked is None:
        return np.zeros(len(names))
    try:
        found = list(cast(Iterable[object], asked))
    except TypeError:
        found = []
    if len(found) != len(names) or isinstance(asked, str | bytes):
        fact = f"the centre is a number for each of {', '.join(names)}, not {as_given(asked)}"
        raise WrongType("E307", fact, f"centre=({', '.join('0' for _ in names)},)")
    return np.array([given.number(x, f"centre of {name}", "E307") for x, name in zip(found, names, strict=True)])
