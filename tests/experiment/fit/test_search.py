"""Bounds, several starts, cameras, and columns that are measures of a whole path."""

import math
import sys

import numpy as np
import pytest

import dalembert as da
from dalembert.experiment.fit import least_squares
from dalembert.systems import ball_on_turntable as ball


@pytest.fixture(scope="module")
def oscillator():
    q = da.coordinates("x")
    return da.System(q, "vx^2/2 - w^2*x^2/2", parameters={"w": 1.0})


def test_many_starts_find_the_frequency_that_one_misses(oscillator, simulated):
    """The sum of squares over a frequency has a minimum about each beat of the record."""
    e = da.free(oscillator)
    path = da.simulate(e, e.start(x=1, vx=0, parameters={"w": 7.0}), until=20)
    track = simulated(path, np.linspace(0, 20, 200), ("x",), 0.05, 1)
    how = {"start": {"x": 1, "vx": 0}, "free": "w x", "parameters": {"w": 3.0}, "bounds": {"w": (0.5, 12)}}
    with pytest.warns(da.DalembertWarning):
        one = da.fit(e, track, **how)
    assert not one.adequate
    fit = da.fit(e, track, **how, starts=60, seed=3)
    assert abs(fit["w"] - 7) < 4 * fit.errors["w"] and fit.adequate
    assert len(fit.minima) >= 5 and fit.tried == 60
    rises = [rise for _, rise in fit.minima]
    assert rises == sorted(rises) and rises[0] > 0
    again = da.fit(e, track, **how, starts=60, seed=3)
    assert np.array_equal(again.theta, fit.theta)


def test_friction_that_is_not_there_stays_at_zero(table, circle, simulated):
    """Its interval begins at 0 and ends at a limit, which some friction above 0 breaks and a smaller one does not."""
    e = da.nonholonomic(ball.system(nu=1.0))
    track = simulated(circle, np.linspace(0, 8, 41), ("x", "y"), 0.02, 11)
    fit = da.fit(e, track, start={**ball.START, "w3": 0}, free="vx vy nu", parameters={"nu": 0.5})
    assert fit["nu"] >= 0
    low, high = fit.interval("nu")
    assert low == 0 and 0 < high < 1
    profile = fit.profile("nu", [0.9 * high, 1.1 * high])
    assert profile.rise[0] < profile.level < profile.rise[1]


def test_a_search_that_is_cut_short_says_so(table, circle, simulated, guess, monkeypatch):
    monkeypatch.setattr(least_squares, "FINE", least_squares.Care(1e-10, 2))
    track = simulated(circle, np.linspace(0, 8, 41), ("x", "y"), 0.02, 12)
    with pytest.warns(da.DalembertWarning, match="W5"):
        fit = da.fit(table, track, start=guess, free="vx vy Omega", parameters={"Omega": 4.0})
    assert not fit.converged and "W560" in {note.code for note in fit.notes}


def test_bounds_hold_and_are_told(table, circle, simulated, guess):
    track = simulated(circle, np.linspace(0, 8, 41), ("x", "y"), 0.02, 12)
    with pytest.warns(da.DalembertWarning):
        fit = da.fit(
            table, track, start=guess, free="vx vy Omega", bounds={"Omega": (4.0, 4.5)}, parameters={"Omega": 4.2}
        )
    assert fit["Omega"] == pytest.approx(4.5, abs=1e-5) and fit.at_bound == ("Omega",)
    assert "at its bound" in str(fit) and math.isnan(fit.errors["Omega"])


def test_a_cameras_scale_turn_and_shift_are_found_with_the_table(table, circle):
    """Pixels of a camera whose rows run downwards; where the ball starts is known on the table."""
    rng, t = np.random.default_rng(6), np.linspace(0, 8, 61)
    at, k, a = circle.at(t), 31.0, 0.25
    px = 400 + k * (math.cos(a) * at["x"] - math.sin(a) * at["y"]) + rng.normal(0, 0.5, 61)
    py = 300 - k * (math.sin(a) * at["x"] + math.cos(a) * at["y"]) + rng.normal(0, 0.5, 61)
    track = da.nouns.Record(
        {"t": t, "px": px, "py": py}, source="simulated, seed 6", uncertainty={"px": 0.5, "py": 0.5}
    )
    fit = da.fit(
        table,
        track,
        start={**ball.START, "w3": 0},
        free="Omega scale angle shift_x shift_y",
        parameters={"scale": 25, "angle": 0, "shift_x": 350, "shift_y": 350},
        columns=da.measures.camera(flipped=True),
    )
    truth = {"Omega": ball.RPM_45, "scale": k, "angle": a, "shift_x": 400, "shift_y": 300}
    for name, value in truth.items():
        assert abs(fit[name] - value) < 3.5 * fit.errors[name], name
    assert fit.adequate


@pytest.mark.filterwarnings("ignore:W556")
def test_a_camera_and_a_free_start_hide_behind_each_other(table, circle):
    """A larger scale and a smaller motion look alike: the data see what is invariant, and say so."""
    t = np.linspace(0, 8, 61)
    at = circle.at(t)
    track = da.nouns.Record(
        {"t": t, "px": 30 * at["x"], "py": 30 * at["y"]}, source="made up", uncertainty={"px": 1, "py": 1}
    )
    fit = da.fit(
        table,
        track,
        start={**ball.START, "w3": 0},
        free="x y vx vy scale angle",
        parameters={"scale": 29, "angle": 0.02, "shift_x": 0, "shift_y": 0},
        columns=da.measures.camera(),
    )
    assert sum(len(group.directions) for group in fit.unseen) == 2  # a scale, and a turn
    assert fit.chi2 < 1e-6


