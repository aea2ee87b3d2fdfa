"""What keeps a motion on its constraints: projection after every step, damping of the residual, or nothing."""

from __future__ import annotations

from dataclasses import dataclass

from ...calculus.quantity import is_finite
from ...errors import InvalidValue, as_given
from ...given import noun


@noun
@dataclass(frozen=True)
class Projection:
    """After every step, back to the constraints along the kinetic metric: the residual stays at rounding."""


@noun
@dataclass(frozen=True)
class Baumgarte:
    """d/dt phi = -rate phi instead of 0: a residual decays, the equations are changed by it.

    Attributes:
        rate: in 1/time, > 0; positions of holonomic constraints decay critically damped with the same rate.
    """

    rate: float = 1.0

    def __post_init__(self) -> None:
        if not (is_finite(self.rate) and self.rate > 0):
            raise InvalidValue(
                "E305",
                f"Baumgarte rate = {as_given(self.rate)} must be positive and finite",
                "da.methods.Baumgarte(1.0)",
            )


@noun
@dataclass(frozen=True)
class Drift:
    """No stabilisation: the residual shows the integration's own error."""


Stabilisation = Projection | Baumgarte | Drift
USUAL: Stabilisation = Projection()
