"""simulate: from equations and a start to a path with an audit."""

from __future__ import annotations

import math
import platform
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from ..calculus.frame import TIME
from ..calculus.graph import Node, evaluate, gradient
from ..calculus.number import number
from ..equations import Equations, Numbers, Start
from ..equations.check import slip_speeds
from ..equations.complete import state_of
from ..equations.finite import first_nonfinite
from ..errors import InvalidValue, WrongType
from ..event import STOP
from ..trajectory import Interpolant, Marks, Trajectory, check_times
from . import audit
from .calls import map_rows, value_at
from .dop853 import Stepper
from .kernel import Kernel
from .policy import Policy, Projection
from .radau import RadauStepper
from .run import Run, Scene, carry_out, named
from .search import Guard, Happening, check_start, compile_guards, internal_event, switches

MARGIN_LIMIT = 1e-13
REST = 1e-6  # a friction law is at rest where the slip is this much of the largest at the start
SIDE, JUMP = 1e-7, 1e-3  # how far beside a surface a force is looked at, and the relative jump that counts
MOST_SAMPLES = 10_000_000
_BLOCK = 50_000


def simulate(
    equations: Equations,
    start: Any,
    *,
    until: float,
    events: Any = (),
    parameters: Mapping[Any, Any] | None = None,
    samples: Any = None,
    **options: Any,
) -> Trajectory:
    """Integrate equations of motion from a start.

    Args:
        equations: from a principle.
        start: a `Start`, or a mapping of values that `Equations.start` completes.
        until: the time at which to end.
        events: list of `Event`.
        parameters: values that replace those of the start; a start that was completed is completed anew.
        samples: times of the path's samples; by default the ends of the steps.
        options: those of `Policy`: rtol, atol, method, stabilisation, max_step, max_steps, seconds, dense, progress.

    Returns:
        A `Trajectory`. A run that cannot go on returns the part it has, with ``ok`` False and the reason in its audit.

    Raises:
        DalembertError: E2xx for the start and parameters, E3xx for times, options and events.
    """
    if not isinstance(equations, Equations):
        raise WrongType("E307", f"simulate needs equations, not {type(equations).__name__}", "da.nonholonomic(system)")
    policy = Policy.of(options)
    state = state_of(equations, start, parameters)
    end = _end(until, state.t)
    times = _samples(samples, state.t, end)
    return Simulation(equations, state, policy, end, _events(events, equations, state), times).run()


