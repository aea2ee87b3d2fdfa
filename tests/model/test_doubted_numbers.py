"""Numbers that are plausible and wrong are doubted where they come in: moments in Euler angles, units, massless."""

import json
import warnings

import pytest
import sympy as sp

import dalembert as da

TAIT = """(A*(vroll - vyaw*sin(pitch))^2 + B*(vpitch*cos(roll) + vyaw*sin(roll)*cos(pitch))^2
          + C*(vyaw*cos(roll)*cos(pitch) - vpitch*sin(roll))^2)/2"""
TOP = "(A*(vtheta^2 + vphi^2*sin(theta)^2) + C*(vpsi + vphi*cos(theta))^2)/2 - B*cos(theta)"
ELEVATION = "(A*(vtheta^2 + vphi^2*cos(theta)^2) + C*(vpsi - vphi*sin(theta))^2)/2 + B*(vx^2 + vy^2)/2"
BODIES = [("yaw pitch roll", TAIT), ("phi theta psi", TOP), ("x y phi theta psi", ELEVATION)]


def codes(notes):
    return {str(note)[:4] for note in notes}


@pytest.mark.parametrize(("names", "L"), BODIES)
def test_moments_in_euler_angles_are_those_of_a_body(names, L):
    with pytest.warns(da.DalembertWarning, match=r"W109 .* 1 \+ 1 < 3"):
        da.System(da.coordinates(names), L, parameters={"A": 1, "B": 1, "C": 3})
    good = da.System(da.coordinates(names), L, parameters={"A": 1, "B": 1, "C": 1.9})
    assert "W109" not in codes(good.notes)


def test_forms_that_are_those_of_no_body_have_no_moments():
    double = da.System(da.coordinates("a b c"), "va^2 + vb^2 + 7*vc^2 + va*vb*cos(a - b)/9 + vb*vc*cos(b - c)/9")
    assert "W109" not in codes(double.notes)


@pytest.fixture(scope="module")
def swing():
    parameters = {"m": "66.9 g", "k": "1 N/m"}
    units = {"x": "m"}
    return da.free(da.System(da.coordinates("x"), "m*vx^2/2 - k*x^2/2", parameters=parameters, units=units))


@pytest.mark.parametrize(
    ("given", "doubted"), [(66.9, True), (70, True), (0.07, False), ("66.9 kg", False), (1, False)]
)
def test_a_number_for_another_unit_is_doubted(swing, given, doubted):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for start in ({"x": 1, "vx": 0}, swing.start(x=1, vx=0)):
            for name in ("m", sp.Symbol("m")):
                path = da.simulate(swing, start, until=1, parameters={name: given})
                assert ("W210" in codes(path.audit.notes)) == doubted


def test_members_of_a_sweep_are_doubted_as_single_runs_are(swing):
    with pytest.warns(da.DalembertWarning, match="W210 .* 2 of 3 members that were asked, first of member 1"):
        found = da.sweep(swing, starts={"x": 1, "vx": 0}, parameters={"m": [0.07, 66.9, 80]}, until=1)
    assert codes(json.loads(found.attrs["notes"])) == {"W210"}
    body = da.free(da.System(da.rotation("R"), "(w1^2 + w2^2 + C*w3^2)/2", parameters={"C": 1}))
    turning = {"R": "identity", "w1": 1, "w2": 1, "w3": 1}
    with pytest.warns(da.DalembertWarning, match="W109 .* 1 of 2 members"):
        da.sweep(body, starts=turning, parameters={"C": [1.5, 5]}, until=1)
    assert json.loads(da.sweep(body, starts=turning, until=1).attrs["notes"]) == []


def test_a_velocity_with_energy_is_not_massless():
    L, line = "(vx^2 + vy^2)/2", {"line": "vx - x*vy"}
    with pytest.warns(da.DalembertWarning, match="W112 vx"):
        da.nonholonomic(da.System(da.coordinates("x y"), L, line, massless=["vx"]))
