"""Sine and cosine in lanes: to about one rounding everywhere, and each lane for itself."""

import functools
import math

import mpmath
import numpy as np
import pytest

import dalembert as da
from dalembert.calculus.graph import Graph, cos, sin
from dalembert.numerics.machine import batch_calls, llvm_ir
from dalembert.numerics.machine.compiler import Library
from dalembert.numerics.machine.function_source import Function
from dalembert.numerics.machine.ir_numbers import Real
from dalembert.numerics.machine.sincos import NEAR, REDUCED
from dalembert.numerics.machine.sincos_update import Anchored
from dalembert.systems import rolling_disc

WIDTHS = (1, 2, 4, 8)
ROUNDINGS = 0.8  # units in the last place
EVERY = 8  # arguments side by side: all lanes of the widest


@functools.cache
def library(width):
    graph = Graph()
    x = graph.symbol("x")
    return Library.compile({"f": llvm_ir.emit("f", [sin(x), cos(x)], {"x": ("y", 0)}, real=Real.lanes(width))})


def compute(x, width):
    """sin and cos (2, N) of x (N,), N a multiple of 8."""
    rows = np.ascontiguousarray(np.asarray(x, float).reshape(-1, width))
    out = np.empty((len(rows), 2 * width))
    batch_calls.map_rows(library(width).address("f"), np.zeros(len(rows)), rows, np.zeros(0), out)
    return out.reshape(-1, 2, width).transpose(1, 0, 2).reshape(2, -1)


def whole(x):
    """x, filled up with ones to whole vectors."""
    x = np.asarray(x, float)
    return np.r_[x, np.ones(-len(x) % EVERY)]


def bits(values):
    """The bits of numbers; all NaN are one."""
    values = np.array(values, float)
    values[np.isnan(values)] = np.nan
    return values.view(np.uint64)


@functools.cache
def exact(a):
    """sin a and cos a, and the units in their last places as floating-point numbers."""
    with mpmath.workdps(60 + 310):  # pi/2 to more digits than 1e308 has
        both = mpmath.sin(mpmath.mpf(a)), mpmath.cos(mpmath.mpf(a))
        return [(value, math.ulp(float(value))) for value in both]


def worst(x, got):
    """Largest distance from the true value, in units of the true value's last place."""
    largest = 0.0
    with mpmath.workdps(60 + 310):
        for i, a in enumerate(x):
            for value, (true, place) in zip(got[:, i], exact(float(a)), strict=True):
                largest = max(largest, float(abs(true - mpmath.mpf(float(value))) / place))
    return largest


def convergents(limit):
    """Numbers near multiples of pi/2, as near as there are: n times pi/2, from the continued fraction, and rounded."""
    with mpmath.workdps(80):
        half, found = mpmath.pi / 2, []
        for power in range(int(math.log2(limit)) + 1):
            # p 2^(power - 52) ~ n pi/2: p/n are convergents of pi/2 in units of the last place there
            unit = mpmath.mpf(2) ** (power - 52)
            x, before, now = half / unit, (0, 1), (1, 0)
            while now[1] < 2**21:
                whole_part = int(mpmath.floor(x))
                before, now = now, (whole_part * now[0] + before[0], whole_part * now[1] + before[1])
                if now[0] < 2**53:
                    found.append(float(now[0] * unit))
                x = 1 / (x - whole_part)
    return [a for a in found if 0 < a <= limit]


