"""Steps that rounding makes short are told early, and the tolerance that is proposed makes them ordinary ones."""

import re

import numpy as np
import pytest

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
