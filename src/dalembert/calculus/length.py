"""How long an expression is, or would be: may it be simplified, factored, expanded, printed?

SymPy counts the operations of a long expression by walking through all of it, shared parts again and again. What has
to be decided is only whether there are few. A short one may be long when it is expanded: (a + b + c + d + e + f)^30 has
324,632 summands.
"""

from __future__ import annotations

import math
from itertools import islice

import sympy as sp

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