@dataclass(frozen=True, eq=False)
class Simulation:
    """One run being prepared and carried out."""

    equations: Equations
    start: Start
    policy: Policy
    end: float
    guards: tuple[Guard, ...]
    samples: np.ndarray | None

    @cached_property
    def kernel(self) -> Kernel:
        """Compiled code."""
        return Kernel.of(self.equations, self.policy.stabilisation, jacobian=self.policy.method == "radau")

    @cached_property
    def known(self) -> dict[str, float]:
        """Parameter values by name."""
        return dict(self.start.parameters)

    @cached_property
    def p(self) -> np.ndarray:
        """Parameters as the kernel takes them."""
        return self.kernel.vector(self.known, {**self.start.state, TIME.name: self.start.t})

    def run(self) -> Trajectory:
        """Carry it out."""
        notes = self.policy.notes()
        began = time.perf_counter()
        stepper = self._stepper()
        kept: list[np.ndarray] = []
        scene = self._scene(kept)
        run = self._nothing() if self.end == self.start.t else carry_out(stepper, scene)
        seconds = time.perf_counter() - began
        self._explain(run, stepper)
        path = run.path()
        columns = Columns(self, path)
        rows = np.vstack([np.r_[path.t[0], path.y[0]], *kept])
        t, values = self._sampled(path, columns, rows)
        checked = audit.examine(self, run, path, rows, values, stepper, seconds, notes)
        return Trajectory(
            t=t,
            names=columns.names,
            values=values,
            dense=columns,
            audit=checked,
            marks={name: self._marks(found, columns) for name, found in run.marks.items()},
            outcome=run.outcome,
            reached=run.failure is None,
            states=len(self.equations.states),
            provenance=self._provenance(),
        )

    def _stepper(self) -> Any:
        n = len(self.equations.states)
        y = np.r_[self.start.vector, 0.0]
        atol = np.r_[self.policy.tolerances(self.equations.states, self.start.vector), math.inf]
        project = self.kernel.project if isinstance(self.policy.stabilisation, Projection) else 0
        shared = {"rtol": self.policy.rtol, "atol": atol, "project": project}
        shared |= {"max_step": self.policy.max_step, "max_steps": int(min(self.policy.max_steps, 2**62))}
        if self.policy.method == "radau":
            return RadauStepper(self.kernel.rhs, self.kernel.jacobian, self.start.t, y, self.p, self.end, **shared)
        chunk = 64 if self.guards else max(16, min(512, 200_000 // (7 * (n + 1))))
        return Stepper(self.kernel.rhs, self.start.t, y, self.p, margin_limit=MARGIN_LIMIT, chunk=chunk, **shared)

    def _scene(self, kept: list[np.ndarray]) -> Scene:
        return Scene(
            names=self.equations.states,
            parameters=self.known,
            guards=self.guards,
            until=self.end,
            seconds=self.policy.seconds,
            project=lambda t, y: self.project(np.array([t]), y[None])[0],
            energy=lambda t, y: float(self.energy(np.array([t]), y[None])[0]),
            residual=lambda t, y: audit.residual(self, np.array([t]), y[None])[1],
            slides=self._slides,
            growth=self._growth,
            pivots=self._pivots(),
            keep=None if self.policy.dense else self._keeper(kept),
            tick=_progress(self.start.t, self.end) if self.policy.progress else lambda t: None,
        )

    def rate(self, t: float, y: np.ndarray) -> np.ndarray:
        """dy/dt (n + 1,) at one time and state."""
        return np.asarray(value_at(self.kernel.rhs, t, y, self.p, len(y) + 1)[:-1])

    def _growth(self, t: float, y: np.ndarray) -> float:
        n = len(self.equations.states)
        first = np.abs(self.rate(self.start.t, np.r_[self.start.vector, 0.0])[:n]).max()
        return float(np.abs(self.rate(t, y)[:n]).max() / (first or 1.0))

    def _slides(self, h: Happening, y: np.ndarray) -> bool:
        """Does the motion run towards the surface h from both sides, with a jump of its rate in between?"""
        graph, n = self.equations.machine.graph, len(self.equations.states)
        xs = [graph.symbol(name) for name in self.equations.states]
        slopes = np.array(
            evaluate(gradient(h.guard.value, xs), {**self.known, **_named(self, y), TIME.name: h.t}), float
        )
        size = float(slopes @ slopes)
        if not size:
            return False
        step = np.r_[slopes / size, 0.0] * SIDE * max(1.0, float(np.abs(y[:n]).max()))
        above, below = (float(slopes @ self.rate(h.t, y + s * step)[:n]) for s in (1, -1))
        return above < 0 < below and above - below < -JUMP * (abs(above) + abs(below))

    def _pivots(self) -> list[Callable[[np.ndarray, np.ndarray], np.ndarray]]:
        """Functions of times (N,) and states whose zeros are losses of rank."""
        machine, kept = self.equations.machine, list(self.equations.kept)
        if not self.kernel.pivots:

            def determinant(t: np.ndarray, y: np.ndarray) -> np.ndarray:
                return np.linalg.det(Numbers.of(machine.form, self.values_at(t, y)).rows(kept).bordered)

            return [determinant]

        def pivot_of(node: Node) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
            return lambda t, y: np.broadcast_to(np.asarray(evaluate([node], self.values_at(t, y))[0], float), t.shape)

        return [pivot_of(node) for node in self.kernel.pivots if not node.is_constant]

    def _keeper(self, kept: list[np.ndarray]) -> Callable[[Interpolant], None]:
        """Collect samples (or step ends) as the run goes, instead of the whole path."""

        def keep(piece: Interpolant) -> None:
            if self.samples is None:
                inside, y = piece.t[1:], piece.y[1:]
            else:
                chosen = (self.samples > piece.t[0]) & (self.samples <= piece.t[-1])
                inside = self.samples[chosen]
                y = piece(inside) if len(inside) else piece.y[:0]
            kept.append(np.column_stack([inside, y]))

        return keep

    def _nothing(self) -> Run:
        y = np.r_[self.start.vector, 0.0][None]
        return Run([np.array([self.start.t])], [y], marks=named(self.guards), outcome="no time to pass")

    def _sampled(self, path: Interpolant, columns: Columns, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Times and columns of the samples; `rows` are the start and, without dense output, what was kept."""
        if not self.policy.dense:
            wanted = rows if self.samples is None or self.samples[0] == self.start.t else rows[1:]
            return wanted[:, 0], columns.of(wanted[:, 0], wanted[:, 1:])
        if self.samples is None:
            return path.t, columns.of(path.t, path.y)
        t = self.samples[self.samples <= path.t[-1]]
        return t, columns(t)

    def _marks(self, found: list[tuple[float, np.ndarray]], columns: Columns) -> Marks:
        t = np.array([t for t, _ in found])
        y = np.array([y for _, y in found]).reshape(len(t), len(self.equations.states) + 1)
        return Marks(t, columns.of(t, y), columns.names)

    def project(self, t: np.ndarray, y: np.ndarray) -> np.ndarray:
        """States (N, n + 1) moved back to the constraints, if that is the policy."""
        if not self.kernel.project or not isinstance(self.policy.stabilisation, Projection):
            return y
        out = np.empty_like(y)
        map_rows(self.kernel.project, np.ascontiguousarray(t, float), np.ascontiguousarray(y, float), self.p, out)
        return out

    def values_at(self, t: np.ndarray, y: np.ndarray) -> dict[str, Any]:
        """Symbols' values at times (N,) and states (N, n + 1)."""
        return {**self.known, **dict(zip(self.equations.states, y.T, strict=False)), TIME.name: t}

    def energy(self, t: np.ndarray, y: np.ndarray) -> np.ndarray:
        """E = u dL/du - L at times (N,) and states (N, n + 1)."""
        value = evaluate([self.equations.machine.energy], self.values_at(t, y))[0]
        return np.broadcast_to(np.asarray(value, float), t.shape)

    def _explain(self, run: Run, stepper: Any) -> None:
        """Where a number stopped being finite, name the term that did."""
        if run.failure is None or run.failure[0] not in ("E401", "E407"):
            return
        f = self.rate(stepper.t, stepper.y)
        machine = self.equations.machine
        farthest = 3 if run.failure[0] == "E401" else -6
        for exponent in range(-14, farthest):
            h = 10.0**exponent * max(self.end - self.start.t, 1e-300)
            ahead = {n: v + h * d for n, v, d in zip(self.equations.states, stepper.y, f, strict=False)}
            found = first_nonfinite(
                [*machine.form.entries, *machine.qdot], {**self.known, **ahead, TIME.name: stepper.t + h}
            )
            if found:
                run.failure = (found[0], f"at t = {stepper.t:.10g}: {found[1]}")
                run.outcome = " ".join(run.failure)
                return

    def _provenance(self) -> dict[str, Any]:
        return {
            "title": self.equations.system.title,
            "principle": self.equations.principle,
            "parameters": self.known,
            "start": dict(self.start.state),
            "t0": self.start.t,
            "until": self.end,
            "rtol": self.policy.rtol,
            "method": self.policy.method,
            "stabilisation": repr(self.policy.stabilisation),
            "versions": {p: _version(p) for p in ("dalembert", "numpy", "scipy", "sympy", "llvmlite", "numba")},
            "python": platform.python_version(),
            "platform": platform.platform(),
        }


class Columns:
    """The columns of a path at any times: states on the constraints, multipliers, energy."""

    def __init__(self, simulation: Simulation, interpolant: Interpolant) -> None:
        self.simulation, self.interpolant = simulation, interpolant
        equations = simulation.equations
        derived = () if equations.states_of_multipliers else tuple(s.name for s in equations.multipliers)
        taken = {*equations.states, *equations.system.symbols}
        self.derived = derived
        self.names = (*equations.states, *derived, *(() if "energy" in taken else ("energy",)))

    def __call__(self, t: np.ndarray) -> np.ndarray:
        """All columns (len(t), columns) at times inside the path."""
        times = np.atleast_1d(np.asarray(t, float))
        return self.of(times, self.simulation.project(times, self.interpolant(times)))

    def of(self, t: np.ndarray, y: np.ndarray) -> np.ndarray:
        """All columns at times (N,) and states (N, n + 1)."""
        blocks = [slice(i, i + _BLOCK) for i in range(0, len(t), _BLOCK)] or [slice(0, 0)]
        return np.vstack([self._block(t[b], y[b]) for b in blocks])

    def _block(self, t: np.ndarray, y: np.ndarray) -> np.ndarray:
        simulation = self.simulation
        columns = [y[:, :-1]]
        if self.derived:
            columns.append(_multipliers(simulation.equations, simulation.values_at(t, y), len(t)))
        if "energy" in self.names[len(simulation.equations.states) :]:
            columns.append(simulation.energy(t, y)[:, None])
        return np.column_stack(columns)


def _named(simulation: Simulation, y: np.ndarray) -> dict[str, float]:
    return dict(zip(simulation.equations.states, map(float, y), strict=False))


def _multipliers(equations: Equations, values: Mapping[str, Any], n: int) -> np.ndarray:
    """Multipliers (n, m); where a rank is lost, as at the end of a run that stopped for it, those of least norm."""
    try:
        mu = equations.accelerations(values)[1]
    except np.linalg.LinAlgError:
        form = Numbers.of(equations.machine.form, values)
        x = np.linalg.pinv(form.bordered) @ np.concatenate([form.f, form.g], axis=-1)[..., None]
        mu = x[..., form.f.shape[-1] :, 0]
    return np.broadcast_to(mu, (n, len(equations.constraints)))


def _end(until: Any, t0: float) -> float:
    end = number(until, "until", "E301", "E301")
    if end < t0:
        raise InvalidValue("E302", f"until = {end:g} lies before the start, t = {t0:g}", "give a later time")
    return end


def _samples(samples: Any, t0: float, end: float) -> np.ndarray | None:
    if samples is None:
        return None
    if hasattr(samples, "__len__") and len(samples) > MOST_SAMPLES:
        raise InvalidValue(
            "E304", f"{len(samples):.2g} samples are more than {MOST_SAMPLES:.0e}", "take fewer, in several runs"
        )
    return check_times(samples, t0, end)


def _events(events: Any, equations: Equations, start: Start) -> tuple[Guard, ...]:
    """The given events, and a stop where a friction law comes to rest."""
    guards = compile_guards(events, equations.states, start.parameters)
    values = {**start.parameters, **start.state, TIME.name: start.t}
    resting = []
    for name, speed in slip_speeds(equations).items():
        first = float(evaluate([speed], values)[0])
        resting.append(Guard(internal_event(f"{name} at rest", STOP, -1), speed / first - REST))
    every = (*guards, *resting)
    check_start(every, start.t, start.vector, equations.states, start.parameters)
    return (*every, *switches([*equations.machine.form.f, *equations.machine.form.g]))


def _progress(first: float, last: float) -> Callable[[float], None]:
    """A progress bar on a terminal, nothing elsewhere."""
    from rich.progress import Progress

    bar = Progress(transient=True)
    if not bar.console.is_terminal:
        return lambda t: None
    task = bar.add_task("simulating", total=last - first)
    bar.start()

    def tick(t: float) -> None:
        bar.update(task, completed=t - first)
        if t >= last:
            bar.stop()

    return tick


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"
