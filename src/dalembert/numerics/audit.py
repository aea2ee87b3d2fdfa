"""The audit of a run: constraints, energy against work, declared momenta, and the verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..calculus.graph import evaluate, gradient
from ..calculus.read import read
from ..errors import Note
from ..trajectory import Audit, Interpolant
from ..trajectory.audit import FAILED, OK, SUSPECT
from .run import Run

if TYPE_CHECKING:
    from .simulate import Simulation

CONSTRAINT_LIMIT = 1e-8  # residual over the size of the constraint's terms
ENERGY_LIMIT, ENERGY_FAILURE = 1e-7, 1e-3  # work balance over the size of the energy's terms
GROWTH = 1e12  # of multipliers
_PROBES = 500


def examine(
    simulation: Simulation,
    run: Run,
    path: Interpolant,
    rows: np.ndarray,
    values: np.ndarray,
    stepper: Any,
    seconds: float,
    notes: tuple[Note, ...],
) -> Audit:
    """The audit of one run.

    Args:
        simulation, run, stepper: what was run, what it gathered, what it cost.
        path: the path, if it was kept; else `rows` hold times and states (N, 1 + n + 1) on the way.
        rows: see `path`.
        values: all columns of the result, to be looked through for numbers that are not finite.
        seconds: wall time.
        notes: remarks made on the way.
    """
    t, y = _looked_at(simulation, path, rows)
    absolute, relative = residuals(simulation, t, y)
    names = [c.name for c in simulation.equations.constraints]
    energy, balance, scale = _energy(simulation, t, y)
    momenta = _momenta(simulation, t, y)
    reasons, verdict = _verdict(run, values, names, absolute, relative, balance / scale if scale else 0.0)
    remarks = [*simulation.equations.notes, *notes, *_remarks(simulation, run, y)]
    return Audit(
        verdict=verdict,
        reasons=tuple(reasons),
        constraints=dict(zip(names, absolute, strict=True)),
        constraint_residual=max(absolute, default=0.0),
        energy_start=float(energy[0]),
        energy_change=float(energy[-1] - energy[0]),
        work_balance=balance,
        energy_scale=scale,
        momenta=momenta,
        steps=stepper.steps,
        rejected=stepper.rejected,
        evaluations=stepper.evaluations,
        margin=stepper.margin,
        notes=tuple(dict.fromkeys(map(str, remarks))),
        seconds=seconds,
    )


def residual(simulation: Simulation, t: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """Largest residual of all constraints, absolute and over the size of their terms."""
    absolute, relative = residuals(simulation, t, y)
    return max(absolute, default=0.0), max(relative, default=0.0)


def residuals(simulation: Simulation, t: np.ndarray, y: np.ndarray) -> tuple[list[float], list[float]]:
    """Per constraint: largest |phi| (|f| too, where it is holonomic), and the same over the size of the row's terms."""
    equations = simulation.equations
    machine, values = equations.machine, simulation.values_at(t, y)
    absolute, relative = [], []
    for i, phi in enumerate(machine.phi):
        rows = [(phi, equations.space.velocities)]
        rows += [(machine.position[i], equations.space.coordinates)] if i in machine.position else []
        sizes = [_row(row, [machine.graph.symbol(s.name) for s in over], values, t) for row, over in rows]
        absolute.append(max(float(np.abs(r).max()) for r, _ in sizes))
        relative.append(max(float((np.abs(r) / s).max()) for r, s in sizes))
    return absolute, relative


def _row(row: Any, over: list[Any], values: dict[str, Any], t: np.ndarray) -> tuple[np.ndarray, Any]:
    """The row's values (N,), and their scale |dphi/dx| |x|, each at its largest along the path."""
    value, *slopes = evaluate([row, *gradient(row, over)], values)
    steepest = max((float(np.abs(s).max()) for s in slopes), default=0.0)
    largest = max((float(np.abs(values[x.key[1]]).max()) for x in over), default=0.0)
    return np.broadcast_to(np.asarray(value, float), t.shape), steepest * largest or 1.0


def _looked_at(simulation: Simulation, path: Interpolant, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Step ends and some times between, states as the path gives them; what was kept where there is no path."""
    if len(path.t) < 2:
        return rows[:, 0], rows[:, 1:]
    step = np.unique(np.linspace(0, len(path.t) - 2, _PROBES).astype(int))
    between = (path.t[step] + path.t[step + 1]) / 2
    order = np.argsort(np.r_[path.t, between], kind="stable")
    y = np.vstack([path.y, simulation.project(between, path(between))])
    return np.r_[path.t, between][order], y[order]


def _energy(simulation: Simulation, t: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, float, float]:
    """Energy along the path, the largest part of its change that no work accounts for, and the size of its terms."""
    energy = simulation.energy(t, y)
    # E(t) - E(0) - work(t) = 0
    balance = np.abs(energy - energy[0] - y[:, -1])
    graph = simulation.equations.machine.graph
    velocities = [graph.symbol(s.name) for s in simulation.equations.space.velocities]
    values = simulation.values_at(t, y)
    slopes = evaluate(gradient(simulation.equations.machine.energy, velocities), values)
    terms = [np.abs(np.asarray(s) * values[u.key[1]]) for s, u in zip(slopes, velocities, strict=True)]
    return energy, float(balance.max()), max(float(np.max(sum(terms))), float(np.abs(energy).max()))


def _momenta(simulation: Simulation, t: np.ndarray, y: np.ndarray) -> dict[str, float]:
    graph = simulation.equations.machine.graph
    changes = {}
    for name, expression in simulation.equations.system.momenta.items():
        value = np.broadcast_to(
            np.asarray(evaluate([read(expression, graph)], simulation.values_at(t, y))[0], float), t.shape
        )
        changes[name] = float(np.abs(value - value[0]).max())
    return changes


def _verdict(
    run: Run, values: np.ndarray, names: list[str], absolute: list[float], relative: list[float], drift: float
) -> tuple[list[str], str]:
    reasons = [" ".join(run.failure)] if run.failure else []
    verdict = FAILED if run.failure else OK
    for name, a, r in zip(names, absolute, relative, strict=True):
        if not r <= CONSTRAINT_LIMIT:
            reasons.append(f"E405 {name} drifts to {a:.1e}, {r:.1e} of its terms: tighten rtol or project")
            verdict = FAILED
    if not drift <= ENERGY_LIMIT:
        reasons.append(f"E406 energy and work differ by {drift:.1e} of the energy: tighten rtol")
        verdict = FAILED if verdict == FAILED or not drift <= ENERGY_FAILURE else SUSPECT
    if not np.isfinite(values).all():
        reasons.append("E499 a number in the result is not finite")
        verdict = FAILED
    return reasons, verdict


def _remarks(simulation: Simulation, run: Run, y: np.ndarray) -> list[Note]:
    remarks = []
    lam = [simulation.equations.states.index(s.name) for s in simulation.equations.states_of_multipliers]
    size = np.linalg.norm(y[:, lam], axis=1) if lam else np.zeros(1)
    if size[0] and size.max() > GROWTH * size[0]:
        remarks.append(
            Note("W407", f"the multipliers grew by {size.max() / size[0]:.1e}: the motion is sensitive to lam(0)")
        )
    for name, found in run.marks.items():
        if not found and not name.endswith("at rest"):
            remarks.append(Note("N309", f"event {name!r} never happened"))
    if run.jumps:
        remarks.append(Note("N130", f"{len(run.jumps)} jumps changed the energy by {sum(w for _, w in run.jumps):.6g}"))
    return remarks
