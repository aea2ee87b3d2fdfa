"""What a closed reduced motion leaves behind: the group's displacement over a period, and its geometric part.

The reduced motion comes back after a period, the full one does not. What is left is made of two parts: the *geometric
phase*, which the loop of the shape alone would leave (velocities along the group's horizontal directions S taken out,
so that the motion is horizontal for the nonholonomic connection), and the *dynamic phase*, the rest. A free body that
is reduced by all its rotations has no shape: its loop is that of the momentum on its sphere, and its geometric phase is
the solid angle that it encloses, about the momentum in space (`momentum_phase`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from ..argument_checks import public
from ..calculus.frame import TIME
from ..calculus.from_sympy import read
from ..calculus.graph import Graph, evaluate
from ..calculus.quantity import number
from ..equations import Start
from ..errors import InvalidValue
from ..geometry.reduction import Reduction
from ..model.space import Space
from ..model.system import System
from ..trajectory import Trajectory
from .full_state import needs_path, needs_reduction
from .reconstruct import reconstruct

_SAME = 1e-6
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(3)

Displacement = dict[str, float | np.ndarray]


@dataclass(frozen=True)
class Holonomy:
    """Displacements of the group over a period.

    A coordinate's displacement is its change; that of a rotation R is the rotation vector n (3,) in space, rad, with
    R(end) = exp(n) R(beginning), at most half a turn: whole turns are not counted.

    Attributes:
        period: from the path's beginning.
        total: by coordinate, or rotation.
        geometric: of the horizontal motion over the same loop of the shape; for a body that turns freely minus the
            solid angle that its momentum encloses, about the momentum, between -pi and pi.
        gap: by how much the reduced motion misses its beginning, whole turns of its angles apart.
        turns: whole turns that coordinates of the shape have made, those that made any.
    """

    period: float
    total: Displacement
    geometric: Displacement
    gap: float
    turns: dict[str, int] = field(default_factory=dict)

    @property
    def dynamic(self) -> Displacement:
        """The rest: total - geometric, for a rotation exp(total) = exp(dynamic) exp(geometric).

        The parts make up the whole of the group's displacement where the group is abelian.
        """
        return {name: _rest(value, self.geometric[name]) for name, value in self.total.items()}

    def __str__(self) -> str:
        turned = "".join(f", {name} modulo 2 pi: {_times(n)}" for name, n in self.turns.items())
        lines = [f"after a period of {self.period:.8g} (the reduced motion closes to {self.gap:.1e}{turned})"]
        for name, value in self.total.items():
            parts = ("total", value), ("geometric", self.geometric[name]), ("dynamic", self.dynamic[name])
            lines += [f"  {name if part == 'total' else '':<10} {part:<10} {_text(each)}" for part, each in parts]
        return "\n".join(lines)

    __repr__ = __str__


def _times(n: int) -> str:
    return f"{n} turn{'' if abs(n) == 1 else 's'}"


def _rest(total: float | np.ndarray, geometric: float | np.ndarray) -> float | np.ndarray:
    if not isinstance(total, np.ndarray):
        return total - geometric
    from scipy.spatial.transform import Rotation

    whole, part = Rotation.from_rotvec(total), Rotation.from_rotvec(geometric)
    return np.asarray((whole * part.inv()).as_rotvec())


def _text(value: float | np.ndarray) -> str:
    return " ".join(f"{x:>15.8g}" for x in np.atleast_1d(value))


@public
def holonomy(reduction: Reduction, path: Trajectory, start: Start | Mapping[Any, Any], period: float) -> Holonomy:
    """Total and geometric displacement of the group over a period of the reduced motion.

    A coordinate of the shape that has changed by whole turns, 2 pi n, is back where nothing in the equations tells the
    two apart; a unit quaternion is back with either sign.

    Args:
        reduction: from `da.reduce`; constraints that are left are linear.
        path: the reduced run from `reduced_start(reduction, start)`, at least a period long.
        start: the full state at its beginning.
        period: after which the reduced motion comes back.

    Raises:
        WrongType: E101 no reduction, E307 no path, E204 a period that is no number; those of `da.reconstruct`.
        InvalidValue: E203, E303 a period that is not positive, or a path that is shorter; E124, the reduced motion does
            not come back, or constraints are left that are not linear.
    """
    needs_reduction(reduction, "holonomy")
    needs_path(reduction, path, "holonomy")
    period = _positive(period)
    _check_horizontal(reduction)
    t0 = float(path.t[0])
    first, last = path.at(t0), path.at(t0 + period)
    whole = reconstruct(reduction, path, start)
    at = {**whole.provenance["parameters"], TIME.name: t0}
    gap, turns = closing(reduction, at, first, last, _size(path, t0 + period))
    if gap > CLOSED:
        raise InvalidValue(
            "E124", f"the reduced motion does not come back after {period:g}: it misses by {gap:.2g}", "give its period"
        )
    total = _change(reduction, whole, t0, period)
    lifted = reconstruct(reduction, _lifted(reduction, path), start, lifted=True)
    geometric = _change(reduction, lifted, t0, period) | _of_momentum(reduction, path, whole, total, period)
    return Holonomy(period, total, geometric, gap, turns)


def _size(path: Trajectory, end: float) -> float:
    """The largest value of a state until then."""
    return float(np.abs(path.values[path.t <= end, : path.states]).max(initial=0.0))


def _check_horizontal(reduction: Reduction) -> None:
    """E124: constraints are left that no motion along the loop alone obeys."""
    allowed = {"linear", "holonomic", *(["affine"] if _driven(reduction.system) else [])}
    left = [c.name for c in reduction.system.constraints if c.kind not in allowed]
    if left:
        raise InvalidValue(
            "E124",
            f"constraints are left that are not linear, {', '.join(left)}: they have no horizontal motion",
            "the total displacement is that of da.reconstruct",
        )


def _driven(system: System) -> bool:
    """Does the Lagrangian or what is constrained depend on time itself? Then time belongs to the shape."""
    return any(e.has(TIME) for e in (system.lagrangian, *(c.phi for c in system.constraints)))


def _of_momentum(
    reduction: Reduction, path: Trajectory, whole: Trajectory, total: Displacement, period: float
) -> Displacement:
    """The geometric part of a rotation where the loop is one of the momentum."""
    t0 = float(path.t[0])
    found: Displacement = {}
    for name, attitude in reduction.given.space.attitudes.items():
        if isinstance(turn := total.get(name), np.ndarray):
            one, two = (_matrix(attitude, whole.at(t)) for t in (t0, t0 + period))
            part = geometric_turn(reduction, path, turn, (one, two), period)
            found |= {} if part is None else {name: part}
    return found


def _positive(period: object) -> float:
    value = number(period, "period")
    if value <= 0:
        raise InvalidValue("E303", f"period = {value:g} must be positive", "the time after which the motion is back")
    return value


def _change(reduction: Reduction, path: Trajectory, t0: float, period: float) -> Displacement:
    one, two = path.at(t0), path.at(t0 + period)
    turned = [a for a in reduction.given.space.attitudes.values() if set(a.coordinates) <= set(reduction.group)]
    inside = {q for a in turned for q in a.coordinates}
    found: Displacement = {q.name: two[q.name] - one[q.name] for q in reduction.group if q not in inside}
    # R(end) = exp(n) R(beginning)
    return found | {a.name: _turn(_matrix(a, two) @ _matrix(a, one).T) for a in turned}


def _turn(R: np.ndarray) -> np.ndarray:
    from scipy.spatial.transform import Rotation

    return np.asarray(Rotation.from_matrix(R).as_rotvec())


def _matrix(attitude: Any, columns: Mapping[str, object]) -> np.ndarray:
    graph = Graph()
    entries = evaluate([read(e, graph) for e in attitude.matrix], columns)
    return np.array(entries, float).reshape(3, 3)


def _lifted(reduction: Reduction, path: Trajectory) -> Trajectory:
    """The reduced path with the group's share of the velocities taken out."""
    system, graph = reduction.system, Graph()
    u = list(system.space.velocities)
    k, at = len(u), [path.names.index(s.name) for s in u]
    phi, L = sp.Matrix([c.phi for c in system.constraints]), system.lagrangian
    rest = dict.fromkeys(u, 0)
    # L = 1/2 v G v + b v ,  phi = N v + a ;  b and a are of the loop where it is one in time too
    b, a = sp.Matrix([L.diff(s) for s in u]).subs(rest), phi.subs(rest)
    if not _driven(system):
        b, a = 0 * b, 0 * a
    tables = [
        [read(e, graph) for e in rows]
        for rows in (sp.hessian(L, u), system.space.anchor, phi.jacobian(u) if phi else [], b, a)
    ]
    known = {n: v for n, v in system.parameters.items() if v is not None}
    fixed = known | dict(path.provenance.get("parameters", {}))

    def dense(t: np.ndarray) -> np.ndarray:
        times = np.asarray(t, float)
        values = np.array(path.dense(times), float)
        columns: Mapping[str, Any] = {**fixed, **dict(zip(path.names, values.T, strict=False)), TIME.name: times}
        G, rho, N = (_table(nodes, columns, (len(values), k)) for nodes in tables[:3])
        b, a = (_table(nodes, columns, (len(values), 1)) for nodes in tables[3:])
        values[:, at] = _horizontal(G, rho, N, b, a, values[:, at])
        return values

    return replace(path, values=dense(path.t), dense=dense)


