"""Sines and cosines of sums taken apart: the same numbers, and what cancels is seen."""

import numpy as np
import pytest
import sympy as sp

from dalembert.calculus.from_sympy import read
from dalembert.calculus.graph import Graph, evaluate
from dalembert.calculus.readable_form import angles_apart, readable

A, B, C = sp.symbols("a b c", real=True)
SAMPLES = [
    sp.sin(A + B),
    sp.cos(A - B) * sp.sin(C),
    sp.sin(A + B - C) / sp.cos(-A - B),
    sp.sin(sp.cos(A + B) + C),
    sp.sin(2 * A + B) ** 2,
]


@pytest.mark.parametrize("e", SAMPLES, ids=str)
def test_the_numbers_are_the_same(e):
    y = read(e, Graph())
    values = dict(zip("abc", np.random.default_rng(1).normal(size=(3, 20)), strict=True))
    (split,) = angles_apart([y])
    np.testing.assert_allclose(evaluate([split], values), evaluate([y], values), rtol=1e-12)


def test_what_is_no_sum_stays():
    y = read(sp.sin(A) * sp.cos(B), Graph())
    assert angles_apart([y]) == [y]


def test_turning_along_cancels():
    y = read(sp.cos(A) * sp.cos(A + B) + sp.sin(A) * sp.sin(A + B), Graph())
    assert readable([y], {}) == [sp.cos(B)]


def test_differences_have_their_name():
    y = read(C * sp.sin(A) * sp.cos(B) - C * sp.sin(B) * sp.cos(A), Graph())
    (e,) = readable([y], {})
    assert sp.simplify(e - C * sp.sin(A - B)) == 0
    assert e.atoms(sp.sin) in ({sp.sin(A - B)}, {sp.sin(B - A)})
