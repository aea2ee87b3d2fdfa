"""What affine rows determine: the same by elimination and by singular values, and for a state alone as among others."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert.equations import Numbers, mechanism_assembly


def _rows(n: int, count: int = 500) -> tuple[np.ndarray, np.ndarray]:
    """Random rows of size 1 (n, n, count), and what they are to be (n, count)."""
    rng = np.random.default_rng(n)
    A = rng.normal(size=(n, n, count))
    return A / np.abs(A).max(axis=1, keepdims=True), rng.normal(size=(n, count))


@pytest.mark.parametrize("n", range(1, mechanism_assembly.FEW + 1))
def test_elimination_and_singular_values_agree(n: int) -> None:
    A, b = _rows(n)
    x, null = mechanism_assembly._least_squares(A, b)
    other, there = mechanism_assembly._by_singular_values(A, b)
    unit = 1 + np.abs(other).max(axis=0)
    assert np.abs((x - other) / unit).max() < 1e-11
    assert not null.any()
    assert not there.any()
    # each row to its own rounding
    off = np.abs((A * x).sum(axis=1) - b)
    assert (off <= 1e-14 * (np.abs(A * x).sum(axis=1) + np.abs(b))).all()


@pytest.mark.parametrize("n", range(1, mechanism_assembly.FEW + 1))
def test_a_state_alone_has_the_bits_that_it_has_among_others(n: int) -> None:
    A, b = _rows(n)
    A[-1, :, ::7] = A[0, :, ::7]  # some have no inverse
    x, null = mechanism_assembly._least_squares(A, b)
    for i in range(0, A.shape[-1], 5):
        alone, own = mechanism_assembly._least_squares(A[..., i : i + 1], b[:, i : i + 1])
        assert alone.tobytes() == x[:, i : i + 1].tobytes()
        assert own.tobytes() == null[:, i : i + 1].tobytes()


def test_names_that_rows_leave_free_are_told_by_singular_values() -> None:
    A, b = _rows(2)
    A[1] = A[0]
    _, null = mechanism_assembly._least_squares(A, b)
    assert (null.max(axis=0) > 0.1).all()


@pytest.mark.parametrize("n", range(2, mechanism_assembly.FEW + 1))
def test_rows_that_are_nearly_parallel_hold_to_their_own_rounding(n: int) -> None:
    A, b = _rows(n)
    A[1] = A[0] + 3e-3 * A[1]
    A /= np.abs(A).max(axis=1, keepdims=True)
    x, regular = mechanism_assembly._eliminated(A, b)
    off = np.abs((A * x).sum(axis=1) - b)
    own = np.abs(A * x).sum(axis=1) + np.abs(b)
    assert regular.mean() > 0.7
    assert (off <= 1e-15 * own)[:, regular].all()


def test_a_large_sparse_system_is_solved_as_such():
    rng, k, m = np.random.default_rng(0), 300, 150
    W = np.diag(rng.uniform(1, 2, k))
    N = np.zeros((m, k))
    N[np.arange(m), 2 * np.arange(m)] = rng.uniform(1, 2, m)
    N[np.arange(m), 2 * np.arange(m) + 1] = rng.normal(size=m)
    f, g = rng.normal(size=k), rng.normal(size=m)
    udot, mu = Numbers(W, N, f, g).solve()
    np.testing.assert_allclose(W @ udot - N.T @ mu, f, atol=1e-12)
    np.testing.assert_allclose(N @ udot, g, atol=1e-12)
    with pytest.raises(np.linalg.LinAlgError):
        Numbers(W, np.where(np.arange(m)[:, None] == 3, 0.0, N), f, g).solve()
