"""Prediction of what comes later from what came before: rows, and crossings of a ray.

The record is cut at some times. Up to each cut a candidate is fitted anew, and predicts the rows up to the next cut, so
that each later number is predicted once, by a fit that has not seen it.

The test [chow1960] is of the rise of the least chi2 from the rows before the first cut to all rows: if the candidate is
right it follows chi2 with as many degrees of freedom as there are later numbers, less the unknowns that only they show.
That allows for how well the earlier rows know the unknowns.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import stats

from ...errors import DalembertError, InvalidValue, as_given
from ...errors.remedies import Option
from ...findings.ranking import Forecast, Passages
from ..column_series import Series, between_rows, in_record, on_path
from ..fit.least_squares import NOTHING, Minimum, descend, merit, unseen
from ..fit.minima import on
from ..fit.model import Model, NoMotion
from ..fit.result import AT_BOUND
from .search import LOSS, CandidateMinima, until

FOLDS = 3
FINE = 4000  # points of a path between which crossings are looked for


def cuts(later: Any, times: np.ndarray, first: float) -> tuple[float, ...]:
    """Times at which the record is cut: from a share of its length, or as given.

    Raises:
        InvalidValue: E559, no share between 0 and 1, and no rising times within the record.
    """
    values, last = check_later(later), float(times.max())
    if np.ndim(later) == 0:
        # the rest in as many parts as there are folds
        ends = np.linspace(first + values[0] * (last - first), last, FOLDS + 1)
        return tuple(map(float, ends[:-1]))
    if not (first < values[0] and values[-1] < last):
        raise _no_cuts(later, ": neither a share of the record nor rising times in it")
    return tuple(map(float, values))


def check_later(later: Any) -> np.ndarray:
    """The share (1,), or the rising times (n,); E559 if it is neither."""
    try:
        values = np.atleast_1d(np.asarray(later, float))
    except (TypeError, ValueError, OverflowError):
        raise _no_cuts(later, " is no share of the record, nor times") from None
    share = np.ndim(later) == 0 and 0 < values[0] < 1
    if not (share or (np.ndim(later) == 1 and len(values) and (np.diff(values) > 0).all())):
        raise _no_cuts(later, ": neither a share of the record nor rising times in it")
    return values


def _no_cuts(later: object, why: str) -> InvalidValue:
    remedy = (Option("later", 0.5), " predicts the second half of the record; leave later out and nothing is predicted")
    return InvalidValue("E559", f"later = {as_given(later)}{why}", remedy)


class Earlier:
    """A candidate fitted to the rows up to each cut."""

    def __init__(self, found: CandidateMinima, at: Sequence[float]) -> None:
        self.found, self.cuts = found, tuple(at)
        self.parts = [until(found.model, cut) for cut in at]
        self.fits = [None if part is None else _fitted(part, found) for part in self.parts]

    @property
    def why(self) -> str:
        """Why nothing is predicted."""
        if not self.found.model.by_tangents:
            return "columns are functions of the whole path, which has no earlier part"
        if self.parts[0] is None:
            return "the earlier part has no more numbers than unknowns"
        return "" if self.fits[0] is not None else "no motion was found for the earlier part"


def _fitted(part: Model, found: CandidateMinima) -> Minimum | None:
    """From the best of the whole, and from the guess: the earlier rows alone choose between the two."""
    reached = []
    for theta in (found.best.theta, part.unknowns.guess):
        try:
            reached.append(descend(part, theta, LOSS))
        except NoMotion:
            continue
    return _still(min(reached, key=merit), found.best.theta, part) if reached else None


def _still(m: Minimum, theta: np.ndarray, part: Model) -> Minimum:
    """The same minimum, unknowns that these rows do not see left where all rows put them."""
    size = part.unknowns.size
    null = unseen(m.jacobian, size) if len(theta) else np.zeros((0, 0))
    away = (m.theta - theta) / size
    # d - N^T N d, in sizes
    return replace(m, theta=theta + size * (away - null.T @ (null @ away))) if len(null) else m


def forecast(earlier: Earlier, noise: np.ndarray) -> Forecast:
    """What the fits to earlier rows say of later ones, in units of a noise (K,) that is the same for all candidates."""
    if earlier.why:
        return Forecast(earlier.cuts, why=earlier.why)
    model = earlier.found.model
    times = model.data.t[model.data.row]
    ends = (*earlier.cuts[1:], math.inf)
    parts: list[tuple[np.ndarray, np.ndarray]] = []
    for cut, end, fit in zip(earlier.cuts, ends, earlier.fits, strict=True):
        mask = (times > cut) & (times <= end)
        if mask.any():
            parts.append((mask, _errors(model, mask, fit, noise)))
    if not parts:
        return Forecast(earlier.cuts, why="no number comes later")
    order = np.concatenate([np.flatnonzero(mask) for mask, _ in parts])
    errors = np.concatenate([e for _, e in parts])
    return Forecast(earlier.cuts, times[order], model.data.column[order], errors, *_surprise(earlier))


def _errors(model: Model, mask: np.ndarray, fit: Minimum | None, noise: np.ndarray) -> np.ndarray:
    if fit is None:
        return np.full(int(mask.sum()), math.inf)
    part = on(model, model.data.part(mask))
    try:
        return np.asarray((part.data.seen - part.values(fit.theta)) / noise[mask])
    except NoMotion:
        return np.full(int(mask.sum()), math.inf)


def _surprise(earlier: Earlier) -> tuple[float, int, float | None]:
    """The rise of the least chi2, its degrees of freedom, and the chance of a larger one."""
    model, part, early = earlier.found.model, earlier.parts[0], earlier.fits[0]
    assert part is not None and early is not None
    whole, unknown = earlier.found.best, model.data.unknown
    if unknown:
        # both with the noise that the earlier rows show
        noise = model.data.sigma.copy()
        for i in unknown:
            noise[model.data.column == i] = _median(early.noise[part.data.column == i])
        if not np.isfinite(noise).all():
            return math.nan, 0, None
        try:
            whole = descend(model, whole.theta, LOSS, noise)
        except NoMotion:
            return math.nan, 0, None
    rise = max(2 * (whole.cost - early.cost), 0.0)
    before = len(part.data) - _rank(early, model)
    dof = len(model.data) - _rank(whole, model) - before
    if dof <= 0 or (unknown and before <= 0):
        return rise, dof, None
    # each column has a noise of its own, known from as many rows
    own = before // len(part.data.names)
    p = stats.f.sf(rise / dof, dof, max(own, 1)) if unknown else stats.chi2.sf(rise, dof)
    return rise, dof, float(p)


def _median(noise: np.ndarray) -> float:
    return float(np.median(noise)) if len(noise) else math.nan


def _rank(m: Minimum, model: Model) -> int:
    """How many combinations of the unknowns the numbers see; a prior is counted among the numbers."""
    priors = int(model.unknowns.has_prior.sum())
    return len(m.theta) - len(unseen(m.jacobian, model.unknowns.size)) - priors


# --- crossings of a ray ----------------------------------------------------------------------------------------------

Guard = Callable[[np.ndarray], np.ndarray]  # of columns (N, c)


def passages(earlier: Earlier, guard: Guard, direction: int, noise: np.ndarray) -> Passages | None:
    """Crossings after the first cut, seen, and predicted by the fit up to it; None where nothing can be predicted."""
    if earlier.why:
        return None
    model, fit, cut = earlier.found.model, earlier.fits[0], earlier.cuts[0]
    assert fit is not None
    rows = _rows(model, noise)
    g = Series(rows.t, guard(rows.values)[:, None], _spread(guard, rows)[:, None])
    times, sigma_t = in_record(g, direction)
    values, sigma = between_rows(rows, times, sigma_t)
    later = times > cut
    count, names = int(later.sum()), model.data.names
    nothing = np.full(count, math.inf), np.full(count, math.nan)
    there = np.full((count, len(names)), math.nan)
    seen = Passages(times[later], sigma_t[later], *nothing, names, values[later], sigma[later], there)
    return _predicted(seen, model, fit, guard, direction) if count else seen


def _rows(model: Model, noise: np.ndarray) -> Series:
    """The fitted columns as a table, rows with a gap left out."""
    data = model.data
    shape = (len(data.t), len(data.names))
    values, sigma = np.full(shape, math.nan), np.full(shape, math.nan)
    values[data.row, data.column], sigma[data.row, data.column] = data.seen, noise
    whole = np.isfinite(values).all(axis=1)
    return Series(data.t[whole], values[whole], sigma[whole])


def _spread(guard: Guard, rows: Series) -> np.ndarray:
    """sigma^2 of g = sum (dg/dx sigma_x)^2, the slope by a difference over one sigma."""
    total = np.zeros(len(rows.t))
    for i in range(rows.values.shape[1]):
        step = np.zeros_like(rows.values)
        step[:, i] = rows.sigma[:, i]
        total += ((guard(rows.values + step) - guard(rows.values - step)) / 2) ** 2
    return np.sqrt(total)


def _predicted(seen: Passages, model: Model, fit: Minimum, guard: Guard, direction: int) -> Passages:
    """With the candidate's own crossings nearest to those that were seen, and how well they are known."""
    times, there = _crossed(model, fit.theta, guard, direction, seen.t)
    if not np.isfinite(times).all():
        return seen
    u, spread = model.unknowns, np.zeros(len(times))
    # sigma^2 = sum over independent directions of one standard deviation each of (t(theta + d) - t(theta))^2
    for d in _deviations(fit, model):
        sides = [np.clip(fit.theta + side * d, u.low, u.high) for side in (+1, -1)]
        shifts = [_crossed(model, theta, guard, direction, times)[0] - times for theta in sides]
        spread = np.hypot(spread, np.abs(shifts).max(axis=0))
    return replace(seen, predicted=times, sigma_predicted=spread, there=there)


