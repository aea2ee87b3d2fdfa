"""Plausible slips over what acts, touches and is linearised: doubted or refused, never silent."""

from __future__ import annotations

import pytest

import dalembert as da

q = da.coordinates("x y")
FALLS = "(vx^2 + vy^2)/2 - 9.81*y"
REST = {"x": 0, "y": 0, "vx": 0, "vy": 0}


def on_a_floor(mu: object, **parameters: float) -> da.System:
    return da.System(q, FALLS, contacts={"floor": da.contact(gap="y", slip=["vx"], mu=mu)}, parameters=parameters)


def test_friction_of_a_contact_in_per_cent_is_doubted() -> None:
    with pytest.warns(da.DalembertWarning, match=r"W128.*floor.*30"):
        on_a_floor(30)
    with pytest.warns(da.DalembertWarning, match="W128"):
        on_a_floor("k", k=30.0)
    on_a_floor(1.2)


def test_a_body_that_touches_has_no_linear_model_without_its_floor() -> None:
    assert da.linearise(da.nonholonomic(on_a_floor(0.3)), REST).A.shape == (1, 1)
    with pytest.raises(da.DalembertError, match="E139"):
        da.linearise(da.forms.hamel(on_a_floor(0.3)), REST)


@pytest.mark.parametrize("potential", ["abs(x)", "max(x, 0)^2", "(x + abs(x))^2/8 + x^2"])
def test_a_kink_has_two_models(potential: str) -> None:
    kinked = da.free(da.System(da.coordinates("x"), f"vx^2/2 - {potential}"))
    with pytest.raises(da.DalembertError, match="E319"):
        da.linearise(kinked, {"x": 0, "vx": 0})
    assert da.linearise(kinked, {"x": 0.5, "vx": 0}).A.shape == (2, 2)


@pytest.mark.parametrize("potential", ["abs(x)^3", "max(x, 0)^3 + x^2", "abs(x)^5 + 1e6*x^2"])
def test_what_is_smooth_enough_has_one(potential: str) -> None:
    smooth = da.free(da.System(da.coordinates("x"), f"vx^2/2 - {potential}"))
    assert da.linearise(smooth, {"x": 0, "vx": 0}).A[0, 1] == 1


def test_a_loose_tolerance_is_no_chaos() -> None:
    """A ball that bounces: 1e-2 is loose (W306), and says nothing of how neighbours part."""
    bounces = da.System(q, FALLS, contacts={"floor": da.contact(gap="y", restitution=0.9)})
    with pytest.warns(da.DalembertWarning, match="W306"):
        path = da.simulate(da.nonholonomic(bounces), {**REST, "y": 1}, until=3, rtol=1e-2)
    assert not [note for note in path.audit.notes if note.startswith("W408")]
