"""Columns of a path or a record as plain arrays, and where they cross a level, so that one measure serves both."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from .. import argument_checks
from ..argument_checks import noun, one_of
from ..errors import InvalidValue, WrongType, as_given
from ..numerics.events.roots import stationary
from ..record import Record
from ..trajectory import Trajectory
from ..trajectory.interpolant import knots

POINTS = 2000  # of a path at least, at equal distances
_IN_A_STEP, _MOST = 6, 10**6  # and in the mean step, in which a fast motion may turn by half: fewer show a slower one


class Series(NamedTuple):
    """Times (N,), values (N, k) and standard uncertainties (N, k): 0 for a path, NaN where they are not known."""

    t: np.ndarray
    values: np.ndarray
    sigma: np.ndarray

    @property
    def weights(self) -> np.ndarray | None:
        """1/sigma (N, k) if all are known and positive."""
        return 1 / self.sigma if (self.sigma > 0).all() else None

    @property
    def size(self) -> float:
        """Root mean square of the values about their means; 1 if they do not change."""
        off = self.values - self.values.mean(axis=0)
        largest = float(np.abs(off).max(initial=0.0))
        return largest * float(np.sqrt(np.mean((off / largest) ** 2))) if largest > 0 else 1.0


def series(source: Trajectory | Record, columns: object, least: int = 2) -> Series:
    """The rows of a record in which no value is missing, or a path at equal distances in time.

    Raises:
        WrongType: E318, neither a path nor a record.
        UnknownName: E317, no such column.
        InvalidValue: E546, fewer than `least` rows; E307, a column that is named twice.
    """
    names = argument_checks.names(columns, "columns")
    if len(set(names)) < len(names):
        raise InvalidValue("E307", f"columns = {as_given(columns)} names one twice", "name each once")
    if isinstance(source, Trajectory):
        [argument_checks.one_of(source.names, name, "the path", "column") for name in names]
        found = _of_path(source, names)
    elif isinstance(source, Record):
        [argument_checks.one_of(source.names, name, "the record", "column") for name in names]
        found = _of_record(source, names)
    else:
        raise WrongType("E318", f"{as_given(source)} is neither a path nor a record", "da.recorded(...) makes one")
    if len(found.t) < least:
        raise InvalidValue("E546", f"{len(found.t)} rows with values of {', '.join(names)}, {least} are needed", _MORE)
    return found


_MORE = "give a longer part, or columns with fewer gaps"


def _of_path(path: Trajectory, names: tuple[str, ...]) -> Series:
    t = path.t
    values = np.column_stack([path[name] for name in names]) if len(t) else np.empty((0, len(names)))
    if len(t) > 1 and set(names) <= set(path.names[: between(path)]):
        t = np.linspace(path.t[0], path.t[-1], max(POINTS, len(path.t), min(_IN_A_STEP * len(knots(path)), _MOST)))
        every = path.at(t)
        values = np.column_stack([every[name] for name in names])
    return Series(t, values, np.zeros_like(values))


def between(path: Trajectory) -> int:
    """How many columns, the first ones, are known between the samples: none where the path was not kept."""
    return path.dense(path.t[:1]).shape[1] if len(path.t) and len(knots(path)) > 1 else 0


def _of_record(record: Record, names: tuple[str, ...]) -> Series:
    values = np.column_stack([np.asarray(record[name], float) for name in names])
    sigma = np.column_stack([record.sigma(name) for name in names])
    if len(values) != len(record.t):
        fact = f"{', '.join(names)} and the times differ in length"
        raise InvalidValue("E543", fact, "published numbers that are no track have no measures")
    whole = np.isfinite(values).all(axis=1)
    return Series(record.t[whole], values[whole], sigma[whole])


# --- where a column crosses a level ----------------------------------------------------------------------------------
# In a record, near the level rows within two standard uncertainties of it have no side. If they lie between two rows
# that have one, the time is that of a straight line through all of them; else a cubic through four rows is solved. The
# uncertainty adds that of the rows to what another interpolation would have given.

BLOCK = 1000  # steps that are searched for turns at once
BLUR = 2.0  # standard uncertainties about the level in which a row has no side


@noun
@dataclass(frozen=True, eq=False)
class Crossings:
    """Crossings that were found in columns.

    Attributes:
        t: times (c,).
        values: columns at these times (c, k).
        names: of the columns.
        sigma_t: standard uncertainty of the times (c,): 0 on a path; NaN where that of the column is not known.
        sigma: the same of the values (c, k).
    """

    t: np.ndarray
    values: np.ndarray
    names: tuple[str, ...]
    sigma_t: np.ndarray
    sigma: np.ndarray

    def __getitem__(self, name: str) -> np.ndarray:
        return np.asarray(self.values[:, self.names.index(one_of(self.names, name, "the crossings", "column"))])

    def __len__(self) -> int:
        return len(self.t)


def brackets(g: np.ndarray, sigma: np.ndarray, direction: int) -> Iterator[tuple[int, int]]:
    """(last row of one side, first row of the other) for each crossing of 0 in the wanted direction."""
    blur = np.where(np.isfinite(sigma), BLUR * sigma, 0.0)
    side = np.where(np.abs(g) > blur, np.sign(g), 0).astype(int)
    rows = np.flatnonzero(side)
    for a, b in pairwise(rows):
        if side[a] != side[b] and direction in (0, side[b]):
            yield int(a), int(b)


def on_path(
    g: Callable[[np.ndarray], np.ndarray], t: np.ndarray, direction: int, knots: np.ndarray | None = None
) -> np.ndarray:
    """Times at which g(t) is 0, by Brent's method between samples; between `knots` also pairs that no sample parts."""
    from scipy.optimize import brentq

    if knots is not None:
        t = np.unique(np.concatenate([t, turns(g, knots)]))
    values = g(t)
    found = [
        brentq(lambda s: float(g(np.array([s]))[0]), t[a], t[b], xtol=1e-14 * max(1.0, abs(t[b])), rtol=1e-14)
        for a, b in brackets(values, np.zeros_like(values), direction)
    ]
    return np.array(found)


