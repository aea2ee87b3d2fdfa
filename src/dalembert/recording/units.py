"""Units of columns: into base SI, and from there into others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..calculus.quantity import NUMBER, PIXELS, SECOND, Dimension, power, quantity, wrong_dimension
from ..errors import DalembertError, InvalidValue, as_given
from ..errors.remedies import Option
from .draft import PIXEL, Draft

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
    return value, _base(dimension or NUMBER, unit)


def _base(dimension: Dimension, unit: str) -> str:
    if dimension.powers:
        return str(dimension)
    return "rad" if unit.strip() in _ANGLES else "1"


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
        _remember(draft, name, given)
        sigma = np.asarray(amount(draft, name, given) if np.ndim(given) == 0 else given)
        if sigma.dtype.kind not in "iuf" or not (sigma > 0).all() or not np.isfinite(sigma).all():
            fact = f"the uncertainty of {name} must be positive numbers"
            raise InvalidValue("E542", fact, Option("uncertainty", {name: "1 mm"}))
        if sigma.ndim and sigma.shape != draft.values[name].shape:
            fact = f"{sigma.size} uncertainties for {len(draft.values[name])} values of {name}"
            raise InvalidValue("E543", fact, "give one number, or one a row")
        draft.sigma[name] = sigma.astype(float) if sigma.ndim else float(sigma)


def _remember(draft: Draft, name: str, given: object) -> None:
    """The unit in which the uncertainty of a column without a unit is told: where that is known it has to fit."""
    unit = _amount(given, name)[1] if isinstance(given, str) and not draft.units[name] else ""
    if unit:
        draft.provenance["uncertainty in"] = {**draft.provenance.get("uncertainty in", {}), name: unit}


def amount(draft: Draft, name: str, given: Any) -> float:
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
