"""The common case of `roots.zeros`, compiled: simple crossings of a guard within steps, found on the same interpolants.

A step (or a half, a quarter, ... of it) is free of zeros where the constant coefficient of its Chebyshev interpolant
outweighs the others, and holds at most one where the interpolant is monotone. What is not decided so simply, a touch, a
zero at a step's end, a guard that is not smooth or not finite, is left to `roots.zeros`: such steps are `CAREFUL`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..machine.loop.compiled_loop import loop
from ..machine.loop.function_address import call
from .roots import ITERATIONS, NODES, RESOLVED, TOUCH, TRANSFORM, X

NOTHING, CROSSES, UNDECIDED, CAREFUL = 0, 1, 2, 3
HALVINGS = 8  # of a step, before it is left to the careful search
AT_ZERO = 64  # times the noise: what a guard that is 0 may be where a run begins
EPSILON = 2.0**-52
ORDERS = 3  # of a zero where a run begins
NEARER = 48  # halvings of a piece about the zero of an interpolant
MOST = 24  # crossings within one step, and pieces of it that wait


class WatchedGuard(NamedTuple):
    """A guard that is watched.

    Attributes:
        guard: address of ``g(t, y, p, out)``.
        p: parameters.
        needed: positions of the states that the guard depends on.
        noise: size of the guard below which its sign means nothing.
        moment, point, out: work space (1,), (n,), (1,).
    """

    guard: int
    p: np.ndarray
    needed: np.ndarray
    noise: float
    moment: np.ndarray
    point: np.ndarray
    out: np.ndarray


class Step(NamedTuple):
    """A step from t to `end`, which may be cut: h is the size that the dense output F (7, n) belongs to; y (n,)."""

    t: float
    end: float
    h: float
    y: np.ndarray
    F: np.ndarray


class Steps(NamedTuple):
    """Consecutive steps: t (N + 1,), h (N,), y (N + 1, n), F (N, 7, n), as in `trajectory.Interpolant`."""

    t: np.ndarray
    h: np.ndarray
    y: np.ndarray
    F: np.ndarray


def grain(a: float, b: float) -> float:
    """By what a function with slope 1 on [-1, 1] changes within the roundings of t that `roots.zeros` cannot tell."""
    return 16 * np.spacing(max(abs(a), abs(b))) / abs(b - a)


def classify(c: np.ndarray, noise: float, opening: bool, grain: float) -> int:
    """What the Chebyshev coefficients of a guard on a piece say about its zeros there.

    Args:
        c: coefficients (12,).
        noise: size of the guard below which its sign means nothing.
        opening: does the run begin with this piece? A zero at its beginning is then left out.
        grain: of the times of the piece.
    """
    tail, variation, steepest = abs(c[NODES - 1]) + abs(c[NODES - 2]), 0.0, 0.0
    for k in range(1, NODES):
        variation += abs(c[k])
        steepest += k * k * abs(c[k])  # |T_k'| <= k^2
    largest = abs(c[0]) + variation
    if not noise < largest < math.inf:
        return CAREFUL
    if tail > max(RESOLVED * largest, noise):
        return UNDECIDED
    # what `roots.zeros` takes for zero at the end of a step, lest a zero between two steps be found twice or by neither
    nothing = TOUCH * largest + NODES * tail + noise
    if abs(c[0]) > variation + nothing + grain * steepest:
        return NOTHING
    return _of_monotone(c, tail, nothing, opening, grain)


def _of_monotone(c: np.ndarray, tail: float, nothing: float, opening: bool, grain: float) -> int:
    """The same for a resolved interpolant, if it is monotone; else UNDECIDED."""
    # d_(k-1) = d_(k+1) + 2 k c_k, the constant one by half: the coefficients of the derivative
    d = np.zeros(NODES + 1)
    for k in range(NODES - 1, 0, -1):
        d[k - 1] = d[k + 1] + 2 * k * c[k]
    slope, rest = abs(d[0]) / 2, 0.0
    for k in range(1, NODES):
        rest += abs(d[k])
    if slope <= rest + NODES * NODES * tail:
        return UNDECIDED
    first, last, sign = 0.0, 0.0, 1.0
    for k in range(NODES):
        first += sign * c[k]
        last += c[k]
        sign = -sign
    unsure = nothing + grain * (slope + rest)
    if abs(last) <= unsure:
        return CAREFUL
    if abs(first) <= unsure:
        # a zero that the run begins with, as what holds friction does where it yields
        begins = abs(first) <= nothing / NODES or (first > 0) == (last > 0)
        return NOTHING if opening and begins else CAREFUL
    return NOTHING if (first > 0) == (last > 0) else CROSSES


def guard_at(watched: WatchedGuard, step: Step, t: float) -> float:
    """The guard's value at a time of a step."""
    x, F = (t - step.t) / step.h, step.F
    for i in watched.needed:
        value = 0.0
        for power in range(F.shape[0] - 1, -1, -1):
            value = (value + F[power, i]) * (x if power % 2 == 0 else 1 - x)
        watched.point[i] = value + step.y[i]
    watched.moment[0] = t
    call(watched.guard, watched.moment, watched.point, watched.p, watched.out)
    return watched.out[0]


