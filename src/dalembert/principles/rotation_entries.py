"""Equations with the entries of rotation matrices for unit quaternions, for the eye.

    4 q_w^2 = 1 + R11 + R22 + R33 ,   4 q_w q_x = R32 - R23 ,   4 q_x q_y = R12 + R21 ,  ...

A polynomial of degree 2 in a unit quaternion is one linear function of the entries of its matrix; where all that is
given can be written so, the entries are the coordinates, with the rates that the quaternion gives them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import sympy as sp

from ..calculus.algebra import Algebra, GraphAlgebra
from ..calculus.euler_lagrange import Motion
from ..calculus.exact.operation_count import Tidy
from ..calculus.frame import TIME, Frame
from ..calculus.from_sympy import read
from ..calculus.graph import Graph, evaluate
from ..calculus.simplification import at_most
from ..equations.lean_form import speed_names
from ..equations.quasi_velocity_form import MatrixForm
from ..equations.saddle_form import Form
from ..equations.written_rows import InEntries
from ..model.constraint import Constraint
from ..model.space import Attitude
from ..model.system import System
from .lean.independent_velocities import FreeVelocities, named, random_states
from .lean.maggi_projection import projected
from .saddle import formed

_LARGEST = 3000  # operations of what is given from which nobody reads the equations

Squares = dict[sp.Expr, sp.Expr]  # {product of two components: a linear function of the matrix}


def entries(system: System, lagrangian: sp.Expr, constraints: Sequence[Constraint]) -> InEntries | None:
    """The equations with all rotations by their matrices; None where there are none, or it cannot be done."""
    given = [lagrangian, *system.forces, *(c.phi for c in constraints), *(c.given for c in constraints)]
    if not system.space.attitudes or not at_most(_LARGEST, *given):
        return None
    frame, (L, *rest), attitudes = in_entries(system, given)
    if not attitudes:
        return None
    Q, rest = rest[: len(system.forces)], rest[len(system.forces) :]
    k = len(constraints)
    named = {c.name: e for c, e in zip(constraints, rest[k:], strict=True)}
    derive = partial(_derived, frame, L, rest[:k], Q)
    rotations = {a.name: entry_names(a.name) for a in attitudes}
    return InEntries(frame, rotations, derive, tuple(Q), named, definitions_in_entries(system, attitudes))


def _derived(frame: Frame, lagrangian: sp.Expr, phi: Sequence[sp.Expr], Q: Sequence[sp.Expr], algebra: Algebra) -> Form:
    return formed(frame, lagrangian, [partial(_read, e) for e in phi], Q, algebra)


def _read(e: sp.Expr, motion: Motion) -> sp.Expr:
    return motion.algebra.read(e)


def in_entries(system: System, given: Sequence[sp.Expr]) -> tuple[Frame, list[sp.Expr], list[Attitude]]:
    """Frame and expressions in the entries of those rotations where all can be written so, and these rotations."""
    frame, found, attitudes = system.space.frame, list(given), list[Attitude]()
    for attitude in system.space.attitudes.values():
        way = _one(attitude, frame, found, {s.name for s in frame.coordinates} | set(system.symbols))
        if way is not None:
            (frame, found), attitudes = way, [*attitudes, attitude]
    return frame, found, attitudes


def definitions_in_entries(system: System, attitudes: Sequence[Attitude]) -> dict[str, sp.Expr]:
    """The author's abbreviations that can be written in the entries of these rotations."""
    found, gone = dict(system.definitions), {x for a in attitudes for x in a.coordinates}
    for attitude in attitudes:
        R = sp.Matrix(3, 3, [sp.Symbol(name, real=True) for name in entry_names(attitude.name)])
        squares = _squares(attitude.coordinates, R)
        found = {name: _written(e, attitude.coordinates, squares) for name, e in found.items()}
    return {name: e for name, e in found.items() if not e.free_symbols & gone}


def entry_names(name: str) -> tuple[str, ...]:
    """Names of the entries of a rotation's matrix, row by row."""
    return tuple(f"{name}{i}{j}" for i in (1, 2, 3) for j in (1, 2, 3))


