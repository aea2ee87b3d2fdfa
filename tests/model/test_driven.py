"""Friction that drives: a sign slipped, laws along no velocity, coefficients that turn negative on the way."""

import warnings

import numpy as np
import pytest
import sympy as sp

import dalembert as da

q = da.coordinates("x y", "vx vy")
x, y, vx, vy = q
c = sp.Symbol("c")
F = da.forces


def plane(forces, **parameters):
    return da.System(q, "(vx^2 + vy^2)/2", forces=forces, parameters=parameters)


@pytest.mark.parametrize(
    "forces",
    [{"vx": "c*vx"}, {"vx": "vx", "vy": "vy^3"}, {"vx": "2*vx - vy", "vy": "vx + 3"}, [{"vx": "c*abs(vx)*vx"}]],
)
def test_a_force_that_drives_whichever_way_the_motion_goes_is_doubted(forces):
    with pytest.warns(da.DalembertWarning, match="W127"):
        found = plane(forces, **({"c": 0.1} if "c" in str(forces) else {}))
    assert any(note.code == "W127" for note in found.notes)


@pytest.mark.parametrize(
    "forces",
    [
        {"vx": "-vx"},
        {"vx": "5"},
        {"vx": "3*vy", "vy": "-3*vx"},
        {"vx": "3*(1 - x^2)*vx"},
        F.viscous_friction([vx, vy], 0.1),
        {"vx": "5 - vx"},
    ],
)
def test_friction_a_motor_and_gyroscopic_forces_are_not(forces):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        plane(forces)


@pytest.mark.parametrize(
    "law", [F.rayleigh(x**2), F.applied([x], [1]), F.viscous_friction([x, y], 0.1), F.applied(["y"], ["1"])]
)
def test_a_law_along_no_velocity_is_refused(law):
    with pytest.raises(da.DalembertError, match="does nothing") as met:
        plane(law)
    assert met.value.code == "E127"
    assert "vx, vy" in met.value.remedy


@pytest.mark.parametrize(
    "coefficient, drives", [(sp.sin(x), True), (vx, False), (1 - x, True), (sp.sin(x) ** 2, False)]
)
def test_a_coefficient_that_turns_negative_on_the_way_makes_a_run_suspect(coefficient, drives):
    equations = da.free(plane(F.viscous_friction([vx, vy], coefficient)))
    start = {"x": -0.5, "y": 0, "vx": 1, "vy": 0} if coefficient != 1 - x else {"x": 0.9, "y": 0, "vx": 1, "vy": 0}
    path = da.simulate(equations, start, until=0.5)
    assert (path.audit.verdict == "suspect") == drives
    assert any("E128" in reason for reason in path.audit.reasons) == drives


def test_jumps_without_end_at_one_place_stop():
    # a guard that its own jump meets again after 1e-12: in time, at equal intervals
    again = da.Event("again", x - sp.Rational(1, 2), {"x": 0.5 - 1e-12})
    path = da.simulate(da.free(plane({})), {"x": 0.499, "y": 0, "vx": 1, "vy": 0}, until=0.01, events=[again])
    assert "E408" in path.audit.reasons[0]
    assert np.ptp(path.marks["again"].t) < 1e-6


@pytest.mark.parametrize(
    ("forces", "said"),
    [
        ([{"vx": "-vx"}, {"vy": "-vy"}, {"vx": "-vx"}], "the force on vx"),
        ([F.viscous_friction([vx, vy], 0.1)] * 2, "the force 'viscous friction'"),
    ],
)
def test_a_force_that_is_given_twice_is_doubted(forces, said):
    with pytest.warns(da.DalembertWarning, match=f"W130 {said} is given twice"):
        plane(forces)


def test_forces_that_differ_are_not_doubted():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        plane(
            [F.viscous_friction([vx], 0.1), F.viscous_friction([vy], 0.1), F.viscous_friction([vx], 0.2), {"vx": "-vx"}]
        )


def test_a_force_on_a_coordinate_is_that_on_its_rate():
    assert plane({"x": "-3*vx", "vy": "2"}).forces == plane({"vx": "-3*vx", "vy": "2"}).forces
    space = da.plane("x y") * da.angle("theta", "omega")
    turned = da.System(space, "(vx^2 + vy^2 + omega^2)/2", forces={"theta": "4"})
    assert turned.forces == (0, 0, 4)
