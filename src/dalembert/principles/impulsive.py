"""Impulsive constraints: walls, constraints imposed at an instant, and what happens to the velocities there.

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
from dataclasses import dataclass, field, fields
from functools import cached_property
from itertools import combinations, islice
from typing import Any

import numpy as np
import sympy as sp

from ..calculus.cofactors import adjugate, determinant
from ..calculus.frame import TIME
from ..calculus.graph import Graph, evaluate
from ..calculus.number import number
from ..calculus.rank import null_space
from ..calculus.read import read
from ..equations import Equations, Numbers, Start
from ..errors import InvalidValue, UnknownName, WrongType, did_you_mean, warn
from ..event import Event
from ..geometry.pivots import pivots
from ..geometry.restrict import allowed
from ..geometry.states import Ground
from ..model.expression import Reader
from ..model.system import System
from .wellposed import standing

NORMAL = "normal"
_STATES, _TRIES = 4, 60
_GAIN = 1e-9  # of the energy: a smaller gain is rounding
_OFF = 1e-8  # of a coordinate's size: as far the position may be from a relation that is imposed
_INSTANT, _ROUNDING = 1e-10, 1e-14  # of the time, of the guard's terms: two walls met within it are met at once


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

    Warns:
        DalembertWarning: W131, the impact gains energy at some velocities.
    """
    body = _Body.of(system)
    return _event_of(body, _Wall.of(body, name, guard, constraints, restitution), ())


def walls(system: System, given: Mapping[str, Any], *, restitution: Any = 1.0) -> list[Event]:
    """Several walls, of which two that are met at one instant act at once, as one wall that imposes what both impose.

    Args:
        system: the system.
        given: ``{name: guard}``, or ``{name: {"guard": ..., "constraints": ..., "restitution": ...}}``, each as for
            `wall`.
        restitution: of the walls that have none of their own.

    Returns:
        One `Event` for each wall. Where a third wall is met at the same instant, it acts after the first two.

    Raises:
        InvalidValue: what `wall` raises; E132, two walls are one surface.
    """
    if not isinstance(given, Mapping) or not given:
        raise WrongType("E131", "walls are given by name", 'da.walls(system, {"left": x, "right": 1 - x})')
    body = _Body.of(system)
    found = [_Wall.of(body, str(name), **_options(each, restitution)) for name, each in given.items()]
    _check_apart(body, found)
    return [_event_of(body, each, [other for other in found if other is not each]) for each in found]


def loss(
    system: System, guard: Any, constraints: Mapping[str, Any] | None = None, *, restitution: Any = 1.0
) -> sp.Expr:
    """The kinetic energy that an impact takes from the motion, as a function of the state before it.

    It is T(u) - T(u+); with one restitution e for all rows it is (1 - e^2)/2 delta W delta >= 0, where nothing drives
    the system and the wall is at rest. Where it is negative the impact gains energy, as laws with a restitution of the
    normal alone can against a rough wall. Arguments as for `wall`.
    """
    body = _Body.of(system)
    return body.impact([_Wall.of(body, "the wall", guard, constraints, restitution)]).loss


# --- a constraint imposed at an instant ------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Imposed(Start):
    """The state right after constraints were imposed: a `Start` of the equations that hold from then on.

    Attributes:
        lost: kinetic energy lost.
        impulses: by constraint, in W (u+ - u) = impulse dphi/du; of least norm where constraints depend on each other.
    """

    lost: float = 0.0
    impulses: Mapping[str, float] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{super().__str__()}\n  lost     {self.lost:.10g} of kinetic energy"


