"""Methods of fixed step size that preserve structure: which there are, what each needs, and their steppers."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from ....calculus.algebra import Machine
from ....calculus.frame import TIME
from ....calculus.graph import evaluate, symbols
from ....calculus.hamel import Motion
from ....calculus.rank import rank_of
from ....calculus.read import read
from ....equations import Equations
from ....errors import InvalidValue, Note, warn
from ...vector_field.field import Field
from .composition import steps
from .discrete_gradient import discrete_gradient
from .implicit import FixedStepper
from .lagrange_dalembert import lagrange_dalembert
from .one_step import REFERENCE, Compiled, Scheme
from .symmetric_projection import symmetric_projection

SCHEMES: dict[str, Callable[[Equations], Scheme]] = {
    "dla": lagrange_dalembert,
    "discrete_gradient": discrete_gradient,
    "symmetric_projection": symmetric_projection,
}
_ANY = 'method="symmetric_projection", which works with every set of equations'

_CACHE: weakref.WeakKeyDictionary[Equations, dict[str, Compiled]] = weakref.WeakKeyDictionary()


def stepper(field: Field, margin_limit: float, chunk: int) -> FixedStepper:
    """The stepper of a run with a method of `SCHEMES`.

    Raises:
        InvalidValue: E307, the method does not fit the equations.
    """
    policy, equations = field.policy, field.kernel.equations
    _fits(field, policy.method)
    compiled = _CACHE.setdefault(equations, {})
    if policy.method not in compiled:
        scheme = SCHEMES[policy.method](equations)
        places = {name: i for i, name in enumerate(field.kernel.parameters)}
        compiled[policy.method] = Compiled.of(equations, scheme, {**places, REFERENCE: len(field.p)})
    energy = field.energy(np.array([field.start.t]), field.first[None])
    return FixedStepper(
        field.kernel.rhs,
        compiled[policy.method],
        steps(policy.order or 2),
        field.start.t,
        field.first,
        np.r_[field.p, energy],
        step=float(policy.step or 0.0),
        margin_limit=margin_limit,
        max_steps=int(min(policy.max_steps, 2**62)),
        chunk=chunk,
    )


def doubts(equations: Equations, method: str) -> tuple[Note, ...]:
    """W308 where the method's long-time behaviour is promised for other systems than this one."""
    if method != "dla":
        return ()
    graph = equations.machine.graph
    if any(not read(Q, graph).is_zero for Q in equations.system.forces):
        fact = (
            "forces act: that the discrete Lagrange-d'Alembert method keeps the energy near its start is known without"
        )
    elif TIME.name in symbols([equations.machine.energy, *equations.machine.phi]):
        fact = (
            "the system knows the time: it has no energy that the discrete Lagrange-d'Alembert method could keep near"
        )
    else:
        return ()
    return (warn("W308", f'{fact}; method="discrete_gradient" keeps the work balance', 5),)


def _fits(field: Field, method: str) -> None:
    """E307 where the method is not made for the equations."""
    equations = field.kernel.equations
    if method == "symmetric_projection":
        return
    if equations.states_of_multipliers:
        fact = f'method="{method}" is for multipliers that are reactions; {equations.principle} ones are states'
        raise InvalidValue("E307", fact, _ANY)
    if method == "discrete_gradient" and not equations.metric_definite:
        fact = 'method="discrete_gradient" needs a positive definite kinetic energy'
        raise InvalidValue("E307", fact, _ANY)
    if method == "dla" and (equations.space.almost or _anchor_rank(field) < len(equations.space.velocities)):
        fact = 'method="dla" needs velocities that the rates of the coordinates determine (qdot = E u), and brackets'
        raise InvalidValue("E307", f"{fact} that follow from E: this space has others", _ANY)


def _anchor_rank(field: Field) -> int:
    """Rank of E at the start."""
    motion = Motion(field.equations.space.frame, Machine(field.equations.machine.graph))
    flat: list[Any] = evaluate([e for row in motion.anchor for e in row], field.values(field.start.t, field.first))
    return int(rank_of(np.array(flat, float).reshape(len(motion.q), len(motion.u)))) if motion.q else 0
