"""In which frame the velocities of a rotation stand: along axes of the body, or of space."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import sympy as sp

from ..calculus.graph import Graph, evaluate
from ..calculus.read import read

if TYPE_CHECKING:
    from .space import Attitude, Space

_SAME = 1e-9
_PLACES = 3


def frames(space: Space) -> dict[str, str]:
    """``"body"`` or ``"space"`` for each rotation whose velocities keep their axes in the one or in the other."""
    found = {name: _frame(space, attitude) for name, attitude in space.attitudes.items()}
    return {name: frame for name, frame in found.items() if frame}


def _frame(space: Space, attitude: Attitude) -> str:
    """Of one rotation; empty where its velocities keep their axes in neither, or in both."""
    held = set(attitude.coordinates)
    rows = [i for i, q in enumerate(space.coordinates) if q in held]
    moving = [a for a in range(len(space.velocities)) if any(space.anchor[i, a] != 0 for i in rows)]
    # Rdot along a velocity: R hat(e) with e constant in the body, hat(e) R with e constant in space
    flat = attitude.matrix.reshape(9, 1)
    rates = flat.jacobian([space.coordinates[i] for i in rows]) * space.anchor.extract(rows, moving)
    graph, rng = Graph(), np.random.default_rng(5)
    nodes = [read(e, graph) for e in sp.Matrix.hstack(flat, rates)]
    in_body, in_space = [], []
    for _ in range(_PLACES):
        table = np.array(evaluate(nodes, space.sample(rng)), float).reshape(9, -1)
        R, *turned = (column.reshape(3, 3) for column in table.T)
        in_body.append([R.T @ rate for rate in turned])
        in_space.append([rate @ R.T for rate in turned])
    where = [f for f, found in (("body", in_body), ("space", in_space)) if np.ptp(found, axis=0).max(initial=0) < _SAME]
    return where[0] if len(where) == 1 else ""
