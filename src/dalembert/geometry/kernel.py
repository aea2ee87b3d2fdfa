"""A basis of the kernel of a matrix of functions of the place, without denominators and so without poles."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import sympy as sp
from sympy.polys.orderings import lex
from sympy.polys.rings import PolyRing

from ..calculus.exact.residues import Point
from ..calculus.graph import Graph
from ..calculus.read import read
from ..calculus.simplification import SUMMANDS, adjugate, at_most, determinant, searchable, summands
from ..model.space import Space
from ..model.system import System
from .identities import follows
from .pivots import pivots

_POINTS = 60  # modulo a prime, at most
_POLES = sp.tan, sp.cot, sp.sec, sp.csc
KEPT = 4096  # expressions that were tidied and come again: minors have entries in common
TIDIED, FACTORED = 30, 60  # operations up to which an expression is simplified, a polynomial factored


def kernel(system: System, A: sp.Matrix) -> list[sp.Matrix]:
    """A basis of the s with A s = 0, without denominators, by Cramer's rule."""
    rows, dependent = pivots(system, A)
    block = A.extract(rows, dependent)
    det = determinant(block) if rows else sp.S.One
    found = []
    for c in (c for c in range(A.cols) if c not in dependent):
        # A_dependent s_dependent = -A_c s_c ,  s_c = det A_dependent
        s = sp.zeros(A.cols, 1)
        s[c] = det
        for d, e in zip(dependent, -adjugate(block) * A.extract(rows, [c]) if rows else [], strict=True):
            s[d] = e
        found.append(shortened(s, system.space))
    return found


def shortened(s: sp.Matrix, space: Space) -> sp.Matrix:
    """The same direction on the space, common factors left out."""
    if any(summands(e) > SUMMANDS for e in s):
        return s
    short = s.applyfunc(lambda e: tidy(on_space(space, e)))
    common = sp.gcd_list([e for e in short if e != 0])
    return short if common == 1 else (short / common).applyfunc(lambda e: tidy(sp.cancel(e)))


def on_space(space: Space, e: sp.Expr) -> sp.Expr:
    """The same function where |z| = 1 and the like, if it is shorter: polynomials modulo those that vanish there."""
    q = [s for s in reversed(space.coordinates) if any(f.has(s) for f in space.embedding)]
    if not e.has(*q) or not e.is_rational_function(*q) or not all(f.is_polynomial(*q) for f in space.embedding):
        return e
    above, below = sp.fraction(sp.together(e))
    ring = ring_of(q, above, below, *space.embedding)
    surfaces = [ring.from_expr(f) for f in space.embedding]
    over, under = (ring.from_expr(part).rem(surfaces) for part in (above, below))
    if not under:
        return e
    above, below = (part.as_expr() for part in over.cancel(under))
    return min(_factored(above) / _factored(below), e, key=sp.count_ops)


def ring_of(first: Sequence[sp.Symbol], *polynomials: sp.Expr) -> PolyRing:
    """The ring in which these are polynomials in some symbols first and in all else they hold, lexicographic."""
    others = sorted(_letters(*polynomials).difference(first), key=str)
    return PolyRing([*first, *others], sp.RR if any(e.has(sp.Float) for e in polynomials) else sp.QQ, lex)


def _letters(*polynomials: sp.Expr) -> set[sp.Expr]:
    """What the polynomials are polynomials in: symbols, functions, roots."""
    found: set[sp.Expr] = set()
    for e in polynomials:
        if e.is_Add or e.is_Mul:
            found |= _letters(*e.args)
        elif e.is_Pow and e.exp.is_Integer and e.exp > 0:
            found |= _letters(e.base)
        elif not e.is_Number:
            found.add(e)
    return found


def _factored(e: sp.Expr) -> sp.Expr:
    return sp.factor(e) if at_most(FACTORED, e) else sp.factor_terms(e)


def vanishes(e: sp.Expr) -> bool:
    """Is it shown to be 0 identically?"""
    node = read(e, Graph())
    return follows([[node]], (Point(node.graph, {}, seed=seed) for seed in range(_POINTS)))[0] is True


@lru_cache(KEPT)
def tidy(e: sp.Expr, most: int = TIDIED) -> sp.Expr:
    """Simplified where it has at most so many operations.

    A tangent that was not there is taken out again: it has poles where the expression has none.
    """
    if not searchable(most, e) or sp.count_ops(e) <= 1:
        return e
    short = sp.simplify(e)
    if e.has(*_POLES) or not short.has(*_POLES):
        return short
    return _bare(short)


def _bare(e: sp.Expr) -> sp.Expr:
    """Tangents and their like as fractions of sines and cosines, cancelled."""
    fractions = {
        sp.tan: lambda a: sp.sin(a) / sp.cos(a),
        sp.cot: lambda a: sp.cos(a) / sp.sin(a),
        sp.sec: lambda a: 1 / sp.cos(a),
        sp.csc: lambda a: 1 / sp.sin(a),
    }
    for function, fraction in fractions.items():
        e = e.replace(function, fraction)
    return sp.factor(sp.cancel(sp.together(e)))
