"""Is a function constant along the motions of some equations, whose multipliers may be states?

The geometry of the constraints decides it for nonholonomic motions (`geometry.noether.conserved`); here the rate is
computed along the equations themselves, at random states that satisfy the constraints and with any multipliers.
"""

from __future__ import annotations

from itertools import islice

import numpy as np

from ..calculus.frame import TIME
from ..calculus.graph import evaluate, gradient
from ..calculus.read import read
from ..equations import Equations
from ..errors import InvalidValue, did_you_mean
from ..geometry.noether import CONSERVED, Constancy
from ..geometry.noether import conserved as by_geometry
from ..geometry.states import ConstraintSampler
from ..given import public
from ..model.expression import Reader
from ..model.system import System

_STATES = 5


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
    system, graph = equations.system, equations.machine.graph
    moving = [s.name for s in (*equations.space, *equations.states_of_multipliers)]
    reader = Reader.of(system)
    reader.own |= {s.name: s for s in equations.states_of_multipliers}
    f = reader.read(function, "the function")
    known = [*moving, *system.symbols, TIME.name]
    for symbol in sorted(f.free_symbols, key=str):
        if symbol.name not in known:
            raise InvalidValue("E104", f"the function holds {symbol}", did_you_mean(symbol.name, known))
    slopes = gradient(read(f, graph), [graph.symbol(name) for name in (*moving, TIME.name)])
    rng, found = np.random.default_rng(7), []
    for state in islice(ConstraintSampler(system).inside(1), _STATES):
        values = {**state, **{s.name: float(rng.normal()) for s in equations.states_of_multipliers}}
        udot, mu = equations.rows_at(values).accelerations(values)
        qdot = np.array(evaluate(equations.machine.qdot, values), float)
        rates = [*qdot, *udot, *(mu if equations.states_of_multipliers else ()), 1.0]
        terms = np.array(evaluate(slopes, values), float) * rates
        found.append(abs(terms.sum()) / (float(np.abs(terms).sum()) or 1.0))
    rate = float(max(found, default=np.nan))
    return Constancy(f, bool(rate <= CONSERVED), rate, np.nan, f"at {len(found)} random states")
