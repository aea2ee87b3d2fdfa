"""The same function in fewer operations, from work that is counted: no search without an end.

SymPy's own search tries everything on what is short and holds no high power. What is not is brought to one fraction in
lowest terms, a quotient of polynomials in its symbols, sines, cosines and roots, with s^2 + c^2 = 1 and the like used
up; it ends where the polynomials get too long, and then the expression stays as it was.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import sympy as sp

from .cofactors import adjugate, determinant
from .length import at_most, high, searchable

if TYPE_CHECKING:
    from .effort import Effort
    from .polynomials import Fraction, Polynomials

SEARCHED = 40  # operations, each counted once more for every function that is there
_TIDIED = 80  # operations of what is written in several ways
_READ = 2000  # operations of an expression that is looked at
_LONGEST = 60  # terms of a polynomial on the way
WORK = 20_000  # terms, all together


def short(e: sp.Expr, effort: Effort | None = None) -> sp.Expr:
    """The expression, or the same function in fewer operations.

    Args:
        e: any expression.
        effort: how many terms of polynomials may be worked through, for several expressions together.
    """
    if e.is_Atom:
        return e
    if searchable(SEARCHED, e) and sp.count_ops(e) * (1 + len(e.atoms(sp.Function))) <= SEARCHED:
        return sp.simplify(e)
    return min(e, as_fraction(e, effort), key=sp.count_ops)


def neat(e: sp.Expr) -> sp.Expr:
    """As it is, with common factors in front, or as one fraction: with the fewest operations; long ones stay."""
    return min(e, sp.factor_terms(e), as_fraction(e), key=sp.count_ops) if at_most(_TIDIED, e) else e


def inverse(M: sp.Matrix) -> tuple[sp.Matrix, sp.Expr]:
    """M^-1 and det M by minors, entry by entry as one fraction where that is short."""
    det = neat(determinant(M))
    return (adjugate(M) / det).applyfunc(neat), det


def as_fraction(e: sp.Expr, effort: Effort | None = None) -> sp.Expr:
    """One fraction in lowest terms; the expression itself where that would take more work."""
    if not at_most(_READ, e) or any(high(f.args[0]) for f in e.atoms(sp.sin, sp.cos, sp.sinh, sp.cosh)):
        return e
    from .effort import Effort, Exceeded
    from .polynomials import Atoms, NotPolynomial, Polynomials

    atoms = Atoms()
    try:
        rational = atoms.read(e)
        inside = set().union(*(relation.free_symbols for relation in atoms.relations))  # of roots
        ranked = sorted((rational.free_symbols | inside) - set(atoms.meaning), key=str)
        ring = Polynomials(atoms, ranked, effort=effort or Effort(WORK))
        f = _fraction(ring, rational)
    except (NotPolynomial, Exceeded, ZeroDivisionError):
        return e
    above, below = (_factored(ring, p) for p in (f.numer, f.denom))
    return above / below


def _fraction(ring: Polynomials, e: sp.Expr) -> Fraction:
    """A rational function as a reduced fraction, each step of it counted."""
    if e.is_Symbol or e.is_Rational:
        return ring.fraction_of(e)
    if e.is_Pow:
        base, n = _fraction(ring, e.base), int(e.exp)
        found = ring.field.one
        for _ in range(abs(n)):
            found = _counted(ring, found, base, times=True)
        return 1 / found if n < 0 else found
    parts = [_fraction(ring, a) for a in e.args]
    found = parts[0]
    for part in parts[1:]:
        found = _counted(ring, found, part, times=e.is_Mul)
    return found


def _counted(ring: Polynomials, a: Fraction, b: Fraction, times: bool) -> Fraction:
    """a b or a + b, reduced, if it is not too long (Exceeded)."""
    sizes = [len(p) for p in (a.numer, a.denom, b.numer, b.denom)]
    products = sizes[0] * sizes[2] + sizes[1] * sizes[3]
    ring.check(products if times else products + sizes[0] * sizes[3] + sizes[1] * sizes[2], _LONGEST**2)
    found = ring.reduced(a * b if times else a + b)
    ring.check(max(len(found.numer), len(found.denom)), _LONGEST)
    return found


def _factored(ring: Polynomials, p: sp.Expr) -> sp.Expr:
    """The polynomial with common factors in front."""
    return sp.factor_terms(ring.expression(p))
