"""The parser against one that lark makes of the same grammar: the same trees, the same first token that is wrong."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import lark
import pytest

from dalembert.calculus.language.grammar import tree
from dalembert.calculus.language.tokens import Token
from dalembert.calculus.language.tree import Node

GRAMMAR = """
start: any
?any: all | all (OR all)+ -> either
?all: denied | denied (AND denied)+ -> both
?denied: test | NOT denied -> deny
?test: sum | sum (LT | EQ) sum -> compare
?sum: product | product ((PLUS | MINUS) product)+ -> total
?product: unary | unary ((STAR | SLASH) unary)+ -> times
?unary: power | (PLUS | MINUS) unary -> sign
?power: atom | atom POWER unary -> raised
?atom: NUMBER -> number
     | NAME -> name
     | LPAR any RPAR -> group
     | NAME LPAR RPAR -> call
     | NAME LPAR any (COMMA any)* RPAR -> call
%declare NUMBER NAME LPAR RPAR COMMA PLUS MINUS STAR SLASH POWER LT EQ AND OR NOT
"""
TEXT = {
    "NUMBER": "2", "NAME": "f", "LPAR": "(", "RPAR": ")", "COMMA": ",", "PLUS": "+", "MINUS": "-", "STAR": "*",
    "SLASH": "/", "POWER": "^", "LT": "<", "EQ": "==", "AND": "and", "OR": "or", "NOT": "not",
}  # fmt: skip
KINDS = {"either": "or", "both": "and", "deny": "not", "total": "sum", "times": "product", "raised": "power"}
FEW = ["NUMBER", "NAME", "LPAR", "RPAR", "COMMA", "MINUS", "STAR", "POWER", "LT", "AND", "NOT"]
LONG = 4000


class Feed(lark.lexer.Lexer):
    """Hands on tokens that are cut already."""

    def __init__(self, _: Any) -> None:
        pass

    def lex(self, data: Any) -> Iterator[Any]:  # type: ignore[override]
        return (lark.Token(t.kind, t.text, start_pos=i) for i, t in enumerate(data))


LALR = lark.Lark(GRAMMAR, parser="lalr", lexer=Feed)


def cut(kinds: Sequence[str]) -> list[Token]:
    """Tokens of these kinds, one after the other."""
    found: list[Token] = []
    for kind in kinds:
        found.append(Token(kind, TEXT[kind], found[-1].end if found else 0))
    return found


def by_lark(tokens: Sequence[Token]) -> Any:
    """What lark makes of them: nested tuples, or the position at which there is nothing."""
    try:
        return of_lark(LALR.parse(tokens).children[0])
    except lark.exceptions.UnexpectedToken as stop:
        return len(tokens) if stop.token.type == "$END" else stop.token.start_pos


def of_lark(node: Any) -> Any:
    below = [of_lark(part) for part in node.children if isinstance(part, lark.Tree)]
    return (KINDS.get(node.data, str(node.data)), *below)


def ours(tokens: Sequence[Token]) -> Any:
    found, stopped = tree(tokens)
    return stopped if found is None else of(found)


def of(node: Node) -> Any:
    return (node.kind, *map(of, node.parts))


def some(rng: random.Random, depth: int) -> list[str]:
    """A text of the grammar, for the most part."""
    if depth == 0:
        return [rng.choice(["NUMBER", "NAME"])]
    inner = [some(rng, rng.randrange(depth)) for _ in range(rng.randrange(1, 4))]
    joined = list(inner[0])
    for part in inner[1:]:
        joined += [rng.choice(["PLUS", "MINUS", "STAR", "SLASH", "POWER", "LT", "EQ", "AND", "OR"]), *part]
    shapes = [
        joined,
        ["LPAR", *joined, "RPAR"],
        ["NAME", "LPAR", *joined, "RPAR"],
        [rng.choice(["MINUS", "NOT"]), *joined],
    ]
    return rng.choice(shapes)


def test_all_short_texts() -> None:
    for n in range(5):
        for kinds in product(FEW, repeat=n):
            tokens = cut(kinds)
            assert ours(tokens) == by_lark(tokens), kinds


def test_long_texts_right_and_wrong() -> None:
    rng, right = random.Random(0), 0
    for _ in range(1500):
        kinds = some(rng, 4)
        if rng.random() < 0.3:
            kinds.insert(rng.randrange(len(kinds) + 1), rng.choice(list(TEXT)))
        tokens = cut(kinds)
        found = by_lark(tokens)
        right += isinstance(found, tuple)
        assert ours(tokens) == found, kinds
    assert 300 < right < 1400


def test_columns_signs_and_depth() -> None:
    tokens = cut(["MINUS", "NAME", "LPAR", "NUMBER", "COMMA", "LPAR", "NAME", "RPAR", "RPAR", "PLUS", "NUMBER"])
    found, _ = tree(tokens)
    assert found is not None
    assert (found.kind, found.signs, found.begin, found.end, found.depth) == ("sum", ("+", "+"), 0, 11, 4)
    call = found.parts[0].parts[0]
    assert (call.kind, call.token.text, call.begin, call.end, call.depth) == ("call", "f", 1, 9, 2)


@pytest.mark.parametrize("kinds", [["MINUS"] * LONG + ["NAME"], ["LPAR"] * LONG + ["NAME"] + ["RPAR"] * LONG])
def test_nothing_is_too_deep_for_the_parser(kinds: list[str]) -> None:
    found, _ = tree(cut(kinds))
    assert found is not None
    assert found.depth == (LONG + 1 if kinds[0] == "MINUS" else 1)
