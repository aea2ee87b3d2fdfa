"""What is said and drawn of a fit or a ranking."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from ..calculus.quantity import quantity
from ..findings.fit import Fit
from ..findings.ranking import Candidate, Ranking
from ..study.study import FitSpec, Study
from .process import OK, RUN
from .report import decided, undecided

LEVEL = 0.95  # of intervals
ADDS = 0.99  # an uncertainty above this part of the prior's: the data say nothing


def summary(study: Study, spec: FitSpec, found: Fit | Ranking) -> str:
    """The fit, its units, and what it decides; a ranking says so itself."""
    if not isinstance(found, Fit):
        return str(found)
    units = ", ".join(f"{name} in {unit}" for name, unit in units_of(study, found).items())
    words = {"decided": decided(found, of_prior(spec, found)), "undecided": undecided(found, of_prior(spec, found))}
    lines = [f"{word:<13}{line}" for word, told in words.items() for line in told]
    lines = [f"units        {units}", *lines] if units else lines
    return "\n".join([str(found), *(_below(line) for line in lines)])


def units_of(study: Study, fit: Fit) -> dict[str, str]:
    """Units of the unknowns, where the file says them."""
    known = {**{s.name: s for s in study.system.space}, **study.system.symbols}
    found = {name: study.system.unit(known[name]) for name in fit.names if name in known}
    return {name: unit for name, unit in found.items() if unit}


def _below(line: str) -> str:
    """A line broken below its second column."""
    import textwrap

    return "\n".join(textwrap.wrap(line, 80, subsequent_indent=" " * 15))


def of_prior(spec: FitSpec, fit: Fit) -> list[str]:
    """Unknowns of which the data say no more than the prior does."""
    spreads = {name: quantity(prior[1], name).value for name, prior in spec.question.guess.priors.items()}
    return [name for name, spread in spreads.items() if name in fit.errors and fit.errors[name] > ADDS * spread]


# --- for programs ----------------------------------------------------------------------------------------------------


def as_data(study: Study, spec: FitSpec, found: Fit | Ranking, intervals: bool = True) -> dict[str, object]:
    """A fit or a ranking for programs."""
    if isinstance(found, Fit):
        return {"units": units_of(study, found), **fit_data(found, of_prior(spec, found), intervals)}
    return ranking_data(found)


def fit_data(fit: Fit, of_prior: Sequence[str] = (), intervals: bool = True) -> dict[str, object]:
    """A fit for programs; each interval takes a few fits more."""
    found = [name for name in fit.names if intervals and math.isfinite(fit.errors[name])]
    return {
        "kind": "fit",
        "principle": fit.principle,
        "columns": list(fit.columns),
        "values": dict(fit),
        "sigma": dict(fit.errors),
        "intervals": {name: list(fit.interval(name, LEVEL)) for name in found},
        "level": LEVEL,
        "covariance": fit.covariance.tolist(),
        "correlation": fit.correlation.tolist(),
        "at_bound": list(fit.at_bound),
        "numbers": fit.numbers,
        "chi2": fit.chi2,
        "dof": fit.dof,
        "p_value": fit.p_value,
        "adequate": fit.adequate,
        "loglikelihood": fit.loglikelihood,
        "aic": fit.aic,
        "aicc": fit.aicc,
        "bic": fit.bic,
        "noise": dict(fit.noise),
        "estimated": list(fit.estimated),
        "residuals": _residuals(fit),
        "unseen": [{"names": list(each.names), "told": str(each)} for each in fit.unseen],
        "minima": [{"values": dict(values), "higher": rise} for values, rise in fit.minima],
        "tried": fit.tried,
        "converged": fit.converged,
        "loss": fit.loss,
        "decided": decided(fit, of_prior),
        "undecided": undecided(fit, of_prior),
        "notes": list(map(str, fit.notes)),
    }


def _residuals(fit: Fit) -> dict[str, object]:
    """Of each column: how many numbers, root mean square and largest of what is left, in units and over the noise."""
    found: dict[str, Any] = {}
    for i, name in enumerate(fit.columns):
        own = fit.column == i
        left, over = (fit.seen - fit.predicted)[own], fit.residuals[own]
        found[name] = {
            "numbers": int(own.sum()),
            "rms": float(np.sqrt(np.mean(left**2))) if own.any() else None,
            "largest": float(np.abs(left).max(initial=0.0)),
            "rms_over_noise": float(np.sqrt(np.mean(over**2))) if own.any() else None,
            "largest_over_noise": float(np.abs(over).max(initial=0.0)),
        }
    return found


def code(data: Sequence[Mapping[str, Any]]) -> int:
    """3 where a search has not ended."""
    return OK if all(each.get("converged", True) for each in data) else RUN


def ranking_data(ranking: Ranking) -> dict[str, object]:
    """A ranking for programs."""
    return {
        "kind": "ranking",
        "criterion": ranking.criterion,
        "columns": list(ranking.columns),
        "numbers": ranking.numbers,
        "best": ranking.best.label,
        "decided": ranking.decided,
        "remaining": list(ranking.remaining),
        "rejected": ranking.rejected,
        "failed": ranking.failed,
        "undecided": [list(pair) for pair in ranking.undecided],
        "ties": [asdict(tie) for tie in ranking.ties],
        "nested": [asdict(pair) for pair in ranking.nested],
        "later": ranking.later,
        "ray": ranking.ray,
        "candidates": [_candidate(each) for each in ranking],
        "verdict": ranking.verdict,
        "notes": list(map(str, ranking.notes)),
    }


def _candidate(candidate: Candidate) -> dict[str, object]:
    fit = candidate.fit
    return {
        "label": candidate.label,
        "principle": candidate.principle,
        "remains": candidate.remains,
        "difference": candidate.difference,
        "weight": candidate.weight,
        "rejected": list(candidate.rejected),
        "failed": candidate.failed,
        "later": candidate.forecast and {"score": candidate.forecast.score, "p_value": candidate.forecast.p_value},
        "ray": candidate.passages and {"score": candidate.passages.score, "crossings": len(candidate.passages)},
        "fit": None if fit is None else fit_data(fit, intervals=False),
    }
