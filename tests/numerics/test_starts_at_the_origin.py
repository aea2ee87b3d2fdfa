"""Starts that are off a relation by a rounding, where nothing says what it is small against."""

from __future__ import annotations

import pytest

import dalembert as da

REST = {"x": 0.0, "y": 0.0, "vx": 1.0, "vy": 0.5, "vz": 0.0}


def plane(floor: str = "z") -> da.nouns.Equations:
    return da.nonholonomic(da.System(da.coordinates("x y z"), "(vx^2 + vy^2 + vz^2)/2 - z", {"floor": floor}))


@pytest.mark.parametrize("floor", ["z", "3*z", "z*(x^2 + 1)", "tan(z)"])
@pytest.mark.parametrize("z", [5e-15, -5e-15, 1e-20])
def test_a_rounding_is_taken_for_0_and_told(floor: str, z: float) -> None:
    start = plane(floor).start(**REST, z=z)
    assert [note.code for note in start.notes] == ["N232"]
    path = da.simulate(plane(floor), start, until=2)
    assert path.ok, path.audit
    assert path["x"][-1] == pytest.approx(2) and abs(path["z"][-1]) < 1e-13


@pytest.mark.parametrize(("z", "x"), [(5e-14, 0.0), (1e-9, 0.0), (5e-15, 1e-9), (2e-14, 1e-7)])
def test_what_is_more_is_refused(z: float, x: float) -> None:
    with pytest.raises(da.DalembertError, match="E232"):
        plane().start(**{**REST, "x": x}, z=z)


def test_sweeps_take_it_too() -> None:
    found = da.sweep(plane(), starts={**REST, "z": [0.0, 5e-15, 5e-14, 1e-9]}, until=1.0)
    assert found.outcome.values.tolist() == [0, 0, 232, 232]


def test_far_from_the_origin_the_coordinates_say_what_is_small() -> None:
    start = plane().start(**{**REST, "x": 1.0}, z=5e-15)
    assert start.notes == ()
