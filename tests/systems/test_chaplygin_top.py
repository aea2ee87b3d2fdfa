"""Chaplygin's top [borisov2014] holds Routh's sphere and Chaplygin's ball, and goes back the way it came."""

import numpy as np
import pytest

import dalembert as da
from dalembert.systems import chaplygin_top, routh_sphere


def accelerations(system, **start):
    equations = da.nonholonomic(system)
    return equations.evaluate(equations.start(**start))["accelerations"]


def test_on_an_axis_of_symmetry_it_is_rouths_sphere():
    sphere = routh_sphere.system()
    p = sphere.values()
    top = chaplygin_top.system(c1=0.0, c2=0.0, c3=p["a"], I1=p["I1"], I2=p["I1"], I3=p["I3"])
    found = [accelerations(system, **chaplygin_top.START) for system in (top, sphere)]
    assert found[0] == pytest.approx(found[1], rel=1e-10)


def test_without_an_arm_moments_about_the_contact_stay():
    top = chaplygin_top.system(c1=0.0, c2=0.0, c3=0.0)
    equations = da.nonholonomic(top)
    path = da.simulate(equations, equations.start(**chaplygin_top.START), until=2.0, rtol=1e-10)
    p, space, moments = top.values(), chaplygin_top.SPACE, []
    for t in np.linspace(0, 2, 5):
        row = path.at(t)
        R = np.array(space.R.subs({s: row[s.name] for s in space.coordinates if s.name.startswith("R_")}), float)
        w = np.array([row["w1"], row["w2"], row["w3"]])
        moments.append(R @ np.diag([p["I1"], p["I2"], p["I3"]]) @ R.T @ w + p["m"] * p["r"] ** 2 * w * [1, 1, 0])
    assert np.ptp(moments, axis=0) == pytest.approx(0, abs=1e-7)


def test_it_goes_back_the_way_it_came():
    equations = da.nonholonomic(chaplygin_top.system())
    start = equations.start(**chaplygin_top.START)
    end = da.simulate(equations, start, until=2.0, rtol=1e-11, atol=1e-12).at(2.0)
    back = {n: -v if n in ("vx", "vy", "w1", "w2", "w3") else v for n, v in end.items() if n in equations.states}
    again = da.simulate(equations, equations.start(**back), until=2.0, rtol=1e-11, atol=1e-12).at(2.0)
    assert [-again[n] for n in ("w1", "w2", "w3")] == pytest.approx([0.7, -0.9, 2.0], abs=1e-7)
