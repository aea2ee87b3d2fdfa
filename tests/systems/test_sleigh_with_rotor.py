"""A sleigh with a swinging rotor [bizyaev2019]: its speed grows as t^(1/3)."""

import numpy as np
import pytest

import dalembert as da
from dalembert.systems import sleigh_with_rotor


def test_its_speed_grows_as_the_cube_root_of_time():
    system = sleigh_with_rotor.system()
    p, equations = system.values(), da.nonholonomic(system)
    start = equations.start(**sleigh_with_rotor.START)
    path = da.simulate(equations, start, until=2000.0, rtol=1e-8)
    t = np.array([250.0, 2000.0])
    rows = [path.at(s) for s in t]
    v = np.array([row["vx"] * np.cos(row["theta"]) + row["vy"] * np.sin(row["theta"]) for row in rows])
    assert v[1] / v[0] == pytest.approx(2, rel=0.05)
    # with what omega lags behind:  d/dt ((m a)^2 v^3/3 + (J + m a^2)^2 nu^2 v) = a (k nu)^2/2
    m, a, J, k, nu = (p[n] for n in ("m", "a", "J", "k", "nu"))
    grown = (m * a) ** 2 * v**3 / 3 + (J + m * a**2) ** 2 * nu**2 * v
    assert np.diff(grown)[0] / np.diff(t)[0] == pytest.approx(a * (k * nu) ** 2 / 2, rel=0.01)


def test_it_never_slows_down():
    system = sleigh_with_rotor.system()
    equations = da.nonholonomic(system)
    path = da.simulate(equations, equations.start(**sleigh_with_rotor.STARTS["backwards"]), until=20.0)
    v = path["vx"] * np.cos(path["theta"]) + path["vy"] * np.sin(path["theta"])
    assert np.diff(v).min() > -1e-9
    assert v[0] < 0 < v[-1]
