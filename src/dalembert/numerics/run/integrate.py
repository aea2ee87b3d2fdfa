"""One run carried out: chunks of steps, cut where something happens, to the end, an event that stops, or a failure."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ...calculus import budget
from ...errors import as_given, warn
from ...trajectory import Interpolant
from ..events import guard_signs, singularities
from ..events.compiled_guards import Edge, Happening
from ..events.guard import Guard
from ..events.narrow_features import Again, places_of
from ..methods.method import Method, Request, margins_of
from ..methods.stepper import Chunk, Status, Stepper
from ..policy import Policy
from ..vector_field.field import Field
from . import accuracy
from .accuracy import DisturbanceGrowth
from .charts import in_another_chart, near_pole
from .resting_guards import NOT_UNIQUE, free_guards, rest_at_start
from .run_context import Keeper, Leg, Made, Run, RunContext, RunRequest, gather, named

if TYPE_CHECKING:
    from .constraint_branches import Gap

FEW_SAMPLES = 100  # so many are made again from their steps rather than all steps kept with dense output
LARGEST = 100_000_000  # stored numbers, 0.8 GB
GROWN = 1e4  # growth of the state that tells a blow-up from other singularities
HURRIED = 0.01  # of the run's length: whoever spends all steps on less was held up

WATCHED = 0.01  # rank margin, by that at the start of a leg, below which losses of rank are looked for
Lost = tuple[float, singularities.RankSurface]
REASONS = {
    Status.NONFINITE: ("E401", "a number stopped being finite"),
    Status.RANK: ("E404", "the constraints or the kinetic energy lose rank: the motion is no longer determined"),
    Status.STEP_TOO_SMALL: ("E407", Method.stuck),
    Status.BLOWUP: ("E403", "the state grows beyond 1e150"),
    Status.MAX_STEPS: ("E313", "the steps are used up: give a larger max_steps"),
}


def execute(request: RunRequest) -> Made:
    """Carry out a run to what ends it; as the equations are written where a chart of the lean form ends."""
    began = time.perf_counter()
    found = _execute(request)
    if found[0].left:
        request = replace(request, field=request.field.as_written())
        found = _execute(request)
    return Made(request.field, *found, time.perf_counter() - began)


def _execute(request: RunRequest) -> tuple[Run, list[np.ndarray], DisturbanceGrowth | None]:
    """What a run gathers; times and full rows that were kept, and what followed a disturbance."""
    field, policy, t = request.field, request.policy, request.field.start.t
    narrow, samples = places_of(field.equations), request.samples
    stepping = stepping_of(field, policy, request.events, 0 if samples is None else len(samples))
    stepping = replace(stepping, dense=True) if narrow and not stepping.dense else stepping
    stepper, growth = (
        request.reused.stepper(policy, field, stepping),
        DisturbanceGrowth.of(field, policy, request.until),
    )
    keeper = Keeper([], samples, field, stepper, growth)
    if not policy.dense:
        keeper.take(np.array([t]), field.first[None])
    context = RunContext(
        **vars(request),
        stepping=stepping,
        keep=None if policy.dense else keeper,
        growth=growth,
        places=narrow,
        change=request.steering.after(t, request.until),
    )
    run = carry_out(stepper, context) if request.until > t else _nothing(context)
    if run.stopped_by.endswith(NOT_UNIQUE):
        at, names = run.marks[run.stopped_by][-1][0], run.stopped_by.removesuffix(NOT_UNIQUE)
        words = "what forces make of it outweighs the inertia, so that none balances, or several do"
        run.failure = ("E410", f"at t = {at:.10g}: {names}: {words}")
    return run, keeper.kept, growth


def stepping_of(field: Field, policy: Policy, guards: tuple[Guard, ...], samples: int) -> Request:
    """What a run asks of its stepper: as much dense output as guards and samples need."""
    limit, low = margins_of(field, policy.method.fixed)
    return Request(
        rtol=policy.rtol,
        atol=policy.tolerances(field.states, field.first[:-1]),
        max_step=policy.max_step,
        max_steps=policy.most_steps,
        dense=policy.dense or bool(guards) or samples > FEW_SAMPLES,
        watched=bool(guards),
        patient=all(guard.marks for guard in guards),
        margin_limit=limit,
        margin_low=low,
    )


def _nothing(context: RunContext) -> Run:
    leg = Leg.begin(context, context.field.start.t, context.field.first)
    return Run([leg], marks=named(context.guards), outcome="no time to pass")


def carry_out(stepper: Stepper, context: RunContext) -> Run:
    """Integrate to the end, to an event that stops, or to a failure."""
    run = Run([Leg.begin(context, stepper.t, stepper.y)], marks=named(context.guards))
    rest_at_start(run, stepper.t, stepper.y.copy(), context)
    stepper, context = onwards(run, stepper, context)
    run.spent, run.doubts = run.spent.and_by(stepper), context.doubts
    return run


def onwards(run: Run, stepper: Stepper, context: RunContext) -> tuple[Stepper, RunContext]:
    """Go on to the context's end, an event that stops, or a failure; the stepper and the context there."""
    spent, aim = budget.cpu_clock(), math.inf
    while not run.outcome and not run.failure:
        if context.change <= stepper.t:
            from .charts import on_with_inputs

            stepper, context = on_with_inputs(run, stepper, context)
            if run.failure or run.outcome:
                break
        t, y = stepper.t, stepper.y.copy()
        aim = aim if aim > t else math.inf
        chunk = stepper.advance(min(aim, context.change, context.until))
        piece = _behind(t, y, chunk)
        near = chunk.margin < WATCHED * context.field.fair_margin and len(piece.h) > 0
        if near and len(piece.F) < len(piece.h):
            piece = replace(piece, F=stepper.dense_output(piece.t[:-1], piece.y[:-1], piece.t[1:]))
        last = near_pole(chunk, piece, context)
        piece = piece if last is None else piece.steps(last)
        lost = singularities.lost_on(piece, _surfaces(run, context)) if near and len(piece.h) else None
        gap = _gap(run, piece, None if lost is None else lost[0], context) if near else None
        if gap is not None:
            _cross(run, stepper, gap, context)
            continue
        piece = piece if lost is None else _until(piece, lost[0], context)
        cut = _happen(run, piece, context) if len(piece.h) else None
        if isinstance(cut, Again):
            aim = _again(run, stepper, piece, cut, context)
        elif cut is not None:
            _act(run, stepper, piece, cut, context)
        elif not run.failure:
            gather(run, piece, context)
            if last is not None and lost is None:
                stepper, context = in_another_chart(run, stepper, piece, context)
            else:
                short = chunk.status == Status.END and min(aim, context.change) < context.until
                _judge(run, Status.FULL if short else chunk.status, stepper, context, lost)
        context.tick(float(stepper.t))
        _look_at_steps(run, context, stepper, piece.h)
        _crowd(run, context, stepper, piece.h)
        _limit(run, context, spent(), stepper)
    if run.failure:
        _explain(run, stepper, context)
        run.outcome = f"{run.failure[0]} {run.failure[1]}"
    return stepper, context


