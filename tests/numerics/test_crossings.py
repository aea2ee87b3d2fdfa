"""The compiled search for events finds what the careful one finds."""

import functools

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import dalembert as da
from dalembert.numerics.events import roots
from dalembert.numerics.events.compiled_guards import Watch
from dalembert.numerics.events.crossings import CAREFUL, CROSSES, NOTHING, UNDECIDED, classify
from dalembert.numerics.events.guard import compile_guards
from dalembert.numerics.events.roots import NODES, zeros
from dalembert.trajectory.interpolant import Interpolant

X, Y, C, T = (sp.Symbol(n, real=True) for n in ("x", "y", "c", "t"))
NAMES = ("x", "y")
SMOOTH = {
    "line": X - C,
    "product": X * Y - C,
    "circle": X**2 + Y**2 - 1 - C,
    "wave": sp.sin(5 * X + C) - Y / 3,
    "clock": sp.cos(9 * T) - C,
    "quotient": X / (2 + Y**2) - C / 3,
}
ROUGH = {
    "kink": sp.Abs(X - C) - sp.Rational(1, 5),
    "jump": sp.sign(X - C) + sp.Rational(1, 2),
    "larger": sp.Max(X, Y) - C,
    "touch": (X - C) ** 2,
    "corner": sp.Abs(X - C) + Y**2 / 9,
    "needle": sp.exp(-((40 * (X - C)) ** 2)) - sp.Rational(1, 2),
    "nothing": sp.Max(X - 60, 0),
    "flat": sp.Max(X - C, 0) * 1,
}


@functools.cache
def watching(name, c):
    """A guard, and the compiled search for it."""
    (guard,) = compile_guards([da.Event(name, {**SMOOTH, **ROUGH}[name])], NAMES, {"c": c})
    return guard, Watch([guard], NAMES, {"c": c})


def path(seed, steps=12, rough=0.3, t0=0.0, forward=True):
    """A random continuous path with the work behind its two states."""
    rng = np.random.default_rng(seed)
    h = rng.uniform(0.05, 0.4, steps)
    y = np.cumsum(np.vstack([rng.uniform(-1, 1, (1, 3)), rng.normal(0, 0.4, (steps, 3))]), axis=0)
    F = np.concatenate(
        [np.diff(y, axis=0)[:, None], rough * rng.normal(0, 1, (steps, 6, 3)) * 0.5 ** np.arange(6)[:, None]], axis=1
    )
    t = t0 + np.r_[0.0, np.cumsum(h)]
    return Interpolant(t, y, np.diff(t), np.ascontiguousarray(F))


def carefully(guard, on, c, noise):
    found = zeros(lambda t: guard.of(t, on(t), NAMES, {"c": c}), on.t, noise=noise)
    return list(zip(found.times.tolist(), found.directions.tolist(), strict=True))


def compare(name, c, on):
    """Both searches; returns how many zeros there are and for how many steps the careful one was asked."""
    guard, search = watching(name, c)
    asked = []
    real = roots.up_to_edge
    roots.up_to_edge = lambda g, t, *a: (asked.append(len(t) - 1), real(g, t, *a))[1]
    try:
        fast, edge = search._zeros(guard, on)
    finally:
        roots.up_to_edge = real
    assert edge == np.inf
    slow = carefully(guard, on, c, search._noise(0, on.t[0], on.y[0]))
    assert [d for _, d in fast] == [d for _, d in slow], (fast, slow)
    t = np.array([t for t, _ in slow])
    change = np.abs(np.array([t for t, _ in fast]) - t)
    # where g comes in at a slope s, its rounding moves the zero by that much
    ahead = np.maximum(1e-7, 1e-7 * np.abs(t))
    value = lambda t: guard.of(t, on(t), NAMES, {"c": c})  # noqa: E731
    inside = (t > on.t[0] + ahead) & (t < on.t[-1] - ahead)
    slope = np.full(len(t), np.inf)
    slope[inside] = np.abs(value(t[inside] + ahead[inside]) - value(t[inside] - ahead[inside])) / (2 * ahead[inside])
    size = 1 + np.abs(on.y).max() ** 2
    allowed = 2 * np.spacing(np.abs(t)) + 1e-15 * size / np.maximum(slope, 1e-9)
    single = np.array([d != 0 for _, d in slow], bool)
    assert np.all(change[single & inside] <= allowed[single & inside])
    return len(slow), sum(asked)


@settings(derandomize=True, max_examples=150, deadline=None)
@given(
    st.integers(0, 10**6),
    st.sampled_from([*SMOOTH]),
    st.sampled_from([-0.7, -0.1, 0.0, 0.3, 1.1]),
    st.sampled_from([0.0, 0.01, 0.3, 3.0]),
)
def test_smooth_guards(seed, name, c, rough):
    compare(name, c, path(seed, rough=rough))


@settings(derandomize=True, max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([*ROUGH]), st.sampled_from([-0.7, 0.0, 0.3]), st.sampled_from([0.0, 0.3]))
def test_rough_guards(seed, name, c, rough):
    compare(name, c, path(seed, steps=6, rough=rough))


@settings(derandomize=True, max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(["line", "product", "wave"]), st.sampled_from([1e3, -1e3, 1e7, -1e7]))
def test_far_from_time_zero(seed, name, t0):
    compare(name, 0.1, path(seed, t0=t0))


