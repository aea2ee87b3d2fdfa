"""Units of the variables of a Functional Mock-up Unit, in base SI, as far as the system's units determine them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import sympy as sp

from ....calculus.quantity import SECOND, Dimension, dimension

if TYPE_CHECKING:
    from ... import Equations

TURN, RATE, GAIN = "rad", "rad/s", "rad/s**2"


@dataclass
class Units:
    """Units of one set of equations.

    Attributes:
        equations: whose.
        speeds: what those of the states mean that are neither coordinates nor velocities.
    """

    equations: Equations
    speeds: Mapping[str, sp.Expr] = field(default_factory=dict)

    def of(self, name: str) -> str:
        """The unit of a state, a parameter or an input, ``"m/s"``; "" where it is a number or not known."""
        if not self.equations.system.units:
            return ""
        return self._turning.get(name) or self._unit(self.speeds.get(name, sp.Symbol(name, real=True)))

    def rate(self, name: str) -> str:
        """The unit of d/dt of a state."""
        further = {TURN: RATE, RATE: GAIN}
        unit = self.of(name)
        return further.get(unit) or (_per_second(unit) if unit else self._of_number(name))

    def shown(self, function: str, name: str) -> str:
        """The unit of what is computed beside the state."""
        system = self.equations.system
        if function == "audit":
            energy = self._unit(system.lagrangian)
            return energy if name == "energy" or not energy else _per_second(energy)
        if function == "residual":
            return self._residual(name.removeprefix("residual(").removesuffix(")"))
        if function == "multipliers":
            return self._reaction(name)
        return self.of(name) if function == "velocities" else ""

    def _reaction(self, name: str) -> str:
        """That of a multiplier which is no state: EL_a = lam dphi/du^a, [L]/([u] s) = [lam] [phi]/[u]."""
        given = {c.multiplier.name: c for c in self.equations.constraints}
        unit = self.of(name)  # of one that is a state, beside L: [L]/[phi]
        return _per_second(unit) if unit and name in given and not given[name].holonomic else unit

    def _residual(self, name: str) -> str:
        given = {c.name: c.given for c in self.equations.constraints}
        held = name.removeprefix("d/dt ")
        unit = self._unit(given[held]) if held in given else ""
        return _per_second(unit) if unit and held != name else unit

    def _of_number(self, name: str) -> str:
        """1/s where a state is known to be a number."""
        known = self.equations.system.balance.known if self.equations.system.units else {}
        return "1/s" if known.get(name) == Dimension() else ""

    def _unit(self, expression: sp.Expr) -> str:
        return str(self.equations.system.unit(expression))

    @property
    def _turning(self) -> dict[str, str]:
        """Angles, and velocities that are the rates of angles."""
        space = self.equations.space
        angles = [q for q in space.coordinates if q.name in space.angles]
        rates = {str(space.rates[q]): RATE for q in angles if space.rates[q] in space.velocities}
        return {**{q.name: TURN for q in angles}, **rates}


def _per_second(unit: str) -> str:
    return str(dimension(unit, unit) / SECOND)


def base(unit: str) -> dict[str, int] | None:
    """Powers of base units as FMI writes them; None where a power is no whole number."""
    turns = {TURN: {"rad": 1}, RATE: {"rad": 1, "s": -1}, GAIN: {"rad": 1, "s": -2}}
    if unit in turns:
        return turns[unit]
    powers = dimension(unit, unit).powers
    return {name: int(e) for name, e in powers} if all(e.denominator == 1 for _, e in powers) else None
