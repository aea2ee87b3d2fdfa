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

from ..calculus.cofactors import adjugate, determinant
from ..calculus.frame import TIME
from ..calculus.graph import Graph, evaluate
from ..calculus.rank import null_space
from ..calculus.read import read
from ..errors import InvalidValue, Note, UnknownName, WrongType, about, as_given, did_you_mean, warn
from ..errors.remedies import Call
from ..event import Event, Impact
from ..geometry.pivots import pivots
from ..geometry.restrict import allowed
from ..geometry.states import ConstraintSampler
from ..given import public
from ..model.expression import Reader
from ..model.system import System
from ..model.wall import NORMAL, Wall, read_wall, read_walls
from .wellposed import well_posed

_STATES, _TRIES, _VELOCITIES, _ENDS = 4, 60, 4000, 64
_GAIN = 1e-9  # of the energy: a smaller gain is rounding
_OFF = 1e-8  # of a coordinate's size: as far the position may be from a relation that is imposed
_INSTANT, _ROUNDING = 1e-10, 1e-14  # of the time, of the guard's terms: two walls met within it are met at once


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
    return _event_of(body, _wall(body, name, guard, constraints, restitution), None)


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
        One `Event` for each wall. Where three or more are met at one instant, the jump is found for all of them
        together when it happens, in whatever order they were declared. `path.impulses` tells what each has given.

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
        _check_names(body.system, each)
        each.check(system.parameters)
    _check_apart(body, found)
    return [_event_of(body, each, [other for other in found if other is not each]) for each in found]


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
    return body.impact([_wall(body, "the wall", guard, constraints, restitution)]).loss


def _wall(body: _Body, name: str, guard: Any, constraints: Any, restitution: Any) -> Wall:
    found = read_wall(name, Reader.of(body.system), guard, constraints, restitution)
    _check_names(body.system, found)
    found.check(body.system.parameters)
    return found


def _check_names(system: System, met: Wall) -> None:
    """E104: a name that the system does not know."""
    parameters = {*system.symbols, *system.parameters}
    known = {*system.space.by_name, TIME.name, *parameters}
    for where, expressions in met.places.items():
        for name in sorted({s.name for e in expressions for s in e.free_symbols} - known):
            names = parameters if where == "restitution" else known - {TIME.name}
            raise UnknownName(
                "E104", f"{met.name}: the {where} holds {name}", did_you_mean(name, names), subject=("walls", met.name)
            )


# --- the impact ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Impact:
    """The velocity jump at one wall, or at two at once.

    Attributes:
        shift: (1 + e) delta, which the velocities lose.
        pushes: by wall, the impulse of its df/dt, positive where the wall pushes; that of a dependent row is left out.
        loss: T(u) - T(u+).
        N, A: independent rows of the system, and of the walls.
        factors: restitution of each row of A.
        labels: of each row of A: the wall's name for its df/dt, else "".
    """

    shift: list[sp.Expr]
    pushes: Mapping[str, sp.Expr]
    loss: sp.Expr
    N: sp.Matrix
    A: sp.Matrix
    factors: list[sp.Expr]
    labels: list[str]


