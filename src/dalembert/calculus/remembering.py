"""A printer that prints equal parts once: what text and LaTeX share."""

from __future__ import annotations

import sympy as sp
from sympy.printing.printer import Printer


class Remembering(Printer):
    """Before a printer of SymPy's among the bases of a class; `_known` is made by the class."""

    _known: dict[sp.Basic, str]

    def _print(self, expr: object, **kwargs: object) -> str:
        if not isinstance(expr, sp.Basic) or kwargs:
            return str(super()._print(expr, **kwargs))
        if expr not in self._known:
            self._known[expr] = str(super()._print(expr))
        return self._known[expr]
