"""Polynomials in a rotation that depend on one direction alone, as polynomials in that direction.

Their values at rotations with rational entries determine the coefficients, exactly.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import sympy as sp
from sympy.polys.matrices import DomainMatrix

from .kernel import ring_of

Powers = Mapping[tuple[int, ...], sp.Rational]  # {exponents: coefficient}


@dataclass(frozen=True)
class SphereFit:
    """From values at points to coefficients.

    Attributes:
        monomials: those of the direction's coordinates up to a degree, of which the last squared is 1 less the others.
        points: rotations with rational entries, as the rotation's coordinates.
        matrix: from the values there to the coefficients (monomials x points).
    """

    monomials: tuple[sp.Expr, ...]
    points: tuple[tuple[sp.Rational, ...], ...]
    matrix: DomainMatrix

    @classmethod
    def of(
        cls, direction: Sequence[sp.Symbol], meaning: Sequence[sp.Expr], q: Sequence[sp.Symbol], degree: int
    ) -> SphereFit:
        """The fit up to a degree.

        Args:
            direction: its three coordinates.
            meaning: these as functions of the rotation.
            q: the rotation's coordinates, a unit quaternion or the entries of a matrix.
            degree: the highest of the monomials.
        """
        powers = [p for p in itertools.product(range(degree + 1), repeat=3) if sum(p) <= degree and p[2] < 2]
        points = tuple(itertools.islice(_rational(len(q)), 2 * len(powers)))
        rows = []
        for point in points:
            there = dict(zip(q, point, strict=True))
            rows.append([_at(p, [m.xreplace(there) for m in meaning]) for p in powers])
        A = DomainMatrix.from_Matrix(sp.Matrix(rows)).convert_to(sp.QQ)
        # A d = values in the least squares, which are met
        matrix = (A.transpose() * A).inv() * A.transpose()
        return cls(tuple(_at(p, direction) for p in powers), points, matrix)

    def coefficients(self, polynomial: Powers) -> list[sp.Rational]:
        """Of a polynomial in the rotation's coordinates."""
        values = [[sum(c * _at(m, point) for m, c in polynomial.items())] for point in self.points]
        column = DomainMatrix.from_Matrix(sp.Matrix(values)).convert_to(sp.QQ)
        return list((self.matrix * column).to_Matrix())


def by_rest(e: sp.Expr, q: Sequence[sp.Symbol]) -> dict[sp.Expr, Powers]:
    """A polynomial in q: what else its terms hold, with the polynomial in q that it is multiplied with."""
    ring = ring_of(q, e)
    found: dict[sp.Expr, dict[tuple[int, ...], sp.Rational]] = {}
    for m, c in ring.from_expr(e).terms():
        found.setdefault(_at(m[len(q) :], ring.symbols[len(q) :]), {})[m[: len(q)]] = c
    return dict(found)


def _at(powers: Sequence[int], values: Sequence[sp.Expr]) -> sp.Expr:
    return sp.Mul(*(x**n for x, n in zip(values, powers, strict=True) if n))


def _rational(count: int) -> Iterator[tuple[sp.Rational, ...]]:
    """Rotations with rational entries, as unit quaternions or matrices."""
    for p in itertools.product((1, 2, -1, 3, 0, -2), repeat=4):
        norm2 = sum(x * x for x in p)
        if not norm2:
            continue
        w, v = p[0], sp.Matrix(p[1:])
        # p p / |p|^2 is a unit quaternion with rational entries
        unit = [sp.Rational(w * w - v.dot(v), norm2), *(sp.Rational(2 * w * x, norm2) for x in v)]
        yield tuple(unit) if count == 4 else tuple(_matrix(unit))


def _matrix(q: Sequence[sp.Rational]) -> sp.Matrix:
    w, x, y, z = q
    hat = sp.Matrix([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return sp.eye(3) + 2 * w * hat + 2 * hat * hat
