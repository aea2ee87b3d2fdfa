"""Poles: places where velocities u = Z(q) v are determined by v no more, or v by u.

No two fields span the directions across an axis everywhere on a sphere: velocities without constraints may have to have
poles. They are the zeros of what all largest minors of Z share, and of denominators.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
import sympy as sp
from scipy.optimize import least_squares

from ..calculus.cofactors import determinant
from ..calculus.graph import Graph, evaluate
from ..calculus.read import read
from ..model.space import Space
from .kernel import vanishes

Place = dict[str, float]
_STARTS, _REACHED, _EXACT = 6, 1e-7, 1e-14


def poles(Z: sp.Matrix, spaces: Sequence[Space], parameters: Mapping[str, float | None]) -> dict[sp.Expr, Place]:
    """Functions of the place that vanish where the columns of Z are no frame, each with such a place.

    Args:
        Z: k x r, with u = Z v.
        spaces: whose coordinates Z is written in; places outside of them are no poles.
        parameters: values; those without one stand for any positive number.
    """
    places = {q for space in spaces for q in space.coordinates}
    found = {f for e in Z for f in _bases(sp.denom(sp.together(e)))}
    minors = (determinant(Z.extract(list(rows), range(Z.cols))) for rows in combinations(range(Z.rows), Z.cols))
    shared = [set(_bases(e)) for e in minors if not vanishes(e)]
    found |= set.intersection(*shared) if shared else set()
    moving = sorted((f for f in found if f.free_symbols & places), key=str)
    reached = {f: _reached(f, spaces, parameters) for f in moving}
    return {f: place for f, place in reached.items() if place is not None}


def _bases(e: sp.Expr) -> list[sp.Expr]:
    """The factors of an expression, without their powers."""
    return [f.as_base_exp()[0] for f in sp.Mul.make_args(sp.factor(e))]


def _reached(f: sp.Expr, spaces: Sequence[Space], parameters: Mapping[str, float | None]) -> Place | None:
    """A place on the spaces where f vanishes, with values of all names; looked for downhill from random places."""
    graph, rng = Graph(), np.random.default_rng(61)
    surfaces = [e for space in spaces for e in space.embedding if e.free_symbols & f.free_symbols]
    rows = [read(e, graph) for e in (f, *surfaces)]
    met = set().union(*(e.free_symbols for e in (f, *surfaces)))
    places = [q.name for space in spaces for q in space.coordinates if q in met]
    known = {k: v for k, v in parameters.items() if v is not None}
    others = sorted({s.name for s in f.free_symbols} - {*places, *known})
    for _ in range(_STARTS):
        point = {k: v for space in spaces for k, v in space.sample(rng, others).items()} | known

        def residual(z: np.ndarray, point: Mapping[str, float] = point) -> np.ndarray:
            there = evaluate(rows, {**point, **dict(zip(places, z, strict=True))})
            return np.nan_to_num(np.array(there, float), nan=1e6, posinf=1e6, neginf=-1e6)

        z = [point[name] for name in places]
        size = 1 + abs(residual(np.array(z))[0])
        found = least_squares(residual, z, xtol=_EXACT, ftol=_EXACT, gtol=_EXACT)
        if np.abs(found.fun).max() < _REACHED * size:
            return {**point, **dict(zip(places, map(float, found.x), strict=True))}
    return None
