"""Measures of records and paths against closed forms. Tracks are simulated, with Gaussian noise and fixed seeds."""

import math
import warnings

import numpy as np
import pytest

import dalembert as da
from dalembert.experiment.measures import (
    amplitudes,
    crossings,
    dominant_frequency,
    exit_time,
    fitted_circle,
    growth_rate,
    period,
)
from dalembert.recording import recorded
from dalembert.systems import ball_on_turntable

S, W = 0.05, 1.3  # growth and angular frequency of the spiral
CENTRE = (0.3, -0.2)


def spiral(t):
    r = np.exp(S * t)
    return CENTRE[0] + r * np.cos(W * t), CENTRE[1] + r * np.sin(W * t)


def simulated(seed, noise, rows=400, until=20.0):
    """A simulated spiral: no measurement."""
    rng = np.random.default_rng(seed)
    t = np.sort(rng.uniform(0, until, rows))
    x, y = (a + noise * rng.standard_normal(rows) for a in spiral(t))
    return recorded({"t": t, "x": x, "y": y}, uncertainty={"x": noise, "y": noise}, source=f"simulated, seed {seed}")


@pytest.fixture(scope="module")
def ball():
    """The ball of the paper on its circle, by the closed solution and by a run."""
    equations = da.nonholonomic(ball_on_turntable.system())
    start = equations.start(**ball_on_turntable.START, w3=0.0)
    return da.simulate(equations, start, until=8.0, events=[da.Event(**ball_on_turntable.ray)])


# --- crossings -------------------------------------------------------------------------------------------------------


def test_crossings_of_a_path_by_a_column_are_those_of_its_event(ball):
    by_event, by_column = crossings(ball, "ray"), crossings(ball, "y", direction=+1)
    assert len(by_column) >= 1
    assert np.allclose(by_column.t, by_event.t[-len(by_column) :], atol=1e-9)
    assert np.allclose(by_column["x"], by_event["x"][-len(by_column) :], atol=1e-8)


@pytest.mark.parametrize("direction", [-1, 0, 1])
def test_crossings_of_an_exact_record(direction):
    t = np.linspace(0.1, 20, 400)
    found = crossings(recorded({"t": t, "x": np.sin(t), "y": np.cos(t)}), "x", direction=direction)
    n = np.arange(1, 7)
    right = {0: n * np.pi, -1: n[::2] * np.pi, 1: n[1::2] * np.pi}[direction]
    # a cubic is off by h^4/24 of the fourth derivative, which is small where x is
    assert np.allclose(found.t, right, atol=1e-6)
    assert np.allclose(np.abs(found["y"]), 1, atol=1e-5)
    assert np.isnan(found.sigma_t).all()  # nothing is known of the column


def test_rows_on_the_level_are_its_crossings():
    found = crossings(recorded({"t": [0, 1, 2, 3], "x": [-1, 0, 1, 0.5]}), "x")
    assert found.t.tolist() == [1.0]


def test_crossings_are_known_as_well_as_they_say():
    """Over 200 simulated tracks the errors are standard normal: their mean square is 1 within 4 standard deviations."""
    errors = []
    for seed in range(200):
        rng, t = np.random.default_rng(seed), np.linspace(0, 6, 61) + 0.013
        record = recorded({"t": t, "x": np.sin(t) + 0.01 * rng.standard_normal(61)}, uncertainty={"x": 0.01})
        found = crossings(record, "x", direction=-1)
        assert len(found) == 1
        errors.append((found.t[0] - np.pi) / found.sigma_t[0])
    assert abs(np.mean(errors)) < 4 / np.sqrt(200)
    assert 0.5 < np.mean(np.square(errors)) < 1 + 4 * np.sqrt(2 / 200)


