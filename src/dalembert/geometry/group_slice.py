"""A slice: a surface that the orbits of a group cross, on which as many moved coordinates are 0 as the group has
dimensions.

Where the group moves more coordinates than that, as a shift does two particles on a line, the others tell on the slice
what is left alone: the place x2 of the second particle where the first is at x1 = 0. On the slice

    e_a = zeta^alpha_a X_alpha + rho^r_a d/dr ,    zeta = (E X)_G^-1 E_G ,    rho = E_r - (E X)_r zeta

with the coordinates G that are 0 there, and the others r.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations, islice

import numpy as np
import sympy as sp

from ..calculus.from_sympy import read
from ..calculus.graph import evaluate
from ..calculus.numerical_rank import rank_of
from ..calculus.simplification import adjugate, determinant
from ..errors import InvalidValue
from ..model.space import Space
from .group_action import Action
from .group_invariants import Shape
from .symbolic_null_space import tidy

_MANY, _SINGULAR, _NEARLY = 2000, 1e-9, 0.1


def crossed(action: Action, shape: Shape) -> Shape:
    """The shape with coordinates of a slice, where coordinates that are left alone do not tell the orbits apart.

    Raises:
        InvalidValue: E124, a combination of a rotation with others is left alone, or no coordinates cross the orbits.
    """
    whole, across, along = _dimensions(action, shape)
    extra = whole - along - across
    if extra <= 0:
        return shape
    group = len(shape.moved) - extra
    turned = [a.name for a in shape.space.attitudes.values() if not set(a.coordinates) <= set(shape.kept)]
    slice_ = None if turned or group <= 0 else _transversal(action, shape, group)
    if slice_ is None:
        raise InvalidValue(
            "E124",
            f"a space of {whole} dimensions has {whole - along} across the group, {across} were found",
            "choose coordinates of which the group leaves some alone, such as distances or angles between axes\n"
            f"moved now: {', '.join(shape.moving)}",
        )
    taken = {*shape.space.by_name, *action.sampler.system.symbols}
    others = [q for q in shape.moved if q not in slice_]
    return replace(shape, crossing={q: sp.Symbol(_name(q.name, taken), real=True) for q in others})


def _name(name: str, taken: set[str]) -> str:
    new = f"{name}_slice"
    while new in taken:
        new += "_"
    return new


def _dimensions(action: Action, shape: Shape) -> tuple[int, int, int]:
    """Dimensions of the space, of the invariant coordinates, and of the orbits, at a random state."""
    space, graph, k = shape.space, action.sampler.graph, len(shape.space.velocities)
    E = [read(e, graph) for e in space.anchor]
    slopes = [read(e, graph) for s in shape.meaning.values() for e in rates(space, s)]
    moves = [e for x in action.fields for e in action.places(x)]
    values = action.anywhere[0]
    whole, across = (rank_of(np.array(evaluate(A, values), float).reshape(-1, k)) for A in (E, slopes))
    along = rank_of(np.array(evaluate(moves, values), float).reshape(len(action.fields), -1))
    return whole, across, along


def _transversal(action: Action, shape: Shape, count: int) -> tuple[sp.Symbol, ...] | None:
    """As many moved coordinates whose being 0 is crossed by the orbits: the first ones that are nearly the best."""
    q = [s.name for s in shape.space.coordinates]
    rows = {s: q.index(s.name) for s in shape.moved}
    nodes = [e for x in action.fields for e in action.places(x)]
    found = []
    for some in islice(combinations(shape.moved, count), _MANY):
        values = [{**state, **{s.name: 0.0 for s in some}} for state in action.anywhere]
        moves = [np.array(evaluate(nodes, v), float).reshape(len(action.fields), -1) for v in values]
        blocks = [m[:, [rows[s] for s in some]] for m in moves]
        # how far from parallel to the slice: 1 where the determinant is the same everywhere
        dets = np.abs([np.linalg.det(b) if b.shape[0] == b.shape[1] else 0.0 for b in blocks])
        found.append((float(dets.min() / dets.max()) if dets.max() > _SINGULAR else 0.0, some))
    best = max((worst for worst, _ in found), default=0.0)
    return next((some for worst, some in found if worst >= max(_NEARLY * best, _SINGULAR)), None)


def rates(space: Space, s: sp.Expr) -> list[sp.Expr]:
    """E^i_a ds/dq^i for each velocity."""
    slopes = sp.Matrix([[s.diff(q) for q in space.coordinates]])
    return list(slopes * sp.Matrix(space.anchor)) if space.coordinates else [sp.S.Zero] * len(space.velocities)


def group_part(space: Space, X: sp.Matrix, shape: Shape) -> tuple[sp.Matrix, sp.Expr]:
    """zeta (g x k) on the slice, and the determinant it is divided by; zeta is not defined where that is 0.

    Raises:
        InvalidValue: E124, the coordinates that are 0 on the slice do not tell the group's elements apart.
    """
    # the rates of what is 0 on the slice: coordinates, and (up to a factor) turn and spin of a rotation
    anchor = sp.Matrix(space.anchor)
    rows = anchor.extract([i for i, s in enumerate(space.coordinates) if s in shape.group], range(anchor.cols))
    E = sp.Matrix.vstack(rows.xreplace(shape.at_slice), *(lean.rates(space)[1] for lean in shape.leanings))
    # the generators on the slice, by the names that coordinates have off it
    on_slice = X.applyfunc(shape.on_slice).xreplace({new: old for old, new in shape.crossing.items()})
    block = (E * on_slice).applyfunc(tidy)
    if block.rows != block.cols:
        raise InvalidValue(
            "E124",
            f"{block.cols} generators move {block.rows} coordinates: these do not tell the group's elements apart",
            "the group must act freely, and its orbits must be given by as many coordinates",
        )
    det = tidy(determinant(block))
    # zeta: the generators that move the group's coordinates as each direction of the frame does
    zeta = adjugate(block) * E / det if det != 0 else sp.zeros(X.cols, E.cols)
    return zeta.applyfunc(lambda e: tidy(e).xreplace(shape.crossing)), det.xreplace(shape.crossing)


def across(space: Space, X: sp.Matrix, zeta: sp.Matrix, shape: Shape, q: Sequence[sp.Symbol]) -> list[list[sp.Expr]]:
    """rho: rows of rates of the coordinates q on the slice."""
    E, places = sp.Matrix(space.anchor), [space.coordinates.index(s) for s in q]
    rows = E.extract(places, range(E.cols)) - E.extract(places, range(E.cols)) * X * zeta
    return [[tidy(shape.on_slice(e)) for e in rows[i, :]] for i in range(rows.rows)]
