"""A manoeuvre: tables of inputs, and the run that they really make."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import scipy.linalg

from ...argument_checks import noun
from ...calculus.frame import TIME
from ...calculus.graph import Node, evaluate, gradient
from ...calculus.line_width import TERMINAL, folded
from ...equations import Lean
from ...errors import InvalidValue
from ...trajectory import Trajectory
from ..inputs.input_signal import Table, tabulated
from ..inputs.run_inputs import fresh_name
from ..run.simulate import simulate
from .collocation import CollocationGuess, CollocationTask, Driving, Dynamics, EndCondition, IpoptResult, missed, solve
from .problem import ManoeuvreRequest, guessed_end, on_mesh

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


def manoeuvre(
    made: ManoeuvreRequest, task: CollocationTask, solved: IpoptResult, costs: tuple[float, ...]
) -> Manoeuvre:
    """The answer, run from its start."""
    best = CollocationGuess.of(solved.vector, task)
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


def _states(
    task: CollocationTask, t: np.ndarray, best: CollocationGuess, tables: Mapping[str, Table]
) -> dict[str, np.ndarray]:
    """Coordinates and velocities at the times of the mesh."""
    dynamics, N = task.dynamics, task.driving.steps
    rows = []
    coefficients = _table_rows(task, t, tables)
    for k, y in enumerate(best.states):
        values = {**task.parameters, TIME.name: t[k], **dict(zip(dynamics.states, y, strict=True))}
        values |= dict(zip(task.driving.coefficients, coefficients[min(k, N - 1)], strict=True))
        rows.append(evaluate(list(dynamics.velocities.values()), values))
    q = [c.name for c in dynamics.equations.space.coordinates]
    found = dict(zip(q, best.states.T[: len(q)], strict=True))
    return found | dict(zip(dynamics.velocities, np.array(rows, float).T, strict=True))


def _table_rows(task: CollocationTask, t: np.ndarray, tables: Mapping[str, Table]) -> np.ndarray:
    """Coefficients of all tables on all intervals (N, c)."""
    N, columns = task.driving.steps, []
    for drive, table in zip(task.driving.drives, tables.values(), strict=True):
        columns.append(table.pieces[:N])
        if len(drive.coefficients) > table.pieces.shape[1]:
            columns.append(t[:N, None])
    return np.column_stack(columns)


# --- From what is asked to a manoeuvre: guesses, Ipopt, and the run that tells what is true of the answer ------------

SMALL = 1e-8  # of the largest: what is left of a row that follows from others

NEAR = 0.1  # of the size of what is wanted: how far conditions that follow from others may be off on their branch
FINEST = 4  # times as many steps as were asked for, at most
SINGULAR = {"Solve_Succeeded", "Invalid_Number_Detected"}  # ends of a search that a pole of the form may have made
_SAID = {
    "Infeasible_Problem_Detected": "near none of the guesses the end can be reached",
    "Restoration_Failed": "near none of the guesses the end can be reached",
    "Maximum_Iterations_Exceeded": "the iterations were used up",
    "Diverging_Iterates": "the cost has no least value",
    "Invalid_Number_Detected": "a function is not finite on the way",
    "Solve_Succeeded": "the motion passes where its form is singular",
}


@dataclass(frozen=True)
class Options:
    """How it is sought: steps of the mesh, order of collocation, guesses and their seed, iterations of Ipopt."""

    steps: int
    order: int
    tries: int
    seed: int
    iterations: int


def search(made: ManoeuvreRequest, options: Options) -> Manoeuvre:
    """The cheapest manoeuvre that comes of a few guesses, on a mesh that is halved until its run meets the end.

    Raises:
        InvalidValue: E342, none was found.
    """
    nearest: list[tuple[float, str]] = []
    for form in _forms(made, options):
        task = _task(made, form, options.steps, options)
        solved = [solve(task, guess, options.iterations) for guess in _guesses(made, task, options)]
        good = sorted((s for s in solved if s.success and _regular(task, s)), key=lambda s: s.cost)
        if good:
            return _refined(made, task, form, good, options)
        nearest += [(missed(task, s.vector), s.status) for s in solved]
        if not {s.status for s in solved} & SINGULAR:
            break  # another form of the same motion would not get there either
    raise _refused(made, nearest)


def _refined(
    made: ManoeuvreRequest, task: CollocationTask, form: Lean | None, good: Sequence[IpoptResult], options: Options
) -> Manoeuvre:
    """The cheapest one, on finer meshes where its run tells that this one is too coarse."""
    costs = tuple(s.cost for s in good)
    found = manoeuvre(made, task, good[0], costs)
    steps, vector = options.steps, good[0].vector
    while not found.ok and 2 * steps <= FINEST * options.steps:
        guess, steps = CollocationGuess.of(vector, task).halved(made.kind), 2 * steps
        task = _task(made, form, steps, options)
        solved = solve(task, guess, options.iterations)
        if not (solved.success and _regular(task, solved)):
            break
        found, vector = manoeuvre(made, task, solved, costs), solved.vector
    return found


def _driving(made: ManoeuvreRequest, steps: int) -> Driving:
    return Driving.of(made.inputs, made.kind, steps, partial(fresh_name, made.equations))


def _forms(made: ManoeuvreRequest, options: Options) -> Iterator[Lean | None]:
    """The lean form that is made for the start, and the equations as they are written."""
    driving = _driving(made, options.steps)
    equations = on_mesh(made, driving.formulas, driving.coefficients).equations
    lean = equations.lean_at({**_somewhere(made, driving), **dict.fromkeys(_velocities(made), 0.0), **made.start})
    if lean is not None:
        yield lean
    if equations.definite:
        yield None


def _velocities(made: ManoeuvreRequest) -> list[str]:
    return [u.name for u in made.equations.space.velocities]


def _somewhere(made: ManoeuvreRequest, driving: Driving) -> dict[str, float]:
    """Parameters, the first time, and coefficients of tables that stay 0."""
    return {**dict.fromkeys(driving.coefficients, 0.0), **made.parameters, TIME.name: made.t}


def _task(made: ManoeuvreRequest, form: Lean | None, steps: int, options: Options) -> CollocationTask:
    """The problem, with conditions at the ends that do not follow from each other."""
    driving = _driving(made, steps)
    steered = on_mesh(made, driving.formulas, driving.coefficients)
    dynamics = Dynamics.of(steered.equations, form, made.staying)
    y = _first(made, dynamics, driving)
    ends = _at_start(made, dynamics, driving, y), _at_end(made, dynamics, driving, y)
    bounds = [(dynamics.node(e), span) for e, span in made.bounds.values()]
    q = y[: len(made.equations.space.coordinates)]
    return CollocationTask(
        dynamics, driving, made.parameters, made.t, made.duration, q, ends, dynamics.node(made.cost), bounds,
        made.limits, options.order // 2,
    )  # fmt: skip


def _first(made: ManoeuvreRequest, dynamics: Dynamics, driving: Driving) -> np.ndarray:
    """The coordinates at the start, with velocities that are near those given there (n + r,)."""
    q = [made.start[c.name] for c in made.equations.space.coordinates]
    rest = dynamics.states[len(q) :]
    y = np.array([*q, *[0.0] * len(rest)])
    names = [name for name in dynamics.velocities if name in made.start]
    if names and rest:
        values = {**_somewhere(made, driving), **dict(zip(dynamics.states, y, strict=True))}
        rows = [dynamics.velocities[name] for name in names]
        off = np.array([made.start[name] for name in names]) - np.array(evaluate(rows, values), float)
        y[len(q) :] = np.linalg.lstsq(slopes(rows, rest, values), off, rcond=None)[0]
    return y


def _at_start(made: ManoeuvreRequest, dynamics: Dynamics, driving: Driving, y: np.ndarray) -> list[EndCondition]:
    """The velocities that are given, and what holds velocities where these are states."""
    n = len(made.equations.space.coordinates)
    given = {name: v for name, v in made.start.items() if name in dynamics.velocities}
    rows = [dynamics.velocities[name] for name in given] + list(dynamics.invariants if dynamics.lean is None else ())
    wanted = [*given.values(), *[0.0] * (len(rows) - len(given))]
    shaped = {*made.inputs} & {*made.equations.system.shaping}
    by = [*dynamics.states[n:], *(driving.coefficients if shaped else ())]
    values = {**_somewhere(made, driving), **dict(zip(dynamics.states, y, strict=True))}
    _check_allowed(made, dynamics, values, given, "start")
    return _rows(rows, wanted, slopes(rows, by, values), np.zeros((0, len(by))))


def _at_end(made: ManoeuvreRequest, dynamics: Dynamics, driving: Driving, y: np.ndarray) -> list[EndCondition]:
    """What is given at the end, but for what the constraints say by themselves."""
    n = len(made.equations.space.coordinates)
    rows = [dynamics.velocities.get(name) or dynamics.graph.symbol(name) for name in made.end]
    state = np.concatenate([guessed_end(made), y[n:]])
    values = {**_somewhere(made, driving), **dict(zip(dynamics.states, state, strict=True))}
    if {c.name for c in made.equations.space.coordinates} <= made.end.keys():
        given = {name: v for name, v in made.end.items() if name in dynamics.velocities}
        _check_allowed(made, dynamics, values, given, "end")
    held = slopes([*dynamics.invariants, *dynamics.staying], dynamics.states, values)
    return _rows(rows, list(made.end.values()), slopes(rows, dynamics.states, values), held)


def _check_allowed(
    made: ManoeuvreRequest, dynamics: Dynamics, values: Mapping[str, float], given: Mapping[str, float], which: str
) -> None:
    """E332: velocities that the constraints do not allow at these coordinates, whatever the inputs that are found."""
    shaped = {*made.inputs} & {*made.equations.system.shaping}
    if shaped or dynamics.lean is None or not given:
        return
    rows, speeds = (
        [dynamics.velocities[name] for name in given],
        dynamics.states[len(made.equations.space.coordinates) :],
    )
    # u = V s + u0 in the speeds s
    V, wanted = slopes(rows, speeds, values), np.array(list(given.values()))
    off = wanted - np.array(evaluate(rows, {**values, **dict.fromkeys(speeds, 0.0)}), float)
    left = off - V @ np.linalg.lstsq(V, off, rcond=None)[0] if len(speeds) else off
    worst = int(np.argmax(np.abs(left)))
    if abs(left[worst]) > 1e-9 * max(1.0, np.abs(wanted).max()):
        said = ", ".join(f"{name} = {v:g}" for name, v in given.items())
        fact = f"the {which} contradicts the constraints: they do not allow {said} there"
        raise InvalidValue("E332", fact, f"leave out {list(given)[worst]}, or correct the {which}")


def _rows(rows: Sequence[Node], wanted: Sequence[float], J: np.ndarray, held: np.ndarray) -> list[EndCondition]:
    """Conditions: those that are independent exactly, the others nearly, so that they are met on the right branch."""
    kept, others = independent(J, held)
    near = [NEAR * max(1.0, abs(wanted[i])) for i in others]
    exact = [EndCondition(rows[i], wanted[i], wanted[i]) for i in kept]
    return exact + [EndCondition(rows[i], wanted[i] - r, wanted[i] + r) for i, r in zip(others, near, strict=True)]


def _guesses(made: ManoeuvreRequest, task: CollocationTask, options: Options) -> Iterator[CollocationGuess]:
    """Straight from start to end, and then bent at random."""
    first = _first(made, task.dynamics, task.driving)
    last = np.concatenate([guessed_end(made), first[len(task.first) :]])
    T, tau = float(np.sqrt(task.duration[0] * task.duration[1])), np.linspace(0, 1, task.driving.steps + 1)[:, None]
    rng, sizes = np.random.default_rng(options.seed), np.maximum(1.0, np.abs(last - first))
    for k in range(options.tries):
        bent = sum(rng.normal(size=len(last)) / j * np.sin(j * np.pi * tau) for j in (1, 2, 3))
        pushed = rng.normal(size=len(made.inputs))
        states = first + tau * (last - first) + min(k, 1) * bent * sizes
        yield CollocationGuess(states, np.tile(min(k, 1) * pushed, (task.driving.knots, 1)), T)


def _regular(task: CollocationTask, solved: IpoptResult) -> bool:
    """Do the lean form's charts and pivots keep away from 0 at all times of the mesh?"""
    lean = task.dynamics.lean
    if lean is None:
        return True
    states = CollocationGuess.of(solved.vector, task).states
    known = {**dict.fromkeys(task.driving.coefficients, 0.0), **task.parameters, TIME.name: task.t}
    for y in states:
        values = {**known, **dict(zip(lean.states, y, strict=True))}
        u = dict(zip((u.name for u in lean.frame.velocities), lean.motion(values), strict=True))
        if not lean.regular({**values, **u}):
            return False
    return True


