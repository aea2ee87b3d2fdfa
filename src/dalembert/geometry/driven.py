"""Inputs of constraints as functions of time of which nothing is known.

    w = w_0 + w_1 t + w_2 t^2 + w_3 t^3

at random coefficients: what is decided of constraints by derivatives up to the third, is decided of any input.
"""

from __future__ import annotations

import warnings

import sympy as sp

from ..calculus.frame import TIME
from ..errors import DalembertWarning
from ..model.system import System

_ORDER, _MARK = 3, "input__"


def driven(system: System) -> System:
    """The system whose constraints hold no inputs, but such functions in their places; itself where none does."""
    rows = [c.given for c in (*system.constraints, *system.equivalent)]
    names = system.names_in(rows) & {*system.inputs} if rows else set()
    if not names:
        return system
    symbols = {s for row in rows for s in row.free_symbols if s.name in names}
    by = {s: sum(sp.Symbol(f"{_MARK}{s.name}_{k}", real=True) * TIME**k for k in range(_ORDER + 1)) for s in symbols}

    def put(kind: str) -> dict[str, sp.Expr]:
        return {c.name: c.given.xreplace(by) for c in getattr(system, kind)}

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DalembertWarning)  # said when the system was made
        return system.changed(constraints=put("constraints"), equivalent=put("equivalent") or None)


def with_input(e: sp.Expr) -> bool:
    """Does an expression hold such a function?"""
    return any(s.name.startswith(_MARK) for s in e.free_symbols)
