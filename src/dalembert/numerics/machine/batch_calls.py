"""Calling machine code by its address for many states at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .loop.compiled_loop import loop
from .loop.function_address import call, function_at


@loop
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


class CallLanes(NamedTuple):
    """Work space: times (W,), states (n, W), parameters (np, W) and what is written (m, W)."""

    t: np.ndarray
    y: np.ndarray
    p: np.ndarray
    values: np.ndarray


@loop
def _map_lanes(address: int, lanes: CallLanes, T: np.ndarray, Y: np.ndarray, P: np.ndarray, out: np.ndarray) -> None:
    width, first = len(lanes.t), 0
    while first < len(T):
        for lane in range(width):
            k = min(first + lane, len(T) - 1)  # lanes without a state of their own repeat the last
            lanes.t[lane] = T[k]
            for i in range(len(lanes.y)):
                lanes.y[i, lane] = Y[k, i]
            for i in range(len(lanes.p)):
                lanes.p[i, lane] = P[k, i]
        call(address, lanes.t, lanes.y, lanes.p, lanes.values)
        for lane in range(min(width, len(T) - first)):
            for i in range(len(lanes.values)):
                out[first + lane, i] = lanes.values[i, lane]
        first += width


def map_lanes(address: int, width: int, T: np.ndarray, Y: np.ndarray, P: np.ndarray, size: int) -> np.ndarray:
    """f(t, y, p) of a function for lanes, which writes `size` numbers: (N, size).

    Args:
        address: address of the compiled function.
        width: how many lanes it has.
        T, Y, P: times (N,), states (N, n) and parameters (N, np).
        size: how many numbers the function writes.
    """
    out = np.empty((len(T), size))
    lanes = CallLanes(*(np.empty((*rows, width)) for rows in ((), (Y.shape[1],), (P.shape[1],), (size,))))
    _map_lanes(int(address), lanes, *(np.ascontiguousarray(a, float) for a in (T, Y, P)), out)
    return out


def values_for(address: int, t: float, y: np.ndarray, P: np.ndarray, size: int) -> np.ndarray:
    """f(t, y, p) at one time and state for several parameters P (K, np): (K, size)."""
    P, out, code = np.ascontiguousarray(P, float), np.empty((len(P), size)), function_at(address, 4)
    at, first, last = np.array([t], float), P.ctypes.data, out.ctypes.data
    for k in range(len(P)):
        code(at.ctypes.data, y.ctypes.data, first + k * P.strides[0], last + k * out.strides[0])
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
    out = np.empty(size)
    call(int(address), np.array([t], float), np.array(y, float), np.array(p, float), out)
    return out
