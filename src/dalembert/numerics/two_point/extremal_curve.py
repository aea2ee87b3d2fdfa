"""A zero of the end map made precise: the curve, what is singular about it, and the `Extremal` that is handed out."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ...calculus.frame import TIME
from ...calculus.from_sympy import read
from ...calculus.graph import Node, evaluate
from ...calculus.numerical_rank import count_above, rank_of
from ...equations import Numbers, Start
from ...equations.determinacy import spectrum
from ...errors import DalembertError, DalembertWarning, InvalidValue
from ...trajectory import Trajectory
from ..policy import Policy
from ..run.simulate import simulate
from . import collocation
from .boundary_conditions import Setting
from .collocation import Checked, action, check, sizes_of
from .differentiated_motion import KEPT, Flight, Smooth
from .extremals import Extremal
from .shooting import ROUNDING, Shooting, Shot, descend

# ---------------------------------------------------------------------------------------------------------------------
# Conjugate points: times at which neighbouring motions from the same start meet the curve again, to first order.
#     X(t) = E^+ dq(t)/d(unknown)     loses rank there; how much is its multiplicity
#
# Between two times a < b so near that no motion from a has a conjugate point up to b, X_b X_a^-1 is a positive matrix
# times a symmetric one where the action is stationary, and has one negative eigenvalue for each conjugate point in
# between, however near to each other these are [milnor1963 (section 15)]. So the zeros are counted before they are
# located: on a grid finer than the steps of the integration, and on every second of its times, which must give the
# same.

GRID, MOST, PER_STEP = 240, 20_000, 2  # times looked at, at least and at most, and for each step of the integration
OFFSET = 0.381966  # the grid lies askew: zeros at simple fractions of the whole time are not met exactly
RISEN = 1e-6  # part of the largest value that marks the end of the rise from the start
REAL = (
    1.0  # an eigenvalue counts as real if its imaginary part is no larger than this part of it: frames turn on the way
)
ALIKE = 1e10  # condition of the derivatives beyond which those of one direction hide the others
NARROW, BESIDE, DEEPEST = 1e-3, 0.1, 60  # zeros are enclosed to this part of a step of the grid
END = 1e-6  # a time as near to the end as this, in the whole time, is the end


@dataclass(frozen=True, eq=False)
class Spread:
    """How the positions of neighbouring motions spread along one.

    Attributes:
        t: times (N,).
        y: states (N, n).
        moved: scaled positions' derivatives by the unknown ones (N, k, d).
        rest: the same of velocities and multipliers (N, k + m, d).
    """

    t: np.ndarray
    y: np.ndarray
    moved: np.ndarray
    rest: np.ndarray

    @property
    def columns(self) -> np.ndarray:
        """Combinations of the unknown ones that move positions at all (d, r), orthonormal."""
        if not self.moved.size:
            return np.zeros((self.moved.shape[2], 0))
        _, s, V = np.linalg.svd(self.moved.reshape(-1, self.moved.shape[2]), full_matrices=False)
        return np.asarray(V[s > 1e-7 * s[0]].T if s[0] > 0 else V[:0].T)


class _Place(NamedTuple):
    """A time on the curve, the rows there, and X and the rest by the columns that matter."""

    t: float
    rows: np.ndarray
    X: np.ndarray
    rest: np.ndarray


def anchor(problem: Shooting) -> list[Node]:
    """E row by row on the equations' graph."""
    return [read(e, problem.equations.machine.graph) for e in problem.equations.space.anchor]


def positions_moved(problem: Shooting, t: np.ndarray, y: np.ndarray, S: np.ndarray) -> np.ndarray:
    """X (N, k, d) in scales, from states (N, n) and derivatives (N, n, d)."""
    n, k = len(problem.equations.space.coordinates), problem.width
    values = {**problem.parameters, **dict(zip(problem.equations.states, y.T, strict=True)), TIME.name: t}
    entries = [np.broadcast_to(np.asarray(e, float), t.shape) for e in evaluate(anchor(problem), values)]
    E = np.stack(entries, axis=1).reshape(-1, n, k)
    # a way of 1 is what the scale of the velocity makes in the whole time
    way = problem.scale[:k] * (problem.end.t - problem.t)
    return np.asarray(np.linalg.pinv(E) @ S[:, :n] / way[:, None])


def spread(problem: Shooting, t: np.ndarray, y: np.ndarray, S: np.ndarray) -> Spread:
    """The spread at times (N,) from states (N, n) and derivatives (N, n, d)."""
    n = len(problem.equations.space.coordinates)
    return Spread(t, y, positions_moved(problem, t, y, S), S[:, n:] / problem.scale[:, None])


def grid(problem: Shooting, count: int = GRID) -> np.ndarray:
    """So many times after the start, the end included."""
    part = np.r_[(np.arange(1, count) - OFFSET) / (count - OFFSET), 1.0]
    return np.asarray(problem.t + part * (problem.end.t - problem.t))


