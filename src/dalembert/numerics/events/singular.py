"""Where a motion stops being determined: ranks that are lost, forces that jump, numbers that are not finite."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ...calculus.frame import TIME
from ...calculus.graph import Node, evaluate, gradient
from ...equations.finite import first_nonfinite
from ...equations.form import WEAK_PIVOT
from ..vector_field.field import Field
from .compiled_guards import Happening

Function = Callable[[np.ndarray, np.ndarray], np.ndarray]

ROUNDED = 32 * float(np.finfo(float).eps)  # of the size, below which a pivot is no more than rounding
SIDE, JUMP = 1e-7, 1e-3  # how far beside a surface a force is looked at, and the relative jump that counts
NEAR = 1e-6  # of the run's length: as far ahead a term is looked for when the steps shrink to nothing


class Surface(NamedTuple):
    """A function of times (N,) and states (N, n + 1) whose zeros are losses of rank.

    Attributes:
        value: the function.
        size: that of the numbers it is left over from; a few roundings of them are no more than noise.
    """

    value: Function
    size: Function

    def noise(self, t: np.ndarray, y: np.ndarray) -> np.ndarray:
        """What a value means nothing below, on each step between the times (N,): (N - 1,)."""
        size = np.abs(self.size(t, y))
        return ROUNDED * np.maximum(size[1:], size[:-1])


def pivots(field: Field) -> list[Surface]:
    """What the equations of a run divide by, along its path; nothing in the speeds of a lean form."""
    if field.lean is not None:  # it ends well before, and is made again as written
        return []
    kernel = field.kernel
    found = [
        Surface(_along(field, pivot), _along(field, entry))
        for pivot, entry in zip(kernel.pivots, kernel.diagonal, strict=True)
        if not pivot.is_constant
    ]
    found += [_by_its_start(field, _along(field, chart)) for chart in kernel.charts if not chart.is_constant]
    if not kernel.pivots:
        found.append(_determinant(field))
    return found


def _determinant(field: Field) -> Surface:
    """That of the whole form, in units of its value at the start: by itself it leaves the numbers where it is large."""
    kept = list(field.equations.kept)

    def parts(t: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        sign, size = np.linalg.slogdet(field.form(t, y).rows(kept).bordered)
        return np.asarray(sign), np.asarray(size)

    _, first = parts(np.array([field.start.t]), field.first[None])

    def value(t: np.ndarray, y: np.ndarray) -> np.ndarray:
        sign, size = parts(t, y)
        return np.asarray(sign * np.exp(np.minimum(size - first, 700.0)))

    return Surface(value, lambda t, y: np.ones(t.shape))


def _along(field: Field, node: Node) -> Function:
    return lambda t, y: field.at(node, t, y)


def _by_its_start(field: Field, value: Function) -> Surface:
    """A function that counts in units of its value at the start."""
    first = value(np.array([field.start.t]), field.first[None])
    return Surface(value, lambda t, y: np.broadcast_to(first, t.shape))


def form_lost(field: Field, t: float, y: np.ndarray) -> str:
    """Words for a loss of rank that is one of the form and not of the motion, or nothing."""
    equations, values = field.equations, field.values(t, y)
    if equations.rows_at(values) is not equations:
        names = ", ".join(equations.constraints[i].name for i in equations.kept)
        return f"the rows in use ({names}) become dependent here, others do not: run on from the state reached"
    if not equations.dependent or not float(equations.share(values)) < 2 * WEAK_PIVOT:
        return ""
    names = ", ".join(equations.space.velocities[a].name for a in equations.dependent)
    return (
        f"the form {equations.principle} is singular here, the motion is not: the constraints do not determine "
        f"{names}; name others, or take da.forms.maggi"
    )


def slides(field: Field, h: Happening, y: np.ndarray) -> bool:
    """Does the motion run towards the surface h from both sides, with a jump of its rate in between?"""
    graph, n = h.guard.value.graph, len(field.states)
    xs = [graph.symbol(name) for name in field.states]
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
        ahead = dict(zip(field.states, y + h * rate, strict=False))
        found = first_nonfinite([*machine.form.entries, *machine.qdot], {**field.parameters, **ahead, TIME.name: t + h})
        if found:
            return found
    return None
