"""Kernels of matrices of functions of the place: bases without denominators, pivots, and poles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import combinations, islice
from math import comb

import numpy as np
import sympy as sp
from sympy.polys.orderings import lex
from sympy.polys.rings import PolyRing

from ..calculus.exact.exact_rank import clearly_independent, rank_at_most
from ..calculus.exact.finite_field import ResiduePoint
from ..calculus.from_sympy import read
from ..calculus.graph import Graph, Node, evaluate
from ..calculus.linear_systems import choose_columns
from ..calculus.numerical_rank import first_independent, rank_of
from ..calculus.simplification import SUMMANDS, adjugate, at_most, determinant, searchable, summands
from ..model.space import Space
from ..model.system import System
from .identities import follows
from .random_states import ConstraintSampler, Values

_POINTS = 60  # modulo a prime, at most
_POLES = sp.tan, sp.cot, sp.sec, sp.csc
KEPT = 4096  # expressions that were tidied and come again: minors have entries in common
TIDIED, FACTORED = 30, 60  # operations up to which an expression is simplified, a polynomial factored


def kernel(system: System, A: sp.Matrix) -> list[sp.Matrix]:
    """A basis of the s with A s = 0, without denominators, by Cramer's rule."""
    rows, dependent = pivots(system, A)
    block = A.extract(rows, dependent)
    det = determinant(block) if rows else sp.S.One
    found = []
    for c in (c for c in range(A.cols) if c not in dependent):
        # A_dependent s_dependent = -A_c s_c ,  s_c = det A_dependent
        s = sp.zeros(A.cols, 1)
        s[c] = det
        for d, e in zip(dependent, -adjugate(block) * A.extract(rows, [c]) if rows else [], strict=True):
            s[d] = e
        found.append(shortened(s, system.space))
    return found


def shortened(s: sp.Matrix, space: Space) -> sp.Matrix:
    """The same direction on the space, common factors left out."""
    if any(summands(e) > SUMMANDS for e in s):
        return s
    short = s.applyfunc(lambda e: tidy(on_space(space, e)))
    common = sp.gcd_list([e for e in short if e != 0])
    return short if common == 1 else (short / common).applyfunc(lambda e: tidy(sp.cancel(e)))


def on_space(space: Space, e: sp.Expr) -> sp.Expr:
    """The same function where |z| = 1 and the like, if it is shorter: polynomials modulo those that vanish there."""
    q = [s for s in reversed(space.coordinates) if any(f.has(s) for f in space.embedding)]
    if not e.has(*q) or not e.is_rational_function(*q) or not all(f.is_polynomial(*q) for f in space.embedding):
        return e
    above, below = sp.fraction(sp.together(e))
    ring = ring_of(q, above, below, *space.embedding)
    surfaces = [ring.from_expr(f) for f in space.embedding]
    over, under = (ring.from_expr(part).rem(surfaces) for part in (above, below))
    if not under:
        return e
    above, below = (part.as_expr() for part in over.cancel(under))
    return min(_factored(above) / _factored(below), e, key=sp.count_ops)


def ring_of(first: Sequence[sp.Symbol], *polynomials: sp.Expr) -> PolyRing:
    """The ring in which these are polynomials in some symbols first and in all else they hold, lexicographic."""
    others = sorted(_letters(*polynomials).difference(first), key=str)
    return PolyRing([*first, *others], sp.RR if any(e.has(sp.Float) for e in polynomials) else sp.QQ, lex)


def _letters(*polynomials: sp.Expr) -> set[sp.Expr]:
    """What the polynomials are polynomials in: symbols, functions, roots."""
    found: set[sp.Expr] = set()
    for e in polynomials:
        if e.is_Add or e.is_Mul:
            found |= _letters(*e.args)
        elif e.is_Pow and e.exp.is_Integer and e.exp > 0:
            found |= _letters(e.base)
        elif not e.is_Number:
            found.add(e)
    return found


def _factored(e: sp.Expr) -> sp.Expr:
    return sp.factor(e) if at_most(FACTORED, e) else sp.factor_terms(e)


