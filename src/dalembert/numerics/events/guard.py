"""Events made computable: their guards and jumps on the expression graph, and the surfaces where forces switch."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp

from ...calculus.frame import TIME
from ...calculus.from_sympy import read
from ...calculus.graph import Graph, Node, evaluate, gradient, symbols
from ...calculus.narrow_places import SharpPlace, corners, places
from ...calculus.numerical_rank import sign_of_multiple
from ...calculus.quantity import number
from ...calculus.symbols import in_words, kept, only_real, put
from ...equations import Equations, Lean
from ...equations.nonfinite_values import text
from ...errors import InvalidValue, UnknownName, WrongType, as_given, did_you_mean
from ...errors.lookalike_letters import apart, twins
from ...event import Event

ROUNDING = 1e-16
_FIELDS = {f.name for f in fields(Event)}


@dataclass(frozen=True)
class Guard:
    """An event made computable in one set of equations; a `switch` is a surface where a force jumps, not an event.

    One that is watched with others every time is compiled by itself, with all that is computed with it, `among`.
    """

    event: Event
    value: Node
    jump: Mapping[str, Node] = field(default_factory=dict)
    switch: bool = False
    among: tuple[Node, ...] = ()

    @cached_property
    def marks(self) -> bool:
        """Does it only mark?"""
        return not (self.switch or self.event.stops or self.event.jumps)

    @property
    def at_once(self) -> bool:
        """Does it act at once with others that are met at the same instant?"""
        return self.event.impact is not None and self.event.impact.at_once

    @cached_property
    def impact(self) -> list[list[Node]]:
        """Of a wall W, N, A, A u + c and e of its `Impact`, each flat."""
        found, graph = self.event.impact, Graph()
        assert found is not None
        u = [graph.symbol(name) for name in found.velocities]
        W = [read(e, graph) for row in found.metric for e in row]
        given = (found.constraints, found.rates, found.factors)
        own, rates, e = ([read(y, graph) for y in ys.values()] for ys in given)
        N, A = ([slope for phi in phis for slope in gradient(phi, u)] for phis in (own, rates))
        return [W, N, A, rates, e]

    @property
    def stepped(self) -> bool:
        """Is it constant between jumps, as floor(x)?"""
        xs = [self.value.graph.symbol(name) for name in sorted(symbols([self.value]))]
        return not symbols(slopes := gradient(self.value, xs)) and not np.any(evaluate(slopes, {}))

    def hidden(self, names: Sequence[str]) -> list[SharpPlace]:
        """Where it may come to 0 and go again between two places at which it is looked at: steps feel no guard."""
        return [*places([self.value], names, felt=False), *map(SharpPlace, corners([self.value]))]

    def seen_by(self, lean: Lean | None) -> Guard:
        """The guard as a function of the states of a lean form; its jumps set states as the equations have them."""
        if lean is None or not symbols([self.value]) & {u.name for u in lean.frame.velocities}:
            return self
        return replace(self, value=lean.lowered([self.value])[0])

    def of(self, t: np.ndarray, y: np.ndarray, names: Sequence[str], parameters: Mapping[str, float]) -> np.ndarray:
        """The guard's values at times (N,) and states (N, n)."""
        known = {**parameters, **dict(zip(names, y.T, strict=False)), TIME.name: t}
        return np.broadcast_to(np.asarray(evaluate([self.value], known)[0], float), t.shape)

    def size(self, names: Sequence[str]) -> Node:
        """Size of the guard's terms, sum |y_i dg/dy_i|: its value means nothing below their rounding."""
        graph = self.value.graph
        total = graph.constant(0)
        for name, slope in zip(names, gradient(self.value, [graph.symbol(n) for n in names]), strict=True):
            total = total + graph.apply("abs", graph.symbol(name) * slope)
        return total

    def after(self, t: float, y: np.ndarray, names: Sequence[str], parameters: Mapping[str, float]) -> np.ndarray:
        """The state after the jump, as the equations have it."""
        known = {**parameters, **dict(zip(names, y, strict=False)), TIME.name: t}
        new = y.copy()
        for name, value in zip(self.jump, evaluate(list(self.jump.values()), known), strict=True):
            new[names.index(name)] = value
        return new


