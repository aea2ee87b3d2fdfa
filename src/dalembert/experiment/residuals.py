"""What a path leaves of a record: residuals, over their uncertainty where known; and whether both are of one kind.

A path carries no units. That both count time from the same start, in the same units and axes, is looked for in the
numbers themselves, and refused where it plainly is not so (E549).
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from .. import argument_checks
from ..argument_checks import noun, public
from ..errors import InvalidValue, WrongType, as_given
from ..errors.remedies import Code, Option, Words
from ..record import Record
from ..trajectory import Trajectory

APART = 0.25  # of the motion's size: starts further apart are not those of one motion
NEAR = 0.02  # of a factor between units; and of the motion, for what is left with it
LARGE = 50.0  # a factor between two starts that is no chance
SURE = 10.0  # standard uncertainties
FACTORS = {
    1000.0: ("mm", "m"),
    100.0: ("cm", "m"),
    10.0: ("mm", "cm"),
    0.1: ("cm", "mm"),
    0.01: ("m", "cm"),
    0.001: ("m", "mm"),
    180 / math.pi: ("deg", "rad"),
    math.pi / 180: ("rad", "deg"),
}
_PAIRS = (("x", "y"), ("vx", "vy"))


@noun
@dataclass(frozen=True, eq=False)
class Deviations:
    """Record minus path, at the times of the record.

    Attributes:
        t: times (N,).
        names: the columns that both have, k of them.
        residuals: (N, k), in the units of the record, NaN where a value is missing.
        sigma: standard uncertainties (N, k), NaN where they are not known.
    """

    t: np.ndarray
    names: tuple[str, ...]
    residuals: np.ndarray
    sigma: np.ndarray

    def __getitem__(self, name: str) -> np.ndarray:
        return np.asarray(
            self.residuals[:, self.names.index(argument_checks.one_of(self.names, name, "the deviations", "column"))]
        )

    @property
    def scaled(self) -> np.ndarray:
        """Residuals over their uncertainty (N, k), NaN where it is not known."""
        return np.asarray(self.residuals / self.sigma)

    @property
    def rms(self) -> dict[str, float]:
        """Root mean square of each column."""
        return {name: _rms(self.residuals[:, i]) for i, name in enumerate(self.names)}

    @property
    def chi2(self) -> float:
        """Sum of the squares of the scaled residuals that are known."""
        return float(np.nansum(self.scaled**2))

    @property
    def count(self) -> int:
        """How many these are."""
        return int(np.isfinite(self.scaled).sum())

    def __str__(self) -> str:
        lines = [f"Deviations of {len(self.t)} rows, t = {self.t[0]:g} to {self.t[-1]:g}"]
        for i, name in enumerate(self.names[:16]):
            r, s = self.residuals[:, i], _rms(self.scaled[:, i])
            told = "" if math.isnan(s) else f", {s:.3g} standard uncertainties"
            lines.append(f"  {name:<12}rms {_rms(r):.4g}, largest {np.nanmax(np.abs(r)):.4g}{told}")
        lines += [f"  chi2 {self.chi2:.6g} of {self.count} values"] if self.count else []
        return "\n".join(lines)

    __repr__ = __str__


def _rms(x: np.ndarray) -> float:
    known = x[np.isfinite(x)]
    return float(np.sqrt(np.mean(known**2))) if len(known) else math.nan


@public
def deviations(
    record: Record,
    path: Trajectory,
    columns: object = None,
    *,
    units: Mapping[str, str] | None = None,
    frame: tuple[str, str] | None = None,
    check: bool = True,
) -> Deviations:
    """Residuals of a record against a path, by its dense output.

    Args:
        record: what was seen.
        path: what was computed.
        columns: names, all that both have by default.
        units: in which the path is, ``{"x": "cm"}``, where it is known; compared with those of the record.
        frame: names of the axes of record and path, if they are known: ``("table", "rest")`` is refused.
        check: refuse starts that are not those of one motion, and factors of units, seen in the numbers. A fit that
            tries far-off parameters turns this off.

    Raises:
        UnknownName: E317, a column that one of them lacks.
        InvalidValue: E549, other units, axes or origin of time, or no column in common.
    """
    (
        argument_checks.kind(Record, record, "deviations"),
        argument_checks.kind(Trajectory, path, "deviations"),
        argument_checks.switch(check, "check"),
    )
    names = _common(record, path) if columns is None else argument_checks.names(columns, "columns")
    for column in names:
        record[column], path[column]
    _check_frame(frame)
    _check_units(
        record, names, argument_checks.mapping({} if units is None else units, "units", "E549", 'units={"x": "cm"}')
    )
    _check_times(record, path)
    every = path.at(record.t)
    model = np.column_stack([every[name] for name in names])
    seen = np.column_stack([np.asarray(record[name], float) for name in names])
    sigma = np.column_stack([record.sigma(name) for name in names])
    if check:
        _check_scale(_Pair(record, names, seen, model, sigma))
        _check_start(_Pair(record, names, seen, model, sigma))
    return Deviations(record.t, names, seen - model, sigma)


@dataclass(frozen=True)
class _Pair:
    record: Record
    names: tuple[str, ...]
    seen: np.ndarray
    model: np.ndarray
    sigma: np.ndarray
    size: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        both = np.fmax(np.abs(self.seen), np.abs(self.model))
        object.__setattr__(self, "size", np.nanmax(both, axis=0))


def _common(record: Record, path: Trajectory) -> tuple[str, ...]:
    found = tuple(name for name in record.names if name != record.time and name in path.names)
    if not found:
        told = f"the record has {', '.join(record.names)[:60]}, the path {', '.join(path.names)[:60]}"
        remedy = (Option("columns", Code("{old: new}")), " renames")
        raise InvalidValue("E549", "record and path have no column in common", remedy, told)
    return found


def _check_frame(frame: object) -> None:
    """E549: the record's axes and the path's differ, or are not two names."""
    if frame is None:
        return
    if not isinstance(frame, list | tuple) or len(frame) != 2:
        raise WrongType("E549", f"frame is the names of two axes, not {as_given(frame)}", 'frame=("table", "table")')
    seen, run = (argument_checks.name(axes, "one of the two axes", "E549") for axes in frame)
    if seen != run:
        fact = f"the record is in the axes {as_given(seen)}, the path in {as_given(run)}"
        raise InvalidValue("E549", fact, "turn the record into the axes of the path, or simulate in its own")


def _check_units(record: Record, names: tuple[str, ...], units: Mapping[str, str]) -> None:
    for name, unit in units.items():
        (
            argument_checks.one_of(record.names, name, "the record", "column"),
            argument_checks.text(unit, f"the unit of {name}", "E549"),
        )
    for name in names:
        mine, other = record.units.get(name, ""), units.get(name, "")
        if mine and other and mine != other:
            fact = f"{name} is in {mine} in the record and in {other} in the path"
            raise InvalidValue("E549", fact, (Option("read.to", other, "recorded"), f", or the system in {mine}"))


def _check_times(record: Record, path: Trajectory) -> None:
    t, first, last = record.t, float(path.t[0]), float(path.t[-1])
    if t[0] >= first and t[-1] <= last:
        return
    fact = f"the record's times {t[0]:g} to {t[-1]:g} lie outside the path's {first:g} to {last:g}"
    length = t[-1] - t[0]
    if length <= (last - first) * (1 + 1e-9):
        remedy: Words = (
            "begin where the path does: ",
            Option("read.offset", {record.time: float(f"{first - t[0]:.9g}")}, "recorded"),
        )
    elif length <= 1.1 * 1000 * (last - first) and length > 100 * (last - first):
        remedy = ("are they milliseconds? ", Option("read.units", {record.time: "ms"}, "recorded"))
    else:
        remedy = ("simulate for longer: ", Option("until", float(f"{t[-1]:g}")), "; or take a part: record[:n]")
    raise InvalidValue("E549", fact, remedy)


def check_units(record: Record, names: tuple[str, ...], model: np.ndarray) -> None:
    """Refuse a record that is the model (N, c) in another unit: all columns at the first row, or one all along.

    A guess of a fit need not begin where the record does, nor go as far; but factors of 57, 100 and 1000 are no chance.

    Raises:
        InvalidValue: E549, one is the other times a factor between units.
    """
    seen = np.column_stack([np.asarray(record[name], float) for name in names])
    pair = _Pair(record, names, seen, model, np.full(seen.shape, np.nan))
    _check_scale(pair, LARGE)
    rows = np.flatnonzero(np.isfinite(seen).all(axis=1))
    if not len(rows):
        return
    x, m = seen[rows[0]], model[rows[0]]
    told = np.abs(m) > NEAR * np.nanmax(np.abs(model), axis=0)
    for factor in FACTORS if told.any() else ():
        if abs(math.log(factor)) > math.log(LARGE) and (np.abs(x[told] / m[told] / factor - 1) < NEAR).all():
            i = int(np.flatnonzero(told)[0])
            fact = f"{names[i]} = {x[i]:.6g} in the record and {m[i]:.6g} in the model at t = {record.t[rows[0]]:g}"
            raise InvalidValue("E549", fact, _factor(factor))


def _factor(factor: float) -> Words:
    seen, run = FACTORS[factor]
    return (
        *(f"is one in {seen}, the other in {run}? give ", Option("read.units", Code("..."), "recorded"), ", or "),
        *(Option("read.to"), " the path's unit"),
    )


def _check_scale(pair: _Pair, least: float = 1.0) -> None:
    """E549, one is the other times a factor between units, all along."""
    for i, name in enumerate(pair.names):
        x, m = pair.seen[:, i], pair.model[:, i]
        known = np.isfinite(x) & np.isfinite(m)
        if known.sum() < 2 or not (m[known] @ m[known]) > 0:
            continue
        # x = k m by least squares
        k = float(x[known] @ m[known] / (m[known] @ m[known]))
        near = [f for f in FACTORS if abs(math.log(f)) > math.log(least) and abs(k / f - 1) < NEAR]
        if near and _rms(x[known] - k * m[known]) < NEAR * _rms(x[known]):
            fact = f"{name} in the record is {k:.6g} times {name} in the path"
            raise InvalidValue("E549", fact, _factor(near[0]))


def _check_start(pair: _Pair) -> None:
    """E549, the first rows are those of two motions."""
    rows = np.flatnonzero(np.isfinite(pair.seen).all(axis=1))
    if not len(rows):
        return
    row = int(rows[0])
    off = pair.seen[row] - pair.model[row]
    sure = SURE * np.where(np.isfinite(pair.sigma[row]), pair.sigma[row], 0.0)
    wrong = np.flatnonzero((np.abs(off) > APART * pair.size) & (np.abs(off) > sure))
    if len(wrong):
        i = int(wrong[0])
        name, t = pair.names[i], pair.record.t[row]
        fact = f"{name} = {pair.seen[row, i]:.6g} in the record and {pair.model[row, i]:.6g} in the path at t = {t:g}"
        raise InvalidValue(
            "E549", fact, _hint(pair, row, i), "they do not begin alike: other units, axes or origin of time"
        )


def _hint(pair: _Pair, row: int, i: int) -> Words:
    """A factor, an angle or a time that would bring them together, if one does."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = pair.seen[row] / pair.model[row]
    for factor in FACTORS:
        if abs(ratio[i] / factor - 1) < NEAR:
            return _factor(factor)
    for pair_names in _PAIRS:
        if set(pair_names) <= set(pair.names):
            a, b = (pair.names.index(name) for name in pair_names)
            seen_at, run_at = (complex(m[row, a], m[row, b]) for m in (pair.seen, pair.model))
            if run_at and abs(abs(seen_at / run_at) - 1) < NEAR:
                angle = math.degrees(cmath.phase(run_at / seen_at))
                return ("turn the record: ", Option("read.rotation", f"{angle:.4g} deg", "recorded"))
    return "start the path where the record begins; for residuals all the same: check=False"
