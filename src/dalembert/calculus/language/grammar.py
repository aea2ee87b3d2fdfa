"""The grammar, the parse tree, and the parser that lark makes: LALR, with a stack of its own, never recursive.

The parser's tables lie beside this file as plain data, with the grammar and the version of lark that they belong to:
what lark makes of a grammar takes longer than to read it. For another grammar or version lark makes them anew, and
``python -m dalembert.calculus.language`` writes them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .tokens import Token

if TYPE_CHECKING:
    from lark import Lark


# --- the parse tree ---------------------------------------------------------------------------------------------------


@dataclass(eq=False)
class SyntaxNode:
    """One node.

    Attributes:
        kind: ``number name group sign power product sum call compare and or not``.
        token: the token it is named for: the number, the name, the function, the first operator.
        parts: the nodes below.
        signs: for sums and products one operator for each part, the first being ``+`` or ``*``; for comparisons the
            operator.
        begin, end: columns.
        depth: of the tree below, brackets not counted.
    """

    kind: str
    token: Token
    parts: tuple[SyntaxNode, ...] = ()
    signs: tuple[str, ...] = ()
    begin: int = 0
    end: int = 0
    depth: int = field(default=1)

    @property
    def length(self) -> int:
        """Characters it spans."""
        return self.end - self.begin

    @property
    def truth(self) -> bool:
        """Is it a condition?"""
        return self.kind in ("compare", "and", "or", "not")

    @property
    def bare(self) -> SyntaxNode:
        """The node within its brackets."""
        node = self
        while node.kind == "group":
            node = node.parts[0]
        return node

    def upward(self) -> Iterator[SyntaxNode]:
        """All nodes, those below before those above."""
        order, stack = [], [self]
        while stack:
            node = stack.pop()
            order.append(node)
            stack.extend(node.parts)
        return reversed(order)


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


def _leaf(token: Token) -> SyntaxNode:
    return SyntaxNode(_LEAVES[token.kind], token, begin=token.column, end=token.end)


class _Growing:
    """Makes a node of each rule as the parser comes to its end."""

    def start(self, parts: list[Any]) -> SyntaxNode:
        found: SyntaxNode = parts[0]
        return found

    def number(self, parts: list[Any]) -> SyntaxNode:
        return _leaf(parts[0].value)

    def name(self, parts: list[Any]) -> SyntaxNode:
        return _leaf(parts[0].value)

    def group(self, parts: list[Any]) -> SyntaxNode:
        left, inner, right = parts
        return SyntaxNode("group", left.value, (inner,), (), left.value.column, right.value.end, inner.depth)

    def call(self, parts: list[Any]) -> SyntaxNode:
        function, last = parts[0].value, parts[-1].value
        arguments = tuple(parts[2:-1:2])
        return SyntaxNode("call", function, arguments, (), function.column, last.end, _above(arguments))

    def sign(self, parts: list[Any]) -> SyntaxNode:
        token, inner = parts[0].value, parts[1]
        return SyntaxNode("sign", token, (inner,), (token.text,), token.column, inner.end, _above((inner,)))

    def deny(self, parts: list[Any]) -> SyntaxNode:
        token, inner = parts[0].value, parts[1]
        return SyntaxNode("not", token, (inner,), (), token.column, inner.end, _above((inner,)))

    def raised(self, parts: list[Any]) -> SyntaxNode:
        return _chain("power", parts)

    def times(self, parts: list[Any]) -> SyntaxNode:
        return _chain("product", parts)

    def total(self, parts: list[Any]) -> SyntaxNode:
        return _chain("sum", parts)

    def compare(self, parts: list[Any]) -> SyntaxNode:
        return _chain("compare", parts)

    def both(self, parts: list[Any]) -> SyntaxNode:
        return _chain("and", parts)

    def either(self, parts: list[Any]) -> SyntaxNode:
        return _chain("or", parts)


_FIRST = {"sum": "+", "product": "*"}


def _chain(kind: str, parts: list[Any]) -> SyntaxNode:
    """Operands and the operators between them."""
    operands, operators = tuple(parts[::2]), [p.value for p in parts[1::2]]
    signs = (_FIRST.get(kind, ""), *(o.text for o in operators))
    return SyntaxNode(kind, operators[0], operands, signs, operands[0].begin, operands[-1].end, _above(operands))


def _above(parts: Sequence[SyntaxNode]) -> int:
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

    def parse(self, tokens: Sequence[Token]) -> SyntaxNode:
        """The tree of the tokens (`unexpected` is raised with the index of the token as its `start_pos`)."""
        found: Any = self._lark.parse(tokens)
        node: SyntaxNode = found
        return node


def leaf(token: Token) -> SyntaxNode | None:
    """The tree of a text that is this token alone: most lengths and masses are, and no parser is needed for it."""
    return _leaf(token) if token.kind in _LEAVES else None


@lru_cache(maxsize=1)
def parser() -> Parser:
    """The parser, made once."""
    return Parser()


# --- the stored tables ------------------------------------------------------------------------------------------------

FILE = Path(__file__).with_suffix(".json")
_OURS = ("lexer", "transformer")  # options that are no data


def made(lalr: Lark, grammar: str) -> dict[str, object]:
    """What is stored of a parser: the same for each run of lark, which numbers states and tokens by hashes."""
    import lark

    data, memo = lalr.memo_serialize([lark.lexer.TerminalDef, lark.grammar.Rule])
    for name in _OURS:
        del data["options"][name]
    data["parser"]["lexer_conf"]["lexer_type"] = ""
    data["parser"]["parser"] = _numbered(data["parser"]["parser"])
    found: dict[str, object] = json.loads(json.dumps({"data": data, "memo": memo}))
    return {"lark": lark.__version__, "grammar": grammar, "tables": _references(found)}


def _numbered(table: Mapping[str, Mapping]) -> dict[str, object]:  # type: ignore[type-arg]
    """The same table with states numbered as they are reached, and tokens called by their names."""
    tokens, states = table["tokens"], table["states"]
    order = list(table["start_states"].values())
    for state in order:  # which grows
        actions = sorted((tokens[token], action) for token, action in states[state].items())
        order += dict.fromkeys(to for _, (reduces, to) in actions if not reduces and to not in order)
    number = {state: str(i) for i, state in enumerate(order)}
    return {
        "tokens": {name: name for name in sorted(tokens.values())},
        "states": {
            number[state]: {
                tokens[t]: [reduces, to if reduces else number[to]]
                for t, (reduces, to) in sorted(states[state].items(), key=lambda item: str(tokens[item[0]]))
            }
            for state in order
        },
        **{ends: {name: number[s] for name, s in table[ends].items()} for ends in ("start_states", "end_states")},
    }


def _references(found: object) -> object:
    """The same with rules called by text, as JSON has the keys of what they are looked up in."""
    if isinstance(found, dict):
        return {key: str(value) if key == "@" else _references(value) for key, value in found.items()}
    return [_references(each) for each in found] if isinstance(found, list) else found


def kept(grammar: str, options: Mapping[str, object]) -> dict[str, object] | None:
    """What `lark.Lark.load` takes, with these options; None where other tables than this grammar's are stored."""
    import lark

    stored = json.loads(FILE.read_text(encoding="utf-8"))
    if (stored["lark"], stored["grammar"]) != (lark.__version__, grammar):
        return None
    data = stored["tables"]["data"]
    data["options"] |= options
    data["parser"]["lexer_conf"]["lexer_type"] = options["lexer"]
    return {"data": data, "memo": stored["tables"]["memo"]}
