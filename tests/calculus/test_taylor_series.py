"""Taylor series on the graph: against SymPy's, and of a flow that feeds itself."""

import math

import numpy as np
import pytest
import sympy as sp
from numpy.polynomial import Polynomial

from dalembert.calculus.from_sympy import read
from dalembert.calculus.graph import Graph
from dalembert.calculus.taylor_series import TaylorSeries

x = sp.Symbol("x", real=True)
FUNCTIONS = [
    sp.sin(x) * sp.cos(x) - x**3 / (2 + x**2),
    sp.exp(x) * sp.log(2 + x) - sp.sqrt(1 + x**2),
    (1 + x**2) ** sp.Rational(5, 3) + (2 + x) ** x,
    sp.tan(x) - sp.atan(3 * x) + sp.asin(x / 2) * sp.acos(x / 3),
    sp.sinh(x) / sp.cosh(x) + sp.tanh(2 * x) + sp.atan2(x, 1 + x),
    sp.asinh(x) + sp.acosh(3 + x) - sp.atanh(x / 2) + sp.Abs(x - 2),
]


@pytest.mark.parametrize("f", FUNCTIONS)
def test_coefficients_are_those_of_sympy(f):
    # along x(t) = 3/10 + d, d = t - t^2/2: the sum over k of f^(k)(3/10)/k! d^k, up to t^5
    series = TaylorSeries([read(f, Graph())])
    found = [series.extend({"x": c})[0] for c in (0.3, 1.0, -0.5, 0.0, 0.0, 0.0)]
    there = sp.Rational(3, 10)
    told = sum(
        float(f.diff(x, k).subs(x, there)) / math.factorial(k) * Polynomial([0, 1, -0.5, 0, 0, 0]) ** k
        for k in range(6)
    ).coef[:6]
    np.testing.assert_allclose(found, told, rtol=1e-12, atol=1e-12)


def test_a_flow_feeds_itself():
    # xdot = x^2, x(0) = 1/2: x = 1/(2 - t), x_j = 2^-(j+1)
    graph = Graph()
    rate = TaylorSeries([graph.symbol("x") * graph.symbol("x")])
    x_j = [0.5]
    for j in range(10):
        x_j.append(rate.extend({"x": x_j[-1]})[0] / (j + 1))
    np.testing.assert_allclose(x_j, 0.5 ** np.arange(1, 12), rtol=1e-14)


def test_shaking_shows_what_cancels():
    graph = Graph()
    y = read(sp.sin(x) ** 2 + sp.cos(x) ** 2, graph)  # constant: its slope is what rounding leaves
    true, shaken = (TaylorSeries([y], shake, np.random.default_rng(1)) for shake in (0.0, 1e-12))
    for c in (0.4, 1.0):
        a, b = true.extend({"x": c})[0], shaken.extend({"x": c})[0]
    assert abs(a) < 1e-15
    assert 1e-14 < abs(a - b) < 1e-11
