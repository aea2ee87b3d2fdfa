"""Chains of N links whose cost is looked at as N grows: on wheels, with trailers, free in absolute angles, of beads.

`python -m benchmarks.chains NAME N` forms the equations of one chain, moves it for a moment and prints as JSON what
that cost: seconds of CPU to the equations, to the first motion and of one right-hand side, and the largest memory. Of
`pendulum`, where MuJoCo is installed, also what its `mj_forward` of the same chain takes, and how far accelerations
are apart.
"""

from __future__ import annotations

import contextlib
import json
import math
import resource
import sys
import time
from collections.abc import Callable

import numpy as np
import sympy as sp

import dalembert as da
from dalembert.model.space import Space
from dalembert.model.space_factors import angle, line
from dalembert.numerics.machine.batch_calls import map_rows
from dalembert.numerics.run.simulate import prepare
from dalembert.systems import car_with_trailers, wheeled_snake

Chain = tuple[da.System, dict[str, float]]
CALLS, ROUNDS = 200, 7
DEEPEST = 300  # bodies one inside the other, as MuJoCo reads them


def snake(n: int) -> Chain:
    """The wheeled snake: n linear constraints on n + 2 velocities."""
    bends = {f"theta{i}": 0.2 * math.sin(i) for i in range(1, n + 1)}
    return wheeled_snake.system(n), {"x": 0.0, "y": 0.0, "vx": 0.9, "omega1": 0.3, **bends}


def car(n: int) -> Chain:
    """A car with n - 1 trailers."""
    system = car_with_trailers.system(n - 1)
    bends = {f"theta{i}": 0.2 * math.sin(i) for i in range(n)}
    return system, {"x": 0.0, "y": 0.0, "vx": 0.8, "omega0": 0.4, **bends}


def pendulum(n: int) -> Chain:
    """n pendulums in absolute angles, free: the mass matrix is dense."""
    space = Space.product(*(angle(f"theta{i}") for i in range(1, n + 1)))
    angles = [space[f"theta{i}"] for i in range(1, n + 1)]
    rate = [space[f"vtheta{i}"] for i in range(1, n + 1)]
    across: list[sp.Expr] = []
    down: list[sp.Expr] = []
    terms: list[sp.Expr] = []
    for a, w in zip(angles, rate, strict=True):
        across.append(w * sp.cos(a))
        down.append(w * sp.sin(a))
        terms.append((sp.Add(*across) ** 2 + sp.Add(*down) ** 2) / (2 * n))
    weight = sp.Add(*((n - i) * sp.cos(a) for i, a in enumerate(angles))) * sp.Float(9.81) / n
    start = {f"theta{i}": 0.3 * math.sin(i) for i in range(1, n + 1)} | {f"vtheta{i}": 0.5 for i in range(1, n + 1)}
    return da.System(space, sp.Add(*terms) + weight, limits=_limits(n)), start


def beads(n: int) -> Chain:
    """n beads on a springy beam: each pulls at its neighbours and resists bending."""
    axes = [f"{axis}{i}" for i in range(1, n + 1) for axis in "xy"]
    space = Space.product(*map(line, axes))
    x, y = ([space[f"{axis}{i}"] for i in range(1, n + 1)] for axis in "xy")
    kinetic = sp.Add(*(space[f"v{name}"] ** 2 / 2 for name in axes))
    ends = range(n - 1)
    pull = sp.Add(*(50 * (sp.sqrt((x[i + 1] - x[i]) ** 2 + (y[i + 1] - y[i]) ** 2) - 1) ** 2 for i in ends))
    bend = sp.Add(*(5 * (c[i + 2] - 2 * c[i + 1] + c[i]) ** 2 for c in (x, y) for i in range(n - 2)))
    start = {f"x{i}": 1.01 * i for i in range(1, n + 1)} | {f"y{i}": 0.1 * math.sin(i) for i in range(1, n + 1)}
    start |= {f"v{name}": 0.1 for name in axes}
    return da.System(space, kinetic - pull - bend, limits=_limits(2 * n)), start


def _limits(n: int) -> dict[str, int]:
    return {"coordinates": max(64, n), "operations": max(2000, 64 * n)}


CHAINS: dict[str, Callable[[int], Chain]] = {"snake": snake, "car": car, "pendulum": pendulum, "beads": beads}


def measured(name: str, n: int) -> dict[str, float]:
    """What one chain costs: `equations`, `motion` and `rhs` in seconds of CPU, `memory` in GiB, `operations`."""
    began = time.process_time()
    system, given = CHAINS[name](n)
    equations = da.nonholonomic(system)
    formed = time.process_time()
    path = da.simulate(equations, given, until=1e-3, rtol=1e-9)
    moved = time.process_time()
    field = prepare(equations, given, until=1e-3).field
    Y = np.tile(field.first, (CALLS, 1))
    rates = np.empty((CALLS, Y.shape[1] + 1))
    rounds = []
    for _ in range(ROUNDS):
        again = time.process_time()
        map_rows(field.kernel.rhs, np.zeros(CALLS), Y, field.p, rates)
        rounds.append(time.process_time() - again)
    return {
        "equations": formed - began,
        "motion": moved - formed,
        "rhs": min(rounds) / CALLS,
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20,
        "operations": float((field.lean or equations).operations()["total"]),
        "ok": float(path.ok),
    }


def forward(n: int, angles: np.ndarray, rates: np.ndarray) -> tuple[float, np.ndarray]:
    """Seconds of MuJoCo's `mj_forward` of the pendulums, and their accelerations (n,); angles are absolute."""
    import mujoco

    inner = ""
    for i in range(n, 0, -1):
        place = "0 0 0" if i == 1 else "0 0 -1"
        mass = f'<inertial pos="0 0 -1" mass="{1 / n}" diaginertia="1e-9 1e-9 1e-9"/>'
        inner = f'<body pos="{place}"><joint type="hinge" axis="0 -1 0"/>{mass}{inner}</body>'
    model = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{inner}</worldbody></mujoco>")
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = np.diff(angles, prepend=0.0), np.diff(rates, prepend=0.0)
    rounds = []
    for _ in range(ROUNDS):
        again = time.process_time()
        for _ in range(CALLS):
            mujoco.mj_forward(model, data)
        rounds.append(time.process_time() - again)
    return min(rounds) / CALLS, np.cumsum(data.qacc)


def compared(n: int) -> dict[str, float]:
    """Of n pendulums, beside MuJoCo."""
    system, given = CHAINS["pendulum"](n)
    equations = da.nonholonomic(system)
    names = [f"theta{i}" for i in range(1, n + 1)]
    seconds, other = forward(n, *(np.array([given[f"{v}{name}"] for name in names]) for v in ("", "v")))
    own = equations.evaluate(equations.start(given))["accelerations"]
    apart = max(abs(own[f"v{name}"] - a) for name, a in zip(names, other, strict=True))
    return {"mj_forward": seconds, "apart": float(apart / max(map(abs, own.values())))}


if __name__ == "__main__":
    found = measured(sys.argv[1], int(sys.argv[2]))
    with contextlib.suppress(ImportError):
        found |= compared(int(sys.argv[2])) if sys.argv[1] == "pendulum" and int(sys.argv[2]) <= DEEPEST else {}
    print(json.dumps(found))
