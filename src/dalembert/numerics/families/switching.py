"""From one family onto another: at a branch point, and at a period doubling.

At a branch point the rows of the family lose a rank: the other family leaves along the null vector w across the
tangent. At a period doubling M v = -v, and after two periods the start y + e v comes back but for e^2. The motion at a
distance e in that direction is solved for, with the parameter free.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...errors import InvalidValue
from ...given import number
from .closing import Closing
from .periodic import Periodic, Shooting
from .walk import away, leaving

OTHERS = "another size, of either sign"


class Gate(NamedTuple):
    """A special point at which another family may begin: the motion, the tangent, how many periods the other takes."""

    closing: Closing
    x: np.ndarray
    tangent: np.ndarray
    laps: int


def onto(gate: Gate, size: float) -> Periodic:
    """A motion of the other family, at a distance from the point."""
    size = number(size, "size", "E241")
    if not size:
        raise InvalidValue("E241", "size = 0 stays on the family", "size=0.01")
    closing = gate.closing.repeated(gate.laps, gate.x)
    x, onward = gate.x * gate.closing.size / closing.size, gate.tangent * gate.closing.size / closing.size
    x[-2] *= gate.laps
    x[:-2] = closing.carried.repeated(x[:-2] * closing.size[:-2], gate.laps) / closing.size[:-2]
    w = leaving(closing, x, onward / np.linalg.norm(onward)) if gate.laps == 1 else _flipped(gate, closing)
    found = away(closing, x, w, size)
    if found is None:
        raise InvalidValue("E335", f"no motion of the other family is reached at a distance of {size:g}", OTHERS)
    return orbit_at(closing, found * closing.size)


def _flipped(gate: Gate, closing: Closing) -> np.ndarray:
    """v with M v = -v, scaled."""
    M, B = gate.closing.map(gate.x), gate.closing.carried.tangents(gate.closing.at(gate.x)[0])
    v = B[:, : len(M)] @ np.linalg.svd(M + np.eye(len(M)))[2][-1]
    w = np.r_[v / closing.size[:-2], 0.0, 0.0]
    return np.asarray(w / np.linalg.norm(w))


def orbit_at(closing: Closing, w: np.ndarray) -> Periodic:
    """The motion of unscaled unknowns."""
    y, T, _ = closing.at(w / closing.size)
    shooting = Shooting(closing.carried, T)
    shooting.lap = closing.lap
    return shooting.found(y, T)
