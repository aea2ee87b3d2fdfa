"""What becomes of small disturbances: eigenvalues with the errors that rounding leaves them, and what else decides.

    dx/dt = B x   or   x' = B x :     B K = e K ,  W B = e W ,     e = 0 of rates, e = 1 of a map

An eigenvalue counts as e, or as on the axis (the unit circle), within its own error alone. There the linear motion is
bounded where each has as many modes as it is multiple. Directions K are explained by a family of steady (periodic)
motions that is followed in each of them, or by what is left of the equations when all but W of them are solved,

    r(s) = W R(x0 + K s + h(s)) = c s^k + ... ,

which is the leading term of the motion on the centre manifold: it attracts, or it repels along a ray r(s) = l s, l > 0,
on which a motion of the full equations leaves [kozlov2013 (ch. 1)].
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..answer import Answer, no, undecided, yes
from ..calculus.numerical_rank import echelon
from ..errors import DalembertError
from .node_derivatives import spectra

ATTRACTING, BOUNDED, UNSTABLE, OPEN = "attracting", "stable to first order", "unstable", "undecided"
EPSILON = float(np.finfo(float).eps)
SAFE, TRIES = 4.0, 8  # times what is measured; random errors
SIZES = 0.3 * 8.0 ** -np.arange(12.0)  # how far K is followed, in sizes of the unknowns
NEARBY = 0.004 * 5.0 ** -np.arange(3.0)  # the same of a map, which costs a motion each time
SEEN, LEAST, STRAIGHT = 30.0, 3, 1e-3  # of leading terms: noises, sizes, how far off a ray
NEWTON, AGAIN, CLOSE = 20, 2, 2.0  # steps, and more that tell their error; how far a family bends from its tangent

Reduced = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray] | None]  # s to r(s) and its noise


class Verdict(NamedTuple):
    """A word, and why; how many eigenvalues are the unit by families that were followed."""

    word: str
    why: str
    explained: int = 0

    @property
    def answer(self) -> Answer:
        """Does what is near stay near?"""
        return {ATTRACTING: yes, UNSTABLE: no}.get(self.word, undecided)(self.why)


@dataclass(frozen=True)
class Spectrum:
    """Eigenvalues and the errors of them.

    Attributes:
        B: the matrix (d, d), balanced.
        E: errors of its entries.
        values: its eigenvalues, perhaps with those that vanish as 0.
        unit: what those of a motion that stays are, 0 or 1.
    """

    B: np.ndarray
    E: np.ndarray
    values: np.ndarray
    unit: float = 0.0

    @classmethod
    def of(cls, A: np.ndarray, E: np.ndarray, unit: float = 0.0) -> tuple[Spectrum, np.ndarray]:
        """Of a matrix whose entries have errors, in scales D (d,) in which most of it is no noise: B = D^-1 A D."""
        import scipy.linalg

        scales, off = [np.ones(len(A))], A - unit * np.eye(len(A))
        for G in (np.abs(off) + E, off) if len(A) else ():
            with np.errstate(invalid="ignore"):  # SciPy takes scales for places
                scales.insert(0, scipy.linalg.matrix_balance(G, permute=False, separate=True)[1][0])
        every = [cls(A * D / D[:, None], E * D / D[:, None], np.zeros(0), unit) for D in scales]
        best = int(np.argmin([each.modes[0].shape[1] for each in every]))
        found = every[best]
        values = spectra((found.B - unit * np.eye(len(A)))[None], found.noise)[0] + unit
        values = values[np.lexsort((-values.imag, -np.abs(values)))] if unit else values
        return replace(found, values=values), scales[best]

    @cached_property
    def noise(self) -> float:
        """A singular value below it counts as 0."""
        return SAFE * (float(np.linalg.norm(self.E)) + EPSILON * float(np.linalg.norm(self.B)))

    @cached_property
    def errors(self) -> np.ndarray:
        """How far each eigenvalue moves with the entries, (d,)."""
        from scipy.optimize import linear_sum_assignment

        rng, most = np.random.default_rng(0), EPSILON * np.abs(self.values)
        for _ in range(TRIES if len(self.B) else 0):
            away = np.abs(self.values[:, None] - np.linalg.eigvals(self.B + self.E * rng.choice([-1, 1], self.B.shape)))
            most = np.maximum(most, away[np.arange(len(away)), linear_sum_assignment(away)[1]])
        return SAFE * most

    @property
    def growth(self) -> np.ndarray:
        """Real parts, or how far sizes are from 1."""
        return np.asarray(np.abs(self.values) - 1 if self.unit else self.values.real)

    @property
    def fastest(self) -> float:
        """The largest growth that is no rounding; 0 where there is none."""
        return float(np.where(self.growth > self.errors, self.growth, 0.0).max(initial=0.0))

    @property
    def axis(self) -> np.ndarray:
        """Which neither grow nor decay by more than their errors."""
        return np.asarray(np.abs(self.growth) <= self.errors)

    @property
    def still(self) -> np.ndarray:
        """Which are the unit within their errors."""
        return np.asarray(np.abs(self.values - self.unit) <= self.errors)

    @cached_property
    def modes(self) -> tuple[np.ndarray, np.ndarray]:
        """K (d, g) and W (g, d), orthonormal."""
        U, s, Vt = np.linalg.svd(self.B - self.unit * np.eye(len(self.B)))
        rank = int(np.sum(s > self.noise))
        sparse = echelon(Vt[rank:])
        return (sparse / np.linalg.norm(sparse, axis=1)[:, None]).T, U[:, rank:].T

    @property
    def resonant(self) -> bool:
        """Has an eigenvalue on the axis, other than the unit, fewer modes than it is multiple?"""
        left = [i for i in np.flatnonzero(self.axis & ~self.still) if self.values[i].imag > 0 or self.unit]
        while left:
            near = np.abs(self.values[left] - self.values[left[0]]) <= self.errors[left] + self.errors[left[0]]
            mean = self.values[np.array(left)[near]].mean()
            s = np.linalg.svd(self.B - mean * np.eye(len(self.B)), compute_uv=False)
            if int(near.sum()) > int(np.sum(s <= SEEN * self.noise)):
                return True
            left = [i for i, gone in zip(left, near, strict=True) if not gone]
        return False

    def told(self, linear: bool, reversible: bool, reduced: Reduced) -> Verdict:
        """The verdict.

        Args:
            linear: are the equations linear?
            reversible: does it rest, and do motions backwards obey them too?
            reduced: r(s).
        """
        many, modes = int(self.still.sum()), self.modes[0].shape[1]
        pairs, shear = bool((self.axis & ~self.still).any()), many > modes or self.resonant
        grows = "the linear motion grows like a power of the time: a multiple eigenvalue has too few modes"
        centre, explained, grown = "family", many, self.fastest > 0
        if many and (self.unit or not grown):
            centre, explained = self._centre(many, reversible, reduced)
        if grown:
            largest = float(self.growth.max())
            beyond = f"1 + {largest:.3g}" if largest < 1e-3 else f"{1 + largest:.6g}"
            size = f"multiplier of {beyond}" if self.unit else f"rate of {largest:.6g}"
            return Verdict(UNSTABLE, f"disturbances grow, with a {size}", explained)
        if shear and linear:
            return Verdict(UNSTABLE, f"the equations are linear, and {grows}", explained)
        if centre == "repels":
            why = "what is nonlinear repels, along a direction in which the linear motion stands still"
            return Verdict(UNSTABLE, why, explained)
        if centre == "attracts" and not (pairs or shear):
            return Verdict(ATTRACTING, "what is nonlinear attracts", explained)
        if centre != "family":
            why = f"{many} eigenvalues are {self.unit:g} and no family of {many} parameters explains them"
            return Verdict(OPEN, why, explained)
        if shear and reversible and not pairs and (many, modes) == (2, 1):
            # x' = y (1 + ...), y' = y b(x, y), b odd in y: dy/dx = y (...), so that y never comes to 0, and x goes on
            return Verdict(UNSTABLE, "beside a family of steady motions others go along it", explained)
        if shear:
            return Verdict(OPEN, f"{grows}, and what is nonlinear decides", explained)
        # that motions far away come back is integrated, and no identity
        if pairs or self.axis.all() or (self.unit and many and not linear):
            return Verdict(BOUNDED, "no disturbance grows to first order; what is nonlinear decides", explained)
        return Verdict(ATTRACTING, "all disturbances decay" + " but those along a family" * bool(many), explained)

    def _centre(self, many: int, reversible: bool, reduced: Reduced) -> tuple[str, int]:
        """What the directions K are: ``family``, ``repels``, ``attracts`` or ``open``; how many are families."""
        K, W = self.modes
        g, mixed = K.shape[1], np.random.default_rng(1).standard_normal((K.shape[1],))
        if g and self._flat(reduced, mixed):
            return "family", many
        flat = np.array([self._flat(reduced, u) for u in np.eye(g)], bool)
        explained = int(flat.sum())
        explained *= explained < 2 or self._flat(reduced, mixed * flat)
        planar = (g, many) == (1, 2) and int(self.axis.sum()) == 2
        if self.unit or not g or not (many == g or (many == 2 * g and (reversible or planar))):
            return "open", explained
        # W K s' = r(s) ;  where B (chain) = K:  W (chain) s'' = r(s)
        C = np.linalg.pinv(W @ (K if many == g else np.linalg.pinv(self.B, rcond=1e-9) @ K))
        pushed = [self._pushed(C, reduced, u) for u in (*np.eye(g), *-np.eye(g))]
        if max(pushed) > 0:
            return "repels", explained
        return ("attracts" if g == many == 1 and max(pushed) < 0 else "open"), explained

    def _flat(self, reduced: Reduced, u: np.ndarray) -> bool:
        """Do all equations hold along a direction, to both sides?"""
        sizes = np.outer([1, -1], NEARBY if self.unit else SIZES).ravel()
        found = [r for size in sizes if (r := reduced(size * u / np.linalg.norm(u))) is not None]
        return len(found) > LEAST and all((np.abs(r) <= noise).all() for r, noise in found)

    @staticmethod
    def _pushed(C: np.ndarray, reduced: Reduced, u: np.ndarray) -> float:
        """The sign of l on a ray  C r(s) = l s  of the least sizes at which it is seen; 0 where there is none."""
        found = [(C @ r[0], np.abs(C) @ r[1]) for size in SIZES[::-1] if (r := reduced(size * u)) is not None]
        seen = [F / np.linalg.norm(F) for F, n in found if np.linalg.norm(F) > SEEN * np.linalg.norm(n)][:LEAST]
        along = [float(F @ u) for F in seen if np.linalg.norm(F - (F @ u) * u) <= STRAIGHT]
        return float(np.sign(along[0])) if len(along) == LEAST and len(set(np.sign(along))) == 1 else 0.0


def bent(
    rows: Callable[[np.ndarray], np.ndarray],
    slopes: Callable[[np.ndarray], np.ndarray],
    x0: np.ndarray,
    size: np.ndarray,
    modes: tuple[np.ndarray, np.ndarray],
    rounding: float,
    terms: np.ndarray | float = 0.0,
) -> Reduced:
    """r(s), from rows R(x) (M,) with slopes (M, N), modes K (N, g) and W (g, M), and parts of the terms that round.

    Args:
        terms: sizes of terms that the slopes have lost to each other.
    """
    K, W = modes
    K = K / np.abs(K / size[:, None]).max(initial=0.0)
    dual, first = np.linalg.pinv(K / size[:, None]), np.abs(W @ rows(x0))
    across = np.eye(W.shape[1]) - np.linalg.pinv(W) @ W

    def reduced(s: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
        x, step, settled, gone = x0 + K @ s, size, 0, 0.0
        for _ in range(NEWTON):
            try:
                R, J = rows(x), slopes(x)
            except DalembertError:
                return None
            if not (np.isfinite(R).all() and np.isfinite(J).all()):
                return None
            far = float(np.linalg.norm(np.r_[x / size, s]))
            if settled == AGAIN:
                error = SAFE * np.abs(step) + rounding * np.abs(x) + (SAFE * rounding) ** 2 * far * size
                noise = SAFE * (first + np.abs(W) @ ((np.abs(J) + terms) @ error + rounding * np.abs(R)))
                return (W @ R, noise) if np.linalg.norm((x - x0) / size) <= CLOSE * gone else None
            off = np.r_[across @ R, dual @ ((x - x0) / size) - s]
            step = size * np.linalg.lstsq(np.vstack([across @ J * size, dual]), -off, rcond=SEEN * rounding)[0]
            x = x + step
            gone = gone or float(np.linalg.norm((x - x0) / size))
            # further steps tell how far each unknown is from where it goes
            settled += bool(np.linalg.norm(step / size) <= SEEN * rounding * far)
        return None

    return reduced
