"""Expressions as plain data: a number, or (operation, arguments).

    ("+", a, b, ...)  ("*", a, b, ...)  ("^", a, integer)  ("/", a, b)  ("sin", a)  ("name", "x")  ("R", "Q", i, j)

The last is an entry of a rotation matrix. The same tree is read as SymPy, as text of the library, and by `jets`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any

import sympy as sp

from .jets import FUNCTIONS, power

Tree = Any  # int | Fraction | tuple[str, ...]


def add(*trees: Tree) -> Tree:
    """The sum; of one thing that thing, of nothing 0."""
    return ("+", *trees) if len(trees) > 1 else trees[0] if trees else 0


def mul(*trees: Tree) -> Tree:
    """The product."""
    return ("*", *trees) if len(trees) > 1 else trees[0]


def name(text: str) -> Tree:
    """A coordinate, velocity or parameter, or the time t."""
    return ("name", text)


def leaf(tree: Tree) -> bool:
    """Is it a number, a name or an entry of a rotation?"""
    return not isinstance(tree, tuple) or tree[0] in ("name", "R")


def holds(tree: Tree, kind: str) -> bool:
    """Does this operation occur?"""
    return isinstance(tree, tuple) and (tree[0] == kind or any(holds(a, kind) for a in tree[1:]))


def names_in(tree: Tree) -> set[str]:
    """The names that stand in it."""
    if not isinstance(tree, tuple) or tree[0] == "R":
        return set()
    return {tree[1]} if tree[0] == "name" else set().union(*(names_in(a) for a in tree[1:]))


def smaller(tree: Tree) -> Iterator[Tree]:
    """Trees with something left out."""
    if leaf(tree):
        if isinstance(tree, tuple) or tree not in (0, 1):
            yield 1
        return
    operation, *args = tree
    if operation == "^":
        yield args[0]
        yield from (("^", a, args[1]) for a in smaller(args[0]))
        return
    yield from args if operation not in FUNCTIONS else (args[0], 1)
    if operation in "+*" and len(args) > 2:
        yield from ((operation, *args[:i], *args[i + 1 :]) for i in range(len(args)))
    for i, a in enumerate(args):
        yield from ((operation, *args[:i], b, *args[i + 1 :]) for b in smaller(a))


def to_sympy(tree: Tree, names: Mapping[str, sp.Symbol], rotation: Callable[[str], Any]) -> sp.Expr:
    """As SymPy's."""
    if not isinstance(tree, tuple):
        return sp.Rational(tree.numerator, tree.denominator)
    operation, *args = tree
    if operation == "name":
        return names[args[0]]
    if operation == "R":
        return rotation(args[0])[args[1], args[2]]
    if operation == "^":
        return to_sympy(args[0], names, rotation) ** args[1]
    parts = [to_sympy(a, names, rotation) for a in args]
    if operation == "+":
        return sp.Add(*parts)
    if operation == "*":
        return sp.Mul(*parts)
    return parts[0] / parts[1] if operation == "/" else getattr(sp, operation)(*parts)


def to_text(tree: Tree, spelt: Mapping[str, str]) -> str:
    """In the library's language; `spelt` gives names another spelling, ``dot(x)`` for vx."""
    if not isinstance(tree, tuple):
        fraction = Fraction(tree)
        return f"({fraction})" if fraction < 0 or fraction.denominator > 1 else str(fraction)
    operation, *args = tree
    if operation == "name":
        return spelt.get(args[0], args[0])
    if operation == "R":
        return f"{args[0]}[{args[1]},{args[2]}]"
    if operation == "^":
        return f"({to_text(args[0], spelt)})^{args[1]}" if args[1] > 0 else f"({to_text(args[0], spelt)})^({args[1]})"
    parts = [to_text(a, spelt) for a in args]
    return f"({f' {operation} '.join(parts)})" if operation in "+*/" else f"{operation}({parts[0]})"


def value(tree: Tree, leaves: Mapping[Any, Any]) -> Any:
    """The tree at numbers or jets, by name, and by (rotation, i, j)."""
    if not isinstance(tree, tuple):
        return float(tree)
    operation, *args = tree
    if operation == "name":
        return leaves[args[0]]
    if operation == "R":
        return leaves[tuple(args)]
    found = value(args[0], leaves)
    if operation == "^":
        return _power(found, args[1])
    if operation in FUNCTIONS:
        return FUNCTIONS[operation](found) if hasattr(found, "dd") else getattr(math, operation)(found)
    for a in args[1:]:
        other = value(a, leaves)
        found = found + other if operation == "+" else found * other if operation == "*" else _over(found, other)
    return found


def _power(x: Any, p: int) -> Any:
    if not 0 < p < 5:
        return power(x, float(p))
    result = x
    for _ in range(p - 1):
        result = result * x
    return result


def _over(a: Any, b: Any) -> Any:
    return a * power(b, -1.0) if not isinstance(b, float) else a * (1.0 / b)
