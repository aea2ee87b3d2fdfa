"""From a full state to the reduced one: the shape, the place on the slice, and v with u = Z v."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..calculus.frame import TIME
from ..equations import Start, State
from ..errors import InvalidValue
from ..geometry.reduction import Reduction
from ..given import public
from .carried_frame import CarriedFrame
from .columns import Columns, Function
from .full_state import full_start, needs_reduction
from .slice import Slice

OFF = 1e-9  # relative: by how much two reduced states may differ that are to be the same


@public
def reduced_start(
    reduction: Reduction, start: Start | Mapping[Any, Any], *, inputs: Mapping[str, object] | None = None
) -> State:
    """The reduced state of a full one: values by name, the time ``t`` included, for a run of the reduced system.

    It bears the parameters of the start, with which the reduced system runs then.

    Args:
        reduction: from `da.reduce`.
        start: a `Start` of the full system, or a mapping of all its coordinates and velocities, in which ``t`` may
            stand; other names in it, such as those of a path's further columns, count for nothing.
        inputs: values there of inputs that stand in constraints or momenta, by name.

    Raises:
        WrongType: E101 no reduction, E241 no state, E204 a value that is no number.
        UnknownName: E229, a parameter among the values; E180, an input of constraints or momenta without a value.
        InvalidValue: E203 not finite, E230 values that are missing, E231, E232, E238 a state that the constraints or
            the space do not allow; E124, parameters at which the symmetry does not hold, or a pole of the reduced
            velocities.
    """
    needs_reduction(reduction, "reduced_start")
    full = full_start(reduction, start, inputs=inputs)
    return State({**reduced_state(reduction, full.values), TIME.name: full.t or 0.0}, full.parameters)


def reduced_state(reduction: Reduction, values: Columns) -> dict[str, float]:
    """The reduced state by name."""
    space, meaning = reduction.system.space, reduction.shape.meaning
    left_alone = Function([*meaning.values()])(values)
    found = {q.name: float(v) for q, v in zip(meaning, left_alone, strict=True)}
    names = [s.name for s in reduction.given.space.velocities]
    there = values
    if reduction.shape.sliced:
        crossing, there = _at_slice(reduction, values)
        found |= crossing
    elif reduction.zeta is not None:
        there = {**values, **CarriedFrame.of(reduction, values).on_slice(values)}
    # u = Z v
    Z = np.array(Function([*reduction.Z])({**there, **found}), float).reshape(len(names), len(space.velocities))
    u = np.array([there[n] for n in names])
    v = _coefficients(reduction, Z, u)
    return found | {s.name: float(x) for s, x in zip(space.velocities, v, strict=True)}


def _at_slice(reduction: Reduction, values: Columns) -> tuple[dict[str, float], Columns]:
    """The coordinates on the slice, and the state there with its velocities if the frame is carried along."""
    work = Slice(reduction, values)
    q, M = work.to(values)
    place = dict(zip(work.moved, map(float, q), strict=True))
    crossing = {new.name: place[old.name] for old, new in reduction.shape.crossing.items()}
    if reduction.zeta is None:
        return crossing, values
    v = np.linalg.solve(M, np.array([values[n] for n in work.names]))
    return crossing, {**values, **place, **crossing, **dict(zip(work.names, map(float, v), strict=True))}


def _coefficients(reduction: Reduction, Z: np.ndarray, u: np.ndarray) -> np.ndarray:
    """v with u = Z v (E124 if there is none)."""
    if not Z.shape[1]:
        return np.zeros(0)
    v = np.linalg.lstsq(Z, u, rcond=None)[0] if np.isfinite(Z).all() else np.full(Z.shape[1], np.nan)
    if not np.abs(Z @ v - u).max(initial=0.0) <= OFF * (1 + np.abs(u).max(initial=0.0)):
        where = " or ".join(f"{pole} = 0" for pole in reduction.poles) or "a singular place"
        raise InvalidValue(
            "E124", f"the reduced velocities cannot tell this state: it lies at {where}", "run the full system there"
        )
    return np.asarray(v)
