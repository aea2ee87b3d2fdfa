"""The roller racer [krishnaprasad2001]: the horizontal turn, its momentum equation, and motion by turning the hinge."""

import math

import numpy as np
import pytest

import dalembert as da
from dalembert.systems import roller_racer
from zoo import GALLERY


def test_the_horizontal_turn_is_about_the_point_where_the_axles_meet():
    system = roller_racer.system()
    (section,) = GALLERY.noether("roller_racer").sections
    p = system.values()
    place = {"x": 0.3, "y": -0.2, "theta": 0.0, "phi": 0.6}
    vx, vy, omega, vphi = (
        float(e.xreplace({s: {**p, **place}[s.name] for s in e.free_symbols})) for e in section.components
    )
    assert vphi == 0
    # velocity about the centre (0, height): omega (height, 0). The rear axle is the line x = 0, the front one passes
    # (l1, 0) + l2 e(phi) across e(phi)
    front = complex(p["l1"], 0) + p["l2"] * np.exp(0.6j)
    height = (front * np.exp(-0.6j)).real / math.sin(0.6)
    assert (vx, vy) == pytest.approx((height * omega, 0), abs=1e-12)


def test_the_momentum_equation_along_a_run(named, along):
    system = roller_racer.system()
    (section,) = GALLERY.noether("roller_racer").sections
    path = named("roller_racer").path("turning")
    t, h = np.linspace(0.2, 2.8, 9), 1e-3
    columns = lambda s: {n: np.asarray(v) for n, v in path.at(s).items()} | {"t": s}  # noqa: E731
    J = lambda s: along(section.momentum, columns(s), system)  # noqa: E731
    slope = (8 * (J(t + h) - J(t - h)) - (J(t + 2 * h) - J(t - 2 * h))) / (12 * h)
    rate = along(section.rate, columns(t), system)
    assert slope == pytest.approx(rate, abs=1e-7)
    assert np.abs(rate).max() > 1e-3


def test_turning_the_hinge_to_and_fro_drives_the_racer(named):
    # from rest, a hinge turned by a spring and a periodic torque: it moves off, in one direction
    t = roller_racer.sp.Symbol("t", real=True)
    torque = 0.3 * roller_racer.sp.cos(4 * t) - roller_racer.PHI
    equations = da.nonholonomic(roller_racer.system().changed(forces={roller_racer.VPHI: torque}, symmetry=None))
    rest = {"x": 0.0, "y": 0.0, "theta": 0.0, "phi": 0.0, "vx": 0.0, "vphi": 0.0}
    path = da.simulate(equations, equations.start(**rest), until=20.0, rtol=1e-9, atol=1e-11)
    speed = path["vx"] * np.cos(path["theta"]) + path["vy"] * np.sin(path["theta"])
    second = path.t > 10
    assert abs(speed[second].mean()) > 2 * abs(speed[~second].mean()) > 0


def test_with_the_hinge_straight_the_racer_runs_straight(named):
    path = named("roller_racer").path("straight")
    assert np.ptp(path["theta"]) < 1e-12
    assert np.ptp(path["vx"]) < 1e-12
