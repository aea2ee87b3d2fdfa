"""Energy over 10^4 elastic bounces of the symmetric sphere between two rough walls; takes one to two minutes.

python benchmarks/elastic_bounces.py [bounces]
"""

from __future__ import annotations

import sys
import time

import numpy as np

from dalembert.calculus.graph import Graph, evaluate
from dalembert.calculus.read import read
from dalembert.numerics.simulate import simulate
from dalembert.principles.impulsive import walls
from dalembert.principles.nonholonomic import nonholonomic
from dalembert.systems import symmetric_sphere as machine

ROOM, PER_BOUNCE = 2.0, 1.95  # m between the walls, s between bounces


def main(bounces: int) -> None:
    """Run, and print the largest relative change of the energy at a bounce and along the whole run."""
    system = machine.system()
    events = walls(system, {"right": machine.RIGHT, "left": machine.left(ROOM)})
    equations = nonholonomic(system)
    end, began = PER_BOUNCE * bounces, time.perf_counter()
    path = simulate(
        equations,
        equations.start(**machine.START),
        until=end,
        events=events,
        samples=np.array([0.0, end]),
        rtol=1e-12,
        atol=1e-14,
        dense=False,
    )
    worst = 0.0
    for event in events:
        marks, graph = path.marks[event.name], Graph()
        before = {**system.values(), **{n: marks[n] for n in marks.names}, "t": marks.t}
        jumped = evaluate([read(e, graph) for e in event.then.values()], before)  # type: ignore[union-attr]
        after = {**before, **dict(zip(event.then, jumped, strict=True))}
        T, later = (np.asarray(evaluate([read(system.lagrangian, graph)], v)[0]) for v in (before, after))
        worst = max(worst, float(np.abs(later / T - 1).max()))
    count = sum(len(m) for m in path.marks.values())
    whole = abs(path.audit.energy_change) / path.audit.energy_start
    print(f"{count} bounces in {time.perf_counter() - began:.0f} s, {path.outcome}, verdict {path.audit.verdict}")
    print(f"energy: {worst:.1e} at a bounce at most, {whole:.1e} in all, {whole / count:.1e} per bounce")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
