"""The derivatives of predictions by tangents are those of differences, and fits by both routes are one."""

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.experiment.fit.fit_problem import prepared
from dalembert.question import Guess, Likelihood, Question, Runs
from dalembert.systems import ball_on_turntable as ball


@pytest.mark.parametrize("principle", [da.nonholonomic, da.vakonomic])
def test_tangents_are_differences(principle, circle, simulated):
    e = principle(ball.system(nu=1.0))
    start = {**ball.START, "w3": 0.5}
    free = ["x", "vy", "w3", "Omega", "I", "nu", "k", "shift"]
    if principle is da.vakonomic:
        start |= {"lam_roll_x": 30.0, "lam_roll_y": -20.0}
        free += ["lam_roll_x", "lam_roll_y"]
    x, y, t = sp.symbols("x y t")
    k, shift, Omega = sp.symbols("k shift Omega")
    track = simulated(circle, np.linspace(0, 3, 13), ("x", "y"), 0.02, 1)
    model = prepared(
        e,
        track,
        Question(
            Guess(start, free, {"k": 2.0, "shift": 0.3}),
            Likelihood({"x": k * x + shift * sp.cos(Omega * t), "y": k * x * y / 5}),
            runs=Runs(options={"rtol": 1e-12}),
        ),
    )
    assert model.by_tangents
    values, tangents = model._by_tangents(model.unknowns.guess)
    again, differences = model._by_differences(model.unknowns.guess)
    np.testing.assert_allclose(values, again, rtol=1e-9, atol=1e-9)
    scale = np.abs(tangents).max(axis=0) + 1e-4 * np.abs(tangents).max()
    # central differences miss by the third derivative times h^2/6; vakonomic motions bend more
    np.testing.assert_allclose(tangents / scale, differences / scale, atol=1e-4 if len(free) > 8 else 1e-5)


def test_another_method_of_integration_gives_the_same_fit(table, circle, simulated, guess):
    track = simulated(circle, np.linspace(0, 4, 21), ("x", "y"), 0.02, 2)
    how = {"start": guess, "free": "vx vy Omega", "parameters": {"Omega": 4.6}}
    others = ({"method": "taylor"}, {"method": "radau"}, {"rtol": 1e-12})
    fits = [da.fit(table, track, **how, **more) for more in ({}, *others)]
    for other in fits[1:]:
        np.testing.assert_allclose(other.theta, fits[0].theta, atol=3e-7)
        np.testing.assert_allclose(other.covariance, fits[0].covariance, rtol=1e-3, atol=1e-12)
