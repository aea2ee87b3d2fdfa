"""Fits that look well and are not: each is doubted in words that are kept with it, and a sound one is not."""

import warnings
from types import SimpleNamespace

import numpy as np
import pytest

import dalembert as da
from dalembert.experiment.fit.fit_warnings import outliers

T = np.linspace(0, 3, 61)
NOISE = 0.001
SEEN = 0.1 * np.cos(10 * T) + NOISE * np.random.default_rng(0).standard_normal(61)  # k = 100


@pytest.fixture(scope="module")
def spring():
    return da.free(da.System(da.coordinates("x"), "m*vx^2/2 - k*x^2/2", parameters={"m": 1.0, "k": 99.0}))


def track(x, sigma=None, t=T):
    return da.nouns.Record({"t": t, "x": x}, "simulated", {} if sigma is None else {"x": sigma})


def changed(place, by):
    x = SEEN.copy()
    x[place] += by
    return x


def codes(spring, record, **asked):
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always", da.DalembertWarning)
        fit = da.fit(spring, record, **{"start": {"x": 0.1, "vx": 0.0}, "free": "k", **asked})
    found = {note.code for note in fit.notes}
    told = {w.message.code for w in shown if isinstance(w.message, da.DalembertWarning)}
    assert told == {code for code in found if code.startswith("W")}
    assert all(code in str(fit) for code in found - {"W556"})
    return found


WELL = {
    "stated noise": (SEEN, NOISE, {}),
    "estimated noise": (SEEN, None, {}),
    "a prior that agrees": (SEEN, NOISE, {"priors": {"k": (100.1, 0.1)}}),
    "a start to be found": (SEEN, NOISE, {"free": "k x vx"}),
    "a robust loss": (SEEN, NOISE, {"loss": "soft_l1"}),
}


@pytest.mark.parametrize(("x", "sigma", "asked"), WELL.values(), ids=WELL)
def test_a_sound_fit_is_not_doubted(spring, x, sigma, asked):
    assert codes(spring, track(x, sigma), **asked) <= {"N562"}


DOUBTED = {
    "zeros": ("W568", np.zeros(61), None, {}),
    "zeros with a noise": ("W568", np.zeros(61), 0.1, {}),
    "zeros under a robust loss": ("W568", np.zeros(61), None, {"loss": "huber"}),
    "rest at another place": ("W568", np.full(61, 0.1), None, {}),
    "noise alone": ("W568", np.random.default_rng(5).standard_normal(61), None, {}),
    "a prior far from the data": ("W574", SEEN, NOISE, {"priors": {"k": (50_000, 1)}}),
    "a prior sharper than the data": ("W574", SEEN, NOISE, {"priors": {"k": (149, 1e-3)}}),
    "a prior and a noise that grows with it": ("W574", SEEN, None, {"priors": {"k": (149, 1e-3)}}),
    "a prior alone": ("N575", np.zeros(61), NOISE, {"priors": {"k": (100, 3)}, "start": {"x": 0.0, "vx": 0.0}}),
    "an outlier": ("W570", changed(20, 50 * NOISE), None, {}),
    "an outlier, stated noise": ("W570", changed(20, 50 * NOISE), NOISE, {}),
    "an outlier at the end": ("W570", changed(60, -50 * NOISE), None, {}),
    "an outlier of 7 sigma": ("W570", changed(20, 7 * NOISE), NOISE, {}),
    "a noise stated too large": ("W576", SEEN, 10.0, {}),
    "a noise stated too small": ("W555", SEEN, 1e-5, {}),
    "uncertainties of which one is tiny": ("W573", SEEN, np.r_[np.full(60, NOISE), 1e-9], {}),
    "uncertainties with a gap": ("W579", SEEN, np.r_[np.full(60, NOISE), np.nan], {}),
    "a bound": ("W572", SEEN, None, {"parameters": {"k": 102.0}, "bounds": {"k": (101, 200)}}),
}


@pytest.mark.parametrize(("code", "x", "sigma", "asked"), DOUBTED.values(), ids=DOUBTED)
def test_a_fit_that_means_little_is_doubted(spring, code, x, sigma, asked):
    assert code in codes(spring, track(x, sigma), **asked)


