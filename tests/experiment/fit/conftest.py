"""Systems and records for the tests of fits. All tracks are simulated, with the noise and seed that they state."""

import numpy as np
import pytest

import dalembert as da
from dalembert.systems import ball_on_turntable as ball

NOISE = 0.02  # cm


@pytest.fixture(scope="session")
def table():
    return da.nonholonomic(ball.system())


@pytest.fixture(scope="session")
def circle(table):
    """The ball without friction, 8 s."""
    return da.simulate(table, table.start(**ball.START, w3=0.0), until=8)


@pytest.fixture(scope="session")
def simulated():
    """Columns of a path with Gaussian noise."""
    return _simulated


def _simulated(path, times, columns, sigma, seed, known=True):
    rng, at = np.random.default_rng(seed), path.at(np.asarray(times, float))
    seen = {"t": np.asarray(times, float)} | {n: at[n] + rng.normal(0, sigma, len(times)) for n in columns}
    return da.nouns.Record(
        seen, source=f"simulated, seed {seed}", uncertainty=dict.fromkeys(columns, sigma) if known else {}
    )


@pytest.fixture(scope="session")
def particle():
    """A free particle on a line, a problem of linear least squares: x = x0 + v t."""
    q = da.coordinates("x")
    return da.free(da.System(q, q["vx"] ** 2 / 2))


@pytest.fixture(scope="session")
def guess():
    """The place at which the circle begins, and speeds that are off."""
    return {"x": 10.0, "y": 0.0, "vx": 0.1, "vy": 5.2, "w3": 0.0}
