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
    function_at(address, len(arrays))(*map(address_of, arrays))


def function_at(address: int, count: int) -> Callable[..., None]:
    """The function of so many pointers, for who calls it often."""
    return ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * count)(int(address))


def address_of(array: np.ndarray) -> int:
    """Where the numbers of an array lie."""
    try:
        return _addressof(_from_buffer(array))  # type: ignore[arg-type]  # thrice as fast
    except (TypeError, ValueError):  # it may not be written to, or it is empty
        return int(array.ctypes.data)


_addressof, _from_buffer = ctypes.addressof, ctypes.c_char.from_buffer