@dataclass(frozen=True, eq=False)
class _Body:
    """The system that meets walls.

    Attributes:
        system: with its equivalent constraints in force.
        phis: its independent constraints.
        W: the kinetic metric.
    """

    system: System
    phis: list[sp.Expr]
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
        return cls(decided.system, [decided.system.constraints[s].phi for s in decided.kept], W)

    @property
    def made_for(self) -> tuple[sp.Expr, frozenset[sp.Expr]]:
        """What an impact depends on: L and the constraints."""
        return self.system.lagrangian, frozenset(c.phi for c in self.system.constraints)

    @property
    def u(self) -> list[sp.Symbol]:
        """The velocities."""
        return list(self.system.space.velocities)

    def impact(self, met: Sequence[Wall]) -> _Impact:
        """The velocity jump at these walls, met at once.

        Raises:
            InvalidValue: E131, a row is nonlinear, no velocity satisfies the rows, or the walls impose nothing.
        """
        own, u, names = len(self.phis), self.u, " and ".join(each.name for each in met)
        rows = [(each, label) for each in met for label in each.rows]
        phis = [*self.phis, *(each.rows[label] for each, label in rows)]
        factors = [each.factors[label] for each, label in rows]
        B = sp.Matrix([[phi.diff(v) for v in u] for phi in phis])
        if B.free_symbols & set(u):
            fact = "a constraint is nonlinear in the velocities"
            raise InvalidValue("E131", fact, "impacts need linear or affine ones", subject=("walls", met[0].name))
        with about("walls", met[0].name):
            self._check_consistent(B, phis, names)
        chosen, _ = pivots(self.system, B)
        kept, taken = ([i for i in chosen if (i >= own) == late] for late in (False, True))
        if not taken:
            fact = f"{names} imposes nothing that the constraints do not impose already"
            raise InvalidValue("E131", fact, "look at the guard", subject=("walls", met[0].name))
        every = range(len(u))
        N, A, e = B.extract(kept, every), B.extract(taken, every), [factors[i - own] for i in taken]
        shift, mu = self._least(N, A, [(1 + ei) * phis[i] for ei, i in zip(e, taken, strict=True)])
        labels = [rows[i - own] for i in taken]
        pushes = {each.name: -m for (each, label), m in zip(labels, mu, strict=True) if label == NORMAL}
        s = sp.Matrix(shift)
        # T(u) - T(u - s) = s W u - s W s/2
        lost = (s.T * self.W * sp.Matrix(u))[0] - (s.T * self.W * s)[0] / 2
        return _Impact(shift, pushes, lost, N, A, e, [w.name if label == NORMAL else "" for w, label in labels])

    def pushing(self, met: Wall, at_once: bool) -> Impact:
        """What pushes at a wall, for whoever has the numbers."""
        u, W = self.u, self.W.tolist()
        names, own = tuple(v.name for v in u), tuple(tuple(phi.diff(v) for v in u) for phi in self.phis)
        rows = {label: tuple(phi.diff(v) for v in u) for label, phi in met.rows.items()}
        return Impact(names, tuple(map(tuple, W)), own, rows, dict(met.rows), dict(met.factors), at_once)

    def _least(self, N: sp.Matrix, A: sp.Matrix, b: list[sp.Expr]) -> tuple[list[sp.Expr], list[sp.Expr]]:
        """The least s, in the metric, with A s = b among those with N s = 0, and mu with W s = N^T nu + A^T mu."""
        Z = self.frame
        if Z is None:
            shift, mu = _shortest(self.W, sp.Matrix.vstack(N, A), [sp.S.Zero] * N.rows + b)
            return shift, mu[N.rows :]
        # s = Z v
        v, mu = _shortest(Z.T * self.W * Z, A * Z, b)
        return list(Z * sp.Matrix(v)), mu

    @cached_property
    def frame(self) -> sp.Matrix | None:
        """A frame Z of the allowed velocities if it is regular everywhere, or if W is singular beyond them."""
        N = sp.Matrix([[phi.diff(v) for v in self.u] for phi in self.phis])
        if not self.phis:
            return None
        _, dependent = pivots(self.system, N)
        pivot = determinant(N.extract(range(N.rows), dependent))
        regular = not pivot.free_symbols & {TIME, *self.system.space}
        return allowed(self.system, N)[0] if regular or self.system.massless else None

    def _check_consistent(self, B: sp.Matrix, phis: Sequence[sp.Expr], names: str) -> None:
        """E131: rows that no velocity satisfies together."""
        rest = dict.fromkeys(self.u, sp.S.Zero)
        drifts = [phi.xreplace(rest) for phi in phis]
        for values in _states(self.system) if any(drifts) else ():
            flat = _values([*B, *drifts], values)
            if contradict(flat[: len(B)].reshape(B.shape), flat[len(B) :]):
                fact = f"no velocity satisfies the constraints and {names} together"
                raise InvalidValue("E131", fact, "the motion cannot stop there: look at what drives it")


def contradict(N: np.ndarray, phi: np.ndarray) -> bool:
    """Has N du = -phi no solution?"""
    du = np.linalg.lstsq(N, -phi, rcond=1e-10)[0]
    size = np.abs(N).max(initial=0.0) * np.abs(du).max(initial=0.0) + np.abs(phi).max(initial=0.0)
    return bool(np.abs(N @ du + phi).max(initial=0.0) > 1e-9 * size)