def test_text_and_symbols_say_the_same_columns(table, circle, simulated, guess):
    track = simulated(circle, np.linspace(0, 4, 21), ("x", "y"), 0.02, 2)
    how = {"start": guess, "free": "vx vy c", "parameters": {"c": 0.0}}
    x, y, c = (__import__("sympy").Symbol(n) for n in ("x", "y", "c"))
    fits = [da.fit(table, track, columns=c_, **how) for c_ in ({"x": "x + c", "y": "y"}, {"x": x + c, "y": y})]
    assert np.array_equal(fits[0].theta, fits[1].theta)


def test_units_in_bounds_priors_and_uncertainties(circle):
    """A system in metres: text with a unit means the same as the number in base SI."""
    q = da.coordinates("x")
    e = da.free(da.System(q, "m*vx^2/2 - m*g*x", parameters={"m": "1 kg", "g": "9.81 m/s^2"}, units={"x": "m"}))
    t = np.linspace(0, 1, 11)
    x = 1 - 4.9 * t**2 + np.random.default_rng(1).normal(0, 0.01, 11)
    track = da.recorded({"t": t, "x": 100 * x}, units={"x": "cm"}, source="simulated, seed 1")
    assert track.units["x"] == "m"
    how = {"start": {"x": "100 cm", "vx": 0}, "free": "g vx"}
    one = da.fit(
        e,
        track,
        **how,
        bounds={"g": ("900 cm/s^2", None)},
        priors={"vx": ("0 cm/s", "1 cm/s")},
        uncertainty={"x": "1 cm"},
    )
    two = da.fit(e, track, **how, bounds={"g": (9, None)}, priors={"vx": (0, 0.01)}, uncertainty={"x": 0.01})
    np.testing.assert_allclose(one.theta, two.theta, rtol=1e-9)


def test_published_measures_are_fitted_by_differences(table):
    """Period and distances of Table 1 for nu = 5 as numbers: nu is found again from these alone."""
    e = da.nonholonomic(ball.system(nu=5.0))
    begin = e.start(**ball.START, w3=0.0)
    path = da.simulate(e, begin, until=30, events=[da.Event(**ball.ray)])
    measured = da.nouns.Record(
        {"period": (da.measures.period(path, "ray", 5),), "d": tuple(da.measures.amplitudes(path, "ray", "x", 5))},
        source="simulated",
        uncertainty={"period": 0.01, "d": 0.01},
    )
    fit = da.fit(
        e,
        measured,
        start={**ball.START, "w3": 0.0},
        free="nu vy",
        parameters={"nu": 3.0},
        columns={
            "period": lambda path: da.measures.period(path, "ray", 5),
            "d": lambda path: da.measures.amplitudes(path, "ray", "x", 5),
        },
        until=30,
        events=[da.Event(**ball.ray)],
    )
    assert fit["nu"] == pytest.approx(5.0, abs=1e-4) and fit["vy"] == pytest.approx(5.0, abs=1e-4)
    assert fit.numbers == 6


def test_a_motion_through_a_wall_is_fitted_by_differences():
    """A ball that bounces: the derivatives jump at the wall, the restitution is found all the same."""
    q = da.coordinates("h")
    system = da.System(q, "vh^2/2 - 9.81*h", parameters={"e": 0.8}, walls={"floor": {"guard": "h", "restitution": "e"}})
    equations = da.free(system)
    begin = equations.start(h=1.0, vh=0.0)
    path = da.simulate(equations, begin, until=1.5, events=da.impacts.walls(system))
    t = np.linspace(0, 1.5, 40)
    rng = np.random.default_rng(9)
    track = da.nouns.Record(
        {"t": t, "h": path.at(t)["h"] + rng.normal(0, 0.005, 40)}, source="simulated", uncertainty={"h": 0.005}
    )
    fit = da.fit(
        equations,
        track,
        start={"h": 1.0, "vh": 0.0},
        free="e h",
        parameters={"e": 0.7},
        events=da.impacts.walls(system),
    )
    assert abs(fit["e"] - 0.8) < 3 * fit.errors["e"] and fit.adequate


def test_a_record_without_first_parts_is_searched_once_from_the_guess(oscillator, monkeypatch):
    """A measure of the whole path has no first part: the way by its parts is the straight one, and not gone again."""
    begun = []
    many = sys.modules["dalembert.experiment.fit.minima"]
    straight = many.descend
    monkeypatch.setattr(many, "descend", lambda model, theta, loss: begun.append(theta) or straight(model, theta, loss))
    reach = {"reach": lambda path: np.array([path["x"].max()])}
    wrong = da.nouns.Record({"reach": (9.0,)}, source="none", uncertainty={"reach": 0.001})
    with pytest.warns(da.DalembertWarning):
        da.fit(
            da.free(oscillator),
            wrong,
            start={"x": 1, "vx": 0},
            free="vx",
            bounds={"vx": (-1, 1)},
            columns=reach,
            until=6,
        )
    assert len(begun) == 1
