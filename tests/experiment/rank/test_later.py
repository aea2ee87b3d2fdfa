"""Later rows predicted by fits to earlier ones, held against linear least squares by NumPy."""

import numpy as np
import pytest
import sympy as sp
from scipy import stats

import dalembert as da
from dalembert.experiment.fit.fit_problem import prepared
from dalembert.experiment.fit.least_squares import descend
from dalembert.experiment.rank.prediction import Earlier, forecast
from dalembert.experiment.rank.search import CandidateMinima
from dalembert.question import Guess, Likelihood, Question

SIGMA, CUT = 0.01, 1.0
T = np.linspace(0, 2, 21)
LATE = np.maximum(T - CUT, 0)  # what shows the unknown a, and stands in later rows alone
SEEN = 0.3 + 0.8 * T + 0.5 * LATE + SIGMA * np.random.default_rng(3).standard_normal(len(T))
ROWS = np.stack([np.ones(len(T)), T, LATE], axis=1)  # x = x0 + vx t + a max(t - 1, 0)


def least(rows, x):
    theta = np.linalg.lstsq(rows, x, rcond=None)[0]
    return theta, float((((rows @ theta - x) / SIGMA) ** 2).sum())


def test_later_rows_are_predicted_by_earlier_ones():
    q, (x, a, t) = da.coordinates("x"), sp.symbols("x a t")
    record = da.recorded({"t": T, "x": SEEN}, uncertainty={"x": SIGMA}, source="simulated, sigma 0.01, seed 3")
    guess = Guess(start={"x": 0.25, "vx": 0.7}, free="x vx a", parameters={"a": 0.4})
    question = Question(guess=guess, likelihood=Likelihood({"x": x + a * sp.Max(t - CUT, 0)}))
    model = prepared(da.free(da.System(q, "vx^2/2")), record, question)
    found = CandidateMinima(model, (descend(model, model.unknowns.guess),), 1)
    early = T <= CUT
    (whole, chi2), (before, chi2_before) = least(ROWS, SEEN), least(ROWS[early][:, :2], SEEN[early])
    told = forecast(Earlier(found, (CUT,)), np.full(len(T), SIGMA))
    # a, which the earlier rows do not show, is where all rows put it
    predicted = ROWS @ [*before, whole[2]]
    assert told.errors == pytest.approx((SEEN - predicted)[~early] / SIGMA, abs=1e-3)
    # of 10 later numbers one is used up by a
    assert (told.chi2, told.dof) == (pytest.approx(chi2 - chi2_before, rel=1e-4), 9)
    assert told.p_value == pytest.approx(stats.chi2.sf(chi2 - chi2_before, 9), rel=1e-4)
