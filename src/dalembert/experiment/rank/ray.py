"""What is crossed, in the fitted columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...errors import InvalidValue, UnknownName, as_given, did_you_mean
from ...errors.remedies import Option
from ...event import Event
from ...numerics.sensitivities.observed import Observed
from .later import Guard

_EXAMPLE = Option("ray", ("y", 1))


class Ray(NamedTuple):
    """The name, direction and guard of what is crossed; no guard where nothing is."""

    name: str = ""
    direction: int = 0
    guard: Guard | None = None


def ray_of(given: object, columns: Sequence[str]) -> Ray:
    """A ray from a column, an expression in the columns, a pair of either and a direction, or an event (E559)."""
    if given is None:
        return Ray()
    if isinstance(given, Event):
        name, what, direction = given.name, given.guard, given.direction
    else:
        what, direction = given if isinstance(given, tuple) and len(given) == 2 else (given, +1)
        name = str(what)
    if direction not in (-1, 0, 1):
        fact = f"a ray is crossed in the direction -1, 0 or 1, not {as_given(direction)}"
        raise InvalidValue("E559", fact, _EXAMPLE)
    return Ray(name, direction, _guard(what, columns))


def _guard(what: object, columns: Sequence[str]) -> Guard:
    """What is crossed as a function of the fitted columns."""
    if isinstance(what, str):
        if what not in columns:
            raise UnknownName("E559", f"the ray {as_given(what)} is no fitted column", did_you_mean(what, columns))
        place = list(columns).index(what)
        return lambda values: values[:, place]
    strange = sorted(s.name for s in getattr(what, "free_symbols", ()) if s.name not in columns)
    if strange or not hasattr(what, "free_symbols"):
        fact = f"the ray has {', '.join(strange)}" if strange else f"the ray is {type(what).__name__}"
        raise InvalidValue("E559", f"{fact}; it is told in the fitted columns {', '.join(columns)}", _EXAMPLE)
    observed = Observed.of([what], tuple(columns), ())
    return lambda values: observed.along(np.zeros(len(values)), values, {})[:, 0]
