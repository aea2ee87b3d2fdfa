"""Brackets that are computed from an anchor: they are found however long its entries are."""

import itertools

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.calculus.algebra import Machine
from dalembert.calculus.brackets import compatibility
from dalembert.calculus.graph import Graph, evaluate
from dalembert.calculus.hamel import Motion

x, y, z = sp.symbols("x y z", real=True)
LONG = [
    [sp.Rational(3, 2) + sp.tanh(x - y / 2) / 3, sp.exp(-((y - z / 2) ** 2)) / 3, sp.atan(x + 2 * z) / 3],
    [sp.sin(x + 2 * z) / 3, 2, sp.tanh(z + y) / 3],
    [0, sp.cos(y - x / 2) / 3, sp.Rational(3, 2) + sp.exp(-(x**2)) / 3],
]
COLUMNS = {"square": [0, 1, 2], "fewer velocities than coordinates": [0, 2]}


@pytest.mark.parametrize("columns", COLUMNS.values(), ids=COLUMNS)
def test_a_frame_of_long_entries_has_its_brackets_at_once(columns):
    still = [[*row[:2]] for row in LONG[:2]] + [[0, 0]]  # the third coordinate does not move: involutive
    rows = still if len(columns) < 3 else LONG
    space = da.Space("x y z", [f"u{a}" for a in columns], rows)
    motion = Motion(space.frame, Machine(Graph()))
    point = space.sample(np.random.default_rng(1))
    for a, b in itertools.combinations(range(len(columns)), 2):
        np.testing.assert_allclose(evaluate(compatibility(motion, a, b), point), 0, atol=1e-13)


@pytest.mark.parametrize("entries", [LONG, [[sp.cos(x), sp.sin(x), 0], [-sp.sin(x), sp.cos(x), 0], [0, 0, 1]]])
def test_columns_that_depend_on_each_other_are_refused_however_long_they_are(entries):
    rows = [[a, b, a * sp.tanh(x) - b * sp.exp(y)] for a, b, _ in entries]
    with pytest.raises(da.DalembertError, match="E140"):
        da.Space("x y z", "u v w", rows)
