"""Forces written out by hand that jump or have no value at some velocity, such as -mu v/|v| at rest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import sympy as sp

from ..calculus.frame import TIME
from ..calculus.graph import Graph, Node, evaluate, gradient, symbols
from ..calculus.read import read
from ..calculus.text import cut
from ..errors import Note, warn
from ..errors.remedies import Call

_NEAR, _JUMP = 1e-12, 1e-3
_STATES, _STEPS = 3, 80
_REMEDY = ("use ", Call("forces.dry"), ", which sticks and goes on, or smooth it with a small speed")


def rest_notes(system: Any, forces: Sequence[sp.Expr]) -> list[Note]:
    """W129 for each velocity whose force jumps, or is not finite, at rest or at another velocity."""
    notes = []
    for u, Q in zip(system.space.velocities, forces, strict=True):
        place = _rough_place(system, Q)
        if place:
            notes.append(warn("W129", (f"the force on {u} is undefined {place}: ", _REMEDY), 5))
    return notes


def _rough_place(system: Any, Q: sp.Expr) -> str:
    """Where the force is rough in the velocities, in words; "" if nowhere that was tried."""
    velocities, graph = [u.name for u in system.space.velocities], Graph()
    force = read(Q, graph)
    if not symbols([force]) & set(velocities):
        return ""
    nodes = {e: read(e, graph) for e in _switches(Q)}
    switches = {e: node for e, node in nodes.items() if symbols([node]) & set(velocities)}
    for seed in range(_STATES):
        point = system.space.sample(np.random.default_rng(seed), [*system.symbols, *system.reactions, TIME.name])
        point |= {name: value for name, value in system.parameters.items() if value is not None}
        if _rough_at(force, point, {**point, **dict.fromkeys(velocities, 0.0)}, velocities):
            return "at rest"
        for e, node in switches.items():
            at = _zero(node, point, velocities)
            if at is not None and _rough_at(force, point, at, velocities):
                return f"where {cut(str(e), 40)} = 0"
    return ""


def _switches(Q: sp.Expr) -> Iterator[sp.Expr]:
    """Expressions at whose zero the force may jump or lose its value."""
    for e in _parts(Q):
        if isinstance(e, sp.sign | sp.Heaviside | sp.Abs | sp.log):
            yield e.args[0]
        elif isinstance(e, sp.Pow) and (not e.exp.is_integer or e.exp.is_negative):
            yield e.base
        elif isinstance(e, sp.Rel):
            yield e.lhs - e.rhs


def _parts(Q: sp.Expr) -> Iterator[sp.Basic]:
    """All parts of an expression once, however often it holds them."""
    seen, left = {Q}, [Q]
    while left:
        e = left.pop()
        yield e
        new = [part for part in dict.fromkeys(e.args) if part not in seen]
        seen.update(new)
        left += new


def _zero(node: Node, point: Mapping[str, float], velocities: Sequence[str]) -> dict[str, float] | None:
    """A state with the node 0, other velocities than at `point`, by Newton's steps along the gradient; None if none."""
    at = dict(point)
    slopes = gradient(node, [node.graph.symbol(name) for name in velocities])
    for _ in range(_STEPS):
        with np.errstate(all="ignore"):
            value, *slope = (float(x) for x in evaluate([node, *slopes], at))
        size = sum(s * s for s in slope)
        if not (np.isfinite(value) and np.isfinite(size)) or size == 0:
            break
        # u -= g dg/|dg|^2
        at |= {name: at[name] - value * s / size for name, s in zip(velocities, slope, strict=True)}
    with np.errstate(all="ignore"):
        left = float(evaluate([node], at)[0])
    return at if abs(left) <= _NEAR else None


def _rough_at(force: Node, far: Mapping[str, float], at: Mapping[str, float], velocities: Sequence[str]) -> bool:
    """Does the force jump at `at`, or lose its value, on the way from there to `far`, though it is finite around?"""
    scales = np.array([1.0, _NEAR, -_NEAR, 0.0])
    moving = {**far, **{name: at[name] + (far[name] - at[name]) * scales for name in velocities}}
    with np.errstate(all="ignore"):
        found = np.asarray(evaluate([force], moving)[0], float)
    away, ahead, behind, here = np.broadcast_to(found, scales.shape)
    if not np.isfinite([away, ahead, behind]).all():
        return False
    return bool(not np.isfinite(here) or abs(ahead - behind) > _JUMP * max(abs(away), abs(ahead)) > 0)
