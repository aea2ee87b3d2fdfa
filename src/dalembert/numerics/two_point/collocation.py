"""The second route: the whole boundary value problem by collocation [kierzenka2001], from a coarse guess of the curve.

Right-hand side and ends are the same; the discretisation, the solver of the nonlinear equations and the quadrature of
the action, which is one more state here, are others. Where the end map has directions in which nothing changes, the
curve found is one of many, and along these directions the start is held.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from ...calculus.frame import TIME
from ...calculus.graph import Node, evaluate
from ...calculus.numerical_rank import independent_rows
from ...equations import Start
from ...errors import DalembertError, DalembertWarning
from ...trajectory import Trajectory
from ..machine.batch_calls import map_rows
from ..methods import Radau
from ..policy import Policy
from ..vector_field.field import Field
from .differentiated_motion import Flight, OnTheWay
from .shooting import Shooting, Shot

# --- The action of a curve,  S = int L dt,  L as it was given, by Gauss's rule on steps that end at its nodes --------

POINTS, FIRST, LAST = 10, 8, 256  # nodes of a panel, and how many panels at first and at most
SETTLED = 1e-13  # relative to the integral of |L|
ACTION_NOISE = 1e-6  # an action of this size, beside that of a motion with velocities of their scales, may be rounding


def lagrangian(problem: Shooting) -> Node:
    """L on the equations' graph."""
    return problem.equations.system.over(problem.equations.machine.graph).read(problem.equations.system.lagrangian)


def along(problem: Shooting, t: np.ndarray, y: np.ndarray) -> np.ndarray:
    """L (N,) at times (N,) and states (N, n)."""
    values = {**problem.parameters, **dict(zip(problem.equations.states, y.T, strict=True)), TIME.name: t}
    values |= {} if problem.met is None else problem.met.along(t)
    return np.broadcast_to(np.asarray(evaluate([lagrangian(problem)], values)[0], float), t.shape)


def action(problem: Shooting, flight: Flight) -> tuple[float, float]:
    """S of a motion, and the integral of |L|, in which differences of S count, not less than a
    small part of that of a typical motion.

    Panels are halved until nothing changes. NaN where the motion is cut off.
    """
    panels, before = FIRST, np.inf
    typical = np.r_[[problem.first[s.name] for s in problem.equations.space.coordinates], problem.scale]
    least = (
        ACTION_NOISE * abs(float(along(problem, np.array([problem.t]), typical[None])[0])) * (problem.end.t - problem.t)
    )
    while True:
        found, size = _sum(problem, flight, panels)
        size = max(size, least)
        if not np.isfinite(found) or abs(found - before) <= SETTLED * size or panels >= LAST:
            return found, size
        panels, before = 2 * panels, found


