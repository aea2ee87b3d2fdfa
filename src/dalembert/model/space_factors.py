"""The factors that spaces are made of: coordinates, plane, angle, rotation, direction, SE(2), SE(3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp

from ..argument_checks import public
from ..errors import InvalidValue, as_given
from .names import Names, name_of, symbols
from .space import Attitude, Space

_FRAMES = {"body": 1, "space": -1}
_SCALAR = 3  # where the scalar stands while a quaternion is found


@public
def coordinates(names: Names, velocities: Names | None = None) -> Space:
    """Plain coordinates, qdot = u: ``coordinates("x y theta", velocities="vx vy vtheta")``."""
    return _plain(Space(names, velocities), "coordinates")


@public
def line(name: str, velocity: str | None = None) -> Space:
    """One coordinate on a line."""
    return _plain(_fixed(coordinates(name, velocity), 1, "line"), "line")


@public
def angle(name: str, velocity: str | None = None) -> Space:
    """One angle, in radians; it is not wrapped, so turns are counted."""
    q = symbols(name, "coordinates")
    return _plain(_fixed(Space(q, velocity, angles=[s.name for s in q]), 1, "angle"), "angle")


@public
def plane(names: Names, velocities: Names | None = None) -> Space:
    """Two Cartesian coordinates in a plane."""
    return _plain(_fixed(coordinates(names, velocities), 2, "plane"), "plane")


@public
def rotation(
    name: str = "R", velocities: Names = "w1 w2 w3", frame: str = "space", attitude: str = "quaternion"
) -> Space:
    """A rotation, moved by its angular velocity.

    Args:
        name: coordinates are ``R_w R_x R_y R_z`` (unit quaternion, scalar first) or ``R11 ... R33`` (matrix).
        velocities: names of the three components of the angular velocity.
        frame: ``"space"`` (Rdot = hat(w) R) or ``"body"`` (Rdot = R hat(w)).
        attitude: ``"quaternion"`` or ``"matrix"``.

    Raises:
        InvalidValue: E140 for an unknown frame or attitude.
    """
    sign, name = _frame_sign(frame), name_of(name, "rotations")
    if not isinstance(attitude, str):
        raise InvalidValue("E140", f"attitude={as_given(attitude)} is not known", 'use "quaternion" or "matrix"')
    if attitude == "quaternion":
        q, anchor, embedding, retraction, found = _quaternion(name, frame)
    elif attitude == "matrix":
        q, anchor, embedding, retraction, found = _matrix(name, frame)
    else:
        raise InvalidValue("E140", f"attitude={as_given(attitude)} is not known", 'use "quaternion" or "matrix"')
    u = _three(velocities)
    # [e_a, e_b] = +eps_abc e_c in the body frame, -eps_abc e_c in the space frame
    brackets = {(a, b): [sign * sp.LeviCivita(a, b, c) for c in range(3)] for a, b in ((0, 1), (0, 2), (1, 2))}
    space = Space(q, u, anchor, brackets, embedding=embedding, retraction=retraction, attitudes={name: found})
    return space.made_by("rotation", name=name, velocities=_list(u), frame=frame, attitude=attitude)


@public
def direction(name: str = "z", velocities: Names = "w1 w2 w3") -> Space:
    """A unit vector z on the sphere S^2, turned by a spatial angular velocity: zdot = w x z.

    Three velocities on a two-dimensional sphere: the spin about z moves no coordinate but may carry energy, as in an
    axisymmetric body. Coordinates are ``z1 z2 z3``.
    """
    name = name_of(name, "directions")
    z = sp.Matrix(symbols([f"{name}{i}" for i in (1, 2, 3)], "coordinates"))
    # zdot = w x z = -hat(z) w
    anchor = -hat(z)
    brackets = {(a, b): [-sp.LeviCivita(a, b, c) for c in range(3)] for a, b in ((0, 1), (0, 2), (1, 2))}
    retraction = dict(zip(z, z / sp.sqrt(z.dot(z)), strict=True))
    u = _three(velocities)
    space = Space(tuple(z), u, anchor, brackets, embedding=[z.dot(z) - 1], retraction=retraction)
    return space.made_by("direction", name=name, velocities=_list(u))


@public
def SE2(names: Names = "x y theta", velocities: Names = "v1 v2 omega", frame: str = "body") -> Space:
    """Rigid motions of the plane: position x, y and heading theta.

    With ``frame="body"`` the velocities are forward, sideways (to the left) and turning; with ``"space"`` they are the
    spatial twist, xdot = v1 - omega y, ydot = v2 + omega x.
    """
    x, y, theta = _fixed(coordinates(names, velocities), 3, "SE2").coordinates
    c, s = sp.cos(theta), sp.sin(theta)
    body, space = [[c, -s, 0], [s, c, 0], [0, 0, 1]], [[1, 0, -y], [0, 1, x], [0, 0, 1]]
    sign = _frame_sign(frame)
    # [e_1, e_omega] = -e_2 and [e_2, e_omega] = e_1 in the body frame, of the other sign in the space frame
    brackets = {(0, 2): [0, -sign, 0], (1, 2): [sign, 0, 0]}
    made = Space((x, y, theta), velocities, body if sign > 0 else space, brackets, angles=[theta.name])
    return made.made_by("SE2", names=_list(made.coordinates), velocities=_list(made.velocities), frame=frame)


@public
def SE3(
    names: Names = "x y z", rotation_name: str = "R", velocities: Names = "v1 v2 v3 w1 w2 w3", frame: str = "body"
) -> Space:
    """Rigid motions of space: position, and attitude as a unit quaternion.

    With ``frame="body"`` the velocities are those of the origin and the angular velocity, both in body components
    (pdot = R v); with ``"space"`` the spatial twist (pdot = v + w x p).
    """
    sign, rotation_name = _frame_sign(frame), name_of(rotation_name, "rotations")
    p = symbols(names, "coordinates")
    if len(p) != 3:
        raise InvalidValue("E140", f"SE3 needs 3 position coordinates, not {len(p)}", 'for example "x y z"')
    q, turning, embedding, retraction, found = _quaternion(rotation_name, frame)
    moving = sp.Matrix(found.matrix) if sign > 0 else sp.eye(3)
    shift = sp.zeros(3) if sign > 0 else -hat(sp.Matrix(p))
    anchor = sp.Matrix(sp.BlockMatrix([[moving, shift], [sp.zeros(4, 3), sp.Matrix(turning)]]).as_explicit())
    u = symbols(velocities, "velocities")
    if len(u) != 6:
        raise InvalidValue("E140", f"SE3 needs 6 velocities, not {len(u)}", 'for example "v1 v2 v3 w1 w2 w3"')
    attitudes = {rotation_name: found}
    made = Space((*p, *q), u, anchor, _twists(sign), embedding=embedding, retraction=retraction, attitudes=attitudes)
    return made.made_by("SE3", names=_list(p), rotation=rotation_name, velocities=_list(u), frame=frame)


def _twists(sign: int) -> dict[tuple[int, int], list[Any]]:
    """[v_a, w_b] = eps_abc v_c and [w_a, w_b] = eps_abc w_c, with the sign of the frame."""
    table = {}
    for a in range(3):
        for b in range(3):
            eps = [sign * sp.LeviCivita(a, b, c) for c in range(3)]
            table[a, 3 + b] = [*eps, 0, 0, 0]
            if a < b:
                table[3 + a, 3 + b] = [0, 0, 0, *eps]
    return table


def hat(w: sp.Matrix) -> sp.Matrix:
    """The skew matrix with hat(w) v = w x v."""
    return sp.Matrix([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])


def _fixed(space: Space, n: int, what: str) -> Space:
    if len(space.coordinates) != n:
        raise InvalidValue(
            "E140", f"{what} takes {n} coordinate{'s' * (n > 1)}, not {len(space.coordinates)}", "name each one"
        )
    return space


def _plain(space: Space, kind: str) -> Space:
    """Plain coordinates that know their factory."""
    return space.made_by(kind, names=_list(space.coordinates), velocities=_list(space.velocities))


def _list(names: Sequence[sp.Symbol]) -> str:
    """``"x y z"``"""
    return " ".join(s.name for s in names)


def _three(velocities: Names) -> tuple[sp.Symbol, ...]:
    u = symbols(velocities, "velocities")
    if len(u) != 3:
        raise InvalidValue("E140", f"an angular velocity has 3 components, not {len(u)}", 'for example "w1 w2 w3"')
    return u


def _frame_sign(frame: str) -> int:
    if not isinstance(frame, str) or frame not in _FRAMES:
        raise InvalidValue("E140", f"frame={as_given(frame)} is not known", 'use "body" or "space"')
    return _FRAMES[frame]


def _quaternion(name: str, frame: str) -> tuple[Any, ...]:
    q = symbols([f"{name}_{c}" for c in "wxyz"], "coordinates")
    w, v = q[0], sp.Matrix(q[1:])
    # qdot = (0, omega) q / 2 in the space frame, q (0, omega) / 2 in the body frame
    turn = hat(v) if frame == "body" else -hat(v)
    anchor = sp.Matrix.vstack(-v.T, w * sp.eye(3) + turn) / 2
    # R = 1 + 2 w hat(v) + 2 hat(v)^2
    R = sp.ImmutableMatrix(sp.eye(3) + 2 * w * hat(v) + 2 * hat(v) ** 2)
    norm2 = sum(s**2 for s in q)
    retraction = {s: s / sp.sqrt(norm2) for s in q}
    return q, anchor, [norm2 - 1], retraction, Attitude(name, q, R, quaternion_of)


def _matrix(name: str, frame: str) -> tuple[Any, ...]:
    q = symbols([f"{name}{i}{j}" for i in (1, 2, 3) for j in (1, 2, 3)], "coordinates")
    R = sp.Matrix(3, 3, q)
    basis = [hat(sp.eye(3)[:, a]) for a in range(3)]
    # Rdot = R hat(omega) in the body frame, hat(omega) R in the space frame
    columns = [(R * e if frame == "body" else e * R).reshape(9, 1) for e in basis]
    gram = R.T * R - sp.eye(3)
    embedding = [gram[i, j] for i in range(3) for j in range(i, 3)]
    # R (3 - R^T R)/2: Newton's step to the nearest rotation
    nearer = R * (3 * sp.eye(3) - R.T * R) / 2
    retraction = dict(zip(q, nearer, strict=True))
    return q, sp.Matrix.hstack(*columns), embedding, retraction, Attitude(name, q, sp.ImmutableMatrix(R), _entries_of)


def quaternion_of(matrix: Any) -> Sequence[float]:
    """Unit quaternion (w, x, y, z), w >= 0, of a 3 x 3 rotation matrix; a nearby matrix is first made orthogonal.

    Raises:
        ValueError: the determinant is not positive.
    """
    R = np.asarray(matrix, dtype=float)
    if np.linalg.det(R) <= 0:
        raise ValueError("the determinant of a rotation is positive")
    if not np.allclose(R @ R.T, np.eye(3), atol=1e-12):
        U, _, V = np.linalg.svd(R)
        R = U @ V
    # the largest of the four components is found first, so that none is divided by a small one [shepperd1978]
    trace = R[0, 0] + R[1, 1] + R[2, 2]
    first = int(np.argmax([R[0, 0], R[1, 1], R[2, 2], trace]))
    found = np.empty(4)
    if first == _SCALAR:
        found[:] = R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1], 1 + trace
    else:
        i, j, k = first, (first + 1) % 3, (first + 2) % 3
        found[i], found[j], found[k] = 1 - trace + 2 * R[i, i], R[j, i] + R[i, j], R[k, i] + R[i, k]
        found[_SCALAR] = R[k, j] - R[j, k]
    size = np.sqrt(found[0] ** 2 + found[1] ** 2 + found[2] ** 2 + found[3] ** 2)
    x, y, z, w = (found / size).tolist()
    sign = -1.0 if (w, x, y, z) < (0.0, 0.0, 0.0, 0.0) else 1.0
    return (sign * w, sign * x, sign * y, sign * z)


def _entries_of(matrix: Any) -> Sequence[float]:
    return [float(matrix[i][j]) for i in range(3) for j in range(3)]
