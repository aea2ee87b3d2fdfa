"""The motion of a plant that meets walls, events, rests of friction and surfaces where forces jump."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ...errors import Singular
from ..events.guard import Guard
from ..policy import Policy
from ..run.control_loop import Underway
from ..run.run_context import Spent
from ..vector_field.field import Field


class Watched:
    """A motion under way; it begins with the first inputs.

    Args:
        field, policy: what moves, from where, and how.
        inputs: names of parameters that change from step to step.
        guards: what is watched.
        checked: were they, at the start?
    """

    modes: list[tuple[float, str, str]] = []  # noqa: RUF012
    held: Mapping[str, float] = {}

    def __init__(
        self, field: Field, policy: Policy, inputs: Sequence[str], guards: Sequence[Guard], checked: bool = False
    ) -> None:
        self._begun, self._policy, self._inputs, self._guards = field, policy, tuple(inputs), tuple(guards)
        self._checked = checked
        self._run: Underway | None = None
        self._first = field

    def copy(self) -> Watched:
        """Another motion that is where this one is, and goes on without it."""
        twin = object.__new__(Watched)
        twin.__dict__.update(self.__dict__)
        twin._run = None if self._run is None else self._run.copy()
        return twin

    @property
    def t(self) -> float:
        """The time reached."""
        return self._begun.start.t if self._run is None else float(self._run.stepper.t)

    @property
    def full(self) -> np.ndarray:
        """The full row (n + 1,)."""
        return np.append(self._begun.start.vector, 0.0) if self._run is None else self._run.full

    @property
    def field(self) -> Field:
        """The equations at the present inputs."""
        return self._first if self._run is None else self._run.scene.field

    @property
    def spent(self) -> Spent:
        """What it has cost."""
        return Spent() if self._run is None else self._run.run.spent.and_by(self._run.stepper)

    @property
    def stopped(self) -> str:
        """The event that stopped it."""
        return "" if self._run is None else self._run.run.stopped_by

    @property
    def happened(self) -> Mapping[str, Sequence[float]]:
        """Times of events on the last way, by name."""
        return {} if self._run is None else self._run.happened

    def put(self, row: Sequence[float]) -> None:
        """Other inputs from here on."""
        values = dict(zip(self._inputs, row, strict=True))
        if self._run is None:
            self._first = self._begun.with_values(values)
        else:
            self._run.put(values)

    def reach(self, end: float) -> None:
        """Go on to a time, or to an event that stops.

        Raises:
            InvalidValue: E240, E310, E311, what the start is to the guards.
            Singular: E1xx, E4xx, it cannot go on, and is where it was.
        """
        before = None if self._run is None else self._run.copy()
        run = self._run = self._run or Underway.of(self._first, self._policy, self._guards, end, self._checked)
        run.onwards(end)
        if run.run.failure is None:
            return
        self._run, (code, words) = before, run.run.failure
        if not run.run.left:
            raise Singular(code, words)
        if before is None:
            self._first = self._first.as_written()
        else:
            self._run = before.as_written()
        self.reach(end)
