"""The plan of equations as they are written, with less to compute: equal values once, and what is still, once a run.

Lean forms come tidied. What has none, vakonomic motions and nonlinear constraints above all, is tidied here, with its
multipliers and its rank margin.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...calculus.exact.tidy import Tidy
from ...calculus.frame import TIME
from ...calculus.graph import Node
from ...calculus.substitution import hoisted
from ...equations import Equations
from ..machine.function import Function
from .plan import PREAMBLE, Plan
from .projection import WORK
from .stabilisation import Projection, Stabilisation


def tidied(equations: Equations, stabilisation: Stabilisation) -> Plan:
    """The plan of the equations as written, of the same values with fewer operations; with a ``preamble`` if it helps.

    Unit lengths are used as such where steps are brought back to them. Nothing is multiplied out: a stiff force c phi
    that is rounded once would be rounded in each term.
    """
    plan = Plan.of(equations.apart(), stabilisation)
    rhs = plan.functions["rhs"]
    moving = [name for name, (place, _) in plan.inputs.items() if place != "p" and name != WORK]
    moving = [*dict.fromkeys([*moving, TIME.name]), *_references(plan), *(f"x:{i}" for i in range(rhs.size + 1))]
    nodes = [*rhs.outputs, *rhs.system]
    unit = equations.space.unit_vectors if isinstance(stabilisation, Projection) else ()
    positions = [q.name for q in equations.space.coordinates]
    tidy = Tidy(rhs.graph, moving, positions, unit, polynomials=False)
    return _with_preamble(plan, rhs, tidy(nodes), moving)


def _references(plan: Plan) -> list[str]:
    """Names of the reciprocals that stand behind the parameters: they change with the start."""
    return [name for name, (place, i) in plan.inputs.items() if place == "p" and i >= len(plan.parameters)]


def _with_preamble(plan: Plan, rhs: Function, nodes: Sequence[Node], moving: Sequence[str]) -> Plan:
    found, still = hoisted(nodes, moving, PREAMBLE)
    outputs, system = found[: len(rhs.outputs)], found[len(rhs.outputs) :]
    functions = {**plan.functions, "rhs": replace(rhs, outputs=tuple(outputs), system=tuple(system))}
    if still:
        functions[PREAMBLE] = Function(tuple(still))
    behind = len(plan.parameters) + len(plan.pivots) + len(plan.charts)
    inputs = {**plan.inputs, **{f"{PREAMBLE}:{k}": ("p", behind + k) for k in range(len(still))}}
    return replace(plan, functions=functions, inputs=inputs, preamble=len(still))
