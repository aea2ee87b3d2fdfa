"""One-forms  omega = omega_i dx^i  in coordinates, and their integration: f with  df = mu omega.

An integrating factor mu is looked for among products of powers of the factors that occur in omega and of exp(x^i); the
exponents, which may hold a parameter, solve linear equations. What is 0 is decided at random points; the result is
checked there once more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, islice, product

import numpy as np
import sympy as sp

from ..calculus.exact.finite_field import MODULUS, ResiduePoint
from ..calculus.from_sympy import read
from ..calculus.graph import Graph, Node, evaluate, gradient
from ..calculus.linear_systems import solve
from ..calculus.simplification import adjugate, at_most, determinant, steep

_CLEAR = 60  # modulo a prime, of which one is to be clear

_POINTS = 6
_SMALL = 1e-9
_MOST_FACTORS, _MOST_OPERATIONS, _MOST_IN_A_TERM, _MOST_TRIES = 18, 400, 12, 4
_LONG = 40  # operations: what is longer is not simplified, which may take seconds


@dataclass(frozen=True)
class OneForm:
    """omega_i dx^i; the entries may hold parameters.

    Attributes:
        x: the coordinates.
        entries: omega_i.
    """

    x: tuple[sp.Symbol, ...]
    entries: tuple[sp.Expr, ...]

    def numbers(self, expressions: Sequence[sp.Expr]) -> np.ndarray:
        """Values (points x expressions) at random points where all are finite; other symbols get values too."""
        graph = Graph()
        nodes = [read(e, graph) for e in expressions]
        names = sorted(
            {s.name for e in (*expressions, *self.entries) for s in e.free_symbols} | {s.name for s in self.x}
        )
        rng = np.random.default_rng(3)
        points = {name: rng.uniform(0.3, 1.4, 4 * _POINTS) for name in names}
        shape = (4 * _POINTS,)
        values = np.array([np.broadcast_to(np.asarray(v, float), shape) for v in evaluate(nodes, points)]).T
        values = values.reshape(4 * _POINTS, len(nodes))
        return np.asarray(values[np.isfinite(values).all(axis=1)][:_POINTS])

    def curl(self) -> dict[tuple[int, int], sp.Expr]:
        """d omega_ij = d_i omega_j - d_j omega_i for i < j."""
        w, x = self.entries, self.x
        return {(i, j): w[j].diff(x[i]) - w[i].diff(x[j]) for i, j in combinations(range(len(x)), 2)}

    def integrable(self) -> bool:
        """Does omega ^ d omega vanish?"""
        curl, w = self.curl(), self.entries
        triples = [
            w[i] * curl[j, k] - w[j] * curl[i, k] + w[k] * curl[i, j] for i, j, k in combinations(range(len(self.x)), 3)
        ]
        return self.vanish(triples)

    def vanish(self, expressions: Sequence[sp.Expr]) -> bool:
        """Are all of these 0 at random points, compared with the form's own size?"""
        left = [e for e in expressions if e != 0]
        if not left:
            return True
        values = self.numbers([*left, *self.entries])
        found, own = np.abs(values[:, : len(left)]), np.abs(values[:, len(left) :])
        return len(values) > 0 and bool(found.max() <= _SMALL * own.max(initial=0.0))

    def integral(self) -> sp.Expr | None:
        """f with df = mu omega, if the form is integrable and one is found."""
        if not at_most(_MOST_OPERATIONS, *self.entries) or not self.integrable():
            return None
        plain = OneForm(self.x, tuple(w.replace(sp.tan, lambda a: sp.sin(a) / sp.cos(a)) for w in self.entries))
        return plain._integral()

    def _integral(self) -> sp.Expr | None:
        for mu in islice(self._factors(), _MOST_TRIES):
            exact = OneForm(self.x, tuple(_simplified(mu * w) for w in self.entries))
            f = exact.potential()
            if f is not None:
                return _tidy(f, self.x)
        return None

    def potential(self) -> sp.Expr | None:
        """f with df = omega for a closed form, by one quadrature after the other."""
        f = sp.S.Zero
        for x, w in zip(self.x, self.entries, strict=True):
            rest = _simplified(w - f.diff(x))
            if rest == 0:
                continue
            part = _quadrature(rest, x)
            if part is None:
                return None
            f += part
        return f if self.vanish([f.diff(x) - w for x, w in zip(self.x, self.entries, strict=True)]) else None

    # --- integrating factors ---------------------------------------------------------------------------------------

    def _factors(self) -> Iterator[sp.Expr]:
        """Candidates mu = prod b^e with d(mu omega) = 0, simplest first."""
        curl = self.curl()
        if self.vanish(list(curl.values())):
            yield sp.S.One
            return
        bases = self._bases()
        pairs = [p for p in curl if any(self.entries[i] != 0 for i in p) or curl[p] != 0]
        # sum_b e_b (d_i log b omega_j - d_j log b omega_i) = - d omega_ij
        columns = [
            [b.diff(self.x[i]) / b * self.entries[j] - b.diff(self.x[j]) / b * self.entries[i] for i, j in pairs]
            for b in bases
        ]
        numbers = self.numbers([*(e for column in columns for e in column), *(-curl[p] for p in pairs)])
        if not len(numbers):
            return
        table = numbers.reshape(len(numbers), len(bases) + 1, len(pairs))
        A, rhs = np.moveaxis(table[:, :-1], 1, 2).reshape(-1, len(bases)), table[:, -1].ravel()
        for size in (1, 2, 3):
            for which in combinations(range(len(bases)), size):
                exponents = np.linalg.lstsq(A[:, which], rhs, rcond=None)[0]
                if np.abs(A[:, which] @ exponents - rhs).max() < 1e-8 * (1 + np.abs(rhs).max()):
                    yield sp.prod(bases[b] ** _rational(e) for b, e in zip(which, exponents, strict=True))

    def _bases(self) -> list[sp.Expr]:
        found: dict[sp.Expr, None] = {}
        x = set(self.x)
        for w in self.entries:
            for factor in sp.Mul.make_args(sp.factor(sp.together(w))):
                base = factor.as_base_exp()[0]
                if base.free_symbols & x and (-base) not in found:
                    found.setdefault(base)
        for s in self.x:
            found.setdefault(s)
        for s in self.x:
            found.setdefault(sp.exp(s))
        parameters = sorted(set().union(*(w.free_symbols for w in self.entries)) - x, key=str)
        for p, s in product(parameters, self.x):  # exponents that hold a parameter
            found.setdefault(sp.exp(p * s))
            found.setdefault(s**p)
        return list(found)[:_MOST_FACTORS]


