"""What holds on a family of motions that come back, in scaled unknowns x = (y, T, p)/size.

    F = s phi_T(y, p) - y - turns = 0 ,     dF = (s M - 1) dy + s f dT + s (d phi_T/dp) dp

s the signs with which quaternions come back, with what is held by the constraints, and a phase: of all starts
on one motion, that across the motion. Directions in which other motions come back too at the same p, of conserved
quantities and symmetries, are held [munozalmaraz2003].
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from copy import copy
from typing import NamedTuple

import numpy as np
import sympy as sp

from ...argument_checks import number
from ...calculus.frame import TIME
from ...calculus.from_sympy import read
from ...calculus.graph import evaluate, gradient
from ...calculus.numerical_rank import null_rows
from ...errors import DalembertError, InvalidValue
from ..stability import Spectrum
from . import PERIOD
from .arclength import SAME, away, first_tangent, leaving
from .periodic_orbits import Lap, Periodic, ReturnResidual, adjoint, count_of, transverse
from .relative_periodic_orbits import Relative
from .tangent_flow import Carried

REACHED, LEFT, STALLED = 1e-9, 1e-7, 1e-4
_UNIT, _KEPT, _ALONG = 1e-6, 64, (0.13, 0.29, 0.41, 0.71)
_EVERYWHERE = tuple(i / 20 for i in range(1, 21))


class Return(NamedTuple):
    """A state after a period, with signs: where it is, M (n, n), d/dp there (n,), rates at both ends."""

    end: np.ndarray
    M: np.ndarray
    by_parameter: np.ndarray
    first: np.ndarray
    last: np.ndarray


class What(NamedTuple):
    """The parameter of a family.

    Attributes:
        name: of a parameter of the system, of a state, of a quantity, or ``"period"``.
        own: is it a parameter of the system?
        quantity: it as a function of the state at the start; None for a parameter of the system and the period.
        period: what the period is in the parameters where the equations change with time; None where it is free.
        width: the length of the range.
    """

    name: str
    own: bool
    quantity: sp.Expr | None
    period: sp.Expr | None
    width: float


class ReturnProblem:
    """Motions that come back, in their start, their period and one parameter.

    Args:
        carried: the equations.
        what: the parameter.
        lap: full turns and signs with which the states come back after a period.
        fixed: does the period follow from the parameters, as where the equations change with time?
    """

    def __init__(self, carried: Carried | Relative, what: What, lap: Lap, fixed: bool) -> None:
        self.carried, self.name, self.what, self.width = carried, what.name, what, what.width
        self.lap, self.fixed = lap, fixed
        self.own, self.by_period = what.own, not what.own and what.quantity is None
        graph, n = carried.work.graph, len(carried.y)
        symbol, states = graph.symbol(what.name), [graph.symbol(s) for s in carried.work.names]
        self._held = [gradient(row, [symbol])[0] if self.own else graph.constant(0.0) for row in carried.work.held]
        self._quantity = None if what.quantity is None else read(what.quantity, graph)
        self._slope = [] if self._quantity is None else gradient(self._quantity, states)
        self._period = None if what.period is None else read(what.period, graph)
        self._period_slope = graph.constant(0.0) if self._period is None else gradient(self._period, [symbol])[0]
        self.size, self.reached, self.left, self.stalled = np.ones(n + 2), REACHED, LEFT, STALLED
        self.turn = 0.0
        self.weights = np.ones(len(carried.work.held))
        self.first, self.family, self.moves = np.zeros(n + 2), np.zeros((0, n + 2)), False
        self._known: dict[bytes, Return | None] = {}

    # --- what becomes of a start -------------------------------------------------------------------------------------

    def at(self, x: np.ndarray) -> tuple[np.ndarray, float, float]:
        """State, period and parameter; the equations are taken at it from now on."""
        w = x * self.size
        if self.own:
            self.carried.put(self.name, float(w[-1]))
        return w[:-2], float(w[-2]), float(w[-1])

    def value(self, y: np.ndarray, T: float) -> float:
        """The parameter of a motion."""
        if self.by_period:
            return T
        values = self.carried.work.values(y)
        return float(values[self.name] if self._quantity is None else evaluate([self._quantity], values)[0])

    def returned(self, x: np.ndarray) -> Return | None:
        """After a period; None where the motion ends before."""
        key = x.tobytes()
        if key not in self._known:
            if len(self._known) > _KEPT:
                self._known.clear()
            try:
                self._known[key] = self._return(x)
            except (DalembertError, ArithmeticError):
                self._known[key] = None
        return self._known[key]

    def _return(self, x: np.ndarray) -> Return | None:
        y, T, _ = self.at(x)
        work, t, B = self.carried.work, self.carried.start.t, self.carried.tangents(y)
        S = B
        if self.own:
            # N s + d held/dp = 0: how a start moves with p so that the constraints go on holding
            slope = np.array(evaluate(self._held, work.values(y)), float)
            s = -np.linalg.lstsq(work.normals(y), slope, rcond=1e-12)[0] if len(slope) else np.zeros(len(y))
            S = np.column_stack([B, s])
        found = self.carried.moved(y, S, [t + T], self.name if self.own else None) if T > 0 else None
        if found is None:
            return None
        end, S = self.lap.signs * found[0][0], self.lap.signs[:, None] * found[1][0]
        by_parameter = S[:, -1] if self.own else np.zeros(len(y))
        return Return(end, S[:, : B.shape[1]] @ B.T, by_parameter, self.rates(y, t), self.rates(end, t + T))

    def rates(self, y: np.ndarray, t: float, parameters: Mapping[str, float] | None = None) -> np.ndarray:
        """f(t, y), perhaps at other parameters."""
        work = self.carried.work
        return np.array(evaluate(work.rates, {**work.values(y), **(parameters or {}), TIME.name: t}), float)

    def changing(self, y: np.ndarray, t: float, parameters: Mapping[str, float]) -> np.ndarray:
        """What may change with time: rates, and where walls and contacts are."""
        return np.r_[self.rates(y, t, parameters), self.carried.surfaces(y, t, parameters)]

    def map(self, x: np.ndarray) -> np.ndarray:
        """M on the directions that the constraints leave, (d, d)."""
        found, d = self.returned(x), self.carried.directions
        B = self.carried.tangents(self.at(x)[0])[:, :d]
        return np.full((d, d), math.nan) if found is None else np.asarray(B.T @ found.M @ B)

    def eigenvalues(self, x: np.ndarray) -> np.ndarray:
        """The multipliers, the largest first."""
        M = self.map(x)
        if not np.isfinite(M).all():
            raise ArithmeticError
        found = np.linalg.eigvals(M)
        return np.asarray(found[np.lexsort((-found.imag, -np.abs(found)))])

    def spectrum(self, x: np.ndarray) -> Spectrum:
        """Multipliers across the motion and the group, with the errors that integrating leaves them."""
        M, y = self.map(x), self.at(x)[0]
        own = self.carried.inner if isinstance(self.carried, Relative) else self.carried
        known, self._known = self._known, {}
        with own.coarser():
            E = np.abs(self.map(x) - M)
        self._known, E = known, E + own.policy.rtol * np.abs(M)
        B, f = self.carried.tangents(y)[:, : len(M)], self.rates(y, self.carried.start.t)
        return transverse(M, E, B.T @ np.column_stack([f[:, None] * (not self.fixed), self.carried.generators(y)]))[0]

    def trivial_at(self, x: np.ndarray) -> int:
        """How many of them are 1 by structure."""
        y = self.at(x)[0]
        t, B = self.carried.start.t, self.carried.tangents(y)[:, : self.carried.directions]
        f, X = None if self.fixed else B.T @ self.rates(y, t), B.T @ self.carried.generators(y)
        return count_of(self.map(x), f, self.carried.policy.rtol, X)

    def turned(self, x: np.ndarray) -> np.ndarray:
        """Multipliers of the group up to which motions come back."""
        y = self.at(x)[0]
        B = self.carried.tangents(y)[:, : self.carried.directions]
        return adjoint(self.map(x), B.T @ self.carried.generators(y))

    # --- rows --------------------------------------------------------------------------------------------------------

    def rows(self, x: np.ndarray) -> np.ndarray:
        """R(x): F, what is held, the period and the quantity."""
        found, (y, T, p) = self.returned(x), self.at(x)
        n, values = len(y), self.carried.work.values(y)
        F = np.full(n, math.nan) if found is None else self.lap.missed(found.end, y)
        held = np.array(evaluate(self.carried.work.held, values), float)
        off = np.r_[F / self.size[:n], self.weights * held]
        if self.fixed:
            off = np.r_[off, (T - self.period_at(values, self.first[n] * self.size[n])) / self.size[n]]
        return off if self.own else np.r_[off, (self.value(y, T) - p) / self.width]

    def period_at(self, values: Mapping[str, float], given: float) -> float:
        """The period that follows from the parameters, or one that is given where nothing is said of it."""
        return given if self._period is None else float(evaluate([self._period], values)[0])

    def slopes(self, x: np.ndarray) -> np.ndarray:
        """dR/dx."""
        found, (y, _, _) = self.returned(x), self.at(x)
        n, values = len(y), self.carried.work.values(y)
        if found is None:
            return np.full((len(self.rows(x)), n + 2), math.nan)
        # dF = (M - 1) dy + f dT + (d phi_T/dp) dp
        dF = np.column_stack([found.M - np.eye(n), found.last, found.by_parameter]) / self.size[:n, None]
        held = np.array(evaluate(self._held, values), float)
        N = self.carried.work.normals(y)
        rows = [dF, self.weights[:, None] * np.column_stack([N, np.zeros(len(N)), held])]
        if self.fixed:
            slope = float(evaluate([self._period_slope], values)[0])
            rows.append(np.r_[np.zeros(n), 1.0, -slope][None] / self.size[n])
        if not self.own:
            by_state = np.array(evaluate(self._slope, values), float) if self._slope else np.zeros(n)
            rows.append(np.r_[by_state, float(self.by_period), -1.0][None] / self.width)
        return np.asarray(np.vstack(rows) * self.size)

    def repeated(self, laps: int, x: np.ndarray) -> ReturnProblem:
        """The problem of a motion taken so many times, in the sizes of one."""
        y, T, _ = self.at(x)
        what = self.what if self.what.period is None else self.what._replace(period=laps * self.what.period)
        new = ReturnProblem(copy(self.carried), what, self.lap * laps, self.fixed)
        new.size = np.r_[new.sizes(y, T), laps * T, self.width]
        new.weights, new.moves = self.weights, self.moves
        # the same rows and starts in the new sizes
        new.first, new.family = self.first * self.size / new.size, self.family * new.size / self.size
        new.first[-2] *= laps
        new.first[:-2] = self.carried.repeated(new.first[:-2] * new.size[:-2], laps) / new.size[:-2]
        return new

    def sizes(self, y: np.ndarray, T: float) -> np.ndarray:
        """The largest that each state is in a period, and where it stays 0 the largest of the others."""
        size = np.abs(np.vstack([y, self._along(y, T, _EVERYWHERE)])).max(axis=0)
        return np.where(size > _UNIT * size.max(initial=0.0), size, size.max(initial=0.0) or 1.0)

    # --- the family --------------------------------------------------------------------------------------------------

    def start(self, y: np.ndarray, T: float, fix: Collection[str]) -> np.ndarray:
        """The tangent at a motion; what is in `fix`, and what else the family may do, are held from now on.

        Raises:
            InvalidValue: E335, the parameter does not change along periodic motions near the start.
        """
        sizes = self.sizes(y, T)
        self.size = np.r_[sizes, T, self.width]
        self.first = np.r_[y, T, self.value(y, T)] / self.size
        self._known.clear()
        N = np.abs(self.carried.work.normals(y) * sizes).max(axis=1, initial=0.0)
        self.weights = 1 / np.where(SAME * N.max(initial=0.0) < N, N, N.max(initial=0.0) or 1.0)
        names = [*self.carried.work.names, PERIOD]
        fixed, phase = np.eye(len(self.first))[[names.index(name) for name in fix]], self.phase(self.first)
        first = first_tangent(self._null(fixed, phase))
        if first is None:
            fact = f"{self.name} does not change along the periodic motions through the start"
            raise InvalidValue("E335", fact, "continue in another parameter, or from another start")
        along, others = first
        self.moves = not len(others) and not fix and (self.own or self.by_period or self._keeps(y, T))
        self.family = np.vstack([fixed, others, phase])
        return along

    def _null(self, *also: np.ndarray) -> np.ndarray:
        """Directions (rows, orthonormal) at the first motion in which the rows hold, and these.

        Each state counts by how far it moves, and each row in parts of what has its errors: of the row of M for M - 1.
        """
        n, (y, T, _) = len(self.first) - 2, self.at(self.first)
        far = np.ptp(np.vstack([y, self._along(y, T, _EVERYWHERE)]), axis=0) / self.size[:n]
        C = np.r_[np.where(far > _UNIT, np.minimum(far, 1.0), 1.0), 1.0, 1.0]
        A = self.slopes(self.first) * C
        A[:n] /= C[:n, None]
        A = np.vstack([A, *(rows * C for rows in also)])
        whole = A.copy()
        whole[:n] += np.eye(n, n + 2)
        null = null_rows(A / np.maximum(1.0, np.linalg.norm(whole, axis=1))[:, None], SAME) * C
        return np.linalg.qr(null.T)[0].T

    def _along(self, y: np.ndarray, T: float, parts: Sequence[float] = _ALONG) -> np.ndarray:
        """States along the motion (len(parts), n), or the start alone where it ends."""
        t = self.carried.start.t
        found = self.carried.moved(y, self.carried.tangents(y), [t + part * T for part in parts])
        return y[None] if found is None else found[0]

    def _keeps(self, y: np.ndarray, T: float) -> bool:
        """Is the quantity the same all along the motion?"""
        values = [self.value(y, T), *(self.value(z, T) for z in self._along(y, T))]
        return float(np.ptp(values)) <= _UNIT * self.width

    def width_at(self, x: np.ndarray) -> float:
        """How far a motion leads from its start, in sizes of the states."""
        y, T, _ = self.at(x)
        return float(np.abs((self._along(y, T) - y) / self.size[:-2]).max(initial=0.0))

    def phase(self, x: np.ndarray) -> np.ndarray:
        """The row (1, n + 2) of the direction along the motion, and those along the group.

        Where time has a phase of its own the first is left out.
        """
        y = self.at(x)[0]
        ways = np.column_stack([self.rates(y, self.carried.start.t), self.carried.generators(y)])[:, int(self.fixed) :]
        rows = np.pad(ways.T / self.size[:-2], ((0, 0), (0, 2)))
        return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1), 1e-300)[:, None])

    def across(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The phase, that of the motion before where nothing depends on it, and what is held of the family."""
        if self.moves:
            rows = self.phase(x)
            return rows, rows @ x
        return self.family, self.family @ self.first

    def held(self) -> tuple[str, ...]:
        """What is held of the family, in words."""
        names, words = [*self.carried.work.names, PERIOD], []
        phases = len(self.phase(self.first))
        for row in self.family[: len(self.family) - phases]:
            parts = [n for n, c in zip(names, row, strict=False) if abs(c) > _UNIT]
            words.append(parts[0] if len(parts) == 1 else f"a combination of {', '.join(parts)}")
        return tuple(words)