def impose(equations: Equations, before: Any, *, parameters: Mapping[Any, Any] | None = None) -> Imposed:
    """Impose the constraints of `equations` on a moving system; they stay imposed.

    Positions stay, velocities jump to the nearest ones that the constraints allow, in the kinetic metric:

        after = da.nonholonomic(system.changed(constraints={...}))
        path = da.simulate(after, da.impose(after, before), until=...)

    Args:
        equations: the equations that hold afterwards.
        before: all coordinates and velocities: a `Start`, or a mapping such as ``path.at(t)``, with the time as ``"t"``
            if it is not 0. Other columns are not looked at.
        parameters: values that replace the system's.

    Raises:
        UnknownName: E230, a state is missing.
        InvalidValue: E131, no velocity satisfies the constraints at this position, the position does not satisfy a
            relation that is imposed, or a constraint is nonlinear in the velocities; E235 for vakonomic equations.
    """
    if not isinstance(equations, Equations):
        raise WrongType("E307", f"impose needs equations, not {type(equations).__name__}", "da.nonholonomic(system)")
    if equations.states_of_multipliers:
        raise InvalidValue("E235", "the multipliers after an impact do not follow", "da.nonholonomic(system)")
    state, t, known = _before(equations, before)
    known |= dict(parameters or {})
    values = {**equations.system.values(known), **state, TIME.name: t}
    _check_possible(equations, values)
    start = equations.start(**state, t=t, parameters=known, project="kinetic")
    _check_position(equations, start)
    lost, impulses = _balance(equations, values, start)
    return Imposed(**{f.name: getattr(start, f.name) for f in fields(start)}, lost=lost, impulses=impulses)


def _before(equations: Equations, before: Any) -> tuple[dict[str, float], float, dict[Any, Any]]:
    """States, time and parameters of the state before."""
    if not isinstance(before, Mapping):
        raise WrongType(
            "E241", f"a state is a start or a mapping, not {type(before).__name__}", "da.impose(equations, path.at(t))"
        )
    missing = [name for name in equations.states if name not in before]
    if missing:
        fact = f"the state before lacks {', '.join(missing)}"
        raise UnknownName("E230", fact, did_you_mean(missing[0], map(str, before)))
    state = {name: number(before[name], name) for name in equations.states}
    if not isinstance(before, Start):
        return state, number(before.get(TIME.name, 0.0), "t"), {}
    own = {**equations.system.parameters, **equations.system.symbols}
    return state, before.t, {name: value for name, value in before.parameters.items() if name in own}


def _check_possible(equations: Equations, values: Mapping[str, float]) -> None:
    """E131: a constraint is nonlinear, or they contradict each other at this position."""
    for c in equations.constraints:
        if c.kind == "nonlinear":
            raise InvalidValue("E131", f"{c.name} is nonlinear in the velocities", "impacts need linear or affine ones")
    phi = np.array(evaluate(equations.machine.phi, values), float)
    if len(phi) and _contradict(Numbers.of(equations.machine.form, values).N, phi):
        names = ", ".join(c.name for c in equations.constraints)
        fact = f"no velocity satisfies {names} at this position"
        raise InvalidValue("E131", fact, "impose fewer constraints, or impose them elsewhere")


def _contradict(N: np.ndarray, phi: np.ndarray) -> bool:
    """Has N du = -phi no solution?"""
    du = np.linalg.lstsq(N, -phi, rcond=1e-10)[0]
    size = np.abs(N).max(initial=0.0) * np.abs(du).max(initial=0.0) + np.abs(phi).max(initial=0.0)
    return bool(np.abs(N @ du + phi).max(initial=0.0) > 1e-9 * size)


def _check_position(equations: Equations, start: Start) -> None:
    """E131: the position would have to change."""
    places = {q.name for q in equations.space.coordinates}
    far = {n: d for n, d in start.changes.items() if n in places and abs(d) > _OFF * (1 + abs(start[n]))}
    if far:
        name = max(far, key=lambda n: abs(far[n]))
        fact = f"the position does not satisfy what is imposed: {name} would have to move by {far[name]:.3g}"
        raise InvalidValue("E131", fact, "impose it at a position that satisfies it")


def _balance(equations: Equations, before: Mapping[str, float], after: Start) -> tuple[float, dict[str, float]]:
    """Energy lost, and impulses by constraint."""
    numbers = Numbers.of(equations.machine.form._replace(W=equations.machine.metric), before)
    u, new = (np.array([each[v.name] for v in equations.space.velocities]) for each in (before, after))
    # T(u) - T(u+) = (u - u+) W (u + u+)/2
    lost = float((u - new) @ numbers.W @ (u + new)) / 2
    if not equations.constraints:
        return lost, {}
    mu = np.linalg.lstsq(numbers.N.T, numbers.W @ (new - u), rcond=1e-10)[0]
    return lost, {c.name: float(value) for c, value in zip(equations.constraints, mu, strict=True)}


