"""A two-wheeled robot with a body on its axle [pathak2005]: how it falls, swings, and rolls."""

import math

import pytest

import dalembert as da
from dalembert.systems import robot_with_pole


def _rate(p):
    """m g l/(J + m l^2 - (m l)^2/(M + m + 2 C/R^2)): of falling, and of swinging upside down."""
    lever = p["m"] * p["l"]
    rolling = p["M"] + p["m"] + 2 * p["C"] / p["R"] ** 2
    return math.sqrt(p["g"] * lever / (p["J"] + lever * p["l"] - lever**2 / rolling))


def test_it_falls_as_the_plane_theory_says():
    system = robot_with_pole.system()
    equations, at = da.nonholonomic(system), {"x": 0.0, "y": 0.0, "theta": 0.6, "left": 0.0, "right": 0.0}
    start = equations.start(**at, alpha=1e-6, valpha=0.0, vleft=2.0, vright=2.0)
    found = da.simulate(equations, start, until=1.0).at(1.0)["alpha"]
    assert found == pytest.approx(1e-6 * math.cosh(_rate(system.values())), rel=1e-5)


def test_upside_down_it_swings():
    system = robot_with_pole.system()
    equations, at = da.nonholonomic(system), {"x": 0.0, "y": 0.0, "theta": 0.6, "left": 0.0, "right": 0.0}
    period = math.tau / _rate(system.values())
    start = equations.start(**at, alpha=math.pi - 1e-4, valpha=0.0, vleft=0.0, vright=0.0)
    end = da.simulate(equations, start, until=period).at(period)
    assert end["alpha"] == pytest.approx(math.pi - 1e-4, abs=1e-9)
    assert end["x"] == pytest.approx(0, abs=1e-7)


def test_a_spinning_robot_leans_out():
    # on the spot, alpha small: gravity, and the centrifugal moment about the axle, which rolls
    system = robot_with_pole.system()
    p, equations = system.values(), da.nonholonomic(system)
    omega, alpha = 3.0, 1e-3
    wheels = omega * p["w"] / p["R"]
    start = equations.start(
        x=0.0, y=0.0, theta=0.0, left=0.0, right=0.0, alpha=alpha, valpha=0.0, vleft=-wheels, vright=wheels
    )
    lever = p["m"] * p["l"]
    rolling = p["M"] + p["m"] + 2 * p["C"] / p["R"] ** 2
    heavy = p["J"] + lever * p["l"] - lever**2 / rolling
    # the axle is pulled to the middle of the circle of c:  rolling vdot + m l alphaddot = m l alpha omega^2
    pull = p["g"] * lever + (p["J"] - p["K"] + lever * p["l"] - lever**2 / rolling) * omega**2
    found = equations.evaluate(start)["accelerations"]["valpha"]
    assert found == pytest.approx(pull / heavy * alpha, rel=1e-4)