def test_few_rows_are_doubted(spring):
    assert "W569" in codes(spring, track(SEEN[:3], None, T[:3]))
    assert "W571" in codes(spring, track(SEEN[::20], NOISE, T[::20]), starts=6)


def test_an_uncertainty_that_is_no_number_is_refused(spring):
    for sigma in (np.nan, [NOISE] * 60 + [np.nan], 0.0, -1.0, np.inf):
        with pytest.raises(da.DalembertError, match="E553"):
            da.fit(spring, track(SEEN), start={"x": 0.1, "vx": 0}, free="k", uncertainty={"x": sigma})


def test_a_time_in_milliseconds_is_asked_after(spring):
    with pytest.raises(da.DalembertError, match="E551") as caught:
        da.fit(spring, track(SEEN, NOISE, 1000 * T), start={"x": 0.1, "vx": 0}, free="k", max_steps=500)
    assert "ms" in caught.value.remedy


def sampled(k, h, rows=40, jitter=0.0):
    rng = np.random.default_rng(7)
    t = h * np.arange(rows) + jitter * h * rng.uniform(-1, 1, rows) * (np.arange(rows) > 0)
    return track(0.1 * np.cos(np.sqrt(k) * t) + NOISE * rng.standard_normal(rows), NOISE, t)


@pytest.mark.parametrize(("a_turn", "doubted"), [(0.7, True), (1.9, True), (2.1, True), (2.6, False), (8.0, False)])
def test_a_record_sampled_twice_a_turn_fits_other_frequencies_as_well_and_says_so(spring, a_turn, doubted):
    h = 2 * np.pi / 10 / a_turn
    record = sampled(100.0, h)
    assert ("W581" in codes(spring, record, parameters={"k": 99.999})) == doubted
    if doubted:
        # cos(w k h) = cos((2 pi/h - w) k h)
        other = (2 * np.pi / h - 10) ** 2
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", da.DalembertWarning)
            asked = {"start": {"x": 0.1, "vx": 0.0}, "free": "k", "check": False}
            fit, again = (da.fit(spring, record, parameters={"k": k}, **asked) for k in (99.999, other))
        assert fit["k"] == pytest.approx(100, rel=1e-2) and again["k"] == pytest.approx(other, rel=1e-2)
        assert again.chi2 == pytest.approx(fit.chi2, rel=1e-3)


def test_uneven_times_tell_frequencies_apart(spring):
    assert "W581" not in codes(spring, sampled(100.0, np.pi / 10, jitter=0.3), parameters={"k": 99.999})


def test_columns_of_a_record_that_are_no_states_are_named(spring):
    more = da.nouns.Record({"t": T, "x": SEEN, "xx": SEEN, "light": T}, "simulated", {"x": NOISE})
    fit = da.fit(spring, more, start={"x": 0.1, "vx": 0.0}, free="k")
    assert [n.text for n in fit.notes if n.code == "N582"] == ["of the record xx, light are no state, and not fitted"]
    chosen = da.fit(spring, more, start={"x": 0.1, "vx": 0.0}, free="k", columns={"xx": "x"})
    assert "N582" not in {n.code for n in chosen.notes}


def test_what_stands_apart_is_told_as_if_it_were_left_out():
    # z^2 = r^2/(1 - h) is by how much chi2 falls where the number is left out of a straight line's fit
    t = np.r_[np.linspace(0, 1, 60), 2.0]
    A, sigma = np.column_stack([np.ones_like(t), t]), 0.1
    x = 1 - 0.3 * t + sigma * np.resize([0.05, -0.05], len(t))
    x[-1] += 7 * sigma
    best, chi2 = np.linalg.lstsq(A, x, rcond=None)[:2]
    lower = np.linalg.lstsq(A[:-1], x[:-1], rcond=None)[1]
    fit = SimpleNamespace(
        **{"seen": x, "residuals": (x - A @ best) / sigma, "sigma": np.full(len(t), sigma), "dof": len(t) - 2},
        **{"columns": ("x",), "column": np.zeros(len(t), int), "estimated": ()},
    )
    root = np.linalg.cholesky(np.linalg.inv(A.T @ A / sigma**2))
    places, z = outliers(fit, root, A / sigma)
    assert list(places) == [len(t) - 1]
    assert z[0] ** 2 == pytest.approx((chi2 - lower)[0] / sigma**2, rel=1e-9)
