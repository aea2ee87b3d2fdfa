"""What a kernel consists of, planned on the graph: as the equations are written, multipliers eliminated.

`in_speeds` plans the lean form of the same equations, `tidied` writes what is planned here with fewer operations.

State vector of a run:  y = (states, work), work being the energy supplied since the start.
Parameter vector:       p = (parameters, reciprocals of pivots and charts at the start, preamble); the second for the
                        rank margin, the third what depends on parameters alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce

from ...calculus.frame import TIME
from ...calculus.graph import Graph, Node, substitute
from ...calculus.linear_systems import Factored, Saddle, dot
from ...calculus.substitution import carried, split_constant_parts
from ...equations import Equations, Form, Lean
from ..machine.function_source import Function
from ..machine.ir_numbers import Real
from ..machine.llvm_ir import Inputs
from .constraint_projection import (
    WORK,
    Baumgarte,
    Projection,
    ProjectionNodes,
    Stabilisation,
    bordered,
    positions_back,
    projection,
    way_back,
)

PREAMBLE = "preamble"  # of names of what depends on parameters alone
FULL, WITHIN = BETWEEN = "full", "within"  # functions from the states that are integrated to all states, and back


@dataclass(frozen=True)
class KernelPlan:
    """What a kernel consists of, still on the graph.

    Attributes:
        states: names of the states that are integrated, the work left out.
        functions: ``rhs``, which writes dy/dt and the rank margin, and ``project`` where there is something to keep;
            ``full``, ``within`` and ``preamble`` of equations in speeds.
        inputs: for every symbol, the argument that holds it and its index there.
        parameters, pivots, charts: as of `Kernel`.
        back: what ``project`` does.
        others: the inputs of functions that take other states.
        preamble: how many numbers ``preamble`` writes behind what else is in p.
        shares: factors of pivots and charts in the rank margin, which is the least of them; empty where it is not.
    """

    states: tuple[str, ...]
    functions: Mapping[str, Function]
    inputs: Inputs
    parameters: tuple[str, ...]
    pivots: tuple[Node, ...]
    charts: tuple[Node, ...]
    back: ProjectionNodes | None = None
    others: Mapping[str, Inputs] = field(default_factory=dict)
    preamble: int = 0
    shares: tuple[float, ...] = ()

    def texts(self, real: Real) -> dict[str, str]:
        """IR of the functions by name."""
        return {name: f.text(name, self.others.get(name, self.inputs), real) for name, f in self.functions.items()}

    @classmethod
    def of(cls, equations: Equations, stabilisation: Stabilisation) -> KernelPlan:
        """The functions of one set of equations."""
        machine = equations.machine
        rate = stabilisation.rate if isinstance(stabilisation, Baumgarte) else 0.0
        names = tuple(sorted(equations.system.symbols))
        inputs = inputs_of(equations.states, names)
        form = _damped(equations, machine.form.rows(equations.kept), rate)
        pivots: tuple[Node, ...] = ()
        derivative: list[Node] = []
        charts = () if equations.direct is None else tuple(equations.direct.charts)
        if equations.definite:
            derivative, factors = _plain(equations, form)
            pivots = tuple(pivot for S in factors for pivot in S.pivots)
        references = references_of(len(pivots) + len(charts))
        inputs |= {name: ("p", len(names) + i) for i, name in enumerate(references)}
        margin = least([*pivots, *charts], references)
        if equations.definite:
            functions = {"rhs": Function((*derivative, *margin))}
        elif equations.direct is None:
            functions = {"rhs": _pivoted(equations, form)}
        else:
            functions = {"rhs": _pivoted_directly(equations, form, margin)}
        back = way_back(equations) if isinstance(stabilisation, Projection) else None
        if back is not None:
            functions["project"] = projection(back, equations.states)
            inputs |= {WORK: ("y", len(equations.states))}
        shares = (1.0,) * (len(pivots) + len(charts)) if equations.definite else ()
        return cls(equations.states, functions, inputs, names, pivots, charts, back, shares=shares)


Beside = Callable[[KernelPlan, Real], dict[str, str]]  # of a plan and lanes: IR by name


def inputs_of(states: Sequence[str], parameters: Sequence[str]) -> dict[str, tuple[str, int]]:
    """Where states, time and parameters lie."""
    inputs = {name: ("y", i) for i, name in enumerate(states)}
    return inputs | {TIME.name: ("t", 0)} | {name: ("p", j) for j, name in enumerate(parameters)}


def references_of(count: int) -> list[str]:
    """Names of the reciprocals of pivots and charts at the start."""
    return [f"pivot:{i}" for i in range(count)]


def _plain(equations: Equations, form: Form) -> tuple[list[Node], tuple[Factored, ...]]:
    """dy/dt by elimination without choice of pivots, and the matrices factored."""
    if equations.direct is not None:
        udot, factored = equations.solved
        return _without_multipliers(equations, form, udot), (factored,)
    saddle = Saddle.of(form.W, form.N)
    derivative = _derivatives(equations, *saddle.solve(form.f, form.g))
    return derivative, (saddle.factored, saddle.schur_factored)


def _damped(equations: Equations, form: Form, rate: float) -> Form:
    """g - rate phi for each row; for holonomic ones d^2f/dt^2 = -2 rate df/dt - rate^2 f."""
    if not rate:
        return form
    machine = equations.machine
    g = []
    for row, gi in zip(equations.kept, form.g, strict=True):
        f = machine.position.get(row)
        g.append(gi - rate * machine.phi[row] if f is None else gi - 2 * rate * machine.phi[row] - rate**2 * f)
    return form._replace(g=g)


def _derivatives(equations: Equations, udot: Sequence[Node], mu: Sequence[Node]) -> list[Node]:
    """dy/dt: rates of coordinates, velocities, multipliers that are states, and the power supplied."""
    machine = equations.machine
    zero = machine.graph.constant(0)
    every = [zero] * len(machine.mu)
    for row, value in zip(equations.kept, mu, strict=True):
        every[row] = value
    power = substitute([machine.power], {s.key[1]: v for s, v in zip(machine.mu, every, strict=True)})[0]
    states = every if equations.states_of_multipliers else []
    return [*machine.qdot, *udot, *states, power]


def _without_multipliers(equations: Equations, form: Form, udot: Sequence[Node]) -> list[Node]:
    """dy/dt for accelerations from a form without multipliers; `form` holds the stabilised rows."""
    machine = equations.machine
    plain = machine.form.rows(equations.kept)
    zero, one = machine.graph.constant(0), machine.graph.constant(1)
    if plain.g != form.g:
        k = len(form.W)
        unit = [[one if a == b else zero for b in range(k)] for a in range(k)]
        W = machine.metric if equations.metric_definite else unit
        lack = [d - g for d, g in zip(form.g, plain.g, strict=True)]
        # udot + W^-1 N^T (N W^-1 N^T)^-1 (g_damped - g)
        more = Saddle.of(W, form.N).solve([zero] * k, lack)[0]
        udot = [a + d for a, d in zip(udot, more, strict=True)]
    # u (W udot - f): the work of the reaction
    reaction = [dot(row, udot) - f for row, f in zip(form.W, form.f, strict=True)]
    velocities = [machine.graph.symbol(u.name) for u in equations.space.velocities]
    free = substitute([machine.power], {s.key[1]: zero for s in machine.mu})[0]
    return [*machine.qdot, *udot, free + dot(velocities, reaction)]


def least(pivots: Sequence[Node], references: Sequence[str]) -> list[Node]:
    """The least pivot in units of its value at the start; `references` are the names of those units' reciprocals."""
    if not pivots:
        return []
    graph = pivots[0].graph
    margin = pivots[0] * graph.symbol(references[0])
    for pivot, name in zip(pivots[1:], references[1:], strict=True):
        margin = graph.apply("min", margin, pivot * graph.symbol(name))
    return [margin]


