"""Walls, and what happens to the velocities there.

D are the velocities that the system's constraints allow, C in D those that the wall allows as well, and W is the
kinetic metric. The part of u in C is kept and the part orthogonal to it in D is reversed and multiplied by the
restitution e:

    u+ = u - (1 + e) delta ,    W delta = B^T mu ,    B = (N, A) ,    N delta = 0 ,    A delta = A u + c

with A u + c = 0 the wall's own constraints, its normal df/dt among them. e = 1 is elastic, e = 0 plastic. The energy
lost is that of the lost part, (1 - e^2)/2 delta W delta = (1 - e)/(1 + e) T(u+ - u): Carnot's theorem [ibort2001]. It
holds where nothing drives the system, c = 0 in all rows. With a restitution of the normal alone a rough wall can give
energy instead: `loss` is negative there, and W131 says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, islice, product
from typing import Any

import numpy as np
import sympy as sp

from ..calculus.frame import TIME
from ..calculus.graph import Graph, evaluate
from ..calculus.rank import first_independent, null_space, sign_of_multiple
from ..calculus.read import read
from ..calculus.simplification import adjugate, determinant
from ..errors import InvalidValue, Note, UnknownName, WrongType, about, as_given, did_you_mean, warn
from ..errors.remedies import Call
from ..event import Event, Impact
from ..geometry.kernel import pivots
from ..geometry.restriction import allowed
from ..geometry.states import ConstraintSampler
from ..given import public
from ..model.expression import Reader
from ..model.system import System
from ..model.wall import NORMAL, Wall, read_wall, read_walls
from .wellposed import well_posed

_STATES, _TRIES, _VELOCITIES, _ENDS = 4, 60, 4000, 64
_GAIN = 1e-9  # of the energy: a smaller gain is rounding


@public
def wall(
    system: System,
    guard: Any,
    constraints: Mapping[str, Any] | None = None,
    *,
    restitution: Any = 1.0,
    name: str = "wall",
) -> Event:
    """A wall: a motion that reaches guard = 0 from the side guard > 0 jumps.

    Walls given one by one act one after the other where they are met at one instant; `walls` lets them act at once.

    Args:
        system: the system; its constraints stay imposed during the impact.
        guard: f(t, q) > 0 where the motion is free; with the time in it the wall moves.
        constraints: what the wall imposes besides df/dt = 0, ``{name: phi}`` linear or affine in the velocities; none
            for a smooth wall, the vanishing velocity of the point of contact for a rough one.
        restitution: e in [0, 1] for all that the wall imposes, a number or a parameter; or ``{name: e}`` with
            ``"normal"`` for df/dt, the others plastic. With different values a rough impact can gain energy.
        name: of the event.

    Returns:
        An `Event` for `da.simulate`, whose jump depends on the state before it. A parameter outside [0, 1] ends the
        run at the first impact (E130).

    Raises:
        InvalidValue: E130 a restitution outside [0, 1]; E131 a guard that is no function of the position, a constraint
            that is nonlinear or that no velocity satisfies, or a wall that imposes nothing on the allowed velocities.
        UnknownName: E104, a name that the system does not know.

    Warns:
        DalembertWarning: W131, the impact gains energy at some velocities, at the parameters' values or at some in
            [0, 1].
    """
    body = _Body.of(system)
    met = read_wall(name, Reader.of(body.system), guard, constraints, restitution)
    return _event_of(body, _check(body.system, met), None)


@public
def walls(system: System, given: Mapping[str, Any] | None = None, *, restitution: Any = None) -> list[Event]:
    """Several walls, of which those that are met at one instant act at once, as one that imposes what all impose.

    Args:
        system: the system.
        given: ``{name: guard}``, or ``{name: {"guard": ..., "constraints": ..., "restitution": ...}}``, each as for
            `wall`; by default the walls that the system declares.
        restitution: of the walls in `given` that have none of their own, by default 1. Walls that the system declares
            have theirs.

    Returns:
        One `Event` for each wall, with the jump of that wall alone. Where several are met at one instant, the jump is
        found for all of them together when it happens, as for contacts: E409 where none, or no single one, is possible.
        `path.impulses` tells what each has given.

    Raises:
        InvalidValue: what `wall` raises; E132, two walls are one surface; E130, a restitution for declared walls.
    """
    body = _Body.of(system)
    if given is None and restitution is not None and system.walls:
        fact = f"restitution = {as_given(restitution)} is of walls that are given here; declared ones have theirs"
        own = {wall.name: {"guard": str(wall.guard), "restitution": restitution} for wall in system.walls}
        raise InvalidValue("E130", fact, f"walls={own}")
    e = 1.0 if restitution is None else restitution
    found = system.walls if given is None else read_walls(given, Reader.of(body.system), e)
    if not found:
        fact = "the system declares no walls" if given is None else "no walls are given"
        raise InvalidValue("E131", fact, Call("impacts.walls", 'system, {"left": x, "right": 1 - x}'))
    for each in found:
        _check(body.system, each)
    _check_apart(body, found)
    return [_event_of(body, each, found[i:]) for i, each in enumerate(found, 1)]


@public
def loss(
    system: System, guard: Any, constraints: Mapping[str, Any] | None = None, *, restitution: Any = 1.0
) -> sp.Expr:
    """The kinetic energy that an impact takes from the motion, as a function of the state before it.

    It is T(u) - T(u+); with one restitution e for all rows it is (1 - e^2)/2 delta W delta >= 0, where nothing drives
    the system and the wall is at rest. Where it is negative the impact gains energy, as laws with a restitution of the
    normal alone can against a rough wall. Arguments as for `wall`.
    """
    body = _Body.of(system)
    met = read_wall("the wall", Reader.of(body.system), guard, constraints, restitution)
    s, u = sp.Matrix(body.shift(_check(body.system, met))), sp.Matrix(body.u)
    # T(u) - T(u - s) = s W u - s W s/2
    return (s.T * body.W * u)[0] - (s.T * body.W * s)[0] / 2


def _check(system: System, met: Wall) -> Wall:
    """E104, a name that the system does not know; E130."""
    parameters = {*system.symbols, *system.parameters}
    known = {*system.space.by_name, TIME.name, *parameters}
    for where, expressions in met.places.items():
        for name in sorted({s.name for e in expressions for s in e.free_symbols} - known):
            names = parameters if where == "restitution" else known - {TIME.name}
            raise UnknownName(
                "E104", f"{met.name}: the {where} holds {name}", did_you_mean(name, names), subject=("walls", met.name)
            )
    met.check(system.parameters)
    return met


# --- the impact ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Body:
    """The system that meets walls.

    Attributes:
        system: with its equivalent constraints in force.
        phis: its independent constraints, by name.
        W: the kinetic metric.
    """

    system: System
    phis: Mapping[str, sp.Expr]
    W: sp.Matrix

    @classmethod
    def of(cls, system: Any) -> _Body:
        """Check the system."""
        if not isinstance(system, System):
            raise WrongType("E101", f"a wall needs a System, not {type(system).__name__}", "da.System(space=..., ...)")
        decided = well_posed(system)
        u = list(decided.system.space.velocities)
        W = sp.hessian(decided.system.lagrangian, u)
        if W.free_symbols & set(u):
            raise InvalidValue("E131", "L is not quadratic in the velocities: there is no kinetic metric", "L = T - V")
        kept = [decided.system.constraints[s] for s in decided.kept]
        return cls(decided.system, {c.name: c.phi for c in kept}, W)

    @property
    def u(self) -> list[sp.Symbol]:
        """The velocities."""
        return list(self.system.space.velocities)

    def shift(self, met: Wall) -> list[sp.Expr]:
        """(1 + e) delta, which the velocities lose at a wall.

        Raises:
            InvalidValue: E131, a row is nonlinear, no velocity satisfies the rows, or the wall imposes nothing.
        """
        own, u = len(self.phis), self.u
        phis, factors = [*self.phis.values(), *met.rows.values()], list(met.factors.values())
        B = sp.Matrix([[phi.diff(v) for v in u] for phi in phis])
        if B.free_symbols & set(u):
            fact = "a constraint is nonlinear in the velocities"
            raise InvalidValue("E131", fact, "impacts need linear or affine ones", subject=("walls", met.name))
        with about("walls", met.name):
            self._check_consistent(B, phis, met.name)
        chosen, _ = pivots(self.system, B)
        kept, taken = ([i for i in chosen if (i >= own) == late] for late in (False, True))
        if not taken:
            fact = f"{met.name} imposes nothing that the constraints do not impose already"
            raise InvalidValue("E131", fact, "look at the guard", subject=("walls", met.name))
        N, A = (B.extract(rows, range(len(u))) for rows in (kept, taken))
        b = [(1 + factors[i - own]) * phis[i] for i in taken]
        # the least s, in the metric, with A s = b among those with N s = 0
        Z = self.frame
        if Z is None:
            return _shortest(self.W, sp.Matrix.vstack(N, A), [sp.S.Zero] * N.rows + b)
        # s = Z v
        return list(Z * sp.Matrix(_shortest(Z.T * self.W * Z, A * Z, b)))

    @cached_property
    def frame(self) -> sp.Matrix | None:
        """A frame Z of the allowed velocities if it is regular everywhere, or if W is singular beyond them."""
        N = sp.Matrix([[phi.diff(v) for v in self.u] for phi in self.phis.values()])
        if not self.phis:
            return None
        _, dependent = pivots(self.system, N)
        pivot = determinant(N.extract(range(N.rows), dependent))
        regular = not pivot.free_symbols & {TIME, *self.system.space}
        return allowed(self.system, N)[0] if regular or self.system.massless else None

    def _check_consistent(self, B: sp.Matrix, phis: Sequence[sp.Expr], name: str) -> None:
        """E131: rows that no velocity satisfies together."""
        rest = dict.fromkeys(self.u, sp.S.Zero)
        drifts = [phi.xreplace(rest) for phi in phis]
        for values in _states(self.system) if any(drifts) else ():
            flat = _values([*B, *drifts], values)
            if contradict(flat[: len(B)].reshape(B.shape), flat[len(B) :]):
                fact = f"no velocity satisfies the constraints and {name} together"
                raise InvalidValue("E131", fact, "the motion cannot stop there: look at what drives it")


def contradict(N: np.ndarray, phi: np.ndarray) -> bool:
    """Has N du = -phi no solution?"""
    du = np.linalg.lstsq(N, -phi, rcond=1e-10)[0]
    size = np.abs(N).max(initial=0.0) * np.abs(du).max(initial=0.0) + np.abs(phi).max(initial=0.0)
    return bool(np.abs(N @ du + phi).max(initial=0.0) > 1e-9 * size)


def _shortest(W: sp.Matrix, B: sp.Matrix, b: list[sp.Expr]) -> list[sp.Expr]:
    # s = W^-1 B^T mu ,  mu = (B W^-1 B^T)^-1 b
    inverse = adjugate(W) / determinant(W)
    S = B * inverse * B.T
    return list(inverse * B.T * (adjugate(S) * sp.Matrix(b) / determinant(S)))


def _states(system: System) -> list[dict[str, float]]:
    """Random states on the constraints."""
    return [values for values, held in islice(ConstraintSampler(system).states(29), _TRIES) if held][:_STATES]


def _values(expressions: Sequence[sp.Expr], values: Mapping[str, float]) -> np.ndarray:
    graph = Graph()
    return np.array(evaluate([read(e, graph) for e in expressions], values), float)


# --- does it gain energy? --------------------------------------------------------------------------------------------


def _flag_gain(body: _Body, met: Sequence[Wall]) -> list[Note]:
    """W131: at some velocity the impact at one wall, or at two at once, gives energy."""
    factors = [e for each in met for e in each.factors.values()]
    if len(set(factors)) < 2:
        return []
    k, own, most, where = len(body.u), len(body.phis), _GAIN, None
    phis = [*body.phis.values(), *(phi for each in met for phi in each.rows.values())]
    flat = [*body.W, *(phi.diff(v) for phi in phis for v in body.u)]
    normals = [i for i, label in enumerate(label for each in met for label in each.rows) if label == NORMAL]
    # what a velocity gains is a square in the restitutions that are parameters, and grows to an end of [0, 1]
    free = sorted({s.name for e in factors for s in e.free_symbols})
    ends = [dict(zip(free, each, strict=True)) for each in islice(product((0.0, 1.0), repeat=len(free)), _ENDS)]
    for values in _states(body.system):
        W, N, A = np.split(_values(flat, values).reshape(-1, k), [k, k + own])
        for chosen in ends:
            gain = _gain(W, N, A, np.clip(_values(factors, chosen), 0.0, 1.0), normals)
            most, where = (gain, chosen) if gain > most else (most, where)
    if where is None:
        return []
    at = ", ".join(f"{name} = {e:g}" for name, e in where.items())
    names = " and ".join(each.name for each in met)
    text = f"the impact at {names} can gain energy, up to {most:.0%} of it{f' with {at}' if at else ''}: "
    told = (f"{text}restitutions differ from row to row; ", Call("impacts.loss", "..."), " tells at a state")
    return [warn("W131", told, 5)]


def _gain(W: np.ndarray, N: np.ndarray, A: np.ndarray, e: np.ndarray, normals: Sequence[int]) -> float:
    """The largest part of its energy that a velocity can gain at rows A with restitutions, some rows being normals.

    Velocities at which one of several walls would have to pull do not count.
    """
    from scipy.linalg import eigh

    Z = null_space(N) if len(N) else np.eye(len(W))
    G, a = Z.T @ W @ Z, A @ Z
    kept = first_independent(a)
    a = a[kept]
    # s = G^-1 a^T mu ,  mu = (a G^-1 a^T)^-1 (1 + e) a v ,  loss = s G v - s G s/2
    mu = np.linalg.solve(a @ np.linalg.solve(G, a.T), (1 + e[kept])[:, None] * a)
    s = np.linalg.solve(G, a.T) @ mu
    lost = s.T @ G - s.T @ G @ s / 2
    if len(normals) < 2:
        return -2 * float(eigh((lost + lost.T) / 2, G, eigvals_only=True)[0])
    v = np.random.default_rng(37).normal(size=(_VELOCITIES, len(G)))
    v = v[(v @ mu[[kept.index(i) for i in normals if i in kept]].T <= 0).all(axis=1)]
    gains = -2 * np.einsum("ni,ij,nj->n", v, lost, v) / np.einsum("ni,ij,nj->n", v, G, v)
    return float(gains.max(initial=0.0))


# --- events ----------------------------------------------------------------------------------------------------------


def _event_of(body: _Body, met: Wall, others: Sequence[Wall] | None) -> Event:
    """The event of a wall, which may act at once with others; those behind it are looked at with it."""
    shift = body.shift(met)
    doubts = [note for pair in ([met], *([met, other] for other in others or ())) for note in _flag_gain(body, pair)]
    # undefined where a restitution lies outside [0, 1]
    given = [e for e in dict.fromkeys(met.factors.values()) if e.free_symbols]
    fits = sp.And(*(condition for e in given for condition in (sp.Ge(e, 0), sp.Le(e, 1))))
    parts = {v: sp.Piecewise((s, fits)) if given else s for v, s in zip(body.u, shift, strict=True) if s != 0}
    jump = {v.name: v - s for v, s in parts.items()}
    made_for = body.system.lagrangian, frozenset(c.phi for c in body.system.constraints)
    names, W = tuple(v.name for v in body.u), tuple(map(tuple, body.W.tolist()))
    impact = Impact(names, W, body.phis, met.rows, met.factors, others is not None, made_for, tuple(doubts))
    return Event(met.name, met.guard, jump, -1, impact)


def _check_apart(body: _Body, found: Sequence[Wall]) -> None:
    """E132: two walls are one surface."""
    states = _states(body.system)
    for one, other in combinations(found, 2):
        # f = c g ,  c > 0; with c < 0 they are the two sides of one wall, never met at once
        if sign_of_multiple(one.guard, other.guard, states) > 0:
            raise InvalidValue(
                "E132",
                f"{one.name} and {other.name} are one surface, always met at once: which acts is not said",
                "give one wall with the constraints of both",
            )
