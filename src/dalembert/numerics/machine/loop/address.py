"""Machine code by its address, from Python and from loops."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import numpy as np


def call(address: int, *arrays: np.ndarray) -> None:
    """``void (*)(double*, double*, ...)`` on arrays, handed over as pointers to their first elements.

    Args:
        address: of the function; a number of the run and not of the loop, so that one loop serves every system.
        arrays: C-contiguous and of float64, as many as the function wants.
    """
    function_at(address, len(arrays))(*(array.ctypes.data for array in arrays))


def function_at(address: int, count: int) -> Callable[..., None]:
    """The function of so many pointers, for who calls it often."""
    return ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * count)(int(address))