# --- From one family onto another: at a branch point, and at a period doubling ---------------------------------------
# At a branch point the rows of the family lose a rank: the other family leaves along the null vector w across the
# tangent. At a period doubling M v = -v, and after two periods the start y + e v comes back but for e^2. The motion
# at a distance e in that direction is solved for, with the parameter free.

OTHERS = "another size, of either sign"


class Gate(NamedTuple):
    """A special point at which another family may begin: the motion, the tangent, how many periods the other takes."""

    closing: ReturnProblem
    x: np.ndarray
    tangent: np.ndarray
    laps: int


def onto(gate: Gate, size: float) -> Periodic:
    """A motion of the other family, at a distance from the point."""
    size = number(size, "size", "E241")
    if not size:
        raise InvalidValue("E241", "size = 0 stays on the family", "size=0.01")
    closing = gate.closing.repeated(gate.laps, gate.x)
    x, onward = gate.x * gate.closing.size / closing.size, gate.tangent * gate.closing.size / closing.size
    x[-2] *= gate.laps
    x[:-2] = closing.carried.repeated(x[:-2] * closing.size[:-2], gate.laps) / closing.size[:-2]
    w = leaving(closing, x, onward / np.linalg.norm(onward)) if gate.laps == 1 else _flipped(gate, closing)
    found = away(closing, x, w, size)
    if found is None:
        raise InvalidValue("E335", f"no motion of the other family is reached at a distance of {size:g}", OTHERS)
    return orbit_at(closing, found * closing.size)


def _flipped(gate: Gate, closing: ReturnProblem) -> np.ndarray:
    """v with M v = -v, scaled."""
    M, B = gate.closing.map(gate.x), gate.closing.carried.tangents(gate.closing.at(gate.x)[0])
    v = B[:, : len(M)] @ np.linalg.svd(M + np.eye(len(M)))[2][-1]
    w = np.r_[v / closing.size[:-2], 0.0, 0.0]
    return np.asarray(w / np.linalg.norm(w))


def orbit_at(closing: ReturnProblem, w: np.ndarray) -> Periodic:
    """The motion of unscaled unknowns."""
    y, T, _ = closing.at(w / closing.size)
    shooting = ReturnResidual(closing.carried, T)
    shooting.lap = closing.lap
    return shooting.found(y, T)
