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


def turning(rate):
    values = {"J": "1 kg*m^2", "c": "1 N*m*s", "Om": rate}
    system = da.System(da.coordinates("a"), "J*va^2/2", {}, {"va": "-c*(va - Om)"}, values, units={"a": "rad"})
    return da.free(system)


RATES = [("1 Hz", True), ("3 kHz", True), ("1 hertz", True), ("1 turn/s", False), ("1 rad/s", False), ("1 1/s", False)]


@pytest.mark.parametrize(("given", "doubted"), RATES)
def test_a_rate_in_hertz_is_doubted_at_the_start_and_in_a_parameter(given, doubted):
    """1 Hz is 1/s, as an angular velocity 1 rad/s: a turn in a second is 6.28 times that."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wheel = turning("0 rad/s")
        starts = [wheel.start(a=0, va=given), wheel.start(a=0, va=0, parameters={"Om": given})]
        notes = [*(start.notes for start in starts), turning(given).system.notes]
    assert ["W211" in codes(each) for each in notes] == [doubted] * 3


def shaken(force, **more):
    values = {"m": "1 kg", "F": "1 N", "f": "3 kHz", **more}
    return da.System(da.coordinates("x"), "m*vx^2/2", {}, {"vx": force}, values, units={"x": "m"})


def test_a_frequency_in_cycles_may_be_in_hertz():
    assert "W211" not in codes(shaken("F*sin((2*pi*f)^2*t/(3*f))").notes)
    assert "W211" not in codes(shaken("F*sin(2*pi*f*t)").notes)
    with pytest.warns(da.DalembertWarning, match="W211 f = '3 kHz' is 3000 rad/s .* write f=\"3000 turn/s\""):
        shaken("F*sin(f*t)")
    with pytest.warns(da.DalembertWarning, match="W211"):
        shaken("F*sin(f*t*cos(pi*n))", n=0.3)  # pi elsewhere


BOB, EARTH = "m*l^2*va^2/2 + m*g*l*cos(a)", "9.81 m/s^2"


def bare(notes):
    return [note.text for note in notes if note.code == "W215"]


@pytest.mark.parametrize(
    ("parameters", "units", "told"),
    [
        ({"m": "2 kg", "l": 25, "g": EARTH}, {}, 'beside m = "2 kg" is taken l = 25 in m: write "25 m"'),
        ({"m": 0.3, "l": "25 m", "g": EARTH}, {"m": "kg"}, ""),
        ({"m": 0.3, "l": 25, "g": 9.81}, {"m": "kg", "l": "m"}, ""),
        ({"m": "2 kg", "l": 0.0254, "g": "l/s^2", "s": "1 s"}, {"l": "m"}, ""),
    ],
)
def test_numbers_without_a_unit_beside_values_with_one_are_told(parameters, units, told):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        notes = bare(da.System(da.angle("a"), BOB, parameters=parameters, units=units).notes)
    assert [text[: len("without a unit ")] for text in notes] == ["without a unit "] * bool(told)
    assert all(told in text for text in notes)


@pytest.mark.parametrize(
    ("start", "told"), [({"x": "10 cm", "y": 25}, "y = 25 in m"), ({"x": "9 m", "y": 0}, ""), ({"x": 9, "y": 25}, "")]
)
def test_a_start_in_units_and_bare_numbers_is_told(start, told):
    thrown = da.System(da.plane("x y"), "m*(vx^2 + vy^2)/2 - m*g*y", parameters={"m": "1 kg", "g": EARTH})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        notes = bare(da.free(thrown).start(**start, vx=0, vy=0).notes)
    assert len(notes) == bool(told) and all(told in text for text in notes)
