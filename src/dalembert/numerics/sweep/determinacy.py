"""Is the motion determined at the starts of many members?

A member for which simple bounds prove it is let through; the others are looked at one by one, by the functions that
look at a single start.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...calculus.graph import Node, evaluate, values_of_all
from ...calculus.rank import RANK_TOLERANCE
from ...equations import Equations
from ...equations.check import check_determined, slip_speeds
from ...equations.form import SMALLEST, WEAK_PIVOT
from ...equations.regular import _SHIFT, check_regular
from ...errors import DalembertError
from .start_laws import Values, nonfinite, refuse

_NOTHING = 1e-11  # of the longest row: a row that is longer is none of rounding
_SURE = 1e-9  # a least eigenvalue, in natural units, that no rounding explains
_WORST = 1e12  # condition of a bordered matrix that is surely admissible


class _Matrices(NamedTuple):
    """W (K, k, k) of the form, the metric (K, k, k), and N (K, m, k)."""

    W: np.ndarray
    metric: np.ndarray
    N: np.ndarray


def check(equations: Equations, values: Values, code: np.ndarray) -> dict[tuple[int, ...], np.ndarray]:
    """Write E121, E108, E126, E129, E237, E162, E401 or E402 where the motion is not determined.

    Args:
        equations: with rows that are independent at most starts.
        values: arrays (K,) of all symbols, by name.
        code: 0, or the code of a refusal, (K,).

    Returns:
        The members that go on with other constraint rows than the equations keep, by the rows.
    """
    machine = equations.machine
    for speed in slip_speeds(equations).values():
        refuse(code, np.asarray(evaluate([speed], values)[0], float) == 0, 129)
    nonfinite([*machine.form.entries, *machine.qdot, machine.energy], values, code)
    sure = _sure(equations, values, _matrices(equations, values, len(code)))
    rows: dict[tuple[int, ...], list[int]] = {}
    for i in np.flatnonzero(~sure & (code == 0)):
        code[i], kept = _one(equations, {name: float(column[i]) for name, column in values.items()})
        if kept != equations.kept:
            rows.setdefault(kept, []).append(int(i))
    if equations.dependent:
        refuse(code, ~(equations.share(values) > WEAK_PIVOT), 162)
    return {kept: np.array(members) for kept, members in rows.items()}


def _one(equations: Equations, values: dict[str, float]) -> tuple[int, tuple[int, ...]]:
    """The code of a refusal or 0, and the rows to be kept, of one member."""
    kept = equations.kept
    try:
        here = equations.rows_at(values)
        kept = here.kept
        check_determined(here, values)
        check_regular(equations, values)
    except DalembertError as error:
        return int(error.code[1:]), kept
    return 0, kept


def _matrices(equations: Equations, values: Values, count: int) -> _Matrices:
    form, metric = equations.machine.form, equations.machine.metric
    k, m = len(form.W), len(form.N)

    def array(rows: Sequence[list[Node]], height: int) -> np.ndarray:
        flat = [np.broadcast_to(np.asarray(found[e.index], float), count) for row in rows for e in row]
        return np.stack(flat, axis=-1).reshape(count, height, k) if flat else np.zeros((count, 0, k))

    found = values_of_all([e for rows in (form.W, metric, form.N) for row in rows for e in row], values)
    return _Matrices(array(form.W, k), array(metric, k), array(form.N, m))


def _sure(equations: Equations, values: Values, matrices: _Matrices) -> np.ndarray:
    """The members (K,) whose motion is determined beyond doubt."""
    kept = list(equations.kept)
    W, metric, every = matrices
    N = every[:, kept]
    good = np.isfinite(W).all(axis=(1, 2)) & np.isfinite(metric).all(axis=(1, 2)) & np.isfinite(every).all(axis=(1, 2))
    W, metric, every, N = (np.where(good[:, None, None], a, 0.0) for a in (W, metric, every, N))
    rows, long = _unit_rows(N)
    gram = (rows[:, :, None, :] * rows[:, None, :, :]).sum(axis=-1)
    sure = good & long.all(axis=1) & (least_eigenvalue(gram) > _SURE)
    if len(kept) < every.shape[1]:
        sure &= _rank(every) == len(kept)
    # in units in which each velocity alone carries energy of order 1, here and nearby
    here = np.abs(np.diagonal(metric, axis1=1, axis2=2))
    sure &= _definite(metric, N, here) & _definite(metric, N, _nearby(equations, values, here))
    if equations.states_of_multipliers:
        return sure & _regular(W, N)
    return sure & _definite(W, N, np.abs(np.diagonal(W, axis1=1, axis2=2)))


def _nearby(equations: Equations, values: Values, here: np.ndarray) -> np.ndarray:
    """The energies W_aa (K, k) a little away from the starts; those at the start where these are no numbers."""
    shift = {q.name: values[q.name] + _SHIFT * (1 + i / 7) for i, q in enumerate(equations.space.coordinates)}
    diagonal = evaluate([row[a] for a, row in enumerate(equations.machine.metric)], {**values, **shift})
    near = np.stack([np.broadcast_to(np.asarray(e, float), len(here)) for e in diagonal], axis=-1)
    return np.where(np.isfinite(near).all(axis=-1, keepdims=True), np.abs(near), here)


def _unit_rows(N: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The rows in length 1, those that may be rounding as 0, and which are longer than that (K, m)."""
    length = np.sqrt((N * N).sum(axis=-1))
    long = length > _NOTHING * np.maximum(1.0, length.max(axis=1, initial=0.0))[:, None]
    return np.where(long[..., None], N / np.where(long, length, 1.0)[..., None], 0.0), long


