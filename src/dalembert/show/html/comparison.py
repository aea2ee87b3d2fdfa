"""A comparison: the paths in one figure, the distance over time, a sentence of verdict for every pair."""

from __future__ import annotations

import math

import numpy as np

from ...comparison import VISIBLE, Comparison, Limit
from .curve_sampling import SampledPath, thinned
from .markup import NO_UNITS, Html, Units, course, join, listed, number, table, tag
from .path import in_plane, light, over_time, plan
from .svg import Picture, Polyline, figure

LEAST = 1e-17  # a logarithm has no 0
COLUMNS = 6  # over time, beside the plan


def fragment(comparison: Comparison, units: Units = NO_UNITS) -> Html:
    """What a notebook shows."""
    title = f"{comparison.title or 'System'}: {len(comparison.principles)} motions from one start"
    return join(
        [
            tag("h3", title),
            verdict(comparison),
            figures(comparison, units, COLUMNS),
            runs(comparison),
            pairs(comparison),
        ]
    )


def verdict(comparison: Comparison) -> Html:
    """One sentence a pair."""
    return tag("div", *(tag("p", pair.verdict) for pair in comparison.pairs), class_="verdict")


def figures(comparison: Comparison, units: Units = NO_UNITS, most: int | None = None) -> Html:
    """The plan, the distance, then the columns in which the paths come farthest apart."""
    sampled = [
        (label, SampledPath.of(path)) for label, path in zip(comparison.principles, comparison.paths, strict=True)
    ]
    shown = []
    if all(in_plane(path) for path in comparison.paths):
        shown.append(plan([(*pair, path) for pair, path in zip(sampled, comparison.paths, strict=True)], units))
    shown.append(distance(comparison))
    shown += [over_time(name, sampled, units) for name in _apart(comparison)[:most]]
    return tag("div", *shown, class_="figures")


def _apart(comparison: Comparison) -> list[str]:
    """Columns that all paths have, those first that come farthest apart."""
    worst = np.max([np.abs(pair.differences).max(axis=0) for pair in comparison.pairs], axis=0)
    size = np.array(list(comparison.scales.values()))
    with np.errstate(divide="ignore", invalid="ignore"):
        order = np.argsort(-np.nan_to_num(worst / size), kind="stable")
    names = [comparison.columns[i] for i in order]
    return [name for name in names if all(name in path.names for path in comparison.paths)]


def distance(comparison: Comparison) -> Html:
    """The distance of every two, below it what the runs cannot tell."""
    curves, told = [], []
    for i, pair in enumerate(comparison.pairs):
        t, d = thinned(pair.t, pair.distance)
        _, known = thinned(pair.t, pair.known)
        label = f"{pair.first} - {pair.second}"
        curves.append(Polyline(t, np.where(d > LEAST, d, np.nan), label, i))
        step = np.linspace(0, len(pair.t) - 1, min(len(pair.t), 200)).astype(int)
        known = np.where(np.isfinite(pair.known), pair.known, np.nan)[step]
        curves.append(Polyline(pair.t[step], known, "known no better than this", None))
        told.append(course(f"The distance {label}", pair.t, pair.distance))
    return figure(
        Picture(
            "Distance over the motion's size; the line across is 1 %, which an eye sees",
            ("t (s)", "distance"),
            curves,
            log="y",
            told=". ".join(told),
            level=VISIBLE,
        )
    )


def runs(comparison: Comparison) -> Html:
    """Each run with its light and its end."""
    rows = []
    for label, path in zip(comparison.principles, comparison.paths, strict=True):
        audit = path.audit
        found = join([light(audit.verdict), listed(audit.reasons)])
        rows.append((label, found, path.outcome, number(audit.constraint_residual, 2), number(audit.work_balance, 2)))
    return table(("run", "audit", "outcome", "constraints kept to", "energy unaccounted"), rows, "Runs")


def pairs(comparison: Comparison) -> Html:
    """The numbers of every pair."""
    rows = []
    for pair in comparison.pairs:
        seen = "never" if math.isnan(pair.parts_at) else number(pair.parts_at)
        at_end, largest, known = (number(v, 3) for v in (pair.at_end, pair.largest, float(pair.known.max())))
        rows.append((f"{pair.first} - {pair.second}", seen, largest, at_end, known))
    head = ("pair", "1 % apart at t (s)", "largest distance", "at the end", "known to")
    return table(head, rows, f"Distances, over {', '.join(comparison.columns)}")


def limit(found: Limit, _units: Units = NO_UNITS) -> Html:
    """A study of a limit: the verdict, error over strength, and the order."""
    sentence = tag("div", tag("p", found.verdict), class_="verdict")
    return join(
        [tag("h3", f"{found.title or 'System'}: {found.penalty} to {found.principle}"), sentence, strengths(found)]
    )


def strengths(found: Limit) -> Html:
    """Error over strength as a figure and as a table."""
    s, used = found.strengths, found.asymptotic
    errors = np.where(found.errors > 0, found.errors, np.nan)
    curves = [Polyline(s, errors, "error", 0), Polyline(s, errors, "", 0, dots=True)]
    if used.any():
        curves.append(Polyline(s[used], errors[used], "in the regression", 1))
    told = "; ".join(f"strength {a:.3g}: error {b:.3g}" for a, b in zip(s, found.errors, strict=True))
    axes = ("strength of the penalty", "largest distance")
    picture = Picture(f"Error over strength: {found.penalty} to {found.principle}", axes, curves, log="xy", told=told)
    rows = []
    for i, strength in enumerate(s):
        order = number(found.orders[i - 1], 4) if i else ""
        row = (number(strength), number(found.errors[i], 3), order, "yes" if used[i] else "no")
        rows.append((*row, light(found.paths[i].audit.verdict)))
    head = ("strength", "error", "order", "in the regression", "audit")
    return join([tag("div", figure(picture), class_="figures"), table(head, rows, "Strengths")])
