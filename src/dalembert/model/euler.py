"""Moments of inertia in Euler angles: is L's form in three rates constant in a frame that turns by these angles?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations, permutations, product

import numpy as np
import sympy as sp

from ..calculus.algebra import Machine
from ..calculus.angles import angles_in
from ..calculus.frame import TIME
from ..calculus.slopes import numbers_of
from .space import Space

_SAME = 1e-9  # of the largest moment
_NEAR = 1e-3  # of a volume, where it only says what is worth a look
_MOST = 5  # angles of which three are tried
_WIDEST = 16  # velocities of a system that is looked at: the work grows with their square
_ORDERS = np.array(list(permutations(range(3))))
_AXES = np.array([axes for axes in product(range(3), repeat=3) if axes[0] != axes[1] != axes[2]])
_ACROSS = -np.array([np.cross(e, np.eye(3)) for e in np.eye(3)])
_SENSES = np.array(list(product((1.0, -1.0), repeat=3)))


def euler_moments(
    space: Space, lagrangian: sp.Expr, known: Mapping[str, float | None], algebra: Machine
) -> Iterator[tuple[tuple[str, ...], np.ndarray]]:
    """Three angles that turn a body, in any of the usual sequences, and its principal moments, rising."""
    velocities = frozenset(space.velocities)
    plain = {q.name: rate.name for q, rate in space.rates.items() if rate in velocities}
    turning = space.angles | angles_in([lagrangian]) if 2 < len(plain) <= _WIDEST else set()
    if not turning & plain.keys():
        return
    values = {name: value for name, value in known.items() if value is not None}
    points = [space.sample(np.random.default_rng(seed), [TIME.name]) | values for seed in (0, 1, 2)]
    forms = _forms(space, lagrangian, list(plain.values()), points, algebra)
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


def _forms(
    space: Space, lagrangian: sp.Expr, rates: list[str], points: list[dict[str, float]], algebra: Machine
) -> np.ndarray:
    """d2L/du du at each point, (N, k, k), for the velocities of these names."""
    u = [algebra.read(s) for s in space.velocities]
    second = algebra.slopes(algebra.gradient(algebra.read(lagrangian), u), u, symmetric=True)
    at = [[s.name for s in space.velocities].index(name) for name in rates]
    with np.errstate(all="ignore"):
        forms = np.array([numbers_of(second, len(u), point) for point in points])
    return np.asarray(forms[:, at][:, :, at])


def _body(forms: np.ndarray, angles: np.ndarray) -> np.ndarray | None:
    """Moments, if the forms (N, 3, 3) are those of one body at these angles (N, 3)."""
    sizes = np.linalg.det(forms)
    if abs(sizes).min() == 0 or (abs(forms[0] - forms[1]) <= _SAME * abs(forms[1])).all():
        return None
    orders, axes = _fitting(sizes, angles)
    if not len(orders):
        return None
    orders, axes = _ORDERS[orders], _AXES[axes]
    # M = E^-T L E^-1 ,  L_ij q^i. q^j. = M_ab w^a w^b ,  the same everywhere
    E = _rates(axes, angles[:, orders][:, :, None] * _SENSES) * _SENSES[:, None]
    regular = abs(np.linalg.det(E)) > 0
    inverse = np.linalg.inv(np.where(regular[..., None, None], E, np.eye(3)))
    ordered = forms[:, orders[:, :, None], orders[:, None]]
    M = inverse.swapaxes(-1, -2) @ ordered[:, :, None] @ inverse
    apart = abs(M - M[0]).max(axis=(0, -1, -2))
    same = regular.all(axis=0) & (apart <= _SAME * abs(M[0]).max(axis=(-1, -2)))
    return np.asarray(np.linalg.eigvalsh(M[0][same][0])) if same.any() else None


def _fitting(sizes: np.ndarray, angles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Orders and axes, by number, for which det L (N,) changes from place to place as it does for one body."""
    # det L = det M (det E)^2 ,  det E = sin q2 where the first axis is the last one too, else cos q2, or its negative
    s, c = np.sin(angles[:, _ORDERS[:, 1]]), np.cos(angles[:, _ORDERS[:, 1]])
    volumes = np.where(_AXES[:, 0] == _AXES[:, 2], s[..., None], c[..., None]) ** 2  # (N, orders, axes)
    apart = abs(sizes[:, None, None] * volumes[0] - sizes[0] * volumes).max(axis=0)
    orders, axes = np.nonzero(apart <= _NEAR * abs(sizes[0]) * volumes.max(axis=0))
    return orders, axes


def _rates(axes: np.ndarray, q: np.ndarray) -> np.ndarray:
    """E with w = E qdot, (..., n, senses, 3, 3), of a body that turns by q, (..., n, senses, 3), about axes (n, 3)."""
    first, second, third = (np.eye(3)[axis][:, None] for axis in axes.T)
    undone2, undone3 = (_turn(axes[:, i], q[..., i]).swapaxes(-1, -2) for i in (1, 2))
    # w = R3' R2' e1 q1. + R3' e2 q2. + e3 q3.
    columns = undone3 @ (undone2 @ first[..., None]), undone3 @ second[..., None], third[..., None]
    return np.concatenate(np.broadcast_arrays(*columns), axis=-1)


def _turn(axes: np.ndarray, angle: np.ndarray) -> np.ndarray:
    """Turns about coordinate axes (n,) by angles (..., n, m), as matrices (..., n, m, 3, 3)."""
    across = _ACROSS[axes][:, None]
    c, s = (f(angle)[..., None, None] for f in (np.cos, np.sin))
    # R = 1 + sin K + (1 - cos) K^2
    return np.asarray(np.eye(3) + s * across + (1 - c) * across @ across)
