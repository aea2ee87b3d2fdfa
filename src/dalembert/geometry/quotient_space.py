"""A system seen without its group: the space TQ/G of positions and velocities up to the group, and the system on it.

Two ways, the first where it is possible.

*The frame stays.* Where the velocities' frame is left alone by the group, anchor and brackets are functions of the
shape only: the group's coordinates are dropped, and nothing else changes.

*A slice.* Where only plain coordinates are moved, the group brings the system to the slice on which they are 0, and the
frame there is carried along by the group. With [X_alpha, Y_b] = 0 the brackets of the frame so carried are known on the
slice from the generators alone:

    e_a = zeta^alpha_a X_alpha + rho^i_a d/dr^i                      (on the slice)
    X_alpha Y_b^c = e_b X_alpha^c - C^c_db X_alpha^d
    [Y_a, Y_b]^c = zeta^alpha_a (X_alpha Y_b^c) - zeta^alpha_b (X_alpha Y_a^c) + C^c_ab

The Euler-Lagrange expression of the reduced space is then that of Lagrange-Poincare [cendra2001], and constraints,
forces and principles go with it as with any other space.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, islice

import numpy as np
import sympy as sp

from ..argument_checks import public
from ..calculus.frame import TIME
from ..calculus.from_sympy import read
from ..calculus.graph import symbols
from ..calculus.numerical_rank import sized
from ..errors import InvalidValue
from ..model.space import Space
from ..model.symmetry import Generator
from ..model.system import System
from .generators import acting
from .group_action import Action
from .group_invariants import Shape, shape_of
from .group_slice import across, crossed, group_part, rates
from .identities import decided
from .parameter_conditions import only_at, specialised
from .random_states import ConstraintSampler
from .restriction import Table, derivation, driving, occurring, raised, unlimited
from .summary_lines import Summary
from .symbolic_null_space import tidy, vanishes

_TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class Quotient:
    """A system without the coordinates of its group.

    Attributes:
        system: on the reduced space.
        given: the system that was reduced.
        generators: of the group.
        structure: structure constants f[a, b, c] of the generators (see `Action.structure`).
        shape: the reduced coordinates as functions on the given space.
        carried: is the frame carried along from a slice? Else it is the given one.
        zeta: g x k, the generators' part of each direction of the frame on the slice; empty if the frame is the given
            one.
        fixed: parameters of the given system with other values of which there is no such symmetry: they are numbers in
            the reduced one.
    """

    system: System
    given: System
    generators: tuple[Generator, ...]
    structure: np.ndarray
    shape: Shape
    carried: bool
    zeta: sp.ImmutableMatrix
    fixed: Mapping[str, float] = field(default_factory=dict)

    @property
    def way(self) -> str:
        """How the group was dropped, in words."""
        return "frame carried along from a slice" if self.carried else "frame left alone by the group"

    def __str__(self) -> str:
        names = ", ".join(g.name for g in self.generators)
        told = Summary(f"{self.given.title or 'System'}, without {names}", ".shape, .system")
        told.add("way", self.way)
        if self.fixed:
            told.add("note", only_at(self.fixed))
        told.add("shape", self.shape.line)
        told.add_system(self.system)
        return str(told)

    __repr__ = __str__


@public
def quotient(system: System, symmetry: object = None) -> Quotient:
    """Drop the coordinates of a group; constraints of all kinds stay.

    Args:
        system: the system.
        symmetry: generators as for `System`; by default those that the system declares.

    Raises:
        WrongType: E101, not a system.
        UnknownName: E104, a generator holds a name that the system does not know.
        InvalidValue: E122 the generators are no symmetry, E123 they are not closed under brackets; E124 the reduced
            space cannot be written down in either way, with the reason; E125 there are no generators.
    """
    generators = acting(system, symmetry, "quotient")
    with derivation(system, "the quotient by the group"):
        found = specialised(system, generators)
        return replace(over(found.system, found.generators), given=system, fixed=found.fixed)


def over(system: System, generators: tuple[Generator, ...]) -> Quotient:
    """The quotient by generators that are a symmetry at all values of the parameters."""
    action = Action(ConstraintSampler(system), generators)
    shape = shape_of(system.space, generators)
    if action.rank() != len(generators):
        raise InvalidValue(
            "E124",
            f"{len(generators)} generators span only {action.rank()} directions",
            "leave out the dependent ones: the group must act freely",
        )
    shape = crossed(action, shape)
    if frame_stays(system, action, shape):
        return drop(system, action, shape)
    leaning = [lean.attitude for lean in shape.leanings]
    if any(a not in leaning for a in system.space.attitudes.values() if not set(a.coordinates) <= set(shape.kept)):
        raise InvalidValue(
            "E124",
            "the frame of the velocities is moved by the group, and a rotation is turned: there is no slice",
            'choose velocities that the group leaves alone: for turns in space those along the body, frame="body" and '
            'da.SE2 or da.SE3 for places, for turns of the body about its own axes frame="space"; '
            "or leave generators out",
        )
    return _sliced(system, action, shape)


# --- the frame stays ------------------------------------------------------------------------------------------------


def frame_stays(system: System, action: Action, shape: Shape) -> bool:
    """Is everything that the reduced system is made of invariant under the group, at fixed velocities?

    Coordinates on a slice ask for more: the group must not turn the frame itself.
    """
    space = system.space
    if shape.crossing and not _untouched(action, frame_turned(space, _fields(action))):
        return False
    rows = [e for row in space.brackets.values() for e in row]
    rows += [e for s in shape.meaning.values() for e in rates(space, s)]
    rows += [system.lagrangian, *(c.phi for c in system.constraints), *system.forces, *system.of_surfaces]
    return left_alone(action, rows)


def left_alone(action: Action, rows: Sequence[sp.Expr]) -> bool:
    """Are these functions invariant when the group moves the coordinates, at fixed velocities?"""
    motion, system = action.sampler.motion, action.sampler.system
    nodes = [read(e, action.sampler.graph) for e in rows]
    moved = (e for x in action.fields for e in motion.algebra.along(nodes, motion.q, action.places(x)))
    changes = [e for e in moved if not e.is_zero]
    known = {s.name for s in (*system.space, TIME)} | {*system.symbols, *system.parameters}
    others = sorted(symbols(changes) - known)  # velocities of another frame: any values will do
    elsewhere = [action.at(values).sampler for values in islice(action.moves(), 1) if values]
    seen = (decided([changes], sampler, "a change", others) for sampler in (action.sampler, *elsewhere))
    return not changes or all(found.value is not False for found in seen)


def drop(system: System, action: Action, shape: Shape, low: Table | None = None) -> Quotient:
    """The system without the group's coordinates, its frame being left alone by the group.

    Args:
        low: brackets lowered with the kinetic metric, for a system that was restricted: rewritten before they are
            raised, they stay short.
    """
    space = system.space
    anchor = [[shape.rewrite(e) for e in rates(space, s)] for s in shape.meaning.values()]
    if shape.crossing:
        X = _fields(action)
        anchor += across(space, X, group_part(space, X, shape)[0], shape, list(shape.crossing))
    table = {p: [shape.rewrite(e) for e in row] for p, row in (space.brackets if low is None else low).items()}
    if low is None:
        return _quotient(system, action, shape, anchor, table, None)
    G = sp.hessian(shape.rewrite(system.lagrangian), list(space.velocities))
    found = _quotient(system, action, shape, anchor, raised(G, table), None)
    found.system.space.projected(G, table)
    return found


# --- a slice --------------------------------------------------------------------------------------------------------


def _fields(action: Action) -> sp.Matrix:
    """The generators' components x^a, (k x g)."""
    return sp.Matrix([list(g.components) for g in action.generators]).T


