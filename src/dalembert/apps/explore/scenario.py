"""What a page is asked to show: a system, principles, and starts to begin from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ...argument_checks import mapping, names, overriding
from ...calculus.quantity import seconds
from ...calculus.symbols import by_name
from ...equations import Equations, Start
from ...errors import DalembertError, InvalidValue, as_given
from ...event import Event
from ...model.system import System
from ...numerics.families.equilibrium_branches import Branch
from ...numerics.families.orbit_family import Orbits
from ...principles.principle_table import PRINCIPLES
from ...scene import guessed
from ...study.study import CompareSpec, RunSpec, Study
from .. import runs
from ..study_inputs import inputs_as_parameters
from .page_functions import forces, said

_GUESSES = (0.0, 0.5, 1.0)  # for coordinates that nobody gave; the first that leads to a start
_USUAL = ("nonholonomic", "vakonomic")


@dataclass(frozen=True)
class Formed:
    """A principle, its equations, and their starts by name of the entry."""

    name: str
    equations: Equations
    starts: Mapping[str, Start]


@dataclass(frozen=True)
class Scenario:
    """What is shown.

    Attributes:
        study: the system with its title and sources; of a `System` alone one without runs.
        formed: the principles that have a motion from the first entry.
        entries: starts that every one of these has.
        notes: what was left out and why, and what was guessed.
        branch: of steady or periodic motions, whose rows are starts too.
    """

    study: Study
    formed: tuple[Formed, ...]
    entries: tuple[RunSpec, ...]
    notes: tuple[str, ...] = ()
    branch: Branch | Orbits | None = None

    @property
    def system(self) -> System:
        """The system."""
        return self.study.system


def scenario(
    thing: Study | System,
    principles: Sequence[str] | None = None,
    start: Mapping[str, object] | None = None,
    parameters: Mapping[str, object] | None = None,
    until: float | None = None,
    t: float = 0.0,
) -> Scenario:
    """What is shown of a study or a system; `t` is when a start that is given begins.

    Raises:
        InvalidValue: E307, a study that has no run and no comparison, where no start is given; E307, an input that is
            no number.
        DalembertError: of a principle that was asked for, or of the first start under every principle.
    """
    study = thing if isinstance(thing, Study) else Study(thing.title, thing, thing.cite, name="system")
    own = overriding(parameters)
    study, lost = inputs_as_parameters(study, None if start is None else own)
    named = () if principles is None else names(principles, "principles", "E308", some=False)
    wanted = named or _principles(study)
    last = study.system.explore.until if until is None else seconds(until, "until")
    if start is not None:
        start = mapping(start, "the start", "E241", 'start={"x": 0.0, ...}')
        entries = [RunSpec("start", "", start, t=t, until=t + 1.0 if last is None else last, parameters=own)]
        return _scenario(study, wanted, entries, bool(named))
    entries = _entries(study)
    if last is not None:
        entries = [replace(each, until=last) for each in entries]
    if entries:
        made = _scenario(study, wanted, entries, bool(named))
        return replace(made, notes=(*made.notes, *lost))
    if isinstance(thing, Study):
        fact = f"{study.name} has no [[run]] and no [[compare]], so no start is known"
        raise InvalidValue("E307", fact, "add a [[run]] table; dalembert new shows one")
    return _guessed(study, wanted, 5.0 if last is None else last, bool(named))


def _principles(study: Study) -> tuple[str, ...]:
    """The two that are compared everywhere, but where contacts act the nonholonomic, and those that the file names."""
    system = study.system
    usual = ("free",) if not system.constraints else _USUAL[:1] if system.contacts else _USUAL
    return tuple(dict.fromkeys((*usual, *runs.named_in(study))))


def _entries(study: Study) -> list[RunSpec]:
    """Comparisons first: their time is one over which principles are worth comparing; each start once."""
    found: dict[str, RunSpec] = {}
    specs: tuple[RunSpec | CompareSpec, ...] = (*study.compares, *study.runs)
    for spec in specs:
        own = dict(spec.start)
        key = repr((sorted((k, repr(v)) for k, v in own.items() if not k.startswith("lam_")), dict(spec.parameters)))
        entry = spec if isinstance(spec, RunSpec) else spec.like(RunSpec, principle="")
        old = found.get(key)
        found[key] = entry if old is None else _joined(old, entry)
    return list(found.values())


def _joined(old: RunSpec, new: RunSpec) -> RunSpec:
    """One start under its first name, with the multipliers and the events of both."""
    return acted_on(replace(old, start={**new.start, **old.start}), new.events)


def acted_on(entry: RunSpec, events: Sequence[Event]) -> RunSpec:
    """The entry with further events."""
    names = {event.name for event in entry.events}
    return replace(entry, events=(*entry.events, *(event for event in events if event.name not in names)))


def _scenario(study: Study, wanted: Sequence[str], entries: Sequence[RunSpec], demanded: bool) -> Scenario:
    for each in entries:
        if each.until <= each.t:
            fact = f"until = {each.until:g} does not lie after the start, t = {each.t:g}"
            raise InvalidValue("E302", fact, "give a later time")
    study = study.freed(entries[0].parameters)
    formed, notes, first = [], [], None
    for name in wanted:
        try:
            formed.append(_formed(study, name, entries))
        except DalembertError as error:
            if demanded:
                raise
            first = first or error
            notes.append(f"{name} is not shown: {error.fact} [{error.code}]")
    if not formed:
        raise first or InvalidValue("E308", "no principle is named", f"one of {', '.join(PRINCIPLES)}")
    shared = [entry for entry in entries if all(entry.name in each.starts for each in formed)]
    notes += [f"the start {e.name} is left out: {_why(e, study)}" for e in entries if e not in shared]
    notes += said(formed[0].equations)
    return Scenario(study, tuple(formed), tuple(shared), (*notes, *guessed(study.system)))


def _why(entry: RunSpec, study: Study) -> str:
    """Why a start is not on the page."""
    own = [name for name in entry.parameters if name in study.system.defined]
    return f"it gives {own[0]} a value, which follows from others here" if own else "not every principle has it"


def _formed(study: Study, name: str, entries: Sequence[RunSpec]) -> Formed:
    """A principle with all starts that it has; the first is needed."""
    equations = runs.equations(study, name)
    forces(equations)
    starts = {entries[0].name: _start(equations, entries[0])}
    for entry in entries[1:]:
        try:
            starts[entry.name] = _start(equations, entry)
        except DalembertError:
            continue
    return Formed(name, equations, starts)


def _start(equations: Equations, entry: RunSpec) -> Start:
    """The start of an entry; multipliers that are states and were not given are 0."""
    own = {s.name for s in equations.states_of_multipliers}
    given: dict[str, object] = dict.fromkeys(own, 0.0)
    start = by_name(entry.start, "the start", lambda key: key if isinstance(key, str) else as_given(key))
    given |= {k: v for k, v in start.items() if not k.startswith("lam_") or k in own}
    hold, guess = entry.hold or None, entry.guess or None
    return equations.start(
        t=entry.t, parameters=entry.parameters, project=entry.project, hold=hold, guess=guess, **given
    )


def _guessed(study: Study, wanted: Sequence[str], until: float, demanded: bool) -> Scenario:
    """A start of a system of which none is known: velocities of 1, moved to the nearest that the constraints allow."""
    space, refusal = study.system.space, None
    turned = {s.name for a in space.attitudes.values() for s in a.coordinates}
    for guess in _GUESSES:
        start: dict[str, object] = dict.fromkeys(space.attitudes, "identity")
        start |= {q.name: guess for q in space.coordinates if q.name not in turned}
        start |= {u.name: 1.0 for u in space.velocities}
        try:
            made = _scenario(study, wanted, [RunSpec("a guess", "", start, until=until, project="kinetic")], demanded)
        except DalembertError as error:
            refusal = refusal or error
            continue
        guessed = "no start was given: this one is a guess, near velocities of 1; the sliders move it"
        return replace(made, notes=(guessed, *made.notes))
    if refusal is not None and refusal.code[:2] != "E2":
        raise refusal
    fact = "no start is known of this system, and none could be guessed"
    raise InvalidValue("E307", fact, 'da.explore(system, "page.html", start={...})')
