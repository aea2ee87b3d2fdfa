"""Is a function constant along the motions of some equations, whose multipliers may be states?

Nonholonomic motions of a system are asked by `geometry.noether.conserved`; here it is the motion of the equations
themselves, on the constraints in force and with any multipliers.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

import numpy as np
import sympy as sp

from ..answer import Answer
from ..calculus.algebra import Machine
from ..calculus.frame import TIME
from ..calculus.graph import evaluate, gradient
from ..calculus.read import read
from ..equations import Equations
from ..errors import InvalidValue, did_you_mean
from ..geometry.identities import Flow
from ..geometry.impact_invariance import passing
from ..geometry.noether import Constancy
from ..geometry.noether import conserved as by_geometry
from ..geometry.states import ConstraintSampler, Values
from ..given import public
from ..model.expression import Reader
from ..model.system import System

_STATES = 5

_REST = 1e-4


@public
def conserved(system: System | Equations, function: object) -> Constancy:
    """Is a function constant along every motion?

    Args:
        system: a `System`, whose nonholonomic motions are meant: f(t, q, u) is constant if and only if the part in H of
            its Hamiltonian field leaves the energy as it is [cushman1995 Theorem 2], which is computed beside the rate;
            or `Equations`, along which the rate is computed. Under the vakonomic principle f may hold multipliers,
            ``lam_<constraint>``.
        function: an expression or text.

    Raises:
        WrongType: E101 neither a system nor equations, E718 what is not an expression.
        InvalidValue: E104 and others for names that the system does not know.
        Singular: E107, an allowed velocity carries no energy, so that no motion is determined.
    """
    return _along(system, function) if isinstance(system, Equations) else by_geometry(system, function)


def _along(equations: Equations, function: object) -> Constancy:
    """df/dt = f_t + f_q qdot + f_u udot + f_lam lamdot at random states."""
    system = equations.system
    moving = [s.name for s in (*equations.space, *equations.states_of_multipliers)]
    reader = Reader.of(system)
    reader.own |= {s.name: s for s in equations.states_of_multipliers}
    f = reader.read(function, "the function")
    known = [*moving, *system.symbols, TIME.name]
    for symbol in sorted(f.free_symbols, key=str):
        if symbol.name not in known:
            raise InvalidValue("E104", f"the function holds {symbol}", did_you_mean(symbol.name, known))
    flow = flow_of(equations)
    rate = rate_along(equations, f, list(islice(flow.sampler.inside(1), _STATES)))
    answer, struck = constant(flow, f)
    return Constancy(f, answer, rate, np.nan, struck)


def flow_of(equations: Equations) -> Flow:
    """The motion of these equations."""
    machine, states = equations.machine, tuple(s.name for s in equations.states_of_multipliers)
    form = machine.form if states else machine.form.rows(equations.kept)
    sampler = ConstraintSampler(equations.system, equations.constraints, Machine(machine.graph))
    return Flow(sampler, form.W, form.N, form.f, form.g, states)


def constant(flow: Flow, f: sp.Expr) -> tuple[Answer, tuple[str, ...]]:
    """Is f constant along every motion, walls and contacts included, and which of these change it?"""
    node = read(f, flow.sampler.graph)
    return passing(flow.constant(node), flow, node)


def rate_along(equations: Equations, f: sp.Expr, states: Iterable[Values]) -> float:
    """The largest |df/dt| over the size of its terms, at states and any multipliers; NaN without a state."""
    graph = equations.machine.graph
    moving = [s.name for s in (*equations.space, *equations.states_of_multipliers)]
    slopes = gradient(read(f, graph), [graph.symbol(name) for name in (*moving, TIME.name)])
    rng, found = np.random.default_rng(7), []
    for state in states:
        values = {**state, **{s.name: float(rng.normal()) for s in equations.states_of_multipliers}}
        udot, mu = equations.rows_at(values).accelerations(values)
        qdot = np.array(evaluate(equations.machine.qdot, values), float)
        rates = np.array([*qdot, *udot, *(mu if equations.states_of_multipliers else ()), 1.0])
        slope = np.array(evaluate(slopes, values), float)
        # a rate that is 0 but for rounding is small beside the others, not beside itself
        size = np.abs(slope) @ (np.abs(rates) + _REST * np.abs(rates).max())
        found.append(abs(slope @ rates) / (float(size) or 1.0))
    return float(max(found, default=np.nan))
