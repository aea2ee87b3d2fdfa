"""Values that no body or surface has are doubted, whether the system or a run brings them in."""

import warnings

import numpy as np
import pytest
import sympy as sp

import dalembert as da

SLIDE = da.coordinates("x y")
VX, VY = SLIDE["vx"], SLIDE["vy"]
MU = sp.Symbol("mu", nonnegative=True)
THROWN = {"x": 0, "y": 0, "vx": 1, "vy": 0.5}


def slide(mu):
    friction = da.forces.rolling_friction([VX, VY], MU, 9.81)
    return da.System(SLIDE, (VX**2 + VY**2) / 2, forces=friction, parameters={"mu": mu})


def codes(notes):
    return {note.code for note in notes}


def test_a_coefficient_of_friction_that_is_an_angle_is_doubted():
    with pytest.warns(da.DalembertWarning, match="W128 .* 30 deg has tan = 0.577"):
        assert "W128" in codes(slide(30).notes)
    with pytest.warns(da.DalembertWarning, match="W128"):
        start = da.free(slide(0.5)).start(**THROWN, parameters={"mu": 30})
    assert "W128" in codes(start.notes)
    assert "W128" not in codes(slide(1.2).notes)


def test_moments_that_a_run_brings_in_are_doubted():
    top = da.rotation("R")
    L = "(A*w1^2 + B*w2^2 + C*w3^2)/2"
    e = da.free(da.System(top, L, parameters={"A": 1, "B": 1, "C": 1}))
    turning = {"R": "identity", "w1": 1, "w2": 1, "w3": 1}
    with pytest.warns(da.DalembertWarning, match=r"W109 .* 1 \+ 1 < 5"):
        start = e.start(**turning, parameters={"C": 5})
    assert "W109" in codes(start.notes)
    assert not e.start(**turning, parameters={"C": 1.5}).notes


def test_a_run_that_friction_ends_says_how_much_was_left_out():
    e = da.free(slide(0.5))
    path = da.simulate(e, THROWN, until=10)
    assert any(remark.startswith("W310") and "of 10" in remark for remark in path.audit.notes)
    assert "W310" in str(path)
    assert not path.ok and path.audit.verdict == "suspect"
    early = da.simulate(e, THROWN, until=0.1)
    assert early.ok and not any(remark.startswith("W310") for remark in early.audit.notes)
    asked = da.simulate(e, THROWN, until=10, events=da.Event("slow", e.space["vx"] - 0.1, "stop"))
    assert asked.ok  # an end that was asked for is none before its time


def test_members_of_a_sweep_that_friction_ends_are_suspect():
    with pytest.warns(da.DalembertWarning, match="W310 the run ends at t = 0.22"):
        found = da.sweep(da.free(slide(0.5)), starts={**THROWN, "vx": np.array([1.0, 20.0])}, until=1.0)
    assert list(found["verdict"].values) == [1, 0]  # suspect, ok


def test_moments_that_are_numbers_at_some_places_alone_are_none():
    top = da.rotation("R")
    w1, w2, w3, x = (top[n] for n in ("w1", "w2", "w3", "R_x"))
    system = da.System(top, (w1 ** (2 + 10 * x) + w2**2 + w3**2) / 2)  # w1 < 0 has no such power
    assert "W109" not in codes(system.notes)


def test_moments_are_asked_for_again_where_their_values_change():
    top = da.System(da.rotation(), "A/2*w1^2 + A/2*w2^2 + C/2*w3^2 + k*t", parameters={"A": 1, "C": 1, "k": 0})
    equations = da.free(top)

    def doubts(**values):
        start = equations.start(R="identity", w1=1, w2=0, w3=0, parameters=values)
        return [note.code for note in start.notes if note.code == "W109"]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert [doubts(C=5), doubts(C=1.5), doubts(C=5, k=1), doubts(C=5, A=3), doubts(C=5, A=2)] == [
            ["W109"], [], ["W109"], [], ["W109"],
        ]  # fmt: skip