def events_of(events: object, equations: Equations) -> list[Event]:
    """Events as `as_events` takes them, their texts read in the names of the equations.

    Raises:
        WrongType, InvalidValue: E316, as `as_events`.
        DalembertError: E701 to E721, a text that is no expression in these names.
        InvalidValue: E134, terms of two dimensions.
    """

    def read_text(given: str, what: str) -> sp.Expr:
        return equations.system.read(given, what, equations.states)

    found = [seeing(event.read(read_text), equations.system.defined) for event in as_events(events)]
    for event in (each for each in found if each.impact is None):
        news = event.then if isinstance(event.then, Mapping) else {}
        equations.system.fits_event(event.name, event.guard, {s: e for s, e in news.items() if isinstance(e, sp.Expr)})
    return found


def seeing(event: Event, formulas: Mapping[str, sp.Expr]) -> Event:
    """The event with formulas in the places of what they define: inputs, or parameters."""
    guard, then = put(event.guard, formulas), event.then
    if isinstance(then, Mapping):
        then = {name: put(e, formulas) if isinstance(e, sp.Expr) else e for name, e in then.items()}
    return event if (guard, then) == (event.guard, event.then) else replace(event, guard=guard, then=then)


def _named(name: str, given: object) -> object:
    """An event of a mapping from names."""
    if isinstance(given, Event):
        return given if given.name == name else replace(given, name=name)
    return {"name": name, **given} if isinstance(given, Mapping) else Event(name, given)


def as_events(events: object) -> list[Event]:
    """Events given one by one or in a list, as `Event` or as mappings of its arguments; or by name, as walls are.

    By name each is a guard, which marks, or a mapping of arguments: ``{"edge": {"guard": "x - 1", "then": "stop"}}``.

    Raises:
        WrongType: E316, not events.
        InvalidValue: E316, two events of one name.
    """
    if isinstance(events, Mapping) and "name" not in events and not {*events} <= _FIELDS:
        events = [_named(name, given) for name, given in events.items()]
    elif isinstance(events, Event | Mapping):
        events = [events]
    if isinstance(events, Sequence):
        events = [Event(**e) if isinstance(e, Mapping) and {*e} <= _FIELDS else e for e in events]
    if not isinstance(events, Sequence) or not all(isinstance(e, Event) for e in events):
        raise WrongType(
            "E316", "events must be a list of da.Event", 'events=[da.Event("edge", x**2 + y**2 - R**2, "stop")]'
        )
    labels = [e.name for e in events]
    if len(set(labels)) < len(labels):
        raise InvalidValue("E316", f"two events have the same name: {', '.join(labels)}", "give each a name of its own")
    pair = twins(labels)
    if pair:
        fact = f"two events look alike: {apart(*pair)}"
        raise InvalidValue("E316", fact, "give each a name of its own")
    return list(events)


def compile_guards(events: object, names: Sequence[str], parameters: Mapping[str, float | None]) -> tuple[Guard, ...]:
    """Guards of events; symbols are known by name, parameters perhaps without a value.

    Raises:
        WrongType: E316, not events.
        UnknownName: E316, a guard or a jump uses a name that is neither a state nor a parameter.
        InvalidValue: E316, two events of one name.
    """
    return tuple(_compile(e, names, parameters) for e in as_events(events))


def _compile(event: Event, names: Sequence[str], parameters: Mapping[str, float | None]) -> Guard:
    graph = Graph()
    value = read(event.guard, graph)
    jump = {}
    if isinstance(event.then, Mapping):
        for name, e in event.then.items():
            if name not in names:
                raise UnknownName(
                    "E316", f"event {as_given(event.name)} sets {as_given(name)}, no state", did_you_mean(name, names)
                )
            value_of = e if isinstance(e, sp.Expr) else sp.Float(number(e, f"{event.name}: {name}", "E316", "E316"))
            jump[name] = read(value_of, graph)
    _check_symbols(event, names, parameters)
    known = {*names, *parameters, TIME.name}
    for name in sorted(symbols([value, *jump.values()])):
        if name not in known:
            raise UnknownName(
                "E316",
                f"event {as_given(event.name)} uses the unknown name {as_given(name)}",
                did_you_mean(name, known),
            )
    if not symbols([value]) & {*names, TIME.name}:
        fact = f"event {as_given(event.name)}: the guard {event.guard!s:.40} holds neither a state nor the time"
        raise InvalidValue("E316", fact, "write what passes through 0 where it happens, such as x - 1")
    return Guard(event, value, jump)


