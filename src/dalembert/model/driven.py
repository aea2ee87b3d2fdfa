"""Forces that are hardly meant: one that feeds the motion in every state, one that is given twice."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..calculus.frame import TIME
from ..calculus.graph import Graph, evaluate
from ..calculus.read import read
from ..errors import Note, as_given, warn
from .force import Force

_STATES = 20


def driving_notes(system: Any) -> list[Note]:
    """W127: the part of the forces that turns with the velocity does work on the motion at each of 20 random states.

    A force that drives whichever way the motion goes, and never brakes it, is friction with the wrong sign more often
    than not. Forces that do not depend on the velocity have no such part, nor have those across it. A `Force` was made
    of a law and a direction, and is not doubted.
    """
    if all(isinstance(law, Force) for law in system.laws):
        return []
    missing = [s for name, s in system.symbols.items() if system.parameters.get(name) is None]
    moving = set(system.space.velocities)
    if not all(s.is_positive for s in missing) or not any(Q.free_symbols & moving for Q in system.forces):
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
    return [warn("W130", f"{_called(law)} is given twice: it acts twice", 5) for law in twice[:1]]


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
        there = space.sample(np.random.default_rng(seed), [*system.symbols, TIME.name]) | known
        back = there | {u.name: -there[u.name] for u in space.velocities}
        u = np.array([there[u.name] for u in space.velocities])
        with np.errstate(all="ignore"):
            ahead, behind = (np.array(evaluate(nodes, point), float) for point in (there, back))
        found.append(float((ahead - behind) @ u) / 2)
    powers = np.array(found)
    finite: np.ndarray = powers[np.isfinite(powers)]
    return finite