def _table(nodes: list[Any], columns: Mapping[str, Any], size: tuple[int, int]) -> np.ndarray:
    """Values of a matrix with k columns over time, (T, rows, k)."""
    count, k = size
    flat = [np.broadcast_to(e, (count,)) for e in evaluate(nodes, columns)]
    return np.array(flat).reshape(-1, k, count).transpose(2, 0, 1)


def _horizontal(
    G: np.ndarray, rho: np.ndarray, N: np.ndarray, b: np.ndarray, a: np.ndarray, v: np.ndarray
) -> np.ndarray:
    """The velocities (T, k) with least 1/2 v G v + b v, among those with the same shape rates and N v + a = 0."""
    if not (rho.shape[1] or b.any() or a.any()):
        return np.zeros_like(v)
    # v = v0 + Z y with N v0 = -a, the columns of Z orthonormal and N Z = 0
    Z = np.swapaxes(np.linalg.svd(N)[2][:, N.shape[1] :], 1, 2) if N.shape[1] else np.eye(v.shape[1])
    v0 = -np.linalg.pinv(N) @ a if N.shape[1] else 0 * b
    transposed = np.swapaxes(Z, -1, -2)
    GZ, rhoZ, bZ = transposed @ G @ Z, rho @ Z, transposed @ (G @ v0 + b)
    # min 1/2 y G y + b y with rho y = d:  y = y0 + G^-1 rho^T (rho G^-1 rho^T)^+ (d - rho y0) ,
    #   y0 = -G^-1 b
    lift = np.linalg.solve(GZ, np.swapaxes(rhoZ, 1, 2))
    y0 = -np.linalg.solve(GZ, bZ)
    if rho.shape[1]:
        d = rho @ (v[..., None] - v0)
        y0 = y0 + lift @ np.linalg.pinv(rhoZ @ lift, rcond=1e-10) @ (d - rhoZ @ y0)
    return np.asarray((v0 + Z @ y0)[..., 0])


