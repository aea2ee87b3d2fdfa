"""A ball in a tube [gualtieri2006]: up and down sqrt(2/7) times in a turn, and sqrt(2/5) times if it is hollow."""

import math

import numpy as np
import pytest

import dalembert as da
from dalembert.systems import ball_in_cylinder


@pytest.mark.parametrize(("share", "swings"), [(2 / 5, 2 / 7), (2 / 3, 2 / 5)], ids=["solid", "hollow"])
def test_it_comes_back_up_whatever_gravity_is(share, swings):
    m, r, turning = 1.3, 0.15, 2.0
    for g in (1.0, 9.81):
        equations = da.nonholonomic(ball_in_cylinder.system(m=m, r=r, g=g, I=share * m * r**2))
        start = equations.start(R="identity", ph=0.0, z=0.2, vph=turning, vz=-0.3, w1=0.7)
        period = math.tau / (turning * math.sqrt(swings))
        end = da.simulate(equations, start, until=period).at(period)
        assert end["z"] == pytest.approx(0.2, abs=1e-7)
        assert end["vz"] == pytest.approx(-0.3, abs=1e-7)


def test_a_ball_that_does_not_go_around_falls_slower_than_free():
    # g m r^2/(I + m r^2) = 5/7 g
    equations = da.nonholonomic(ball_in_cylinder.system())
    at = equations.evaluate(equations.start(R="identity", **ball_in_cylinder.STARTS["falling"]))
    assert at["accelerations"]["vz"] == pytest.approx(-5 / 7 * 9.81)


def test_the_point_that_touches_the_tube_is_at_rest():
    system = ball_in_cylinder.system()
    p, start = system.values(), da.nonholonomic(system).start(R="identity", **ball_in_cylinder.START)
    ph, far = start["ph"], p["b"] - p["r"]
    n, around = np.array([np.cos(ph), np.sin(ph), 0]), np.array([-np.sin(ph), np.cos(ph), 0])
    v = far * start["vph"] * around + [0, 0, start["vz"]]
    w = np.array([start[name] for name in ("w1", "w2", "w3")])
    assert v + np.cross(w, p["r"] * n) == pytest.approx(np.zeros(3), abs=1e-12)
