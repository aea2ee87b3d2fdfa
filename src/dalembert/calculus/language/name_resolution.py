"""What the names and functions of a tree mean; nothing is built yet."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import sympy as sp

from ...errors import as_given, did_you_mean
from ..elementary_functions import AS_A_STATE, HIGHEST_ORDER
from .functions import ALIASES, CONSTANTS, DOT, FUNCTIONS, WORDS, arity, conditions, fits, is_order
from .grammar import SyntaxNode
from .syntax_errors import TextError, UnknownText
from .tokens import Token, dotted_letter, rate_remedy

_TIME = "t"
_DERIVATIVES = ("diff", "Derivative", "derivative", "D", "Diff", "ddt", "der", "d")
_SECOND = ("ddot", "dddot", "d2dt2", "Ddot")
_SPECIAL = """hyp1f1 hyp0f1 assoc_legendre jacobi gegenbauer chebyshevt chebyshevu hermite laguerre ellipj
    jacobisn jacobicn jacobidn bessely besseli besselk airyai airybi erfi mathieuc mathieus"""
_NO_EQUATION = dict.fromkeys(("gamma", "loggamma", "beta", "zeta"), "give its value at a number as a parameter")
_INCOMPLETE = (
    "it is a state: a coordinate F without mass, with dot(F) - dot(x){}sqrt(1 - m*sin(x)^2) = 0 as a constraint"
)
_INCOMPLETE_ONES = {name: _INCOMPLETE.format("/") for name in ("elliptic_f", "ellipkinc")}
_INCOMPLETE_ONES["ellipeinc"] = _INCOMPLETE.format("*")


@dataclass(frozen=True)
class Scope:
    """A text and what its names stand for.

    Attributes:
        text: normal form (NFC).
        where: what it is called in messages.
        names, rates, parameters: as in `read_text`.
    """

    text: str
    where: str
    names: Mapping[str, sp.Expr]
    rates: Mapping[str, sp.Expr]
    parameters: frozenset[str]

    @cached_property
    def known(self) -> frozenset[str]:
        """All names that may occur."""
        return frozenset(self.names).union(self.rates)

    def error(
        self, code: str, fact: str, remedy: str, place: SyntaxNode | Token, kind: type[TextError] = TextError
    ) -> TextError:
        """A refusal that points at a place."""
        begin, end = (place.begin, place.end) if isinstance(place, SyntaxNode) else (place.column, place.end)
        return kind(code, f"{self.where}: {fact}", remedy, self.text, begin, end - begin)


def check_meaning(tree: SyntaxNode, scope: Scope) -> None:
    """Refuse names, calls and conditions that mean nothing.

    Raises:
        TextError: E103 pi as a name, E118, E702, E703, E704, E706, E708, E709, E710.
    """
    if tree.bare.truth:
        raise _condition(tree.bare, scope)
    calls = [node for node in tree.upward() if node.kind == "call"]
    rated = {id(node.parts[0].bare) for node in calls if node.token.text == DOT and len(node.parts) == 1}
    for node in sorted(tree.upward(), key=lambda n: n.begin):
        if node.kind == "name" and id(node) not in rated:
            _check_name(node, scope)
        elif node.kind == "call":
            _check_call(node, scope)
        else:
            _check_parts(node, scope)


def _check_parts(node: SyntaxNode, scope: Scope) -> None:
    """Conditions stand where conditions belong, and values where values belong."""
    wants = node.kind in ("and", "or", "not")
    for part in node.parts if node.kind != "group" else ():
        if part.bare.truth and not wants:
            raise _condition(part.bare, scope)
        if wants and not part.bare.truth:
            raise _no_condition(part, scope)


def _condition(node: SyntaxNode, scope: Scope) -> TextError:
    if node.kind == "compare":
        fact = f"{as_given(node.token.text)} makes it {'an equation' if node.token.text == '==' else 'a condition'}"
        remedy = "write an expression: move everything to one side, lhs - rhs\ncases are where(x < 0, a, b)"
        return scope.error("E706", fact, remedy, node.token)
    fact = f"{as_given(node.token.text)} joins conditions within where(...) only"
    return scope.error("E709", fact, "cases are where(x < 0, a, b)", node.token)


def _no_condition(node: SyntaxNode, scope: Scope) -> TextError:
    return scope.error("E706", "a condition is expected here", "compare two values: where(x < 0, a, b)", node)


def _check_call(node: SyntaxNode, scope: Scope) -> None:
    name, count = node.token.text, len(node.parts)
    if name in scope.names:
        _refuse_product(node, scope)
    if name == DOT:
        _check_rate(node, scope)
        return
    f = FUNCTIONS.get(name)
    if f is None:
        raise _unknown_function(node, scope)
    if not fits(f, count):
        raise scope.error("E708", f"{name} takes {arity(f)}, got {count}", _usage(name), node)
    if f.ordered and not is_order(node.parts[0].bare.token.text):
        fact = f"the order of {name} must be written as a whole number from 0 to {HIGHEST_ORDER}"
        raise scope.error("E708", fact, _usage(name), node.parts[0])
    for i, part in enumerate(node.parts[: f.fixed]):
        if any(n.kind == "name" and n.token.text not in CONSTANTS for n in part.upward()):
            fact = f"argument {i + 1} of {name} says which function it is, and must be a number"
            raise scope.error("E708", fact, _usage(name), part)
    wanted = conditions(name, node.parts)
    for i, part in enumerate(node.parts):
        if part.bare.truth and i not in wanted:
            raise _condition(part.bare, scope)
        if i in wanted and not part.bare.truth:
            raise _no_condition(part, scope)


def _usage(name: str) -> str:
    usual = {"atan2": "atan2(y, x)", "min": "min(a, b)", "max": "max(a, b)", "where": "where(x < 0, a, b)"}
    usual |= {"hyp2f1": "hyp2f1(1/2, 1/2, 1, x)", "legendre": "legendre(1/2, x)"}
    usual |= {name: f"{name}(0, x)" for name, f in FUNCTIONS.items() if f.ordered}
    return f"write {usual.get(name, f'{name}(x)')}"


def _refuse_product(node: SyntaxNode, scope: Scope) -> None:
    name = node.token.text
    if [p.token.text for p in node.parts if p.kind == "name"] == [_TIME] and len(node.parts) == 1:
        remedy = f"write {name}: it depends on the time anyway\nif a product is meant, put * between: {name}*(t)"
    elif name in FUNCTIONS:
        remedy = f"{name} is a declared name here, and the function {name} cannot be used: rename one"
    else:
        remedy = f"{name} is not a function: put * between factors, {name}*(...)"
    inner = Token("LPAR", "(", node.token.end)
    raise scope.error("E704", f"unexpected '(' after {as_given(name)}", remedy, inner)


def _check_rate(node: SyntaxNode, scope: Scope) -> None:
    if len(node.parts) != 1:
        raise scope.error("E708", f"dot takes 1 argument, got {len(node.parts)}", "write dot(x)", node)
    inner = node.parts[0].bare
    name = inner.token.text
    if inner.kind == "call" and name in (DOT, *_SECOND):
        raise _acceleration(node, scope)
    if inner.kind != "name":
        fact = "dot takes the name of a coordinate"
        raise scope.error("E710", fact, "write the derivative out by the chain rule: 2*x*dot(x) for that of x^2", inner)
    if name in scope.rates:
        return
    if name in scope.parameters:
        fact = f"{name} is a parameter, its derivative is 0"
        raise scope.error("E710", fact, f"remove dot({name}), or declare {name} as a coordinate", node)
    if name == _TIME and name in scope.names:
        raise scope.error("E710", "t is the time, its derivative is 1", "write 1", node)
    if name in scope.names:
        fact = f"{name} is not a coordinate: dot({name}) is not known"
        remedy = f"if {name} is a velocity, this is an acceleration: only positions, velocities and time may occur"
        remedy += "\na definition has a rate where it holds positions or the time alone, and does not jump"
        raise scope.error("E118", fact, remedy, node)
    raise scope.error("E710", f"dot of the unknown name {as_given(name)}", _near(name, scope.rates), inner)


def _acceleration(node: SyntaxNode, scope: Scope) -> TextError:
    remedy = "only positions, velocities and time may occur: the accelerations follow from the equations of motion"
    return scope.error("E118", "a second derivative is an acceleration", remedy, node)


def _unknown_function(node: SyntaxNode, scope: Scope) -> TextError:
    name = node.token.text
    if name in _SECOND:
        return _acceleration(node, scope)
    if name in _DERIVATIVES:
        first = node.parts[0].bare.token.text if node.parts else "x"
        return scope.error("E709", f"{name}(...) is not part of the language", rate_remedy(first), node.token)
    known = {"pow": "write x^2", "cbrt": "write x^(1/3)", "hypot": "write sqrt(x^2 + y^2)", "square": "write x^2"}
    known |= {"Rational": "write 1/2", "log10": "write log(x)/log(10)", "log2": "write log(x)/log(2)"}
    known |= {"lambda": "the language has no functions of one's own"}
    known |= {"erfc": "write 1 - erf(x)"} | _NO_EQUATION | _INCOMPLETE_ONES
    known |= dict.fromkeys(_SPECIAL.split(), AS_A_STATE)
    remedy = known.get(name) or (_usage(ALIASES[name.lower()]) if name.lower() in ALIASES else "")
    if not remedy:
        functions = (*FUNCTIONS, DOT)
        remedy = did_you_mean(name.lower() if name.lower() in functions else name, functions)
        remedy = remedy.replace("known names", "functions")
    if name in CONSTANTS:
        return scope.error("E704", "unexpected '('", f"put * between factors: {name}*(...)", node.token)
    return scope.error("E703", f"unknown function {as_given(name)}", remedy, node.token, UnknownText)


def _check_name(node: SyntaxNode, scope: Scope) -> None:
    name = node.token.text
    if name in scope.names:
        if name in CONSTANTS:
            fact = f"{as_given(name)} is already the number 3.14159... and is declared as a name, too"
            raise scope.error("E103", fact, "choose another name", node)
        return
    if name in CONSTANTS:
        return
    if name in FUNCTIONS or name == DOT:
        raise scope.error("E708", f"{name} is a function and has no argument here", _usage(name), node)
    if name in WORDS:
        raise scope.error("E709", f"{as_given(name)} is not part of the language", "cases are where(x < 0, a, b)", node)
    raise scope.error("E702", f"unknown name {as_given(name)}", _unknown_name(name, scope), node, UnknownText)


def _unknown_name(name: str, scope: Scope) -> str:
    if name.lower() in ("pi", "\u03c0"):
        return "write pi"
    if name in ("e", "E"):
        return f"write exp(x) for {name}^x, or declare {name}"
    if name.lower() in ("nan", "oo", "inf", "infinity", "zoo", "none", "null", "undefined"):
        return "use finite numbers only"
    dotted = dotted_letter(name[0]) if len(name) == 1 else None
    if dotted:
        return rate_remedy(*dotted)
    for mark in ("_dot", "dot", "_d", "_t", "p"):
        if name.endswith(mark) and name.removesuffix(mark) in scope.rates:
            return rate_remedy(name.removesuffix(mark))
    if name.startswith("d") and name[1:].lstrip("_") in scope.rates:
        return rate_remedy(name[1:].lstrip("_"))
    return _near(name, scope.known)


def _near(name: str, known: Mapping[str, object] | frozenset[str]) -> str:
    greek = unicodedata.name(name, "").rpartition(" ")[2].lower() if len(name) == 1 else ""
    if greek in known:
        return f"did you mean {greek}?"
    spelt = {unicodedata.name(k, "").rpartition(" ")[2].lower(): k for k in known if len(k) == 1 and not k.isascii()}
    if name.lower() in spelt:
        return f"did you mean {spelt[name.lower()]}?"
    return did_you_mean(name, known)
