"""What runs that follow each other share: steppers of the same code, guards that are compiled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from ..events.compiled_guards import Watch
from ..events.guard import Guard
from ..methods.dop853.stepper import Stepper as Explicit
from ..methods.method import Request
from ..methods.stepping import Stepper
from ..policy import Policy
from ..vector_field.field import Field

_MOST = 64  # of each kind that are kept
Value = TypeVar("Value")


@dataclass(frozen=True, eq=False)
class Reused:
    """Of runs one after the other.

    Attributes:
        steppers: by their code and what is asked of them.
        watches: compiled guards by what they are, each with what its key stands for.
    """

    steppers: dict[object, Explicit] = field(default_factory=dict)
    watches: dict[object, tuple[object, Watch]] = field(default_factory=dict)

    def stepper(self, policy: Policy, field: Field, request: Request) -> Stepper:
        """The stepper of a run, which has made no steps yet."""
        key = id(field.kernel.library), policy.method, *asked(request)
        old = self.steppers.get(key)
        if old is not None and len(old.p) == len(field.p):
            old.again(field.start.t, field.first, field.p, request.tolerances)
            return old
        made = policy.method.stepper(field, request)
        if isinstance(made, Explicit):
            _keep(self.steppers, key, made)
        return made

    def watch(self, given: Sequence[Guard], field: Field) -> Watch:
        """The events of a run in the states of its field."""
        lean, names = field.lean, tuple(sorted(field.parameters))
        key = tuple(map(id, given)), id(lean), field.states, names
        if key in self.watches:
            return self.watches[key][1].again(field.parameters)
        made = Watch([guard.seen_by(lean) for guard in given], field.states, field.parameters)
        _keep(self.watches, key, ((tuple(given), lean), made))
        return made


def asked(request: Request) -> tuple[object, ...]:
    """What is asked of a stepper, but for the absolute tolerances."""
    return tuple(value for name, value in vars(request).items() if name != "atol")


def _keep(those: dict[object, Value], key: object, value: Value) -> None:
    """Keep one more; the oldest goes where they are many."""
    while len(those) >= _MOST:
        those.pop(next(iter(those)), None)
    those[key] = value
