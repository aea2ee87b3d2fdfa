"""The elementary functions of the expression graph: one table of values and derivatives.

Each operation is listed once with what every reader of the graph needs: how NumPy computes it, and its partial
derivatives as expressions of the same graph. Comparisons yield 1.0 or 0.0; ``select(c, a, b)`` is a where c is not 0,
else b.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Partials = Callable[..., tuple[Any, ...]]


@dataclass(frozen=True)
class Elementary:
    """One operation: `value` on NumPy arrays, `partials(y, *args)` as expressions, y being the operation's own node."""

    arity: int
    value: Callable[..., Any]
    partials: Partials


def _call(name: str, *args: Any) -> Any:
    return args[0].graph.apply(name, *args)


def _flat(y: Any, *args: Any) -> tuple[Any, ...]:
    """A piecewise constant function: every partial derivative is 0."""
    return tuple(0 * a for a in args)


def _power_partials(y: Any, a: Any, b: Any) -> tuple[Any, Any]:
    # d(a^b) = b a^(b-1) da + a^b log(a) db ; the second term is left out where b is a number
    return b * _call("pow", a, b - 1), (0 * b if b.is_constant else y * _call("log", a))


def _select(c: Any, a: Any, b: Any) -> Any:
    return np.where(np.asarray(c) != 0, a, b)


def _compare(relation: Callable[..., Any]) -> Callable[..., Any]:
    return lambda a, b: np.where(relation(a, b), 1.0, 0.0)


ELEMENTARY: dict[str, Elementary] = {
    "+": Elementary(2, np.add, lambda y, a, b: (1, 1)),
    "-": Elementary(2, np.subtract, lambda y, a, b: (1, -1)),
    "*": Elementary(2, np.multiply, lambda y, a, b: (b, a)),
    "/": Elementary(2, np.divide, lambda y, a, b: (1 / b, -y / b)),
    "neg": Elementary(1, np.negative, lambda y, a: (-1,)),
    "sqrt": Elementary(1, np.sqrt, lambda y, a: (1 / (2 * y),)),
    "exp": Elementary(1, np.exp, lambda y, a: (y,)),
    "log": Elementary(1, np.log, lambda y, a: (1 / a,)),
    "pow": Elementary(2, np.power, _power_partials),
    "sin": Elementary(1, np.sin, lambda y, a: (_call("cos", a),)),
    "cos": Elementary(1, np.cos, lambda y, a: (-_call("sin", a),)),
    "tan": Elementary(1, np.tan, lambda y, a: (1 + y * y,)),
    "asin": Elementary(1, np.arcsin, lambda y, a: (1 / _call("sqrt", 1 - a * a),)),
    "acos": Elementary(1, np.arccos, lambda y, a: (-1 / _call("sqrt", 1 - a * a),)),
    "atan": Elementary(1, np.arctan, lambda y, a: (1 / (1 + a * a),)),
    "atan2": Elementary(2, np.arctan2, lambda y, a, b: (b / (a * a + b * b), -a / (a * a + b * b))),
    "sinh": Elementary(1, np.sinh, lambda y, a: (_call("cosh", a),)),
    "cosh": Elementary(1, np.cosh, lambda y, a: (_call("sinh", a),)),
    "tanh": Elementary(1, np.tanh, lambda y, a: (1 - y * y,)),
    "asinh": Elementary(1, np.arcsinh, lambda y, a: (1 / _call("sqrt", a * a + 1),)),
    "acosh": Elementary(1, np.arccosh, lambda y, a: (1 / _call("sqrt", a * a - 1),)),
    "atanh": Elementary(1, np.arctanh, lambda y, a: (1 / (1 - a * a),)),
    "abs": Elementary(1, np.abs, lambda y, a: (_call("sign", a),)),
    "sign": Elementary(1, np.sign, _flat),
    "floor": Elementary(1, np.floor, _flat),
    "ceil": Elementary(1, np.ceil, _flat),
    "min": Elementary(2, np.minimum, lambda y, a, b: (_call("le", a, b), _call("lt", b, a))),
    "max": Elementary(2, np.maximum, lambda y, a, b: (_call("le", b, a), _call("lt", a, b))),
    "lt": Elementary(2, _compare(np.less), _flat),
    "le": Elementary(2, _compare(np.less_equal), _flat),
    "eq": Elementary(2, _compare(np.equal), _flat),
    "select": Elementary(3, _select, lambda y, c, a, b: (0 * c, _call("select", c, 1, 0), _call("select", c, 0, 1))),
}