# --- a body that turns freely -----------------------------------------------------------------------------------------


def geometric_turn(
    reduction: Reduction, path: Trajectory, total: np.ndarray, ends: tuple[np.ndarray, np.ndarray], period: float
) -> np.ndarray | None:
    """The geometric part (3,) of a turn, along the momentum in space; None where the motion is no such loop.

    Args:
        reduction: of the system by its rotations.
        path: the reduced run.
        total: the rotation vector of the whole displacement.
        ends: the rotations (3, 3) at the beginning and after the period.
        period: from the path's beginning.
    """
    given, left = reduction.given, reduction.system.space
    free = not given.constraints and all(Q == 0 for Q in given.forces) and given.autonomous
    is_free_turning = free and not left.coordinates and len(left.velocities) == len(reduction.generators) == 3
    if not is_free_turning:
        return None
    t0 = float(path.t[0])
    p, _ = _momentum(reduction, path, np.array([t0, t0 + period]))
    first, last = (R @ each for R, each in zip(ends, p, strict=True))
    size = float(np.linalg.norm(first))
    if not size or np.linalg.norm(first - last) > _SAME * size:
        return None
    axis = first / size
    # total = dynamic + geometric about L, modulo 2 pi
    angle = float(total @ axis) - _dynamic(reduction, path, t0 + period) / size
    return np.asarray(((angle + np.pi) % (2 * np.pi) - np.pi) * axis)


