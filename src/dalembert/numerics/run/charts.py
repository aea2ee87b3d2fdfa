"""A run that comes near to a pole of its chart, or to a small pivot, goes on from there with others.

The rank margin of a step tells how small its pivots have become, in units of those at the start of the leg. At the
first step whose end is nearer than `margins_of` allows the leg is cut, and the next begins with the state there, in the
speeds of the chart whose pivots are the largest at this state; as written, where that one is singular too, or the
method does not turn. Of dependent constraint rows those are used that are farthest from dependent there. As written,
pivots are chosen at each state from then on. A small pivot says nothing of the motion: `singular` does. What is seen of
the path does not change: times, states as the equations have them, work, events, and the size of the next step.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from ...calculus.graph import symbols
from ...errors import InvalidValue
from ...trajectory import Columns, Interpolant
from ..inputs.run_inputs import columns_of
from ..methods.method import margins_of, turning
from ..methods.stepper import VARIES, Chunk, Status, Stepper
from ..vector_field.field import Field
from .run_context import ZENO, Leg, Rest, Run, RunContext

WITHIN = (0.25, 0.5, 0.75)  # of a step: where its margin is looked at
MANY = 8  # legs, within which a run of charts that all have poles here would be seen


def near_pole(chunk: Chunk, piece: Interpolant, context: RunContext) -> int | None:
    """The first node of the piece from which the run should go on in another chart, if there is one."""
    lean = context.field.lean
    if lean is None:
        return _small_pivot(chunk, piece, context)
    if not chunk.margin < turning(lean) and chunk.status != Status.RANK:
        return None
    ends = context.field.margins(piece.t, piece.y)
    small = np.flatnonzero(ends[1:] < turning(lean))
    over = np.flatnonzero(_may_vanish(piece, ends, context.field)) if chunk.margin <= 0 else small[:0]
    if len(over) and not (len(small) and small[0] < over[0]):
        return int(over[0])
    if not len(small):
        return len(piece.h) if chunk.status == Status.RANK else None
    return None if piece.t[small[0] + 1] == context.until else int(small[0]) + 1


def _small_pivot(chunk: Chunk, piece: Interpolant, context: RunContext) -> int | None:
    """The same of equations as they are written, where other pivots or rows can be chosen."""
    field, low = context.field, context.stepping.margin_low
    lost = chunk.status == Status.RANK and low > 0
    if not (chunk.margin < low or lost):
        return None
    last = len(piece.h)
    if field.kernel.pivots:
        small = np.flatnonzero(field.margins(piece.t, piece.y)[1:] < low)
        return int(small[0]) + 1 if len(small) and piece.t[small[0] + 1] != context.until else last if lost else None
    # a row that vanishes is as good a row for pivots that are chosen, and says nothing
    values = field.known(float(piece.t[last]), piece.y[last])
    return last if field.equations.rows_at(values) is not field.equations else None


def _may_vanish(piece: Interpolant, ends: np.ndarray, field: Field) -> np.ndarray:
    """On which steps (N,) the margin, given at their ends (N + 1,), may be 0 between places that are looked at."""
    t = piece.t[:-1] + np.outer(WITHIN, piece.h)
    inside = field.margins(t.ravel(), piece(t.ravel())).reshape(t.shape)
    values = np.vstack([ends[:-1], inside, ends[1:]])
    return np.asarray(~(values.max(axis=0) <= VARIES * values.min(axis=0)))


def in_another_chart(run: Run, stepper: Stepper, piece: Interpolant, context: RunContext) -> tuple[Stepper, RunContext]:
    """The stepper and the context that go on from the end of the piece."""
    t, at = float(piece.t[-1]), piece.t[-1:]
    first, parameters = run.legs[0].field, context.field.parameters
    if parameters is not first.parameters:  # the field of the start, with the inputs of now
        first = replace(first, start=replace(first.start, parameters=parameters))
    full = context.field.full(at, piece.y[-1:])
    first = first if context.field.lean is not None else first.as_written()
    # where legs become ever shorter, all charts come to a pole together: the constraints lose rank
    everywhere = len(run.legs) >= MANY and t - run.legs[-MANY].t[0][0] < ZENO * (context.until - run.began)
    turns = context.policy.method.turns and not everywhere
    field = first.going_on(t, full[0], turns)
    if not len(piece.h) and field.lean is not None and field.lean is context.field.lean:
        field = first.going_on(t, full[0], False)  # there is no chart in which it could go far
    h = float(piece.h[-1]) if len(piece.h) else 0.0
    return turned(run, stepper, context, field, (t, piece.y[-1], h))


def turned(
    run: Run, stepper: Stepper, context: RunContext, field: Field, there: tuple[float, np.ndarray, float]
) -> tuple[Stepper, RunContext]:
    """The stepper and the context that go on in another field's states, from a time, a state and a size of step."""
    t, old, h = there
    y = field.within(np.array([t]), context.field.full(np.array([t]), old[None]))[0]
    if context.growth is not None and context.keep is not None:
        context.growth.turn(field, t, old, y)
    following, new = _begin_leg(run, stepper, _seen_in(field, context), (t, y, h))
    _carry_over(run, context, new)
    return following, new


