"""Calling machine code by its address from numba.

The address is a run-time number and not a constant of the compiled caller, so the caller can be cached on disk and
serves every system.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core.errors import TypingError
from numba.extending import intrinsic

from .jit import cached


def _is_plain(kind: Any) -> bool:
    """Is this numba type a C-contiguous array of doubles?"""
    return isinstance(kind, types.Array) and kind.dtype == types.float64 and kind.layout == "C"


def _calling(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """Code that calls the function at the address ``args[0]`` with pointers to the arrays ``args[1:]``."""
    pointer = ir.IntType(8).as_pointer()
    function = ir.FunctionType(ir.VoidType(), [pointer] * (len(args) - 1)).as_pointer()
    arrays = [
        context.make_array(kind)(context, builder, a) for kind, a in zip(signature.args[1:], args[1:], strict=True)
    ]
    data = [builder.bitcast(a.data, pointer) for a in arrays]
    builder.call(builder.inttoptr(args[0], function), data)
    return context.get_dummy_value()


def _signature(*arrays: Any) -> Any:
    if not all(map(_is_plain, arrays)):
        raise TypingError("call needs C-contiguous float64 arrays")
    return types.void(types.int64, *arrays)


@intrinsic
def call(typing_context: Any, address: Any, t: Any, y: Any, p: Any, out: Any) -> Any:
    """call(address, t, y, p, out): ``void (*)(double*, double*, double*, double*)`` on four arrays, from numba code.

    Args:
        address: int64, address of the function.
        t, y, p, out: C-contiguous float64 arrays, handed over as pointers to their first elements.
    """
    return _signature(t, y, p, out), _calling


@intrinsic
def call5(typing_context: Any, address: Any, a: Any, b: Any, c: Any, d: Any, e: Any) -> Any:
    """The same for a function of five arrays."""
    return _signature(a, b, c, d, e), _calling


@cached(nogil=True)
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


@cached(nogil=True)
def _map_lanes(address: int, width: int, T: np.ndarray, Y: np.ndarray, P: np.ndarray, out: np.ndarray) -> None:
    t, y, p = np.empty(width), np.empty((Y.shape[1], width)), np.empty((P.shape[1], width))
    values = np.empty((out.shape[1], width))
    for first in range(0, len(T), width):
        for lane in range(width):
            k = min(first + lane, len(T) - 1)  # lanes without a state of their own repeat the last
            t[lane] = T[k]
            for i in range(y.shape[0]):
                y[i, lane] = Y[k, i]
            for i in range(p.shape[0]):
                p[i, lane] = P[k, i]
        call(address, t, y, p, values)
        for lane in range(min(width, len(T) - first)):
            for i in range(values.shape[0]):
                out[first + lane, i] = values[i, lane]


def map_lanes(address: int, width: int, T: np.ndarray, Y: np.ndarray, P: np.ndarray, size: int) -> np.ndarray:
    """f(t, y, p) of a function for lanes, which writes `size` numbers: (N, size).

    Args:
        address: address of the compiled function.
        width: how many lanes it has.
        T, Y, P: times (N,), states (N, n) and parameters (N, np).
        size: how many numbers the function writes.
    """
    out = np.empty((len(T), size))
    _map_lanes(int(address), int(width), *(np.ascontiguousarray(a, float) for a in (T, Y, P)), out)
    return out


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