def _momentum(reduction: Reduction, path: Trajectory, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """p and the velocities at these times, (n, 3) each."""
    system, graph = reduction.system, Graph()
    columns = path.at(times)
    known = {n: v for n, v in system.parameters.items() if v is not None}
    values: Mapping[str, Any] = {**known, **path.provenance.get("parameters", {}), **columns}
    found = evaluate([read(system.lagrangian.diff(v), graph) for v in system.space.velocities], values)
    p = np.array([np.broadcast_to(e, times.shape) for e in found], float).T
    return p, np.array([columns[v.name] for v in system.space.velocities], float).T


def _dynamic(reduction: Reduction, path: Trajectory, end: float) -> float:
    """The integral of p . w until the end, by three nodes of Gauss in each interval."""
    t = np.append(path.t[path.t < end], end)
    middle, half = (t[1:] + t[:-1]) / 2, np.diff(t) / 2
    p, w = _momentum(reduction, path, (middle[:, None] + half[:, None] * _NODES).ravel())
    return float(half @ ((p * w).sum(axis=1).reshape(len(half), 3) @ _WEIGHTS))


# --- when a reduced motion has come back: angles modulo whole turns, quaternions up to sign --------------------------
# A coordinate may have changed by 2 pi n and the place be the same one. It is where nothing changes with it,
#
#     f(q + 2 pi n) = f(q)   for all functions f that make up the reduced equations and the way back,
#
# which is decided at random places, whether the coordinate was declared an angle or not. The same holds for a unit
# quaternion and its negative, which stand for one rotation.

CLOSED = 1e-6  # relative: by how much a reduced motion may miss its beginning
_PLACES, _BACK = 6, 1e-9
Values = dict[str, float]


class Closing(NamedTuple):
    """How a reduced motion comes back.

    Attributes:
        gap: by how much it misses its beginning, relative to the largest value on the way.
        turns: whole turns of shape coordinates, those that are not 0.
    """

    gap: float
    turns: dict[str, int]


def closing(
    reduction: Reduction, parameters: Values, first: Mapping[str, Any], last: Mapping[str, Any], size: float
) -> Closing:
    """How nearly the last state is the first one; a turn counts as closed where nothing tells it from none.

    Args:
        reduction: from `da.reduce`.
        parameters: values of the given system's parameters, and the time ``t``.
        first, last: reduced states.
        size: the largest value of a state on the way.
    """
    space, same = reduction.system.space, _Same(reduction, parameters)
    names = [s.name for s in space]
    begin, end = ({n: float(state[n]) for n in names} for state in (first, last))
    # names of the unit quaternions in the shape that came back with the other sign
    every = [[s.name for s in a.coordinates] for a in reduction.given.space.attitudes.values()]
    kept = [names for names in every if len(names) == 4 and set(names) <= set(begin)]
    negated = [names for names in kept if sum(begin[n] * end[n] for n in names) < 0]
    for quaternion in negated:
        back = _Move({}, quaternion)
        end = back(end) if same(back) else end
    found: dict[str, int] = {}
    for name, n in _whole(space, begin, end).items():
        back = _Move({name: -2 * np.pi * n})
        if same(back):
            end, found = back(end), {**found, name: n}
    return Closing(_gap(begin, end, size), found)


def _gap(begin: Values, end: Values, size: float) -> float:
    size = max((size, *(abs(v) for state in (begin, end) for v in state.values())))
    return max((abs(end[n] - v) for n, v in begin.items()), default=0.0) / (size or 1.0)


def _whole(space: Space, begin: Values, end: Values) -> dict[str, int]:
    """Turns (not 0) of the coordinates that changed by 2 pi n; a coordinate of a direction or rotation is no angle."""
    held = {s for e in space.embedding for s in e.free_symbols}
    plain = [q.name for q in space.coordinates if q not in held]
    n = {q: round((end[q] - begin[q]) / (2 * np.pi)) for q in plain}
    left = {q: abs(end[q] - begin[q] - 2 * np.pi * k) for q, k in n.items()}
    return {q: k for q, k in n.items() if k and left[q] <= CLOSED * max(1.0, abs(begin[q]), abs(end[q]))}


class _Move(NamedTuple):
    """Coordinates shifted, others negated."""

    shift: Values
    negated: Sequence[str] = ()

    def __call__(self, values: Mapping[str, Any]) -> Values:
        return {n: self.sign(n) * v + self.shift.get(n, 0.0) for n, v in values.items()}

    def sign(self, name: str) -> int:
        """What its rate is multiplied by."""
        return -1 if name in self.negated else 1


class _Same:
    """Do the reduced equations, and those that lead back, stay as they are when a place is moved?"""

    def __init__(self, reduction: Reduction, parameters: Values) -> None:
        small, given, graph = reduction.system, reduction.given, Graph()
        spaces = small.space, given.space
        # rates of coordinates move along with them
        rates = [(q.name, e) for space in spaces for q, row in _rows(space) for e in row]
        alone = [
            *small.expressions,
            *(c for space in spaces for row in space.brackets.values() for c in row),
            *reduction.velocities,
            *(reduction.zeta if reduction.zeta is not None else ()),
            *(e for g in reduction.generators for e in g.components),
        ]
        self._owners = [*(name for name, _ in rates), *("" for _ in alone)]
        self._nodes = [read(e, graph) for e in (*(e for _, e in rates), *alone)]
        rng = np.random.default_rng(47)
        self._places = [{**given.space.sample(rng), **small.space.sample(rng), **parameters} for _ in range(_PLACES)]

    def __call__(self, move: _Move) -> bool:
        sign = np.array([move.sign(name) for name in self._owners])
        return all(self._stays(values, move, sign) for values in self._places)

    def _stays(self, values: Mapping[str, object], move: _Move, sign: np.ndarray) -> bool:
        with np.errstate(all="ignore"):
            f, g = (np.array(evaluate(self._nodes, place), float) for place in (values, move(values)))
        size = np.where(np.isfinite(f), np.abs(f), 0.0)
        return bool(np.all((np.abs(sign * f - g) <= _BACK * (1 + size)) | (np.isnan(f) & np.isnan(g))))


def _rows(space: Space) -> list[tuple[Any, list[Any]]]:
    return [(q, list(space.anchor.row(i))) for i, q in enumerate(space.coordinates)]
