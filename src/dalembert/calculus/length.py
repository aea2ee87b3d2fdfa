"""How long an expression is: may it be simplified, factored, printed?

SymPy counts the operations of a long expression by walking through all of it, shared parts again and again. What has
to be decided is only whether there are few.
"""

from __future__ import annotations

from itertools import islice

import sympy as sp

_NODES, _LEAST = 8, 40  # an operation has at most so many nodes of the tree, and a few are no operations


def at_most(most: int, *expressions: sp.Expr) -> bool:
    """Have the expressions together at most so many operations?"""
    allowed = _NODES * most + _LEAST
    for e in expressions:
        allowed -= sum(1 for _ in islice(sp.preorder_traversal(e), allowed + 1))
        if allowed < 0:
            return False
    return bool(sum(sp.count_ops(e) for e in expressions) <= most)
