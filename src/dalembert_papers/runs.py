"""Motions from values given by name, how far two are apart, and why a start is refused."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from dalembert import DalembertError, simulate
from dalembert.equations import Equations
from dalembert.trajectory import Trajectory


def run(equations: Equations, start: Mapping[str, Any], until: float, samples: Any = None) -> Trajectory:
    """The motion from a start that these values determine."""
    return simulate(equations, equations.start(**start), until=until, samples=samples)


def largest_gap(first: Trajectory, second: Trajectory, names: Iterable[str]) -> float:
    """Largest difference of any of these columns at the common samples."""
    return max(float(np.abs(first[name] - second[name]).max()) for name in names)


def refusal(equations: Equations, start: Mapping[str, Any]) -> DalembertError | None:
    """Why a start is refused; None if it is accepted."""
    try:
        equations.start(**start)
    except DalembertError as error:
        return error
    return None
