"""Where the motion is linear in the unknowns, a fit is linear least squares, and all of it has closed forms."""

import math

import numpy as np
import pytest
from scipy import stats

import dalembert as da
from dalembert.experiment.fit.fit_problem import prepared
from dalembert.experiment.fit.fit_warnings import conflicts
from dalembert.experiment.fit.least_squares import descend, look
from dalembert.question import LOSSES, Guess, Likelihood, Question

T = np.linspace(0, 3, 25)
SIGMA = np.linspace(0.05, 0.2, 25)
A = np.column_stack([np.ones(25), T])  # x = x0 + vx t
SEEN = 1.5 - 0.7 * T + SIGMA * np.random.default_rng(3).standard_normal(25)


@pytest.fixture(scope="module")
def fitted(particle):
    track = da.nouns.Record({"t": T, "x": SEEN}, source="simulated, seed 3", uncertainty={"x": SIGMA})
    return da.fit(particle, track, start={"x": 0, "vx": 0}, free="x vx")


def normal(A, seen, sigma):
    """theta = (A^T W A)^-1 A^T W y and its covariance."""
    W = 1 / sigma**2
    C = np.linalg.inv(A.T * W @ A)
    return C @ (A.T * W @ seen), C


def test_values_and_covariance_are_those_of_the_normal_equations(fitted):
    theta, C = normal(A, SEEN, SIGMA)
    np.testing.assert_allclose(fitted.theta, theta, rtol=0, atol=1e-8)
    np.testing.assert_allclose(fitted.covariance, C, rtol=1e-6)


def test_chi2_likelihood_and_criteria(fitted):
    theta, _ = normal(A, SEEN, SIGMA)
    r = (SEEN - A @ theta) / SIGMA
    assert fitted.chi2 == pytest.approx(r @ r, rel=1e-8)
    assert fitted.dof == 23
    assert fitted.p_value == pytest.approx(stats.chi2.sf(r @ r, 23), rel=1e-6)
    assert fitted.adequate
    logl = stats.norm.logpdf(SEEN, A @ theta, SIGMA).sum()
    assert fitted.loglikelihood == pytest.approx(logl, rel=1e-9)
    assert fitted.aic == pytest.approx(4 - 2 * logl)
    assert fitted.bic == pytest.approx(2 * math.log(25) - 2 * logl)
    assert fitted.aicc == pytest.approx(4 - 2 * logl + 12 / 22)
    np.testing.assert_allclose(fitted.residuals, r, atol=1e-7)


def test_noise_that_is_not_known_is_the_mean_square_of_what_is_left(particle):
    track = da.nouns.Record({"t": T, "x": SEEN}, source="simulated, seed 3")
    fit = da.fit(particle, track, start={"x": 0, "vx": 0}, free="x vx")
    theta, C = normal(A, SEEN, np.ones(25))
    s2 = ((SEEN - A @ theta) ** 2).sum() / 23
    assert fit.noise["x"] == pytest.approx(math.sqrt(s2), rel=1e-6)
    np.testing.assert_allclose(fit.covariance, C * s2, rtol=1e-5)
    assert fit.p_value is None and fit.adequate is None and fit.estimated == ("x",)
    likeliest = math.sqrt(s2 * 23 / 25)
    assert fit.loglikelihood == pytest.approx(stats.norm.logpdf(SEEN, A @ theta, likeliest).sum(), rel=1e-6)
    assert fit.counted == 3  # the noise is counted


def test_intervals_are_those_of_the_normal_distribution_and_of_students(particle, fitted):
    error = math.sqrt(normal(A, SEEN, SIGMA)[1][1, 1])
    ends = fitted.interval("vx", 0.95)
    np.testing.assert_allclose(np.array(ends) - fitted["vx"], [-1.959964 * error, 1.959964 * error], rtol=2e-4)
    track = da.nouns.Record({"t": T, "x": SEEN}, source="simulated, seed 3")
    fit = da.fit(particle, track, start={"x": 0, "vx": 0}, free="x vx")
    ends, reach = fit.interval("vx", 0.9), stats.t.ppf(0.95, 23) * fit.errors["vx"]
    np.testing.assert_allclose(np.array(ends) - fit["vx"], [-reach, reach], rtol=2e-4)


def test_the_profile_is_a_parabola_and_the_others_follow(fitted):
    theta, C = normal(A, SEEN, SIGMA)
    profile = fitted.profile("vx", [theta[1] - 0.1, theta[1], theta[1] + 0.2])
    np.testing.assert_allclose(profile.rise, np.array([0.01, 0, 0.04]) / C[1, 1], atol=1e-5)
    # x0 - x0^ = C_01/C_11 (v - v^)
    np.testing.assert_allclose(profile.others["x"] - theta[0], C[0, 1] / C[1, 1] * np.array([-0.1, 0, 0.2]), atol=1e-6)