def _check_symbols(event: Event, names: Sequence[str], parameters: Mapping[str, float | None]) -> None:
    """E721, E205: its symbols are assumed to be what the states, or the values of the parameters, need not be."""
    for s in event.symbols:
        name = str(s)
        if name in {*names, TIME.name}:
            only_real(s, name, f"event {as_given(event.name)}")
            continue
        value = parameters.get(name)
        if value is not None and not kept(s, value):
            fact = f"event {as_given(event.name)}: {name} = {value:.12g} must be {in_words(s)}"
            raise InvalidValue(
                "E205", fact, f"another value, or declare {name} without it", "its symbol is declared so"
            )


def switches(outputs: Sequence[Node]) -> list[Guard]:
    """The surfaces on which the outputs may jump: zeros of the arguments of signs, absolute values and comparisons."""
    if not outputs:
        return []
    graph, key = outputs[0].graph, ("switches", tuple(y.index for y in outputs))
    if key not in graph.memory:
        graph.memory[key] = [Guard(Event(text(s), _Unread()), s, switch=True) for s in corners(outputs)]
    return list(graph.memory[key])


class _Unread:
    """Stands for the guard expression of an event that is on a graph from the beginning."""

    free_symbols: frozenset[Any] = frozenset()


def internal_event(name: str, then: str, direction: int) -> Event:
    """An event whose guard is on a graph already."""
    return Event(name, _Unread(), then, direction)


# --- The walls that a system declares are met by every motion of it, unless they are left out ------------------------
# What events say of inputs that are given by formulas they say of these.

_ALIKE = 4  # states at which two guards are held against each other


def with_walls(events: object, equations: Equations, met: bool, jumping: Collection[str] = ()) -> list[Event]:
    """The given events, and behind them the declared walls, if they are `met`; an event of a wall's name replaces it.

    Some inputs may be `jumping`: held, and at instants given other values.

    Raises:
        WrongType, InvalidValue: E316, not events, two of one name, or one of a wall's name that happens elsewhere.
        DalembertError: E701 to E721, a text of theirs that is no expression in the names of the equations.
        InvalidValue: E131, E132, what is wrong with a wall; E186, it holds an input that moves.
    """
    given = events_of(events, equations)
    names = {event.name for event in given}
    every = given
    if met:
        _check_places(given, equations)
    if met and not all(wall.name in names for wall in equations.system.walls):
        every = [*given, *(wall for wall in equations.walls if wall.name not in names)]
    formulas = equations.system.steered
    for event in every:
        _check_rest(event, formulas.keys() | set(jumping))
    return [seeing(event, formulas) for event in every] if formulas else every


def _check_places(given: Sequence[Event], equations: Equations) -> None:
    """E316: an event that takes the place of a declared wall, by its name, happens elsewhere: no wall would act."""
    walls = {wall.name: wall.guard for wall in equations.system.walls}
    space = equations.space
    for event in (event for event in given if walls.get(event.name, event.guard) is not event.guard):
        guard, rng = walls[event.name], np.random.default_rng(45)
        others = sorted({s.name for e in (guard, event.guard) for s in e.free_symbols} - {s.name for s in space})
        points = [space.sample(rng, others) for _ in range(_ALIKE)]
        if not sign_of_multiple(guard, event.guard, points):
            fact = f"the event {event.name} has the name of the wall {guard} > 0, and happens at {event.guard} = 0"
            raise InvalidValue("E316", fact, "give it another name, or walls=False if no wall is to act")


def _check_rest(event: Event, moving: Collection[str]) -> None:
    """E186: a wall that moves with an input: its impulses were found for one at rest."""
    held = ", ".join(sorted({str(s) for s in event.symbols}.intersection(moving)))
    if event.impact is not None and held:
        fact = f"the wall {event.name} holds the input {held}, which moves: its impulses are of a wall at rest"
        raise InvalidValue("E186", fact, "write what the input is given by into the guard of the wall itself")
