"""The parser against lark's LALR tables for the same grammar: the same trees, and the same token at which none is."""

import random
from functools import cache

import lark
import pytest

from dalembert.calculus.language.grammar import Unexpected, parse
from dalembert.calculus.language.tokens import Token

BETWEEN = ["PLUS", "MINUS", "STAR", "SLASH", "POWER", "LT", "LE", "GT", "GE", "EQ", "NE", "AND", "OR"]
KINDS = ["NUMBER", "NAME", "LPAR", "RPAR", "COMMA", *BETWEEN, "NOT"]
GRAMMAR = f"""
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
%declare {" ".join(KINDS)}
"""
RULES = dict(either="or", both="and", deny="not", compare="compare", total="sum", times="product", raised="power")


class _Feed(lark.lexer.Lexer):
    """Tokens that are cut already."""

    def __init__(self, _):
        pass

    def lex(self, data):
        return (lark.Token(t.kind, t, start_pos=i) for i, t in enumerate(data))


@cache
def _tables():
    return lark.Lark(GRAMMAR, parser="lalr", lexer=_Feed)


def _rows(seed, count=1500):
    """Rows of kinds: sentences, sentences with some tokens replaced, and any."""
    draw = random.Random(seed)

    def sentence(depth):
        chance = draw.random()
        if depth == 0 or chance < 0.25:
            return [draw.choice(["NUMBER", "NAME"])]
        if chance < 0.4:
            return ["LPAR", *sentence(depth - 1), "RPAR"]
        if chance < 0.55:
            arguments = [("COMMA", *sentence(depth - 1)) for _ in range(draw.randrange(4))]
            return ["NAME", "LPAR", *[kind for each in arguments for kind in each][1:], "RPAR"]
        if chance < 0.65:
            return [draw.choice(["PLUS", "MINUS", "NOT"]), *sentence(depth - 1)]
        return [*sentence(depth - 1), draw.choice(BETWEEN), *sentence(depth - 1)]

    for _ in range(count):
        row = sentence(draw.randrange(1, 6))
        for _ in range(draw.choice((0, 0, 1, 2))):
            row[draw.randrange(len(row))] = draw.choice(KINDS)
        yield row if draw.random() < 0.9 else draw.choices(KINDS, k=draw.randrange(6))


def _tokens(row):
    """Their tokens, each with a text and a place of its own."""
    return [Token(kind, f"{kind}{i}", 10 * i) for i, kind in enumerate(row)]


def _by_tables(tokens):
    """Kind, tokens and parts of each node; or the place of the token at which lark stops."""
    try:
        return _read(_tables().parse(tokens).children[0])
    except lark.exceptions.UnexpectedToken as stop:
        return len(tokens) if stop.token.type == "$END" else stop.token.start_pos


def _read(tree):
    own = [child.value for child in tree.children if isinstance(child, lark.Token)]
    parts = [_read(child) for child in tree.children if isinstance(child, lark.Tree)]
    kind = RULES.get(tree.data, tree.data)
    begin, end = own[0].column, own[-1].end
    if parts and kind not in ("group", "call"):
        begin, end = min(begin, parts[0][-2]), parts[-1][-1]
    signs = [] if kind in ("number", "name", "group", "call", "not") else [token.text for token in own]
    first = (
        []
        if kind in ("number", "name", "group", "call", "not", "sign")
        else [{"sum": "+", "product": "*"}.get(kind, "")]
    )
    return kind, own[0], tuple(first + signs), tuple(parts), begin, end


def _ours(tokens):
    def shape(node):
        return node.kind, node.token, node.signs, tuple(map(shape, node.parts)), node.begin, node.end

    try:
        return shape(parse(tokens))
    except Unexpected as stop:
        return stop.at


@pytest.mark.parametrize("seed", range(4))
def test_trees_and_refusals_are_those_of_the_grammar(seed):
    found = [(_ours(tokens), _by_tables(tokens)) for tokens in map(_tokens, _rows(seed))]
    assert all(ours == theirs for ours, theirs in found)
    read = sum(isinstance(ours, tuple) for ours, _ in found)
    assert 0.3 < read / len(found) < 0.8


def test_depth_is_that_of_the_tree_below():
    tree = parse(_tokens(["NAME", "PLUS", "NAME", "STAR", "LPAR", "NAME", "POWER", "NUMBER", "RPAR"]))
    assert tree.depth == 4  # a sum of a product of a power of a name


@pytest.mark.parametrize(
    "row", ["LPAR " * 3000 + "NAME" + " RPAR" * 3000, "MINUS " * 3000 + "NAME", "NAME" + " POWER NAME" * 3000]
)
def test_nothing_is_recursive(row):
    assert parse(_tokens(row.split())).depth in (1, 3001)
