"""Least squares: from a place down to the nearest minimum, past directions of the unknowns that the data do not see.

Ctrl-C ends a search where it is, and the best that it had reached is handed over.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import least_squares

from ...findings.fit import Fit, Unseen
from ...numerics.policy import Policy
from ...numerics.run.interrupt import Kept, on_the_keyboard
from ...question import Question
from .model import Model, NoMotion

Asked = Callable[[], bool]


class Halted(Exception):
    """A search was told to stop."""


class FitInterrupted(Kept):
    """`fit` was interrupted.

    Attributes:
        fit: the best until then; it has not settled.
    """

    fit: Fit

    def __init__(self, found: Fit) -> None:
        super().__init__("the search was interrupted", "fit", found, "the best until then")


class RankInterrupted(Kept):
    """`rank` was interrupted: nothing is decided.

    Attributes:
        fits: ``{label: Fit}`` of the candidates that were fitted until then; the last may not have settled.
    """

    fits: Mapping[str, Fit]

    def __init__(self, found: Mapping[str, Fit]) -> None:
        told = f"the candidates were not compared; fitted were {', '.join(found) or 'none'}"
        super().__init__(told, "fits", dict(found), "their fits")


@contextmanager
def asking(question: Question) -> Iterator[tuple[Question, Asked, Asked]]:
    """What is asked of a record without the option `halt`; was the search told to stop; was it by the keyboard?"""
    halt = Policy.of(question.runs.options).halt
    options = {name: value for name, value in question.runs.options.items() if name != "halt"}
    with on_the_keyboard() as pressed:
        told = pressed if halt is None else lambda: pressed() or halt()
        yield replace(question, runs=replace(question.runs, options=options)), told, pressed


# --- directions that the data do not see -----------------------------------------------------------------------------
# In sizes of the unknowns the derivatives of all residuals are J D. A direction in which J D vanishes changes no
# prediction: the data see only combinations of the unknowns that lie across it.

NOTHING, ROUNDING = 1e-6, 1e-14  # of the largest singular value: not told from 0; rounding alone
TINY, LARGE = 1e-3, 0.1  # entries of a direction that are 0; of its largest entry, those that count as large
SIMPLE, NEAR = 12, 2e-4  # the largest denominator of an entry that is a fraction, and how near it has to be


def unseen(jacobian: np.ndarray, size: np.ndarray, error: np.ndarray | None = None) -> np.ndarray:
    """An orthonormal basis (k, d), in sizes of the unknowns, of the directions that change no residual.

    With the error of the derivatives, a direction is seen where they are larger than that; without it where they are
    not NOTHING beside the largest.
    """
    d = jacobian.shape[1]
    scaled = jacobian * size
    if not len(scaled):
        return np.eye(d)
    _, s, Vt = np.linalg.svd(scaled, full_matrices=True)
    s = np.r_[s, np.zeros(d - len(s))]
    least = np.full(d, NOTHING * s.max(initial=0.0))
    if error is not None:
        least = np.maximum(np.linalg.norm((error * size) @ Vt.T, axis=0), ROUNDING * s.max(initial=0.0))
    return np.asarray(Vt[s <= least])


def described(null: np.ndarray, names: tuple[str, ...], constants: Sequence[bool]) -> tuple[Unseen, ...]:
    """The directions as changes of as few unknowns each as can be, and what is seen of these unknowns.

    Unknowns that are parts of one direction, or of directions that share an unknown, are told together; changes of
    `constants` alone are told in per cent.
    """
    found = []
    for group in _groups(null):
        part = null[np.abs(null[:, group]).max(axis=1) > TINY][:, group]
        part = np.linalg.svd(part, full_matrices=False)[2][: np.linalg.matrix_rank(part, tol=TINY)]
        names_of, relative = tuple(names[i] for i in group), all(constants[i] for i in group)
        within = _reduced(part)
        # what is seen lies across what is not
        across = np.linalg.svd(part)[2][np.linalg.matrix_rank(part, tol=TINY) :]
        found.append(Unseen(names_of, _as_maps(within, names_of), _as_maps(_reduced(across), names_of), relative))
    return tuple(found)


def _groups(null: np.ndarray) -> list[list[int]]:
    """Unknowns that occur together in a direction; the projector P = N^T N links them."""
    P = null.T @ null
    left, groups = {i for i in range(len(P)) if P[i, i] > TINY**2}, []
    while left:
        group, front = set(), {min(left)}
        while front:
            group |= front
            front = {j for i in front for j in left if abs(P[i, j]) > TINY**2} - group
        groups.append(sorted(group))
        left -= group
    return groups


def _reduced(rows: np.ndarray) -> np.ndarray:
    """Row-reduced with the largest pivots; the first large entry of each row is 1, near fractions are made exact."""
    A = np.array(rows, float)
    for i in range(len(A)):
        k, j = divmod(int(np.argmax(np.abs(A[i:]))), A.shape[1])
        if not abs(A[i + k, j]) > TINY:  # the rows are dependent
            A = A[:i]
            break
        A[[i, i + k]] = A[[i + k, i]]
        A[i] /= A[i, j]
        for other in range(len(A)):
            if other != i:
                A[other] -= A[other, j] * A[i]
    A[np.abs(A) < TINY] = 0.0
    for row in A:
        row /= row[np.flatnonzero(np.abs(row) >= LARGE * np.abs(row).max())[0]]
    return np.vectorize(_simple, otypes=[float])(A) if A.size else A


def _simple(x: float) -> float:
    near = Fraction(x).limit_denominator(SIMPLE)
    return float(near) if abs(float(near) - x) < NEAR else x


def _as_maps(rows: np.ndarray, names: tuple[str, ...]) -> tuple[dict[str, float], ...]:
    return tuple({n: float(v) for n, v in zip(names, row, strict=True) if v} for row in rows)


# --- the descent -----------------------------------------------------------------------------------------------------

ROUNDS, SETTLED = 12, 1e-4  # of estimating the noise; relative change at which it stands
SAME = 1e-5  # sizes of unknowns, or parts of the cost: minima closer than this are one
NORMAL = 1.4826  # standard deviation over median of the absolute values, of Gaussian noise
LEAST_NOISE = 1e-10  # of a column's size, where a model fits to rounding


@dataclass(frozen=True, eq=False)
class Minimum:
    """A minimum of the sum of squares.

    Attributes:
        theta: the unknowns (d,).
        cost: half the sum of the squares of all residuals over the noise, after the loss.
        residuals: (K,), without those of the priors, over the noise.
        jacobian: of all residuals (K + priors, d), scaled by the loss: J^T J is the curvature of the cost.
        noise: (K,) standard deviations, given or estimated.
        converged: did it end by itself?
        evaluations: motions with derivatives that were computed.
        halted: was the search told to stop before it ended?
    """

    theta: np.ndarray
    cost: float
    residuals: np.ndarray
    jacobian: np.ndarray
    noise: np.ndarray
    converged: bool
    evaluations: int
    halted: bool = False


def descend(model: Model, theta: np.ndarray, loss: str = "linear", noise: np.ndarray | None = None) -> Minimum:
    """The minimum that is reached from theta; noise that is not known is estimated from the residuals in turns.

    Raises:
        NoMotion: there is no motion at the first values.
    """
    unknown = model.data.unknown if noise is None else ()
    noise = first_noise(model) if noise is None else noise
    found = descend_once(model, theta, loss, noise)
    for _ in range(ROUNDS if unknown else 0):
        changed = _estimated(model, found, unknown, loss)
        settled = np.abs(changed / found.noise - 1).max() < SETTLED
        # with one column of the same noise the minimum does not depend on how large that is
        alone = found.halted or (len(model.data.names) == 1 and loss == "linear" and not model.unknowns.has_prior.any())
        found = _rescaled(found, changed) if alone else descend_once(model, found.theta, loss, changed)
        if settled or alone:
            break
    return found


class Care(NamedTuple):
    """How far down a search goes."""

    enough: float  # relative change of the sum of squares, of the unknowns, and gradient, at which it ends
    most: int  # evaluations


FINE, ROUGH = Care(1e-10, 150), Care(1e-4, 40)


def descend_once(model: Model, theta: np.ndarray, loss: str, noise: np.ndarray, care: Care | None = None) -> Minimum:
    """The minimum that is reached from theta with a noise that is known.

    Raises:
        NoMotion: there is no motion at the first values.
    """
    care, walk = care or FINE, _ResidualWalk(model, noise)
    if not len(theta):
        r, J = model.at(theta, noise)
        assert J is not None
        return Minimum(theta, float(r @ r) / 2, r[: len(model.data)], J, noise, True, 1)
    u = model.unknowns
    inner = np.clip(theta, *_inside(u.low, u.high, u.size))
    walk(inner)  # NoMotion comes out here
    try:
        found = _least(walk, inner, loss, care)
    except Halted:
        theta, r, J = walk.best
        start = Minimum(theta, 0.0, r, J, noise, False, walk.evaluations, True)
        return _placed(start, theta, r, J, loss, len(model.data))
    r = found.fun[: len(model.data)]
    return Minimum(found.x, float(found.cost), r, found.jac, noise, bool(found.status > 0), walk.evaluations)


def _least(walk: _ResidualWalk, theta: np.ndarray, loss: str, care: Care) -> Any:
    """SciPy's least squares from a place."""
    u = walk.model.unknowns
    with np.errstate(all="ignore"):
        return least_squares(
            walk.residuals,
            theta,
            walk.jacobian,
            bounds=(u.low, u.high),
            method="trf",
            loss=_rho(loss, len(walk.model.data)),
            x_scale=u.size,
            ftol=care.enough,
            xtol=care.enough,
            gtol=care.enough,
            max_nfev=care.most,
        )


