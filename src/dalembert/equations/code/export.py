"""What `Equations` write as programs, as a unit, as a function of CasADi or of JAX: a listing, and who writes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...argument_checks import one_of
from ...output_file import Maker
from . import c, fmu, for_casadi, javascript, python
from .for_jax import PureFunction
from .listing import Listing
from .program_header import doubted

if TYPE_CHECKING:
    import casadi

    from .. import Equations
    from ..start import Start


def to_python(
    equations: Any, parameters: Any = None, start: Any = None, pivots: bool = False, until: object = None
) -> str:
    """A module of Python that needs its standard library only; see `Equations.to_python`."""
    return python.text(doubted(Listing.of(equations, parameters, start, pivots)).to(until))


def to_c(
    equations: Equations,
    parameters: Mapping[str, float] | None,
    start: Start | Mapping[str, object] | None,
    pivots: bool,
    main: bool,
    until: object,
) -> str:
    """One file of C99; see `Equations.to_c`."""
    return c.text(doubted(Listing.of(equations, parameters, start, pivots)).to(until), main)


def to_fmu(listing: Callable[[], Listing], file: str | Path, of: str, binary: bool | None, overwrite: bool) -> Path:
    """A Functional Mock-up Unit; see `Equations.to_fmu`. The listing is made when the place is known to be free."""
    maker = Maker("to_fmu", of, replaces=overwrite)
    place = fmu.checked(file, maker)
    return fmu.write(doubted(listing()), place, maker, binary)


def to_javascript(
    equations: Equations,
    parameters: Mapping[str, float] | None,
    start: Start | Mapping[str, object] | None,
    pivots: bool,
    until: object,
) -> str:
    """One file of JavaScript; see `Equations.to_javascript`."""
    return javascript.text(doubted(Listing.of(equations, parameters, start, pivots)).to(until))


def to_casadi(equations: Equations, function: str, pivots: bool) -> casadi.Function:
    """A function of CasADi; see `Equations.to_casadi`."""
    listing = Listing.of(equations, {}, None, pivots)
    return for_casadi.function(listing, one_of(listing.functions, function, "function", "function"))


def to_jax(equations: Equations, parameters: Mapping[str, float] | None, function: str, pivots: bool) -> PureFunction:
    """A function for JAX; see `Equations.to_jax`."""
    listing = Listing.of(equations, parameters, None, pivots)
    return PureFunction.of(listing, one_of(listing.functions, function, "function", "function"))
