"""The grammar, and its parser: a stack of what is open, never recursive, with one look at each token.

    any:    all (or all)*
    all:    denied (and denied)*
    denied: test | not denied
    test:   sum | sum (< | <= | > | >= | == | !=) sum
    sum:    product ((+ | -) product)*
    product: unary ((* | /) unary)*
    unary:  power | (+ | -) unary
    power:  atom | atom ^ unary
    atom:   number | name | ( any ) | name ( ) | name ( any (, any)* )

2^3^2 is 2^(3^2), -x^2 is -(x^2), 2^-3 is 2^(-3); conditions occur within where(...), which is checked later.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .tokens import Token
from .tree import Node

_BRACKET, _NOT, _COMPARE, _SIGN, _POWER = 0, 3, 4, 7, 8  # how tightly they hold what stands beside them
_BINARY = {
    "OR": (1, "or"), "AND": (2, "and"), "PLUS": (5, "sum"), "MINUS": (5, "sum"), "STAR": (6, "product"),
    "SLASH": (6, "product"), "POWER": (_POWER, "power"),
    **dict.fromkeys(("LT", "LE", "GT", "GE", "EQ", "NE"), (_COMPARE, "compare")),
}  # fmt: skip
_PREFIX = {"PLUS": (_SIGN, "sign"), "MINUS": (_SIGN, "sign"), "NOT": (_NOT, "not")}
_FIRST = {"sum": "+", "product": "*"}


@dataclass
class _Open:
    """What waits for an operand: operands and operators so far, or the bracket, sign or function that it began with."""

    level: int
    kind: str
    parts: list[Any]


def tree(tokens: Sequence[Token]) -> tuple[Node | None, int]:
    """The tree of the tokens; or None, and the position of the first token with which no text of the grammar goes on.

    Where all could go on, and nothing follows, that is the number of tokens.
    """
    growing = _Growing()
    for i, token in enumerate(tokens):
        if not (growing.begins(token) if growing.value is None else growing.goes_on(token)):
            return None, i
    unfinished = growing.value is None or growing.closed(_BRACKET)
    return None if unfinished else growing.value, len(tokens)


class _Growing:
    """What is open, from the outside to the inside, and the operand that stands last, if one does."""

    def __init__(self) -> None:
        self.open: list[_Open] = []
        self.value: Node | None = None

    def begins(self, token: Token) -> bool:
        """Take a token where an operand is wanted; may it stand there?"""
        inner = self.open[-1] if self.open else None
        if token.kind in ("NUMBER", "NAME"):
            self.value = Node(token.kind.lower(), token, begin=token.column, end=token.end)
        elif token.kind == "LPAR":
            self.open.append(_Open(_BRACKET, "group", [token]))
        elif token.kind in _PREFIX and (token.kind != "NOT" or inner is None or inner.level <= _NOT):
            self.open.append(_Open(*_PREFIX[token.kind], [token]))
        elif token.kind == "RPAR" and inner is not None and inner.kind == "call" and len(inner.parts) == 1:
            self.value = _made(self.open.pop(), token)
        else:
            return False
        return True

    def goes_on(self, token: Token) -> bool:
        """Take a token that follows an operand; may it stand there?"""
        assert self.value is not None
        if token.kind == "LPAR" and self.value.kind == "name":
            self.open.append(_Open(_BRACKET, "call", [self.value.token]))
        elif token.kind in _BINARY:
            level, kind = _BINARY[token.kind]
            self.closed(level)
            if not self.open or self.open[-1].level != level or level == _POWER:
                self.open.append(_Open(level, kind, []))
            elif level == _COMPARE:
                return False
            self.open[-1].parts += [self.value, token]
        elif token.kind == "RPAR" and self.closed(_BRACKET):
            inner = self.open.pop()
            self.value = _made(_Open(inner.level, inner.kind, [*inner.parts, self.value]), token)
            return True
        elif token.kind == "COMMA" and self.closed(_BRACKET) and self.open[-1].kind == "call":
            self.open[-1].parts.append(self.value)
        else:
            return False
        self.value = None
        return True

    def closed(self, level: int) -> bool:
        """Close all that holds the last operand more tightly than this; is something still open?"""
        while self.open and self.open[-1].level > level:
            inner = self.open.pop()
            self.value = _made(_Open(inner.level, inner.kind, [*inner.parts, self.value]))
        return bool(self.open)


def _made(inner: _Open, end: Token | None = None) -> Node:
    """The node of what is closed, brackets by the token `end`."""
    first, *operands = inner.parts if inner.level in (_BRACKET, _NOT, _SIGN) else (None, *inner.parts[::2])
    depth = 1 + max((p.depth for p in operands), default=0)
    if end is not None:
        depth -= inner.kind == "group"
        return Node(inner.kind, first, tuple(operands), (), first.column, end.end, depth)
    if first is not None:
        signs = (first.text,) if inner.kind == "sign" else ()
        return Node(inner.kind, first, tuple(operands), signs, first.column, operands[0].end, depth)
    operators = inner.parts[1::2]
    signs = (_FIRST.get(inner.kind, ""), *(o.text for o in operators))
    return Node(inner.kind, operators[0], tuple(operands), signs, operands[0].begin, operands[-1].end, depth)
