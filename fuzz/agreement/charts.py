"""The factors of random spaces, each twice: as the library makes it, and as a chart of our own around any state.

A chart has as many numbers s as the factor has velocities; s = 0 is the state itself. It gives the coordinates q(s) and
the velocities u(s, sdot), so that the motion can be found by Lagrange's equations in s. No brackets are used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import sympy as sp

import dalembert as da

from .jets import power
from .trees import Tree, names_in, to_sympy, value

Leaves = dict[Any, Any]
Four = tuple[Any, Any, Any, Any]


@dataclass(frozen=True)
class Factor:
    """One factor of a space.

    Attributes:
        kind: ``"plain"``, ``"frame"``, ``"SE2"``, ``"rotation"``, ``"direction"`` or ``"SE3"``.
        q, u: names of coordinates and velocities.
        frame: ``"body"`` or ``"space"``; of plain coordinates the factory's name.
        name: of the rotation.
        matrix: is the attitude a matrix, not a quaternion?
        anchor: E(q) of a moving frame.
    """

    kind: str
    q: tuple[str, ...]
    u: tuple[str, ...]
    frame: str = ""
    name: str = ""
    matrix: bool = False
    anchor: tuple[tuple[Tree, ...], ...] = field(default=())

    def space(self) -> da.Space:
        """As the library makes it."""
        q, u = " ".join(self.q), " ".join(self.u)
        if self.kind == "plain":
            return {"angle": da.angle, "plane": da.plane}.get(self.frame, da.coordinates)(q, u)
        if self.kind == "frame":
            names = dict(zip(self.q, da.coordinates(q).coordinates, strict=True))
            names |= {n: sp.Symbol(n) for row in self.anchor for e in row for n in names_in(e) if n not in names}
            return da.Space(q, u, [[to_sympy(e, names, _none) for e in row] for row in self.anchor])
        if self.kind == "SE2":
            return da.SE2(q, u, frame=self.frame)
        if self.kind == "rotation":
            return da.rotation(self.name, u, self.frame, "matrix" if self.matrix else "quaternion")
        if self.kind == "direction":
            return da.direction(self.name, u)
        return da.SE3(" ".join(self.q[:3]), self.name, u, frame=self.frame)

    def sample(self, rng: np.random.Generator, count: int) -> dict[str, np.ndarray]:
        """Random coordinates on the factor."""
        if self.kind in ("plain", "frame", "SE2"):
            return dict(zip(self.q, rng.uniform(-1.2, 1.2, (len(self.q), count)), strict=True))
        p = rng.normal(size=(4, count))
        p /= np.linalg.norm(p, axis=0)
        turned = self._turned((p[0], p[1], p[2], p[3]))
        if self.kind == "SE3":
            return dict(zip(self.q[:3], rng.uniform(-1.2, 1.2, (3, count)), strict=True)) | turned
        return turned

    def _turned(self, p: Four) -> Leaves:
        """The coordinates of an attitude given as a quaternion."""
        if self.kind == "direction":
            return dict(zip(self.q, [row[2] for row in matrix_of(p)], strict=True))
        if self.matrix:
            return dict(zip(self.q, [e for row in matrix_of(p) for e in row], strict=True))
        return dict(zip(self.q[-4:], p, strict=True))

    def leaves(self, q: Mapping[str, np.ndarray], s: Sequence[Any], sd: Sequence[Any]) -> Leaves:
        """q(s), u(s, sdot) and the entries of the rotation."""
        if self.kind in ("plain", "frame", "SE2"):
            at = {n: q[n] + x for n, x in zip(self.q, s, strict=True)}
            return at | dict(zip(self.u, self._velocities(at, sd), strict=True))
        return self._rigid(q, s, sd)

    def _velocities(self, at: Leaves, sd: Sequence[Any]) -> list[Any]:
        if self.kind == "plain":
            return list(sd)
        if self.kind == "frame":
            return solved([[value(e, at) for e in row] for row in self.anchor], list(sd))
        x, y, theta = (at[n] for n in self.q)
        vx, vy, w = sd
        if self.frame == "space":
            return [vx + w * y, vy - w * x, w]
        c, n = value(("cos", ("name", "a")), {"a": theta}), value(("sin", ("name", "a")), {"a": theta})
        return [c * vx + n * vy, c * vy - n * vx, w]

    def _rigid(self, q: Mapping[str, np.ndarray], s: Sequence[Any], sd: Sequence[Any]) -> Leaves:
        """Attitudes: p(s) = (1, s/2)/sqrt(1 + s^2/4), before or behind the one at the state."""
        p, rate = half_turn(s[-3:], sd[-3:])
        if self.kind == "direction":
            R = matrix_of(p)
            z = [sum_(R[i][j] * q[n] for j, n in enumerate(self.q)) for i in range(3)]
            return dict(zip(self.q, z, strict=True)) | dict(zip(self.u, spun(rate, conjugate(p)), strict=True))
        start = quaternion_of([q[n] for n in self.q]) if self.matrix else tuple(q[n] for n in self.q[-4:])
        now = times(p, start) if self.frame == "space" else times(start, p)
        w = spun(rate, conjugate(p)) if self.frame == "space" else spun(conjugate(p), rate)
        R = matrix_of(now)
        found = self._turned(now) | {(self.name, i, j): R[i][j] for i in range(3) for j in range(3)}
        if self.kind == "rotation":
            return found | dict(zip(self.u, w, strict=True))
        at = [q[n] + x for n, x in zip(self.q[:3], s[:3], strict=True)]
        pd = sd[:3]
        if self.frame == "body":
            v = [sum_(R[j][i] * pd[j] for j in range(3)) for i in range(3)]
        else:  # pdot = v + w x p
            v = [a - b for a, b in zip(pd, cross(w, at), strict=True)]
        return found | dict(zip(self.q[:3], at, strict=True)) | dict(zip(self.u, [*v, *w], strict=True))


def _none(_: str) -> Any:
    raise KeyError("no rotation stands in an anchor")


def sum_(terms: Any) -> Any:
    """The sum of terms that are no numbers."""
    first, *rest = terms
    for term in rest:
        first = first + term
    return first


def half_turn(s: Sequence[Any], sd: Sequence[Any]) -> tuple[Four, Four]:
    """p(s) = (1, s/2)/N, N^2 = 1 + s^2/4, and its rate."""
    over = power(sum_(x * x for x in s) * 0.25 + 1.0, -0.5)  # 1/N
    slow = sum_(x * v for x, v in zip(s, sd, strict=True)) * 0.25 * over * over  # Ndot/N
    p = (over, *(x * 0.5 * over for x in s))
    rates = [v * 0.5 * over for v in sd]
    return p, (-(p[0] * slow), *(r - x * slow for r, x in zip(rates, p[1:], strict=True)))


def times(a: Any, b: Any) -> Four:
    """The product of quaternions."""
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] + a[2] * b[0] + a[3] * b[1] - a[1] * b[3],
        a[0] * b[3] + a[3] * b[0] + a[1] * b[2] - a[2] * b[1],
    )


def conjugate(a: Any) -> Four:
    """The same turn backwards."""
    return (a[0], -a[1], -a[2], -a[3])


def spun(a: Any, b: Any) -> list[Any]:
    """The angular velocity, twice the vector part of a b."""
    return [x * 2.0 for x in times(a, b)[1:]]


def cross(a: Any, b: Any) -> list[Any]:
    """a x b."""
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def matrix_of(p: Any) -> list[list[Any]]:
    """The matrix of a unit quaternion."""
    w, x, y, z = p
    return [
        [w * w + x * x - y * y - z * z, (x * y - w * z) * 2.0, (x * z + w * y) * 2.0],
        [(x * y + w * z) * 2.0, w * w - x * x + y * y - z * z, (y * z - w * x) * 2.0],
        [(x * z - w * y) * 2.0, (y * z + w * x) * 2.0, w * w - x * x - y * y + z * z],
    ]


def quaternion_of(entries: Sequence[np.ndarray]) -> Four:
    """A unit quaternion of a rotation matrix given by rows: the longest of four columns of K + 1."""
    a, b, c, d, e, f, g, h, i = entries
    columns = np.array(
        [[1 + a + e + i, h - f, c - g, d - b], [h - f, 1 + a - e - i, b + d, c + g],
         [c - g, b + d, 1 - a + e - i, f + h], [d - b, c + g, f + h, 1 - a - e + i]]
    )  # fmt: skip
    size = np.linalg.norm(columns, axis=1)
    best = np.argmax(size, axis=0)
    p = np.stack([columns[best[n], :, n] / size[best[n], n] for n in range(columns.shape[2])], axis=1)
    return (p[0], p[1], p[2], p[3])


def solved(A: list[list[Any]], b: list[Any]) -> list[Any]:
    """x with A x = b, whose pivots are not 0."""
    n = len(b)
    for k in range(n):

        def over(e: Any, pivot=A[k][k]) -> Any:
            return e * (power(pivot, -1.0) if hasattr(pivot, "dd") else 1 / pivot)

        A[k], b[k] = [over(e) for e in A[k]], over(b[k])
        for i in range(n):
            if i != k:
                factor = A[i][k]
                A[i] = [e - factor * p for e, p in zip(A[i], A[k], strict=True)]
                b[i] = b[i] - factor * b[k]
    return b
