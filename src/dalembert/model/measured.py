"""Can the bodies of a system be drawn? Sizes are above 0, lengths are in metres, angles are numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import sympy as sp

from ..calculus.dimension import NUMBER
from ..calculus.graph import Graph, evaluate
from ..calculus.read import read
from ..errors import InvalidValue, about
from . import dimensions
from .bodies import METRE

if TYPE_CHECKING:
    from .system import System


def check_bodies(system: System) -> None:
    """E147, a size that is not above 0 at the values of the parameters; E134, one in another unit than a length."""
    for n, body in enumerate(system.bodies):
        for part, es in {**body.measures, **body.places}.items():
            with about("bodies", str(n), part):
                for e in es:
                    _check_unit(system, e, f"{part} of the body {body.name}", "m")
        with about("bodies", str(n), "turn"):
            for e in body.angles:
                _check_unit(system, e, f"turn of the body {body.name}", "1")
    check_sizes(system, system.parameters)


def check_sizes(system: System, known: Mapping[str, float | None]) -> None:
    """E147, a size that is not above 0 at these values of parameters and states, as far as they are known."""
    given = {name: value for name, value in known.items() if value is not None}
    for n, body in enumerate(system.bodies):
        for part, es in body.measures.items():
            for e in es:
                value = _value(e, given)
                if value is not None and not value > 0:
                    told = f"{value:.12g}" if e.is_number else f"{e} = {value:.12g}"
                    fact = f"{part} of the body {body.name} must be above 0, is {told}"
                    raise InvalidValue("E147", fact, f"give a {part} above 0", subject=("bodies", str(n), part))


def _value(e: sp.Expr, given: Mapping[str, float]) -> float | None:
    """Its value, None where something in it has none."""
    names = {s.name for s in e.free_symbols}
    if not names <= given.keys():
        return None
    value = evaluate([read(e, Graph())], {name: given[name] for name in names})[0]
    return float("nan") if isinstance(value, complex) else float(value)


def _check_unit(system: System, e: sp.Expr, where: str, needs: str) -> None:
    """E134; without units, and where these do not say it, nothing is asked."""
    if not system.units or e.is_number:
        return
    found = dimensions.of(e, system.balance)
    fits = (NUMBER,) if needs == "1" else (NUMBER, METRE)
    if found is not None and found.known not in fits:
        wanted = "an angle is a number" if needs == "1" else "a length is in m"
        raise InvalidValue("E134", f"{where} = {e} is in {found}, and {wanted}", "correct it, or a unit of a parameter")