def test_the_row_that_is_nearer_to_the_crossing_counts_more():
    """x = 4 t - 1 is 0 at 1/4: dt0 = -(3/4 dx_a + 1/4 dx_b)/4."""
    record = recorded({"t": [-1, 0, 1, 2], "x": [-5, -1, 3, 7]}, uncertainty={"x": [0.1, 0.2, 0.04, 0.1]})
    (sigma,) = crossings(record, "x").sigma_t
    assert sigma == pytest.approx(np.hypot(0.75 * 0.2, 0.25 * 0.04) / 4, rel=1e-9)


def test_noise_about_the_level_is_one_crossing():
    """Ten rows within the noise: without its uncertainty the record seems to cross more often."""
    rng, t = np.random.default_rng(3), np.linspace(-1, 1, 401)
    x = t + 0.05 * rng.standard_normal(401)
    assert len(crossings(recorded({"t": t, "x": x}), "x")) > 1
    found = crossings(recorded({"t": t, "x": x}, uncertainty={"x": 0.05}), "x")
    assert len(found) == 1
    assert abs(found.t[0]) < 4 * found.sigma_t[0]
    assert found.sigma_t[0] < 0.05


def test_period_and_amplitudes_of_a_record():
    t = np.linspace(0, 30, 900)
    record = recorded({"t": t, "x": np.exp(0.1 * t) * np.cos(2 * t), "y": np.sin(2 * t)})
    assert period(record, "y") == pytest.approx(np.pi, abs=1e-7)
    found = amplitudes(record, "y", "x", 3)
    right = np.diff(np.exp(0.1 * np.pi * np.arange(1, 5)))
    assert np.allclose(found, right, rtol=1e-4)
    with pytest.raises(da.DalembertError, match="E548 y = 5 is crossed 0 times from t = 0 to 30: too few for a period"):
        period(record, "y", level=5)
    with pytest.raises(da.DalembertError, match=r"crossed 9 times.*for 50 periods\n.*longer record, or count=8"):
        period(record, "y", 50)
    assert period(record, "y", 8) == pytest.approx(np.pi, abs=1e-7)


def test_the_period_of_the_ball_is_the_closed_one(ball):
    """One turn takes 2 pi J/(I Omega) [lewis1995 (3.8)]: 7/2 turns of the table for a solid ball."""
    right = 3.5 * 60 / 45
    assert period(ball, "ray", 1) == pytest.approx(right, rel=1e-9)
    record = recorded({"t": ball.t, "x": ball["x"], "y": ball["y"]})
    assert dominant_frequency(record, "x y").frequency == pytest.approx(1 / right, rel=1e-6)


def test_the_published_row_is_no_track():
    with pytest.raises(da.DalembertError, match=r"E317|E543"):
        period(ball_on_turntable.EXPERIMENT, "d")


# --- circle ----------------------------------------------------------------------------------------------------------


def test_the_circle_of_the_ball(ball):
    """Centre (x, y) + J/(I Omega) (-vy, vx), from the start (10, 0), (0, 5)."""
    reach = 3.5 / ball_on_turntable.RPM_45
    found = fitted_circle(ball)
    assert found.centre == pytest.approx((10 - reach * 5, 0), abs=1e-7)
    assert found.radius == pytest.approx(5 * reach, rel=1e-9)
    assert found.scatter < 1e-7


@pytest.mark.parametrize("arc", [2 * np.pi, 1.0])
def test_circles_are_known_as_well_as_they_say(arc):
    """200 simulated tracks: mean square of (found - true)/sigma is 1 within 4 standard deviations, for x, y, R."""
    errors = []
    for seed in range(200):
        rng, a = np.random.default_rng(seed), np.linspace(0, arc, 80)
        x, y = (c + 0.005 * rng.standard_normal(80) for c in (0.3 + 2 * np.cos(a), -0.2 + 2 * np.sin(a)))
        known = {"uncertainty": {"x": 0.005, "y": 0.005}} if seed % 2 else {}
        found = fitted_circle(recorded({"t": a, "x": x, "y": y}, **known))
        errors.append((np.array([*found.centre, found.radius]) - (0.3, -0.2, 2)) / found.sigma)
    assert np.allclose(np.mean(np.square(errors), axis=0), 1, atol=4 * np.sqrt(2 / 200))


