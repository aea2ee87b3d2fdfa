"""The page itself, and what reports share: the start, what the constraints left over, notes, citations, provenance.

What typesets formulas is imported where there are formulas: a stored path has a page without SymPy.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...spelling import typed
from ...trajectory import Trajectory
from ..html.curve_sampling import SampledPath
from ..html.markup import FRAGMENT, PAGE, Html, Units, folded, join, listed, number, pairs, table, tag, text, with_unit
from ..html.path import ENERGY, MULTIPLIER, lines, over_time

if TYPE_CHECKING:
    from ...equations import Equations

# --- the page --------------------------------------------------------------------------------------------------------

# nothing is loaded from anywhere: the page's own style and pictures inside it are all
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


class Section(NamedTuple):
    """A heading and what stands below it."""

    heading: str
    content: Html


def page(title: str, lead: Html, sections: Sequence[Section], foot: str = "") -> str:
    """A whole page; sections without content are left out."""
    shown = [s for s in sections if s.content]
    links = [tag("a", s.heading, href=f"#s{i}") for i, s in enumerate(shown, 1)]
    body = [
        tag("header", tag("h1", title), lead),
        tag("nav", listed(links), aria_label="Sections"),
        tag("main", *(tag("section", tag("h2", s.heading), s.content, id=f"s{i}") for i, s in enumerate(shown, 1))),
        tag("footer", foot),
    ]
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=POLICY),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="referrer", content="no-referrer"),
        tag("title", title),
        tag("style", Html(PAGE + FRAGMENT)),
    )
    return "<!DOCTYPE html>\n" + tag("html", head, tag("body", join(body, "\n"), class_="dalembert"), lang="en") + "\n"


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
    sampled, shown = SampledPath.of(path), []
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


def residuals(path: Trajectory, equations: Equations, sampled: SampledPath) -> dict[str, np.ndarray]:
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
        sampled = SampledPath.of(path)
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


# --- provenance ------------------------------------------------------------------------------------------------------

INPUTS = ("title", "principle", "parameters", "start", "t0", "until", "rtol", "atol", "method", "step", "order",
          "stabilisation")  # fmt: skip
SHOWN = ("principle", "method", "order", "step", "rtol", "atol", "stabilisation", "t0", "until", "max_step", "seed")


def digest(provenance: Mapping[str, object]) -> str:
    """SHA-256 of the inputs of a run as JSON with sorted keys: what was computed, not where or by which version."""
    inputs = {key: provenance[key] for key in INPUTS if key in provenance}
    return hashlib.sha256(json.dumps(inputs, sort_keys=True, default=str).encode()).hexdigest()


def fragment(path: Trajectory, command: str = "") -> Html:
    """The provenance of one run."""
    p = path.provenance
    if not p:
        return tag("p", "The path carries no provenance.")
    rows: list[tuple[str, Any]] = [(key, _shown(p[key])) for key in SHOWN if p.get(key) is not None]
    versions = p.get("versions", {})
    rows.append(("versions", ", ".join(f"{name} {v}" for name, v in versions.items())))
    rows += [(key, str(p[key])) for key in ("python", "platform") if p.get(key)]
    rows.append(("hash of the inputs", tag("code", f"sha256:{digest(p)}", class_="tex")))
    return join([pairs(rows), again(path, command)])


def again(path: Trajectory, command: str = "") -> Html:
    """What to type to get the same numbers."""
    typed = [tag("p", "The command that made this page:"), tag("pre", command)] if command else []
    code = script(path)
    if not code:
        return join(typed)
    events = " and events=[...] as they were" if path.marks else ""
    said = f"In Python, with the same system{events}:"
    return join([*typed, folded(said, tag("pre", code), open_=not command)])


def script(path: Trajectory) -> str:
    """The call of `simulate` with all inputs to the last bit; "" where the path does not know them."""
    p = path.provenance
    if not {"principle", "start", "until"} <= set(p) or not str(p["principle"]).isidentifier():
        return ""
    start = {**p["start"], **({"t": p["t0"]} if p.get("t0") else {})}
    options = {key: p[key] for key in ("rtol", "atol", "method", "step", "order") if p.get(key) is not None}
    if p.get("method") in ("dop853", "taylor"):  # which have none; old files name one
        options.pop("order", None)
    lines = ["import dalembert as da", "", "path = da.simulate(", f"    {typed(p['principle'])}(system),"]
    lines += [f"    {_literal(start)},", f"    until={_literal(p['until'])},"]
    lines += [f"    parameters={_literal(p.get('parameters', {}))},"]
    lines += [f"    {key}={_literal(value)}," for key, value in options.items()]
    stabilisation = str(p.get("stabilisation", ""))
    lines += [f"    stabilisation=da.methods.{stabilisation},"] if stabilisation else []
    return "\n".join([*lines, ")"])


def _literal(value: Any) -> str:
    """A value as Python writes it, numbers to the last bit."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{str(k)!r}: {_literal(v)}" for k, v in value.items()) + "}"
    return repr(float(value)) if hasattr(value, "dtype") else repr(value)


def _shown(value: object) -> Html:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return number(value)
    return text(json.dumps(value) if isinstance(value, Mapping | list | tuple) else value)
