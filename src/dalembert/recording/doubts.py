"""What looks like another unit than that which is meant (W548)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from numbers import Real

import numpy as np

from ..errors import Note, warn
from ..errors.remedies import Option, Words
from .draft import PIXEL, Draft

NOISE = 6.0  # standard uncertainties that the difference of two rows may be off
FAST = 100.0  # m/s, faster than what rolls
CALENDAR = 1e8  # s: three years, where a record begins
MANY, SLOW = 20, 5.0  # rows, and seconds between them, from which milliseconds are meant rather
_SUFFIX = re.compile(r"[ _.-](mm|cm|km|um|µm|ms|us|min|deg|px|rpm)\Z")
PICTURE = (100, 20_000)  # pixels: the largest number of a picture lies between


def doubted(draft: Draft, clock: str | None, rotation: object = None) -> tuple[Note, ...]:
    """The doubts about the numbers in base SI, shown once."""
    found = [_pixels(draft, clock), _turned(rotation)]
    if not found[0] and clock is not None:
        found += [_speed(draft, clock)]
    found += [_named_units(draft)]
    if clock is not None:
        found += [_clock(draft, clock)]
    notes: list[Note] = []
    for text in found:
        notes += [warn("W548", text, stacklevel=4)] if text else []  # of him who called `recorded`
    return tuple(notes)


def _pixels(draft: Draft, clock: str | None) -> Words:
    """Columns in pixels, or whole numbers of the size of a picture without a unit."""
    said = [name for name, unit in draft.units.items() if unit == PIXEL]
    seen = [
        name
        for name, column in draft.values.items()
        if name != clock and not draft.units[name] and not _moved(draft, name) and _of_picture(column)
    ]
    if not said and not seen:
        return ""
    names = ", ".join(said or seen)
    fact = f"{names}: pixels without a scale" if said else f"{names}: whole numbers without a unit: pixels?"
    name = (said or seen)[0]
    return (
        f"{fact} ",
        Option("read.scale", "0.12 mm"),
        " is the length of one; or ",
        Option("read.units", {name: "m"}),
    )


def _named_units(draft: Draft) -> Words:
    """A column whose name ends in a unit, which it has not: x_mm, theta_deg."""
    for name, unit in draft.units.items():
        said = _SUFFIX.search(name)
        if said and not unit and not _moved(draft, name):
            fact = f"{name} is read as a number without a unit, and its name says {said[1]}: "
            return (fact, Option("read.units", {name: said[1]}))
    return ""


def _turned(rotation: object) -> Words:
    """A bare number by which columns are turned, and which is more than a turn in radians."""
    for angle in rotation.values() if isinstance(rotation, Mapping) else [rotation]:
        if isinstance(angle, Real) and abs(float(angle)) > 2 * np.pi:
            fact = f"rotation={angle:.10g} is taken as radians, and is more than a turn: degrees? "
            return (fact, Option("read.rotation", f"{angle:.10g} deg"))
    return ""


def _clock(draft: Draft, clock: str) -> Words:
    """Times without a unit that may be frames, milliseconds, or those of a calendar."""
    t = draft.values[clock]
    if draft.units[clock] or len(t) < 2 or any(what.startswith(f"{clock} moved") for what in draft.done):
        return ""
    step, told = float(np.median(np.diff(t))), f"{clock} goes from {t[0]:.10g} to {t[-1]:.10g} and has no unit: "
    if t[0] >= CALENDAR:
        return (f"{told}taken as seconds, of a calendar? ", Option("read.offset", {clock: float(-t[0])}))
    if len(t) < MANY or step < 1:
        return ""
    if (np.diff(t) == 1).all():
        return (f"{told}are these numbers of pictures, not seconds? ", Option("read.units", {clock: "s"}), " if not")
    return (f"{told}are these milliseconds? ", Option("read.units", {clock: "ms"}), ' or "s"') if step >= SLOW else ""


def _moved(draft: Draft, name: str) -> bool:
    """Was it scaled, turned or moved on purpose?"""
    return any(what.startswith(f"{name} scaled") for what in draft.done)


def _of_picture(column: np.ndarray) -> bool:
    x = column[np.isfinite(column)]
    whole = len(x) > 0 and bool((x == np.round(x)).all() and (x >= 0).all())
    return whole and PICTURE[0] <= x.max() <= PICTURE[1]


def _speed(draft: Draft, clock: str) -> Words:
    """The fastest column; lengths, velocities, and columns without a unit, which may be lengths in metres."""
    fastest, name, row = FAST, "", 0
    shortest = float(np.diff(draft.values[clock]).min())
    for each, column in draft.values.items():
        if each == clock or draft.units[each] not in ("", "m", "m/s"):
            continue
        if np.abs(column if draft.units[each] == "m/s" else np.diff(column) / shortest).max() <= FAST:
            continue  # not NaN, and slow
        v, rows = (
            _rates(draft.values[clock], column, _noise(draft, each))
            if draft.units[each] != "m/s"
            else (np.abs(column), None)
        )
        if len(v) and np.nanmax(v) > fastest:
            i = int(np.nanargmax(v))
            fastest, name, row = float(v[i]), each, i if rows is None else int(rows[i])
    if not name:
        return ""
    fact = f"{draft.name}: the speed of {name} exceeds 100 m/s, {fastest:.4g} m/s in {draft.told(row)}"
    return (f"{fact}: in which unit is it? ", Option("read.units", {name: "mm", clock: "ms"}))


def _noise(draft: Draft, name: str) -> float:
    known = np.asarray(draft.sigma.get(name, 0.0), float)
    known = known[np.isfinite(known)]
    return float(known.max()) if known.size else 0.0


def _rates(t: np.ndarray, column: np.ndarray, sigma: float) -> tuple[np.ndarray, np.ndarray]:
    """|dx/dt| between rows that have a value, and the later row of each two.

    What noise may do is taken off where it is known, and rows that are very close in time say nothing.
    """
    rows = np.flatnonzero(np.isfinite(column))
    if len(rows) < 2:
        return np.empty(0), rows
    dt, dx = np.diff(t[rows]), np.abs(np.diff(column[rows]))
    apart = dt >= np.median(dt) / 2
    return np.fmax(dx - NOISE * sigma, 0)[apart] / dt[apart], rows[1:][apart]