def test_a_line_is_no_circle():
    with pytest.warns(da.DalembertWarning, match="W580 the points lie on a line"):
        found = fitted_circle(recorded({"t": [0, 1, 2, 3], "x": [0, 1, 2, 3], "y": [0, 2, 4, 6]}))
    assert math.isinf(found.radius)


# --- growth, frequency, exit -----------------------------------------------------------------------------------------


def test_growth_of_an_exact_spiral():
    t = np.linspace(0, 20, 300)
    x, y = spiral(t)
    found = growth_rate(recorded({"t": t, "x": x, "y": y}))
    assert found.rate == pytest.approx(S, rel=1e-8)
    assert found.frequency == pytest.approx(W / (2 * np.pi), rel=1e-8)
    assert found.centre == pytest.approx(CENTRE, abs=1e-7)
    assert found.misfit < 1e-7


def test_growth_is_known_as_well_as_it_says():
    errors = []
    for seed in range(60):
        found = growth_rate(simulated(seed, 0.05))
        right = S, W / (2 * np.pi)
        sigma = found.rate_sigma, found.frequency_sigma
        errors.append([(a - b) / s for a, b, s in zip((found.rate, found.frequency), right, sigma, strict=True)])
    assert np.allclose(np.mean(np.square(errors), axis=0), 1, atol=4 * np.sqrt(2 / 60))


def test_decay_in_one_column():
    t = np.linspace(0, 10, 200)
    found = growth_rate(recorded({"t": t, "x": 3 + np.exp(-0.3 * t) * np.cos(5 * t)}), "x")
    assert found.rate == pytest.approx(-0.3, rel=1e-7)
    assert found.centre[0] == pytest.approx(3, rel=1e-8)


def test_growth_of_the_ball_with_friction_is_the_root_of_its_equation():
    """J z'' + (mu + nu r^2 - i I Omega) z' - i mu Omega z = 0 without mu: z' ~ e^(s t), s = (-nu r^2 + i I Omega)/J."""
    system = ball_on_turntable.system(nu=2.0)
    equations = da.nonholonomic(system)
    path = da.simulate(equations, equations.start(**ball_on_turntable.START, w3=0.0), until=20.0)
    p = system.parameters
    J = p["I"] + p["m"] * p["r"] ** 2
    found = growth_rate(path)
    assert found.rate == pytest.approx(-p["nu"] * p["r"] ** 2 / J, rel=1e-6)
    assert found.frequency == pytest.approx(p["I"] * p["Omega"] / J / (2 * np.pi), rel=1e-6)


@pytest.mark.parametrize("f", [0.21, 1.7, 4.4])
def test_dominant_frequency_with_uneven_rows_and_a_weaker_line(f):
    rng = np.random.default_rng(11)
    t = np.sort(rng.uniform(0, 20, 500))
    x = np.cos(2 * np.pi * f * t + 1) + 0.1 * np.cos(2 * np.pi * 2.9 * t) + 0.02 * rng.standard_normal(500)
    found = dominant_frequency(recorded({"t": t, "x": x}))
    assert abs(found.frequency - f) < 5 * found.frequency_sigma
    assert found.frequency_sigma < 1e-3


