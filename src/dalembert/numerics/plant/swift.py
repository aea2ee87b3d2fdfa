"""The motion of a plant on which nothing acts at an instant: machine code whose arguments are laid out once.

It begins in the speeds of the lean form, and goes on as the equations are written where these come near a pole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ...calculus.graph import symbols
from ...errors import Singular
from ..machine.calls import map_rows
from ..methods.dop853.stepper import Stepper
from ..methods.method import FARTHER, MARGIN_LIMIT, Request, turning
from ..methods.stepping import Status
from ..policy import Policy
from ..run.charts import work_of_jump
from ..run.integrate import REASONS
from ..run.run_context import Spent
from ..vector_field.field import Field
from ..vector_field.plan import PREAMBLE

_CHUNK = 64  # steps of the method between two looks


class Swift:
    """A motion under way.

    Args:
        field, policy: what moves, from where, and how.
        inputs: names of parameters that change from step to step.
    """

    stopped = ""
    happened: Mapping[str, Sequence[float]] = {}
    modes: list[tuple[float, str, str]] = []  # noqa: RUF012
    held: Mapping[str, float] = {}

    def __init__(self, field: Field, policy: Policy, inputs: Sequence[str]) -> None:
        self._policy, self._inputs = policy, tuple(inputs)
        self._felt = bool(symbols([field.equations.machine.energy]) & {*inputs})
        self._values: list[float] = []
        self.go(field, field.start.t, field.first)

    def copy(self) -> Swift:
        """Another motion that is where this one is, and goes on without it."""
        twin = object.__new__(Swift)
        twin.__dict__.update(self.__dict__)
        twin.go(self._field, self.t, self._stepper.y, self._stepper.h)
        twin._stepper.p[:] = self._stepper.p
        if twin._fill is not None:
            twin._others[:] = self._others
        return twin

    def go(self, field: Field, t: float, y: np.ndarray, h: float = 0.0) -> None:
        """Go on in the states of a field."""
        self._field, names = field, field.kernel.parameters
        stepper = self._policy.method.stepper(field, _request(field, self._policy))
        assert isinstance(stepper, Stepper)
        stepper.restart(t, np.array(y), h)
        self._stepper = stepper
        self._places = [names.index(n) if n in names else -1 for n in self._inputs]
        self._at, self._row, self._fill = (np.zeros(1), np.zeros((1, len(y)))), stepper.y, None
        if field.lean is not None:
            out = np.empty((1, len(field.equations.states) + 1))
            parameters = np.array([field.parameters[name] for name in names])
            into = field.kernel.library.address("full"), self._at[0], stepper.y[None], parameters, out
            self._row, self._fill, self._others = out[0], map_rows.prepared(*into), parameters
        self._advance, self._still = stepper.prepared(_CHUNK), np.zeros(field.kernel.preamble)
        if len(self._still):
            # what depends on parameters alone, as `Kernel.changed` computes it
            address = field.kernel.library.address(PREAMBLE)
            self._prepare = map_rows.prepared(address, *self._at, stepper.p, self._still[None])

    @property
    def t(self) -> float:
        """The time reached."""
        return self._stepper.t

    @property
    def full(self) -> np.ndarray:
        """The full row (n + 1,), which the next step writes anew."""
        if self._fill is not None:
            self._at[0][0] = self.t
            self._fill(0.0)
        return self._row

    @property
    def field(self) -> Field:
        """The equations at the present inputs."""
        return self._field.with_values(dict(zip(self._inputs, self._values, strict=False)))

    @property
    def spent(self) -> Spent:
        """What it has cost since it is in these states."""
        return Spent().and_by(self._stepper)

    def put(self, row: Sequence[float]) -> None:
        """Other inputs from here on."""
        if self._felt and self._values:
            begun = self.field
            new = begun.with_values(dict(zip(self._inputs, row, strict=True)))
            self._stepper.y[-1] += work_of_jump(begun, new, self.t, self._stepper.y)
        self._values, p = list(row), self._stepper.p
        for place, value in zip(self._places, row, strict=True):
            if place >= 0:
                p[place] = value
        if len(self._still):
            self._prepare(0.0)
            p[-len(self._still) :] = self._still

    def at(self, row: Sequence[float], t: float, y: np.ndarray, h: float) -> None:
        """Be at a state y of the present form, with inputs, and with the size of the next step."""
        self.put(row)
        self._stepper.restart(t, y, h)

    def reach(self, end: float) -> None:
        """Go on to a time; where the speeds of the lean form come near a pole, as the equations are written.

        Raises:
            Singular: E4xx, it cannot go on, and is where it was.
        """
        t, y, h = self.t, self._stepper.y.copy(), self._stepper.h
        status = self._advance(end)
        if status == Status.END:
            return
        self._stepper.restart(t, y, h)
        if self._field.lean is None:
            code, words = REASONS[Status(status)]
            words = words if isinstance(words, str) else self._policy.method.stuck
            raise Singular(code, f"at t = {t:.10g}: {words}")
        written = self._field.as_written()
        values = dict(zip(self._field.kernel.parameters, self._stepper.p.tolist(), strict=False))
        self.go(written.with_values(values), t, self._field.full(np.array([t]), y[None])[0])
        self.reach(end)


def _request(field: Field, policy: Policy) -> Request:
    """What a plant asks of its stepper: no path between the ends of its steps."""
    lean = field.lean
    return Request(
        rtol=policy.rtol,
        atol=policy.tolerances(field.states, field.first[:-1]),
        max_step=policy.max_step,
        max_steps=policy.most_steps,
        dense=False,
        margin_limit=MARGIN_LIMIT if lean is None else FARTHER * turning(lean),
        margin_low=0.0 if lean is None else turning(lean),
    )
