"""A smooth motion with some of its derivatives, integrated as tied lanes from its start to an end."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...errors import DalembertError, Note
from ...trajectory import Interpolant
from ..events.narrow import Narrow, places_of
from ..methods.dop853.stepper import Stepper
from ..methods.stepping import Status
from ..policy import Policy
from ..run.digits import Growth, Nodes
from ..run.integrate import REASONS
from ..vector_field.field import Field
from .tied import Tied

CHUNK = 256  # steps between two looks from Python


class Seen(NamedTuple):
    """A motion and its derivatives at times.

    Attributes:
        t: (N,).
        states: (N, n).
        values: their derivatives (N, n, d).
        steps: how many it took.
        notes: what is doubted.
    """

    t: np.ndarray
    states: np.ndarray
    values: np.ndarray
    steps: int
    notes: tuple[Note, ...] = ()


class Run:
    """One run of the motion with some of its derivatives."""

    def __init__(self, field: Field, policy: Policy, by: Sequence[str], doubted: bool) -> None:
        self.field, self.policy, self.by, self.doubted = field, policy, tuple(by), doubted
        parameters = field.start.parameters
        lanes = {name: 1 + i for i, name in enumerate(self.by) if name in parameters}
        self.code = Tied.of(field, len(self.by), lanes)

    def carry_out(self, S: np.ndarray, end: float, times: np.ndarray | None) -> Seen:
        """From the start, with derivatives there (n, d), to the end.

        It goes on as the equations are written where a chart of the lean form ends before.
        """
        field, code = self.field, self.code
        rows = code.within(field, field.start.t, code.start(field, S))
        atol = self.policy.tolerances(field.states, rows[:-1, 0])
        stepper = code.stepper(field, self.policy, field.start.t, rows, atol, CHUNK)
        t, states = [np.array([stepper.t])], [stepper.y[None].copy()]
        status, aim = Status.FULL if end > stepper.t else Status.END, math.inf
        narrow = Narrow(field, places_of(field.equations), self.policy.rtol, atol)
        while status == Status.FULL:
            if self.policy.halt is not None and self.policy.halt():
                raise DalembertError("E320", f"interrupted at t = {stepper.t:.10g}", "end before")
            aim = aim if aim > stepper.t else math.inf
            now, y = stepper.t, stepper.y.copy()
            chunk = stepper.advance(min(aim, end))
            nodes, flat = np.concatenate([[now], chunk.t]), np.concatenate([y[None], chunk.y])
            again = narrow.missed(self._motion(stepper, nodes, flat)) if narrow.places and len(chunk.t) else None
            if again is not None:
                aim, nodes, flat = again.until, nodes[: again.step + 1], flat[: again.step + 1]
                stepper.restart(float(nodes[-1]), flat[-1])
            elif chunk.status != Status.END or aim >= end:
                status = chunk.status
            t.append(nodes[1:])
            states.append(flat[1:])
        if status != Status.END and field.lean is not None:
            return Run(field.as_written(), self.policy, self.by, self.doubted).carry_out(S, end, times)
        if status != Status.END:
            raise DalembertError(REASONS[status][0], f"at t = {stepper.t:.10g}: {REASONS[status][1]}", "end before")
        nodes, flat = np.concatenate(t), np.concatenate(states)
        wanted = nodes if times is None else times
        found = self._seen(wanted, stepper.inside(wanted, nodes, flat).reshape(len(wanted), *rows.shape), stepper)
        return found._replace(notes=self._doubts(Nodes(nodes, self._alone(flat)))) if self.doubted else found

    def _seen(self, t: np.ndarray, rows: np.ndarray, stepper: Stepper) -> Seen:
        """The motion and its derivatives, of rows at times."""
        field, code = self.field, self.code
        full = code.full(field, t, code.projected(t, rows, stepper.p))[:, :-1]
        derivatives = full[:, :, 1 : 1 + len(self.by)].copy()
        return Seen(t, full[:, :, 0].copy(), derivatives, stepper.steps)

    def _doubts(self, motion: Nodes) -> tuple[Note, ...]:
        """W408 where a difference of rtol has grown to the size of the motion, up to which its error was carried."""
        growth = Growth.of(self.field, self.policy, float(motion.t[-1]))
        if growth is None or len(motion.t) < 2:
            return ()
        said = growth.finish([(self.field, motion)])
        return tuple(Note(n.code, f"{n.text}; the derivatives are those of another motion") for n in said)

    def _motion(self, stepper: Stepper, t: np.ndarray, rows: np.ndarray) -> Interpolant:
        """The motion alone, without its derivatives, on steps that were made."""
        F = stepper.dense_output(t[:-1], rows[:-1], t[1:])
        return Interpolant(t, self._alone(rows), np.diff(t), self._alone(F))

    def _alone(self, rows: np.ndarray) -> np.ndarray:
        """What rows (..., n width) hold of the motion, (..., n)."""
        return np.ascontiguousarray(rows.reshape(*rows.shape[:-1], -1, self.code.width)[..., 0])
