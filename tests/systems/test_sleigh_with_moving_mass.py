"""A sleigh with a mass that is moved across it [bizyaev2017]: behind the blade it drives the sleigh for ever."""

import math

import numpy as np
import pytest

import dalembert as da
from dalembert.systems import chaplygin_sleigh, sleigh_with_moving_mass


@pytest.mark.parametrize("d", [-0.3, 0.5, 2.5], ids=["behind", "between", "far ahead"])
def test_the_cube_of_a_large_speed_changes_steadily(d):
    system = sleigh_with_moving_mass.system(d=d)
    p, equations = system.values(), da.nonholonomic(system)
    start = equations.start(x=0.0, y=0.0, theta=0.0, vx=80.0, omega=0.0)
    # after what the start brought has died out, from the middle of one swing to that of another
    times = np.array([20, 120]) * math.tau / p["nu"]
    path = da.simulate(equations, start, until=times[-1], rtol=1e-11, atol=1e-13)
    u = np.array([math.hypot(path.at(t)["vx"], path.at(t)["vy"]) for t in times])
    found = np.diff(u**3)[0] / np.diff(times)[0]
    assert found == pytest.approx(3 * sleigh_with_moving_mass.pushed(p), rel=0.02)
    assert (found > 0) == (d != 0.5)


def test_a_mass_behind_the_blade_drives_the_sleigh_from_a_slow_start():
    equations = da.nonholonomic(sleigh_with_moving_mass.system())
    start = equations.start(**sleigh_with_moving_mass.STARTS["backwards"])
    end = da.simulate(equations, start, until=300.0).at(300.0)
    assert end["vx"] * math.cos(end["theta"]) + end["vy"] * math.sin(end["theta"]) > 5


def test_a_mass_that_hardly_moves_leaves_the_sleigh_of_chaplygin():
    m, J, a, p, d = 1.0, 0.5, 0.4, 0.5, 0.7
    arm = (m * a + p * d) / (m + p)
    about = J + m * (a - arm) ** 2 + p * (d - arm) ** 2
    moved = da.nonholonomic(sleigh_with_moving_mass.system(m=m, J=J, a=a, p=p, d=d, b=1e-3))
    rigid = da.nonholonomic(chaplygin_sleigh.system(m=m + p, J=about, a=arm))
    one, other = (da.simulate(e, e.start(**sleigh_with_moving_mass.START), until=3.0).at(3.0) for e in (moved, rigid))
    names = ("x", "y", "theta", "omega")
    assert [one[n] for n in names] == pytest.approx([other[n] for n in names], abs=3e-3)
