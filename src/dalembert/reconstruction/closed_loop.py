"""When a reduced motion has come back: angles count modulo whole turns, unit quaternions up to their sign.

A coordinate may have changed by 2 pi n and the place be the same one. It is where nothing changes with it,

    f(q + 2 pi n) = f(q)   for all functions f that make up the reduced equations and the way back,

which is decided at random places, whether the coordinate was declared an angle or not. The same holds for a unit
quaternion and its negative, which stand for one rotation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..calculus.graph import Graph, evaluate
from ..calculus.read import read
from ..geometry.reduction import Reduction
from ..model.space import Space

CLOSED = 1e-6  # relative: by how much a reduced motion may miss its beginning
_PLACES, _SAME = 6, 1e-9
Values = dict[str, float]


class Closing(NamedTuple):
    """How a reduced motion comes back.

    Attributes:
        gap: by how much it misses its beginning, relative to the largest value on the way.
        turns: whole turns of shape coordinates, those that are not 0.
    """

    gap: float
    turns: dict[str, int]


def closing(
    reduction: Reduction, parameters: Values, first: Mapping[str, Any], last: Mapping[str, Any], size: float
) -> Closing:
    """How nearly the last state is the first one; a turn counts as closed where nothing tells it from none.

    Args:
        reduction: from `da.reduce`.
        parameters: values of the given system's parameters, and the time ``t``.
        first, last: reduced states.
        size: the largest value of a state on the way.
    """
    space, same = reduction.system.space, _Same(reduction, parameters)
    names = [s.name for s in space]
    begin, end = ({n: float(state[n]) for n in names} for state in (first, last))
    for quaternion in _negated(reduction, begin, end):
        back = _Move({}, quaternion)
        end = back(end) if same(back) else end
    found: dict[str, int] = {}
    for name, n in _whole(space, begin, end).items():
        back = _Move({name: -2 * np.pi * n})
        if same(back):
            end, found = back(end), {**found, name: n}
    return Closing(_gap(begin, end, size), found)


def _gap(begin: Values, end: Values, size: float) -> float:
    size = max((size, *(abs(v) for state in (begin, end) for v in state.values())))
    return max((abs(end[n] - v) for n, v in begin.items()), default=0.0) / (size or 1.0)


def _whole(space: Space, begin: Values, end: Values) -> dict[str, int]:
    """Turns (not 0) of the coordinates that changed by 2 pi n; a coordinate of a direction or rotation is no angle."""
    held = {s for e in space.embedding for s in e.free_symbols}
    plain = [q.name for q in space.coordinates if q not in held]
    n = {q: round((end[q] - begin[q]) / (2 * np.pi)) for q in plain}
    left = {q: abs(end[q] - begin[q] - 2 * np.pi * k) for q, k in n.items()}
    return {q: k for q, k in n.items() if k and left[q] <= CLOSED * max(1.0, abs(begin[q]), abs(end[q]))}


def _negated(reduction: Reduction, begin: Values, end: Values) -> list[list[str]]:
    """Names of the unit quaternions in the shape that came back with the other sign."""
    every = [[s.name for s in a.coordinates] for a in reduction.given.space.attitudes.values()]
    kept = [names for names in every if len(names) == 4 and set(names) <= set(begin)]
    return [names for names in kept if sum(begin[n] * end[n] for n in names) < 0]


class _Move(NamedTuple):
    """Coordinates shifted, others negated."""

    shift: Values
    negated: Sequence[str] = ()

    def __call__(self, values: Mapping[str, Any]) -> Values:
        return {n: self.sign(n) * v + self.shift.get(n, 0.0) for n, v in values.items()}

    def sign(self, name: str) -> int:
        """What its rate is multiplied by."""
        return -1 if name in self.negated else 1


class _Same:
    """Do the reduced equations, and those that lead back, stay as they are when a place is moved?"""

    def __init__(self, reduction: Reduction, parameters: Values) -> None:
        small, given, graph = reduction.system, reduction.given, Graph()
        spaces = small.space, given.space
        # rates of coordinates move along with them
        rates = [(q.name, e) for space in spaces for q, row in _rows(space) for e in row]
        alone = [
            *small.expressions,
            *(c for space in spaces for row in space.brackets.values() for c in row),
            *reduction.velocities,
            *(reduction.zeta if reduction.zeta is not None else ()),
            *(e for g in reduction.generators for e in g.components),
        ]
        self._owners = [*(name for name, _ in rates), *("" for _ in alone)]
        self._nodes = [read(e, graph) for e in (*(e for _, e in rates), *alone)]
        rng = np.random.default_rng(47)
        self._places = [{**given.space.sample(rng), **small.space.sample(rng), **parameters} for _ in range(_PLACES)]

    def __call__(self, move: _Move) -> bool:
        sign = np.array([move.sign(name) for name in self._owners])
        return all(self._stays(values, move, sign) for values in self._places)

    def _stays(self, values: Mapping[str, Any], move: _Move, sign: np.ndarray) -> bool:
        with np.errstate(all="ignore"):
            f, g = (np.array(evaluate(self._nodes, place), float) for place in (values, move(values)))
        size = np.where(np.isfinite(f), np.abs(f), 0.0)
        return bool(np.all((np.abs(sign * f - g) <= _SAME * (1 + size)) | (np.isnan(f) & np.isnan(g))))


def _rows(space: Space) -> list[tuple[Any, list[Any]]]:
    return [(q, list(space.anchor.row(i))) for i, q in enumerate(space.coordinates)]
