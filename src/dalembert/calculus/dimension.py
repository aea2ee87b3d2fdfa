"""A physical dimension: a product of powers of the base units kg, m, s, A, K, mol and cd. Angles are numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

_ORDER = {name: i for i, name in enumerate(("kg", "m", "s", "A", "K", "mol", "cd"))}


@dataclass(frozen=True)
class Dimension:
    """Powers of base units, ``Dimension.of({"kg": 1, "s": -2})``; shown as ``kg/s**2``, and as ``1`` for a number."""

    powers: tuple[tuple[str, Fraction], ...] = ()

    @classmethod
    def of(cls, powers: Mapping[str, int | Fraction]) -> Dimension:
        """From ``{base unit: power}``."""
        kept = {name: Fraction(e) for name, e in powers.items() if e != 0}
        return cls(tuple(sorted(kept.items(), key=lambda item: (_ORDER.get(item[0], len(_ORDER)), item[0]))))

    def __mul__(self, other: Dimension) -> Dimension:
        powers = dict(self.powers)
        for name, e in other.powers:
            powers[name] = powers.get(name, Fraction(0)) + e
        return Dimension.of(powers)

    def __truediv__(self, other: Dimension) -> Dimension:
        return self * other**-1

    def __pow__(self, exponent: int | Fraction) -> Dimension:
        return Dimension.of({name: e * exponent for name, e in self.powers})

    def __str__(self) -> str:
        above = [power(name, e) for name, e in self.powers if e > 0]
        below = [power(name, -e) for name, e in self.powers if e < 0]
        if not below:
            return "*".join(above) or "1"
        divisor = "*".join(below)
        return ("*".join(above) or "1") + "/" + (divisor if len(below) == 1 else f"({divisor})")


def power(name: str, exponent: Fraction) -> str:
    """``name**exponent`` for the eye."""
    if exponent == 1:
        return name
    return f"{name}**{exponent}" if exponent.denominator == 1 else f"{name}**({exponent})"


NUMBER = Dimension()
SECOND = Dimension.of({"s": 1})
