"""Parameters at whose values alone a symmetry holds: they become numbers before anything is reduced.

A potential k x is left alone by shifts along x where k = 0 only. The reduced system must not know such a k: it would
answer for other values, and wrongly.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import sympy as sp

from ..calculus.graph import evaluate
from ..calculus.numerical_rank import rank_of
from ..calculus.symbols import put
from ..errors import DalembertWarning, InvalidValue
from ..model.symmetry import Generator
from ..model.system import System
from .group_action import Action
from .random_states import ConstraintSampler, Values
from .restriction import driving, occurring, unlimited

_SAME = 1e-7  # of structure constants


@dataclass(frozen=True, eq=False)
class SpecialisedSystem:
    """A system and generators that are its symmetry at all values of its parameters.

    Attributes:
        fixed: parameters of the given system that have become numbers, and these.
    """

    system: System
    generators: tuple[Generator, ...]
    fixed: dict[str, float]


def specialised(system: System, generators: tuple[Generator, ...]) -> SpecialisedSystem:
    """Numbers in place of the parameters without whose values there is no symmetry.

    Raises:
        InvalidValue: E122 the generators are no symmetry at the given values, E123 they are not closed under brackets.
    """
    action = Action(ConstraintSampler(system), generators)
    action.check()
    fixed = _fixed(action, system)
    if not fixed:
        return SpecialisedSystem(system, generators, {})
    numbers = {name: sp.Rational(repr(value)) for name, value in fixed.items()}
    moved = tuple(replace(g, components=tuple(put(e, numbers) for e in g.components)) for g in generators)
    return SpecialisedSystem(_with_numbers(system, numbers), moved, fixed)


def only_at(fixed: Mapping[str, float]) -> str:
    """The finding in words."""
    return "holds only at " + ", ".join(f"{name} = {value:g}" for name, value in fixed.items())


def _fixed(action: Action, system: System) -> dict[str, float]:
    """Parameters that cannot be moved: if not all together, those that cannot join the ones moved before."""
    tries = list(action.moves())
    if any(_same(action, action.at(values)) for values in tries):
        return {}
    free: Values = {}
    fixed = {}
    for name in tries[0]:
        joined = next((v for v in ({**free, name: t[name]} for t in tries) if _same(action, action.at(v))), None)
        if joined is None:
            fixed[name] = float(system.parameters[name] or 0.0)
        else:
            free = joined
    return fixed


def _same(action: Action, other: Action) -> bool:
    """The same symmetry: as many constraints, and structure constants that do not know the parameters."""
    if not other.anywhere or bool(other.states) != bool(action.states):  # no place to look at
        return False
    if _rank(action) != _rank(other) or not other.symmetric:
        return False
    try:
        return np.allclose(action.structure, other.structure, atol=_SAME)
    except InvalidValue:
        return False


def _rank(action: Action) -> int:
    """Rank of the constraints at random states on them."""
    k, nodes = len(action.sampler.motion.u), [e for row in action.sampler.normals for e in row]
    ranks = (rank_of(np.array(evaluate(nodes, v), float).reshape(-1, k)) for v in action.states if nodes)
    return max(ranks, default=0)


def _with_numbers(system: System, numbers: dict[str, sp.Rational]) -> System:
    """The expressions of a system that are reduced, with these numbers put in."""
    space = system.space.put(numbers)
    L, *Q = (put(e, numbers) for e in (system.lagrangian, *system.forces))
    constraints = {c.name: e for c in system.constraints if (e := put(c.given, numbers)) != 0}
    forces = {u: e for u, e in zip(space.velocities, Q, strict=True) if e != 0}
    held = [L, *Q, *constraints.values(), *(put(e, numbers) for e in system.of_surfaces)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DalembertWarning)  # of a system that nobody wrote
        return System(
            space,
            L,
            constraints,
            forces,
            occurring(system, space, held),
            **system.met(lambda e: put(e, numbers)),
            inputs=driving(system, held),
            massless=[u.name for u in system.massless],
            title=system.title,
            limits=unlimited(system),
        )
