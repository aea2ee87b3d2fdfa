"""Tracks for tests: simulated, with Gaussian noise of a stated size and a fixed seed, and named as such."""

import numpy as np

import dalembert as da
from dalembert.systems import ball_on_turntable as ball

SIGMA = 0.05  # cm
START = {**ball.START, "w3": 0.0}
VAKONOMIC = {**START, "lam_roll_x": 0.0, "lam_roll_y": -135.0}


def track(equations, start, until, rows=41, sigma=SIGMA, seed=1, columns="xy", known=True):
    """A record of a motion at equal times."""
    t = np.linspace(0, until, rows)
    path = da.simulate(equations, start, until=until, rtol=1e-11)
    noise = np.random.default_rng(seed)
    seen = {c: path.at(t)[c] + sigma * noise.standard_normal(rows) for c in columns}
    stated = dict.fromkeys(columns, sigma) if known else None
    return da.recorded({"t": t, **seen}, uncertainty=stated, source=f"simulated, sigma {sigma}, seed {seed}")
