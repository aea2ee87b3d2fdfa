"""A zero of the end map made precise: the curve, what is singular about it, and the `Extremal` that is handed out."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...calculus.rank import rank_of
from ...equations import Numbers, Start
from ...equations.check import spectrum
from ...errors import DalembertError, DalembertWarning, InvalidValue
from ...trajectory import Trajectory
from ..policy import Policy
from ..run.simulate import simulate
from . import made_again
from .action import action
from .collocation import Checked, check, sizes_of
from .conjugate import Spread, conjugate, grid, spread
from .extremals import Extremal
from .flight import Flight, Smooth
from .newton import ROUNDING, descend
from .on_the_way import KEPT
from .setting import Setting
from .shooting import Shooting, Shot

MET = 1e-8  # what may be missed after polishing, in scales
SAME = 1e-6  # difference of positions, in how far they go, below which two curves are one
EQUAL = 1e-9  # difference of the actions of one family, relative to the integral of |L|
SINGULAR, LOOKS = 1e-7, 12  # singular values of the end map below this part of the largest along the curve are 0
MOVED = 1e-6  # positions that move less than this, in scales, do not move
HAIR = 1e-6  # how far beside a curve others are looked at, in scales
ASIDE = 0.05  # how far along a family its next member is sought, in scales
POLISHING, ALONG = 12, 30  # motions


@dataclass(frozen=True, eq=False)
class Curve:
    """A curve between the ends.

    Attributes:
        shot: the motion that makes it.
        flight: its motion.
        seen: how neighbouring motions spread.
        action: the action.
        size: the integral of |L|.
        rank: of the end map's derivative.
        idle: names of unknowns that the ends leave open and on which the curve does not depend.
        degenerate: does the end map's derivative vanish along a direction that moves the curve?
        family: does such a direction lead to other curves with the same ends?
        beside: what motions right beside it meet that it does not.
    """

    shot: Shot
    flight: Flight
    seen: Spread
    action: float
    size: float
    rank: int
    idle: tuple[str, ...]
    degenerate: bool
    family: bool
    beside: str


def polished(setting: Setting, shot: Shot, coarse: Policy, fine: Policy, known: Sequence[Curve]) -> Curve | None:
    """The curve from a point near the right one, or the known one that it is; None where it is not met after all."""
    problem = setting.problem
    best = descend(problem, shot.point, fine, ROUNDING, POLISHING)
    if best is None or best.size > MET:
        return None
    for other in known:
        if np.linalg.norm((best.point - other.shot.point) / problem.scale) < SAME:
            return other
    flight, t = problem.launch(best.point, fine)[0], grid(problem)
    carried = flight.at(t)
    if carried is None:
        return None
    seen = spread(problem, t, *carried)
    found, size = action(problem, flight)
    if not np.isfinite(found):
        return None
    rank, silent, moving = _null(best, seen, _largest(problem, *carried))
    idle = _names(setting, best, silent)
    family = moving.shape[1] > 0 and _continues(setting, best, moving[:, 0], coarse)
    beside = problem.beside(best, fine, HAIR)
    return Curve(best, flight, seen, found, size, rank, idle, moving.shape[1] > 0, family, beside)


def _largest(problem: Shooting, y: np.ndarray, S: np.ndarray) -> float:
    """The largest singular value that the end map's derivative has at some times along the curve."""
    every = slice(None, None, max(1, len(y) // LOOKS))
    return max(float(np.linalg.norm(problem.end.missed(*at)[1], 2)) for at in zip(y[every], S[every], strict=True))


def _null(shot: Shot, seen: Spread, largest: float) -> tuple[int, np.ndarray, np.ndarray]:
    """Rank of J, and directions of its null space: those that leave the curve as it is, and those that move it."""
    _, s, V = np.linalg.svd(shot.J)
    rank = int((s > SINGULAR * largest).sum())
    null = V[rank:].T
    if not null.shape[1]:
        return rank, null, null
    # all positions of the curve, moved along the null directions
    moved = (seen.moved @ null).reshape(-1, null.shape[1])
    _, size, W = np.linalg.svd(moved, full_matrices=False)
    count = int((size > MOVED * np.sqrt(len(seen.t))).sum())
    return rank, null @ W[count:].T, null @ W[:count].T


def _names(setting: Setting, shot: Shot, silent: np.ndarray) -> tuple[str, ...]:
    """Which unknowns take part in directions that leave the curve as it is."""
    part = np.abs(shot.basis @ silent).max(axis=1, initial=0.0) / setting.problem.scale
    return tuple(n for n, p in zip(setting.problem.names, part, strict=True) if p > 1e-6)


def _continues(setting: Setting, shot: Shot, direction: np.ndarray, policy: Policy) -> bool:
    """Is there another zero of the end map to the side?"""
    problem = setting.problem
    way = ASIDE * (1 + float(np.linalg.norm(shot.point / problem.scale)))
    aside = problem.settled(shot.point + way * (shot.basis @ direction))
    found = None if aside is None else descend(problem, aside, policy, 1e-8, ALONG)
    if found is None or found.size > 1e-7:
        return False
    gone = (found.point - shot.point) / problem.scale @ (shot.basis @ direction / problem.scale)
    return bool(abs(gone) > way / 2)


def same(problem: Shooting, one: Curve, other: Curve) -> bool:
    """Are two curves one, or of one family and one action?"""
    n = len(problem.equations.space.coordinates)
    a, b = one.seen.y[:, :n], other.seen.y[:, :n]
    # where zeros are multiple, as where the ends coincide, they are known to half the digits only
    size = np.maximum(sizes_of(problem, np.vstack([a, b])), problem.way)
    if np.all(np.abs(a - b) <= SAME * size):
        return True
    # the action changes with the end
    missed = 10 * (one.shot.size + other.shot.size)
    near = abs(one.action - other.action) <= (EQUAL + missed) * max(one.size, other.size)
    return one.family and other.family and near


def finish(curve: Curve, setting: Setting, policy: Policy, wanted: bool) -> Extremal | DalembertError:
    """The extremal: start, path, conjugate points and the second route; or why it cannot be run after all."""
    problem = setting.problem
    unknowns = _unknowns(setting, curve.shot)
    try:
        start = _start(setting, curve.shot, unknowns)
        path = _run(problem, start, policy)
    except DalembertError as error:
        return error
    if not path.reached:
        return InvalidValue("E334", "a motion that meets the end cannot be run again", "another start", str(path))
    times = _conjugate(curve, setting)
    index = len(times) if times is not None and _has_index(setting, curve.shot) else None
    checked = _checked(problem, curve, start, policy, path) if wanted else None
    residual = problem.end.distance(path.y[:, -1])
    return Extremal(
        start, unknowns, curve.action, path, residual, times, index, checked, curve.family, curve.degenerate
    )


def _run(problem: Shooting, start: Start, policy: Policy) -> Trajectory:
    """The path from a start."""
    if problem.met is not None:
        return problem.met.run(start, problem.end.t, policy)
    return simulate(problem.equations, start, until=problem.end.t, **{n: getattr(policy, n) for n in KEPT})


def _checked(problem: Shooting, curve: Curve, start: Start, policy: Policy, path: Trajectory) -> Checked:
    """The second route."""
    found = curve.action, curve.size
    if isinstance(curve.flight, Smooth):
        return check(problem, curve.flight.field, curve.shot, curve.rank, path, found)
    assert problem.met is not None
    return made_again.check(problem, problem.met, start, policy, path, found)


def _conjugate(curve: Curve, setting: Setting) -> tuple[float, ...] | None:
    """Times of conjugate points, None where they are not looked for or cannot be told."""
    if not (isinstance(curve.flight, Smooth) and _seen_whole(setting)):
        return None
    return conjugate(setting.problem, curve.flight, curve.seen)


def _seen_whole(setting: Setting) -> bool:
    """Do the coordinates show every velocity (the spin of a direction they do not)?"""
    space = setting.problem.equations.space
    return rank_of(np.array(space.anchor.subs(setting.problem.end.somewhere), float)) == len(space.velocities)


def _unknowns(setting: Setting, shot: Shot) -> dict[str, float]:
    """Velocities that are independent at the start, by pivoted QR of the constraints' normals, and multipliers."""
    problem = setting.problem
    normals = problem.normals(shot.point) * problem.scale
    rank = rank_of(normals)
    dependent: set[int] = set()
    if rank:
        import scipy.linalg

        rows = normals / np.linalg.norm(normals, axis=1, keepdims=True).clip(1e-300)
        dependent = {int(i) for i in scipy.linalg.qr(rows, pivoting=True, mode="r")[1][:rank]}
    return {n: float(shot.point[i]) for i, n in enumerate(problem.names) if i not in dependent}


def _start(setting: Setting, shot: Shot, unknowns: dict[str, float]) -> Start:
    """The start, completed from what was given and what was found."""
    problem = setting.problem
    values: dict[str, Any] = {**setting.given, **unknowns}
    if any(c.kind == "nonlinear" for c in problem.equations.constraints):
        values |= dict(zip(problem.names, map(float, shot.point), strict=True))
    with warnings.catch_warnings():  # doubts stay among the start's notes
        warnings.simplefilter("ignore", DalembertWarning)
        start = problem.equations.start(**values, t=problem.t, parameters=problem.parameters)
    hidden = () if problem.met is None else problem.met.steering.coefficients
    return replace(start, parameters={n: v for n, v in start.parameters.items() if n not in hidden})


def _has_index(setting: Setting, shot: Shot) -> bool:
    """Are the ends whole, is the action stationary without forces, and L* convex in the velocities allowed?"""
    problem = setting.problem
    system = problem.equations.system
    if not (setting.whole and setting.variational) or any(force != 0 for force in system.forces):
        return False
    numbers = Numbers.of(problem.equations.machine.form, problem.values(shot.point))
    found = spectrum(numbers.W, numbers.N)[0]
    return bool(len(found) and found[0] > 0)
