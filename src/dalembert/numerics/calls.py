"""Calling machine code by its address from numba.

The address is a run-time number and not a constant of the compiled caller, so the caller can be cached on disk and
serves every system.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core.errors import TypingError
from numba.extending import intrinsic

from .jit import cached


def _is_plain(kind: Any) -> bool:
    """Is this numba type a one-dimensional C-contiguous array of doubles?"""
    return isinstance(kind, types.Array) and kind.dtype == types.float64 and kind.ndim == 1 and kind.layout == "C"


@intrinsic
def call(typing_context: Any, address: Any, t: Any, y: Any, p: Any, out: Any) -> Any:
    """call(address, t, y, p, out): ``void (*)(double*, double*, double*, double*)`` on four arrays, from numba code.

    Args:
        address: int64, address of the function.
        t, y, p, out: one-dimensional contiguous float64 arrays, handed over as pointers to their first elements.
    """
    if not all(map(_is_plain, (t, y, p, out))):
        raise TypingError("call needs one-dimensional contiguous float64 arrays")

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = ir.IntType(8).as_pointer()
        function = ir.FunctionType(ir.VoidType(), [pointer] * 4).as_pointer()
        arrays = [
            context.make_array(kind)(context, builder, a) for kind, a in zip(signature.args[1:], args[1:], strict=True)
        ]
        data = [builder.bitcast(a.data, pointer) for a in arrays]
        builder.call(builder.inttoptr(args[0], function), data)
        return context.get_dummy_value()

    return types.void(types.int64, t, y, p, out), generate


@cached(njit, nogil=True)
def map_rows(address: int, T: np.ndarray, Y: np.ndarray, p: np.ndarray, out: np.ndarray) -> None:
    """f(t, y, p) for many times and states: ``out[i] = f(T[i], Y[i], p)``.

    Args:
        address: address of the compiled function.
        T: times, shape (N,).
        Y: states, shape (N, n).
        p: parameters, shape (np,).
        out: shape (N, m), m being what the function writes. All arrays float64 and C-contiguous.
    """
    for i in range(len(T)):
        call(address, T[i : i + 1], Y[i], p, out[i])


def value_at(address: int, t: float, y: np.ndarray, p: np.ndarray, size: int) -> np.ndarray:
    """f(t, y, p) once, from Python.

    Args:
        address: address of the compiled function.
        t: time.
        y: state, shape (n,).
        p: parameters, shape (np,).
        size: how many numbers the function writes.
    """
    out = np.empty((1, size))
    map_rows(int(address), np.array([t], dtype=float), np.array([y], dtype=float), np.array(p, dtype=float), out)
    return out[0]
