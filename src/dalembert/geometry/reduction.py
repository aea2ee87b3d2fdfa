"""Reduction by symmetry: from a system and its generators to a smaller system, and what leads back.

Three ways, the first that applies:

    drop, then restrict    the frame is left alone by the group
    restrict, then drop    the allowed velocities are left alone by the group: u = Z(q) v leads back by quadratures
    slice, then restrict   the frame is carried along by the group: the group's motion is integrated beside

Where none does, since the group turns the angular velocities that were chosen, they are taken in the other frame.
Constraints are kept where they are not linear, and where the velocities they allow have no frame without poles: then
the reduced system has them, and nothing is restricted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np
import sympy as sp

from ..argument_checks import noun, public
from ..calculus.from_sympy import read
from ..calculus.graph import Graph, Node, evaluate, tangent
from ..calculus.numerical_rank import SAMPLED, count_above, sized
from ..errors import InvalidValue
from ..model.symmetry import Generator
from ..model.system import System
from .change_of_variables import in_other_frame
from .constraint_rank import ranks
from .generators import acting
from .group_action import Action
from .group_invariants import Shape, shape_of
from .group_slice import crossed, rates
from .parameter_conditions import only_at, specialised
from .quotient_space import Quotient, drop, frame_stays, frame_turned, left_alone, over
from .random_states import ConstraintSampler
from .restriction import Restricted, derivation, frame_on, normals, restrict
from .summary_lines import Summary
from .symbolic_null_space import denominators, poles
from .symplectic_form import Symplectic

_STATES, _OFF, _REST = 3, 1e-7, 1e-6


@noun
@dataclass(frozen=True, eq=False)
class Reduction:
    """A system reduced by its symmetry.

    Attributes:
        given: the system that was reduced.
        system: the reduced system, for `da.nonholonomic`; where no constraints are left `da.free` is the same.
        generators: of the group.
        structure: structure constants f[a, b, c] with [X_a, X_b] = f^c_ab X_c.
        shape: the reduced coordinates as functions on the given space.
        velocities: k expressions: the given velocities, or those on the slice, by the reduced ones.
        zeta: g x k, where the frame was carried along: the group's velocity by the velocities on the slice.
        way: how it was reduced, in words.
        fixed: parameters of the given system with other values of which there is no such symmetry: they are numbers in
            the reduced one.
    """

    given: System
    system: System
    generators: tuple[Generator, ...]
    structure: np.ndarray
    shape: Shape
    velocities: tuple[sp.Expr, ...]
    zeta: sp.ImmutableMatrix | None
    way: str
    fixed: Mapping[str, float] = field(default_factory=dict)

    @property
    def group(self) -> tuple[sp.Symbol, ...]:
        """The coordinates of the given space that the reduction leaves out."""
        return tuple(q for q in self.given.space.coordinates if q not in self.shape.kept)

    @cached_property
    def frame_poles(self) -> tuple[sp.Expr, ...]:
        """Functions of the place at whose zeros the reduced velocities do not determine the given ones."""
        return tuple(poles(self.Z, [self.given.space, self.system.space], self.given.parameters))

    @cached_property
    def poles(self) -> tuple[sp.Expr, ...]:
        """`frame_poles`, and functions at whose zeros the group does not cross the slice."""
        spaces = [self.given.space, self.system.space]
        singular = [*(self.zeta or ()), *(self.system.space.anchor if self.shape.sliced else ())]
        return tuple({*self.frame_poles, *denominators(singular, spaces, self.given.parameters)})

    @property
    def Z(self) -> sp.ImmutableMatrix:
        """k x r with the given velocities, or those on the slice, u = Z v."""
        v = self.system.space.velocities
        return sp.ImmutableMatrix(len(self.velocities), len(v), [e.diff(s) for e in self.velocities for s in v])

    @property
    def abelian(self) -> bool:
        """Do the generators commute?"""
        return not np.any(self.structure)

    @property
    def solvable(self) -> bool:
        """Does the derived series of the algebra end at 0?"""
        g = len(self.generators)
        span = np.eye(g)
        for _ in range(g + 1):
            if not len(span):
                return True
            brackets = np.einsum("ia,jb,abc->ijc", span, span, self.structure).reshape(-1, g)
            _, sizes, rows = np.linalg.svd(brackets)
            new = rows[: count_above(sizes, 0.0, SAMPLED)]
            if len(new) == len(span):
                return False
            span = new
        return True

    def _new_names(self) -> str:
        """What the velocities are that the given system has not: the given ones, or those on the slice, by them."""
        new = {*self.system.space.velocities} - {*self.given.space.velocities}
        rows = zip(self.given.space.velocities, self.velocities, strict=True)
        return ", ".join(f"{u} = {e}" for u, e in rows if e.free_symbols & new)

    def __str__(self) -> str:
        kind = "abelian" if self.abelian else "solvable" if self.solvable else "not solvable"
        names, space = ", ".join(g.name for g in self.generators), self.system.space
        told = Summary(f"{self.given.title or 'System'}, reduced by {names} ({kind})", ".shape, .system")
        told.add("way", self.way)
        if self.fixed:
            told.add("note", only_at(self.fixed))
        told.add("shape", self.shape.line)
        left = len(self.given.space.coordinates) + len(self.given.space.velocities)
        told.add("size", f"{left} states become {len(space.coordinates) + len(space.velocities)}")
        told.add("left out", ", ".join(q.name for q in self.group))
        if named := self._new_names():
            told.add("velocities", named + " on the slice" * bool(self.shape.sliced))
        if self.poles:
            told.add("poles", f"where {' or '.join(map(str, self.poles))} = 0 the reduced velocities are singular")
        told.add_system(self.system)
        return str(told)

    __repr__ = __str__


@public
def reduce(system: System, symmetry: Any = None) -> Reduction:
    """Reduce a system by its symmetry.

    Args:
        system: the system.
        symmetry: generators as for `System`; by default those that the system declares.

    Raises:
        WrongType: E101, not a system.
        UnknownName: E104, a generator holds a name that the system does not know.
        InvalidValue: E114 the constraints leave no motion, E122 the generators are no symmetry, E123 they are not
            closed under brackets, E124 the reduced space cannot be written down, or its motion is not the given one at
            random states, E125 there are no generators.
    """
    generators = acting(system, symmetry, "reduce")
    with derivation(system, "the reduction"):
        found = specialised(system, generators)
        reduced = _reduced(found.system, found.generators)
        _check_motion(reduced)
        return replace(reduced, given=system, fixed=found.fixed) if found.fixed else reduced


def _reduced(system: System, given: tuple[Generator, ...]) -> Reduction:
    try:
        return _in_the_frame(system, given)
    except InvalidValue as error:
        found = _in_another_frame(system, given) if error.code == "E124" else None
        if found is None:
            raise
        return found


def _in_another_frame(system: System, given: tuple[Generator, ...]) -> Reduction | None:
    """Reduced with the rotations that the group moves in their other frames, where that needs no slice."""
    shape = shape_of(system.space, given)
    moved = [name for name, a in system.space.attitudes.items() if not set(a.coordinates) <= set(shape.kept)]
    other = in_other_frame(system, given, moved)
    if other is None:
        return None
    with suppress(InvalidValue):
        found = _in_the_frame(other.system, other.generators)
        if found.zeta is None:
            names = zip(other.system.space.velocities, found.velocities, strict=True)
            by = dict(names)
            u = [e.xreplace(by) for e in other.velocities.values()]
            shape, way = replace(found.shape, space=system.space), f"angular velocities in the other frame; {found.way}"
            return replace(found, given=system, generators=given, velocities=tuple(u), shape=shape, way=way)
    return None


def _in_the_frame(system: System, given: tuple[Generator, ...]) -> Reduction:
    if not system.constraints:
        return _plain(over(system, given), "")
    rows = _independent(system) if _linear(system) else None
    if rows is None:
        return _plain(over(system, given), "; constraints kept")
    first = _restricted_first(rows, given)
    if first and not first.frame_poles:
        return first
    try:
        found = over(rows, given)
    except InvalidValue:
        if first:
            return first
        raise
    smaller: Restricted = restrict(found.system)
    u = tuple(smaller.velocities.values())
    after = _reduction(found, smaller.system, u, f"{found.way}, then restricted")
    why = "; constraints kept: the velocities they allow have no frame without poles"
    return _plain(found, why) if after.frame_poles else after


def _linear(system: System) -> bool:
    return all(c.kind == "linear" and not c.phi.has(sp.Symbol("t", real=True)) for c in system.constraints)


def _independent(system: System) -> System | None:
    """The system without constraints that follow from others; None where each choice loses rank somewhere."""
    kept = ranks(system).kept
    if len(kept) == len(system.constraints):
        return system
    fewer = system.changed(constraints={system.constraints[s].name: system.constraints[s].given for s in kept})
    return None if poles(normals(fewer).T, [system.space], system.parameters) else fewer


def _plain(found: Quotient, why: str) -> Reduction:
    u = tuple(found.given.space.velocities)
    return _reduction(found, found.system, u, f"{found.way}{why}")


def _restricted_first(system: System, given: Sequence[Generator]) -> Reduction | None:
    """Allowed velocities that are invariant under the group, if those chosen are and the frame is not."""
    action = Action(ConstraintSampler(system), given)
    shape = shape_of(system.space, given)
    if action.rank() != len(given):
        return None
    shape = crossed(action, shape)
    if shape.sliced or frame_stays(system, action, shape):
        return None
    Z, v = frame_on(system)
    there = dict(zip(system.space.velocities, Z * sp.Matrix(v), strict=True))
    u = sp.Matrix(system.space.velocities)
    moves = [sum(a * b for a, b in zip(rates(system.space, s), u, strict=True)) for s in shape.meaning.values()]
    if not left_alone(action, [e.xreplace(there) for e in (system.lagrangian, *moves)]):
        return None  # before the brackets are computed
    smaller = restrict(system)
    if not frame_stays(smaller.system, action, shape):
        return None
    found = drop(smaller.system, action, shape, smaller.lowered)
    u = tuple(smaller.velocities.values())
    way = "allowed velocities left alone by the group"
    return Reduction(system, found.system, tuple(given), action.structure, shape, u, None, way)


def _reduction(found: Quotient, system: System, u: tuple[sp.Expr, ...], way: str) -> Reduction:
    zeta = found.zeta if found.carried else None
    return Reduction(found.given, system, found.generators, found.structure, found.shape, u, zeta, way)


# --- another route ----------------------------------------------------------------------------------------------------


def _check_motion(reduction: Reduction) -> None:
    """E124: at random states the full accelerations are not those of the reduced system.

    Both are found by the form on the constraint manifold, the full ones without what a reduction is made of. The given
    velocities are u(q, r, v), and where the frame was carried along from a slice it turns there at the rate

        u'^c = w'^c + zeta^alpha_a w^a (X_alpha Y_b)^c w^b .
    """
    given, system, shape = reduction.given, reduction.system, reduction.shape
    sampler, reduced = ConstraintSampler(given), ConstraintSampler(system)
    full, small = Symplectic(sampler, ranks(given).kept), Symplectic(reduced, ranks(system).kept)
    graph, names = sampler.graph, [s.name for s in dict.fromkeys([*given.space.coordinates, *system.space])]
    u, meaning = ([read(e, graph) for e in some] for some in (reduction.velocities, shape.meaning.values()))
    speeds = tangent(u, [graph.symbol(n) for n in names], [graph.symbol(f"{n}'") for n in names])
    turning = [] if reduction.zeta is None else _turning(reduction, graph)
    for (there, _), (own, _) in islice(zip(sampler.states(61), reduced.states(62), strict=True), _STATES):
        values = {**own, **there}
        values |= dict(zip((s.name for s in shape.meaning), map(float, evaluate(meaning, values)), strict=True))
        values |= shape.place(values, reduction.zeta is not None)
        if not (reduced.to_velocities(values) and sampler.holds_at(values)):
            continue
        with suppress(np.linalg.LinAlgError), np.errstate(all="ignore"):
            state = values | dict(zip((s.name for s in given.space.velocities), evaluate(u, values), strict=True))
            one, other = full.at(state), small.at(values)
            rates = sampler.rates(one.motion, state) | reduced.rates(other.motion, values)
            found, size = sized(speeds, values | {f"{n}'": rates[n] for n in names})
            found = found + (np.array(evaluate(turning, values), float) if turning else 0.0)
            k = len(found)
            size = size + one.motion_size[k:]
            off = np.abs(found - one.motion[k:]) / (size + _REST * size.max(initial=0.0))
            if (off > _OFF).any():
                worst = given.space.velocities[int(np.nanargmax(off))]
                raise InvalidValue(
                    "E124",
                    f"the reduced motion is not the given one: at a random state {worst} changes at another rate",
                    "run the full system, and tell the makers of this library: this reduction is a fault of its own",
                )


def _turning(reduction: Reduction, graph: Graph) -> list[Node]:
    """zeta^alpha_a w^a (X_alpha Y_b)^c w^b on the slice, by c."""
    assert reduction.zeta is not None
    w = sp.Matrix(reduction.velocities)
    turned = frame_turned(reduction.given.space, sp.Matrix([list(g.components) for g in reduction.generators]).T)
    speed = reduction.zeta * w
    rows = [
        sp.Add(
            *(
                g * sum(row[c] * wb for row, wb in zip(table, w, strict=True))
                for g, table in zip(speed, turned, strict=True)
            )
        )
        for c in range(len(w))
    ]
    return [read(reduction.shape.on_slice(e), graph) for e in rows]
