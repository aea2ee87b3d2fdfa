"""Constants of a tree, computed beside SymPy and before it: powers that swell, division by zero, values not real.

Rational numbers are followed exactly, others as floats. Nodes with names in them have no value, but a bound on the
numbers that multiply out of them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from operator import eq, ge, gt, le, lt, ne

import sympy as sp

from ..symbols import Remembered
from .functions import CONSTANTS, DOT, FUNCTIONS
from .grammar import SyntaxNode
from .name_resolution import Scope
from .syntax_errors import TextError, TextLimits

_ROUNDING = 8 * 2.0**-53  # of a sum of a few terms that are rounded themselves
_COMPARISONS = {"<": lt, "<=": le, ">": gt, ">=": ge, "==": eq, "!=": ne}


@dataclass(frozen=True)
class FoldedValue:
    """What is known of a node.

    Attributes:
        number: its value, if no name occurs in it.
        exact: the same as a fraction, if it is rational.
        bits: of the largest number that multiplies out of it.
        term: log2 of the size of the term without names, log(...) counting as 1: 10 for 2^10*(x + log(y)); None if
            there is no such term. In an exponent it is the power that would be multiplied out.
        logs: does log(...) occur in it?
    """

    number: float | None = None
    exact: Fraction | None = None
    bits: int = 0
    term: float | None = None
    logs: bool = False


_NOTHING = FoldedValue()


def check_constants(tree: SyntaxNode, scope: Scope, limits: TextLimits) -> None:
    """Refuse constants that are too large, undefined or not real.

    Raises:
        TextError: E711, E712, E713, E714.
    """
    folding, values = _Folding(scope, limits), dict[int, FoldedValue]()
    for node in tree.upward():
        values[id(node)] = folding.value(node, [values[id(p)] for p in node.parts])


class _Folding:
    def __init__(self, scope: Scope, limits: TextLimits) -> None:
        self.scope, self.limits = scope, limits
        self.named: dict[str, FoldedValue] = {}

    def value(self, node: SyntaxNode, parts: Sequence[FoldedValue]) -> FoldedValue:
        """The value of a node from those of its parts."""
        try:
            found: FoldedValue = getattr(self, f"_{node.kind}")(node, parts)
        except OverflowError:
            raise self._range(node) from None
        except ZeroDivisionError:
            raise self._undefined(node) from None
        if found.number is not None and not self._inside(found):
            raise self._range(node)
        if found.bits > self.limits.bits:
            raise self._large(node)
        return found

    def _inside(self, v: FoldedValue) -> bool:
        assert v.number is not None
        limit = 10.0**self.limits.decimal
        zero = v.exact == 0 if v.exact is not None else v.number == 0
        return zero or 1 / limit <= abs(v.number) <= limit

    def _number(self, node: SyntaxNode, _: Sequence[FoldedValue]) -> FoldedValue:
        text = node.token.text
        return _of(Fraction(int(text))) if text.isdigit() else _float(float(text))

    def _name(self, node: SyntaxNode, _: Sequence[FoldedValue]) -> FoldedValue:
        name = node.token.text
        if name not in self.scope.names:
            return _float(CONSTANTS[name][1]) if name in CONSTANTS else _NOTHING
        if name not in self.named:
            self.named[name] = _of_expression(self.scope.names[name])
        return self.named[name]

    def _group(self, _: SyntaxNode, parts: Sequence[FoldedValue]) -> FoldedValue:
        return parts[0]

    def _sign(self, node: SyntaxNode, parts: Sequence[FoldedValue]) -> FoldedValue:
        v = parts[0]
        if node.signs[0] == "+" or v.number is None:
            return v
        return FoldedValue(-v.number, None if v.exact is None else -v.exact, v.bits, v.term, v.logs)

    def _sum(self, node: SyntaxNode, parts: Sequence[FoldedValue]) -> FoldedValue:
        signs = [-1 if s == "-" else 1 for s in node.signs]
        exact = [None if p.exact is None else s * p.exact for s, p in zip(signs, parts, strict=True)]
        if all(e is not None for e in exact):
            self._afford(node, sum(p.bits for p in parts))
            return _of(sum((e for e in exact if e is not None), Fraction(0)))
        bits = max(p.bits for p in parts) + len(parts).bit_length()
        sizes = [p.term for p in parts if p.term is not None]
        term = max(sizes) + math.log2(len(sizes)) if sizes else None
        numbers = [None if p.number is None else s * p.number for s, p in zip(signs, parts, strict=True)]
        known = [x for x in numbers if x is not None]
        total = _total(known) if len(known) == len(numbers) else None
        return FoldedValue(total, None, bits, term, any(p.logs for p in parts))

    def _product(self, node: SyntaxNode, parts: Sequence[FoldedValue]) -> FoldedValue:
        for sign, part, v in zip(node.signs, node.parts, parts, strict=True):
            if sign == "/" and v.number == 0:
                raise self._undefined(part)
        bits = sum(p.bits for p in parts)
        exact = [
            p.exact if s == "*" or p.exact is None else 1 / p.exact for s, p in zip(node.signs, parts, strict=True)
        ]
        if all(e is not None for e in exact):
            self._afford(node, bits)
            return _of(reduce(lambda a, b: a * b, (e for e in exact if e is not None)))
        product: float | None = 1.0
        for sign, p in zip(node.signs, parts, strict=True):
            if product is None or p.number is None:
                product = None
            else:
                product = product * p.number if sign == "*" else product / p.number
        if product == 0 and all(p.number != 0 for p in parts):
            raise self._range(node)
        return FoldedValue(product, None, bits, _size_of_product(node, parts), any(p.logs for p in parts))

    def _power(self, node: SyntaxNode, parts: Sequence[FoldedValue]) -> FoldedValue:
        base, exponent = parts
        n = exponent.number
        logs = base.logs or exponent.logs
        if n is None:
            bits = base.bits * self._multiplied(node.parts[1], exponent)
            return FoldedValue(None, None, bits, None, logs)
        if abs(n) > self.limits.exponent:
            fact = f"the exponent {n:.6g} is larger than {self.limits.exponent}"
            raise self.scope.error(
                "E713", fact, "write exp(n*log(x)) if it is meant, or choose other units", node.parts[1]
            )
        if base.number == 0 and n < 0:
            raise self._undefined(node)
        whole = n == int(n)
        if not whole and base.bits > self.limits.radical:
            raise self._large(node)
        if base.number is not None and base.number < 0 and not whole:
            raise self._unreal(
                node, f"{base.number:.6g} to the power {n:.6g}", "for x^(1/3) write sign(x)*abs(x)^(1/3)"
            )
        bits = math.ceil(abs(n)) * base.bits
        term = None if base.term is None else n * base.term
        if base.exact is not None and exponent.exact is not None and whole:
            self._afford(node, bits)
            return _of(base.exact ** int(n))
        return FoldedValue(None if base.number is None else base.number**n, None, bits, term, logs)

    def _call(self, node: SyntaxNode, parts: Sequence[FoldedValue]) -> FoldedValue:
        name = node.token.text
        if name == DOT:
            return _NOTHING
        bits, _, logs = _most(parts)
        given = [p.number for p in parts if p.number is not None]
        if len(given) == len(parts):
            number = self._function(node, given)
            return _float(float(number), max(bits, _bits_of(float(number))))
        if name == "exp" and logs:  # exp(c*log(x)) is x^c
            return FoldedValue(None, None, bits * self._multiplied(node, parts[0]), None, logs)
        if name == "sqrt" and bits > self.limits.radical:
            raise self._large(node)
        return FoldedValue(None, None, bits, 0 if name == "log" else None, logs or name == "log")

    def _multiplied(self, node: SyntaxNode, exponent: FoldedValue) -> int:
        """The power that multiplies out: 3 in 2^(3 + x), and in exp(3*log(x))."""
        power = 2 ** max(exponent.term or 0, 0) if (exponent.term or 0) < self.limits.bits else math.inf
        if power > self.limits.exponent * (1 + 1e-9):
            fact = f"the exponent holds a number larger than {self.limits.exponent}"
            raise self.scope.error("E713", fact, "choose other units", node)
        return math.ceil(power)

    def _function(self, node: SyntaxNode, given: Sequence[float]) -> float:
        name = node.token.text
        f = FUNCTIONS[name]
        if given[f.fixed] in f.domain.poles or (name == "where" and len(given) % 2 == 0 and not any(given[::2])):
            raise self._undefined(node)
        try:
            return f.value(*given)
        except ValueError:
            shown = ", ".join(f"{x:.15g}" for x in given)
            call = ", ".join([*"abc"[: f.fixed], "x"])
            remedy = f"{name}({call}) is real for x {f.domain}" if f.domain.bounded else "correct the argument"
            raise self._unreal(node, f"{name}({shown})", remedy) from None

    def _compare(self, node: SyntaxNode, parts: Sequence[FoldedValue]) -> FoldedValue:
        a, b = (p.number for p in parts)
        holds = None if a is None or b is None else float(_COMPARISONS[node.signs[1]](a, b))
        return FoldedValue(holds, None, *_most(parts))

    def _and(self, _: SyntaxNode, parts: Sequence[FoldedValue]) -> FoldedValue:
        known = [p.number for p in parts if p.number is not None]
        return FoldedValue(min(known) if len(known) == len(parts) else None, None, *_most(parts))

    def _or(self, _: SyntaxNode, parts: Sequence[FoldedValue]) -> FoldedValue:
        known = [p.number for p in parts if p.number is not None]
        return FoldedValue(max(known) if len(known) == len(parts) else None, None, *_most(parts))

    def _not(self, _: SyntaxNode, parts: Sequence[FoldedValue]) -> FoldedValue:
        v = parts[0].number
        return FoldedValue(None if v is None else 1 - v, None, *_most(parts))

    def _afford(self, node: SyntaxNode, bits: int) -> None:
        if bits > self.limits.bits:
            raise self._large(node)

    def _large(self, node: SyntaxNode) -> TextError:
        fact = f"the numbers multiply out to more than {self.limits.bits} bits"
        return self.scope.error("E713", fact, "write a decimal number, 1.5e30, or choose other units", node)

    def _range(self, node: SyntaxNode) -> TextError:
        k = self.limits.decimal
        fact = f"a number out of range: values lie between 1e-{k} and 1e{k}"
        return self.scope.error("E714", fact, "choose other units", node)

    def _undefined(self, node: SyntaxNode) -> TextError:
        return undefined(self.scope, node)

    def _unreal(self, node: SyntaxNode, what: str, remedy: str) -> TextError:
        return self.scope.error("E712", f"{what} is not real", remedy, node)


def undefined(scope: Scope, node: SyntaxNode) -> TextError:
    """E711 at a node."""
    fact = "division by zero, or a value that is not defined"
    return scope.error("E711", fact, "correct the expression: this part has no finite value", node)


def _total(terms: Sequence[float]) -> float:
    """Their sum; 0 where it is no more than their rounding, as of sqrt(2) + sqrt(3) - sqrt(5 + 2*sqrt(6))."""
    total = math.fsum(terms)
    return 0.0 if abs(total) <= _ROUNDING * max(map(abs, terms)) else total


def _most(parts: Sequence[FoldedValue]) -> tuple[int, None, bool]:
    return max((p.bits for p in parts), default=0), None, any(p.logs for p in parts)


def _size_of_product(node: SyntaxNode, parts: Sequence[FoldedValue]) -> float | None:
    size = 0.0
    for sign, p in zip(node.signs, parts, strict=True):
        if p.term is None:
            return None
        size += p.term if sign == "*" else -p.term
    return size


def _of(exact: Fraction) -> FoldedValue:
    bits = exact.numerator.bit_length() + exact.denominator.bit_length() - 1
    try:
        number = float(exact)
    except OverflowError:
        number = math.copysign(math.inf, exact)
    return FoldedValue(number, exact, bits, _log2(number))


@Remembered
def _of_expression(e: sp.Expr) -> FoldedValue:
    """What is known of an expression that a name stands for; it was read within the limits itself."""
    if e.is_Symbol:
        return _NOTHING
    if isinstance(e, sp.Rational):
        return _of(Fraction(int(e.p), int(e.q)))
    numbers, logs = _constants(e)
    bits = max((int(a.p).bit_length() + int(a.q).bit_length() for a in numbers if a.is_Rational), default=0)
    if e.is_number and e.is_comparable:
        return _float(float(e), bits)
    constants = numbers if logs else [abs(e.as_coeff_Add()[0])]
    return FoldedValue(None, None, bits, max((math.log2(a) for a in map(float, constants) if a), default=None), logs)


@Remembered
def _constants(e: sp.Basic) -> tuple[frozenset[sp.Number], bool]:
    """The sizes of the finite numbers in an expression, and whether there is a logarithm; found once for each part."""
    if isinstance(e, sp.Number):
        return frozenset([abs(e)] if e.is_finite else []), False
    parts = [_constants(a) for a in e.args]
    return frozenset().union(*(n for n, _ in parts)), isinstance(e, sp.log) or any(logs for _, logs in parts)


def _float(number: float, bits: int | None = None) -> FoldedValue:
    bits = _bits_of(number) if bits is None else bits
    return FoldedValue(number, None, bits, _log2(number))


def _log2(number: float) -> float | None:
    return None if number == 0 else math.log2(abs(number))


def _bits_of(number: float) -> int:
    return abs(math.frexp(number)[1]) if math.isfinite(number) else 0
