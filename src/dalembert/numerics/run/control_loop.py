"""A run that waits between the steps of a control loop: carried on from time to time, with other values of inputs.

What happens on the way is what happens in one run: the loop is the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from ...trajectory import Interpolant
from ..events.guard import Guard
from ..events.guard_signs import check_start
from ..events.narrow_features import places_of
from ..methods.stepper import Stepper
from ..policy import Policy
from ..vector_field.field import Field
from .charts import turned, with_values
from .integrate import onwards, stepping_of
from .jumps import MOST
from .resting_guards import rest_at_start
from .run_context import Keeper, Leg, Run, RunContext, named


class Nothing(Keeper):
    """Keeps nothing of the path."""

    def __call__(self, piece: Interpolant) -> None:
        """Forget it."""


@dataclass
class Underway:
    """A run, its stepper and its context.

    Attributes:
        happened: times of events since it was last carried on, by name.
    """

    run: Run
    stepper: Stepper
    context: RunContext
    happened: dict[str, list[float]] = field(default_factory=dict)

    @classmethod
    def of(
        cls, field: Field, policy: Policy, guards: tuple[Guard, ...], until: float, checked: bool = False
    ) -> Underway:
        """At the start of a field, to be carried on first to a time; its guards may have been checked there.

        Raises:
            InvalidValue: E240, E310, E311, what the start is to the guards.
        """
        policy = replace(policy, dense=False)
        if not checked:
            check_start(field, [guard.seen_by(field.lean) for guard in guards], until - field.start.t)
        narrow = places_of(field.equations)
        stepping = stepping_of(field, policy, guards, 0)
        stepping = replace(stepping, dense=stepping.dense or bool(narrow))
        stepper = policy.method.stepper(field, stepping)
        keep = Nothing([], None, field, stepper, None)
        context = RunContext(field, policy, guards, until, stepping=stepping, keep=keep, places=narrow)
        run = Run([Leg.begin(context, stepper.t, stepper.y)], marks=named(context.guards))
        rest_at_start(run, stepper.t, stepper.y.copy(), context)
        return cls(run, stepper, context)

    def put(self, values: Mapping[str, float]) -> None:
        """Other values of parameters from here on."""
        if any(self.context.field.parameters[name] != value for name, value in values.items()):
            self.stepper, self.context = with_values(self.run, self.stepper, self.context, values)
            del self.run.legs[1:-1]

    def onwards(self, until: float) -> None:
        """To a time, an event that stops, or a failure, see `Run`."""
        run = self.run
        run.outcome, run.marks = "", named(self.context.guards)
        # jumps that pile up are told by the last of them
        run.jumps, run.switches, run.pushes = run.jumps[-MOST:], run.switches[-MOST:], []
        self.stepper, self.context = onwards(run, self.stepper, replace(self.context, until=until))
        if run.stopped_by:
            t, full = run.marks[run.stopped_by][-1]
            self.stepper.restart(t, self.context.field.within(np.array([t]), full[None])[0])
        self.happened = {name: [t for t, _ in found] for name, found in run.marks.items() if found}

    @property
    def full(self) -> np.ndarray:
        """The full row where it is (n + 1,)."""
        return np.asarray(self.context.field.full(np.array([self.stepper.t]), self.stepper.y[None])[0])

    def as_written(self) -> Underway:
        """The run from here on as the equations are written."""
        there = self.stepper.t, self.stepper.y.copy(), getattr(self.stepper, "h", 0.0)
        run = replace(self.run, legs=[*self.run.legs], resting=dict(self.run.resting))
        stepper, context = turned(run, self.stepper, self.context, self.context.field.as_written(), there)
        return Underway(run, stepper, context, dict(self.happened))

    def copy(self) -> Underway:
        """Another run that goes on alone from here."""
        old, context, run = self.stepper, self.context, self.run
        stepper = context.policy.method.stepper(context.field, context.stepping)
        stepper.restart(old.t, old.y.copy(), getattr(old, "h", 0.0))
        twin = replace(
            run,
            legs=[*run.legs[:-1], Leg.begin(context, old.t, old.y)] if len(run.legs) > 1 else [*run.legs],
            resting=dict(run.resting),
            jumps=[*run.jumps],
            switches=[*run.switches],
        )
        keep = Nothing([], None, context.field, stepper, None)
        return Underway(twin, stepper, replace(context, keep=keep), dict(self.happened))
