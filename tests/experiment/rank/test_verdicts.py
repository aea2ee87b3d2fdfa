"""Verdicts against the truth: each track is simulated under a known principle and law, which a ranking has to find."""

import math

import numpy as np
import pytest
from scipy import stats
from tracks import SIGMA, START, VAKONOMIC, track

import dalembert as da
from dalembert.apps.experiments import rank
from dalembert.systems import ball_on_turntable as ball
from dalembert.systems import disguised_holonomic, penny

LAWS = {"none": [], "viscous": ["viscous friction"], "rotational": ["rotational friction"]}


@pytest.fixture(scope="module")
def rolling():
    """A nonholonomic ball, ranked with 12 starts."""
    seen = track(da.nonholonomic(ball.system()), START, 3)
    free = "x vx vy Omega"
    return rank(ball.system(), seen, ["nonholonomic", "vakonomic", "free"], start=START, free=free, starts=12, ray="y")


@pytest.fixture(scope="module")
def frictions():
    """Candidates with and without viscous friction, on a track without any."""
    seen = track(da.nonholonomic(ball.system()), START, 4)
    laws = {k: LAWS[k] for k in ("none", "viscous")}
    return rank(ball.system(nu=0.5), seen, "nonholonomic", laws=laws, start=START, free="vx vy nu")


def test_of_a_ball_that_slips_and_then_rolls_one_that_rolls_is_rejected():
    """Five places of a ball struck without spin: contacts are candidates as all equations are."""
    q, t = da.coordinates("x y theta"), np.linspace(0, 0.4, 5)
    cloth = da.contact(gap="y - 1", slip=["dot(x) - dot(theta)"], mu="mu")
    L = "(dot(x)^2 + dot(y)^2)/2 + dot(theta)^2/5 - 9.81*y"
    slips = da.nonholonomic(da.System(q, L, contacts={"cloth": cloth}, parameters={"mu": 0.1}))
    rolls = da.free(da.System(da.coordinates("x"), "7*dot(x)^2/10"))
    a, ends = 0.2 * 9.81, 2 / (7 * 0.2 * 9.81)
    x = np.where(t < ends, t - a * t**2 / 2, 5 / 7 * t + 2 / 7 * ends / 2)
    track = da.recorded(
        {"t": t, "x": x + 1e-3 * np.array([1, -1, 0.5, 0, -0.5])}, uncertainty={"x": 1e-3}, source="by hand"
    )
    struck = {"x": 0, "y": 1, "theta": 0, "vx": 1, "vy": 0, "vtheta": 0}
    found = rank({"rolls": rolls, "slips": slips}, track, start=struck, free="mu", later=None, starts=1)
    assert (found.remaining, set(found.rejected)) == (("slips",), {"rolls"})
    assert found["slips"].fit["mu"] == pytest.approx(0.2, abs=3 * found["slips"].fit.errors["mu"])


# --- principles ------------------------------------------------------------------------------------------------------


def test_of_a_nonholonomic_track_the_other_principles_are_rejected(rolling):
    assert rolling.remaining == ("nonholonomic",)
    assert rolling.decided
    assert set(rolling.rejected) == {"vakonomic", "free"}
    assert rolling.best.fit.adequate
    assert rolling.best.fit["Omega"] == pytest.approx(ball.RPM_45, abs=5 * rolling.best.fit.errors["Omega"])
    assert "nonholonomic is the only candidate that remains: it describes the data" in rolling.verdict
    # the multipliers were free, so that the whole vakonomic family is rejected
    assert set(rolling["vakonomic"].fit) >= {"lam_roll_x", "lam_roll_y"}


def test_of_a_vakonomic_track_the_nonholonomic_principle_is_rejected():
    seen = track(da.vakonomic(ball.system()), VAKONOMIC, 1.5)
    found = rank(ball.system(), seen, start=START, free="x vx vy Omega", later=None)
    assert found.remaining == ("vakonomic",)
    assert "nonholonomic" in found.rejected
    fit = found["vakonomic"].fit
    for name in ("lam_roll_x", "lam_roll_y"):
        assert fit[name] == pytest.approx(VAKONOMIC[name], abs=5 * fit.errors[name])


def test_where_both_principles_allow_the_motion_the_record_decides_nothing():
    # the ball at rest keeps its place under both [lewis1995, Lemma 3.1]
    start = ball.STARTS["resting"]
    found = rank(ball.system(), track(da.nonholonomic(ball.system()), start, 2), start=start, free="x y vx vy")
    assert found.undecided == (("nonholonomic", "vakonomic"),)
    assert not found.decided
    assert "cannot decide between nonholonomic and vakonomic" in found.verdict


def test_every_motion_of_a_penny_is_vakonomic_too():
    # with lam(0) = m (vx, vy) [bloch1995]: the search has to find it
    seen = track(da.nonholonomic(penny.system()), penny.START, 2, sigma=0.01)
    found = rank(penny.system(), seen, start=penny.START, free="vpsi vphi")
    assert set(found.remaining) == {"nonholonomic", "vakonomic"}
    (tie,) = found.ties
    assert tie.distance < 3.5  # what four more unknowns gain from noise: chi of 2 degrees of freedom, p < 1e-3


