"""Poles between two places are found, and high peaks that are none are passed."""

import numpy as np
import pytest

from dalembert.reconstruction.gauge_momenta import pole_between


@pytest.mark.parametrize(
    ("f", "a", "b", "where"),
    [
        (lambda x: 1 / x, -1.0, 2.0, 0.0),
        (lambda x: 1 / (x - np.pi) ** 2, 0.0, 10.0, np.pi),
        (np.tan, 1.0, 100.0, np.pi / 2),  # the first of many
        (np.tan, 100.0, 95.0, 31.5 * np.pi),  # downwards
        (lambda x: 1e-3 / (x - 0.7), 0.0, 1.0, 0.7),
        (lambda x: np.where(x > 0.5, np.nan, 1.0), 0.0, 1.0, 0.5),  # outside of its domain
        (lambda x: 1 / x, 1.0, 0.0, 0.0),  # at the end
        (lambda x: 1 / x, 0.0, 1.0, 0.0),  # at the beginning
    ],
)
def test_poles_are_found(f, a, b, where):
    with np.errstate(all="ignore"):
        found = pole_between(lambda x: np.abs(f(x)), a, b)
    assert found == pytest.approx(where, abs=2e-2 if where == 0.5 else 1e-6)


@pytest.mark.parametrize(
    ("f", "a", "b"),
    [
        (lambda x: 1 / (1e-8 + (x - 0.3) ** 2), 0.0, 1.0),
        (np.sin, 0.0, 50.0),
        (lambda x: 0 * x, 0.0, 1.0),
        (np.exp, 0.0, 50.0),
        (lambda x: 1 / x, 1e-3, 1.0),
        (lambda x: x / (1 + x**2), 0.0, 1e6),
    ],
)
def test_peaks_are_no_poles(f, a, b):
    assert pole_between(lambda x: np.abs(f(x)), a, b) is None
