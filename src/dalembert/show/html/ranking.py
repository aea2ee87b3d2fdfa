"""A ranking or a plan in a notebook: the verdict, and the numbers it is from."""

from __future__ import annotations

import math
from typing import Any

from ...findings.plan import Plan
from ...findings.ranking import CAVEAT, Candidate, Ranking
from .markup import Html, folded, join, listed, number, table, tag


def fragment(ranking: Ranking) -> Html:
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


def _score(x: float) -> Any:
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
