"""Text to a SymPy expression: screen, cut, parse, check, build; and where in the text a part of it stands."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

import sympy as sp

from ...errors import WrongType, as_given, kind_of
from .constant_folding import check_constants
from .functions import DOT
from .grammar import SyntaxNode
from .name_resolution import Scope, check_meaning
from .parser import parse
from .syntax_errors import LIMITS, TextError, TextLimits
from .to_sympy import SympyBuilder
from .tokens import screen, tokens


def read_text(
    text: object,
    names: Mapping[str, sp.Expr],
    rates: Mapping[str, sp.Expr] = {},
    *,
    where: str = "the expression",
    parameters: Collection[str] = (),
    limits: TextLimits = LIMITS,
) -> sp.Expr:
    """The expression that a text stands for.

    Args:
        text: for example ``"m/2*dot(x)^2 - m*g*x"``. ``^`` and ``**`` are powers, 2^3^2 is 2^(3^2), -x^2 is -(x^2).
            Integers and their quotients are exact, decimals are floats.
        names: what each name stands for.
        rates: what dot(name) stands for, for each coordinate.
        where: how the messages call the text.
        parameters: those of the names that are parameters, for the messages about dot(m).
        limits: how large the text may be.

    Raises:
        WrongType: E718, not text.
        UnknownText: E702 an unknown name, E703 an unknown function.
        TextError: E118 an acceleration, E701 empty, E704 an operator is missing or superfluous, E705 a decimal comma,
            E706 an equation, E707 a bracket, E708 the number of arguments, E709 notation of other languages, E710 a
            rate of what is no coordinate, E711 undefined and E712 not real, E713 and E714 numbers out of range, E715
            and E717 characters that do not occur, E716 too long or too deep.
    """
    if not isinstance(text, str):
        fact = f"{where} must be text or a SymPy expression, not {kind_of(text)}"
        raise WrongType("E718", fact, 'write for example "m/2*dot(x)^2"', as_given(text))
    if not text.strip():
        raise TextError("E701", f"{where} is empty", 'write an expression, "0" if there is nothing', text)
    if len(text) > limits.characters:
        fact = f"{where} has {len(text)} characters, the limit is {limits.characters}"
        raise TextError("E716", fact, "give parts of it names of their own")
    scope = Scope(unicodedata.normalize("NFC", text), where, names, rates, frozenset(parameters))
    return SympyBuilder(scope).expression(understood(scope, limits))


def understood(scope: Scope, limits: TextLimits) -> SyntaxNode:
    """The tree of a text in which all names are known and all constants have values; refusals as of `read_text`."""
    screen(scope.text, scope.where, scope.known)
    tree = parse(tokens(scope.text, scope.where, scope.known, limits), scope, limits)
    check_meaning(tree, scope)
    check_constants(tree, scope, limits)
    return tree


# --- where a part stands ----------------------------------------------------------------------------------------------


class TextStretch(NamedTuple):
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
) -> TextStretch | None:
    """The smallest term in a text that `read_text` takes which is the expression but for a number; None without one.

    Terms are what is added, what functions are given, and the whole.
    """
    scope = Scope(unicodedata.normalize("NFC", text), "the expression", names, rates, frozenset(parameters))
    tree, built = understood(scope, LIMITS), SympyBuilder(scope)
    built.expression(tree)
    found = (node for node in (*_terms(tree), tree) if _is_multiple(built.values[id(node)], e))
    return next((TextStretch(node.begin, node.length) for node in found), None)


def _terms(tree: SyntaxNode) -> Iterator[SyntaxNode]:
    for node in tree.upward():
        if node.kind == "sum" or (node.kind == "call" and node.token.text != DOT):
            yield from node.parts


def _is_multiple(value: sp.Basic, e: sp.Expr) -> bool:
    return isinstance(value, sp.Expr) and value.free_symbols == e.free_symbols and bool((value / e).is_number)
