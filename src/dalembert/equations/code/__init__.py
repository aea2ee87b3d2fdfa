"""Equations as programs that stand alone, as a function for other integrators, and as SymPy's matrices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from . import c, javascript, python
from .function import RightHandSide
from .in_speeds import in_speeds
from .listing import Listing
from .matrices import Matrices

if TYPE_CHECKING:
    from .. import Equations
    from ..start import Start

__all__ = [
    "Listing",
    "Matrices",
    "RightHandSide",
    "c",
    "in_speeds",
    "javascript",
    "python",
    "to_c",
    "to_javascript",
    "to_python",
]


def to_python(equations: Any, parameters: Any = None, start: Any = None, pivots: bool = False) -> str:
    """A module of Python that needs its standard library only; see `Equations.to_python`."""
    return python.text(Listing.of(equations, parameters, start, pivots))


def to_c(equations: Any, parameters: Any = None, start: Any = None, pivots: bool = False) -> str:
    """One file of C99; see `Equations.to_c`."""
    return c.text(Listing.of(equations, parameters, start, pivots))


def to_javascript(
    equations: Equations,
    parameters: Mapping[str, float] | None,
    start: Start | Mapping[str, object] | None,
    pivots: bool,
) -> str:
    """One file of JavaScript; see `Equations.to_javascript`."""
    return javascript.text(Listing.of(equations, parameters, start, pivots))
