"""The penny [bloch1996; bloch1995]: circles, and a vakonomic partner for each."""

import numpy as np

import dalembert as da
from dalembert.systems import penny


def test_the_contact_runs_on_a_circle(named):
    path = named("penny").path("circle")
    radius = 0.5 * 2.0 / 0.9
    centre = 0.4 - 0.2j + 1j * np.exp(0.3j) * radius
    assert np.allclose(np.abs(path["x"] + 1j * path["y"] - centre), radius, rtol=1e-10)


def test_reactions_are_the_centripetal_force(named):
    equations = named("penny").equations(da.nonholonomic)
    found = equations.evaluate(named("penny").start("circle"))
    # lam = m (xddot, yddot)
    assert np.allclose(
        [found["multipliers"]["along"], found["multipliers"]["across"]],
        [found["accelerations"]["vx"], found["accelerations"]["vy"]],
    )


def test_lam_of_the_momentum_gives_the_same_path(named):
    case = named("penny")
    equations, start = case.equations(da.vakonomic), case.start("circle")
    lam = {"lam_along": start["vx"], "lam_across": start["vy"]}  # m = 1
    path = da.simulate(equations, equations.start(**penny.START, **lam), until=3.0, rtol=1e-11, atol=1e-13)
    x, y, *_ = penny.exact(path.t, [start[c] for c in penny.EXACT], start.parameters)
    assert np.allclose([path["x"], path["y"]], [x, y], atol=1e-8)


def test_the_partner_is_the_only_one_for_a_rolling_penny(named, partner):
    _, lam, residual = partner(named("penny"), "circle")
    for shift in np.eye(2):
        assert residual(lam + 0.1 * shift) > 1e-3


def test_the_default_is_a_homogeneous_disc():
    p = penny.system().values()
    assert (p["C"], p["A"]) == (p["m"] * p["R"] ** 2 / 2, p["m"] * p["R"] ** 2 / 4)