def gauss(edges: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights of Gauss's rule on each panel, (N,) in their order."""
    x, w = np.polynomial.legendre.leggauss(POINTS)
    h = np.diff(edges)
    return (edges[:-1, None] + h[:, None] * (1 + x) / 2).ravel(), (h[:, None] * w / 2).ravel()


def _sum(problem: Shooting, flight: Flight, panels: int) -> tuple[float, float]:
    """S and the integral of |L| with so many panels between the instants at which the motion goes on otherwise."""
    ends = pairwise([problem.t, *flight.cuts, problem.end.t])
    t, weight = gauss(np.unique(np.concatenate([np.linspace(a, b, panels + 1) for a, b in ends])))
    found = flight.at(t)
    if found is None:
        return float("nan"), 0.0
    L = along(problem, t, found[0])
    return float(weight @ L), float(weight @ np.abs(L))


TOLERANCE, NODES = 1e-6, 5_000
COARSE, PARTS = 25, (50, 1000)  # least times of the guess, and into how many parts the size of a state is rounded
AGREED = 1e-5  # relative
NOISE, TINY = 1e-6, 1e-300  # a coordinate of this size beside the largest may be rounding


@dataclass(frozen=True)
class Checked:
    """What a second route found: collocation; where a motion changes on its way, a run by another method.

    Attributes:
        action: its action; NaN where it found nothing.
        difference: from the action of the curve.
        curve: largest distance of the positions from those of the curve, in units of their own sizes.
        agrees: do both routes agree to 1e-5?
        message: what the solver said.
        route: ``"collocation"``, or the method of the run.
    """

    action: float
    difference: float
    curve: float
    agrees: bool
    message: str
    route: str = "collocation"


@dataclass(frozen=True, eq=False)
class _Boundary:
    """Rows that vanish for the right curve: the start, the constraints there, the end, what is held, no action yet.

    Attributes:
        problem, shot: what was solved, and how.
        ranged: combinations of what is missed at the end that can be changed at all (r, c).
        pins: directions along which the start is held, (d - r, k + m), in scales.
        rows: independent ones among the constraints and what was given to be held.
        lengths: by how much each of them changes over the scales (rows,).
        units: of states and action (n + 1,).
    """

    problem: Shooting
    shot: Shot
    ranged: np.ndarray
    pins: np.ndarray
    rows: list[int]
    lengths: np.ndarray
    units: np.ndarray

    @classmethod
    def of(cls, problem: Shooting, shot: Shot, rank: int, units: np.ndarray) -> _Boundary:
        """The conditions at a solution."""
        U, _, V = np.linalg.svd(shot.J)
        normals = problem.normals(shot.point) * problem.scale
        rows = list(independent_rows(normals))
        # dx = basis a with orthonormal basis / scale, so that a = (basis / scale)^T (dx / scale)
        pins = V[rank:] @ (shot.basis / problem.scale[:, None]).T
        return cls(problem, shot, U[:, :rank].T, pins, rows, np.linalg.norm(normals[rows], axis=1), units)

    def __call__(self, first: np.ndarray, last: np.ndarray) -> np.ndarray:
        """The rows for states and action in units at both ends."""
        problem, first, last = self.problem, first * self.units, last * self.units
        n = len(problem.equations.space.coordinates)
        q, point = first[:n], first[n:-1]
        q0 = np.array([problem.first[s.name] for s in problem.equations.space.coordinates])
        values = {**problem.values(point), **dict(zip(problem.equations.states, map(float, q), strict=False))}
        phi = np.array(evaluate(problem.equations.machine.phi, values), float)
        held = problem.selectors @ point - np.array(list(problem.held.values()))
        F = problem.end.missed(last[:-1], np.zeros((len(last) - 1, 1)))[0]
        away = self.pins @ ((point - self.shot.point) / problem.scale)
        tied = np.r_[phi, held][self.rows] / self.lengths
        return np.concatenate([(q - q0) / self.units[:n], tied, self.ranged @ F, away, first[-1:] / self.units[-1:]])


def check(
    problem: Shooting, field: Field, shot: Shot, rank: int, path: Trajectory, found: tuple[float, float]
) -> Checked:
    """Solve the problem again by collocation and compare: from a coarse guess, and where that fails from a finer one.

    Args:
        problem: what was solved.
        field: the equations, compiled.
        shot: the solution.
        rank: of its derivatives.
        path: the curve, a `Trajectory`.
        found: its action, and the integral of |L|.
    """
    result = Checked(np.nan, np.nan, np.nan, False, "")
    boundary = _Boundary.of(problem, shot, rank, _units(problem, path, found))
    for parts in PARTS:
        result = _once(problem, field, boundary, path, found, parts)
        if result.agrees:
            break
    return result


def _once(
    problem: Shooting, field: Field, boundary: _Boundary, path: Trajectory, found: tuple[float, float], parts: int
) -> Checked:
    """One attempt; states of the guess are rounded to so many parts of their size."""
    from scipy.integrate import solve_bvp

    action, size = found
    units, whole = boundary.units[:, None], problem.end.t - problem.t
    times = np.linspace(problem.t, problem.end.t, max(COARSE, len(path)))
    y = path.sol(times)
    # time in a unit in which states change by about 1: the solver's residuals are relative to 1 + |rate|
    slow = whole / max(1.0, float((np.abs(np.diff(y, axis=1)).sum(axis=1) / units[:-1, 0]).max()))
    part = (times - problem.t) / slow
    guess = np.vstack([_rounded(y, parts), action * np.linspace(0, 1, len(times))]) / units

    def rate(part: np.ndarray, Y: np.ndarray) -> np.ndarray:
        t, Y = problem.t + slow * part, Y * units
        y = np.ascontiguousarray(np.column_stack([Y[:-1].T, np.zeros(len(t))]))
        out = np.empty((len(t), y.shape[1] + 1))
        map_rows(field.kernel.rhs, np.ascontiguousarray(t, float), y, field.p, out)
        return slow * np.vstack([out[:, :-2].T, along(problem, t, Y[:-1].T)]) / units

    with np.errstate(all="ignore"):
        try:
            other = solve_bvp(rate, boundary, part, guess, tol=TOLERANCE, max_nodes=NODES)
        except (ValueError, ArithmeticError, np.linalg.LinAlgError) as error:
            return Checked(np.nan, np.nan, np.nan, False, str(error))
    if not other.success:
        return Checked(np.nan, np.nan, np.nan, False, str(other.message))
    n = len(problem.equations.space.coordinates)
    q = y[:n]
    curve = float((np.abs(other.sol(part)[:n] * units[:n] - q) / sizes_of(problem, q.T)[:, None]).max())
    difference = float(other.y[-1, -1] * units[-1, 0]) - action
    agrees = abs(difference) <= AGREED * size and curve <= AGREED
    return Checked(action + difference, difference, curve, agrees, str(other.message))


def _units(problem: Shooting, path: Trajectory, found: tuple[float, float]) -> np.ndarray:
    """Units of states and action (n + 1,) in which all of them go about as far as 1."""
    n = len(problem.equations.space.coordinates)
    y = path.sol(np.linspace(problem.t, problem.end.t, max(COARSE, len(path))))
    most = np.abs(y).max(axis=1)
    wide = np.r_[np.maximum(np.ptp(y[:n], axis=1), problem.way), np.maximum(most[n:], problem.scale)]
    units = np.r_[np.where(wide > 0, wide, most), found[1]]
    return np.asarray(np.where(units > 0, units, 1.0))


def sizes_of(problem: Shooting, q: np.ndarray) -> np.ndarray:
    """The size of each column of q (N, n); of one that may be rounding, a small part of how far things go."""
    return np.maximum(np.maximum(np.abs(q).max(axis=0), NOISE * problem.way), NOISE * np.abs(q).max() or TINY)


def _rounded(y: np.ndarray, parts: int) -> np.ndarray:
    """States (n, N), each rounded to a fraction of its size."""
    unit = np.abs(y).max(axis=1, keepdims=True) / parts
    return np.asarray(np.round(y / np.where(unit > 0, unit, 1.0)) * unit)


# --- The second route where a motion changes on its way: the whole motion again by Radau's method --------------------
# Method, tolerance and quadrature of the action are others, and every instant at which something happens is found anew;
# what happens there is decided by the same laws.

RTOL, TIMES = 1e-9, 240


def check_again(
    problem: Shooting, met: OnTheWay, start: Start, policy: Policy, path: Trajectory, found: tuple[float, float]
) -> Checked:
    """Run a motion again and compare.

    Args:
        problem: what was solved.
        met: what is met on the way.
        start: of the motion.
        policy: as it was run.
        path: the motion, a `Trajectory`.
        found: its action, and the integral of |L|.
    """
    action, size = found
    usual = replace(policy, rtol=RTOL, atol=None, method=Radau())
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DalembertWarning)
            other = met.run(start, problem.end.t, usual)
    except DalembertError as error:
        return Checked(np.nan, np.nan, np.nan, False, f"{error.code} {error.fact}", Radau.word)
    if not other.reached or other.t[-1] < problem.end.t:
        return Checked(np.nan, np.nan, np.nan, False, f"the motion {other.outcome}", Radau.word)
    t, weight = gauss(np.unique(other.t))
    difference = float(weight @ along(problem, t, other.sol(t).T)) - action
    n, times = len(problem.equations.space.coordinates), np.linspace(problem.t, problem.end.t, TIMES)
    q = path.sol(times)[:n]
    curve = float((np.abs(other.sol(times)[:n] - q) / sizes_of(problem, q.T)[:, None]).max())
    agrees = abs(difference) <= AGREED * size and curve <= AGREED
    return Checked(action + difference, difference, curve, agrees, f"run again, rtol = {RTOL:g}", Radau.word)
