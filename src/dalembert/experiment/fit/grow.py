"""Searches that begin with the first rows of a record and take in more as they go.

Over a short time motions differ little and the sum of squares has few minima; over a long one it has many, or there is
no motion that long. Each best place on one part is where the search on the next, longer one begins.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from .data import Data
from .descend import Care, descend_once, first_noise
from .model import Model, NoMotion

KEPT, FAR = 3, 4.0  # places that are followed from part to part; times the lowest cost, from where a place is given up
ALIKE = 1e-3  # of the size: places closer than this are one
Places = Sequence[np.ndarray]


def on(model: Model, seen: Data, until: float | None = None) -> Model:
    """The same model of other numbers, run as long as they last."""
    last = float(seen.t[seen.row].max())
    return model.on(data=seen).to(max(last, until or last))


def part_up_to(model: Model, time: float, least: float) -> Model | None:
    """The model of the numbers up to a time; None where they are fewer than `least`, or all at the start."""
    t = model.data.t[model.data.row]
    mask = t <= time
    return on(model, model.data.part(mask)) if mask.sum() >= least and (t[mask] > model.t).any() else None


def grown(
    parts: Iterable[Model], fresh: Callable[[int, Model], Places], loss: str, care: Care, patient: bool = False
) -> Iterator[tuple[np.ndarray, ...]]:
    """The places that are reached on each part, from those of the part before and from fresh ones.

    Raises:
        NoMotion: there is no motion from any place on a part; a patient search has no places there, and goes on.
    """
    places: Places = ()
    for i, part in enumerate(parts):
        try:
            places = _reached(part, [*places, *fresh(i, part)], loss, care)
        except NoMotion:
            if not patient:
                raise
            places = ()
        yield tuple(places)


def _reached(part: Model, places: Places, loss: str, care: Care) -> Places:
    """The lowest few places that are reached from others, without those that another one stands for."""
    found: list[tuple[float, np.ndarray]] = []
    refusal = NoMotion("there is no place to begin at")
    for theta in places:
        if found and part.halted:
            break
        try:
            minimum = descend_once(part, theta, loss, first_noise(part), care)
        except NoMotion as error:
            refusal = error
            continue
        found.append((minimum.cost, minimum.theta))
    if not found:
        raise refusal
    found.sort(key=lambda m: m[0])
    return [theta for cost, theta in _distinct(found, part.unknowns.size) if cost <= FAR * (found[0][0] + 1)]


def _distinct(found: Iterable[tuple[float, np.ndarray]], size: np.ndarray) -> list[tuple[float, np.ndarray]]:
    kept: list[tuple[float, np.ndarray]] = []
    for cost, theta in found:
        same = [abs(cost - c) < ALIKE * (1 + c) and (np.abs(theta - p) < ALIKE * size).all() for c, p in kept]
        if not any(same) and len(kept) < KEPT:
            kept.append((cost, theta))
    return kept
