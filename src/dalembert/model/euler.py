"""Moments of inertia in Euler angles: is L's form in three rates constant in a frame that turns by these angles?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations, permutations, product

import numpy as np
import sympy as sp

from ..calculus.angles import angles_in
from ..calculus.frame import TIME
from ..calculus.graph import Graph, evaluate, gradient
from ..calculus.read import read
from .space import Space

_SAME = 1e-9  # of the largest moment
_MOST = 5  # angles of which three are tried
_WIDEST = 16  # velocities of a system that is looked at: the work grows with their square
_SEQUENCES = [axes for axes in product(range(3), repeat=3) if axes[0] != axes[1] != axes[2]]
_SIGNS = list(product((1.0, -1.0), repeat=3))


def euler_moments(
    space: Space, lagrangian: sp.Expr, known: Mapping[str, float | None]
) -> Iterator[tuple[tuple[str, ...], np.ndarray]]:
    """Three angles that turn a body, in any of the usual sequences, and its principal moments, rising."""
    plain = {q.name: rate.name for q, rate in space.rates.items() if rate in space.velocities}
    turning = space.angles | angles_in([lagrangian]) if 2 < len(plain) <= _WIDEST else set()
    if not turning & plain.keys():
        return
    values = {name: value for name, value in known.items() if value is not None}
    points = [space.sample(np.random.default_rng(seed), [TIME.name]) | values for seed in (0, 1, 2)]
    forms = _forms(lagrangian, list(plain.values()), points)
    if not np.isfinite(forms).all():
        return
    # a rate of its own constant mass is no angle, unless its coordinate stands in a sine
    apart = [np.count_nonzero(forms[0, i]) <= 1 and np.ptp(forms[:, i, i]) == 0 for i in range(len(plain))]
    rates = [i for i, name in enumerate(plain) if name in turning or not apart[i]]
    if not 3 <= len(rates) <= _MOST:
        return
    for chosen in combinations(rates, 3):
        names = tuple(list(plain)[i] for i in chosen)
        angles = np.array([[point[name] for name in names] for point in points], float)
        moments = _body(forms[:, chosen][:, :, chosen], angles)
        if moments is not None:
            yield names, moments


def _forms(lagrangian: sp.Expr, rates: list[str], points: list[dict[str, float]]) -> np.ndarray:
    """d2L/du du at each point, (N, k, k)."""
    graph = Graph()
    u = [graph.symbol(name) for name in rates]
    second = [e for slope in gradient(read(lagrangian, graph), u) for e in gradient(slope, u)]
    with np.errstate(all="ignore"):
        return np.array([evaluate(second, point) for point in points], float).reshape(-1, len(u), len(u))


def _body(forms: np.ndarray, angles: np.ndarray) -> np.ndarray | None:
    """Moments, if the forms (N, 3, 3) are those of one body at these angles (N, 3)."""
    if abs(np.linalg.det(forms)).min() == 0 or np.allclose(forms[0], forms[1], rtol=_SAME, atol=0):
        return None
    for order, axes, signs in product(permutations(range(3)), _SEQUENCES, _SIGNS):
        tensors = []
        for form, q in zip(forms, angles, strict=True):
            E = np.linalg.inv(_rates(np.array(signs) * q[list(order)], axes) * signs)
            tensors.append(E.T @ form[np.ix_(order, order)] @ E)
            if not np.allclose(tensors[0], tensors[-1], rtol=0, atol=_SAME * np.abs(tensors[0]).max()):
                break
        else:
            return np.asarray(np.linalg.eigvalsh(tensors[0]))
    return None


def _rates(q: np.ndarray, axes: tuple[int, ...]) -> np.ndarray:
    """Columns E with w = E qdot in the body, which is turned by q about these axes of its own, one after the other."""
    # w = R3' R2' e1 q1. + R3' e2 q2. + e3 q3.
    e = np.eye(3)
    second, third = (_turn(axes[i], q[i]).T for i in (1, 2))
    return np.column_stack([third @ second @ e[axes[0]], third @ e[axes[1]], e[axes[2]]])


def _turn(axis: int, angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R = np.eye(3)
    R[i, i], R[i, j], R[j, i], R[j, j] = c, -s, s, c
    return R