def test_two_that_move_alike_are_equal_within_the_noise():
    light, heavy = (da.free(da.System(da.coordinates("x"), f"{m}*(dot(x)^2/2 - 2*x^2)")) for m in (1, 3))
    start = {"x": 1.0, "vx": 0.0}
    seen = track(light, start, 3, columns="x")
    found = rank({"light": light, "heavy": heavy}, seen, start=start, free="vx", later=None, starts=1)
    assert set(found.remaining) == {"light", "heavy"}
    assert not found.decided
    assert found.ties[0].equal
    assert "equal within the noise" in found.verdict


def test_an_integrable_constraint_lets_nobody_decide():
    system = disguised_holonomic.system("wheel")
    start = next(iter(disguised_holonomic.STARTS.values()))
    column = next(iter(system.space.by_name))
    seen = track(da.nonholonomic(system), start, 3, sigma=0.01, columns=[column])
    (name, *_) = [n for n in start if n.startswith("v")]
    found = rank(system, seen, start=start, free=name, later=None)
    assert set(found.remaining) == {"nonholonomic", "vakonomic"}
    assert found.ties[0].equal
    assert "equal within the noise" in found.verdict


def test_a_candidate_that_cannot_be_followed_is_left_open_and_not_rejected():
    # the centred circle is a motion of both, but vakonomic neighbours part by e^(6 t): no run follows it for 5 s
    start = ball.STARTS["centred"]
    found = rank(ball.system(), track(da.nonholonomic(ball.system()), start, 5), start=start, free="vx vy")
    assert "vakonomic" not in found.rejected
    assert "vakonomic" in found.open
    assert not found.decided
    assert "vakonomic cannot be excluded: up to t = " in found.verdict


# --- laws ------------------------------------------------------------------------------------------------------------


def test_frictions_are_told_apart_by_a_long_track_and_not_by_a_short_one():
    truth = da.nonholonomic(ball.system(mu=3.0))
    laws = {k: LAWS[k] for k in ("viscous", "rotational")}
    how = {"laws": laws, "start": START, "free": "vx vy nu mu"}
    found = rank(ball.system(nu=2.0, mu=2.0), track(truth, START, 5), "nonholonomic", **how)
    assert found.remaining == ("rotational",)
    short = rank(ball.system(nu=2.0, mu=2.0), track(truth, START, 1, sigma=0.2), "nonholonomic", **how)
    assert set(short.remaining) == {"viscous", "rotational"}
    assert "cannot decide" in short.verdict


def test_friction_that_is_not_there_adds_nothing_and_has_an_upper_limit(frictions):
    assert set(frictions.remaining) == {"none", "viscous"}
    (nested,) = frictions.nested
    assert (nested.larger, nested.smaller) == ("viscous", "none")
    low, high = nested.extra["nu"]
    fit = frictions["viscous"].fit
    assert low == 0
    # the one-sided limit of 95 %: there -2 log L is 1.645^2 above its least
    assert fit.profile("nu", [high]).rise[0] == pytest.approx(stats.norm.ppf(0.95) ** 2, rel=1e-2)
    assert "viscous adds nothing to none" in frictions.verdict
    assert "none suffices" in frictions.verdict


def test_friction_that_is_there_is_needed():
    seen = track(da.nonholonomic(ball.system(nu=2.0)), START, 4)
    laws = {k: LAWS[k] for k in ("none", "viscous")}
    found = rank(ball.system(nu=0.5), seen, "nonholonomic", laws=laws, start=START, free="vx vy nu")
    assert found.remaining == ("viscous",)
    assert "none" in found.rejected


def test_pivoting_friction_is_invisible_in_the_track():
    # rolling without sliding, the spin about the normal does not act on x and y
    start, system = {**START, "w3": 60.0}, ball.system(tau=0.01)
    seen = track(da.nonholonomic(system), start, 3)
    laws = {"none": [], "pivoting": "pivoting friction"}
    found = rank(system, seen, "nonholonomic", laws=laws, start=start, free="vx vy tau")
    assert set(found.remaining) == {"none", "pivoting"}
    assert found.ties[0].distance < 1e-3
    assert "the record does not limit tau" in found.verdict


def test_a_tilt_in_the_data_is_explained_by_the_tilt_alone():
    seen = track(da.nonholonomic(ball.system(tilt=(0.01, 0.0))), START, 4)
    tilt = da.forces.applied(["vx", "vy"], ["m*g*a", "m*g*b"], name="tilt")
    laws = {"level": [], "tilted": [tilt], "viscous": ["viscous friction"]}
    free = "vx vy a b nu"
    given = {"g": 981.0, "a": 0.0, "b": 0.0}
    found = rank(ball.system(nu=0.5), seen, "nonholonomic", laws=laws, parameters=given, start=START, free=free)
    assert found.remaining == ("tilted",)
    assert found["tilted"].fit["a"] == pytest.approx(math.sin(0.01), abs=5 * found["tilted"].fit.errors["a"])


