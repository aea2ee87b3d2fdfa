"""Surfaces on which a force jumps: the run steps over them, unless the force holds the motion there."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...trajectory import Interpolant
from ..events import at_an_instant, singular
from ..events.compiled_guards import Happening
from ..methods.stepping import Stepper
from .gathered import Passage, Run, Scene, gather

CHATTER, CHATTER_TIME = 1000, 1e-6  # so many switches within this part of the run's length are too many

_SLIDING = "at t = {t:.10g}: the force jumps where {name} = 0 and holds the motion there: it needs a law of rest"


def switch(run: Run, stepper: Stepper, h: Happening, y: np.ndarray, scene: Scene) -> None:
    """Where a force jumps: step a hair beyond the surface and start afresh there."""
    if singular.slides(scene.field, h, y):
        run.failure = ("E408", _SLIDING.format(t=h.t, name=h.guard.event.name))
        return
    hair = min(at_an_instant.hair(scene.field, h.guard, h.t, y), scene.until - h.t)
    # with the rate that holds beyond: on the surface itself the force may be either
    ahead = y + hair * scene.field.rate(h.t, y)
    beyond = y + hair * scene.field.rate(h.t + hair, ahead)
    F = np.zeros((1, 1, len(y)))
    F[0, 0] = beyond - y
    gather(run, Interpolant(np.array([h.t, h.t + hair]), np.vstack([y, beyond]), np.array([hair or 1.0]), F), scene)
    stepper.restart(h.t + hair, beyond)
    run.switches.append(h.t)
    before, after = scene.field.full(np.array([h.t, h.t + hair]), np.vstack([y, beyond]))
    run.passages.append(Passage(h.t, h.guard, before, after, h.t + hair))
    if within := chatters(run.switches[-CHATTER:], scene.until - run.began):
        run.failure = ("E408", f"at t = {h.t:.10g}: the force switches {CHATTER} times in {within:.1e}")


def chatters(recent: Sequence[float], length: float) -> float:
    """The time within which the last `CHATTER` happenings lie, if that is next to nothing of the run's; else 0."""
    within = recent[-1] - recent[0]
    return within if len(recent) == CHATTER and within < CHATTER_TIME * length else 0.0
