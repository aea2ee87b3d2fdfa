"""Systems from a Lagrangian in dynamicsymbols, or from SymPy's `LagrangesMethod`, which holds one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import sympy as sp
from sympy.core.function import AppliedUndef

from ...errors import InvalidValue, WrongType, as_given
from ..space import Space
from ..system import System
from .dynamicsymbols import Specified, clock, functions, listed, name, named


class LagrangianRows(NamedTuple):
    """What stands beside a Lagrangian: constraints on positions and on velocities, loads and their frame."""

    holonomic: Any = None
    nonholonomic: Any = None
    loads: Any = None
    frame: Any = None


def of_method(method: Any, names: Any, velocities: Any, specified: Any, options: Mapping[str, Any]) -> System:
    """The system of a `LagrangesMethod`.

    It keeps its Lagrangian and its holonomic constraints in private attributes only; where another version of SymPy
    does not, this says so.
    """
    try:
        L, held = method._L[0], list(method._hol_coneqs)
    except AttributeError:
        raise WrongType(
            "E101",
            "this version of SymPy does not keep the Lagrangian in its LagrangesMethod",
            "from_sympy(L, qs, hol_coneqs=..., nonhol_coneqs=..., forcelist=..., frame=...)",
        ) from None
    rows = LagrangianRows(held, list(method.coneqs)[len(held) :], method.forcelist, method.inertial)
    return of_lagrangian(L, list(method.q), rows, names, velocities, specified, options)


def of_lagrangian(
    L: sp.Expr, qs: Any, rows: LagrangianRows, names: Any, velocities: Any, specified: Any, options: Mapping[str, Any]
) -> System:
    """The system of a Lagrangian in functions of time and their derivatives."""
    q, given = functions(qs, "qs"), Specified(specified)
    if not q:
        raise WrongType("E101", "no coordinates were given", 'qs=dynamicsymbols("x y")')
    held, moving = listed(rows.holonomic, "hol_coneqs"), listed(rows.nonholonomic, "nonhol_coneqs")
    for e in held:
        if given.put(e).has(sp.Derivative):
            raise InvalidValue(
                "E118",
                f"hol_coneqs holds {e}, which is not a relation between positions",
                "give it as one of nonhol_coneqs",
            )

    def read(e: sp.Expr, where: str) -> sp.Expr:
        return given.check(given.put(e), q, where)

    constraints = named([read(e, "a constraint") for e in (*held, *moving)], names)
    space = Space([name(f) for f in q], velocities)
    forces = _forces(rows, q, given)
    powers = {u: read(Q, "the forces") for u, Q in zip(space.velocities, forces, strict=True) if Q != 0}
    return System(space, read(L, "the Lagrangian"), constraints, powers, **options)


def _forces(rows: LagrangianRows, q: Sequence[AppliedUndef], given: Specified) -> list[sp.Expr]:
    """Q_i = sum of F . dv/dqdot^i over the loads."""
    rates = [f.diff(clock()) for f in q]
    pairs = velocities_of(rows.loads, rows.frame)
    return [sum((v.diff(r, rows.frame).dot(F) for v, F in pairs), sp.S.Zero) for r in rates]


def velocities_of(loads: object, frame: Any) -> list[tuple[Any, Any]]:
    """(velocity, force) of each load: of its point, or the angular velocity of its frame.

    Raises:
        WrongType: E127, a load that is no pair of a point or frame and a vector, or no inertial frame.
    """
    from sympy.physics.mechanics import Point, ReferenceFrame, Vector

    if not isinstance(loads, Iterable | None):
        raise WrongType("E127", f"forcelist: {as_given(loads)} is not a list of loads", "forcelist=[(point, force)]")
    found = []
    for load in () if loads is None else loads:
        if not (isinstance(load, Sequence) and len(load) == 2 and isinstance(load[0], Point | ReferenceFrame)):
            raise WrongType("E127", f"{load} is not a load", "(point, force) or (frame, torque)")
        if not isinstance(frame, ReferenceFrame):
            raise WrongType("E127", "loads need the inertial frame", "frame=N")
        place, F = load
        F = Vector(0) if F == 0 else F
        if not isinstance(F, Vector):
            raise WrongType("E127", f"the load on {place} is {F}, not a vector", "for example -m*g*N.z")
        try:
            v = place.ang_vel_in(frame) if isinstance(place, ReferenceFrame) else place.vel(frame)
        except ValueError as refusal:
            raise InvalidValue(
                "E127", f"{place} has no velocity in {frame}: {refusal}", "set it with set_vel"
            ) from None
        found.append((v, F))
    return found