RNG = np.random.default_rng(5)
ARGUMENTS = {
    "small": RNG.uniform(-1, 1, 800),
    "ordinary": RNG.uniform(-20, 20, 800),
    "large": RNG.uniform(-1e6, 1e6, 800),
    "tiny": RNG.uniform(-1, 1, 200) * 10.0 ** RNG.integers(-300, -1, 200),
    "denormal": [5e-324, -5e-324, 1e-310, -1e-310, 2.2250738585072014e-308, 1e-300],
    "at an end of a range": [
        s * math.nextafter(end, to) for end in (NEAR, REDUCED) for s in (1, -1) for to in (0.0, end, math.inf)
    ],
    "almost large": RNG.uniform(-NEAR, NEAR, 800),
    "beyond the range": [s * x for s in (1, -1) for x in (1.6000001e6, 1.7e6, 1e9, 1e15, 1e22, 1e300, 1.7e308)],
    "near multiples of pi/2": [s * x for s in (1, -1) for x in convergents(1e7)],
    "multiples of pi/2, rounded": [s * n * (math.pi / 2) for s in (1, -1) for n in (*range(1, 200), 2**19, 10**6)],
    "odd multiples of pi/4": [(2 * n + 1) * (math.pi / 4) for n in range(-100, 100)],
}


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("kind", ARGUMENTS)
def test_accurate_to_a_rounding(kind, width):
    x = whole(ARGUMENTS[kind])
    assert worst(x, compute(x, width)) <= ROUNDINGS


def test_the_worst_cases_are_bad_enough():
    # |cos x| or |sin x| near 1e-16 at arguments near 1e6: 40 digits of pi are not enough there
    x = np.array(convergents(REDUCED))
    assert np.sum(x < NEAR) > 100
    least = np.minimum(np.abs(np.sin(x)), np.abs(np.cos(x)))
    assert len(x) > 100
    assert least[x > 1e5].min() < 1e-14


@pytest.mark.parametrize("width", WIDTHS)
def test_special_values(width):
    got = compute(whole([0.0, -0.0, np.inf, -np.inf, np.nan]), width)
    assert bits(got[0, :2]).tolist() == bits([0.0, -0.0]).tolist()
    assert got[1, :2].tolist() == [1.0, 1.0]
    assert np.isnan(got[:, 2:5]).all()


def everything():
    x = np.concatenate([np.asarray(a, float) for a in ARGUMENTS.values()])
    return whole(np.r_[x, 0.0, -0.0, np.inf, -np.inf, np.nan])


def test_all_widths_agree_to_the_bit():
    x = RNG.permutation(everything())
    expected = bits(compute(x, 1))
    for width in WIDTHS[1:]:
        np.testing.assert_array_equal(bits(compute(x, width)), expected, err_msg=str(width))


@pytest.mark.parametrize("neighbour", [np.nan, np.inf, -np.inf, 1e300, 1.7e6, 5e-324, -0.0, 0.3])
@pytest.mark.parametrize("width", WIDTHS[1:])
def test_neighbours_change_nothing(width, neighbour):
    x = RNG.permutation(everything()).reshape(-1, width)
    alone = bits(compute(x.ravel(), width)).reshape(2, -1, width)
    for lane in range(width):
        beside = x.copy()
        beside[:, lane] = neighbour
        got = bits(compute(beside.ravel(), width)).reshape(2, -1, width)
        others = np.arange(width) != lane
        np.testing.assert_array_equal(got[..., others], alone[..., others])


def test_sine_and_cosine_are_odd_and_even():
    x = everything()
    there, back = compute(x, EVERY), compute(-x, EVERY)
    np.testing.assert_array_equal(bits(back[0]), bits(-there[0]))
    np.testing.assert_array_equal(bits(back[1]), bits(there[1]))


@functools.cache
def turning(width):
    """sin and cos of the second number behind y, turned on from those of the first."""
    graph, real = Graph(), Real.lanes(width)
    x = graph.symbol("x")
    turned = Anchored.of(Function((sin(x), cos(x))), {"x": ("y", 0)}, real)
    text = f"""define void @f(ptr %t, ptr %y, ptr %p, ptr %out) {{
  %kept = alloca [{turned.room * width} x double], align 64
  %x = getelementptr double, ptr %y, i64 {width}
  call void @anchor(ptr %t, ptr %y, ptr %p, ptr %out, ptr %kept)
  call void @onward(ptr %t, ptr %x, ptr %p, ptr %out, ptr %kept)
  ret void
}}"""
    return Library.compile({"f": "\n".join([*sorted(turned.texts), text])})


