"""Ranks and null spaces of many rows: by a factorisation where they are clear, else by singular values."""

import numpy as np
import pytest

from dalembert.calculus.numerical_rank import clear_products, definite, null_space, rank_of, ranks_of, split

RNG = np.random.default_rng(3)


@pytest.mark.parametrize("weakest, clear", [(1.0, True), (1e-3, True), (1e-7, False), (0.0, False)])
def test_many_rows_are_clear_where_their_singular_values_are(weakest, clear):
    Q, R = (np.linalg.qr(RNG.normal(size=(n, n)))[0] for n in (120, 130))
    rows = Q @ (np.append(np.ones(119), weakest)[:, None] * R[:120])
    assert (clear_products(rows) is not None) is clear
    assert rank_of(rows) == (120 if weakest else 119)
    Z = null_space(rows)
    assert Z.shape[1] == 130 - rank_of(rows)
    np.testing.assert_allclose(Z.T @ Z, np.eye(Z.shape[1]), atol=1e-12)
    np.testing.assert_allclose(rows @ Z, 0, atol=1e-12)


def test_ranks_of_matrices_together_are_those_of_each_alone():
    rows = RNG.normal(size=(60, 4, 5)) * 10.0 ** RNG.uniform(-13, 3, (60, 4, 1)) * (RNG.random((60, 4, 1)) < 0.8)
    rows[::3, 3] = rows[::3, 0] * (1 + RNG.choice([1e-9, 1e-11], (20, 1)) * RNG.normal(size=(20, 5)))  # on the border
    assert ranks_of(rows) == [rank_of(each) for each in rows]
    assert set(ranks_of(rows)) >= {2, 3, 4}


@pytest.mark.parametrize("above", [-2.0, 0.0, 0.4, 0.6])
def test_definite_says_what_eigenvalues_say(above):
    Q = np.linalg.qr(RNG.normal(size=(6, 6)))[0]
    A = Q @ np.diag([0.5, 1, 2, 3, 4, 5]) @ Q.T
    assert definite(A, above) is bool(np.linalg.eigvalsh(A)[0] > above)


@pytest.mark.parametrize("shape", [(3, 5), (2, 3, 5), (120, 123), (2, 120, 123), (130, 130)])
@pytest.mark.parametrize("weakest", [1.0, 1e-6])
def test_rows_are_split_into_what_they_leave_free_and_their_inverse(shape, weakest):
    rows = RNG.normal(size=shape) * np.append(np.ones(shape[-2] - 1), 10)[:, None]
    rows[..., 1, :] = rows[..., 0, :] + weakest * rows[..., 1, :]  # 1e-6: not clearly independent
    Z, back = split(rows)
    m, k = shape[-2:]
    assert Z.shape == (*shape[:-2], k, k - m)
    np.testing.assert_allclose(
        np.swapaxes(Z, -1, -2) @ Z, np.broadcast_to(np.eye(k - m), (*shape[:-2], k - m, k - m)), atol=1e-12
    )
    np.testing.assert_allclose(rows @ Z, 0, atol=1e-10)
    np.testing.assert_allclose(
        np.swapaxes(back, -1, -2), np.linalg.pinv(rows, rcond=1e-14), rtol=1e-6, atol=1e-6 * np.abs(back).max()
    )