def _refused(made: ManoeuvreRequest, nearest: Sequence[tuple[float, str]]) -> InvalidValue:
    """E342, in words."""
    off, status = min(nearest, default=(np.inf, "nothing was tried"))
    where = ", ".join(f"{name} = {value:.6g}" for name, value in made.end.items())
    fact = f"no manoeuvre to {where} was found in {len(nearest)} attempts: {_SAID.get(status, status)}"
    remedy = "give more time, wider bounds, more steps=, or more tries="
    return InvalidValue("E342", fact, remedy, f"the nearest misses a condition by {off:.3g}")


# --- conditions that are independent ----------------------------------------------------------------------------------


def slopes(rows: Sequence[Node], by: Sequence[str], values: Mapping[str, float]) -> np.ndarray:
    """d rows/d by at one state (rows, by)."""
    if not rows:
        return np.zeros((0, len(by)))
    symbols = [rows[0].graph.symbol(name) for name in by]
    return np.array([evaluate(gradient(row, symbols), values) for row in rows], float).reshape(len(rows), len(by))


def independent(rows: np.ndarray, held: np.ndarray) -> tuple[list[int], list[int]]:
    """(those of the rows that are independent of each other and of what is held, the others), the clearest ones first.

    With P the projector onto the directions that keep what is held, the rows of J P are chosen by pivots.
    """
    if not len(rows):
        return [], []
    sizes = np.linalg.norm(rows, axis=1, keepdims=True)
    J = rows / np.where(sizes > 0, sizes, 1.0)
    if len(held):
        J = J - J @ np.linalg.pinv(held, rcond=SMALL) @ held
    _, R, order = scipy.linalg.qr(J.T, mode="economic", pivoting=True)
    rank = int(np.sum(np.abs(np.diag(R)) > SMALL))
    return sorted(order[:rank].tolist()), sorted(order[rank:].tolist())
