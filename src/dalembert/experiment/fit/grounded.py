"""A minimum along whose valley the data see nothing: the end of the valley that is nearest to the guess.

Rounding, and the path of the search, decide where in such a valley a search ends. Of the unknowns that lie along it as
many are put back to their guesses as it has directions, and the others are fitted again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from scipy.linalg import qr

from .descend import Minimum, descend, look, merit
from .model import Model, NoMotion
from .seen import unseen

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