def brief(e: sp.Expr) -> sp.Expr:
    """e simplified; a long one with what is common to numerator and denominator taken out, and no more."""
    return _simplified(e) if at_most(_LONG, e) else sp.cancel(sp.together(e))


def _simplified(e: sp.Expr) -> sp.Expr:
    """e by SymPy's search, where that has an end."""
    return sp.cancel(sp.together(e)) if steep(e) else sp.simplify(e)


def _quadrature(w: sp.Expr, x: sp.Symbol) -> sp.Expr | None:
    """An antiderivative in closed form, by the rules of the textbook; None where these do not lead to one.

    Term by term, what does not hold x taken out; a term that is long after that is not tried. Symbols are taken as
    positive on the way: it is the formula that counts, and it is checked afterwards.
    """
    total = sp.S.Zero
    for term in sp.Add.make_args(sp.expand(w)):
        outside, inside = term.as_independent(x, as_Add=False)
        part = _textbook(inside, x) if at_most(_MOST_IN_A_TERM, inside) else None
        if part is None:
            return None if term is w else _textbook(w, x) if at_most(_MOST_IN_A_TERM, w) else None
        total += outside * part
    return total


@lru_cache(maxsize=512)
def _textbook(w: sp.Expr, x: sp.Symbol) -> sp.Expr | None:
    """SymPy's rules for one term; what failed once is not tried again."""
    from sympy.integrals.manualintegrate import manualintegrate  # 27 ms, which most systems do not need

    positive = {s: sp.Dummy(s.name, positive=True) for s in w.free_symbols | {x}}
    back = {d: s for s, d in positive.items()}
    inside = w.xreplace(positive)
    reciprocal = inside.replace(sp.sin, lambda a: 1 / sp.csc(a)).replace(sp.cos, lambda a: 1 / sp.sec(a))
    for form in (inside, reciprocal) if any(p.exp.is_negative for p in w.atoms(sp.Pow)) else (inside,):
        try:
            found = manualintegrate(form, positive[x])
        except (TypeError, ValueError, NotImplementedError, AttributeError, RecursionError):
            continue
        if not found.has(sp.Integral, sp.Piecewise):
            plain = found.rewrite([sp.csc, sp.sec, sp.cot], sp.sin) if form is not inside else found
            return plain.xreplace(back).replace(sp.log, _real_log)
    return None


