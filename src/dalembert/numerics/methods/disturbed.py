"""The compiled loop that carries a small disturbance along the steps of a path."""

from __future__ import annotations

import numpy as np

from ..machine.loop.address import call
from ..machine.loop.entry import loop
from .loops import copy

LOST = 0.01  # of the size of the motion: fewer than two digits are left
ERROR, SINCE, GIVEN_UP = 0, 1, 2  # what a level holds: the error, when it passed LOST, and is it not to be followed
NEARNESS = 1e-7  # of the disturbed state, over the size of the motion
TURN, _PARTS = 0.8, 64.0  # how far the vector may turn in one step of its own; most parts of a step of the path


@loop
def follow(
    address: int,
    t: np.ndarray,
    y: np.ndarray,
    p: np.ndarray,
    reach: int,
    v: np.ndarray,
    inverse: np.ndarray,
    least: float,
    level: np.ndarray,
) -> None:
    """Carry v (n,) along the nodes t (N,), y (N, n), across jumps unchanged, until its error passes LOST.

    Args:
        address, p: of the right-hand side, and its parameters.
        reach: how many steps of the path may be one of the vector's.
        v: a disturbance of size 1; moved.
        inverse: 1 over the size of each state, 0 where it means nothing.
        least: the error of one step.
        level: see ERROR, SINCE, GIVEN_UP; changed.
    """
    n = len(v)
    room, f, f_end = np.empty((6, n + 1)), np.empty(n + 1), np.empty(n + 1)  # the last is the rank margin
    i, known = 0, False
    while i < len(t) - 1 and level[GIVEN_UP] == 0:
        if not t[i + 1] > t[i]:
            i, known = i + 1, False
            continue
        if not known:
            call(address, t[i : i + 1], y[i], p, f)
        _slope(address, t[i : i + 1], y[i], f, v, p, room[0], room[1])
        rate = _size(room[1], inverse)
        j = _ahead(t, i, reach, rate)
        call(address, t[j : j + 1], y[j], p, f_end)
        parts = max(np.ceil((t[j] - t[i]) * rate / TURN), 1.0)
        if parts <= _PARTS:
            for k in range(int(parts)):
                _advance(address, (t[i], t[j] - t[i]), (y[i], y[j], f, f_end), (k / parts, 1 / parts), v, p, room)
        v[n - 1] = 0.0
        norm = _size(v, inverse)
        if parts <= _PARTS and 0 < norm < np.inf:
            _divide(v, norm)
            level[ERROR] = max(least, level[ERROR] * norm)
        else:
            level[GIVEN_UP] = 1.0
        if level[ERROR] >= LOST:
            level[SINCE] = t[j]
            return
        copy(f_end, f)
        i, known = j, True


def _divide(v: np.ndarray, norm: float) -> None:
    for c in range(len(v)):
        v[c] /= norm


def _size(v: np.ndarray, inverse: np.ndarray) -> float:
    size = 0.0
    for c in range(len(inverse)):  # room is longer than a vector
        size = max(size, abs(v[c]) * inverse[c])
        if not np.isfinite(v[c]):
            return np.inf
    return size


def _ahead(t: np.ndarray, i: int, reach: int, rate: float) -> int:
    """The node to which one step of the vector goes: not too far, and not over a jump."""
    j = i + 1
    while j < len(t) - 1 and j < i + reach and t[j + 1] > t[j] and (t[j + 1] - t[i]) * rate <= TURN:
        j += 1
    return j


def _slope(
    address: int,
    now: np.ndarray,
    y: np.ndarray,
    f: np.ndarray,
    v: np.ndarray,
    p: np.ndarray,
    near: np.ndarray,
    k: np.ndarray,
) -> None:
    """k = Df(y) v = (f(y + e v) - f(y)) / e."""
    for c in range(len(v)):
        near[c] = y[c] + NEARNESS * v[c]
    call(address, now, near, p, k)
    for c in range(len(v)):
        k[c] = (k[c] - f[c]) / NEARNESS


def _advance(
    address: int,
    step: tuple[float, float],
    ends: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray],
    share: tuple[float, float],
    v: np.ndarray,
    p: np.ndarray,
    room: np.ndarray,
) -> None:
    """v' = Df(t, y(t)) v over a share (first, width) of a step (t, H), by Runge and Kutta's method of order 4."""
    (t, H), (y, y_end, f, f_end), (first, width) = step, ends, share
    n, h = len(v), width * H
    near, k, at, f_at, base, slope = room[0], room[1], room[2], room[3], room[4], room[5]
    now = np.empty(1)
    for c in range(n):
        base[c], slope[c] = v[c], 0.0
    for stage in range(4):
        x = first + width * (0.0 if stage == 0 else 1.0 if stage == 3 else 0.5)
        now[0] = t + x * H
        for c in range(n):
            # Hermite's cubic y + x d + x (1 - x) ((1 - x) (H f - d) - x (H f_end - d))
            d = y_end[c] - y[c]
            at[c] = y[c] + x * d + x * (1 - x) * ((1 - x) * (H * f[c] - d) - x * (H * f_end[c] - d))
        if stage != 2:
            call(address, now, at, p, f_at)
        _slope(address, now, at, f_at, base, p, near, k)
        ahead = 0.5 * h if stage < 2 else h
        for c in range(n):
            slope[c] += 2 * k[c] if 0 < stage < 3 else k[c]
            base[c] = v[c] + ahead * k[c]
    for c in range(n):
        v[c] += h / 6 * slope[c]
