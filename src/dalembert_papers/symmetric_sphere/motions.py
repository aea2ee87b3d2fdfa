"""The sphere run: in full, reduced to S^2 and reconstructed, from K alone, and between two rough walls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

from dalembert import free, reconstruct, reduced_start, simulate
from dalembert.calculus.from_sympy import read
from dalembert.calculus.graph import Graph, evaluate
from dalembert.geometry.reduction import Reduction
from dalembert.impacts import walls
from dalembert.systems import symmetric_sphere as machine
from dalembert.trajectory import Trajectory

from ..claim import Claim, Group, said
from . import given

ROLLING, BETWEEN = 15.0, 14.0  # s
LENGTH = 2.0  # between the two walls, the room of the point of contact
SAME = 1e-9  # the integrator's tolerance is 1e-12, and errors grow with the time
TIGHT: dict[str, Any] = {"rtol": 1e-12, "atol": 1e-14}
SAMPLES = 401
E = 0.5  # of the inelastic run


# --- runs ------------------------------------------------------------------------------------------------------------


@cache
def full() -> Trajectory:
    """The sphere on the plane."""
    return simulate(given.whole(), given.whole().start(**machine.START), until=ROLLING, **TIGHT)


@cache
def reconstructed() -> Trajectory:
    """The sphere on the plane from the motion of (z, w) over S^2: x, y by quadrature, A by integration."""
    return _back(given.reduced(), ROLLING)


def specified() -> dict[str, dict[str, Any]]:
    """The two walls."""
    return {"right": machine.RIGHT, "left": machine.left(LENGTH)}


@cache
def bouncing() -> Trajectory:
    """The sphere between two rough walls."""
    start = given.whole().start(**machine.START)
    return simulate(given.whole(), start, until=BETWEEN, events=walls(given.system(), specified()), **TIGHT)


@cache
def bounced_back() -> Trajectory:
    """The sphere between walls from the motion of (x, y, z, w), in which the walls act as well."""
    return _back(given.reduced_beside_walls(), BETWEEN, specified())


def _back(found: Reduction, until: float, given_walls: Mapping[str, Any] | None = None) -> Trajectory:
    start = given.whole().start(**machine.START)
    equations = free(found.system)
    events = walls(found.system, _allowed(found, given_walls)) if given_walls else []
    path = simulate(equations, reduced_start(found, start), until=until, events=events, **TIGHT)
    return reconstruct(found, path, start)


def _allowed(found: Reduction, given_walls: Mapping[str, Any]) -> dict[str, Any]:
    """What the walls impose, in the velocities that are left."""
    there = dict(zip(given.system().space.velocities, found.velocities, strict=True))
    return {
        name: {**each, "constraints": {k: e.xreplace(there) for k, e in each["constraints"].items()}}
        for name, each in given_walls.items()
    }


def apart(first: Trajectory, second: Trajectory, names: Any) -> float:
    """The largest difference of columns at common times."""
    if not (first.ok and second.ok) or first.t[-1] != second.t[-1]:
        return float("inf")
    t = np.linspace(0.0, first.t[-1], SAMPLES)
    one, other = first.at(t), second.at(t)
    return max(float(np.abs(one[n] - other[n]).max()) for n in names)


def axis(columns: Mapping[str, Any]) -> np.ndarray:
    """z along a path, (3, N)."""
    return along(machine.AXIS, columns)


def along(expressions: Any, columns: Mapping[str, Any]) -> np.ndarray:
    """Expressions along a path, (n, N)."""
    graph, values = Graph(), {**given.VALUES, **columns}
    return np.array([evaluate([read(e, graph)], values)[0] for e in expressions], float)


# --- claims ----------------------------------------------------------------------------------------------------------


def reduction() -> Iterator[Claim]:
    """Reduced and reconstructed equals the full run."""
    names = [s.name for s in given.system().space]
    found = apart(full(), reconstructed(), names)
    where, order = "section 3", reconstructed().provenance["order"]
    statement = f"reduced to (z, v0) and reconstructed it is the full motion, {ROLLING:g} s"
    yield said(where, statement, found <= SAME, f"{found:.1e} apart; {order}", key=True)


def by_momentum() -> Iterator[Claim]:
    """zdot = (J(z)^-1 K) x z with a constant K, by SciPy, against the run."""
    t = np.linspace(0.0, ROLLING, SAMPLES)
    columns = full().at(t)
    found = along(machine.K, columns)
    change = float(np.abs(found - found[:, :1]).max())
    yield said(
        "not mentioned", f"K is constant along the run, {ROLLING:g} s", change <= SAME, f"changes by {change:.1e}"
    )
    p, constant = given.VALUES, found[:, 0]
    up = np.array([0.0, 0.0, 1.0])

    def rate(_: float, place: np.ndarray) -> np.ndarray:
        # J = I1 (1 - z z) + I3 z z + M r^2 (1 - e3 e3)
        outer = np.outer(place, place)
        J = p["I1"] * (np.eye(3) - outer) + p["I3"] * outer + p["m"] * p["r"] ** 2 * (np.eye(3) - np.outer(up, up))
        return np.cross(np.linalg.solve(J, constant), place)

    start = axis(columns)[:, 0]
    run = solve_ivp(rate, (0.0, ROLLING), start, "DOP853", t, rtol=1e-12, atol=1e-13)
    off = float(np.abs(run.y - axis(columns)).max())
    yield said("not mentioned", "zdot = (J(z)^-1 K) x z is the motion of z", off <= SAME, f"{off:.1e} apart", key=True)


def bounces() -> Iterator[Claim]:
    """Several bounces between two walls."""
    path = bouncing()
    count = sum(len(marks) for marks in path.marks.values())
    where = "section 4"
    statement = f"{count} elastic bounces between two rough walls keep the energy"
    change = abs(path.audit.energy_change) / path.audit.energy_start
    yield said(where, statement, path.ok and count >= 5 and change <= SAME, f"changes by {change:.1e} of it", key=True)
    names = [s.name for s in given.system().space]
    found = apart(path, bounced_back(), names)
    statement = "the reduced motion with walls, reconstructed, is the same motion"
    yield said(where, statement, found <= SAME, f"{found:.1e} apart", key=True)
    momentum = along(machine.K, path.at(path.t))
    change = float(np.abs(momentum - momentum[:, :1]).max())
    yield said(where, "K is constant across bounces", change <= SAME, f"changes by {change:.2g}", expected=False)
    yield _inelastic()


def _inelastic() -> Claim:
    """Carnot along a run with e = 1/2."""
    start = given.whole().start(**machine.START)
    events = walls(given.system(), specified(), restitution=E)
    path = simulate(given.whole(), start, until=BETWEEN, events=events, **TIGHT)
    lost = sum(_carnot(event.then, path.marks[event.name]) for event in events)
    gap = abs(path.audit.energy_change + lost)
    statement = "with e = 1/2 each bounce takes (1 - e)/(1 + e) T(u1 - u0), Carnot"
    return said("section 4", statement, path.ok and lost > 0 and gap <= SAME, f"{lost:.3g} J lost, off by {gap:.1e}")


def _carnot(then: Any, marks: Any) -> float:
    """sum (1 - e)/(1 + e) T(u1 - u0) over the bounces at one wall."""
    columns = {"t": marks.t, **{n: marks[n] for n in marks.names}}
    names = [u.name for u in given.system().space.velocities]
    change = along([then[n] for n in names], columns) - np.array([columns[n] for n in names])
    energy = along([given.system().lagrangian], columns | dict(zip(names, change, strict=True)))
    return float(energy.sum() * (1 - E) / (1 + E))


def rows() -> Iterator[tuple[str, ...]]:
    """Time, wall, v0 and w3 before and after each bounce."""
    path = bouncing()
    every = sorted((t, name) for name, marks in path.marks.items() for t in marks.t)
    for t, name in every:
        after = path.at(t)
        marks = path.marks[name]
        i = int(np.argmin(np.abs(marks.t - t)))
        before = {n: marks[n][i] for n in marks.names}
        spins = [float(along([machine.SPIN], c)[0]) for c in (before, after)]
        yield (f"{t:.3f}", name, *(f"{s:.4f}" for s in spins), *(f"{c['w3']:.4f}" for c in (before, after)))


GROUPS: tuple[Group, ...] = (reduction, by_momentum, bounces)
