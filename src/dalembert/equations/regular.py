"""Two more doubts about a start: a chart that is singular up to rounding, and a sign slip hidden by multipliers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..calculus.graph import evaluate
from ..calculus.rank import RANK_TOLERANCE, null_space_in
from ..calculus.slopes import Slopes
from .check import massless, negative, shown, spectrum
from .form import SMALLEST, Numbers

_SHIFT, _ROUNDED = 1e-3, 1e-16


def check_regular(equations: Any, values: Mapping[str, float]) -> None:
    """Refuse a start that passes for regular by rounding, or because the multipliers are states.

    Raises:
        Singular: E108 the kinetic energy is negative for an allowed velocity; E237 a velocity carries 1e-16 of the
            energy it carries nearby: sin(theta) at theta = pi is 1e-16 and not 0.
    """
    numbers = _kinetic(equations, values)
    if not np.isfinite(numbers.W).all() or not np.isfinite(numbers.N).all():
        return
    where = f"at t = {values['t']:g}"
    if equations.states_of_multipliers:
        eigenvalues, directions = spectrum(numbers.W, numbers.N)
        if eigenvalues.size and eigenvalues[0] < -RANK_TOLERANCE:
            raise negative(shown(equations.space.velocities, directions[:, 0]), where)
    direction = _weightless(numbers, _nearby(equations, values))
    if direction is not None:
        raise massless(shown(equations.space.velocities, direction), where, "nearby")


def _kinetic(equations: Any, values: Mapping[str, float]) -> Numbers:
    form = equations.machine.form._replace(W=equations.machine.metric)
    return Numbers.of(form, values).rows(list(equations.kept))


def _nearby(equations: Any, values: Mapping[str, float]) -> np.ndarray:
    """The energies W_aa a little away from the start."""
    shift = {q.name: values[q.name] + _SHIFT * (1 + i / 7) for i, q in enumerate(equations.space.coordinates)}
    metric = equations.machine.metric
    if isinstance(metric, Slopes):
        return np.abs(np.diag(metric.numbers({**values, **shift})))
    diagonal = [row[a] for a, row in enumerate(metric)]
    energies: np.ndarray = np.abs(np.array(evaluate(diagonal, {**values, **shift}), float))
    return energies


def _weightless(numbers: Numbers, energy: np.ndarray) -> np.ndarray | None:
    """An allowed velocity without energy, each velocity counted in the unit in which it carries 1 nearby."""
    if not (np.isfinite(energy).all() and (energy > SMALLEST).all()):
        return None
    unit = 1 / np.sqrt(energy)
    Z = null_space_in(numbers.N, unit)
    scaled = Z.T @ (numbers.W * unit[:, None] * unit) @ Z
    eigenvalues, vectors = np.linalg.eigh((scaled + scaled.T) / 2)
    if not eigenvalues.size or abs(eigenvalues[0]) > _ROUNDED:
        return None
    return np.asarray(unit * (Z @ vectors[:, 0]))
