"""The audit of a run: constraints, energy against work, declared momenta, and the verdict."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...calculus.frame import TIME
from ...calculus.from_sympy import read
from ...calculus.graph import Node, evaluate, gradient
from ...calculus.numerical_rank import sizes
from ...errors import Note, as_given
from ...trajectory import Audit
from ...trajectory.audit import FAILED, OK, SUSPECT, unaccounted
from ...trajectory.interpolant import dense
from ..policy import Policy
from ..vector_field.field import Field, residuals
from .accuracy import unweighed
from .run_context import Leg, Run

CONSTRAINT_LIMIT = 1e-8  # residual over the size of the constraint's terms
MOMENTUM_LIMIT = 1e-7  # change of a declared momentum over the size of its terms
ENERGY_LIMIT, ENERGY_FAILURE = 1e-7, 1e-3  # work balance over the size of the energy's terms
GROWTH = 1e12  # of multipliers
ROUNDING = 1e-9  # of a coefficient's largest value, below which it is 0
_PROBES = 500
_FAULT = "a fault of the library; please report it with the system, the start and this audit"


def examine(
    policy: Policy,
    run: Run,
    rows: np.ndarray,
    values: np.ndarray,
    seconds: float,
    notes: Callable[[], Sequence[Note]],
    early: Sequence[Note] = (),
    start: np.ndarray | None = None,
) -> Audit:
    """The audit of one run. What cannot change the verdict is found when somebody asks for it.

    Args:
        policy, run: how it was run, and what it gathered.
        rows: times and full rows (N, 1 + n + 1) on the way, where the path was not kept.
        values: all columns of the result, to be looked through for numbers that are not finite.
        seconds, notes: wall time, and what finds the remarks made on the way.
        early: those of them that say why the run ended before its time, unasked: it is suspect.
        start: the states (n,) that were given, if they were.
    """
    return judge(policy, run, _looked_at(run, rows), values, seconds, notes, early, start)


def judge(
    policy: Policy,
    run: Run,
    seen: Seen,
    values: np.ndarray,
    seconds: float,
    notes: Callable[[], Sequence[Note]],
    early: Sequence[Note] = (),
    start: np.ndarray | None = None,
) -> Audit:
    """The audit of what was looked at of a run; the arguments are those of `examine`."""
    field, t, y, _ = seen
    absolute, relative = residuals(field, t, y)
    names = [c.name for c in field.equations.constraints]
    energy, balance, scale = _energy(seen)
    rounding = _rounding(field, t, y, run.spent.steps) if balance > ENERGY_LIMIT * scale else 0.0
    (momenta, moved), driven = _momenta(seen), _driving(field, t, y)
    drift = unaccounted(balance, rounding, scale)
    reasons, verdict = _verdict(run, values, names, absolute, relative, drift, moved, driven, policy.method.finer)
    if early:
        reasons, verdict = [*reasons, *map(str, early)], FAILED if verdict == FAILED else SUSPECT
    seen_of = Reach.of(field, y), start, _unseen(balance, rounding, scale)
    return Audit(
        verdict=verdict,
        reasons=tuple(reasons),
        constraints=dict(zip(names, absolute, strict=True)),
        constraint_residual=max(absolute, default=0.0),
        energy_start=float(energy[0]),
        energy_change=float(seen.changes(energy)[seen.ends].sum()),
        work_balance=balance,
        energy_scale=scale,
        energy_rounding=rounding,
        momenta=momenta,
        steps=run.spent.steps,
        rejected=run.spent.rejected,
        evaluations=run.spent.evaluations,
        margin=run.spent.margin,
        seconds=seconds,
        remarks=partial(_noticed, policy, run, field, notes, *seen_of),
    )


class Seen(NamedTuple):
    """What is looked at: times t (N,) and full rows y (N, n + 1) of stretches one behind the other.

    Energy and momenta are those of each stretch for itself; `starts` are where they begin.
    """

    field: Field
    t: np.ndarray
    y: np.ndarray
    starts: np.ndarray = np.zeros(1, int)

    @property
    def ends(self) -> np.ndarray:
        """The last row of each stretch."""
        return np.append(self.starts[1:], len(self.t)) - 1

    @property
    def alone(self) -> bool:
        """Is it one stretch?"""
        return len(self.starts) == 1

    def changes(self, value: np.ndarray) -> np.ndarray:
        """Values (N,) without what each stretch began with."""
        first = value[0] if self.alone else np.repeat(value[self.starts], np.diff(np.append(self.starts, len(value))))
        return np.asarray(value - first)

    def most(self, value: np.ndarray) -> float:
        """The largest |value| (N,) of each stretch, added up."""
        sizes = np.abs(value)
        return float(sizes.max() if self.alone else np.maximum.reduceat(sizes, self.starts).sum())


def _looked_at(run: Run, rows: np.ndarray) -> Seen:
    """The field, step ends and some times between, full rows as the path gives them; what was kept where there is no
    path.
    """
    field = run.legs[0].field
    kept = [_along_leg(leg) for leg in run.legs if len(leg.path.t) > 1]
    if not kept:
        t, y = rows[:, 0], rows[:, 1:]
        if len(run.legs) == 1:
            return Seen(field, t, y)
        begins = [leg.t[0][0] for leg in run.legs]
        which = np.maximum(np.searchsorted(begins, t, side="right") - 1, 0)
        return Seen(_with_inputs(field, [run.legs[i].field for i in which], np.ones(len(t), int)), t, y)
    legs = [leg.field for leg in run.legs if len(leg.path.t) > 1]
    t, y = np.concatenate([t for t, _ in kept]), np.concatenate([full for _, full in kept])
    return Seen(_with_inputs(field, legs, np.array([len(t) for t, _ in kept])), t, y)


def _with_inputs(field: Field, legs: Sequence[Field], counts: np.ndarray) -> Field:
    """A field whose parameters are what they were in the legs, `counts` rows each: arrays, where they changed."""
    changed = [n for n, v in field.parameters.items() if any(leg.parameters[n] != v for leg in legs)]
    if not changed:
        return field
    arrays = {n: np.repeat([leg.parameters[n] for leg in legs], counts) for n in changed}
    return field.looked_at({**field.parameters, **arrays})


def _along_leg(leg: Leg) -> tuple[np.ndarray, np.ndarray]:
    """Step ends and some times between, and full rows there."""
    path, field = leg.path, leg.field
    step = np.linspace(0, len(path.t) - 2, _PROBES).astype(int)
    step = step[(np.diff(step, prepend=-1) > 0) & (path.t[step] != path.t[step + 1])]
    between = (path.t[step] + path.t[step + 1]) / 2
    order = np.argsort(np.r_[path.t, between], kind="stable")
    y = np.vstack([path.y, field.project_each(between, path(between))])
    times = np.r_[path.t, between][order]
    return times, field.full(times, y[order])


def stretches(legs: Sequence[Leg], starts: Sequence[np.ndarray]) -> Seen:
    """What is looked at on legs in the same states, with the same parameters; stretches begin at nodes of each."""
    field, paths = legs[0].field, [leg.path for leg in legs]
    counts = np.concatenate([np.diff(first, append=len(path.t)) for first, path in zip(starts, paths, strict=True)])
    whose = np.repeat(np.arange(len(counts)), counts)
    t, y = np.concatenate([path.t for path in paths]), np.concatenate([path.y for path in paths])
    begin = np.flatnonzero(np.diff(whose, append=-1) == 0)  # nodes at which a step begins
    h, F = np.concatenate([path.h for path in paths]), np.concatenate([path.F for path in paths])
    some = np.linspace(0, len(begin) - 1, _PROBES).astype(int) if len(begin) else np.zeros(0, int)
    some = some[np.diff(some, prepend=-1) > 0]
    i = begin[some]
    between = (t[i] + t[i + 1]) / 2
    inside = field.project_each(between, dense(t[i], h[some], y[i], F[some], between)) if len(i) else y[:0]
    order = np.lexsort((np.r_[t, between], np.r_[whose, whose[i]]))
    times, rows = np.r_[t, between][order], np.vstack([y, inside])[order]
    first = np.searchsorted(np.r_[whose, whose[i]][order], np.arange(len(counts)))
    return Seen(field, times, field.full(times, rows), first)


def _energy(seen: Seen) -> tuple[np.ndarray, float, float]:
    """Energy along the path, the largest part of its change that no work accounts for, and the size of its terms."""
    field, t, y, _ = seen
    constant = not any(type(value) is not float and np.ndim(value) for value in field.parameters.values())
    energy = field.energy(t, y) if constant else _along(field, field.equations.machine.energy, t, y)
    # E(t) - E(0) - work(t) = 0
    balance = seen.most(seen.changes(energy) - y[:, -1])
    size = _size(field, field.equations.machine.energy, t, y)
    return energy, balance, max(size, float(np.ptp(energy)))


def _rounding(field: Field, t: np.ndarray, y: np.ndarray, steps: int) -> float:
    """What of the balance may be rounding of the energy and the work."""
    return blur(field.equations.machine.energy, field.known(t, y), steps)


def _unseen(balance: float, rounding: float, scale: float) -> list[Note]:
    """N410, where all change of the energy is rounding."""
    if not ENERGY_FAILURE * scale < rounding or not balance:
        return []
    told = f"what moves has an energy of {scale:.1e}, which rounds by {rounding:.1e}: whether it is kept cannot be seen"
    return [Note("N410", told)]


def _size(field: Field, node: Node, t: np.ndarray, y: np.ndarray) -> float:
    """The size of a quantity's terms along the path: sum |u_a dp/du_a| at its largest."""
    graph, values = field.equations.machine.graph, field.known(t, y)
    velocities = [graph.symbol(s.name) for s in field.equations.space.velocities]
    slopes = evaluate(gradient(node, velocities), values)
    terms = [np.abs(s * values[u.key[1]]) for s, u in zip(slopes, velocities, strict=True)]
    return float(np.max(sum(terms)))