def _gap(run: Run, piece: Interpolant, lost: float | None, context: RunContext) -> Gap | None:
    from .constraint_branches import through

    return through(run, piece, lost, context)


def _cross(run: Run, stepper: Stepper, gap: Gap, context: RunContext) -> None:
    """Keep the way over a place where branches cross, with what happens on it, and go on behind it."""
    for piece in (*gap.before, *gap.over):
        cut = _happen(run, piece, context)
        if run.failure:
            return
        if isinstance(cut, Happening):
            _act(run, stepper, piece, cut, context)
            return
        gather(run, piece, context)
    run.branches.append(gap.branching)
    last = gap.over[-1]
    run.leg.gaps.append((float(gap.over[0].t[0]), float(last.t[-1])))
    stepper.restart(float(last.t[-1]), last.y[-1])


def _behind(t: float, y: np.ndarray, chunk: Chunk) -> Interpolant:
    """The path of steps that were made from a time and a state (n,) on."""
    times, states = np.empty(len(chunk.t) + 1), np.empty((len(chunk.t) + 1, len(y)))
    times[0], times[1:], states[0], states[1:] = t, chunk.t, y, chunk.y
    return Interpolant(times, states, times[1:] - times[:-1], chunk.F)


def _again(run: Run, stepper: Stepper, piece: Interpolant, again: Again, context: RunContext) -> float:
    """Keep what lies before a step that missed something; the time up to which it is made again."""
    if again.step:
        gather(run, piece.steps(again.step), context)
    stepper.restart(float(piece.t[again.step]), piece.y[again.step])
    return again.until


def _explain(run: Run, stepper: Stepper, context: RunContext) -> None:
    """Where a number stopped being finite, name the term that did."""
    if context.field.lean is not None:  # the run is made again as the equations are written
        return
    code = run.failure[0] if run.failure else ""
    if code == "E404":
        t, y = float(np.concatenate(run.leg.t)[-1]), np.concatenate(run.leg.y)[-1]
        words = singularities.form_lost(context.field, t, y)
        run.failure = ("E162", f"at t = {t:.10g}: {words}") if words else run.failure
    if code in ("E401", "E407"):
        span = context.until - run.began
        found = singularities.cause(context.field, stepper.t, stepper.y, span, far=code == "E401")
        run.failure = (found[0], f"at t = {stepper.t:.10g}: {found[1]}") if found else run.failure


