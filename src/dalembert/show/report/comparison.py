"""Reports of a comparison (what the principles share, the term in which they differ, what comes of it) and of a run."""

from __future__ import annotations

from ...comparison import Comparison, Limit
from ...trajectory import Trajectory
from ..html import comparison, path
from ..html.markup import Html, folded, join, tag
from ..html.path import MULTIPLIER
from . import page_parts
from .page_parts import Material, Section, page

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
        Section("The system", page_parts.given(material)),
        Section("Equations under each principle", page_parts.follows(material)),
        Section("Parameters", page_parts.parameters(material, values)),
        Section("Start", page_parts.start(runs, material)),
        Section("Motions and their distance", join([comparison.figures(found, units, MOST), comparison.pairs(found)])),
        Section("Multipliers", page_parts.multipliers(runs, units)),
        Section("Audits", _audits(found, material)),
        Section("Notes and warnings", page_parts.notes(_notes(found, material))),
        Section("What this rests on", material.citations),
        Section("Provenance", _provenance(found, material)),
    ]
    versions = found.paths[0].provenance.get("versions", {})
    return page(title, lead, sections, f"Made by dalembert {versions.get('dalembert', '')}")


def limit(found: Limit, material: Material, title: str) -> str:
    """The page of a study of a limit."""
    versions = found.reference.provenance.get("versions", {})
    sections = [
        Section("The system", page_parts.given(material)),
        Section("Equations", page_parts.follows(material)),
        Section("Parameters", page_parts.parameters(material, found.reference.provenance.get("parameters", {}))),
        Section("Errors and their order", comparison.strengths(found)),
        Section("What this rests on", material.citations),
        Section("Provenance of the limit motion", page_parts.fragment(found.reference, material.command)),
    ]
    lead = tag("div", tag("p", found.verdict), class_="verdict")
    return page(title, lead, sections, f"Made by dalembert {versions.get('dalembert', '')}")


def _audits(found: Comparison, material: Material) -> Html:
    shown = [comparison.runs(found)]
    for label, run in zip(found.principles, found.paths, strict=True):
        residuals = page_parts.kept(run, material.equations.get(label), material.units)
        shown.append(folded(f"Audit of {label}", path.audit_fragment(run.audit), residuals, open_=not run.ok))
    return join(shown)


def _provenance(found: Comparison, material: Material) -> Html:
    shown = [tag("p", "The command that made this page:"), tag("pre", material.command)] if material.command else []
    for label, run in zip(found.principles, found.paths, strict=True):
        shown.append(folded(f"The run {label}", page_parts.fragment(run)))
    return join(shown)


def _notes(found: Comparison, material: Material) -> list[tuple[str, tuple[object, ...]]]:
    groups: list[tuple[str, tuple[object, ...]]] = []
    if material.system is not None:
        groups.append(("the system", material.system.notes))
    groups += [(f"the {label} equations", e.notes) for label, e in material.equations.items()]
    return groups + [(f"the run {label}", run.audit.notes)
                     for label, run in zip(found.principles, found.paths, strict=True)]  # fmt: skip


# --- a run -----------------------------------------------------------------------------------------------------------

MOST_EVENTS = 24  # columns drawn


def run_report(run: Trajectory, material: Material, title: str) -> str:
    """The page of a path."""
    principle = str(run.provenance.get("principle", "path"))
    runs, units = {principle: run}, material.units
    equations = next(iter(material.equations.values()), None)
    lead = join(
        [
            tag("p", f"One run under the principle {principle}. Audit: ", path.light(run.audit.verdict)),
            path.outcome(run),
        ]
    )
    groups: list[tuple[str, tuple[object, ...]]] = [("the run", run.audit.notes)]
    if material.system is not None:
        groups.insert(0, ("the system", material.system.notes))
    run_notes = groups + [(f"the {label} equations", e.notes) for label, e in material.equations.items()]
    sections = [
        Section("The system", page_parts.given(material)),
        Section("Equations of motion", page_parts.follows(material)),
        Section("Parameters", page_parts.parameters(material, run.provenance.get("parameters", {}))),
        Section("Start", page_parts.start(runs, material)),
        Section("Motion", _motion(run, units)),
        Section("Multipliers", page_parts.multipliers(runs, units)),
        Section("Events", path.events(run)),
        Section("Audit", join([path.audit_fragment(run.audit), page_parts.kept(run, equations, units)])),
        Section("Notes and warnings", page_parts.notes(run_notes)),
        Section("What this rests on", material.citations),
        Section("Provenance", page_parts.fragment(run, material.command)),
    ]
    return page(title, lead, sections, f"Made by dalembert {run.provenance.get('versions', {}).get('dalembert', '')}")


def _motion(run: Trajectory, units: dict[str, str] | page_parts.Units) -> Html:
    if not len(run):
        return tag("p", "The path has no samples.")
    names = [name for name in run.names if not name.startswith(MULTIPLIER)]
    shown = [path.plan([("", path.SampledPath.of(run), run)], units)] if path.in_plane(run) else []
    sampled = path.SampledPath.of(run)
    shown += [path.over_time(name, [("", sampled)], units, run) for name in names[:MOST_EVENTS]]
    left = len(names) - MOST_EVENTS
    more = [tag("p", f"{left} more columns are in the table.", class_="small")] if left > 0 else []
    return join([tag("div", *shown, class_="figures"), *more, path.ends(run, units)])
