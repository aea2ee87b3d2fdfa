"""Guards at one instant: is the state on one, and which way does the motion cross it?

With g the guard, g' its rate, d the direction of its event, t' the rounding of the time, e that of the terms of g:

=====================  ===========================  ======================  ==========================================
function               on the guard within          sign of the rate        used for
=====================  ===========================  ======================  ==========================================
``is_on``              4 e + 16 t' |g'|             any                     starts, rest
``crosses``            as ``is_on``                 g' d > 0; any but 0     what happens with an event, as walls of a
                                                    without a direction     corner
``moves_back_inside``  as ``is_on``                 g' d < 0                events that have just happened, to be let
                                                                            go
``meets``              100 e + 1e-10 |t g'|         g' d > 0                several walls that are met at once
``is_still``           not asked                    0 within 1e-12 of its   rest, after a jump
                                                    terms
``presses``            not asked                    g d rises within h      rest: does a force hold the state there?
``has_set``            0 before the jump, to 1e-7   g' d > 0 before it      starts that an event has made
=====================  ===========================  ======================  ==========================================
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...calculus.frame import TIME
from ...calculus.graph import evaluate, gradient
from ...errors import InvalidValue, Note, as_given, warn
from ...errors.remedies import Call
from ..vector_field.field import Field
from .guard import ROUNDING, Guard, compile_guards

ROUNDINGS = 16  # roundings of the time within which two events are one instant
INSTANT = 1e-10  # of the time, within which two walls are met at once
NEARLY = 100  # roundings of the guard's terms, within which they are
AHEAD = 1e-6  # of the run's length: as far the motion is followed from a guard on which it starts at rest
TRIED = 12  # steps to a state before an event
DIGITS = 1e-7  # how exactly a start that it has set is given
STILL = 1e-12  # of the terms of a rate, or of a guard: what is below it is rounding


def guard_rate(field: Field, guard: Guard, t: float, y: np.ndarray) -> float:
    """dg/dt along the motion, at one time and state (n + 1,)."""
    return float(_slopes(field, guard, t, y) @ np.r_[field.rate(t, y)[:-1], 1.0])


def _slopes(field: Field, guard: Guard, t: float, y: np.ndarray) -> np.ndarray:
    """dg/dy and dg/dt (n + 1,)."""
    graph = guard.value.graph
    xs = [graph.symbol(name) for name in (*field.states, TIME.name)]
    return np.array([float(s) for s in evaluate(gradient(guard.value, xs), field.values(t, y))])


def value(field: Field, guard: Guard, t: float, y: np.ndarray) -> float:
    """g at one time and state (n + 1,)."""
    return float(guard.of(np.array([t]), y[None], field.states, field.parameters)[0])


def noise(field: Field, guard: Guard, t: float, y: np.ndarray) -> float:
    """What the guard's value means nothing below: the rounding of its terms."""
    terms = float(np.abs(_slopes(field, guard, t, y)[:-1]) @ np.abs(y[:-1]))
    return ROUNDING * terms if np.isfinite(terms) else 0.0


def is_on(field: Field, guard: Guard, t: float, y: np.ndarray) -> bool:
    """Is the state on the guard, as far as rounding of the time and of the guard's terms can tell?"""
    slack = ROUNDINGS * np.spacing(abs(t)) * abs(guard_rate(field, guard, t, y))
    return bool(abs(value(field, guard, t, y)) <= 4 * noise(field, guard, t, y) + slack)


def hair(field: Field, guard: Guard, t: float, y: np.ndarray) -> float:
    """A time so short that nothing happens in it, and long enough to be beyond the guard at its end."""
    rate = abs(guard_rate(field, guard, t, y))
    return float(4 * ROUNDINGS * (np.spacing(abs(t)) + (noise(field, guard, t, y) / rate if rate else 0.0)))


def crosses(field: Field, guard: Guard, t: float, y: np.ndarray) -> bool:
    """Is the state on the guard, and does the motion cross it in the event's direction?"""
    rate = guard_rate(field, guard, t, y)
    return (rate * guard.event.direction > 0 if guard.event.direction else rate != 0) and is_on(field, guard, t, y)


def meets(field: Field, guard: Guard, t: float, y: np.ndarray) -> bool:
    """Will the motion cross the guard at this instant, as walls of a corner judge it?"""
    rate = guard_rate(field, guard, t, y)
    near = abs(value(field, guard, t, y)) <= INSTANT * abs(t * rate) + NEARLY * noise(field, guard, t, y)
    return bool(near and rate * guard.event.direction > 0)


def moves_back_inside(field: Field, guard: Guard, t: float, y: np.ndarray) -> bool:
    """Is the state on the guard, and does the motion come from behind it?"""
    way = guard.event.direction
    return bool(way) and guard_rate(field, guard, t, y) * way < 0 and is_on(field, guard, t, y)


