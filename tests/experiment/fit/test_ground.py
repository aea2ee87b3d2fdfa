"""What is seen is told from what is not by the error of the derivatives, whatever the guess; the rest stays at it."""

import numpy as np
import pytest
from scipy.optimize import minimize

import dalembert as da
from dalembert.experiment.fit.model import Model
from dalembert.systems import ball_on_turntable as ball

T = np.linspace(0, 1, 21)
BLIND = pytest.mark.filterwarnings("ignore:W556")


def line(x0, v, sigma, seed, t=T):
    rng = np.random.default_rng(seed)
    seen = {"t": t, "x": x0 + v * t + rng.normal(0, sigma, len(t))}
    return da.nouns.Record(seen, source=f"simulated, seed {seed}", uncertainty={"x": sigma})


def closed(track, names):
    """The normal equations of x = x0 + v t."""
    A = np.column_stack([np.ones(len(track.t)), track.t])
    theta, *_ = np.linalg.lstsq(A, track["x"], rcond=None)
    C = np.linalg.inv(A.T @ A) * track.sigma("x")[0] ** 2
    return dict(zip(names, theta, strict=True)), dict(zip(names, np.sqrt(np.diag(C)), strict=True))


@pytest.mark.parametrize("guess", [1e-3, 1e-6, 1e-9, 0.0])
def test_a_guess_that_is_far_too_small_costs_nothing(particle, guess):
    track = line(10, 1, 0.01, 1)
    fit = da.fit(particle, track, start={"x": 10, "vx": guess}, free="x vx")
    theta, errors = closed(track, ("x", "vx"))
    assert dict(fit) == pytest.approx(theta, abs=1e-6)
    assert fit.errors == pytest.approx(errors, rel=1e-4)


def test_a_small_change_of_a_large_number_is_seen(particle):
    track = line(1e5, 0.05, 1.0, 2, np.linspace(0, 40, 81))
    fit = da.fit(particle, track, start={"x": 1e5, "vx": 1e-3}, free="x vx")
    theta, errors = closed(track, ("x", "vx"))
    assert fit["vx"] == pytest.approx(theta["vx"], abs=1e-3 * errors["vx"])
    assert fit.errors["vx"] == pytest.approx(errors["vx"], rel=1e-4) and not fit.unseen


def test_a_best_value_of_0_is_seen(particle):
    track = da.nouns.Record({"t": T, "x": T}, source="made up", uncertainty={"x": 0.01})
    fit = da.fit(particle, track, start={"x": 0.1, "vx": 0.8}, free="x vx")
    _, errors = closed(track, ("x", "vx"))
    assert fit.errors == pytest.approx(errors, rel=1e-4) and not fit.unseen
    low, high = fit.interval("x")
    assert high - low == pytest.approx(2 * 1.959964 * errors["x"], rel=1e-3)


def test_a_prior_that_is_very_sharp_hides_nothing(particle):
    q = da.coordinates("x")
    e = da.free(da.System(q, "m*vx^2/2 + m*g*x", parameters={"m": 1.0, "g": 1.0}))
    track = da.nouns.Record({"t": T, "x": T + T**2 / 2}, source="made up", uncertainty={"x": 0.01})
    sharp = da.fit(e, track, start={"x": 0, "vx": 1}, free="x vx g", priors={"g": (1.0, 1e-9)})
    held = da.fit(e, track, start={"x": 0, "vx": 1}, free="x vx")
    assert not sharp.unseen
    for name in ("x", "vx"):
        assert sharp.errors[name] == pytest.approx(held.errors[name], rel=1e-3)


