"""The grammar, and the parser that lark makes of it: LALR, with tables and a stack of its own, never recursive."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from .tables import kept, made
from .tokens import Token
from .tree import Node

if TYPE_CHECKING:
    from lark import Lark

# 2^3^2 is 2^(3^2), -x^2 is -(x^2), 2^-3 is 2^(-3); conditions occur within where(...), which is checked later.
GRAMMAR = """
start: any
?any: all | all (OR all)+ -> either
?all: denied | denied (AND denied)+ -> both
?denied: test | NOT denied -> deny
?test: sum | sum (LT | LE | GT | GE | EQ | NE) sum -> compare
?sum: product | product ((PLUS | MINUS) product)+ -> total
?product: unary | unary ((STAR | SLASH) unary)+ -> times
?unary: power | (PLUS | MINUS) unary -> sign
?power: atom | atom POWER unary -> raised
?atom: NUMBER -> number
     | NAME -> name
     | LPAR any RPAR -> group
     | NAME LPAR RPAR -> call
     | NAME LPAR any (COMMA any)* RPAR -> call
%declare NUMBER NAME LPAR RPAR COMMA PLUS MINUS STAR SLASH POWER LT LE GT GE EQ NE AND OR NOT
"""


_LEAVES = {"NUMBER": "number", "NAME": "name"}


def _leaf(token: Token) -> Node:
    return Node(_LEAVES[token.kind], token, begin=token.column, end=token.end)


class _Growing:
    """Makes a node of each rule as the parser comes to its end."""

    def start(self, parts: list[Any]) -> Node:
        found: Node = parts[0]
        return found

    def number(self, parts: list[Any]) -> Node:
        return _leaf(parts[0].value)

    def name(self, parts: list[Any]) -> Node:
        return _leaf(parts[0].value)

    def group(self, parts: list[Any]) -> Node:
        left, inner, right = parts
        return Node("group", left.value, (inner,), (), left.value.column, right.value.end, inner.depth)

    def call(self, parts: list[Any]) -> Node:
        function, last = parts[0].value, parts[-1].value
        arguments = tuple(parts[2:-1:2])
        return Node("call", function, arguments, (), function.column, last.end, _above(arguments))

    def sign(self, parts: list[Any]) -> Node:
        token, inner = parts[0].value, parts[1]
        return Node("sign", token, (inner,), (token.text,), token.column, inner.end, _above((inner,)))

    def deny(self, parts: list[Any]) -> Node:
        token, inner = parts[0].value, parts[1]
        return Node("not", token, (inner,), (), token.column, inner.end, _above((inner,)))

    def raised(self, parts: list[Any]) -> Node:
        return _chain("power", parts)

    def times(self, parts: list[Any]) -> Node:
        return _chain("product", parts)

    def total(self, parts: list[Any]) -> Node:
        return _chain("sum", parts)

    def compare(self, parts: list[Any]) -> Node:
        return _chain("compare", parts)

    def both(self, parts: list[Any]) -> Node:
        return _chain("and", parts)

    def either(self, parts: list[Any]) -> Node:
        return _chain("or", parts)


_FIRST = {"sum": "+", "product": "*"}


def _chain(kind: str, parts: list[Any]) -> Node:
    """Operands and the operators between them."""
    operands, operators = tuple(parts[::2]), [p.value for p in parts[1::2]]
    signs = (_FIRST.get(kind, ""), *(o.text for o in operators))
    return Node(kind, operators[0], operands, signs, operands[0].begin, operands[-1].end, _above(operands))


def _above(parts: Sequence[Node]) -> int:
    return 1 + max((p.depth for p in parts), default=0)


class Parser:
    """Lark's LALR parser over tokens that are cut already; `anew` makes its tables even if they are stored."""

    def __init__(self, anew: bool = False) -> None:
        import lark

        class Feed(lark.lexer.Lexer):
            def __init__(self, _: object) -> None:
                pass

            def lex(self, data: Sequence[Token]) -> Iterator[lark.Token]:  # type: ignore[override]
                return (lark.Token(t.kind, t, start_pos=i) for i, t in enumerate(data))

        self.unexpected = lark.exceptions.UnexpectedToken
        own = {"lexer": Feed, "transformer": _Growing()}
        stored = None if anew else kept(GRAMMAR, own)
        self._lark: Lark = lark.Lark(GRAMMAR, parser="lalr", **own) if stored is None else lark.Lark.load(stored)

    @property
    def tables(self) -> dict[str, object]:
        """Its tables as they are stored."""
        return made(self._lark, GRAMMAR)

    def parse(self, tokens: Sequence[Token]) -> Node:
        """The tree of the tokens (`unexpected` is raised with the index of the token as its `start_pos`)."""
        found: Any = self._lark.parse(tokens)
        node: Node = found
        return node


def leaf(token: Token) -> Node | None:
    """The tree of a text that is this token alone: most lengths and masses are, and no parser is needed for it."""
    return _leaf(token) if token.kind in _LEAVES else None


@lru_cache(maxsize=1)
def parser() -> Parser:
    """The parser, made once."""
    return Parser()
