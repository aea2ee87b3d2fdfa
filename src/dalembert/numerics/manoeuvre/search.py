"""From what is asked to a manoeuvre: guesses, Ipopt, and the run that tells what is true of the answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import scipy.linalg

from ...calculus.frame import TIME
from ...calculus.graph import Node, evaluate, gradient
from ...equations import Lean
from ...errors import InvalidValue
from ..inputs.read import fresh_name
from .asked import Asked, on_mesh, straight
from .collocation import Guess, Row, Solved, Task, missed, solve
from .driving import Driving
from .dynamics import Dynamics
from .found import Manoeuvre, manoeuvre

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


def search(made: Asked, options: Options) -> Manoeuvre:
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


def _refined(made: Asked, task: Task, form: Lean | None, good: Sequence[Solved], options: Options) -> Manoeuvre:
    """The cheapest one, on finer meshes where its run tells that this one is too coarse."""
    costs = tuple(s.cost for s in good)
    found = manoeuvre(made, task, good[0], costs)
    steps, vector = options.steps, good[0].vector
    while not found.ok and 2 * steps <= FINEST * options.steps:
        guess, steps = Guess.of(vector, task).halved(made.kind), 2 * steps
        task = _task(made, form, steps, options)
        solved = solve(task, guess, options.iterations)
        if not (solved.success and _regular(task, solved)):
            break
        found, vector = manoeuvre(made, task, solved, costs), solved.vector
    return found


def _driving(made: Asked, steps: int) -> Driving:
    return Driving.of(made.inputs, made.kind, steps, partial(fresh_name, made.equations))


def _forms(made: Asked, options: Options) -> Iterator[Lean | None]:
    """The lean form that is made for the start, and the equations as they are written."""
    driving = _driving(made, options.steps)
    equations = on_mesh(made, driving.formulas, driving.coefficients).equations
    lean = equations.lean_at({**_somewhere(made, driving), **dict.fromkeys(_velocities(made), 0.0), **made.start})
    if lean is not None:
        yield lean
    if equations.definite:
        yield None


def _velocities(made: Asked) -> list[str]:
    return [u.name for u in made.equations.space.velocities]


def _somewhere(made: Asked, driving: Driving) -> dict[str, float]:
    """Parameters, the first time, and coefficients of tables that stay 0."""
    return {**dict.fromkeys(driving.coefficients, 0.0), **made.parameters, TIME.name: made.t}


def _task(made: Asked, form: Lean | None, steps: int, options: Options) -> Task:
    """The problem, with conditions at the ends that do not follow from each other."""
    driving = _driving(made, steps)
    steered = on_mesh(made, driving.formulas, driving.coefficients)
    dynamics = Dynamics.of(steered.equations, form, made.staying)
    y = _first(made, dynamics, driving)
    ends = _at_start(made, dynamics, driving, y), _at_end(made, dynamics, driving, y)
    bounds = [(dynamics.node(e), span) for e, span in made.bounds.values()]
    q = y[: len(made.equations.space.coordinates)]
    return Task(
        dynamics, driving, made.parameters, made.t, made.duration, q, ends, dynamics.node(made.cost), bounds,
        made.limits, options.order // 2,
    )  # fmt: skip


def _first(made: Asked, dynamics: Dynamics, driving: Driving) -> np.ndarray:
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


def _at_start(made: Asked, dynamics: Dynamics, driving: Driving, y: np.ndarray) -> list[Row]:
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


def _at_end(made: Asked, dynamics: Dynamics, driving: Driving, y: np.ndarray) -> list[Row]:
    """What is given at the end, but for what the constraints say by themselves."""
    n = len(made.equations.space.coordinates)
    rows = [dynamics.velocities.get(name) or dynamics.graph.symbol(name) for name in made.end]
    state = np.concatenate([straight(made), y[n:]])
    values = {**_somewhere(made, driving), **dict(zip(dynamics.states, state, strict=True))}
    if {c.name for c in made.equations.space.coordinates} <= made.end.keys():
        given = {name: v for name, v in made.end.items() if name in dynamics.velocities}
        _check_allowed(made, dynamics, values, given, "end")
    held = slopes([*dynamics.invariants, *dynamics.staying], dynamics.states, values)
    return _rows(rows, list(made.end.values()), slopes(rows, dynamics.states, values), held)


def _check_allowed(
    made: Asked, dynamics: Dynamics, values: Mapping[str, float], given: Mapping[str, float], which: str
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


def _rows(rows: Sequence[Node], wanted: Sequence[float], J: np.ndarray, held: np.ndarray) -> list[Row]:
    """Conditions: those that are independent exactly, the others nearly, so that they are met on the right branch."""
    kept, others = independent(J, held)
    near = [NEAR * max(1.0, abs(wanted[i])) for i in others]
    exact = [Row(rows[i], wanted[i], wanted[i]) for i in kept]
    return exact + [Row(rows[i], wanted[i] - r, wanted[i] + r) for i, r in zip(others, near, strict=True)]


def _guesses(made: Asked, task: Task, options: Options) -> Iterator[Guess]:
    """Straight from start to end, and then bent at random."""
    first = _first(made, task.dynamics, task.driving)
    last = np.concatenate([straight(made), first[len(task.first) :]])
    T, tau = float(np.sqrt(task.duration[0] * task.duration[1])), np.linspace(0, 1, task.driving.steps + 1)[:, None]
    rng, sizes = np.random.default_rng(options.seed), np.maximum(1.0, np.abs(last - first))
    for k in range(options.tries):
        bent = sum(rng.normal(size=len(last)) / j * np.sin(j * np.pi * tau) for j in (1, 2, 3))
        pushed = rng.normal(size=len(made.inputs))
        states = first + tau * (last - first) + min(k, 1) * bent * sizes
        yield Guess(states, np.tile(min(k, 1) * pushed, (task.driving.knots, 1)), T)


def _regular(task: Task, solved: Solved) -> bool:
    """Do the lean form's charts and pivots keep away from 0 at all times of the mesh?"""
    lean = task.dynamics.lean
    if lean is None:
        return True
    states = Guess.of(solved.vector, task).states
    known = {**dict.fromkeys(task.driving.coefficients, 0.0), **task.parameters, TIME.name: task.t}
    for y in states:
        values = {**known, **dict(zip(lean.states, y, strict=True))}
        u = dict(zip((u.name for u in lean.frame.velocities), lean.motion(values), strict=True))
        if not lean.regular({**values, **u}):
            return False
    return True


def _refused(made: Asked, nearest: Sequence[tuple[float, str]]) -> InvalidValue:
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