def _shortest(W: sp.Matrix, B: sp.Matrix, b: list[sp.Expr]) -> tuple[list[sp.Expr], list[sp.Expr]]:
    # s = W^-1 B^T mu ,  mu = (B W^-1 B^T)^-1 b
    inverse = adjugate(W) / determinant(W)
    S = B * inverse * B.T
    mu = adjugate(S) * sp.Matrix(b) / determinant(S)
    return list(inverse * B.T * mu), list(mu)


def _states(system: System) -> list[dict[str, float]]:
    """Random states on the constraints."""
    return [values for values, held in islice(ConstraintSampler(system).states(29), _TRIES) if held][:_STATES]


def _values(expressions: Sequence[sp.Expr], values: Mapping[str, float]) -> np.ndarray:
    graph = Graph()
    return np.array(evaluate([read(e, graph) for e in expressions], values), float)


# --- does it gain energy? --------------------------------------------------------------------------------------------


def _flag_gain(body: _Body, impact: _Impact, name: str) -> list[Note]:
    """W131: at some velocity the impact gives energy."""
    if len(set(impact.factors)) < 2:
        return []
    found = [
        (_gain(body, impact, values, chosen), chosen)
        for values in _states(body.system)
        for chosen in _restitutions(impact, values)
    ]
    most, where = max(found, key=lambda each: each[0], default=(0.0, {}))
    if not most > _GAIN:
        return []
    at = ", ".join(f"{name} = {e:g}" for name, e in where.items())
    text = f"the impact at {name} can gain energy, up to {most:.0%} of it{f' with {at}' if at else ''}: "
    told = (f"{text}restitutions differ from row to row; ", Call("impacts.loss", "..."), " tells at a state")
    return [warn("W131", told, 5)]


def _restitutions(impact: _Impact, values: Mapping[str, float]) -> list[dict[str, float]]:
    """Values of the restitutions that are parameters: those they have, and all ends of [0, 1].

    What a velocity gains is a square in them, and grows to an end.
    """
    names = sorted({s.name for e in impact.factors for s in e.free_symbols})
    present = {n: values[n] for n in names if 0 <= values.get(n, -1.0) <= 1}
    ends = [dict(zip(names, each, strict=True)) for each in islice(product((0.0, 1.0), repeat=len(names)), _ENDS)]
    return [present, *ends] if len(present) == len(names) > 0 else ends


def _gain(body: _Body, impact: _Impact, values: Mapping[str, float], chosen: Mapping[str, float]) -> float:
    """The largest part of its energy that a velocity can gain at a position, with these restitutions.

    Velocities at which a wall would have to pull do not count.
    """
    from scipy.linalg import eigh

    k = len(body.u)
    W, N, A = (_values(list(M), values).reshape(-1, k) for M in (body.W, impact.N, impact.A))
    reversed_ = np.diag(1 + np.clip(_values(impact.factors, chosen), 0.0, 1.0))
    Z = null_space(N) if len(N) else np.eye(k)
    G = Z.T @ W @ Z
    a = A @ Z
    # s = G^-1 a^T mu ,  mu = (a G^-1 a^T)^-1 (1 + e) a v ,  loss = s G v - s G s/2
    mu = np.linalg.solve(a @ np.linalg.solve(G, a.T), reversed_ @ a)
    s = np.linalg.solve(G, a.T) @ mu
    lost = s.T @ G - s.T @ G @ s / 2
    if len(impact.pushes) < 2:
        return -2 * float(eigh((lost + lost.T) / 2, G, eigvals_only=True)[0])
    return _largest_gain(lost, G, -mu[[impact.labels.index(name) for name in impact.pushes]])


def _largest_gain(lost: np.ndarray, G: np.ndarray, pushes: np.ndarray) -> float:
    """The largest -2 v lost v / v G v among random v with pushes v >= 0."""
    v = np.random.default_rng(37).normal(size=(_VELOCITIES, len(G)))
    v = v[(v @ pushes.T >= 0).all(axis=1)]
    gains = -2 * np.einsum("ni,ij,nj->n", v, lost, v) / np.einsum("ni,ij,nj->n", v, G, v)
    return float(gains.max(initial=0.0))


