"""Where in a text the part stands that means an expression."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

import sympy as sp

from .build import Building
from .functions import DOT
from .meaning import Scope
from .read import understood
from .size import LIMITS
from .tree import Node


class Stretch(NamedTuple):
    """A part of a text.

    Attributes:
        column: where it begins, from 0.
        length: how many characters it has.
    """

    column: int
    length: int


def find(
    e: sp.Expr,
    text: str,
    names: Mapping[str, sp.Expr],
    rates: Mapping[str, sp.Expr] = {},
    parameters: Collection[str] = (),
) -> Stretch | None:
    """The smallest term in a text that `read_text` takes which is the expression but for a number; None without one.

    Terms are what is added, what functions are given, and the whole.
    """
    scope = Scope(unicodedata.normalize("NFC", text), "the expression", names, rates, frozenset(parameters))
    tree, built = understood(scope, LIMITS), Building(scope)
    built.expression(tree)
    found = (node for node in (*_terms(tree), tree) if _is_multiple(built.values[id(node)], e))
    return next((Stretch(node.begin, node.length) for node in found), None)


def _terms(tree: Node) -> Iterator[Node]:
    for node in tree.upward():
        if node.kind == "sum" or (node.kind == "call" and node.token.text != DOT):
            yield from node.parts


def _is_multiple(value: sp.Basic, e: sp.Expr) -> bool:
    return isinstance(value, sp.Expr) and value.free_symbols == e.free_symbols and bool((value / e).is_number)
