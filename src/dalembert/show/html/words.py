"""Figures in words, for those who do not see them, and names with their units."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

Units = Mapping[str, str]
_RAISED = str.maketrans("-0123456789", "\u207b\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079")
NO_UNITS: Units = MappingProxyType({})


def pretty(unit: str) -> str:
    """``kg*m**2/s**2`` as it is written by hand."""
    raised = re.sub(r"\*\*(-?\d+)", lambda m: m.group(1).translate(_RAISED), unit)
    return raised.replace("*", "\u00a0")


def with_unit(name: str, units: Units) -> str:
    """``x (m)``, or the name alone where the unit is not known."""
    unit = units.get(name, "")
    return f"{name} ({pretty(unit)})" if unit else name


def course(name: str, t: np.ndarray, v: np.ndarray) -> str:
    """How a column goes, in one sentence with numbers."""
    good = np.isfinite(v)
    if not good.any():
        return f"{name} has no finite value"
    t, v = t[good], v[good]
    low, high = int(v.argmin()), int(v.argmax())
    return (
        f"{name} goes from {v[0]:.4g} at t = {t[0]:.4g} to {v[-1]:.4g} at t = {t[-1]:.4g}; "
        f"smallest {v[low]:.4g} at t = {t[low]:.4g}, largest {v[high]:.4g} at t = {t[high]:.4g}"
    )


def way(x: np.ndarray, y: np.ndarray) -> str:
    """Where a path in the plane leads, in one sentence with numbers."""
    good = np.isfinite(x) & np.isfinite(y)
    if not good.any():
        return "The path has no finite point"
    x, y = x[good], y[good]
    with np.errstate(over="ignore"):
        length = float(np.hypot(np.diff(x), np.diff(y)).sum())
    return (
        f"The path leads from ({x[0]:.4g}, {y[0]:.4g}) to ({x[-1]:.4g}, {y[-1]:.4g}), {length:.4g} long, "
        f"within x from {x.min():.4g} to {x.max():.4g} and y from {y.min():.4g} to {y.max():.4g}"
    )
