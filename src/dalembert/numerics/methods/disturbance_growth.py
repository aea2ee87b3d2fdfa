"""The compiled loop that carries a small disturbance along the steps of a path."""

from __future__ import annotations

import numpy as np

from ..machine.loop.compiled_loop import loop
from ..machine.loop.function_address import call
from .stepper import copy

LOST = 0.01  # of the size of the motion: fewer than two digits are left
ERROR, SINCE, GIVEN_UP = 0, 1, 2  # what a level holds: the error, when it passed LOST, and is it not to be followed
NEARNESS = 1e-7  # of the disturbed state, over the size of the motion
TURN, _PARTS = 0.8, 64.0  # how far the vector may turn in one step of its own; most parts of a step of the path
_SEEN = 1e-5  # of the vector, above which a difference of its slopes is no rounding


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
    n, i, rate = len(v), 0, -1.0
    room, before, f, f_end = np.empty((8, n + 1)), np.empty(n), np.empty(n + 1), np.empty(n + 1)  # ends in the margin
    while i < len(t) - 1 and level[GIVEN_UP] == 0:
        if not t[i + 1] > t[i]:
            i, rate = i + 1, -1.0
            continue
        if rate < 0:
            call(address, t[i : i + 1], y[i], p, f)
            rate = _rate(address, t[i : i + 1], y[i], f, v, p, room, inverse)
        copy(room[1], room[7])  # Df v where the step begins
        j = _ahead(t, i, reach, rate)
        call(address, t[j : j + 1], y[j], p, f_end)
        parts, far, norm = max(np.ceil((t[j] - t[i]) * rate / TURN), 1.0), np.inf, 0.0
        copy(v, before)
        while parts <= _PARTS and far > 2 * TURN:
            copy(before, v)
            far = _across(address, (t[i], t[j] - t[i]), (y[i], y[j], f, f_end), parts, v, p, room, inverse)
            norm = _normed(v, inverse)
            # what is fast and was small shows at the end, once a step too long for it has made it large
            rate = _rate(address, t[j : j + 1], y[j], f_end, v, p, room, inverse)
            far, parts = max(far, (t[j] - t[i]) / parts * rate), 2 * parts
        if far <= 2 * TURN and 0 < norm < np.inf:
            level[ERROR] = max(least, level[ERROR] * norm)
        else:
            level[GIVEN_UP] = 1.0
        if level[ERROR] >= LOST:
            level[SINCE], j = t[j], len(t)
        copy(f_end, f)
        i = j


def _across(
    address: int,
    step: tuple[float, float],
    ends: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray],
    parts: float,
    v: np.ndarray,
    p: np.ndarray,
    room: np.ndarray,
    inverse: np.ndarray,
) -> float:
    """v over a whole step (t, H), in so many parts; how far the fastest turned in one of them."""
    far = 0.0
    for k in range(int(parts)):
        far = max(far, _advance(address, step, ends, (k / parts, 1 / parts), v, p, room, inverse))
    v[len(v) - 1] = 0.0
    return far


def _rate(
    address: int,
    now: np.ndarray,
    y: np.ndarray,
    f: np.ndarray,
    v: np.ndarray,
    p: np.ndarray,
    room: np.ndarray,
    inverse: np.ndarray,
) -> float:
    """|Df(y) v|: how fast a vector of size 1 turns or grows."""
    _slope(address, now, y, f, v, p, room[0], room[1])
    return _size(room[1], inverse)


def _normed(v: np.ndarray, inverse: np.ndarray) -> float:
    """The size of v, which is divided by it."""
    norm = _size(v, inverse)
    if 0 < norm < np.inf:
        for c in range(len(v)):
            v[c] /= norm
    return norm


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
    n = len(f) - 1  # which ends in the margin; a vector in the room is as long
    for c in range(n):
        near[c] = y[c] + NEARNESS * v[c]
    call(address, now, near, p, k)
    for c in range(n):
        k[c] = (k[c] - f[c]) / NEARNESS


def _advance(
    address: int,
    step: tuple[float, float],
    ends: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray],
    share: tuple[float, float],
    v: np.ndarray,
    p: np.ndarray,
    room: np.ndarray,
    inverse: np.ndarray,
) -> float:
    """v' = Df(t, y(t)) v over a share (first, width) of a step (t, H), by Runge and Kutta's method of order 4.

    How far the fastest turns in it is seen of the slopes (Hairer and Wanner's estimate of stiffness): 2 |k3 - k2| over
    |k2 - k1|, where that is more than rounding.
    """
    (t, H), (first, width), y_end, f_end = step, share, ends[1], ends[3]
    n, h = len(v), width * H
    near, k, at, f_at, base, slope, last = room[0], room[1], room[2], room[3], room[4], room[5], room[6]
    now, turned, far = np.empty(1), 0.0, 0.0
    for c in range(n):
        base[c], slope[c] = v[c], 0.0
    for stage in range(4):
        x = first + width * (0.0 if stage == 0 else 1.0 if stage == 3 else 0.5)
        now[0] = t + x * H
        if x == 0.0:  # where the step begins it is known
            copy(room[7], k)
        elif x == 1.0:
            _slope(address, now, y_end, f_end, base, p, near, k)
        else:
            _between(x, H, ends, at)
            if stage != 2:
                call(address, now, at, p, f_at)
            _slope(address, now, at, f_at, base, p, near, k)
        if stage == 1:
            turned = _apart(k, last, inverse)
        elif stage == 2 and h * _apart(k, last, inverse) > _SEEN * _size(v, inverse):
            far = 2 * _apart(k, last, inverse) / turned if turned > 0 else np.inf
        copy(k, last)
        ahead = 0.5 * h if stage < 2 else h
        for c in range(n):
            slope[c] += 2 * k[c] if 0 < stage < 3 else k[c]
            base[c] = v[c] + ahead * k[c]
    for c in range(n):
        v[c] += h / 6 * slope[c]
    return far


def _between(x: float, H: float, ends: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray], at: np.ndarray) -> None:
    """Hermite's cubic at a share x of a step H: y + x d + x (1 - x) ((1 - x) (H f - d) - x (H f_end - d))."""
    y, y_end, f, f_end = ends
    for c in range(len(y)):
        d = y_end[c] - y[c]
        at[c] = y[c] + x * d + x * (1 - x) * ((1 - x) * (H * f[c] - d) - x * (H * f_end[c] - d))


def _apart(k: np.ndarray, last: np.ndarray, inverse: np.ndarray) -> float:
    far = 0.0
    for c in range(len(inverse)):
        far = max(far, abs(k[c] - last[c]) * inverse[c])
    return far
