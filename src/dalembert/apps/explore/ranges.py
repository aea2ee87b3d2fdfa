"""Sliders: from where to where, in what steps. A file says it in ``[explore]``; else it follows from the values."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...calculus.frame import TIME
from ...calculus.quantity import Dimension
from ...equations import Equations, Numbers, Start

PARAMETERS, START, MULTIPLIERS = "Parameters", "Start", "Multipliers"
_STEPS = 400  # of a slider from end to end, about
_DEGENERATE = 1e-12  # an eigenvalue of the metric beside the largest
_MASSES = (Dimension.of({"kg": 1}), Dimension.of({"kg": 1, "m": 2}))


@dataclass(frozen=True)
class Slider:
    """One slider: of what, in which group, from, to, step."""

    name: str
    group: str
    low: float
    high: float
    step: float


def slider(name: str, group: str, low: float, high: float) -> Slider:
    """With a step that is 1, 2 or 5 times a power of ten."""
    return Slider(name, group, low, high, _nice((high - low) / _STEPS, down=True))


def of_parameter(name: str, value: float, one_sign: bool) -> Slider:
    """From a fifth of the value to about three times it; where both signs make sense, from minus twice to twice it."""
    if value == 0:
        return slider(name, PARAMETERS, 0.0 if one_sign else -1.0, 1.0)
    if one_sign:
        near, far = _nice(abs(value) / 5, down=True), _nice(3 * abs(value))
        return slider(name, PARAMETERS, *((near, far) if value > 0 else (-far, -near)))
    return slider(name, PARAMETERS, -_nice(2 * abs(value)), _nice(2 * abs(value)))


def of_one_sign(equations: Equations, start: Start, name: str) -> bool:
    """Is it a mass or a moment of inertia, declared to have no other sign, or degenerate at 0 or with another sign?

    Degenerate: the metric or the rows of the constraints are not finite, or of another rank or signature, at the start.
    """
    system = equations.system
    symbol = system.symbols.get(name)
    if symbol is not None and symbol.is_nonnegative:
        return True
    value = start.parameters[name]
    if value >= 0 and system.units and system.balance.known.get(name) in _MASSES:
        return True
    own = _ranks(equations, start, {})
    return any(_ranks(equations, start, {name: other}) != own for other in (0.0, -2 * value))


def _ranks(equations: Equations, start: Start, changed: Mapping[str, float]) -> tuple[int, int, int] | None:
    """Positive and negative eigenvalues of the metric, rank of the constraints; None where a number is not finite."""
    values = {**start.parameters, **start.state, TIME.name: start.t, **changed}
    with np.errstate(all="ignore"):
        numbers = Numbers.of(equations.machine.form._replace(W=equations.machine.metric), values)
    if not all(np.isfinite(part).all() for part in (numbers.W, numbers.N, numbers.f, numbers.g)):
        return None
    sizes = np.linalg.eigvalsh(numbers.W)
    least = _DEGENERATE * float(np.abs(sizes).max(initial=0.0))
    rank = int(np.linalg.matrix_rank(numbers.N)) if numbers.N.size else 0
    return int((sizes > least).sum()), int((sizes < -least).sum()), rank


def of_start(name: str, value: float, like: Sequence[float], angle: bool) -> Slider:
    """About the value, as wide as twice the largest of its kind; an angle a whole turn."""
    if angle and abs(value) <= math.pi:
        return slider(name, START, -round(math.pi, 2), round(math.pi, 2))
    reach = _nice(2 * max([abs(value), *map(abs, like)], default=0.0) or 1.0)
    return slider(name, START, -reach, reach)


def of_multipliers(equations: Equations, start: Start) -> list[Slider]:
    """As large as the momenta at the start per unit of a constraint's row: W u = N^T lam."""
    names = [s.name for s in equations.states_of_multipliers]
    if not names:
        return []
    values = {**start.parameters, **start.state, TIME.name: start.t}
    numbers = Numbers.of(equations.machine.form._replace(W=equations.machine.metric), values)
    u = np.array([start[v.name] for v in equations.space.velocities])
    momentum = float(np.abs(numbers.W @ u).max(initial=0.0)) or 1.0
    rows = np.abs(numbers.N).max(axis=1, initial=0.0)
    reach = [_nice(3 * momentum / (row or 1.0)) for row in rows]
    return [slider(name, MULTIPLIERS, -r, r) for name, r in zip(names, reach, strict=True)]


def kinds(
    names: Sequence[str], units: Mapping[str, Dimension], velocities: set[str], angles: set[str]
) -> dict[str, str]:
    """What has the same unit is of one kind; without units coordinates, velocities and angles are."""
    plain = {n: f"{'rate' if n in velocities else 'place'} {n in angles}" for n in names}
    return {n: str(units[n]) if n in units else kind for n, kind in plain.items()}


def _nice(value: float, down: bool = False) -> float:
    """The next of 1, 2, 5 times a power of ten, above or below."""
    exponent = math.floor(math.log10(value))
    digits = (1.0, 2.0, 5.0, 10.0)
    share = value / 10.0**exponent
    chosen = [d for d in digits if (d <= share * (1 + 1e-9) if down else d >= share * (1 - 1e-9))]
    return float(f"{(chosen[-1] if down else chosen[0])}e{exponent}")