def _real_log(a: sp.Expr) -> sp.Expr:
    """log a, or log(-a) where that is the real one."""
    values = OneForm(tuple(a.free_symbols), ()).numbers([a])
    return sp.log(-a) if len(values) and values.max() < 0 else sp.log(a)


def _rational(value: float) -> sp.Expr:
    near = Fraction(float(value)).limit_denominator(12)
    return sp.Rational(near.numerator, near.denominator) if abs(float(near) - value) < 1e-7 else sp.Float(value)


def _tidy(f: sp.Expr, x: Sequence[sp.Symbol]) -> sp.Expr:
    """f, or exp f where f is nothing but logarithms; no denominators and no signs in front."""
    terms = sp.Add.make_args(sp.expand_log(sp.expand(f), force=True))
    powers = [_as_log(term) for term in terms]
    if all(p is not None for p in powers):
        f = sp.prod(base**e for base, e in powers if base.free_symbols & set(x))  # type: ignore[misc]
    f = sp.factor_terms(sp.expand(f))
    number = f.as_coeff_Mul()[0]
    return sp.expand(f / number) if number != 0 else f


def _as_log(term: sp.Expr) -> tuple[sp.Expr, sp.Expr] | None:
    coefficient, rest = term.as_coeff_Mul()
    if isinstance(rest, sp.log) and coefficient.is_rational:
        return rest.args[0], coefficient
    return None


# --- rows solved for some of the velocities ---------------------------------------------------------------------------


def solved_rows(forms: Sequence[OneForm], which: Sequence[int]) -> Iterator[OneForm]:
    """The integrable rows among the forms solved for these directions; only these are written out."""
    rows = _integrable(forms, which)
    if not rows:
        return
    matrix = sp.Matrix([f.entries for f in forms])
    block = matrix[:, list(which)]
    cofactors, det = adjugate(block), determinant(block)
    for r in rows:
        # B^-1 = adj B / det B
        yield OneForm(forms[0].x, tuple(brief(e / det) for e in cofactors[r, :] * matrix))


def _integrable(forms: Sequence[OneForm], which: Sequence[int]) -> list[int]:
    """Numbers of the solved rows with omega ^ d omega = 0; none where they cannot be solved so."""
    graph = Graph()
    table = [[read(e, graph) for e in form.entries] for form in forms]
    symbols = sorted({s.name for f in forms for e in f.entries for s in e.free_symbols} | {s.name for s in forms[0].x})
    place = dict(zip(symbols, np.random.default_rng(3).uniform(0.3, 1.4, len(symbols)).tolist(), strict=True))
    block = [[row[c] for c in which] for row in table]
    B = np.array(evaluate([e for row in block for e in row], place), float).reshape(len(forms), -1)
    if not np.isfinite(B).all() or np.linalg.matrix_rank(B) < len(forms):
        return []
    x = [graph.symbol(s.name) for s in forms[0].x]
    return [r for r, row in enumerate(solve(block, table, place)) if _is_integrable(row, x)]


def _is_integrable(row: Sequence[Node], x: Sequence[Node]) -> bool:
    slopes = [gradient(e, x) for e in row]
    for here in (ResiduePoint(x[0].graph, {}, seed=seed) for seed in range(_CLEAR)):
        w, d = [here(e.index) for e in row], [[here(e.index) for e in some] for some in slopes]
        if not here.blind:
            # (omega ^ d omega)_ijk = omega_i d omega_jk + omega_j d omega_ki + omega_k d omega_ij
            cycles = ([(i, j, k), (j, k, i), (k, i, j)] for i, j, k in combinations(range(len(x)), 3))
            return not any(sum(w[i] * (d[k][j] - d[j][k]) for i, j, k in cycle) % MODULUS for cycle in cycles)
    return False
