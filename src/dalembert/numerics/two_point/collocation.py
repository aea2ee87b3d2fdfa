"""The second route: the whole boundary value problem by collocation [kierzenka2001], from a coarse guess of the curve.

Right-hand side and ends are the same; the discretisation, the solver of the nonlinear equations and the quadrature of
the action, which is one more state here, are others. Where the end map has directions in which nothing changes, the
curve found is one of many, and along these directions the start is held.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...calculus.graph import evaluate
from ...calculus.rank import independent_rows
from ...trajectory import Trajectory
from ..machine.calls import map_rows
from ..vector_field.field import Field
from .action import along
from .shooting import Shooting, Shot

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
