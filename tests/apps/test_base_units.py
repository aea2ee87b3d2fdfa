"""`dalembert new` writes base SI, whatever the units of the gallery's file: the motion is the same, in metres."""

import numpy as np
import pytest

import dalembert as da
from dalembert.apps import gallery
from dalembert.apps.base_si_units import in_base_units
from dalembert.study import write_source
from dalembert.systems import ball_on_turntable

CENTI, MILLI = 0.01, 0.001


@pytest.fixture(scope="module")
def ball(tmp_path_factory):
    path = tmp_path_factory.mktemp("new") / "ball.toml"
    path.write_text(write_source(in_base_units("ball_on_turntable")))
    return da.read(path)


def test_numbers_are_of_base_si(ball):
    theirs = ball_on_turntable.system().values()
    scale = {"m": MILLI, "r": CENTI, "I": MILLI * CENTI**2, "Omega": 1.0}
    inertia = ball.system.defined["I"]
    mine = {**ball.system.parameters, "I": 0.4 * ball.system.parameters["m"] * ball.system.parameters["r"] ** 2}
    assert str(inertia) == "2*m*r**2/5"
    for name, factor in scale.items():
        assert float(mine[name]) == pytest.approx(factor * theirs[name], rel=1e-14)
    assert "kg" in ball.system.unit(inertia)
    assert ball.system.explore.ranges["r"] == pytest.approx((0.005, 0.03))
    assert float(ball.system.bodies[0].lengths["radius"]) == pytest.approx(0.15)


def test_the_motion_is_the_same(ball):
    mine = da.simulate(da.nonholonomic(ball.system), ball.runs[0].start, until=3)
    theirs = da.simulate(da.nonholonomic(ball_on_turntable.system()), {**ball_on_turntable.START, "w3": 0.0}, until=3)
    for column, factor in (("x", CENTI), ("vy", CENTI), ("w1", 1.0), ("lam_roll_x", MILLI * CENTI)):
        np.testing.assert_allclose(mine.at(2.0)[column], factor * theirs.at(2.0)[column], rtol=1e-8, atol=1e-12)


def test_no_file_of_the_gallery_speaks_of_other_units():
    for name in gallery.names():
        units = getattr(gallery.module(name), "UNITS", {})
        assert set(units.values()) <= {"cm", "g"}


def test_a_moment_of_inertia_follows_its_ball(ball):
    twice = ball.system.changed(parameters={**ball.system.parameters, "r": 2 * ball.system.parameters["r"]})
    # the period of a homogeneous ball does not depend on its size: (x, y) turns with 2/7 Omega
    big = da.simulate(da.nonholonomic(twice), ball.runs[0].start, until=3)
    small = da.simulate(da.nonholonomic(ball.system), ball.runs[0].start, until=3)
    np.testing.assert_allclose(big.at(3.0)["x"], small.at(3.0)["x"], rtol=1e-8)


def test_what_is_given_does_not_follow():
    study = gallery.study("ball_on_turntable")
    assert set(gallery.following("ball_on_turntable", study).system.defined) == {"I"}
    assert not gallery.following("ball_on_turntable", study, ["I"]).system.defined
    thin = study.system.changed(parameters={**study.system.parameters, "I": 1.0})
    assert not gallery.formulas_of("ball_on_turntable", thin)
