"""Events on a stretch of the path: all zeros of compiled guards on its dense output."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...calculus.frame import TIME
from ...calculus.graph import evaluate, symbols
from ...calculus.narrow_places import SharpPlace
from ...trajectory import Interpolant
from ..machine.batch_calls import map_rows, value_at
from ..machine.compiler import Library, waited_for
from ..machine.llvm_ir import emit, emit_one
from .guard import ROUNDING, Guard

if TYPE_CHECKING:
    from .roots import Function, Zeros

_CHANGE = 1e-6  # of a state, by which it is seen how a guard depends on it
LOOKED = 50_000  # pieces of steps that are looked at for one guard in a run, beyond those that each step is allowed


class Happening(NamedTuple):
    """An event at a time; `direction` is that of its guard."""

    t: float
    guard: Guard
    direction: int


class Edge(NamedTuple):
    """The last time at which a guard is a finite number; of which event."""

    t: float
    name: str


@dataclass(frozen=True)
class Doubts:
    """What was met of guards that is no crossing, by the event's name, and when first.

    Attributes:
        rough: a guard turned more often within a step than was looked for.
        poles: a guard changed its sign through infinity.
        steps: a guard that is constant between jumps was 0 over a stretch.
    """

    rough: dict[str, float] = field(default_factory=dict)
    poles: dict[str, float] = field(default_factory=dict)
    steps: dict[str, float] = field(default_factory=dict)

    def add(self, guard: Guard, found: Zeros, times: np.ndarray) -> None:
        """What a search on steps between the times showed."""
        name = guard.event.name
        if found.rough.any():
            self.rough.setdefault(name, float(times[int(found.rough.argmax())]))
        if len(found.poles):
            self.poles.setdefault(name, float(found.poles[0]))
        if found.flat.any() and guard.stepped and not guard.switch:
            self.steps.setdefault(name, float(times[int(found.flat.argmax())]))

    def also(self, others: Doubts) -> None:
        """The doubts with those of another chart."""
        for mine, more in zip(vars(self).values(), vars(others).values(), strict=True):
            mine |= {name: min(t, mine.get(name, t)) for name, t in more.items()}


class Watch:
    """The guards of one run, compiled.

    Args:
        guards: what is watched.
        names: the states.
        parameters: their values by name.

    Attributes:
        doubts: what was met of the guards that is no crossing, and when first.
        p: the parameters as the compiled guards take them.
    """

    def __init__(self, guards: Sequence[Guard], names: Sequence[str], parameters: Mapping[str, float]) -> None:
        self.guards, self.names, self.parameters = tuple(guards), tuple(names), parameters
        self.doubts = Doubts()
        self._left = [LOOKED] * len(self.guards)
        self._number = {id(guard): i for i, guard in enumerate(self.guards)}
        self.p = np.array([parameters[name] for name in sorted(parameters)], float)

    def again(self, parameters: Mapping[str, float]) -> Watch:
        """The same guards, for another run."""
        new = Watch(self.guards, self.names, parameters)
        new.__dict__ |= {
            name: self.__dict__[name] for name in ("library", "needed", "_hidden") if name in self.__dict__
        }
        return new

    @cached_property
    def library(self) -> Library:
        """``guard0``, ``size0``, ``guard1``, ...: value and size of the terms of each guard."""
        texts = {}
        for i, guard in enumerate(self.guards):
            if not guard.among:
                texts[f"guard{i}"] = emit(f"guard{i}", [guard.value], self._inputs)
                texts[f"size{i}"] = emit(f"size{i}", [guard.size(self.names)], self._inputs)
        return Library.compile(texts)

    @property
    def _inputs(self) -> dict[str, tuple[str, int]]:
        """Where the code finds what it knows."""
        found = {name: ("y", i) for i, name in enumerate(self.names)}
        return found | {TIME.name: ("t", 0)} | {name: ("p", j) for j, name in enumerate(sorted(self.parameters))}

    def address(self, number: int) -> int:
        """Of the code of a guard's value."""
        guard = self.guards[number]
        if not guard.among:
            return self.library.address(f"guard{number}")
        made, places = guard.value.graph.memory, [node.index for node in guard.among]
        key = "guards", *places, tuple(self.names), tuple(sorted(self.parameters))
        if key not in made:
            texts = {f"guard{i}": emit_one(f"guard{i}", "all", i, len(places)) for i in range(len(places))}
            texts["all"] = emit("all", guard.among, self._inputs)
            made[key] = Library.compile(texts, waited_for([*texts.values()]))
        return made[key].address(f"guard{places.index(guard.value.index)}")

    @cached_property
    def _hidden(self) -> list[Sequence[SharpPlace]]:
        """Where each guard may be narrow."""
        found = []
        for guard in self.guards:
            made, key = guard.value.graph.memory, ("hidden", guard.value.index, tuple(self.names))
            if key not in made:
                made[key] = guard.hidden(self.names)
            found.append(made[key])
        return found

    def _beyond(self, number: int, path: Interpolant, value: Function) -> dict[int, np.ndarray]:
        """Times within steps, by the step, where the guard is narrow and has another sign there than at both ends."""
        from .narrow_features import hidden

        places, found = self._hidden[number], dict[int, np.ndarray]()
        for i, times in (hidden(places, partial(self._arguments, path), path.t) if places else {}).items():
            t = np.array([*path.t[i : i + 2], *times])
            g = value(t)
            if (np.sign(g[0]) == np.sign(g[1])) and (np.sign(g[2:][np.isfinite(g[2:])]) != np.sign(g[0])).any():
                found[i] = t[np.isfinite(g)]
        return found

    def _arguments(self, path: Interpolant, places: Sequence[SharpPlace], t: np.ndarray) -> list[np.ndarray]:
        """What decides that, along the path, of each place."""
        y = path(np.minimum(t, path.t[-1]))
        known = {**self.parameters, **dict(zip(self.names, y.T, strict=False)), TIME.name: t}
        with np.errstate(all="ignore"):
            found = evaluate([place.argument for place in places], known)
        return [np.broadcast_to(np.asarray(each, float), t.shape) for each in found]

    @cached_property
    def needed(self) -> list[np.ndarray]:
        """Positions of the states that each guard depends on."""
        known = [symbols([guard.value]) for guard in self.guards]
        return [np.array([i for i, name in enumerate(self.names) if name in each], np.int64) for each in known]

    def happenings(self, guards: Sequence[Guard], path: Interpolant) -> tuple[list[Happening], Edge | None]:
        """All events of some of the guards on a stretch of the path, in the order of time; those that stop or jump
        come after marks of the same time. And where first a guard stops being a finite number, if it does.
        """
        found, edges = [], []
        for guard in guards:
            zeros, edge = self._zeros(guard, path)
            found += [Happening(t, guard, way) for t, way in zeros if guard.event.direction in (0, way)]
            edges += [Edge(edge, guard.event.name)] if edge < np.inf else []
        return sorted(found, key=lambda h: (h.t, h.guard.event.then != "mark")), min(edges, default=None)

    def _zeros(self, guard: Guard, path: Interpolant) -> tuple[list[tuple[float, int]], float]:
        """Times and directions of a guard's zeros, and the last time at which it is a number, or infinity."""
        from .crossings import MOST, Steps, WatchedGuard, in_steps
        from .roots import up_to_edge

        number, steps = self._number[id(guard)], len(path.h)
        noise, needed = self._noise(number, path.t[0], path.y[0]), self.needed[number]
        careful = np.zeros(steps, bool)
        times, directions = np.empty(2 * steps + MOST), np.empty(2 * steps + MOST, np.int64)
        address = self.address(number)
        watched = WatchedGuard(address, self.p, needed, noise, np.empty(1), np.zeros(len(self.names)), np.empty(1))
        count = in_steps(watched, Steps(path.t, path.h, path.y, path.F), careful, times, directions)
        found, edge = list(zip(times[:count].tolist(), directions[:count].tolist(), strict=True)), np.inf

        def value(t: np.ndarray) -> np.ndarray:
            with np.errstate(all="ignore"):
                return guard.of(t, path(t), self.names, self.parameters)

        more = self._beyond(number, path, value)
        careful[list(more)] = True
        found = [zero for zero in found if not careful[max(int(np.searchsorted(path.t, zero[0])) - 1, 0)]]
        for first, stop in _runs(careful):
            ends = slice(first, stop + 1)
            # what a guard means nothing below may be larger at a step's end, where something in it goes to 0
            sizes = np.array([self._noise(number, t, y) for t, y in zip(path.t[ends], path.y[ends], strict=True)])
            larger = np.maximum(sizes[:-1], sizes[1:])
            inside = [t for i in range(first, stop) for t in more.get(i, [])]
            cuts = np.unique(np.r_[path.t[ends], inside])
            larger = larger[np.searchsorted(path.t[ends], cuts[:-1], side="right") - 1]
            rest, edge = up_to_edge(value, cuts, larger, max(self._left[number], 0))
            self._left[number] -= rest.looked
            self.doubts.add(guard, rest, cuts)
            found += zip(rest.times.tolist(), rest.directions.tolist(), strict=True)
            if edge < np.inf:
                break
        return sorted(zero for zero in found if zero[0] <= edge), edge

    def _noise(self, number: int, t: float, y: np.ndarray) -> float:
        """What the guard's value means nothing below: the rounding of its terms."""
        if self.guards[number].among:
            # |y_i dg/dy_i|  by what a change of y_i does
            near = np.vstack([y, y + np.diag(_CHANGE * y)])
            found = np.empty((len(near), 1))
            map_rows(self.address(number), np.full(len(near), t), near, self.p, found)
            size = float(np.abs(found[1:] - found[0]).sum()) / _CHANGE
        else:
            size = float(value_at(self.library.address(f"size{number}"), t, y, self.p, 1)[0])
        return ROUNDING * size if np.isfinite(size) else 0.0


def _runs(flags: np.ndarray) -> list[tuple[int, int]]:
    """(first, stop) of each stretch of consecutive flags."""
    if not flags.any():
        return []
    edges = np.flatnonzero(np.diff(np.r_[False, flags, False].astype(np.int8)))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))
