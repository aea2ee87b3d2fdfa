"""The report of a fit or a ranking: the model, what was found of it, what the data decide and what they do not."""

from __future__ import annotations

from ...findings.fit import Fit
from ...findings.ranking import Ranking
from ..html import fit as fitted
from ..html import fragment
from ..html.markup import Html, folded, join, listed, number, pairs, table, tag
from . import page_parts
from .page_parts import Material, Section, page


def report(found: Fit, material: Material, title: str) -> str:
    """The page of a fit."""
    units = material.units
    lead = join([tag("p", f"Fitted under the principle {found.principle}."), fitted.judged(found)])
    known = {"AIC": found.aic, "AICc": found.aicc, "BIC": found.bic, "log likelihood": found.loglikelihood}
    rows = [(name, number(value, 8)) for name, value in known.items()]
    information = pairs([*rows, ("numbers", found.numbers), ("counted unknowns", found.counted), ("loss", found.loss)])
    sections = [
        Section("What the data decide", listed(material.verdict)),
        Section("Values", fitted.values(found, units)),
        Section("Data and model", fitted.figures(found, units)),
        Section("Correlations", _correlations(found)),
        Section("What the data do not see, and doubts", fitted.unknown(found)),
        Section("Information", information),
        *_model(material, found.path.provenance.get("parameters", {})),
        Section("The record", _record(found)),
        Section("What this rests on", material.citations),
        Section("The command", tag("pre", material.command) if material.command else Html()),
    ]
    return page(title, lead, sections, _foot(found))


def ranking(found: Ranking, material: Material, title: str) -> str:
    """The page of a ranking: the verdict, then each candidate."""
    fits = [(candidate, candidate.fit) for candidate in found if candidate.fit is not None]
    each = [
        folded(f"{candidate.label}: {'remains' if candidate.remains else 'rejected'}", fitted.judged(fit),
               fitted.values(fit, material.units), fitted.figures(fit, material.units), fitted.unknown(fit),
               open_=candidate is found.best)
        for candidate, fit in fits
    ]  # fmt: skip
    first = fits[0][1] if fits else None
    lead = tag("p", f"{len(found)} candidates held against {found.numbers} numbers of {', '.join(found.columns)}.")
    sections = [
        Section("What the data decide", fragment(found)),
        Section("The candidates", join(each)),
        *_model(material, first.path.provenance.get("parameters", {}) if first else {}),
        Section("The record", _record(first) if first else Html()),
        Section("What this rests on", material.citations),
        Section("The command", tag("pre", material.command) if material.command else Html()),
    ]
    return page(title, lead, sections, _foot(first) if first else "")


def _model(material: Material, values: dict[str, float]) -> list[Section]:
    return [
        Section("The system", page_parts.given(material)),
        Section("Equations of motion", page_parts.follows(material)),
        Section("Parameters", page_parts.parameters(material, values)),
    ]


def _correlations(found: Fit) -> Html:
    """The matrix, where there is more than one unknown."""
    if len(found.names) < 2:
        return Html()
    rows = [(name, *(number(v, 2) for v in row)) for name, row in zip(found.names, found.correlation, strict=True)]
    return table(("", *found.names), rows)


def _record(found: Fit) -> Html:
    """Where the data are from."""
    record = found.record
    told = {"source": record.source, **{k: v for k, v in record.provenance.items() if k in ("file", "sha256")}}
    done = listed(record.provenance.get("done", ()))
    return join([pairs([(k, v) for k, v in told.items() if v]), done, listed(record.notes)])


def _foot(found: Fit) -> str:
    return f"Made by dalembert {found.path.provenance.get('versions', {}).get('dalembert', '')}"
