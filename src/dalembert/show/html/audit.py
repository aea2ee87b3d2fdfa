"""The audit as a table: lights in words, numbers beside them."""

from __future__ import annotations

import math
from typing import Any

from ...trajectory import Audit
from .markup import Html, join, listed, number, table, tag, text

WORDS = {
    "ok": ("\u2713", "ok", "nothing was found wrong"),
    "suspect": ("!", "suspect", "a reason for doubt was found"),
    "failed": ("\u2717", "failed", "the run did not do what it should"),
}
TOP = 12  # constraints and momenta that are listed one by one


def light(verdict: str) -> Html:
    """The verdict as a sign, a word and a colour."""
    sign, word, meaning = WORDS.get(verdict, ("?", verdict, "no verdict of this name is known"))
    kind = verdict if verdict in WORDS else "failed"
    return tag("span", tag("span", sign, aria_hidden="true"), f" {word}", class_=f"light {kind}", title=meaning)


def fragment(audit: Audit) -> Html:
    """Verdict with reasons, what was kept and how well, what it cost, and remarks."""
    because = tag("div", "because", listed(audit.reasons), class_="because") if audit.reasons else ""
    return join(
        [
            tag("p", "Audit: ", light(audit.verdict)),
            because,
            table(("what was kept", "to within", "measured as"), list(_rows(audit)), class_="audit"),
            tag("p", _cost(audit), class_="small"),
            _remarks(audit),
        ]
    )


def _rows(audit: Audit) -> list[tuple[Any, ...]]:
    rows: list[tuple[Any, ...]] = []
    for name, residual in list(audit.constraints.items())[:TOP]:
        rows.append((f"constraint {name}", number(residual, 2), "largest |\u03c6| on the path"))
    if len(audit.constraints) > TOP:
        more = f"{len(audit.constraints) - TOP} more constraints"
        rows.append((more, number(audit.constraint_residual, 2), "the largest of all"))
    if math.isfinite(audit.energy_start):
        balance = join([text("unaccounted change; the energy goes from "), number(audit.energy_start),
                        text(" by "), number(audit.energy_change, 3)])  # fmt: skip
        rows.append(("energy against work", number(audit.work_balance, 2), balance))
    for name, change in list(audit.momenta.items())[:TOP]:
        rows.append((f"momentum {name}", number(change, 2), "largest change"))
    if math.isfinite(audit.margin):
        rows.append(("margin of rank", number(audit.margin, 3), "1 at the start, 0 where the motion is undetermined"))
    return rows


def _cost(audit: Audit) -> Html:
    seconds = [text(", "), number(audit.seconds, 3), text(" s")] if math.isfinite(audit.seconds) else []
    counts = f"{audit.steps} steps, {audit.rejected} rejected, {audit.evaluations} evaluations"
    return join([text(counts), *seconds])


def _remarks(audit: Audit) -> Html:
    notes = audit.notes
    return tag("div", "Remarks", listed(notes), class_="notes") if notes else Html()
