"""Functions that a group leaves alone: the coordinates of the reduced space, and functions rewritten in them.

Coordinates that no generator moves are shape coordinates themselves. Where a rotation R is turned, R b (the direction
in space of an axis b of the body) or R^T e (the direction in the body of an axis e of space) may be left alone; it is a
point of a sphere, with three coordinates and no singular place. Where both are moved, the angle between e and R b may
be left alone (`Leaning`).

An invariant polynomial in the attitude is rewritten in these by linear algebra: its values at rotations with rational
entries determine its coefficients exactly. Roots, quotients and other functions of invariants are rewritten inside.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import sympy as sp
from sympy.polys.matrices import DomainMatrix

from ..calculus.from_sympy import read
from ..calculus.graph import Graph, evaluate
from ..calculus.line_width import TERMINAL, folded
from ..errors import InvalidValue
from ..model.space import Attitude, Space
from ..model.symmetry import Generator
from .symbolic_null_space import ring_of

_POINTS, _TOLERANCE, _MOST_DEGREE = 4, 1e-9, 6
_ROUNDED = sp.Rational(1, 10**13)  # of the largest coefficient


@dataclass(frozen=True)
class Sphere:
    """A direction that the group leaves alone.

    Attributes:
        symbols: its three coordinates.
        meaning: these as functions of the attitude.
        attitude: the rotation they are taken from.
    """

    symbols: tuple[sp.Symbol, sp.Symbol, sp.Symbol]
    meaning: tuple[sp.Expr, sp.Expr, sp.Expr]
    attitude: Attitude


@dataclass(frozen=True, eq=False)
class Shape:
    """The functions that are invariant under the generators.

    Attributes:
        space: the space acted on.
        kept: its coordinates that are not moved.
        spheres: directions that are not moved.
        moved: its coordinates that are moved and belong to no rotation.
        leanings: angles between an axis of space and one of a body, where only they are not moved.
        crossing: those of the moved coordinates that are coordinates on a slice, with their names there.
    """

    space: Space
    kept: tuple[sp.Symbol, ...]
    spheres: tuple[Sphere, ...]
    moved: tuple[sp.Symbol, ...]
    leanings: tuple[Leaning, ...] = ()
    crossing: Mapping[sp.Symbol, sp.Symbol] = field(default_factory=dict)
    _fits: dict[tuple[tuple[sp.Symbol, ...], int], SphereFit] = field(default_factory=dict)

    @property
    def coordinates(self) -> tuple[sp.Symbol, ...]:
        """The reduced space's coordinates."""
        directions = (s for sphere in self.spheres for s in sphere.symbols)
        return (*self.kept, *directions, *(lean.symbol for lean in self.leanings), *self.crossing.values())

    @property
    def sliced(self) -> bool:
        """Is a place on the slice told by coordinates of the slice's own?"""
        return bool(self.crossing or self.leanings)

    @property
    def group(self) -> tuple[sp.Symbol, ...]:
        """Moved coordinates that are 0 on the slice."""
        return tuple(q for q in self.moved if q not in self.crossing)

    @property
    def at_slice(self) -> dict[sp.Symbol, sp.Expr]:
        """The slice: these coordinates are 0."""
        return dict.fromkeys(self.group, sp.S.Zero)

    @property
    def moving(self) -> tuple[str, ...]:
        """Names of the coordinates and rotations that are moved."""
        turned = (a.name for a in self.space.attitudes.values() if not set(a.coordinates) <= set(self.kept))
        return (*(q.name for q in self.moved), *turned)

    @property
    def line(self) -> str:
        """The invariant coordinates and what they are, on one line."""
        told = [f"{s} = {e}" for s, e in self.meaning.items()]
        where = ", ".join(f"{q} = 0" for q in self.group)
        told += [f"{new} = {q} where {where}" for q, new in self.crossing.items()]
        return ", ".join(told) or "none"

    def __str__(self) -> str:
        return "\n".join(folded(self.line, TERMINAL))

    __repr__ = __str__

    @property
    def meaning(self) -> dict[sp.Symbol, sp.Expr]:
        """The invariant coordinates, as functions on the given space."""
        own = {q: q for q in self.kept}
        own |= {s: e for sphere in self.spheres for s, e in zip(sphere.symbols, sphere.meaning, strict=True)}
        return own | {lean.symbol: lean.meaning for lean in self.leanings}

    @property
    def embedding(self) -> list[sp.Expr]:
        """Expressions that vanish on the reduced space."""
        of_kept = [e for e in self.space.embedding if e.free_symbols <= set(self.kept)]
        return of_kept + [sum(s**2 for s in sphere.symbols) - 1 for sphere in self.spheres]

    @property
    def retraction(self) -> dict[sp.Symbol, sp.Expr]:
        """The nearest point of the reduced space."""
        found = {q: e for q, e in self.space.retraction.items() if q in self.kept}
        for sphere in self.spheres:
            size = sp.sqrt(sum(s**2 for s in sphere.symbols))
            found |= {s: s / size for s in sphere.symbols}
        return found

    @cached_property
    def _turned(self) -> tuple[sp.Symbol, ...]:
        return tuple(q for a in self.space.attitudes.values() for q in a.coordinates if q not in self.kept)

    # --- rewriting --------------------------------------------------------------------------------------------------

    def rewrite(self, e: sp.Expr) -> sp.Expr:
        """An invariant function in the reduced coordinates.

        Raises:
            InvalidValue: E124, it is no polynomial in the attitude, or it is not invariant.
        """
        e = self.on_slice(e)
        for sphere in self.spheres:
            if e.free_symbols & set(sphere.attitude.coordinates):
                e = self._in_sphere(e, sphere)
        if e.free_symbols & set(self._turned):
            e = self._at_identity(e)
        return e

    def on_slice(self, e: sp.Expr) -> sp.Expr:
        """Any function, on the slice."""
        e = e.xreplace({**self.at_slice, **self.crossing})
        for lean in self.leanings:
            e = lean.at(e)
        return e

    def place(self, values: Mapping[str, float], carried: bool) -> dict[str, float]:
        """The place on the slice, if there is one: its own coordinates lead back to the given ones."""
        found = {q.name: 0.0 for q in self.group} if self.sliced or carried else {}
        found |= {q.name: values[new.name] for q, new in self.crossing.items()}
        for lean in self.leanings:
            found |= lean.place(values[lean.symbol.name])
        return found

    def _at_identity(self, e: sp.Expr) -> sp.Expr:
        """An attitude that can be turned into any other: the function does not depend on it."""
        values: dict[sp.Symbol, float] = {}
        for attitude in self.space.attitudes.values():
            values |= zip(attitude.coordinates, attitude.from_matrix(np.eye(3)), strict=True)
        return e.xreplace({q: sp.Integer(round(v)) for q, v in values.items() if q in self._turned})

    def _in_sphere(self, e: sp.Expr, sphere: Sphere) -> sp.Expr:
        """e in the sphere's coordinates: functions in it, such as roots and quotients, by their arguments."""
        q = sphere.attitude.coordinates
        inner = {f: sp.Dummy(real=True) for f in _functions(e, q)}
        found = self._polynomial(e.xreplace(inner), sphere)
        back = {d: f.func(*(self._in_sphere(arg, sphere) for arg in f.args)) for f, d in inner.items()}
        return found.xreplace(back)

    def _polynomial(self, e: sp.Expr, sphere: Sphere) -> sp.Expr:
        """A polynomial in the attitude as one in the sphere's coordinates: fitted exactly at rational rotations."""
        q = sphere.attitude.coordinates
        if not e.free_symbols & set(q):
            return e
        floats = e.atoms(sp.Float)
        parts = by_rest(e.xreplace({f: sp.Rational(f) for f in floats}), q) if e.is_polynomial(*q) else None
        highest = max((sum(m) for part in (parts or {}).values() for m in part), default=0)
        if parts is None or highest > 2 * _MOST_DEGREE:
            raise InvalidValue(
                "E124",
                f"a function of the attitude is no polynomial of moderate degree: {e!s:.60}",
                "write L, constraints and forces with the rotation's matrix, space.R",
            )
        fit = self._fit(sphere, -(-highest // (2 if len(q) == 4 else 1)))
        fitted = {rest: fit.coefficients(part) for rest, part in parts.items()}
        if floats:  # the given decimals were rounded, so that what they cancel to is not quite 0
            least = {rest: _ROUNDED * max(map(abs, part.values())) for rest, part in parts.items()}
            fitted = {rest: [c if abs(c) > least[rest] else 0 for c in row] for rest, row in fitted.items()}
        number = sp.Float if floats else sp.Rational
        found = sp.S.Zero
        for k, monomial in enumerate(fit.monomials):
            found += sp.Add(*(number(row[k]) * rest for rest, row in fitted.items() if row[k])) * monomial
        self._check(e, found, sphere)
        return sp.expand(found) if sp.count_ops(found) < sp.count_ops(e) else sp.factor_terms(found)

    def _fit(self, sphere: Sphere, degree: int) -> SphereFit:
        key = (sphere.symbols, degree)
        if key not in self._fits:
            self._fits[key] = SphereFit.of(sphere.symbols, sphere.meaning, sphere.attitude.coordinates, degree)
        return self._fits[key]

    def _check(self, e: sp.Expr, found: sp.Expr, sphere: Sphere) -> None:
        graph, rng = Graph(), np.random.default_rng(4)
        back = found.xreplace(dict(zip(sphere.symbols, sphere.meaning, strict=True)))
        nodes = [read(e, graph), read(back, graph)]
        names = sorted({s.name for s in (e.free_symbols | back.free_symbols)} - set(self.space.by_name))
        for _ in range(_POINTS):
            one, other = evaluate(nodes, self.space.sample(rng, names))
            if abs(one - other) > _TOLERANCE * (1 + abs(one)):
                raise InvalidValue(
                    "E124", f"{e!s:.60} depends on more of the attitude than {sphere.symbols}", "check the generators"
                )


def shape_of(space: Space, generators: Sequence[Generator]) -> Shape:
    """The coordinates and directions that the generators leave alone."""
    q, E = space.coordinates, sp.Matrix(space.anchor)
    rates = [list(E * sp.Matrix(g.components)) if q else [] for g in generators]
    moved = [any(not _zero(space, rate[i]) for rate in rates) for i in range(len(q))]
    kept: list[sp.Symbol] = [s for s, m in zip(q, moved, strict=True) if not m]
    spheres: list[Sphere] = []
    leanings: list[Leaning] = []
    turned: set[sp.Symbol] = set()
    for attitude in space.attitudes.values():
        turned |= set(attitude.coordinates)
        if not set(attitude.coordinates) <= set(kept):
            kept = [s for s in kept if s not in attitude.coordinates]
            found = _spheres(space, attitude, q, rates)
            spheres += found
            leanings += [] if found else leaning_of(space, attitude, _angles(space, attitude, q, rates))
    rest = tuple(s for s in q if s not in kept and s not in turned)
    return Shape(space, tuple(kept), tuple(spheres), rest, tuple(leanings))


def _spheres(space: Space, attitude: Attitude, q: Sequence[sp.Symbol], rates: list[list[sp.Expr]]) -> list[Sphere]:
    """R b or R^T e, the first that no generator moves."""
    R = attitude.matrix
    for letter, matrix in (("z", R), ("g", R.T)):
        for axis in (2, 0, 1):
            meaning = tuple(matrix[:, axis])
            moves = (
                sum((e.diff(s) * r for s, r in zip(q, rate, strict=True)), sp.S.Zero) for rate in rates for e in meaning
            )
            if all(_zero(space, move) for move in moves):
                names = [f"{letter}{i}" for i in (1, 2, 3)]
                if set(names) & set(space.by_name):
                    names = [f"{attitude.name}_{name}" for name in names]
                z1, z2, z3 = (sp.Symbol(name, real=True) for name in names)
                return [Sphere((z1, z2, z3), meaning, attitude)]
    return []


def _angles(
    space: Space, attitude: Attitude, q: Sequence[sp.Symbol], rates: list[list[sp.Expr]]
) -> list[tuple[int, int]]:
    """The (i, j) of which R_ij = e_i . R e_j is left alone by all generators."""
    R = attitude.matrix

    def left(e: sp.Expr) -> bool:
        moves = (sum((e.diff(s) * r for s, r in zip(q, rate, strict=True)), sp.S.Zero) for rate in rates)
        return all(_zero(space, move) for move in moves)

    return [(i, j) for i in (2, 0, 1) for j in (2, 0, 1) if left(R[i, j])]


def _zero(space: Space, e: sp.Expr) -> bool:
    """Is the expression 0 on the space? Seen from its structure, or at a few random points."""
    if e == 0:
        return True
    graph, rng = Graph(), np.random.default_rng(5)
    node = read(e, graph)
    names = sorted({s.name for s in e.free_symbols} - set(space.by_name))
    return all(abs(evaluate([node], space.sample(rng, names))[0]) < _TOLERANCE for _ in range(_POINTS))


def _functions(e: sp.Expr, q: Sequence[sp.Symbol]) -> set[sp.Expr]:
    """The outermost parts of e that depend on q and are neither sums nor products nor powers 2, 3, ..."""
    if not e.free_symbols & set(q) or e.is_Symbol:
        return set()
    if e.is_Add or e.is_Mul or (e.is_Pow and e.exp.is_Integer and e.exp > 0):
        return set().union(*(_functions(arg, q) for arg in e.args))
    return {e}


# --- the lean of a rotation that is turned about an axis of space and spun about one of its own -----------------------

# With e = e_i in space and b = e_j in the body the group leaves R_ij = cos(lean) alone, and nothing else of R. Its
# orbits cross the curve on which the body leans about e_(i+1),
#
#     R = exp(lean hat(e_(i+1))) P ,    P e_(j+n) = e_(i+n) ,
#
# once for each lean between 0 and pi; at these ends turning and spinning are one motion. On the curve the axis of the
# body is b = cos(lean) e_i - sin(lean) e_(i+2). The angular velocity in space is w = turn' e + lean' e_(i+1) + spin' b:
#
#     lean' = w_(i+1) ,    turn' = spin' = 0 where w_i = w_(i+2) = 0

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


# --- polynomials in a rotation that depend on one direction alone, as polynomials in that direction -------------------

# Their values at rotations with rational entries determine the coefficients, exactly.

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