def look(model: Model, found: Minimum, theta: np.ndarray, loss: str) -> Minimum:
    """What there is at another place, with the noise of a minimum.

    Raises:
        NoMotion: there is no motion.
    """
    r, J = model.at(theta, found.noise)
    assert J is not None
    return _placed(found, theta, r, J, loss, len(model.data))


def _placed(found: Minimum, theta: np.ndarray, r: np.ndarray, J: np.ndarray, loss: str, K: int) -> Minimum:
    """A minimum moved to a place with residuals r and derivatives J, K of them of the numbers."""
    rho = _rho(loss, K)
    cost, weight = r @ r, np.ones(len(r))
    if callable(rho):
        value, slope, bend = rho(r**2)
        # SciPy's scaling:  J^T J of sqrt(rho' + 2 rho'' r^2) J is the curvature of the cost
        cost, weight = value.sum(), np.sqrt(np.maximum(slope + 2 * bend * r**2, 1e-16))
    return replace(found, theta=theta, cost=float(cost) / 2, residuals=r[:K], jacobian=weight[:, None] * J)


def _rho(loss: str, K: int) -> object:
    """The loss of the K numbers; priors, which stand below them, keep their squares."""
    if loss == "linear":
        return loss

    def rho(z: np.ndarray) -> np.ndarray:
        out = np.stack([z, np.ones_like(z), np.zeros_like(z)])
        out[:, :K] = _LOSSES[loss](z[:K])
        return out

    return rho


