"""Random states on the constraints, at which ranks, symmetries and integrability are decided numerically.

Positions are moved to f(t, q) = 0, then velocities to phi(t, q, u) = 0, each by Gauss and Newton's iteration with the
least step. Parameters without a value get random positive ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from functools import cached_property
from itertools import cycle, islice
from typing import TYPE_CHECKING

import numpy as np

from ..calculus.algebra import GraphAlgebra
from ..calculus.euler_lagrange import Motion
from ..calculus.frame import TIME
from ..calculus.from_sympy import read
from ..calculus.graph import Graph, Node, evaluate, gradient
from ..calculus.jacobians import Slopes, numbers_of, unit_rows
from ..calculus.least_squares import DampedSteps, LeastSteps, row_scales
from ..model.constraint import Constraint
from ..model.contact_loads import refuse_reactions
from ..model.system import System

if TYPE_CHECKING:
    from ..model.system import System

_STEPS, _REACHED = 30, 1e-11
_NEAR = 1e-3  # how far off relations may be where the next is added
_FAR = 1e100  # as far as a residual is followed: the slopes of larger ones are no numbers
_TRIES, _HALVINGS = 60, 12
_NEARBY, _APART = 10, 1e-3  # states near another, and how far from it
_TOGETHER = 5  # states that are drawn and moved at once, where that is no more than linear algebra
_SCALES = 1.0, 1.0, 1e3, 1.0, 1e-3  # of the coordinates, in turn: lengths may be of any size
_CUT = 1e-12, 1e-4  # singular values below this part of the largest count as 0: on the way, and at the end
Values = dict[str, float]


class ConstraintSampler:
    """The constraints of a system on a graph, and random states that satisfy them.

    Args:
        system: the system.
        constraints: those that are to hold; all of the system's if left out.
        algebra: the graph to work on; one of its own if left out.
    """

    def __init__(
        self, system: System, constraints: Sequence[Constraint] | None = None, algebra: GraphAlgebra | None = None
    ) -> None:
        refuse_reactions(system)
        self.system, self.space = system, system.space
        self.constraints = tuple(system.constraints if constraints is None else constraints)
        algebra = GraphAlgebra(Graph()) if algebra is None else algebra
        self.algebra, self.graph = algebra, algebra.graph
        self.motion = Motion.of(self.space.frame, algebra)
        self.phi = [c.row(self.motion) for c in self.constraints]
        self.positions = [read(c.given, self.graph) for c in self.constraints if c.holonomic]
        self.normals = algebra.slopes(self.phi, self.motion.u)
        self._slopes = [self._along_frame(f) for f in self.positions]
        self._returned = {q.name: read(e, self.graph) for q, e in self.space.retraction.items()}
        self.known = {k: v for k, v in system.parameters.items() if v is not None}
        self.unknown = [n for n in (*system.symbols, *system.reactions) if n not in self.known]

    def only(self, rows: Sequence[int]) -> ConstraintSampler:
        """The sampler of these rows alone, on the same graph, where they are read and differentiated already."""
        return ConstraintSampler(self.system, [self.constraints[r] for r in rows], self.algebra)

    def touching(self, f: Node) -> ConstraintSampler:
        """The same states, at f(t, q) = 0 besides, as at a wall."""
        other = copy(self)
        other.positions, other._slopes = [*self.positions, f], [*self._slopes, self._along_frame(f)]
        return other

    def unit_rows(self, values: Values) -> np.ndarray:
        """The normals (m, k) at a state, of length 1; 0 where one is a rounding of its terms or of its usual length."""
        return unit_rows(self.normals, self._normals(values), values, self._usual)

    def _normals(self, values: Values) -> np.ndarray:
        return numbers_of(self.normals, len(self.motion.u), values)

    @cached_property
    def _usual(self) -> np.ndarray:
        """Their lengths (m,) at a random state, where the constraints need not hold; 0 if unknown."""
        rng = np.random.default_rng(0)
        values = {**self.space.sample(rng, self.unknown), **self.known, TIME.name: float(rng.uniform(0, 1))}
        if not self.iterated or not self.finite(values):
            return np.zeros(len(self.phi))
        return np.asarray(np.linalg.norm(self._normals(values), axis=1))

    @property
    def iterated(self) -> frozenset[str]:
        """Names of what is known to some digits only, if ranks may depend on it: rows are solved by iteration."""
        bent = any(c.kind == "nonlinear" for c in self.constraints)
        return frozenset(s.name for s in self.space) if bent or self.positions else frozenset()

    def _along_frame(self, f: Node) -> list[Node]:
        # df/dq^i E^i_a
        slopes = gradient(f, self.motion.q)
        return [
            self.motion.sum(slopes[i] * e for i, e in column if not slopes[i].is_zero) for column in self.motion.columns
        ]

    def states(self, seed: int = 1) -> Iterator[tuple[Values, bool]]:
        """Random states by name, t and parameters included, without end; and whether the constraints hold there."""
        rng = np.random.default_rng(seed)
        together = self.phi and not (self.positions or self._bent or isinstance(self.normals, Slopes))
        while True:
            drawn = [
                {**self.space.sample(rng, self.unknown), **self.known, TIME.name: float(rng.uniform(0, 1))}
                for _ in range(_TOGETHER if together else 1)
            ]
            with np.errstate(all="ignore"):
                if together:
                    held = self._to_velocities(drawn)
                else:
                    held = [self.to_positions(values) and self.to_velocities(values) for values in drawn]
            yield from zip(drawn, held, strict=True)

    def around(self, values: Values, seed: int = 1) -> Iterator[Values]:
        """States on the constraints near one of them, other velocities; 10 tries."""
        rng = np.random.default_rng(seed)
        for _ in range(_NEARBY):
            found = {**self.space.sample(rng, self.unknown), **self.known, **values}
            for q in self.space.coordinates:
                found[q.name] += _APART * float(rng.normal())
            for u in self.space.velocities:
                found[u.name] = float(rng.normal())
            with np.errstate(all="ignore"):
                found.update(self._retracted(found))
                if self.to_positions(found) and self.to_velocities(found) and self.finite(found):
                    yield found

    def inside(self, seed: int, scales: Sequence[float] = _SCALES) -> Iterator[Values]:
        """Random states on the constraints at which L, its slopes and the forces are finite numbers, 60 tries.

        Some are large and some small, and all velocities carry about the same energy; a state outside of the domain is
        drawn towards 0, halved up to 12 times.
        """
        for (values, _), scale in zip(islice(self.states(seed), _TRIES), cycle(scales), strict=False):
            held = self._stretch(values, scale, self._speeds(values))
            for _ in range(_HALVINGS):
                if held and self.in_domain(values):
                    yield values
                    break
                held = self._stretch(values, 0.5, np.full(len(self.space.velocities), 0.5))

    def in_domain(self, values: Values) -> bool:
        """Are L, its slopes, the forces, the constraints and the brackets of the frame finite there?"""
        with np.errstate(all="ignore"):
            return self.finite(values) and bool(np.isfinite(np.array(evaluate(self._domain, values), float)).all())

    @cached_property
    def _domain(self) -> list[Node]:
        L = read(self.system.lagrangian, self.graph)
        forces = [read(Q, self.graph) for Q in self.system.forces]
        brackets = [e for row in self.motion.brackets.values() for e in row]
        return [L, *gradient(L, [*self.motion.q, *self.motion.u]), *forces, *brackets]

    @cached_property
    def _weights(self) -> list[Node]:
        L = read(self.system.lagrangian, self.graph)
        return [gradient(gradient(L, [u])[0], [u])[0] for u in self.motion.u]

    def _speeds(self, values: Values) -> np.ndarray:
        """Factors (k,) that make the velocities' shares of the kinetic energy alike, their product being 1."""
        with np.errstate(all="ignore"):
            W = np.abs(np.array(evaluate(self._weights, values), float))
        known = np.isfinite(W) & (W > 0)
        middle = np.exp(np.log(W[known]).mean()) if known.any() else 1.0
        return np.sqrt(middle / np.where(known, W, middle))

    def _stretch(self, values: Values, places: float, speeds: np.ndarray) -> bool:
        """Scale coordinates and velocities and project them onto the space and the constraints; does it succeed?"""
        held = {q for e in self.space.embedding for q in e.free_symbols}
        for q in self.space.coordinates:
            values[q.name] *= 1.0 if q in held else places
        for u, speed in zip(self.space.velocities, speeds, strict=True):
            values[u.name] *= float(speed)
        with np.errstate(all="ignore"):
            values.update(self._retracted(values))
            return self.to_positions(values) and self.to_velocities(values)

    def to_positions(self, values: Values) -> bool:
        """Project the coordinates onto f(t, q) = 0 by Newton's iteration; does it converge?

        Where rows depend on each other on the constraint only, Newton's steps creep along it, to where the rank drops
        further. From the same start damped ones arrive at a place like others.
        """
        if not self.positions:
            return True
        begin = dict(values)
        reached = self._descended(values, damped=False)
        if (not reached or self._weak(values)) and self._descended(begin, damped=True):
            values.update(begin)
            return True
        return reached

    def _descended(self, values: Values, damped: bool) -> bool:
        """Iterate to f = 0; the last steps ignore nearly singular directions. Does it converge?"""
        if not any(self._step_positions(values, _CUT[0], damped) < _REACHED for _ in range(_STEPS)):
            return False
        polished = dict(values)
        for _ in range(3):
            self._step_positions(polished, _CUT[1])
        if self._off(polished) <= max(self._off(values), 1e-14):
            values.update(polished)
        return self._off(values) < 1e-8

    def _weak(self, values: Values) -> bool:
        """Are the gradients of the position constraints nearly dependent here?"""
        _, A = self.numbers(self.positions, self._slopes, values)
        if not np.isfinite(A).all():  # f is 0 here, and its slopes are too large to be numbers
            return True
        scale = np.abs(A).max(axis=1, keepdims=True, initial=0.0)
        s = np.linalg.svd(A / np.where(scale > 0, scale, 1.0), compute_uv=False)
        return bool(s.min(initial=np.inf) < _CUT[1] * s.max(initial=0.0))

    def _step_positions(self, values: Values, cut: float, damped: bool = False) -> float:
        """One step of the coordinates; its size relative to them (infinite where a number is not finite)."""
        f, A = self.numbers(self.positions, self._slopes, values)
        shift = _damped(A, -f) if damped else LeastSteps(A, cut)(-f)
        if shift is None:
            return np.inf
        self._move(values, shift)
        return float(np.abs(shift).max() / (1 + max(abs(values[q.name]) for q in self.space.coordinates)))

    def _move(self, values: Values, shift: np.ndarray) -> None:
        """The coordinates, moved for a unit of time by velocities (k,)."""
        rates = np.array(evaluate(self.motion.qdot, {**values, **self._velocities(shift)}), float)
        for q, rate in zip(self.space.coordinates, rates, strict=True):
            values[q.name] += float(rate)
        values.update(self._retracted(values))

    def _off(self, values: Values) -> float:
        """How far the relations between positions are from 0; those that are large count by what they change."""
        if not self.positions:
            return 0.0
        f, A = self.numbers(self.positions, self._slopes, values)
        # |f| over max(1, |df/dx|)
        return float((np.abs(f) / np.maximum(1.0, np.abs(A).max(axis=1, initial=0.0))).max(initial=0.0))

    def _values(self, rows: list[Node], values: Values) -> np.ndarray:
        return np.array(evaluate(rows, values), float)

    def to_velocities(self, values: Values) -> bool:
        """Project the velocities onto phi(t, q, u) = 0 by Newton's iteration; does it converge?"""
        if not self.phi:
            return True
        phi, N = self.numbers(self.phi, self.normals, values)
        least = LeastSteps(N, _CUT[0])
        for _ in range(_STEPS):
            shift = least(-phi)
            if shift is None:
                return False
            for u, step in zip(self.space.velocities, shift.tolist(), strict=True):
                values[u.name] += step
            speed = 1 + max(abs(values[u.name]) for u in self.space.velocities)
            phi = self._values(self.phi, values)
            if np.abs(shift).max() < _REACHED * speed:
                return bool(np.all(np.abs(phi) <= 1e-8 * (1 + np.abs(N).max(axis=1, initial=0.0)) * speed))
            if self._bent:
                N = self.numbers(self.phi, self.normals, values)[1]
                least = LeastSteps(N, _CUT[0])
        return False

    @cached_property
    def _bent(self) -> bool:
        """Is a row nonlinear in the velocities? Else N is the same for all of them."""
        return any(c.kind == "nonlinear" for c in self.constraints)

    def _to_velocities(self, states: Sequence[Values]) -> list[bool]:
        """The same for several states at once, of few rows that are affine in the velocities."""
        names = [u.name for u in self.space.velocities]
        u = np.array([[values[name] for name in names] for values in states])
        phi, N = map(np.array, zip(*(self.numbers(self.phi, self.normals, values) for values in states), strict=True))
        known = np.isfinite(N).all(axis=(1, 2)) & np.isfinite(phi).all(axis=1)
        N, size = np.where(known[:, None, None], N, 0.0), np.abs(N).max(axis=2)
        scale = np.where(size > 0, size, 1.0)
        inverse = np.linalg.pinv(N / scale[..., None], rcond=_CUT[0])
        for _ in range(_STEPS):
            shift = np.where(known[:, None], -(inverse @ (phi / scale)[..., None])[..., 0], 0.0)
            u = u + shift
            for values, row in zip(states, u.tolist(), strict=True):
                values.update(zip(names, row, strict=True))
            speed = 1 + np.abs(u).max(axis=1)
            phi = np.array([self._values(self.phi, values) for values in states])
            reached = np.abs(shift).max(axis=1) < _REACHED * speed
            if reached.all():
                break
        small = np.all(np.abs(phi) <= 1e-8 * (1 + size) * speed[:, None], axis=1)
        return [bool(held) for held in known & reached & small]

    def finite(self, values: Values) -> bool:
        """Are the constraints and their normals finite there?"""
        large = isinstance(self.normals, Slopes)
        rows = [*self.phi, *self.positions, *([] if large else (e for row in self.normals for e in row))]
        with np.errstate(all="ignore"):
            known = bool(np.isfinite(np.array(evaluate(rows, values), float)).all())
            return known and (not isinstance(self.normals, Slopes) or self.normals.finite(values))

    def holds_at(self, values: Values) -> bool:
        """Are the constraints finite there, and positions where their relations have them?"""
        return self.finite(values) and self._off(values) < 1e-8

    def rates(self, motion: np.ndarray, values: Values) -> Values:
        """The rates of coordinates and velocities by name, of a motion that moves q with E x: (x, w)."""
        k = len(self.space.velocities)
        qdot = evaluate(self.motion.qdot, {**values, **self._velocities(motion[:k])})
        return {s.name: float(v) for s, v in zip(self.space, [*qdot, *motion[k:]], strict=True)}

    def in_turn(self, values: Values) -> bool:
        """Project onto the relations between positions one after the other, then the velocities; does it converge?

        From a place where those before hold the next is near, which it is not from anywhere for many at once.
        """
        for last in range(1, len(self.positions) + 1):
            rows, slopes = self.positions[:last], self._slopes[:last]
            for _ in range(_STEPS):
                f, A = self.numbers(rows, slopes, values)
                shift = _damped(A, -f)
                if shift is None:
                    return False
                self._move(values, shift)
                if np.abs(f).max() < (_NEAR if last < len(self.positions) else _REACHED):
                    break
        return self._off(values) < 1e-8 and self.to_velocities(values)

    def descend(self, values: Values) -> bool:
        """Project coordinates and velocities onto the constraints by nonlinear least squares; does it converge?"""
        from scipy.optimize import least_squares

        names = [s.name for s in self.space]
        rows = [*self.phi, *self.positions, *(read(e, self.graph) for e in self.space.embedding)]

        def residual(z: np.ndarray) -> np.ndarray:
            found = np.array(evaluate(rows, {**values, **dict(zip(names, z, strict=True))}), float)
            return np.where(np.isfinite(found), found.clip(-_FAR, _FAR), 1e6)

        z = least_squares(residual, [values[n] for n in names], xtol=1e-14, ftol=1e-14, gtol=1e-14).x
        values.update(zip(names, map(float, z), strict=True))
        return self.to_positions(values) and self.to_velocities(values)

    def numbers(self, rows: list[Node], slopes: Sequence[list[Node]], values: Values) -> tuple[np.ndarray, np.ndarray]:
        """Values of rows (m,) and of their slopes (m, k)."""
        if isinstance(slopes, Slopes):
            return np.array(evaluate(rows, values), float), slopes.numbers(values)
        flat = np.array(evaluate([*rows, *(e for row in slopes for e in row)], values), float)
        return flat[: len(rows)], flat[len(rows) :].reshape(len(rows), -1)

    def _velocities(self, shift: np.ndarray) -> Mapping[str, float]:
        return {u.name: float(x) for u, x in zip(self.space.velocities, shift, strict=True)}

    def _retracted(self, values: Values) -> Values:
        found = evaluate(list(self._returned.values()), values)
        return {name: float(v) for name, v in zip(self._returned, found, strict=True)}


def _damped(A: np.ndarray, b: np.ndarray) -> np.ndarray | None:
    """The damped step, mu = |b|, in rows of one scale; None where a number is not finite."""
    if not (np.isfinite(A).all() and np.isfinite(b).all()):
        return None
    scale = row_scales(A)
    return DampedSteps(A / scale[:, None], b / scale)(float(np.linalg.norm(b / scale)))


def random_state(system: System, rng: np.random.Generator) -> dict[str, float]:
    """Values of all symbols at a random state, positive ones for parameters without a value."""
    known = {name: v for name, v in system.parameters.items() if v is not None}
    point = system.space.sample(rng, [n for n in system.symbols if n not in known])
    return {**point, **known, TIME.name: float(rng.uniform(0, 1))}
