"""Is the motion determined at a state? Ranks and signs of the saddle system, with names for what is wrong."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import Any

import numpy as np

from ..calculus.frame import TIME
from ..calculus.graph import Node, evaluate, sqrt
from ..calculus.read import read
from ..errors import Singular
from .finite import require
from .form import Numbers

RANK_TOLERANCE = 1e-10


def check_determined(equations: Any, values: Mapping[str, float]) -> None:
    """Refuse a state at which the accelerations are not determined.

    Raises:
        Singular: E121 constraints lose rank here; E108 negative kinetic energy; E237 the chart or the Lagrangian is
            singular
            here; E126 the bordered matrix is singular (multipliers as states); E401/E402 something is not finite.
    """
    machine = equations.machine
    _check_rest(equations, values)
    require([*machine.form.entries, *machine.qdot, machine.energy], values, f"at t = {values[TIME.name]:g}")
    numbers = Numbers.of(machine.form.rows(equations.kept), values)
    where = f"at t = {values[TIME.name]:g}"
    rank = rank_of(numbers.N)
    if rank < len(equations.kept):
        names = [equations.constraints[i].name for i in equations.kept]
        raise Singular(
            "E121",
            f"the constraints {', '.join(names)} have rank {rank} instead of {len(names)} {where}: "
            "the motion is not determined",
            "start from another state nearby, or give an equivalent set of constraints whose rank does not drop here",
        )
    W = admissible(numbers.W, numbers.N)
    if equations.states_of_multipliers:
        _check_bordered(equations, numbers, where)
    else:
        _check_kinetic(equations, W, numbers, where)


def _check_rest(equations: Any, values: Mapping[str, float]) -> None:
    """E129: a friction law that has no direction at rest, started at rest."""
    for name, speed in slip_speeds(equations).items():
        if float(evaluate([speed], values)[0]) == 0:
            raise Singular(
                "E129", f"{name} has no direction at the start: the slip is 0", "start with a slip, or leave it out"
            )


def slip_speeds(equations: Any) -> dict[str, Node]:
    """|v| of each friction law that has no direction at v = 0, by the law's name."""
    graph = equations.machine.graph
    return {
        name: sqrt(reduce(lambda a, b: a + b, (read(v, graph) ** 2 for v in slip)))
        for name, slip in equations.system.rest.items()
    }


def rank_of(N: np.ndarray) -> int:
    """Numerical rank of the rows, each scaled to its own length; a row is 0 only relative to the largest."""
    if not N.size:
        return 0
    length = np.linalg.norm(N, axis=-1, keepdims=True)
    if not np.all(length > 1e-12 * max(1.0, float(length.max()))):
        N = N[length[:, 0] > 1e-12 * max(1.0, float(length.max()))]
        return rank_of(N) if N.size else 0
    return int(np.sum(np.linalg.svd(N / length, compute_uv=False) > RANK_TOLERANCE))


def null_space(N: np.ndarray) -> np.ndarray:
    """Columns spanning the velocities with N u = 0."""
    k = N.shape[-1]
    return np.linalg.svd(N)[2][rank_of(N) :].T if N.size else np.eye(k)


def admissible(W: np.ndarray, N: np.ndarray) -> np.ndarray:
    """W restricted to the velocities that the constraints allow."""
    Z = null_space(N)
    return np.asarray(Z.T @ W @ Z)


def _check_bordered(equations: Any, numbers: Numbers, where: str) -> None:
    K = numbers.bordered
    scale = np.abs(K).max(axis=1, keepdims=True)
    if not np.all(scale > 0) or np.linalg.cond(K / scale) > 1e13:
        names = ", ".join(c.name for c in equations.constraints)
        raise Singular(
            "E126",
            f"the multipliers' rates are not determined {where}: the bordered matrix of {names} is singular",
            "choose other initial multipliers or another start",
        )


def _check_kinetic(equations: Any, W: np.ndarray, numbers: Numbers, where: str) -> None:
    if not W.size:
        return
    eigenvalues, vectors = np.linalg.eigh((W + W.T) / 2)
    scale = float(np.abs(numbers.W).max())
    direction = null_space(numbers.N) @ vectors[:, 0]
    u = {
        s.name: round(float(d), 6) + 0.0
        for s, d in zip(equations.space.velocities, direction, strict=True)
        if abs(d) > 1e-9
    }
    shown = ", ".join(f"{n} = {d:g}" for n, d in u.items())
    if eigenvalues[0] < -RANK_TOLERANCE * scale:
        raise Singular(
            "E108", f"the kinetic energy is negative for the velocity ({shown}) {where}", "check the signs in L"
        )
    if eigenvalues[0] <= 1e-13 * scale:
        raise Singular(
            "E237",
            f"the velocity ({shown}) carries no kinetic energy {where}, though it does elsewhere: "
            "the chart is singular here",
            "use coordinates that are regular here, for example da.rotation for an attitude",
        )
