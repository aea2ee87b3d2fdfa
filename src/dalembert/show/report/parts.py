"""What reports of runs and of comparisons share: the start, what the constraints left over, notes, citations.

What typesets formulas is imported where there are formulas: a stored path has a page without SymPy.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...trajectory import Trajectory
from ..html.markup import Html, folded, join, listed, number, table, tag
from ..html.path import ENERGY, MULTIPLIER, lines, over_time
from ..html.sampled import Sampled
from ..html.words import Units, with_unit

LEAST = 1e-17  # residuals below it are left out of a logarithm
NO_EQUATIONS = "The equations are not part of this report: what is stored holds numbers and names, no formulas. "
GIVE_THEM = "Give equations=... or system=... to da.report."


@dataclass(frozen=True)
class Material:
    """What a report is made of, besides the motions.

    Attributes:
        system: the system, if it is known.
        equations: by label of the run.
        starts: `Start` objects by label of the run, where they are known.
        citations: as HTML.
        command: what was typed.
        source: the text of the system file.
        verdict: sentences on what the data decide, of a fit.
    """

    system: Any = None
    equations: Mapping[str, Any] = field(default_factory=dict)
    starts: Mapping[str, Any] = field(default_factory=dict)
    citations: Html = field(default_factory=Html)
    command: str = ""
    source: str = ""
    verdict: tuple[str, ...] = ()

    @property
    def units(self) -> Units:
        """Units of columns and parameters by name."""
        if self.system is None:
            return {}
        from ..html import system as model

        found = model.units_of(self.system)
        return {**found, **({ENERGY: unit} if (unit := self.system.unit(self.system.lagrangian)) else {})}


def given(material: Material) -> Html:
    """The system as it was given."""
    if material.system is None:
        return tag("p", NO_EQUATIONS, GIVE_THEM)
    from ..html import system as model

    source = [folded("The system as a file", tag("pre", material.source))] if material.source else []
    return join([model.given(material.system), *source])


def follows(material: Material) -> Html:
    """The equations under each principle, side by side, the terms marked in which they differ."""
    if not material.equations:
        return Html()
    from ..html import equations as typeset

    sides: list[Html] = []
    marks: set[str] = set()
    for label, equations in material.equations.items():
        marks |= typeset.kinds(equations)
        sides.append(tag("div", tag("h3", label), typeset.statement(equations)))
    return join([typeset.legend(marks), tag("div", *sides, class_="sides")])


def parameters(material: Material, values: Mapping[str, float]) -> Html:
    """The parameters with the values of a run."""
    if material.system is not None:
        from ..html import system as model

        return model.parameters(material.system, values)
    rows = [(name, number(v)) for name, v in values.items()]
    return table(("parameter", "value"), rows, "Parameters") if rows else tag("p", "There are no parameters.")


def start(runs: Mapping[str, Trajectory], material: Material) -> Html:
    """The state each run began with, and where each value is from."""
    known = {label: _origin(label, path, material) for label, path in runs.items()}
    names = list(dict.fromkeys(name for path in runs.values() for name in _first(path)))
    told = any(known.values())
    head = ["state", *(f"{label}{column}" for label in runs for column in ([": value", ": from"] if told else [""]))]
    if len(runs) == 1:
        head = ["state", "value", *(["from"] if told else [])]
    rows = []
    for name in names:
        cells: list[Any] = [with_unit(name, material.units)]
        for label, path in runs.items():
            first = _first(path)
            cells.append(number(first[name], 10) if name in first else "not a state here")
            cells += [known[label].get(name, "") if name in first else ""] if told else []
        rows.append(cells)
    t0 = next(iter(runs.values())).provenance.get("t0", 0.0)
    return table(head, rows, join(["At t = ", number(t0), " s"]))


def _first(path: Trajectory) -> dict[str, float]:
    found = path.provenance.get("start")
    if found:
        return dict(found)
    return dict(zip(path.names[: path.states], path.values[0], strict=False)) if len(path) else {}


def _origin(label: str, path: Trajectory, material: Material) -> dict[str, str]:
    """How each value came to be, by name of the state; {} where nothing is known."""
    state = material.starts.get(label)
    if state is not None:
        follow, conventions, changed = state.follows, state.conventions, state.changes
    elif "follows" in path.provenance:
        follow, conventions, changed = path.provenance["follows"], {}, {}
    else:
        return {}
    found = dict.fromkeys(_first(path), "given")
    found |= dict.fromkeys(follow, "follows from the constraints")
    found |= {name: f"taken: {why}" for name, why in conventions.items()}
    return found | {name: f"moved by {by:.3g} to the constraints" for name, by in changed.items()}


def kept(path: Trajectory, equations: Any, units: Units) -> Html:
    """Energy and residuals of the constraints over time."""
    sampled, shown = Sampled.of(path), []
    if len(path) < 2:
        return Html()
    if ENERGY in sampled.columns:
        change = sampled.columns[ENERGY] - sampled.columns[ENERGY][0]
        axis = with_unit("change", {"change": units.get(ENERGY, "")})
        shown.append(lines("Energy less its value at the start", axis, sampled.t, {"energy change": change}))
    residual = residuals(path, equations, sampled) if equations is not None else {}
    if residual:
        rows = {name: np.where(np.abs(v) > LEAST, np.abs(v), np.nan) for name, v in residual.items()}
        caption = "Residuals of the constraints"
        if any(np.isfinite(v).any() for v in rows.values()):
            shown.append(lines(caption, "|\u03c6|", sampled.t, rows, log="y"))
        else:
            shown.append(tag("p", f"{caption}: below {LEAST:g} throughout."))
    return tag("div", *shown, class_="figures") if shown else Html()


def residuals(path: Trajectory, equations: Any, sampled: Sampled) -> dict[str, np.ndarray]:
    """phi of each constraint along the path; {} for what the path's columns do not determine."""
    if not set(equations.states) <= set(sampled.columns) or not equations.constraints:
        return {}
    from ...calculus.graph import evaluate

    values = {**path.provenance.get("parameters", {}), **sampled.columns, "t": sampled.t}
    try:
        found = evaluate(equations.machine.phi, values)
    except KeyError:  # a parameter that the path does not know
        return {}
    return {c.name: np.broadcast_to(np.asarray(v, float), sampled.t.shape)
            for c, v in zip(equations.constraints, found, strict=True)}  # fmt: skip


def multipliers(runs: Mapping[str, Trajectory], units: Units) -> Html:
    """Every multiplier over time; those of one principle are reactions, of another states: never on common axes."""
    shown = []
    for label, path in runs.items():
        sampled = Sampled.of(path)
        for name in path.names:
            if name.startswith(MULTIPLIER):
                shown.append(over_time(name, [(label if len(runs) > 1 else "", sampled)], units))
    return tag("div", *shown, class_="figures") if shown else Html()


def notes(groups: Iterable[tuple[str, Sequence[Any]]]) -> Html:
    """Notes and warnings, each once."""
    seen: dict[str, str] = {}
    for where, found in groups:
        for note in found:
            seen.setdefault(str(note), where)
    return listed([join([str(note), tag("span", f" ({where})", class_="small")]) for note, where in seen.items()])
