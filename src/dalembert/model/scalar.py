"""What counts as an expression: one real, finite, commutative SymPy scalar or number of a sane size."""

from __future__ import annotations

import math
from fractions import Fraction
from numbers import Integral, Real

import sympy as sp

from ..errors import InvalidValue, WrongType, as_given, kind_of

_LARGEST, _DEEPEST = 1e300, 160
_UNEVALUATED = (sp.Integral, sp.Sum, sp.Product, sp.Limit, sp.Subs)


def scalar(given: object, where: str) -> sp.Expr:
    """A number or SymPy expression as an expression; `where` names it in messages.

    Raises:
        WrongType: E718, text or another thing that is not an expression.
        InvalidValue: E706 an equation, E719 not a real scalar, E714 a number out of range, E135 nested too deeply.
    """
    return walked(given, where)[0]


Parts = dict[int, tuple[sp.Basic, int]]  # by `id`, each with how deeply it is nested at most


def walked(given: object, where: str, known: Parts | None = None) -> tuple[sp.Expr, Parts]:
    """`scalar`, and all parts of the expression, each object once, but for those known to be fine."""
    if isinstance(given, sp.Rel) or (isinstance(given, sp.logic.boolalg.Boolean) and not isinstance(given, sp.Expr)):
        raise InvalidValue("E706", f"{where} is an equation: {given}", "move everything to one side: lhs - rhs")
    if isinstance(given, sp.Expr):
        return given, _real(given, where, known or {})
    if isinstance(given, bool) or not isinstance(given, Real | Fraction):
        raise WrongType("E718", f"{where} must be a SymPy expression, not {kind_of(given)}", "build it from symbols")
    number = sp.Integer(int(given)) if isinstance(given, Integral) else sp.Float(float(given))
    return number, _real(number, where, {})


def _real(expression: sp.Expr, where: str, known: Parts) -> Parts:
    """The parts of an expression that is a real scalar; each kind of part is asked only what it may be."""
    matrix = isinstance(expression, _NO_SCALARS)
    parts = known if matrix else _parts(expression, where, known)
    if matrix or not expression.is_commutative:  # which SymPy asks of one part within the other: not if too deep
        raise InvalidValue("E719", f"{where} is not a scalar", "give one component")
    unreal, beyond, unevaluated, indexed = False, False, False, False
    kinds = {of: _kind(of) for of in {type(e) for e, _ in parts.values()}}
    for e, _ in parts.values():
        kind = kinds[type(e)]
        if kind == "sum or product":
            continue
        if kind == "symbol":
            unreal |= e.is_real is False
        elif kind == "number":
            unreal |= not e.is_finite
            beyond |= isinstance(e, sp.Rational | sp.Float) and not abs(_float(e)) <= _LARGEST
        elif e.is_NumberSymbol or e is sp.I or e is sp.zoo:
            unreal |= not e.is_finite or e is sp.I
        else:
            unevaluated |= isinstance(e, _UNEVALUATED)
            indexed |= isinstance(e, sp.Indexed)
    if unreal:
        raise InvalidValue(
            "E719", f"{where} = {as_given(expression)} is not real and finite", "E.g. name an inertia J, not sympy.I"
        )
    if beyond:
        raise InvalidValue("E714", f"{where} holds a number beyond {_LARGEST:g}", "choose other units")
    if unevaluated:
        raise InvalidValue("E719", f"{where} holds an unevaluated integral, sum or limit", "evaluate it first: .doit()")
    if indexed:
        raise InvalidValue("E719", f"{where} holds an indexed symbol", "give each component a symbol of its own")
    return parts


_NO_SCALARS = (sp.MatrixBase, sp.MatrixExpr, sp.Lambda, sp.Poly, sp.Order)


def _kind(of: type[sp.Basic]) -> str:
    if issubclass(of, sp.Add | sp.Mul | sp.Pow):
        return "sum or product"
    return "symbol" if of.is_Symbol else "number" if of.is_Number else "other"


def _parts(expression: sp.Expr, where: str, known: Parts) -> Parts:
    """All parts of the expression but those known; by `id`, since hashes cost more than all else that is done here.

    Raises:
        InvalidValue: E135, nested too deeply.
    """
    level: dict[int, sp.Basic] = {id(expression): expression}
    found: dict[int, tuple[sp.Basic, int]] = {}
    depth = 0
    for above in range(_DEEPEST):
        found |= {i: (e, above) for i, e in level.items()}
        below = [a for e in level.values() if not e.is_Atom for a in e.args]
        level = dict(zip(map(id, below), below, strict=True))
        if known and (met := level.keys() & known.keys()):
            depth = max(depth, above + 1 + max(known[i][1] for i in met))
            level = {i: e for i, e in level.items() if i not in met}
        if not level:
            depth = max(depth, above)
            break
    if level or depth >= _DEEPEST:
        if known:  # of which it is known how deep they are at most
            return _parts(expression, where, {})
        raise InvalidValue(
            "E135", f"{where} is nested more than {_DEEPEST} deep", "give parts of it names, or write it as a sum"
        )
    return {i: (e, depth - above) for i, (e, above) in found.items()}


def _float(e: sp.Number) -> float:
    try:
        return float(e)
    except OverflowError:
        return math.inf