@BLIND
def test_a_pendulum_with_quadratic_drag_shows_g_over_l_and_c_over_m_l_squared():
    q = da.coordinates("th")
    L = "m*l^2*vth^2/2 + m*g*l*cos(th)"
    values = {"m": 1.0, "l": 1.0, "g": 9.81, "c": 0.2}
    e = da.free(da.System(q, L, forces={"vth": "-c*abs(vth)*vth"}, parameters=values))
    path = da.simulate(e, {"th": 1.2, "vth": 0.1}, until=6)
    t = np.linspace(0, 6, 121)
    track = da.nouns.Record({"t": t, "th": path.at(t)["th"]}, source="simulated", uncertainty={"th": 0.002})
    guess = {"m": 1.1, "l": 1.05, "g": 9.5, "c": 0.25}
    fit = da.fit(e, track, start={"th": 1.2, "vth": 0.1}, free="g l c m", parameters=guess)
    (told,) = fit.unseen if len(fit.unseen) == 1 else (None,)
    groups = [told] if told else fit.unseen
    directions = sum(len(group.directions) for group in groups)
    assert directions == 2
    assert fit["g"] / fit["l"] == pytest.approx(9.81, rel=1e-4)
    assert fit["c"] / fit["m"] / fit["l"] ** 2 == pytest.approx(0.2, rel=1e-3)
    # two of the four stand where they began
    assert sum(fit[n] == pytest.approx(guess[n], rel=1e-9) for n in guess) >= 2


@BLIND
def test_the_way_back_follows_a_valley_of_powers():
    """Of a chaotic double pendulum only g/l is seen; the valley is narrow, and its far end where the search arrived."""
    q = da.coordinates("a b")
    L = "m*l^2*(va^2 + vb^2/2 + va*vb*cos(a - b)) + m*g*l*(2*cos(a) + cos(b))"
    e = da.free(da.System(q, L, parameters={"m": 1.0, "l": 1.0, "g": 9.81}))
    start = {"a": 2.0, "b": 1.5, "va": 0.0, "vb": 0.0}
    path, t = da.simulate(e, start, until=8), np.linspace(0, 8, 161)
    rng, at = np.random.default_rng(1), path.at(t)
    seen = {"t": t, "a": at["a"] + rng.normal(0, 0.01, 161), "b": at["b"] + rng.normal(0, 0.01, 161)}
    track = da.nouns.Record(seen, source="simulated, seed 1", uncertainty={"a": 0.01, "b": 0.01})
    fit = da.fit(e, track, start=start, free="a b g l m", parameters={"g": 9.8})
    assert {group.names for group in fit.unseen} == {("g", "l"), ("m",)}
    assert fit["g"] / fit["l"] == pytest.approx(9.81, rel=3e-3)
    assert fit["m"] == 1.0 and (fit["g"] == pytest.approx(9.8) or fit["l"] == pytest.approx(1.0))


@BLIND
def test_what_is_not_seen_stays_at_its_guess(table, circle, simulated, guess):
    track = simulated(circle, np.linspace(0, 8, 41), ("x", "y"), 0.02, 4)
    fit = da.fit(table, track, start=guess, free="vx vy w3 I m", parameters={"I": 45.0, "m": 60.0})
    assert fit["w3"] == guess["w3"]
    assert fit["I"] == pytest.approx(45.0, rel=1e-9) or fit["m"] == pytest.approx(60.0, rel=1e-9)
    assert fit["I"] / fit["m"] == pytest.approx(ball.stated_ball()["I"] / ball.stated_ball()["m"], rel=1e-2)


@BLIND
def test_differences_tell_it_as_tangents_do(table, circle, simulated, guess, monkeypatch):
    track = simulated(circle, np.linspace(0, 4, 21), ("x", "y"), 0.02, 4)
    how = {"start": guess, "free": "vx vy Omega I w3"}
    one = da.fit(table, track, **how)
    monkeypatch.setattr(Model, "by_tangents", False)
    two = da.fit(table, track, **how)
    assert [u.names for u in one.unseen] == [u.names for u in two.unseen]
    for name in ("vx", "vy"):
        assert two.errors[name] == pytest.approx(one.errors[name], rel=1e-3)


@pytest.mark.parametrize("sign", [{"nonnegative": True}, {"positive": True}])
def test_signs_of_parameters_are_bounds(sign):
    import sympy as sp

    q, k = da.coordinates("x"), sp.Symbol("k", **sign)
    e = da.free(da.System(q, q["vx"] ** 2 / 2 - k * q["x"] ** 2 / 2, parameters={"k": 1.0}))
    t = np.linspace(0, 2, 21)
    track = da.nouns.Record({"t": t, "x": np.cosh(0.5 * t)}, source="made up", uncertainty={"x": 0.1})
    with pytest.warns(da.DalembertWarning, match="W5"):
        fit = da.fit(e, track, start={"x": 1, "vx": 0}, free="k")
    assert fit.at_bound == ("k",) and fit["k"] == pytest.approx(0, abs=1e-5)