# --- what a wall imposes ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Wall:
    """A wall as given.

    Attributes:
        name: of it.
        guard: f(t, q).
        rows: df/dt and what else it imposes, each to be 0.
        factors: the restitution of each row.
    """

    name: str
    guard: sp.Expr
    rows: Mapping[str, sp.Expr]
    factors: Mapping[str, sp.Expr]

    @classmethod
    def of(cls, body: _Body, name: str, guard: Any, constraints: Any = None, restitution: Any = 1.0) -> _Wall:
        """Read, or refuse."""
        reader = Reader(body.system.space)
        f = reader.read(guard, "the guard")
        if not isinstance(constraints, Mapping | None):
            raise WrongType("E131", "what a wall imposes is given by name", 'constraints={"grip": phi}')
        rows = {NORMAL: _normal(f, body.system.space)}
        for label, phi in (constraints or {}).items():
            rows[str(label)] = reader.read(phi, f"the wall's {label}")
        return cls(name, f, rows, _restitutions(restitution, rows, reader, body.system))


def _options(given: Any, restitution: Any) -> dict[str, Any]:
    """One entry of `walls` as arguments."""
    if not isinstance(given, Mapping):
        return {"guard": given, "restitution": restitution}
    strange = [str(k) for k in given if k not in ("guard", "constraints", "restitution")]
    if strange or "guard" not in given:
        fact = f"a wall has no {strange[0]!r}" if strange else "a wall needs a guard"
        raise InvalidValue("E131", fact, '{"guard": ..., "constraints": {...}, "restitution": e}')
    return {"restitution": restitution, **given}


def _normal(guard: sp.Expr, space: Any) -> sp.Expr:
    """df/dt of a function of the position and the time."""
    if guard.free_symbols & set(space.velocities) or not guard.free_symbols & set(space.coordinates):
        raise InvalidValue(
            "E131", f"the guard {guard} is no function of the position", "f(q) > 0 where the motion is free"
        )
    return sum((guard.diff(q) * rate for q, rate in space.rates.items()), guard.diff(TIME))


def _restitutions(given: Any, rows: Mapping[str, Any], reader: Reader, system: System) -> dict[str, sp.Expr]:
    if not isinstance(given, Mapping):
        return dict.fromkeys(rows, _restitution(given, reader, system))
    unknown = [str(k) for k in given if str(k) not in rows]
    if unknown:
        raise InvalidValue("E130", f"restitution: {unknown[0]!r} is nothing that the wall imposes", ", ".join(rows))
    return {name: _restitution(given.get(name, 0), reader, system) for name in rows}


def _restitution(given: Any, reader: Reader, system: System) -> sp.Expr:
    """A number in [0, 1], or an expression in parameters; where these have values, it must lie there too."""
    if not (isinstance(given, sp.Expr) and given.free_symbols):
        e = number(given, "restitution")
        _check_range("restitution", e)
        return sp.Rational(int(e)) if e in (0, 1) else sp.Float(e)
    e = reader.read(given, "the restitution")
    if e.free_symbols & {TIME, *system.space}:
        raise InvalidValue("E130", f"restitution = {e} depends on the state", "give a number or a parameter")
    known = {k: v for k, v in system.parameters.items() if v is not None}
    if {s.name for s in e.free_symbols} <= set(known):
        _check_range(f"restitution {e}", float(_values([e], known)[0]))
    return e


def _check_range(what: str, e: float) -> None:
    if not 0 <= e <= 1:
        raise InvalidValue("E130", f"{what} = {e:g} lies outside [0, 1]", "1 is elastic, 0 is plastic")


