"""A path: its way in the plane, its columns over time, its ends in numbers, its audit."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ...trajectory import Audit, Trajectory
from .curve_sampling import SampledPath, thinned
from .markup import NO_UNITS, Html, Units, course, join, listed, number, table, tag, text, way, with_unit
from .svg import Mark, Picture, Polyline, figure

# --- the audit -------------------------------------------------------------------------------------------------------

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


def audit_fragment(audit: Audit) -> Html:
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


MULTIPLIER, ENERGY = "lam_", "energy"
PANELS, ROWS, EVENTS = 9, 24, 40  # figures and rows of tables in a notebook; times of events that are listed


def fragment(path: Trajectory, units: Units = NO_UNITS) -> Html:
    """What a notebook shows: title, outcome, figures, numbers, audit."""
    who = f"{path.provenance.get('title') or 'System'}: {path.provenance.get('principle', 'path')}"
    parts = [tag("h3", who), outcome(path)]
    if len(path):
        parts += [figures(path, units, PANELS), ends(path, units, ROWS)]
    return join([*parts, events(path), audit_fragment(path.audit)])


def outcome(path: Trajectory) -> Html:
    """Over what time, and why it ended."""
    if not len(path):
        return tag("p", "No samples: ", path.outcome)
    span = ("t = ", number(path.t[0]), " to ", number(path.t[-1]), f", {len(path)} samples: {path.outcome}")
    return tag("p", *span)


def figures(
    path: Trajectory, units: Units = NO_UNITS, most: int | None = None, names: Iterable[str] | None = None
) -> Html:
    """The way in the plane where there are columns x and y, then columns over time, `most` in all."""
    sampled = SampledPath.of(path)
    wanted = list(path.names if names is None else names)
    shown = [plan([("", sampled, path)], units)] if names is None and in_plane(path) else []
    shown += [
        over_time(name, [("", sampled)], units, path) for name in wanted[: None if most is None else most - len(shown)]
    ]
    left = len(wanted) - (most - 1 if most and in_plane(path) else most or len(wanted))
    more = [tag("p", f"{left} more columns are in the table or in path.names.", class_="small")] if left > 0 else []
    return join([tag("div", *shown, class_="figures"), *more])


def in_plane(path: Trajectory) -> bool:
    """Are there columns x and y, to be drawn over each other?"""
    return {"x", "y"} <= set(path.names) and len(path) > 0


def plan(paths: Sequence[tuple[str, SampledPath, Trajectory]], units: Units = NO_UNITS) -> Html:
    """Paths in the plane of x and y, from the dot to the crosses; ``(label, sampled, path)`` each."""
    curves, marks = [], []
    for i, (label, sampled, _) in enumerate(paths):
        x, y = sampled.columns["x"], sampled.columns["y"]
        curves.append(Polyline(x, y, label, i))
        if len(x):
            marks += [
                Mark(float(x[-1]), float(y[-1]), "cross", i),
                *([Mark(float(x[0]), float(y[0]))] if not i else []),
            ]
    told = ". ".join(f"{label}{': ' if label else ''}{way(s.columns['x'], s.columns['y'])}" for label, s, _ in paths)
    ends = "crosses" if len(paths) > 1 else "cross"
    axes = (with_unit("x", units), with_unit("y", units))
    return figure(Picture(f"y over x, from the dot to the {ends}", axes, curves, marks, equal=True, told=told))


def over_time(
    name: str, paths: Sequence[tuple[str, SampledPath]], units: Units = NO_UNITS, path: Trajectory | None = None
) -> Html:
    """One column over time, of one path or several; events of `path` are ticks."""
    curves = [Polyline(*s.over_time(name), label, i) for i, (label, s) in enumerate(paths) if name in s.columns]
    told = ". ".join(f"{label}{': ' if label else ''}{course(name, s.t, s.columns[name])}"
                     for label, s in paths if name in s.columns)  # fmt: skip
    marks = []
    if path is not None:
        inside = [float(t) for m in path.marks.values() for t in m.t[:EVENTS]]
        marks = [Mark(t, float(path[name][0]), "tick") for t in inside]
    whose = f", {curves[0].label}" if len(curves) == 1 and curves[0].label else ""
    return figure(Picture(f"{name} over time{whose}", ("t (s)", with_unit(name, units)), curves, marks, told=told))


def lines(
    caption: str, y: str, t: np.ndarray, rows: dict[str, np.ndarray], *, log: str = "", level: float | None = None
) -> Html:
    """Several quantities over time on common axes."""
    curves = [Polyline(*thinned(t, v), label, i) for i, (label, v) in enumerate(rows.items())]
    told = ". ".join(course(label, t, v) for label, v in rows.items())
    return figure(Picture(caption, ("t (s)", y), curves, log=log, told=told, level=level))


def ends(path: Trajectory, units: Units = NO_UNITS, most: int | None = None) -> Html:
    """Each column at the start and at the end, with its smallest and largest value among the samples."""
    rows: list[Sequence[Any]] = []
    for i, name in enumerate(path.names[:most]):
        v = path.values[:, i]
        rows.append((with_unit(name, units), number(v[0]), number(v[-1]), number(v.min()), number(v.max())))
    title = "Columns" if most is None or len(path.names) <= most else f"The first {most} of {len(path.names)} columns"
    return table(("column", "at the start", "at the end", "smallest", "largest"), rows, f"{title}, of the samples")


def events(path: Trajectory) -> Html:
    """How often each event happened, and when; what contacts do, and since when."""
    return join([_happened(path), _contacts(path)])


def _happened(path: Trajectory) -> Html:
    if not path.marks:
        return Html()
    rows = []
    for name, marks in path.marks.items():
        times = join([number(t) for t in marks.t[:EVENTS]], ", ")
        more = f" and {len(marks) - EVENTS} more" if len(marks) > EVENTS else ""
        rows.append((name, f"{len(marks)}", join([times, more]) if len(marks) else "never"))
    return table(("event", "times", "at t (s)"), rows, "Events")


def _contacts(path: Trajectory) -> Html:
    """The modes of contacts, each with the time from which on it is kept."""
    if not path.modes:
        return Html()
    rows = [(number(t), name, mode) for t, name, mode in path.modes[:EVENTS]]
    more = f", the first {EVENTS} of {len(path.modes)}" if len(path.modes) > EVENTS else ""
    return table(("from t (s)", "contact", "mode"), rows, f"Contacts{more}")