def turns(g: Callable[[np.ndarray], np.ndarray], knots: np.ndarray) -> np.ndarray:
    """Times at which g is stationary on the smooth pieces of a path: between two of them it crosses 0 once at most."""
    way = -1.0 if knots[-1] < knots[0] else 1.0
    ends = np.flatnonzero(np.diff(knots) == 0) + 1
    found = [np.zeros(0)]
    for part in np.split(way * knots, ends):
        for first in range(0, len(part) - 1, BLOCK):
            found.append(way * stationary(lambda s: g(way * s), part[first : first + BLOCK + 1]))
    return np.clip(np.concatenate(found), knots.min(), knots.max())


def in_record(g: Series, direction: int) -> tuple[np.ndarray, np.ndarray]:
    """Times at which the one column is 0, and their standard uncertainties."""
    y, sigma = g.values[:, 0], g.sigma[:, 0]
    pairs = list(brackets(y, sigma, direction))
    found = [_by_cubic(g.t, y, sigma, a) if b == a + 1 else _by_line(g.t, y, sigma, a, b) for a, b in pairs]
    return np.array([t for t, _ in found]), np.array([s for _, s in found])


def _by_line(t: np.ndarray, y: np.ndarray, sigma: np.ndarray, a: int, b: int) -> tuple[float, float]:
    """The zero of the straight line of least squares through the rows from a to b."""
    part = slice(a, b + 1)
    if not y[a + 1 : b].any():  # rows that are on the level
        return float(t[a + 1 : b].mean()), float(abs((t[b] - t[a]) / (y[b] - y[a])) * sigma[a + 1])
    s, v = t[part] - t[part].mean(), y[part]
    slope = float(s @ v / (s @ s))
    if slope == 0:
        return float((t[a] + t[b]) / 2), float(t[b] - t[a])
    # t0 = mean(t) - mean(y)/slope,  var(t0) = (sigma/slope)^2 (1/n + (t0 - mean(t))^2/sum(s^2))
    root = float(np.clip(-v.mean() / slope, s[0], s[-1]))
    noise = float(np.sqrt(np.mean(sigma[part] ** 2)))
    spread = noise / abs(slope) * np.sqrt(1 / len(s) + root**2 / (s @ s))
    return float(t[part].mean() + root), float(spread)


def _by_cubic(t: np.ndarray, y: np.ndarray, sigma: np.ndarray, a: int) -> tuple[float, float]:
    """The zero between rows a and a + 1 of the cubic through four rows, or of fewer at an end."""
    first, last = max(0, a - 1), min(len(t), a + 3)
    root = _zero(t, y, a, first, last)
    others = [_zero(t, y, a, first, last - 1), _zero(t, y, a, first + 1, last)] if last - first > 2 else []
    # the straight line:  t0 = t_a - y_a h/(y_b - y_a),  dt0 = -h ((1 - x) dy_a + x dy_b)/(y_b - y_a)
    h, rise = t[a + 1] - t[a], y[a + 1] - y[a]
    x = (root - t[a]) / h
    noise = abs(h / rise) * np.hypot((1 - x) * sigma[a], x * sigma[a + 1])
    bend = max((abs(other - root) for other in others), default=h / 2)
    return root, float(np.hypot(noise, bend))


def _zero(t: np.ndarray, y: np.ndarray, a: int, first: int, last: int) -> float:
    """By bisection in [t_a, t_a+1] of the polynomial through the rows from first to last - 1."""
    if not first <= a < a + 1 < last:
        first, last = a, a + 2
    nodes, heights = t[first:last], y[first:last]
    low, high, up = float(t[a]), float(t[a + 1]), y[a + 1] > y[a]
    for _ in range(80):
        middle = (low + high) / 2
        above = lagrange(nodes, middle) @ heights > 0
        low, high = (low, middle) if above == up else (middle, high)
    return (low + high) / 2


def lagrange(nodes: np.ndarray, t: float) -> np.ndarray:
    """The weights of the values at the nodes in the polynomial through them, at t."""
    far = t - nodes
    weights = [np.prod(np.delete(far, i) / np.delete(nodes[i] - nodes, i)) for i in range(len(nodes))]
    return np.array(weights)


def between_rows(data: Series, times: np.ndarray, sigma_t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """All columns at times between the rows, by the cubic through four, with their uncertainty."""
    values, spread = np.empty((len(times), data.values.shape[1])), np.empty((len(times), data.values.shape[1]))
    for i, (time, error) in enumerate(zip(times, sigma_t, strict=True)):
        a = int(np.clip(np.searchsorted(data.t, time) - 1, 0, len(data.t) - 2))
        part = slice(max(0, a - 1), min(len(data.t), a + 3))
        w = lagrange(data.t[part], time)
        values[i] = w @ data.values[part]
        rate = (data.values[a + 1] - data.values[a]) / (data.t[a + 1] - data.t[a])
        # sigma^2 = sum w^2 sigma_i^2 + (rate sigma_t)^2
        spread[i] = np.hypot(np.sqrt(w**2 @ data.sigma[part] ** 2), rate * error)
    return values, spread
