"""From a minimum to a `Fit`: uncertainties, likelihood, what is not seen, and what is to be doubted."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import stats

from ...errors import InvalidValue
from ...findings.fit import Fit, Unseen
from ...record import Record
from ...trajectory import as_times, check_times
from .data import Data
from .descend import Minimum, merit
from .doubts import Reached, doubts
from .grounded import grounded, sizes
from .model import Model, NoMotion, is_function
from .profile import interval, profile
from .seen import NOTHING, described

LOST = 1e-3  # of the largest change of all, that is no rounding of none
AT_BOUND, HARDLY = 1e-6, 1e-3  # of an unknown's size; share of an unknown in a direction that is none


def finished(model: Model, record: Record, minima: Sequence[Minimum], loss: str, tried: int, wanted: int = 0) -> Fit:
    """The fit at the best of the minima that so many starts of those wanted came to."""
    u, data = model.unknowns, model.data
    bound = _at_bound(model, minima[0])
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
    model: Model, best: Minimum, t: Any, root: np.ndarray, null: np.ndarray
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


def _at_bound(model: Model, best: Minimum) -> tuple[str, ...]:
    u = model.unknowns
    near = np.minimum(best.theta - u.low, u.high - best.theta) <= AT_BOUND * u.size
    return tuple(n for n, at in zip(u.names, near, strict=True) if at)


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