def _begin_leg(
    run: Run, stepper: Stepper, context: RunContext, there: tuple[float, np.ndarray, float]
) -> tuple[Stepper, RunContext]:
    """A new leg in the context's field, from a time, a state and a size of step; its stepper and the context."""
    t, y, h = there
    run.spent = run.spent.and_by(stepper)
    most = max(context.policy.most_steps - run.spent.steps - run.spent.rejected, 0)
    stepping = replace(context.stepping, max_steps=most)
    following = context.policy.method.stepper(context.field, stepping)
    following.restart(t, y, h)
    keep = None if context.keep is None else replace(context.keep, field=context.field, stepper=following)
    new = replace(context, stepping=stepping, keep=keep)
    run.legs.append(Leg.begin(new, t, y))
    return following, new


def _seen_in(field: Field, context: RunContext) -> RunContext:
    """The context in the states of another field."""
    limit, low = margins_of(field, context.policy.method.fixed)
    stepping = replace(context.stepping, margin_limit=limit, margin_low=low)
    if field.lean is None:
        stepping = replace(stepping, atol=context.policy.tolerances(field.states, field.first[:-1]))
    return replace(context, field=field, stepping=stepping)


def _carry_over(run: Run, old: RunContext, new: RunContext) -> None:
    """What was noted of guards holds of the same guards in the new states."""
    same = {id(a): b for a, b in zip(old.guards, new.guards, strict=True)}
    if run.last_jump is not None:
        run.last_jump = run.last_jump._replace(guard=same[id(run.last_jump.guard)])
    rests = [(same[i], rest) for i, rest in run.resting.items()]
    run.resting = {id(guard): Rest(guard, rest.since, rest.size) for guard, rest in rests}


# --- Where coefficients of inputs change a run lands, and goes on from there with the new ones -----------------------


def on_with_inputs(run: Run, stepper: Stepper, context: RunContext) -> tuple[Stepper, RunContext]:
    """The stepper and the context that go on from the time reached."""
    t, y, old = stepper.t, stepper.y.copy(), context.field
    try:
        values = context.steering.values(t, partial(named_state, old, t, y))
    except InvalidValue as error:  # E184: what a function says; the path until then is kept
        run.failure = (error.code, error.fact)
        return stepper, context
    context = replace(context, change=context.steering.after(t, context.until))
    if all(old.parameters[name] == value for name, value in values.items()):
        return stepper, context
    following, new = with_values(run, stepper, context, values)
    full = old.full(np.array([t]), y[None])[0]
    if not context.holds(before=old.parameters, after=new.field.parameters, t=t, full=full):
        run.outcome = f"inputs end the mode of contacts at t = {t:.10g}"
    return following, new


def with_values(
    run: Run, stepper: Stepper, context: RunContext, values: Mapping[str, float]
) -> tuple[Stepper, RunContext]:
    """The stepper and the context with other values of some parameters."""
    t, y, old = stepper.t, stepper.y.copy(), context.field
    field = old.with_values(values)
    y[-1] += work_of_jump(old, field, t, y)
    if context.growth is not None and context.keep is not None:
        context.growth.go_on(field)
    # does an event depend on coefficients that change?
    watched = bool(context.events) and bool(symbols([guard.value for guard in context.events]) & values.keys())
    new = replace(context, field=field, watches={} if watched else context.watches)
    return _begin_leg(run, stepper, new, (t, y, getattr(stepper, "h", 0.0)))


def named_state(field: Field, t: float, y: np.ndarray) -> Columns:
    """The states by name."""
    full = field.full(np.array([t]), y[None])[0]
    return columns_of(field.equations.states, t, full)


def work_of_jump(old: Field, new: Field, t: float, y: np.ndarray) -> float:
    """By how much the energy changes with the coefficients alone, which the inputs supply."""
    changed = {name for name, value in new.parameters.items() if value != old.parameters[name]}
    if not changed & symbols([new.equations.machine.energy]):
        return 0.0
    at = np.array([t])
    full = old.full(at, y[None])
    return float(new.energy(at, full)[0] - old.energy(at, full)[0])
