"""Constraints with inputs: an input is any function of time, not a number."""

import pytest

import dalembert as da

PLANE = da.coordinates("x y")
AXLE = "vy*cos(d) - vx*sin(d)"


def examined(phi, **given):
    return da.examine(da.System(PLANE, "vx^2/2 + vy^2/2", {"row": phi}, **given))


def test_a_steered_axle_is_not_one_that_stands_still():
    assert examined(AXLE, parameters={"d": 0.3}).verdict == "holonomic in disguise"
    assert examined(AXLE, inputs="d").verdict == "nonholonomic"


@pytest.mark.parametrize("phi", [AXLE, "vy - d", "x*vx + y*vy - d*x", "x*vx + y*vy - d", "vx - d^2*vy"])
def test_as_with_a_function_of_time_written_in(phi):
    driven, written = examined(phi, inputs="d"), examined(phi.replace("d", "(1/3 + sin(2*t))"))
    assert driven.verdict == written.verdict
    assert [(r.kind, r.integrable) for r in driven.rows] == [(r.kind, r.integrable) for r in written.rows]
    assert (driven.growth, driven.integrable_in_time) == (written.growth, written.integrable_in_time)


def test_integrals_say_nothing_that_is_made_up():
    q = da.coordinates("x y z")
    rows = {"moved": "vy - d", "still": "vx - vz"}
    found = da.examine(da.System(q, "vx^2/2 + vy^2/2 + vz^2/2", rows, inputs="d"))
    assert found.verdict == "holonomic in disguise"
    assert found.integral_count == 2
    assert [str(i.expression) for i in found.integrals] in (["x - z"], ["-x + z"])
    assert "input__" not in str(found)
