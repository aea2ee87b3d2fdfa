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
_ORDERS = np.array(list(permutations(range(3))))
_AXES = np.array([axes for axes in product(range(3), repeat=3) if axes[0] != axes[1] != axes[2]])
_SENSES = np.array(list(product((1.0, -1.0), repeat=3)))


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
    # M = E^-T L E^-1 ,  L_ij q^i. q^j. = M_ab w^a w^b ,  the same everywhere
    E = _rates(angles[:, _ORDERS][:, :, None, None] * _SENSES) * _SENSES[:, None]
    regular = abs(np.linalg.det(E)) > 0
    inverse = np.linalg.inv(np.where(regular[..., None, None], E, np.eye(3)))
    ordered = forms[:, _ORDERS[:, :, None], _ORDERS[:, None]]
    M = inverse.swapaxes(-1, -2) @ ordered[:, :, None, None] @ inverse
    apart = abs(M - M[0]).max(axis=(0, -1, -2))
    same = regular.all(axis=0) & (apart <= _SAME * abs(M[0]).max(axis=(-1, -2)))
    return np.asarray(np.linalg.eigvalsh(M[0][same][0])) if same.any() else None


def _rates(q: np.ndarray) -> np.ndarray:
    """E with w = E qdot, (..., axes, senses, 3, 3), of a body that q, (..., 1, senses, 3), turns about its own axes."""
    first, second, third = (np.eye(3)[axis][:, None] for axis in _AXES.T)
    undone2, undone3 = (_turn(_AXES[:, i], q[..., i]).swapaxes(-1, -2) for i in (1, 2))
    # w = R3' R2' e1 q1. + R3' e2 q2. + e3 q3.
    columns = undone3 @ (undone2 @ first[..., None]), undone3 @ second[..., None], third[..., None]
    return np.concatenate(np.broadcast_arrays(*columns), axis=-1)


def _turn(axes: np.ndarray, angle: np.ndarray) -> np.ndarray:
    """Turns about coordinate axes (n,) by angles (..., 1, m), as matrices (..., n, m, 3, 3)."""
    across = -np.array([np.cross(e, np.eye(3)) for e in np.eye(3)])[axes][:, None]
    c, s = (f(angle)[..., None, None] for f in (np.cos, np.sin))
    # R = 1 + sin K + (1 - cos) K^2
    return np.asarray(np.eye(3) + s * across + (1 - c) * across @ across)
