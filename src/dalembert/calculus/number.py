"""One finite real number out of whatever a person hands over; nothing is guessed from text or truth values."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from numbers import Real
from typing import Any

import numpy as np
import sympy as sp

from ..errors import DalembertError, InvalidValue, WrongType, as_given
from ..errors.remedies import NoNumber

LARGEST = 1e100  # beyond it, and below 1/LARGEST, products soon leave the range of floating point


def number(value: Any, name: str, kind: str = "E204", finite: str = "E203") -> float:
    """The value as a float: Python, NumPy (0-d too) and SymPy real numbers, fractions and decimals.

    Args:
        value: what was given.
        name: what it is called in the message.
        kind: code for something that is not a number.
        finite: code for a number that is not finite.

    Raises:
        WrongType: text, a truth value, a complex number, an array, None, ...
        InvalidValue: NaN, infinite, or beyond the range of floating point.
    """
    if type(value) is float and math.isfinite(value):  # most of them are
        return value
    if isinstance(value, np.ndarray | np.generic) and np.ndim(value) == 0 and not np.any(getattr(value, "mask", False)):
        value = value.item()
    if isinstance(value, sp.Expr) and not isinstance(value, sp.Lambda) and value.is_number and value.is_extended_real:
        value = float(value)
    if isinstance(value, bool) or not isinstance(value, Real | Fraction | Decimal):
        shown = as_given(value)
        raise WrongType(kind, (name, NoNumber(shown, type(value).__name__)), "give one finite real number")
    try:
        result = float(value)
    except OverflowError:
        raise InvalidValue(finite, f"{name} is beyond 1.8e308, the largest float", "choose other units") from None
    except ValueError:  # a decimal that signals
        result = math.nan
    if not math.isfinite(result):
        raise InvalidValue(finite, f"{name} = {result} is not a finite number", "give one finite real number")
    return result


def is_finite(value: Any) -> bool:
    """Is this one finite real number?"""
    try:
        return math.isfinite(number(value, "value"))
    except DalembertError:
        return False
