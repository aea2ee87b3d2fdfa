"""Forces: an applied force acts where a point moves, and its components follow from that.

    Q_a = F . dv/du^a

v(q, u) being the velocity of the point on which F acts. Friction laws, follower forces and dissipation functions are
all of this form. Forces add up: give `System` a list of them, or a plain ``{velocity: Q}``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sympy as sp

from ..errors import InvalidValue, WrongType


@dataclass(frozen=True)
class Force:
    """A force F on a point with velocity v: Q_a = F . dv/du^a.

    Attributes:
        name: for messages and events.
        velocity: components of v(t, q, u).
        force: components of F(t, q, u), in the same axes.
        slip: components of a velocity at whose zero the law is not defined (dry friction), or empty.
        coefficients: ``{label: expression}`` that must not be negative.
    """

    name: str
    velocity: tuple[Any, ...]
    force: tuple[Any, ...]
    slip: tuple[Any, ...] = ()
    coefficients: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if len(self.velocity) != len(self.force):
            raise InvalidValue(
                "E127",
                f"force {self.name!r} has {len(self.force)} components, "
                f"the velocity it acts along has {len(self.velocity)}",
                "give as many components as the velocity has",
            )


def applied_force(velocity: Sequence[Any], force: Sequence[Any], name: str = "force") -> Force:
    """A given force on a point moving with `velocity`.

    A follower force is one whose components turn with the body: ``applied_force([vx, vy], [F*cos(theta),
        F*sin(theta)])``.
    """
    return Force(name, _components(velocity, name), _components(force, name))


def rayleigh(dissipation: Any, name: str = "dissipation") -> Force:
    """Q_a = -dD/du^a of a Rayleigh dissipation function D(q, u)."""
    return Force(name, (dissipation,), (-1,))


def viscous_friction(velocity: Sequence[Any], coefficient: Any, name: str = "viscous friction") -> Force:
    """F = -nu v on a point moving with v (translational, [lewis1995 (3.2)]); for angular velocities a torque -mu w."""
    v = _components(velocity, name)
    return Force(name, v, tuple(-coefficient * vi for vi in v), coefficients={"coefficient": coefficient})


def rotational_friction(angular_velocity: Sequence[Any], coefficient: Any, name: str = "rotational friction") -> Force:
    """T = -mu w: the air's resistance to turning [lewis1995 (3.5)]."""
    return viscous_friction(angular_velocity, coefficient, name)


def rolling_friction(
    slip: Sequence[Any],
    coefficient: Any,
    load: Any,
    velocity: Sequence[Any] | None = None,
    name: str = "rolling friction",
) -> Force:
    """F = -delta N v/|v|: a resistance of fixed size against the velocity v relative to the surface.

    Args:
        slip: components of v, the velocity of the body relative to the surface it rolls on.
        coefficient: delta >= 0, without dimension.
        load: N, the normal force (m g on a level table).
        velocity: velocity of the point on which F acts, if not v itself.
        name: for messages and events.

    At v = 0 the law has no direction: a run stops there, as an event called ``"<name> at rest"``.
    """
    slip = _components(slip, name)
    speed = sp.sqrt(sum(v**2 for v in slip))
    force = tuple(-coefficient * load * v / speed for v in slip)
    return Force(name, tuple(velocity or slip), force, slip=tuple(slip), coefficients={"coefficient": coefficient})


def _components(given: Any, name: str) -> tuple[Any, ...]:
    """Components as a tuple of expressions; E127 for one expression, or text, in place of a list."""
    if isinstance(given, str | sp.Basic) and not isinstance(given, sp.MatrixBase | sp.Tuple):
        raise WrongType("E127", f"{name}: components are a list, not {type(given).__name__}", "write [vx, vy]")
    components = tuple(given)
    if any(isinstance(c, str) for c in components):
        raise WrongType("E127", f"{name}: a component is text", "build it from symbols")
    return components
