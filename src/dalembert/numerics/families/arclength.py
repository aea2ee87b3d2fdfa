"""A curve of motions followed by pseudo-arclength: a step along the tangent, corrected across it [keller1977].

Unknowns are scaled, x = (what is solved for, parameter)/size. Rows of R(x) = 0 depend on each other where something is
conserved, so that there are more of them than unknowns; they agree with each other, and least squares solves them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple, Protocol

import numpy as np

from ...calculus.numerical_rank import echelon

NEWTON = 12
EPSILON = float(np.finfo(float).eps)
FORESEEN = 1e-3  # of what is reached: a step that will be shorter is not made
SPAN = 60.0  # steps that make the range
SMALLEST, GROWTH, STRAIGHT = 1e-7, 1.5, 0.98  # of a step; the cosine between neighbouring tangents
SLANT = 0.2  # share of the parameter in the tangent, at least, in the length of a step
TURNED = 1e-9
CLOSED = "it comes back to its start"
_LOCATED = 1e-13
_FIRST_STEP = 0.97  # of the longest: whole steps would lead from a start beside a branch point onto it
_AROUND, _FEW, _REAL = (0.5, 0.25), 4, 1e-3  # parts of the way about a root, how many points at least
_FIRST = 2.0**-2, 2.0**-4, 2.0**-6  # parts of the distance at which other motions are looked for
SAME = 1e-8  # of the largest singular value, of slopes that are known to some roundings
_FAR = 10.0  # distances that are asked for, at most, and parts of what may be left
_NODES = np.array([-1.0, -0.7, -0.4, 0.4, 0.7, 1.0])


class SolutionCurve(Protocol):
    """What is followed.

    Attributes:
        name, width: of the parameter, and the length of its range.
        reached, left: how short a step of Newton's iteration ends it, and how much of the rows may be left then.
        stalled: how short a step ends it too if it is no quarter of the step before.
    """

    name: str
    width: float
    reached: float
    left: float
    stalled: float

    @property
    def turn(self) -> np.ndarray | float:
        """A full turn of the unknowns that are angles (n,), 0 for the others; or 0 where none are."""

    def rows(self, x: np.ndarray) -> np.ndarray:
        """R(x)."""

    def slopes(self, x: np.ndarray) -> np.ndarray:
        """dR/dx."""

    def across(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Rows C and values c of what is held, C x' = c, at points x' near x on the curve."""

    def eigenvalues(self, x: np.ndarray) -> np.ndarray:
        """What tells of small disturbances."""


class CurvePoint(NamedTuple):
    """A motion on the curve: scaled unknowns, tangent, eigenvalues."""

    x: np.ndarray
    tangent: np.ndarray
    eigenvalues: np.ndarray


def first_tangent(null: np.ndarray, same: float = SAME) -> tuple[np.ndarray, np.ndarray] | None:
    """Of null vectors (d, n) of the rows, the parameter their last entry: the tangent (n,) along which it changes, and
    an orthonormal basis (d - 1, n) of those in which it does not; None where it changes in none.
    """
    along = null[:, -1]
    size = np.linalg.norm(along)
    if size <= same:
        return None
    others = np.linalg.svd(along[None])[2][1:] @ null
    return np.asarray(along @ null / size), np.linalg.qr(echelon(others).T)[0].T if len(others) else others


def tangent(curve: SolutionCurve, x: np.ndarray, before: np.ndarray) -> np.ndarray:
    """The direction of the curve, on from that before; 0 where it has none."""
    A = np.vstack([curve.slopes(x), curve.across(x)[0], before])
    off = np.zeros(len(A))
    off[-1] = 1.0
    t = _least(A, off)[0]
    return np.asarray(t / (np.linalg.norm(t) or 1.0))


def _least(A: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, float]:
    """The shortest of all x with least |A x - b|, and the least singular value of A that is not 0.

    LAPACK by its own name: around a few rows NumPy's call takes three times as long as what it calls.
    """
    from scipy.linalg.lapack import dgelss

    _, x, sizes, rank, _, _ = dgelss(A, b, cond=EPSILON * max(A.shape))
    return np.asarray(x[: A.shape[1]]), float(sizes[rank - 1])


def corrected(curve: SolutionCurve, x: np.ndarray, along: np.ndarray, near: np.ndarray) -> np.ndarray | None:
    """The motion near x in the plane through it across `along`, and across what is held near a point of the curve.

    None if it is not reached.
    """
    before = float("inf")
    C, c = curve.across(near)
    D, d = np.vstack([C, along]), np.append(c, along @ x)
    with np.errstate(all="ignore"):
        R = curve.rows(x)
        for _ in range(NEWTON):
            J = curve.slopes(x)
            off, slopes = np.concatenate([R, D @ x - d]), np.concatenate([J, D])
            if not (np.isfinite(off).all() and np.isfinite(slopes).all()):
                return None
            step, least = _least(slopes, -off)
            x, size = x + step, float(np.sqrt(step @ step))
            R = curve.rows(x)
            left = float(np.abs(R).max(initial=0.0))
            # the next step is |R|/least at most; an error of rounding in R stops the steps where the rows nearly
            # depend on each other
            nothing = left <= FORESEEN * curve.reached * least
            if size <= curve.reached or nothing or before / 4 < size <= curve.stalled:
                return x if left <= curve.left else None
            if size > 2 * before:
                return None
            before = size
    return None


