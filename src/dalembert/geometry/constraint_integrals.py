"""Integrals f(t, q) = c of constraints on velocities, where they can be found.

First sums of multiples of coordinates: linear algebra. Then by quadrature: a row that is integrable alone, or a row of
the system solved for some of the velocities, is integrated; one coordinate is eliminated with the integral, and the
rest is looked at again. At last by undetermined coefficients: f among sums of given functions (coordinates, sines and
cosines, entries of rotations, their products), whose coefficients make every admissible velocity tangent to f = c.

What is tried is counted and bounded in size, so that the same is found on every machine. Every integral is checked: its
differential lies in the span of the rows, at random states, and then exactly.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, islice
from typing import TYPE_CHECKING

import numpy as np
import sympy as sp

from ..answer import Answer, yes
from ..calculus.frame import TIME
from ..calculus.from_sympy import read
from ..calculus.graph import Node, evaluate, gradient
from ..calculus.numerical_rank import SAMPLED, echelon, null_rows, rank_of
from ..calculus.simplification import at_most, short
from ..model.constraint import Constraint
from .one_forms import OneForm, brief, solved_rows
from .pfaff import Pfaff
from .random_states import Values

if TYPE_CHECKING:
    from ..model.system import System

_MOST_FUNCTIONS = 90
_FEW_FUNCTIONS, _BRIEF = 30, 30  # functions, and operations of a row, of a search that shall be brief
_LONGEST = 100  # operations in rows that are solved symbolically
_MOST_TRIALS = 20  # rows that are integrated at most, after each elimination
_MOST_SOLVED = 40  # choices of velocities that rows are solved for
_MOST_ROWS = 4  # for which combinations are tried by quadrature


@dataclass(frozen=True)
class Integral:
    """f(t, q), constant along every motion that the constraints allow.

    Attributes:
        expression: f.
        constraints: names of the constraints it follows from.
        answer: is it constant? Yes, or not decided, where numbers in it were rounded.
    """

    expression: sp.Expr
    constraints: tuple[str, ...]
    answer: Answer = field(default_factory=yes)

    def __str__(self) -> str:
        return f"{self.expression} = const{'' if self.answer.value else ' (to rounding)'}"


class IntegralSearch:
    """The search for integrals of a Pfaffian system beyond those given as positions.

    Args:
        system: the system.
        constraints: the rows of `pfaff`, in order.
        pfaff: the rows.
        wanted: how many there are, the given ones left out.
        brief: only by linear algebra, and rows of few operations by quadrature, as they are.
    """

    def __init__(
        self, system: System, constraints: Sequence[Constraint], pfaff: Pfaff, wanted: int, *, brief: bool = False
    ) -> None:
        self.system, self.constraints, self.pfaff, self.wanted = system, constraints, pfaff, wanted
        self.brief = brief
        self.found: list[Integral] = []
        self._source, self._drawn = pfaff.sampler.states(5), list[Values]()
        given = [self._differential(c.given) for c in constraints if c.holonomic]
        self._differentials = np.array(given, float).reshape(len(given), pfaff.width)

    def run(self) -> tuple[Integral, ...]:
        """The integrals found, as many as wanted or fewer."""
        for candidates in (self._linear, self._by_quadrature, self._by_coefficients):
            for f in candidates():
                self._take(f)
                if len(self.found) == self.wanted:
                    return tuple(self.found)
        return tuple(self.found)

    # --- is it one, and a new one? ---------------------------------------------------------------------------------

    def _differential(self, f: sp.Expr, which: int = 0) -> np.ndarray:
        """(df/dt, e_1 f, ..., e_k f) at a state."""
        return np.array(evaluate(self._slopes(f), self.pfaff.states[which]), float)

    def _slopes(self, f: sp.Expr) -> list[Node]:
        pfaff = self.pfaff
        node = read(f, pfaff.sampler.graph)
        motion = pfaff.motion
        slopes = gradient(node, motion.q)
        rows = [gradient(node, [motion.t])[0]]
        return rows + [
            motion.sum(s * row[a] for s, row in zip(slopes, motion.anchor, strict=True)) for a in range(pfaff.width - 1)
        ]

    def _take(self, f: sp.Expr) -> bool:
        """Keep f if its differential lies in the span of the rows at every state, and is new."""
        names: set[str] = set()
        for i, omega in enumerate(self.pfaff.rows):
            df = self._differential(f, i)
            if not np.isfinite(df).all():
                continue
            used = self._rows_of(df, omega)
            if used is None:
                return False
            names |= used
        if not names:
            return False
        df = self._differential(f)
        stacked = np.vstack([self._differentials, df])
        if rank_of(stacked) < len(stacked):
            return False
        answer = self.pfaff.follows(self.pfaff.omega, self._slopes(f), "its rate")
        if answer.value is False:
            return False
        self._differentials = stacked
        rows = tuple(c.name for c in self.constraints if c.name in names)
        plain = sp.expand(f / f.as_content_primitive()[0])  # without a number in front, nor a sign
        self.found.append(Integral(-plain if str(plain).startswith("-") else plain, rows, answer))
        return True

    def _rows_of(self, df: np.ndarray, omega: np.ndarray) -> set[str] | None:
        """Names of the rows that df combines; None if it is no combination."""
        coefficients, *_ = np.linalg.lstsq(omega.T, df, rcond=None)
        size = np.abs(df).max()
        if size == 0 or np.abs(omega.T @ coefficients - df).max() > 1e-8 * size:
            return None
        share = np.abs(coefficients) * np.linalg.norm(omega, axis=1)
        return {c.name for c, s in zip(self.constraints, share, strict=True) if s > 1e-9 * size}

    # --- by quadrature ---------------------------------------------------------------------------------------------

    def _by_quadrature(self) -> Iterator[sp.Expr]:
        """Integrals of single rows, then of the rows solved for some of the velocities, then of what is left."""
        held = [c for c in self.constraints if not c.holonomic and (not self.brief or at_most(_BRIEF, c.given))]
        forms = [f for f in map(self._lift, held) if f is not None]
        yield from (f for f in (form.integral() for form in forms) if f is not None)
        back: dict[sp.Symbol, sp.Expr] = {}
        while forms:
            trials = ((form.integral(), form) for form in islice(self._candidates(forms), _MOST_TRIALS))
            step = next(((f, form) for f, form in trials if f is not None), None)
            if step is None:
                return
            f, form = step
            yield f.xreplace(back) if not back else _resubstituted(f, back)
            solved = _solve(f, form, len(back))
            if solved is None:
                return
            coordinate, value, constant = solved
            back[constant] = f
            forms = [e for e in (_eliminated(w, coordinate, value) for w in forms) if e is not None]

    def _lift(self, constraint: Constraint) -> OneForm | None:
        """omega_i dx^i of a row in coordinates (t, q), where velocities determine the coordinates' rates and back."""
        frame = constraint.frame
        x = (TIME, *frame.coordinates)
        E = frame.anchor
        if E.rows == E.cols and sp.eye(E.rows) == E:
            entries = list(constraint.normal)
        else:
            lifted = _through_anchor(E, constraint.normal)
            if lifted is None:
                return None
            entries = lifted
        return OneForm(x, (constraint.drift, *entries))

    def _candidates(self, forms: Sequence[OneForm]) -> Iterator[OneForm]:
        yield from forms
        if self.brief or not 1 < len(forms) <= _MOST_ROWS:
            return
        x = forms[0].x
        matrix = sp.Matrix([f.entries for f in forms])
        columns = [i for i in range(1, len(x)) if any(e != 0 for e in matrix[:, i])]
        if not at_most(_LONGEST, *matrix):
            return
        for which in islice(combinations(columns, len(forms)), _MOST_SOLVED):
            yield from solved_rows(forms, which)

    # --- by undetermined coefficients ------------------------------------------------------------------------------

    def _by_coefficients(self) -> Iterator[sp.Expr]:
        """f = c_l F_l with X F_l c_l = 0 for every field X on which the rows vanish."""
        functions = self._functions()
        for degree in (1, 2, 3):
            library = [f for d, f in functions if d <= degree]
            most = _FEW_FUNCTIONS if self.brief else _MOST_FUNCTIONS
            if not library or ((degree > 1 or self.brief) and len(library) > most):
                return
            yield from self._combinations(library)

    def _linear(self) -> Iterator[sp.Expr]:
        """f = c_i x^i + c_0 t with coefficients that are named: those of wheels that roll without turning, for one."""
        library = [*self._plain, *([TIME] if self.pfaff.moving else [])]
        yield from (f for f in self._combinations(library) if not f.has(sp.Float)) if library else ()

    @property
    def _plain(self) -> list[sp.Symbol]:
        """The coordinates that belong to no rotation."""
        space = self.system.space
        return [q for q in space.coordinates if not any(q in a.coordinates for a in space.attitudes.values())]

    def _functions(self) -> list[tuple[int, sp.Expr]]:
        """The functions of the library, each with its degree."""
        space, plain = self.system.space, self._plain
        turning = set().union(*(c.phi.atoms(sp.sin, sp.cos) for c in self.constraints))
        arguments = {e.args[0] for e in turning if e.args[0].free_symbols <= {*plain, TIME}}
        first: list[sp.Expr] = [*plain, *(f(a) for a in sorted(arguments, key=str) for f in (sp.sin, sp.cos))]
        first += [e for a in space.attitudes.values() for e in a.matrix]
        first += [TIME] if self.pfaff.moving else []
        found = [(1, f) for f in first]
        for degree in (2, 3):
            found += [(degree, sp.Mul(*fs)) for fs in combinations_with_replacement(first, degree)]
        return found

    def _combinations(self, library: Sequence[sp.Expr]) -> Iterator[sp.Expr]:
        nodes = [read(f, self.pfaff.sampler.graph) for f in library]
        table = self._table(nodes, {})
        for vector in _sparse_null(table):
            support = [i for i, c in enumerate(vector) if c != 0]
            if len(support) > 6:
                continue
            coefficients = self._named(nodes, support, vector[support])
            yield sp.Add(*(c * library[i] for c, i in zip(coefficients, support, strict=True)))

    def _table(self, nodes: Sequence[Node], change: dict[str, float]) -> np.ndarray:
        """X F_l at many states, one row per state and field."""
        pfaff = self.pfaff
        fields = [*pfaff.kernel, *([pfaff.drift] if pfaff.moving else [])]
        rates = [r for X in fields for r in pfaff.along(X, nodes)]
        count = max(12, 2 * len(nodes) // max(1, len(fields)))
        states = [{**v, **change} for v in self._states(count)]
        merged = {name: np.array([v[name] for v in states]) for name in states[0]}
        flat = [np.broadcast_to(np.asarray(r, float), (len(states),)) for r in evaluate(rates, merged)]
        cube = np.array(flat).reshape(len(fields), len(nodes), len(states))
        table = np.moveaxis(cube, 1, 2).reshape(-1, len(nodes))
        return np.asarray(table[np.isfinite(table).all(axis=1)])

    def _states(self, count: int) -> list[Values]:
        """So many random states, the same ones each time."""
        self._drawn += [v for v, _ in islice(self._source, max(0, count - len(self._drawn)))]
        return self._drawn[:count]

    def _named(self, nodes: Sequence[Node], support: Sequence[int], vector: np.ndarray) -> list[sp.Expr]:
        """Coefficients as products of powers of parameters where they are that, else as numbers."""
        used = [nodes[i] for i in support]
        base = self.pfaff.states[0]
        parameters = [n for n in self.system.symbols if base[n] > 0]

        def at(change: dict[str, float]) -> np.ndarray | None:
            null = np.linalg.svd(self._table(used, change))[2][-1]
            lead = null[0]
            return null / lead if lead != 0 else None

        here = vector / vector[0]
        exponents = {n: at({n: 2 * base[n]}) for n in parameters}
        everything = at({n: base[n] * (1.3 + 0.17 * i) for i, n in enumerate(parameters)})
        named: list[sp.Expr] = []
        for i, value in enumerate(here):
            power = {n: np.log2(abs(c[i] / value)) if c is not None and c[i] else np.nan for n, c in exponents.items()}
            named.append(self._monomial(float(value), power, everything[i] if everything is not None else np.nan))
        return named

    def _monomial(self, value: float, power: dict[str, float], elsewhere: float) -> sp.Expr:
        base, symbols = self.pfaff.states[0], self.system.symbols
        if not all(np.isfinite(e) and abs(2 * e - round(2 * e)) < 1e-6 for e in power.values()):
            return _plain(value)
        half = {n: Fraction(round(2 * e), 2) for n, e in power.items() if round(2 * e)}
        number = value / float(np.prod([base[n] ** float(e) for n, e in half.items()]))
        near = Fraction(number).limit_denominator(1000)
        scale = {n: 1.3 + 0.17 * i for i, n in enumerate(power)}
        there = float(near) * float(np.prod([(base[n] * scale[n]) ** float(e) for n, e in half.items()]))
        if abs(float(near) - number) > 1e-7 * abs(number) or abs(there - elsewhere) > 1e-6 * abs(there):
            return _plain(value)
        factors = (symbols[n] ** sp.Rational(e.numerator, e.denominator) for n, e in half.items())
        return sp.Mul(sp.Rational(near.numerator, near.denominator), *factors)


def _plain(value: float) -> sp.Expr:
    """A number that was found; by a short fraction where it is one, so that what is exact can be seen to be."""
    near = Fraction(value).limit_denominator(10_000)
    return sp.Float(float(near) if abs(float(near) - value) < 1e-13 * abs(value) else value)


def _through_anchor(E: sp.ImmutableMatrix, normal: Sequence[sp.Expr]) -> list[sp.Expr] | None:
    """omega_i with omega_i E^i_a = N_a, where the velocities in the row belong to an invertible block of E."""
    used = [a for a, n in enumerate(normal) if n != 0]
    rows = [i for i in range(E.rows) if any(E[i, a] != 0 for a in used)]
    columns = [a for a in range(E.cols) if any(E[i, a] != 0 for i in rows)]
    if len(rows) != len(columns) or len(rows) > 6:
        return None
    block = E.extract(rows, columns)
    if short(block.det()) == 0:
        return None
    solved = sp.Matrix([[normal[a] for a in columns]]) * block.inv()
    entries: list[sp.Expr] = [sp.S.Zero] * E.rows
    for i, e in zip(rows, solved, strict=True):
        entries[i] = short(e)
    return entries


def _resubstituted(f: sp.Expr, back: dict[sp.Symbol, sp.Expr]) -> sp.Expr:
    """Constants of earlier integrals replaced by these integrals, latest first."""
    for constant, value in reversed(list(back.items())):
        f = f.xreplace({constant: value})
    return sp.expand(f)


def _solve(f: sp.Expr, form: OneForm, count: int) -> tuple[sp.Symbol, sp.Expr, sp.Symbol] | None:
    """(x, g, c): the coordinate x = g(others, c) that follows from f = c."""
    constant = sp.Symbol(f"c{count}:integral", real=True)
    linear = [x for x in form.x[1:] if f.diff(x) != 0 and f.diff(x, 2) == 0]
    linear.sort(key=lambda x: sp.count_ops(f.diff(x)))
    for x in linear:
        slope = f.diff(x)
        return x, sp.expand((constant - f.xreplace({x: sp.S.Zero})) / slope), constant
    return None


def _eliminated(form: OneForm, coordinate: sp.Symbol, value: sp.Expr) -> OneForm | None:
    """The form on coordinate = value; None if nothing is left of it."""
    at = form.x.index(coordinate)
    rest = [i for i in range(len(form.x)) if i != at]
    x = tuple(form.x[i] for i in rest)
    # omega_i + omega_z dz/dx_i
    entries = [form.entries[i] + form.entries[at] * value.diff(form.x[i]) for i in rest]
    entries = [brief(e.xreplace({coordinate: value})) for e in entries]
    return OneForm(x, tuple(entries)) if any(e != 0 for e in entries) else None


def _sparse_null(table: np.ndarray) -> list[np.ndarray]:
    """Vectors c with table c = 0, in reduced echelon form, the shortest first."""
    if not table.size:
        return []
    scale = np.linalg.norm(table, axis=0)
    scale = np.where(scale > 0, scale, 1.0)
    vectors = [r / scale for r in echelon(null_rows(table / scale, SAMPLED, SAMPLED))]
    return sorted((np.where(np.abs(c) > 1e-8 * np.abs(c).max(), c, 0.0) for c in vectors), key=np.count_nonzero)
