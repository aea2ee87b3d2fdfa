"""Units of columns: into base SI, from there into others, and doubts of what looks like another unit (W548)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np

from ..calculus.quantity import NUMBER, PIXELS, SECOND, Dimension, power, quantity, wrong_dimension
from ..errors import DalembertError, InvalidValue, Note, as_given, warn
from ..errors.remedies import Option, Words
from .record_draft import PIXEL, Draft

_ANGLES = {"rad", "deg", "degree", "degrees", "radian", "radians", "°"}


def converted(draft: Draft, units: Mapping[str, str], clock: str | None) -> None:
    """Columns and their uncertainties into base SI.

    Raises:
        InvalidValue: E206 no unit; E207 one that does not fit, or another than that of the heading.
    """
    for name in draft.values:
        unit = _told(draft, name, units.get(name, ""))
        aside = draft.units.pop(f"sigma {name}", "") or unit
        factor, draft.units[name] = _size(unit, name, draft)
        other, dimension = _size(aside, name, draft, "the uncertainty of ")
        if dimension != draft.units[name]:
            raise wrong_dimension(f"the uncertainty of {name}", dimension or "1", draft.units[name] or "1")
        if name == clock and draft.units[name] not in ("", str(SECOND)):
            raise wrong_dimension(name, draft.units[name], SECOND).at(draft.heading(name))
        draft.values[name] = _times(draft.values[name], factor)
        if name in draft.sigma:
            draft.sigma[name] = _times(draft.sigma[name], other)
        if unit and factor != 1:
            draft.done.append(f"{name} from {unit} to {draft.units[name]}")


def _told(draft: Draft, name: str, unit: str) -> str:
    """The unit of a column, by its heading or as given (E207 if these differ)."""
    stands = draft.units.get(name, "")
    if stands and unit and stands != unit:
        fact = f"{name} is in {stands} by the heading, and units= says {unit}"
        raise InvalidValue("E207", fact, ("leave it out of ", Option("read.units"), ", or correct the heading")).at(
            draft.heading(name)
        )
    return str(stands or unit)


def _size(unit: str, name: str, draft: Draft, of: str = "") -> tuple[float, str]:
    """Its size in base SI, and the base unit."""
    if unit.lower() in PIXELS:
        return 1.0, PIXEL
    if unit in ("", "1"):
        return 1.0, ""
    try:
        value, dimension = quantity(f"1 {unit}", of + name)
    except DalembertError as error:
        raise error.at(draft.heading(name)) from None
    if dimension is not None and dimension.powers:
        return value, str(dimension)
    return value, "rad" if unit.strip() in _ANGLES else "1"


def _times(column: Any, factor: float) -> Any:
    """The product; by a division where 1/factor is a whole number, so that 12.3 cm is 0.123 m."""
    if factor == 1:
        return column
    whole = round(1 / factor)
    return column / whole if whole > 1 and abs(whole * factor - 1) < 1e-15 else column * factor


def known(draft: Draft, uncertainty: Mapping[str, Any]) -> None:
    """Uncertainties that are given beside the columns.

    Raises:
        InvalidValue: E207 a unit that does not fit, E542 not positive, E543 of another length.
    """
    for name, given in uncertainty.items():
        # the unit in which the uncertainty of a column without a unit is told: where that is known it has to fit
        unit = _amount(given, name)[1] if isinstance(given, str) and not draft.units[name] else ""
        if unit:
            draft.provenance["uncertainty in"] = {**draft.provenance.get("uncertainty in", {}), name: unit}
        sigma = np.asarray(amount(draft, name, given) if np.ndim(given) == 0 else given)
        if sigma.dtype.kind not in "iuf" or not (sigma > 0).all() or not np.isfinite(sigma).all():
            fact = f"the uncertainty of {name} must be positive numbers"
            raise InvalidValue("E542", fact, Option("uncertainty", {name: "1 mm"}))
        if sigma.ndim and sigma.shape != draft.values[name].shape:
            fact = f"{sigma.size} uncertainties for {len(draft.values[name])} values of {name}"
            raise InvalidValue("E543", fact, "give one number, or one a row")
        draft.sigma[name] = sigma.astype(float) if sigma.ndim else float(sigma)


def amount(draft: Draft, name: str, given: object) -> float:
    """A number in base SI that is added to a column, or its uncertainty."""
    value, has = _amount(given, name)
    unit = draft.units[name]
    if has and unit and has != unit:
        raise wrong_dimension(name, has, unit)
    return value


def _amount(given: object, name: str) -> tuple[float, str]:
    """A number in base SI, or in pixels, and its unit, "" where none is told."""
    number, _, unit = given.strip().partition(" ") if isinstance(given, str) else ("", "", "")
    if unit.strip().lower() in PIXELS:
        return quantity(f"{number} m", name).value, PIXEL
    value, dimension = quantity(given, name)
    return value, "" if dimension is None else str(dimension) if dimension.powers else "rad"


# --- from base SI into others ----------------------------------------------------------------------------------------


def into(draft: Draft, to: Sequence[str]) -> None:
    """Numbers by other base units (E207 if one is no multiple of a base unit)."""
    sizes: dict[str, tuple[str, float]] = {}
    for unit in to:
        value, dimension = quantity(f"1 {unit}", f"to={as_given(unit)}")
        powers = (dimension or NUMBER).powers
        if len(powers) != 1 or powers[0][1] != 1:
            raise InvalidValue(
                "E207", f"to={as_given(unit)} is not the unit of a mass, length or time", Option("read.to", ("cm", "g"))
            )
        sizes[powers[0][0]] = (unit, value)
    for name in draft.values if sizes else ():
        _expressed(draft, name, sizes)


def _expressed(draft: Draft, name: str, sizes: Mapping[str, tuple[str, float]]) -> None:
    unit = draft.units[name]
    if unit in ("", "1", "rad", PIXEL):
        return
    dimension = quantity(f"1 {unit}", name).dimension or NUMBER
    factor = 1.0
    for base, exponent in dimension.powers:
        factor *= sizes.get(base, (base, 1.0))[1] ** float(-exponent)
    draft.values[name] = _times(draft.values[name], factor)
    if name in draft.sigma:
        draft.sigma[name] = _times(draft.sigma[name], factor)
    draft.units[name] = _spelt(dimension, {base: sizes[base][0] for base in sizes})
    if factor != 1:
        draft.done.append(f"{name} from {unit} to {draft.units[name]}")


def _spelt(dimension: Dimension, spelt: Mapping[str, str]) -> str:
    above = [power(spelt.get(base, base), e) for base, e in dimension.powers if e > 0]
    below = [power(spelt.get(base, base), -e) for base, e in dimension.powers if e < 0]
    divisor = below[0] if len(below) == 1 else f"({'*'.join(below)})"
    return ("*".join(above) or "1") + (f"/{divisor}" if below else "")


# --- doubts ----------------------------------------------------------------------------------------------------------

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
