"""How the cost of a derivation grows with the system: the wheeled snake and the car with trailers, up to 64 links."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import dalembert as da
from dalembert.systems import car_with_trailers, wheeled_snake

from ..contest import Bar, Contest, Job, Measured, clock, duration

SIZES = (16, 32, 64)
CUBIC = 8.0  # the elimination of a dense matrix of twice the size


@cache
def _formed(system: Callable[[int], Any], links: int) -> tuple[float, int]:
    """Seconds from the call of `system` to equations with an operation count, and that count."""
    counts: list[int] = []
    seconds = clock(lambda: counts.append(da.nonholonomic(system(links)).operations()["total"]))
    return seconds, counts[0]


def _growth(system: Callable[[int], Any], links: int) -> Measured:
    """Operations over those of half the size."""
    (seconds, count), (_, half) = _formed(system, links), _formed(system, links // 2)
    return Measured(count / half, duration(seconds), f"{count}")


JOB = Job(
    "growth",
    "Size N: time to equations, operations, and these over those of N/2",
    [
        Contest(f"{name} {n}", f"{name}, N = {n}", Bar("<=", CUBIC), lambda system=system, n=n: _growth(system, n))
        for name, system in (("snake", wheeled_snake.system), ("car", car_with_trailers.system))
        for n in SIZES
    ],
)