def vanishes(e: sp.Expr) -> bool:
    """Is it shown to be 0 identically?"""
    node = read(e, Graph())
    return follows([[node]], (ResiduePoint(node.graph, {}, seed=seed) for seed in range(_POINTS)))[0] is True


@lru_cache(KEPT)
def tidy(e: sp.Expr, most: int = TIDIED) -> sp.Expr:
    """Simplified where it has at most so many operations.

    A tangent that was not there is taken out again: it has poles where the expression has none.
    """
    if not searchable(most, e) or sp.count_ops(e) <= 1:
        return e
    short = sp.simplify(e)
    if e.has(*_POLES) or not short.has(*_POLES):
        return short
    return _bare(short)


def _bare(e: sp.Expr) -> sp.Expr:
    """Tangents and their like as fractions of sines and cosines, cancelled."""
    fractions = {
        sp.tan: lambda a: sp.sin(a) / sp.cos(a),
        sp.cot: lambda a: sp.cos(a) / sp.sin(a),
        sp.sec: lambda a: 1 / sp.cos(a),
        sp.csc: lambda a: 1 / sp.sin(a),
    }
    for function, fraction in fractions.items():
        e = e.replace(function, fraction)
    return sp.factor(sp.cancel(sp.together(e)))


# --- pivots: rows and columns that carry the rank, chosen so that formulas stay short ---------------------------------

_TRIES, _STATES, _SINGULAR, _MANY = 60, 12, 1e-9, 500


def pivots(system: System, A: sp.Matrix) -> tuple[list[int], list[int]]:
    """Independent rows of A, and as many columns of which these rows can be solved.

    Columns with a constant determinant come first, then those whose determinant keeps its sign, so that it may vanish
    nowhere, then short ones, then those whose determinant keeps farthest from 0.
    """
    sampler = ConstraintSampler(system)
    nodes = [[read(e, sampler.graph) for e in A.row(i)] for i in range(A.rows)]
    states = [values for values, held in islice(sampler.states(17), _TRIES) if held][:_STATES]
    values = np.array([evaluate([e for row in nodes for e in row], v) for v in states], float)
    values = values.reshape(len(states), *A.shape)
    rows = _rows(sampler, nodes, states, values)
    if comb(A.cols, len(rows)) > _MANY:
        return rows, sorted(choose_columns(values[0][rows]))
    subsets = (list(columns) for columns in combinations(range(A.cols), len(rows)))
    return rows, min(subsets, key=lambda columns: _cost(A, values, rows, columns))


def _rows(
    sampler: ConstraintSampler, nodes: Sequence[Sequence[Node]], states: Sequence[Values], values: np.ndarray
) -> list[int]:
    """Independent rows, the first ones first; those too that are so by small numbers."""
    rows = first_independent(values[int(np.argmax([rank_of(N) for N in values]))])
    if len(rows) == rank_at_most(nodes):
        return rows
    return max(rows, list(clearly_independent(nodes, states, sampler.iterated)), key=len)


def _cost(A: sp.Matrix, values: np.ndarray, rows: list[int], columns: list[int]) -> tuple[bool, bool, bool, int, float]:
    with np.errstate(all="ignore"):  # numbers that run over: such a choice is lost
        det = np.nan_to_num(np.linalg.det(values[:, rows][:, :, columns]), nan=0.0)
    lost = bool(np.abs(det).min() < _SINGULAR * np.abs(values).max(initial=1.0))
    wanders = bool(np.ptp(det) > _SINGULAR * np.abs(det).max())
    crosses = bool(det.min() < 0 < det.max())
    length = sp.count_ops(A.extract(rows, columns))
    return lost, wanders, wanders and crosses, length, -float(np.abs(det).min())


# --- poles ------------------------------------------------------------------------------------------------------------

# Velocities u = Z(q) v may at some places be determined by v no more, or v by u. No two fields span the directions
# across an axis everywhere on a sphere: velocities without constraints may have to have poles. They are the zeros of
# what all largest minors of Z share, and of denominators. Where the columns of Z stay independent at the worst place
# that is found, nothing is factored.

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
