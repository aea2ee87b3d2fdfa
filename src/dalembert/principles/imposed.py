"""Constraints imposed at an instant, for good: where the velocities jump to, and what is lost.

    W (u+ - u) = N^T mu ,    N u+ + c = 0

The velocities jump to the nearest ones that the constraints allow, in the kinetic metric W [ibort2001]. Where
constraints are nonlinear in them, these are found from a projection (`nearest`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from ..calculus.attitudes import read_attitude
from ..calculus.frame import TIME
from ..calculus.graph import evaluate
from ..calculus.quantity import SECOND, quantity
from ..calculus.symbols import by_name
from ..equations import Equations, Numbers, Start
from ..errors import InvalidValue, UnknownName, WrongType, did_you_mean
from ..given import overriding, public
from ..model.parameters import given as read_parameters
from .impulsive import contradict
from .nearest import Nearest

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
def impose(equations: Equations, before: Any, *, t: Any = None, parameters: Mapping[Any, Any] | None = None) -> Imposed:
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
        raise WrongType("E307", f"impose needs equations, not {type(equations).__name__}", "da.nonholonomic(system)")
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


def _named(before: Any) -> dict[Any, Any]:
    if not isinstance(before, Mapping):
        raise WrongType(
            "E241",
            f"a state is a start or a mapping, not {type(before).__name__}",
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


def _time(equations: Equations, before: Any, given: Mapping[Any, Any], t: Any) -> float:
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
