"""Energy over elastic bounces of the symmetric sphere between two rough walls."""

from __future__ import annotations

from functools import cache

import numpy as np

import dalembert as da
from dalembert.calculus.from_sympy import read
from dalembert.calculus.graph import Graph, evaluate
from dalembert.systems import symmetric_sphere as machine

from ..contest import Bar, Contest, Job, Measured

ROOM, PER_BOUNCE = 2.0, 1.95  # m between the walls, s between bounces
BOUNCES = 1000


@cache
def run() -> tuple[da.nouns.Trajectory, tuple[da.Event, ...], da.System]:
    """The sphere between its walls for about BOUNCES bounces."""
    system = machine.system()
    events = tuple(da.impacts.walls(system, {"right": machine.RIGHT, "left": machine.left(ROOM)}))
    equations, end = da.nonholonomic(system), PER_BOUNCE * BOUNCES
    start = equations.start(**machine.START)
    options = {"samples": [0.0, end], "rtol": 1e-12, "atol": 1e-14, "dense": False}
    return da.simulate(equations, start, until=end, events=events, **options), events, system


def _at_a_bounce() -> Measured:
    """The largest relative change of the energy at one bounce."""
    path, events, system = run()
    worst = 0.0
    for event in events:
        marks, graph = path.marks[event.name], Graph()
        before = {**system.values(), **{n: marks[n] for n in marks.names}, "t": marks.t}
        jumped = evaluate([read(e, graph) for e in event.then.values()], before)
        after = {**before, **dict(zip(event.then, jumped, strict=True))}
        T, later = (np.asarray(evaluate([read(system.lagrangian, graph)], v)[0]) for v in (before, after))
        worst = max(worst, float(np.abs(later / T - 1).max()))
    return Measured(worst, f"{worst:.1e}")


def _per_bounce() -> Measured:
    """The relative change over the run, bounces and flight, by the number of bounces."""
    path, _, _ = run()
    count = sum(len(marks) for marks in path.marks.values())
    change = abs(path.audit.energy_change / path.audit.energy_start) / count
    return Measured(change, f"{change:.1e}", f"{count}x")


JOB = Job(
    "elastic_bounces",
    "10^3 elastic bounces of a sphere off rough walls: relative change of energy",
    [
        Contest("bounce", "at one bounce, the largest", Bar("<=", 1e-13), _at_a_bounce),
        Contest("run", "over the run, per bounce", Bar("<=", 1e-13), _per_bounce),
    ],
)
