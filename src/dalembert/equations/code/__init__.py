"""Equations as programs that stand alone, as a function for other integrators, and as SymPy's matrices."""

from __future__ import annotations

from typing import Any

from . import c, python
from .function import RightHandSide
from .listing import Listing
from .matrices import Matrices

__all__ = ["Listing", "Matrices", "RightHandSide", "to_c", "to_python"]


def to_python(equations: Any, parameters: Any = None, start: Any = None, pivots: bool = False) -> str:
    """A module of Python that needs its standard library only; see `Equations.to_python`."""
    return python.text(Listing.of(equations, parameters, start, pivots))


def to_c(equations: Any, parameters: Any = None, start: Any = None, pivots: bool = False) -> str:
    """One file of C99; see `Equations.to_c`."""
    return c.text(Listing.of(equations, parameters, start, pivots))
