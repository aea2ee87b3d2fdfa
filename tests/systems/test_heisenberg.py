"""The Heisenberg system [bloch2015]: helices over circles, and Dido's area."""

import math

import numpy as np
import pytest

import dalembert as da
from dalembert.systems import heisenberg


@pytest.mark.parametrize("lam", [-1.7, 0.4, 3.0])
def test_vakonomic_motions_are_helices_over_circles(lam):
    equations = da.vakonomic(heisenberg.system(m=1.3))
    start = equations.start(**heisenberg.STARTS["line"], lam_area=lam)
    path = da.simulate(equations, start, until=2 * math.pi * 1.3 / abs(lam), rtol=1e-11, atol=1e-13)
    w, v = path["x"] + 1j * path["y"], start["vx"] + 1j * start["vy"]
    radius = abs(1.3 * v / lam)
    # w - centre = i m v/lam ... a quarter turn from the velocity
    centre = w[0] - 1j * 1.3 * v / lam
    assert np.allclose(np.abs(w - centre), radius, atol=1e-9)
    # one turn closes, and the height gained is the area enclosed (seen from the centre: the origin does not matter)
    assert w[-1] == pytest.approx(w[0], abs=1e-8)
    assert path["z"][-1] - path["z"][0] == pytest.approx(heisenberg.lift(lam, abs(v), {"m": 1.3}), abs=1e-8)


def test_nonholonomic_motions_are_straight(named):
    path = named("heisenberg").path("line")
    s = heisenberg.START
    assert np.allclose(path["x"], s["x"] + s["vx"] * path.t, atol=1e-10)
    assert np.allclose(path["y"], s["y"] + s["vy"] * path.t, atol=1e-10)


def test_a_geodesic_is_shorter_than_other_ways_to_its_end():
    # Dido: of all curves that end above their start at a given height the circle is the shortest
    height = abs(heisenberg.lift(1.0, 1.0, {"m": 1.0}))
    length = 2 * math.pi
    for a, b in ((1.2, 1 / 1.2), (2.0, 0.5), (1.01, 1 / 1.01)):
        s = np.linspace(0, 2 * math.pi, 4001)
        around = np.sum(np.abs(np.diff(a * np.cos(s) + 1j * b * np.sin(s))))
        assert math.pi * a * b == pytest.approx(height)
        assert around > length
