"""A space as the table ``[space]``, by the factories it was made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sympy as sp

from ...model.space import Factor, Space
from .expressions import Expressions, refused

_PLAIN = ("coordinates", "line", "angle", "plane")


def space(given: Space, write: Expressions) -> dict[str, Any]:
    """``{"coordinates": {...}, "rotation": "w"}``, or ``{"factor": [...]}`` where a key would stand twice."""
    entries: list[tuple[str, Any]] = []
    for factor in given.recipe:
        key, value = _factor(factor, write)
        if key == "coordinates" and entries and entries[-1][0] == key:
            entries[-1] = (key, {**entries[-1][1], **value})
        else:
            entries.append((key, value))
    if len({key for key, _ in entries}) == len(entries):
        return dict(entries)
    return {"factor": [{key: value} for key, value in entries]}


def _factor(factor: Factor, write: Expressions) -> tuple[str, Any]:
    arguments = dict(factor.arguments)
    if factor.kind in _PLAIN:
        return "coordinates", _plain(factor.kind, arguments)
    if factor.kind == "rotation":
        return "rotation", _shortened(arguments, {"name": "R", "frame": "space", "attitude": "quaternion"})
    if factor.kind == "direction":
        return "direction", _shortened(arguments, {"name": "z"})
    if factor.kind in ("SE2", "SE3"):
        return factor.kind, arguments
    return _frame(arguments, write)


def _plain(kind: str, arguments: Mapping[str, str]) -> dict[str, Any]:
    """``{"x": "line", "theta": {"kind": "angle", "velocity": "omega"}}``"""
    word = "angle" if kind == "angle" else "line"
    found: dict[str, Any] = {}
    for q, u in zip(arguments["names"].split(), arguments["velocities"].split(), strict=True):
        found[q] = word if u == f"v{q}" else {"kind": word, "velocity": u}
    return found


def _shortened(arguments: Mapping[str, Any], usual: Mapping[str, str]) -> Any:
    """The velocities alone where all else is as usual, by their prefix where they are numbered."""
    names = arguments["velocities"].split()
    prefix = names[0][:-1]
    short = prefix if prefix and names == [f"{prefix}{i}" for i in (1, 2, 3)] else arguments["velocities"]
    odd = {key: value for key, value in arguments.items() if usual.get(key) != value and key != "velocities"}
    return {**odd, "velocities": short} if odd else short


def _frame(arguments: Mapping[str, Any], write: Expressions) -> tuple[str, Any]:
    """A space given by its tables."""
    frame, (embedding, retraction, attitudes, angles) = arguments["frame"], arguments["parts"]
    q, u = ([s.name for s in names] for names in (frame.coordinates, frame.velocities))
    if attitudes:
        names = ", ".join(attitudes)
        raise refused(
            f"the space was not made by the factories, and holds the rotation {names}", 'make it with da.rotation("R")'
        )
    own = len(q) == len(u) and frame.anchor == sp.eye(len(q))
    if own and not (frame.brackets or embedding or retraction or arguments["almost"]):
        kinds = [
            _plain("angle" if name in angles else "line", {"names": name, "velocities": v})
            for name, v in zip(q, u, strict=True)
        ]
        return "coordinates", {key: value for kind in kinds for key, value in kind.items()}
    found: dict[str, Any] = {"coordinates": " ".join(q), "velocities": " ".join(u)}
    found["anchor"] = [_row(row, write) for row in frame.anchor.tolist()]
    found["brackets"] = {f"{u[a]} {u[b]}": _row(row, write) for (a, b), row in frame.brackets.items()}
    if embedding:
        found["embedding"] = _row(embedding, write)
    if retraction:
        found["retraction"] = {str(s): write.value(e) for s, e in retraction.items()}
    if angles:
        found["angles"] = " ".join(name for name in q if name in angles)
    if arguments["almost"]:
        found["almost"] = True
    return "frame", found


def _row(row: Sequence[Any], write: Expressions) -> list[Any]:
    return [write.value(e) for e in row]