def _momenta(seen: Seen) -> tuple[dict[str, float], dict[str, float]]:
    """Largest change of each declared momentum, and the same over its size."""
    field, t, y, _ = seen
    graph = field.equations.machine.graph
    changes, moved = {}, {}
    for name, expression in field.equations.system.momenta.items():
        node = read(expression, graph)
        value = _along(field, node, t, y)
        changes[name] = seen.most(seen.changes(value))
        moved[name] = changes[name] / (max(_size(field, node, t, y), float(np.abs(value).max())) or 1.0)
    return changes, moved


def _along(field: Field, node: Node, t: np.ndarray, y: np.ndarray) -> np.ndarray:
    """A node's values (N,), at full rows."""
    return np.broadcast_to(np.asarray(evaluate([node], field.known(t, y))[0], float), t.shape)


def _driving(field: Field, t: np.ndarray, y: np.ndarray) -> list[str]:
    """Laws of friction whose coefficients become negative on the way: there they drive the motion."""
    system, found = field.equations.system, []
    moving = {*system.space.by_name, TIME.name}
    for label, expression in system.coefficients.items():
        if not moving & {s.name for s in expression.free_symbols}:
            continue
        value = _along(field, read(expression, field.equations.machine.graph), t, y)
        least = int(np.argmin(value))
        if value[least] < -ROUNDING * float(np.abs(value).max()):
            at = f"{value[least]:.3g} at t = {t[least]:.6g}"
            found.append(f"E128 {label} must be >= 0, falls to {at}: friction drives the motion there")
    return found