def _happen_before(run: Run, piece: Interpolant, again: Again, context: RunContext) -> Happening | Again:
    """What happens on the steps before the one that missed something, which are kept; else that step."""
    before = _happen(run, piece.steps(again.step), context) if again.step else None
    return again if before is None else before


def _happen(run: Run, piece: Interpolant, context: RunContext) -> Happening | Again | None:
    """Mark what happens on the piece; return the first event that stops, jumps or switches, or a step that missed what
    is narrower than it is.
    """
    if (again := context.narrow.missed(piece)) is not None:
        return _happen_before(run, piece, again, context)
    if not context.events:
        return None
    guards, since = free_guards(run, piece, context)
    events, edge = context.watch.happenings(guards, piece)
    if since or any(guard.event.jumps for guard in guards):
        events = [h for h in events if h.t > since.get(id(h.guard), -math.inf) and not _is_left(h, piece, context)]
    if edge is not None:
        events = [h for h in events if h.t <= edge.t]
    if run.failure:
        return None
    acting = next((h for h in events if h.guard.switch or not h.guard.marks), None)
    if acting and acting.guard.switch and (again := context.narrow.missed_before(piece, acting.t)) is not None:
        return _happen_before(run, piece, again, context)
    from .jumps import check_passing

    check_passing(run, events, piece, context)
    if run.failure:
        return None
    if acting is None and edge is not None:
        piece = _up_to_edge(run, edge, piece, context)
    last = piece.t[-1] if acting is None else acting.t + guard_signs.ROUNDINGS * np.spacing(abs(acting.t))
    marks = [h for h in events if h.guard.marks and h.t <= last]
    if marks:
        t = np.array([h.t for h in marks])
        run.mark([h.guard for h in marks], t, context.field.project_each(t, piece(t)))
    stop = next((h for h in events if h.guard.event.stops and h.t <= last), None)
    return acting if stop is None else stop


def _up_to_edge(run: Run, edge: Edge, piece: Interpolant, context: RunContext) -> Interpolant:
    """E311, and the piece as far as the guards are numbers, which is kept."""
    fact = f"the guard of {as_given(edge.name)} is no finite number beyond t = {edge.t:.6g}"
    run.failure = ("E311", f"{fact}: write one that is, such as x - 1 for sqrt(x) - 1")
    part = _until(piece, max(edge.t, float(piece.t[0])), context)
    if edge.t > piece.t[0]:
        gather(run, part, context)
    return part


def _is_left(h: Happening, piece: Interpolant, context: RunContext) -> bool:
    """Does the motion leave a guard with a jump there? On a piece as short as rounding a guard's values do not tell."""
    if not (h.guard.event.jumps and h.guard.event.direction) or h.guard.switch:
        return False
    y = context.field.project_one(h.t, piece(np.array([h.t]))[0])
    return guard_signs.moves_back_inside(context.field, h.guard, h.t, y)


def _until(piece: Interpolant, t: float, context: RunContext) -> Interpolant:
    """The piece up to a time, at which its state is on the constraints."""
    return piece.until(t, context.field.project_one(t, piece(np.array([t]))[0]))


def _act(run: Run, stepper: Stepper, piece: Interpolant, h: Happening, context: RunContext) -> None:
    """Keep the path up to the event, then stop there, or go on from the state after the jump or behind the switch."""
    part = _until(piece, h.t, context)
    gather(run, part, context)
    y = part.y[-1]
    if h.guard.switch:
        from .jumps import switch

        switch(run, stepper, h, y, context)
    elif h.guard.event.stops:
        run.mark([h.guard], np.array([h.t]), y[None])
        run.stop(h.guard, h.t)
    else:
        from .jumps import jump

        jump(run, stepper, h, y, context)
    if h.t >= context.until and not run.outcome:
        run.outcome = f"reached t = {context.until:g}"


def _judge(run: Run, status: Status, stepper: Stepper, context: RunContext, lost: Lost | None) -> None:
    if lost is not None:
        run.failure = ("E404", f"at t = {lost[0]:.10g}: {_rank_lost(run, context, lost[0], lost[1])}")
    elif status == Status.END:
        run.outcome = f"reached t = {context.until:g}"
    elif status != Status.FULL:
        code, words = _stuck(run, context, stepper) if status == Status.STEP_TOO_SMALL else REASONS[status]
        if status == Status.RANK and context.field.lean is None:
            words = _rank_lost(run, context, stepper.t)
        if status == Status.MAX_STEPS:
            words += _hurried(run, stepper, context)
        run.failure = (code, f"at t = {stepper.t:.10g}: {words}")


