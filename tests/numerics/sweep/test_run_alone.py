"""What only whole paths tell is said of members of a sweep too, in memory and beside a store."""

import json

import pytest

import dalembert as da

Q = da.coordinates("x")
(V,) = Q.velocities
DOUBLE = da.System(da.coordinates("a b"), "va^2 + vb^2/2 + va*vb*cos(a - b) + 2*9.81*cos(a) + 9.81*cos(b)")
SPRING = da.System(Q, "vx^2/2 - 2*x^2")
BLOCK = da.System(Q, "vx^2/2", forces=da.forces.rolling_friction([V], 0.1, 9.81))
WHEEL = da.System(da.angle("a"), "J*va^2/2", parameters={"J": "1 kg*m^2"})

DOUBTS = {
    "W408": (DOUBLE, {"a": [3, 0.01], "b": 3, "va": 0, "vb": 0}, {"until": 40}, "member 0"),
    "W305": (SPRING, {"x": [0.5, 1.0], "vx": 0}, {"until": 10, "method": "dla", "step": 0.05}, "2 of 2"),
    "W310": (BLOCK, {"x": 0, "vx": [50, 2, 1]}, {"until": 10}, "first of member 1"),
}


@pytest.mark.parametrize("stored", [False, True])
@pytest.mark.parametrize("code", DOUBTS)
@pytest.mark.filterwarnings("ignore:W308")
def test_doubts_of_runs_are_those_of_members(code, stored, tmp_path):
    system, starts, options, where = DOUBTS[code]
    store = {"store": tmp_path / "s.zarr"} if stored else {}
    equations = da.free(system)
    with pytest.warns(da.DalembertWarning, match=code):
        found = da.sweep(equations, starts=starts, **options, **store)
    (note,) = json.loads(found.attrs["notes"])
    assert note.startswith(code) and where in note
    if stored:
        assert da.ensembles.stored(tmp_path / "s.zarr").attrs["notes"] == found.attrs["notes"]


def test_nothing_is_said_of_members_that_give_no_reason():
    found = da.sweep(da.free(SPRING), starts={"x": [0.5, 1.0], "vx": 0}, until=100)
    assert json.loads(found.attrs["notes"]) == []


@pytest.mark.parametrize("given", [{"va": "1 Hz"}, {"va": ["1 Hz", "2 Hz"]}])
def test_a_rate_in_hertz_is_doubted_in_starts_of_members(given):
    with pytest.warns(da.DalembertWarning, match="W211"):
        found = da.sweep(da.free(WHEEL), starts={"a": [0, 1], **given}, until=1)
    assert any(note.startswith("W211") for note in json.loads(found.attrs["notes"]))


def test_a_rate_in_hertz_is_doubted_in_parameters_of_members():
    turned = da.System(Q, "vx^2/2 - w^2*x^2/2", parameters={"w": "1 rad/s"})
    with pytest.warns(da.DalembertWarning, match="W211"):
        found = da.sweep(da.free(turned), starts={"x": [0, 1], "vx": 0}, parameters={"w": ["1 Hz", "2 Hz"]}, until=1)
    assert any(note.startswith("W211") for note in json.loads(found.attrs["notes"]))
