"""The checked tree to SymPy: each node becomes the SymPy node of a table, those below first."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import sympy as sp

from ..elementary_functions import OF_SYMPY, arguments
from ..symbols import Remembered, size
from .constant_folding import undefined
from .functions import CONSTANTS, DOT, FUNCTIONS
from .grammar import SyntaxNode
from .name_resolution import Scope
from .syntax_errors import LIMITS, TextError

_COMPARISONS: dict[str, Callable[..., sp.Basic]] = {
    "<": sp.StrictLessThan,
    "<=": sp.LessThan,
    ">": sp.StrictGreaterThan,
    ">=": sp.GreaterThan,
    "==": sp.Eq,
    "!=": sp.Ne,
}
_FEW = 3  # arguments of min and max that SymPy compares with each other; more take it too long
_PONDERED = 1000  # parts of an argument; of more SymPy takes too long to find out what it is
_NONE = (sp.zoo, sp.nan, sp.oo, -sp.oo)
_FAILURES = (TypeError, ValueError, ArithmeticError, NotImplementedError, AttributeError, RecursionError)


class SympyBuilder:
    """Builds the expression of one text."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.values: dict[int, sp.Basic] = {}

    def expression(self, tree: SyntaxNode) -> sp.Expr:
        """The SymPy expression.

        Raises:
            TextError: E711 to E714 where SymPy finds that a value is undefined, not real or out of range; E719 where
                SymPy cannot form it.
        """
        nodes = list(tree.upward())
        for node in nodes:
            try:
                self.values[id(node)] = getattr(self, f"_{node.kind}")(node)
            except _FAILURES:
                remedy = "simplify this part, or give it a name of its own"
                raise self.scope.error("E719", "this cannot be formed", remedy, node) from None
        if _worst_fault(self.values[id(tree)]):
            for node in nodes:
                code = _worst_fault(self.values[id(node)])
                if code:
                    raise self._refusal(code, node)
        return self.values[id(tree)]

    def _of(self, node: SyntaxNode) -> sp.Basic:
        return self.values[id(node)]

    def _number(self, node: SyntaxNode) -> sp.Expr:
        text = node.token.text
        return sp.Integer(int(text)) if text.isdigit() else sp.Float(float(text))

    def _name(self, node: SyntaxNode) -> sp.Expr:
        name = node.token.text
        if name in self.scope.names:
            return self.scope.names[name]
        return CONSTANTS[name][0] if name in CONSTANTS else self.scope.rates.get(name, sp.S.Zero)

    def _group(self, node: SyntaxNode) -> sp.Basic:
        return self._of(node.parts[0])

    def _sign(self, node: SyntaxNode) -> sp.Expr:
        value = self._of(node.parts[0])
        return value if node.signs[0] == "+" else sp.Mul(sp.S.NegativeOne, value)

    def _sum(self, node: SyntaxNode) -> sp.Expr:
        terms = []
        for sign, part in zip(node.signs, node.parts, strict=True):
            if sign == "-":
                terms.append(self._factors(part, [sp.S.NegativeOne]))
            else:
                terms.append(self._of(part))
        return sp.Add(*terms)

    def _product(self, node: SyntaxNode) -> sp.Expr:
        return self._factors(node, [])

    def _factors(self, node: SyntaxNode, factors: list[sp.Expr]) -> sp.Expr:
        """All factors at once: -a*b/c is Mul(-1, a, b, 1/c)."""
        parts, signs = (node.parts, node.signs) if node.kind == "product" else ((node,), ("*",))
        for sign, part in zip(signs, parts, strict=True):
            if part is parts[0]:
                part, minus = _unsigned(part)
                factors = [sp.S.NegativeOne] * minus + factors
            value = self._of(part)
            factors.append(value if sign == "*" else sp.Pow(value, sp.S.NegativeOne))
        # does the product begin with ``1*``? Then its number is not multiplied into a sum: 1*2*(x + y)
        keeps_number_apart = (
            node.kind == "product" and _unsigned(node.parts[0])[0].token.text == "1" and node.signs[1] == "*"
        )
        if keeps_number_apart:
            return _undistributed(factors)
        return sp.Mul(*factors)

    def _power(self, node: SyntaxNode) -> sp.Expr:
        base, exponent = map(self._of, node.parts)
        if max(size(base), size(exponent)) > _PONDERED:
            return sp.Pow(base, exponent, evaluate=False)
        # the power; a root of an integer beyond the floats is a float: SymPy never ends on its products with decimals
        power = sp.Pow(base, exponent)
        if not power.is_number:
            return power
        large = {p for p in power.atoms(sp.Pow) if p.exp.is_Rational and p.base.is_Rational and _large(p.base)}
        return power.xreplace({p: sp.Float(float(p)) for p in large}) if large else power

    def _call(self, node: SyntaxNode) -> sp.Expr:
        name = node.token.text
        if name == DOT:
            return self.scope.rates[node.parts[0].bare.token.text]
        values = [self._of(p) for p in node.parts]
        if name in ("min", "max"):
            return _extreme(FUNCTIONS[name].build, values)
        if max(map(size, values)) > _PONDERED:
            return FUNCTIONS[name].build(*values, evaluate=False)
        if name == "abs" and not values[0].is_extended_real:  # SymPy would expand it
            return sp.Abs(values[0], evaluate=False)
        return FUNCTIONS[name].build(*values)

    def _compare(self, node: SyntaxNode) -> sp.Basic:
        return _COMPARISONS[node.signs[1]](*map(self._of, node.parts))

    def _and(self, node: SyntaxNode) -> sp.Basic:
        return sp.And(*map(self._of, node.parts))

    def _or(self, node: SyntaxNode) -> sp.Basic:
        return sp.Or(*map(self._of, node.parts))

    def _not(self, node: SyntaxNode) -> sp.Basic:
        return sp.Not(self._of(node.parts[0]))

    def _refusal(self, code: str, node: SyntaxNode) -> TextError:
        if code == "E711":
            return undefined(self.scope, node)
        fact, remedy = {
            "E712": ("the value is not real", "all quantities are real: correct this part"),
            "E713": (
                f"the powers multiply out beyond the exponent {LIMITS.exponent} or {LIMITS.bits} bits",
                "choose other units, or write exp(n*log(x))",
            ),
            "E714": ("a number out of range: values lie between 1e-300 and 1e300", "choose other units"),
            "E719": ("no number comes out of this", "correct this part"),
        }[code]
        return self.scope.error(code, fact, remedy, node)