def _huber(z: np.ndarray) -> np.ndarray:
    far, w = z > 1, np.maximum(z, 1.0)
    return np.where(far, [2 * w**0.5 - 1, w**-0.5, -0.5 * w**-1.5], [z, np.ones_like(z), np.zeros_like(z)])


# rho(z), rho'(z), rho''(z) of z = r^2, as SciPy names them
_LOSSES: dict[str, Callable[[np.ndarray], Any]] = {
    "soft_l1": lambda z: [2 * ((1 + z) ** 0.5 - 1), (1 + z) ** -0.5, -0.5 * (1 + z) ** -1.5],
    "huber": _huber,
    "cauchy": lambda z: [np.log1p(z), 1 / (1 + z), -1 / (1 + z) ** 2],
    "arctan": lambda z: [np.arctan(z), 1 / (1 + z**2), -2 * z / (1 + z**2) ** 2],
}


def _inside(low: np.ndarray, high: np.ndarray, size: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A little inside the bounds, where a guess may begin."""
    room = np.minimum(1e-3 * size, np.where(np.isfinite(high - low), 1e-3 * (high - low), math.inf))
    return low + room, high - room


class _ResidualWalk:
    """Residuals and their derivatives, each place computed once; infinite where there is no motion."""

    def __init__(self, model: Model, noise: np.ndarray) -> None:
        self.model, self.noise, self.evaluations = model, noise, 0
        self.theta: np.ndarray | None = None
        self.found: tuple[np.ndarray, np.ndarray] | None = None
        self.best: tuple[np.ndarray, np.ndarray, np.ndarray]

    def __call__(self, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if self.theta is None or not np.array_equal(theta, self.theta) or self.found is None:
            if self.evaluations and self.model.halted:
                raise Halted
            # the first is made in any case: then there is something to hand over
            model = self.model if self.evaluations else self.model.patient
            self.evaluations += 1
            r, J = model.at(theta, self.noise)
            assert J is not None
            self.theta, self.found = theta.copy(), (r, J)
            if self.evaluations == 1 or r @ r < self.best[1] @ self.best[1]:
                self.best = theta.copy(), r, J
        return self.found

    def residuals(self, theta: np.ndarray) -> np.ndarray:
        try:
            return self(theta)[0]
        except NoMotion:
            return np.full(len(self.model.data) + int(self.model.unknowns.has_prior.sum()), np.inf)

    def jacobian(self, theta: np.ndarray) -> np.ndarray:
        return self(theta)[1]


def first_noise(model: Model) -> np.ndarray:
    """The known uncertainties, and for the columns without any the spread of their numbers."""
    data, noise = model.data, model.data.sigma.copy()
    for i in data.unknown:
        noise[data.column == i] = data.size(i)
    return noise


def _estimated(model: Model, found: Minimum, unknown: tuple[int, ...], loss: str) -> np.ndarray:
    """Standard deviations of the residuals of each column of unknown uncertainty; by medians if the loss is robust."""
    data, noise, u = model.data, found.noise.copy(), model.unknowns
    share = min(1.0, (len(data) + u.has_prior.sum() - len(u)) / len(data))  # of the numbers, what the unknowns leave
    for i in unknown:
        mine = data.column == i
        r = found.residuals[mine] * found.noise[mine]
        # s^2 = sum r^2/(n - d n/K)
        s = math.sqrt(float(r @ r) / (mine.sum() * share))
        if loss != "linear":
            s = NORMAL * float(np.median(np.abs(r))) / math.sqrt(share)
        noise[mine] = max(s, LEAST_NOISE * data.size(i))
    return noise


def _rescaled(found: Minimum, noise: np.ndarray) -> Minimum:
    """The same minimum with another noise."""
    factor, K = found.noise / noise, len(noise)
    r = found.residuals * factor
    J = found.jacobian.copy()
    J[:K] *= factor[:, None]
    return replace(found, cost=float(r @ r) / 2, residuals=r, jacobian=J, noise=noise)


def merit(m: Minimum) -> float:
    """-log of the likelihood, up to a constant: noise that was estimated is part of it."""
    return m.cost + float(np.log(m.noise).sum())


def merge(found: list[Minimum], new: Minimum, size: np.ndarray) -> None:
    """A minimum that is there already is not listed again; of two the lower stays.

    Equal ones along unknowns that the data do not see are one.
    """
    for i, old in enumerate(found):
        near = np.abs(new.theta - old.theta) <= SAME * np.maximum(size, np.abs(old.theta))
        level = abs(merit(new) - merit(old)) < 1e-7 * max(1.0, abs(merit(old)))
        if near.all() or (level and unseen(old.jacobian, size).size):
            found[i] = min(old, new, key=merit)
            return
    found.append(new)
