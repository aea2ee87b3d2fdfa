"""Letters of a space for HTML: those of the one typesetter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy as sp

from ...calculus.alphabet import Alphabet, dotted, letter, letters, multiplier
from ...calculus.latex import show

__all__ = ["Alphabet", "dotted", "latex", "letter", "multiplier", "names"]


def names(space: Any, given: Mapping[str, str] | None = None) -> Alphabet:
    """The LaTeX of a space's coordinates and velocities, rates of coordinates with a dot; `given` are the author's."""
    return letters(space.coordinates, space.rates, space.velocities, given)


def latex(expression: sp.Expr, known: Mapping[str, str]) -> str:
    """An expression as LaTeX, its other symbols by their own names."""
    return show(expression, known)
