"""Inputs that stand in L, for every method: motions against SciPy on equations derived by hand; ends left free."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import dalembert as da

PLANE, LINE = da.coordinates("x y"), da.coordinates("x")
TIMES, VALUES = np.array([0, 0.4, 0.7, 2.0]), np.array([1, -2.0, 3.0, 1.0])
FIXED = [("dla", 2), ("dla", 4), ("discrete_gradient", 2), ("discrete_gradient", 4), ("symmetric_projection", 2)]
METHODS = [*FIXED, ("radau", None), ("taylor", None)]
TABLES = {kind: da.inputs.tabulated(TIMES, VALUES, kind) for kind in ("hold", "linear")}


def run(equations, start, drive, method, order):
    """x and its rate at t = 1."""
    options = {"step": 2e-3, "order": order} if order else {"rtol": 1e-11}
    path = da.simulate(equations, start, until=1.0, inputs={"tau": drive}, method=method, **options)
    assert path.t[-1] == 1.0, path.message
    return path["x"][-1], path["vx"][-1]


def near(order):
    """A method of order 2 with steps of 2e-3 is off by some 1e-6, one of order 4 by 1e-11 and rounding."""
    return {2: 3e-6, 4: 1e-9, None: 1e-9}[order]


@pytest.mark.filterwarnings("ignore:W308")
@pytest.mark.parametrize(("method", "order"), METHODS)
def test_a_formula_in_the_momenta_pushes_with_its_rate(method, order):
    """vy = x vx:  (1 + x^2) vx' + x vx^2 = -x + tau/5 - tau'/3."""
    L = "(vx^2 + vy^2)/2 - x^2/2 + tau*vx/3 + x*tau/5"
    equations = da.nonholonomic(da.System(PLANE, L, {"row": "vy - x*vx"}, inputs="tau"))

    def rhs(t, y):
        push = math.cos(2 * t) / 5 + 2 / 3 * math.sin(2 * t)
        return [y[1], (push - y[0] - y[0] * y[1] ** 2) / (1 + y[0] ** 2)]

    expected = solve_ivp(rhs, (0, 1), [0.3, 1.0], "DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
    found = run(equations, {"x": 0.3, "y": 0, "vx": 1.0}, "cos(2*t)", method, order)
    assert found == pytest.approx(expected, abs=near(order))


@pytest.mark.filterwarnings("ignore:W308")
@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize(("method", "order"), METHODS)
def test_a_table_in_the_potential_pushes_as_it_stands(kind, method, order):
    """x'' = -x + tau, from piece to piece of the table; a step may end where the table bends, since 2e-3 divides it."""
    equations = da.free(da.System(LINE, "vx^2/2 - x^2/2 + x*tau", inputs="tau"))
    y = np.array([1.0, 1.5])  # never at rest, where a discrete gradient has no direction
    for first, last in ((0, 0.4), (0.4, 0.7), (0.7, 1.0)):
        begun = VALUES[np.searchsorted(TIMES, first, side="right") - 1]

        def rhs(t, y, begun=begun):
            return [y[1], -y[0] + (begun if kind == "hold" else np.interp(t, TIMES, VALUES))]

        y = solve_ivp(rhs, (first, last), y, "DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
    assert run(equations, {"x": 1.0, "vx": 1.5}, TABLES[kind], method, order) == pytest.approx(y, abs=near(order))


@pytest.mark.parametrize("drive", ["cos(2*t)", TABLES["linear"], 0.4], ids=["formula", "table", "number"])
def test_an_end_left_free_is_where_the_momentum_vanishes(drive):
    """p_y = vy + tau/3 is constant, and 0 where y is left free: vy(0) = -tau(0)/3."""
    equations = da.free(da.System(PLANE, "(vx^2 + vy^2)/2 + tau*vy/3 + x*tau/5", inputs="tau"))
    found = da.two_point(equations, {"x": 0, "y": 0}, {"x": 1}, duration=1.0, inputs={"tau": drive}, starts=2)
    first = 0.4 if drive == 0.4 else 1.0
    assert found[0].unknowns["vy"] == pytest.approx(-first / 3, abs=1e-9)