def crossing(watched: WatchedGuard, step: Step, a: float, b: float) -> tuple[float, int]:
    """The zero between the times a and b, where the guard changes its sign, and its direction; direction 0 if not.

    Inverse quadratic interpolation where Chandrupatla's criterion (1997) trusts it, else bisection.
    """
    fa, fb = guard_at(watched, step, a), guard_at(watched, step, b)
    if not fa * fb < 0.0:
        return a, 0
    direction = 1 if fb > fa else -1
    c, fc, fraction = a, fa, 0.5
    allowed = max(np.spacing(max(abs(a), abs(b))), 1e-15 * abs(b - a))
    for _ in range(ITERATIONS):
        if abs(b - a) <= 2 * allowed or fa == 0.0:
            break
        t = a + fraction * (b - a)
        f = guard_at(watched, step, t)
        # the new point becomes a; b is the neighbour on the other side; c the point dropped last
        if (f > 0) == (fa > 0) and f != 0.0:
            c, fc = a, fa
        else:
            c, fc, b, fb = b, fb, a, fa
        a, fa = t, f
        fraction = 0.5
        if fb != fc and c != b:
            xi, phi = (a - b) / (c - b), (fa - fb) / (fc - fb)
            if phi * phi < xi and (1 - phi) * (1 - phi) < 1 - xi:
                fraction = fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb)
        least = min(0.5, allowed / max(abs(b - a), allowed))
        fraction = min(max(fraction, least), 1 - least)
    return (a if abs(fa) <= abs(fb) else b), direction


def interpolate(watched: WatchedGuard, step: Step, a: float, b: float, c: np.ndarray) -> None:
    """Chebyshev coefficients c (12,) of the guard on a piece [a, b] of a step."""
    c[:] = 0.0
    for j in range(NODES):
        value = guard_at(watched, step, a + (b - a) * (1 + X[j]) / 2)
        for k in range(NODES):
            c[k] += value * TRANSFORM[j, k]


def _at_beginning(c: np.ndarray) -> tuple[float, float]:
    """The value of an interpolant at the beginning of its piece, and the size of its terms."""
    first, sign, largest = 0.0, 1.0, 0.0
    for k in range(NODES):
        first += sign * c[k]
        largest += abs(c[k])
        sign = -sign
    return first, largest


def _deflate(c: np.ndarray) -> None:
    """c becomes q with g = (1 + x) q."""
    # c_k = q_k + (q_(k-1) + q_(k+1))/2 ,  q_0 whole in c_1
    after, here = 0.0, 0.0
    for k in range(NODES - 1, 0, -1):
        before = 2 * (c[k] - here) - after
        c[k] = here
        after, here = here, before
    c[0] = here / 2


