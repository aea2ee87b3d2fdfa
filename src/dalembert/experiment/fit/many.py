"""The minima of one model: from its guess, and from places about it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from ...question import Search
from .descend import ROUGH, Minimum, descend, descend_once, first_noise, merge, merit
from .grow import grown, part_up_to
from .model import Model, NoMotion

PARTS, ENOUGH = (0.1, 0.15, 0.22, 0.33, 0.5, 0.7), 1.5  # of the record; numbers in a part for each unknown
NARROW = 0.05  # of the spread of a column: noise that was estimated below this leaves a close fit
STRETCH = (0.8, 2.0)  # of the parts, for searches from other places than the guess
Draw = Callable[[np.random.Generator], np.ndarray]


class Searched(NamedTuple):
    """What a search found.

    Attributes:
        minima: the best first, each once.
        tried: from how many places.
    """

    minima: tuple[Minimum, ...]
    tried: int


def many(model: Model, loss: str, search: Search, tick: Callable[[], None]) -> Searched:
    """Minima from the guess and from random places about it, until all were tried or it was told to stop.

    Raises:
        NoMotion: there is no motion at the guess, and at no other place that was tried.
    """
    found: list[Minimum] = []
    first: NoMotion | None = None
    for k, (theta, stretch) in enumerate(_places(model, search)):
        for way in _ways(model, theta, loss, stretch, k == 0):
            try:
                merge(found, way(), model.unknowns.size)
            except NoMotion as error:
                first = first or error
            if model.halted or (k == 0 and found and _close(model, found[0])):
                break
        tick()
        if model.halted:
            break
    if not found:
        assert first is not None
        raise first
    return Searched(tuple(sorted(found, key=merit)), k + 1)


def _places(model: Model, search: Search) -> Iterator[tuple[np.ndarray, float]]:
    """The guess, then in turns places near the fit of the first part, and places from all over; stretches of parts."""
    rng = np.random.default_rng(search.seed)
    near = _near_first_part(model, search.spread) if search.starts > 1 else None
    yield model.unknowns.guess, 1.0
    for k in range(1, search.starts):
        theta = near(rng) if near is not None and k % 2 else scattered(model, rng, search.spread)
        yield theta, float(rng.uniform(*STRETCH))


def _ways(model: Model, theta: np.ndarray, loss: str, stretch: float, guess: bool) -> Iterator[Callable[[], Minimum]]:
    """From the guess straight to the whole record; from anywhere by its first parts.

    Where there are no parts the second way from the guess is the first.
    """
    if guess:
        yield partial(descend, model, theta, loss)
    if not guess or next(_parts(model, stretch), None) is not None:
        yield partial(growing, model, theta, loss, stretch)


def growing(model: Model, theta: np.ndarray, loss: str, stretch: float) -> Minimum:
    """The minimum that is reached by way of those of first parts of the record, each half as long again as the last.

    Raises:
        NoMotion: there is no motion at the first values over the shortest part.
    """
    *_, (last,) = [(theta,), *grown(_parts(model, stretch), lambda i, _: [theta] if i == 0 else [], loss, ROUGH)]
    return descend(model, last, loss)


def _parts(model: Model, stretch: float = 1.0) -> Iterator[Model]:
    """The model on first parts of the record's time, where these hold enough numbers; all stretched by a factor."""
    if not model.by_tangents:
        return
    last = float(model.data.t[model.data.row].max())
    for share in PARTS:
        end = model.t + share * stretch * (last - model.t)
        part = part_up_to(model, end, ENOUGH * len(model.unknowns)) if end < last else None
        if part is not None:
            yield part


def _close(model: Model, found: Minimum) -> bool:
    """Is what is left about the noise or, where that is not known, a small part of the numbers?"""
    data, r = model.data, found.residuals
    unknown = [found.noise[data.column == i][0] < NARROW * data.size(i) for i in data.unknown]
    return bool(r @ r < 2 * len(data)) and all(unknown)


def _near_first_part(model: Model, spread: float) -> Draw:
    """Places as likely as the first part of the record leaves them, at most `spread` sizes from its fit."""
    part, u = next(_parts(model), None), model.unknowns
    try:
        if part is None:
            raise NoMotion("the record has no first part")
        found = descend_once(part, u.guess, "linear", first_noise(part), ROUGH)
    except NoMotion:
        return lambda rng: scattered(model, rng, spread)
    _, s, Vt = np.linalg.svd(found.jacobian * u.size, full_matrices=False)
    reach = np.minimum(1 / np.maximum(s, 1e-300), spread)

    def drawn(rng: np.random.Generator) -> np.ndarray:
        return np.clip(found.theta + u.size * (Vt.T @ (reach * rng.standard_normal(len(s)))), u.low, u.high)

    return drawn


def scattered(model: Model, rng: np.random.Generator, spread: float) -> np.ndarray:
    """A random place: between the bounds, or about the guess by `spread` of its sizes."""
    u = model.unknowns
    boxed = np.isfinite(u.low) & np.isfinite(u.high)
    within = rng.uniform(np.where(boxed, u.low, 0.0), np.where(boxed, u.high, 1.0))
    about = u.guess + spread * u.size * rng.standard_normal(len(u))
    about = np.where(about < u.low, 2 * u.low - about, about)
    about = np.where(about > u.high, 2 * u.high - about, about)
    return np.where(boxed, within, about)
