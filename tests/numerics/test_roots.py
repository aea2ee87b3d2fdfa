"""All zeros, each once, in their place."""

import pickle

import numpy as np
import pytest

from dalembert.calculus.graph import Graph
from dalembert.numerics.events.roots import UndefinedFunction, zeros
from dalembert.numerics.machine import llvm_ir
from dalembert.numerics.machine.compiler import Library
from dalembert.numerics.methods.explicit_runge_kutta.step_ir import stepping
from dalembert.numerics.methods.explicit_runge_kutta.stepper import ExplicitStepper
from dalembert.numerics.methods.stepper import Status
from dalembert.trajectory.interpolant import Interpolant

GRID = np.array([0.0, 1.0, 2.0])


def found(g, times=GRID, **options):
    result = zeros(g, np.asarray(times), **options)
    return result.times.tolist(), result.directions.tolist()


def oscillator(tolerance, until):
    """The path of x'' = -x from (0, 1)."""
    graph = Graph()
    x, v = graph.symbol("x"), graph.symbol("v")
    text = llvm_ir.emit("rhs", [v, -x, graph.constant(1)], {"x": ("y", 0), "v": ("y", 1)})
    library = Library.compile({"rhs": text, **stepping(2, 2, False)})
    options = {"rtol": tolerance, "atol": tolerance, "chunk": 10_000}
    chunk = ExplicitStepper(library, 0.0, [0.0, 1.0], [], **options).advance(until)
    assert chunk.status == Status.END
    t = np.append(0.0, chunk.t)
    return Interpolant(t, np.vstack([[0.0, 1.0], chunk.y]), np.diff(t), chunk.F)


@pytest.mark.parametrize("tolerance", [1e-9, 1e-12])
def test_two_hundred_close_pairs(tolerance):
    c = 1 - 1e-4
    path = oscillator(tolerance, 200 * np.pi + 1)
    result = zeros(lambda t: path(t)[:, 0] - c, path.t)
    turns = 2 * np.pi * np.arange(100)
    exact = np.sort(np.concatenate([np.arcsin(c) + turns, np.pi - np.arcsin(c) + turns]))
    assert len(result.times) == 200
    np.testing.assert_allclose(result.times, exact, atol=3e3 * tolerance)
    assert result.directions.tolist() == [1, -1] * 100


@pytest.mark.parametrize("gap", [1e-2, 1e-4, 1e-5])
def test_pairs_ever_closer(gap):
    at, directions = found(lambda t: (t - 0.4) * (t - 0.4 - gap))
    np.testing.assert_allclose(at, [0.4, 0.4 + gap], atol=1e-15 / gap)
    assert directions == [-1, 1]


def test_polished_to_the_last_digit():
    result = zeros(np.sin, np.linspace(0, 300, 200))
    exact = np.pi * np.arange(1, 96)
    assert np.abs(result.times - exact).max() <= 2 * np.spacing(300)
    result = zeros(lambda t: np.exp(t) - 2, np.array([0.0, 0.1, 2.0]))
    assert abs(result.times[0] - np.log(2)) <= 2 * np.spacing(0.7)


def test_many_zeros_in_one_step():
    at, directions = found(lambda t: np.sin(60 * t), [0.0, 2.0])
    np.testing.assert_allclose(at, np.pi / 60 * np.arange(1, 39), rtol=1e-15)
    assert directions == [-1, 1] * 19


@pytest.mark.parametrize("where", [0.3, 0.5, 1.0 - 1e-9, 1.0, 1.0 + 1e-9, 1.234])
@pytest.mark.parametrize("sign", [1, -1])
def test_touch(where, sign):
    at, directions = found(lambda t: sign * (1 - np.cos(t - where)))
    assert directions == [0]
    np.testing.assert_allclose(at, [where], atol=1e-7)


def test_touch_in_the_middle_of_a_step_is_located_well():
    at, _ = found(lambda t: 1 - np.cos(t - 0.3))
    np.testing.assert_allclose(at, [0.3], atol=1e-12)


