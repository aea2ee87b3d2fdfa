"""Expressions as plain text, in the order in which LaTeX has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import sympy as sp
from sympy.printing.precedence import PRECEDENCE
from sympy.printing.printer import Printer
from sympy.printing.str import StrPrinter

from .alphabet import RATE
from .operation import arguments
from .ordering import Order, Product


class Remembering(Printer):
    """Before a printer of SymPy's among the bases of a class; `_known` is made by the class."""

    _known: dict[sp.Basic, str]

    def _print(self, expr: object, **kwargs: object) -> str:
        if not isinstance(expr, sp.Basic) or kwargs:
            return str(super()._print(expr, **kwargs))
        if expr not in self._known:
            self._known[expr] = str(super()._print(expr))
        return self._known[expr]


class Plain(Remembering, StrPrinter):
    """SymPy's, in a person's order; ``'`` is the time derivative."""

    def __init__(self, names: Mapping[str, str]) -> None:
        super().__init__()
        self.order_of = Order(names, self._print)
        self._known: dict[sp.Basic, str] = {}

    def _print_Symbol(self, e: sp.Symbol) -> str:
        return str(e.name).replace(RATE, "'")

    def _print_Add(self, e: sp.Expr, order: object = None) -> str:
        first, *rest = (str(self._print(t)) for t in self.order_of.terms(e))
        return first + "".join(f" - {t[1:]}" if t.startswith("-") else f" + {t}" for t in rest)

    def _print_Mul(self, e: sp.Expr) -> str:
        product = Product(e, self.order_of)
        above, behind = product.split
        under, below = product.under, product.below
        shown = self._row(product.number, above)
        if under or below != 1:
            bottom = self._row(below, under)
            shown += f"/{bottom}" if len(under) + (below != 1) == 1 else f"/({bottom})"
        return "-" * product.minus + "*".join([shown, *([self._row(1, behind)] if behind else [])])

    def _print_hyper(self, e: sp.hyper) -> str:
        return f"hyp2f1({', '.join(self._print(a) for a in arguments(e))})"

    def _row(self, number: object, factors: Sequence[sp.Expr]) -> str:
        pieces = [] if number == 1 and factors else [str(self._print(number))]
        return "*".join([*pieces, *(self.parenthesize(f, PRECEDENCE["Mul"], strict=False) for f in factors)])


def show(e: sp.Expr, names: Mapping[str, str]) -> str:
    """The text of an expression; `names` gives its symbols their ranks."""
    return str(Plain(names).doprint(e))
