"""What happens at guards: impacts and other jumps, several at one instant, pile-ups (Zeno), and forces that switch.

    W (u+ - u) = N^T nu + sum_w A_w^T mu_w ,   N (u+ - u) = 0

One wall jumps as its event says. Walls that are met at once act at once, by the complementarity problem of contacts:
those that act reverse their rows, A_r u+ + c_r = -e_r (A_r u + c_r), with normal impulses mu >= 0; the others are left
fast enough, df/dt(u+) + e df/dt(u) >= 0 [moreau1988].
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ...calculus.frame import TIME
from ...calculus.graph import evaluate
from ...calculus.numerical_rank import first_independent, null_space
from ...equations.contact_modes import SLIDES
from ...trajectory import Interpolant
from ..contacts.problem import ClosedContact, Problem, Undecided
from ..events import guard_signs, singularities
from ..events.compiled_guards import Happening
from ..events.guard import Guard
from ..methods.stepper import Stepper
from ..vector_field.field import residuals, row_units
from .resting_guards import IMPOSE, rest_after
from .run_context import ZENO, Impulses, Passage, Run, RunContext, gather

CHATTER, CHATTER_TIME = 1000, 1e-6  # so many switches within this part of the run's length are too many
_SLIDING = "at t = {t:.10g}: the force jumps where {name} = 0 and holds the motion there: it needs a law of rest"

MOST = CHATTER  # jumps at one instant
ORDERS, MOST_ASKED = 24, 50  # of jumps at one instant that are compared, and jumps in each
SAME = 1e-9  # of the state, within which two orders lead to the same
GRIPS = 1e9  # of the normal impulse: more than the other rows of a wall that acts may need
NONE, PRESSED = 1e-12, 1e-9  # of the largest: an impulse of this size is 0; of a contact that takes no part

_PILE = f"at t = {{t:.10g}}: the jumps at {{name}} pile up (Zeno); {IMPOSE}"


class Jump(NamedTuple):
    """One jump of the state.

    Attributes:
        guards: where; more than one of walls that act at once.
        alone: is no other guard met at this instant?
        before, after: full rows (n + 1,).
        work: by how much the energy changes.
        y: the state (n + 1,) after it.
        impulses: of walls, by wall and row; None where no jump of them is the only one.
        touched: the rows of contacts that would have to give impulses too.
    """

    guards: Sequence[Guard]
    alone: bool
    before: np.ndarray
    after: np.ndarray
    work: float
    y: np.ndarray
    impulses: Impulses | None
    touched: Sequence[str]


def jump(run: Run, stepper: Stepper, first: Happening, y: np.ndarray, context: RunContext) -> None:
    """The jump, and those of other guards that the new state crosses at the same instant."""
    field, t = context.field, first.t
    met = _met(t, y, context)
    if len(met) > 2 and not all(g.at_once for g in met) and _order_matters(t, y, met, context):
        run.failure = _undecided(t, met, "the order of their jumps decides")
        return
    after = _jumps(run, first, y, context)
    if after is None:
        return
    new, acted = after
    for g in met:  # what acted within another's jump, as two walls in a corner do
        last = run.marks[g.event.name][-1][0] if run.marks[g.event.name] else -math.inf
        if last < t and guard_signs.guard_rate(field, g, t, new) * g.event.direction <= 0:
            run.mark([g], np.array([t]), y[None])
    if run.last_jump and guard_signs.guard_rate(field, run.last_jump.guard, t, new) * run.last_jump.direction > 0:
        run.last_jump = None  # the jump sends the motion on through the guard: a kick, not a wall
    stepper.restart(t, new)
    rest_after(run, t, y, new, [*acted, *met], context)
    _check_accumulation(run, context, first.guard.event.name)


def _met(t: float, y: np.ndarray, context: RunContext) -> list[Guard]:
    """The guards with jumps that the motion meets at this instant."""
    jumping = [g for g in context.guards if g.event.jumps and not g.switch]
    return [g for g in jumping if guard_signs.meets(context.field, g, t, y)]


def _jumps(run: Run, first: Happening, y: np.ndarray, context: RunContext) -> tuple[np.ndarray, list[Guard]] | None:
    """The state after all jumps of this instant, and their guards; None where the run ends."""
    t, acted = first.t, list[Guard]()
    acting = [g for g in context.guards if not g.switch and not g.marks]
    for found in _sequence(first.guard, acting, t, y, context):
        guard = found.guards[0]
        if len(acted) == MOST:
            run.failure = ("E408", f"at t = {t:.10g}: {MOST} jumps at one instant")
            return None
        if found.impulses is None:
            run.failure = _undecided(t, found.guards, "no way in which all of them push is the only one")
            return None
        if found.touched:
            names = ", ".join(sorted(g.event.name for g in found.guards))
            fact = f"the impact at {names} needs impulses of {', '.join(found.touched)}, and a wall knows no contacts"
            run.failure = ("E413", f"at t = {t:.10g}: {fact}: give a contact in its place, contacts={{...}}")
            return None
        run.mark(found.guards, np.full(len(found.guards), t), np.repeat(y[None], len(found.guards), 0))
        if guard.event.stops:
            run.stop(guard, t)
            return None
        run.pushes.append((t, found.impulses))
        run.passages.append(Passage(t, guard if found.alone else None, found.before, found.after, t))
        _put(run, t, y, found, context)
        if run.failure:
            return None
        y = found.y
        acted.append(guard)
        # the direction in which the motion met the guard
        way = guard.event.direction or (first.direction if guard is first.guard else 0)
        run.last_jump = first._replace(guard=guard, direction=way)
    return y, acted


def _sequence(first: Guard, acting: Sequence[Guard], t: float, y: np.ndarray, context: RunContext) -> Iterator[Jump]:
    """The jumps of one instant, one after the other; a stop may be the last."""
    field = context.field
    # a guard that the motion was leaving, as the far side of a wall, is not met at this instant
    armed = {id(g) for g in acting if not guard_signs.moves_back_inside(field, g, t, y)}
    guard: Guard | None = first
    while guard is not None:
        one = _jump_at(guard, t, y, context)
        yield one
        y = one.y
        armed -= {id(g) for g in one.guards}
        crossing = [g for g in acting if guard_signs.crosses(field, g, t, y)]
        armed |= {id(g) for g in acting if g not in crossing and g.event.direction}
        guard = next((g for g in crossing if id(g) in armed), None)


def _order_matters(t: float, y: np.ndarray, met: Sequence[Guard], context: RunContext) -> bool:
    """Do the jumps of guards that are met at once lead to different states in different orders?"""
    ends = []
    for order in itertools.islice(itertools.permutations(met), ORDERS):
        jumps = list(itertools.islice(_sequence(order[0], order, t, y, context), MOST_ASKED))
        ends.append(jumps[-1].y if len(jumps) < MOST_ASKED else np.full_like(y, np.nan))
    apart = max(float(np.abs(end - ends[0])[:-1].max()) for end in ends)
    return not apart <= SAME * float(np.abs(y[:-1]).max())


def _undecided(t: float, guards: Sequence[Guard], why: str) -> tuple[str, str]:
    names = ", ".join(sorted(g.event.name for g in guards))
    return "E409", f"at t = {t:.10g}: {names} are met at once, and {why}"


def _jump_at(guard: Guard, t: float, y: np.ndarray, context: RunContext) -> Jump:
    """The jump at a guard, and at the walls that act at once with it, whether the constraints allow it or not."""
    field, at = context.field, np.array([t])
    before = field.full(at, y[None])[0]
    others = [g for g in _met(t, y, context) if g is not guard]
    guards = [guard, *(g for g in others if guard.at_once and g.at_once)]
    impulses: Impulses | None = {}
    touched: Sequence[str] = ()
    after = guard.after(t, before, field.equations.states, context.parameters)
    if guard.event.impact is not None and np.isfinite(after).all():
        after, impulses, touched = _impact(guards, t, before, after, context)
    work = float(np.subtract(*field.energy(np.full(2, t), np.vstack([after, before]))))
    after[-1] += work
    new = np.asarray(field.within(at, after[None])[0]) if np.isfinite(after).all() else np.full_like(y, np.nan)
    return Jump(guards, not others, before, after, work, new, impulses, touched)


def _impact(
    walls: Sequence[Guard], t: float, before: np.ndarray, after: np.ndarray, context: RunContext
) -> tuple[np.ndarray, Impulses | None, list[str]]:
    """The full row after an impact, which is known of one wall; the impulses, None where they are not decided; and the
    rows of contacts that would give impulses too.
    """
    states = context.field.equations.states
    values = {**context.parameters, **dict(zip(states, before, strict=False)), TIME.name: t}
    pieces, labels, rows = list[ClosedContact](), dict[str, list[str]](), list[np.ndarray]()
    for wall in sorted(walls, key=lambda wall: wall.event.name):
        name, impact = wall.event.name, wall.event.impact
        assert impact is not None
        places = [states.index(u) for u in impact.velocities]
        k = len(places)
        *matrices, rates, e = (np.array(evaluate(nodes, values), float) for nodes in wall.impact)
        W, N, A = (matrix.reshape(-1, k) for matrix in matrices)
        Z = null_space(N) if len(N) else np.eye(k)
        # u = Z v: rows on v, but those that follow from earlier ones
        kept = first_independent(A @ Z)
        # A du = -(1 + e) (A u + c)
        a, back = (A @ Z)[kept], np.where((e >= 0) & (e <= 1), -(1 + e) * rates, np.nan)[kept]
        pieces.append(ClosedContact(name, name, a[0], back[0], a[1:], back[1:], None, GRIPS, GRIPS))
        labels[name] = [list(impact.rates)[r] for r in kept]
        rows.append(A[kept])
    G = Z.T @ W @ Z
    if len(pieces) == 1:
        # a G^-1 a^T mu = a dv
        mu = [np.linalg.solve(a @ np.linalg.solve(G, a.T), back)]
    else:
        r = len(G)
        holds = {(piece.name, SLIDES) for piece in pieces if len(piece.B)}
        after = before.copy()
        if not all(np.isfinite([piece.normal, *piece.along]).all() for piece in pieces):
            after[places] = np.nan
            return after, {}, []
        try:
            found = Problem(G, np.zeros(r), np.zeros((0, r)), np.zeros(0), pieces, holds).solve()
        except Undecided:
            found = None
        if found is None or holds & set(found.words().items()):
            after[places] = np.nan
            return after, None, []
        after[places] += Z @ found.x
        mu = [np.r_[found.normal[name], found.friction[name]] for name in labels]
    least = NONE * max(float(np.abs(each).max()) for each in mu)
    impulses = [[float(m) if abs(m) > least else 0.0 for m in each] for each in mu]
    told = {name: dict(zip(labels[name], each, strict=True)) for name, each in zip(labels, impulses, strict=True)}
    # N^T nu = W du - A^T mu
    whole = W @ (after - before)[places]
    nu = np.linalg.lstsq(N.T, whole - np.concatenate(mu) @ np.vstack(rows), rcond=1e-10)[0]
    assert impact is not None
    parts = zip(impact.constraints, nu * np.linalg.norm(N, axis=1), strict=True)
    asked = {n: -part if impact.touching[n] else abs(part) for n, part in parts if n in impact.touching}
    return after, told, [n for n, part in asked.items() if part > PRESSED * np.abs(whole).max()]


def _put(run: Run, t: float, y: np.ndarray, one: Jump, context: RunContext) -> None:
    """Go on from a state y after a jump, which must satisfy the constraints."""
    field, after = context.field, one.after
    absolute, relative = residuals(field, np.array([t]), after[None])
    units = row_units(field, t, one.before)
    off = max((min(a / unit, r) for a, r, unit in zip(absolute, relative, units, strict=True)), default=0.0)
    if not np.isfinite(after).all() or not off <= 1e-9:
        names = ", ".join(sorted(g.event.name for g in one.guards))
        run.failure = ("E130", f"at t = {t:.10g}: the jump at {names} {_fault(after, off, context)}")
        return
    run.jumps.append((t, one.work))
    nothing = np.zeros((1, 1, len(y)))
    gather(run, Interpolant(np.array([t, t]), np.vstack([y, one.y]), np.zeros(1), nothing), context)


def _fault(new: np.ndarray, off: float, context: RunContext) -> str:
    lost = [name for name, value in zip(context.field.equations.states, new, strict=False) if not np.isfinite(value)]
    if lost:
        return f"gives no number for {', '.join(lost)}: is each restitution in [0, 1], each new value a number?"
    if not np.isfinite(new[-1]):
        return "gives an energy that is no number: are its values of another unit?"
    return f"leaves the constraints (residual {off:.2g})"


def check_passing(run: Run, events: Sequence[Happening], piece: Interpolant, context: RunContext) -> None:
    """E133 where the motion goes through a guard right after a jump that should have kept it on its side."""
    jump = run.last_jump
    run.last_jump = None
    if jump is None or any(h.guard is jump.guard and h.t <= piece.t[1] for h in events):
        return
    value = jump.guard.of(piece.t[1:2], piece.y[1:2], context.names, context.parameters)[0]
    if value * jump.direction > 0:
        run.failure = ("E133", _PILE.format(t=jump.t, name=jump.guard.event.name))


def _check_accumulation(run: Run, context: RunContext, name: str) -> None:
    """Jumps whose intervals shrink to nothing have an end in finite time, beyond which the motion is not defined.

    Those whose intervals stay tiny have one that is not reached in any time to wait.
    """
    if within := chatters([t for t, _ in run.jumps[-MOST:]], context.until - run.began):
        run.failure = ("E408", f"at t = {run.jumps[-1][0]:.10g}: {name} jumps {MOST} times in {within:.1e}")
        return
    t = np.unique([t for t, _ in run.jumps[-12:]])[-4:]
    intervals = np.diff(t)
    if len(t) == 4 and np.all(np.diff(intervals) < 0) and intervals[-1] < ZENO * (context.until - run.began):
        run.failure = ("E133", _PILE.format(t=t[-1], name=name))


# --- between modes ----------------------------------------------------------------------------------------------------


def switch(run: Run, stepper: Stepper, h: Happening, y: np.ndarray, context: RunContext) -> None:
    """Where a force jumps: step a hair beyond the surface and start afresh there."""
    if singularities.slides(context.field, h, y):
        run.failure = ("E408", _SLIDING.format(t=h.t, name=h.guard.event.name))
        return
    hair = min(guard_signs.hair(context.field, h.guard, h.t, y), context.until - h.t)
    # with the rate that holds beyond: on the surface itself the force may be either
    ahead = y + hair * context.field.rate(h.t, y)
    beyond = y + hair * context.field.rate(h.t + hair, ahead)
    F = np.zeros((1, 1, len(y)))
    F[0, 0] = beyond - y
    gather(run, Interpolant(np.array([h.t, h.t + hair]), np.vstack([y, beyond]), np.array([hair or 1.0]), F), context)
    stepper.restart(h.t + hair, beyond)
    run.switches.append(h.t)
    before, after = context.field.full(np.array([h.t, h.t + hair]), np.vstack([y, beyond]))
    run.passages.append(Passage(h.t, h.guard, before, after, h.t + hair))
    if within := chatters(run.switches[-CHATTER:], context.until - run.began):
        run.failure = ("E408", f"at t = {h.t:.10g}: the force switches {CHATTER} times in {within:.1e}")


def chatters(recent: Sequence[float], length: float) -> float:
    """The time within which the last `CHATTER` happenings lie, if that is next to nothing of the run's; else 0."""
    within = recent[-1] - recent[0]
    return within if len(recent) == CHATTER and within < CHATTER_TIME * length else 0.0
