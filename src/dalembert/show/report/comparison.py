"""The report of a comparison: what the principles share, the term in which they differ, and what comes of it."""

from __future__ import annotations

from ...comparison import Comparison, Limit
from ..html import audit, comparison
from ..html.markup import Html, folded, join, tag
from . import parts, provenance
from .page import Section, page
from .parts import Material

MOST = 12  # columns drawn over time


def report(found: Comparison, material: Material, title: str) -> str:
    """The page of a comparison."""
    runs = dict(zip(found.principles, found.paths, strict=True))
    units = material.units
    values: dict[str, float] = {}
    for run in found.paths:
        values |= run.provenance.get("parameters", {})
    count = f"{len(found.principles)} motions from one start: {', '.join(found.principles)}."
    lead = join([tag("p", count), comparison.verdict(found)])
    sections = [
        Section("The system", parts.given(material)),
        Section("Equations under each principle", parts.follows(material)),
        Section("Parameters", parts.parameters(material, values)),
        Section("Start", parts.start(runs, material)),
        Section("Motions and their distance", join([comparison.figures(found, units, MOST), comparison.pairs(found)])),
        Section("Multipliers", parts.multipliers(runs, units)),
        Section("Audits", _audits(found, material)),
        Section("Notes and warnings", parts.notes(_notes(found, material))),
        Section("What this rests on", material.citations),
        Section("Provenance", _provenance(found, material)),
    ]
    versions = found.paths[0].provenance.get("versions", {})
    return page(title, lead, sections, f"Made by dalembert {versions.get('dalembert', '')}")


def limit(found: Limit, material: Material, title: str) -> str:
    """The page of a study of a limit."""
    versions = found.reference.provenance.get("versions", {})
    sections = [
        Section("The system", parts.given(material)),
        Section("Equations", parts.follows(material)),
        Section("Parameters", parts.parameters(material, found.reference.provenance.get("parameters", {}))),
        Section("Errors and their order", comparison.strengths(found)),
        Section("What this rests on", material.citations),
        Section("Provenance of the limit motion", provenance.fragment(found.reference, material.command)),
    ]
    lead = tag("div", tag("p", found.verdict), class_="verdict")
    return page(title, lead, sections, f"Made by dalembert {versions.get('dalembert', '')}")


def _audits(found: Comparison, material: Material) -> Html:
    shown = [comparison.runs(found)]
    for label, run in zip(found.principles, found.paths, strict=True):
        residuals = parts.kept(run, material.equations.get(label), material.units)
        shown.append(folded(f"Audit of {label}", audit.fragment(run.audit), residuals, open_=not run.ok))
    return join(shown)


def _provenance(found: Comparison, material: Material) -> Html:
    shown = [tag("p", "The command that made this page:"), tag("pre", material.command)] if material.command else []
    for label, run in zip(found.principles, found.paths, strict=True):
        shown.append(folded(f"The run {label}", provenance.fragment(run)))
    return join(shown)


def _notes(found: Comparison, material: Material) -> list[tuple[str, tuple[object, ...]]]:
    groups: list[tuple[str, tuple[object, ...]]] = []
    if material.system is not None:
        groups.append(("the system", material.system.notes))
    groups += [(f"the {label} equations", e.notes) for label, e in material.equations.items()]
    return groups + [(f"the run {label}", run.audit.notes)
                     for label, run in zip(found.principles, found.paths, strict=True)]  # fmt: skip
