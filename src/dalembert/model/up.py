"""Which way is up, and does the potential know it? A slip of sign in the gravity term is seen at random states."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from ..calculus.frame import TIME
from ..calculus.graph import Graph, Node, evaluate, gradient
from ..calculus.read import read
from ..errors import InvalidValue, Note, WrongType, warn
from ..errors.remedies import Option

_STATES = 20


def height(up: Any, reader: Any) -> sp.Expr | None:
    """The height h(q) that `up` names: a coordinate, or an expression in coordinates.

    Raises:
        UnknownName: E104, text that is not the name of a coordinate.
        InvalidValue: E145, an expression that holds a velocity or no coordinate.
    """
    if up is None:
        return None
    if isinstance(up, list | tuple | dict | set):
        raise WrongType(
            "E145", f"up is one height, not {type(up).__name__}", 'up="z", or the sum of several: up=y1 + y2'
        )
    h = reader.space[up] if isinstance(up, str) else reader.read(up, "up")
    if h.free_symbols & set(reader.space.velocities) or not h.free_symbols & set(reader.space.coordinates):
        raise InvalidValue(
            "E145", f"up = {h} is not a height", ("name a coordinate, ", Option("up", "z"), ", or give h(q)")
        )
    return h


def gravity_notes(system: Any) -> list[Note]:
    """W125: the potential falls along `up` at each of 20 random states, at u = 0."""
    h = system.up
    missing = [s for name, s in system.symbols.items() if system.parameters.get(name) is None]
    if h is None or not all(s.is_positive for s in missing):
        return []
    slopes = _slopes(system, h)
    if not len(slopes) or slopes.max() >= 0:
        return []
    low, high = (f"{-s:.4g}" for s in (slopes.max(), slopes.min()))
    size = low if low == high else f"{low} to {high}"
    what = f"dL/d{h}" if h.is_Symbol else "dL/dh"
    text = (
        f"the potential falls as {h} grows: {what} = {size} at u = 0 in {len(slopes)} random states; sign of gravity?"
    )
    return [warn("W125", text, 5)]


def _slopes(system: Any, h: sp.Expr) -> np.ndarray:
    """dV/dh along the gradient of h, where it and all it needs are finite."""
    space, graph = system.space, Graph()
    rest = dict.fromkeys(space.velocities, sp.S.Zero)
    L, up = read(system.lagrangian.xreplace(rest), graph), read(h, graph)
    q = [graph.symbol(s.name) for s in space.coordinates]
    E = [[read(e, graph) for e in space.anchor.row(i)] for i in range(len(q))]
    dL, dh = ([_along(E, gradient(f, q), a) for a in range(len(space.velocities))] for f in (L, up))
    known = {name: value for name, value in system.parameters.items() if value is not None}
    found = []
    for seed in range(_STATES):
        point = space.sample(np.random.default_rng(seed), [*system.symbols, TIME.name]) | known
        a, b = (np.array(evaluate(row, point), float) for row in (dL, dh))
        # V_a h_a / h_a h_a, with V = -L at u = 0
        found.append(-float(a @ b) / float(b @ b) if np.any(b) else np.nan)
    slopes = np.array(found)
    finite: np.ndarray = slopes[np.isfinite(slopes)]
    return finite


def _along(E: list[list[Node]], slopes: list[Node], a: int) -> Node:
    # E^i_a df/dq^i
    zero = slopes[0].graph.constant(0)
    return sum((row[a] * s for row, s in zip(E, slopes, strict=True)), zero)
