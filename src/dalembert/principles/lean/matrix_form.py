"""A(q) sdot = b(t, q, s) for the eye, with the entries of rotation matrices for unit quaternions.

    4 q_w^2 = 1 + R11 + R22 + R33 ,   4 q_w q_x = R32 - R23 ,   4 q_x q_y = R12 + R21 ,  ...

A polynomial of degree 2 in a unit quaternion is one linear function of the entries of its matrix; where all that is
given can be written so, the entries are the coordinates, with the rates that the quaternion gives them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import sympy as sp

from ...calculus.algebra import Machine
from ...calculus.exact.tidy import Tidy
from ...calculus.frame import TIME, Frame
from ...calculus.graph import Graph, evaluate
from ...calculus.hamel import Motion
from ...calculus.read import read
from ...equations.lean import speed_names
from ...equations.matrix_form import MatrixForm
from ...model.space import Attitude
from ...model.system import System
from .allowed import Allowed
from .projected import projected
from .states import named, random_states

_LARGEST = 3000  # operations of what is given from which nobody reads the equations

Squares = dict[sp.Expr, sp.Expr]  # {product of two components: a linear function of the matrix}


def matrix_form(system: System, kept: Sequence[int]) -> MatrixForm | None:
    """The form in the speeds of `lean`; None where a constraint is nonlinear, or what is given is long."""
    rows = [system.constraints[i] for i in kept]
    given = [system.lagrangian, *(c.phi for c in rows), *system.forces]
    if any(c.kind == "nonlinear" for c in rows) or sum(int(sp.count_ops(e)) for e in given) > _LARGEST:
        return None
    frame, rotations = system.space.frame, dict[str, Attitude]()
    states = random_states(system)
    for attitude in system.space.attitudes.values():
        found = _in_entries(attitude, frame, given, {s.name for s in frame.coordinates} | set(system.symbols))
        if found is not None:
            (frame, given), rotations[attitude.name] = found, attitude
            states = [{**values, **_values(attitude, values)} for values in states]
    return _formed(system, frame, given, states, {name: tuple(_entries(name)) for name in rotations})


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
    return MatrixForm(frame, rotations, tuple(speeds), lower, tuple(b), tuple(allowed.velocities(s)), tuple(allowed.s))


# --- quaternions -----------------------------------------------------------------------------------------------------


def _entries(name: str) -> list[str]:
    return [f"{name}{i}{j}" for i in (1, 2, 3) for j in (1, 2, 3)]


def _in_entries(
    attitude: Attitude, frame: Frame, given: Sequence[sp.Expr], taken: set[str]
) -> tuple[Frame, list[sp.Expr]] | None:
    """Frame and expressions in the entries of a rotation's matrix; None where they cannot be written so."""
    q, names = attitude.coordinates, _entries(attitude.name)
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


def _values(attitude: Attitude, values: Mapping[str, float]) -> dict[str, float]:
    graph = Graph()
    entries = evaluate([read(e, graph) for e in attitude.matrix], values)
    return dict(zip(_entries(attitude.name), map(float, entries), strict=True))
