"""What counts as an expression: one real, finite, commutative SymPy scalar or number of a sane size."""

from __future__ import annotations

from fractions import Fraction
from numbers import Integral, Real
from typing import Any

import sympy as sp

from ..calculus.text import short
from ..errors import InvalidValue, WrongType

_LARGEST, _DEEPEST = 1e300, 100
_UNEVALUATED = (sp.Integral, sp.Sum, sp.Product, sp.Limit, sp.Subs)


def scalar(given: Any, where: str) -> sp.Expr:
    """A number or SymPy expression as an expression; `where` names it in messages.

    Raises:
        WrongType: E718, text or another thing that is not an expression.
        InvalidValue: E706 an equation, E719 not a real scalar, E714 a number out of range, E135 nested too deeply.
    """
    if isinstance(given, sp.Rel) or (isinstance(given, sp.logic.boolalg.Boolean) and not isinstance(given, sp.Expr)):
        raise InvalidValue("E706", f"{where} is an equation: {given}", "move everything to one side: lhs - rhs")
    if isinstance(given, sp.Expr):
        return _real(given, where)
    if isinstance(given, bool) or not isinstance(given, Real | Fraction):
        raise WrongType(
            "E718", f"{where} must be a SymPy expression, not {type(given).__name__}", "build it from symbols"
        )
    number = sp.Integer(int(given)) if isinstance(given, Integral) else sp.Float(float(given))
    return _real(number, where)


def _real(expression: sp.Expr, where: str) -> sp.Expr:
    if isinstance(expression, _NO_SCALARS) or not expression.is_commutative:
        raise InvalidValue("E719", f"{where} is not a scalar", "give one component")
    unreal, beyond, unevaluated, indexed = False, False, False, False
    for e in _parts(expression, where):
        if e.is_Symbol:
            unreal |= e.is_real is False
        elif e.is_Number or e.is_NumberSymbol or e is sp.I or e is sp.zoo:
            unreal |= not e.is_finite or e is sp.I
            beyond |= isinstance(e, sp.Rational | sp.Float) and abs(e) > _LARGEST
        else:
            unevaluated |= isinstance(e, _UNEVALUATED)
            indexed |= isinstance(e, sp.Indexed)
    if unreal:
        raise InvalidValue(
            "E719", f"{where} = {short(expression)} is not real and finite", "E.g. name an inertia J, not sympy.I"
        )
    if beyond:
        raise InvalidValue("E714", f"{where} holds a number beyond {_LARGEST:g}", "choose other units")
    if unevaluated:
        raise InvalidValue("E719", f"{where} holds an unevaluated integral, sum or limit", "evaluate it first: .doit()")
    if indexed:
        raise InvalidValue("E719", f"{where} holds an indexed symbol", "give each component a symbol of its own")
    return expression


_NO_SCALARS = (sp.MatrixBase, sp.MatrixExpr, sp.Lambda, sp.Poly, sp.Order)


def _parts(expression: sp.Expr, where: str) -> set[sp.Basic]:
    """All parts of the expression, each once.

    Raises:
        InvalidValue: E135, nested too deeply.
    """
    level: set[sp.Basic] = {expression}
    found: set[sp.Basic] = set()
    for _ in range(_DEEPEST):
        found |= level
        level = {argument for e in level for argument in e.args}
        if not level:
            return found
    raise InvalidValue(
        "E135", f"{where} is nested more than {_DEEPEST} deep", "give parts of it names, or write it as a sum"
    )
