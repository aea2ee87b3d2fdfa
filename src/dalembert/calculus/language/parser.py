"""Tokens to a tree, and what to say where the grammar stops."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from ...errors import DalembertError, as_given
from ..quantity import quantity
from .functions import DOT, FUNCTIONS
from .grammar import SyntaxNode, leaf, parser
from .name_resolution import Scope
from .syntax_errors import TextError, TextLimits
from .tokens import Token, rate_remedy

_OPERATORS = {"PLUS", "MINUS", "STAR", "SLASH", "POWER"}
_COMPARING = {"LT", "LE", "GT", "GE", "EQ", "NE"}
_JOINING = {"AND", "OR", "NOT"}
_PYTHON = frozenset(("if", "else", "for", "in"))
_SEPARATED = 3  # digits behind a comma that may separate thousands


def parse(found: Sequence[Token], scope: Scope, limits: TextLimits) -> SyntaxNode:
    """The tree of the tokens.

    Raises:
        TextError: E704, E705, E706, E707, E708, E709, E716.
    """
    _check_size(found, scope, limits)
    _check_brackets(found, scope, limits)
    _check_commas(found, scope)
    tree, stopped = _tree(found)
    if tree is None:
        raise _unexpected(found, stopped, scope)
    if tree.depth > limits.depth:
        fact = f"the expression is nested {tree.depth} deep, the limit is {limits.depth}"
        raise scope.error("E716", fact, "give parts of it names of their own", tree)
    return tree


def _tree(found: Sequence[Token]) -> tuple[SyntaxNode | None, int]:
    """The tree; or None, and the position of the token at which there is none.

    The parser's own error ends here: as the context of ours it would take the whole parser along.
    """
    if len(found) == 1 and (tree := leaf(found[0])):
        return tree, 1
    lalr = parser()
    try:
        return lalr.parse(found), len(found)
    except lalr.unexpected as stop:
        at = getattr(stop.token, "start_pos", None) if stop.token.type != "$END" else None
        return None, len(found) if at is None else at


def _check_size(found: Sequence[Token], scope: Scope, limits: TextLimits) -> None:
    count = 0
    for i, token in enumerate(found):
        called = token.kind == "NAME" and i + 1 < len(found) and found[i + 1].kind == "LPAR"
        count += called or token.kind in _OPERATORS | _COMPARING | _JOINING
        if count > limits.operations:
            fact = f"more than {limits.operations} operations"
            raise scope.error("E716", fact, "give parts of it names of their own", token)


def _check_brackets(found: Sequence[Token], scope: Scope, limits: TextLimits) -> None:
    opened: list[Token] = []
    for token in found:
        if token.kind == "LPAR":
            opened.append(token)
            if len(opened) > limits.depth:
                fact = f"more than {limits.depth} brackets within each other"
                raise scope.error("E716", fact, "give parts of it names of their own", token)
        elif token.kind == "RPAR":
            if not opened:
                fact = f"unexpected ')' at column {token.column + 1}: no '(' belongs to it"
                raise scope.error("E707", fact, "remove it, or add the missing '('", token)
            opened.pop()
    if opened:
        fact = f"the '(' at column {opened[-1].column + 1} is not closed: a ')' is missing"
        raise scope.error("E707", fact, f"add ')': {_ended(scope.text)}{')' * len(opened)}", opened[-1])


def _ended(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 40 else "..." + text[-37:]


def _check_commas(found: Sequence[Token], scope: Scope) -> None:
    calls: list[Token | None] = []
    for i, token in enumerate(found):
        before = found[i - 1] if i else None
        if token.kind == "LPAR":
            calls.append(before if before and before.kind == "NAME" else None)
        elif token.kind == "RPAR":
            calls.pop()
        elif token.kind == "COMMA":
            f = FUNCTIONS.get(calls[-1].text) if calls and calls[-1] else None
            after = found[i + 1] if i + 1 < len(found) else None
            if not calls or calls[-1] is None or (f and f.most == 1):
                number = _decimal(before, token, after)
                if number or not calls or calls[-1] is None:
                    raise _comma(token, number, scope)


def _decimal(before: Token | None, comma: Token, after: Token | None) -> tuple[str, str] | None:
    """The digits on both sides of a comma that touches them."""
    if not before or not after or before.kind != "NUMBER" or after.kind != "NUMBER":
        return None
    touching = before.end == comma.column and after.column == comma.column + 1
    return (before.text, after.text) if touching else None


def _comma(token: Token, number: tuple[str, str] | None, scope: Scope) -> TextError:
    remedy = "commas stand between the arguments of a function only"
    if number:
        whole, rest = number
        remedy = f"use . as decimal mark: {whole.replace('.', '')}.{rest}"
        if len(rest) == _SEPARATED and rest.isdigit() and whole.isdigit() and whole.strip("0"):
            remedy += f"\nor leave out the separator: {whole}{rest}"
    return scope.error("E705", "unexpected ','", remedy, token)


def _unexpected(found: Sequence[Token], at: int, scope: Scope) -> TextError:
    before = found[at - 1] if at else None
    if at >= len(found):
        assert before is not None
        fact = f"the text ends with {as_given(before.text)}"
        return scope.error("E704", fact, "write what follows it, or remove it", before)
    token = found[at]
    if token.kind in _JOINING:
        remedy = "cases are where(x < 0, a, b)"
        return scope.error("E709", f"{as_given(token.text)} joins conditions within where(...) only", remedy, token)
    if token.kind in _COMPARING:
        remedy = "write one comparison; join two by and: where(a < x and x < b, 1, 0)"
        return scope.error("E706", f"unexpected {as_given(token.text)}", remedy, token)
    if token.kind == "RPAR" and before is not None:
        if before.kind == "LPAR":
            return scope.error("E707", "nothing between the brackets", "write an expression between them", before)
        if before.kind == "COMMA":
            return scope.error("E708", "an argument is missing after ','", "write it, or remove the comma", before)
        return scope.error("E704", f"unexpected ')' after {as_given(before.text)}", "write what is missing", token)
    if before is not None and before.kind in ("NUMBER", "NAME", "RPAR") and token.kind in ("NUMBER", "NAME", "LPAR"):
        return scope.error("E704", f"unexpected {as_given(token.text)}", _juxtaposed(found, at, scope), token)
    if token.kind == "COMMA":
        return scope.error("E708", "unexpected ',': an argument is missing", "write the argument, or remove it", token)
    remedy = f"write what {token.text} stands after, or remove it"
    return scope.error("E704", f"unexpected {as_given(token.text)}", remedy, token)


def _juxtaposed(found: Sequence[Token], at: int, scope: Scope) -> str:
    """What was meant where an operator is missing."""
    before, token = found[at - 1], found[at]
    earlier = [t.text for t in found[max(0, at - 3) : at]]
    if {before.text, token.text} & _PYTHON - scope.known:
        return "cases are where(x < 0, a, b)"
    if len(earlier) == 3 and earlier[0] in FUNCTIONS and found[at - 2].kind == "POWER":
        return f"write {earlier[0]}(x)^{earlier[2]} for {earlier[0]}{earlier[1]}{earlier[2]}(x)"
    if before.kind == "NAME" and before.text not in scope.names and token.kind != "LPAR":
        if before.text in FUNCTIONS or before.text == DOT:
            return f"write {before.text}({token.text})"
        if before.text == "dt" and earlier[:2] == ["d", "/"]:
            return rate_remedy(token.text)
        if before.text == "lambda":
            return "the language has no functions of one's own"
    if unit := unit_remedy(found, at, scope):
        return unit
    if token.kind == "LPAR":
        left = before.text if before.kind != "RPAR" else "(...)"
        return f"put * between factors: {left}*(...)"
    left, right = ("(...)" if t.kind == "RPAR" else t.text for t in (before, token))
    called = "(...)" if [t.kind for t in found[at : at + 2]] == ["NAME", "LPAR"] else ""
    return f"put * between factors: {left}*{right}{called}"


# --- units in formulas ------------------------------------------------------------------------------------------------

# A formula is in base SI: where a unit stands, write pi/2 for ``90 deg``, 0.0254 for ``2.54 cm``.

_UNITS = frozenset(("m", "cm", "mm", "km", "kg", "g", "s", "ms", "min", "h", "rad", "deg", "rpm", "Hz", "N", "J", "W"))
_WITHIN = {"STAR", "SLASH", "POWER", "NUMBER"}
_BEFORE = {"SLASH", "POWER"}  # a number behind these is bound to what stands before them
_ROUND = 1e-14  # of a size that is a simple part of pi
_PARTS = 3600  # the most parts of pi that are looked for
_ONE = Fraction(1)
_SHORT = 12  # numerators and denominators that are written out


def unit_remedy(found: Sequence[Token], at: int, scope: Scope) -> str | None:
    """What to write for the number, name or bracket before ``found[at]`` and its unit; None where there is no unit."""
    if not _is_unit(found[at], scope):
        return None
    unit, size = _longest(found, at, scope)
    before = found[at - 1]
    if before.kind == "NUMBER" and (at < 2 or found[at - 2].kind not in _BEFORE):
        given = f"{before.text} {unit}"
        value = _of_pi(size, Fraction(before.text)) or f"{quantity(given, unit).value:.15g}"
        return f'formulas are in base SI: write {value} for {given}\nor give it a name in the parameters: "{given}"'
    left = "(...)" if before.kind == "RPAR" else before.text
    factor = _of_pi(size) or ("" if size == 1 else f"{size:.15g}")
    return f"formulas are in base SI: write {'*'.join(filter(None, (left, factor)))} for {left} {unit}"


def _is_unit(token: Token, scope: Scope) -> bool:
    return token.kind == "NAME" and token.text in _UNITS and token.text not in scope.names


def _longest(found: Sequence[Token], at: int, scope: Scope) -> tuple[str, float]:
    """The unit that begins here, as far as all its names are units of their own, and its size in base SI."""
    end = at + 1
    while end < len(found) and (found[end].kind in _WITHIN or _is_unit(found[end], scope)):
        end += 1
    for last in range(end, at, -1):
        text = "".join(f" {token.text}" if token.kind == "NAME" else token.text for token in found[at:last]).strip()
        text = text.replace("/ ", "/").replace("* ", "*")
        try:
            return text, quantity(f"1 {text}", text).value
        except DalembertError:  # it ends with an operator, or with a number that is another factor
            continue
    raise AssertionError(found[at].text)  # each of `_UNITS` is one


def _of_pi(size: float, number: Fraction = _ONE) -> str:
    """A number times a size as a part of pi; "" where the size is none."""
    part = Fraction(size / math.pi).limit_denominator(_PARTS)
    if not math.isclose(size, float(part) * math.pi, rel_tol=_ROUND):
        return ""
    whole = number * part
    if max(whole.numerator, whole.denominator) <= _SHORT:
        return _parts(whole)
    return "*".join([*([f"{float(number):.15g}"] if number != 1 else []), _parts(part)])  # 12.5*pi/180, not 5*pi/72


def _parts(part: Fraction) -> str:
    """So many parts of pi."""
    over = "" if part.denominator == 1 else f"/{part.denominator}"
    return f"pi{over}" if part.numerator == 1 else f"{part.numerator}*pi{over}"