def turn(x0, x, width):
    """sin and cos (2, N) of x (N,) from those of x0."""
    rows = np.stack([np.reshape(a, (-1, width)) for a in (x0, x)], axis=1)
    out = np.empty((len(rows), 2 * width))
    places = np.ascontiguousarray(rows.reshape(len(rows), -1))
    batch_calls.map_rows(turning(width).address("f"), np.zeros(len(rows)), places, np.zeros(0), out)
    return out.reshape(-1, 2, width).transpose(1, 0, 2).reshape(2, -1)


TURNS = {
    "ordinary": (RNG.uniform(-20, 20, 400), RNG.uniform(-0.8, 0.8, 400)),
    "small angles": (RNG.uniform(-1e-8, 1e-8, 200), RNG.uniform(-1e-8, 1e-8, 200)),
    "small turns": (RNG.uniform(-4, 4, 200), RNG.uniform(-1e-6, 1e-6, 200)),
    "large": (RNG.uniform(-1e6, 1e6, 200), RNG.uniform(-0.8, 0.8, 200)),
}


@pytest.mark.parametrize("kind", TURNS)
def test_a_turn_is_accurate_to_a_rounding_of_what_it_adds(kind):
    x0, d = TURNS[kind]
    x = x0 + d
    got, least = turn(x0, x, 4), 1.75 * 2.0**-52  # half a unit for those of x0 and for both sums, and a little
    np.testing.assert_array_equal(bits(turn(x0, x, 1)), bits(got))
    with mpmath.workdps(40):
        for a, b, *found in zip(x0, x, *got, strict=True):
            for value, function in zip(found, (mpmath.sin, mpmath.cos), strict=True):
                scale = abs(float(function(mpmath.mpf(a)))) + abs(b - a)
                assert abs(function(mpmath.mpf(b)) - mpmath.mpf(value)) <= least * scale


def test_what_turns_far_or_nowhere_is_computed_anew():
    far = [0.786, -0.786, 2.0, 1e3, 1e7, 1e22, np.inf, -np.inf, np.nan]
    x = whole([1.5 + d for d in far])
    x0 = np.where(np.arange(len(x)) < len(far), 1.5, x)  # what fills up stays where it is
    for width in (1, 4):
        np.testing.assert_array_equal(bits(turn(x0, x, width)), bits(compute(x, width)))


@pytest.mark.filterwarnings("ignore:W209")  # so many turns are meant
@pytest.mark.parametrize("limit", [NEAR, REDUCED])
@pytest.mark.parametrize("lanes", [False, True])
def test_a_motion_goes_on_where_its_angles_grow_beyond_a_limit(limit, lanes):
    equations = da.nonholonomic(rolling_disc.system())
    whole = 2 * np.pi * round(limit / (2 * np.pi))
    near = {**rolling_disc.START, "phi": -3.0, "psi": -3.0}
    far = {**near, "phi": whole - 3.0, "psi": whole - 3.0}
    if lanes:
        starts = da.ensembles.table({name: np.array([near[name], far[name]] * 4) for name in near})
        ends = da.sweep(equations, starts=starts, until=8.0, rtol=1e-10)["theta"].values.reshape(8, -1)[:, -1]
    else:
        ends = [da.simulate(equations, start, until=8.0, rtol=1e-10)["theta"][-1] for start in (near, far)]
    # the angles of the far one are rounded to 2^-33 at most
    assert ends[1] == pytest.approx(ends[0], abs=1e-8)


def test_a_member_whose_sines_turn_far_in_a_step_changes_no_bit_beside_it():
    equations = da.nonholonomic(rolling_disc.system())
    starts = [{**rolling_disc.START, "vphi": v} for v in (0.5, 30.0)]
    paths = [da.simulate(equations, start, until=3.0, rtol=1e-6) for start in starts]
    little, far = (np.abs(np.diff(path["phi"])).max() for path in paths)
    assert little < np.pi / 4 < far
    table = da.ensembles.table({name: np.array([start[name] for start in starts] * 4) for name in starts[0]})
    ends = da.sweep(equations, starts=table, until=3.0, rtol=1e-6)
    for name in equations.states:
        np.testing.assert_array_equal(bits(ends[name]), bits([path[name][-1] for path in paths] * 4))
