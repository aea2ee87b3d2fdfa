"""Doubts of a fit: what its residuals, priors, bounds and uncertainties say against it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy import stats

from ...errors import Note, as_given, warn
from ...errors.interfaces import PYTHON, said
from ...errors.remedies import Code, Option, Words
from ...findings.fit import DECIDES, Fit
from ...trajectory import Trajectory
from .least_squares import NORMAL, NOTHING, Minimum, descend, merit
from .minima import sizes
from .model import Data, Model, NoMotion, is_function

FEW = 4  # numbers of a column below which nothing is compared
PLAINLY = 25.0  # of -2 log L, by which a constant must describe one column better
MARGIN = 10.0  # of the criterion, by which a motion must describe all of them better: less is found in noise too
TINY = 1e-9  # of the largest number of a column: what is left is rounding

SMALL, ROUNDING = 0.1, 1e-7  # chi2 for each degree of freedom; residuals over the size of the numbers
TIED = 0.5  # correlation of neighbouring residuals at which they hang together
TOO_GOOD = 1e-6  # chance of residuals so small, where the stated noise is right
ADDS = 0.99  # an uncertainty above this part of the prior's: the data say nothing
SCARCE = 3  # degrees of freedom below which an estimated noise is hardly known
EQUAL, OTHER = 4.0, 3.0  # rise of -2 log L of a minimum that is as good; uncertainties by which it is another one
OF_ONE = 0.01  # of the median uncertainty of a column: a number so sure outweighs all others
FAR = 1000.0  # times the guess: another unit, perhaps
EXPLAINED = {"W572", "W574", "W576"}  # why a constant may describe the record as well
Doubts = Iterator[tuple[str, Words]]


class Reached(NamedTuple):
    """Where a search came to.

    Attributes:
        first: the best minimum.
        best: the same, nearer to the guess along what is not seen.
        wanted: how many starts were asked for.
    """

    first: Minimum
    best: Minimum
    wanted: int


def doubts(fit: Fit, model: Model, reached: Reached, root: np.ndarray) -> list[Note]:
    """All doubts as notes; those that are warnings are shown, once."""
    best = reached.best
    found: list[Note] = []
    for part in (
        _of_motion(fit),
        _of_noise(fit),
        _of_priors(fit, model, best),
        _of_outliers(fit, model, best, root),
        _of_neighbours(fit),
        _of_uncertainties(fit),
        _of_search(fit, model, reached),
        _of_bounds(fit, model),
        _of_worth(fit),
        _of_sampling(fit, model),
        _of_columns(fit, model),
    ):
        for code, words in part:
            if code == "W568" and EXPLAINED & {note.code for note in found}:
                continue
            found.append(warn(code, words, 6) if code.startswith("W") else Note(code, said(words, PYTHON)))
    return found


def _of_motion(fit: Fit) -> Doubts:
    """A motion that its start does not determine: neither do the data determine what it is differentiated by."""
    for note in fit.path.audit.notes:
        code, _, told = note.partition(" ")
        if code == "W408":
            yield code, f"of the motion of the fit, {told}: values and uncertainties rest on what it was before"


def _of_noise(fit: Fit) -> Doubts:
    """What is left, beside the noise that is stated."""
    if fit.p_value is not None and fit.p_value < DECIDES:
        told = f"chi2 is {fit.chi2:.4g} for {fit.dof} degrees of freedom: {fit.principle} with these unknowns does not "
        yield "W555", f"{told}describe the data, and the uncertainties mean little"
    if fit.p_value is not None and not _rounded(fit) and stats.chi2.cdf(fit.chi2, fit.dof) < TOO_GOOD:
        ratio = math.sqrt(fit.dof / max(fit.chi2, 1e-300))
        told = f"what is left is {ratio:.3g} times smaller than the stated noise: "
        yield (
            "W576",
            (
                f"{told}are the uncertainties in another unit, or too large? ",
                Option("uncertainty", {fit.columns[0]: ...}),
            ),
        )
    if fit.dof == 0:
        yield "N561", "as many unknowns as numbers: any model would do, nothing is tested"
    elif fit.estimated and fit.dof < SCARCE:
        wide = float(stats.t.ppf(0.975, fit.dof))
        told = f"the noise of {', '.join(fit.estimated)} is estimated, with {fit.dof} degrees of freedom: "
        yield (
            "W569",
            (
                f"{told}95 % lie within {wide:.3g} uncertainties, not 2; give ",
                Option("uncertainty", {fit.columns[0]: ...}),
            ),
        )
    if len(fit) and fit.dof and _rounded(fit):
        told = "what is left is rounding: this is a computed record, or one that was smoothed or rounded, and the "
        yield "N578", f"{told}uncertainties are not those of a measurement"
    if fit.loss != "linear":
        yield "N562", f"with loss={as_given(fit.loss)} likelihood, AIC and BIC are those of Gaussian noise at the fit"


def _of_priors(fit: Fit, model: Model, best: Minimum) -> Doubts:
    """Priors against data, and those to which the data add nothing."""
    against = set()
    for each in conflicts(model, best, fit.loss):
        against.add(each.name)
        (m, s), (value, sigma) = each.prior, each.data
        told = f"the prior of {each.name}, {m:.6g} +- {s:.2g}, and the data alone, {value:.6g} +- {sigma:.2g}, are "
        yield "W574", f"{told}{each.apart:.3g} standard deviations apart: one of them is wrong, or the model is"
    u = model.unknowns
    for i in np.flatnonzero(u.has_prior):
        if u.names[i] not in against and fit.errors[u.names[i]] > ADDS * u.spread[i]:
            yield "N575", f"the data say nothing about {u.names[i]}: its value and uncertainty are those of the prior"
    for part in fit.unseen:
        yield "W556", f"the data do not see all unknowns; {part}"


def _of_outliers(fit: Fit, model: Model, best: Minimum, root: np.ndarray) -> Doubts:
    """Numbers that stand apart."""
    places, z = outliers(fit, root, best.jacobian) if fit.loss == "linear" else (np.empty(0, int), np.empty(0))
    if not len(places):
        return
    i = int(places[0])
    at = f"t = {fit.t[i]:.6g}" if math.isfinite(fit.t[i]) else f"row {int(model.data.row[i])}"
    told = f"{fit.columns[fit.column[i]]} = {fit.seen[i]:.6g} at {at} is {z[0]:.3g} standard deviations from the motion"
    more = f", and {len(places) - 1} more stand apart" if len(places) > 1 else ""
    yield "W570", (f"{told}{more}: leave it out if it is a mistake, or ", Option("loss", "huber"), " heeds it less")


def _of_worth(fit: Fit) -> Doubts:
    """Nothing is learnt from a record that a constant describes as well."""
    names = no_better(fit)
    if names:
        told = (
            f"a constant describes {', '.join(names)} about as well as the motion: the record does not show the motion"
        )
        yield "W568", f"{told} of the model, and the values and uncertainties mean nothing"


def _of_sampling(fit: Fit, model: Model) -> Doubts:
    """Motions of other frequencies pass through the same numbers."""
    for name, often, h in hardly_seen(fit, model):
        told = (
            f"{name} turns back {often:.2g} times between two rows, {h:.4g} apart: the record sees it twice a turn or "
        )
        yield "W581", f"{told}less, and motions of other frequencies pass through the same numbers"


def _of_columns(fit: Fit, model: Model) -> Doubts:
    """Columns of the record that nobody chose to leave out."""
    if any(str(column) != name for name, column in zip(fit.columns, model.columns, strict=True)):
        return
    space, record = model.equations.space, fit.record
    states = {s.name for s in (*space, *model.equations.states_of_multipliers)}
    others = [name for name in record.names if name not in states and name != record.time]
    if others and states.intersection(record.names) - {record.time} == set(fit.columns):
        yield "N582", f"of the record {', '.join(others)} {'are' if len(others) > 1 else 'is'} no state, and not fitted"


def _of_neighbours(fit: Fit) -> Doubts:
    """Residuals that hang together."""
    tied = _neighbours(fit)
    if tied > TIED and fit.dof > 2 and _left(fit):
        told = (
            f"neighbouring residuals hang together (correlation {tied:.2f}): the model lacks something, or the noise "
        )
        yield "W557", f"{told}is not independent; the uncertainties are too small"


def _of_uncertainties(fit: Fit) -> Doubts:
    """Uncertainties that make one number count for all, or that are not used."""
    for i, name in enumerate(fit.columns):
        sigma = fit.sigma[fit.column == i]
        if name not in fit.estimated and len(sigma) > 2 and sigma.min() < OF_ONE * np.median(sigma):
            told = f"the uncertainties of {name} go from {sigma.min():.2g} to {sigma.max():.2g}: "
            yield "W573", f"{told}the surest number outweighs all others; is one of them mistyped?"
        known = np.isfinite(fit.record.sigma(name)) if name in fit.record.uncertainty else np.zeros(0)
        if name in fit.estimated and known.any():
            told = f"the uncertainty of {name} is known for {known.sum()} of {len(known)} rows only: "
            yield "W579", f"{told}it is not used, and one is estimated for all rows"


def _of_search(fit: Fit, model: Model, reached: Reached) -> Doubts:
    """A search that has not ended, other minima, and values far from what was expected."""
    if reached.first.halted or fit.tried < reached.wanted:
        state = "it had not settled" if reached.first.halted else "other starts might have come to a better one"
        yield "W560", f"the search was interrupted at start {fit.tried} of {max(reached.wanted, 1)}: {state}"
    elif not fit.converged:
        yield "W560", ("the search ended before it had settled: give a better guess, or more ", Option("starts"))
    for values, rise in fit.minima:
        off = [n for n in fit if math.isfinite(fit.errors[n]) and abs(values[n] - fit[n]) > OTHER * fit.errors[n]]
        if rise < EQUAL and off:
            told = ", ".join(f"{n} = {values[n]:.6g} in place of {fit[n]:.6g}" for n in off[:3])
            bounds = Option("bounds", Code("{name: (low, high)}"))
            yield "W571", (f"another minimum is as good (-2 log L is {rise:.2g} higher): {told}; say which by ", bounds)
            break
    u = model.unknowns
    for name, kind, guess in zip(u.names, u.kinds, u.guess, strict=True):
        value, error = fit[name], fit.errors[name]
        if kind == "start" or not guess or not math.isfinite(error) or abs(value) <= OTHER * error:
            continue
        if not 1 / FAR < value / guess < FAR:
            told = f"{name} = {value:.4g} is {value / guess:.3g} times its guess {guess:.4g}"
            yield "W577", f"{told}: is the record in other units than the model, or its time?"


def _of_bounds(fit: Fit, model: Model) -> Doubts:
    """Unknowns at bounds; 0 is where a coefficient ends by itself."""
    u, names = model.unknowns, ", ".join(fit.at_bound)
    ends = {n: (low, high) for n, low, high in zip(u.names, u.low, u.high, strict=True)}
    given = [n for n in fit.at_bound if min(abs(end) for end in ends[n]) > 0]
    if given:
        told = ", ".join(f"{n} stands at its bound {fit[n]:.6g}" for n in given)
        yield "W572", (f"{told}: the data want it beyond, and say no more about it; other ", Option("bounds"), "?")
    if fit.at_bound and len(fit.at_bound) < len(fit):
        yield "N567", f"the uncertainties of the others are those with {names} at its bound; see interval()"


def _rounded(fit: Fit) -> bool:
    """Is what is left no more than rounding?"""
    return bool(np.abs(fit.seen - fit.predicted).max(initial=0.0) <= ROUNDING * np.abs(fit.seen).max(initial=1e-300))


def _left(fit: Fit) -> bool:
    """Is what is left more than rounding, and not far below the noise?"""
    size = max(float(np.std(fit.seen)), 1e-300)
    return bool(fit.chi2 > SMALL * fit.dof and float(np.max(fit.residuals**2 * fit.sigma**2)) > (ROUNDING * size) ** 2)


def _neighbours(fit: Fit) -> float:
    """The correlation of residuals that follow each other in time, the largest over the columns with 20 of them."""
    found = 0.0
    for i in range(len(fit.columns)):
        r = fit.residuals[fit.column == i]
        if len(r) >= 20 and np.isfinite(fit.t[fit.column == i]).all() and float(r @ r) > 0:
            found = max(found, float(r[1:] @ r[:-1] / (r @ r)))
    return found


# --- is the motion worth more than a constant? ------------------------------------------------------------------------


def no_better(fit: Fit) -> tuple[str, ...]:
    """The columns that a constant describes about as well as the motion: all of them, or one plainly better."""
    gains = {name: _gain(fit, fit.column == i) for i, name in enumerate(fit.columns)}
    known = {name: gain for name, gain in gains.items() if gain is not None}
    if known and len(known) == len(gains) and sum(known.values()) + 2 * len(known) <= 2 * len(fit) + MARGIN:
        return fit.columns
    return tuple(name for name, gain in known.items() if gain < -PLAINLY)


def _gain(fit: Fit, own: np.ndarray) -> float | None:
    """-2 log L of a constant less that of the motion; None where there is nothing to compare."""
    y, left, sigma = fit.seen[own], (fit.seen - fit.predicted)[own], fit.sigma[own]
    if len(y) < FEW or not np.isfinite(fit.t[own]).all():
        return None
    if fit.loss != "linear":  # Laplace's law, which heeds outliers less
        least = max(TINY * float(np.abs(y).max()), 1e-150)
        sizes = [max(float(np.abs(x).mean()), least) for x in (y - np.median(y), left)]
        return 2 * len(y) * float(np.log(sizes[0] / sizes[1]))
    weight = 1 / sigma**2
    off = y - float(weight @ y / weight.sum())
    if fit.columns[int(fit.column[own][0])] not in fit.estimated:
        return float(weight @ off**2 - weight @ left**2)
    least = len(y) * max(TINY * float(np.abs(y).max()), 1e-150) ** 2
    return float(len(y) * (np.log(max(off @ off, least)) - np.log(max(left @ left, least))))


# --- priors against data ---------------------------------------------------------------------------------------------
# What priors and data say apart: the data alone choose theta_0, the prior its mean m, with what is known of each.
#     z = (m - theta_0)/sqrt(s^2 + var(theta_0))
#
# A prior that is far narrower than the data are sure wins against them in silence, and where the noise is estimated
# from what is left, it grows until both seem to agree; so the data are asked alone, with their own noise.

APART = 4.0  # standard deviations of the difference: less than one chance in 10,000


class Conflict(NamedTuple):
    """An unknown of which data and prior say different things."""

    name: str
    prior: tuple[float, float]
    data: tuple[float, float]
    apart: float


def conflicts(model: Model, best: Minimum, loss: str) -> Iterator[Conflict]:
    """The unknowns whose prior contradicts the data."""
    u = model.unknowns
    if not u.has_prior.any() or len(model.data) <= len(u):
        return
    alone = _by_data(model, best, loss)
    if alone is None:
        return
    spread = _spreads(alone.jacobian, sizes(model, alone.theta))
    for i in np.flatnonzero(u.has_prior):
        m, s, found = float(u.mean[i]), float(u.spread[i]), float(alone.theta[i])
        apart = abs(m - found) / math.hypot(s, spread[i])
        if apart > APART:
            yield Conflict(u.names[i], (m, s), (found, float(spread[i])), apart)


def _by_data(model: Model, best: Minimum, loss: str) -> Minimum | None:
    """The best minimum without priors, from the fit and from the guess."""
    u = model.unknowns
    nothing = np.full(len(u), math.nan)
    free = model.on(unknowns=replace(u, mean=nothing, spread=nothing))
    found = []
    for theta in (best.theta, u.guess):
        try:
            found.append(descend(free, theta, loss))
        except NoMotion:
            continue
    return min(found, key=merit, default=None)


def _spreads(jacobian: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Standard deviations of the unknowns by the data, infinite along what these do not see."""
    _, s, Vt = np.linalg.svd(jacobian * size, full_matrices=True)
    s = np.r_[s, np.zeros(len(size) - len(s))]
    blind = s <= NOTHING * s.max(initial=0.0)
    share = Vt.T**2
    known = np.sqrt((share[:, ~blind] / s[~blind] ** 2).sum(axis=1)) * size
    return np.where((share[:, blind] > NOTHING).any(axis=1), math.inf, known)


