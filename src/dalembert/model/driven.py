"""Forces that are hardly meant: one that feeds the motion in every state, one that is given twice, or in L as well."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import sympy as sp

from ..calculus.frame import TIME
from ..calculus.graph import Graph, evaluate, symbols
from ..calculus.length import at_most
from ..calculus.read import read
from ..errors import Note, as_given, warn
from .force import Force

_STATES = 20
_LONGEST = 300  # operations up to which a force is held against L term by term


def driving_notes(system: Any) -> list[Note]:
    """W127: the part of the forces that turns with the velocity does work on the motion at each of 20 random states.

    A force that drives whichever way the motion goes, and never brakes it, is friction with the wrong sign more often
    than not. Forces that do not depend on the velocity have no such part, nor have those across it. A `Force` was made
    of a law and a direction, and is not doubted.
    """
    if all(isinstance(law, Force) for law in system.laws):
        return []
    missing = [s for name, s in system.symbols.items() if system.parameters.get(name) is None]
    graph, moving = Graph(), {u.name for u in system.space.velocities}
    if not all(s.is_positive for s in missing) or not symbols([read(Q, graph) for Q in system.forces]) & moving:
        return []
    fed = _powers(system)
    if len(fed) < _STATES or fed.min() <= 0:
        return []
    acting = ", ".join(str(u) for u, Q in zip(system.space.velocities, system.forces, strict=True) if Q != 0)
    fact = f"the force on {acting} drives the motion, whichever way it goes, in {_STATES} random states"
    return [warn("W127", f"{fact}: sign of friction? friction is -c*{acting.split(', ')[0]}", 5)]


def repeated_notes(system: Any) -> list[Note]:
    """W130: a law that is given twice, word for word, acts twice."""
    laws = [law for law in system.laws if isinstance(law, Force | Mapping)]
    twice = [law for n, law in enumerate(laws) if law in laws[:n]]
    told = [f"{_called(law)} is given twice: it acts twice" for law in twice[:1]]
    return [warn("W130", text, 5) for text in (*told, *_of_the_potential(system))]


def _of_the_potential(system: Any) -> Iterator[str]:
    """Terms of a given force that L has already, E^i_a dL/dq^i at u = 0."""
    laws = [law for law in system.laws if isinstance(law, Mapping)]
    if not laws or not at_most(_LONGEST, system.lagrangian, *system.forces):
        return
    space = system.space
    rest = system.lagrangian.xreplace(dict.fromkeys(space.velocities, sp.S.Zero))
    slopes = [rest.diff(q) for q in space.coordinates]
    for a, (u, Q) in enumerate(zip(space.velocities, system.forces, strict=True)):
        slope = sum((E * s for E, s in zip(space.anchor.col(a), slopes, strict=True)), sp.S.Zero)
        twice = {*sp.Add.make_args(sp.expand(Q))} & {*sp.Add.make_args(sp.expand(slope))} - {sp.S.Zero}
        if twice:
            yield f"the force on {u} holds {min(map(str, twice))}, which L gives as well: it acts twice"


def _called(law: object) -> str:
    if isinstance(law, Force):
        return f"the force {as_given(law.name)}"
    named = [str(name) for name in law] if isinstance(law, Mapping) else []
    return f"the force on {', '.join(named)}"


def _powers(system: Any) -> np.ndarray:
    """(Q(u) - Q(-u)) . u / 2, the power that does not turn round with the motion, where it is finite."""
    space, graph = system.space, Graph()
    nodes = [read(Q, graph) for Q in system.forces]
    known = {name: value for name, value in system.parameters.items() if value is not None}
    found = []
    for seed in range(_STATES):
        there = space.sample(np.random.default_rng(seed), [*system.symbols, *system.reactions, TIME.name]) | known
        back = there | {u.name: -there[u.name] for u in space.velocities}
        u = np.array([there[u.name] for u in space.velocities])
        with np.errstate(all="ignore"):
            ahead, behind = (np.array(evaluate(nodes, point), float) for point in (there, back))
        found.append(float((ahead - behind) @ u) / 2)
    powers = np.array(found)
    finite: np.ndarray = powers[np.isfinite(powers)]
    return finite
