"""A curve at Chebyshev points: coordinates, velocities, accelerations, from expressions of the time or from a path."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev

from ..calculus.frame import TIME
from ..calculus.graph import Graph, evaluate
from ..calculus.number import number
from ..calculus.read import read
from ..errors import InvalidValue, WrongType, as_given, warn
from ..errors.remedies import Option
from ..model.expression import Reader
from ..model.system import System

NODES = 16  # on each piece of the time
PIECES = (16, 32, 64, 128, 256)
RESOLVED = 1e-11  # of a velocity's largest value: the last two coefficients of its series on a piece
FAIR = 1e-8  # the same where it no longer falls
ROUGH = 1e-6  # the same where a curve is no longer taken for smooth
SHORTEST = 1e-9  # span of time, over the times themselves: below, they are not known well enough to differentiate
OFF = 1e-9  # of the rates: what no velocity of the space makes
POINTS = np.cos(np.pi * (np.arange(NODES) + 0.5) / NODES)[::-1]
TRANSFORM = np.linalg.inv(chebyshev.chebvander(POINTS, NODES - 1))  # values -> coefficients
_MOMENTS = [2.0 / (1 - j * j) if j % 2 == 0 else 0.0 for j in range(NODES)]
WEIGHTS = np.array(_MOMENTS) @ TRANSFORM  # values -> integral over [-1, 1]
SLOPE = chebyshev.chebvander(POINTS, NODES - 2) @ chebyshev.chebder(TRANSFORM)  # values -> derivatives on [-1, 1]


@dataclass(frozen=True)
class Sampled:
    """A curve at times (T,).

    Attributes:
        t: the times.
        q, u, udot: by row, (T, n), (T, k), (T, k).
        known: values of all symbols of the system, parameters and t included.
        tail: how far the velocities are resolved, over their largest values.
        span: how long it lasts.
    """

    t: np.ndarray
    q: np.ndarray
    u: np.ndarray
    udot: np.ndarray
    known: Mapping[str, Any]
    tail: float
    span: float


Rows = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]  # times (T,) -> q (T, n), u (T, k)


def sampled(system: System, curve: Any, over: Any, parameters: Mapping[Any, Any] | None) -> Sampled:
    """The curve, on as many pieces as its velocities need.

    Raises:
        WrongType: E150, neither a path nor a mapping.
        InvalidValue: E150, coordinates are missing, there is no span of time, the curve is not a number or not smooth
            somewhere, or no velocity of the space follows it.
    """
    values = system.values(parameters)
    path = all(hasattr(curve, name) for name in ("at", "names", "provenance")) and not isinstance(curve, type)
    rows, span = _of_path(system, curve, values) if path else _of_expressions(system, curve, values)
    first, last = _span(over, span)
    tail = np.inf
    for pieces in PIECES:
        edges = np.linspace(first, last, pieces + 1)
        half = np.diff(edges) / 2
        t = ((edges[:-1] + half)[:, None] + half[:, None] * POINTS).ravel()
        q, u = rows(t)
        _check_finite(t, np.hstack([q, u]), system)
        parts = u.reshape(pieces, NODES, -1)
        ends = np.abs(np.einsum("jn,pnk->pjk", TRANSFORM[-2:], parts)).max(axis=(0, 1))
        before, tail = (
            tail,
            float((ends / np.maximum(np.abs(u).max(axis=0), np.abs(u).max() * 1e-6 or 1.0)).max(initial=0.0)),
        )
        if tail < RESOLVED or FAIR > tail > before / 2:  # more pieces show the roundings of a path alone
            break
    if tail > ROUGH:
        fact = "the curve is not smooth: its velocities jump, or change faster than can be followed"
        raise InvalidValue("E150", fact, "a shorter span of time, over=(first, last), in which it is")
    _check_walls(system, {**values, **_named(system, q, u), TIME.name: t}, t)
    udot = (np.einsum("ij,pjk->pik", SLOPE, parts) / half[:, None, None]).reshape(len(t), -1)
    known = {**values, **_named(system, q, u), TIME.name: t}
    return Sampled(t, q, u, udot, known, tail, last - first)


def _named(system: System, q: np.ndarray, u: np.ndarray) -> dict[str, np.ndarray]:
    """Columns (T,) by name."""
    names = [s.name for s in (*system.space.coordinates, *system.space.velocities)]
    return dict(zip(names, np.hstack([q, u]).T, strict=True))


def _check_walls(system: System, known: Mapping[str, Any], t: np.ndarray) -> None:
    """E150: a curve that goes beyond a wall that the system declares."""
    for wall in system.walls:
        guard = np.broadcast_to(evaluate([read(wall.guard, Graph())], known)[0], t.shape)
        beyond = guard < -OFF * (1.0 + np.abs(guard).max())
        if beyond.any():
            fact = f"the curve goes beyond the wall {wall.name} at t = {t[beyond][0]:.6g}"
            raise InvalidValue("E150", fact, "a span of time in which it does not")


def _of_path(system: System, path: Any, values: Mapping[str, float]) -> tuple[Rows, tuple[float, float]]:
    names = [s.name for s in (*system.space.coordinates, *system.space.velocities)]
    own = path.provenance.get("parameters", {})
    other = [f"{n} = {own[n]:g}, not {x:g}" for n, x in values.items() if n in own and own[n] != x]
    if other:
        warn("W212", f"the path was made with {', '.join(other)}: it is held against the latter", 6)
    missing = [name for name in names if name not in path.names]
    if missing:
        raise InvalidValue("E150", f"the path has no {', '.join(missing)}", "a path of this system")
    n = len(system.space.coordinates)

    def rows(t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        columns = path.at(t)
        both = np.array([columns[name] for name in names]).T
        return both[:, :n], both[:, n:]

    return rows, (float(path.t[0]), float(path.t[-1]))


def _of_expressions(system: System, curve: Any, values: Mapping[str, float]) -> tuple[Rows, tuple[float, float] | None]:
    if not isinstance(curve, Mapping):
        remedy = 'a path, or {"x": "sin(t)", ...} with every coordinate'
        raise WrongType("E150", f"a curve is a path or a mapping, not {type(curve).__name__}", remedy)
    space, reader = system.space, Reader.of(system)
    given = {str(getattr(k, "name", k)): v for k, v in curve.items()}
    names = [q.name for q in space.coordinates]
    missing = [n for n in names if n not in given]
    strange = [n for n in given if n not in names]
    if missing or strange:
        fact = f"the curve lacks {', '.join(missing)}" if missing else f"the curve gives {', '.join(strange)}"
        raise InvalidValue("E150", fact, f"give the coordinates {', '.join(names)} as functions of t, and nothing else")
    q = [reader.read(given[n], f"the curve's {n}") for n in names]
    moving = sorted({s.name for e in q for s in e.free_symbols} & set(space.by_name))
    if moving:
        raise InvalidValue("E150", f"the curve holds {', '.join(moving)}", "functions of t and of parameters")
    graph = Graph()
    nodes = [read(e, graph) for e in (*q, *(e.diff(TIME) for e in q))]
    anchor = [read(e, graph) for e in space.anchor]

    def rows(t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        with np.errstate(all="ignore"):
            both = _columns(nodes, {**values, TIME.name: t}, len(t))
            place, rate = both[:, : len(q)], both[:, len(q) :]
            known = {**values, **dict(zip(names, place.T, strict=True)), TIME.name: t}
            E = _columns(anchor, known, len(t)).reshape(len(t), len(q), -1)
        _check_finite(t, np.hstack([both, E.reshape(len(t), -1)]), system)
        u = (np.linalg.pinv(E) @ rate[..., None])[..., 0]
        _check_rates(t, rate, (E @ u[..., None])[..., 0], names)
        return place, u

    return rows, None


def _columns(nodes: Sequence[Any], values: Mapping[str, Any], count: int) -> np.ndarray:
    """Values of nodes, (count, nodes)."""
    return np.array([np.broadcast_to(np.asarray(v, float), (count,)) for v in evaluate(list(nodes), values)]).T


def _span(over: Any, own: tuple[float, float] | None) -> tuple[float, float]:
    if over is None and own is not None:
        return own
    try:
        first, last = (number(x, "over") for x in over)
    except (TypeError, ValueError):
        fact = "the span of time is missing" if over is None else f"over = {as_given(over)} is no span of time"
        raise InvalidValue("E150", fact, Option("over", (0.0, 2.0))) from None
    if not last - first > SHORTEST * max(abs(first), abs(last)):
        raise InvalidValue("E150", f"over = {as_given(over)}: the end must come later", Option("over", (0.0, 2.0)))
    if own is not None and (first < own[0] or last > own[1]):
        fact = f"the path reaches from {own[0]:g} to {own[1]:g}"
        raise InvalidValue("E150", fact, Option("over", own))
    return first, last


def _check_finite(t: np.ndarray, values: np.ndarray, system: System) -> None:
    good = np.isfinite(values).all(axis=1)
    if not good.all():
        fact = f"the curve is not a number at t = {t[~good][0]:.6g}"
        raise InvalidValue("E150", fact, "a span of time in which it is")


def _check_rates(t: np.ndarray, rate: np.ndarray, made: np.ndarray, names: Sequence[str]) -> None:
    """E150: a quaternion that leaves the sphere, for instance."""
    off = np.abs(rate - made) - OFF * (1.0 + np.abs(rate).max())
    if off.max(initial=-1.0) > 0:
        i, j = np.unravel_index(int(off.argmax()), off.shape)
        fact = f"no velocity of the space makes {names[int(j)]} change as it does at t = {t[i]:.6g}"
        raise InvalidValue("E150", fact, "a curve on the space: quaternions of length 1, for instance")
