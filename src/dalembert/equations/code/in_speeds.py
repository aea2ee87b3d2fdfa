"""What a stand-alone program of a lean form computes: its rates, velocities and back, and whether it can be trusted.

    y = (q, s) ,   dy/dt = rates(t, y) ,   u = velocities(t, y) ,   y = from_velocities(t, (q, u))

What depends on parameters alone is computed once, by ``prepare``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from ...calculus.frame import TIME
from ...calculus.graph import Graph, Node
from ...calculus.read import read
from ...calculus.substitution import carried, hoisted
from ...errors import Singular
from ..start import Start
from .listing import Listing, Task, given

if TYPE_CHECKING:
    from .. import Equations
    from ..lean import Lean

PREPARED = "prepared"


def of_lean(
    lean: Lean, parameters: Mapping[str, float] | None = None, start: Start | Mapping[str, object] | None = None
) -> Listing:
    """The listing of a lean form; where a start is given, of one that is regular there.

    Raises:
        DalembertError: what `Equations.start` raises, where a start is given; E202, E204 for parameters.
        Singular: E162, no lean form is regular at the start.
    """
    return listed(*begun(lean, parameters, start))


def begun(
    lean: Lean, parameters: Mapping[str, object] | None, start: Start | Mapping[str, object] | None
) -> tuple[Lean, dict[str, float | None], Mapping[str, float] | None, float]:
    """The lean form, values of the parameters, the state or None, and its time; raises what `of_lean` does."""
    assert lean.equations is not None  # of those that `Equations.lean` gives
    values, state, t = given(lean.equations, parameters, start)
    if state is not None:
        lean = _regular(lean.equations, lean, {**values, **state, TIME.name: t})
    return lean, values, state, t


def listed(
    lean: Lean, values: Mapping[str, float | None], state: Mapping[str, float] | None, t: float = 0.0
) -> Listing:
    """The listing of a lean form with these values."""
    equations = lean.equations
    assert equations is not None
    u = tuple(u.name for u in equations.space.velocities)
    known = (*lean.coordinates, *u)
    functions, prepared, residuals = _functions(equations, lean, known)
    start = dict.fromkeys(known) if state is None else {name: state[name] for name in known}
    return Listing(equations, values, start, t, lean.states, functions, (), residuals, prepared, lean.meanings)


def _regular(equations: Equations, lean: Lean, found_at: Mapping[str, float | None]) -> Lean:
    """A lean form that is regular at these values, all of which are known at a start."""
    values = {name: value for name, value in found_at.items() if value is not None}
    if lean.regular(values):
        return lean
    found = equations.lean_at(values)
    if found is None or not found.regular(values):
        raise Singular(
            "E162",
            f"no lean form is regular at t = {values[TIME.name]:g}, the motion is",
            "equations.to_python(start=...) prints the equations as they are written",
        )
    return replace(found, equations=equations)


def _functions(
    equations: Equations, lean: Lean, known: tuple[str, ...]
) -> tuple[dict[str, Task], tuple[str, ...], tuple[str, ...]]:
    """The functions by name, the symbols of what is prepared, and the names of the residuals."""
    graph, relations = Graph(), _relations(equations)
    parts = {
        "rhs": carried(lean.rates, graph),
        "velocities": carried(lean.velocities, graph),
        "from_velocities": [*map(graph.symbol, lean.coordinates), *carried(lean.origin, graph)],
        "health": [lean.health(graph)],
        "residual": carried(list(relations.values()), graph),
    }
    flat, still = hoisted([y for ys in parts.values() for y in ys], [*lean.states, *known, TIME.name], PREPARED)
    nodes = iter(flat)
    tasks = {name: Task(tuple(next(nodes) for _ in ys)) for name, ys in parts.items()}
    tasks["from_velocities"] = Task(tasks["from_velocities"].outputs, reads=known)
    prepared = tuple(f"{PREPARED}:{k}" for k in range(len(still)))
    return {"prepare": Task(tuple(still)), **tasks}, prepared, tuple(relations)


def _relations(equations: Equations) -> dict[str, Node]:
    """What still drifts: relations between positions, and what holds the coordinates on their space."""
    graph = Graph()
    found = {c.name: read(c.position, graph) for c in equations.constraints if c.holonomic}
    return found | {f"space {i + 1}": read(e, graph) for i, e in enumerate(equations.space.embedding)}
