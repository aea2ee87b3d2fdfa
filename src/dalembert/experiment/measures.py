"""Measures of a motion, one function for a path that was run and for a record of one that was seen.

A record has no dense output: what lies between its rows is interpolated, and the result says how well it is known.
The circle and the oscillation of least squares stand below, and last the camera that looks at a motion.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import sympy as sp

from .. import argument_checks
from ..argument_checks import noun, public
from ..errors import InvalidValue, WrongType, as_given, did_you_mean, warn
from ..record import Record
from ..trajectory import Marks, Trajectory
from ..trajectory.interpolant import knots
from .column_series import Crossings, Series, between, between_rows, in_record, on_path, series

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
    name, level, direction = (
        argument_checks.name(event, "an event or a column", "E318"),
        _level(level),
        _direction(direction),
    )
    if isinstance(path, Trajectory) and name in path.marks:
        # E307: an event has a guard of its own, which says at which level and in which direction it happens
        if level or direction < 0:
            fact = (
                f"{'level' if level else 'direction'} = {level or direction:g} is of a column, and {name} is an event"
            )
            guard = f"da.Event({as_given(name)}, GUARD{f' - {level:g}' if level else ', direction=-1'})"
            raise InvalidValue("E307", fact, f"leave it out, or watch events=[{guard}] in the run")
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
        wanted = "a period" if count in (None, 1) else f"{count} periods"
        raise InvalidValue("E548", f"{what} is crossed {seen}: too few for {wanted}", f"{longer}{fewer}")
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
    name = argument_checks.name(column, "a column")
    series(path, name)  # refuses an unknown column
    if isinstance(found, Marks):
        changes = np.diff(np.r_[path[name][0], found[name][:count]])
    else:
        changes = np.diff(found[name] if count is None else found[name][: count + 1])
    if len(changes) < (count or 1):
        warn("W580", f"{event} crosses{_at(found, level)} {len(found.t)} times: there are {len(changes)} changes")
    return changes


@public
def growth_rate(path: Trajectory | Record, columns: object = "x y") -> Oscillation:
    """Growth s and frequency w/(2 pi) of e^(s t) (a cos w t + b sin w t) about a fitted centre, best for all columns.

    A spiral in the plane is one: its distance from the centre grows as e^(s t).

    Raises:
        InvalidValue: E546, fewer than 6 rows.
    """
    return oscillation_through(series(path, columns, least=6), growing=True)


@public
def dominant_frequency(path: Trajectory | Record, columns: object = "x") -> Oscillation:
    """The frequency in Hz that explains most of the columns, with its uncertainty; rows need not be equally spaced.

    Raises:
        InvalidValue: E546, fewer than 6 rows.
    """
    return oscillation_through(series(path, columns, least=6), growing=False)


@public
def fitted_circle(path: Trajectory | Record, columns: object = "x y") -> Circle:
    """Centre and radius of the circle that is nearest to the points, by least squares.

    Raises:
        InvalidValue: E546, fewer than 3 rows; E540, not two columns.
    """
    names = argument_checks.names(columns, "columns")
    if len(names) != 2:
        raise InvalidValue("E540", f"a circle lies in two columns, not {len(names)}", 'columns="x y"')
    return circle_through(series(path, names, least=3))


@public
def exit_time(
    path: Trajectory | Record, radius: float, columns: object = "x y", centre: object = None
) -> tuple[float, float]:
    """When the distance from a centre first reaches a radius, and the standard uncertainty of this time.

    Returns:
        (time, uncertainty): the first time if it begins outside, NaN if it never leaves; both are said (W580).
    """
    names, radius = argument_checks.names(columns, "columns"), argument_checks.number(radius, "radius", "E307", above=0)
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


def _at(found: Marks | Crossings, level: float) -> str:
    """The level of a column in words; an event has none."""
    return "" if isinstance(found, Marks) else f" {level:g}"


def _level(asked: object) -> float:
    return argument_checks.number(asked, "level", "E307")


def _direction(asked: object) -> int:
    """+1 rising, -1 falling, 0 both (E307)."""
    return argument_checks.whole(asked, "direction", "E307", least=-1, most=1)


def _count(asked: object) -> int | None:
    """How many crossings, at least one; None for all (E307)."""
    return None if asked is None else argument_checks.whole(asked, "count", "E307", least=1)


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
    return np.array(
        [argument_checks.number(x, f"centre of {name}", "E307") for x, name in zip(found, names, strict=True)]
    )


# --- the circle of least squares through points: sum (|p_i - c| - R)^2 is least [gander1994] -------------------------

SEEN = 2.0  # standard uncertainties that a curvature must differ from 0 by


@noun
@dataclass(frozen=True)
class Circle:
    """A fitted circle.

    Attributes:
        centre: (x, y).
        radius: R; infinite if the points lie on a line, and then the centre is NaN.
        sigma: standard uncertainties of x, y and R: from those of the points if they are known, else from the scatter.
        scatter: root mean square distance of the points from the circle.
    """

    centre: tuple[float, float]
    radius: float
    sigma: tuple[float, float, float]
    scatter: float

    def __str__(self) -> str:
        (x, y), (dx, dy, dr) = self.centre, self.sigma
        return (
            f"radius {self.radius:.8g} +- {dr:.2g}, centre ({x:.8g} +- {dx:.2g}, {y:.8g} +- {dy:.2g}), "
            f"points within {self.scatter:.2g}"
        )


def circle_through(data: Series) -> Circle:
    """The circle; that there is none to be seen is said (W580)."""
    found = _nearest(data)
    # the curvature is 1/R, known to sigma_R/R^2
    if not SEEN * found.sigma[2] < found.radius < np.inf:
        shown = "at one place" if not np.ptp(data.values, axis=0).any() else "on a line, as well as they are known"
        warn("W580", f"the points lie {shown}: they show no circle, and its radius and centre mean nothing", 4)
    return found


def _nearest(data: Series) -> Circle:
    """Begun with the algebraic circle, which is linear [kasa1976]; then Gauss and Newton's steps by SciPy."""
    from scipy.optimize import least_squares

    middle = data.values.mean(axis=0)
    p = data.values - middle
    largest = float(np.abs(p).max()) or 1.0
    size = largest * (float(np.sqrt(np.mean((p / largest) ** 2))) or 1.0)
    p, known = p / size, data.weights
    w = np.ones(len(p)) if known is None else np.sqrt(np.mean((size * known) ** 2, axis=1))
    # x^2 + y^2 = 2 a x + 2 b y + d,  R^2 = d + a^2 + b^2
    A = np.column_stack([2 * p, np.ones(len(p))])
    (a, b, d), _, rank, _ = np.linalg.lstsq(A, (p**2).sum(axis=1), rcond=1e-12)
    if rank < 3:
        off_line = np.linalg.svd(p, compute_uv=False)[-1] / np.sqrt(len(p))
        return Circle((np.nan, np.nan), np.inf, (np.inf,) * 3, float(off_line * size))

    def left(c: np.ndarray) -> np.ndarray:
        return np.asarray(w * (np.hypot(p[:, 0] - c[0], p[:, 1] - c[1]) - c[2]))

    found = least_squares(left, [a, b, np.sqrt(d + a * a + b * b)], x_scale="jac", xtol=1e-15, ftol=1e-15, gtol=1e-15)
    variance = 1.0 if known is not None else 2 * found.cost / max(1, len(p) - 3)
    spread = spreads(found.jac) * np.sqrt(variance) * size
    x, y, R = found.x * size
    scatter = float(np.sqrt(np.mean((left(found.x) / w) ** 2)) * size)
    return Circle(
        (float(x + middle[0]), float(y + middle[1])),
        float(abs(R)),
        (float(spread[0]), float(spread[1]), float(spread[2])),
        scatter,
    )


