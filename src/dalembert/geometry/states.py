"""Random states on the constraints: what is decided "at random points" is decided at these.

Positions are moved to f(t, q) = 0, then velocities to phi(t, q, u) = 0, each by Gauss and Newton's iteration with the
least step. Parameters without a value get random positive ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import cycle, islice
from typing import Any

import numpy as np

from ..calculus.algebra import Machine
from ..calculus.frame import TIME
from ..calculus.graph import Graph, Node, evaluate, gradient
from ..calculus.hamel import Motion
from ..calculus.read import read
from ..calculus.rounding import sized
from ..model.constraint import Constraint

_STEPS, _REACHED = 30, 1e-11
_TRIES, _HALVINGS = 60, 12
_SCALES = 1.0, 1.0, 1e3, 1.0, 1e-3  # of the coordinates, in turn: lengths may be of any size
_CUT = 1e-12, 1e-4  # singular values below this part of the largest count as 0: on the way, and at the end
_NEAR = 1e-4  # how near a place is where a slope that nearly vanishes does vanish
_ROUNDED = 1e-15  # some roundings
Values = dict[str, float]


class Ground:
    """The constraints of a system on a graph, and random states that satisfy them.

    Args:
        system: the system.
        constraints: those that are to hold; all of the system's if left out.
        algebra: the graph to work on; one of its own if left out.
    """

    def __init__(
        self, system: Any, constraints: Sequence[Constraint] | None = None, algebra: Machine | None = None
    ) -> None:
        self.system, self.space = system, system.space
        self.constraints = tuple(system.constraints if constraints is None else constraints)
        algebra = Machine(Graph()) if algebra is None else algebra
        self.graph = algebra.graph
        self.motion = Motion.of(self.space.frame, algebra)
        self.phi = [c.row(self.motion) for c in self.constraints]
        self.positions = [read(c.given, self.graph) for c in self.constraints if c.holonomic]
        self.normals = [gradient(phi, self.motion.u) for phi in self.phi]
        self._slopes = [self._along_frame(f) for f in self.positions]
        self._returned = {q.name: read(e, self.graph) for q, e in self.space.retraction.items()}
        self._entries = [*self.phi, *(e for row in self.normals for e in row)]
        self.known = {k: v for k, v in system.parameters.items() if v is not None}
        self.unknown = [n for n in system.symbols if n not in self.known]

    def _along_frame(self, f: Node) -> list[Node]:
        # df/dq^i E^i_a
        slopes = gradient(f, self.motion.q)
        return [
            self.motion.sum(s * row[a] for s, row in zip(slopes, self.motion.anchor, strict=True))
            for a in range(len(self.motion.u))
        ]

    def states(self, seed: int = 1) -> Iterator[tuple[Values, bool]]:
        """Random states by name, t and parameters included, without end; and whether the constraints hold there."""
        rng = np.random.default_rng(seed)
        while True:
            values = {**self.space.sample(rng, self.unknown), **self.known, TIME.name: float(rng.uniform(0, 1))}
            with np.errstate(all="ignore"):
                held = self.to_positions(values) and self.to_velocities(values)
            yield values, held

    def inside(self, seed: int) -> Iterator[Values]:
        """Random states on the constraints at which L, its slopes and the forces are finite numbers, 60 tries.

        Some are large and some small, and all velocities carry about the same energy; a state outside of the domain is
        drawn towards 0, halved up to 12 times.
        """
        for (values, _), scale in zip(islice(self.states(seed), _TRIES), cycle(_SCALES), strict=False):
            held = self._stretch(values, scale, self._speeds(values))
            for _ in range(_HALVINGS):
                if held and self.in_domain(values):
                    yield values
                    break
                held = self._stretch(values, 0.5, np.full(len(self.space.velocities), 0.5))

    def in_domain(self, values: Values) -> bool:
        """Are L, its slopes, the forces and the constraints finite there?"""
        with np.errstate(all="ignore"):
            return self.finite(values) and bool(np.isfinite(np.array(evaluate(self._domain, values), float)).all())

    @cached_property
    def _domain(self) -> list[Node]:
        L = read(self.system.lagrangian, self.graph)
        forces = [read(Q, self.graph) for Q in self.system.forces]
        return [L, *gradient(L, [*self.motion.q, *self.motion.u]), *forces]

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
        """So many times the coordinates and velocities, moved back to the space and the constraints; is it reached?"""
        held = {q for e in self.space.embedding for q in e.free_symbols}
        for q in self.space.coordinates:
            values[q.name] *= 1.0 if q in held else places
        for u, speed in zip(self.space.velocities, speeds, strict=True):
            values[u.name] *= float(speed)
        with np.errstate(all="ignore"):
            values.update(self._retracted(values))
            return self.to_positions(values) and self.to_velocities(values)

    def to_positions(self, values: Values) -> bool:
        """Move the coordinates to f(t, q) = 0; is it reached?

        Where rows depend on each other on the constraint only, the usual steps creep towards it; the last ones leave
        the direction of least slope alone and arrive, `_to_fold` for that direction.
        """
        if not self.positions:
            return True
        if not any(self._step_positions(values, _CUT[0]) < _REACHED for _ in range(_STEPS)):
            return False
        polished = dict(values)
        for _ in range(3):
            self._step_positions(polished, _CUT[1])
        if self._off(self.positions, polished) <= max(self._off(self.positions, values), 1e-14):
            values.update(polished)
        self._to_fold(values)
        return self._off(self.positions, values) < 1e-8

    def _step_positions(self, values: Values, cut: float) -> float:
        """One step of the coordinates; its size relative to them (infinite where a number is not finite)."""
        f, A = self._numbers(self.positions, self._slopes, values)
        shift = _least(A, -f, cut)
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

    def _to_fold(self, values: Values) -> None:
        """Where rows depend on each other on the constraint only: on to the place where they do, to the last digit.

        With l, v the singular vectors of a slope  s = l A v  that nearly vanishes, l f = 0 is a double root there: it
        tells the place only to the square root of rounding errors. s = 0 is a simple one. It is gone to where l f,
        held against the sizes of its terms, cannot tell the two apart.
        """
        moved = dict(values)
        for _ in range(3):
            shift = self._fold(moved)
            if shift is None:
                return
            self._move(moved, shift)
            self._step_positions(moved, _CUT[1])
        f, sizes = sized(self.positions, moved)
        if np.all(np.abs(f) <= np.maximum(_ROUNDED * sizes, np.abs(evaluate(self.positions, values)))):
            values.update(moved)

    def _fold(self, values: Values) -> np.ndarray | None:
        """The velocity (k,) that leads from here to s = 0; None where no slope nearly vanishes, or none does so near."""
        _, A = self._numbers(self.positions, self._slopes, values)
        if not np.isfinite(A).all():
            return None
        scale = np.abs(A).max(axis=1, keepdims=True, initial=0.0)
        scale = np.where(scale > 0, scale, 1.0)
        U, s, Vt = np.linalg.svd(A / scale, full_matrices=False)
        weak = s < _CUT[1] * s.max(initial=0.0)
        if not weak.any():
            return None
        L, V = U[:, weak].T / scale.T, Vt[weak].T
        # l A v + (d/dv l A v) x = 0 , for all pairs l, v
        turned = [self._turned(values, v, L, V) for v in V.T]
        x = np.linalg.lstsq(np.array(turned).T, -(L @ A @ V).ravel(), rcond=_CUT[1])[0]
        return V @ x if np.isfinite(x).all() and np.abs(x).max() < _NEAR else None

    def _turned(self, values: Values, v: np.ndarray, L: np.ndarray, V: np.ndarray) -> np.ndarray:
        """The derivative of L A V in the direction v, by differences; flat."""
        found = []
        for step in (_NEAR, -_NEAR):
            there = dict(values)
            self._move(there, step * v)
            found.append(L @ self._numbers(self.positions, self._slopes, there)[1] @ V)
        return np.asarray((found[0] - found[1]) / (2 * _NEAR)).ravel()

    def _off(self, rows: list[Node], values: Values) -> float:
        return float(np.abs(np.array(evaluate(rows, values), float)).max(initial=0.0))

    def to_velocities(self, values: Values) -> bool:
        """Move the velocities to phi(t, q, u) = 0; is it reached?"""
        for _ in range(_STEPS if self.phi else 0):
            phi, N = self._numbers(self.phi, self.normals, values)
            shift = _least(N, -phi, _CUT[0])
            if shift is None:
                return False
            for u, step in zip(self.space.velocities, shift, strict=True):
                values[u.name] += float(step)
            speed = 1 + max(abs(values[u.name]) for u in self.space.velocities)
            if np.abs(shift).max() < _REACHED * speed:
                phi, N = self._numbers(self.phi, self.normals, values)
                return bool(np.all(np.abs(phi) <= 1e-8 * (1 + np.abs(N).max(axis=1, initial=0.0)) * speed))
        return not self.phi

    def finite(self, values: Values) -> bool:
        """Are the constraints and their normals finite there?"""
        rows = [*self._entries, *self.positions]
        with np.errstate(all="ignore"):
            return bool(np.isfinite(np.array(evaluate(rows, values), float)).all())

    def descend(self, values: Values) -> bool:
        """Move coordinates and velocities to a place where the constraints hold, downhill; is it reached?"""
        from scipy.optimize import least_squares

        names = [s.name for s in self.space]
        rows = [*self.phi, *self.positions, *(read(e, self.graph) for e in self.space.embedding)]

        def residual(z: np.ndarray) -> np.ndarray:
            found = np.array(evaluate(rows, {**values, **dict(zip(names, z, strict=True))}), float)
            return np.where(np.isfinite(found), found, 1e6)

        z = least_squares(residual, [values[n] for n in names], xtol=1e-14, ftol=1e-14, gtol=1e-14).x
        values.update(zip(names, map(float, z), strict=True))
        return self.to_positions(values) and self.to_velocities(values)

    def _numbers(self, rows: list[Node], slopes: list[list[Node]], values: Values) -> tuple[np.ndarray, np.ndarray]:
        flat = np.array(evaluate([*rows, *(e for row in slopes for e in row)], values), float)
        return flat[: len(rows)], flat[len(rows) :].reshape(len(rows), -1)

    def _velocities(self, shift: np.ndarray) -> Mapping[str, float]:
        return {u.name: float(x) for u, x in zip(self.space.velocities, shift, strict=True)}

    def _retracted(self, values: Values) -> Values:
        found = evaluate(list(self._returned.values()), values)
        return {name: float(v) for name, v in zip(self._returned, found, strict=True)}


def _least(A: np.ndarray, b: np.ndarray, cut: float) -> np.ndarray | None:
    """The least x with A x = b as nearly as can be; None where a number is not finite."""
    if not (np.isfinite(A).all() and np.isfinite(b).all()):
        return None
    scale = np.abs(A).max(axis=1, initial=0.0)
    scale = np.where(scale > 0, scale, 1.0)
    return np.asarray(np.linalg.lstsq(A / scale[:, None], b / scale, rcond=cut)[0])
