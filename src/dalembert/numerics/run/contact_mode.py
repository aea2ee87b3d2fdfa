"""The equations of one combination of modes, run to the next change."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
import sympy as sp

from ...calculus.frame import TIME
from ...calculus.from_sympy import read
from ...calculus.graph import Graph, Node, evaluate, symbols
from ...equations import Equations, Start
from ...equations.contact_modes import APART, SLIDES, STICKS, InMode, Modes, least_of
from ...errors import InvalidValue
from ...event import STOP, Event
from ..contacts.active_set import behind
from ..contacts.change import ENDS, Cause, Stuck, held_in, slip_rates
from ..contacts.instant import Eye
from ..events.guard import Guard, compile_guards, internal_event, switches
from ..inputs.run_inputs import NONE, Steering, columns_of
from ..policy import Policy
from ..vector_field.compiled_kernel import Kernel
from .hybrid_path import ModeRun, along
from .run_context import ModeHolds, RunRequest

_NEARLY = 0.5  # of a slip that ends and is small already: where it ends
_MOST_OF = 0.98  # of the time in which a slip of two components ends: so far a mode is run at once
_SINGULAR = 1e-3  # of the speed at which a slip ends: below it its direction is smoothed, where no path is kept
_OF_FIRST = 1e-2  # of a slip of two components that begins: below it the slip ends
LIFTS = " lifts"  # after the name of a contact: the event that its normal force comes to 0
_TOUCHES, _HALTS, _YIELDS = " touches", " stops slipping", " yields"
TRIES, FINER = 12, 16  # of a mode with shorter steps, and by how much shorter than what went through a contact
_SAME = 1e-9  # of the terms of a slip: it has not jumped by less
_AT_LIMIT = 1e-9  # of the forces on contacts: as far as they may be outside of their cones
_CLEARLY = 1e-6  # of the forces on contacts: so far outside of their cones it shows what they do next
Carry = Callable[[RunRequest], ModeRun]  # carries out one run in one mode


@dataclass(frozen=True, eq=False)
class Runner:
    """Runs one mode after another.

    Attributes:
        eye: sees the system, with the inputs of now.
        policy, first, events, end: of the whole run: options, start, the caller's events, and when it ends.
        guards, kernels: events of each combination of modes and its equations, compiled.
        steering: what drives the inputs.
    """

    eye: Eye
    policy: Policy
    first: Start
    events: Sequence[Event]
    end: float
    guards: dict[Modes, tuple[Guard, ...]] = field(default_factory=dict)
    kernels: dict[Modes, tuple[Equations, Kernel]] = field(default_factory=dict)
    steering: Steering = NONE

    @property
    def constants(self) -> dict[str, float]:
        """Values of the parameters that are no inputs, nor coefficients of theirs."""
        driven = {*self.eye.equations.system.inputs, *self.steering.coefficients}
        return {name: value for name, value in self.eye.parameters.items() if name not in driven}

    def at(self, t: float, y: np.ndarray) -> Runner:
        """The runner with the inputs of a time and a state (n,).

        Raises:
            Stuck: E184, a function of an input fails; E130, E138, coefficients that no contact has.
        """
        try:
            values = self.steering.values(t, partial(columns_of, self.eye.equations.states, t, y))
            same = all(self.eye.parameters[name] == value for name, value in values.items())
            return self if same else self.with_values(values)
        except InvalidValue as error:
            raise Stuck(error.code, f"at t = {t:.10g}: {error.fact}") from None

    def with_values(self, values: Mapping[str, float]) -> Runner:
        """The runner with other values of some parameters.

        Raises:
            InvalidValue: E130, E138, coefficients that no contact has.
        """
        eye = self.eye.with_values(values)
        for contact in self.eye.equations.system.contacts:
            if {s.name for e in contact.expressions for s in e.free_symbols} & values.keys():
                contact.check(eye.parameters)
        return replace(self, eye=eye)

    def request(self, t: float, y: np.ndarray, modes: Modes, end: float) -> RunRequest:
        """A run in one mode from a state (n,) on, to an end, or as far as its guards are good for.

        Raises:
            Stuck: E411, no motion follows in it.
        """
        state = dict(zip(self.eye.equations.states, y.tolist(), strict=True))
        try:
            held = self.eye.contacts.in_run(modes, {**self.eye.parameters, **state, TIME.name: t})
        except InvalidValue as error:
            raise Stuck(error.code, f"at t = {t:.10g}: {error.fact}") from None
        equations, (ends, left) = held.equations, self._ends_of_slips(t, y, modes)
        least = {least_of(name): _SINGULAR * speed for name, speed in ends.items()}
        start = replace(self.first, state=state, t=t, parameters={**self.eye.parameters, **least, **held.switches})
        field = self.policy.leanest_field(equations.rows_at({**start.parameters, **state, TIME.name: t}), start)
        if field.lean is None:  # a mode as written, by the code that was chosen when it began first
            known = self.kernels.get(modes)
            if known is not None and known[0] is field.equations:
                field = field.with_kernel(known[1])
            else:
                self.kernels[modes] = field.equations, field.kernel
        until = min(end, t + _MOST_OF * left)
        return RunRequest(
            field, self.policy, self._guards(modes), until, steering=self.steering, holds=self.holds(modes)
        )

    def run(
        self, carry: Carry, t: float, y: np.ndarray, modes: Modes, crossed: int = 0
    ) -> tuple[ModeRun, Cause | None, float | None]:
        """From a state (n,) to the next change, to what ends the run, or to its end; why modes are looked at there, and
        since when the motion depends on forces that are not unique.

        `carry` carries out the run; before, branches were `crossed`.
        """
        request = replace(self.request(t, y, modes, self.end), policy=self.policy.behind(crossed))
        for _ in range(TRIES):
            path = carry(request)
            late = self._through(path, modes)
            if late is None or self.policy.method.fixed:
                break
            # a hop that is small against a step is not seen on it
            shorter = replace(request.policy, max_step=max((late - t) / FINER, np.spacing(t)))
            request = replace(request, policy=shorter, until=late)
        if late is not None:
            raise Stuck("E412", f"at t = {late:.10g}: a contact was passed unseen")
        watched = self.eye.contacts.in_run(modes).watched
        last, loose, ahead = self._held_until(path, modes) if watched else (None, None, None)
        if last is not None:
            path = carry(replace(request, until=last))
            return path, Cause(spent={name: mode.word for name, mode in modes}, ahead=ahead), loose
        return path, self.cause(path.ending.event) if path.reached else None, loose

    def _held_until(
        self, path: ModeRun, modes: Modes
    ) -> tuple[float | None, float | None, tuple[float, np.ndarray] | None]:
        """When a mode ends whose forces are not unique, as no more are in the friction cones, None where some always
        are; since when the motion depends on them; and a time and state of the mode where it is clearly over.
        """
        from scipy.optimize import brentq

        def room(eye: Eye, beyond: float, t: float) -> float:
            """By how much forces that are not unique are inside of their cones, or within so much."""
            problem, choices = held_in(eye.see(t, path.dense(np.array([t]))[0, : path.states]), modes)
            return problem.margin(choices, eye.contacts.in_run(modes).watched) + beyond

        n, eye, loose = path.states, self.eye, []
        t, full = path.dense.nodes
        before, rests = t[0], np.r_[False, (full[1:, :n] == full[:-1, :n]).all(axis=1)]
        rests &= eye.equations.system.autonomous and not eye.equations.system.inputs
        for those, known in along(path, t, full[:, :-1]):
            held = eye.with_values({name: float(value) for name, value in known.items() if name in eye.parameters})
            for i in those if those.dtype != bool else np.flatnonzero(those):
                problem, choices = held_in(held.see(t[i], full[i, :n]), modes)
                found = None if rests[i] else problem.forces(choices)
                loose += [t[i]] if found is not None and found.loose else []
                if rests[i] or found is not None or room(held, 0.0, t[i]) >= -_AT_LIMIT * problem.weight:
                    before = t[i]
                elif i == 0:
                    break
                else:
                    least = _AT_LIMIT * problem.weight
                    begins = 0.0 if room(held, 0.0, before) > least else least
                    tight = {"xtol": 2 * np.spacing(t[i]), "rtol": 1e-15}
                    late = brentq(partial(room, held, begins), before, t[i], **tight)
                    clearly = partial(room, held, _CLEARLY * problem.weight)
                    then = t[i] if clearly(t[i]) >= 0 else brentq(clearly, late, t[i])
                    state = path.dense(np.array([then]))[0, :n]
                    return float(late), min(loose, default=None), (float(then), state)
        return None, min(loose, default=None), None

    def holds(self, modes: Modes) -> ModeHolds:
        """Does a combination of modes go on when inputs jump?

        It does where no contact pulls and none that sticks is held by more than friction can, with the forces after
        the jump. Where the slip itself jumps, or a coefficient, it is decided anew.
        """
        system, contacts, held = self.eye.equations.system, self.eye.contacts, self.eye.contacts.in_run(modes)
        lasting = [(name, mode) for name, mode in modes if mode.word != APART]

        def still(*, before: Mapping[str, float], after: Mapping[str, float], t: float, full: np.ndarray) -> bool:
            changed = {name for name, value in after.items() if before.get(name) != value}
            given = [e for c in system.contacts for e in (c.mu, c.mu_static, c.mu_spin, c.mu_rolling)]
            slips = [s for name, _ in lasting for s in contacts.laws[name].slip]
            if not changed or changed & {s.name for e in (*given, *slips) for s in e.free_symbols}:
                return not changed
            known = {**after, **held.switches, TIME.name: t}
            known |= zip(self.eye.equations.states, full.tolist(), strict=False)
            pressing = [mode.side * held.normal[name] for name, mode in lasting if name in contacts.whole]
            holding = [self._hold(held, name) for name, mode in lasting if mode.word == STICKS]
            return all(float(evaluate([e], known)[0]) >= 0 for e in (*pressing, *holding))

        return still

    def moved(self, before: Eye, t: float, y: np.ndarray) -> Cause:
        """Why modes are looked at where inputs have jumped, at a state (n,), from what an eye saw before."""
        old, new, found = before.see(t, y).touching, self.eye.see(t, y).touching, set()
        for name, c in new.items():
            terms = np.abs(c.B) @ np.abs(y[-c.B.shape[1] :]) + np.abs(c.slip) + np.abs(old[name].slip)
            if (np.abs(c.slip - old[name].slip) > _SAME * terms).any():
                found.add(name)
        return Cause(moved=found, left={name for name, c in new.items() if (c.load or 0.0) < 0})

    def _through(self, path: ModeRun, modes: Modes) -> float | None:
        """The first time at which a gap of contacts that are apart is negative, None if there is none."""
        rows = self.eye.contacts.rows
        apart = [e for (_, mode), *e in zip(modes, rows.gaps, rows.gap_sizes, strict=True) if mode.word == APART]
        if not apart:
            return None
        t, full = path.dense.nodes
        told, wanted = np.empty((2 * len(apart), len(t))), [e for pair in apart for e in pair]
        for those, known in along(path, t, full[:, :-1]):
            told[:, those] = [np.broadcast_to(e, len(those)) for e in evaluate(wanted, known)]
        found = []
        for value, terms in zip(told[::2], told[1::2], strict=True):
            found += t[value < -behind(float(terms.max()), float(value[0]))][:1].tolist()
        return min(found, default=None)

    def is_beyond(self, t: float, y: np.ndarray, modes: Modes, depth: float) -> bool:
        """Is a contact that is apart passed at a state (n,), by more than rounding and twice a depth?"""
        names = [name for name, mode in modes if mode.word == APART]
        touching = self.eye.see(t, y).touching if names else {}
        apart = [touching[name] for name in names]
        return any(c.gap < -behind(c.size, -depth) for c in apart)

    def cause(self, name: str) -> Cause | None:
        """What the event of a name means; None for one of the caller's."""
        for suffix, cause in _CAUSES.items():
            contact = name.removesuffix(suffix)
            if contact != name and contact in self.eye.contacts.slips:
                return cause(contact)
        return None

    def _guards(self, modes: Modes) -> tuple[Guard, ...]:
        if modes not in self.guards:
            walls = self.eye.contacts.in_run(modes).equations.walls if self.policy.walls else ()
            own = {event.name for event in self.events}
            events = [*self.events, *(w for w in walls if w.name not in own)]
            turning = self._turning(modes)
            known = {**self.first.parameters, **{least_of(name): None for name in turning}}
            given = compile_guards(events, self.eye.equations.states, known)
            ends = compile_guards([self._halts(name) for name in turning], self.eye.equations.states, known)
            form = self.eye.contacts.in_run(modes).equations.machine.form
            self.guards[modes] = (*given, *self._changes(modes), *ends, *switches([*form.f, *form.g]))
        return self.guards[modes]

    def _turning(self, modes: Modes) -> list[str]:
        """Contacts that slide with two components of slip."""
        sliding = [name for name, mode in modes if mode.word == SLIDES and mode.sense]
        return [name for name in sliding if self.eye.contacts.slips[name] > 1]

    def _changes(self, modes: Modes) -> list[Guard]:
        """What ends these modes, but for a slip of two components."""
        found: list[Guard] = []
        held = self.eye.contacts.in_run(modes)
        shared = bool(held.switches)  # in all modes they are the same
        graph = next(iter(held.normal.values())).graph if shared else Graph()
        holds = tuple(self._hold(held, name) for name in held.normal) if shared else ()
        for name, mode in modes:
            law = self.eye.contacts.laws[name]
            whole = law.master == name
            if mode.word == APART:
                found += [_falling(name + _TOUCHES, read(law.gap, graph))] if whole else []
                continue
            N = held.normal[name]
            pressed = whole and (law.load is not None or name not in held.watched)
            found += [_falling(name + LIFTS, mode.side * N, shared)] if pressed else []
            if mode.word == SLIDES and mode.sense and len(law.slip) == 1:
                found.append(_falling(name + _HALTS, read(mode.sense * law.slip[0], graph), shared))
            if mode.word == STICKS and name not in held.watched:
                found.append(_falling(name + _YIELDS, self._hold(held, name), shared, holds))
        moving = {*self.eye.equations.states, TIME.name}
        return [guard for guard in found if symbols([guard.value]) & moving]

    def _hold(self, held: InMode, name: str) -> Node:
        """What is positive while a contact sticks."""
        # mu_s N - |T| , smooth where T is 0:  (mu_s N)^2 - T^2
        N, law = held.normal[name], self.eye.contacts.laws[name]
        hold = read(law.mu_static, N.graph) * N
        return sum((-1 * T * T for T in held.friction[name]), hold * hold)

    def _halts(self, name: str) -> Event:
        """The end of a slip of two components: at a small speed, from which the rest is one step."""
        # |s| = s_0 ,  of which what smooths the direction is a part
        size = sp.sqrt(sum(s**2 for s in self.eye.contacts.laws[name].slip))
        return Event(name + _HALTS, size - sp.Symbol(least_of(name), positive=True) / sp.Float(_SINGULAR), STOP, -1)

    def _ends_of_slips(self, t: float, y: np.ndarray, modes: Modes) -> tuple[dict[str, float], float]:
        """The speeds at which slips of two components are taken to end, and the time in which the first one does at
        its present rate: no step is to try to pass its end.
        """
        turning, found, left = self._turning(modes), dict[str, float](), math.inf
        if not turning:
            return found, left
        now = self.eye.see(t, y)
        rates = slip_rates(now, modes)
        for name in turning:
            s, terms = now.touching[name].slip, np.abs(now.touching[name].B) @ now.speeds
            first, closing = float(np.linalg.norm(s)), -float(s @ rates[name])
            size = ENDS * float(terms.sum())
            if closing > 0:
                left = min(left, float(s @ s) / closing)
                found[name] = size if size < _NEARLY * first else _NEARLY * first
            else:
                found[name] = min(size, _OF_FIRST * first) if first else size
        return found, left


def _falling(name: str, value: Node, shared: bool = False, among: tuple[Node, ...] = ()) -> Guard:
    """A stop where it falls through 0; the same one in each mode if it is `shared`, and computed with others."""
    made = value.graph.memory if shared else {}
    key = name, value.index
    if key not in made:
        made[key] = Guard(internal_event(name, STOP, -1), value, among=(among or (value,)) if shared else ())
    return made[key]


_CAUSES: dict[str, Callable[[str], Cause]] = {
    _TOUCHES: lambda n: Cause(touched=frozenset([n])),
    LIFTS: lambda n: Cause(left=frozenset([n])),
    _HALTS: lambda n: Cause(still=frozenset([n])),
    _YIELDS: lambda n: Cause(barred=frozenset([(n, STICKS)])),
}


def runner_of(equations: Equations, start: Start, policy: Policy, events: Sequence[Event], end: float) -> Runner:
    """What runs a system with contacts, mode after mode."""
    contacts = equations.contacts
    assert contacts is not None
    for contact in equations.system.contacts:
        contact.check(start.parameters)
    eye = Eye.of(equations, contacts, start.parameters)
    return Runner(eye, replace(policy, dense=True), start, events, end)
