"""What every stepper is: one integration under way, asked for chunk after chunk of steps, each with its status."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple, Protocol

import numpy as np

from ...trajectory.interpolant import dense as between


class Status(IntEnum):
    """How a chunk of steps ended."""

    END = 0  # at the time asked for
    FULL = 1  # there is more to come
    NONFINITE = 2  # a number stopped being finite
    RANK = 3  # the rank margin fell below its limit
    STEP_TOO_SMALL = 4  # the steps shrank to nothing, or a step's equations have no solution near
    BLOWUP = 5  # the state grew beyond `LARGEST_STATE`
    MAX_STEPS = 6  # all steps allowed were tried


# the same for compiled code, which takes plain integers
END, FULL, NONFINITE, RANK, STEP_TOO_SMALL, BLOWUP, MAX_STEPS = (int(status) for status in Status)

LARGEST_STATE = 1e150
FAILED = 0.25  # factor to the size of a step that cannot be judged
T, H, MARGIN = 0, 1, 2  # what every `clock` holds first: time, step size planned next, least margin of a chunk
STEPS, REJECTED, EVALUATIONS = 0, 1, 2  # what all `counters` hold first


@dataclass(frozen=True)
class Chunk:
    """Accepted steps: how they ended, their ends `t` (c,), `y` (c, n), dense output `F` (c, degree, n) or none of it.

    `margin` is the least rank margin met on them, 0 where it may have vanished between the places that were looked at.
    """

    status: Status
    t: np.ndarray
    y: np.ndarray
    F: np.ndarray
    margin: float = math.inf


class Stepper(Protocol):
    """One integration under way."""

    margin: float  # the least rank margin met on accepted steps

    @property
    def p(self) -> np.ndarray:
        """Parameters (np,)."""

    @property
    def t(self) -> float:
        """The time reached."""

    @property
    def y(self) -> np.ndarray:
        """The state reached (n,)."""

    @property
    def steps(self) -> int:
        """Number of accepted steps."""

    @property
    def rejected(self) -> int:
        """Number of refused steps."""

    @property
    def evaluations(self) -> int:
        """Number of evaluations of the equations."""

    def advance(self, t_end: float) -> Chunk:
        """Go on towards t_end; while the chunk's status is FULL, there is more to come."""

    def restart(self, t: float, y: np.ndarray, h: float = 0.0) -> None:
        """Go on from another time and state, as after a jump; h = 0 lets the method choose the next step size."""

    def dense_output(self, t: np.ndarray, y: np.ndarray, ends: np.ndarray) -> np.ndarray:
        """Coefficients (c, degree, n) of steps that were made without dense output: from t (c,), y (c, n) to ends."""

    def inside(self, times: np.ndarray, t: np.ndarray, y: np.ndarray, F: np.ndarray | None = None) -> np.ndarray:
        """States at times inside steps whose ends are t (c + 1,), y (c + 1, n), with dense output or without."""


class Clocked:
    """A stepper's clock and counters, laid out as `T`, `H`, ... and `STEPS`, ... say."""

    _clock: np.ndarray
    _counters: np.ndarray
    margin: float = math.inf

    @property
    def t(self) -> float:
        """The time reached."""
        return float(self._clock[T])

    @property
    def h(self) -> float:
        """The step size planned next; 0 before the first step."""
        return float(self._clock[H])

    @property
    def steps(self) -> int:
        """Number of accepted steps."""
        return int(self._counters[STEPS])

    @property
    def rejected(self) -> int:
        """Number of refused steps."""
        return int(self._counters[REJECTED])

    @property
    def evaluations(self) -> int:
        """Number of evaluations of the equations: of the right-hand side, of a series, of residuals."""
        return int(self._counters[EVALUATIONS])

    def chunk(self, status: int, t: np.ndarray, y: np.ndarray, F: np.ndarray, between: float = math.inf) -> Chunk:
        """Steps just made, with the least margin met on them, and what it may have been between."""
        margin = float(self._clock[MARGIN])
        self.margin = min(self.margin, margin)
        return Chunk(Status(status), t, y, F, min(margin, between))

    def dense_output(self, t: np.ndarray, y: np.ndarray, ends: np.ndarray) -> np.ndarray:
        """For methods whose steps always come with dense output: never asked for."""
        raise NotImplementedError

    def inside(self, times: np.ndarray, t: np.ndarray, y: np.ndarray, F: np.ndarray | None = None) -> np.ndarray:
        """States at times inside steps whose ends are t (c + 1,), y (c + 1, n), with dense output or without."""
        step = np.searchsorted(t, times, side="right") - 1
        result = y[step].copy()
        off = np.flatnonzero(times != t[step])
        if len(off):
            steps, which = np.unique(step[off], return_inverse=True)
            paths = F[steps] if F is not None and len(F) else self.dense_output(t[steps], y[steps], t[steps + 1])
            at = step[off]
            result[off] = between(t[at], t[at + 1] - t[at], y[at], paths[which], times[off])
        return result


# --- What the loops of all methods share: where a step ends, whether numbers are sound -------------------------------

VARIES = 3.0  # times its least value at the places of a step: a margin that was larger may be 0 between them


class Buffers(NamedTuple):
    """Room for new steps: times (c,), states (c, n), dense output (c, ...)."""

    times: np.ndarray
    states: np.ndarray
    coefficients: np.ndarray


def copy(source: np.ndarray, target: np.ndarray) -> None:
    """target = source; an assignment to a slice would compile its error messages too."""
    for i in range(len(source)):
        target[i] = source[i]


def health(values: np.ndarray, margin: float, limit: float) -> int:
    """END where the values are finite and the margin is above its limit, else RANK or NONFINITE."""
    if margin <= limit:
        return RANK
    for value in values:
        if not math.isfinite(value):
            return NONFINITE
    return END


def next_time(t: float, planned: float, t_end: float) -> float:
    """The last step goes exactly to the end, and is stretched by 1 % rather than followed by a tiny one."""
    return t_end if abs(t_end - t) <= 1.01 * planned else t + math.copysign(planned, t_end - t)


def sunk(least: float, most: float) -> float:
    """What a rank margin may have been between the places of a step that it was looked at.

    (t - t0)^2 at two places or more is nowhere larger than 3 times its least only where it is not 0 between them.
    """
    return least if most <= VARIES * least else 0.0


def vanishes(h: float, t: float) -> bool:
    """Is a step too small to be told from the rounding of the time?"""
    return abs(h) < 10 * np.spacing(abs(t))
