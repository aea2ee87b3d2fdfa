"""A row of a path starts whatever takes a start, under every principle and in every form; a multiplier has one name."""

import functools

import numpy as np
import pytest

import dalembert as da
from dalembert.principles.principle_table import PRINCIPLES, named

SLEIGH = da.System(
    da.coordinates("x y theta"),
    "m/2*((dot(x) - a*dot(theta)*sin(theta))^2 + (dot(y) + a*dot(theta)*cos(theta))^2) + J/2*dot(theta)^2",
    {"blade": "dot(y)*cos(theta) - dot(x)*sin(theta)"},
    parameters={"m": 1.0, "J": 0.5, "a": 0.3},
)
START = {"x": 0, "y": 0, "theta": 0.4, "vx": 1.0, "vtheta": 0.2}
LAM = {"lam_blade": 0.3}


@functools.cache
def motion(name):
    """Equations, and their motion to t = 2."""
    equations = named(name)(SLEIGH)
    more = LAM if equations.states_of_multipliers else {"vy": 1.0} if name == "free" else {}
    return equations, da.simulate(equations, {**START, **more}, until=2.0)


@pytest.mark.parametrize("name", PRINCIPLES)
def test_a_row_goes_on_where_the_path_was(name):
    equations, path = motion(name)
    row, last = path.at(1.0), path.at(2.0)
    again = da.simulate(equations, row, until=2.0).at(2.0)
    for column in path.names:
        assert again[column] == pytest.approx(last[column], abs=1e-9)
    ends = da.sweep(equations, starts=row, until=2.0)
    slopes = da.sensitivities(equations, row, until=2.0, by=["m"])
    for i, column in enumerate(equations.states):
        assert float(ends[column]) == pytest.approx(last[column], abs=1e-9)
        assert slopes.values is not None and path.at(2.0)[column] == pytest.approx(slopes.states[-1, i], abs=1e-9)
    assert (
        equations.evaluate(row)["accelerations"].keys()
        == equations.evaluate(equations.start(row))["accelerations"].keys()
    )


def test_multipliers_beside_the_energy_are_of_a_path_that_may_have_them_as_reactions():
    (real, path), (rival, other) = motion("nonholonomic"), motion("vakonomic")
    for row in (path.at(1.0), other.at(1.0)):
        for begin in (lambda row: rival.start(**row), lambda row: da.simulate(rival, dict(row), until=2.0)):
            with pytest.raises(ValueError, match=r"E234 .*lam_blade beside the energy(.|\n)*path\.at\(t\)"):
                begin(row)
    assert real.start(**path.at(1.0))["x"] == pytest.approx(path.at(1.0)["x"])  # there they follow from the states
    assert rival.start(other.at(1.0)).t == 1.0
    assert dict(rival.start(**other.state(1.0))) == pytest.approx(dict(rival.start(other.at(1.0))))


def test_rows_are_compared_fitted_ranked_and_planned_from():
    (real, path), (rival, other) = motion("nonholonomic"), motion("vakonomic")
    found = da.compare(SLEIGH, [real, rival], start=other.at(1.0), until=2.0)
    np.testing.assert_allclose(found.paths[1].values[-1], other.values[-1], atol=1e-9)
    with pytest.raises(ValueError, match=r"E234 .*: what the path calls so are reactions"):
        da.compare(SLEIGH, [real, rival], start=path.at(1.0), until=2.0)
    t = np.linspace(0, 2, 21)
    track = da.recorded({"t": t, "x": path.at(t)["x"], "y": path.at(t)["y"]}, uncertainty={"x": 1e-3, "y": 1e-3})
    fitted = da.fit(SLEIGH, track, principle="nonholonomic", start=path.at(0.0), free="J")
    assert fitted.theta[0] == pytest.approx(0.5, rel=1e-4)
    ranking = da.rank(SLEIGH, track, ["nonholonomic", "vakonomic"], start=path.at(0.0), free="J")
    assert "nonholonomic" in str(ranking)
    limit = da.limit(
        SLEIGH, da.penalties.viscous, da.nonholonomic, start=path.at(1.0), until=2.0, strengths=[30, 60, 120]
    )
    assert limit.order == pytest.approx(1.0, abs=0.1)


def test_a_row_is_the_positions_at_an_end():
    equations, path = motion("vakonomic")
    here = {name: path.at(0.0)[name] for name in ("x", "y", "theta")}
    there = {name: path.at(1.0)[name] for name in ("x", "y", "theta")}
    by_rows = da.two_point(equations, start=path.at(0.0), end=path.at(1.0), duration=1.0, starts=6, check=False)
    by_names = da.two_point(equations, start=here, end=there, duration=1.0, starts=6, check=False)
    assert [e.action for e in by_rows] == pytest.approx([e.action for e in by_names])


def test_a_steady_motion_is_looked_for_near_a_row():
    equations, path = motion("nonholonomic")
    found, by_name = (da.steady(equations, guess, fix="x y theta") for guess in (path.at(1.0), path.state(1.0)))
    assert found.state == by_name.state


def test_columns_that_are_no_part_of_a_start_say_what_is():
    equations, path = motion("vakonomic")
    with pytest.raises(KeyError, match=r"E229 energy follows[^\n]*\n.*path.at\(t\)"):
        da.sweep(equations, starts={**path.at(1.0), "m": [1.0, 2.0]}, until=2.0)


def test_rows_made_with_other_parameters_are_doubted():
    equations, _ = motion("nonholonomic")
    row = da.simulate(equations, START, until=2.0, parameters={"J": 0.7}).at(1.0)
    with pytest.warns(da.DalembertWarning, match="W212"):
        da.sweep(equations, starts=row, until=2.0)
    da.sweep(equations, starts=row, parameters={"J": [0.5, 0.7]}, until=2.0)  # it is said what is meant


@pytest.mark.parametrize("name", ["nonholonomic", "vakonomic", "gauss", "hamel"])
def test_a_multiplier_has_one_name(name):
    equations, path = motion(name)
    found = equations.evaluate(path.at(1.0))["multipliers"]
    assert list(found) == ["lam_blade"]
    assert found["lam_blade"] == pytest.approx(path.at(1.0)["lam_blade"], rel=1e-9)
    assert found["blade"] == found["lam_blade"] == found[equations.constraints[0].multiplier]
    assert "blade" in found and found.get("blade") == found["lam_blade"] and found.get("other") is None
    with pytest.raises(KeyError):
        found["other"]


def test_matching_multipliers_are_found_by_name():
    found = da.coincide(SLEIGH)
    straight = {**START, "vtheta": 0.0}
    match = found.match(straight)
    assert match.multipliers == found.lam(straight) == {"lam_blade": match.lam[0]}
