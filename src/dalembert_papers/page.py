"""A paper worked through, as one page: printed and repaired formulas side by side, a line a claim, the figures."""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from dalembert.show.html.markup import Html, folded, join, maths, number, table, tag
from dalembert.show.report.page_parts import Section, page

from .claim import Claim, Kind
from .reproduction import Paper, Worked

_HEAD = ("place", "what", "claim", "what came out", "residual", "bound", "what breaks it")


def paged(paper: Paper, worked: Worked) -> str:
    """The page, which needs nothing else."""
    sections = [
        Section("What is printed otherwise", join(_erratum(claim) for claim in worked.claims if claim.erratum)),
        *(Section(chapter.title, _chapter(claims)) for chapter, claims in worked.chapters),
        Section("Figures", _figures(worked.figures)),
    ]
    lead = [tag("p", paper.about), tag("p", _verdict(worked.claims), class_="verdict")]
    return page(paper.title, join(lead), sections, f"dalembert reproduce, {paper.source}")


def _verdict(claims: Sequence[Claim]) -> str:
    """How many hold, of which kinds."""
    kinds = Counter(str(claim.kind or Kind.CONFIRMED) for claim in claims)
    told = ", ".join(f"{kinds[kind]} {kind}" for kind in Kind if kinds[kind])
    return f"{sum(claim.is_right for claim in claims)} of {len(claims)} claims hold: {told}."


def _chapter(claims: Sequence[Claim]) -> Html:
    """Claims as rows, the ones that are not right in sight, functions and names below."""
    rows = [
        (
            claim.where,
            tag("strong", claim.word) if not claim.is_right else claim.word,
            claim.sentence,
            claim.computed,
            _number(claim.residual),
            _number(claim.bound),
            ", ".join(claim.laws) or claim.slip or "\u2013",
        )
        for claim in claims
    ]
    used = sorted({function for claim in claims for function in claim.functions})
    functions = [folded("Public functions that work them out", tag("p", ", ".join(used)))] if used else []
    return join([table(_HEAD, rows), *functions])


def _number(value: float | None) -> Html | str:
    return "\u2013" if value is None else number(value, 2)


def _erratum(claim: Claim) -> Html:
    """What is printed beside what stands in its place, each with what came out, and why."""
    assert claim.erratum is not None
    printed, slip = claim.erratum.printed, claim.erratum.slip
    sides = [
        _side("printed", slip.printed, printed.statement, printed.computed, printed.holds),
        _side("instead", slip.repaired, claim.statement, claim.computed, claim.holds == claim.expected),
    ]
    head = tag("h3", f"{claim.where}: {slip.origin}")
    because = [tag("p", slip.derivation, class_="small")] if slip.derivation else []
    return tag("div", head, tag("div", *sides, class_="sides"), *because)


def _side(name: str, latex: str, statement: str, computed: str, holds: bool) -> Html:
    formula = [tag("div", maths(latex), class_="eq")] if latex else []
    verdict = tag("p", "holds" if holds else "does not hold", f": {computed}", class_="small")
    return tag("div", tag("p", tag("strong", name)), *formula, tag("p", statement), verdict)


def _figures(figures: Sequence[Sequence[Path]]) -> Html:
    """The pictures that were drawn, inside the page."""
    pictures = [next((file for file in files if file.suffix in _FORMS), None) for files in figures]
    return join(_picture(file) for file in pictures if file is not None)


_FORMS = {".svg": "image/svg+xml", ".png": "image/png"}


def _picture(file: Path) -> Html:
    data = base64.b64encode(file.read_bytes()).decode("ascii")
    name = file.stem.replace("_", " ")
    picture = tag("img", src=f"data:{_FORMS[file.suffix]};base64,{data}", alt=name, style="max-width:100%")
    return tag("figure", picture, tag("figcaption", name))
