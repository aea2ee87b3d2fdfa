"""Many runs of the same equations side by side, one in each SIMD lane: the arrays that all their functions share."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..methods.dop853.advance import Y

STOPPED, CAREFUL = 7, 8  # by an event; a run that the lanes leave to `simulate`
MARK, STOP, LEAVE, WIDE = 0, 1, 2, 3  # what an event does; WIDE is none, but an argument of something narrow
NOW, SIZE, NEXT, CONTROLLED = range(4)  # rows of `moment`, see `step`


class Code(NamedTuple):
    """Addresses: of the functions for lanes, and of each guard for one state; `rounds` is 0 where there is one lane."""

    rhs: int
    step: int
    dense: int
    take: int
    first: int
    rounds: int
    watch: int
    guards: np.ndarray


class Task(NamedTuple):
    """What is to be done, for K members of n components, with parameters and S sample times.

    Attributes:
        t0, t_end: where all begin and end, t0 <= t_end.
        margin_limit, max_step, max_steps, controlled: as for `dop853.advance`.
        starts: (K, n).
        parameters: (K, np).
        tolerances: rtol and atol of each component, (K, n + 1).
        times: sample times (S,), rising, in [t0, t_end].
        kinds, directions: of each event, (E,): MARK, STOP, LEAVE or WIDE, and the direction that counts, 0 for both.
        needed, depends: components that each guard depends on, (E, n), and how many these are, (E,).
        noise: size of each guard below which its sign means nothing, (K, E).
    """

    t0: float
    t_end: float
    margin_limit: float
    max_step: float
    max_steps: int
    controlled: int
    starts: np.ndarray
    parameters: np.ndarray
    tolerances: np.ndarray
    times: np.ndarray
    kinds: np.ndarray
    directions: np.ndarray
    needed: np.ndarray
    depends: np.ndarray
    noise: np.ndarray


class Found(NamedTuple):
    """What is found in K members.

    Times and states at the ends (K,), (K, n), samples (K, S, n), status (K,), counts of steps, refused steps and
    evaluations (K, 3), least margins (K,); how often each event happened (K, E), and when and where the first M times
    (K, E, M), (K, E, M, n); the event that stopped each run (K,), -1 for none.
    """

    t: np.ndarray
    y: np.ndarray
    samples: np.ndarray
    status: np.ndarray
    counts: np.ndarray
    margins: np.ndarray
    happened: np.ndarray
    when: np.ndarray
    where: np.ndarray
    stopped: np.ndarray


class Lanes(NamedTuple):
    """The W lanes: numbers of the compiled functions, (..., W), and which member each lane runs, -1 for none.

    `watch` holds the address of the function that watches guards, and the row of `coefficients` that says where nothing
    happens, two integers as bits of doubles (see `dop853.rounds`). `place` counts the samples already passed, `cut` is
    where in a step the run ends; `control` is as of `dop853.rounds.Control`, and `h`, `factor` and `good` are rows of
    it: the step planned, the largest growth allowed next, 1.0 where the step was good.
    """

    layout: np.ndarray
    work: np.ndarray
    F: np.ndarray
    moment: np.ndarray
    p: np.ndarray
    tolerance: np.ndarray
    coefficients: np.ndarray
    watch: np.ndarray
    member: np.ndarray
    place: np.ndarray
    control: np.ndarray
    h: np.ndarray
    factor: np.ndarray
    good: np.ndarray
    cut: np.ndarray


def finish(lanes: Lanes, found: Found, lane: int, n: int, status: int) -> None:
    """The run of a lane ends with the state it has."""
    k, y, work, first = lanes.member[lane], found.y, lanes.work, lanes.layout[Y]
    found.status[k], found.t[k] = status, lanes.moment[NOW, lane]
    for i in range(n):
        y[k, i] = work[first + i, lane]
    lanes.member[lane], lanes.h[lane] = -1, 0.0
