"""From what a person gave to a map with as many conditions as unknowns, or a refusal that counts both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...calculus.frame import TIME
from ...calculus.graph import evaluate
from ...calculus.numerical_rank import null_space, rank_of
from ...calculus.quantity import Dimension
from ...equations import Equations
from ...equations.start_completion import turned
from ...errors import InvalidValue, Note
from . import initial_guesses
from .differentiated_motion import OnTheWay
from .end_conditions import positions, positions_of, read_values, sized, wanted
from .shooting import Shooting

HUGE = 1e150  # squares of velocities are numbers still
TRIES = 40  # random points from which a velocity is sought that the constraints allow


@dataclass(frozen=True, eq=False)
class Setting:
    """A two-point problem that is in order.

    Attributes:
        problem: the map.
        ways: what random points are made of.
        given: the start as it was given, by name.
        title: the problem in words.
        whole: do the given coordinates fix the end alone?
        variational: are the equations those of a stationary action, forces left aside?
        notes: what is doubted of the ends.
    """

    problem: Shooting
    ways: initial_guesses.RandomCurves
    given: Mapping[str, Any]
    title: str
    whole: bool
    variational: bool
    notes: tuple[Note, ...] = ()


def problem_of(
    equations: Equations,
    start: Any,
    end: Any,
    first: float,
    last: float,
    parameters: Mapping[Any, Any] | None,
    rng: np.random.Generator,
    met: OnTheWay | None = None,
) -> Setting:
    """Read both ends and count (E330, E331, E332)."""
    values = equations.system.values(parameters)
    units: dict[str, Dimension] = {}
    start, end = (positions_of(equations, place) for place in (start, end))
    given = read_values(equations, start, "start", equations.states[len(equations.space.coordinates) :], units)
    goal = read_values(equations, end, "end", (), units)
    notes = (*turned(equations.system, given, start), *turned(equations.system, goal, end))
    held = {n: given[n] for n in equations.states[len(equations.space.coordinates) :] if n in given}
    found = positions(equations, {n: v for n, v in given.items() if n not in held}, first, values)
    known = {**found.values, TIME.name: first}
    somewhere = dict(zip(equations.states, rng.normal(size=len(equations.states)), strict=True))
    equations = equations.rows_at({**somewhere, **known})
    then = {} if met is None else {name: float(each[0]) for name, each in met.along(np.array([last])).items()}
    aim = wanted(equations, goal, known, last, {**values, **then})
    with np.errstate(all="ignore"):
        scale, far, ways = initial_guesses.scales(equations, known, aim, last - first, rng)
    if not (scale < HUGE).all():
        fact = f"the way from the start to the end takes velocities beyond {HUGE:g} in this time"
        raise InvalidValue("E333", fact, "check the units of the ends and of the duration")
    aim = sized(aim, far, known)
    met = met if met is not None and met.breaks else None
    problem = Shooting(equations, first, known, held, aim, values, scale, met)
    variational = (bool(equations.states_of_multipliers) or not equations.constraints) and not _acting(problem)
    natural = _counted(problem, variational, ways, rng)
    if natural:
        still = {**known, **dict(zip(problem.names, scale * (np.arange(len(scale)) < problem.width), strict=True))}
        size = float(np.linalg.norm(aim.momenta({**still, TIME.name: last})))
        problem = replace(problem, end=replace(aim, natural=True, momentum=size or 1.0))
    whole = not natural and not held
    title = _title(equations, given, goal, last - first)
    return Setting(problem, ways, given, title, whole, variational, notes)


def _acting(problem: Shooting) -> tuple[str, ...]:
    """What may make the velocities jump."""
    return () if problem.met is None else problem.met.acting


def _title(equations: Equations, given: Mapping[str, object], goal: Mapping[str, object], duration: float) -> str:
    def said(values: Mapping[str, object]) -> str:
        return ", ".join(f"{n} = {v:g}" if isinstance(v, float) else n for n, v in values.items()) or "nothing"

    who = equations.system.title or "System"
    return f"{who}: {equations.principle}, from {said(given)} to {said(goal)} in {duration:g}"


def _counted(
    problem: Shooting, variational: bool, ways: initial_guesses.RandomCurves, rng: np.random.Generator
) -> bool:
    """Are natural conditions needed?

    Raises:
        InvalidValue: E331 unknowns and conditions do not balance; E332 no velocity is allowed at the start.
    """
    point = _some(problem, ways, rng)
    unknown = problem.count(point)
    conditions = problem.end.rank if variational else _conditions(problem, point)
    if conditions == unknown and unknown:
        return False
    if variational and not problem.held:
        return conditions < problem.width
    raise _unbalanced(problem, variational, unknown, conditions)


def _some(problem: Shooting, ways: initial_guesses.RandomCurves, rng: np.random.Generator) -> np.ndarray:
    """A point that the constraints allow (E332 if none is found)."""
    for guess in initial_guesses.points(problem, ways, TRIES, rng):
        point = problem.settled(guess)
        if point is not None:
            return point
    names = ", ".join(c.name for c in problem.equations.constraints)
    what = f" with {', '.join(problem.held)} as given" if problem.held else ""
    raise InvalidValue(
        "E332",
        f"no velocity was found at the start that satisfies {names}{what}",
        "correct the start" + (", or leave out what is held" if problem.held else ""),
    )


def _conditions(problem: Shooting, point: np.ndarray) -> int:
    """How many conditions the given coordinates are, on what holonomic constraints leave of the end."""
    equations, end = problem.equations, problem.end
    values = {**problem.values(point), **{q.name: v for q, v in end.somewhere.items()}, TIME.name: end.t}
    rows = [equations.machine.form.N[i] for i in equations.machine.position]
    flat = np.array(evaluate([e for row in rows for e in row], values), float)
    E = np.array(equations.space.anchor.subs(end.somewhere), float)[end.given]
    return rank_of(E @ null_space(flat.reshape(len(rows), problem.width)))


def _unbalanced(problem: Shooting, variational: bool, unknown: int, conditions: int) -> InvalidValue:
    """E331 with both numbers and what to do."""
    free = [n for n in problem.names if n not in problem.held]
    fact = f"{unknown} unknowns at the start, {conditions} independent conditions at the end"
    detail = f"unknown: {unknown} of {', '.join(free) or 'nothing'}, after constraints; given at the end: " + ", ".join(
        [*problem.end.plain, *(r.name for r in problem.end.rotations)]
    )
    if _acting(problem) and conditions < unknown:
        detail += f"; what is free is not completed where velocities jump, at {', '.join(_acting(problem))}"
    if conditions < unknown:
        remedy = f"give {unknown - conditions} more at the end, or hold as many at the start"
        return InvalidValue("E331", fact, remedy, detail)
    if variational:
        return InvalidValue("E331", fact, "hold fewer values at the start, or leave some out of the end", detail)
    fact += f": {problem.equations.principle} curves do not join any two ends"
    remedy = f"leave {conditions - unknown} out of the end"
    remedy += "" if _acting(problem) else ", or use da.vakonomic, whose multipliers are unknown too"
    return InvalidValue("E331", fact, remedy, detail)
