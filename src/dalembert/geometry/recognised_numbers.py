"""Numbers written by the parameters that they come from: 1.3666 as J/m where it is that, vectors by polynomials."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, permutations

import numpy as np
import sympy as sp

from ..calculus.numerical_rank import SAMPLED, echelon, null_rows

_SAME = 1e-9


def in_parameters(number: sp.Expr, known: Mapping[sp.Symbol, float]) -> sp.Expr:
    """A parameter, its inverse, or a product or quotient of two, with either sign, of this value; else the number.

    That the values agree is no proof: who asks looks whether the claim still holds at other values.
    """
    if not number.is_Float:
        return number
    return next(expressions_of(float(number), known), number)


def expressions_of(wanted: float, known: Mapping[sp.Symbol, float]) -> Iterator[sp.Expr]:
    """All the expressions of `in_parameters` that have this value."""
    for expression, value in _candidates({s: v for s, v in known.items() if v}):
        if abs(abs(wanted) - abs(value)) <= _SAME * abs(wanted):
            yield expression if wanted * value > 0 else -expression


def _candidates(known: Mapping[sp.Symbol, float]) -> Iterator[tuple[sp.Expr, float]]:
    """Expressions and their values, short ones first."""
    for s, v in known.items():
        yield s, v
        yield 1 / s, 1 / v
    for (s, v), (r, w) in permutations(known.items(), 2):
        yield s / r, v / w
    for (s, v), (r, w) in combinations(known.items(), 2):
        yield s * r, v * w
        yield 1 / (s * r), 1 / (v * w)


# --- vectors as quotients of polynomials in the parameters ------------------------------------------------------------

# A vector c(p), known up to a factor at many values of the parameters, is written with one denominator:
# c_j(p) D(p) = N_j(p), D and N_j with unknown coefficients in monomials of p. That is linear; the lowest degree that
# has a solution is taken.

DEGREE, MOST, SPARE = 3, 400, 4  # of the polynomials; unknowns at once; values more than needed
_SAME_FRACTION, _NOTHING, _DENOMINATOR = 1e-6, 1e-7, 64


def interpolated(
    at: Callable[[Mapping[str, float]], np.ndarray | None],
    known: Mapping[sp.Symbol, float],
    bases: Sequence[sp.Expr],
    c: np.ndarray,
) -> Iterator[list[sp.Expr]]:
    """Ways to write a vector, of falling simplicity: each a list of polynomials with whole or simple coefficients.

    Args:
        at: the vector, up to a factor, at other values of the parameters.
        known: the parameters and their own values.
        bases: what the polynomials are in: parameters, and functions of them.
        c: the vector there.
    """
    first = [fraction(x) for x in (c / c[int(np.abs(c).argmax())]).tolist()]
    if not any(x.is_Float for x in first):
        yield first
    rng = np.random.default_rng(17)
    places, vectors = list[np.ndarray](), list[np.ndarray]()
    for degree in range(1, DEGREE + 1):
        powers = [p for d in range(degree + 1) for p in combinations_with_replacement(range(len(bases)), d)]
        unknown = len(powers) * len(c)
        if unknown > MOST or not bases or len(c) < 2:
            return
        while len(places) < unknown / (len(c) - 1) + SPARE:
            values = {s: v * float(rng.uniform(0.6, 1.6)) for s, v in known.items()}
            vector = at({s.name: v for s, v in values.items()})
            if vector is None:
                return
            places.append(np.array([float(e.subs(values)) for e in bases]))
            vectors.append(vector)
        yield from _solved(np.array(places), np.array(vectors), bases, powers)


def _solved(
    places: np.ndarray, vectors: np.ndarray, bases: Sequence[sp.Expr], powers: list[tuple[int, ...]]
) -> Iterator[list[sp.Expr]]:
    """N_j with  v_j N_i = v_i N_j ,  i the entry that is largest throughout."""
    M = np.array([np.prod(places[:, list(p)], axis=1) for p in powers]).T
    size = np.abs(M).mean(axis=0)
    lead = int(np.abs(vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).min(axis=0).argmax())
    n, rows = vectors.shape[1], []
    if not np.abs(vectors[:, lead]).min() > 0:
        return
    for j in (j for j in range(n) if j != lead):
        block = np.zeros((len(places), n, len(powers)))
        ratio = (vectors[:, j] / vectors[:, lead])[:, None]
        block[:, lead] = ratio * M / size / (1 + np.abs(ratio))
        block[:, j] = -M / size / (1 + np.abs(ratio))
        rows.append(block.reshape(len(places), -1))
    null = null_rows(np.vstack(rows), SAMPLED)
    for solution in sorted(echelon(null / np.tile(size, n)), key=lambda v: np.count_nonzero(np.abs(v) > _NOTHING)):
        exact = [fraction(x) for x in (solution / solution[int(np.abs(solution).argmax())]).tolist()]
        if any(x.is_Float for x in exact):
            continue
        monomials = [sp.Mul(*(bases[i] for i in p)) for p in powers]
        yield [
            sp.Add(*(a * m for a, m in zip(exact[j : j + len(powers)], monomials, strict=True)))
            for j in range(0, len(exact), len(powers))
        ]


def fraction(x: float) -> sp.Expr:
    """A simple fraction near x, or x."""
    near = Fraction(x).limit_denominator(_DENOMINATOR)
    same = abs(float(near) - x) <= _SAME_FRACTION * max(1.0, abs(x))
    return sp.Rational(near.numerator, near.denominator) if same else sp.Float(x)