def _sliced(system: System, action: Action, shape: Shape) -> Quotient:
    space, X = system.space, _fields(action)
    zeta, det = group_part(space, X, shape)
    if vanishes(shape.on_slice(det)):
        raise InvalidValue(
            "E124",
            f"the group leaves the place where {', '.join(f'{q} = 0' for q in shape.group)} alone: it is no slice",
            "the group must act freely; choose coordinates that are 0 elsewhere",
        )
    turned = frame_turned(space, X)
    if shape.sliced:
        _check_turned(action, turned)
    table = _carried(space, turned, zeta, shape)
    anchor = across(space, X, zeta, shape, shape.kept)
    anchor += [list(lean.rates(space)[0]) for lean in shape.leanings]
    anchor += across(space, X, zeta, shape, list(shape.crossing))
    return _quotient(system, action, shape, anchor, table, zeta)


def frame_turned(space: Space, X: sp.Matrix) -> list[list[list[sp.Expr]]]:
    """X_alpha Y_b^c = e_b X_alpha^c - C^c_db X_alpha^d, by alpha, b and c: how the group turns the frame."""
    frame, q, k = space.frame, space.coordinates, len(space.velocities)
    E = sp.Matrix(space.anchor)

    def moved(alpha: int, b: int) -> list[sp.Expr]:
        x = list(X[:, alpha])
        slopes = [sum((E[i, b] * xc.diff(s) for i, s in enumerate(q)), sp.S.Zero) for xc in x]
        turned = [sum((frame.bracket(d, b)[c] * x[d] for d in range(k)), sp.S.Zero) for c in range(k)]
        return [s - t for s, t in zip(slopes, turned, strict=True)]

    return [[moved(alpha, b) for b in range(k)] for alpha in range(X.cols)]