# --- the impact ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Impact:
    """What one wall, or two at once, do.

    Attributes:
        shift: (1 + e) delta, which the velocities lose.
        loss: T(u) - T(u+).
        N, A: independent rows of the system, and of the walls.
        factors: restitution of each row of A.
    """

    shift: list[sp.Expr]
    loss: sp.Expr
    N: sp.Matrix
    A: sp.Matrix
    factors: list[sp.Expr]


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
        decided = standing(system)
        u = list(decided.system.space.velocities)
        W = sp.hessian(decided.system.lagrangian, u)
        if W.free_symbols & set(u):
            raise InvalidValue("E131", "L is not quadratic in the velocities: there is no kinetic metric", "L = T - V")
        return cls(decided.system, [decided.system.constraints[s].phi for s in decided.kept], W)

    @property
    def u(self) -> list[sp.Symbol]:
        """The velocities."""
        return list(self.system.space.velocities)

    def impact(self, met: Sequence[_Wall]) -> _Impact:
        """What these walls do, met at once.

        Raises:
            InvalidValue: E131, a row is nonlinear, no velocity satisfies the rows, or the walls impose nothing.
        """
        own, u, names = len(self.phis), self.u, " and ".join(each.name for each in met)
        phis = [*self.phis, *(phi for each in met for phi in each.rows.values())]
        factors = [e for each in met for e in each.factors.values()]
        B = sp.Matrix([[phi.diff(v) for v in u] for phi in phis])
        if B.free_symbols & set(u):
            fact = "a constraint is nonlinear in the velocities"
            raise InvalidValue("E131", fact, "impacts need linear or affine ones")
        self._check_consistent(B, phis, names)
        chosen, _ = pivots(self.system, B)
        kept, taken = ([i for i in chosen if (i >= own) == late] for late in (False, True))
        if not taken:
            fact = f"{names} imposes nothing that the constraints do not impose already"
            raise InvalidValue("E131", fact, "look at the guard")
        every = range(len(u))
        N, A, e = B.extract(kept, every), B.extract(taken, every), [factors[i - own] for i in taken]
        shift = self._least(N, A, [(1 + ei) * phis[i] for ei, i in zip(e, taken, strict=True)])
        s = sp.Matrix(shift)
        # T(u) - T(u - s) = s W u - s W s/2
        lost = (s.T * self.W * sp.Matrix(u))[0] - (s.T * self.W * s)[0] / 2
        return _Impact(shift, lost, N, A, e)

    def _least(self, N: sp.Matrix, A: sp.Matrix, b: list[sp.Expr]) -> list[sp.Expr]:
        """The least s, in the metric, with A s = b among those with N s = 0."""
        Z = self.frame
        if Z is None:
            return _shortest(self.W, sp.Matrix.vstack(N, A), [sp.S.Zero] * N.rows + b)
        # s = Z v
        return list(Z * sp.Matrix(_shortest(Z.T * self.W * Z, A * Z, b)))

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
            if _contradict(flat[: len(B)].reshape(B.shape), flat[len(B) :]):
                fact = f"no velocity satisfies the constraints and {names} together"
                raise InvalidValue("E131", fact, "the motion cannot stop there: look at what drives it")


def _shortest(W: sp.Matrix, B: sp.Matrix, b: list[sp.Expr]) -> list[sp.Expr]:
    # s = W^-1 B^T (B W^-1 B^T)^-1 b
    inverse = adjugate(W) / determinant(W)
    S = B * inverse * B.T
    return list(inverse * B.T * adjugate(S) * sp.Matrix(b) / determinant(S))


def _states(system: System) -> list[dict[str, float]]:
    """Random states on the constraints."""
    return [values for values, held in islice(Ground(system).states(29), _TRIES) if held][:_STATES]


def _values(expressions: Sequence[sp.Expr], values: Mapping[str, float]) -> np.ndarray:
    graph = Graph()
    return np.array(evaluate([read(e, graph) for e in expressions], values), float)


# --- does it gain energy? --------------------------------------------------------------------------------------------


def _flag_gain(body: _Body, impact: _Impact, name: str) -> None:
    """W131: at some velocity the impact gives energy."""
    if len(set(impact.factors)) < 2:
        return
    most = max((_gain(body, impact, values) for values in _states(body.system)), default=0.0)
    if most > _GAIN:
        text = f"the impact at {name} can gain energy, up to {most:.0%} of it: restitutions differ from row to row"
        warn("W131", f"{text}; da.loss(...) tells at a state", 5)