def _unsigned(node: SyntaxNode) -> tuple[SyntaxNode, int]:
    """The node behind its minus signs, and how many they are, modulo 2."""
    minus = 0
    while node.kind == "sign":
        minus ^= node.signs[0] == "-"
        node = node.parts[0]
    return node, int(minus)


def _undistributed(factors: list[sp.Expr]) -> sp.Expr:
    """The product, with a number beside a sum left as it stands: SymPy makes 2*x + 2*y of 2*(x + y)."""
    number = sp.Mul(*(f for f in factors if f.is_Number))
    rest = sp.Mul(*(f for f in factors if not f.is_Number))
    if rest.is_Add and number.is_Number and number != 1:
        return sp.Mul(number, rest, evaluate=False)
    return sp.Mul(*factors)


def _extreme(build: Callable[..., sp.Expr], values: list[sp.Basic]) -> sp.Expr:
    if sum(len(v.args) if isinstance(v, sp.Min | sp.Max) else 1 for v in values) <= _FEW:
        return build(*values)
    values = list(dict.fromkeys(values))
    return build(*values, evaluate=False) if len(values) > 1 else values[0]


def _worst_fault(value: sp.Basic) -> str | None:
    """The code of what is wrong with a value: undefined, not real, out of range."""
    if not isinstance(value, sp.Expr | sp.logic.boolalg.Boolean):
        return "E719"
    codes = _faults_below(value)
    return next((code for code in _WORST_FIRST if code in codes), None)


@Remembered
def _faults_below(value: sp.Basic) -> frozenset[str]:
    """The codes of all that is wrong with its parts, each looked at once: what names stand for is in many texts."""
    own = _own_fault(value)
    return frozenset(() if own is None else (own,)).union(*map(_faults_below, value.args))


_WORST_FIRST = ("E711", "E712", "E713", "E714")
_UNREAL = (sp.re, sp.im, sp.arg, sp.AccumBounds, sp.core.numbers.ImaginaryUnit)
_DOMAINS = {kind: (row.fixed, row.domain) for kind, row in OF_SYMPY.items() if row.domain is not None}


def _own_fault(e: sp.Basic) -> str | None:
    """What is wrong with one node."""
    if e in _NONE:
        return "E711"
    if isinstance(e, _UNREAL):
        return "E712"
    if isinstance(e, sp.Rational):
        p = int(e.p)
        q = int(e.q)
        if p.bit_length() + q.bit_length() > LIMITS.bits:
            return "E713"
        limit = 10**LIMITS.decimal
        inside = q <= abs(p) * limit and abs(p) <= q * limit
        return None if p == 0 or inside else "E714"
    if isinstance(e, sp.Float):
        return None if e.is_zero or 1e-300 <= abs(e) <= 1e300 else "E714"
    if isinstance(e, sp.Pow) and not isinstance(e, sp.exp):
        if e.exp.is_Number and e.exp.is_finite and abs(e.exp) > LIMITS.exponent:
            return "E713"
        root = e.exp.is_Rational and not e.exp.is_Integer
        return "E712" if root and e.base.is_extended_negative else None
    if isinstance(e, sp.log):
        return "E712" if e.args[0].is_extended_negative else None
    if isinstance(e, sp.hyper) and any(_pole(c, e.ap) for c in e.bq):
        return "E711"
    if type(e) in _DOMAINS:
        (place, domain), given = _DOMAINS[type(e)], arguments(e)
        argument = given[place] if place < len(given) else e  # most of hyper is refused later
        known = argument.is_number and argument.is_comparable
        return "E712" if known and not domain.holds(float(argument)) else None
    return None


def _pole(c: sp.Expr, above: Sequence[sp.Expr]) -> bool:
    """Is F not defined for a parameter below, 0, -1, -2, ...? It is where the sum ends before."""
    return bool(c.is_integer and c.is_nonpositive) and not any(a.is_integer and c <= a <= 0 for a in above)


_EXACT = 2**53  # integers beyond are no floats


def _large(number: sp.Rational) -> bool:
    return max(abs(int(number.p)), int(number.q)) > _EXACT
