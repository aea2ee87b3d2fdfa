"""Where a long sequence repeats itself: straight-line code of a chain says the same of every link."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

LONGEST = 600  # elements of a period
FEWEST = 8  # times that a period comes back
LEAST = 64  # elements of a stretch, all together
WINDOW = 6  # elements that have to agree before more of them are compared
TRIED = 8  # periods at one place, the shortest ones

Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class Stretch:
    """A part of a sequence: `count` times `period` elements from `first` on; count 1 where nothing repeats."""

    first: int
    period: int
    count: int = 1

    @property
    def end(self) -> int:
        """Where the next one begins."""
        return self.first + self.period * self.count


def stretches(sequence: Sequence[int]) -> list[Stretch]:
    """A sequence cut into parts that repeat and what lies between, from the front and without going back."""
    marks = np.asarray(sequence, dtype=np.int64)
    found: list[Stretch] = []
    at = 0
    for first, following in _places_that_come_again(marks):
        if first < at:
            continue
        repeated = _longest(marks, first, following)
        if repeated:
            found += [Stretch(at, first - at)] * (first > at) + [repeated]
            at = repeated.end
    return found + [Stretch(at, len(marks) - at)] * (at < len(marks))


def _places_that_come_again(marks: Numbers) -> Iterator[tuple[int, Numbers]]:
    """Places from which on the next elements are seen again soon, and where."""
    windows = np.lib.stride_tricks.sliding_window_view(marks, WINDOW) if len(marks) >= WINDOW else marks[:0, None]
    _, kinds = np.unique(windows, axis=0, return_inverse=True)
    kinds = kinds.ravel()
    order = np.argsort(kinds, kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    for first, where in enumerate(place):
        near = order[where + 1 : where + 1 + TRIED]
        near = near[(kinds[near] == kinds[first]) & (near <= first + LONGEST)]
        if len(near):
            yield first, near


def _longest(marks: Numbers, first: int, following: Numbers) -> Stretch | None:
    """What repeats longest from a place on; the shortest period where several do."""
    best: Stretch | None = None
    for period in following - first:
        count = 1 + _agreeing(marks, first, int(period)) // int(period)
        if count >= FEWEST and count * period >= LEAST and (best is None or count * period > best.end - first):
            best = Stretch(first, int(period), count)
    return best


def _agreeing(marks: Numbers, first: int, period: int) -> int:
    """How many elements from a place on are those one period later."""
    size = 8 * LONGEST
    for low in range(first, len(marks) - period, size):
        one, other = marks[low : low + size], marks[low + period : low + period + size]
        different = np.flatnonzero(one[: len(other)] != other)
        if len(different):
            return low + int(different[0]) - first
    return len(marks) - period - first