def _left(c: np.ndarray, value: float, noise: float, grain: float) -> float:
    """Where a guard is 0, by its value, at the beginning of a piece, c becomes what has its other zeros: those of a hop
    that is short against the step are far from each other in it. Slower starts are zeros of higher order.

    The noise of what c has become; less than 0 where the guard was not 0.
    """
    first, largest = _at_beginning(c)
    noise = AT_ZERO * noise + (grain + EPSILON) * largest
    if not abs(value) <= TOUCH / NODES * largest + noise:
        return -1.0
    for order in range(ORDERS):
        _deflate(c)
        noise *= NODES * NODES  # as a polynomial's slope at its end may
        first, largest = _at_beginning(c)
        if order + 1 == ORDERS or not abs(first) <= TOUCH * largest + noise:
            break
    return noise


def _value(c: np.ndarray, x: float) -> float:
    """Clenshaw's sum c_k T_k(x)."""
    one, two = 0.0, 0.0
    for k in range(NODES - 1, 0, -1):
        one, two = 2 * x * one - two + c[k], one
    return x * one - two + c[0]


def _apart(c: np.ndarray, a: float, b: float) -> tuple[float, float]:
    """Times about the one zero of q on a piece from a to b, the first well away from a."""
    low, high = -1.0, 1.0
    rises = _value(c, -1.0) < _value(c, 1.0)
    for _ in range(NEARER):
        x = (low + high) / 2
        if (_value(c, x) < 0.0) == rises:
            low = x
        else:
            high = x
    away = (b - a) * (low + 1) / 2
    return a + away / 2, b if away * 3 > 2 * (b - a) else a + 3 * away / 2


def in_step(
    watched: WatchedGuard, step: Step, opening: bool, c: np.ndarray, times: np.ndarray, directions: np.ndarray
) -> int:
    """Crossings within one step in the order of time; their number, or -1 where a careful search is needed.

    Args:
        watched, step: where to look for what.
        opening: is it the first step of a run? A zero at its beginning is then left out.
        c: the Chebyshev coefficients of the guard on the step (12,); then work space.
        times, directions: what was found, at least `MOST` of each.
    """
    found, waiting = 0, 1
    starts, ends, depths = np.empty(MOST), np.empty(MOST), np.zeros(MOST, np.int64)
    starts[0], ends[0] = step.t, step.end
    while waiting > 0:
        waiting -= 1
        a, b, depth = starts[waiting], ends[waiting], depths[waiting]
        if depth > 0:
            interpolate(watched, step, a, b, c)
        noise = -1.0
        if opening and a == step.t:
            noise = _left(c, guard_at(watched, step, a), watched.noise, grain(a, b))
        what = classify(c, max(noise, watched.noise), opening and a == step.t, grain(a, b))
        if what == CROSSES:
            first, last = _apart(c, a, b) if noise >= 0.0 else (a, b)
            times[found], directions[found] = crossing(watched, step, first, last)
            if directions[found] == 0:
                return -1
            found += 1
        elif what == UNDECIDED and depth < HALVINGS:
            middle = a + (b - a) / 2
            starts[waiting], ends[waiting], depths[waiting] = middle, b, depth + 1
            starts[waiting + 1], ends[waiting + 1], depths[waiting + 1] = a, middle, depth + 1
            waiting += 2
        elif what != NOTHING:
            return -1
        if found == MOST or waiting + 2 > MOST:
            return -1
    return found


@loop
def in_steps(
    watched: WatchedGuard, steps: Steps, careful: np.ndarray, times: np.ndarray, directions: np.ndarray
) -> int:
    """Crossings within consecutive steps; their number.

    Args:
        watched, steps: where to look for what.
        careful: (N,), set to True for the steps that need a careful search.
        times, directions: what was found, at least N + `MOST` of each; steps beyond that are careful ones.
    """
    found, c = 0, np.empty(NODES)
    for k in range(len(steps.h)):
        step = Step(steps.t[k], steps.t[k + 1], steps.h[k], steps.y[k], steps.F[k])
        interpolate(watched, step, step.t, step.end, c)
        # a zero at the very start is left out, as by `roots.zeros`
        count = 0 if classify(c, watched.noise, k == 0, grain(step.t, step.end)) == NOTHING else -1
        if count < 0 and found + MOST <= len(times):
            count = in_step(watched, step, k == 0, c, times[found:], directions[found:])
        careful[k] = count < 0
        found += max(count, 0)
    return found
