"""Is the zero of a guard a simple one, and does it pass through it without a jump?

A wall's impulse is along the gradient of its guard. Where the gradient vanishes with the guard, as for x^2 at x = 0,
there is none. Newton's iteration tells: it halves the distance to such a zero at each step, and the gradient with it,
while at a simple zero the gradient stays as it is.
"""

from __future__ import annotations

import numpy as np
import sympy as sp

from ..calculus.frame import TIME
from ..calculus.from_sympy import read
from ..calculus.graph import Graph, Node, evaluate, gradient
from ..errors import InvalidValue
from .expression_symbols import rate_of
from .space import Space

_STARTS, _STEPS, _MOST = 8, 80, 2  # of the starts, so many may find a zero with a vanishing gradient before it counts
_FLAT, _NEAR = 1e-6, 1e-5  # of the usual gradient; the last step, of the coordinates' size
_ROUNDING = 1e-15  # of the coordinates' size: steps that change them no more
_NEARER = (1e-6, 1e-4)  # two distances from where something may jump: what is continuous differs less at the first
_FALLS = 0.9  # of the gradient before: by how much it falls at least in a step towards such a zero


def approach(f: sp.Expr, space: Space, what: str, code: str) -> sp.Expr:
    """df/dt of what is 0 on a surface and positive before it, by what it is called.

    Raises:
        InvalidValue: of this code: it is no function of the position, its gradient vanishes with it, or it jumps.
    """
    if f.free_symbols & set(space.velocities) or not f.free_symbols & set(space.coordinates):
        raise InvalidValue(code, f"{what} is no function of the position", "f(q) > 0 where the motion is free")
    if not _is_simple(f, space):
        root = sp.factor(f)
        better = f"{root.base}" if isinstance(root, sp.Pow) else "a distance, which passes through 0 at the surface"
        raise InvalidValue(code, f"the gradient of {what} vanishes with it: there is no normal", f"write {better}")
    edge = jump(f, space)
    if edge is not None:
        fact = f"{what} jumps where {edge} = 0: what moves there is behind the surface at once"
        raise InvalidValue(code, fact, "give each smooth piece by itself")
    return rate_of(f, space)


def _is_simple(guard: sp.Expr, space: Space) -> bool:
    """Does its gradient not vanish with it?"""
    q = [s for s in space.coordinates if guard.has(s)]
    graph, rng = Graph(), np.random.default_rng(43)
    f = read(guard, graph)
    nodes = [f, *gradient(f, [graph.symbol(s.name) for s in q])]
    others = sorted({s.name for s in guard.free_symbols} - {s.name for s in space})
    starts = [space.sample(rng, others) for _ in range(_STARTS)]
    with np.errstate(all="ignore"):
        sizes = [np.linalg.norm(evaluate(nodes[1:], values)) for values in starts]
        usual = float(np.median(sizes))
        flat = [_flat(nodes, [s.name for s in q], values, usual) for values in starts]
    return sum(flat) < _MOST


def _flat(nodes: list[Node], names: list[str], values: dict[str, float], usual: float) -> bool:
    """Does Newton's iteration from here end where the gradient vanishes as well?"""
    values, step, steep = dict(values), np.inf, 0.0
    for _ in range(_STEPS):
        f, *slopes = (float(e) for e in evaluate(nodes, values))
        before, steep = steep, float(np.linalg.norm(slopes))
        size = 1 + max(abs(values[n]) for n in names)
        if not np.isfinite([f, steep]).all() or f == 0 or steep == 0 or step <= _ROUNDING * size:
            break
        # q - f grad f/|grad f|^2
        step = abs(f) / steep
        for name, slope in zip(names, slopes, strict=True):
            values[name] -= f * slope / steep**2
    falls = steep <= min(_FLAT * usual, _FALLS * before) or steep == 0
    return bool(falls and (f == 0 or step <= _NEAR * size))


def onto(nodes: list[Node], names: list[str], values: dict[str, float]) -> float | None:
    """|grad f| where Newton's iteration along the gradient meets f = 0, `values` there; None if it does not.

    Args:
        nodes: f, and its derivatives by the names.
        names: of what moves.
        values: of all symbols; those of the names change.
    """
    for _ in range(_STEPS):
        with np.errstate(all="ignore"):
            f, *slopes = (float(e) for e in evaluate(nodes[: len(names) + 1], values))
        steep = float(np.linalg.norm(slopes))
        if not np.isfinite([f, steep]).all():
            return None
        if steep == 0 or abs(f) <= 1e-12 * max(1.0, steep):
            return steep if abs(f) <= 1e-9 else None
        # x - f grad f/|grad f|^2
        for name, slope in zip(names, slopes, strict=True):
            values[name] -= f * slope / steep**2
    return None


def jump(f: sp.Expr, space: Space) -> sp.Expr | None:
    """What is 0 where an expression jumps as something moves, or the time goes on; None where no jump was found."""
    rng, moving = np.random.default_rng(46), {TIME, *space.coordinates}
    others = sorted({s.name for s in f.free_symbols} - {s.name for s in space})
    # what is 0 where an expression may jump
    found = [step.args[0] for step in f.atoms(sp.sign, sp.Heaviside)]
    found += [step.args[0] - n for step in f.atoms(sp.floor, sp.ceiling, sp.frac) for n in (0, 1)]
    found += [e.lhs - e.rhs for pieces in f.atoms(sp.Piecewise) for e in pieces.atoms(sp.core.relational.Relational)]
    for edge in sorted(dict.fromkeys(found), key=str):
        names, graph = sorted(s.name for s in edge.free_symbols & moving), Graph()
        nodes = [e := read(edge, graph), *gradient(e, [graph.symbol(name) for name in names]), read(f, graph)]
        for _ in range(_STARTS if names else 0):
            values = space.sample(rng, [*others, TIME.name])
            if edge.has(sp.floor, sp.ceiling) or not onto(nodes, names, values):
                continue
            slopes = np.array(evaluate(nodes[1:-1], values), float)
            far = [_across(nodes[-1], names, values, h * slopes / np.linalg.norm(slopes)) for h in _NEARER]
            if abs(far[0]) > abs(far[1]) / 2 > 0:
                return edge
    return None


def _across(f: Node, names: list[str], values: dict[str, float], step: np.ndarray) -> float:
    """By how much f differs on two sides of where it may jump."""
    sides = [{**values, **{n: values[n] + s * dx for n, dx in zip(names, step, strict=True)}} for s in (1, -1)]
    with np.errstate(all="ignore"):
        one, other = (float(evaluate([f], side)[0]) for side in sides)
    return one - other
