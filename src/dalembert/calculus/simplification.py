"""The same function in fewer operations, from work that is counted: no search without an end.

SymPy's own search tries everything on what is short and holds no high power. What is not is brought to one fraction in
lowest terms, a quotient of polynomials in its symbols, sines, cosines and roots, with s^2 + c^2 = 1 and the like used
up; it ends where the polynomials get too long, and then the expression stays as it was. How long an expression is, or
would be when it is expanded, is asked first (`at_most`, `few`, `searchable`).
"""

from __future__ import annotations

import math
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING

import sympy as sp

if TYPE_CHECKING:
    from .budget import Effort
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
    from .budget import Effort, Exceeded
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
    above, below = (sp.factor_terms(ring.expression(p)) for p in (f.numer, f.denom))
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


# --- determinants and adjugates by minors: nothing is divided, compared or simplified ---------------------------------


def determinant(A: sp.Matrix) -> sp.Expr:
    """det A by Laplace's expansion; minors that occur twice are computed once."""
    return _Minors(A).of(tuple(range(A.rows)), tuple(range(A.cols)))


def adjugate(A: sp.Matrix) -> sp.Matrix:
    """adj A with A adj A = det A."""
    minors, n = _Minors(A), A.rows
    every = tuple(range(n))

    def cofactor(i: int, j: int) -> sp.Expr:
        # adj_ij = (-1)^(i + j) det A without row j and column i
        rows, columns = every[:j] + every[j + 1 :], every[:i] + every[i + 1 :]
        return (-1) ** (i + j) * minors.of(rows, columns)

    return sp.Matrix(n, n, cofactor)


class _Minors:
    def __init__(self, A: sp.Matrix) -> None:
        self._A = A
        self.of = cache(self._of)

    def _of(self, rows: tuple[int, ...], columns: tuple[int, ...]) -> sp.Expr:
        if not rows:
            return sp.S.One
        i, rest = rows[0], rows[1:]
        terms = [
            (-1) ** place * self._A[i, c] * self.of(rest, columns[:place] + columns[place + 1 :])
            for place, c in enumerate(columns)
            if self._A[i, c] != 0
        ]
        return sp.Add(*terms)


# --- the length of an expression --------------------------------------------------------------------------------------

# SymPy counts the operations of a long expression by walking through all of it, shared parts again and again. What has
# to be decided is only whether there are few. A short one may be long when it is expanded: (a + b + c + d + e + f)^30
# has 324,632 summands.

_NODES, _LEAST = 8, 40  # an operation has at most so many nodes of the tree, and a few are no operations
_MULTIPLES = 8  # of an angle that are written by its sine and cosine
SUMMANDS = 3000  # SymPy expands so many in a second


def at_most(most: int, *expressions: sp.Expr) -> bool:
    """Have the expressions together at most so many operations, and none many summands when it is expanded?"""
    return few(most, *expressions) and all(summands(e) <= SUMMANDS for e in expressions)


def few(most: int, *expressions: sp.Expr) -> bool:
    """Have the expressions together at most so many operations? It takes no longer to know where they have many."""
    allowed = _NODES * most + _LEAST
    for e in expressions:
        allowed -= sum(1 for _ in islice(sp.preorder_traversal(e), allowed + 1))
        if allowed < 0:
            return False
    return bool(sum(sp.count_ops(e) for e in expressions) <= most)


def searchable(most: int, e: sp.Expr) -> bool:
    """May SymPy's own search, `simplify` or `trigsimp`, be asked to shorten it?

    Not where it is long, and not where a power or a multiple in a function is high, exp(-40 x^2): that is a degree of
    the polynomials that are factored then, for minutes.
    """
    return at_most(most, e) and not steep(e)


def steep(e: sp.Expr) -> bool:
    """Is there a high power in it, or a high multiple in a function?"""
    within = (a for f in e.atoms(sp.Function) for a in f.args if isinstance(a, sp.Expr))
    return any(map(high, (*(power.exp for power in e.atoms(sp.Pow)), *within)))


def high(angle: sp.Expr) -> bool:
    """Is it a high multiple of an angle, whose sine is a long polynomial in that of the angle?"""
    return any(abs(t.as_coeff_Mul()[0]) > _MULTIPLES for t in sp.Add.make_args(expanded(angle)))


def expanded(e: sp.Expr, most: int = SUMMANDS) -> sp.Expr:
    """The expression expanded, or as it is where that may be more than so many summands."""
    return sp.expand(e) if summands(e, most) <= most else e


def summands(e: sp.Expr, most: int = SUMMANDS) -> int:
    """How many summands it has at most when it is expanded, itself or something in it; beyond `most` only that."""
    counts: dict[sp.Basic, int] = {}
    largest = 1
    for part in sp.postorder_traversal(e):
        if part not in counts:
            counts[part] = _summands(part, counts, most)
            largest = max(largest, counts[part])
        if largest > most:
            break
    return largest


def _summands(e: sp.Basic, counts: dict[sp.Basic, int], most: int) -> int:
    """Of an expression whose arguments are counted."""
    if isinstance(e, sp.Add):
        return sum(counts[a] for a in e.args)
    if isinstance(e, sp.Mul):
        found = 1
        for a in e.args:
            found = min(found * counts[a], most + 1)
        return found
    if isinstance(e, sp.Pow) and e.exp.is_Rational and counts[e.base] > 1:
        n = math.ceil(abs(e.exp))  # a root is multiplied out where it is squared
        # (a_1 + ... + a_k)^n has C(n + k - 1, n) summands
        return math.comb(n + counts[e.base] - 1, n) if n <= most else most + 1
    return 1


def characters(e: sp.Expr) -> int:
    """About how many characters its text has, without making it."""
    if not e.args:
        return len(e.name) if e.is_Symbol else len(str(e))
    # an operator stands between two arguments, a name or parentheses around them
    inside = sum(map(characters, e.args)) + len(e.args) - 1
    return inside + (len(type(e).__name__) + 2 if e.is_Function else 2 * sum(a.is_Add for a in e.args if not e.is_Add))