def test_a_prior_is_one_more_number(particle):
    track = da.nouns.Record({"t": T, "x": SEEN}, source="simulated, seed 3", uncertainty={"x": SIGMA})
    fit = da.fit(particle, track, start={"x": 0, "vx": 0}, free="x vx", priors={"vx": (-0.5, 0.05)})
    more, seen, sigma = np.vstack([A, [0, 1]]), np.r_[SEEN, -0.5], np.r_[SIGMA, 0.05]
    theta, C = normal(more, seen, sigma)
    np.testing.assert_allclose(fit.theta, theta, atol=1e-7)
    np.testing.assert_allclose(fit.covariance, C, rtol=1e-5)
    assert fit.dof == 24
    assert fit.chi2 == pytest.approx((((seen - more @ theta) / sigma) ** 2).sum(), rel=1e-7)
    ends, reach = fit.interval("vx"), 1.959964 * math.sqrt(C[1, 1])
    np.testing.assert_allclose(np.array(ends) - fit["vx"], [-reach, reach], rtol=3e-4)


def test_what_a_prior_and_the_data_say_apart_counts_both_their_spreads(particle):
    track = da.nouns.Record({"t": T, "x": SEEN}, source="simulated, seed 3", uncertainty={"x": SIGMA})
    theta, C = normal(A, SEEN, SIGMA)
    error = math.sqrt(C[1, 1])
    prior = (theta[1] + 10 * error, 0.75 * error)
    model = prepared(particle, track, Question(Guess({"x": 0, "vx": 0}, "x vx", priors={"vx": prior})))
    (found,) = conflicts(model, descend(model, theta), "linear")
    assert found.prior == pytest.approx(prior)
    assert found.data == pytest.approx((theta[1], error), rel=1e-5)
    assert found.apart == pytest.approx(10 / math.hypot(0.75, 1), rel=1e-5)


def test_a_priors_alone_decides_what_the_data_do_not_see(particle):
    """One place at one time says nothing about the speed; with a prior it need not."""
    track = da.nouns.Record({"t": [1.0], "x": [2.0]}, source="made up", uncertainty={"x": 0.1})
    fit = da.fit(particle, track, start={"x": 0, "vx": 0}, t=0, free="x vx", priors={"vx": (1.0, 0.5)})
    assert fit["vx"] == pytest.approx(1.0) and fit["x"] == pytest.approx(1.0)
    assert fit.errors["x"] == pytest.approx(math.hypot(0.1, 0.5)) and not fit.unseen


def test_prediction_and_its_uncertainty(fitted):
    theta, C = normal(A, SEEN, SIGMA)
    later = np.array([0.5, 3.0, 10.0])
    values, sigma = fitted.predict(later)
    B = np.column_stack([np.ones(3), later])
    np.testing.assert_allclose(values["x"], B @ theta, atol=1e-7)
    np.testing.assert_allclose(sigma["x"], np.sqrt(np.einsum("ij,jk,ik->i", B, C, B)), rtol=1e-5)


def test_gaps_are_left_out(particle):
    holes = SEEN.copy()
    holes[[3, 17]] = np.nan
    track = da.nouns.Record({"t": T, "x": holes}, source="simulated, seed 3", uncertainty={"x": SIGMA})
    fit = da.fit(particle, track, start={"x": 0, "vx": 0}, free="x vx")
    kept = np.isfinite(holes)
    np.testing.assert_allclose(fit.theta, normal(A[kept], SEEN[kept], SIGMA[kept])[0], atol=1e-8)
    assert fit.numbers == 23


def test_a_wrong_model_is_doubted_by_chi2_and_by_neighbours(particle):
    track = da.nouns.Record({"t": T, "x": SEEN + T**2}, source="simulated, seed 3", uncertainty={"x": SIGMA})
    with pytest.warns(da.DalembertWarning, match="W555|W557"):
        fit = da.fit(particle, track, start={"x": 0, "vx": 0}, free="x vx")
    assert not fit.adequate
    assert {"W555", "W557"} <= {note.code for note in fit.notes}


@pytest.mark.filterwarnings("ignore:W555")
def test_robust_losses_heed_outliers_less(particle):
    bad = SEEN.copy()
    bad[[4, 11, 20]] += [3.0, -4.0, 5.0]
    track = da.nouns.Record({"t": T, "x": bad}, source="simulated, seed 3", uncertainty={"x": SIGMA})
    theta, C = normal(A, SEEN, SIGMA)
    off = {
        loss: np.abs(da.fit(particle, track, start={"x": 0, "vx": 0}, free="x vx", loss=loss).theta - theta)
        for loss in ("linear", "soft_l1", "huber", "cauchy", "arctan")
    }
    error = np.sqrt(np.diag(C))
    assert (off["linear"] > 3 * error).any()
    for loss in ("cauchy", "arctan"):
        assert (off[loss] < 1.5 * error).all(), loss
    assert all((off[loss] < off["linear"]).all() for loss in off if loss != "linear")


@pytest.mark.parametrize("loss", LOSSES)
def test_a_place_that_is_looked_at_has_the_cost_and_the_curvature_of_scipys(particle, loss):
    bad = SEEN + 0.3 * np.sin(5 * T)
    track = da.nouns.Record({"t": T, "x": bad}, source="simulated, seed 3", uncertainty={"x": SIGMA})
    model = prepared(particle, track, Question(Guess({"x": 1.5, "vx": -0.7}, "x vx"), Likelihood(loss=loss)))
    found = descend(model, model.unknowns.guess, loss)
    seen = look(model, found, found.theta, loss)
    assert np.abs(seen.residuals).max() > 1.5  # where losses bend
    assert seen.cost == pytest.approx(found.cost, rel=1e-9)
    np.testing.assert_allclose(seen.jacobian, found.jacobian, rtol=1e-9, atol=1e-6)
