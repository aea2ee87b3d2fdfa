"""One run: steps, events and limits, gathered into the raw material of a path."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...calculus import budget
from ...errors import as_given, warn
from ...trajectory import Interpolant
from ..events import at_an_instant, singular
from ..events.compiled_guards import Edge, Happening
from ..events.narrow import Again
from ..methods.method import Method
from ..methods.stepping import Chunk, Status, Stepper
from . import branches, digits
from .charts import in_another_chart, near_pole, up_to
from .rest import free_guards, rest_at_start
from .run_context import Leg, Run, Scene, gather, named

LARGEST = 100_000_000  # stored numbers, 0.8 GB
GROWN = 1e4  # growth of the state that tells a blow-up from other singularities
HURRIED = 0.01  # of the run's length: whoever spends all steps on less was held up

WATCHED = 0.01  # rank margin, by that at the start of a leg, below which losses of rank are looked for
Lost = tuple[float, singular.Surface]
REASONS = {
    Status.NONFINITE: ("E401", "a number stopped being finite"),
    Status.RANK: ("E404", "the constraints or the kinetic energy lose rank: the motion is no longer determined"),
    Status.STEP_TOO_SMALL: ("E407", Method.stuck),
    Status.BLOWUP: ("E403", "the state grows beyond 1e150"),
    Status.MAX_STEPS: ("E313", "the steps are used up: give a larger max_steps"),
}


def carry_out(stepper: Stepper, scene: Scene) -> Run:
    """Integrate to the end, to an event that stops, or to a failure."""
    run = Run([Leg.begin(scene, stepper.t, stepper.y)], marks=named(scene.guards))
    rest_at_start(run, stepper.t, stepper.y.copy(), scene)
    stepper, scene = onwards(run, stepper, scene)
    run.spent, run.doubts = run.spent.and_by(stepper), scene.doubts
    return run


def onwards(run: Run, stepper: Stepper, scene: Scene) -> tuple[Stepper, Scene]:
    """Go on to the scene's end, an event that stops, or a failure; the stepper and the scene there."""
    spent, aim = budget.cpu_clock(), math.inf
    while not run.outcome and not run.failure:
        if scene.change <= stepper.t:
            from .charts import on_with_inputs

            stepper, scene = on_with_inputs(run, stepper, scene)
            if run.failure or run.outcome:
                break
        t, y = stepper.t, stepper.y.copy()
        aim = aim if aim > t else math.inf
        chunk = stepper.advance(min(aim, scene.change, scene.until))
        piece = _behind(t, y, chunk)
        near = chunk.margin < WATCHED * scene.field.fair_margin and len(piece.h) > 0
        if near and len(piece.F) < len(piece.h):
            piece = replace(piece, F=stepper.dense_output(piece.t[:-1], piece.y[:-1], piece.t[1:]))
        last = near_pole(chunk, piece, scene)
        piece = piece if last is None else up_to(piece, last)
        lost = singular.lost_on(piece, _surfaces(run, scene)) if near and len(piece.h) else None
        gap = branches.through(run, piece, None if lost is None else lost[0], scene) if near else None
        if gap is not None:
            _cross(run, stepper, gap, scene)
            continue
        piece = piece if lost is None else _until(piece, lost[0], scene)
        cut = _happen(run, piece, scene) if len(piece.h) else None
        if isinstance(cut, Again):
            aim = _again(run, stepper, piece, cut, scene)
        elif cut is not None:
            _act(run, stepper, piece, cut, scene)
        elif not run.failure:
            gather(run, piece, scene)
            if last is not None and lost is None:
                stepper, scene = in_another_chart(run, stepper, piece, scene)
            else:
                short = chunk.status == Status.END and min(aim, scene.change) < scene.until
                _judge(run, Status.FULL if short else chunk.status, stepper, scene, lost)
        scene.tick(float(stepper.t))
        _look_at_steps(run, scene, stepper, piece.h)
        _limit(run, scene, spent(), stepper)
    if run.failure:
        _explain(run, stepper, scene)
        run.outcome = f"{run.failure[0]} {run.failure[1]}"
    return stepper, scene


def _cross(run: Run, stepper: Stepper, gap: branches.Gap, scene: Scene) -> None:
    """Keep the way over a place where branches cross, with what happens on it, and go on behind it."""
    for piece in gap.pieces:
        cut = _happen(run, piece, scene)
        if run.failure:
            return
        if isinstance(cut, Happening):
            _act(run, stepper, piece, cut, scene)
            return
        gather(run, piece, scene)
    run.branches.append(gap.branching)
    run.leg.gaps.append((float(gap.pieces[1].t[0]), float(gap.pieces[-1].t[-1])))
    stepper.restart(float(gap.pieces[-1].t[-1]), gap.pieces[-1].y[-1])


