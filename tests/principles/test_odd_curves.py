"""Curves and steady motions that are none, too short, beyond a wall, or of other numbers: refused or doubted."""

import numpy as np
import pytest
import sympy as sp

import dalembert as da

SPRING = da.System(da.coordinates("x"), "vx^2/2 - k*x^2/2", parameters={"k": 4})
FALL = da.System(da.coordinates("x"), "vx^2/2 - 9.81*x", walls={"floor": "x"})


class Frame:
    """Like a pandas.DataFrame in having ``at``."""

    at = ()


@pytest.mark.parametrize("curve", [Frame(), da.nouns.Trajectory, 3, None])
def test_what_is_no_curve_is_refused(curve):
    with pytest.raises(da.DalembertError, match="E150"):
        da.satisfies(SPRING, curve, over=(0, 1))


@pytest.mark.parametrize("over", [(1, 1 + 1e-15), (1e6, 1e6 + 1e-5), (0, 0)])
def test_a_span_below_the_rounding_of_its_times_is_refused(over):
    with pytest.raises(da.DalembertError, match="must come later"):
        da.satisfies(SPRING, {"x": "cos(2*t)"}, over=over)


def test_a_curve_beyond_a_wall_is_no_motion():
    assert da.satisfies(FALL, {"x": "1 - 9.81/2*t^2"}, over=(0, 0.4)).principles
    with pytest.raises(da.DalembertError, match=r"beyond the wall floor at t = 0\.4"):
        da.satisfies(FALL, {"x": "1 - 9.81/2*t^2"}, over=(0, 1))


def test_a_path_of_other_parameters_is_said_to_be_one():
    path = da.simulate(da.free(SPRING), {"x": 1, "vx": 0}, until=3, parameters={"k": 9})
    with pytest.warns(da.DalembertWarning, match=r"W212 .* k = 9, not 4"):
        assert not da.satisfies(SPRING, path).principles
    assert da.satisfies(SPRING, path, parameters={"k": 9}).principles


@pytest.mark.parametrize(
    ("lagrangian", "guess"), [("vx^2/2 - exp(-x)", 0.5), ("vx^2/2 + log(x)", -0.5), ("vx^2/2 + log(x)", 2.0)]
)
def test_the_end_of_a_slope_is_no_steady_motion(lagrangian, guess):
    with pytest.raises(da.DalembertError, match="E244"):
        da.steady(da.free(da.System(da.coordinates("x"), lagrangian)), {"x": guess})


def test_a_flat_minimum_is_still_a_steady_motion():
    found = da.steady(da.free(da.System(da.coordinates("x"), "vx^2/2 - x^4")), {"x": 0.5})
    assert found.state["x"] == pytest.approx(0, abs=1e-3)


def test_a_steady_motion_beyond_a_wall_is_refused():
    system = da.System(da.coordinates("x"), "vx^2/2 - (x + a)^2/2", walls={"floor": "x"}, parameters={"a": 1})
    with pytest.raises(da.DalembertError, match=r"E240 .* floor"):
        da.steady(da.free(system), {"x": 0.5})
    assert da.steady(da.free(system), {"x": 0.5}, parameters={"a": -1}).state["x"] == pytest.approx(1)


def test_a_frequency_is_doubted_where_less_than_a_turn_is_seen():
    path = da.simulate(da.free(SPRING), {"x": 1, "vx": 0}, until=0.1)
    with pytest.warns(da.DalembertWarning, match="W580"):
        da.measures.dominant_frequency(path, "x")


def test_masked_values_are_no_axis():
    masked = np.ma.masked_array([1.0, 2.0, 3.0], mask=[0, 1, 0])
    with pytest.raises(da.DalembertError, match="E203 x has masked values"):
        da.sweep(da.free(SPRING), starts={"x": masked, "vx": 0}, until=1)


def test_symbols_of_the_time_are_read():
    assert da.satisfies(SPRING, {"x": sp.cos(2 * sp.Symbol("t", real=True))}, over=(0, 1)).free.holds


BUMPS = {
    "bump": "1e-9*exp(-((t - 3.01234)/1e-5)^2)",
    "pair": "1e-6*(tanh(1e5*(t - 1.234)) - tanh(1e5*(t - 1.2341)))",
    "flat": "1e-6/(1 + ((t - 2.7183)*1e4)^8)",
    "many": "1e-5*exp(-(sin(t)*1e6)^2)",
}


@pytest.mark.parametrize("bump", BUMPS)
def test_what_is_narrower_than_the_points_of_a_curve_is_seen(bump):
    """The motion of a spring but for a bump whose acceleration is far from small."""
    assert not da.satisfies(SPRING, {"x": f"cos(2*t) + {BUMPS[bump]}"}, over=(0, 7)).principles


@pytest.mark.parametrize(
    "bump", ["max(0, 1 - abs((t - 3.3)*1e5))", "1e-3/(t - 3.0001)^2", "where(abs(t - 2.345) < 1e-6, 1, 0)"]
)
def test_corners_poles_and_jumps_between_the_points_of_a_curve_are_refused(bump):
    with pytest.raises(da.DalembertError, match="E150 the curve is not smooth"):
        da.satisfies(SPRING, {"x": f"cos(2*t) + 1e-6*{bump}"}, over=(0, 7))


NARROW = {
    "hill": da.System(da.coordinates("x"), "vx^2/2 - 1e-3*exp(-((x - 0.3)/1e-5)^2)"),
    "kick": da.System(da.coordinates("x"), "vx^2/2", forces={"vx": "exp(-((t - 0.3)/1e-5)^2)"}),
}


@pytest.mark.parametrize("name", NARROW)
def test_what_a_system_says_in_a_narrow_place_is_seen(name):
    found = da.satisfies(NARROW[name], {"x": "t"}, over=(-1, 1))
    assert not found.principles
    assert found.free.at == pytest.approx(0.3, abs=1e-4)


def test_a_path_is_seen_step_by_step():
    kick = {"vx": "1e-3*exp(-((t - 3.01234)/1e-4)^2)"}
    kicked, free = (da.System(da.coordinates("x"), "vx^2/2", forces=f) for f in (kick, {}))
    path = da.simulate(da.free(kicked), {"x": 0, "vx": 1}, until=10)
    assert da.satisfies(kicked, path).principles
    assert not da.satisfies(free, path).principles


def test_what_changes_too_often_to_be_seen_is_said():
    hills = da.System(da.coordinates("x"), "vx^2/2 + exp(-sin(x*100)^2*1e6)")
    with pytest.warns(da.DalembertWarning, match="W153"):
        da.satisfies(hills, {"x": "3*t"}, over=(0, 100))


@pytest.mark.parametrize(
    "curve", ["t + where(t > 0.7, 100, 0)", "where(t > 0.7, 1, 0)", "where(abs(t - 0.7) < 1e-7, 1, 0)"]
)
def test_a_coordinate_that_jumps_is_no_motion(curve):
    free = da.System(da.coordinates("x"), "vx^2/2")
    with pytest.raises(da.DalembertError, match="E150 the curve is not smooth"):
        da.satisfies(free, {"x": curve}, over=(0, 2))
