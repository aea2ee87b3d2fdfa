"""Steps that are short because of rounding: a stretch of a stiff spring is a small difference of large numbers.

The rounding of x moves a rate f(x) by what f changes within a rounding of x. Where a step of that exceeds what the
tolerance allows, the error of a step is made of rounding, and steps become as short as that needs, for nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..events import at_an_instant
from ..events.guard import Guard
from ..policy import Policy
from ..vector_field.field import Field

EARLY = 20_000  # steps, after which it is looked once
_ROUNDED = 2 * float(np.finfo(float).eps)
_NEAR = 1e5  # roundings of a guard's terms: a motion that leaves a surface without speed stays for so long
_EXCEEDS = 1.0  # times the tolerance


def words(field: Field, policy: Policy, t: float, y: np.ndarray, h: float) -> str:
    """Which rate is all rounding within steps of h at a state (n + 1,), and what tolerance it allows; or nothing."""
    n = len(y) - 1
    rate = field.rate(t, y)[:n]
    rounded = np.abs(y[:n]) * _ROUNDED
    moved = np.array([np.abs(field.rate(t, _beside(y, j, rounded[j]))[:n] - rate) for j in range(n)]) / 2
    if not np.isfinite(moved).all():
        return ""
    by, of = np.unravel_index(int(np.argmax(moved * h / _allowed(field, policy, y)[:n])), moved.shape)
    noise, allowed = float(moved[by, of]), float(_allowed(field, policy, y)[of])
    if not noise * h > _EXCEEDS * allowed:
        return ""
    # what moves f by k dx swings by itself with sqrt(k), and dx makes sqrt(k) dx of its speed
    atol = float(np.sqrt(noise * rounded[by]))
    name, cause = field.states[of], field.states[by]
    return (
        f"steps of {h:.1e} at t = {t:.6g} are so short because of rounding: the last digit of {cause} changes {name}' "
        f"by {noise:.1e}, within a step more than its tolerance {allowed:.1e}. Give atol={_one_digit(atol)}, "
        f"which rounding allows; or measure {cause} from where the stiff force is 0, or replace it by a constraint"
    )


def on_a_surface(field: Field, guards: Sequence[Guard], t: float, y: np.ndarray, h: float) -> str:
    """Does the motion lie, as far as rounding tells, on a surface where a force may jump? In words, or nothing."""
    for guard in guards:
        if not guard.switch:
            continue
        g = float(guard.of(np.array([t]), y[None], field.states, field.parameters)[0])
        if abs(g) <= _NEAR * at_an_instant.noise(field, guard, t, y):
            return (
                f"steps of {h:.1e} at t = {t:.6g} are so short because the motion lies on {guard.event.name} = 0: "
                "there a force may jump, and every step feels both sides. Start a little beside it, on the side where "
                "it goes; or make the force continuous there"
            )
    return ""


def _beside(y: np.ndarray, j: int, by: float) -> np.ndarray:
    other = y.copy()
    other[j] += by
    return other


def _allowed(field: Field, policy: Policy, y: np.ndarray) -> np.ndarray:
    """What a step may miss, atol + rtol |y|, (n,)."""
    atol = policy.tolerances(field.states, field.first[:-1])
    return np.asarray(atol + policy.rtol * np.abs(y[:-1]))


def _one_digit(x: float) -> str:
    """As 2e-10, rounded upwards."""
    size = 10.0 ** np.floor(np.log10(x))
    return f"{np.ceil(x / size) * size:.0e}"
