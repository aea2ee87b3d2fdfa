"""Linear equations between exponents: which dimensions follow from those that are known, and which contradict them."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from ..calculus.dimension import NUMBER, Dimension, power


@dataclass(frozen=True)
class Form:
    """A dimension that is known up to powers of unknown ones: ``known * prod [name]**exponent``."""

    known: Dimension = NUMBER
    unknown: tuple[tuple[str, Fraction], ...] = ()

    @classmethod
    def of(cls, name: str) -> Form:
        """The dimension of `name`, unknown so far."""
        return cls(NUMBER, ((name, Fraction(1)),))

    def __mul__(self, other: Form) -> Form:
        exponents = dict(self.unknown)
        for name, exponent in other.unknown:
            exponents[name] = exponents.get(name, Fraction(0)) + exponent
        return Form(self.known * other.known, tuple(sorted((n, e) for n, e in exponents.items() if e)))

    def __pow__(self, exponent: int | Fraction) -> Form:
        scaled = tuple((n, e * exponent) for n, e in self.unknown) if exponent else ()
        return Form(self.known**exponent, scaled)

    def __truediv__(self, other: Form) -> Form:
        return self * other**-1

    def __str__(self) -> str:
        """For the eye: units, then unknown dimensions in brackets."""
        parts = [power(f"[{n}]", e) for n, e in self.unknown]
        return "*".join(([str(self.known)] if self.known != NUMBER or not parts else []) + parts)


@dataclass
class Balance:
    """Equations between dimensions, kept solved: each name in `solved` is a `Form` in names that are not."""

    solved: dict[str, Form] = field(default_factory=dict)

    def copy(self) -> Balance:
        """A balance that can be extended without changing this one."""
        return Balance(dict(self.solved))

    def reduced(self, form: Form) -> Form:
        """The form with everything that is known put in."""
        result = Form(form.known)
        for name, exponent in form.unknown:
            result *= self.solved.get(name, Form.of(name)) ** exponent
        return result

    def agree(self, a: Form, b: Form) -> bool:
        """Demand that a and b are one dimension; False, and nothing learnt, if they cannot be."""
        # a/b = known * prod [name]**exponent = 1
        quotient = self.reduced(a / b)
        if not quotient.unknown:
            return quotient.known == NUMBER
        name, exponent = quotient.unknown[-1]
        found = (Form.of(name) ** exponent / quotient) ** (1 / exponent)
        self.solved[name] = found
        self.solved = {n: self.reduced(form) for n, form in self.solved.items()}
        return True

    @property
    def known(self) -> dict[str, Dimension]:
        """Every dimension that is determined."""
        return {name: form.known for name, form in self.solved.items() if not form.unknown}