@pytest.mark.parametrize("name", SMOOTH)
def test_the_compiled_search_does_nearly_all_of_it(name):
    zeros_found = careful = 0
    for seed in range(60):
        found, asked = compare(name, 0.3, path(seed))
        zeros_found, careful = zeros_found + found, careful + asked
    assert zeros_found > 60
    assert careful <= 0.03 * 60 * 12


@pytest.mark.parametrize("name", ["kink", "jump", "touch", "nothing"])
def test_what_is_not_simple_is_left_to_the_careful_search(name):
    assert sum(compare(name, 0.0, path(seed))[1] for seed in range(10)) > 5


def line(values, t):
    """A path along which x goes through values at times t, straight between them."""
    t, values = np.asarray(t, float), np.asarray(values, float)
    y = np.zeros((len(t), 3))
    y[:, 0] = values
    F = np.zeros((len(t) - 1, 7, 3))
    F[:, 0] = np.diff(y, axis=0)
    return Interpolant(t, y, np.diff(t), F)


@pytest.mark.parametrize("off", [0.0, 1e-16, -1e-16, 1e-14, -1e-14, 1e-12, -1e-12, 1e-9, -1e-9])
@pytest.mark.parametrize("t0", [0.0, 1.0, -1.0, 1e3, 1e6])
def test_a_zero_near_the_end_of_a_step_is_found_once(off, t0):
    # and beside it a step with a touch, which only the careful search can judge
    for values in ([-1, off, 1], [1, off, -1], [-1, off, 1, 0, 1], [1, 0, 1, off, -1], [-1, off, 1, off, -1]):
        t = t0 + np.arange(len(values)) / 4
        compare("line", 0.0, line(values, t))


@pytest.mark.parametrize("off", [1e-10, -1e-10, 2e-10, -2e-10])
def test_a_zero_within_the_resolution_of_time_beside_a_careful_step(off):
    # at t = 1e6 a rounding of t is 1e-10: whether the sign changes before or after a node cannot be told there
    for values in ([-1, off, 1, 0, 1], [1, 0, 1, off, -1], [1, 0, -1, off, 1, 0, 1]):
        compare("line", 0.0, line(values, 1e6 + np.arange(len(values)) / 4.0))


def test_a_guard_is_searched_as_far_as_it_is_a_number():
    (guard,) = compile_guards([da.Event("root", sp.sqrt(X) - sp.Rational(1, 2))], NAMES, {})
    found, edge = Watch([guard], NAMES, {})._zeros(guard, line([1, -1, 1], [0, 1, 2]))
    np.testing.assert_allclose(found, [(0.375, -1)], atol=1e-14)
    np.testing.assert_allclose(edge, 0.5, atol=1e-14)


def chebyshev(*c):
    return np.r_[c, np.zeros(NODES - len(c))].astype(float)


def test_what_coefficients_say():
    for sign in (1, -1):
        assert classify(sign * chebyshev(2, 1), 0.0, False, 1e-15) == NOTHING
        assert classify(sign * chebyshev(0.5, 1), 0.0, False, 1e-15) == CROSSES
        assert classify(sign * chebyshev(0.5, 0, 1), 0.0, False, 1e-15) == UNDECIDED  # two zeros
        assert classify(sign * chebyshev(1, 1), 0.0, False, 1e-15) == CAREFUL  # at the beginning
        assert classify(sign * chebyshev(1, -1), 0.0, False, 1e-15) == CAREFUL  # at the end
        assert classify(sign * chebyshev(1, 1), 0.0, True, 1e-15) == NOTHING  # at the beginning of the run
        assert classify(sign * chebyshev(1, -1), 0.0, True, 1e-15) == CAREFUL
        # nearly 0 where the run begins: it leaves 0, or passes it
        assert classify(sign * chebyshev(1 + 1e-12, 1), 0.0, True, 1e-15) == NOTHING
        assert classify(sign * chebyshev(1 - 1e-12, 1), 0.0, True, 1e-15) == CAREFUL
    for c in (chebyshev(0), chebyshev(1e-15, 1e-16), chebyshev(np.nan, 1), chebyshev(1, np.inf), chebyshev(np.inf, 1)):
        assert classify(c, 1e-14, False, 1e-15) == CAREFUL


@pytest.mark.parametrize("t0", [0.0, 1e3])
@pytest.mark.parametrize("hop", [0.3, 1e-3, 1e-6, 1e-9])
@pytest.mark.parametrize("order", [1, 2, 3])
def test_a_hop_that_begins_at_0_ends_where_it_does(hop, order, t0, monkeypatch):
    # g = x^n (x - hop) with x from 0 to 1 in a step of 1 s: what is short against the step needs no careful search
    monkeypatch.setattr(roots, "up_to_edge", None)
    F = np.zeros((1, 7, 3))
    F[0, 0, 0] = 1.0
    path = Interpolant(np.array([t0, t0 + 1]), np.array([[0.0, 0, 0], [1.0, 0, 0]]), np.ones(1), F)
    (guard,) = compile_guards([da.Event("hop", X**order * (X - C) * (1 + X / 3))], NAMES, {"c": hop})
    if (hop < 1e-5 and order > 1) or (hop < 1e-5 and t0 > 0):
        return  # below the rounding of the guard, and of the time
    found, edge = Watch([guard], NAMES, {"c": hop}).happenings([guard], path)
    assert edge is None
    assert [h.direction for h in found] == [1]
    assert found[0].t - t0 == pytest.approx(hop, rel=1e-9, abs=4 * np.spacing(t0 + hop))
