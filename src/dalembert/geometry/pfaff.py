"""Constraints linear or affine in the velocities, as a Pfaffian system; its integrability and its growth.

    phi^s = N^s_a(t, q) u^a + b^s(t, q) = 0

Time is taken in as one more direction, e_0 = d/dt, so that the rows read  omega^s = b^s dt + N^s_a e^a  and a drift is
no special case. Where nothing moves (b = 0 and no row holds t) that direction is left out.

A row, or a combination of rows, is integrable if it is a multiple of some df(t, q). By Frobenius that is so iff
d omega vanishes on the kernel of the rows; the rows that are left integrable in the end are those that annihilate the
kernel together with all its iterated brackets [bryant1991 II.4; montgomery2002 2.1].
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product

import numpy as np

from ..answer import Answer, no, undecided
from ..calculus.exact.exact_rank import ModularSpan, clearly_independent
from ..calculus.exact.finite_field import ResiduePoint
from ..calculus.graph import Node, evaluate, live, substitute, symbols, tangent
from ..calculus.linear_systems import choose_columns, solve
from ..calculus.numerical_rank import sized
from .identities import decided, points
from .random_states import ConstraintSampler, Values

BUDGET = 20_000  # graph nodes: brackets of brackets grow fast
_ROUNDINGS, _WEAK = 100, 1e-6  # of rows: what may come of errors, and of a place that was found by iteration
_PLAIN, _SIGNED = 1, 12  # points at which ranks are taken, without signs and with them
Field = list[Node]


@dataclass(frozen=True, eq=False)
class Growth:
    """Ranks of D, D + [D, D], D + [D, D] + [D, [D, D]], ...

    Attributes:
        vector: the growth vector (n1, n2, ..., np), rising.
        complete: did it end by itself? Else more may come, as brackets grew over the budget or for what is `undecided`.
        undecided: what was tried, where it was not decided whether more come.
    """

    vector: tuple[int, ...]
    undecided: str = ""
    complete: bool = True

    @property
    def integrable(self) -> bool | None:
        """Did nothing come? None where that is undecided."""
        return len(self.vector) == 1 and (self.complete or None)


class Pfaff:
    """Rows omega^s on the directions (e_0 = d/dt, e_1, ..., e_k).

    Args:
        sampler: the constraints and random states on them.
        rows: positions of the rows, independent, each linear or affine in the velocities.
        states: where things are decided.
    """

    def __init__(self, sampler: ConstraintSampler, rows: Sequence[int], states: Sequence[Values]) -> None:
        self.sampler, self.states = sampler, states
        self.motion, zero = sampler.motion, sampler.graph.constant(0)
        self.N = [sampler.normals[s] for s in rows]
        at_rest = {u.key[1]: 0.0 for u in self.motion.u}
        drifts = _at(sampler.phi, rows, at_rest)
        self.moving = any(not b.is_zero for b in drifts) or "t" in symbols([e for row in self.N for e in row])
        self.omega = [[b if self.moving else zero, *row] for b, row in zip(drifts, self.N, strict=True)]
        self.zero = zero
        self.width = len(self.motion.u) + 1
        # rows df = 0: what annihilates f annihilates it after brackets too
        self.positions = sum(sampler.constraints[s].holonomic for s in rows)
        self.stopped = False  # did brackets grow over the budget?

    # --- fields ----------------------------------------------------------------------------------------------------

    def along(self, X: Field, ys: Sequence[Node]) -> list[Node]:
        """X y = X^0 dy/dt + X^a E^i_a dy/dq^i for each y."""
        motion = self.motion
        dq = [motion.sum(e * Xa for e, Xa in zip(row, X[1:], strict=True)) for row in motion.anchor]
        return tangent(ys, [*motion.q, motion.t], [*dq, X[0]])

    def bracket(self, X: Field, Y: Field) -> Field:
        """[X, Y]^c = X Y^c - Y X^c + C^c_ab X^a Y^b."""
        lie = [a - b for a, b in zip(self.along(X, Y), self.along(Y, X), strict=True)]
        for (a, b), row in self.motion.brackets.items():
            area = X[a + 1] * Y[b + 1] - X[b + 1] * Y[a + 1]
            lie = [lie[0], *(c + C * area for c, C in zip(lie[1:], row, strict=True))]
        return lie

    @cached_property
    def kernel(self) -> list[Field]:
        """Fields that span D: the directions e_a in which the rows vanish, at fixed time."""
        return self._kernel[0]

    @cached_property
    def drift(self) -> Field:
        """The field d/dt + gamma, on which all rows vanish; gamma lies in the directions that depend on the others."""
        return self._kernel[1]

    @cached_property
    def _kernel(self) -> tuple[list[Field], Field]:
        return self._kernel_of(range(len(self.N)))

    def _kernel_of(self, which: Sequence[int]) -> tuple[list[Field], Field]:
        k, one = self.width - 1, self.sampler.graph.constant(1)
        N, omega = [self.N[s] for s in which], [self.omega[s] for s in which]
        if not N:
            return [self._field({a + 1: one}) for a in range(k)], self._field({0: one})
        normals = np.array(evaluate([e for row in N for e in row], self.states[0]), float).reshape(-1, k)
        dependent = choose_columns(normals)
        free = [a for a in range(k) if a not in dependent]
        # N_dependent A = -(N_free, b)
        right = [[-row[a + 1] for a in free] + [-row[0]] for row in omega]
        A = solve([[row[a] for a in dependent] for row in N], right, self.states[0])
        columns = [{d + 1: A[r][j] for r, d in enumerate(dependent)} for j in range(len(free) + 1)]
        fields = [self._field({a + 1: one, **column}) for a, column in zip(free, columns, strict=False)]
        return fields, self._field({0: one, **columns[-1]})

    def _field(self, components: Mapping[int, Node]) -> Field:
        return [components.get(c, self.zero) for c in range(self.width)]

    @cached_property
    def rows(self) -> np.ndarray:
        """omega^s at every state: samples x m x directions."""
        flat = [evaluate([e for row in self.omega for e in row], values) for values in self.states]
        return np.array(flat, float).reshape(len(self.states), len(self.omega), self.width)

    # --- what is 0 everywhere --------------------------------------------------------------------------------------

    @cached_property
    def _ground(self) -> tuple[list[ResiduePoint], bool]:
        """Points modulo a prime, and whether they lie on the constraints; elsewhere ranks are as high or higher."""
        fields = [e for X in (*self.kernel, self.drift) for e in X]
        near, left = True, {*self.sampler.space.coordinates}
        for f in (c.given for c in self.sampler.constraints if c.holonomic):  # each has to have a root of its own
            own = left & f.free_symbols
            near, left = near and any(f.diff(x, 3) == 0 for x in own), left - own
        for sampler in (*([self.sampler] if near else []), self._free):
            found: list[ResiduePoint] = []
            for here in points(sampler):
                for e in fields:
                    here(e.index)
                found += [] if here.blind else [here]
                if len(found) == (_SIGNED if here.signed else _PLAIN):
                    break
            if found:
                return found, sampler is self.sampler
        return [], False

    @cached_property
    def _free(self) -> ConstraintSampler:
        """The space without the constraints."""
        return ConstraintSampler(self.sampler.system, (), self.sampler.algebra)

    def follows(self, rows: Sequence[Field], last: Field, what: str) -> Answer:
        """Does a row follow from others wherever the constraints hold, so that `what` is 0?"""
        table, near = [*rows, last], self.sampler.iterated
        if _clear(table, self.states[0]):
            return no(f"{what} is not 0 at a random state", self.states[0])
        if self._ground[1]:
            return decided(table, self.sampler, what)
        found = decided(table, self._free, what)  # what follows everywhere follows on bent constraints, too
        if not found.value and len(rows) in clearly_independent(table, self.states, near):
            return no(f"{what} is not 0 at one of some random states")
        return found if found.value else undecided(f"{what} was looked at at random states only")

    # --- integrability ---------------------------------------------------------------------------------------------

    def integrable(self, s: int) -> Answer:
        """Is this row integrable by itself?

            omega([Y, X]) = 0   for all X, Y with  omega(X) = omega(Y) = 0

        One Y will do whose coefficients are drawn at random, as all do if almost all do.
        """
        kernel, drift = self._kernel_of([s])
        fields = [*kernel, *([drift] if self.moving else [])]
        factors = [float(c) for c in np.random.default_rng(11).integers(2, 2**40, len(fields))]
        columns = zip(*fields, strict=True)
        Y = [self.motion.sum(c * e for c, e in zip(factors, column, strict=True)) for column in columns]
        lies = (zip(self.omega[s], self.bracket(Y, X), strict=True) for X in fields)
        return self.follows([], [self.motion.sum(w * e for w, e in lie) for lie in lies], "d omega on its kernel")

    # --- growth ----------------------------------------------------------------------------------------------------

    def growth(self, with_time: bool) -> Growth:
        """The growth vector of D, or of D and the field d/dt + gamma together."""
        fields = [*self.kernel, self.drift] if with_time else list(self.kernel)
        full = self.width - (not with_time) - self.positions
        vector, held, new, why = [len(fields)], list(fields), fields, list[Answer]()
        if vector[-1] == full:
            return Growth((full,))
        spans = [ModularSpan() for _ in self._ground[0]]
        self._new(spans, [], fields, self.width, why)
        while new and len(held) < full:
            new = self._new(spans, held, self._brackets(fields, new), full, why)
            held += new
            if len(held) < full and (self.stopped or why):  # the last round may not have found all
                return Growth(tuple(vector), next((a.reason for a in why), ""), False)
            vector += [len(held)] if new else []
        return Growth(tuple(vector))

    @property
    def _over(self) -> bool:
        return len(self.sampler.graph.nodes) > BUDGET

    def _brackets(self, fields: Sequence[Field], new: Sequence[Field]) -> Iterator[Field]:
        """[X, Y] for X of D and Y of the last round, as long as the budget lasts."""
        for X, Y in combinations(fields, 2) if new is fields else product(fields, new):
            if self._over or len(live([*X, *Y])) > BUDGET // 4:
                self.stopped = True
                return
            yield self.bracket(X, Y)

    def _new(
        self,
        spans: Sequence[ModularSpan],
        held: Sequence[Field],
        candidates: Iterable[Field],
        full: int,
        why: list[Answer],
    ) -> list[Field]:
        """The candidates that bring a new direction; what is not decided of one joins `why`."""
        here, on = self._ground
        found: list[Field] = []
        for X in candidates:
            if len(held) + len(found) == full:
                break
            numbers = [{c: point(e.index) for c, e in enumerate(X)} for point in here]
            before = max((len(span.rows) for span in spans), default=0)
            for span, row in zip(spans, numbers, strict=True):
                span.take(row)
            if spans and max(len(span.rows) for span in spans) == before:
                continue
            plain = on and not any(p.opaque or p.rounded or p.signed for p in here)
            seen = no() if plain or not held else self.follows([*held, *found], X, "what a bracket adds")
            if seen.value is False:
                found.append(X)
            elif seen.value is None:
                why.append(seen)
        return found


def _clear(rows: Sequence[Field], values: Values) -> bool:
    """Are rows independent at a state, by far more than rounding may feign?"""
    numbers, sizes = (part.reshape(len(rows), -1) for part in sized([e for row in rows for e in row], values))
    length = np.linalg.norm(numbers, axis=1, keepdims=True)
    if not (np.isfinite(numbers).all() and length.all()) or len(rows) > numbers.shape[1]:
        return False
    # what errs by E in the norm moves a singular value by no more than that
    errs = _ROUNDINGS * np.finfo(float).eps * float(np.linalg.norm(sizes / length))
    return bool(np.linalg.svd(numbers / length, compute_uv=False)[-1] > max(errs, _WEAK))


def _at(phi: Sequence[Node], rows: Sequence[int], at_rest: Mapping[str, float]) -> list[Node]:
    return substitute([phi[s] for s in rows], at_rest)
