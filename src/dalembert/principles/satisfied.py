"""Is a given curve a motion, and under which principle? [lewis1995 Definitions 2.2 and 2.5]

With R = EL(L) - Q along the curve and N^s = dphi^s/du, the constraints being satisfied:

    free            R = 0                                   stationary among all curves
    nonholonomic    R = mu_s N^s                            virtual displacements do no work
    vakonomic       R = dlam_s/dt N^s + lam_s EL(phi^s)     stationary among curves that satisfy the constraints

mu is found at each time by least squares, lam as polynomials of the time by least squares along all of the curve. What
is left over, over the size of the terms, says how far the curve is from a motion.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev

from ..calculus.algebra import Machine
from ..calculus.graph import Graph, evaluate
from ..calculus.hamel import Motion
from ..geometry.arguments import needs_system
from ..given import public
from ..model.system import System
from ..spelling import Multipliers
from .sampled import Sampled, sampled

HOLDS = 1e-5  # residual over the size of the terms; an integrated path differentiated is known to about 1e-7
DEGREES = (4, 8, 12, 16, 24, 32, 48, 64)
ENOUGH, BETTER = 1e-10, 0.5
FLOOR = 1e-4  # of the largest row: what a row whose terms are all roundings is held against
ABNORMAL = 1e-9  # of the largest singular value
FREE, NONHOLONOMIC, VAKONOMIC = "free", "nonholonomic", "vakonomic"
_AMONG = {
    FREE: "stationary among all curves",
    NONHOLONOMIC: "virtual displacements do no work",
    VAKONOMIC: "stationary among curves that keep the constraints",
}


@dataclass(frozen=True)
class Held:
    """A curve held against one principle.

    Attributes:
        principle: its name.
        residual: the largest |row| that is left over, over the size of the row's terms.
        rows: the same by velocity.
        multipliers: ``{lam_<constraint>: (T,)}`` along the curve, those that leave the least.
        holds: do the constraints and the principle hold?
        abnormal: how many multipliers, none of them 0, make the vakonomic right-hand side vanish: the curve is then
            abnormal, and stationary whatever L is.
    """

    principle: str
    residual: float
    rows: Mapping[str, float]
    multipliers: Mapping[str, np.ndarray]
    holds: bool
    abnormal: int = 0

    def __str__(self) -> str:
        worst = max(self.rows, key=lambda name: self.rows[name], default="")
        left = "" if self.holds else f", most along {worst}" if self.residual > HOLDS else ", constraints are not kept"
        odd = f"; {self.abnormal} abnormal multipliers" if self.abnormal else ""
        sign = "yes" if self.holds else "no "
        meant = f": {_AMONG[self.principle]}" if self.holds else ""
        return f"{self.principle:12}  {sign}  {self.residual:.1e}{left}{meant}{odd}"


@dataclass(frozen=True)
class Satisfied:
    """What a curve satisfies.

    Attributes:
        t: times (T,) at which it was looked at.
        constraints: ``{name: largest |phi| over the size of its terms}``.
        free, nonholonomic, vakonomic: the curve held against each principle.
        tail: how far the velocities were resolved as functions of the time.
        title: of the system.
    """

    t: np.ndarray
    constraints: Mapping[str, float]
    free: Held
    nonholonomic: Held
    vakonomic: Held
    tail: float
    title: str

    @property
    def principles(self) -> tuple[str, ...]:
        """Names of those under which it is a motion."""
        return tuple(each.principle for each in (self.free, self.nonholonomic, self.vakonomic) if each.holds)

    def __str__(self) -> str:
        kept = ", ".join(f"{name} {size:.1e}" for name, size in self.constraints.items()) or "there are none"
        lines = [f"{self.title or 'System'}: a curve from t = {self.t[0]:g} to {self.t[-1]:g}", f"constraints   {kept}"]
        return "\n".join([*lines, *(str(each) for each in (self.free, self.nonholonomic, self.vakonomic))])

    __repr__ = __str__


@public
def satisfies(
    system: System, curve: Any, *, over: Any = None, parameters: Mapping[Any, Any] | None = None
) -> Satisfied:
    """Is a curve a motion of a system, under which principle, with which multipliers?

        da.satisfies(skate, {"x": "sin(t)", "y": "1 - cos(t)", "theta": "t"}, over=(0, 6)).principles

    Args:
        system: the system.
        curve: a `Trajectory`, or ``{coordinate: function of t}`` for every coordinate, as text or SymPy expressions.
        over: (first, last) time; by default all of a path.
        parameters: values that replace the system's.

    Returns:
        A `Satisfied`: residuals of the constraints and of each principle, with its multipliers; `principles` are those
        that hold to 1e-5 of their terms.

    Raises:
        WrongType: E101, not a system; E150, not a curve.
        InvalidValue: E150, a curve that lacks coordinates, is not smooth or not a number; E20x for parameters.
        TextError: E701 to E717, text that is not an expression.
    """
    needs_system(system, "satisfies")
    along = sampled(system, curve, over, parameters)
    rows = _Rows(system, along)
    constraints = rows.constraints
    kept = max(constraints.values(), default=0.0) <= HOLDS
    names = [u.name for u in system.space.velocities]
    labels = [c.name for c in system.constraints]

    def held(principle: str, left: np.ndarray, found: np.ndarray, abnormal: int = 0) -> Held:
        each = np.abs(left).max(axis=0, initial=0.0) / rows.sizes
        residual = float(each.max(initial=0.0))
        by_name = dict(zip(names, map(float, each), strict=True))
        multipliers = Multipliers.of(labels, found.T) if found.size else Multipliers[np.ndarray]()
        return Held(principle, residual, by_name, multipliers, kept and residual <= HOLDS, abnormal)

    return Satisfied(
        along.t,
        constraints,
        held(FREE, rows.R, np.zeros((0, 0))),
        held(NONHOLONOMIC, *rows.reactions()),
        held(VAKONOMIC, *rows.multipliers()),
        along.tail,
        system.title,
    )


class _Rows:
    """R, N and EL(phi) along a curve: (T, k), (T, m, k), (T, m, k)."""

    def __init__(self, system: System, along: Sampled) -> None:
        algebra = Machine(Graph())
        motion = Motion.of(system.space.frame, algebra)
        self.t, T, k = along.t, len(along.t), len(motion.u)
        phi = [c.row(motion) for c in system.constraints]
        places = {c.name: algebra.read(c.position) for c in system.constraints if c.holonomic}
        W, h = motion.euler_lagrange(algebra.read(system.lagrangian))
        moved = [motion.euler_lagrange(p) for p in phi]
        blocks = [
            [e for row in W for e in row],
            h,
            [algebra.read(e) for e in system.forces],
            [e for p in phi for e in algebra.gradient(p, motion.u)],
            [e for each in moved for row in each.matrix for e in row],
            [e for each in moved for e in each.rest],
            phi,
            list(places.values()),
        ]
        with np.errstate(all="ignore"):
            flat = evaluate([e for block in blocks for e in block], along.known)
        columns = np.array([np.broadcast_to(np.asarray(v, float), (T,)) for v in flat]).reshape(len(flat), T).T
        parts = np.split(columns, np.cumsum([len(block) for block in blocks])[:-1], axis=1)
        m, udot = len(phi), along.udot
        W_, h_, Q_ = parts[0].reshape(T, k, k), parts[1], parts[2]
        self.R = (W_ @ udot[..., None])[..., 0] + h_ - Q_
        self.N = parts[3].reshape(T, m, k)
        self.E = (parts[4].reshape(T, m, k, k) @ udot[:, None, :, None])[..., 0] + parts[5].reshape(T, m, k)
        terms = ((np.abs(W_) @ np.abs(udot)[..., None])[..., 0] + np.abs(h_) + np.abs(Q_)).max(axis=0)
        push = (np.abs(W_) @ np.abs(along.u)[..., None])[..., 0].max(axis=0) / (self.t[-1] - self.t[0])
        self.sizes = _sizes(np.maximum(terms, push), np.abs(np.einsum("taa->ta", W_)).max(axis=0))
        self.constraints = self._kept(system, parts[6], parts[7], list(places), along)

    def _kept(
        self, system: System, phi: np.ndarray, f: np.ndarray, places: list[str], along: Sampled
    ) -> dict[str, float]:
        """Largest |phi|, and |f| of those on positions, over the size of the terms."""
        speed = (np.abs(self.N) @ np.abs(along.u)[..., None])[..., 0].max(axis=0, initial=0.0)
        still = np.abs(phi - (self.N @ along.u[..., None])[..., 0]).max(axis=0, initial=0.0)
        off = np.abs(phi).max(axis=0, initial=0.0) / np.where(speed + still > 0, speed + still, 1.0)
        found = dict(zip([c.name for c in system.constraints], map(float, off), strict=True))
        for name, values in zip(places, f.T, strict=True):
            found[name] = max(found[name], float(np.abs(values).max()) / (1.0 + float(np.abs(along.q).max())))
        return found

    def reactions(self) -> tuple[np.ndarray, np.ndarray]:
        """What R leaves over of the span of N, and mu (T, m), of least norm."""
        if not self.N.shape[1]:
            return self.R, np.zeros((0, 0))
        mu = (np.linalg.pinv(np.swapaxes(self.N, 1, 2), rcond=1e-10) @ self.R[..., None])[..., 0]
        return self.R - (np.swapaxes(self.N, 1, 2) @ mu[..., None])[..., 0], mu

    def multipliers(self) -> tuple[np.ndarray, np.ndarray, int]:
        """What is left over, lam (T, m), and how many lam solve the equations without R."""
        if not self.N.shape[1]:
            return self.R, np.zeros((0, 0)), 0
        best: tuple[np.ndarray, np.ndarray, int] | None = None
        least = np.inf
        for degree in (d for d in DEGREES if 3 * d < len(self.t)):
            left, lam, abnormal = self._fitted(degree)
            size = float((np.abs(left).max(axis=0) / self.sizes).max())
            done = size < ENOUGH or (best is not None and size > BETTER * least and least < HOLDS)
            if best is None or size < least:
                best, least = (left, lam, abnormal), size
            if done:
                break
        assert best is not None
        return best

    def _fitted(self, degree: int) -> tuple[np.ndarray, np.ndarray, int]:
        """Polynomials of a degree for lam, by least squares: N^T lamdot + EL(phi)^T lam = R."""
        first, last = self.t[0], self.t[-1]
        x = (2 * self.t - first - last) / (last - first)
        T_ = chebyshev.chebvander(x, degree)
        slopes = chebyshev.chebvander(x, degree - 1) @ chebyshev.chebder(np.eye(degree + 1)) * 2 / (last - first)
        # columns: constraint by coefficient
        A = np.einsum("tsa,td->tasd", self.N, slopes) + np.einsum("tsa,td->tasd", self.E, T_)
        A = A / self.sizes[None, :, None, None]
        T, k, m, D = A.shape
        matrix, right = A.reshape(T * k, m * D), (self.R / self.sizes).ravel()
        Q, upper = np.linalg.qr(matrix)
        U, s, Vt = np.linalg.svd(upper)
        used = s > ABNORMAL * s[0] if s[0] > 0 else np.zeros(len(s), bool)
        c = Vt.T[:, used] @ ((U.T @ (Q.T @ right))[used] / s[used])
        left = (right - matrix @ c).reshape(T, k) * self.sizes
        return left, T_ @ c.reshape(m, D).T, int((~used).sum())


def _sizes(found: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Sizes of rows (k,), none below a part of the largest, in units in which each velocity carries as much energy."""
    unit = np.sqrt(np.where(weights > 0, weights, 1.0))
    floor = FLOOR * (found / unit).max(initial=0.0) * unit
    return np.asarray(np.where(np.maximum(found, floor) > 0, np.maximum(found, floor), 1.0))
