"""What is narrower than a step: places at which a force may rise and fall between two evaluations, and the steps that
have missed it.

The error of a step is estimated from the evaluations inside it, and a bump that none of them meets leaves no trace.
Where a bump may be is told by the formulas: 100 exp(-((t - 5)/w)^2) has it where the argument of exp is stationary,
sech^2(x/w) where that of cosh is 0, a tent at the corner of an absolute value. At such a place inside a step the slope
of the path is held against the equations. Where they disagree the step saw nothing of it, and is made again, up to
that place: there the equations are evaluated.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...calculus.graph import evaluate
from ...calculus.narrow_places import SharpPlace, places
from ...equations import Equations
from ...trajectory import Interpolant
from ...trajectory.interpolant import dense
from ..vector_field.field import Field

if TYPE_CHECKING:
    from .roots import Function

_PROBES = np.array([0.0, 0.18, 0.41, 0.67, 0.86, 1.0])  # parts of a step, none the half of another
_DIFFERENCE = 1e-4  # of a step: half of what the slope of the path is taken over
_WRONG = 1e3  # tolerances of a step that its slope, over the whole of it, must miss by; more if they are small
_MANY = 200  # steps that are looked into
_NEARER = 0.5 ** np.arange(1, 40)  # parts of the way from a turn to the end of the step
_AT_END = 1e-9  # of a step
_UNUSUAL = 30.0  # times what the slope misses elsewhere in a fixed step
_DEAD = 1.0, 40.0  # changes of an argument between which all of a function happens
_VISIBLE, _GROSS = 1e-6, 0.01  # of the size of a state: what is told of a fixed step, and what no good step misses
_SHORTEST = 64  # roundings of the time, below which a step is not looked into


_KNOWN: weakref.WeakKeyDictionary[Equations, tuple[SharpPlace, ...]] = weakref.WeakKeyDictionary()


def places_of(equations: Equations) -> tuple[SharpPlace, ...]:
    """The places of a form of equations, looked for once."""
    if equations not in _KNOWN:
        _KNOWN[equations] = tuple(places(equations.machine.form.sources, equations.states))
    return _KNOWN[equations]


class Again(NamedTuple):
    """A step that is to be made again, and up to which time."""

    step: int
    until: float


@dataclass(frozen=True)
class Narrow:
    """What may be narrow in one run.

    Attributes:
        field: the equations at the run's parameters.
        places: from `places`.
        rtol, atol: the tolerances of a step, atol for each state (n,).
        fixed: are the steps of one size? Then none is made again.
    """

    field: Field
    places: tuple[SharpPlace, ...]
    rtol: float
    atol: np.ndarray
    fixed: bool = False

    def missed(self, piece: Interpolant) -> Again | None:
        """The first step that missed something, and up to where it is made again: the place, or half the way to it."""
        for i, t in [] if self.fixed else self._where(piece):
            a, h = float(piece.t[i]), float(piece.t[i + 1] - piece.t[i])
            if t <= a + _AT_END * h or h <= _SHORTEST * np.spacing(abs(t)):
                continue
            if self._misses(piece, i, t):
                return Again(i, t if t < a + (1 - _AT_END) * h else a + h / 2)
        return None

    def missed_before(self, piece: Interpolant, t: float) -> Again | None:
        """The step that missed what lies just before a surface on which a force jumps, and until when it is redone."""
        if self.fixed:
            return None
        i = max(int(np.searchsorted(piece.t, t, side="left")) - 1, 0)
        a, h = float(piece.t[i]), float(piece.t[i + 1] - piece.t[i])
        before = t - max(_AT_END * h, _SHORTEST * np.spacing(abs(t)))
        inside = a + _AT_END * h < before and t < a + (1 - _AT_END) * h
        return Again(i, t) if inside and self._misses(piece, i, before) else None

    def unseen(self, piece: Interpolant, sizes: np.ndarray) -> float | None:
        """When first a step, which is not made again, missed what moves a state by a visible part of its size (n,)."""
        for i, t in self._near_turns(piece):
            a, b = float(piece.t[i]), float(piece.t[i + 1])
            usual = np.max([self._off(piece, i, a + (b - a) * x)[0] for x in _PROBES[1:-1]], axis=0)
            off, _ = self._off(piece, i, t)
            alone = (off > _UNUSUAL * usual) & (off * (b - a) > _VISIBLE * sizes)
            if np.any(alone | (usual * (b - a) > _GROSS * sizes)):  # at the step's end it is felt, for all of the step
                return t
        return None

    def _misses(self, piece: Interpolant, i: int, t: float) -> bool:
        """Does the slope of the path in step i at t miss the equations by what matters within the step?"""
        off, here = self._off(piece, i, t)
        with np.errstate(all="ignore"):
            tolerances = float(np.max(off / (self.atol + self.rtol * np.abs(here)), initial=0.0))
        return tolerances * float(piece.t[i + 1] - piece.t[i]) > max(_WRONG, 1 / math.sqrt(self.rtol))

    def _off(self, piece: Interpolant, i: int, t: float) -> tuple[np.ndarray, np.ndarray]:
        """By how much the slope of the path in step i at t misses the equations, and the state, (n,) each."""
        a, b = float(piece.t[i]), float(piece.t[i + 1])
        d = _DIFFERENCE * (b - a)
        middle = min(max(t, a + d), b - d)
        before, here, behind = _inside(piece, i, np.array([middle - d, t, middle + d]))
        with np.errstate(all="ignore"):
            off = np.abs((behind - before) / (2 * d) - self.field.rate(t, here))
        return off[:-1], here[:-1]

    def _where(self, piece: Interpolant) -> Iterator[tuple[int, float]]:
        """Steps and times at which something may be narrow, in their order."""
        if not self.places:
            return
        steps = np.flatnonzero(np.diff(piece.t) > 0)
        h = np.diff(piece.t)[steps]
        t = piece.t[steps][:, None] + h[:, None] * _PROBES
        with np.errstate(all="ignore"):
            wide = [place.wide(x) for place, x in zip(self.places, self._arguments(piece, t), strict=True)]
        for row, i in enumerate(steps.tolist()):
            seen = [place for place, flags in zip(self.places, wide, strict=True) if flags[row]]
            yield from sorted((i, time) for place in seen for time in self._turns(place, piece, i))
            if seen:
                yield i, float(piece.t[i + 1])

    def _near_turns(self, piece: Interpolant) -> Iterator[tuple[int, float]]:
        """The same for many steps of one size: only those near which an argument turns back or changes its sign."""
        steps = np.flatnonzero(np.diff(piece.t) > 0)
        t = piece.t[steps][:, None] + np.diff(piece.t)[steps][:, None] * _PROBES
        for place, values in zip(self.places, self._arguments(piece, t), strict=True):
            row = values[:, :-1].ravel()
            with np.errstate(all="ignore"):
                turned = (
                    np.r_[False, np.diff(np.sign(np.diff(row))) != 0, False] | np.r_[np.diff(np.sign(row)) != 0, False]
                )
            there = turned.reshape(len(steps), -1).any(axis=1)
            near = there | np.r_[there[1:], False] | np.r_[False, there[:-1]]
            for i in steps[near & place.wide(values)][:_MANY].tolist():
                yield from ((i, time) for time in self._turns(place, piece, i))

    def _arguments(self, piece: Interpolant, t: np.ndarray) -> list[np.ndarray]:
        """The argument of every place at times (K, P)."""
        known = self.field.values(t.ravel(), piece(np.minimum(t.ravel(), piece.t[-1])))
        with np.errstate(all="ignore"):
            found = evaluate([place.argument for place in self.places], known)
        return [np.broadcast_to(x, t.size).reshape(t.shape) for x in found]

    def _turns(self, place: SharpPlace, piece: Interpolant, i: int) -> list[float]:
        """The same on a step."""
        return turns(
            place,
            lambda t: self.field.at(place.argument, t, _inside(piece, i, t)),
            piece.t[i : i + 2],
            self.fixed,
        )


def turns(
    place: SharpPlace, value: Function, ends: np.ndarray, at_ends: bool, by: Sequence[float] = (1.0,)
) -> list[float]:
    """Zeros and stationary points of an argument on a step, and where it differs by 1 from what it is there.

    The force of a potential that has its top there is 0 at the top and largest beside it. None where the argument
    is not finite.
    """
    from .roots import UndefinedFunction, stationary, zeros

    try:
        with np.errstate(all="ignore"):
            found = np.r_[zeros(value, ends).times, stationary(value, ends)]
            beside = (t for turn in (*found, *(ends if at_ends else ())) for t in _beside(place, value, ends, turn, by))
            return [*found.tolist(), *beside]
    except UndefinedFunction:
        return []


def hidden(
    places: Sequence[SharpPlace], at: Callable[[Sequence[SharpPlace], np.ndarray], list[np.ndarray]], times: np.ndarray
) -> dict[int, list[float]]:
    """Times within consecutive steps at which a function with such places is to be looked at, by the step."""

    def alone(place: SharpPlace, t: np.ndarray) -> np.ndarray:
        return at([place], t)[0]

    probes, found = times[:-1, None] + np.diff(times)[:, None] * _PROBES, dict[int, list[float]]()
    for place, values in zip(places, at(places, probes.ravel()), strict=True):
        for i in np.flatnonzero(place.wide(values.reshape(probes.shape))).tolist():
            found.setdefault(i, []).extend(turns(place, partial(alone, place), times[i : i + 2], False, _DEAD))
    return found


def _beside(place: SharpPlace, value: Function, ends: np.ndarray, turn: float, by: Sequence[float]) -> list[float]:
    """Times before and behind a turn, in the same step, at which the argument has changed by so much or a little less;
    at all distances where a power has no width of its own.
    """
    found = []
    for end in ends:
        t = turn + (end - turn) * _NEARER
        with np.errstate(all="ignore"):
            change = np.abs(place.size(value(t)) - place.size(value(np.array([turn]))))
        near = [t[(change <= most) & (t != turn)][:1] for most in by]
        found += (t[t != turn] if place.logarithmic else np.concatenate(near)).tolist()
    return found


def _inside(piece: Interpolant, i: int, t: np.ndarray) -> np.ndarray:
    """States (len(t), n) in one step."""
    return dense(piece.t[i], piece.h[i], piece.y[i], piece.F[i], t)