def size(field: Field, guard: Guard, t: float, y: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Size of the guard's terms at a state, and of what their rates make of them in further times (N,)."""
    slopes = np.abs(_slopes(field, guard, t, y)[:-1])
    return np.asarray(slopes @ np.abs(y[:-1]) + slopes @ np.abs(field.rate(t, y)[:-1]) * np.abs(times))


def is_still(field: Field, guard: Guard, t: float, before: np.ndarray, after: np.ndarray) -> bool:
    """Has a jump taken the guard's speed, as far as rounding of the terms of both speeds can tell?"""
    slopes = _slopes(field, guard, t, after)
    rates = [np.r_[field.rate(t, y)[:-1], 1.0] for y in (before, after)]
    largest = max(np.abs(slopes * rate).sum() for rate in rates)
    return bool(abs(slopes @ rates[1]) <= STILL * largest)


def presses(field: Field, guard: Guard, t: float, y: np.ndarray, h: float, terms: float) -> bool:
    """Would a motion that is still at the guard go through it within a time h? Looked at one midpoint step ahead."""
    ahead = y + h * field.rate(t + h / 2, y + h / 2 * field.rate(t, y))
    gone = (value(field, guard, t + h, ahead) - value(field, guard, t, y)) * guard.event.direction
    return bool(gone > STILL * (terms + float(size(field, guard, t, y, np.array([h]))[0])))


def check_start(field: Field, guards: Sequence[Guard], span: float) -> list[Note]:
    """Refuse a start on a guard that acts there at once, or on the far side of a stop; doubts about the others.

    Raises:
        InvalidValue: E240 beyond a stop, E310 on a guard and moving through it, E311 the guard is not finite there.
    """
    notes: list[Note] = []
    if not guards:
        return notes  # of contacts each mode has its own code
    t, y = field.start.t, field.first
    for guard in guards:
        event, g = guard.event, value(field, guard, t, y)
        if not np.isfinite(g):
            fact = f"the guard of {as_given(event.name)} is {g} at the start"
            remedy = "start elsewhere, or write a guard that is finite there, such as x - 1 for sqrt(x) - 1"
            raise InvalidValue("E311", fact, remedy)
        if not (event.stops or event.jumps):
            continue
        # what a jump has set is off the guard by the rounding of its time
        if is_on(field, guard, t, y) or abs(g) <= ROUNDINGS * np.spacing(abs(t) + span) * abs(
            guard_rate(field, guard, t, y)
        ):
            _check_on(field, guard, span)
        elif event.direction and g * event.direction > 0:
            if event.stops:
                fact = f"the start is already beyond {as_given(event.name)} (guard = {g:.6g})"
                raise InvalidValue("E240", fact, "start inside, or let the event only mark")
            notes.append(
                warn("W240", f"the start is already beyond {as_given(event.name)} (guard = {g:.6g}): is it inside?", 6)
            )
    return notes


def has_set(field: Field, guard: Guard, t: float, y: np.ndarray, span: float) -> bool:
    """May the event have set this state: is there one before it, y = g(y-), h(y-) = 0, that crosses in its direction?

    A start is given to some digits of what its states are, and become in a time of this `span`.

    Looked for by Gauss-Newton steps of least size from what the event makes of the state, and from the state itself.
    """
    written, states, machine = field.as_written(), field.equations.states, field.equations.machine
    (own,) = compile_guards([guard.event], states, field.parameters)
    if not own.jump:
        return False
    full = field.full(np.array([t]), y[None])[0]
    news = [own.jump.get(name, own.value.graph.symbol(name)) for name in states]
    groups = [nodes for nodes in ([own.value, *news], [*machine.position.values(), *machine.phi]) if nodes]
    names = (*states, TIME.name)
    slopes = [gradient(e, [e.graph.symbol(name) for name in names]) for nodes in groups for e in nodes]
    wanted = np.r_[0.0, full[:-1], np.zeros(len(slopes) - len(full))]
    for before in (own.after(t, full, states, field.parameters), full):
        for _ in range(TRIED):
            known = written.values(t, before)
            off = np.concatenate([np.array(evaluate(nodes, known), float) for nodes in groups]) - wanted
            J = np.array([evaluate(row, known) for row in slopes], float)
            if not (np.isfinite(off).all() and np.isfinite(J).all()):
                break
            moved = np.append(np.abs(before[:-1]), 0.0) + span * np.abs(np.append(written.rate(t, before)[:-1], 1.0))
            if (np.abs(off) <= DIGITS * (np.abs(J) @ moved + np.abs(wanted))).all():
                rate, way = guard_rate(written, own, t, before), own.event.direction
                return rate * way > 0 if way else rate != 0
            before = before - np.r_[np.linalg.lstsq(J[:, :-1], off, rcond=1e-12)[0], 0.0]
    return False


def _check_on(field: Field, guard: Guard, span: float) -> None:
    """E310: the motion goes through the guard, or the guard has no direction to tell."""
    t, y = field.start.t, field.first
    # one midpoint step ahead, so that a start at rest shows where it is going
    h = AHEAD * span
    ahead = y + h * field.rate(t + h / 2, y + h / 2 * field.rate(t, y))
    if not guard.event.direction or value(field, guard, t + h, ahead) * guard.event.direction > 0:
        if guard.event.direction and has_set(field, guard, t, y, span):
            return
        fact = f"the guard of {as_given(guard.event.name)} is 0 at the start"
        if guard.event.direction:
            remedy = (
                "start on its inner side, or impose the contact: ",
                Call("impacts.impose", "da.nonholonomic(...), start"),
            )
            raise InvalidValue("E310", fact + " and the motion goes through it", remedy)
        raise InvalidValue("E310", fact, "start elsewhere, or give the event a direction")
