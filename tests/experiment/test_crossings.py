"""Crossings of a path against closed forms: by its dense output, also of derived columns and in pairs."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.trajectory import Trajectory

TWO = np.linspace(0, 20, 80)


def spring(**options: object) -> Trajectory:
    return da.simulate(
        da.free(da.System(da.coordinates("x"), "(vx^2 - x^2)/2")), {"x": 1, "vx": 0}, until=20, **options
    )


def near_turns(level: float) -> np.ndarray:
    """cos t = level, on [0, 20]."""
    w = np.arccos(level)
    return np.sort([w, *(2 * np.pi * k + side * w for k in (1, 2, 3) for side in (-1, 1))])


@pytest.mark.parametrize("short", [1e-4, 1e-8, 1e-10])
def test_pairs_that_lie_between_two_samples(short: float) -> None:
    """At 1e-8 below its greatest value a cosine crosses twice within 3e-4, a thirtieth of the distance of samples."""
    found = da.measures.crossings(spring(rtol=1e-13), "x", level=1 - short)
    np.testing.assert_allclose(found.t, near_turns(1 - short), atol=1e-12 / np.sqrt(short))
    assert (found.sigma_t == 0).all()


def test_directions_of_a_pair() -> None:
    path = spring(rtol=1e-13)
    rising, falling = (da.measures.crossings(path, "x", level=1 - 1e-8, direction=way).t for way in (1, -1))
    np.testing.assert_allclose(np.sort(np.r_[rising, falling]), near_turns(1 - 1e-8), atol=1e-8)
    assert len(rising) == 3 and len(falling) == 4


def test_a_multiplier_crosses_where_its_closed_form_does() -> None:
    """A bead on a circle without weight, pulled by a force along it that turns: the reaction is m v^2, v = sin t."""
    ring = da.System(
        da.coordinates("x y"),
        "(vx^2 + vy^2)/2",
        {"ring": "x^2 + y^2 - 1"},
        forces={"vx": "-y*cos(t)", "vy": "x*cos(t)"},
    )
    e = da.nonholonomic(ring)
    path = da.simulate(e, {"x": 1, "y": 0, "vx": 0, "vy": 0}, until=6, rtol=1e-12)
    # v = sin t;  |lam| |grad| = v^2, |grad| = 2:  half of its greatest value where sin^2 t = 1/2
    level = 0.25 * np.sign(path["lam_ring"][-1])
    found = da.measures.crossings(path, "lam_ring", level=level)
    np.testing.assert_allclose(found.t, np.pi * (np.arange(4) + 0.5) / 2, atol=1e-9)
    assert (found.sigma_t == 0).all()


def test_a_path_that_was_not_kept_is_measured_by_its_samples() -> None:
    path = spring(samples=TWO, dense=False)
    found = da.measures.crossings(path, "x")
    np.testing.assert_allclose(found.t, np.pi * (np.arange(6) + 0.5), atol=1e-3)
    assert np.isnan(found.sigma_t).all()
    np.testing.assert_allclose(np.abs(found["vx"]), 1, atol=1e-3)
    assert da.measures.period(path, "x") == pytest.approx(2 * np.pi, abs=1e-3)
    assert da.measures.dominant_frequency(path, "x").frequency == pytest.approx(1 / (2 * np.pi), rel=1e-6)


def test_what_stays_on_the_level_is_no_crossing() -> None:
    plane = da.free(da.System(da.coordinates("x y"), "(vx^2 + vy^2 - x^2)/2"))
    path = da.simulate(plane, {"x": 1, "y": 0, "vx": 0, "vy": 0}, until=5)
    assert len(da.measures.crossings(path, "y")) == 0
    assert len(da.measures.crossings(path, "x", level=1.0)) == 0
