"""Derivatives carried along a motion, stretch by stretch, and through what happens between them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..policy import Policy
from .stretches import Motion, Stretch
from .tied_run import Run, Seen

MOST = 31  # directions in one run; more are taken in several


def directions(
    motion: Motion, policy: Policy, S: np.ndarray, times: np.ndarray, parameter: str | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """States (N, n) and derivatives (N, n, d) at times, along directions (n, d) that bear no names.

    The last of them is that in which a parameter moves, if one is named.
    """
    by = [f"'{i}" for i in range(S.shape[1])]
    by[-1:] = by[-1:] if parameter is None else [parameter]
    parts = [slice(i, i + MOST) for i in range(0, len(by), MOST)] or [slice(0)]
    found = [through(motion, policy, by[part], S[:, part], times, False) for part in parts]
    return found[0].states, np.concatenate([seen.values for seen in found], axis=2)


def through(
    motion: Motion, policy: Policy, by: Sequence[str], S: np.ndarray, times: np.ndarray | None, doubted: bool
) -> Seen:
    """The motion and its derivatives at times, or at the ends of the steps.

    At an instant at which the state or its derivatives jump they are those behind it.

    Args:
        motion: in stretches.
        policy: how it is integrated.
        by: names of the derivatives; those of parameters are by these.
        S: derivatives of the start (n, d).
        times: (N,), from the start of the motion to its end.
        doubted: is it looked for what is doubted?
    """
    S = motion.first(by, S)
    found: list[Seen] = []
    alone = len(motion.stretches) == 1
    for stretch, later in zip(motion.stretches, [*motion.stretches[1:], None], strict=True):
        first = stretch.field.start.t
        end = stretch.end if later is None else later.field.start.t
        inside = None if times is None else times[((times >= first) | (not found)) & ((times < end) | (later is None))]
        seen, S = _along(stretch, policy, by, S, inside, doubted and alone)
        found.append(seen if later is None or times is not None else _shortened(seen))
        S = stretch.leap(by).of(S) if stretch.leap is not None else S
    notes = motion.notes if doubted and not alone else found[0].notes
    t, states, values = (np.concatenate([seen[i] for seen in found]) for i in range(3))
    return Seen(t, states, values, sum(seen.steps for seen in found), notes)


def _shortened(seen: Seen) -> Seen:
    """Without the last time, which is the first of what follows."""
    return seen._replace(t=seen.t[:-1], states=seen.states[:-1], values=seen.values[:-1])


def _along(
    stretch: Stretch, policy: Policy, by: Sequence[str], S: np.ndarray, times: np.ndarray | None, doubted: bool
) -> tuple[Seen, np.ndarray]:
    """A stretch at times (N,), and the derivatives at its end (n, d)."""
    first, end, short = stretch.field.start.t, stretch.end, stretch.short
    asked = [end - 2 * short, end - short] if short else [end]
    inner = None if times is None else np.minimum(np.maximum(times, first), asked[-1])
    wanted = None if inner is None else np.concatenate([inner, np.maximum(asked, first)])
    run = Run(stretch.field, policy, by, doubted)
    seen = run.carry_out(S, asked[-1], wanted)
    last = seen
    if times is not None:
        count = len(times)
        seen = seen._replace(t=times, states=seen.states[:count], values=seen.values[:count])
    elif short:
        last = run.carry_out(S, asked[-1], np.array(asked))
    if not short:
        return seen, last.values[-1]
    # S(end) = 2 S(end - d) - S(end - 2 d)
    return seen, 2 * last.values[-1] - last.values[-2]
