"""The path of a motion through its modes: in the columns of the system with contacts, one segment for each mode."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import NamedTuple, cast

import numpy as np

from ...calculus.frame import TIME
from ...calculus.graph import Node, evaluate
from ...equations.contact_modes import Modes
from ...errors import Note, WrongType
from ...trajectory import Audit, Ending, Marks
from ...trajectory.interpolant import check_inside
from ..contacts.change import held_in
from ..contacts.instant import Eye, Opening
from . import audit
from .path_columns import PathColumns, marks_of
from .path_of_run import provenance
from .run_context import Made, Run, RunRequest, Spent


@dataclass(frozen=True, eq=False)
class ModeRun:
    """A run in one mode, with dense output.

    Attributes:
        made, request: it, and what was asked for.
        dense: its columns at any times inside.
        remarks: finds the notes on it.
        early: those of them that make it suspect.
        starts: nodes at which a stretch of it begins; it is several runs in its mode where they are several.
    """

    made: Made
    request: RunRequest
    dense: PathColumns
    remarks: Callable[[], Sequence[Note]]
    early: Sequence[Note]
    starts: np.ndarray = dataclasses.field(default_factory=lambda: np.zeros(1, int))

    @property
    def provenance(self) -> Mapping[str, object]:
        """How it was run."""
        return provenance(self.made.field, self.request)

    @property
    def run(self) -> Run:
        """What it gathered."""
        return self.made.run

    @property
    def t(self) -> np.ndarray:
        """The ends of its steps."""
        return self.dense.nodes[0]

    @property
    def names(self) -> tuple[str, ...]:
        """Of the columns of its mode."""
        return self.dense.names

    @property
    def states(self) -> int:
        """How many of them are states."""
        return len(self.made.field.equations.states)

    @property
    def ending(self) -> Ending:
        """How it ended, for programs."""
        return self.run.ending

    @property
    def outcome(self) -> str:
        """How it ended, in words."""
        return self.run.outcome

    @property
    def reached(self) -> bool:
        """Did it end where it should?"""
        return self.run.failure is None

    @property
    def poles(self) -> Mapping[str, float]:
        """Events whose guard changed its sign through infinity, and when first."""
        return self.run.doubts.poles

    @property
    def marks(self) -> Mapping[str, Marks]:
        """When its events happened."""
        return _Marked(self)


@dataclass(frozen=True, eq=False)
class _Marked(Mapping[str, Marks]):
    """The marks of a run in one mode, made when they are asked for."""

    mode_run: ModeRun

    def __getitem__(self, name: str) -> Marks:
        events = {guard.event.name: guard.event for guard in self.mode_run.request.events}
        return marks_of(events.get(name), self.mode_run.run.marks[name], self.mode_run.run, self.mode_run.dense)

    def __iter__(self) -> Iterator[str]:
        return iter(self.mode_run.run.marks)

    def __len__(self) -> int:
        return len(self.mode_run.run.marks)


def audits_of(found: Sequence[ModeRun]) -> list[Audit]:
    """Audits of runs, of their states; one for all that are in one mode."""
    groups: dict[object, list[ModeRun]] = {}
    for one in found:
        groups.setdefault(_kind(one), []).append(one)
    stretches = [sum(len(one.starts) for one in group) for group in groups.values()]
    return [_of_many(group) if n > 1 else _of_one(*group) for group, n in zip(groups.values(), stretches, strict=True)]


def _kind(one: ModeRun) -> object:
    """What those have in common that are evaluated together."""
    field = one.run.leg.field
    alone = len(one.run.legs) > 1 or one.run.failure is not None or bool(one.early)
    return id(one) if alone else (id(field.kernel), field.lean and field.lean.chosen, field.p.tobytes())


def _of_one(one: ModeRun) -> Audit:
    made, full = one.made, one.dense.nodes[1]
    return audit.examine(one.request.policy, made.run, made.rows, full, made.seconds, one.remarks, one.early)


def _of_many(runs: Sequence[ModeRun]) -> Audit:
    """Of runs with the same equations and parameters."""
    legs, policy = [one.run.leg for one in runs], runs[0].request.policy
    seen = audit.stretches(legs, [one.starts for one in runs])
    spent = reduce(_both, [one.run.spent for one in runs])
    whole = Run(legs, jumps=[jump for one in runs for jump in one.run.jumps], spent=spent)

    def notes() -> list[Note]:
        return list(dict.fromkeys(note for one in runs for note in one.remarks()))

    return audit.judge(policy, whole, seen, seen.y, sum(one.made.seconds for one in runs), notes)


def _both(a: Spent, b: Spent) -> Spent:
    """What two runs have done."""
    return Spent(a.steps + b.steps, a.rejected + b.rejected, a.evaluations + b.evaluations, min(a.margin, b.margin))


CHATTER, WITHIN = 100, 1e-9  # so many changes within this part of the run's length are no motion
_SOON = 1e-4  # of the first instant of a slip: earlier its direction is rounding


def along(
    path: ModeRun, t: np.ndarray, values: np.ndarray
) -> Iterator[tuple[np.ndarray, dict[str, np.ndarray | float]]]:
    """What is known on a path at times (N,), of which the columns are given: parts of the times with the same inputs,
    and values by name.
    """
    for leg, those in path.dense.parts(t):
        found = dict(zip(path.names, values[those].T, strict=False))
        yield those, {**leg.field.parameters, **found, TIME.name: t[those]}


@dataclass(frozen=True, eq=False)
class Segment:
    """The motion in one mode.

    Attributes:
        eye: sees the system.
        modes: of its contacts.
        path: in the columns of the mode's equations.
        forces: normal force and friction of the contacts that last, on a graph.
    """

    eye: Eye
    modes: Modes
    path: ModeRun
    forces: Mapping[str, list[Node]]

    @classmethod
    def of(cls, eye: Eye, modes: Modes, path: ModeRun) -> Segment:
        """With its forces read."""
        held = eye.contacts.in_run(modes)
        whole = eye.contacts.pressing
        forces = {name: [*([N] if name in whole else []), *held.friction[name]] for name, N in held.normal.items()}
        return cls(eye, modes, path, forces)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns: states, forces of contacts, multipliers of the system's constraints, energy, inputs."""
        equations = self.eye.equations
        forces = [name for names in self.eye.contacts.forces.values() for name in names]
        rest = [name for name in ("energy", *equations.system.inputs) if name in self.path.names]
        return (*equations.states, *forces, *(s.name for s in equations.multipliers), *rest)

    @cached_property
    def nodes(self) -> tuple[np.ndarray, np.ndarray]:
        """The ends of its steps (N,), states and work there (N, n + 1)."""
        return self.path.dense.nodes

    @property
    def lost(self) -> float:
        """By how much the energy changed within it by jumps."""
        return 0.0

    @property
    def kept(self) -> np.ndarray:
        """Which of its nodes are told (N,)."""
        return np.ones(len(self.nodes[0]), bool)

    @property
    def runs(self) -> Sequence[ModeRun]:
        """What it is audited by."""
        return [self.path]

    @property
    def told(self) -> np.ndarray:
        """The columns at its nodes."""
        return self.at(*self.nodes)

    @property
    def kind(self) -> object:
        """What segments have in common whose columns are told together."""
        legs = self.path.dense.legs
        if len(legs) > 1 or self.eye.equations.system.inputs:
            return id(self)
        return self.modes, id(self.eye), tuple(legs[0].field.parameters.values())

    def at(self, t: np.ndarray, full: np.ndarray) -> np.ndarray:
        """The columns at times (N,), of states and work there (N, n + 1)."""
        asked = bool(self.eye.equations.multipliers)  # those of contacts are told by `forces`
        return self.columns(t, self.path.dense.of(t, full, asked))

    def __call__(self, t: np.ndarray) -> np.ndarray:
        """The columns at times inside."""
        return self.columns(t, self.path.dense(t))

    def rows(self, t: np.ndarray) -> np.ndarray:
        """States and the work supplied since it began (len(t), n + 1) at times inside."""
        return self.path.dense.rows(t)

    def columns(self, t: np.ndarray, values: np.ndarray) -> np.ndarray:
        """The columns at times (N,), of those of the mode's equations."""
        found, watched = np.zeros((len(t), len(self.names))), self.eye.contacts.in_run(self.modes).watched
        for those, known in along(self.path, t, values):
            least = self._least(t[those], values[those], known) if watched else {}
            formulas = [node for name, nodes in self.forces.items() if name not in least for node in nodes]
            found_by = dict(zip(formulas, evaluate(formulas, known), strict=True)) if formulas else {}
            for name, columns in self.eye.contacts.forces.items():
                told = least[name] if name in least else [found_by[node] for node in self.forces.get(name, [])]
                known |= dict(zip(columns, [*told, *[0.0] * (len(columns) - len(told))], strict=True))
            for i, name in enumerate(self.names):
                found[those, i] = known[name]
        return found

    def _least(
        self, t: np.ndarray, values: np.ndarray, known: Mapping[str, np.ndarray | float]
    ) -> dict[str, list[np.ndarray]]:
        """Forces that are not unique, by contact: the least in the friction cones, at times (N,) one by one."""
        eye, n, whole, sides = self.eye, self.path.states, self.eye.contacts.pressing, dict(self.modes)
        given = {name: np.broadcast_to(x, len(values)) for name, x in known.items() if name in eye.parameters}
        system = eye.equations.system
        still = system.autonomous and not system.inputs
        rows: list[list[float]] = []
        for i, y in enumerate(values[:, :n]):
            if i and still and np.array_equal(y, values[i - 1, :n]):
                rows.append(rows[-1])
                continue
            now = eye.with_values({name: float(column[i]) for name, column in given.items()})
            problem, choices = held_in(now.see(t[i], y), self.modes)
            answer = problem.forces(choices)
            if answer is None:
                return {}
            each = ([answer.normal[name] * sides[name].side] if name in whole else [] for name in self.forces)
            rubs = (answer.friction[name].tolist() for name in self.forces)
            rows.append([e for pair in zip(each, rubs, strict=True) for part in pair for e in part])
        found, at, table = {}, 0, np.array(rows).T
        for name, nodes in self.forces.items():
            found[name], at = list(table[at : at + len(nodes)]), at + len(nodes)
        return found