@pytest.mark.parametrize("error", [5e-17, 0.0, -5e-17])
@pytest.mark.parametrize("where", [0.3, 1 - 1e-7, 1 - 1e-9, 1.0, 1 + 1e-8])
@pytest.mark.parametrize("pace", [0.5, 0.9, 1.0, 1.3, 1.7])
def test_a_touch_is_one_touch_in_spite_of_rounding(error, where, pace):
    at, directions = found(lambda t: np.cosh(pace * (t - where)) - 1 + error)
    assert directions == [0]
    np.testing.assert_allclose(at, [where], atol=1e-6)


@pytest.mark.parametrize("width", [0.02, 0.03])
@pytest.mark.parametrize("where", [0.06, 0.08, 0.12])
def test_a_spike_between_the_nodes(where, width):
    at, _ = found(lambda t: 1 - 1.3 * np.exp(-(((t - where) / width) ** 2)), [0.0, 1.0])
    half = width * np.sqrt(np.log(1.3))
    np.testing.assert_allclose(at, [where - half, where + half], rtol=1e-13)


@pytest.mark.parametrize("miss", [1e-6, 1e-10])
def test_almost_a_touch_is_none(miss):
    assert found(lambda t: (t - 0.3) ** 2 + miss) == ([], [])


def test_flat_crossing():
    at, directions = found(lambda t: (t - 0.7) ** 3)
    np.testing.assert_allclose(at, [0.7], atol=1e-5)
    assert directions == [1]


@pytest.mark.parametrize("g", [lambda t: t - 1, lambda t: np.sin(t - 1), lambda t: 1 - t**5])
def test_a_zero_at_a_joint_is_found_once(g):
    at, _ = found(g)
    assert at == [1.0]


def test_a_zero_next_to_a_joint_is_found_once():
    for offset in np.arange(-20, 21) * np.spacing(0.5):
        at, directions = found(lambda t, joint=1 + offset: t - joint)
        assert (len(at), directions) == (1, [1])


@pytest.mark.parametrize("g", [lambda t: t, lambda t: -np.sin(t), lambda t: t * t, lambda t: 1e-16 - t, lambda t: t**3])
def test_a_zero_at_the_start_is_left_out(g):
    assert found(g) == ([], [])


def test_a_zero_at_the_start_within_the_resolution_of_time_is_left_out():
    # after an impact, g is only as exact as the time of the impact
    assert found(lambda t: 1e3 * (t - 100) - 1e-11, [100.0, 101.0]) == ([], [])


def test_a_zero_at_the_end_is_found():
    assert found(lambda t: t - 2) == ([2.0], [1])
    assert found(lambda t: 2 - t) == ([2.0], [-1])


def test_sections_find_what_the_whole_finds():
    times = np.linspace(0, 10 * np.pi, 41)  # zeros at joints
    whole = found(np.sin, times)
    parts = [found(np.sin, times[i : i + 5]) for i in range(0, 40, 4)]
    np.testing.assert_allclose(np.concatenate([at for at, _ in parts]), whole[0], atol=1e-13)
    assert np.concatenate([directions for _, directions in parts]).tolist() == whole[1]


def test_backwards():
    at, directions = found(lambda t: np.cos(t) - 0.5, [2.0, 1.0, 0.0, -2.0])
    np.testing.assert_allclose(at, [np.pi / 3, -np.pi / 3], rtol=1e-15)
    assert directions == [1, -1]
    at, directions = found(lambda t: t * (t - 1), [2.0, 1.0, 0.0])
    assert (at, directions) == ([1.0, 0.0], [-1, 1])
    assert found(lambda t: t - 2, [2.0, 1.0, 0.0]) == ([], [])


def test_corners_and_discontinuities():
    at, directions = found(lambda t: np.abs(t - 0.7) - 0.01)
    np.testing.assert_allclose(at, [0.69, 0.71], rtol=1e-14)
    assert directions == [-1, 1]
    at, directions = found(lambda t: np.sign(t - 0.7) + 0.5)
    np.testing.assert_allclose(at, [0.7], rtol=1e-14)
    assert directions == [1]