def spreads(jacobian: np.ndarray) -> np.ndarray:
    """sqrt(diag((J^T J)^-1)) of J (K, d), without its square; infinite along what J does not hold."""
    _, s, Vt = np.linalg.svd(jacobian, full_matrices=False)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.sqrt(np.nansum((Vt / s[:, None]) ** 2, axis=0)))


# --- oscillations: x(t) = c + e^(s t) (a cos(w t) + b sin(w t)), s and w common to all columns -----------------------
# c, a, b follow from s and w by linear least squares, so that only two numbers are searched for [golub1973].

UNEXPLAINED = 0.8  # of the motion: about as much is left where there is noise alone
FINER = 8  # points of the spectrum for each of its own


@noun
@dataclass(frozen=True)
class Oscillation:
    """An oscillation that was fitted to columns.

    Attributes:
        rate: s, growth if positive, in 1/s.
        frequency: w/(2 pi), in Hz.
        rate_sigma, frequency_sigma: standard uncertainties, from the scatter about the curve; they hold if that is
            noise without memory.
        misfit: root mean square of what is left, as a part of that of the motion: near 1 nothing was explained.
        centre: c of each column.
    """

    rate: float
    frequency: float
    rate_sigma: float
    frequency_sigma: float
    misfit: float
    centre: tuple[float, ...]

    def __str__(self) -> str:
        return (
            f"growth {self.rate:.6g} +- {self.rate_sigma:.2g} 1/s, frequency {self.frequency:.8g} +- "
            f"{self.frequency_sigma:.2g} Hz, {100 * self.misfit:.3g} % of the motion left"
        )