def _behind(t: float, y: np.ndarray, chunk: Chunk) -> Interpolant:
    """The path of steps that were made from a time and a state (n,) on."""
    times, states = np.empty(len(chunk.t) + 1), np.empty((len(chunk.t) + 1, len(y)))
    times[0], times[1:], states[0], states[1:] = t, chunk.t, y, chunk.y
    return Interpolant(times, states, times[1:] - times[:-1], chunk.F)


def _again(run: Run, stepper: Stepper, piece: Interpolant, again: Again, scene: Scene) -> float:
    """Keep what lies before a step that missed something; the time up to which it is made again."""
    if again.step:
        gather(run, up_to(piece, again.step), scene)
    stepper.restart(float(piece.t[again.step]), piece.y[again.step])
    return again.until


def _explain(run: Run, stepper: Stepper, scene: Scene) -> None:
    """Where a number stopped being finite, name the term that did."""
    if scene.field.lean is not None:  # the run is made again as the equations are written
        return
    code = run.failure[0] if run.failure else ""
    if code == "E404":
        t, y = float(np.concatenate(run.leg.t)[-1]), np.concatenate(run.leg.y)[-1]
        words = singular.form_lost(scene.field, t, y)
        run.failure = ("E162", f"at t = {t:.10g}: {words}") if words else run.failure
    if code in ("E401", "E407"):
        span = scene.until - run.began
        found = singular.cause(scene.field, stepper.t, stepper.y, span, far=code == "E401")
        run.failure = (found[0], f"at t = {stepper.t:.10g}: {found[1]}") if found else run.failure


def _happen_before(run: Run, piece: Interpolant, again: Again, scene: Scene) -> Happening | Again:
    """What happens on the steps before the one that missed something, which are kept; else that step."""
    before = _happen(run, up_to(piece, again.step), scene) if again.step else None
    return again if before is None else before


def _happen(run: Run, piece: Interpolant, scene: Scene) -> Happening | Again | None:
    """Mark what happens on the piece; return the first event that stops, jumps or switches, or a step that missed what
    is narrower than it is.
    """
    if (again := scene.narrow.missed(piece)) is not None:
        return _happen_before(run, piece, again, scene)
    if not scene.given:
        return None
    guards, since = free_guards(run, piece, scene)
    events, edge = scene.watch.happenings(guards, piece)
    if since or any(guard.event.jumps for guard in guards):
        events = [h for h in events if h.t > since.get(id(h.guard), -math.inf) and not _is_left(h, piece, scene)]
    if edge is not None:
        events = [h for h in events if h.t <= edge.t]
    if run.failure:
        return None
    acting = next((h for h in events if h.guard.switch or not h.guard.marks), None)
    if acting and acting.guard.switch and (again := scene.narrow.missed_before(piece, acting.t)) is not None:
        return _happen_before(run, piece, again, scene)
    from .impacts import check_passing

    check_passing(run, events, piece, scene)
    if run.failure:
        return None
    if acting is None and edge is not None:
        piece = _up_to_edge(run, edge, piece, scene)
    last = piece.t[-1] if acting is None else acting.t + at_an_instant.ROUNDINGS * np.spacing(abs(acting.t))
    marks = [h for h in events if h.guard.marks and h.t <= last]
    if marks:
        t = np.array([h.t for h in marks])
        run.mark([h.guard for h in marks], t, scene.field.project_each(t, piece(t)))
    stop = next((h for h in events if h.guard.event.stops and h.t <= last), None)
    return acting if stop is None else stop


def _up_to_edge(run: Run, edge: Edge, piece: Interpolant, scene: Scene) -> Interpolant:
    """E311, and the piece as far as the guards are numbers, which is kept."""
    fact = f"the guard of {as_given(edge.name)} is no finite number beyond t = {edge.t:.6g}"
    run.failure = ("E311", f"{fact}: write one that is, such as x - 1 for sqrt(x) - 1")
    part = _until(piece, max(edge.t, float(piece.t[0])), scene)
    if edge.t > piece.t[0]:
        gather(run, part, scene)
    return part


def _is_left(h: Happening, piece: Interpolant, scene: Scene) -> bool:
    """Does the motion leave a guard with a jump there? On a piece as short as rounding a guard's values do not tell."""
    if not (h.guard.event.jumps and h.guard.event.direction) or h.guard.switch:
        return False
    y = scene.field.project_one(h.t, piece(np.array([h.t]))[0])
    return at_an_instant.leaves(scene.field, h.guard, h.t, y)


def _until(piece: Interpolant, t: float, scene: Scene) -> Interpolant:
    """The piece up to a time."""
    last = max(int(np.searchsorted(piece.t, t, side="left")), 1)
    y = scene.field.project_one(t, piece(np.array([t]))[0])
    return Interpolant(np.r_[piece.t[:last], t], np.vstack([piece.y[:last], y]), piece.h[:last], piece.F[:last])