def _one(
    attitude: Attitude, frame: Frame, given: Sequence[sp.Expr], taken: set[str]
) -> tuple[Frame, list[sp.Expr]] | None:
    """Frame and expressions in the entries of a rotation's matrix; None where they cannot be written so."""
    q, names = attitude.coordinates, entry_names(attitude.name)
    if len(q) != 4 or taken & set(names):
        return None
    R = sp.Matrix(3, 3, [sp.Symbol(name, real=True) for name in names])
    squares = _squares(q, R)
    index = {x: i for i, x in enumerate(frame.coordinates)}
    # R_ij' = dR_ij/dq_c E^c_a u^a
    moved = sp.Matrix([[e.diff(x) for x in q] for e in attitude.matrix]) * sp.Matrix(
        [frame.anchor[index[x], :] for x in q]
    )
    new = moved.applyfunc(lambda e: _written(sp.expand(e), q, squares))
    others = [x for x in frame.coordinates if x not in q]
    anchor = sp.Matrix([*(frame.anchor[index[x], :] for x in others), new])
    brackets = {pair: tuple(_written(e, q, squares) for e in row) for pair, row in frame.brackets.items()}
    found = [_written(e, q, squares) for e in given]
    left = {s for e in (*anchor, *found, *(e for row in brackets.values() for e in row)) for s in e.free_symbols}
    if left & set(q):
        return None
    return Frame((*others, *R), frame.velocities, sp.ImmutableMatrix(anchor), brackets), found


def _squares(q: Sequence[sp.Symbol], R: sp.Matrix) -> Squares:
    """Products of two components of a unit quaternion as linear functions of its matrix."""
    w, *v = q
    signs = [(1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)]
    found = {x**2: (1 + sum(s * R[i, i] for i, s in enumerate(sign))) / 4 for x, sign in zip(q, signs, strict=True)}
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        found[w * v[k]] = (R[j, i] - R[i, j]) / 4
        found[v[i] * v[j]] = (R[i, j] + R[j, i]) / 4
    return found


def _written(e: sp.Expr, q: Sequence[sp.Symbol], squares: Squares) -> sp.Expr:
    """The expression with products of two components replaced; what is of another degree is left."""
    if not e.free_symbols & set(q):
        return e
    coefficient, rest = e.as_independent(*q, as_Add=False)
    if rest in squares:
        return coefficient * squares[rest]
    if not e.is_Add:
        return e.func(*(_written(part, q, squares) for part in e.args)) if e.args else e
    near: list[tuple[sp.Expr, sp.Expr, sp.Expr]] = []
    far: list[tuple[sp.Expr, sp.Expr, sp.Expr]] = []
    for term in e.args:
        c, product = term.as_independent(*q, as_Add=False)
        (near if product in squares else far).append((c, product, term))
    # what the constants of the squares leave cancels here
    linear = sp.expand(sum((c * squares[product] for c, product, _ in near), sp.S.Zero))
    return linear + sp.Add(*(_written(term, q, squares) for *_, term in far))


def attitude_values(attitude: Attitude, values: Mapping[str, float]) -> dict[str, float]:
    """The entries of its matrix at values of its quaternion."""
    graph = Graph()
    entries = evaluate([read(e, graph) for e in attitude.matrix], values)
    return dict(zip(entry_names(attitude.name), map(float, entries), strict=True))


# --- the lean equations A(q) sdot = b in these entries ---------------------------------------------------------------


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
    algebra = GraphAlgebra(graph)
    motion = Motion.of(frame, algebra)
    k = len(given) - 1 - len(system.forces)
    L, *rest = (algebra.read(e) for e in given)
    q, u = ([s.key[1] for s in symbols] for symbols in (motion.q, motion.u))
    fresh = speed_names(len(u), [*q, *u, *system.symbols])
    tidy = Tidy(graph, [*q, *u, *fresh, TIME.name], q, system.space.unit_vectors, polynomials=False)
    allowed = FreeVelocities(rest[:k], motion, tidy, states, states)
    speeds = named(allowed, fresh)
    s = [graph.symbol(name) for name in speeds]
    A, b = projected(allowed, s, L, rest[k:])
    lower = tuple(tuple(row[: i + 1]) for i, row in enumerate(A))
    velocities, origin = tuple(allowed.velocities(s)), tuple(allowed.s)
    unit = tuple(vector for vector in system.space.unit_vectors if {*vector} <= {*q})
    return MatrixForm(frame, rotations, unit, tuple(speeds), lower, tuple(b), velocities, origin, given[0], {})
