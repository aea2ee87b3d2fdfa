"""A frame reads as the named tuple it was made of, and writes to the same arrays."""

from typing import NamedTuple

import numpy as np
import pytest

from dalembert.numerics.machine.loop.argument_layout import ArgumentFrame
from dalembert.numerics.machine.loop.compiled_loop import loop


class Inner(NamedTuple):
    table: np.ndarray
    weight: float


class Outer(NamedTuple):
    count: int
    cube: np.ndarray
    inner: Inner
    marks: np.ndarray


@loop
def total(frame: Outer, row: int) -> float:
    cube, table = frame.cube, frame.inner.table
    frame.marks[0] += 1
    table[0, 0] = -1.0
    return cube[1, 2, row] * frame.inner.weight + frame.count + cube.shape[2] + table[1, 0]


def test_a_frame_reads_as_its_tuple_and_writes_to_its_arrays():
    inner = Inner(np.arange(4.0).reshape(2, 2), 2.5)
    whole = Outer(7, np.arange(24.0).reshape(2, 3, 4), inner, np.zeros(1, np.int64))
    assert total(ArgumentFrame(whole), 3) == 23.0 * 2.5 + 7 + 4 + 2.0
    assert whole.marks[0] == 1
    assert inner.table[0, 0] == -1.0


@pytest.mark.parametrize("array", [np.zeros((2, 3)).T, np.zeros(3, np.float32)])
def test_other_arrays_are_refused(array):
    with pytest.raises(TypeError, match="contiguous"):
        ArgumentFrame(Inner(array, 1.0))
