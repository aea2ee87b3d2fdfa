"""Brackets that are computed from an anchor: they are found however long its entries are."""

import itertools

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.calculus.algebra import GraphAlgebra
from dalembert.calculus.euler_lagrange import Motion, compatibility
from dalembert.calculus.graph import Graph, evaluate

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
    motion = Motion(space.frame, GraphAlgebra(Graph()))
    point = space.sample(np.random.default_rng(1))
    for a, b in itertools.combinations(range(len(columns)), 2):
        np.testing.assert_allclose(evaluate(compatibility(motion, a, b), point), 0, atol=1e-13)


@pytest.mark.parametrize("entries", [LONG, [[sp.cos(x), sp.sin(x), 0], [-sp.sin(x), sp.cos(x), 0], [0, 0, 1]]])
def test_columns_that_depend_on_each_other_are_refused_however_long_they_are(entries):
    rows = [[a, b, a * sp.tanh(x) - b * sp.exp(y)] for a, b, _ in entries]
    with pytest.raises(da.DalembertError, match="E140"):
        da.Space("x y z", "u v w", rows)


@pytest.mark.parametrize("frame", ["body", "space"])
def test_it_says_in_which_axes_a_rotation_turns(frame):
    turning = da.coordinates("x") * da.rotation("R", velocities="w1 w2 w3", frame=frame)
    assert f"R turns in {frame} axes" in repr(turning)
    # the same rotation in sums of its velocities, and in velocities that keep no axes: w1 along n, w2 w3 across it
    again = turning.anchor * sp.Matrix([[1, 0, 0, 0], [0, 1, 2, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
    given = {"attitudes": turning.attitudes, "embedding": turning.embedding, "retraction": turning.retraction}
    mixed = da.Space(turning.coordinates, turning.velocities, again, **given)
    assert f"R turns in {frame} axes" in repr(mixed)
    swinging = again.copy().as_mutable()
    swinging[:, 1] *= sp.cos(turning["x"])
    bent = da.Space(turning.coordinates, turning.velocities, swinging, **given)
    assert "turns in" not in repr(bent)