def _verdict(
    run: Run,
    values: np.ndarray,
    names: list[str],
    absolute: list[float],
    relative: list[float],
    drift: float,
    moved: dict[str, float],
    driven: list[str],
    finer: str,
) -> tuple[list[str], str]:
    reasons = [" ".join(run.failure)] if run.failure else []
    verdict = FAILED if run.failure else OK
    for name, a, r in zip(names, absolute, relative, strict=True):
        if not r <= CONSTRAINT_LIMIT:
            reasons.append(f"E405 {name} drifts to {a:.1e}, {r:.1e} of its terms: {finer} or project")
            verdict = FAILED
    if not drift <= ENERGY_LIMIT:
        reasons.append(f"E406 energy and work differ by {drift:.1e} of the energy: {finer}")
        verdict = FAILED if verdict == FAILED or not drift <= ENERGY_FAILURE else SUSPECT
    for name, change in moved.items():
        if not change <= MOMENTUM_LIMIT:
            reasons.append(f"E406 the momentum {name} changed by {change:.1e} of its size: it is not conserved")
            verdict = FAILED if verdict == FAILED else SUSPECT
    if driven:
        reasons += driven
        verdict = FAILED if verdict == FAILED else SUSPECT
    if not np.isfinite(values).all():
        reasons.append(f"E499 a number in the result is not finite: {_FAULT}")
        verdict = FAILED
    return reasons, verdict


