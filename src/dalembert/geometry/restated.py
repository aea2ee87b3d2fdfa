"""A system written in other coordinates and velocities: q = Q(t, s), u = U(t, s, v), forces J^T Q, J = dU/dv."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import sympy as sp

from ..errors import InvalidValue
from ..model.space import Space
from ..model.system import System
from .kernel import tidy
from .restrict import occurring, unlimited

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
