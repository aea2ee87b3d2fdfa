"""A system written in other coordinates and velocities: q = Q(t, s), u = U(t, s, v), forces J^T Q, J = dU/dv.

Two changes are made here: to the rates of the coordinates (`in_coordinates`), and between angular velocities along the
body and in space (`in_other_frame`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import sympy as sp

from ..errors import InvalidValue
from ..model.space import Attitude, Space
from ..model.space_factors import rotation
from ..model.symmetry import Generator
from ..model.system import System
from .restriction import occurring, unlimited
from .symbolic_null_space import ring_of, tidy

Table = Mapping[sp.Symbol, sp.Expr]


def restated(
    system: System,
    space: Space,
    places: Table,
    speeds: Table,
    constraints: Mapping[str, sp.Expr],
    constants: Mapping[str, float | None],
    tidied: Callable[[sp.Expr], sp.Expr] = tidy,
) -> System:
    """The system on another space, with these constraints there, and constants as further parameters."""
    there = {**places, **speeds}

    def written(e: sp.Expr) -> sp.Expr:
        return e.xreplace(there)

    # Q_v = (dU/dv)^T Q
    J = sp.Matrix([*speeds.values()]).jacobian(list(space.velocities))
    Q = J.T * sp.Matrix([written(q) for q in system.forces])
    forces = {v: tidied(e) for v, e in zip(space.velocities, Q, strict=True) if e != 0}
    moving = {v: {u for u, e in zip(speeds, J.col(a), strict=True) if e != 0} for a, v in enumerate(space.velocities)}
    L, rows = tidied(written(system.lagrangian)), {n: tidied(e) for n, e in constraints.items()}
    met = [*map(written, system.of_surfaces), *map(written, system.momenta.values())]
    used = occurring(system, space, [L, *forces.values(), *rows.values(), *met])
    names = {s.name for e in (L, *Q, *rows.values(), *met) for s in e.free_symbols}
    return System(
        space,
        L,
        rows,
        forces,
        {**used, **{n: v for n, v in constants.items() if n in names}},
        massless=[v.name for v, moved in moving.items() if moved and moved <= {*system.massless}],
        momenta={n: written(e) for n, e in system.momenta.items()},
        **system.met(written),
        inputs=[n for n in system.inputs if n in names],
        title=system.title,
        limits=unlimited(system),
    ).printed_as(system)


def in_coordinates(system: System) -> System:
    """The same system with the rates of its coordinates as velocities: u = E^-1 qdot.

    Raises:
        InvalidValue: E124, more or fewer coordinates than velocities.
    """
    space = system.space
    E = sp.Matrix(space.anchor)
    if E.rows != E.cols:
        fact = f"{E.rows} coordinates and {E.cols} velocities: a coordinate of a rotation is not solved for"
        raise InvalidValue("E124", fact, "give coordinates on the leaf: on=, chart=")
    plain = Space(space.coordinates, [f"v{q.name}" for q in space.coordinates], angles=sorted(space.angles))
    rates = (E.inv() * sp.Matrix(plain.velocities)).applyfunc(tidy)
    places, speeds = {q: q for q in space.coordinates}, dict(zip(space.velocities, rates, strict=True))
    rows = {c.name: c.given.xreplace(speeds) for c in system.constraints}
    return restated(system, plain, places, speeds, rows, {})


# --- angular velocities in space or along the body --------------------------------------------------------------------

#     w_space = R w_body
#
# A group that turns a body in space leaves its angular velocity along the body alone, and turns that in space; one that
# turns it about its own axes does the opposite. What cannot be reduced in one of them may be reduced in the other.

_OTHER = {"space": "body", "body": "space"}


@dataclass(frozen=True, eq=False)
class OtherFrame:
    """The system in its other frame.

    Attributes:
        system: with the velocities of the other frame.
        generators: of the same group there.
        velocities: the given velocities by these.
    """

    system: System
    generators: tuple[Generator, ...]
    velocities: Mapping[sp.Symbol, sp.Expr]


def in_other_frame(system: System, generators: Sequence[Generator], names: Sequence[str]) -> OtherFrame | None:
    """With these rotations in their other frames; None where none of them is a factor of its space, by a quaternion."""
    space, P = system.space, sp.eye(len(system.space.velocities))
    other = space
    for attitude in (space.attitudes[name] for name in names):
        found = _flipped(other, attitude, system)
        if found is not None:
            other, P = found[0], P * found[1]
    if other is space:
        return None
    speeds = dict(zip(space.velocities, P * sp.Matrix(other.velocities), strict=True))
    rows = {c.name: c.given.xreplace(speeds) for c in system.constraints}
    places, norms = {q: q for q in space.coordinates}, [e for e in space.embedding if e.is_polynomial()]

    def tidied(e: sp.Expr) -> sp.Expr:
        return _modulo(e, norms)

    written = restated(system, other, places, speeds, rows, {}, tidied)
    moved = [Generator(g.name, tuple((P.T * sp.Matrix(g.components)).applyfunc(tidied))) for g in generators]
    return OtherFrame(written, tuple(moved), speeds)


def _flipped(space: Space, attitude: Attitude, system: System) -> tuple[Space, sp.Matrix] | None:
    """The space with a rotation in its other frame, and P (k, k): the given velocities are P times the new ones."""
    E, own = space.anchor, [space.coordinates.index(q) for q in attitude.coordinates]
    block = [a for a in range(E.cols) if any(E[i, a] != 0 for i in own)]
    if len(own) != 4 or len(block) != 3 or any(E[i, a] != 0 for i in range(E.rows) if i not in own for a in block):
        return None
    made = {along: rotation(attitude.name, "w1 w2 w3", along) for along in _OTHER}
    along = next((along for along, factor in made.items() if E[own, block] == factor.anchor), None)
    if along is None or any(set(pair) & {*block} and not set(pair) <= {*block} for pair in space.brackets):
        return None
    names, anchor, P = [u.name for u in space.velocities], sp.Matrix(E), sp.eye(E.cols)
    turn = attitude.matrix if along == "space" else attitude.matrix.T
    for k, a in enumerate(block):
        for j, b in enumerate(block):
            P[a, b] = turn[k, j]
        names[a] = _free(f"{names[a]}_{_OTHER[along]}", system)
        for i, j in enumerate(own):
            anchor[j, a] = made[_OTHER[along]].anchor[i, k]
    # [e_a, e_b] = +eps_abc e_c in the body frame, -eps_abc e_c in the space frame
    brackets = {p: [-c for c in row] if set(p) <= {*block} else list(row) for p, row in space.brackets.items()}
    return space.with_frame(names, anchor, brackets), P


def _modulo(e: sp.Expr, norms: Sequence[sp.Expr]) -> sp.Expr:
    """A polynomial without the squares of first entries that the norms of quaternions give by the others: R^T R = 1."""
    symbols = sorted({s for norm in norms for s in norm.free_symbols}, key=str)
    if not e.free_symbols & {*symbols} or not e.is_polynomial(*symbols):
        return e
    ring = ring_of(symbols, e, *norms)
    return ring.from_expr(e).rem([ring.from_expr(norm) for norm in norms]).as_expr()


def _free(name: str, system: System) -> str:
    """A name that the system does not have yet."""
    taken = {*system.space.by_name, *system.symbols, *system.parameters, *system.definitions}
    while name in taken:
        name += "_"
    return name