# --- outliers --------------------------------------------------------------------------------------------------------
# Numbers that stand apart from all others: what is left of them, over the scatter of the rest, is no chance.
#     z_i = r_i/sqrt(1 - h_i),   h_i = J_i C J_i^T
#
# h being the leverage. The scatter of a column is the larger of its known uncertainty and of the median of |z|, which
# one wild number does not change; the chance of the largest z of K numbers is K times that of one (Bonferroni).

CHANCE = 1e-4  # of meeting one by accident, in a whole record
SHARE = 0.1  # of a column's numbers: more than that are no exceptions, but a model that fails
OUTLIER_ROUNDING = 1e-7  # of the size of the numbers: what is left is rounding, which has no law


def outliers(fit: Fit, root: np.ndarray, jacobian: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(places, z): numbers of a fit that stand apart, the farthest first, and by how many standard deviations.

    Args:
        fit: by least squares.
        root: (d, k), root root^T is the covariance of the unknowns.
        jacobian: (K + priors, d), derivatives of the residuals over the noise.
    """
    count = len(fit.seen)
    if fit.dof < 2 or not count:
        return np.empty(0, int), np.empty(0)
    leverage = np.clip(((jacobian[:count] @ root) ** 2).sum(axis=1), 0, 1 - 1e-6)
    z = np.abs(fit.residuals) / np.sqrt(1 - leverage)
    wild = np.zeros(count, bool)
    for i, name in enumerate(fit.columns):
        own = fit.column == i
        if own.sum() > 3:
            usual = NORMAL * float(np.median(z[own]))
            scatter = max(usual, 1e-300) if name in fit.estimated else max(1.0, usual)
            z[own] /= scatter
            left = np.abs(fit.residuals[own] * fit.sigma[own])
            rounded_residuals = left <= OUTLIER_ROUNDING * np.abs(fit.seen[own]).max()
            # Student's law, for the scatter is known from few numbers where they are few; Gauss' where it is known
            dof = fit.dof - 1 if name in fit.estimated else np.inf
            wild[own] = (2 * count * stats.t.sf(z[own], max(dof, 1)) < CHANCE) & ~rounded_residuals
            wild[own] &= wild[own].sum() <= max(1, SHARE * own.sum())
    places = np.flatnonzero(wild)
    return places[np.argsort(-z[places])], np.sort(z[places])[::-1]


# --- aliasing --------------------------------------------------------------------------------------------------------
# Does a record see how often the motion turns? At even intervals h a motion is seen as others are, too (aliasing).
#     cos(2 pi f t)  and  cos(2 pi (n/h - f) t)  are equal at all  t = k h
#
# A motion that turns back between almost any two rows, twice a turn of f = 1/(2h), may be any of these.

OFTEN = 0.9  # turns back between two rows, in the mean
FEWEST, MOST, FINE = 8, 200, 64  # rows that are judged, and places looked at between two
EVEN = 0.1  # of an interval: times that are off an even step by more tell such motions apart
SWING = 0.1  # of a column's range: smaller turns are not counted


def hardly_seen(fit: Fit, model: Model) -> Iterator[tuple[str, float, float]]:
    """(column, its turns back between two rows, the interval h) of each column that is seen twice a turn or less."""
    for i, name in enumerate(fit.columns):
        t = np.unique(fit.t[fit.column == i])[: MOST + 1]
        if is_function(model.columns[i]) or len(t) < FEWEST or not _even(t):
            continue
        h = float(np.median(np.diff(t)))
        inside = np.linspace(t[0], t[-1], FINE * (len(t) - 1) + 1)
        # one end of the two may be a turn that is not seen as one
        often = (_turns(_shown(model, fit.path, fit.theta, i, inside)) + 0.5) / (len(t) - 1)
        if often >= OFTEN:
            yield name, often, h


def _even(t: np.ndarray) -> bool:
    """Are the times on a grid of one step?"""
    h = float(np.median(np.diff(t)))
    places = (t - t[0]) / h
    return bool(np.isfinite(t).all() and np.abs(places - np.round(places)).max() < EVEN)


def _shown(model: Model, path: Trajectory, theta: np.ndarray, column: int, t: np.ndarray) -> np.ndarray:
    """One column along the motion of the fit, nothing where it is not kept between its rows."""
    t = t[(t >= path.t[0]) & (t <= path.t[-1])]
    nothing, rows = np.zeros(len(t)), np.arange(len(t))
    points = Data(model.data.names[column : column + 1], t, nothing, np.zeros(len(t), int), rows, nothing, (len(t),))
    one = replace(model, columns=(model.columns[column],)).on(data=points)
    try:
        return one.seen_on(path, theta)
    except NoMotion:
        return nothing


def _turns(x: np.ndarray) -> int:
    """How often numbers turn back by more than a small part of their range."""
    least = SWING * float(np.ptp(x)) if len(x) else 0.0
    if not least > 0:
        return 0
    way, far, turns = 0, x[0], 0
    for value in x[1:]:
        if way * (value - far) > 0 or (not way and abs(value - far) > least):
            way, far = way or (1 if value > far else -1), value
        elif way and way * (far - value) > least:
            way, far, turns = -way, value, turns + 1
    return turns
