"""From a minimum to a `Fit`: uncertainties, profile likelihood, what is not seen, and what is to be doubted."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import stats
from scipy.optimize import brentq

from ...argument_checks import whole
from ...errors import InvalidValue, as_given
from ...findings.fit import Fit, Profile, Unseen
from ...record import Record
from ...trajectory import as_times, check_times
from .fit_warnings import Reached, doubts
from .least_squares import NOTHING, Minimum, descend, described, merit
from .minima import grounded, sizes
from .model import Data, Model, NoMotion, is_function

LOST = 1e-3  # of the largest change of all, that is no rounding of none
AT_BOUND, HARDLY = 1e-6, 1e-3  # of an unknown's size; share of an unknown in a direction that is none


def finished(model: Model, record: Record, minima: Sequence[Minimum], loss: str, tried: int, wanted: int = 0) -> Fit:
    """The fit at the best of the minima that so many starts of those wanted came to."""
    u, data = model.unknowns, model.data
    near = np.minimum(minima[0].theta - u.low, u.high - minima[0].theta) <= AT_BOUND * u.size
    bound = tuple(n for n, at in zip(u.names, near, strict=True) if at)
    inner = np.array([n not in bound for n in u.names], bool)
    best, null = grounded(model, minima[0], inner, loss)
    size = sizes(model, best.theta)
    root = _root(best.jacobian, inner, null, size)
    fit = Fit(
        title=model.equations.system.title,
        principle=model.equations.principle,
        names=u.names,
        theta=best.theta,
        covariance=_covariance(root, inner, null),
        at_bound=bound,
        size=size,
        **_tested(model, best, loss),
        loglikelihood=_loglikelihood(model, best),
        counted=len(u) + len(data.unknown),
        **_numbers(data, best),
        path=model.path(best.theta),
        unseen=_unseen(model, best, null, size),
        minima=tuple((_named(u.names, m.theta), 2 * (merit(m) - merit(best))) for m in minima[1:]),
        tried=tried,
        converged=best.converged and not minima[0].halted,
        loss=loss,
        record=record,
        equations=model.equations,
        along=lambda name, values, points: profile(model, best, loss, name, values, points),
        between=lambda name, level: interval(model, best, loss, name, level),
        at=lambda t: predicted(model, best, t, root, null * size),
    )
    object.__setattr__(fit, "notes", tuple(doubts(fit, model, Reached(minima[0], best, wanted), root)))
    return fit


def _tested(model: Model, best: Minimum, loss: str) -> dict[str, Any]:
    """chi2, its degrees of freedom, and the chance of a larger one where the noise is known and Gaussian."""
    u, data = model.unknowns, model.data
    chi2 = float(best.residuals @ best.residuals + (((best.theta - u.mean) / u.spread)[u.has_prior] ** 2).sum())
    dof = len(data) + int(u.has_prior.sum()) - len(u)
    judged = not data.unknown and loss == "linear" and dof > 0
    return {"chi2": chi2, "dof": dof, "p_value": float(stats.chi2.sf(chi2, dof)) if judged else None}


def _numbers(data: Data, best: Minimum) -> dict[str, Any]:
    """What was seen, what is predicted, and how uncertain it is."""
    return {
        "noise": {n: float(np.median(best.noise[data.column == i])) for i, n in enumerate(data.names)},
        "estimated": tuple(data.names[i] for i in data.unknown),
        "columns": data.names,
        "t": data.t[data.row] if len(data.t) else np.full(len(data), math.nan),
        "column": data.column,
        "seen": data.seen,
        "predicted": data.seen - best.residuals * best.noise,
        "sigma": best.noise,
    }


def _unseen(model: Model, best: Minimum, null: np.ndarray, size: np.ndarray) -> tuple[Unseen, ...]:
    """The directions of which nothing is seen, constants in per cent of themselves, all else in its size."""
    if not len(null):
        return ()
    u = model.unknowns
    constants = [k != "start" and bool(v) for k, v in zip(u.kinds, best.theta, strict=True)]
    unit = np.where(constants, np.abs(best.theta), size)
    found = described(null * size / unit, u.names, constants)
    J = best.jacobian * size
    return tuple(replace(each, lost=_lost(J, null, np.isin(u.names, each.names))) for each in found)


def _lost(J: np.ndarray, null: np.ndarray, part: np.ndarray) -> bool:
    """Does |J n| along the directions n of a part say that it changes predictions, in sizes of the unknowns?"""
    change = np.linalg.norm(J[:, part] @ null[:, part].T, axis=0)
    return bool(change.max() > LOST * np.linalg.norm(J, 2))


def predicted(
    model: Model, best: Minimum, t: object, root: np.ndarray, null: np.ndarray
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """The columns at some times, and how well they are known: sigma_f^2 = J_f C J_f^T, C = root root^T."""
    times = check_times(np.atleast_1d(as_times(t)), model.t, math.inf)
    names = [n for n, c in zip(model.data.names, model.columns, strict=True) if not is_function(c)]
    columns = [c for c in model.columns if not is_function(c)]
    N, c = len(times), len(names)
    row, column = np.tile(np.arange(N), c), np.repeat(np.arange(c), N)
    nowhere = np.full(N * c, math.nan)
    points = Data(tuple(names), times, nowhere, column, row, nowhere, (N,) * c)
    later = replace(model.on(), data=points, columns=tuple(columns)).to(max(model.until, float(times[-1])))
    try:
        f, J = later.both(best.theta)
    except NoMotion as error:
        fact = f"no motion reaches t = {times[-1]:g}: {error}"
        raise InvalidValue("E551", fact, "ask for earlier times") from None
    sigma = np.linalg.norm(J @ root, axis=1)
    blind = np.linalg.norm(J @ null.T, axis=1) > NOTHING * np.linalg.norm(J * np.abs(null).sum(axis=0), axis=1)
    sigma = np.where(blind, math.inf, sigma)
    return dict(zip(names, f.reshape(c, N), strict=True)), dict(zip(names, sigma.reshape(c, N), strict=True))


def _named(names: Sequence[str], theta: np.ndarray) -> dict[str, float]:
    return {n: float(v) for n, v in zip(names, theta, strict=True)}


def _root(J: np.ndarray, inner: np.ndarray, null: np.ndarray, size: np.ndarray) -> np.ndarray:
    """R (d, k) with R R^T = (J^T J)^-1 across what is not seen, of the unknowns inside their bounds."""
    chosen = np.flatnonzero(inner)
    R = np.zeros((len(size), max(len(chosen) - len(null), 0)))
    if not R.shape[1]:
        return R
    # B spans what is seen, in sizes of the unknowns:  C = D B (B^T D J^T J D B)^-1 B^T D
    B = np.linalg.svd(null[:, chosen], full_matrices=True)[2][len(null) :].T if len(null) else np.eye(len(chosen))
    D = size[chosen]
    _, s, Vt = np.linalg.svd((J[:, chosen] * D) @ B, full_matrices=False)
    R[chosen] = D[:, None] * (B @ Vt.T / np.maximum(s, 1e-300))
    return R


def _covariance(root: np.ndarray, inner: np.ndarray, null: np.ndarray) -> np.ndarray:
    """Covariances (d, d): infinite of what is not seen, NaN of what is at its bound."""
    C = root @ root.T
    C[~inner, :] = C[:, ~inner] = np.nan
    lost = np.flatnonzero((np.abs(null) > HARDLY).any(axis=0))
    C[lost, :] = C[:, lost] = np.nan
    C[lost, lost] = np.inf
    return C


def _loglikelihood(model: Model, best: Minimum) -> float:
    """log L = -(sum r^2 + sum log 2 pi sigma^2)/2 of Gaussian noise; an estimated sigma at its likeliest value."""
    data, total = model.data, 0.0
    for i in range(len(data.names)):
        mine = data.column == i
        r, sigma = best.residuals[mine], best.noise[mine]
        if i in data.unknown:
            # the likeliest sigma^2 is the mean of the squares
            sigma = sigma * math.sqrt(max(float(r @ r) / len(r), 1e-300))
            total -= (len(r) + float(np.log(np.sqrt(2 * np.pi) * sigma).sum() * 2)) / 2
        else:
            total -= (float(r @ r) + float(np.log(np.sqrt(2 * np.pi) * sigma).sum() * 2)) / 2
    return total


# --- profile likelihood ----------------------------------------------------------------------------------------------
# Profile likelihood: one unknown is held at some values, the others are fitted again.
#     rise(v) = min over the others of -2 log L(v, others)  -  its least
#
# Where the noise is known, the rise is that of chi2, and follows chi2 with one degree of freedom; where it was
# estimated, the ratio of the sums of squares follows F with one and dof.

WIDER, MOST = 1.6, 40  # a step outwards over the one before, and how many
LEVEL = 0.95


class _Profiles:
    """Best fits with one unknown held; each begins at the nearest one that is known."""

    def __init__(self, model: Model, best: Minimum, loss: str, name: str) -> None:
        self.model, self.best, self.loss, self.name = model, best, loss, name
        self.place = model.unknowns.names.index(name)
        self.known: dict[float, np.ndarray] = {float(best.theta[self.place]): np.delete(best.theta, self.place)}
        self.done: dict[float, tuple[float, np.ndarray]] = {}

    def __call__(self, value: float) -> tuple[float, np.ndarray]:
        """The rise of the cost (twice) and the others; each value is fitted once, so that the rise is a function."""
        if value not in self.done:
            self.done[value] = self._fitted(value)
        return self.done[value]

    def _fitted(self, value: float) -> tuple[float, np.ndarray]:
        near = self.known[min(self.known, key=lambda v: abs(v - value))]
        try:
            found = descend(self.model.held(self.name, value), near, self.loss, self.best.noise)
        except NoMotion:
            return math.inf, np.full(len(near), np.nan)
        self.known[value] = found.theta
        u = self.model.unknowns
        prior = 0.0
        if u.has_prior[self.place]:
            m, s = u.mean[self.place], u.spread[self.place]
            prior = ((value - m) / s) ** 2
        return 2 * found.cost + prior, found.theta

    @property
    def least(self) -> float:
        """Twice the cost at the best."""
        return 2 * self.best.cost if not self.model.unknowns.has_prior.any() else self(self.value)[0]

    @property
    def value(self) -> float:
        return float(self.best.theta[self.place])


def threshold(model: Model, best: Minimum, level: float) -> float:
    """The rise at the ends of an interval."""
    if isinstance(level, bool) or not isinstance(level, int | float | np.number) or not 0 < level < 1:
        raise InvalidValue("E553", f"level = {as_given(level)} is not between 0 and 1", "level=0.95")
    dof = len(model.data) - len(model.unknowns)
    if model.data.unknown and dof > 0:
        # the noise carries one estimate of sigma^2, with dof degrees of freedom
        return float(stats.f.ppf(level, 1, dof))
    return float(stats.chi2.ppf(level, 1))


def profile(model: Model, best: Minimum, loss: str, name: str, values: Sequence[float] | None, points: int) -> Profile:
    """The rise at some values."""
    held = _Profiles(model, best, loss, name)
    least = held.least
    values = _values(values, points)
    if values is None:
        low, high = interval(model, best, loss, name, 0.997)
        scale = max(abs(held.value), float(model.unknowns.size[held.place]))
        low, high = max(low, held.value - 10 * scale), min(high, held.value + 10 * scale)
        values = list(np.linspace(low, high, points))
    v = np.array(sorted(map(float, values)))
    # outwards from the best, so that each begins next to a fit
    order = np.argsort(np.abs(v - held.value))
    rise, others = np.empty(len(v)), np.empty((len(v), len(best.theta) - 1))
    for i in order:
        cost, others[i] = held(float(v[i]))
        rise[i] = max(cost - least, 0.0)
    rest = [n for n in model.unknowns.names if n != name]
    return Profile(name, v, rise, dict(zip(rest, others.T, strict=True)), threshold(model, best, LEVEL))


def _values(values: Any, points: Any) -> list[float] | None:
    """The values asked for, checked (E553)."""
    whole(points, "points", "E553", least=2)
    if values is None:
        return None
    try:
        found = [float(v) for v in values]
    except (TypeError, ValueError, OverflowError):
        raise InvalidValue("E553", f"{as_given(values)} is no list of numbers", "profile(name, [1.0, 1.1])") from None
    if not found or not np.isfinite(found).all():
        raise InvalidValue("E553", f"{as_given(values)} is no list of finite numbers", "profile(name, [1.0, 1.1])")
    return found


def interval(model: Model, best: Minimum, loss: str, name: str, level: float) -> tuple[float, float]:
    """Both ends of the interval."""
    held, wanted = _Profiles(model, best, loss, name), threshold(model, best, level)
    least, u = held.least, model.unknowns
    first = _first_step(model, best, held.place, wanted)
    ends = [_end(held, least + wanted, side * first, bound) for side, bound in ((-1, u.low), (+1, u.high))]
    return ends[0], ends[1]


def _first_step(model: Model, best: Minimum, place: int, wanted: float) -> float:
    """What the curvature at the best says, at most the unknown's size."""
    u = model.unknowns
    C = np.linalg.pinv((best.jacobian * u.size).T @ (best.jacobian * u.size), rcond=1e-12)
    step = math.sqrt(max(C[place, place], 0.0) * wanted) * u.size[place]
    size = max(float(u.size[place]), abs(float(best.theta[place]))) or 1.0
    return float(min(max(step, 1e-9 * size), size))


def _end(held: _Profiles, wanted: float, step: float, bounds: Any) -> float:
    """Where the cost reaches what is wanted, going outwards; the bound or infinity if it does not."""
    limit = float(bounds[held.place])
    inside = held.value
    for _ in range(MOST):
        outside = inside + step
        beyond = (outside <= limit) if step < 0 else (outside >= limit)
        outside = limit if beyond else outside
        cost = held(outside)[0]
        if cost > wanted:
            return _crossed(held, wanted, inside, outside)
        if beyond:
            return limit
        inside, step = outside, step * WIDER
    return math.copysign(math.inf, step)


def _crossed(held: _Profiles, wanted: float, inside: float, outside: float) -> float:
    def over(v: float) -> float:
        return min(held(v)[0] - wanted, 1e6)

    if over(inside) >= 0:  # at the best itself, to rounding
        return inside
    tolerance = 1e-4 * abs(outside - inside) + 1e-300
    return float(brentq(over, inside, outside, xtol=tolerance, rtol=1e-10))
