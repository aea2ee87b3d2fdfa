"""The grammar, and its parser: operators wait on a stack until what follows binds less [floyd1963]; never recursive.

    any: all | all (OR all)+                    sum: product | product ((PLUS | MINUS) product)+
    all: denied | denied (AND denied)+          product: unary | unary ((STAR | SLASH) unary)+
    denied: test | NOT denied                   unary: power | (PLUS | MINUS) unary
    test: sum | sum (LT | LE | GT | GE | EQ | NE) sum       power: atom | atom POWER unary
    atom: NUMBER | NAME | LPAR any RPAR | NAME LPAR RPAR | NAME LPAR any (COMMA any)* RPAR

2^3^2 is 2^(3^2), -x^2 is -(x^2), 2^-3 is 2^(-3); conditions occur within where(...), which is checked later.
"""

from __future__ import annotations

from collections.abc import Sequence

from .tokens import Token
from .tree import Node

_OPEN, _NOT, _COMPARE, _SIGN, _POWER = 0, 3, 4, 7, 8
# how tightly operators between two operands bind, and the kind of node they make
_BINDING = {"OR": 1, "AND": 2, **dict.fromkeys(("LT", "LE", "GT", "GE", "EQ", "NE"), _COMPARE)}
_BINDING |= {"PLUS": 5, "MINUS": 5, "STAR": 6, "SLASH": 6, "POWER": _POWER}
_KINDS = {1: "or", 2: "and", _NOT: "not", _COMPARE: "compare", 5: "sum", 6: "product", _SIGN: "sign", _POWER: "power"}
_FIRST = {"sum": "+", "product": "*"}


class Unexpected(Exception):
    """Nothing that the grammar knows begins with the tokens up to the one at `at`; behind the last where they end."""

    def __init__(self, at: int) -> None:
        super().__init__(at)
        self.at = at


class _Waiting:
    """What is not complete: operands and the operators between them, or brackets with what stands in them so far."""

    __slots__ = ("binding", "operands", "operators")

    def __init__(self, binding: int, operators: list[Token], operands: list[Node]) -> None:
        self.binding, self.operators, self.operands = binding, operators, operands


def parse(tokens: Sequence[Token]) -> Node:
    """The tree of the tokens.

    Raises:
        Unexpected: the first token that cannot follow those before it.
    """
    stack, at, last = [_Waiting(_OPEN, [], [])], 0, len(tokens)
    while True:
        if at == last:
            raise Unexpected(last)
        found, at = _operand(tokens, at, stack)
        while found is not None and at < last and tokens[at].kind == "RPAR":
            found, at = _closed(tokens, at, stack, found), at + 1
        if found is None:
            continue
        if at == last:
            found = _complete(stack, _OPEN, found)
            if len(stack) > 1:
                raise Unexpected(last)
            return found
        _operator(tokens, at, stack, found)
        at += 1


def _operand(tokens: Sequence[Token], at: int, stack: list[_Waiting]) -> tuple[Node | None, int]:
    """What begins an operand at a token: a number, a name, an empty call; or None, and what opens is on the stack."""
    token = tokens[at]
    kind = token.kind
    if kind == "NUMBER":
        return Node("number", token, begin=token.column, end=token.end), at + 1
    if kind == "NAME":
        if at + 1 == len(tokens) or tokens[at + 1].kind != "LPAR":
            return Node("name", token, begin=token.column, end=token.end), at + 1
        if at + 2 < len(tokens) and tokens[at + 2].kind == "RPAR":
            return Node("call", token, begin=token.column, end=tokens[at + 2].end, depth=_above(())), at + 3
        stack.append(_Waiting(_OPEN, [token, tokens[at + 1]], []))
        return None, at + 2
    if kind == "LPAR":
        stack.append(_Waiting(_OPEN, [token], []))
    elif kind in ("PLUS", "MINUS"):
        stack.append(_Waiting(_SIGN, [token], []))
    elif kind == "NOT" and stack[-1].binding <= _NOT:
        stack.append(_Waiting(_NOT, [token], []))
    else:
        raise Unexpected(at)
    return None, at + 1


def _operator(tokens: Sequence[Token], at: int, stack: list[_Waiting], found: Node) -> None:
    """Put an operator or a comma behind its operand, which becomes complete where it binds more."""
    token = tokens[at]
    binding = _OPEN if token.kind == "COMMA" else _BINDING.get(token.kind)
    if binding is None:
        raise Unexpected(at)
    found = _complete(stack, binding, found)
    top = stack[-1]
    if binding == _OPEN:
        if len(top.operators) < 2:  # brackets of a call: its name and (
            raise Unexpected(at)
        top.operands.append(found)
    elif top.binding != binding or binding == _POWER:
        stack.append(_Waiting(binding, [token], [found]))
    elif binding == _COMPARE:
        raise Unexpected(at)
    else:
        top.operators.append(token)
        top.operands.append(found)


def _complete(stack: list[_Waiting], binding: int, found: Node) -> Node:
    """What waits on the stack and binds more than this, with its last operand."""
    while stack[-1].binding > binding:
        waiting = stack.pop()
        found = _node(_KINDS[waiting.binding], waiting.operators, (*waiting.operands, found))
    return found


def _node(kind: str, operators: Sequence[Token], operands: tuple[Node, ...]) -> Node:
    """Operands and the operators between them, or the one before them."""
    signs = tuple(o.text for o in operators)
    if kind in ("sign", "not"):
        signs, begin = signs if kind == "sign" else (), operators[0].column
    else:
        signs, begin = (_FIRST.get(kind, ""), *signs), operands[0].begin
    return Node(kind, operators[0], operands, signs, begin, operands[-1].end, _above(operands))


def _closed(tokens: Sequence[Token], at: int, stack: list[_Waiting], found: Node) -> Node:
    """The brackets or the call that a ``)`` closes."""
    found = _complete(stack, _OPEN, found)
    if len(stack) == 1:
        raise Unexpected(at)
    opened = stack.pop()
    first, end = opened.operators[0], tokens[at].end
    if len(opened.operators) == 1:
        return Node("group", first, (found,), (), first.column, end, found.depth)
    arguments = (*opened.operands, found)
    return Node("call", first, arguments, (), first.column, end, _above(arguments))


def _above(parts: Sequence[Node]) -> int:
    return 1 + max((p.depth for p in parts), default=0)
