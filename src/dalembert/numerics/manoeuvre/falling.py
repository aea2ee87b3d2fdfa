"""Costs without a least value: where an input may be as large as it likes, and the cost falls faster than it grows."""

from __future__ import annotations

import math

import numpy as np

from ...calculus.frame import TIME
from ...calculus.graph import Graph, evaluate, gradient
from ...calculus.read import read
from ...errors import InvalidValue
from .asked import Asked

_STATES, _LARGE = 5, (1e3, 1e6)  # random states; inputs at which the cost is still curved downwards


def check_cost(made: Asked) -> None:
    """E343: d^2 cost/dF^2 < 0 for an input F without bounds, at random states and however large it is."""
    for name in made.inputs:
        if not all(map(math.isfinite, made.limits.get(name, (-math.inf, math.inf)))) and _falls(made, name):
            fact = f"the cost {made.cost} falls without end as {name} grows: there is no least one"
            raise InvalidValue("E343", fact, f'another sign of the cost, or bounds={{"{name}": (-1.0, 1.0)}}')


def _falls(made: Asked, name: str) -> bool:
    graph, rng, space = Graph(), np.random.default_rng(9), made.equations.space
    F = graph.symbol(name)
    slope = gradient(read(made.cost, graph), [F])[0]
    curved = gradient(slope, [F])[0]
    others = [s.name for s in sorted(made.cost.free_symbols, key=str) if s.name not in space.by_name]
    for _ in range(_STATES):
        point = {**space.sample(rng, others), TIME.name: float(rng.uniform()), **made.parameters}
        for size in (1.0, *_LARGE):
            for sign in (-1, 1):
                if not float(evaluate([curved], {**point, name: sign * size})[0]) * size**2 < -1e-12:
                    return False
    return True
