"""The carriage on two wheels: a sleigh with more inertia."""

import numpy as np
import pytest

import dalembert as da
from dalembert.systems import two_wheeled_robot as robot


def test_the_wheels_turn_as_the_ground_tells_them(named):
    start, p = named("two_wheeled_robot").start("turning"), robot.system().values()
    # forward speed R (left + right)/2, turning R (right - left)/(2 w)
    assert start["omega"] == pytest.approx(p["R"] * (-1.0 - 3.0) / (2 * p["w"]))
    assert np.hypot(start["vx"], start["vy"]) == pytest.approx(p["R"] * (3.0 - 1.0) / 2)


def test_with_its_mass_on_the_axle_it_runs_on_circles(named):
    path = named("two_wheeled_robot/a = 0").path("turning")
    v, omega = 0.15 * 1.0, path["omega"][0]
    centre = 1j * np.exp(0.4j) * v / omega
    assert np.allclose(np.abs(path["x"] + 1j * path["y"] - centre), abs(v / omega), atol=1e-10)


def test_it_ends_rolling_forward():
    p = robot.system().values()
    assert np.allclose(robot.exact(500.0, [0.0, -0.3, 0.0, 0.2], p)[3], 0, atol=1e-10)


def test_not_every_position_can_be_reached_but_three_coordinates_can(named, growth_vector):
    system = robot.system()
    point = dict.fromkeys((q.name for q in system.space.coordinates), 0.3)
    assert growth_vector(system, point)[-1] == len(system.space.coordinates) - 1


def test_light_wheels_leave_the_sleigh():
    p = robot.system(C=1e-12).values()
    assert robot.sleigh(p) == pytest.approx({"m": p["m"], "J": p["J"], "a": p["a"]})
    assert da.nonholonomic(robot.system())
