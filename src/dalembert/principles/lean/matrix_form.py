"""A(q) sdot = b(t, q, s) for the eye, with the entries of rotation matrices for unit quaternions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import sympy as sp

from ...calculus.algebra import Machine
from ...calculus.exact.tidy import Tidy
from ...calculus.frame import TIME, Frame
from ...calculus.graph import Graph
from ...calculus.hamel import Motion
from ...equations.lean import speed_names
from ...equations.matrix_form import MatrixForm
from ...model.system import System
from ..entries import attitude_values, definitions_in_entries, entry_names, in_entries
from .allowed import Allowed
from .projected import projected
from .states import named, random_states

_LARGEST = 3000  # operations of what is given from which nobody reads the equations


def matrix_form(system: System, kept: Sequence[int]) -> MatrixForm | None:
    """The form in the speeds of `lean`; None where a constraint is nonlinear, or what is given is long."""
    rows = [system.constraints[i] for i in kept]
    given = [system.lagrangian, *(c.phi for c in rows), *system.forces]
    if any(c.kind == "nonlinear" for c in rows) or sum(int(sp.count_ops(e)) for e in given) > _LARGEST:
        return None
    frame, given, attitudes = in_entries(system, given)
    states = random_states(system)
    for attitude in attitudes:
        states = [{**values, **attitude_values(attitude, values)} for values in states]
    form = _formed(system, frame, given, states, {a.name: entry_names(a.name) for a in attitudes})
    return replace(form, definitions=definitions_in_entries(system, attitudes))


def _formed(
    system: System,
    frame: Frame,
    given: Sequence[sp.Expr],
    states: Sequence[Mapping[str, float]],
    rotations: Mapping[str, tuple[str, ...]],
) -> MatrixForm:
    graph = Graph()
    algebra = Machine(graph)
    motion = Motion.of(frame, algebra)
    k = len(given) - 1 - len(system.forces)
    L, *rest = (algebra.read(e) for e in given)
    q, u = ([s.key[1] for s in symbols] for symbols in (motion.q, motion.u))
    fresh = speed_names(len(u), [*q, *u, *system.symbols])
    tidy = Tidy(graph, [*q, *u, *fresh, TIME.name], q, system.space.unit_vectors, polynomials=False)
    allowed = Allowed(rest[:k], motion, tidy, states, states)
    speeds = named(allowed, fresh)
    s = [graph.symbol(name) for name in speeds]
    A, b = projected(allowed, s, L, rest[k:])
    lower = tuple(tuple(row[: i + 1]) for i, row in enumerate(A))
    velocities, origin = tuple(allowed.velocities(s)), tuple(allowed.s)
    unit = tuple(vector for vector in system.space.unit_vectors if {*vector} <= {*q})
    return MatrixForm(frame, rotations, unit, tuple(speeds), lower, tuple(b), velocities, origin, given[0], {})
