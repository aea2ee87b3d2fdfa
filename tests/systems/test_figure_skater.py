"""A skater on one blade [gzenda2020]: circles in balance, two linear constants for a = 0 and none of them otherwise."""

import math

import numpy as np
import pytest

import dalembert as da
from dalembert.systems import figure_skater


def test_a_skater_leans_into_a_circle():
    # m g l sin(th) + m (v + l omega sin(th)) l omega cos(th) + (B - C) omega^2 sin(th) cos(th) = 0
    system = figure_skater.system(a=0.0)
    p, equations = system.values(), da.nonholonomic(system)
    th, omega = -0.35, 1.4
    sine, cosine = math.sin(th), math.cos(th)
    pull = p["m"] * p["g"] * p["l"] * sine + (p["B"] - p["C"]) * omega**2 * sine * cosine
    v = -pull / (p["m"] * p["l"] * omega * cosine) - p["l"] * omega * sine
    start = equations.start(x=0.0, y=0.0, phi=0.0, th=th, vx=v, omega=omega, vth=0.0)
    path = da.simulate(equations, start, until=2.0)
    assert v > 0
    assert np.ptp(path["th"]) < 1e-6
    assert np.hypot(path["x"], path["y"] - v / omega) == pytest.approx(np.full(len(path.t), v / omega), abs=1e-6)


def test_the_linear_constants_are_lost_where_the_centre_is_not_above_the_contact():
    system = figure_skater.system(a=0.05)
    equations, p = da.nonholonomic(system), system.values()
    path = da.simulate(equations, equations.start(**figure_skater.START), until=2.0)
    th, omega = path["th"], path["omega"]
    assert np.ptp((p["B"] * np.sin(th) ** 2 + p["C"] * np.cos(th) ** 2) * omega) > 1e-2


def test_the_blade_goes_where_it_points():
    equations = da.nonholonomic(figure_skater.system())
    path = da.simulate(equations, equations.start(**figure_skater.START), until=1.0)
    across = path["vy"] * np.cos(path["phi"]) - path["vx"] * np.sin(path["phi"])
    assert np.abs(across).max() < 1e-9
