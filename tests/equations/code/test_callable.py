"""to_callable: f(t, y) for other integrators."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import dalembert as da

from .conftest import equations, expected, start_of, states

PAIRS = [
    ("chaplygin_sleigh", "nonholonomic"), ("penny", "vakonomic"), ("appell_hamel", "vakonomic"), ("penny", "maggi"),
    ("ball_on_turntable", "nonholonomic"), ("appell_hamel", "gauss"), ("pendulum_cartesian", "free"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "principle"), PAIRS)
def test_one_state_and_many_side_by_side(name, principle):
    made = equations(name, principle)
    f = made.to_callable()
    assert f.states == made.states
    points = list(states(made, 6))
    wanted = np.array([expected(made, v)[0] for v in points])
    for v, want in zip(points, wanted, strict=True):
        np.testing.assert_allclose(f(v["t"], [v[s] for s in made.states]), want, rtol=1e-9, atol=1e-10)
    t = points[0]["t"]
    wanted = np.array([expected(made, {**v, "t": t})[0] for v in points])
    columns = np.array([[v[s] for v in points] for s in made.states])
    assert f(t, columns).shape == columns.shape
    np.testing.assert_allclose(f(t, columns), wanted.T, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize(("name", "principle"), [("chaplygin_sleigh", "nonholonomic"), ("penny", "vakonomic")])
@pytest.mark.parametrize("method", ["DOP853", "Radau"])
def test_it_fits_solve_ivp(name, principle, method):
    made = equations(name, principle)
    f, start = made.to_callable(), start_of(name, made)
    path = da.simulate(made, start, until=1.0, samples=np.linspace(0, 1, 5), rtol=1e-11, atol=1e-13)
    found = solve_ivp(f, (0, 1), f.y0(start), method=method, t_eval=path.t, rtol=1e-9, atol=1e-11, vectorized=True)
    for row, state in zip(found.y, f.states, strict=True):
        np.testing.assert_allclose(row, path[state], atol=1e-6)


def test_parameters_are_bound_and_a_start_is_completed_with_them():
    made = equations("chaplygin_sleigh", "nonholonomic")
    f, g = made.to_callable(), made.to_callable({"a": 1e-14})
    y = f.y0(x=0, y=0, theta=0.3, vx=1.0, omega=2.0)
    np.testing.assert_array_equal(y, f.y0({"x": 0, "y": 0, "theta": 0.3, "vx": 1.0, "omega": 2.0}))
    assert abs(f(0, y)[5]) > 0.1
    assert abs(g(0, y)[5]) < 1e-12  # without the distance a the turning does not change
    start = made.start(x=0, y=0, theta=0.3, vx=1.0, omega=2.0)
    np.testing.assert_array_equal(g.y0(start), start.vector)
    for wrong in ({"mm": 1}, {"m": "x"}):
        with pytest.raises(da.DalembertError):
            made.to_callable(wrong)


@pytest.mark.parametrize("y", [[1.0], np.zeros((3, 2)), np.zeros((6, 2, 2)), 0.0])
def test_a_state_of_another_length_is_refused(y):
    with pytest.raises(da.DalembertError, match="E241"):
        equations("chaplygin_sleigh", "nonholonomic").to_callable()(0.0, y)


@pytest.mark.parametrize("wrong", [None, "1.0", b"x", {}, [[1], [1, 2]], 1j])
def test_a_time_or_a_state_that_is_no_number_is_refused(wrong):
    f = equations("chaplygin_sleigh", "nonholonomic").to_callable()
    for t, y in ((wrong, np.zeros(6)), (0.0, wrong), (0.0, [wrong] * 6), ([0.0, 1.0, 2.0], np.zeros((6, 2)))):
        with pytest.raises(da.DalembertError, match="E241"):
            f(t, y)