def _gain(body: _Body, impact: _Impact, values: Mapping[str, float]) -> float:
    """The largest part of its energy that a velocity can gain at a position, with restitutions where they are known."""
    from scipy.linalg import eigh

    k = len(body.u)
    known = {s.name: values.get(s.name, 0.5) for e in impact.factors for s in e.free_symbols}
    known |= {name: 0.5 for name, e in known.items() if not 0 <= e <= 1}
    W, N, A = (_values(list(M), values).reshape(-1, k) for M in (body.W, impact.N, impact.A))
    reversed_ = np.diag(1 + _values(impact.factors, known))
    Z = null_space(N) if len(N) else np.eye(k)
    G = Z.T @ W @ Z
    a = A @ Z
    # s = G^-1 a^T (a G^-1 a^T)^-1 (1 + e) a v ,  loss = s G v - s G s/2
    s = np.linalg.solve(G, a.T) @ np.linalg.solve(a @ np.linalg.solve(G, a.T), reversed_ @ a)
    lost = s.T @ G - s.T @ G @ s / 2
    return -2 * float(eigh((lost + lost.T) / 2, G, eigvals_only=True)[0])


# --- events ----------------------------------------------------------------------------------------------------------


def _event_of(body: _Body, met: _Wall, others: Sequence[_Wall]) -> Event:
    """The event of a wall; at a corner it lets the other wall act as well."""
    alone = body.impact([met])
    _flag_gain(body, alone, met.name)
    branches = [(_in_range(alone), sp.true)]
    for other in others:
        both = _together(body, alone, met, other)
        if both is not None:
            branches.insert(0, (_in_range(both), _is_met(body, other)))
    jump = {}
    for i, v in enumerate(body.u):
        if any(shift[i] != 0 for shift, _ in branches):
            jump[v.name] = v - sp.Piecewise(*((shift[i], when) for shift, when in branches))
    return Event(met.name, met.guard, jump, -1)


def _in_range(impact: _Impact) -> list[sp.Expr]:
    """The shift; undefined where a restitution lies outside [0, 1]."""
    given = [e for e in dict.fromkeys(impact.factors) if e.free_symbols]
    if not given:
        return impact.shift
    fits = sp.And(*(condition for e in given for condition in (sp.Ge(e, 0), sp.Le(e, 1))))
    return [sp.Piecewise((s, fits)) if s != 0 else s for s in impact.shift]


def _together(body: _Body, alone: _Impact, met: _Wall, other: _Wall) -> _Impact | None:
    """Both at once; None where the other adds nothing, or where the two can only crush what is between them."""
    try:
        both = body.impact([met, other])
    except InvalidValue:
        return None
    return both if both.A.rows > alone.A.rows else None


def _is_met(body: _Body, wall_: _Wall) -> sp.Basic:
    """Is this wall met at this instant as well, as far as rounding of the time and of the guard's terms can tell?"""
    f, rate = wall_.guard, wall_.rows[NORMAL]
    size = sum((sp.Abs(q * f.diff(q)) for q in body.system.space.coordinates), sp.S.Zero)
    return sp.And(sp.Abs(f) <= _INSTANT * sp.Abs(TIME * rate) + _ROUNDING * size, rate < 0)


def _check_apart(body: _Body, found: Sequence[_Wall]) -> None:
    """E132: two walls are one surface."""
    states = _states(body.system)
    for one, other in combinations(found, 2):
        f, g = (np.array([_values([each.guard], values)[0] for values in states]) for each in (one, other))
        # f = c g
        if abs(abs(f @ g) - np.linalg.norm(f) * np.linalg.norm(g)) <= 1e-12 * np.linalg.norm(f) * np.linalg.norm(g):
            raise InvalidValue(
                "E132",
                f"{one.name} and {other.name} are one surface, always met at once: which acts is not said",
                "give one wall with the constraints of both",
            )
