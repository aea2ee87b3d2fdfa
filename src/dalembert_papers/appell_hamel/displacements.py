"""The constraints (1) to (3), and what Chetaev's model is in general, (30) to (32) of [xu2007], along runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache

import numpy as np
import sympy as sp

from dalembert import nonholonomic, satisfies, simulate
from dalembert.calculus.from_sympy import read
from dalembert.calculus.graph import Graph, evaluate
from dalembert.equations import Equations
from dalembert.methods import Drift
from dalembert.principles.satisfies import Satisfied
from dalembert.trajectory import Trajectory

from ..claim import Claim, Group, said, small
from . import given
from .given import BLADE, CONE, a, b, cos, sin, vphi, vx, vy, vz

UNTIL, KEPT, ALONG = 2.0, 1e-9, 1e-6  # s; what a run leaves that nothing holds; of a path differentiated
PLACE = {"x": 0.0, "y": 0.0, "z": 1.0, "theta": 0.3, "omega": 0.8}
# (1) to (3) as printed, right side brought to the left
PRINTED = {"(1)": vx * sin - vy * cos, "(2)": vx * cos + vy * sin - a * vphi, "(3)": vz + b * vphi}


def _run(equations: Equations, **start: float) -> Trajectory:
    """A run that no projection holds on the constraints."""
    return simulate(equations, {**PLACE, **start}, until=UNTIL, rtol=1e-13, stabilisation=Drift())


def _largest(expressions: Sequence[sp.Expr], path: Trajectory) -> list[float]:
    known = {**given.VALUES, **path.at(np.linspace(0.0, UNTIL, 41))}
    graph = Graph()
    return [float(np.abs(each).max()) for each in evaluate([read(e, graph) for e in expressions], known)]


def linear() -> Iterator[Claim]:
    """(1) to (3), kept by the equations alone."""
    path = _run(nonholonomic(given.linear()), phi=0.0, vz=-0.4)
    for where, off in zip(PRINTED, _largest(list(PRINTED.values()), path), strict=True):
        yield small(where, f"kept for {UNTIL:g} s by the equations alone", off, KEPT, what="m/s")


@cache
def chetaev() -> tuple[Equations, Trajectory, Satisfied]:
    """The machine with (1) and (4): its equations, a run, and what the run satisfies."""
    system = given.quadratic()
    equations = nonholonomic(system)
    path = _run(equations, vx=0.8 * np.cos(0.3), vy=0.8 * np.sin(0.3), vz=-0.4)
    return equations, path, satisfies(system, path)


def condition() -> Iterator[Claim]:
    """(30) to (32): the constraints, the displacements that they allow, the multipliers."""
    equations, path, found = chetaev()
    off = max(_largest([BLADE, CONE], path))
    yield small("(4), (30)", "f_1, f_2 = 0 for (1), (4), by the equations alone", off, KEPT)
    (off,) = _largest([vz + b / a * sp.sqrt(vx**2 + vy**2)], path)
    yield small("(5)", "a wheel that began forwards stays on this root of (4)", off, KEPT, what="m/s")
    for statement, displacement, allowed in DISPLACEMENTS:
        change = found.varied(displacement)
        size = max(change.virtual.values())
        right = change.is_virtual == change.does_no_work == allowed
        text = f"df/dqdot dq = {size:.1e}, work {change.work:.1e}"
        yield said("(31)", f"{statement}: {'virtual, without' if allowed else 'not virtual, with'} work", right, text)
    yield small("(32)", "EL(L) - Q = lambda_j df_j/dqdot along the run", found.nonholonomic.residual, ALONG)
    # the multipliers of the equations, state by state, against those that fit the curve
    lam = equations.accelerations({**given.VALUES, **path.at(found.t), "t": found.t})[1]
    fitted = np.array(list(found.nonholonomic.multipliers.values())).T
    yield small("(32)", "with the multipliers of the equations", float(np.abs(lam - fitted).max()), ALONG)


DISPLACEMENTS: tuple[tuple[str, Mapping[str, object], bool], ...] = (
    ("along the track, the block sinking", {"x": cos, "y": sin, "z": -b / a}, True),
    ("a turn on the spot, which (1) does not keep", {"theta": 1}, True),
    ("to the side", {"x": -sin, "y": cos}, False),
    ("the block alone", {"z": 1}, False),
)

GROUPS: tuple[Group, ...] = (linear, condition)