def between(curve: SolutionCurve, a: CurvePoint, b: CurvePoint, part: float) -> CurvePoint:
    """The point a part of the way from one to another."""
    return _between(curve, a, b, part) or (a if part < 0.5 else b)


def _between(curve: SolutionCurve, a: CurvePoint, b: CurvePoint, part: float) -> CurvePoint | None:
    """The same, None where it is not reached."""
    chord = b.x - a.x
    x = corrected(curve, a.x + part * chord + _sag(a, b, part), chord / np.linalg.norm(chord), a.x)
    return None if x is None else CurvePoint(x, tangent(curve, x, a.tangent), curve.eigenvalues(x))


def _sag(a: CurvePoint, b: CurvePoint, part: float) -> np.ndarray:
    """How far the cubic through two points with their tangents lies beside the chord, across that."""
    chord, rest = b.x - a.x, 1 - part
    size = np.linalg.norm(chord)
    first, last = (size * p.tangent * np.sign(p.tangent @ chord) for p in (a, b))
    sag = part * rest * (rest * (first - chord) - part * (last - chord))
    return np.asarray(sag - (sag @ chord) * chord / size**2)


def root(
    curve: SolutionCurve, a: CurvePoint, b: CurvePoint, f: Callable[[CurvePoint], float], located: float = _LOCATED
) -> CurvePoint:
    """The point where a function of the points, of different signs at both, is 0."""

    def along(part: float) -> float:
        return f(a if part == 0 else b if part == 1 else between(curve, a, b, part))

    from scipy.optimize import brentq

    return between(curve, a, b, float(brentq(along, 0.0, 1.0, xtol=located, rtol=8.9e-16)))


def crossing(curve: SolutionCurve, a: CurvePoint, b: CurvePoint, f: Callable[[CurvePoint], float]) -> CurvePoint:
    """The root where the rows of the curve lose a rank, so that points very near it hold no digits.

    Points on both sides are joined by a polynomial, first of the whole way and then of what is around its root.
    """
    found, middle = a, 0.5
    for size in _AROUND:
        parts = [float(s) for s in middle + size * _NODES if 0 <= s <= 1]
        near = {s: point for s in parts if (point := _between(curve, a, b, s)) is not None}
        if len(near) < _FEW:
            break
        roots = _through(near, [f(point) for point in near.values()]).roots()
        real = roots.real[np.abs(roots.imag) < _REAL * size]
        if not len(real):
            break
        middle = float(real[np.abs(real - middle).argmin()])
        curves = [_through(near, column) for column in np.array([point.x for point in near.values()]).T]
        x, onward = (np.array([g(middle) for g in row]) for row in (curves, [g.deriv() for g in curves]))
        found = CurvePoint(x, onward / np.linalg.norm(onward), curve.eigenvalues(x))
    return found


def _through(parts: Collection[float], values: Sequence[float] | np.ndarray) -> np.polynomial.Polynomial:
    """The polynomial through values at parts of the way."""
    return np.polynomial.Polynomial.fit(list(parts), np.asarray(values, float), len(parts) - 1)


def leaving(curve: SolutionCurve, x: np.ndarray, onward: np.ndarray) -> np.ndarray:
    """At a point where the rows lose a rank: the direction across the curve in which they hold too."""
    A = np.vstack([curve.slopes(x), curve.across(x)[0], onward])
    return np.asarray(np.linalg.svd(A)[2][-1])


def away(curve: SolutionCurve, x: np.ndarray, w: np.ndarray, size: float) -> np.ndarray | None:
    """The motion at a distance from x in the direction w, by way of nearer ones; None if it is not reached."""
    for first in _FIRST:
        found: np.ndarray | None = x + first * size * w
        for part in first * 2.0 ** np.arange(round(-np.log2(first)) + 1):
            if found is None:
                break
            # x + s w + s^2 c, with c from the motion before
            s, before = part * size, float((found - x) @ w)
            on = x + s * w + (s / before) ** 2 * (found - x - before * w)
            found = corrected(curve, on, w, x)
        if found is not None:
            return found if np.linalg.norm(found - x) <= _FAR * abs(size) else None
    return None