def _rank(N: np.ndarray) -> np.ndarray:
    rows, _ = _unit_rows(N)
    return np.asarray((np.linalg.svd(rows, compute_uv=False) > RANK_TOLERANCE).sum(axis=1))


def _definite(W: np.ndarray, N: np.ndarray, energy: np.ndarray) -> np.ndarray:
    """Where W is surely positive on the velocities with N u = 0, in the units that the energies (K, k) give."""
    unit = 1 / np.sqrt(np.where(energy > SMALLEST, energy, 1.0))
    rows, _ = _unit_rows(N * unit[:, None, :])
    # z^T W z = z^T (W + N^T N) z where N z = 0
    S = W * unit[:, :, None] * unit[:, None, :] + (rows[:, :, :, None] * rows[:, :, None, :]).sum(axis=1)
    return np.asarray(least_eigenvalue((S + np.swapaxes(S, 1, 2)) / 2) > _SURE)


def least_eigenvalue(S: np.ndarray) -> np.ndarray:
    """A lower bound of the least eigenvalue of symmetric matrices (K, n, n): -inf where they are not definite."""
    n = S.shape[-1]
    if n == 0:
        return np.full(len(S), np.inf)
    A, det, trace = S.copy(), np.ones(len(S)), np.trace(S, axis1=1, axis2=2)
    definite = np.ones(len(S), bool)
    for i in range(n):  # S = L D L^T without pivoting
        pivot = A[:, i, i]
        definite &= pivot > 0
        safe = np.where(pivot > 0, pivot, 1.0)
        det = det * safe
        for j in range(i + 1, n):
            A[:, j, i + 1 :] -= (A[:, j, i] / safe)[:, None] * A[:, i, i + 1 :]
    # det = l_1 ... l_n,  and by the means  l_2 ... l_n <= (trace / (n - 1))^(n - 1)
    others = (np.where(definite, trace, 1.0) / (n - 1)) ** (n - 1) if n > 1 else np.ones(len(S))
    return np.where(definite, det / others, -np.inf)


def _regular(W: np.ndarray, N: np.ndarray) -> np.ndarray:
    """Where the bordered matrix, its rows scaled to 1, is surely well conditioned."""
    m = N.shape[1]
    top = np.concatenate([W, -np.swapaxes(N, 1, 2)], axis=2)
    K = np.concatenate([top, np.concatenate([N, np.zeros((len(N), m, m))], axis=2)], axis=1)
    scale = np.abs(K).max(axis=2)
    K = K / np.where(scale > 0, scale, 1.0)[..., None]
    n = K.shape[1]
    # cond(A) < 2 / |det A| (|A| / sqrt(n))^n with the Frobenius norm [guggenheimer1995]
    bound = 2 * (np.sqrt((K * K).sum(axis=(1, 2))) / np.sqrt(n)) ** n
    return np.asarray((scale > 0).all(axis=1) & (bound < _WORST * np.abs(np.linalg.det(K))))
