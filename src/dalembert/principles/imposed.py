"""Constraints imposed at an instant, for good: where the velocities jump to, and what is lost.

    W (u+ - u) = N^T mu ,    N u+ + c = 0

The velocities jump to the nearest ones that the constraints allow, in the kinetic metric W [ibort2001].
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from ..calculus.frame import TIME
from ..calculus.graph import evaluate
from ..calculus.number import number
from ..equations import Equations, Numbers, Start
from ..errors import InvalidValue, UnknownName, WrongType, did_you_mean
from .impulsive import contradict

_OFF = 1e-8  # of a coordinate's size: as far the position may be from a relation that is imposed


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
