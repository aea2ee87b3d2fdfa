"""Events on a stretch of the path: all zeros of compiled guards on its dense output."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ...calculus.frame import TIME
from ...calculus.graph import symbols
from ...trajectory import Interpolant
from ..machine.calls import value_at
from ..machine.library import Library
from ..machine.llvm import emit
from .crossings import MOST, Steps, Watched, in_steps
from .guard import ROUNDING, Guard
from .roots import zeros

LOOKED = 50_000  # pieces of steps that are looked at for one guard in a run, beyond those that each step is allowed


class Happening(NamedTuple):
    """An event at a time; `direction` is that of its guard."""

    t: float
    guard: Guard
    direction: int


class Watch:
    """The guards of one run, compiled.

    Args:
        guards: what is watched.
        names: the states.
        parameters: their values by name.

    Attributes:
        rough: when first a guard, by its name, turned more often within a step than was looked for.
    """

    def __init__(self, guards: Sequence[Guard], names: Sequence[str], parameters: Mapping[str, float]) -> None:
        self.guards, self.names, self.parameters = tuple(guards), tuple(names), parameters
        self.rough: dict[str, float] = {}
        self._left = [LOOKED] * len(self.guards)
        self._number = {id(guard): i for i, guard in enumerate(self.guards)}
        self._p = np.array([parameters[name] for name in sorted(parameters)], float)

    def again(self, parameters: Mapping[str, float]) -> Watch:
        """The same guards, for another run."""
        new = Watch(self.guards, self.names, parameters)
        new.__dict__ |= {name: self.__dict__[name] for name in ("library", "_needed") if name in self.__dict__}
        return new

    @cached_property
    def library(self) -> Library:
        """``guard0``, ``size0``, ``guard1``, ...: value and size of the terms of each guard."""
        inputs = {name: ("y", i) for i, name in enumerate(self.names)}
        inputs |= {TIME.name: ("t", 0)} | {name: ("p", j) for j, name in enumerate(sorted(self.parameters))}
        texts = {}
        for i, guard in enumerate(self.guards):
            texts[f"guard{i}"] = emit(f"guard{i}", [guard.value], inputs)
            texts[f"size{i}"] = emit(f"size{i}", [guard.size(self.names)], inputs)
        return Library.compile(texts)

    @cached_property
    def _needed(self) -> list[np.ndarray]:
        """Positions of the states that each guard depends on."""
        known = [symbols([guard.value]) for guard in self.guards]
        return [np.array([i for i, name in enumerate(self.names) if name in each], np.int64) for each in known]

    def happenings(self, guards: Sequence[Guard], path: Interpolant) -> list[Happening]:
        """All events of some of the guards on a stretch of the path, in the order of time; those that stop or jump
        come after marks of the same time.

        Raises:
            roots.UndefinedFunction: a guard is not finite somewhere.
        """
        found = [
            Happening(float(t), guard, int(direction))
            for guard in guards
            for t, direction in self._zeros(guard, path)
            if guard.event.direction in (0, int(direction))
        ]
        return sorted(found, key=lambda h: (h.t, h.guard.event.then != "mark"))

    def _zeros(self, guard: Guard, path: Interpolant) -> list[tuple[float, int]]:
        """Times and directions of a guard's zeros."""
        number, steps = self._number[id(guard)], len(path.h)
        noise, needed = self._noise(number, path.t[0], path.y[0]), self._needed[number]
        careful = np.zeros(steps, bool)
        times, directions = np.empty(2 * steps + MOST), np.empty(2 * steps + MOST, np.int64)
        address = self.library.address(f"guard{number}")
        watched = Watched(address, self._p, needed, noise, np.empty(1), np.zeros(len(self.names)), np.empty(1))
        count = in_steps(watched, Steps(path.t, path.h, path.y, path.F), careful, times, directions)
        found = list(zip(times[:count].tolist(), directions[:count].tolist(), strict=True))
        for first, stop in _runs(careful):

            def value(t: np.ndarray) -> np.ndarray:
                return guard.of(t, path(t), self.names, self.parameters)

            ends = slice(first, stop + 1)
            # what a guard means nothing below may be larger at a step's end, where something in it goes to 0
            sizes = np.array([self._noise(number, t, y) for t, y in zip(path.t[ends], path.y[ends], strict=True)])
            larger = np.maximum(sizes[:-1], sizes[1:])
            rest = zeros(value, path.t[ends], noise=larger, most=max(self._left[number], 0))
            self._left[number] -= rest.looked
            if rest.rough.any():
                self.rough.setdefault(guard.event.name, float(path.t[first + int(rest.rough.argmax())]))
            found += zip(rest.times.tolist(), rest.directions.tolist(), strict=True)
        return sorted(found)

    def _noise(self, number: int, t: float, y: np.ndarray) -> float:
        """What the guard's value means nothing below: the rounding of its terms."""
        size = float(value_at(self.library.address(f"size{number}"), t, y, self._p, 1)[0])
        return ROUNDING * size if np.isfinite(size) else 0.0


def _runs(flags: np.ndarray) -> list[tuple[int, int]]:
    """(first, stop) of each stretch of consecutive flags."""
    if not flags.any():
        return []
    edges = np.flatnonzero(np.diff(np.r_[False, flags, False].astype(np.int8)))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))
