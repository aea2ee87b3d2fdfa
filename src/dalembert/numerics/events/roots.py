"""All zeros of a function along a path, also those that come in pairs within one step.

A sign change between step ends is no criterion: a pendulum may cross a line and come back within one step. Here every
step is represented by a Chebyshev interpolant. A step is left out where the constant coefficient outweighs all others,
since |T_k| <= 1; it is halved where the last coefficients are not small. In what remains, the stationary points of the
interpolant (eigenvalues of the companion matrix of its derivative) cut the step into monotone pieces with at most one
zero each. That zero is then found on the function itself.

Halving does not make rounding smaller. On a step that one interpolant does not represent, the rounding of the function
is measured, on pieces so short that everything else of it is straight, and what is below that counts as noise. How many
pieces are looked at is bounded; where they do not suffice the step is `rough`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.polynomial import chebyshev

Function = Callable[[np.ndarray], np.ndarray]

NODES = 12
DEPTH = 24  # a step is halved at most so often
MOST, EACH = 4096, 128  # pieces that are looked at in one search, and as many more for each step
_BISECTIONS = 80  # more than the digits of a time
_AGAIN = 8  # times the function may end earlier than was seen before
FAR = 1e3  # times the last coefficients: farther than that from 0 it does not matter what the interpolant misses
SHORT = (2.0**-10, 2.0**-15, 2.0**-20)  # of a step: there g is straight, and what departs from that is its rounding,
PLACES = (0.0, 0.3819660112501051, 0.7639320225002102, 1 - SHORT[0])  # which is measured at these parts of the step
MARGIN, MOST_NOISE = 32, 1e-3  # how often what is measured counts, and how much of the largest value may be rounding
ROUNDINGS = 16  # of the time, below which differences of g mean nothing
RESOLVED = 1e-10  # size of the last coefficients, by the largest value, of an interpolant that is good enough
TOUCH = 1e-12  # a stationary value, by the largest value nearby, that counts as 0
NEAR = 1e-4  # from a stationary point, by half the length of a piece: values there may be stationary too
ITERATIONS = 200  # more than bisection needs
GROWN = 4  # times what |g| was at the ends of a piece: by as much it grows where a pole is closed in

X = np.cos(np.pi * (np.arange(NODES)[::-1] + 0.5) / NODES)  # the zeros of T_12, rising
# c_k = (2 - [k = 0]) / 12 sum_i g(x_i) T_k(x_i)
TRANSFORM = chebyshev.chebvander(X, NODES - 1) * (2 - (np.arange(NODES) == 0)) / NODES
DERIVATIVE = chebyshev.chebder(np.eye(NODES), axis=1)


class UndefinedFunction(ArithmeticError):
    """The function is NaN or infinite at a `time` of the path."""

    def __init__(self, time: float) -> None:
        super().__init__(f"the function is not finite at t = {time:.17g}")
        self.time = time

    def __reduce__(self) -> tuple[type, tuple[float]]:
        return type(self), (self.time,)


@dataclass(frozen=True)
class Zeros:
    """Zeros in the order of the path.

    Attributes:
        times: where they are, shape (k,).
        directions: +1 where the function rises along the path, -1 where it falls, 0 where it touches zero; shape (k,).
        flat: per step, shape (N,): is the function zero, up to the noise, on the step or on a part of it? No zeros are
            reported there.
        rough: per step, shape (N,): does the function turn more often than is looked for? Zeros may then be missing.
        looked: how many pieces were looked at, beyond those that each step is allowed.
        poles: where the function changes its sign through infinity, which is no zero; shape (p,).
    """

    times: np.ndarray
    directions: np.ndarray
    flat: np.ndarray
    rough: np.ndarray
    looked: int
    poles: np.ndarray


@dataclass(frozen=True)
class _Pieces:
    """Pieces [a, b] of steps: `owner` is the step, `c` (K, 12) the interpolant, `largest` its largest node value;
    a `rough` one is not represented by its interpolant.
    """

    owner: np.ndarray
    a: np.ndarray
    b: np.ndarray
    c: np.ndarray
    largest: np.ndarray
    noise: np.ndarray
    rough: np.ndarray

    @property
    def flat(self) -> np.ndarray:
        """Is g zero there, up to the noise?"""
        return self.largest <= self.noise

    def __getitem__(self, rows: np.ndarray) -> _Pieces:
        return _Pieces(*(getattr(self, f.name)[rows] for f in fields(self)))


def zeros(g: Function, times: np.ndarray, noise: float | np.ndarray = 1e-14, most: int = MOST) -> Zeros:
    """All zeros of g on consecutive steps.

    A zero where two steps meet is found once. One at the very start is left out and one at the very end is reported, so
    that a path can be searched section by section. At these two ends, what is below the noise or below the change of g
    within a few roundings of t counts as zero; the direction at the end is the one in which g came. A touch is a
    stationary value below 1e-12 of the largest value nearby. At a discontinuity a change of sign counts as a zero, at a
    pole it does not.

    Args:
        g: takes an array of times, in any order, and returns the values there.
        times: ends of the steps, shape (N + 1,), strictly rising or falling.
        noise: absolute size below which a value of g means nothing, one for all steps or one for each (N,).
        most: pieces that are looked at, beyond `EACH` for each step.

    Raises:
        UndefinedFunction: g is not finite somewhere.
    """
    times = np.asarray(times, dtype=float)
    flat = np.zeros(max(0, len(times) - 1), dtype=bool)
    noise = np.broadcast_to(np.asarray(noise, float), flat.shape)
    pieces, looked = _search(g, times, noise, most)
    rough = np.zeros_like(flat)
    flat[pieces.owner[pieces.flat]] = True
    rough[pieces.owner[pieces.rough]] = True
    t, tolerance = _samples(pieces, times)
    values = _values(g, t)
    signs = np.where(np.abs(values) <= tolerance, 0.0, np.sign(values))
    found, directions, pole = _events(g, t, values, signs, np.isnan(tolerance))
    order = np.argsort(found * _direction(times), kind="stable")
    found, directions, pole = found[order], directions[order].astype(int), pole[order]
    return Zeros(found[~pole], directions[~pole], flat, rough, looked, found[pole])


def up_to_edge(g: Function, times: np.ndarray, noise: np.ndarray, most: int = MOST) -> tuple[Zeros, float]:
    """The zeros, see `zeros`, as far as g is finite on consecutive rising steps, and the last time at which it is
    (infinity where it is finite everywhere).

    Args:
        g, times, noise, most: as of `zeros`; noise is one for each step (N,).
    """
    edge = np.inf
    for _ in range(_AGAIN):
        try:
            return zeros(g, times, noise, most), edge
        except UndefinedFunction as error:
            edge = _last_finite(g, float(times[0]), error.time)
            kept = max(int(np.searchsorted(times, edge, side="left")), 1)
            times, noise = np.r_[times[:kept], edge], noise[:kept]
            if edge <= times[0]:
                break
    nothing = zeros(g, times[:1], noise[:0])
    return nothing, float(times[0])


def _last_finite(g: Function, a: float, b: float) -> float:
    """The last time before b, where g is not finite, up to which it is; a where it is nowhere."""
    if not np.isfinite(g(np.array([a]))[0]):
        return a
    for _ in range(_BISECTIONS):
        middle = a + (b - a) / 2
        if not a < middle < b:
            break
        a, b = (middle, b) if np.isfinite(g(np.array([middle]))[0]) else (a, middle)
    return a


def stationary(g: Function, times: np.ndarray, noise: float = 1e-14) -> np.ndarray:
    """Times on consecutive rising steps at which g is stationary, where it has corners or jumps some others too.

    Raises:
        UndefinedFunction: g is not finite somewhere.
    """
    pieces, _ = _search(g, np.asarray(times, float), np.full(len(times) - 1, noise), MOST, every=True)
    found = [np.zeros(0)]
    for a, b, x in zip(pieces.a, pieces.b, _stationary(pieces.c), strict=True):
        found.append(a + (b - a) * (1 + x[np.abs(x) <= 1]) / 2)
    return np.concatenate(found)


def _direction(times: np.ndarray) -> float:
    return -1.0 if len(times) > 1 and times[-1] < times[0] else 1.0


def _values(g: Function, t: np.ndarray, infinite: bool = False) -> np.ndarray:
    """g(t), checked, which may be infinite where a pole is closed in; t of any shape."""
    if t.size == 0:
        return np.zeros(t.shape)
    values = np.asarray(g(t.ravel()), dtype=float).reshape(t.shape)
    bad = np.isnan(values) if infinite else ~np.isfinite(values)
    if bad.any():
        raise UndefinedFunction(float(t[bad][0]))
    return values


def _interpolate(g: Function, owner: np.ndarray, a: np.ndarray, b: np.ndarray, noise: np.ndarray) -> _Pieces:
    """g(a + (b - a) (1 + x) / 2) = sum_k c_k T_k(x) on every piece; which of them are rough is not said yet."""
    values = _values(g, a[:, None] + (b - a)[:, None] * (1 + X) / 2)
    largest = np.abs(values).max(axis=1, initial=0.0)
    return _Pieces(owner, a, b, values @ TRANSFORM, largest, noise, np.zeros(len(a), bool))


def _search(g: Function, times: np.ndarray, noise: np.ndarray, most: int, every: bool = False) -> tuple[_Pieces, int]:
    """The pieces that may hold zeros or are flat, or all of them, in the order of the path; and how many of `most`
    were looked at.
    """
    owner, a, b = np.arange(max(0, len(times) - 1)), times[:-1], times[1:]
    kept, looked = [], -EACH * len(owner)
    for depth in range(DEPTH + 1):
        pieces = _interpolate(g, owner, a, b, noise[owner])
        resolved, free = _seen(pieces)
        if depth == 0 and not (resolved | free).all():
            noise = _rounding(g, pieces, noise, ~(resolved | free))
            pieces = replace(pieces, noise=noise)
            resolved, free = _seen(pieces)
        free &= ~pieces.flat & (not every)
        open_ = ~(resolved | pieces.flat | free)
        looked += 2 * int(open_.sum())
        last = depth == DEPTH or looked > most
        kept.append(replace(pieces, rough=open_ & (looked > most))[~free & (~open_ | last)])
        if last:
            break
        owner, a, b = _halves(pieces[open_])
    joined = _Pieces(*(np.concatenate([getattr(part, f.name) for part in kept]) for f in fields(_Pieces)))
    return joined[np.argsort(_direction(times) * joined.a, kind="stable")], max(looked, 0)


def _seen(pieces: _Pieces) -> tuple[np.ndarray, np.ndarray]:
    """Pieces whose interpolants are good enough, and pieces without a zero."""
    a, b, size = pieces.a, pieces.b, np.abs(pieces.c)
    tail = size[:, -1] + size[:, -2]
    # g changes by `variation` on a piece that holds only so many different times: its values are that coarse
    variation = size[:, 1:].sum(axis=1)
    how_many = np.abs(b - a) / np.spacing(np.maximum(np.abs(a), np.abs(b)))
    coarse = variation * ROUNDINGS / np.maximum(how_many, 1e-3)
    resolved = tail <= np.maximum(np.maximum(RESOLVED * pieces.largest, pieces.noise), coarse)
    return resolved, size[:, 0] > variation + np.where(resolved, NODES, FAR) * tail


def _rounding(g: Function, steps: _Pieces, noise: np.ndarray, where: np.ndarray) -> np.ndarray:
    """The noise (N,) of steps, at least what g itself shows of it on some of them.

    A corner or a jump is in one of four places at most, and is left out with it: the second largest counts.
    """
    at, a, h = steps.owner[where], steps.a[where], (steps.b - steps.a)[where]
    found = noise.copy()
    for short in SHORT:
        pieces = [_interpolate(g, at, a + h * place, a + h * (place + short), noise[at]) for place in PLACES]
        shown = MARGIN * np.sort([np.abs(p.c[:, NODES // 2 :]).max(axis=1) for p in pieces], axis=0)[-2]
        believed = shown < MOST_NOISE * steps.largest[where]
        found[at] = np.maximum(found[at], np.where(believed, shown, 0.0))
    return found


def _halves(pieces: _Pieces) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    middle = pieces.a + (pieces.b - pieces.a) / 2
    return np.tile(pieces.owner, 2), np.concatenate([pieces.a, middle]), np.concatenate([middle, pieces.b])


def _stationary(c: np.ndarray) -> list[np.ndarray]:
    """Stationary points of interpolants (K, 12) on [-1, 1] and near it, rising; almost real ones too, as they do no
    harm.
    """
    slope = c @ DERIVATIVE
    size = np.abs(slope)
    degree = NODES - 2 - np.argmax((size > 1e-13 * size.max(axis=1, keepdims=True))[:, ::-1], axis=1)
    # |T_k| <= 1, and 1.01 just beyond the ends
    turning = size[:, 0] < 1.01 * size[:, 1:].sum(axis=1)
    found = [np.empty(0)] * len(c)
    for n in np.unique(degree[turning & (degree > 0)]):
        rows = np.flatnonzero(turning & (degree == n))
        for row, x in zip(rows, _roots(slope[rows, : n + 1]), strict=True):
            found[row] = np.sort(x.real[(np.abs(x.imag) < 1e-3) & (np.abs(x.real) <= 1 + NEAR)])
    return found


def _roots(c: np.ndarray) -> np.ndarray:
    """All roots (K, n) of Chebyshev series (K, n + 1): the eigenvalues of their companion matrices."""
    n = c.shape[1] - 1
    if n == 1:
        return -c[:, :1] / c[:, 1:]
    scale = np.sqrt(np.r_[1.0, np.full(n - 1, 0.5)])
    companion = np.tile(chebyshev.chebcompanion(np.eye(n + 1)[n]), (len(c), 1, 1))
    companion[:, :, -1] -= c[:, :-1] / c[:, -1:] * (scale / scale[-1] / 2)
    return np.linalg.eigvals(companion[:, ::-1, ::-1])  # turned about: so they are the more exact


def _samples(pieces: _Pieces, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Times between which g is monotone, in the order of the path, and the size below which g is 0 at each.

    Ends of neighbouring pieces stand twice. The tolerance is NaN at the ends of flat pieces: there the chain breaks.
    """
    if not len(pieces.a):
        return np.empty(0), np.empty(0)
    flat, turns = pieces.flat, _stationary(pieces.c)
    parts = [_flat(pieces, row) if flat[row] else _cuts(pieces, row, x) for row, x in enumerate(turns)]
    t, tolerance = map(np.concatenate, zip(*parts, strict=True))
    for row, end, t_end in ((0, -1, times[0]), (-1, 1, times[-1])):
        if t[row] == t_end:
            # size of g at this end, below which it says nothing: the noise and a few roundings of t
            a, b = pieces.a[row], pieces.b[row]
            slope = chebyshev.chebval(end, chebyshev.chebder(pieces.c[row])) * 2 / (b - a)
            resolution = float(pieces.noise[row] + 4 * np.spacing(abs(a if end < 0 else b)) * abs(slope))
            tolerance[row] += resolution
    return t, tolerance


