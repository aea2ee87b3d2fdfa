"""Motions at equal steps, and how exact integrals along them are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dalembert.equations import Equations
from dalembert.trajectory import Trajectory

from ...runs import run as run_from

SAME = 1e-9  # of lengths about 1, over a few units of time at a tolerance of 1e-12 per step
QUADRATURE = 1e-7  # Simpson's rule with steps of 1/400
STEPS = 400


def run(equations: Equations, start: Mapping[str, Any], until: float) -> Trajectory:
    """A motion at equal steps."""
    return run_from(equations, start, until, np.linspace(0.0, until, STEPS + 1))
