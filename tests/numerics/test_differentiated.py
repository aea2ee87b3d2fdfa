"""Slopes of rates by machine code against those of the graph, and against a closed formula."""

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.calculus.from_sympy import read
from dalembert.numerics.node_derivatives import OFTEN, Differentiated, Linearised

Q = da.coordinates("theta")
THETA, VTHETA = Q["theta"], Q["vtheta"]
W, G, R = sp.symbols("w g r")
HOOP = da.System(
    Q,
    R**2 * (VTHETA**2 + W**2 * sp.sin(THETA) ** 2) / 2 + G * R * sp.cos(THETA),
    parameters={"w": 2.5, "g": 9.81, "r": 0.7},
)


def known(a):
    return {"theta": a, "vtheta": 0.3, "w": 2.5, "g": 9.81, "r": 0.7, "t": 0.0}


def test_slopes_by_state_and_parameter_are_those_of_the_closed_formula_interpreted_and_compiled():
    rates = Linearised(da.free(HOOP), HOOP.values())
    both = Differentiated.of(rates.rates, ["theta", "vtheta", "w"])
    for a in np.linspace(-3, 3, OFTEN + 5):
        # theta'' = w^2 sin cos - g/r sin
        v = 2.5**2 * np.sin(a) * np.cos(a) - 9.81 / 0.7 * np.sin(a)
        by = 2.5**2 * np.cos(2 * a) - 9.81 / 0.7 * np.cos(a), 0.0, 2 * 2.5 * np.sin(a) * np.cos(a)
        assert both.slopes(known(a)) == pytest.approx(np.array([[0, 1, 0], by]), abs=1e-13)
        assert both.values(known(a)) == pytest.approx([0.3, v], abs=1e-13)
    assert both._code is not None
    assert Differentiated.of(rates.rates, ["theta", "vtheta", "w"]) is both


def test_where_machine_code_finds_no_number_the_graph_decides():
    graph = da.free(HOOP).machine.graph
    node = read(1 / (THETA - 1), graph)
    both = Differentiated([node], ["theta"])
    for a in np.linspace(2, 3, OFTEN + 1):
        assert both.slopes(known(a)) == pytest.approx(np.array([[-1 / (a - 1) ** 2]]))
    assert not np.isfinite(both.slopes(known(1.0))).any()
    assert both.slopes(known(2.0)) == pytest.approx(np.array([[-1.0]]))
