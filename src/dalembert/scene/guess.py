"""Bodies where none are given: a floor, and on it a ball, a box with a heading, or a point."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import sympy as sp

from ..model.bodies import read_bodies
from ..model.body import Body, Drawn
from ..model.expression import Reader
from ..model.space import Space

_HEADINGS = ("theta", "phi", "psi", "heading", "yaw")
_SIZE = 0.05  # of a point


class Moving(Protocol):
    """What a guess needs of a system."""

    @property
    def space(self) -> Space: ...  # noqa: D102

    @property
    def parameters(self) -> Mapping[str, float | None]: ...  # noqa: D102


def default(system: Moving) -> tuple[Drawn, ...]:
    """A plane and a rotation: a ball; a plane and a heading: a box; a plane or a space: a point; else nothing."""
    names = set(system.space.by_name)
    if not {"x", "y"} <= {q.name for q in system.space.coordinates}:
        return ()
    reader = Reader(system.space, system.parameters)
    return read_bodies([Body("floor"), _body(system, names)], reader, system.parameters)


def _body(system: Moving, names: set[str]) -> Body:
    turned, heading = next(iter(system.space.attitudes), ""), next((n for n in _HEADINGS if n in names), "")
    z = "z" if "z" in names else ""
    radius = "r" if (system.parameters.get("r") or 0) > 0 else 1
    if turned:
        return Body("ball", radius=radius, at=("x", "y", z or radius), turn=turned, trace=("x", "y", z or 0))
    if heading:
        at = ("x", "y", z or _SIZE)
        return Body("box", size=(0.6, 0.3, 0.1), at=at, turn=f"z {heading}", trace=("x", "y", z or 0))
    at = ("x", "y", z or 0)
    return Body("point", radius=sp.Float(_SIZE), at=at, trace=at)
