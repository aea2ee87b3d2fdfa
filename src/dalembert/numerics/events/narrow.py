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
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...calculus.frame import TIME
from ...calculus.graph import Node, evaluate, live
from ...equations import Equations
from ...trajectory import Interpolant
from ...trajectory.interpolant import dense
from ..vector_field.field import Field
from .roots import UndefinedFunction, stationary, zeros

_CURVED = ("exp", "tanh", "sinh", "cosh", "erf", "atan")
_PROBES = np.array([0.0, 0.18, 0.41, 0.67, 0.86, 1.0])  # parts of a step, none the half of another
_WIDE = 3.0  # by what the argument of exp changes within a step before it is looked at
_DIFFERENCE = 1e-4  # of a step: half of what the slope of the path is taken over
_WRONG = 1e3  # tolerances of a step that its slope, over the whole of it, must miss by; more if they are small
_AT_END = 1e-9  # of a step
_SHORTEST = 64  # roundings of the time, below which a step is not looked into


@dataclass(frozen=True)
class Place:
    """An argument that decides where something may be narrow; `logarithmic` where its logarithm does."""

    argument: Node
    logarithmic: bool = False

    def size(self, value: np.ndarray) -> np.ndarray:
        """What changes by much where something is narrow."""
        with np.errstate(all="ignore"):
            return np.log(np.abs(value)) if self.logarithmic else value


def places(outputs: Sequence[Node], states: Collection[str]) -> list[Place]:
    """Arguments of the functions in the outputs that can be next to nothing on both sides of a place.

    Powers and quotients count where they are functions of the time alone: those of states are in every system, and
    fall off so slowly that steps feel them from afar.
    """
    found: dict[int, Place] = {}
    if not outputs:
        return []
    graph = outputs[0].graph
    time, moving = (graph.bits(names) for names in ([TIME.name], states))
    for i in live(outputs):
        name, *args = graph.nodes[i]
        logarithmic = name in ("pow", "/") or (name == "*" and args[0] == args[1])
        if not (logarithmic or name in _CURVED):
            continue
        at = args[name == "/"]
        if name == "*" and graph.nodes[at][0] == "*":  # a power of a power: what it is made of stands here already
            continue
        reach = graph.reach[at]
        if reach & time if not reach & moving else not logarithmic:
            found.setdefault(at, Place(Node(graph, at), logarithmic))
    return list(found.values())


_KNOWN: weakref.WeakKeyDictionary[Equations, tuple[Place, ...]] = weakref.WeakKeyDictionary()


def places_of(equations: Equations) -> tuple[Place, ...]:
    """The places of a form of equations, looked for once."""
    if equations not in _KNOWN:
        _KNOWN[equations] = tuple(places(equations.machine.form.entries, equations.states))
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
    places: tuple[Place, ...]
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
        """The same of what lies just before a surface on which a force jumps."""
        if self.fixed:
            return None
        i = max(int(np.searchsorted(piece.t, t, side="left")) - 1, 0)
        a, h = float(piece.t[i]), float(piece.t[i + 1] - piece.t[i])
        before = t - max(_AT_END * h, _SHORTEST * np.spacing(abs(t)))
        inside = a + _AT_END * h < before and t < a + (1 - _AT_END) * h
        return Again(i, t) if inside and self._misses(piece, i, before) else None

    def _misses(self, piece: Interpolant, i: int, t: float) -> bool:
        """Does the slope of the path in step i at t miss the equations by what matters within the step?"""
        a, b = float(piece.t[i]), float(piece.t[i + 1])
        d = _DIFFERENCE * (b - a)
        middle = min(max(t, a + d), b - d)
        before, here, behind = _inside(piece, i, np.array([middle - d, t, middle + d]))
        with np.errstate(all="ignore"):
            off = np.abs((behind - before) / (2 * d) - self.field.rate(t, here))[:-1]
            tolerances = float(np.max(off / (self.atol + self.rtol * np.abs(here[:-1])), initial=0.0))
        return tolerances * (b - a) > max(_WRONG, 1 / math.sqrt(self.rtol))

    def _where(self, piece: Interpolant) -> Iterator[tuple[int, float]]:
        """Steps and times at which something may be narrow, in their order."""
        if not self.places:
            return
        steps = np.flatnonzero(np.diff(piece.t) > 0)
        h = np.diff(piece.t)[steps]
        t = piece.t[steps][:, None] + h[:, None] * _PROBES
        with np.errstate(all="ignore"):
            wide = [~(np.ptp(size, axis=1) <= _WIDE) for size in self._sizes(piece, t)]  # or not finite
        for row, i in enumerate(steps.tolist()):
            seen = [place for place, flags in zip(self.places, wide, strict=True) if flags[row]]
            yield from sorted((i, time) for place in seen for time in self._turns(place, piece, i))
            if seen:
                yield i, float(piece.t[i + 1])

    def _sizes(self, piece: Interpolant, t: np.ndarray) -> list[np.ndarray]:
        """What `Place.size` says of every place at times (K, P)."""
        known = self.field.values(t.ravel(), piece(np.minimum(t.ravel(), piece.t[-1])))
        with np.errstate(all="ignore"):
            found = evaluate([place.argument for place in self.places], known)
        pairs = zip(self.places, found, strict=True)
        return [place.size(np.broadcast_to(x, t.size)).reshape(t.shape) for place, x in pairs]

    def _turns(self, place: Place, piece: Interpolant, i: int) -> list[float]:
        """Zeros and stationary points of an argument on a step; none where it is not finite."""

        def value(t: np.ndarray) -> np.ndarray:
            return self.field.at(place.argument, t, _inside(piece, i, t))

        ends = piece.t[i : i + 2]
        try:
            with np.errstate(all="ignore"):
                return [*zeros(value, ends).times.tolist(), *stationary(value, ends).tolist()]
        except UndefinedFunction:
            return []


def _inside(piece: Interpolant, i: int, t: np.ndarray) -> np.ndarray:
    """States (len(t), n) in one step."""
    return dense(piece.t[i], piece.h[i], piece.y[i], piece.F[i], t)
