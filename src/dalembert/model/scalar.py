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
    _check_depth(expression, where)
    if isinstance(expression, _NO_SCALARS) or not expression.is_commutative:
        raise InvalidValue("E719", f"{where} is not a scalar", "give one component")
    unreal = any(s.is_real is False for s in expression.free_symbols)
    if unreal or expression.has(sp.I, sp.nan, sp.oo, -sp.oo, sp.zoo):
        raise InvalidValue(
            "E719", f"{where} = {short(expression)} is not real and finite", "E.g. name an inertia J, not sympy.I"
        )
    if any(abs(n) > _LARGEST for n in expression.atoms(sp.Rational, sp.Float)):
        raise InvalidValue("E714", f"{where} holds a number beyond {_LARGEST:g}", "choose other units")
    if expression.atoms(*_UNEVALUATED):
        raise InvalidValue("E719", f"{where} holds an unevaluated integral, sum or limit", "evaluate it first: .doit()")
    if expression.atoms(sp.Indexed):
        raise InvalidValue("E719", f"{where} holds an indexed symbol", "give each component a symbol of its own")
    return expression


_NO_SCALARS = (sp.MatrixBase, sp.MatrixExpr, sp.Lambda, sp.Poly, sp.Order)


def _check_depth(expression: sp.Expr, where: str) -> None:
    level: set[sp.Basic] = {expression}
    for _ in range(_DEEPEST):
        level = {argument for e in level for argument in e.args}
        if not level:
            return
    raise InvalidValue(
        "E135", f"{where} is nested more than {_DEEPEST} deep", "give parts of it names, or write it as a sum"
    )
