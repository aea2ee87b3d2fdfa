"""Velocities that jump: at walls, and where constraints hold from an instant on.

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

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields
from functools import cached_property
from itertools import combinations, islice, product
from typing import Any

import numpy as np
import sympy as sp
from scipy import linalg

from ..argument_checks import overriding, public
from ..calculus.frame import TIME
from ..calculus.from_sympy import read
from ..calculus.graph import Graph, Node, evaluate, gradient
from ..calculus.numerical_rank import first_independent, null_space, sign_of_multiple
from ..calculus.quantity import SECOND, quantity
from ..calculus.rotation_matrices import read_attitude
from ..calculus.simplification import adjugate, determinant
from ..calculus.symbols import by_name
from ..equations import Equations, Numbers, Start
from ..errors import InvalidValue, Note, UnknownName, WrongType, about, as_given, did_you_mean, kind_of, warn
from ..errors.remedies import Call
from ..event import Event, Impact
from ..geometry.random_states import ConstraintSampler
from ..geometry.restriction import allowed
from ..geometry.symbolic_null_space import pivots
from ..model.expression_symbols import Reader
from ..model.parameters import given as read_parameters
from ..model.system import System
from ..model.wall import NORMAL, Wall, read_wall, read_walls
from .well_posedness import well_posed

_STATES, _TRIES, _VELOCITIES, _ENDS = 4, 60, 4000, 64
_GAIN = 1e-9  # of the energy: a smaller gain is rounding


@public
def wall(
    system: System,
    guard: object,
    constraints: Mapping[str, object] | None = None,
    *,
    restitution: object = 1.0,
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
def walls(system: System, given: Mapping[str, object] | None = None, *, restitution: object = None) -> list[Event]:
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
    system: System, guard: object, constraints: Mapping[str, object] | None = None, *, restitution: object = 1.0
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
    def of(cls, system: System) -> _Body:
        """Check the system."""
        if not isinstance(system, System):
            raise WrongType("E101", f"a wall needs a System, not {kind_of(system)}", "da.System(space=..., ...)")
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


# --- constraints that hold from an instant on ------------------------------------------------------------------------
#     W (u+ - u) = N^T mu ,    N u+ + c = 0
#
# The velocities jump to the nearest ones that the constraints allow, in the kinetic metric W [ibort2001]. Where
# constraints are nonlinear in them, these are found from a projection (`nearest`).

_OFF = 1e-8  # of a coordinate's size: as far the position may be from a relation that is imposed


@dataclass(frozen=True, eq=False)
class Imposed(Start):
    """The state right after constraints were imposed: a `Start` of the equations that hold from then on.

    Attributes:
        lost: kinetic energy lost, negative where it is gained.
        drivers: names of the constraints that move by themselves, and can give energy.
        impulses: by constraint, in W (u+ - u) = impulse dphi/du; of least norm where constraints depend on each other.
    """

    lost: float = 0.0
    impulses: Mapping[str, float] = field(default_factory=dict)
    drivers: tuple[str, ...] = ()

    def __str__(self) -> str:
        if self.lost < 0 and self.drivers:
            told = f"gained   {-self.lost:.10g} of kinetic energy, from {', '.join(self.drivers)}"
        else:
            told = f"lost     {max(self.lost, 0.0):.10g} of kinetic energy"
        return f"{super().__str__()}\n  {told}"


@public
def impose(
    equations: Equations, before: object, *, t: object = None, parameters: Mapping[Any, Any] | None = None
) -> Imposed:
    """Impose the constraints of `equations` on a moving system; they stay imposed.

    Positions stay, velocities jump to the nearest ones that the constraints allow, in the kinetic metric. The impulse
    of a constraint that is nonlinear in them is along dphi/du where they arrive:

        after = da.nonholonomic(system.changed(constraints={...}))
        path = da.simulate(after, da.impacts.impose(after, before), until=...)

    Args:
        equations: the equations that hold afterwards.
        before: all coordinates and velocities: a `Start`, or a mapping such as ``path.at(t)``; numbers, or text with a
            unit, a rotation also by its own name. Other columns are not looked at.
        t: the time, where `before` has none; 0 if the system does not know the time.
        parameters: values that replace the system's.

    Raises:
        WrongType: E204 a value or parameters that are none, E241 no state, E307 no equations.
        UnknownName: E230, a state is missing.
        InvalidValue: E102, E233 a name given twice; E230, the system knows the time, and none is given; E131, no
            velocity satisfies the constraints at this position, the position does not satisfy a relation that is
            imposed, or which velocities are nearest is not determined (by nonlinear constraints); E235 for vakonomic
            equations; what `start` refuses.
    """
    if not isinstance(equations, Equations):
        raise WrongType("E307", f"impose needs equations, not {kind_of(equations)}", "da.nonholonomic(system)")
    if equations.states_of_multipliers:
        raise InvalidValue("E235", "the multipliers after an impact do not follow", "da.nonholonomic(system)")
    given = _named(before)
    known = _parameters(equations, before, parameters)
    now = _time(equations, before, given, t)
    state = _state(equations, given)
    values = {**equations.system.values(known), **state, TIME.name: now}
    _check_possible(equations, values)
    if _bent(equations):
        state |= Nearest(equations, values).found()
    start = equations.start(state, t=now, parameters=known, project="kinetic")
    _check_position(equations, start)
    lost, impulses, drivers = _balance(equations, values, start)
    own = {f.name: getattr(start, f.name) for f in fields(start)}
    return Imposed(**own, lost=lost, impulses=impulses, drivers=drivers)


def _named(before: object) -> dict[Any, Any]:
    if not isinstance(before, Mapping):
        raise WrongType(
            "E241",
            f"a state is a start or a mapping, not {kind_of(before)}",
            "da.impacts.impose(equations, path.at(t))",
        )
    return by_name(before, "the state before")


def _parameters(equations: Equations, before: Any, parameters: Any) -> dict[Any, Any]:
    """Those of the state before that the system knows, and those given in their place."""
    given = overriding(parameters)
    read_parameters(given)
    own = {**equations.system.parameters, **equations.system.symbols}
    kept = before.parameters if isinstance(before, Start) else {}
    return {n: v for n, v in kept.items() if n in own} | by_name(given, "parameters")


def _time(equations: Equations, before: object, given: Mapping[Any, Any], t: object) -> float:
    """The time, from the argument or from the state."""
    own = before.t if isinstance(before, Start) else given.get(TIME.name)
    if own is None and t is None:
        if equations.system.autonomous:
            return 0.0
        raise InvalidValue(
            "E230", "free: t, and the system knows the time", "da.impacts.impose(equations, path.at(t), t=t)"
        )
    first, *rest = [quantity(each, TIME.name, SECOND).value for each in (t, own) if each is not None]
    if rest and first != rest[0]:
        raise InvalidValue("E102", f"t is given twice, {first:g} and {rest[0]:g}", "leave one of them out")
    return first


def _state(equations: Equations, before: Mapping[Any, Any]) -> dict[str, float]:
    """Numbers by the names of the states."""
    found: dict[str, float] = {}
    for name, attitude in equations.space.attitudes.items():
        if name in before:
            found |= read_attitude(name, before[name], attitude)
            twice = sorted(set(found) & set(before))
            if twice:
                fact = f"{name} and its coordinates {', '.join(twice)} are both given"
                raise InvalidValue("E233", fact, "give one of them")
    read = {name: quantity(before[name], name) for name in equations.states if name in before}
    equations.system.fits({name: q.dimension for name, q in read.items() if q.dimension is not None})
    found |= {name: q.value for name, q in read.items()}
    missing = [name for name in equations.states if name not in found]
    if missing:
        fact = f"the state before lacks {', '.join(missing)}"
        raise UnknownName("E230", fact, did_you_mean(missing[0], map(str, before)))
    return {name: found[name] for name in equations.states}


def _bent(equations: Equations) -> bool:
    """Is a constraint nonlinear in the velocities?"""
    return any(c.kind == "nonlinear" for c in equations.constraints)


def _check_possible(equations: Equations, values: Mapping[str, float]) -> None:
    """E131: constraints that contradict each other at this position."""
    if _bent(equations):
        return
    phi = np.array(evaluate(equations.machine.phi, values), float)
    if len(phi) and contradict(Numbers.of(equations.machine.form, values).N, phi):
        names = ", ".join(c.name for c in equations.constraints)
        fact = f"no velocity satisfies {names} at this position"
        raise InvalidValue("E131", fact, "impose fewer constraints, or impose them elsewhere")


def _check_position(equations: Equations, start: Start) -> None:
    """E131: the position would have to change."""
    places = {q.name for q in equations.space.coordinates}
    far = {n: d for n, d in start.changes.items() if n in places and abs(d) > _OFF * (1 + abs(start[n]))}
    if far:
        name = max(far, key=lambda n: abs(far[n]))
        fact = f"the position does not satisfy what is imposed: {name} would have to move by {far[name]:.3g}"
        raise InvalidValue("E131", fact, "impose it at a position that satisfies it")


def _balance(
    equations: Equations, before: Mapping[str, float], after: Start
) -> tuple[float, dict[str, float], tuple[str, ...]]:
    """Energy lost, impulses by constraint, and the constraints that move by themselves."""
    names = [v.name for v in equations.space.velocities]
    u, new = (np.array([each[name] for name in names]) for each in (before, after))
    there = {**before, **dict(zip(names, new, strict=True))}
    numbers = Numbers.of(equations.machine.form._replace(W=equations.machine.metric), there)
    # T(u) - T(u+) = (u - u+) W (u + u+)/2
    lost = float((u - new) @ numbers.W @ (u + new)) / 2
    if not equations.constraints:
        return lost, {}, ()
    mu = np.linalg.lstsq(numbers.N.T, numbers.W @ (new - u), rcond=1e-10)[0]
    imposed = [c.name for c in equations.constraints]
    # c = phi at rest
    drift = np.array(evaluate(equations.machine.phi, {**before, **dict.fromkeys(names, 0.0)}), float)
    drivers = tuple(name for name, c in zip(imposed, drift, strict=True) if c)
    return lost, dict(zip(imposed, map(float, mu), strict=True)), drivers


# --- the nearest velocities that nonlinear constraints allow ---------------------------------------------------------
#     W (v - u) = N(v)^T mu ,    phi(v) = 0 ,    N = dphi/dv
#
# The impulse is along dphi/dv where the velocities arrive, as Chetaev's rule has it; v is nearest if
#
#     W - mu_s d2phi^s/dv dv > 0    on the velocities with N dv = 0 .

_STEPS, _MORE = 60, 30  # projections onto the tangents, then steps of Newton's iteration
_SETTLED, _POSITIVE = 1e-12, 1e-9  # of a velocity, of the metric
_SEEDS, _SAME, _APART = 24, 1e-9, 1e-4  # other places to begin at; of a distance: equal, elsewhere


class Nearest:
    """Constraints at a position, as functions of the velocities.

    Args:
        equations: whose constraints are imposed; of dependent ones those that are kept.
        values: of all symbols by name; its velocities are those before.
    """

    def __init__(self, equations: Equations, values: Mapping[str, float]) -> None:
        machine = equations.machine
        self.names, self.values = [v.name for v in equations.space.velocities], dict(values)
        kept, symbols = list(equations.kept), [machine.graph.symbol(name) for name in self.names]
        rows: list[Node] = [machine.phi[s] for s in kept]
        self.slopes = [gradient(row, symbols) for row in rows]
        self.rows, self.m, self.k = rows, len(rows), len(symbols)
        self.curves = [e for row in self.slopes for slope in row for e in gradient(slope, symbols)]
        self.W = np.array(evaluate([e for row in machine.metric for e in row], values), float).reshape(self.k, self.k)
        self.u = np.array([values[name] for name in self.names])

    def at(self, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """phi (m,), N (m, k) and d2phi (m, k, k)."""
        here = {**self.values, **dict(zip(self.names, v, strict=True))}
        flat = np.array(evaluate([*self.rows, *(e for row in self.slopes for e in row), *self.curves], here), float)
        phi, N, H = np.split(flat, [self.m, self.m + self.m * self.k])
        return phi, N.reshape(self.m, self.k), H.reshape(self.m, self.k, self.k)

    def found(self) -> dict[str, float]:
        """The velocities by name: the nearest of those that are reached from many places.

        Raises:
            InvalidValue: E131, there are none near by, or which are nearest is not determined.
        """
        v = self._first()
        far = self._far(v)
        for other in self._reached(self._ball(far)):
            d, least = self._far(other), self._far(v)
            if d < least * (1 - _SAME):
                v = other
            elif d < least * (1 + _SAME) and self._far(other, v) > _APART * far:
                raise _undetermined()
        self._check(v)
        return dict(zip(self.names, map(float, v), strict=True))

    def _first(self) -> np.ndarray:
        """Some velocities at which the iteration comes to rest: from those before, else from around them."""
        for v in self._reached([self.u, *self._ball(4 * max(self._far(np.zeros(self.k)), 1.0))]):
            return v
        raise _nowhere()

    def _reached(self, seeds: Iterable[np.ndarray]) -> Iterator[np.ndarray]:
        for seed in seeds:
            with suppress(InvalidValue):
                yield self._arrived(seed)

    def _far(self, v: np.ndarray, since: np.ndarray | None = None) -> float:
        """|v - u| in the kinetic metric."""
        d = v - (self.u if since is None else since)
        return float(np.sqrt(max(d @ self.W @ d, 0.0)))

    def _ball(self, far: float) -> list[np.ndarray]:
        """Velocities no farther from u than `far`: nearer ones than those that were found lie there."""
        sizes, axes = np.linalg.eigh(self.W)
        steps = np.random.default_rng(0).normal(size=(_SEEDS, self.k))
        steps /= np.linalg.norm(steps, axis=1)[:, None]
        # |s|_W = far
        ball = axes / np.sqrt(np.maximum(sizes, sizes.max() * 1e-12))
        return [self.u + far * (i + 1) / _SEEDS * ball @ step for i, step in enumerate(steps)]

    def _arrived(self, first: np.ndarray) -> np.ndarray:
        """Where the iteration from `first` comes to rest; E131 where it does not."""
        v = first
        for _ in range(_STEPS):
            # the nearest velocities on the tangent at v
            before = v
            v, _ = self._solved(self.W, v)
            if np.abs(v - before).max() <= _SETTLED * (1 + np.abs(v).max()):
                break
        mu = self._impulse(v)
        for _ in range(_MORE):
            before = v
            v, mu = self._solved(self._bent(v, mu), v)
            if np.abs(v - before).max() <= _SETTLED * (1 + np.abs(v).max()):
                return v
        raise _nowhere()

    def _impulse(self, v: np.ndarray) -> np.ndarray:
        return np.asarray(np.linalg.lstsq(self.at(v)[1].T, self.W @ (v - self.u), rcond=None)[0])

    def _bent(self, v: np.ndarray, mu: np.ndarray) -> np.ndarray:
        """W - mu_s d2phi^s."""
        return np.asarray(self.W - np.einsum("s,sab->ab", mu, self.at(v)[2]))

    def _solved(self, B: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """v + dv and mu with B dv + W (v - u) = N^T mu ,  phi + N dv = 0."""
        phi, N, _ = self.at(v)
        K = np.block([[B, -N.T], [N, np.zeros((self.m, self.m))]])
        if not (np.isfinite(K).all() and np.isfinite(phi).all()):
            raise _nowhere()
        try:
            x = np.linalg.solve(K, np.r_[self.W @ (self.u - v), -phi])
        except np.linalg.LinAlgError:
            raise _undetermined() from None
        return v + x[: self.k], x[self.k :]

    def _check(self, v: np.ndarray) -> None:
        """E131: another velocity near by is as near."""
        Z, mu = linalg.null_space(self.at(v)[1]), self._impulse(v)
        G = Z.T @ self.W @ Z
        least = np.linalg.eigvals(np.linalg.solve(G, Z.T @ self._bent(v, mu) @ Z)).real.min(initial=1.0)
        if least <= _POSITIVE:
            raise _undetermined()


def _nowhere() -> InvalidValue:
    return InvalidValue("E131", "no velocity was found that is nearest to the one before", "impose it elsewhere")


def _undetermined() -> InvalidValue:
    fact = "other velocities that the constraints allow are as near as the one that was found, or nearer"
    return InvalidValue("E131", fact, "impose it at other velocities")