def _flat(pieces: _Pieces, row: int) -> tuple[np.ndarray, np.ndarray]:
    """The samples of a flat piece."""
    return np.array([pieces.a[row], pieces.b[row]]), np.full(2, np.nan)


def _cuts(pieces: _Pieces, row: int, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The samples of one piece: its ends and stationary points x."""
    a, b, touch = pieces.a[row], pieces.b[row], max(TOUCH * pieces.largest[row], pieces.noise[row])
    inner = x[np.abs(x) < 1]
    first, last = (touch if np.any(np.abs(x - end) <= NEAR) else 0.0 for end in (-1, 1))
    t = np.concatenate([[a], a + (b - a) * (1 + inner) / 2, [b]])
    return t, np.concatenate([[first], np.full(len(inner), touch), [last]])


def _events(
    g: Function, t: np.ndarray, values: np.ndarray, signs: np.ndarray, broken: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Zeros between samples: a change of sign is a crossing, a zero between equal signs is a touch; which are poles."""
    marks = np.flatnonzero(broken | (signs != 0))
    left, right = marks[:-1], marks[1:]
    whole = ~(broken[left] | broken[right])
    crossing = whole & (signs[left] != signs[right])
    touching = whole & (signs[left] == signs[right]) & (right > left + 1)
    i, j = left[crossing], right[crossing]
    crossed, pole = _polish(g, t[i], t[j], values[i], values[j])
    touched = [_least(t, values, a + 1, b) for a, b in zip(left[touching], right[touching], strict=True)]
    at_end, direction = _last(t, signs, broken, marks)
    directions = np.concatenate([signs[j], np.zeros(len(touched)), direction])
    return (
        np.concatenate([crossed, touched, at_end]),
        directions,
        np.r_[pole, np.zeros(len(touched) + len(at_end), bool)],
    )


def _least(t: np.ndarray, values: np.ndarray, first: int, stop: int) -> float:
    """The time of the value nearest to 0 among samples first..stop-1."""
    return float(t[first + np.argmin(np.abs(values[first:stop]))])


def _last(t: np.ndarray, signs: np.ndarray, broken: np.ndarray, marks: np.ndarray) -> tuple[list[float], list[float]]:
    """The zero at the end of the path, if there is one."""
    if len(marks) == 0 or marks[-1] == len(t) - 1 or broken[marks[-1]]:
        return [], []
    return [float(t[-1])], [-float(signs[marks[-1]])]


def _polish(g: Function, a: np.ndarray, b: np.ndarray, fa: np.ndarray, fb: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Zeros in many brackets [a, b] at once, g(a) g(b) < 0, to the last digit or 1e-15 of the bracket; which are poles.

    At a pole |g| grows on both sides the nearer the bracket closes, at a zero it falls and at a jump it stays.
    Inverse quadratic interpolation where Chandrupatla's criterion (1997) trusts it, else bisection.
    """
    a, b, c, fa, fb, fc = a.copy(), b.copy(), a.copy(), fa.copy(), fb.copy(), fa.copy()
    allowed = np.maximum(np.spacing(np.maximum(np.abs(a), np.abs(b))), 1e-15 * np.abs(b - a))
    fraction, active = np.full(len(a), 0.5), np.arange(len(a))
    at_first = np.minimum(np.abs(fa), np.abs(fb))
    for _ in range(ITERATIONS):
        active = active[(np.abs(b - a)[active] > 2 * allowed[active]) & (fa[active] != 0)]
        if len(active) == 0:
            break
        k = active
        t = a[k] + fraction[k] * (b[k] - a[k])
        f = _values(g, t, infinite=True)
        # the new point becomes a; b is the neighbour on the other side; c the point dropped last
        same = np.sign(f) == np.sign(fa[k])
        c[k], fc[k] = np.where(same, a[k], b[k]), np.where(same, fa[k], fb[k])
        b[k], fb[k] = np.where(same, b[k], a[k]), np.where(same, fb[k], fa[k])
        a[k], fa[k] = t, f
        least = np.minimum(0.5, allowed[k] / np.maximum(np.abs(b[k] - a[k]), allowed[k]))
        fraction[k] = np.clip(_fraction(a[k], b[k], c[k], fa[k], fb[k], fc[k]), least, 1 - least)
    return np.where(np.abs(fa) <= np.abs(fb), a, b), np.minimum(np.abs(fa), np.abs(fb)) > GROWN * at_first


def _fraction(
    a: np.ndarray, b: np.ndarray, c: np.ndarray, fa: np.ndarray, fb: np.ndarray, fc: np.ndarray
) -> np.ndarray:
    """Where to look next between a and b: by inverse quadratic interpolation if it is trusted, else 1/2."""
    with np.errstate(all="ignore"):
        xi, phi = (a - b) / (c - b), (fa - fb) / (fc - fb)
        trusted = (phi**2 < xi) & ((1 - phi) ** 2 < 1 - xi)
        t = fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb)
    return np.where(trusted & np.isfinite(t), t, 0.5)