def test_coefficients_of_friction_are_not_negative():
    q = da.coordinates("x")
    drag = da.forces.viscous_friction([q["vx"]], __import__("sympy").Symbol("c", real=True))
    e = da.free(da.System(q, q["vx"] ** 2 / 2, forces=[drag], parameters={"c": 0.5}))
    t = np.linspace(0, 2, 21)
    track = da.nouns.Record({"t": t, "x": np.expm1(0.3 * t) / 0.3}, source="made up", uncertainty={"x": 0.1})
    with pytest.warns(da.DalembertWarning, match="W5"):
        fit = da.fit(e, track, start={"x": 0, "vx": 1}, free="c")
    assert fit.at_bound == ("c",)


def test_priors_keep_their_squares_under_a_robust_loss(particle):
    """The last term of the formula: a sharp prior is not an outlier, however far the data pull."""
    track = line(0, 1, 0.05, 3)
    fit = da.fit(particle, track, start={"x": 0, "vx": 1}, free="x vx", loss="cauchy", priors={"vx": (1.1, 1e-4)})
    assert fit["vx"] == pytest.approx(1.1, abs=2e-4)
    low, high = fit.interval("vx")
    assert high - low == pytest.approx(2 * 1.96e-4, rel=0.05)


@pytest.mark.filterwarnings("ignore:W557")  # what the prior leaves of the data has a slope
def test_a_prior_that_the_data_pull_at_counts_by_its_square(particle):
    """The formula minimised by another method: the loss is on the numbers alone."""
    track, (m, s) = line(0, 1, 0.05, 3), (1.5, 0.02)
    with pytest.warns(da.DalembertWarning, match="W574"):
        fit = da.fit(particle, track, start={"x": 0, "vx": 1}, free="x vx", loss="cauchy", priors={"vx": (m, s)})

    def formula(theta):
        r = (track["x"] - theta[0] - theta[1] * T) / 0.05
        return np.log1p(r**2).sum() + ((theta[1] - m) / s) ** 2

    found = minimize(formula, fit.theta, method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12})
    np.testing.assert_allclose(fit.theta, found.x, atol=1e-5)


def test_noise_of_a_robust_fit_is_not_that_of_its_outliers(particle):
    rng = np.random.default_rng(4)
    t = np.linspace(0, 1, 201)
    x = t + rng.normal(0, 0.1, 201)
    x[::20] += 4
    fit = da.fit(
        particle,
        da.nouns.Record({"t": t, "x": x}, source="simulated, seed 4"),
        start={"x": 0, "vx": 1},
        free="x vx",
        loss="cauchy",
    )
    assert fit.noise["x"] == pytest.approx(0.1, rel=0.2)
    low, high = fit.interval("vx")
    assert 0.5 < (high - low) / (2 * 1.96 * fit.errors["vx"]) < 1.5


def test_with_as_many_priors_as_unknowns_the_noise_is_that_of_the_numbers(particle):
    track = da.nouns.Record({"t": [0.0, 1.0, 2.0], "x": [0.0, 1.1, 1.9]}, source="made up")
    priors = {"x": (0.0, 10.0), "vx": (1.0, 10.0)}
    fit = da.fit(particle, track, start={"x": 0, "vx": 1}, free="x vx", priors=priors)
    assert 0.01 < fit.noise["x"] < 0.2 and np.isfinite(list(fit.errors.values())).all()


def test_no_noise_can_be_estimated_from_nothing(particle):
    track = da.nouns.Record({"t": [0.0, 1.0], "x": [0.0, 1.1]}, source="made up")
    with pytest.raises(ValueError, match="E552"):
        da.fit(particle, track, start={"x": 0, "vx": 1}, free="x vx")
