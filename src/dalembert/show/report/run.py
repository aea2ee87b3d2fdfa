"""The report of one run."""

from __future__ import annotations

from ...trajectory import Trajectory
from ..html import audit, path
from ..html.markup import Html, join, tag
from ..html.path import MULTIPLIER
from . import parts, provenance
from .page import Section, page
from .parts import Material

MOST = 24  # columns drawn


def report(run: Trajectory, material: Material, title: str) -> str:
    """The page of a path."""
    principle = str(run.provenance.get("principle", "path"))
    runs, units = {principle: run}, material.units
    equations = next(iter(material.equations.values()), None)
    lead = join(
        [
            tag("p", f"One run under the principle {principle}. Audit: ", audit.light(run.audit.verdict)),
            path.outcome(run),
        ]
    )
    sections = [
        Section("The system", parts.given(material)),
        Section("Equations of motion", parts.follows(material)),
        Section("Parameters", parts.parameters(material, run.provenance.get("parameters", {}))),
        Section("Start", parts.start(runs, material)),
        Section("Motion", _motion(run, units)),
        Section("Multipliers", parts.multipliers(runs, units)),
        Section("Events", path.events(run)),
        Section("Audit", join([audit.fragment(run.audit), parts.kept(run, equations, units)])),
        Section("Notes and warnings", parts.notes(_notes(run, material))),
        Section("What this rests on", material.citations),
        Section("Provenance", provenance.fragment(run, material.command)),
    ]
    return page(title, lead, sections, f"Made by dalembert {run.provenance.get('versions', {}).get('dalembert', '')}")


def _motion(run: Trajectory, units: dict[str, str] | parts.Units) -> Html:
    if not len(run):
        return tag("p", "The path has no samples.")
    names = [name for name in run.names if not name.startswith(MULTIPLIER)]
    shown = [path.plan([("", path.Sampled.of(run), run)], units)] if path.in_plane(run) else []
    sampled = path.Sampled.of(run)
    shown += [path.over_time(name, [("", sampled)], units, run) for name in names[:MOST]]
    left = len(names) - MOST
    more = [tag("p", f"{left} more columns are in the table.", class_="small")] if left > 0 else []
    return join([tag("div", *shown, class_="figures"), *more, path.ends(run, units)])


def _notes(run: Trajectory, material: Material) -> list[tuple[str, tuple[object, ...]]]:
    groups: list[tuple[str, tuple[object, ...]]] = [("the run", run.audit.notes)]
    if material.system is not None:
        groups.insert(0, ("the system", material.system.notes))
    return groups + [(f"the {label} equations", e.notes) for label, e in material.equations.items()]
