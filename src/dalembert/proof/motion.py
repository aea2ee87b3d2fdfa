"""From equations and a start to a certificate that was checked as it was made."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import acb, acb_poly, arb, arb_mat, arb_poly, ctx

from ..calculus.exact.finite_field import as_written
from ..calculus.frame import TIME
from ..calculus.graph import Node
from ..equations import Equations, Lean, Start
from ..errors import InvalidValue, Singular, warn
from .certificate import FAILURES, FORMAT, VERSION, Bands, Inspection, NotProved, exact, working
from .differential_equations import Known, Lines, rates_of, rest_data, start_data
from .enclosure import Enclosure, Proof, ProvedRest
from .step_search import crossings, first_set, march

_MORE_BITS = 52  # than the digits asked for
_SMALL = 1e-6  # what a state that stays below it counts as
_NEWTON = 8  # steps to an eigenvalue
_MOST_MORE = 240  # bits that are added unasked
_TRIES = 4  # each with as many bits more as the one before lacked


@dataclass(frozen=True)
class Asked:
    """What is to be proved, and in how many steps; zeros of the guards are found, those of `walls` may not be met."""

    equations: Equations
    start: Start
    until: Fraction
    digits: int
    steps: int
    guards: Mapping[str, Node]
    walls: tuple[str, ...] = ()


def enclosed(asked: Asked) -> Proof:
    """The motion that is asked for, as far as it can be proved (E872: nothing of it)."""
    until, digits = asked.until, asked.digits
    bits = math.ceil(digits * math.log2(10)) + _MORE_BITS
    for _ in range(_TRIES):
        data, found, reached = _attempt(asked, bits)
        lacking = _lacking(found, digits) if reached else _further(found, bits, asked)
        if not 0 < lacking <= _MOST_MORE or len(found.steps) >= asked.steps:
            break
        bits += math.ceil(lacking) + 8
    if not found.steps:
        raise Singular("E872", "not one step from the start is proved", "begin elsewhere, or at another time")
    told = f"proved, but {math.ceil(lacking * math.log10(2))} of {digits} digits are lacking" if lacking > 0 else ""
    if not reached:
        told = f"proved to t = {float(found.t):g} of {float(until):g}, in {len(found.steps)} steps"
    notes = (warn("W873", told),) if told else ()

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
    with working(bits + 32, order_of(bits)):
        data, lean, known = _stated(asked, bits)
        data["start"] = start_data(asked.equations, asked.start, lean, known, bits)
        found = Inspection(data)
        try:
            first_set(found, data, found.first(data["start"]))
        except FAILURES as why:
            raise Singular("E872", f"the start is not enclosed: {why}", "begin elsewhere") from None
        return data, found, march(found, data, asked.until, asked.steps)


def order_of(bits: int) -> int:
    """Of polynomials that are known to so many bits."""
    return max(16, round(0.4 * bits))


def _stated(asked: Asked, bits: int) -> tuple[dict, Lean | None, Known]:
    """What a certificate states of the equations, its start still missing; their lean form, and the parameters."""
    start, order = asked.start, order_of(bits)
    values = {**start.parameters, **start.state, TIME.name: start.t}
    equations = asked.equations.rows_at(values)
    lean = None if equations.charts is None else equations.charts.regular(values)
    lean = None if lean is not None and lean.charts else lean  # it has poles where the motion has none
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
    data = {
        "format": FORMAT, "version": VERSION,
        "title": equations.system.title, "principle": equations.principle,
        "states": list(states), "bits": bits, "order": order, "slope_order": order // 4 + 2,
        **program, "rates": places[: len(rates)], "outputs": dict(zip(outputs, places[len(rates) :], strict=False)),
        "events": {n: {"guard": k, "crossings": []} for n, k in zip(asked.guards, places[many:], strict=True)},
        "start": {"t": str(as_written(start.t))}, "nodes": [], "steps": [],
    }  # fmt: skip
    return data, lean, known


def resting(asked: Asked) -> ProvedRest:
    """The state of rest near the start, proved to exist (E872: it is not; E875: it is one of a family)."""
    bits, start = math.ceil(asked.digits * math.log2(10)) + _MORE_BITS, asked.start
    with working(bits + 32, order_of(bits)):
        data, lean, known = _stated(asked, bits)
        values = {**start.parameters, **start.state, TIME.name: start.t}
        if lean is not None:
            values |= dict(zip(lean.states, lean.start(values).tolist(), strict=True))
        data["start"] = rest_data(asked.equations, lean, values, known, bits)
        found = Inspection(data)
        try:
            states = [*found.first(data["start"]), exact(data["start"]["t"])]
            first_set(found, data, states[:-1])
            found_values, slopes = found.formulas.run(Bands(0), [arb_poly([e]) for e in states], len(found.rates))
        except FAILURES as why:
            raise Singular("E872", f"the state of rest is not proved: {why}", "begin nearer to it") from None
        n = range(len(found.rates))
        A = arb_mat([[slopes[k][j][0] if j in slopes[k] else 0 for j in n] for k in found.rates])
        state = {name: enclosure(found_values[k][0]) for name, k in data["outputs"].items()}
        return ProvedRest(data, state, tuple(eigenvalues(A)))


def eigenvalues(A: arb_mat) -> Iterator[tuple[Enclosure, Enclosure]]:
    """Real and imaginary parts of the simple eigenvalues that are not 0, by the interval Newton method."""
    p, radius = acb_poly(A.charpoly()), arb(2) ** (-ctx.prec // 3)
    near = np.linalg.eigvals(np.array([[float(e) for e in row] for row in A.tolist()]))
    for value in sorted(near, key=lambda e: (-e.real, e.imag)):
        if abs(value) > _SMALL * np.abs(near).max():
            middle = acb(value.real, value.imag)
            for _ in range(_NEWTON):
                middle = (middle - p(middle) / p.derivative()(middle)).mid()
            box = middle + acb(arb(0, radius), arb(0, radius))
            held = middle - p(middle) / p.derivative()(box)
            if box.contains(held):
                yield enclosure(held.real), enclosure(held.imag)


def _further(found: Inspection, bits: int, asked: Asked) -> float:
    """How many bits more would lead to the end, if widths grow as they did; 0 where nothing is proved."""
    lost = sum(bits + math.log2(max(map(float, step.within)) or 2.0**-bits) for step in found.steps[-1:])
    return lost * float((asked.until - found.t) / (found.t - as_written(asked.start.t) or 1))


def _lacking(found: Inspection, digits: int) -> float:
    """How many bits the widths have more than was asked, at worst."""
    worst = -math.inf
    for i in range(len(found.rates) if found.steps else 0):
        size = max(_SMALL, *(float(abs(s.p[i][0])) for s in found.steps))
        width = max(float(s.within[i]) for s in found.steps)
        worst = max(worst, math.log2(width / size) + digits * math.log2(10)) if width else worst
    return worst