def _pivoted(equations: Equations, form: Form) -> Function:
    """The right-hand side through a pivoted solver, for W that is not definite."""
    graph = equations.machine.graph
    k, m = len(form.W), len(form.N)
    x = Function.unknowns(graph, k + m)
    system = [*bordered(form.W, form.N, graph.constant(0)), *form.f, *form.g]
    return Function.solving([*_derivatives(equations, x[:k], x[k : k + m]), x[k + m]], system, k + m)


def _pivoted_directly(equations: Equations, form: Form, margin: Sequence[Node]) -> Function:
    """The right-hand side of a form without multipliers through a pivoted solver:  A s = b,  udot = Z s + z."""
    graph, direct = equations.machine.graph, equations.direct
    assert direct is not None
    r = len(direct.b)
    x = Function.unknowns(graph, r)
    udot = [dot(row, x[:r]) + z for row, z in zip(direct.Z, direct.z, strict=True)]
    least = reduce(lambda a, b: graph.apply("min", a, b), margin, x[r])
    system = [*(e for row in direct.A for e in row), *direct.b]
    return Function.solving([*_without_multipliers(equations, form, udot), least], system, r)


# --- The plan of a lean form: coordinates and free speeds are integrated, velocities follow --------------------------
#     qdot, sdot = rates(t, q, s) ,   u = velocities(t, q, s)
#
# Constraints on velocities hold whatever the speeds are, so that coordinates alone are moved back, to relations between
# positions and to unit lengths. What depends on parameters alone is computed once a run, by ``preamble``.

PIVOTS = 25.0  # by so much more than charts may the pivots of the kinetic energy fall


def in_speeds(equations: Equations, lean: Lean) -> KernelPlan:
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
    return KernelPlan(lean.states, functions, inputs, names, pivots, charts, back, between, len(still), shares)


def _lowered(back: ProjectionNodes, lean: Lean) -> ProjectionNodes:
    nodes = lean.lowered([*back.q, *back.shift.values()])
    return replace(back, q=nodes[: len(back.q)], shift=dict(zip(back.shift, nodes[len(back.q) :], strict=True)))


def _with_preamble(lean: Lean, divisors: Sequence[Node], references: Sequence[str]) -> tuple[list[Node], list[Node]]:
    """(dy/dt and the rank margin, what of them depends on parameters alone)."""
    graph = Graph()
    rates = carried([*lean.rates, lean.power, *divisors], graph)
    n = len(lean.rates) + 1
    margin = least(rates[n:], references) or [graph.constant(1.0)]
    return split_constant_parts([*rates[:n], *margin], [*lean.states, TIME.name, *references], PREAMBLE)


def _between(equations: Equations, lean: Lean) -> dict[str, Function]:
    """``full`` and ``within``: from speeds to velocities and back, the work behind them."""
    graph = Graph()
    full = [*map(graph.symbol, lean.coordinates), *carried(lean.velocities, graph), graph.symbol(WORK)]
    graph = Graph()
    within = [*map(graph.symbol, lean.coordinates), *carried(lean.origin, graph), graph.symbol(WORK)]
    return {FULL: Function(tuple(full)), WITHIN: Function(tuple(within))}
