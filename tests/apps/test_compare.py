"""Principles named in text give what the functions of these names give."""

from operator import attrgetter

import numpy as np
import pytest

import dalembert as da
from dalembert.principles.principle_table import PRINCIPLES, named
from dalembert.spelling import typed

START = {"x": 0, "y": 0.3, "z": 0, "vx": 1.0, "vy": 0.5, "lam_contact": 2.0}


@pytest.fixture
def system():
    q = da.coordinates("x y z")
    _x, y, _z, vx, vy, vz = q
    return da.System(q, (vx**2 + vy**2 + vz**2) / 2, {"contact": vz - y * vx}, title="Heisenberg system")


def test_every_name_is_that_of_the_front_door():
    for name in PRINCIPLES:
        assert attrgetter(typed(name).removeprefix("da."))(da) is named(name)


@pytest.mark.parametrize("labels", [False, True])
def test_names_and_functions_give_the_same_comparison(system, labels):
    texts, functions = ["nonholonomic", "vakonomic"], [da.nonholonomic, da.vakonomic]
    if labels:
        texts, functions = (dict(zip("ab", these, strict=True)) for these in (texts, functions))
    one, two = (da.compare(system, these, start=START, until=1.0) for these in (texts, functions))
    assert one.principles == two.principles == (("a", "b") if labels else ("nonholonomic", "vakonomic"))
    np.testing.assert_array_equal(one.distances, two.distances)
    assert not one.agree
    assert "part" in one.verdict


def test_names_in_one_text_are_several(system):
    found = da.compare(system, "nonholonomic, vakonomic", start=START, until=0.1)
    assert found.principles == ("nonholonomic", "vakonomic")
    for given, code in (("nonholonomic", "E307"), ("nonholonomic vakonomik", "E308")):
        with pytest.raises(da.DalembertError, match=code):
            da.compare(system, given, start=START, until=0.1)


def test_a_limit_takes_the_name_of_its_principle(system):
    strengths = [1e2, 1e3, 1e4]
    start = {k: v for k, v in START.items() if k != "lam_contact"}
    one, two = (
        da.limit(system, da.penalties.viscous, principle, start=start, until=0.5, strengths=strengths)
        for principle in ("nonholonomic", da.nonholonomic)
    )
    np.testing.assert_array_equal(one.errors, two.errors)
    assert one.order == pytest.approx(1, abs=0.05)


@pytest.mark.parametrize("name", ["vaconomic", "", "Nonholonomic"])
def test_a_name_that_is_no_principle_is_refused_with_the_nearest(system, name):
    with pytest.raises(da.DalembertError, match="E308") as refused:
        da.compare(system, ["nonholonomic", name], start=START, until=1.0)
    assert "nonholonomic" in str(refused.value) or "vakonomic" in str(refused.value)


@pytest.mark.parametrize("principles", ["nonholonomic", 3, None])
def test_one_name_is_no_comparison(system, principles):
    with pytest.raises(da.DalembertError, match="E307"):
        da.compare(system, principles, start=START, until=1.0)
