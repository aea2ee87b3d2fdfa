"""Fingerprints: of everything that decides the result of a sweep, and of the result itself."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Iterable, Mapping
from dataclasses import fields
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
import sympy as sp

from ...equations import Equations
from ...event import Event
from ..policy import OF_METHOD, Policy
from .axes import Grid
from .fingerprint import fingerprint
from .task import Task

PACKAGES = ("dalembert", "numpy", "scipy", "sympy", "llvmlite")
_IDLE = ("progress", "dense", "seconds", "halt", "walls")  # options that change no number: walls are events here


def of_task(task: Task) -> dict[str, str]:
    """SHA-256 of each part of a task by name; two sweeps with the same give the same result on one machine."""
    shared = task.ensemble
    times = b"" if shared.times is None else shared.times.astype("<f8").tobytes()
    measures = [f"{name}={fingerprint(name, measure)}" for name, measure in task.kept.measures.items()]
    project = str(task.given.project)
    parts: dict[str, Iterable[str | bytes]] = {
        "equations": _equations(task.equations),
        "starts and parameters": [*_grid(task.given.grid), float(task.given.t0).hex(), project],
        "until": [float(shared.until).hex()],
        "times": [times],
        "events": [_event(event) for event in shared.events],
        "keep": [repr(task.kept.columns), repr(dict(task.kept.events)), *measures],
        "options": [json.dumps(options(shared.policy))],
        "versions": [json.dumps(versions())],
    }
    return {name: _sha(part) for name, part in parts.items()}


def options(policy: Policy) -> dict[str, Any]:
    """The options that decide the numbers, as JSON can hold them."""
    plain: dict[str, Any] = {}
    for f in fields(policy):
        if f.name == "method":
            own = policy.method.options
            plain |= {"method": policy.method.word, **{name: own.get(name) for name in OF_METHOD}}
        elif f.name not in _IDLE:
            plain[f.name] = getattr(policy, f.name)
    return {k: v if isinstance(v, str | int | float | bool | None) else repr(v) for k, v in plain.items()}


def versions() -> dict[str, str]:
    """Of the packages that make the numbers."""
    return {name: _version(name) for name in PACKAGES}


def machine() -> str:
    """On which the numbers were made."""
    return f"Python {platform.python_version()}, {platform.platform()}"


def of_result(variables: Iterable[tuple[str, Iterable[np.ndarray]]]) -> str:
    """SHA-256 of all variables in order, each by its name and the pieces of its array, wherever they are cut."""
    found = hashlib.sha256()
    for name, pieces in variables:
        found.update(name.encode() + b"\0")
        for piece in pieces:
            found.update(_bytes(piece))
    return found.hexdigest()


def _bytes(array: np.ndarray) -> bytes:
    return np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False).tobytes()


def _sha(parts: Iterable[str | bytes]) -> str:
    found = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        found.update(str(len(data)).encode() + b":" + data)
    return found.hexdigest()


def _equations(equations: Equations) -> Iterable[str]:
    system, space = equations.system, equations.space
    yield from (equations.principle, equations.header, repr((equations.kept, equations.dependent, equations.states)))
    yield from (sp.srepr(e) for e in (equations.lagrangian, system.lagrangian, space.anchor, *system.forces))
    yield from (f"{c.name}: {sp.srepr(c.phi)} {sp.srepr(c.given)}" for c in equations.constraints)
    yield from (f"{pair}: {[sp.srepr(e) for e in row]}" for pair, row in sorted(space.brackets.items()))
    if space.frame.projection is not None:
        yield "the brackets are projected"  # computed with what they were projected with, in other roundings
    yield from (f"{q.name}: {sp.srepr(e)}" for q, e in space.retraction.items())
    yield from (f"{name}: {sp.srepr(e)}" for name, e in system.momenta.items())
    yield from (f"{name}: {[sp.srepr(e) for e in slip]}" for name, slip in system.rest.items())
    yield from (f"{name}: {sp.srepr(e)}" for name, e in (*system.inertias.items(), *system.coefficients.items()))
    yield from (f"{name} = {value!r}" for name, value in sorted(system.parameters.items()))
    yield from (f"{name} = {sp.srepr(e)}" for name, e in sorted(system.steered.items()))


def _grid(grid: Grid) -> Iterable[str | bytes]:
    for axis in grid.axes:
        yield axis.dim
        for name, column in axis.columns.items():
            yield name
            yield column.astype("<f8").tobytes()
    yield repr(sorted((name, float(value).hex()) for name, value in grid.constants.items()))


def _event(event: Event) -> str:
    then = event.then
    if isinstance(then, Mapping):
        then = repr([(name, sp.srepr(e) if isinstance(e, sp.Basic) else repr(e)) for name, e in then.items()])
    return f"{event.name}: {sp.srepr(event.guard)} {then} {event.direction}"


@cache
def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"
