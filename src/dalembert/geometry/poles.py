"""Poles: places where velocities u = Z(q) v are determined by v no more, or v by u.

No two fields span the directions across an axis everywhere on a sphere: velocities without constraints may have to have
poles. They are the zeros of what all largest minors of Z share, and of denominators. Where the columns of Z stay
independent at the worst place that is found, nothing is factored.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

import numpy as np
import sympy as sp

from ..calculus.graph import Graph, evaluate
from ..calculus.read import read
from ..calculus.simplification import at_most, determinant
from ..model.space import Space
from .kernel import vanishes

Place = dict[str, float]
_STARTS, _REACHED, _EXACT = 6, 1e-7, 1e-14
_SAMPLES, _WORST, _DEPENDENT = 200, 4, 1e-9
_FACTORED = 400  # operations up to which a minor is factored


def poles(Z: sp.Matrix, spaces: Sequence[Space], parameters: Mapping[str, float | None]) -> dict[sp.Expr, Place]:
    """Functions of the place that vanish where the columns of Z are no frame, each with such a place.

    Args:
        Z: k x r, with u = Z v.
        spaces: whose coordinates Z is written in; places outside of them are no poles.
        parameters: values; those without one stand for any positive number.
    """
    places = {q for space in spaces for q in space.coordinates}
    sampler = _Ground(spaces, parameters, Z.free_symbols)
    found = {f for e in Z for f in _bases(sp.denom(sp.together(e)))}
    if sampler.dependent(Z):
        minors = (determinant(Z.extract(list(rows), range(Z.cols))) for rows in combinations(range(Z.rows), Z.cols))
        shared = [set(_bases(e)) for e in minors if not vanishes(e)]
        found |= set.intersection(*shared) if shared else set()
    moving = sorted((f for f in found if f.free_symbols & places), key=str)
    reached = {f: sampler.zero(f) for f in moving}
    return {f: place for f, place in reached.items() if place is not None}


def denominators(
    entries: Iterable[sp.Expr], spaces: Sequence[Space], parameters: Mapping[str, float | None]
) -> dict[sp.Expr, Place]:
    """Denominators of these entries that vanish on the spaces, each with such a place."""
    places = {q for space in spaces for q in space.coordinates}
    found = {f for e in entries for f in _bases(sp.denom(sp.together(e))) if f.free_symbols & places}
    sampler = _Ground(spaces, parameters, {s for f in found for s in f.free_symbols})
    reached = {f: sampler.zero(f) for f in sorted(found, key=str)}
    return {f: place for f, place in reached.items() if place is not None}


def _bases(e: sp.Expr) -> list[sp.Expr]:
    """The factors of an expression, without their powers; a long one is not factored."""
    e = sp.factor(e) if at_most(_FACTORED, e) else sp.factor_terms(e)
    return [f.as_base_exp()[0] for f in sp.Mul.make_args(e)]


class _Ground:
    """Random places on the spaces, with values for all parameters."""

    def __init__(self, spaces: Sequence[Space], parameters: Mapping[str, float | None], used: set[sp.Symbol]) -> None:
        self.spaces = spaces
        self.coordinates = [q.name for space in spaces for q in space.coordinates]
        self.known = {k: v for k, v in parameters.items() if v is not None}
        self.others = sorted({s.name for s in used} - {*self.coordinates, *self.known})

    def sample(self, rng: np.random.Generator) -> Place:
        """A random place."""
        return {k: v for space in self.spaces for k, v in space.sample(rng, self.others).items()} | self.known

    def dependent(self, Z: sp.Matrix) -> bool:
        """Do the columns of Z become dependent somewhere? Searched by descent from the worst of random places."""
        graph, rng = Graph(), np.random.default_rng(63)
        nodes = [read(e, graph) for e in Z]
        back = {q.name: read(e, graph) for space in self.spaces for q, e in space.retraction.items()}
        from scipy.optimize import minimize  # half a second, for what few systems ask

        names = [name for name in self.coordinates if any(str(s) == name for s in Z.free_symbols)]

        def spread(z: np.ndarray, point: Place) -> float:
            """The determinant of the columns' cosines: 1 where they are orthogonal, 0 where they are dependent."""
            there: Place = {**point, **dict(zip(names, z, strict=True))}
            there |= dict(zip(back, evaluate(list(back.values()), there), strict=True))
            columns = np.array(evaluate(nodes, there), float).reshape(Z.shape)
            length = np.linalg.norm(columns, axis=0)
            if not np.isfinite(length).all() or not length.all():
                return 0.0
            cosines = columns / length
            return float(np.linalg.det(cosines.T @ cosines))

        points = [self.sample(rng) for _ in range(_SAMPLES)]
        found = sorted(((spread(np.array([p[n] for n in names]), p), i) for i, p in enumerate(points)))
        if not names or found[0][0] <= _DEPENDENT:
            return not names or bool(found[0][0] <= _DEPENDENT)
        worst = (points[i] for _, i in found[:_WORST])
        ends = (minimize(spread, [p[n] for n in names], args=(p,), method="Nelder-Mead").fun for p in worst)
        return any(end <= _DEPENDENT for end in ends)

    def zero(self, f: sp.Expr) -> Place | None:
        """A place on the spaces where f vanishes; looked for downhill from random places."""
        from scipy.optimize import least_squares

        graph, rng = Graph(), np.random.default_rng(61)
        surfaces = [e for space in self.spaces for e in space.embedding if e.free_symbols & f.free_symbols]
        rows = [read(e, graph) for e in (f, *surfaces)]
        met = {s.name for e in (f, *surfaces) for s in e.free_symbols}
        names = [name for name in self.coordinates if name in met]
        for _ in range(_STARTS):
            point = self.sample(rng)

            def residual(z: np.ndarray, point: Place = point) -> np.ndarray:
                there = evaluate(rows, {**point, **dict(zip(names, z, strict=True))})
                return np.nan_to_num(np.array(there, float), nan=1e6, posinf=1e6, neginf=-1e6)

            z = [point[name] for name in names]
            size = 1 + abs(residual(np.array(z))[0])
            found = least_squares(residual, z, xtol=_EXACT, ftol=_EXACT, gtol=_EXACT)
            if np.abs(found.fun).max() < _REACHED * size:
                return {**point, **dict(zip(names, map(float, found.x), strict=True))}
        return None