@pytest.mark.parametrize("level", [0.0, 3e-17])
def test_a_vanishing_function_has_no_zeros_but_is_flagged(level):
    rng = np.random.default_rng(0)
    result = zeros(lambda t: level * rng.normal(size=len(t)), GRID)
    assert result.times.size == 0
    assert result.flat.all()


def test_a_flat_stretch_hides_no_other_step():
    result = zeros(lambda t: np.where(t < 1, 0.0, (t - 1) * (t - 1.5)), np.array([0.0, 0.5, 1.0, 2.0]))
    np.testing.assert_allclose(result.times, [1.5], rtol=1e-15)
    assert result.flat.tolist() == [True, True, False]


def test_nothing_to_find():
    assert found(lambda t: 5 + np.sin(t), np.linspace(0, 100, 50)) == ([], [])
    assert found(np.sin, [1.0]) == ([], [])
    assert found(np.sin, []) == ([], [])


def test_steps_without_zeros_are_not_searched_further():
    calls = []

    def g(t):
        calls.append(len(t))
        return 2 + np.sin(t)

    zeros(g, np.linspace(0, 10, 21))
    assert calls == [20 * 12]


def test_noise_is_not_searched_further():
    calls, rng = [], np.random.default_rng(0)

    def g(t):
        calls.append(len(t))
        return 1e-6 * np.sin(t) + 1e-15 * rng.normal(size=len(t))

    assert len(zeros(g, np.linspace(1, 10, 21)).times) == 3
    assert sum(calls) < 1.5 * 20 * 12


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_undefined(bad):
    with pytest.raises(UndefinedFunction, match="not finite") as refused:
        zeros(lambda t: np.where(t > 1.5, bad, 1.0), GRID)
    assert refused.value.time > 1.5
    assert pickle.loads(pickle.dumps(refused.value)).time == refused.value.time


def counted(g):
    """The function, and a list of how many values it was asked for at once."""
    asked = []

    def wrapped(t):
        asked.append(len(t))
        return g(t)

    return wrapped, asked


@pytest.mark.parametrize("size", [1e-13, 1e-11, 1e-9, 1e-6])
def test_rounding_that_nobody_told_of_is_measured(size):
    rng = np.random.default_rng(0)
    noisy, asked = counted(lambda t: np.sin(t) + size * rng.normal(size=len(t)))
    result = zeros(noisy, np.linspace(1, 10, 21))
    assert result.directions.tolist() == [-1, 1, -1]
    np.testing.assert_allclose(result.times, np.pi * np.array([1, 2, 3]), atol=100 * size)
    assert sum(asked) < 100 * 20 * 12
    assert not result.rough.any()


def test_the_rounding_of_an_argument_is_seen_too():
    # sin^2 beside its zero at pi: a staircase, since the argument has 1e-16 of 3
    near, asked = counted(lambda t: np.sin(np.pi - 1e-9 + 1e-12 * t) ** 2)
    result = zeros(near, np.linspace(0, 500, 100))
    assert not result.times.size
    assert sum(asked) < 2 * 99 * 12


@pytest.mark.parametrize("steps", [1, 40])
def test_what_no_pieces_suffice_for_is_rough_and_the_work_bounded(steps):
    rng = np.random.default_rng(0)
    nothing, asked = counted(lambda t: rng.normal(size=len(t)))
    result = zeros(nothing, np.linspace(0, 1, steps + 1), most=1000)
    assert result.rough.all()
    assert sum(asked) < 200 * (1000 + 128 * steps)


def test_many_zeros_are_all_found_where_pieces_suffice():
    result = zeros(lambda t: np.sin(2000 * t), np.array([0.0, 1.0]))
    np.testing.assert_allclose(result.times, np.pi / 2000 * np.arange(1, 637), rtol=1e-12)
    assert not result.rough.any()


@pytest.mark.parametrize("gap", [1e-3, 1e-5, 1e-7])
def test_a_dip_that_comes_near_zero_is_told_from_one_that_passes(gap):
    dip = lambda t: 1 - np.exp(-(((t - 0.3) / 0.1) ** 2))  # noqa: E731
    assert not zeros(lambda t: dip(t) + gap, GRID).times.size
    assert zeros(lambda t: dip(t) - gap, GRID).directions.tolist() == [-1, 1]
