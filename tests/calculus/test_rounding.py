"""Sizes: in the unit of the value, at least as large as it, and what its rounding is measured by."""

import numpy as np
import pytest
import sympy as sp

from dalembert.calculus.from_sympy import read
from dalembert.calculus.graph import Graph, evaluate
from dalembert.calculus.numerical_rank import sized

x, y, z = sp.symbols("x y z", real=True)
EXPRESSIONS = {
    "sum": x + y - z,
    "product": x * y**2 / z,
    "trig": sp.sin(x * y) ** 2 + sp.cos(x * y) ** 2,
    "root": sp.sqrt(x**2 + y**2) - sp.exp(z) * sp.log(1 + x**2),
}


def at(e, values):
    (value,), (size,) = sized([read(e, Graph())], values)
    return value, size


@pytest.mark.parametrize("name", sorted(EXPRESSIONS))
def test_values_are_those_of_the_graph_and_sizes_are_larger(name):
    rng = np.random.default_rng(1)
    for _ in range(5):
        values = dict(zip("xyz", rng.normal(size=3), strict=True))
        value, size = at(EXPRESSIONS[name], values)
        assert value == evaluate([read(EXPRESSIONS[name], Graph())], values)[0]
        assert size >= abs(value)


@pytest.mark.parametrize("factor", [1e-40, 1e-3, 1e17])
def test_sizes_have_the_unit_of_their_values(factor):
    values = {"x": 0.3, "y": -1.2, "z": 0.7, "c": factor}
    for e in (x * y - z * x, x**2 - y**2 + z**2):
        one, other = (at(each, values)[1] for each in (e, sp.expand(sp.Symbol("c", real=True) * e)))
        assert other == pytest.approx(factor * one, rel=1.0)  # the factor's own rounding counts once more per term


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
def test_what_cancels_is_small_against_its_size_and_nothing_else_is(scale):
    values = {"x": 0.37 * scale, "y": 1.9 * scale, "z": -0.11 * scale}
    zero, size = at((x + y) ** 2 - x**2 - 2 * x * y - y**2 + (z - z * 1), values)
    assert abs(zero) <= 1e-14 * size
    small, size = at(sp.Float(1e-7) * x * y + (x + y) ** 2 - x**2 - 2 * x * y - y**2, values)
    assert abs(small) > 1e-9 * size


def test_the_error_of_a_sum_that_cancels_is_a_rounding_of_its_size():
    # exact: 1e-8; in double precision the square root cancels
    values = {"x": 1e8, "y": 0.0, "z": 0.0}
    e = sp.sqrt(x**2 + 2) - x
    value, size = at(e, values)
    exact = float(sp.N(e.subs(x, sp.Integer(10) ** 8), 40))
    assert abs(value - exact) <= np.finfo(float).eps * size
    assert abs(value - exact) > 1e-3 * abs(exact)


def test_nothing():
    found, size = sized([], {})
    assert len(found) == len(size) == 0
    assert at(sp.Integer(0), {}) == (0.0, 0.0)
