"""A motion and its derivatives as tied lanes of one run: what is compiled for it, and what leads to its rows and back.

Row i of the state holds y_i in lane 0 and its derivatives in the lanes behind it,

    d/dt S = (df/dy) S + df/dp ,   S = dy/dp

In the speeds of a lean form  y = within(t, q, u, p)  at the start and  (q, u) = full(t, y, p)  where the motion is
asked for, and the derivatives follow by the tangents of these. What depends on parameters alone is computed once a
run, and so are its derivatives.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ...calculus.frame import TIME
from ...calculus.graph import evaluate
from ...equations import Equations
from ...errors import DalembertError, Note
from ...trajectory import Interpolant
from ..events.narrow_features import Narrow, places_of
from ..machine.batch_calls import map_rows, value_at
from ..machine.compiler import Library, widest
from ..machine.forward_derivatives import with_tangents
from ..machine.ir_numbers import Real
from ..methods.dop853.step_ir import stepping
from ..methods.dop853.stepper import Dop853Stepper
from ..methods.method import LEAN_LIMIT, MARGIN_LIMIT
from ..methods.stepper import Status
from ..policy import Policy
from ..run.accuracy import DisturbanceGrowth, Nodes
from ..run.integrate import REASONS
from ..vector_field.field import Field
from ..vector_field.kernel_plan import PREAMBLE, KernelPlan, in_speeds
from .smooth_segments import Stretch, StretchedMotion

_COMPILED: weakref.WeakKeyDictionary[Equations, dict[Any, Tied]] = weakref.WeakKeyDictionary()


@dataclass(frozen=True)
class Tied:
    """Machine code of a motion with derivatives.

    Attributes:
        library: the functions of the plan, and the step of DOP853, on rows.
        plan: what was compiled.
        width: lanes.
        count: directions.
    """

    library: Library
    plan: KernelPlan
    width: int
    count: int

    @classmethod
    def of(cls, field: Field, count: int, by: Mapping[str, int]) -> Tied:
        """The motion of a field with so many directions, compiled on first use.

        Args:
            field: whose motion, in speeds or as written.
            count: how many directions there are.
            by: parameters that are a direction, each with its lane, from 1 on.
        """
        equations = field.equations if field.lean is not None else field.kernel.equations
        chart = None if field.lean is None else field.lean.chosen
        known, key = _COMPILED.setdefault(equations, {}), (count, *by.items(), field.stabilisation, chart)
        if key not in known:
            known[key] = cls._compile(equations, field, count, by)
        return known[key]

    @classmethod
    def _compile(cls, equations: Equations, field: Field, count: int, by: Mapping[str, int]) -> Tied:
        lanes, register = count + 1, widest()
        width = -(-lanes // register) * register if lanes > register else max(2, 1 << (lanes - 1).bit_length())
        lean = field.lean
        plan = KernelPlan.of(equations.apart(), field.stabilisation) if lean is None else in_speeds(equations, lean)
        texts, real = {}, Real.lanes(width)
        for name, f in plan.functions.items():
            inputs = plan.others.get(name, plan.inputs)
            texts[name] = with_tangents(name, f, inputs, _rows(plan, inputs, width, by), real, name == "rhs")
        cost = plan.functions["rhs"].cost * lanes
        texts |= stepping((len(plan.states) + 1) * width, cost, "project" in texts, tail=width)
        return cls(Library.compile(texts), plan, width, count)

    # --- rows and parameters -------------------------------------------------------------------------------------

    def start(self, field: Field, S: np.ndarray) -> np.ndarray:
        """Full rows (n + 1, width) of the field's start with derivatives S (n, count)."""
        y = np.zeros((len(field.equations.states) + 1, self.width))
        y[:-1, 0] = field.start.vector
        y[:-1, 1 : 1 + self.count] = S
        return y

    def within(self, field: Field, t: float, full: np.ndarray) -> np.ndarray:
        """Rows of what is integrated, for full rows (n + 1, width) at a time."""
        found = self._between("within", field, np.array([t]), full[None], len(self.plan.states))
        return np.asarray(found[0])

    def full(self, field: Field, t: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Full rows (N, n + 1, width) at times (N,), for rows of what is integrated."""
        return self._between("full", field, t, rows, len(field.equations.states))

    def projected(self, t: np.ndarray, rows: np.ndarray, p: np.ndarray) -> np.ndarray:
        """Rows (N, ..., width) moved back to the constraints, derivatives to their tangents."""
        return self._mapped("project", t, rows, p, rows.shape)

    def _between(self, name: str, field: Field, t: np.ndarray, rows: np.ndarray, size: int) -> np.ndarray:
        p = np.array([field.parameters[k] for k in self.plan.parameters], float)
        return self._mapped(name, t, rows, p, (len(t), size + 1, self.width))

    def _mapped(self, name: str, t: np.ndarray, rows: np.ndarray, p: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
        if name not in self.library.addresses:
            return rows
        flat, out = rows.reshape(len(t), -1), np.empty((len(t), math.prod(shape[1:])))
        at = np.array(t, float), np.ascontiguousarray(flat, float)
        map_rows(self.library.address(name), *at, p, out)
        return out.reshape(shape)

    def vector(self, field: Field, rows: np.ndarray) -> np.ndarray:
        """Parameters as the code takes them, for rows at the start; behind them derivatives of the preamble."""
        if field.lean is None:
            return field.p
        plan = self.plan
        at = {**field.start.state, **dict(zip(plan.states, rows[:, 0], strict=False)), TIME.name: field.start.t}
        pivots = np.array(evaluate([*plan.pivots, *plan.charts], {**field.parameters, **at}), float)
        known = np.concatenate([[field.parameters[k] for k in plan.parameters], 1 / pivots])
        p = np.zeros(_apart(plan, self.width) * self.width)
        p[: len(known)] = known
        if not plan.preamble:
            return p
        found = value_at(self.library.address(PREAMBLE), 0.0, p, p, plan.preamble * self.width)
        p[len(known) : len(known) + plan.preamble] = found[:: self.width]
        return np.concatenate([p, found])

    # --- integration ---------------------------------------------------------------------------------------------

    def stepper(
        self, field: Field, policy: Policy, t: float, rows: np.ndarray, atol: np.ndarray, chunk: int
    ) -> Dop853Stepper:
        """An integration from rows at a time, under one error control with absolute tolerances of the states (n,)."""
        every = np.full((len(self.plan.states) + 1, self.width), math.inf)
        every[:-1, : 1 + self.count] = atol[:, None]
        return Dop853Stepper(
            self.library,
            t,
            rows.ravel(),
            self.vector(field, rows),
            rtol=policy.rtol,
            atol=every.ravel(),
            margin_limit=MARGIN_LIMIT if field.lean is None else LEAN_LIMIT,
            max_step=policy.max_step,
            max_steps=policy.most_steps,
            chunk=chunk,
            dense=False,
            tail=self.width,
        )


def _apart(plan: KernelPlan, width: int) -> int:
    """How many rows of p hold numbers, before those that hold derivatives."""
    return -(-(len(plan.parameters) + len(plan.pivots) + len(plan.charts) + plan.preamble) // width)


def _rows(
    plan: KernelPlan, inputs: Mapping[str, tuple[str, int]], width: int, by: Mapping[str, int]
) -> dict[str, tuple[str, int]]:
    """Where the derivatives of symbols lie: in the rows of the state, in a lane of their own, or behind p."""
    rows = {name: place for name, place in inputs.items() if place[0] == "y"}
    first, still = _apart(plan, width), range(plan.preamble if by else 0)
    return (
        rows
        | {name: ("lane", lane) for name, lane in by.items()}
        | {f"{PREAMBLE}:{k}": ("p", first + k) for k in still}
    )


# --- A smooth motion with some of its derivatives, integrated as tied lanes from its start to an end -----------------

CHUNK = 256  # steps between two looks from Python


class MotionWithDerivatives(NamedTuple):
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


class VariationalRun:
    """One run of the motion with some of its derivatives."""

    def __init__(self, field: Field, policy: Policy, by: Sequence[str], doubted: bool) -> None:
        self.field, self.policy, self.by, self.doubted = field, policy, tuple(by), doubted
        parameters = field.start.parameters
        lanes = {name: 1 + i for i, name in enumerate(self.by) if name in parameters}
        self.code = Tied.of(field, len(self.by), lanes)

    def carry_out(self, S: np.ndarray, end: float, times: np.ndarray | None) -> MotionWithDerivatives:
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
            return VariationalRun(field.as_written(), self.policy, self.by, self.doubted).carry_out(S, end, times)
        if status != Status.END:
            raise DalembertError(REASONS[status][0], f"at t = {stepper.t:.10g}: {REASONS[status][1]}", "end before")
        nodes, flat = np.concatenate(t), np.concatenate(states)
        wanted = nodes if times is None else times
        found = self._seen(wanted, stepper.inside(wanted, nodes, flat).reshape(len(wanted), *rows.shape), stepper)
        return found._replace(notes=self._doubts(Nodes(nodes, self._alone(flat)))) if self.doubted else found

    def _seen(self, t: np.ndarray, rows: np.ndarray, stepper: Dop853Stepper) -> MotionWithDerivatives:
        """The motion and its derivatives, of rows at times."""
        field, code = self.field, self.code
        full = code.full(field, t, code.projected(t, rows, stepper.p))[:, :-1]
        derivatives = full[:, :, 1 : 1 + len(self.by)].copy()
        return MotionWithDerivatives(t, full[:, :, 0].copy(), derivatives, stepper.steps)

    def _doubts(self, motion: Nodes) -> tuple[Note, ...]:
        """W408 where a difference of rtol has grown to the size of the motion, up to which its error was carried."""
        growth = DisturbanceGrowth.of(self.field, self.policy, float(motion.t[-1]))
        if growth is None or len(motion.t) < 2:
            return ()
        said = growth.finish([(self.field, motion)])
        return tuple(Note(n.code, f"{n.text}; the derivatives are those of another motion") for n in said)

    def _motion(self, stepper: Dop853Stepper, t: np.ndarray, rows: np.ndarray) -> Interpolant:
        """The motion alone, without its derivatives, on steps that were made."""
        F = stepper.dense_output(t[:-1], rows[:-1], t[1:])
        return Interpolant(t, self._alone(rows), np.diff(t), self._alone(F))

    def _alone(self, rows: np.ndarray) -> np.ndarray:
        """What rows (..., n width) hold of the motion, (..., n)."""
        return np.ascontiguousarray(rows.reshape(*rows.shape[:-1], -1, self.code.width)[..., 0])


# --- Derivatives carried along a motion, stretch by stretch, and through what happens between them -------------------

MOST = 31  # directions in one run; more are taken in several


def directions(
    motion: StretchedMotion, policy: Policy, S: np.ndarray, times: np.ndarray, parameter: str | None = None
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
    motion: StretchedMotion, policy: Policy, by: Sequence[str], S: np.ndarray, times: np.ndarray | None, doubted: bool
) -> MotionWithDerivatives:
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
    found: list[MotionWithDerivatives] = []
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
    return MotionWithDerivatives(t, states, values, sum(seen.steps for seen in found), notes)


def _shortened(seen: MotionWithDerivatives) -> MotionWithDerivatives:
    """Without the last time, which is the first of what follows."""
    return seen._replace(t=seen.t[:-1], states=seen.states[:-1], values=seen.values[:-1])


def _along(
    stretch: Stretch, policy: Policy, by: Sequence[str], S: np.ndarray, times: np.ndarray | None, doubted: bool
) -> tuple[MotionWithDerivatives, np.ndarray]:
    """A stretch at times (N,), and the derivatives at its end (n, d)."""
    first, end, short = stretch.field.start.t, stretch.end, stretch.short
    asked = [end - 2 * short, end - short] if short else [end]
    inner = None if times is None else np.minimum(np.maximum(times, first), asked[-1])
    wanted = None if inner is None else np.concatenate([inner, np.maximum(asked, first)])
    run = VariationalRun(stretch.field, policy, by, doubted)
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
