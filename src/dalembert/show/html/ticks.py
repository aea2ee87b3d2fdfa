"""Where an axis carries numbers, and how they are written: steps of 1, 2 or 5, few digits, the rest said once."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

FLAT = 1e-9  # of the values: a change below it is drawn as none
LARGE, SMALL = 1e5, 1e-3  # beyond these a power of ten stands apart
FEW = 5  # labels on an axis
LIMIT = 1e300  # numbers beyond it are not drawn


@dataclass(frozen=True)
class Axis:
    """One axis.

    Attributes:
        low, high: its ends; powers of ten where it is logarithmic.
        at: where it carries labels.
        labels: what stands there.
        note: what is to be added to or multiplied with the labels, "" if nothing.
        logarithmic: does it carry powers of ten?
    """

    low: float
    high: float
    at: tuple[float, ...]
    labels: tuple[str, ...]
    note: str = ""
    logarithmic: bool = False

    def place(self, values: np.ndarray) -> np.ndarray:
        """Where values lie, 0 at the low end and 1 at the high one; NaN for what cannot be drawn."""
        v = np.asarray(values, float)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            if self.logarithmic:
                v = np.where(v > 0, np.log10(v), np.nan)
            placed = np.where(np.abs(v) < LIMIT, v, np.nan) - self.low
            return np.asarray(placed / (self.high - self.low))


def linear(values: np.ndarray, room: float = 0.05) -> Axis:
    """An axis on which all finite values find room."""
    v = np.asarray(values, float)
    v = v[np.abs(v) < LIMIT]
    low, high = (float(v.min()), float(v.max())) if v.size else (0.0, 1.0)
    largest = max(abs(low), abs(high))
    if high - low <= FLAT * largest:
        middle = low / 2 + high / 2
        low, high = middle - 0.5 * (largest or 1.0), middle + 0.5 * (largest or 1.0)
    low, high = low - room * (high - low), high + room * (high - low)
    return _labelled(low, high)


def between(low: float, high: float) -> Axis:
    """An axis with the given ends."""
    return _labelled(low, high)


def _labelled(low: float, high: float) -> Axis:
    step = _step(high - low)
    first, last = math.ceil(low / step), math.floor(high / step)
    at = [k * step for k in range(first, last + 1)] if last - first < 2 * FEW else [low, high]
    largest = max(abs(low), abs(high))
    base = float(f"{low / 2 + high / 2:.3g}") if largest > LARGE * step else 0.0
    while base and largest > LARGE * step and abs(low / 2 + high / 2 - base) > step:
        digits = 4 - math.floor(math.log10(abs(base - (low / 2 + high / 2)) / largest))
        base = float(f"{low / 2 + high / 2:.{min(digits, 17)}g}")
    power = _power(max(abs(v - base) for v in at) if at else largest)
    shown = tuple(_written((v - base) / 10**power, step / 10**power) for v in at)
    note = " ".join([*([f"\u00d710{_raised(power)}"] if power else []), *([f"{base:+.12g}"] if base else [])])
    return Axis(low, high, tuple(at), shown, note.replace("-", "\u2212"))


def _step(span: float) -> float:
    """1, 2 or 5 times a power of ten, at most `FEW` to the span."""
    rough = span / FEW
    unit = 10.0 ** math.floor(math.log10(rough))
    return next((k * unit for k in (1, 2, 5) if k * unit >= rough), 10 * unit)


def _power(largest: float) -> int:
    if largest == 0 or SMALL <= largest < LARGE:
        return 0
    return math.floor(math.log10(largest))


def _written(value: float, step: float) -> str:
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    shown = f"{value:.{min(digits, 9)}f}"
    return (shown if float(shown) else shown.replace("-", "")).replace("-", "\u2212")


def logarithmic(values: np.ndarray, least: float = 1e-17) -> Axis:
    """An axis of powers of ten for the positive values; those below `least` of interest to nobody."""
    v = np.asarray(values, float)
    v = v[(v > least) & (v < LIMIT)]
    low, high = (math.log10(float(v.min())), math.log10(float(v.max()))) if v.size else (-1.0, 0.0)
    low, high = math.floor(low), max(math.ceil(high), math.floor(low) + 1)
    stride = -(-(high - low) // FEW)
    at = tuple(float(k) for k in range(low, high + 1, stride))
    return Axis(low, high, tuple(10**k for k in at), tuple(f"10{_raised(int(k))}" for k in at), logarithmic=True)


def _raised(power: int) -> str:
    return str(power).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