def _rank_lost(run: Run, context: RunContext, t: float, surface: singularities.RankSurface | None = None) -> str:
    """Words for a loss of rank where the path ends."""
    found = [surface] if surface is not None and surface.what else _surfaces(run, context)
    least, told = singularities.told(found, t, np.concatenate(run.leg.y)[-1])
    run.spent = run.spent._replace(margin=min(run.spent.margin, least))
    return told


def _surfaces(run: Run, context: RunContext) -> Sequence[singularities.RankSurface]:
    """What has to keep its rank, in units of the run's start."""
    if context.field not in run.surfaces:
        first = run.legs[0].field
        began = first.known(first.start.t, np.append(first.start.vector, 0.0))
        run.surfaces[context.field] = singularities.surfaces(context.field, began)
    return run.surfaces[context.field]


def _look_at_steps(run: Run, context: RunContext, stepper: Stepper, h: np.ndarray) -> None:
    """W319, once: after many steps, are they so short because of rounding?"""
    looked = run.fine is not None or stepper.steps < accuracy.EARLY or context.policy.method.fixed
    if looked or not len(h) or not np.isfinite(stepper.y).all():
        return
    at = context.field, context.policy, float(stepper.t), stepper.y, float(np.median(h))
    run.fine = accuracy.on_a_surface(context.field, context.guards, *at[2:]) or accuracy.words(*at)
    run.notes += [warn("W319", run.fine, 9)] if run.fine else []


def _crowd(run: Run, context: RunContext, stepper: Stepper, h: np.ndarray) -> None:
    """E403 or E407 where rounding makes steps shrink so fast that no number of them comes to the end."""
    steps, before, t = run.spent.steps + stepper.steps, run.reached, float(stepper.t)
    run.reached = accuracy.doubled(before, steps, t)
    over = run.outcome or run.failure or run.reached is before or context.policy.method.fixed or not len(h)
    if over or not accuracy.farthest(run.began, run.reached) < context.until:
        return
    told = accuracy.words(context.field, context.policy, t, stepper.y, float(np.median(h)), accuracy.FELT)
    if told:
        code, words = _stuck(run, context, stepper)
        run.failure = (code, f"at t = {t:.10g}: {words}: {steps} steps came no farther, and {told}")


def _stuck(run: Run, context: RunContext, stepper: Stepper) -> tuple[str, str]:
    """(code, words) for steps that become too small."""
    if np.abs(stepper.y[:-1]).max() > GROWN * (np.abs(_first(run, context)).max() or 1.0):
        return "E403", "the motion grows without bound in finite time"
    return "E407", context.policy.method.stuck


def _first(run: Run, context: RunContext) -> np.ndarray:
    """The states (n,) at the start of the run; in the speeds of a lean form those at which it was taken."""
    return run.legs[0].field.start.vector if context.field.lean is None else context.field.first[:-1]


def _hurried(run: Run, stepper: Stepper, context: RunContext) -> str:
    """Words for a motion that ran out of steps or room because it became so fast: which state did, or nothing."""
    if run.fine:
        return f". {run.fine[0].upper()}{run.fine[1:]}"
    share = (stepper.t - run.began) / (context.until - run.began)
    grown = np.abs(stepper.y[:-1]) / np.maximum(np.abs(_first(run, context)), 1.0)
    i = int(np.argmax(grown))
    if share > HURRIED or not grown[i] > GROWN:
        return ""
    name, value = context.names[i], stepper.y[i]
    return f". {name} has become {value:.1e}, and steps small: these coordinates may have a pole near this place"


def _used_up(run: Run, stepper: Stepper, context: RunContext) -> str:
    h = run.leg.h
    step = float(h[-1][-1]) if h and len(h[-1]) else math.nan
    return f"is used up at t = {stepper.t:.6g}, the last step was {step:.1e}{_hurried(run, stepper, context)}"


def _limit(run: Run, context: RunContext, seconds: float, stepper: Stepper) -> None:
    if run.outcome or run.failure:
        return
    if seconds > context.policy.seconds:
        told = f"the CPU time of {context.policy.seconds:g} s {_used_up(run, stepper, context)}"
        run.failure = ("E313", f"{told}: give seconds=...")
    elif run.stored > LARGEST:
        told = f"the room for {LARGEST:.0e} numbers {_used_up(run, stepper, context)}"
        run.failure = ("E304", f"{told}: give samples=... and dense=False")
    elif context.policy.halt is not None and context.policy.halt():
        run.failure = ("E320", f"interrupted at t = {stepper.t:.10g}: it can go on from its last state")
