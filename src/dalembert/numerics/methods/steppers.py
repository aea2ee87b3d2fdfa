"""Which stepper carries out a run: one for each method, all with the interface of `dop853.Stepper`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..events.guard import Guard
from ..policy import FIXED
from ..vector_field.field import Field
from .dop853 import Stepper
from .geometric import fixed
from .radau import RadauStepper
from .taylor.kernel import stepper as taylor

MARGIN_LIMIT = 1e-13  # least rank margin of a step
FEW_SAMPLES = 100  # so many are made again from their steps rather than all steps kept with dense output


def stepper_for(field: Field, guards: tuple[Guard, ...], samples: int) -> Any:
    """The stepper of a run: its policy's method, with as much dense output as guards and samples need."""
    policy, kernel, t = field.policy, field.kernel, field.start.t
    n = len(field.equations.states)
    chunk = 64 if guards else max(16, min(512, 200_000 // (7 * (n + 1))))
    if policy.method in FIXED:
        return fixed.stepper(field, MARGIN_LIMIT, chunk)
    atol = np.r_[policy.tolerances(field.equations.states, field.start.vector), math.inf]
    shared = {"rtol": policy.rtol, "atol": atol}
    shared |= {"max_step": policy.max_step, "max_steps": int(min(policy.max_steps, 2**62))}
    if policy.method == "radau":
        shared["atol"] = np.r_[atol[:-1], policy.rtol * _energy_size(field) or math.inf]
        shared |= {"project": field.project_address, "margin_limit": MARGIN_LIMIT, "chunk": 64 if guards else 256}
        return RadauStepper(kernel.rhs, kernel.jacobian, t, field.first, field.p, **shared)
    shared["dense"] = policy.dense or bool(guards) or samples > FEW_SAMPLES
    if policy.method == "taylor":
        return taylor(field, MARGIN_LIMIT, 64 if guards else 256 if shared["dense"] else 1024, shared)
    chunk = max(16, min(512, 200_000 // (7 * (n + 1))))
    shared |= {"margin_limit": MARGIN_LIMIT, "chunk": chunk}
    shared["patient"] = all(guard.marks for guard in guards)
    return Stepper(kernel.library, t, field.first, field.p, **shared)


def _energy_size(field: Field) -> float:
    """The energy that a stiff run may lose in a thin layer: the work there is controlled to this size."""
    t, names = field.start.t, field.equations.states
    still = field.first * ~np.isin([*names, ""], [u.name for u in field.equations.space.velocities])
    energy = field.energy(np.array([t, t]), np.stack([field.first, still]))
    return float(max(*np.abs(energy), np.ptp(energy)))
