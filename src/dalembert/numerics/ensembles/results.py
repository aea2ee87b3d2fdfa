"""What the members of an ensemble share, and what happened to them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...equations import Equations
from ...event import Event
from ..methods.stepper import NONFINITE, RANK
from ..policy import Policy
from ..run.integrate import REASONS

if TYPE_CHECKING:
    from ..run.hybrid_motion import Crew

OTHER = 7  # a failure that only its code tells
CODES = {int(status): int(code[1:]) for status, (code, _) in REASONS.items()}
STATUS = {402: NONFINITE, 162: RANK} | {code: status for status, code in CODES.items()}


@dataclass(frozen=True)
class Ensemble:
    """What all members share.

    Attributes:
        equations: of all members; the rows kept are independent at the start of each.
        policy: how to integrate.
        t0, until: the times between which.
        times: at which samples are wanted (S,), or None.
        events: that are watched.
        marks: how many times of each event are kept.
        sums: which numbers that sum up contacts are kept.
    """

    equations: Equations
    policy: Policy
    t0: float
    until: float
    times: np.ndarray | None = None
    events: tuple[Event, ...] = ()
    marks: int = 1
    sums: tuple[str, ...] = ()

    def __getstate__(self) -> dict[str, object]:
        """What was given: compiled code is made anew where a copy goes to another process."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    @cached_property
    def programs(self) -> dict[object, object]:
        """What is compiled for members in lanes, by what their form has chosen, or by its kind."""
        return {}

    @cached_property
    def crew(self) -> Crew:
        """What members with contacts share."""
        from ..run.hybrid_motion import Crew

        return Crew(self.equations, self.policy, self.until, self.events, bool(self.sums))


class Happened(NamedTuple):
    """An event in K members: how often `counts` (K,), and the first `t` (K, marks), NaN after the last."""

    counts: np.ndarray
    t: np.ndarray


@dataclass(frozen=True)
class Results:
    """What happened to K members with n states.

    Attributes:
        t: when each ended (K,).
        y: states there, the work done last (K, n + 1).
        samples: states at the ensemble's times (K, S, n + 1), NaN after the end of a member; or None.
        status: 0 reached the end, 1 stopped by an event, else why it failed, a `methods.stepper.Status` (K,).
        code: the number of the error code of a failure, 0 without one (K,).
        steps, rejected: (K,).
        margin: least rank margin met (K,).
        marks: by name of event.
        sums: what contacts did, by name (K,).
    """

    t: np.ndarray
    y: np.ndarray
    samples: np.ndarray | None
    status: np.ndarray
    code: np.ndarray
    steps: np.ndarray
    rejected: np.ndarray
    margin: np.ndarray
    marks: Mapping[str, Happened] = field(default_factory=dict)
    sums: Mapping[str, np.ndarray] = field(default_factory=dict)

    @classmethod
    def nothing(cls, ensemble: Ensemble, count: int) -> Results:
        """Room for `count` members that have not been run."""
        n = len(ensemble.equations.states) + 1
        room = None if ensemble.times is None else np.full((count, len(ensemble.times), n), np.nan)
        marks = {
            e.name: Happened(np.zeros(count, np.int64), np.full((count, ensemble.marks), np.nan))
            for e in ensemble.events
        }
        return cls(
            t=np.full(count, np.nan),
            y=np.full((count, n), np.nan),
            samples=room,
            status=np.zeros(count, np.uint8),
            code=np.zeros(count, np.uint16),
            steps=np.zeros(count, np.int64),
            rejected=np.zeros(count, np.int64),
            margin=np.full(count, np.nan),
            marks=marks,
            sums={name: np.full(count, np.nan) for name in ensemble.sums},
        )

    def put(self, rows: np.ndarray, part: Results) -> None:
        """Take over the members of a part, into the given rows."""
        for f in fields(self):
            mine, new = getattr(self, f.name), getattr(part, f.name)
            if isinstance(mine, np.ndarray):
                mine[rows] = new
        for name, happened in self.marks.items():
            happened.counts[rows], happened.t[rows] = part.marks[name]
        for name, numbers in self.sums.items():
            numbers[rows] = part.sums[name]