def conjugate(problem: Shooting, flight: Smooth, seen: Spread) -> tuple[float, ...] | None:
    """Times of conjugate points before the end, each as often as its multiplicity; None where they cannot be told.

    Args:
        problem: whose curve.
        flight: its motion.
        seen: the spread along the curve.
    """
    if not seen.columns.shape[1]:
        return ()
    flow, rows = flight.flow, flight.rows
    steps = flow.steps(problem.t, rows, problem.end.t)
    if PER_STEP * steps > MOST:
        return None
    t = grid(problem, max(GRID, PER_STEP * steps))
    carried = flow.carry(problem.t, rows, t)
    if carried is None:
        return None
    search = _ZeroSearch(problem, flight, seen.columns, NARROW * float(t[1] - t[0]))
    found = search.counted(search.places(t, carried))
    whole = problem.end.t - problem.t
    return None if found is None else tuple(sorted(t for t in found if problem.end.t - t > END * whole))


def _looks(places: Sequence[_Place]) -> tuple[np.ndarray, np.ndarray]:
    """At each place the least singular value of X, all derivatives made orthonormal, and their condition before."""
    Z = np.stack([np.concatenate([p.X, p.rest]) for p in places])
    Z = Z / np.maximum(np.linalg.norm(Z, axis=1, keepdims=True), 1e-300)
    condition = np.linalg.cond(Z)
    Q = np.linalg.qr(Z)[0]
    rank = min(places[0].X.shape)
    return np.linalg.svd(Q[:, : places[0].X.shape[0]], compute_uv=False)[:, rank - 1], condition


def between(a: _Place, b: _Place) -> np.ndarray:
    """Where X is singular between two places that are near, as parts of the way (c,), rising.

    X = (1 - s) X_a + s X_b, singular where s/(s - 1) is an eigenvalue of X_a^-1 X_b.
    """
    import scipy.linalg

    R = np.linalg.qr(np.concatenate([a.X, a.rest]))[1]
    Xa, Xb = (np.linalg.solve(R.T, X.T).T for X in (a.X, b.X))
    k, r = Xa.shape
    if k > r:  # positions on a surface: in its tangent plane
        B = np.linalg.svd(np.hstack([Xa, Xb]))[0][:, :r]
        Xa, Xb = B.T @ Xa, B.T @ Xb
    alpha, beta = scipy.linalg.eigvals(Xb, Xa, homogeneous_eigvals=True)
    w = alpha * np.conj(beta)
    real = (w.real < 0) & (np.abs(w.imag) <= REAL * np.abs(w.real))
    # s = 1/(1 - mu),  mu = alpha/beta
    return np.sort((beta[real] / (beta[real] - alpha[real])).real)


@dataclass(frozen=True, eq=False)
class _ZeroSearch:
    """Zeros between two places, enclosed ever more narrowly."""

    problem: Shooting
    flight: Smooth
    columns: np.ndarray
    narrow: float

    def places(self, t: Sequence[float] | np.ndarray, rows: np.ndarray) -> list[_Place]:
        """X and the rest by the columns that matter, at times from rows (N, n + 1, width)."""
        seen = spread(self.problem, np.asarray(t, float), *self.flight.flow.split(rows))
        moved, rest = seen.moved @ self.columns, seen.rest @ self.columns
        return [_Place(float(t), *each) for t, *each in zip(t, rows, moved, rest, strict=True)]

    def counted(self, places: list[_Place]) -> list[float] | None:
        """Times of the zeros between places after the rise from the start; None where the count is not sure."""
        least, condition = _looks(places)
        risen = int(np.argmax(least > RISEN * least.max()))
        if not condition[risen:].max() < ALIKE:
            return None
        places = places[risen if (len(places) - risen) % 2 else risen + 1 :]
        parts = [between(a, b) for a, b in pairwise(places)]
        twice = [between(a, b) for a, b in zip(places[::2], places[2::2], strict=False)]
        if sum(map(len, parts)) != sum(map(len, twice)):
            return None
        return [t for a, b, s in zip(places, places[1:], parts, strict=False) for t in self.zeros(a, b, s)]

    def carried(self, a: _Place, times: Sequence[float]) -> list[_Place]:
        """Places at later times; none where the motion cannot be made again."""
        rows = self.flight.flow.carry(a.t, a.rows, times)
        return [] if rows is None else self.places(times, rows)

    def zeros(self, a: _Place, b: _Place, parts: np.ndarray, depth: int = 0) -> list[float]:
        """Times of the zeros between two places, estimated as parts of the way."""
        h = b.t - a.t
        if not len(parts):
            return []
        if h <= self.narrow or depth == DEEPEST:
            return [a.t + h * float(s) for s in parts]
        low, high = parts[0] - BESIDE, parts[-1] + BESIDE
        cuts = [s for s in (low, high) if 0 < s < 1] if high - low < 0.5 else [0.5]
        inner = self.carried(a, [a.t + h * float(s) for s in cuts])
        places = [a, *inner, b]
        if not inner:
            return [a.t + h * float(s) for s in parts]
        pairs = pairwise(places)
        return [t for one, two in pairs for t in self.zeros(one, two, between(one, two), depth + 1)]


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
    rank = count_above(s, 0.0, SINGULAR * largest)
    null = V[rank:].T
    if not null.shape[1]:
        return rank, null, null
    # all positions of the curve, moved along the null directions
    moved = (seen.moved @ null).reshape(-1, null.shape[1])
    _, size, W = np.linalg.svd(moved, full_matrices=False)
    count = count_above(size, 0.0, MOVED * np.sqrt(len(seen.t)))
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
        return check(problem, curve.flight.flow.field, curve.shot, curve.rank, path, found)
    assert problem.met is not None
    return collocation.check_again(problem, problem.met, start, policy, path, found)


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
