"""Functions of the positions among which something is looked for, independent of each other on a space.

They are polynomials in the coordinates that are no angles, in sines and cosines of the angles that occur, and in the
entries of rotations; which of their products are independent is seen at random states.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import combinations_with_replacement, islice
from math import comb

import numpy as np
import sympy as sp

from ..calculus.from_sympy import read
from ..calculus.graph import Node, evaluate
from ..calculus.simplification import few
from ..calculus.symbols import parts
from ..errors import InvalidValue
from ..model.system import System
from .random_states import ConstraintSampler

MOST = 600  # coefficients that are sought at once: beyond it the degree is lowered
SPARE = 20  # states more than coefficients
_DRAWS = 10  # draws for a state, at most
_SAME, _PRODUCTS = 1e-8, 1500
_LONG = 2000  # operations of the argument of a sine that is still looked at
FAR = 1e100  # squares of larger numbers are none


class FunctionLibrary:
    """The functions F_l, independent on the space, those of high degree first.

    Args:
        system: the system.
        each: how many coefficients are sought for each function.
        degree: of the polynomials, at most; it is lowered where there were too many coefficients.
        most: how many coefficients are sought at once.
        further: functions of the positions that are taken like coordinates.
        turning: coordinates that are taken for angles, declared or not.
    """

    def __init__(
        self,
        system: System,
        each: int,
        degree: int,
        most: int = MOST,
        further: Sequence[sp.Expr] = (),
        turning: Collection[sp.Symbol] = (),
    ) -> None:
        self.system, self.further, self.turning, space = system, tuple(further), set(turning), system.space
        rotated = {q for a in space.attitudes.values() for q in a.coordinates}
        plain = [q for q in space.coordinates if q not in rotated]
        self.arguments = sorted(self._arguments(set(plain)), key=str)
        turned = set().union(*(a.free_symbols for a in self.arguments))
        self.straight = [q for q in plain if q not in turned]
        first: list[sp.Expr] = [*self.straight, *(f(a) for a in self.arguments for f in (sp.cos, sp.sin))]
        first += [*(e for a in space.attitudes.values() for e in a.matrix), *self.further]
        for self.degree in range(degree, -1, -1):
            if self.degree and comb(len(first) + self.degree, self.degree) > _PRODUCTS:
                continue
            self.functions = self._independent(self._products(first, self.degree))
            if len(self.functions) * each <= most:
                break

    def _arguments(self, plain: set[sp.Symbol]) -> set[sp.Expr]:
        """Angles that are declared, and arguments of sines and cosines."""
        system, space = self.system, self.system.space
        every = (*system.expressions, *space.anchor)
        found = {f.args[0] for f in parts(*every) if isinstance(f, sp.sin | sp.cos)}
        found = {e for e in found if few(_LONG, e)}
        found |= {q for q in plain if q.name in space.angles or q in self.turning}
        alone = {s for e in found for s in e.free_symbols} & plain
        return {e for e in found | alone if e.free_symbols and e.free_symbols <= plain and str(e)[0] != "-"}

    def _products(self, first: Sequence[sp.Expr], degree: int) -> list[sp.Expr]:
        found = [sp.Mul(*parts) for d in range(degree + 1) for parts in combinations_with_replacement(first, d)]
        return list(dict.fromkeys(found))

    def _independent(self, functions: Sequence[sp.Expr]) -> list[sp.Expr]:
        """Each function that is no combination of those before it; then in the order of falling degree."""
        sampler = ConstraintSampler(self.system, ())
        nodes = [read(f, sampler.graph) for f in functions]
        with np.errstate(all="ignore"):
            table = columns(nodes, drawn(sampler, len(nodes) + SPARE))
        table = table[(np.abs(table) < FAR).all(axis=1)]
        size = np.abs(table).max(axis=0, initial=0.0)
        pivots = np.abs(np.diag(np.linalg.qr(table / np.where(size > 0, size, 1.0), mode="r")))
        return [f for f, pivot in zip(functions, pivots, strict=False) if pivot > _SAME][::-1]

    @property
    def searched(self) -> str:
        """What the functions are, in words."""
        parts = [", ".join(map(str, self.straight))] if self.straight else []
        parts += [f"sines and cosines of {', '.join(map(str, self.arguments))}"] if self.arguments else []
        parts += [f"the entries of {', '.join(self.system.space.attitudes)}"] if self.system.space.attitudes else []
        parts += [", ".join(map(str, self.further))] if self.further else []
        if not self.degree or not parts:
            return "constant"
        return f"polynomials of degree {self.degree} in {'; '.join(parts)}"


def drawn(sampler: ConstraintSampler, count: int, seed: int = 23) -> dict[str, np.ndarray]:
    """So many random states at which the constraints hold and nothing is infinite: {name: (count,)}."""
    tried = islice(sampler.states(seed), _DRAWS * count)
    states = list(islice((values for values, held in tried if held and sampler.in_domain(values)), count))
    if len(states) < count:
        few = f"{len(states)} of {_DRAWS * count} random states satisfy the constraints and have a finite L"
        raise InvalidValue("E244", f"{few}; {count} are needed", "a smaller system: da.reduce")
    return {name: np.array([v[name] for v in states]) for name in states[0]}


def columns(nodes: Sequence[Node], values: dict[str, np.ndarray]) -> np.ndarray:
    """Values of the nodes at states, (N, nodes)."""
    count = len(next(iter(values.values())))
    found = evaluate(list(nodes), values)
    return np.array([np.broadcast_to(np.asarray(v, float), (count,)) for v in found]).reshape(-1, count).T
