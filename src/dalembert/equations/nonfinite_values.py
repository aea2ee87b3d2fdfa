"""Where a number stopped being finite: the operation and its arguments, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ..calculus.elementary_functions import ELEMENTARY
from ..calculus.graph import CONSTANT, SYMBOL, Node, live, values_of_all
from ..calculus.node_values import all_finite
from ..errors import Singular

_SHOWN_DEPTH = 3


def require(outputs: Sequence[Node], values: Mapping[str, object], when: str) -> list[float]:
    """Values of the outputs at one state; refused where one of them, or what lies underneath, is not finite.

    Raises:
        Singular: E402 where a function left the real numbers (square root or logarithm of a negative number), E401
            for any other overflow or division by zero; the message names the operation.
    """
    return required(outputs, values_of_all(outputs, values), when)


def required(outputs: Sequence[Node], value: Mapping[int, float], when: str) -> list[float]:
    """Values of the outputs, from those of all operations; refused as `require` does."""
    if found := _nonfinite(outputs, value):
        code, term = found
        raise Singular(code, f"{when}: {term}", "change the start or the parameters, or keep away from this place")
    return [value[y.index] for y in outputs]


def first_nonfinite(outputs: Sequence[Node], values: Mapping[str, object]) -> tuple[str, str] | None:
    """(code, words) of the first operation whose value is not finite, or None."""
    return _nonfinite(outputs, values_of_all(outputs, values))


def _nonfinite(outputs: Sequence[Node], value: Mapping[int, float]) -> tuple[str, str] | None:
    """The same from the values of all operations."""
    if all_finite(value.values()):
        return None
    for i in live(outputs):
        node = Node(outputs[0].graph, i)
        if not np.all(np.isfinite(value[i])):
            args = [float(value[a.index]) for a in node.args]
            known = ELEMENTARY.get(node.operation)  # None of a symbol, whose value was given as no number
            outside = np.isnan(value[i]) and known is not None and known.domain is not None
            shown = ", ".join(f"{a:.6g}" for a in args)
            return ("E402" if outside else "E401"), _words(node, shown, outside)
    return None


def _words(node: Node, args: str, outside: bool) -> str:
    if node.operation == SYMBOL:
        return f"{text(node)} is not finite"
    if node.operation == "/":
        return f"division by zero in {text(node)}"
    what = "leaves the real numbers" if outside else "is not finite"
    return f"{node.operation}({args}) {what} in {text(node)}"


def text(node: Node, depth: int = _SHOWN_DEPTH) -> str:
    """The node as short text, deeper levels as dots."""
    if node.operation == CONSTANT:
        return f"{node.value:g}"
    if node.operation == SYMBOL:
        return str(node.key[1])
    if depth == 0:
        return "(...)"
    args = [text(a, depth - 1) for a in node.args]
    if node.operation in "+-*/" and len(args) == 2:
        return f"({args[0]} {node.operation} {args[1]})"
    return f"-{args[0]}" if node.operation == "neg" else f"{node.operation}({', '.join(args)})"
