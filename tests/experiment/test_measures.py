"""Measures of a path against closed forms."""

import numpy as np
import pytest
import sympy as sp

import dalembert as da


@pytest.fixture(scope="module")
def oscillator():
    q = da.coordinates("x")
    (x,), (v,) = q.coordinates, q.velocities
    k = sp.Symbol("k", positive=True)
    system = da.System(q, v**2 / 2 - k * x**2 / 2, parameters={"k": 4.0}, momenta={"E": v**2 / 2 + k * x**2 / 2})
    equations = da.free(system)
    events = [da.Event("up", x, direction=1), da.Event("any", x), da.Event("never", x - 5)]
    return da.simulate(equations, equations.start(x=0, vx=2.0), until=20.0, events=events)


def test_period_of_an_oscillator(oscillator):
    assert da.measures.period(oscillator, "up") == pytest.approx(np.pi, rel=1e-12)
    assert da.measures.period(oscillator, "any") == pytest.approx(np.pi / 2, rel=1e-12)


def test_amplitudes_are_changes_from_crossing_to_crossing(oscillator):
    assert np.abs(da.measures.amplitudes(oscillator, "up", "x")).max() < 1e-12
    turns = da.measures.amplitudes(oscillator, "any", "vx")
    assert np.allclose(np.abs(turns), 4.0, rtol=1e-11)


def test_no_crossing_has_no_period(oscillator):
    with pytest.raises(da.DalembertError, match="E548 never is crossed 0 times"):
        da.measures.period(oscillator, "never")
    assert any("N309" in note for note in oscillator.audit.notes)


def test_an_event_that_was_not_watched_is_refused(oscillator):
    with pytest.raises(da.DalembertError, match=r"(?s)E318 the run has no column 'down'.*do: known names: .*\bx\b"):
        da.measures.period(oscillator, "down")


def test_what_is_of_columns_is_refused_of_an_event_and_a_column_counts_once(oscillator):
    for asked in ({"level": 5}, {"direction": -1}):
        with pytest.raises(da.DalembertError, match=r"E307 \w+ = -?\d is of a column, and any is an event"):
            da.measures.period(oscillator, "any", **asked)
    for measure in (
        da.measures.fitted_circle,
        da.measures.growth_rate,
        lambda *p: da.measures.exit_time(p[0], 1, p[1]),
    ):
        with pytest.raises(da.DalembertError, match=r"E307 columns = .* names one twice"):
            measure(oscillator, "x x")


def test_declared_momenta_are_audited(oscillator):
    assert oscillator.audit.momenta["E"] < 1e-10


@pytest.mark.parametrize("method", ["dop853", "taylor"])
@pytest.mark.parametrize("samples", [None, np.linspace(0.0, 75.0, 11)])
def test_a_fast_motion_is_not_taken_for_a_slow_one(oscillator, method, samples):
    equations = da.free(oscillator.system)
    k = (2 * np.pi * 16.0) ** 2  # 16 Hz; 2000 points of 75 s would show 10.67
    path = da.simulate(
        equations, {"x": 0.0, "vx": 100.0}, until=75.0, parameters={"k": k}, method=method, samples=samples
    )
    assert da.measures.dominant_frequency(path, "x").frequency == pytest.approx(16.0, rel=1e-7)