class Reach(NamedTuple):
    """How far a motion goes: |y| at first and at its largest (n + 1,), and of its multipliers together."""

    first: np.ndarray
    most: np.ndarray
    multipliers: tuple[float, float]

    @classmethod
    def of(cls, field: Field, y: np.ndarray) -> Reach:
        """Of full rows (N, n + 1)."""
        sizes, equations = np.abs(y), field.equations
        lam = [equations.states.index(s.name) for s in equations.states_of_multipliers]
        size = np.linalg.norm(y[:, lam], axis=1) if lam else np.zeros(1)
        return cls(sizes[0].copy(), np.fmax.reduce(sizes), (float(size[0]), float(size.max())))


def _noticed(
    policy: Policy,
    run: Run,
    field: Field,
    notes: Callable[[], Sequence[Note]],
    reach: Reach,
    start: np.ndarray | None,
    unseen: Sequence[Note],
) -> tuple[str, ...]:
    """What is no fault, in words, each once."""
    small = [] if start is None or run.failure else unweighed(policy, field.equations.states, start, reach.most)
    found = [*field.equations.notes, *notes(), *small, *_remarks(field, run, reach), *unseen]
    return tuple(dict.fromkeys(map(str, found)))


def _remarks(field: Field, run: Run, reach: Reach) -> list[Note]:
    first, most = (dict(zip(field.equations.states, row.tolist(), strict=False)) for row in reach[:2])
    remarks = field.equations.system.doubts_of_run(first, most)
    began, largest = reach.multipliers
    if began and largest > GROWTH * began:
        remarks.append(
            Note("W407", f"the multipliers grew by {largest / began:.1e}: the motion is sensitive to lam(0)")
        )
    for name, found in run.marks.items():
        if not found and not name.endswith("at rest"):
            remarks.append(Note("N309", f"event {as_given(name)} never happened"))
    if run.jumps:
        remarks.append(Note("N130", f"{len(run.jumps)} jumps changed the energy by {sum(w for _, w in run.jumps):.6g}"))
    return remarks


# --- How much of an energy's change is rounding: of its own evaluation, and of the states that steps add up ----------
# Where the energy changes by little beside its terms (a weak spring, a large constant in a potential), what no work
# accounts for is a rounding of these terms, and says nothing about the motion.

_UNIT = 2.0**-52
_ROUNDINGS = 2.0  # of the energy's size, by the root of the number of steps


def blur(energy: Node, values: Mapping[str, ArrayLike], steps: int) -> float:
    """What the change of the energy may be off by rounding alone.

    Args:
        energy: the energy as it is evaluated.
        values: numbers or arrays along the path by symbol.
        steps: how many were made; each adds a rounding of the states, and these go both ways.
    """
    with np.errstate(all="ignore"):
        size = float(np.max(sizes(energy, values), initial=0.0))
    return float(roundings(steps)) * size if np.isfinite(size) else 0.0


def roundings(steps: int | np.ndarray) -> np.ndarray:
    """What the change of a quantity may be off after so many steps, over its size."""
    # |dE| <= 2 eps sqrt(1 + N) max size(E),    size(y) = |y| + sum |dy/dx| size(x)
    return np.asarray(_ROUNDINGS * _UNIT * np.sqrt(1.0 + np.asarray(steps)))