def _untouched(action: Action, turned: list[list[list[sp.Expr]]]) -> bool:
    """Is the frame invariant under the group?"""
    nodes = [read(e, action.sampler.graph) for table in turned for row in table for e in row]
    found = (sized(nodes, values) for values in action.anywhere)
    return all((np.abs(values) <= _TOLERANCE * size).all() for values, size in found)


def _check_turned(action: Action, turned: list[list[list[sp.Expr]]]) -> None:
    """E124: the group turns the frame differently at different places, so that it cannot be followed from the slice."""
    nodes = [read(e, action.sampler.graph) for table in turned for row in table for e in row]
    found = [sized(nodes, values) for values in action.anywhere]
    first = found[0][0]
    if any((np.abs(values - first) > _TOLERANCE * (size + found[0][1])).any() for values, size in found):
        raise InvalidValue(
            "E124",
            "the group turns the velocities differently at different places",
            "choose coordinates of which the group leaves some alone, such as distances or angles between axes",
        )


def _carried(
    space: Space, turned: list[list[list[sp.Expr]]], zeta: sp.Matrix, shape: Shape
) -> dict[tuple[int, int], list[sp.Expr]]:
    """[Y_a, Y_b]^c of the frame carried along, on the slice."""
    frame, k = space.frame, len(space.velocities)
    M = [[[shape.on_slice(e) for e in row] for row in table] for table in turned]
    table = {}
    for a, b in combinations(range(k), 2):
        own = [shape.on_slice(c) for c in frame.bracket(a, b)]
        row = [
            tidy(sum((zeta[g, a] * M[g][b][c] - zeta[g, b] * M[g][a][c] for g in range(len(M))), sp.S.Zero) + own[c])
            for c in range(k)
        ]
        if any(e != 0 for e in row):
            table[a, b] = row
    return table


# --- the reduced system ---------------------------------------------------------------------------------------------


def _quotient(
    system: System,
    action: Action,
    shape: Shape,
    anchor: list[list[sp.Expr]],
    table: dict[tuple[int, int], list[sp.Expr]],
    zeta: sp.Matrix | None,
) -> Quotient:
    new = _space(system.space, shape, anchor, table)
    smaller = _system(system, new, shape, action)
    found = sp.zeros(0, len(system.space.velocities)) if zeta is None else zeta
    carried, group = zeta is not None, action.generators
    return Quotient(smaller, system, group, action.structure, shape, carried, sp.ImmutableMatrix(found))


def _space(
    space: Space, shape: Shape, anchor: list[list[sp.Expr]], table: dict[tuple[int, int], list[sp.Expr]]
) -> Space:
    kept = {q.name for q in shape.kept}
    return Space(
        list(shape.coordinates),
        list(space.velocities),
        sp.Matrix(len(shape.coordinates), len(space.velocities), [e for row in anchor for e in row]),
        table,
        almost=space.almost,
        embedding=shape.embedding,
        retraction=shape.retraction,
        attitudes={n: a for n, a in space.attitudes.items() if set(a.coordinates) <= set(shape.kept)},
        angles=sorted((space.angles & kept) | {lean.symbol.name for lean in shape.leanings}),
    )


def _system(system: System, space: Space, shape: Shape, action: Action) -> System:
    forces = {u: shape.rewrite(Q) for u, Q in zip(space.velocities, system.forces, strict=True) if Q != 0}
    L, phis = shape.rewrite(system.lagrangian), {c.name: shape.rewrite(c.phi) for c in system.constraints}
    # a relation between positions that the group leaves alone is one between shapes
    phis |= {
        c.name: shape.rewrite(c.given) for c in system.constraints if c.holonomic and left_alone(action, [c.given])
    }
    given = [L, *phis.values(), *forces.values(), *system.of_surfaces]
    return System(
        space,
        L,
        phis,
        forces,
        occurring(system, space, given),
        massless=[u.name for u in system.massless],
        **system.met(shape.rewrite),
        title=f"{system.title or 'System'}, reduced",
        limits=unlimited(system),
        inputs=driving(system, given),
    ).printed_as(system)