def test_all_wrong_means_none():
    seen = track(da.nonholonomic(ball.system(tilt=(0.01, 0.0))), START, 4)
    laws = {k: LAWS[k] for k in ("viscous", "rotational")}
    with pytest.warns(da.DalembertWarning, match="W558"):
        found = rank(ball.system(nu=0.5, mu=0.5), seen, "nonholonomic", laws=laws, start=START, free="vx vy nu mu")
    assert found.remaining == ()
    assert set(found.rejected) == set(laws)
    assert all(why.startswith("chi2 = ") for why in found.rejected.values())
    assert found.verdict.startswith("None of the candidates describes the data")


# --- noise that is not known, rates ----------------------------------------------------------------------------------


def test_with_unknown_noise_nothing_is_tested_but_all_are_compared():
    seen = track(da.nonholonomic(ball.system(nu=2.0)), START, 4, known=False)
    laws = {k: LAWS[k] for k in ("none", "viscous")}
    found = rank(ball.system(nu=0.5), seen, "nonholonomic", laws=laws, start=START, free="vx vy nu")
    assert found.criterion == "AICc"
    assert found.best.label == "viscous"
    assert found.best.fit.p_value is None
    assert found["none"].difference > 10
    assert "none is tested by itself" in found.verdict
    assert "N565" in {note.code for note in found.notes}


def test_the_truth_is_rarely_rejected():
    truth = da.nonholonomic(ball.system())
    both = {"level": truth, "tilted": da.nonholonomic(ball.system(tilt=(0.0, 0.0)))}
    wrong = 0
    for seed in range(20):
        seen = track(truth, START, 3, rows=25, seed=seed)
        wrong += "level" in rank(both, seen, start=START, free="vx vy tilt_x tilt_y").rejected
    # chi2 and the prediction reject with 1e-3 each, AIC with less: 2 of 20 have a chance of 2e-3
    assert stats.binom.sf(1, 20, 3e-3) < 2e-3
    assert wrong <= 1


# --- later rows and a ray --------------------------------------------------------------------------------------------


def test_later_rows_are_predicted_by_fits_that_have_not_seen_them(rolling):
    forecast = rolling.best.forecast
    assert forecast.cuts[0] == pytest.approx(1.5)
    assert len(forecast.errors) == sum(2 for t in np.linspace(0, 3, 41) if t > 1.5)
    assert forecast.score < 2
    assert forecast.p_value > 1e-3
    assert rolling["free"].forecast.score > 10
    # changing the last block of rows changes no prediction of the blocks before
    fit = rolling.best.fit
    seen = fit.record
    last = seen.t > forecast.cuts[-1]
    moved = da.recorded({"t": seen.t, "x": seen["x"] + last, "y": seen["y"]}, uncertainty={"x": SIGMA, "y": SIGMA})
    with pytest.warns(da.DalembertWarning, match="W558"):
        other = rank({"a": fit.equations, "b": fit.equations}, moved, start=START, free="x vx vy Omega")
    before = np.isin(forecast.t, seen.t[~last])
    errors = other["a"].forecast.errors
    assert errors[before] == pytest.approx(forecast.errors[before], abs=1e-3)
    assert other["a"].forecast.score > 5


def test_crossings_of_a_ray_are_predicted_within_their_uncertainty():
    seen = track(da.nonholonomic(ball.system()), START, 10, rows=161)
    both = {"none": da.nonholonomic(ball.system()), "viscous": da.nonholonomic(ball.system(nu=1.0))}
    found = rank(both, seen, start=START, free="vx vy Omega nu", ray=("y", +1))
    crossed = found["none"].passages
    # the circle's period is 2 pi (1 + m r^2/I)/Omega = 4.67 s: one crossing after 5 s
    assert crossed.t == pytest.approx([2 * 4.667], abs=0.05)
    assert crossed.score < 4
    assert abs(crossed.late[0]) < 4 * math.hypot(crossed.sigma_t[0], crossed.sigma_predicted[0])
    assert crossed.there[0][list(crossed.columns).index("y")] == pytest.approx(0, abs=1e-6)


# --- criteria --------------------------------------------------------------------------------------------------------


def test_weights_and_differences_are_those_of_the_formulas(frictions):
    aic = np.array([c.fit.aic for c in frictions])
    assert [c.difference for c in frictions] == pytest.approx(list(aic - aic.min()))
    w = np.exp(-(aic - aic.min()) / 2)
    assert [c.weight for c in frictions] == pytest.approx(list(w / w.sum()))
    for c in frictions:
        f = c.fit
        n, k = f.numbers, f.counted
        assert f.aic == pytest.approx(-2 * f.loglikelihood + 2 * k)
        assert f.bic == pytest.approx(-2 * f.loglikelihood + k * math.log(n))
        # Gaussian noise of known size
        assert -2 * f.loglikelihood == pytest.approx(f.chi2 + n * math.log(2 * math.pi * SIGMA**2))


def test_a_larger_candidate_fits_no_worse_than_what_it_contains(frictions):
    assert frictions["viscous"].fit.chi2 <= frictions["none"].fit.chi2 + 1e-6