class Passed(NamedTuple):
    """What happened at the changes within a segment that is several as one.

    Attributes:
        times: of all of them.
        said: ``(t, contact, word)`` of what does something else than before.
        hits: of each impact its time, its node, and the impulses by contact.
        bouncing: since when each contact has been bouncing at the end.
    """

    times: Sequence[float]
    said: Sequence[tuple[float, str, str]]
    hits: Sequence[tuple[float, int, Mapping[str, np.ndarray]]]
    bouncing: Mapping[str, float]


def _kinds(segments: Sequence[Segment]) -> Iterator[list[int]]:
    """Those that are evaluated together."""
    kinds: dict[object, list[int]] = {}
    for i, segment in enumerate(segments):
        kinds.setdefault(segment.kind, []).append(i)
    yield from kinds.values()


class Path:
    """The whole path; called with times, it is its dense output. At a change it has the state after it.

    Attributes:
        segments: one for each mode, in order.
        openings: the motion before each, where it begins with the first instant of a slip.
        names, forces: of the columns, and those of forces by contact.
    """

    def __init__(self, segments: Sequence[Segment], openings: Sequence[Opening | None]) -> None:
        self.segments, self.openings = tuple(segments), tuple(openings)
        self.names = self.segments[0].names
        self.forces = self.segments[0].eye.contacts.forces

    @cached_property
    def told(self) -> list[np.ndarray]:
        """The columns at the nodes of each segment; those of one mode are evaluated together."""
        found = [np.empty(0)] * len(self.segments)
        for those in _kinds(self.segments):
            if len(those) == 1:
                found[those[0]] = self.segments[those[0]].told
                continue
            t, full = (np.concatenate([self.segments[i].nodes[k] for i in those]) for k in (0, 1))
            ends = np.cumsum([len(self.segments[i].nodes[0]) for i in those])
            for i, rows in zip(those, np.split(self.segments[those[0]].at(t, full), ends[:-1]), strict=True):
                found[i] = rows
        return found

    @cached_property
    def knots(self) -> np.ndarray:
        """The times between which it is one smooth curve each."""
        times = np.concatenate([segment.nodes[0] for segment in self.segments])
        return times if self.openings[0] is None else np.append(self.openings[0].t[0], times)

    @cached_property
    def begins(self) -> np.ndarray:
        """When each segment begins, the first instant of a slip included."""
        pairs = zip(self.segments, self.openings, strict=True)
        return np.array([segment.nodes[0][0] if opening is None else opening.t[0] for segment, opening in pairs])

    @cached_property
    def supplied(self) -> np.ndarray:
        """The work supplied before each segment, what impacts and ends of slip have taken included."""
        works = [float(segment.nodes[1][-1, -1]) for segment in self.segments]
        if "energy" not in self.names:
            return np.concatenate([[0.0], np.cumsum(works)[:-1]])
        ends = self.energies
        return np.concatenate([[0.0], np.cumsum(works[:-1] + ends[1:, 0] - ends[:-1, 1])])

    @cached_property
    def energies(self) -> np.ndarray:
        """At the first and the last time of each segment (segments, 2)."""
        found = np.empty((len(self.segments), 2))
        for those in _kinds(self.segments):
            t, full = (np.array([self.segments[i].nodes[k][end] for i in those for end in (0, -1)]) for k in (0, 1))
            told = np.empty(len(t))
            for part, inside in self.segments[those[0]].path.dense.parts(t):
                told[inside] = part.field.energy(t[inside], full[inside])
            found[those] = told.reshape(-1, 2)
        return found

    @property
    def nodes(self) -> tuple[np.ndarray, np.ndarray]:
        """The ends of the steps and what `rows` gives there."""
        return self.knots, self.rows(self.knots)

    def rows(self, t: np.ndarray) -> np.ndarray:
        """States and the work supplied since the start (len(t), n + 1) at times inside the path."""
        found = np.empty((len(t), self.segments[0].path.states + 1))
        for i, here, inside in self._parts(t):
            found[here] = self._opened(i, inside) if self._opens(i, inside) else self.segments[i].rows(inside)
            found[here, -1] += self.supplied[i]
        return found

    def _opens(self, i: int, t: np.ndarray) -> bool:
        """Do these times of a part lie in the first instant of a slip?"""
        return bool(t[0] < self.segments[i].nodes[0][0])

    def _opened(self, i: int, t: np.ndarray) -> np.ndarray:
        """States, and no work supplied, at times there."""
        return np.column_stack([cast(Opening, self.openings[i])(t), np.zeros(len(t))])

    def _told_in_opening(self, i: int, t: np.ndarray) -> np.ndarray:
        """The columns at times there; a slip has its direction as soon as there is some."""
        segment, (begin, end) = self.segments[i], cast(Opening, self.openings[i]).t
        late = np.maximum(t, begin + _SOON * (end - begin))
        found = segment.at(late, self._opened(i, late))
        found[:, : segment.path.states] = self._opened(i, t)[:, :-1]
        return found

    @property
    def degree(self) -> int:
        """Of its polynomials."""
        return max(segment.path.dense.degree for segment in self.segments)

    def __call__(self, t: np.ndarray) -> np.ndarray:
        """All columns (len(t), columns) at times inside the path."""
        times = np.atleast_1d(np.asarray(t, float))
        check_inside(times, self.knots[[0, -1]])
        found = np.empty((len(times), len(self.names)))
        for i, here, inside in self._parts(times):
            found[here] = self._told_in_opening(i, inside) if self._opens(i, inside) else self.segments[i](inside)
        return found

    def _parts(self, times: np.ndarray) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
        """Of each segment that is met which of the times lie in it, and these; its first instant of a slip is apart."""
        which = np.maximum(np.searchsorted(self.begins, times, side="right") - 1, 0)
        for i in np.unique(which):
            first, last = self.segments[i].nodes[0][[0, -1]]
            early = times < first
            for here in ((which == i) & early, (which == i) & ~early):
                if here.any():
                    # between two segments there may be the last instant of a slip
                    yield int(i), here, np.minimum(times[here], last)

    def __reduce__(self) -> str:
        """E318: what computes between the samples is machine code of this process."""
        fact = "a path of a run cannot be pickled: it computes by machine code of this process"
        raise WrongType("E318", fact, 'path.save("path.npz"), and there da.load("path.npz")')

    def __deepcopy__(self, memo: object) -> Path:
        return self  # nothing of it changes
