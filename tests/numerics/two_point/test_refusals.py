"""What a two-point problem refuses, and what it says of what it found."""

import dataclasses
import math

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import DalembertError, DalembertWarning
from dalembert.numerics.two_point import two_point
from dalembert.systems import heisenberg, pendulum_cartesian, penny, rolling_disc

PLANE = da.coordinates("x y")
X, Y, VX, VY = PLANE
T = (VX**2 + VY**2) / 2
FREE = da.free(da.System(PLANE, T, parameters={}))
FLAT = da.vakonomic(heisenberg.system())
ROD = da.vakonomic(pendulum_cartesian.system(l=1.0))
EQUAL = da.vakonomic(da.System(PLANE, T, constraints={"equal": VX - VY}))
BODY = da.rotation("R")
TURN = da.free(da.System(BODY, sum(w**2 for w in BODY.velocities) / 2))
HERE, THERE = {"x": 0, "y": 0}, {"x": 1, "y": 1}
UP = {"x": 0, "y": 0, "z": 0}

REFUSED = {
    "no mapping": (FREE, [0, 0], THERE, {}, "E330", "mapping"),
    "a start without y": (FREE, {"x": 0}, THERE, {}, "E330", "y=..."),
    "an empty end": (FREE, HERE, {}, {}, "E330", "x"),
    "a misspelt coordinate": (FREE, {"x": 0, "yy": 0}, THERE, {}, "E330", "did you mean y?"),
    "a misspelt end": (FLAT, UP, {"x": 0, "Z": 1}, {}, "E330", "did you mean z?"),
    "a velocity at the end": (FREE, HERE, {"x": 1, "vy": 0}, {}, "E330", "leave vy out"),
    "a parameter at the end": (FLAT, UP, {"m": 1}, {}, "E330", "parameters="),
    "a part of a rotation": (TURN, {"R": "identity"}, {"R_w": 1.0}, {}, "E330", "give R whole"),
    "a rotation twice": (TURN, {"R": "identity", "R_w": 1.0}, {"R": "identity"}, {}, "E330", "give one"),
    "no rotation": (TURN, {"R": "identity"}, {"R": np.eye(3) * 2}, {}, "E239", "orthogonal"),
    "not finite": (FREE, HERE, {"x": math.nan, "y": 1}, {}, "E203", "finite"),
    "text": (FREE, HERE, {"x": "far", "y": 1}, {}, "E204", "number"),
    "too few unknowns": (da.nonholonomic(penny.system()), dict.fromkeys(("x", "y", "phi", "psi"), 0.0),
                         {"x": 1, "y": 0, "phi": 0, "psi": 0}, {}, "E331", "da.vakonomic"),
    "too few conditions": (da.nonholonomic(penny.system()), dict.fromkeys(("x", "y", "phi", "psi"), 0.0),
                           {"x": 1}, {}, "E331", "give 1 more"),
    "too much held": (FREE, {**HERE, "vx": 1}, THERE, {}, "E331", "hold fewer"),
    "all held": (FREE, {**HERE, "vx": 1, "vy": 1}, THERE, {}, "E331", "hold fewer"),
    "a start off the rod": (ROD, {"x": 1, "y": 1}, {"x": 1, "y": 0}, {}, "E332", "correct the start"),
    "an end off the rod": (ROD, {"x": 0, "y": -1}, {"x": 1, "y": 1}, {}, "E332", "correct the end"),
    "an end off the quaternions": (TURN, {"R": "identity"}, {"R_w": 2, "R_x": 0, "R_y": 0, "R_z": 0}, {}, "E332",
                                   "normalise"),
    "held against the constraint": (EQUAL, {**HERE, "vx": 1, "vy": 2}, {"x": 1}, {}, "E332", "leave out what is held"),
    "no time": (FREE, HERE, THERE, {"duration": 0}, "E333", "duration=1.0"),
    "time backwards": (FREE, HERE, THERE, {"duration": -1.0}, "E333", "duration=1.0"),
    "no duration": (FREE, HERE, THERE, {"duration": None}, "E333", "duration=1.0"),
    "two durations": (FREE, HERE, THERE, {"until": 2}, "E333", "duration=1.0"),
    "until before t": (FREE, HERE, THERE, {"duration": None, "until": 1, "t": 2}, "E333", "until=1.0"),
    "no starts": (FREE, HERE, THERE, {"starts": 0}, "E333", "starts=1"),
    "half a start": (FREE, HERE, THERE, {"starts": 1.5}, "E333", "starts=1"),
    "a negative seed": (FREE, HERE, THERE, {"seed": -1}, "E333", "seed=1"),
    "guesses that are none": (FREE, HERE, THERE, {"guesses": {"vx": 1}}, "E333", "guesses=["),
    "a guess of nothing": (FREE, HERE, THERE, {"guesses": [{"vxx": 1}]}, "E333", "did you mean vx?"),
    "a guess of what is held": (FREE, {**HERE, "vx": 1}, {"y": 1}, {"guesses": [{"vx": 2}]}, "E333", "leave vx out"),
    "out of reach": (EQUAL, HERE, {"x": 1, "y": 0}, {"starts": 3}, "E334", "starts=500"),
    "an unknown option": (FREE, HERE, THERE, {"rtoll": 1e-9}, "E307", "did you mean rtol?"),
    "fixed steps": (FREE, HERE, THERE, {"method": da.methods.DiscreteGradient(step=0.1)}, "E307", "leave"),
    "a motion that ends": (FREE, HERE, THERE, {"events": [da.Event("half", X - 0.5, "stop")], "starts": 1}, "E334",
                           "E319 the motion stopped by half"),
    "an event of nothing": (FREE, HERE, THERE, {"events": [da.Event("half", "z - 1")]}, "E702", "known names"),
    "no dense": (FREE, HERE, THERE, {"dense": False}, "E307", "leave dense out"),
    "a switch": (FREE, HERE, THERE, {"check": 1}, "E307", "check=True"),
    "an unknown parameter": (FLAT, UP, {"x": 1}, {"parameters": {"mm": 1}}, "E202", "did you mean m?"),
    "no equations": (heisenberg.system(), UP, {"x": 1}, {}, "E307", "da.vakonomic"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_is_refused(case):
    equations, start, end, options, code, said = REFUSED[case]
    with pytest.raises(DalembertError) as caught:
        two_point(equations, start, end, **{"duration": 1.0, **options})
    assert caught.value.code == code, str(caught.value)
    assert said in str(caught.value)


def test_the_counts_are_said():
    with pytest.raises(DalembertError) as caught:
        two_point(*REFUSED["too few unknowns"][:3], duration=1)
    assert "2 unknowns at the start, 4 independent conditions" in str(caught.value)


def test_nothing_found_says_what_came_nearest():
    with pytest.raises(DalembertError) as caught:
        two_point(EQUAL, HERE, {"x": 1, "y": 0}, duration=1, starts=3)
    assert "missed it by" in str(caught.value) and "nearest: vx = " in str(caught.value)


def test_collocation_that_disagrees_is_doubted():
    """In many swings steps of 1e-6 miss the curve by more than 1e-5 of its size."""
    spring = da.free(da.System(da.line("x"), "vx^2/2 - x^4"))
    given = {"duration": 30, "starts": 1, "guesses": [{"vx": 2.8}], "rtol": 1e-6}
    with pytest.warns(DalembertWarning, match="W335 collocation does not confirm"):
        found = two_point(spring, {"x": 0}, {"x": 1}, **given)
    assert not found[0].checked.agrees
    assert found.notes[0].code == "W335" and "W335" in str(found)


def test_a_table_fits_a_terminal_and_claims_nothing_it_cannot_know():
    found = two_point(FLAT, UP, {"x": 0.2, "y": 0.1, "z": 0.8}, duration=1, starts=30)
    assert len(found) > 2
    for shown in (str(found), *map(str, found)):
        assert max(map(len, shown.splitlines())) <= 80
    assert "others may exist" in str(found)
    assert "minimum" not in str(found)
    assert np.all(np.diff([e.action for e in found]) > -1e-9)  # mirror images are equal but for rounding
    assert list(found) == list(found[:]) and found[-1] is found[len(found) - 1]


def test_one_extremal_is_listed_once():
    found = two_point(FREE, HERE, THERE, duration=1, starts=20)
    assert len(found) == 1 and found.converged == found.starts == 20
    assert found[0].action == pytest.approx(1, rel=1e-13)


def test_a_guess_near_a_solution_finds_it():
    far = two_point(FLAT, UP, {"x": 0.2, "y": 0.1, "z": 0.8}, duration=1, starts=40, check=False)[-1]
    again = two_point(
        FLAT, UP, {"x": 0.2, "y": 0.1, "z": 0.8}, duration=1, starts=1, guesses=[far.unknowns], check=False
    )
    assert any(e.action == pytest.approx(far.action, rel=1e-11) for e in again)
    assert again.starts == 2


def test_an_affordable_time_is_kept(ticking):
    ticking(0.0625)
    found = two_point(FLAT, UP, {"x": 0.5, "y": 0.1, "z": 0.1}, duration=1, starts=5000, seconds=0.5, check=False)
    told = f"the clock ended the search after 0.5 s of CPU time: {found.starts} of 5000 starts were tried"
    assert found.starts == 10 and found.aborted == told  # the tenth look but for that at the beginning is after 0.5 s
    assert " ".join(str(found).split()).startswith(told)


def test_an_extremal_is_frozen_and_runs_again():
    found = two_point(FLAT, UP, {"x": 0.5, "y": 0.1, "z": 0.1}, duration=1, starts=10)
    again = da.simulate(FLAT, found[0].start, until=1, rtol=1e-13)
    np.testing.assert_allclose([again.at(1)[n] for n in "xyz"], [0.5, 0.1, 0.1], atol=1e-11)
    with pytest.raises(dataclasses.FrozenInstanceError):
        found[0].action = 0.0


def test_a_rolling_disc_by_both_routes():
    disc = da.vakonomic(rolling_disc.system())
    start = {"x": 0, "y": 0, "theta": 1.4, "phi": 0, "psi": 0}
    end = {"x": 0.2, "y": 0.2, "theta": 1.2, "phi": 0.2, "psi": 0.2}
    for e in two_point(disc, start, end, duration=0.5, starts=6):
        assert e.checked.agrees and e.residual < 1e-9


def test_integrable_constraints_leave_a_multiplier_open():
    found = two_point(EQUAL, {"x": 0.3, "y": 0}, {"x": 0.4, "y": 0.1}, duration=1, starts=5)
    assert found[0].action == pytest.approx(0.01, rel=1e-12)
    assert "lam_equal: not determined by the ends" in str(found)
    assert not found[0].family


def test_coinciding_ends_are_joined_by_rest_alone():
    found = two_point(FLAT, UP, UP, duration=1)
    assert len(found) == 1 and abs(found[0].action) < 1e-12
    assert "lam_area: not determined by the ends" in str(found)  # at rest it does nothing
