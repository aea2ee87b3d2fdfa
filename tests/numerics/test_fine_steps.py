"""Steps that rounding makes short are told early, and the tolerance that is proposed makes them ordinary ones."""

import re

import numpy as np
import pytest
import sympy as sp

import dalembert as da

Q = da.line("r", velocity="vr")
UNTIL = 4e-5


def spring(k, rest):
    return da.free(da.System(Q, "vr^2/2 - k/2*(r - l)^2 + r", parameters={"k": k, "l": rest}))


def steps(path):
    return len(path.dense.interpolant.h)


def test_a_stiff_spring_is_told_with_the_tolerance_that_helps():
    k = 1e12
    with pytest.warns(da.DalembertWarning, match="W319") as told:
        path = da.simulate(spring(k, 1), {"r": 1, "vr": 0}, until=UNTIL)
    words = str(told[0].message)
    assert "the last digit of r changes vr'" in words
    assert any(note.startswith("W319") for note in path.audit.notes)
    atol = float(re.search(r"atol=([0-9.e-]+),", words)[1])
    eased = da.simulate(spring(k, 1), {"r": 1, "vr": 0}, until=UNTIL, atol=atol)
    assert steps(eased) < steps(path) / 300
    # r = 1 + (1 - cos(wt))/k, and speeds by as much as a last digit of r makes of them
    w = np.sqrt(k)
    assert np.abs(eased["vr"] - np.sin(w * eased.t) / w).max() < 50 * atol


def test_what_fails_for_it_says_it():
    with pytest.warns(da.DalembertWarning, match="W319"):
        path = da.simulate(spring(1e12, 1), {"r": 1, "vr": 0}, until=1.0, max_steps=30_000)
    assert path.ending.code == "E313"
    assert "because of rounding" in path.outcome


@pytest.mark.parametrize(("k", "rest", "until"), [(1e12, 0, 4e-3), (1.0, 1, 4e3)])
def test_an_ordinary_spring_is_not_doubted(k, rest, until, recwarn):
    path = da.simulate(spring(k, rest), {"r": rest + 2.0, "vr": 0}, until=until)
    assert steps(path) > 20_000
    assert not [w for w in recwarn if "W319" in str(w.message)]


@pytest.mark.parametrize("rtol", [1e-8, 1e-11])
def test_a_motion_across_a_place_where_its_frame_is_singular_ends_soon(rtol):
    """A point with x" = y, y" = x passes x = 0, where both vectors of its frame are parallel: a = y'/sin(x) has a pole
    there, and what a and b cancel to leaves its rate fewer digits the nearer it comes.
    """
    frame = da.Space("x y", velocities="a b", anchor=[[1, 1], [sp.sin(sp.Symbol("x", real=True)), 0]])
    pulled = da.nonholonomic(da.System(frame, "((a + b)^2 + (sin(x)*a)^2)/2 + x*y"))
    a = -0.7 / np.sin(1)
    path = da.simulate(pulled, {"x": -1, "y": 0, "a": a, "b": 1 - a}, until=3, rtol=rtol, max_steps=10**6)
    assert path.ending.code in ("E403", "E407")
    assert "because of rounding" in path.outcome and "steps came no farther" in path.outcome
    assert 0.931 < path.t[-1] < 0.9313 and steps(path) < 200_000
    both, apart = 1.7 * np.sinh(path.t) - np.cosh(path.t), 0.3 * np.sin(path.t) - np.cos(path.t)
    np.testing.assert_allclose([path["x"], path["y"]], [(both + apart) / 2, (both - apart) / 2], atol=1e3 * rtol)


def test_a_start_on_a_surface_where_a_force_jumps_is_told():
    pushed = da.free(da.System(Q, "vr^2/2", forces={"vr": "where(r > 1, 2, 3)"}))
    with pytest.warns(da.DalembertWarning, match="W319.*lies on .* = 0"):
        da.simulate(pushed, {"r": 1, "vr": 0}, until=1.0, max_steps=50_000)
    beside = da.simulate(pushed, {"r": 1 + 1e-9, "vr": 0}, until=1.0)
    assert beside.ok
    np.testing.assert_allclose(beside["r"][-1], 2, atol=1e-8)


def test_a_jump_of_floor_is_passed_slowly():
    """r'' = -1 from 1 + a to 1, in sqrt(2 a); then r' stays."""
    stairs = da.free(da.System(Q, "vr^2/2", forces={"vr": "-floor(r)"}))
    path = da.simulate(stairs, {"r": 1 + 1e-9, "vr": 0}, until=1.0, max_steps=10_000)
    t = np.sqrt(2e-9)
    assert path.ok and path["r"][-1] == pytest.approx(1 - t * (1 - t), rel=1e-10)
