"""Members in SIMD lanes: what `explicit_lanes.run_all` needs, compiled and laid out, and what it found."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np

from ...calculus.fork_locks import lock
from ...calculus.frame import TIME
from ...calculus.graph import Node, evaluate, operations, symbols
from ...equations import Equations, Lean
from ...equations.determinacy import slip_speeds
from ...event import STOP as STOPS
from ...trajectory.audit import REACHED, STOPPED
from ..events.guard import ROUNDING, Guard, compile_guards, internal_event, switches
from ..events.narrow_features import places_of
from ..events.roots import NODES
from ..machine.batch_calls import map_lanes
from ..machine.compiler import Library, widest
from ..machine.ir_numbers import Real
from ..machine.llvm_ir import emit
from ..methods.explicit_runge_kutta.rounds import Control
from ..methods.explicit_runge_kutta.step_ir import POWERS, Work
from ..methods.explicit_runge_kutta.stepper import layout_of
from ..methods.explicit_runge_kutta.tableau import ExplicitTableau
from ..methods.method import FARTHER, MARGIN_LIMIT, turning
from ..methods.stepper import NONFINITE, RANK, STEP_TOO_SMALL
from ..run.integrate import WATCHED
from ..run.resting_guards import REST
from ..vector_field.compiled_kernel import Kernel, pivoting
from ..vector_field.kernel_plan import PREAMBLE
from . import lanes
from .explicit_lanes import run_all
from .lanes import watching
from .results import CODES, Ensemble, Results

LARGE = 4000  # operations of a right-hand side above which registers do not hold more than four lanes' numbers
LARGEST_PIVOTED = 40  # unknowns of a pivoted solver that is called lane by lane
LINE = 64  # bytes
SLIP, NARROW = "slip:", "narrower than a step"

_COMPILING = lock()
_CODE_OF = np.zeros(np.iinfo(np.uint8).max + 1, np.uint16)  # of an error, by status
_CODE_OF[list(CODES)] = list(CODES.values())


class MemberForm(Enum):
    """How members are run whose equations are taken as they are written; others have a lean form."""

    PLAIN = 1  # their pivots being positive at the starts
    PIVOTED = 2  # through a solver that chooses its pivots


@dataclass(frozen=True)
class WatchedEvents:
    """What is watched in every member: events, rests of friction laws, and surfaces where forces switch.

    Attributes:
        guards: as in `simulate`; the slip at the start of a friction law is a parameter here.
        names: the parameters in order: the system's, reciprocal pivots, slips at the start.
        kinds: MARK, STOP, LEAVE or WIDE (E,).
    """

    guards: tuple[Guard, ...]
    names: tuple[str, ...]
    kinds: np.ndarray

    @classmethod
    def of(cls, ensemble: Ensemble, kernel: Kernel, lean: Lean | None, closely: bool) -> WatchedEvents:
        """What an ensemble watches; the zeros of pivots too, if it has to be `closely`."""
        pivots = [*kernel.pivots, *kernel.charts]
        equations = ensemble.equations
        parameters = sorted(equations.system.symbols)
        events = compile_guards(ensemble.events, equations.states, dict.fromkeys(parameters))
        rests = [
            Guard(internal_event(f"{name} at rest", STOPS, -1), speed - REST * speed.graph.symbol(SLIP + name))
            for name, speed in slip_speeds(equations).items()
        ]
        surfaces = switches([*equations.machine.form.f, *equations.machine.form.g])
        losses = [_switch("loss of rank", pivot) for pivot in pivots]
        hidden = places_of(equations)
        of_guards = [place for guard in events for place in guard.hidden(equations.states)]
        wide = tuple(_switch(NARROW, place.shown).seen_by(lean) for place in (*hidden, *of_guards))
        surfaces = [*surfaces, *(_switch(NARROW, place.argument) for place in hidden if place.logarithmic)]
        seen = tuple(guard.seen_by(lean) for guard in (*events, *rests, *surfaces))
        guards = (*seen, *(losses if closely else ()), *wide)
        names = (*parameters, *(f"p:{i}" for i in range(kernel.behind)), *(SLIP + n for n in slip_speeds(equations)))
        kinds = [_kind(guard) for guard in guards[: len(guards) - len(wide)]] + [lanes.WIDE] * len(wide)
        return cls(guards, names, np.array(kinds, np.int64))

    def library(self, states: Sequence[str], real: Real, tableau: ExplicitTableau) -> Library:
        """``guard0``, ... for lanes or one state, and for lanes ``watch``."""
        inputs = {name: ("y", i) for i, name in enumerate(states)}
        inputs |= {TIME.name: ("t", 0)} | {name: ("p", j) for j, name in enumerate(self.names)}
        texts = {f"guard{e}": emit(f"guard{e}", [g.value], inputs, real=real) for e, g in enumerate(self.guards)}
        if (self.guards and real.width > 1) or real.width == 1:
            texts["watch"] = watching(self.needed(states), len(states) + 1, real, self.kinds == lanes.WIDE, tableau)
        return Library.compile(texts)

    def needed(self, states: Sequence[str]) -> list[list[int]]:
        """Positions of the states that each guard depends on."""
        return [[i for i, name in enumerate(states) if name in symbols([g.value])] for g in self.guards]


def _switch(name: str, value: Node) -> Guard:
    return Guard(internal_event(name, STOPS, 0), value, switch=True)


def _kind(guard: Guard) -> int:
    if guard.switch or guard.event.jumps:
        return lanes.LEAVE
    return lanes.STOP if guard.event.stops else lanes.MARK


@dataclass(frozen=True, eq=False)
class LaneProgram:
    """One kernel for lanes, and members that it can run."""

    ensemble: Ensemble
    kernel: Kernel
    width: int
    lean: Lean | None = None
    closely: bool = False

    @classmethod
    def of(cls, ensemble: Ensemble, form: Lean | MemberForm) -> LaneProgram:
        """The kernel for members of one form; made once."""
        which = form.chosen if isinstance(form, Lean) else form
        known = ensemble.programs.get(which)
        if not isinstance(known, cls):
            known = ensemble.programs[which] = cls._of(ensemble, form)
        return known

    @classmethod
    def _of(cls, ensemble: Ensemble, form: Lean | MemberForm) -> LaneProgram:
        equations = pivoting(ensemble.equations) if form == MemberForm.PIVOTED else ensemble.equations
        lean, policy = form if isinstance(form, Lean) else None, ensemble.policy
        width = _width(equations, lean)
        kernel = Kernel.of(equations, policy.stabilisation, policy.method.beside, width, lean)
        return cls(ensemble, kernel, width, lean)

    @property
    def states(self) -> tuple[str, ...]:
        """Names of the states that are integrated."""
        return self.kernel.states

    @cached_property
    def watched(self) -> WatchedEvents:
        """What is watched."""
        return WatchedEvents.of(self.ensemble, self.kernel, self.lean, self.closely)

    @cached_property
    def code(self) -> lanes.LaneCode:
        """Addresses of everything compiled."""
        address = self.kernel.library.address
        guards, watch = np.zeros(len(self.watched.guards), np.int64), 0
        if self.watched.guards:
            guards[:] = [self.guards.address(f"guard{e}") for e in range(len(guards))]
            watch = self.watch.address("watch")
        rhs, step, dense, take, first = map(address, ("rhs", "step", "dense", "take", "first"))
        rounds = address("rounds") if self.width > 1 else 0
        return lanes.LaneCode(rhs, step, dense, take, first, rounds, watch, guards)

    @cached_property
    def guards(self) -> Library:
        """The guards for one state."""
        return self.watched.library(self.states, Real(), self.pair)

    @cached_property
    def watch(self) -> Library:
        """The guards on the nodes of a step, in lanes."""
        return self.watched.library(self.states, Real.lanes(self.width), self.pair)

    @cached_property
    def close(self) -> LaneProgram | None:
        """The program that watches the pivots too; None where there are none to watch, or this one does."""
        return replace(self, closely=True) if self.kernel.pivots and not self.closely and self.lean is None else None

    def run(self, states: np.ndarray, parameters: Mapping[str, np.ndarray]) -> tuple[lanes.LaneResults, np.ndarray]:
        """Run members (K, n): what was found, and which of them are left to `simulate` (K,)."""
        found, left = self._run(states, parameters)
        # so near to a loss of rank that it may lie between two steps, or to a pole that `simulate` takes another chart
        near = ~left & ~(found.margins >= (WATCHED if self.lean is None else turning(self.lean)))
        if self.closely or not near.any():
            return found, left
        if self.close is None:
            return found, left | near
        again, left[near] = self.close.run(states[near], {name: column[near] for name, column in parameters.items()})
        for mine, new in zip(found, again, strict=True):
            mine[near] = new[:, : mine.shape[1]] if mine.ndim > 1 else new
        return found, left

    def _run(self, states: np.ndarray, parameters: Mapping[str, np.ndarray]) -> tuple[lanes.LaneResults, np.ndarray]:
        ensemble, members = self.ensemble, len(states)
        values, p = self.starts(states, parameters)
        noise, careful = self._noise(values, p, members)
        times = np.zeros(0) if ensemble.times is None else np.array(ensemble.times, float, order="C")
        task = self.task(values, p, 0.0)._replace(
            ends=np.full(members, float(ensemble.until)), times=times, noise=noise
        )
        found = room_for(task, ensemble.marks)
        run_all(self.code, task, found, self.lanes_for(task, self.code.watch))
        self._project(task, found)
        found = self._full(task, found)
        # what ended badly is left too: `simulate` finds the reason, and where a rank is lost between two steps
        doubtful = np.isin(found.status, (lanes.CAREFUL, NONFINITE, RANK, STEP_TOO_SMALL))
        return found, careful | doubtful

    def starts(
        self, states: np.ndarray, parameters: Mapping[str, np.ndarray]
    ) -> tuple[dict[str, np.ndarray], np.ndarray]:
        """Values of all symbols (K,) at full states (K, n), those that are integrated among them, and p (K, np)."""
        known = {**parameters, **dict(zip(self.ensemble.equations.states, states.T, strict=True))}
        inner = dict(zip(self.states, self.within(states, parameters).T, strict=True))
        values = {**known, TIME.name: np.full(len(states), float(self.ensemble.t0)), **inner}
        return values, self._vectors(values, len(states))

    def task(self, values: Mapping[str, np.ndarray], p: np.ndarray, margin_low: float) -> lanes.LaneTask:
        """Members at their starts, with values and p as of `starts`, which go nowhere yet and are not sampled."""
        policy, names, members = self.ensemble.policy, self.states, len(p)
        states = np.column_stack([values[name] for name in names])
        rtol, none = np.full((members, 1), policy.rtol), np.full((members, 1), math.inf)
        needed = self.watched.needed(names)
        table = np.zeros((len(needed), len(names) + 1), np.int64)
        for e, positions in enumerate(needed):
            table[e, : len(positions)] = positions
        return lanes.LaneTask(
            t=np.full(members, float(self.ensemble.t0)),
            ends=np.full(members, float(self.ensemble.t0)),
            margin_limit=MARGIN_LIMIT if self.lean is None else FARTHER * turning(self.lean),
            margin_low=margin_low,
            max_step=float(policy.max_step),
            max_steps=policy.most_steps,
            controlled=len(names),
            starts=np.ascontiguousarray(np.column_stack([states, np.zeros(members)]), float),
            h=np.zeros(members),
            parameters=p,
            tolerances=np.ascontiguousarray(np.column_stack([rtol, policy.tolerances_of_all(names, states), none])),
            times=np.zeros(0),
            kinds=self.watched.kinds,
            directions=np.array([g.event.direction for g in self.watched.guards], np.int64),
            needed=table,
            depends=np.array([len(positions) for positions in needed], np.int64),
            noise=np.zeros((members, len(needed))),
        )

    @property
    def pair(self) -> ExplicitTableau:
        """The pair of the method; others have no lanes."""
        pair = self.ensemble.policy.method.pair
        assert pair is not None
        return pair

    def lanes_for(self, task: lanes.LaneTask, watch: int) -> lanes.Lanes:
        """Work space of the lanes."""
        n, parameters, width = task.starts.shape[1], task.parameters.shape[1], self.width
        work = Work(n, tableau=self.pair)
        control = aligned(len(Control), width)
        empty = lambda *rows: aligned(*rows, width)  # noqa: E731
        return lanes.Lanes(
            layout=layout_of(work),
            work=empty(work.size),
            F=empty(POWERS * n),
            moment=empty(4),
            p=empty(parameters),
            tolerance=empty(n + 1),
            coefficients=empty(NODES * len(task.kinds) + 1),
            watch=np.array([watch, NODES * len(task.kinds)], np.int64).view(float),
            member=np.full(width, -1, np.int64),
            place=np.zeros(width, np.int64),
            control=control,
            h=control[Control.PLANNED],
            factor=control[Control.GROWTH],
            good=control[Control.GOOD],
            cut=np.zeros(width),
        )

    def _vectors(self, values: Mapping[str, np.ndarray], members: int) -> np.ndarray:
        """p of every member (K, np)."""
        kernel, slips = self.kernel, slip_speeds(self.ensemble.equations)
        pivots = evaluate([*kernel.pivots, *kernel.charts], values)
        columns = [values[name] for name in kernel.parameters]
        with np.errstate(all="ignore"):
            columns += [1 / np.asarray(pivot) for pivot in pivots]
        columns += [np.zeros(members)] * kernel.preamble
        columns += evaluate(list(slips.values()), values)
        p, first = _columns(columns, members), len(kernel.parameters) + len(pivots)
        if kernel.preamble:
            address = kernel.library.address(PREAMBLE)
            found = map_lanes(address, self.width, np.zeros(members), p, p, kernel.preamble)
            p[:, first : first + kernel.preamble] = found
        return p

    def within(self, states: np.ndarray, parameters: Mapping[str, np.ndarray]) -> np.ndarray:
        """States to integrate (K, n), for full ones."""
        if self.lean is None:
            return states
        members = len(states)
        p = _columns([parameters[name] for name in self.kernel.parameters], members)
        rows = np.column_stack([states, np.zeros(members)])
        return self.between("within", np.full(members, self.ensemble.t0), rows, p)[:, :-1]

    def between(self, name: str, t: np.ndarray, y: np.ndarray, p: np.ndarray) -> np.ndarray:
        """``full`` or ``within`` of states at times (K,), with parameters as of `vectors`."""
        size = len(self.states if name == "within" else self.ensemble.equations.states) + 1
        return map_lanes(self.kernel.library.address(name), self.width, t, y, p, size)

    def _full(self, task: lanes.LaneTask, found: lanes.LaneResults) -> lanes.LaneResults:
        """States as the equations have them, at the ends and at the samples."""
        if self.lean is None:
            return found
        members, samples, n = found.samples.shape
        t, p = np.tile(task.times, members), np.repeat(task.parameters, samples, axis=0)
        there = self.between("full", t, found.samples.reshape(-1, n), p)
        ends = self.between("full", found.t, found.y, task.parameters)
        return found._replace(y=ends, samples=there.reshape(members, samples, there.shape[1]))

    def _noise(self, values: Mapping[str, np.ndarray], p: np.ndarray, members: int) -> tuple[np.ndarray, np.ndarray]:
        """Noise of each guard (K, E), and which members start where a guard that acts is 0 or not a number (K,)."""
        known = {**values, **{name: p[:, j] for j, name in enumerate(self.watched.names)}}
        noise, careful = np.zeros((members, len(self.watched.guards))), np.zeros(members, bool)
        for e, guard in enumerate(self.watched.guards):
            size = np.broadcast_to(_value(guard.size(self.states), known), members)
            g = np.broadcast_to(_value(guard.value, known), members)
            noise[:, e] = np.where(np.isfinite(size), ROUNDING * size, 0.0)
            way = guard.event.direction
            acts = not guard.marks and not guard.switch
            # on the guard, or beyond it: `simulate` knows what to say
            doubtful = (np.abs(g) <= 1e-9 * size) | ((g * way > 0) if way else False)
            careful |= ~np.isfinite(g) | (doubtful if acts else False)
        return noise, careful

    def _project(self, task: lanes.LaneTask, found: lanes.LaneResults) -> None:
        """States from dense output go back to the constraints, as those of `simulate` do."""
        if not self.kernel.project:
            return
        stopped = found.status == lanes.STOPPED
        found.y[stopped] = self._projected(found.t[stopped], found.y[stopped], task.parameters[stopped])
        members, samples, n = found.samples.shape
        t, p = np.tile(task.times, members), np.repeat(task.parameters, samples, axis=0)
        flat = found.samples.reshape(-1, n)
        there = np.isfinite(flat).all(axis=1)
        flat[there] = self._projected(t[there], flat[there], p[there])

    def _projected(self, t: np.ndarray, y: np.ndarray, p: np.ndarray) -> np.ndarray:
        return map_lanes(self.kernel.project, self.width, t, y, p, y.shape[1])


def _columns(columns: Sequence[np.ndarray], members: int) -> np.ndarray:
    """Columns (K,), or numbers, side by side (K, columns)."""
    rows = np.column_stack([np.broadcast_to(c, members) for c in columns] or [np.zeros((members, 0))])
    return np.ascontiguousarray(rows, float)


def _value(node: Node, values: Mapping[str, np.ndarray]) -> np.ndarray:
    return np.asarray(evaluate([node], values)[0], float)


_WIDTHS: WeakKeyDictionary[Equations, dict[bool, int]] = WeakKeyDictionary()


def _width(equations: Equations, lean: Lean | None) -> int:
    """How many lanes pay; counted once."""
    known = _WIDTHS.setdefault(equations, {})
    if (lean is None) not in known:
        known[lean is None] = _paying(equations, lean)
    return known[lean is None]


def _paying(equations: Equations, lean: Lean | None) -> int:
    if lean is not None:
        return min(widest(), 4) if lean.operations()["total"] > LARGE else widest()
    unknowns = len(equations.space.velocities) + len(equations.kept)
    if not equations.written_out and unknowns > LARGEST_PIVOTED:
        return 1
    cost = sum(operations([*equations.machine.form.f, *equations.machine.form.g]).values())
    return min(widest(), 4) if cost > LARGE else widest()


def room_for(task: lanes.LaneTask, marks: int) -> lanes.LaneResults:
    """Room for what is found."""
    members, n = task.starts.shape
    events, counts = len(task.kinds), np.zeros((members, 3), np.int64)
    return lanes.LaneResults(
        t=task.t.copy(),
        y=task.starts.copy(),
        h=task.h.copy(),
        samples=np.full((members, len(task.times), n), np.nan),
        status=np.zeros(members, np.int64),
        counts=counts,
        margins=np.full(members, math.inf),
        happened=np.zeros((members, events), np.int64),
        when=np.full((members, events, marks), np.nan),
        where=np.full((members, events, marks, n), np.nan),
        stopped=np.full(members, -1, np.int64),
    )


def aligned(*shape: int) -> np.ndarray:
    """Zeros that begin at a line of the processor's cache: a register of lanes then lies in one line."""
    count = math.prod(shape)
    room = np.zeros(count + LINE // 8)
    first = -room.ctypes.data % LINE // 8
    return room[first : first + count].reshape(shape)


def carry_out(
    ensemble: Ensemble, states: np.ndarray, parameters: Mapping[str, np.ndarray], results: Results
) -> np.ndarray:
    """Run members in lanes and put what was found into the results; returns the rows left to `simulate`."""
    left = [np.zeros(0, np.int64)]
    with _COMPILING:
        found_groups = groups(ensemble, states, parameters)
    for rows, form in found_groups:
        if not len(rows):
            continue
        with _COMPILING:
            program = LaneProgram.of(ensemble, form)
            _ = program.code
        found, careful = program.run(states[rows], {name: column[rows] for name, column in parameters.items()})
        _put(results, rows[~careful], found, ~careful, program.watched.guards)
        left.append(rows[careful])
    return np.sort(np.concatenate(left))


def groups(
    ensemble: Ensemble, states: np.ndarray, parameters: Mapping[str, np.ndarray]
) -> list[tuple[np.ndarray, Lean | MemberForm]]:
    """Rows of the members by the form of the equations in which `simulate` would run them."""
    equations, policy, left = ensemble.equations, ensemble.policy, np.ones(len(states), bool)
    values = {**parameters, **dict(zip(equations.states, states.T, strict=True)), TIME.name: ensemble.t0}
    groups: list[tuple[np.ndarray, Lean | MemberForm]] = []
    charts = policy.charts_of(equations)
    if charts is not None:
        for rows, lean in charts.groups(values, len(states)):
            if lean is not None:
                groups.append((rows, lean))
                left[rows] = False
    if equations.written_out and left.any():
        kernel = Kernel.of(equations, policy.stabilisation, policy.method.beside, _width(equations, None))
        positive = left.copy()
        for pivot in evaluate(list(kernel.pivots), values):
            positive &= np.asarray(pivot) > 0
        groups.append((np.flatnonzero(positive), MemberForm.PLAIN))
        left = left & ~positive
    return [*groups, (np.flatnonzero(left), MemberForm.PIVOTED)]


def _put(
    results: Results, rows: np.ndarray, found: lanes.LaneResults, chosen: np.ndarray, guards: Sequence[Guard]
) -> None:
    """Take over what was found in the chosen members."""
    status = found.status[chosen]
    results.t[rows], results.y[rows] = found.t[chosen], found.y[chosen]
    if results.samples is not None:
        results.samples[rows] = found.samples[chosen]
    results.status[rows] = np.where(status == lanes.STOPPED, STOPPED, np.where(status == 0, REACHED, status))
    results.code[rows] = _CODE_OF[status]
    results.steps[rows], results.rejected[rows] = found.counts[chosen, 0], found.counts[chosen, 1]
    results.margin[rows] = found.margins[chosen]
    for e, guard in enumerate(guards):
        if guard.event.name in results.marks:
            happened = results.marks[guard.event.name]
            happened.counts[rows], happened.t[rows] = found.happened[chosen, e], found.when[chosen, e]