# --- events ----------------------------------------------------------------------------------------------------------


def _event_of(body: _Body, met: Wall, others: Sequence[Wall] | None) -> Event:
    """The event of a wall; at a corner the other wall acts as well, but not of one given by itself."""
    alone = body.impact([met])
    doubts = _flag_gain(body, alone, met.name)
    branches = [(_in_range(alone), sp.true)]
    for other in others or ():
        branches = [*_corner(body, alone, met, other, doubts), *branches]
    jump = {}
    for i, v in enumerate(body.u):
        if any(shift[i] != 0 for shift, _ in branches):
            # as they are: SymPy would look for what the conditions have in common
            jump[v.name] = v - sp.Piecewise(*((shift[i], when) for shift, when in branches), evaluate=False)
    notes, pushing = tuple(doubts), body.pushing(met, others is not None)
    return Event(met.name, met.guard, jump, -1, made_for=body.made_for, notes=notes, impact=pushing)


def _corner(
    body: _Body, alone: _Impact, met: Wall, other: Wall, doubts: list[Note]
) -> list[tuple[list[sp.Expr], sp.Basic]]:
    """What happens where the other wall is met as well, with the conditions in order; else the first acts alone.

    No wall pulls: both act where both push, and one alone where the other is then left fast enough,

        p_i >= 0 ,   df_i/dt(u+) + e_i df_i/dt(u) >= 0 ,   one of the two = 0 for each wall       [moreau1988]
    """
    both = _together(body, alone, met, other)
    if both is None:
        return []
    doubts += _flag_gain(body, both, f"{met.name} and {other.name}")
    second, here = body.impact([other]), _is_met(body, other)
    after = dict(zip(body.u, (u - s for u, s in zip(body.u, second.shift, strict=True)), strict=True))
    rate = met.rows[NORMAL]
    left = rate.xreplace(after) + met.factors[NORMAL] * rate
    push = [p >= 0 for p in both.pushes.values()]
    found = [(_in_range(both), sp.And(here, *push))]
    if len(both.pushes) == 2:  # else one wall's row follows from the other's
        found.append((_in_range(second), sp.And(here, left >= 0)))
    return found


def _in_range(impact: _Impact) -> list[sp.Expr]:
    """The shift; undefined where a restitution lies outside [0, 1]."""
    given = [e for e in dict.fromkeys(impact.factors) if e.free_symbols]
    if not given:
        return impact.shift
    fits = sp.And(*(condition for e in given for condition in (sp.Ge(e, 0), sp.Le(e, 1))))
    return [sp.Piecewise((s, fits)) if s != 0 else s for s in impact.shift]


def _together(body: _Body, alone: _Impact, met: Wall, other: Wall) -> _Impact | None:
    """The impact at both; None where the other adds nothing, or where the two can only crush what is between them."""
    try:
        both = body.impact([met, other])
    except InvalidValue:
        return None
    return both if both.A.rows > alone.A.rows else None


def _is_met(body: _Body, wall_: Wall) -> sp.Basic:
    """Is this wall met at this instant as well, as far as rounding of the time and of the guard's terms can tell?"""
    f, rate = wall_.guard, wall_.rows[NORMAL]
    size = sum((sp.Abs(q * f.diff(q)) for q in body.system.space.coordinates), sp.S.Zero)
    return sp.And(sp.Abs(f) <= _INSTANT * sp.Abs(TIME * rate) + _ROUNDING * size, rate < 0)


def _check_apart(body: _Body, found: Sequence[Wall]) -> None:
    """E132: two walls are one surface."""
    states = _states(body.system)
    for one, other in combinations(found, 2):
        f, g = (np.array([_values([each.guard], values)[0] for values in states]) for each in (one, other))
        # f = c g ,  c > 0; with c < 0 they are the two sides of one wall, never met at once
        if np.linalg.norm(f) * np.linalg.norm(g) * (1 - 1e-12) <= f @ g:
            raise InvalidValue(
                "E132",
                f"{one.name} and {other.name} are one surface, always met at once: which acts is not said",
                "give one wall with the constraints of both",
            )