def _act(run: Run, stepper: Stepper, piece: Interpolant, h: Happening, scene: Scene) -> None:
    """Keep the path up to the event, then stop there, or go on from the state after the jump or behind the switch."""
    part = _until(piece, h.t, scene)
    gather(run, part, scene)
    y = part.y[-1]
    if h.guard.switch:
        from .impacts import switch

        switch(run, stepper, h, y, scene)
    elif h.guard.event.stops:
        run.mark([h.guard], np.array([h.t]), y[None])
        run.stop(h.guard, h.t)
    else:
        from .impacts import jump

        jump(run, stepper, h, y, scene)
    if h.t >= scene.until and not run.outcome:
        run.outcome = f"reached t = {scene.until:g}"


def _judge(run: Run, status: Status, stepper: Stepper, scene: Scene, lost: Lost | None) -> None:
    if lost is not None:
        run.failure = ("E404", f"at t = {lost[0]:.10g}: {_rank_lost(run, scene, lost[0], lost[1])}")
    elif status == Status.END:
        run.outcome = f"reached t = {scene.until:g}"
    elif status != Status.FULL:
        code, words = REASONS[status]
        if status == Status.STEP_TOO_SMALL:
            words = scene.policy.method.stuck
        if status == Status.STEP_TOO_SMALL and np.abs(stepper.y[:-1]).max() > GROWN * (
            np.abs(_first(run, scene)).max() or 1.0
        ):
            code, words = "E403", "the motion grows without bound in finite time"
        if status == Status.RANK and scene.field.lean is None:
            words = _rank_lost(run, scene, stepper.t)
        if status == Status.MAX_STEPS:
            words += _hurried(run, stepper, scene)
        run.failure = (code, f"at t = {stepper.t:.10g}: {words}")


def _rank_lost(run: Run, scene: Scene, t: float, surface: singular.Surface | None = None) -> str:
    """Words for a loss of rank where the path ends."""
    found = [surface] if surface is not None and surface.what else _surfaces(run, scene)
    least, told = singular.told(found, t, np.concatenate(run.leg.y)[-1])
    run.spent = run.spent._replace(margin=min(run.spent.margin, least))
    return told


def _surfaces(run: Run, scene: Scene) -> Sequence[singular.Surface]:
    """What has to keep its rank, in units of the run's start."""
    if scene.field not in run.surfaces:
        first = run.legs[0].field
        began = first.known(first.start.t, np.append(first.start.vector, 0.0))
        run.surfaces[scene.field] = singular.surfaces(scene.field, began)
    return run.surfaces[scene.field]


def _look_at_steps(run: Run, scene: Scene, stepper: Stepper, h: np.ndarray) -> None:
    """W319, once: after many steps, are they so short because of rounding?"""
    looked = run.fine is not None or stepper.steps < digits.EARLY or scene.policy.method.fixed
    if looked or not len(h) or not np.isfinite(stepper.y).all():
        return
    at = scene.field, scene.policy, float(stepper.t), stepper.y, float(np.median(h))
    run.fine = digits.on_a_surface(scene.field, scene.guards, *at[2:]) or digits.words(*at)
    run.notes += [warn("W319", run.fine, 9)] if run.fine else []


def _first(run: Run, scene: Scene) -> np.ndarray:
    """The states (n,) at the start of the run; in the speeds of a lean form those at which it was taken."""
    return run.legs[0].field.start.vector if scene.field.lean is None else scene.field.first[:-1]


def _hurried(run: Run, stepper: Stepper, scene: Scene) -> str:
    """Words for a motion that ran out of steps or room because it became so fast: which state did, or nothing."""
    if run.fine:
        return f". {run.fine[0].upper()}{run.fine[1:]}"
    share = (stepper.t - run.began) / (scene.until - run.began)
    grown = np.abs(stepper.y[:-1]) / np.maximum(np.abs(_first(run, scene)), 1.0)
    i = int(np.argmax(grown))
    if share > HURRIED or not grown[i] > GROWN:
        return ""
    name, value = scene.names[i], stepper.y[i]
    return f". {name} has become {value:.1e}, and steps small: these coordinates may have a pole near this place"


def _used_up(run: Run, stepper: Stepper, scene: Scene) -> str:
    h = run.leg.h
    step = float(h[-1][-1]) if h and len(h[-1]) else math.nan
    return f"is used up at t = {stepper.t:.6g}, the last step was {step:.1e}{_hurried(run, stepper, scene)}"


def _limit(run: Run, scene: Scene, seconds: float, stepper: Stepper) -> None:
    if run.outcome or run.failure:
        return
    if seconds > scene.policy.seconds:
        told = f"the CPU time of {scene.policy.seconds:g} s {_used_up(run, stepper, scene)}"
        run.failure = ("E313", f"{told}: give seconds=...")
    elif run.stored > LARGEST:
        told = f"the room for {LARGEST:.0e} numbers {_used_up(run, stepper, scene)}"
        run.failure = ("E304", f"{told}: give samples=... and dense=False")
    elif scene.policy.halt is not None and scene.policy.halt():
        run.failure = ("E320", f"interrupted at t = {stepper.t:.10g}: it can go on from its last state")
