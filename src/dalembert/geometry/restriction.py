"""A system restricted to the velocities that its linear constraints allow: a smaller space, and no constraint.

    u = Z v ,   N Z = 0 ,   L_c(q, v) = L(q, Z v) ,   qdot = E Z v
    C^k_ij = G^kl Z_l W [Z_i, Z_j] ,   G = Z W Z      ([Z_i, Z_j] projected with the kinetic metric W)

The brackets are those of the projected directions, so that the Jacobi identity may fail: the space is "almost" one. The
Euler-Lagrange expression of L_c on it is the nonholonomic motion of the given system [koiller1992; vanderschaft1994],
if L is a kinetic energy less a potential. A part a(t, q) u of L, as of a magnetic field or of a turning frame, pairs
with the whole of the bracket, and not with its projection alone: the form d(a u) on D keeps

    Q_i = -a([Z_i, Z_j] - C^k_ij Z_k) v^j ,

a force that does no work, whether or not a vanishes on D. It is a matter of the variation, which is taken before the
constraints are put in [bloch1996].
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import sympy as sp

from ..argument_checks import public
from ..calculus.budget import budget
from ..calculus.frame import TIME, Frame
from ..calculus.simplification import adjugate, determinant
from ..errors import InvalidValue
from ..errors.remedies import Option, Principle
from ..model.space import Space
from ..model.system import System
from .generators import needs_system
from .summary_lines import Summary
from .symbolic_null_space import kernel, pivots, poles, tidy, vanishes

_LARGEST = 10**9
Table = dict[tuple[int, int], list[sp.Expr]]
_SHOWN = 60  # operations up to which a bracket is simplified


@dataclass(frozen=True, eq=False)
class Restricted:
    """A system without its constraints.

    Attributes:
        system: on the almost space of allowed velocities; `da.free(system)` is its motion.
        Z: k x r, the given velocities are u = Z v.
        given: the system that was restricted.
        lowered: Z_l W [Z_i, Z_j] for i < j, the brackets before G = Z W Z is inverted.
    """

    system: System
    Z: sp.ImmutableMatrix
    given: System
    lowered: Table

    @cached_property
    def poles(self) -> tuple[sp.Expr, ...]:
        """Functions of the place at whose zeros the velocities that are left are no frame."""
        return tuple(poles(self.Z, [self.given.space], self.given.parameters))

    @property
    def velocities(self) -> dict[str, sp.Expr]:
        """The given velocities as functions of the coordinates and the velocities that are left."""
        u = self.Z * sp.Matrix(self.system.space.velocities)
        return {s.name: e for s, e in zip(self.given.space.velocities, u, strict=True)}

    def __str__(self) -> str:
        rows = ", ".join(c.name for c in self.given.constraints) or "nothing"
        told = Summary(f"{self.given.title or 'System'}, restricted by {rows}", ".velocities, .system")
        told.add("velocities", ", ".join(f"{name} = {e}" for name, e in self.velocities.items()))
        if self.poles:
            told.add("poles", f"where {' or '.join(map(str, self.poles))} = 0 they are singular")
        told.add_system(self.system)
        return str(told)

    __repr__ = __str__


@public
def restrict(system: System) -> Restricted:
    """Restrict a system to the velocities that its constraints allow.

    Raises:
        WrongType: E101, not a system.
        InvalidValue: E114, no motion is left; E124, constraints that are not linear in the velocities, that depend on
            the time, or that are relations between positions; E136, it takes more time or memory than the system's
            limits.
    """
    needs_system(system, "restrict")
    for c in system.constraints:
        _refuse(c)
    with derivation(system, "restricting the system"):
        return _restrict(system)


def _restrict(system: System) -> Restricted:
    space, u = system.space, sp.Matrix(system.space.velocities)
    Z, v = frame_on(system)
    W = sp.hessian(system.lagrangian, list(u)) if len(u) else sp.zeros(0, 0)
    if W.free_symbols & {*u}:
        raise InvalidValue(
            "E124", "L is not quadratic in the velocities: there is no metric to project with", Principle("hamel")
        )
    there = dict(zip(u, Z * sp.Matrix(v), strict=True))
    anchor = (sp.Matrix(space.anchor) * Z).applyfunc(tidy)
    lies, G = brackets(space.frame, Z), (Z.T * W * Z).applyfunc(tidy)
    low = lowered(lies, Z, W)
    table = raised(G, low)
    new = Space(
        space.coordinates,
        v,
        anchor,
        table,
        almost=True,
        embedding=space.embedding,
        retraction=space.retraction,
        angles=sorted(space.angles),
    ).projected(G, low)
    a = [system.lagrangian.diff(s).xreplace(dict.fromkeys(u, sp.S.Zero)) for s in u]
    Q = Z.T * sp.Matrix([q.xreplace(there) for q in system.forces]) + across(a, Z, lies, table, v)
    forces = {s: tidy(e) for s, e in zip(v, Q, strict=True) if e != 0}
    L = tidy(system.lagrangian.xreplace(there))
    momenta = {name: tidy(e.xreplace(there)) for name, e in system.momenta.items()}
    given = [L, *forces.values(), *system.of_surfaces, *momenta.values()]
    smaller = System(
        new,
        L,
        {},
        forces,
        occurring(system, new, given),
        momenta=momenta,
        **system.met(lambda e: e.xreplace(there)),
        title=f"{system.title} on D".strip(),
        limits=unlimited(system),
        inputs=driving(system, given),
    ).printed_as(system)
    return Restricted(smaller.naming({s.name: e for s, e in there.items()}), sp.ImmutableMatrix(Z), system, low)


def normals(system: System) -> sp.Matrix:
    """N = dphi/du (m x k)."""
    u, rows = system.space.velocities, system.constraints
    return sp.Matrix(len(rows), len(u), [c.phi.diff(v) for c in rows for v in u])


def allowed(system: System, N: sp.Matrix) -> tuple[sp.Matrix, list[int]]:
    """Z (k x r) with N Z = 0, and the positions of the velocities that are left: u = Z v, v some of u."""
    k = N.cols
    if not N.rows:
        return sp.eye(k), list(range(k))
    rows, dependent = pivots(system, N)
    left = [a for a in range(k) if a not in dependent]
    block = N.extract(rows, dependent)
    # N_dependent Z_dependent = -N_left
    solved = (-adjugate(block) * N.extract(rows, left) / determinant(block)).applyfunc(tidy)
    Z = sp.zeros(k, len(left))
    for j, a in enumerate(left):
        Z[a, j] = 1
        for i, d in enumerate(dependent):
            Z[d, j] = solved[i, j]
    return Z, left


def frame_on(system: System) -> tuple[sp.Matrix, list[sp.Symbol]]:
    """Z (k x r) with N Z = 0, without denominators, and the velocities v with u = Z v.

    A velocity keeps its name where its column leaves it as it is; the others are called ``d_<velocity>``.

    Raises:
        InvalidValue: E114, no velocity is left.
    """
    u, N = system.space.velocities, normals(system)
    if not N.rows:
        return sp.eye(len(u)), list(u)
    _, dependent = pivots(system, N)
    left = [a for a in range(len(u)) if a not in dependent]
    if not left:
        fact = f"{len(dependent)} independent constraints on {len(u)} velocities: no motion is left"
        raise InvalidValue("E114", fact, "leave out one of the constraints")
    columns, v = [], []
    for a, column in zip(left, kernel(system, N), strict=True):
        column = -column if column[a].could_extract_minus_sign() else column
        moving = bool(column[a].free_symbols & set(system.space.coordinates))
        columns.append(column if moving else (column / column[a]).applyfunc(tidy))
        v.append(sp.Symbol(f"d_{u[a].name}", real=True) if moving else u[a])
    return sp.Matrix.hstack(*columns), v


def brackets(frame: Frame, Z: sp.Matrix) -> Table:
    """[Z_i, Z_j] for the columns of Z; pairs whose bracket is 0 are left out."""
    columns = [list(Z[:, j]) for j in range(Z.cols)]
    lies = {(i, j): bracket(frame, columns[i], columns[j]) for i, j in combinations(range(Z.cols), 2)}
    return {pair: lie for pair, lie in lies.items() if any(e != 0 for e in lie)}


def lowered(lies: Table, Z: sp.Matrix, W: sp.Matrix) -> Table:
    """Z_l W [Z_i, Z_j]."""
    ZW = (Z.T * W).applyfunc(tidy) if lies else Z.T
    return {pair: [tidy(e) for e in ZW * sp.Matrix(lie)] for pair, lie in lies.items()}


def across(a: Sequence[sp.Expr], Z: sp.Matrix, lies: Table, table: Table, v: Sequence[sp.Symbol]) -> sp.Matrix:
    """Q_i = -a([Z_i, Z_j] - C^k_ij Z_k) v^j (r): what projected brackets lose of a part a u of L."""
    Q = sp.zeros(len(v), 1)
    for (i, j), lie in lies.items() if any(e != 0 for e in a) else ():
        left = sp.Matrix(lie) - Z * sp.Matrix(table[i, j])
        beta = tidy(sum((x * y for x, y in zip(a, left, strict=True)), sp.S.Zero), _SHOWN)
        if not vanishes(beta):
            Q[i] -= beta * v[j]
            Q[j] += beta * v[i]
    return Q


def raised(G: sp.Matrix, low: Table) -> Table:
    """C^k_ij = G^kl (Z_l W [Z_i, Z_j])."""
    if not low:
        return {}
    inverse = (adjugate(G) / tidy(determinant(G))).applyfunc(tidy)
    table = {pair: inverse * sp.Matrix(row) for pair, row in low.items()}
    return {pair: [sp.S.Zero if vanishes(e) else tidy(e, _SHOWN) for e in row] for pair, row in table.items()}


def bracket(frame: Frame, x: Sequence[sp.Expr], y: Sequence[sp.Expr]) -> list[sp.Expr]:
    """[x, y]^c = E x y^c - E y x^c + C^c_ab x^a y^b of two fields in the frame."""
    q, E = frame.coordinates, sp.Matrix(frame.anchor)
    dx, dy = (list(E * sp.Matrix(f)) if q else [] for f in (x, y))
    found = []
    for c in range(len(x)):
        there = sum((s * y[c].diff(qi) for s, qi in zip(dx, q, strict=True)), sp.S.Zero)
        back = sum((s * x[c].diff(qi) for s, qi in zip(dy, q, strict=True)), sp.S.Zero)
        turned = sum((row[c] * (x[a] * y[b] - x[b] * y[a]) for (a, b), row in frame.brackets.items()), sp.S.Zero)
        e = there - back + turned
        found.append(sp.S.Zero if vanishes(e) else e)
    return found


def derivation(system: System, what: str) -> AbstractContextManager[None]:
    """Time and memory for a derivation that is not needed for numbers."""
    remedy = (
        *("the given system runs without it: ", Principle("nonholonomic"), "; for more time: "),
        Option("limits", {"seconds": 600, "gibibytes": 8}, "System"),
    )
    return budget(what, remedy, system.limits)


def occurring(system: System, space: Space, expressions: Sequence[sp.Expr]) -> dict[str, float | None]:
    """The parameters of a system that occur in a space and in expressions on it."""
    brackets = [e for row in space.brackets.values() for e in row]
    names = {s.name for s in space.frame.letters.union(*(e.free_symbols for e in (*expressions, *brackets)))}
    return {name: value for name, value in system.parameters.items() if name in names}


def driving(system: System, expressions: Sequence[sp.Expr]) -> list[str]:
    """The inputs of a system that occur in expressions."""
    names = {s.name for e in expressions for s in e.free_symbols}
    return [name for name in system.inputs if name in names]


def unlimited(system: System) -> dict[str, int]:
    """Limits for a system that was derived from another: the size of what is derived is nobody's mistake."""
    return {**system.limits, "coordinates": _LARGEST, "operations": _LARGEST}


def _refuse(constraint: object) -> None:
    kind, phi = constraint.kind, constraint.phi  # type: ignore[attr-defined]
    name = constraint.name  # type: ignore[attr-defined]
    if kind != "linear":
        what = "a relation between positions" if kind == "holonomic" else f"{kind} in the velocities"
        remedy = "choose coordinates on it" if kind == "holonomic" else "only linear constraints span a distribution"
        raise InvalidValue("E124", f"{name} is {what}: the allowed velocities are no smaller space", remedy)
    if phi.has(TIME):
        raise InvalidValue("E124", f"{name} depends on the time", "a space knows no time: put it into coordinates")
