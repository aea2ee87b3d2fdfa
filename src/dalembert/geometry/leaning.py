"""A rotation that is turned about an axis of space and spun about an axis of its own: the lean between the two is left.

With e = e_i in space and b = e_j in the body the group leaves R_ij = cos(lean) alone, and nothing else of R. Its orbits
cross the curve on which the body leans about e_(i+1),

    R = exp(lean hat(e_(i+1))) P ,    P e_(j+n) = e_(i+n) ,

once for each lean between 0 and pi; at these ends turning and spinning are one motion. On the curve the axis of the
body is b = cos(lean) e_i - sin(lean) e_(i+2). The angular velocity in space is w = turn' e + lean' e_(i+1) + spin' b:

    lean' = w_(i+1) ,    turn' = spin' = 0 where w_i = w_(i+2) = 0
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import sympy as sp

from ..errors import InvalidValue
from ..model.space import Attitude, Space

_HALF = sp.Symbol("_cos", real=True), sp.Symbol("_sin", real=True)  # of half the lean


@dataclass(frozen=True)
class Leaning:
    """The lean of a body that is turned from both sides.

    Attributes:
        symbol: the lean, between 0 and pi.
        attitude: the rotation it is taken from.
        i, j: positions of the axes of space and of the body.
    """

    symbol: sp.Symbol
    attitude: Attitude
    i: int
    j: int

    @cached_property
    def meaning(self) -> sp.Expr:
        """The lean as a function of the attitude."""
        R = self.attitude.matrix
        z = R[:, self.j]
        return sp.atan2(sp.sqrt(z[_next(self.i)] ** 2 + z[_next(self.i, 2)] ** 2), z[self.i])

    @cached_property
    def turns(self) -> tuple[sp.Expr, sp.Expr]:
        """How far it is turned about the axis of space and spun about its own, as functions of the attitude."""
        R = self.attitude.matrix
        z, g = R[:, self.j], R[self.i, :]
        turn = sp.atan2(z[_next(self.i)], -z[_next(self.i, 2)])
        return turn, sp.atan2(g[_next(self.j)], g[_next(self.j, 2)])

    @cached_property
    def _matrix(self) -> sp.Matrix:
        """R on the curve."""
        c, s, R = sp.cos(self.symbol), sp.sin(self.symbol), sp.zeros(3, 3)
        to, turned = _next(self.i, 2), (_next(self.i), _next(self.j))
        # e_i -> c e_i - s e_(i+2) ,  e_(i+2) -> s e_i + c e_(i+2)
        R[self.i, self.j], R[to, self.j] = c, -s
        R[self.i, _next(self.j, 2)], R[to, _next(self.j, 2)] = s, c
        R[turned] = 1
        return R

    @cached_property
    def _halves(self) -> Mapping[sp.Symbol, sp.Expr]:
        """The quaternion on the curve, by cosine and sine of half the lean."""
        c, s = _HALF
        lean = [c, *(s if n == _next(self.i) else sp.S.Zero for n in range(3))]
        step = [sp.Rational(1, 2)] * 4  # e_1 -> e_2 -> e_3
        for _ in range((self.i - self.j) % 3):
            lean = _product(lean, step)
        return dict(zip(self.attitude.coordinates, lean, strict=True))

    def at(self, e: sp.Expr) -> sp.Expr:
        """A function on the curve.

        Raises:
            InvalidValue: E124, it is odd in the quaternion.
        """
        q = self.attitude.coordinates
        if not e.free_symbols & set(q):
            return e
        if len(q) == 9:
            return e.xreplace(dict(zip(q, self._matrix, strict=True)))
        if e.is_polynomial(*q):
            return self._whole(e.xreplace(self._halves))
        return e.func(*map(self.at, e.args))

    def place(self, lean: float) -> dict[str, float]:
        """The attitude on the curve, by name."""
        q, half = self.attitude.coordinates, dict(zip(_HALF, (math.cos(lean / 2), math.sin(lean / 2)), strict=True))
        rows = self._matrix.subs(self.symbol, lean) if len(q) == 9 else [e.subs(half) for e in self._halves.values()]
        return {s.name: float(e) for s, e in zip(q, rows, strict=True)}

    def _whole(self, e: sp.Expr) -> sp.Expr:
        """A polynomial in cosine and sine of half the lean, in those of the whole one."""
        c, s = sp.cos(self.symbol), sp.sin(self.symbol)
        found = []
        for (a, b), factor in sp.Poly(e, *_HALF).terms():
            if (a + b) % 2:
                fact = f"a function is odd in the quaternion {self.attitude.name}: {e!s:.60}"
                raise InvalidValue("E124", fact, "write L, constraints and forces with the rotation's matrix, space.R")
            # 2 cos^2 = 1 + c ,  2 sin^2 = 1 - c ,  2 sin cos = s
            found.append(factor * (s / 2) ** (a % 2) * ((1 + c) / 2) ** (a // 2) * ((1 - c) / 2) ** (b // 2))
        return sp.factor_terms(sp.expand(sp.Add(*found)))

    def rates(self, space: Space) -> tuple[sp.Matrix, sp.Matrix]:
        """Rows by velocity on the curve: of the lean (1 x k), and two that vanish with turn and spin alone."""
        R, q = self.attitude.matrix, list(self.attitude.coordinates)
        E = sp.Matrix(space.anchor).extract([space.coordinates.index(s) for s in q], range(len(space.velocities)))
        rows = []
        for a, b in ((1, 2), (2, 0), (0, 1)):
            # hat(w) = R' R^T :  w_c = (R' R^T)_ba
            slope = sum((R[a, n] * sp.Matrix([[R[b, n].diff(s) for s in q]]) for n in range(3)), sp.zeros(1, len(q)))
            rows.append((slope * E).applyfunc(lambda e: sp.trigsimp(self.at(sp.expand(e)))))
        w = sp.Matrix.vstack(*rows)
        return w[_next(self.i), :], sp.Matrix.vstack(w[self.i, :], w[_next(self.i, 2), :])


def leaning_of(space: Space, attitude: Attitude, left: Sequence[tuple[int, int]]) -> list[Leaning]:
    """The lean between the first pair (i, j) of axes of space and body whose R_ij is left alone, if there is one."""
    name = "lean" if "lean" not in space.by_name and len(space.attitudes) == 1 else f"{attitude.name}_lean"
    return [Leaning(sp.Symbol(name, real=True), attitude, *pair) for pair in left[:1]]


def _next(i: int, steps: int = 1) -> int:
    return (i + steps) % 3


def _product(p: Sequence[sp.Expr], q: Sequence[sp.Expr]) -> list[sp.Expr]:
    """Of quaternions."""
    a, u, b, v = p[0], sp.Matrix(p[1:]), q[0], sp.Matrix(q[1:])
    return [a * b - u.dot(v), *(a * v + b * u + u.cross(v))]
