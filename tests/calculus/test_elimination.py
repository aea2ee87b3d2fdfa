"""Columns are chosen as LAPACK's QR with pivoting chooses them."""

import numpy as np
import pytest
import scipy.linalg

from dalembert.calculus.linear_systems import choose_columns


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("rows", [1, 2, 5])
def test_the_columns_of_lapack(seed, rows):
    A = np.random.default_rng(seed).normal(size=(rows, rows + seed % 4))  # dense: no column stands alone but of one row
    weight = 3.0 if rows == 1 else 1.0
    scaled = weight * A / np.linalg.norm(A, axis=1, keepdims=True)
    assert choose_columns(A) == list(scipy.linalg.qr(scaled, pivoting=True, mode="r")[1][:rows])


def test_columns_that_stand_alone_come_first():
    A = np.array([[1.0, 0.9, 0.0, 0.8], [1.0, 0.8, 0.9, 0.0]])
    assert sorted(choose_columns(A)) == [2, 3]


def test_dependent_rows_choose_no_column_twice():
    assert len(set(choose_columns(np.ones((3, 4))))) == 3


def test_no_choice_without_numbers():
    with pytest.raises(ValueError):
        choose_columns(np.array([[np.nan, 1.0]]))
