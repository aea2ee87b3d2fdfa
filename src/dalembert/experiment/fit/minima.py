"""The minima of one model: with more and more rows of a record, from many places, and along valleys without a floor.

Over a short time motions differ little and the sum of squares has few minima; over a long one it has many, or there is
no motion that long. Each best place on one part is where the search on the next, longer one begins.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.linalg import qr

from ...question import Search
from .least_squares import ROUGH, Care, Minimum, descend, descend_once, first_noise, look, merge, merit, unseen
from .model import Data, Model, NoMotion

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


# --- many places -----------------------------------------------------------------------------------------------------

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


# --- valleys ---------------------------------------------------------------------------------------------------------
# A minimum along whose valley the data see nothing: the end of the valley that is nearest to the guess.
# Rounding, and the path of the search, decide where in such a valley a search ends. Of the unknowns that lie along it
# as many are put back to their guesses as it has directions, and the others are fitted again.

LEVEL = 1e-6  # of the cost, at least 1: two places are on one level
STEPS = (1.0, 0.5, 0.25, 0.125, 0.0625)  # of the way back, where the whole of it leads out of the valley


def sizes(model: Model, theta: np.ndarray) -> np.ndarray:
    """How large a change of each unknown is no small one (d,)."""
    return np.maximum(np.abs(theta), model.unknowns.size)


def blind(model: Model, found: Minimum, inner: np.ndarray, loss: str) -> np.ndarray:
    """The directions (k, d), in sizes of the unknowns, of which the data see nothing; `inner` are free to move."""
    size = sizes(model, found.theta)
    null = np.zeros((0, len(size)))
    if not inner.any():
        return null
    fine, error = _slopes(model, found, loss)
    part = unseen(fine[:, inner], size[inner], error[:, inner])
    null = np.zeros((len(part), len(size)))
    null[:, inner] = part
    return null


def _slopes(model: Model, found: Minimum, loss: str) -> tuple[np.ndarray, np.ndarray]:
    """Derivatives of the residuals, and their error: what another way of making them changes."""
    # those of the search are scaled by the loss
    J = found.jacobian if loss == "linear" else model.at(found.theta, found.noise)[1]
    assert J is not None
    try:
        _, other = model.at(found.theta, found.noise, again=True)
    except NoMotion:
        other = None
    if other is None:
        return J, np.zeros_like(J)
    return (other, J - other) if model.by_tangents else (J, J - other)


def grounded(model: Model, found: Minimum, inner: np.ndarray, loss: str) -> tuple[Minimum, np.ndarray]:
    """The minimum nearest to the guess of those on one level with it, and the directions of which nothing is seen."""
    null = blind(model, found, inner, loss)
    if not len(null):
        return found, null
    _, _, order = qr(null, mode="economic", pivoting=True)
    back = sorted(int(i) for i in order[: len(null)])
    for theta in _ways_back(model, found, null, back):
        try:
            there = _fitted_again(model, found, theta, back, loss)
        except NoMotion:
            continue
        if merit(there) <= merit(found) + LEVEL * max(1.0, abs(found.cost)):
            return there, blind(model, there, inner, loss)
    return found, null


def _ways_back(model: Model, found: Minimum, null: np.ndarray, back: list[int]) -> Iterator[np.ndarray]:
    """Along the valley to where some unknowns are at their guesses, and shorter ways.

    Constants of one sign count in logarithms: the valleys of their products and powers are straight then.
    """
    u, theta = model.unknowns, found.theta
    scaled = np.array([k != "start" for k in u.kinds]) & (u.guess * theta > 0)
    size = sizes(model, theta) / np.where(scaled, np.abs(theta), 1.0)
    ratio = np.where(scaled, u.guess / np.where(scaled, theta, 1.0), 1.0)
    wanted = np.where(scaled, np.log(ratio), u.guess - theta)
    # c N = wanted, on the unknowns that go back
    N = null * size
    c = np.linalg.lstsq(N[:, back].T, wanted[back], rcond=None)[0]
    for share in STEPS:
        move = share * (c @ N)
        with np.errstate(over="ignore"):
            there = np.where(scaled, theta * np.exp(np.where(scaled, move, 0.0)), theta + move)
        there[back] = np.where(share == 1.0, u.guess[back], there[back])
        yield np.clip(there, u.low, u.high)


def _fitted_again(model: Model, found: Minimum, theta: np.ndarray, back: list[int], loss: str) -> Minimum:
    """The minimum with some unknowns held at theta."""
    names, part, rest = model.unknowns.names, model, [i for i in range(len(theta)) if i not in back]
    for i in back:
        part = part.held(names[i], float(theta[i]))
    whole = theta.copy()
    if rest:
        whole[rest] = descend(part, theta[rest], loss, found.noise).theta
    return replace(look(model, found, whole, loss), converged=found.converged)
