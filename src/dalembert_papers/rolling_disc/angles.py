"""Which Euler angles f1, f2 and L of [cushman1995 Section 6] belong to, from rotation matrices.

The disc's axle is the third axis of the body, R e3. The contact lies in the plane of the disc, as low as can be, at
r d from the centre; the disc rolls where v + w x r d = 0. [goldstein2002] has R = Z(phi) X(theta) Z(psi).
"""

from __future__ import annotations

from collections.abc import Iterator

import sympy as sp

from ..claim import Claim, Group, author
from . import given
from .given import A, C, c, coordinates, holds, m, phi, psi, r, s, theta, velocities, vtheta, vx, vy

UP = sp.Matrix([0, 0, 1])


def about(axis: int, angle: sp.Expr) -> sp.Matrix:
    """The rotation about a coordinate axis (0, 1, 2)."""
    turn = sp.eye(3)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    turn[i, i] = turn[j, j] = sp.cos(angle)
    turn[j, i], turn[i, j] = sp.sin(angle), -sp.sin(angle)
    return turn


def attitude(middle: int) -> sp.Matrix:
    """Z(phi) Y(theta) Z(psi) for 1, Z(phi) X(theta) Z(psi) for 0."""
    return about(2, phi) * about(middle, theta) * about(2, psi)


def axle(middle: int) -> sp.Matrix:
    """R e3, seen from axes turned by phi."""
    return about(middle, theta)[:, 2]


def angular(middle: int) -> sp.Matrix:
    """w, seen from axes turned by phi: hat(w) = Rdot R^T, which holds no phi and no psi there."""
    R, here = attitude(middle), {phi: 0, psi: 0}
    rate = sum((R.diff(q) * u for q, u in zip(coordinates, velocities, strict=True)), sp.zeros(3))
    turn = rate.xreplace(here) * R.T.xreplace(here)
    return sp.Matrix([turn[2, 1], turn[0, 2], turn[1, 0]]).applyfunc(sp.trigsimp)


def slip(middle: int) -> sp.Matrix:
    """The velocity of the disc's material at the contact: along phi, across it, upwards."""
    # d = -(e3 - (e3 . axle) axle)/sin theta
    down = -(UP - axle(middle)[2] * axle(middle)) / s
    v = about(2, -phi) * sp.Matrix([vx, vy, r * c * vtheta])
    return (v + angular(middle).cross(r * down)).applyfunc(sp.simplify)


def rolling() -> Iterator[Claim]:
    """f1, f2 say that the contact does not slip, for zyz angles and not for Goldstein's zxz."""
    f = [row.phi for row in given.system().constraints]
    where = "section 6, angles"
    gaps = {middle: [a - b for a, b in zip(slip(middle)[:2], f, strict=True)] for middle in (0, 1)}
    statement = "f1, f2 are the rolling conditions in Goldstein's zxz angles"
    zyz = "f1, f2 are the rolling conditions in zyz angles, phi_Goldstein = phi + pi/2"
    angles = author("A convention: rolling without slip, in both kinds of angles. L is the same.")
    yield from given.printed(where, statement, gaps[0], zyz, gaps[1], angles)
    goldstein = list(slip(0)[:2])
    shifted = [e.xreplace({phi: phi + sp.pi / 2}) for e in goldstein]
    # along phi_Goldstein = phi + pi/2 is across phi
    yield holds(
        where, "phi_Goldstein = phi + pi/2 turns the zxz conditions into f1, f2", shifted[0] - f[1], shifted[1] + f[0]
    )


def lagrangian() -> Iterator[Claim]:
    """L is the same for both."""
    L = given.system().lagrangian
    for middle, name in ((1, "zyz"), (0, "zxz")):
        w = angular(middle)
        spin = w.dot(axle(middle))
        # A (w . w - n^2) + C n^2 ,  n along the axle
        T = m * (vx**2 + vy**2 + (r * c * vtheta) ** 2) + A * (w.dot(w) - spin**2) + C * spin**2
        yield holds("section 6, angles", f"L in {name} angles", T / 2 - m * given.g * r * s - L)


GROUPS: tuple[Group, ...] = (rolling, lagrangian)
