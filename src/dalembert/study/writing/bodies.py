"""Bodies, scene and ranges as the tables of a file."""

from __future__ import annotations

from collections.abc import Iterable

import sympy as sp

from ...model.bodies import STILL, Drawn
from ...model.system import System
from .expressions import Expressions


def pictures(system: System, write: Expressions) -> dict[str, object]:
    """``[[body]]``, ``[scene]`` and ``[explore]``, as far as they say anything."""
    explore = system.explore
    ranges = {"ranges": {name: list(ends) for name, ends in explore.ranges.items()}} if explore.ranges else {}
    until = {} if explore.until is None else {"until": explore.until}
    return {
        "body": [_body(body, write) for body in system.bodies],
        "scene": {"up": system.scene.up} if system.scene.up != "z" else {},
        "explore": {**ranges, **until},
    }


def _body(body: Drawn, write: Expressions) -> dict[str, object]:
    found: dict[str, object] = {"name": body.name, "shape": body.shape}
    found |= {part: _value(e, write) for part, e in body.lengths.items()}
    if body.size is not None:
        found["size"] = _values(body.size, write)
    found |= {part: _values(point, write) for part, point in body.places.items()}
    if body.turn:
        turns = [name if angle is None else f"{name} {write.text(angle)}" for name, angle in body.turn]
        found["turn"] = turns[0] if len(turns) == 1 else turns
    if body.on:
        found["on"] = body.on
    if body.trace is True:
        found["trace"] = True
    if body.still != (body.shape in STILL):
        found["both"] = body.still
    return found


def _values(es: Iterable[sp.Expr], write: Expressions) -> list[object]:
    return [_value(e, write) for e in es]


def _value(e: sp.Expr, write: Expressions) -> object:
    return float(e) if e.is_Float else write.value(e)
