"""A fit, a ranking or a plan: values with their uncertainties, data and model, what is left, the verdict."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...findings.fit import Fit
from ...findings.plan import Plan
from ...findings.ranking import CAVEAT, Candidate, Ranking
from ..fit import curves_of
from .markup import NO_UNITS, Html, Units, course, folded, join, listed, number, table, tag, with_unit
from .svg import Picture, Polyline, figure

SAMPLES, PANELS = 600, 8  # points of the model's curve; columns drawn


def fragment(fit: Fit, units: Units = NO_UNITS) -> Html:
    """What a notebook shows: title, values, figures, what is not known."""
    title = tag("h3", f"{fit.title or 'System'}: {fit.principle}")
    return join([title, judged(fit), values(fit, units), figures(fit, units), unknown(fit)])


def judged(fit: Fit) -> Html:
    """How well the model describes the data."""
    numbers = f"{fit.numbers} numbers of {', '.join(fit.columns)}"
    if fit.p_value is None:
        said = "whether the model is right cannot be told from chi2: it was scaled, or the loss is not linear"
        return tag("p", f"{numbers}; {fit.dof} degrees of freedom; {said}.")
    word = "such as the noise makes it" if fit.adequate else "more than the noise makes"
    parts = (", chi2 = ", number(fit.chi2, 5), f" for {fit.dof} degrees of freedom, p = ", number(fit.p_value, 2))
    return tag("p", numbers, *parts, f": what is left is {word}.")


def values(fit: Fit, units: Units = NO_UNITS) -> Html:
    """The unknowns and the noise."""
    rows = [(with_unit(name, units), number(fit[name], 8), _about(fit, name)) for name in fit.names]
    noise = [
        (with_unit(f"noise of {name}", {f"noise of {name}": units.get(name, "")}), number(s, 3),
         "estimated from what is left" if name in fit.estimated else "as stated")
        for name, s in fit.noise.items()
    ]  # fmt: skip
    return table(("unknown", "value", "standard uncertainty"), [*rows, *noise], "Values")


def _about(fit: Fit, name: str) -> object:
    error = fit.errors[name]
    if name in fit.at_bound:
        return "at its bound"
    return number(error, 3) if math.isfinite(error) else "not seen by the data"


def unknown(fit: Fit) -> Html:
    """What the data do not see, and doubts."""
    return listed([*(f"Not seen: {each}" for each in fit.unseen), *fit.notes])


# --- figures ---------------------------------------------------------------------------------------------------------


def figures(fit: Fit, units: Units = NO_UNITS) -> Html:
    """Data and model in the plane or over time, then what is left."""
    if not np.isfinite(fit.t).all():
        return Html()
    curves = curves_of(fit, SAMPLES)
    plane = {"x", "y"} <= set(fit.columns) and {"x", "y"} <= set(curves)
    shown = [_in_plane(fit, curves, units)] if plane else []
    shown += [_over_time(fit, i, curves, units) for i in range(min(len(fit.columns), PANELS))]
    return tag("div", *shown, residuals(fit), class_="figures")


def _in_plane(fit: Fit, curves: dict[str, np.ndarray], units: Units) -> Html:
    x, y = (np.asarray(fit.record[name], float) for name in ("x", "y"))
    lines = [Polyline(x, y, "seen", 1, dots=True), Polyline(curves["x"], curves["y"], "model", 0)]
    axes = with_unit("x", units), with_unit("y", units)
    return figure(Picture("Data and model, y over x", axes, lines, equal=True))


def _over_time(fit: Fit, i: int, curves: dict[str, np.ndarray], units: Units) -> Html:
    name, own = fit.columns[i], fit.column == i
    lines = [Polyline(fit.t[own], fit.seen[own], "seen", 1, dots=True)]
    lines += [Polyline(curves["t"], curves[name], "model", 0)] if name in curves else []
    told = course(name, fit.t[own], fit.seen[own])
    return figure(Picture(f"{name} over time: data and model", ("t (s)", with_unit(name, units)), lines, told=told))


def residuals(fit: Fit) -> Html:
    """(seen - predicted)/noise over time."""
    lines = [
        Polyline(fit.t[fit.column == i], fit.residuals[fit.column == i], name, i, dots=True)
        for i, name in enumerate(fit.columns[:PANELS])
    ]
    told = f"largest {np.abs(fit.residuals).max(initial=0.0):.3g} standard deviations of the noise"
    axes = ("t (s)", "(seen \u2212 model)/noise")
    return figure(Picture("What is left, over the noise", axes, lines, told=told, level=0.0))


# --- rankings and plans ----------------------------------------------------------------------------------------------


def ranking_fragment(ranking: Ranking) -> Html:
    """Verdict, table, notes."""
    title = f"{ranking.title or 'System'}: {len(ranking)} candidates"
    what = f"{ranking.numbers} numbers of {', '.join(ranking.columns)}"
    head = ["candidate", "k", "chi2/dof", "p", ranking.criterion, "weight", "later rows", "ray"]
    return join(
        [
            tag("h3", title),
            tag("div", *(tag("p", line) for line in ranking.verdict.splitlines()), class_="verdict"),
            table(head, [_row(c) for c in ranking.candidates], what),
            folded("Remarks", listed([*map(str, ranking.notes), CAVEAT])),
        ]
    )


def _row(c: Candidate) -> tuple[Any, ...]:
    if c.fit is None:
        return (c.label, c.failed, *[""] * 6)
    f = c.fit
    known = f.p_value is not None
    per, p = (number(f.chi2 / f.dof, 3), number(f.p_value or 0.0, 2)) if known else ("-", "-")
    scores = [_score(x.score if x else math.nan) for x in (c.forecast, c.passages)]
    return c.label, str(f.counted), per, p, number(c.difference, 4), number(c.weight, 2), *scores


def _score(x: float) -> object:
    return "-" if math.isnan(x) else "none" if math.isinf(x) else number(x, 3)


def plan(found: Plan) -> Html:
    """What to try, and how far apart the two are in each design."""
    title = f"{found.title or 'System'}: {' or '.join(found.between)}"
    head = [*found.best.values, *(f"if {label}" for label in found.between), "chance"]
    rows = [
        (*(number(v) for v in d.values.values()), *(_score(s.sigmas) for s in d.separations), number(d.chance, 2))
        for d in found.designs
    ]
    remarks = listed([*found.why, *map(str, found.notes)])
    return join([tag("h3", title), tag("div", tag("p", found.advice), class_="verdict"), table(head, rows), remarks])
