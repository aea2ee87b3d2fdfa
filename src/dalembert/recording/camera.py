"""From the picture of a camera to the frame of the table: p = R(angle) (scale * p_seen) + offset."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..calculus.quantity import NUMBER, Dimension, quantity
from ..errors import InvalidValue, UnknownName, as_given, did_you_mean
from ..errors.remedies import Option
from .column_units import amount
from .record_draft import PIXEL, Draft

PAIRS = (("x", "y"), ("vx", "vy"))
_LENGTH = Dimension.of({"m": 1})


def scaled(draft: Draft, scale: object, clock: str | None) -> None:
    """Columns multiplied by a factor, or by the length of a pixel.

    Raises:
        InvalidValue: E207, a length of a pixel for a column that has a unit, for none, or what is no length for all
            columns; E203, not a finite number but 0.
        UnknownName: E317, no such column.
    """
    if scale is None:
        return
    bare = [name for name, unit in draft.units.items() if name != clock and unit in ("", PIXEL)]
    if not isinstance(scale, Mapping) and not bare:
        fact = f"scale={as_given(scale)} is of columns without a unit, and each has one"
        raise InvalidValue("E207", fact, ("leave ", Option("read.scale"), " out, or give it by name"))
    for name, given in (scale if isinstance(scale, Mapping) else dict.fromkeys(bare, scale)).items():
        if name not in draft.values:
            raise UnknownName("E317", f"scale: there is no column {as_given(name)}", did_you_mean(name, draft.values))
        value, dimension = quantity(given, f"scale of {name}")
        if not (isinstance(scale, Mapping) or dimension in (None, NUMBER, _LENGTH)):
            fact = f"scale={as_given(given)} is no length of a pixel"
            raise InvalidValue("E207", fact, (Option("read.scale", "0.12 mm"), ", or give it by name"))
        if value == 0:
            raise InvalidValue("E203", f"the scale of {name} is 0", Option("read.scale", "0.12 mm"))
        if dimension is not None and draft.units[name] not in ("", PIXEL):
            fact = f"{name} is in {draft.units[name]}, not in pixels, and a scale of {given} is given"
            raise InvalidValue(
                "E207", fact, (f"leave {name} out of ", Option("read.scale"), ", or the unit out of the heading")
            )
        draft.values[name] = draft.values[name] * value
        if name in draft.sigma:
            draft.sigma[name] = draft.sigma[name] * abs(value)
        draft.units[name] = draft.units[name] if dimension is None else str(dimension)
        if draft.units[name] == PIXEL:
            draft.units[name] = ""
        draft.done.append(f"{name} scaled by {given}")


def turned(draft: Draft, rotation: object, clock: str | None) -> None:
    """Pairs of columns turned by an angle; (x, y) and (vx, vy) if only the angle is given.

    Raises:
        InvalidValue: E207, the two have different units or are the time, or what is given is no angle.
        UnknownName: E317, no such column.
    """
    if rotation is None:
        return
    pairs = {pair: rotation for pair in PAIRS if set(pair) <= set(draft.values)}
    for pair, given in (rotation if isinstance(rotation, Mapping) else pairs or {PAIRS[0]: rotation}).items():
        names = tuple(pair.split()) if isinstance(pair, str) else tuple(pair)
        for name in names:
            if name not in draft.values:
                raise UnknownName(
                    "E317", f"rotation: there is no column {as_given(name)}", did_you_mean(name, draft.values)
                )
        if len(set(names)) != 2 or draft.units[names[0]] != draft.units[names[1]] or clock in names:
            fact = f"{' and '.join(names)} are not two columns of one unit beside the time"
            raise InvalidValue("E207", fact, Option("read.rotation", {("x", "y"): "30 deg"}))
        angle, dimension = quantity(given, "rotation")
        if dimension is not None and dimension.powers:
            raise InvalidValue("E207", f"rotation={as_given(given)} is no angle", Option("read.rotation", "30 deg"))
        _turn(draft, names[0], names[1], angle)
        draft.done.append(f"{names[0]}, {names[1]} turned by {given}")


def _turn(draft: Draft, first: str, second: str, angle: float) -> None:
    # x' = x cos a - y sin a,  y' = x sin a + y cos a
    c, s = np.cos(angle), np.sin(angle)
    x, y = draft.values[first], draft.values[second]
    draft.values[first], draft.values[second] = x * c - y * s, x * s + y * c
    if first in draft.sigma and second in draft.sigma:
        a, b = np.asarray(draft.sigma[first]), np.asarray(draft.sigma[second])
        draft.sigma[first], draft.sigma[second] = np.hypot(a * c, b * s), np.hypot(a * s, b * c)
    elif first in draft.sigma or second in draft.sigma:
        draft.sigma.pop(first, None)
        draft.sigma.pop(second, None)
        draft.done.append(f"uncertainty of one of {first}, {second} dropped, the other's is not known")


def moved(draft: Draft, offset: Mapping[str, object]) -> None:
    """Columns with a number added (E207 if its unit does not fit)."""
    for name, given in offset.items():
        draft.values[name] = draft.values[name] + amount(draft, name, given)
        draft.done.append(f"{name} moved by {given}")
