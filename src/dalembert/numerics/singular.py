"""Where a motion stops being determined: ranks that are lost, forces that jump, numbers that are not finite."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..calculus.frame import TIME
from ..calculus.graph import evaluate, gradient
from ..equations.finite import first_nonfinite
from .field import Field
from .search import Happening

Surface = Callable[[np.ndarray, np.ndarray], np.ndarray]

SIDE, JUMP = 1e-7, 1e-3  # how far beside a surface a force is looked at, and the relative jump that counts
NEAR = 1e-6  # of the run's length: as far ahead a term is looked for when the steps shrink to nothing


def pivots(field: Field) -> list[Surface]:
    """Functions of times (N,) and states (N, n + 1) whose zeros are losses of rank."""
    if not field.kernel.pivots:
        kept = list(field.equations.kept)
        return [lambda t, y: np.asarray(np.linalg.det(field.form(t, y).rows(kept).bordered))]
    return [lambda t, y, node=node: field.at(node, t, y) for node in field.kernel.pivots if not node.is_constant]  # type: ignore[misc]


def slides(field: Field, h: Happening, y: np.ndarray) -> bool:
    """Does the motion run towards the surface h from both sides, with a jump of its rate in between?"""
    graph, n = field.equations.machine.graph, len(field.equations.states)
    xs = [graph.symbol(name) for name in field.equations.states]
    slopes = np.array([float(s) for s in evaluate(gradient(h.guard.value, xs), field.values(h.t, y))])
    size = float(slopes @ slopes)
    if not size:
        return False
    step = np.r_[slopes / size, 0.0] * SIDE * max(1.0, float(np.abs(y[:n]).max()))
    above, below = (float(slopes @ field.rate(h.t, y + s * step)[:n]) for s in (1, -1))
    return above < 0 < below and above - below < -JUMP * (abs(above) + abs(below))


def growth(field: Field, y: np.ndarray) -> float:
    """The largest state over the largest at the start."""
    return float(np.abs(y[:-1]).max() / (np.abs(field.first[:-1]).max() or 1.0))


def cause(field: Field, t: float, y: np.ndarray, span: float, far: bool) -> tuple[str, str] | None:
    """(code, words) of the first term ahead of a state that is not finite, or None.

    Args:
        field: the equations.
        t, y: where the motion ended.
        span: the length of the run.
        far: look a long way ahead, as when a number was not finite on a step of ordinary size.
    """
    rate, machine = field.rate(t, y), field.equations.machine
    for h in np.geomspace(1e-14, 100.0 if far else NEAR, 17 if far else 9) * max(span, 1e-300):
        ahead = dict(zip(field.equations.states, y + h * rate, strict=False))
        found = first_nonfinite([*machine.form.entries, *machine.qdot], {**field.parameters, **ahead, TIME.name: t + h})
        if found:
            return found
    return None