def _crossed(
    model: Model, theta: np.ndarray, guard: Guard, direction: int, near: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The crossings next to some times, and the columns there; infinite and NaN where there is no motion or none."""
    nothing = np.full(len(near), math.inf), np.full((len(near), len(model.data.names)), math.nan)
    try:
        path = model.path(theta)
    except DalembertError:
        return nothing
    t, known = np.linspace(path.t[0], path.t[-1], FINE), model.known(theta)

    def columns(s: np.ndarray) -> np.ndarray:
        return model.observed.along(s, path.dense(s)[:, : path.states], known)

    times = on_path(lambda s: guard(columns(s)), t, direction)
    if not len(times):
        return nothing
    nearest = times[np.abs(times[None, :] - near[:, None]).argmin(axis=1)]
    return nearest, columns(nearest)


def _deviations(fit: Minimum, model: Model) -> np.ndarray:
    """Independent changes of the unknowns (k, d) of one standard deviation each: V/s of J D = U s V^T.

    Those that the rows see; an unknown at its bound stays there.
    """
    u = model.unknowns
    free = np.minimum(fit.theta - u.low, u.high - fit.theta) > AT_BOUND * u.size
    size = np.where(free, u.size, 0.0)
    _, s, Vt = np.linalg.svd(fit.jacobian * size, full_matrices=False)
    seen = s > NOTHING * s.max(initial=1e-300)
    return np.asarray(size * Vt[seen] / s[seen, None])
