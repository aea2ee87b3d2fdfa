"""SymPy expressions, walked into the expression graph once.

Nothing is evaluated as text: each SymPy node becomes one graph operation, found in a table.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, reduce
from itertools import accumulate, takewhile
from operator import eq

import sympy as sp

from ..errors import InvalidValue, kind_of
from .elementary_functions import AS_A_STATE, HIGHEST_ORDER, OF_SYMPY, arguments, whole_order
from .graph import Graph, Node

_SHORT = 6  # terms of a sum that has no long beginning to share
_RECIPROCALS: dict[type, str] = {sp.sec: "cos", sp.csc: "sin", sp.cot: "tan"}


def read(expression: sp.Basic, graph: Graph) -> Node:
    """The expression as a node of the graph; symbols are known by their names.

    Parts that the graph has read before are not walked again. Where there are long sums, those that hold short ones
    alone are read first, and a long one is added up in the order in which its terms were read: the sums of a chain,
    v3 = v2 + a3, v4 = v2 + 2 a3 + a4, ..., which SymPy keeps flat, then share what they have in common.

    Raises:
        InvalidValue: E719, the expression holds something that has no real value here (an unevaluated integral, an
            undefined function, a complex or infinite number).
    """
    if expression.is_Number:
        return _number(expression, graph)
    if id(expression) not in graph.seen:
        sums = sorted(_unread_sums(expression, graph), key=lambda pair: pair[0])
        for _, e in sums if sums and sums[-1][0] > _SHORT else ():
            _walk(e, graph)
        _walk(expression, graph)
    return graph.seen[id(expression)][1]


def _unread_sums(expression: sp.Basic, graph: Graph) -> list[tuple[int, sp.Basic]]:
    """The sums among the parts that have no image yet, each with the length of the longest in it."""
    longest: dict[int, int] = {}
    sums: list[tuple[int, sp.Basic]] = []
    stack = [expression]
    while stack:
        e = stack[-1]
        below = [] if e in graph.image else [a for a in _arguments(e) if id(a) not in graph.seen and not a.is_Atom]
        waiting = [a for a in below if id(a) not in longest]
        if waiting:
            stack.extend(waiting)
            continue
        stack.pop()
        if id(e) not in longest:
            longest[id(e)] = max((longest[id(a)] for a in below), default=0)
            if e.is_Add and e not in graph.image:
                longest[id(e)] = max(longest[id(e)], len(e.args))
                sums.append((longest[id(e)], e))
    return sums


def _walk(expression: sp.Basic, graph: Graph) -> None:
    image, seen, stack = graph.image, graph.seen, [expression]
    while stack:
        e = stack[-1]
        if id(e) not in seen and e not in image:
            waiting = [a for a in _arguments(e) if id(a) not in seen and not a.is_Number]
            if waiting:
                stack.extend(waiting)
                continue
            image[e] = _product(e, graph) if e.is_Mul else _sum(e, graph) if e.is_Add else _translate(e, graph)
        stack.pop()
        if id(e) not in seen:
            seen[id(e)] = e, image[e]


def _known(e: sp.Basic, graph: Graph) -> Node:
    """The node of a part that was read; numbers are not looked up."""
    return _number(e, graph) if e.is_Number else graph.seen[id(e)][1]


def _sum(e: sp.Basic, graph: Graph) -> Node:
    """The terms, added up; a long sum goes on from where it parts from the last one that began with the same term."""
    seen = graph.seen.get
    terms = [(found[1] if (found := seen(id(a))) else _number(a, graph)).index for a in e.args]
    if len(terms) <= _SHORT:
        return Node(graph, reduce(graph.plus, terms))
    terms.sort()
    before, sums = graph.memory.setdefault("sums", {}).get(terms[0], (terms[:1], terms[:1]))
    same = sum(takewhile(bool, map(eq, terms, before)))
    sums = [*sums[: same - 1], *accumulate(terms[same:], graph.plus, initial=sums[same - 1])]
    graph.memory["sums"][terms[0]] = terms, sums
    return Node(graph, sums[-1])


# what to write for SymPy's classes whose whole names begin so
_ELSE = {"sympy.functions.special.": AS_A_STATE, "sympy.core.function.Derivative": "write a velocity by its name"}


def _arguments(e: sp.Basic) -> tuple[sp.Basic, ...]:
    if isinstance(e, sp.Piecewise):
        return tuple(x for pair in e.args for x in pair.args)
    if e.is_Add or e.is_Mul:
        return tuple(e.args)
    # those of a derivative, of a sum or of most of hyper, which are refused whole, are not all expressions
    found = arguments(e)
    return () if e.is_Atom or any(isinstance(a, sp.Tuple) for a in found) else found


def _translate(e: sp.Basic, graph: Graph) -> Node:
    args = [_known(a, graph) for a in _arguments(e)]
    if isinstance(e, sp.Symbol):
        return graph.symbol(e.name)
    if e.is_Atom:
        return _number(e, graph)
    if isinstance(e, sp.Pow):
        return args[0] ** args[1]
    special = _SPECIAL.get(type(e))
    if special is not None:
        return special(args, graph)
    if type(e) in _RECIPROCALS:
        return 1 / graph.apply(_RECIPROCALS[type(e)], *args)
    row = OF_SYMPY.get(type(e))
    if row is None or len(args) < row.arity or (len(args) > row.arity and not row.commutative):
        elementary = "write it with + - * / ** and " + ", ".join(sorted(f.__name__ for f in OF_SYMPY))
        raise InvalidValue(
            "E719",
            f"{e} cannot be computed here: {kind_of(e)} is not one of the elementary functions",
            next(
                (told for kind, told in _ELSE.items() if f"{type(e).__module__}.{kind_of(e)}".startswith(kind)),
                elementary,
            ),
        )
    if row.ordered and not (args[0].is_constant and whole_order(args[0].value) is not None):
        fact = f"{e} cannot be computed here: its order {e.args[0]} is not a whole number from 0 to {HIGHEST_ORDER}"
        raise InvalidValue("E719", fact, f"write {kind_of(e)}(0, x)")
    _check_fixed(e, args[: row.fixed])
    return reduce(partial(graph.apply, row.name), args) if row.commutative else graph.apply(row.name, *args)


def _check_fixed(e: sp.Basic, args: Sequence[Node]) -> None:
    """What says which function of a family it is, is a number."""
    if not all(a.is_constant for a in args):
        told = ", ".join(str(a) for a in arguments(e)[: len(args)])
        fact = f"{e} cannot be computed here: its parameters {told} are not numbers"
        raise InvalidValue("E719", fact, "put their values in: expression.subs({a: 0.5})")


def _legendre(args: Sequence[Node], graph: Graph) -> Node:
    """P_n(x) = F(-n, n + 1; 1; (1 - x)/2) [dlmf2010 (15.9.21)]; SymPy writes those of whole n out."""
    n, x = args
    if not n.is_constant:
        raise InvalidValue("E719", "the degree n of legendre(n, x) is not a number", "put its value in")
    return graph.apply("hyp2f1", -n, n + 1, 1, (1 - x) / 2)


def _number(e: sp.Basic, graph: Graph) -> Node:
    if e in (sp.true, sp.false):
        return graph.constant(float(bool(e)))
    if isinstance(e, sp.Rational):
        return graph.constant(int(e.p) / int(e.q))
    if isinstance(e, sp.Expr) and e.is_number and e.is_real and e.is_finite:
        return graph.constant(float(e))
    raise InvalidValue("E719", f"{e} is not a finite real number", "use real, finite quantities only")


def _product(e: sp.Basic, graph: Graph) -> Node:
    """x y / z with one division: factors with a negative numerical exponent go below the line."""
    above, below = graph.constant(1), graph.constant(1)
    for factor in e.args:
        if isinstance(factor, sp.Pow) and factor.exp.is_number and factor.exp.is_negative:
            below = below * read(factor.base, graph) ** read(-factor.exp, graph)
        elif isinstance(factor, sp.Rational) and not isinstance(factor, sp.Integer) and abs(factor.p) == 1:
            above, below = above * int(factor.p), below * int(factor.q)
        else:
            above = above * _known(factor, graph)
    return above / below


def _piecewise(args: Sequence[Node], graph: Graph) -> Node:
    """First branch whose condition holds; undefined where none does, as in SymPy."""
    value = graph.constant(0) / graph.constant(0)
    for branch, condition in reversed(list(zip(args[::2], args[1::2], strict=True))):
        value = branch if condition.is_constant and condition.value else graph.apply("select", condition, branch, value)
    return value


def _heaviside(args: Sequence[Node], graph: Graph) -> Node:
    """0 below 0, 1 above, and the second argument at 0."""
    above = graph.apply("lt", graph.constant(0), args[0])
    return graph.apply("select", graph.apply("eq", args[0], 0), args[1], above)


def _fold(operation: str) -> Callable[[Sequence[Node], Graph], Node]:
    return lambda args, graph: reduce(lambda a, b: graph.apply(operation, a, b), args)


_SPECIAL: dict[type, Callable[[Sequence[Node], Graph], Node]] = {
    sp.Piecewise: _piecewise,
    sp.And: _fold("min"),
    sp.Or: _fold("max"),
    sp.Not: lambda args, graph: 1 - args[0],
    sp.Unequality: lambda args, graph: 1 - graph.apply("eq", *args),
    sp.StrictGreaterThan: lambda args, graph: graph.apply("lt", args[1], args[0]),
    sp.GreaterThan: lambda args, graph: graph.apply("le", args[1], args[0]),
    sp.Heaviside: _heaviside,
    sp.legendre: _legendre,
    # a condition on the value of a where(...): SymPy chooses between the conditions on its branches
    sp.ITE: lambda args, graph: graph.apply("select", *args),
}
