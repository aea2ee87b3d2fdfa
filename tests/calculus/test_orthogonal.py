"""Householder's factors on the graph are those of the matrix, its sign included."""

import numpy as np
import pytest

from dalembert.calculus.graph import Graph, evaluate
from dalembert.calculus.linear_systems import householder


def numbers(rows):
    return np.array([evaluate(row, {}) for row in rows], float)


@pytest.mark.parametrize(("k", "m"), [(1, 1), (2, 2), (3, 3), (4, 4), (3, 1), (5, 3)])
@pytest.mark.parametrize("seed", range(3))
def test_factors(k, m, seed):
    A, graph = np.random.default_rng(seed).normal(size=(k, m)), Graph()
    found = householder([[graph.constant(a) for a in column] for column in A.T])
    Q, R = numbers(found.Q).T, numbers(found.R)
    np.testing.assert_allclose(Q.T @ Q, np.eye(k), atol=1e-14)
    np.testing.assert_allclose(Q[:, :m] @ R, A, atol=1e-14)
    assert not np.tril(R, -1).any()
    np.testing.assert_allclose(numbers(found.lower_inverse()) @ R.T, np.eye(m), atol=1e-13)
    if k == m:
        assert float(evaluate([found.determinant], {})[0]) == pytest.approx(np.linalg.det(A), abs=1e-13)
