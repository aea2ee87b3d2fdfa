"""Each law is tried on every system of the zoo."""

import numpy as np
import pytest

from zoo import ZOO


@pytest.fixture(scope="session")
def zoo():
    return ZOO


@pytest.fixture(params=ZOO.names)
def name(request):
    return request.param


@pytest.fixture(scope="session")
def states():
    """Consistent random starts: states(equations, n, seed)."""

    def make(equations, n=3, seed=0):
        rng = np.random.default_rng(seed)
        found = []
        for _ in range(n):
            lam = {s.name: float(rng.normal()) for s in equations.states_of_multipliers}
            t = float(rng.uniform(0, 1))
            found.append(equations.start(t=t, project="kinetic", **equations.space.sample(rng), **lam))
        return found

    return make


@pytest.fixture(scope="session")
def values_of():
    """Every symbol's value at a start, by name."""
    return lambda start: {**start.parameters, **start.state, "t": start.t}