def test_exit_time_of_a_record_and_of_a_path(ball):
    t = np.linspace(0, 3, 301)
    record = recorded({"t": t, "x": t, "y": 0.5 * t}, uncertainty={"x": 1e-4, "y": 1e-4})
    time, sigma = exit_time(record, 2.0)
    assert time == pytest.approx(2 / math.sqrt(1.25), abs=4 * sigma + 1e-9)
    # sigma_t = sigma_r/speed, of one or two rows
    assert 0.5 < sigma / (1e-4 / math.sqrt(1.25)) < 1.1
    with pytest.warns(da.DalembertWarning, match=r"W580 the distance does not reach 9, it is at most 3\."):
        assert math.isnan(exit_time(record, 9.0)[0])
    with pytest.raises(da.DalembertError, match=r"E307 radius = -1.0 must be positive"):
        exit_time(record, -1.0)
    # |z - c| = R on the circle of the ball about c = (10 - 5 reach, 0): half a chord of length d is R sin(angle/2)
    reach = 3.5 / ball_on_turntable.RPM_45
    R, turn = 5 * reach, 1 / reach
    assert exit_time(ball, R, centre=(10.0, 0.0))[0] == pytest.approx(np.pi / 3 / turn, rel=1e-9)


@pytest.mark.parametrize("measure", [growth_rate, fitted_circle, dominant_frequency])
def test_too_few_rows(measure):
    with pytest.raises(da.DalembertError, match="E546"):
        measure(recorded({"t": [0, 1], "x": [0, 1], "y": [0, 1]}))


def test_what_is_no_motion():
    with pytest.raises(da.DalembertError, match="E318"):
        fitted_circle([1, 2, 3])
    with pytest.raises(da.DalembertError, match="E317"):
        fitted_circle(simulated(0, 0.1), "x z")


TIMES = np.linspace(0, 10, 101)
NOISE = np.random.default_rng(5).standard_normal((2, 101))


@pytest.mark.parametrize(
    ("points", "said"), [((TIMES, 1e-3 * NOISE[0]), "on a line"), ((0 * TIMES, 0 * TIMES), "at one place")]
)
def test_points_that_show_no_circle_are_said_to(points, said):
    """Noise about a line has a nearest circle, whose curvature is smaller than its uncertainty."""
    x, y = points
    with pytest.warns(da.DalembertWarning, match=f"W580 the points lie {said}"):
        found = fitted_circle(recorded({"t": TIMES, "x": x, "y": y}))
    assert not found.radius > 2 * found.sigma[2]


def quiet(columns):
    """A record whose numbers are of no usual size (W548)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", da.DalembertWarning)
        return recorded(columns)


@pytest.mark.parametrize("size", [1e-200, 1e-150, 1.0, 1e150, 1e200])
def test_measures_do_not_depend_on_the_unit(size):
    x, y = size * (3 + np.cos(TIMES)), size * np.sin(TIMES)
    track = quiet({"t": TIMES, "x": x, "y": y})
    circle = fitted_circle(track)
    assert circle.radius / size == pytest.approx(1)
    assert circle.centre[0] / size == pytest.approx(3)
    assert growth_rate(track).frequency == pytest.approx(1 / (2 * np.pi), rel=1e-9)


def test_the_uncertainty_of_a_short_arc_is_that_of_its_noise():
    a = np.linspace(0, 0.1, 101)
    found = []
    for seed in range(40):
        x, y = np.array([np.cos(a), np.sin(a)]) + 1e-5 * np.random.default_rng(seed).standard_normal((2, 101))
        found.append(fitted_circle(recorded({"t": a, "x": x, "y": y})))
    assert np.std([c.radius for c in found]) == pytest.approx(np.mean([c.sigma[2] for c in found]), rel=0.3)


@pytest.mark.parametrize(
    ("measure", "said"),
    [
        (lambda r: growth_rate(r, "x y"), "this is no oscillation"),
        (lambda r: growth_rate(r, "slow"), "not seen in less than one"),
        (lambda r: amplitudes(r, "slow", "x", level=9), "there are 0 changes"),
        (lambda r: amplitudes(r, "x", "y", 1000), "changes"),
    ],
)
def test_measures_of_what_is_not_there_are_doubted(measure, said):
    record = recorded({"t": TIMES, "x": NOISE[0], "y": NOISE[1], "slow": np.cos(TIMES / 100)})
    with pytest.warns(da.DalembertWarning, match=f"W580 .*{said}"):
        measure(record)