def _bend(points: Sequence[CurvePoint], h: float) -> np.ndarray:
    """How far the curve leads from its last tangent t in a step, across that:  h^2/2 dt/ds + h^3/6 d^2t/ds^2 ."""
    if len(points) < 2:
        return np.zeros_like(points[-1].x)
    b, c = points[-1], points[-2]
    s, slope = _apart(b, c), b.tangent - c.tangent
    slope, bend = slope / s, 0.0 * slope
    if len(points) > 2:
        before = _apart(c, points[-3])
        bend = (slope - (c.tangent - points[-3].tangent) / before) / ((s + before) / 2)
    way = h**2 / 2 * (slope + s / 2 * bend) + h**3 / 6 * bend
    way -= (way @ b.tangent) * b.tangent
    return np.asarray(way if way @ way <= (SLANT * h) ** 2 else np.zeros_like(way))


def _apart(a: CurvePoint, b: CurvePoint) -> float:
    way = a.x - b.x
    return math.sqrt(way @ way)


class Walk:
    """Steps along the curve to one side.

    Args:
        curve: what is followed.
        low, high: the range of the parameter.
        most: how many steps are made.
        eigenvalues: of a point; where they are found for all points together, nothing yet.
    """

    def __init__(
        self,
        curve: SolutionCurve,
        low: float,
        high: float,
        most: int,
        eigenvalues: Callable[[np.ndarray], np.ndarray] | None = None,
    ) -> None:
        self.curve, self.most, self.eigenvalues = curve, most, eigenvalues or curve.eigenvalues
        self.low, self.high = low / curve.width, high / curve.width
        lap = np.asarray(curve.turn)
        self._lap, self._by_lap = lap, np.divide(1.0, lap, out=np.zeros_like(lap), where=lap != 0)

    def walk(
        self, first: CurvePoint, ended: Callable[[CurvePoint, CurvePoint], str] = lambda a, b: ""
    ) -> tuple[list[CurvePoint], str]:
        """The points behind the first, and why there are no more; `ended` says why one leads to none."""
        point, h, found = first, _FIRST_STEP * self._longest(first), list[CurvePoint]()
        while len(found) < self.most:
            new = self._step(point, h, [first, *found[-3:]][-3:])
            if new is None:
                h /= 2
                if h < SMALLEST:
                    value = point.x[-1] * self.curve.width
                    return found, f"it cannot be followed beyond {self.curve.name} = {value:.6g}"
                continue
            why = ended(point, new)
            if why:
                return found, why
            if not self.low + TURNED < new.x[-1] < self.high - TURNED:
                last = self._at_end(point, new)
                return [*found, *([] if last is None else [last])], "the end of the range"
            found.append(new)
            gap = self._to(first, new)
            if len(found) > 2 and np.linalg.norm(gap) < h / 2 and self._stands(new.x + gap):
                beyond = gap @ new.tangent <= SMALLEST
                return [*(found[:-1] if beyond else found), first._replace(x=new.x + gap)], CLOSED
            point, h = new, min(GROWTH * h, self._longest(new))
        return found, f"{self.most} steps are made"

    def _stands(self, x: np.ndarray) -> bool:
        """Do the rows hold there? An angle may stand outside of sines too, and a full turn is another place then."""
        return bool(np.abs(self.curve.rows(x)).max(initial=0.0) <= _FAR * self.curve.left)

    def _to(self, first: CurvePoint, new: CurvePoint) -> np.ndarray:
        """The way on to the first point, which may lie full turns of angles away."""
        way = first.x - new.x
        return np.asarray(way - self._lap * np.rint(way * self._by_lap))

    @staticmethod
    def _longest(point: CurvePoint) -> float:
        """The longest step: so many make the range, and the state does not move by too much of its size."""
        size = max(1.0, float(np.abs(point.x[:-1]).max(initial=0.0)))
        return 1 / SPAN / max(abs(float(point.tangent[-1])), SLANT / size)

    def _step(self, point: CurvePoint, h: float, behind: Sequence[CurvePoint]) -> CurvePoint | None:
        """The next point, from this one and those behind it; None where the step is too long."""
        x = corrected(self.curve, point.x + h * point.tangent + _bend(behind, h), point.tangent, point.x)
        if x is None:
            return None
        onward = tangent(self.curve, x, point.tangent)
        if not onward @ point.tangent >= STRAIGHT or np.linalg.norm(x - point.x) > 2 * h:
            return None
        try:
            return CurvePoint(x, onward, self.eigenvalues(x))
        except ArithmeticError:
            return None

    def _at_end(self, point: CurvePoint, beyond: CurvePoint) -> CurvePoint | None:
        """The point at the end of the range between two."""
        end = self.low if beyond.x[-1] < (self.low + self.high) / 2 else self.high
        part = (end - point.x[-1]) / (beyond.x[-1] - point.x[-1])
        x = point.x + part * (beyond.x - point.x)
        x[-1] = end
        level = np.zeros(len(x))
        level[-1] = 1.0
        found = corrected(self.curve, x, level, point.x) if part > SMALLEST else None
        if found is None:
            return None
        found[-1] = end
        return CurvePoint(found, tangent(self.curve, found, point.tangent), self.eigenvalues(found))