def loudest(data: Series) -> float:
    """The largest line of the spectrum in Hz, within about 1/duration: where to begin."""
    t = np.linspace(data.t[0], data.t[-1], max(16, len(data.t)))
    power = np.zeros(FINER * len(t) // 2 + 1)
    for column in data.values.T / data.size:
        x = np.interp(t, data.t, column)
        x = (x - x.mean()) * np.hanning(len(t))
        power += np.abs(np.fft.rfft(x, FINER * len(t))[: len(power)]) ** 2
    f = np.arange(len(power)) / (FINER * len(t) * (t[1] - t[0]))
    inside = f >= 0.5 / (t[-1] - t[0])
    return float(f[inside][np.argmax(power[inside])])


def oscillation_through(data: Series, growing: bool) -> Oscillation:
    """Least squares over w, and over s if it may grow, from the loudest line."""
    from scipy.optimize import least_squares

    if not np.ptp(data.values, axis=0).any():
        raise InvalidValue("E318", "what does not change has no frequency", "name columns that move")
    span = float(data.t[-1] - data.t[0])
    t = (data.t - data.t.mean()) / span
    f = loudest(data) * span
    scale = data.size
    weights = data.weights
    relative = np.ones_like(data.values) if weights is None else weights / weights.mean()

    def left(p: np.ndarray) -> np.ndarray:
        return _left(t, data.values / scale, relative, p)[0]

    w0 = 2 * np.pi * f
    starts = [np.array([s, w0]) for s in (-2.0, 0.0, 2.0)] if growing else [np.array([w0])]
    found = min((least_squares(left, p, x_scale="jac", xtol=1e-15, ftol=1e-15, gtol=1e-15) for p in starts), key=_cost)
    free = max(1, data.values.size - len(found.x) - 3 * data.values.shape[1])
    # cov = (J^T J)^-1 |r|^2/(n - p)
    covariance = np.linalg.pinv(found.jac.T @ found.jac) * 2 * found.cost / free
    s, w = found.x if growing else (0.0, found.x[0])
    ds, dw = np.sqrt(np.diag(covariance)) if growing else (0.0, np.sqrt(covariance[0, 0]))
    centre = _left(t, data.values / scale, relative, found.x)[1] * scale
    misfit = float(np.sqrt(np.mean((left(found.x).reshape(data.values.shape) / relative) ** 2)))
    hertz = 2 * np.pi * span
    told = [float(each) for each in (s / span, abs(w) / hertz, ds / span, dw / hertz)]
    return _doubted(Oscillation(told[0], told[1], told[2], told[3], misfit, tuple(map(float, centre))), span)


def _doubted(found: Oscillation, span: float) -> Oscillation:
    """The same, with what is to be said of it (W580)."""
    turns = span * found.frequency
    if turns < 1:
        fact = f"{span:.3g} s are {turns:.2g} of a turn at {found.frequency:.3g} Hz"
        warn("W580", f"{fact}: a frequency is not seen in less than one", 5)
    if found.misfit > UNEXPLAINED:
        warn("W580", f"{100 * found.misfit:.3g} % of the motion is left: this is no oscillation of one frequency", 5)
    return found


def _cost(found: object) -> float:
    return float(found.cost)  # type: ignore[attr-defined]


def _left(t: np.ndarray, x: np.ndarray, weights: np.ndarray, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Residuals of the best c, a, b for s and w, and c."""
    s, w = p if len(p) == 2 else (0.0, p[0])
    grown = np.exp(np.clip(s * t, -100, 100))
    basis = np.column_stack([np.ones_like(t), grown * np.cos(w * t), grown * np.sin(w * t)])
    out, centre = np.empty_like(x), np.empty(x.shape[1])
    for i in range(x.shape[1]):
        weighted = basis * weights[:, i, None]
        size = np.linalg.norm(weighted, axis=0)
        size = np.where(size > 0, size, 1.0)
        c = np.linalg.lstsq(weighted / size, x[:, i] * weights[:, i], rcond=None)[0] / size
        out[:, i], centre[i] = weights[:, i] * (x[:, i] - basis @ c), c[0]
    return out.ravel(), centre


# --- a camera above a table ------------------------------------------------------------------------------------------


@public
def camera(
    columns: object = "px py",
    plane: object = "x y",
    *,
    scale: str = "scale",
    angle: str = "angle",
    shift: object = "shift_x shift_y",
    flipped: bool = False,
) -> dict[str, sp.Expr]:
    """The two columns of pixels as expressions, for `columns=` of a fit.

        px = shift_x + scale (cos(angle) x - sin(angle) y)
        py = shift_y + scale (sin(angle) x + cos(angle) y)

    Scale (pixels per unit of length), angle (rad) and shift (pixels) are values of `parameters`, and unknowns of the
    fit if they are free. With ``flipped=True`` the second column grows downwards, as rows of images do.

    Args:
        columns: names of the two columns of the record.
        plane: names of the two coordinates.
        scale, angle, shift: names of the camera's values.
        flipped: does the second column grow downwards?

    Raises:
        InvalidValue: E554, not two columns, coordinates or shifts.
    """
    px, py = _two(columns, "columns")
    x, y = map(_symbol, _two(plane, "coordinates of the plane"))
    x0, y0 = map(_symbol, _two(shift, "shifts"))
    k, a = _symbol(argument_checks.name(scale, "scale", "E554")), _symbol(argument_checks.name(angle, "angle", "E554"))
    names = [str(s) for s in (x, y, x0, y0, k, a)]
    if len({*names, px, py}) < 8 or not all(name.isidentifier() for name in names):
        fact = f"a camera has six values of different names, not {', '.join(names):.80}, and two columns besides"
        raise InvalidValue("E554", fact, 'scale="scale", angle="angle", shift="shift_x shift_y"')
    down = -1 if argument_checks.switch(flipped, "flipped", "E554") else 1
    return {
        px: x0 + k * (sp.cos(a) * x - sp.sin(a) * y),
        py: y0 + down * k * (sp.sin(a) * x + sp.cos(a) * y),
    }


def _two(asked: object, what: str) -> tuple[str, str]:
    """Two different names (E554)."""
    found = argument_checks.names(asked, what, "E554")
    if len(set(found)) != 2 or len(found) != 2:
        fact = f"a camera has two {what}, not {' and '.join(found) if len(found) == 2 else len(found)}"
        raise InvalidValue("E554", fact, 'da.measures.camera("px py", "x y")')
    return found[0], found[1]


def _symbol(name: str) -> sp.Symbol:
    return sp.Symbol(name, real=True)
