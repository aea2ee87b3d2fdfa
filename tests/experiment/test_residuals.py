"""A record against a path: residuals of a simulated track are its noise; what is of another kind is refused, E549."""

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.experiment.residuals import deviations
from dalembert.recording import recorded

NOISE = 1e-3


@pytest.fixture(scope="module")
def path():
    """x = 1 + cos t, y = sin t: a particle on a spring about (1, 0)."""
    q = da.coordinates("x y")
    (x, y), (vx, vy) = q.coordinates, q.velocities
    equations = da.free(da.System(q, (vx**2 + vy**2 - (x - 1) ** 2 - y**2) / 2))
    return da.simulate(equations, {"x": 2.0, "y": 0.0, "vx": 0.0, "vy": 1.0}, until=10.0)


def simulated(change=lambda t, x, y: (t, x, y), seed=7, **options):
    """A simulated track with Gaussian noise of NOISE, no measurement."""
    rng, t = np.random.default_rng(seed), np.linspace(0, 9, 181)
    x, y = (a + NOISE * rng.standard_normal(len(t)) for a in (1 + np.cos(t), np.sin(t)))
    t, x, y = change(t, x, y)
    sigma = {"x": NOISE, "y": NOISE} | options.pop("uncertainty", {})
    return recorded({"t": t, "x": x, "y": y}, uncertainty=sigma, source="simulated, seed 7", **options)


def test_what_is_left_is_the_noise(path):
    found = deviations(simulated(), path)
    assert found.names == ("x", "y")
    assert found.count == 2 * 181
    # chi2 of n values has mean n and variance 2 n: 4 standard deviations
    assert abs(found.chi2 - found.count) < 4 * np.sqrt(2 * found.count)
    assert found.rms["x"] == pytest.approx(NOISE, rel=0.2)
    assert np.array_equal(found.scaled, found.residuals / NOISE)
    assert "chi2" in str(found)


def test_without_noise_nothing_is_left(path):
    t = np.linspace(0, 9, 50)
    found = deviations(recorded({"t": t, "x": 1 + np.cos(t), "y": np.sin(t)}), path)
    assert np.abs(found.residuals).max() < 1e-9  # the tolerance of the run
    assert found.count == 0


def test_gaps_have_no_residual(path):
    t = np.linspace(0, 9, 50)
    x = 1 + np.cos(t)
    x[3] = np.nan
    found = deviations(recorded({"t": t, "x": x}, gaps="keep"), path)
    assert np.isnan(found["x"]).sum() == 1


TURN = np.pi / 6
APART = {
    "centimetres": (lambda t, x, y: (t, 100 * x, 100 * y), "cm"),
    "millimetres": (lambda t, x, y: (t, 1000 * x, 1000 * y), "mm"),
    "kilometres": (lambda t, x, y: (t, x / 1000, y / 1000), "check=False|one in m"),
    "y in centimetres, from 0": (lambda t, x, y: (t, x, 100 * y), "cm"),
    "turned": (
        lambda t, x, y: (t, np.cos(TURN) * x - np.sin(TURN) * y, np.sin(TURN) * x + np.cos(TURN) * y),
        'rotation="-29.99 deg"',
    ),
    "another origin of time": (lambda t, x, y: (t + 1000, x, y), 'offset={"t": -1000}'),
    "began before": (lambda t, x, y: (t - 1, x, y), 'offset={"t": 1}'),
    "too long": (lambda t, x, y: (2 * t, x, y), "until=18"),
    "milliseconds": (lambda t, x, y: (1000 * t, x, y), '"ms"'),
    "a start elsewhere": (lambda t, x, y: (t, x + 3, y), "check=False"),
}


@pytest.mark.filterwarnings("ignore:W548")
@pytest.mark.parametrize("case", APART)
def test_what_is_of_another_kind_is_refused(path, case):
    change, remedy = APART[case]
    with pytest.raises(da.DalembertError) as caught:
        deviations(simulated(change), path)
    assert caught.value.code == "E549"
    assert any(each in caught.value.remedy for each in remedy.split("|")), str(caught.value)


def test_the_remedies_mend(path):
    there = simulated(lambda t, x, y: (t + 1000, *_turned(x, y)), offset={"t": -1000}, rotation="-30 deg")
    assert deviations(there, path).chi2 < 450


def _turned(x, y):
    return np.cos(TURN) * x - np.sin(TURN) * y, np.sin(TURN) * x + np.cos(TURN) * y


def test_units_and_axes_that_are_said(path):
    record = simulated(units={"x": "m", "y": "m"})
    assert deviations(record, path, units={"x": "m"}).count
    for said in ({"units": {"x": "cm"}}, {"frame": ("table", "rest")}):
        with pytest.raises(da.DalembertError, match="E549"):
            deviations(record, path, **said)


def test_nothing_in_common(path):
    with pytest.raises(da.DalembertError, match="E549"):
        deviations(recorded({"t": [0, 1], "u": [0, 1]}), path)


def test_a_column_that_one_lacks(path):
    for name in ("z", "vx"):
        with pytest.raises(da.DalembertError, match="E317"):
            deviations(simulated(), path, name)


def test_a_wrong_model_is_measured_not_refused():
    """Another stiffness, the same start: large residuals, no E549."""
    q = da.coordinates("x")
    (x,), (v,), k = q.coordinates, q.velocities, sp.Symbol("k", positive=True)
    equations = da.free(da.System(q, (v**2 - k * x**2) / 2, parameters={"k": 2.0}))
    other = da.simulate(equations, {"x": 1.0, "vx": 0.0}, until=10.0)
    t = np.linspace(0, 9, 50)
    assert deviations(recorded({"t": t, "x": np.cos(t)}), other).rms["x"] > 0.5


def test_the_check_can_be_left_out(path):
    assert deviations(simulated(lambda t, x, y: (t, x + 3, y)), path, check=False).rms["x"] == pytest.approx(
        3, rel=1e-3
    )
