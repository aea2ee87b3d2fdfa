"""The plan of a lean form: coordinates and free speeds are integrated, velocities follow.

    qdot, sdot = rates(t, q, s) ,   u = velocities(t, q, s)

Constraints on velocities hold whatever the speeds are, so that coordinates alone are moved back, to relations between
positions and to unit lengths. What depends on parameters alone is computed once a run, by ``preamble``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...calculus.frame import TIME
from ...calculus.graph import Graph, Node
from ...calculus.substitution import carried, hoisted
from ...equations import Equations, Lean
from ..machine.function import Function
from .plan import FULL, PREAMBLE, WITHIN, Plan, inputs_of, least, references_of
from .projection import WORK, Return, positions_back, projection

PIVOTS = 25.0  # by so much more than charts may the pivots of the kinetic energy fall


def in_speeds(equations: Equations, lean: Lean) -> Plan:
    """The functions of one set of equations in the speeds of its lean form.

    Besides ``rhs`` and ``project`` these are ``full``, which writes the states as the equations have them, ``within``,
    which takes such states, and ``preamble``.
    """
    names = tuple(sorted(equations.system.symbols))
    moving = lean.moving_pivots
    pivots = tuple(pivot for pivot, _ in moving)
    charts = tuple(chart for chart, _ in lean.charts)
    references = references_of(len(pivots) + len(charts))
    scale = PIVOTS if lean.choices else 1.0
    outputs, still = _with_preamble(lean, [*(scale * pivot for pivot in pivots), *charts], references)
    inputs = inputs_of(lean.states, (*names, *references, *(f"{PREAMBLE}:{k}" for k in range(len(still)))))
    inputs[WORK] = ("y", len(lean.states))
    functions = {"rhs": Function(tuple(outputs))} | _between(equations, lean)
    if still:
        functions[PREAMBLE] = Function(tuple(still))
    back = positions_back(equations)
    if back is not None:
        back = _lowered(back, lean)
        functions["project"] = projection(back, lean.states)
    given = {**inputs_of(equations.states, names), WORK: ("y", len(equations.states))}
    shares = *[scale] * len(pivots), *[1.0] * len(charts)
    between = {WITHIN: given}
    return Plan(lean.states, functions, inputs, names, pivots, charts, back, between, len(still), shares)


def _lowered(back: Return, lean: Lean) -> Return:
    nodes = lean.lowered([*back.q, *back.shift.values()])
    return replace(back, q=nodes[: len(back.q)], shift=dict(zip(back.shift, nodes[len(back.q) :], strict=True)))


def _with_preamble(lean: Lean, divisors: Sequence[Node], references: Sequence[str]) -> tuple[list[Node], list[Node]]:
    """(dy/dt and the rank margin, what of them depends on parameters alone)."""
    graph = Graph()
    rates = carried([*lean.rates, lean.power, *divisors], graph)
    n = len(lean.rates) + 1
    margin = least(rates[n:], references) or [graph.constant(1.0)]
    return hoisted([*rates[:n], *margin], [*lean.states, TIME.name, *references], PREAMBLE)


def _between(equations: Equations, lean: Lean) -> dict[str, Function]:
    """``full`` and ``within``: from speeds to velocities and back, the work behind them."""
    graph = Graph()
    full = [*map(graph.symbol, lean.coordinates), *carried(lean.velocities, graph), graph.symbol(WORK)]
    graph = Graph()
    within = [*map(graph.symbol, lean.coordinates), *carried(lean.origin, graph), graph.symbol(WORK)]
    return {FULL: Function(tuple(full)), WITHIN: Function(tuple(within))}
