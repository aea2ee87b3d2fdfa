"""Guards with poles, jumps and ends: what passes through 0 is counted, what does not is said."""

import numpy as np
import pytest

import dalembert as da
from dalembert.numerics.events.roots import zeros

Q = da.coordinates("x", velocities="vx")
FREE = da.free(da.System(Q, "vx^2/2"))


def run(guard, x=-1.3, vx=1.0, until=6.5, **options):
    """x = x0 + vx t, watched."""
    event = da.Event("e", guard, **options)
    return da.simulate(FREE, {"x": x, "vx": vx}, until=until, events=[event])


def at(path):
    """Where x was when it happened."""
    return path.marks["e"]["x"]


def said(path):
    return " ".join([*path.audit.notes, *path.audit.reasons])


@pytest.mark.parametrize(
    ("guard", "zeros_of_it"),
    [
        ("1/x", []),
        ("x/x^2", []),
        ("1/(x - 2) - 1", [3]),
        ("tan(x)", [0, np.pi]),
        ("cot(x)", [np.pi / 2, 3 * np.pi / 2]),
        ("1/sin(9*x)", []),
    ],
)
def test_a_pole_is_no_zero_and_is_told(guard, zeros_of_it):
    path = run(guard)
    np.testing.assert_allclose(at(path), zeros_of_it, atol=1e-12)
    assert "N312" in said(path)
    assert "through infinity" in said(path)
    assert path.ok


def test_a_pole_that_a_step_meets_exactly_ends_no_run():
    path = run("1/x", x=-1.0, until=3)
    assert path.ok
    assert len(at(path)) == 0


def test_a_pole_stops_nothing():
    assert run("1/x", then="stop").t[-1] == 6.5


@pytest.mark.parametrize("guard", ["sign(x)", "floor(x) + 1/2", "x/abs(x)"])
def test_a_jump_through_0_is_counted(guard):
    np.testing.assert_allclose(at(run(guard)), [0], atol=1e-12)


@pytest.mark.parametrize("guard", ["floor(x)", "floor(x) - 1", "ceil(x)"])
def test_a_guard_of_steps_that_is_0_on_a_stretch_is_doubted(guard):
    path = run(guard, then="stop")
    assert path.audit.verdict == "suspect"
    assert "W311" in said(path)
    assert "x - 1 for floor(x)" in said(path)


@pytest.mark.parametrize(
    ("guard", "zero", "edge"),
    [("sqrt(1 - x) - 0.1", 0.99, 1.0), ("acos(x) - 0.1", np.cos(0.1), 1.0)],
)
def test_what_a_guard_crossed_before_it_ends_is_counted_and_the_path_kept(guard, zero, edge):
    path = run(guard, x=-0.9)
    np.testing.assert_allclose(at(path), [zero], atol=1e-9)
    assert path.ending.code == "E311"
    np.testing.assert_allclose(path["x"][-1], edge, atol=1e-9)
    stopped = run(guard, x=-0.9, then="stop")
    assert stopped.ok
    np.testing.assert_allclose(stopped["x"][-1], zero, atol=1e-9)


def test_a_jump_before_the_end_of_a_guard_turns_the_motion_back():
    path = run("sqrt(1 - x) - 0.1", then={"vx": "-vx"}, direction=-1)
    assert path.ok
    np.testing.assert_allclose(path["x"][-1], 2 * 0.99 - (-1.3 + 6.5), atol=1e-9)


def test_poles_of_functions_are_told_apart_from_zeros_and_jumps():
    found = zeros(np.tan, np.linspace(0, 20, 7))
    np.testing.assert_allclose(found.times, np.pi * np.arange(1, 7), rtol=1e-14)
    np.testing.assert_allclose(found.poles, np.pi * (np.arange(6) + 0.5), rtol=1e-14)
    found = zeros(lambda t: np.sign(t - 0.7) / (2 - t) ** 0.25, np.array([0.0, 1.9]))
    np.testing.assert_allclose(found.times, [0.7])
    assert len(found.poles) == 0


def test_a_sweep_counts_no_poles():
    swept = da.sweep(FREE, starts={"x": [-1.3, -0.2], "vx": 1}, until=6.5, events=[da.Event("e", "tan(x)")], keep=["e"])
    counted = swept["e"].values if "e" in swept else next(iter(swept.values())).values
    assert counted.tolist() == [2, 3]


def test_a_motion_that_rests_on_a_guard_is_no_guard_of_steps():
    path = run("x - 1", x=1.0, vx=0.0)
    assert "W311" not in said(path)
    assert path.ok
