"""From equations and a start to a certificate that was checked as it was made."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from ..calculus.frame import TIME
from ..calculus.graph import Node
from ..equations import Equations, Start
from ..errors import InvalidValue, Note, Singular, warn
from .certificate import FAILURES, FORMAT, VERSION, Bands, Inspection, NotProved, working
from .differential_equations import Known, Lines, rates_of, start_data
from .enclosure import Enclosure, Proof
from .step_search import crossings, first_set, march

_MORE_BITS = 52  # than the digits asked for
_SMALL = 1e-6  # what a state that stays below it counts as
_TRIES = 4  # each with as many bits more as the one before lacked


@dataclass(frozen=True)
class Asked:
    """What is to be proved.

    Attributes:
        equations, start: the motion.
        until: the time to which it is enclosed.
        digits: of the largest value of each state.
        steps: how many may be taken.
        guards: whose zeros are found, by name.
        walls: names of those that may not be met.
    """

    equations: Equations
    start: Start
    until: Fraction
    digits: int
    steps: int
    guards: Mapping[str, Node]
    walls: tuple[str, ...] = ()


def enclosed(asked: Asked) -> Proof:
    """The motion that is asked for, as far as it can be proved.

    Raises:
        Singular: E872, nothing is proved.
    """
    until, digits = asked.until, asked.digits
    bits = math.ceil(digits * math.log2(10)) + _MORE_BITS
    for _ in range(_TRIES):
        data, found, reached = _attempt(asked, bits)
        lacking = _lacking(found, digits)
        if lacking <= 0 or not reached:
            break
        bits += math.ceil(lacking) + 8
    if not found.steps:
        raise Singular("E872", "not one step from the start is proved", "begin elsewhere, or at another time")
    notes: tuple[Note, ...] = ()
    if not reached:
        told = f"proved to t = {float(found.t):g} of {float(until):g}, in {len(found.steps)} steps"
        notes = (warn("W873", told),)
    elif lacking > 0:
        notes = (warn("W873", f"proved, but {math.ceil(lacking * math.log10(2))} of {digits} digits are lacking"),)

    events = {name: _zeros(asked, name, data, found) for name in asked.guards}

    def at(time: Fraction) -> dict[str, Enclosure]:
        step = next(s for s in reversed(found.steps) if s.t <= time)
        tau = (time - step.t) / step.h
        with working(data["bits"] + 32, data["order"]):
            values, _ = found.formulas.run(Bands(0), step.box(tau, tau))
            return {name: enclosure(values[k][0]) for name, k in data["outputs"].items()}

    return Proof(data, found.steps[0].t, found.t, at, events, notes)


def _zeros(asked: Asked, name: str, data: dict, found: Inspection) -> tuple[Enclosure, ...]:
    """When a guard is 0, all times of the proof."""
    event = data["events"][name]
    try:
        with working(data["bits"] + 32, data["order"]):
            event["crossings"] = crossings(found, event["guard"])
            found.crossings(event["guard"], event["crossings"])
    except NotProved as why:
        fact = f"it is not decided whether {name} happens: {why}"
        raise Singular("E874", fact, "more digits, or a guard that passes through 0 at a slope") from None
    times = []
    for k, _, low, high, _ in event["crossings"]:
        step = found.steps[k]
        times.append(Enclosure(step.t + step.h * Fraction(low), step.t + step.h * Fraction(high)))
    if times and name in asked.walls:
        fact = f"the motion meets the wall {name} at t = {float(times[0]):.6g}, where its velocities jump"
        raise InvalidValue("E870", fact, f"end before, or leave {name} out of the system")
    return tuple(times)


def enclosure(x: arb) -> Enclosure:
    """A ball as an interval with exact ends."""
    low, high = (Fraction(int(m)) * Fraction(2) ** int(e) for m, e in (x.lower().man_exp(), x.upper().man_exp()))
    return Enclosure(low, high)


def _attempt(asked: Asked, bits: int) -> tuple[dict, Inspection, bool]:
    """A certificate with so many bits, as it was checked; did it reach the end?"""
    equations, start, order = asked.equations, asked.start, max(16, round(0.4 * bits))
    values = {**start.parameters, **start.state, TIME.name: start.t}
    equations = equations.rows_at(values)
    lean = None if equations.charts is None else equations.charts.regular(values)
    known = Known.of(equations, start)
    states = equations.states if lean is None else lean.states
    lines = Lines([*states, TIME.name], known)
    rates = lines.nodes(rates_of(equations, lean, values))
    outputs = {name: i for i, name in enumerate(states) if name in equations.states}
    if lean is not None:
        names = [s.name for s in equations.space.velocities]
        outputs |= dict(zip(names, lines.nodes(lean.velocities), strict=True))
    guards = [node if lean is None else lean.lowered([node])[0] for node in asked.guards.values()]
    zeros = [lines.nodes([node])[0] for node in guards]
    program, places = lines.data([*rates, *outputs.values(), *zeros])
    many = len(rates) + len(outputs)
    with working(bits + 32, order):
        data = {
            "format": FORMAT, "version": VERSION,
            "title": equations.system.title, "principle": equations.principle,
            "states": list(states), "bits": bits, "order": order, "slope_order": order // 4 + 2,
            **program, "rates": places[: len(rates)], "outputs": dict(zip(outputs, places[len(rates) :], strict=False)),
            "events": {n: {"guard": k, "crossings": []} for n, k in zip(asked.guards, places[many:], strict=True)},
            "start": start_data(equations, start, lean, known, bits), "nodes": [], "steps": [],
        }  # fmt: skip
        found = Inspection(data)
        try:
            first_set(found, data, found.first(data["start"]))
        except FAILURES as why:
            raise Singular("E872", f"the start is not enclosed: {why}", "begin elsewhere") from None
        return data, found, march(found, data, asked.until, asked.steps)


def _lacking(found: Inspection, digits: int) -> float:
    """How many bits the widths have more than was asked, at worst."""
    worst = -math.inf
    for i in range(len(found.rates) if found.steps else 0):
        size = max(_SMALL, *(float(abs(s.p[i][0])) for s in found.steps))
        width = max(float(s.within[i]) for s in found.steps)
        worst = max(worst, math.log2(width / size) + digits * math.log2(10)) if width else worst
    return worst
