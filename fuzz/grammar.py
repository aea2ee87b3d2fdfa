"""Texts that follow the grammar of expressions, and what they are worth by Python's own arithmetic.

    number  name  (operation, argument, ...)  with + - * / ^, "-" of one argument, and functions

A tree is spelt with as few parentheses as the grammar needs, or with more of them: -x^2 is -(x^2), a^b^c is a^(b^c),
a - b - c is (a - b) - c. Its value comes of the tree, not of the text.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping
from typing import Any

import mpmath

Tree = Any  # str (a number or a name) | tuple[str, ...]
LEVELS = {"+": 1, "-": 1, "*": 2, "/": 2, "neg": 3, "^": 4}
NUMBERS = ("0", "1", "2", "3", "7", "0.5", "1.5e1", "2.", ".25", "10", "12", "1e-2", "64")
UNARY = ("sin", "cos", "tan", "exp", "log", "sqrt", "abs", "sinh", "cosh", "tanh", "asin", "acos", "atan", "asinh")
FEW = ("floor", "ceil", "sign")
COMPARING = ("<", "<=", ">", ">=")
LARGE = 1e6  # larger numbers on the way are not held against each other


def draw(rng: random.Random, names: list[str], depth: int) -> Tree:
    """A random tree."""
    if depth == 0 or rng.random() < 0.2:
        return rng.choice(names) if rng.random() < 0.6 else rng.choice(NUMBERS)
    kind = rng.random()

    def inner() -> Tree:
        return draw(rng, names, depth - 1)

    if kind < 0.5:
        return (rng.choice("++--**/"), inner(), inner())
    if kind < 0.6:
        return ("neg", inner())
    if kind < 0.72:
        return ("^", inner(), rng.choice(("2", "3", ("neg", "1"), ("/", "1", "2"), "0.5", ("neg", "2"), inner())))
    if kind < 0.9:
        return (rng.choice(UNARY if rng.random() < 0.9 else FEW), inner())
    if kind < 0.96:
        return (rng.choice(("max", "min", "atan2")), inner(), inner())
    return ("where", rng.choice(COMPARING), inner(), inner(), inner(), inner())


def spelt(tree: Tree, rng: random.Random, above: int = 0) -> str:
    """The tree as text; `above` is the level that its surroundings need."""
    if isinstance(tree, str):
        text, level = tree, 5
    elif tree[0] == "neg":
        text, level = f"-{spelt(tree[1], rng, 3)}", 3
    elif tree[0] in LEVELS:
        operation, a, b = tree
        level = LEVELS[operation]
        # the left one may be of the same level, but for powers; the right one may not, but for powers and their signs
        left, right = (5, 3) if operation == "^" else (level, level + 1)
        blank = rng.choice(("", "", " "))
        sign = rng.choice(("^", "**")) if operation == "^" else operation
        text = f"{spelt(a, rng, left)}{blank}{sign}{blank}{spelt(b, rng, right)}"
    elif tree[0] == "where":
        _, compare, *parts = tree
        a, b, c, d = (spelt(p, rng) for p in parts)
        text, level = f"where({a} {compare} {b}, {c}, {d})", 5
    else:
        text, level = f"{tree[0]}({', '.join(spelt(a, rng) for a in tree[1:])})", 5
    return f"({text})" if level < above or rng.random() < 0.05 else text


class Undefined(Exception):
    """No real number, or one that is too large to be held against another."""


def worth(tree: Tree, at: Mapping[str, float], m: Any = math) -> Any:
    """The value by Python's floats, or by mpmath's where `m` is mpmath.

    Raises:
        Undefined: there is none.
    """
    try:
        found = _worth(tree, at, m)
    except (ValueError, ZeroDivisionError, OverflowError):
        raise Undefined from None
    if isinstance(found, complex | mpmath.mpc) or not abs(found) < LARGE:
        raise Undefined
    return found


def _worth(tree: Tree, at: Mapping[str, float], m: Any) -> Any:
    if isinstance(tree, str):
        return at[tree] if tree in at else (m.mpf(tree) if m is mpmath else float(tree))
    operation, *rest = tree
    if operation == "where":
        compare, *rest = rest
        a, b, c, d = (worth(e, at, m) for e in rest)
        if abs(a - b) < 1e-9:  # on the edge
            raise Undefined
        return c if (a < b) == (compare[0] == "<") else d
    args = [worth(e, at, m) for e in rest]
    if operation in FEW and abs(args[0] - round(float(args[0]))) < 1e-9:
        raise Undefined  # on a jump
    return OPERATIONS[operation](m, *args)


def _power(m: Any, a: Any, b: Any) -> Any:
    return m.mpf(a) ** b if m is mpmath else a**b


OPERATIONS: dict[str, Callable[..., Any]] = {
    "+": lambda m, a, b: a + b,
    "-": lambda m, a, b: a - b,
    "*": lambda m, a, b: a * b,
    "/": lambda m, a, b: a / b,
    "neg": lambda m, a: -a,
    "^": _power,
    "abs": lambda m, a: abs(a),
    "sign": lambda m, a: (a > 0) - (a < 0),
    "floor": lambda m, a: m.floor(a),
    "ceil": lambda m, a: m.ceil(a),
    "max": lambda m, a, b: max(a, b),
    "min": lambda m, a, b: min(a, b),
    "atan2": lambda m, a, b: m.atan2(a, b),
    **{name: lambda m, a, name=name: getattr(m, name)(a) for name in UNARY if name != "abs"},
}
