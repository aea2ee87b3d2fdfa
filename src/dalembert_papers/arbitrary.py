"""Arbitrary functions, for what holds for all: undefined ones, and polynomials whose derivatives are arbitrary."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp


def unknown(name: str, *arguments: sp.Expr) -> sp.Expr:
    """An arbitrary function."""
    return sp.Function(name)(*arguments)


def jet(name: str, arguments: Sequence[sp.Expr], order: int) -> sp.Expr:
    """A polynomial with arbitrary coefficients: at every point its derivatives up to `order` are arbitrary.

    What holds for it and involves no higher derivatives holds for every function.
    """
    monomials = sorted(sp.itermonomials(list(arguments), order), key=sp.default_sort_key)
    return sum((sp.Symbol(f"{name}_{i}", real=True) * m for i, m in enumerate(monomials)), sp.S.Zero)
