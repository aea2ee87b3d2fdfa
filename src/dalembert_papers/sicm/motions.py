"""What the motions say: lam(0) belongs to the start of (1.240), and the two sets have different solutions.

Multipliers have the notes' sign here: L + lam psi, so that lam is minus the library's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import sympy as sp
from scipy.integrate import simpson

from dalembert import nonholonomic, vakonomic
from dalembert.calculus.frame import TIME
from dalembert.equations import Equations
from dalembert.trajectory import Trajectory

from ..claim import Claim, Group
from ..runs import refusal
from ..runs import run as run_from
from .examples import (
    Example,
    circle,
    growing_ring,
    knife_edge,
    nonholonomic_examples,
    particle,
    particle_path,
)

UNTIL, SAMPLES = 3.0, 301
SAME = 1e-9  # of lengths about 1, over 3 units of time at a tolerance of 1e-12 per step
QUADRATURE = 1e-7  # Simpson's rule with steps of 0.01
ROUNDING = 1e-11  # of accelerations about 1
LAMBDAS = (0.0, 1.0, 2.0)
STATES = 40


@cache
def equations(example: Example) -> tuple[Equations, Equations]:
    """(1.231) and (1.240)."""
    return nonholonomic(example.system), vakonomic(example.system)


def run(example: Example, lam: float | None = None) -> Trajectory:
    """The motion by (1.231), or by (1.240) with this lam(0)."""
    first, second = equations(example)
    t = np.linspace(0.0, UNTIL, SAMPLES)
    if lam is None:
        return run_from(first, example.start, UNTIL, t)
    return run_from(second, {**example.start, "lam_psi": -lam}, UNTIL, t)


def distance(a: Trajectory, b: Trajectory, names: Sequence[str]) -> float:
    """Largest distance between two paths, over the coordinates of these names."""
    gap = np.array([a[name] - b[name] for name in names])
    return float(np.sqrt((gap**2).sum(axis=0)).max())


# --- the start -------------------------------------------------------------------------------------------------------


def starts() -> Iterator[Claim]:
    """q, Dq and psi = 0 complete the start of (1.231), not that of (1.240)."""
    for example in (*nonholonomic_examples(), growing_ring()):
        first, second = equations(example)
        given = "q, Dq and psi = 0 determine the start"
        for where, each, start, expected in (
            ("(1.231)", first, example.start, True),
            ("(1.240)", second, example.start, False),
            ("(1.240)", second, {**example.start, "lam_psi": 0.5}, True),
        ):
            refused = refusal(each, start)
            statement = f"{example.name}: {given}" + (", with lam(0)" if "lam_psi" in start else "")
            text = f"refused, {refused.code}" if refused else "accepted"
            key = where == "(1.240)" and example.name == "knife edge"
            yield Claim(where, statement, expected, text, not refused, key)


# --- accelerations at random states ----------------------------------------------------------------------------------


class Gap(NamedTuple):
    """At one state: a_1.240 - a_1.231, the same by the formula, and how far lam E[psi] is from parallel to G1."""

    found: np.ndarray
    formula: np.ndarray
    minors: float


def accelerations() -> Iterator[Claim]:
    """The accelerations of (1.240) and (1.231) differ by -lam W^-1 (E[psi] - c G1), 0 only where they are parallel."""
    for example in nonholonomic_examples():
        gaps = [gap(example, state, lam) for state, lam in states(example)]
        error = max(float(np.abs(g.found - g.formula).max()) for g in gaps)
        where = "(1.231), (1.240)"
        statement = f"{example.name}: a_1.240 - a_1.231 = -lam W^-1 (E[psi] - c G1) at {STATES} states"
        yield Claim(where, statement, True, f"up to {error:.1e} off", error <= ROUNDING)
        zero = gap(example, states(example)[0][0], 0.0)
        stands = gap(example, example.standing, 1.5)
        table = [*gaps, zero, stands]
        same = [bool(np.abs(g.found).max() <= ROUNDING) for g in table]
        parallel = [g.minors <= ROUNDING for g in table]
        statement = f"{example.name}: equal exactly where lam E[psi] is parallel to G1"
        text = f"{sum(same)} of {len(table)} states equal, {sum(parallel)} parallel"
        holds = same == parallel and True in same and False in same
        yield Claim(where, statement, True, text, holds, example.name == "knife edge")


def states(example: Example) -> list[tuple[dict[str, Any], float]]:
    """Random states on the constraint, and values of lam, all different from 0."""
    draw = np.random.default_rng(4)
    return [
        ({name: float(draw.uniform(0.3, 1.3)) for name in example.start}, float(draw.uniform(0.5, 2.0)))
        for _ in range(STATES)
    ]


def gap(example: Example, state: Mapping[str, Any], lam: float) -> Gap:
    """Both accelerations at a state, and what the formula says of them."""
    first, second = equations(example)
    start = second.start(**state, lam_psi=-lam)
    own = {name: start[name] for name in first.states}
    a = first.evaluate(own)["accelerations"]
    b = second.evaluate(start)["accelerations"]
    values = {**start, **start.parameters, TIME.name: start.t}
    W, G1, E = (_numbers(matrix, values) for matrix in parts(example))
    G1, E = G1[:, 0], E[:, 0]
    # c = G1 W^-1 E[psi] / (G1 W^-1 G1), so that G1 (a_1.240 - a_1.231) = 0
    c = G1 @ np.linalg.solve(W, E) / (G1 @ np.linalg.solve(W, G1))
    formula = -lam * np.linalg.solve(W, E - c * G1)
    minors = float(np.abs(lam * (np.outer(G1, E) - np.outer(E, G1))).max())
    return Gap(np.array([b[v] - a[v] for v in a]), formula, minors)


@cache
def parts(example: Example) -> tuple[sp.Matrix, sp.Matrix, sp.Matrix]:
    """W, G1 and E[psi] as expressions."""
    p = example.path
    return sp.hessian(example.system.lagrangian, list(p.v)), p.d2(example.psi), p.E(example.psi)


def _numbers(matrix: sp.Matrix, values: Mapping[str, float]) -> np.ndarray:
    """A matrix of expressions where the symbols of these names have these values."""
    return np.array(matrix.subs({s: values[s.name] for s in matrix.free_symbols}), float)


# --- motions ---------------------------------------------------------------------------------------------------------


def closed_forms() -> Iterator[Claim]:
    """(1.231) against closed solutions, and (1.240) against its conserved momenta."""
    edge, bead = run(knife_edge()), run(particle())
    error = max(np.abs(edge[n] - e).max() for n, e in zip("xy", circle(edge.t), strict=True))
    yield Claim("(1.231)", "knife edge: a circle", True, f"up to {error:.1e} off", bool(error <= SAME))
    error = max(np.abs(bead[n] - e).max() for n, e in zip("xz", particle_path(bead.t), strict=True))
    statement = "particle: x = asinh t, z = sqrt(1 + t^2)"
    yield Claim("(1.231)", statement, True, f"up to {error:.1e} off", bool(error <= SAME))
    path = run(knife_edge(), 1.0)
    # L' = L + lam psi holds neither x nor y: xdot + lam sin(theta) and ydot - lam cos(theta) are constant
    lam = -path["lam_psi"]
    momenta = path["vx"] + lam * np.sin(path["theta"]), path["vy"] - lam * np.cos(path["theta"])
    change = max(float(np.ptp(each)) for each in momenta)
    statement = "knife edge: xdot + lam sin(theta), ydot - lam cos(theta) are constant"
    yield Claim("(1.240)", statement, True, f"change up to {change:.1e}", change <= SAME)


@cache
def family(name: str) -> dict[float | None, Trajectory]:
    """The motions of an example from one start, under (1.231) (None) and under (1.240) with three lam(0)."""
    (example,) = (each for each in (*nonholonomic_examples(), growing_ring()) if each.name == name)
    return {lam: run(example, lam) for lam in (None, *LAMBDAS)}


def coordinates_of(example: Example) -> list[str]:
    """The names of the coordinates."""
    return [q.name for q in example.system.space.coordinates]


def initial_value() -> Iterator[Claim]:
    """Not integrable: each lam(0) has a motion of its own, and none is that of (1.231).

    At the start E[psi] is not parallel to G1, so that only lam(0) = 0 gives the accelerations of (1.231); it does not
    stay 0, as Dlam is -lam_1.231 there.
    """
    for example in nonholonomic_examples():
        names, paths = coordinates_of(example), family(example.name)
        apart = distance(paths[0.0], paths[1.0], names)
        key = example.name == "knife edge"
        statement = f"{example.name}: lam(0) = 0 and 1 give one motion"
        yield Claim("(1.240)", statement, False, f"{apart:.3g} apart by t = {UNTIL:g}", apart <= SAME, key)
        yield _left(example, key)


def _left(example: Example, key: bool) -> Claim:
    """No lam(0) gives the motion of (1.231)."""
    first, second = equations(example)
    none, one = (float(np.abs(gap(example, example.start, lam).found).max()) for lam in (0.0, 1.0))
    # lam = -lam_psi
    rate = -second.evaluate(second.start(**example.start, lam_psi=0.0))["multiplier_rates"]["lam_psi"]
    reaction = first.evaluate(first.start(**example.start))["multipliers"]["lam_psi"]
    statement = f"{example.name}: lam(0) = 0 alone has the accelerations of (1.231), and leaves 0 by Dlam = -lam_1.231"
    text = f"{none:.2g} apart, with lam = 1 {one:.3g}; Dlam = {rate:.6g}, lam_1.231 = {reaction:.6g}"
    leaves = abs(rate + reaction) <= ROUNDING < abs(reaction)
    return Claim("(1.231), (1.240)", statement, True, text, none <= ROUNDING < one and leaves, key)


def exact_constraint() -> Iterator[Claim]:
    """psi = DF: every lam(0) gives the motion of (1.231), and lam_1.231 = -D lam_1.240."""
    example = growing_ring()
    names, paths = coordinates_of(example), family(example.name)
    apart = max(distance(paths[None], paths[lam], names) for lam in LAMBDAS)
    statement = f"{example.name}: lam(0) = 0, 1, 2 all give the motion of (1.231)"
    yield Claim("psi = DF", statement, True, f"{apart:.1e} apart", apart <= SAME, key=True)
    # lam_1.240(T) - lam_1.240(0) = -integral of lam_1.231 over [0, T]
    lam = -paths[1.0]["lam_psi"]
    gained, reaction = float(lam[-1] - lam[0]), float(simpson(paths[None]["lam_psi"], x=paths[None].t))
    off = abs(gained + reaction)
    text = f"lam gains {gained:.6g}, off by {off:.1e}"
    yield Claim("psi = DF", f"{example.name}: lam_1.231 = -D lam_1.240, integrated", True, text, off <= QUADRATURE)


def distances() -> Iterator[tuple[str, ...]]:
    """For each example its name and how far the motions of (1.240) are from that of (1.231), as text."""
    for example in (*nonholonomic_examples(), growing_ring()):
        paths, names = family(example.name), coordinates_of(example)
        yield (example.name, *(f"{distance(paths[None], paths[lam], names):.2g}" for lam in LAMBDAS))


def standing() -> Iterator[Claim]:
    """Where E[psi] is parallel to G1 for all time: the edge at rest stays there for every lam(0)."""
    example = knife_edge()
    _, second = equations(example)
    path = run_from(second, {**example.standing, "lam_psi": -1.5}, UNTIL)
    moved = max(float(np.ptp(path[name])) for name in coordinates_of(example))
    yield Claim("(1.240)", "knife edge at rest, lam(0) = 1.5: stays", True, f"moved {moved:.1e}", moved <= SAME)


GROUPS: tuple[Group, ...] = (
    starts,
    accelerations,
    closed_forms,
    initial_value,
    exact_constraint,
    standing,
)
