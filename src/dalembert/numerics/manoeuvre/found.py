"""A manoeuvre: tables of inputs, and the run that they really make."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ...calculus.frame import TIME
from ...calculus.graph import evaluate
from ...calculus.text import TERMINAL, folded
from ...given import noun
from ...trajectory import Trajectory
from ..inputs.table import Table, tabulated
from ..run.simulate import simulate
from .asked import Asked
from .collocation import Guess, Solved, Task

MET = 1e-6  # of the size of a state: what the end is missed by at most


@noun
@dataclass(frozen=True, eq=False)
class Manoeuvre:
    """Inputs that lead from a start to an end, of least cost near where they were sought; and the run that they make.

    Attributes:
        title: what was asked.
        inputs: tables by name: ``simulate(equations, manoeuvre.start, until=manoeuvre.path.t[-1],
            inputs=manoeuvre.inputs)`` makes `path` again.
        start: the state at the first time, by name.
        path: the motion under these inputs, integrated.
        cost: the integral that is least.
        duration: from start to end.
        t: times of the mesh (N + 1,).
        states: what the collocation has there, {name: (N + 1,)}.
        missed: by how much `path` misses what was wanted at the end, {name: number}.
        error: the largest difference between `states` and `path`, {name: number}.
        iterations: of Ipopt.
        costs: what all first guesses came to, those that came to nothing left out.
        unpriced: inputs without bounds that the cost does not hold: with more steps it may fall for ever.
    """

    title: str
    inputs: Mapping[str, Table]
    start: Mapping[str, float]
    path: Trajectory
    cost: float
    duration: float
    t: np.ndarray
    states: Mapping[str, np.ndarray]
    missed: Mapping[str, float]
    error: Mapping[str, float]
    iterations: int
    costs: tuple[float, ...]
    unpriced: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Is the run in order, and does it meet the end to a millionth of what each state goes through?"""
        return bool(self.path.ok) and all(abs(off) <= MET * self._size(name) for name, off in self.missed.items())

    def _size(self, name: str) -> float:
        return max(1.0, float(np.abs(self.states[name]).max()))

    def __str__(self) -> str:
        worst = max(self.missed, key=lambda name: abs(self.missed[name]) / self._size(name))
        far = max(self.error, key=lambda name: self.error[name] / self._size(name))
        said = ", ".join(f"{cost:.6g}" for cost in self.costs)
        kind = next(iter(self.inputs.values())).kind
        lines = [
            f"manoeuvre: {self.title}",
            f"  cost      {self.cost:.10g}, the least near by; all that was found: {said}",
            f"  duration  {self.duration:.10g}",
            f"  inputs    {', '.join(self.inputs)}: tables on {len(self.t) - 1} steps, {kind}",
            f"  run       misses {worst} by {self.missed[worst]:.2g} at the end; "
            f"differs from the collocation by {self.error[far]:.2g} in {far}",
            f"  ok        {self.ok}",
        ]
        if self.unpriced:
            which = ", ".join(self.unpriced)
            lines.insert(
                2, f"            neither the cost nor bounds hold {which}: is it as large with twice the steps?"
            )
        return "\n".join(part for line in lines for part in folded(line, TERMINAL, 12))

    __repr__ = __str__


def manoeuvre(made: Asked, task: Task, solved: Solved, costs: tuple[float, ...]) -> Manoeuvre:
    """The answer, run from its start."""
    best = Guess.of(solved.vector, task)
    t = made.t + best.duration * np.linspace(0, 1, task.driving.steps + 1)
    # what is held is held to the last time, however that is rounded
    values = np.vstack([best.tables, best.tables[-1:]])[: len(t)]
    tables = {name: tabulated(t, values[:, i], made.kind) for i, name in enumerate(made.inputs)}
    states = _states(task, t, best, tables)
    # what was given is taken as it was, not as the collocation met it
    start = {name: float(made.start.get(name, column[0])) for name, column in states.items()}
    begun, end = {**start, TIME.name: made.t}, float(t[-1])
    path = simulate(made.equations, begun, until=end, inputs=tables, parameters=made.parameters, rtol=1e-11)
    there = path.at(np.clip(t, path.t[0], path.t[-1]))
    missed = {name: float(path[name][-1] - value) for name, value in made.end.items()}
    error = {name: float(np.abs(np.asarray(there[name]) - column).max()) for name, column in states.items()}
    held = {symbol.name for symbol in made.cost.free_symbols}
    unpriced = tuple(name for name in made.inputs if name not in held and name not in made.limits)
    goal = ", ".join(f"{name} = {value:.6g}" for name, value in made.end.items())
    return Manoeuvre(
        f"{made.equations.system.title or 'System'} to {goal}", tables, start, path, solved.cost, best.duration, t,
        states, missed, error, solved.iterations, costs, unpriced,
    )  # fmt: skip


def _states(task: Task, t: np.ndarray, best: Guess, tables: Mapping[str, Table]) -> dict[str, np.ndarray]:
    """Coordinates and velocities at the times of the mesh."""
    dynamics, N = task.dynamics, task.driving.steps
    rows = []
    coefficients = _rows(task, t, tables)
    for k, y in enumerate(best.states):
        values = {**task.parameters, TIME.name: t[k], **dict(zip(dynamics.states, y, strict=True))}
        values |= dict(zip(task.driving.coefficients, coefficients[min(k, N - 1)], strict=True))
        rows.append(evaluate(list(dynamics.velocities.values()), values))
    q = [c.name for c in dynamics.equations.space.coordinates]
    found = dict(zip(q, best.states.T[: len(q)], strict=True))
    return found | dict(zip(dynamics.velocities, np.array(rows, float).T, strict=True))


def _rows(task: Task, t: np.ndarray, tables: Mapping[str, Table]) -> np.ndarray:
    """Coefficients of all tables on all intervals (N, c)."""
    N, columns = task.driving.steps, []
    for drive, table in zip(task.driving.drives, tables.values(), strict=True):
        columns.append(table.pieces[:N])
        if len(drive.coefficients) > table.pieces.shape[1]:
            columns.append(t[:N, None])
    return np.column_stack(columns)
