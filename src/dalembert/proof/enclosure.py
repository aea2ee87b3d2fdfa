"""What a proof hands out: intervals with exact ends, and the certificate that they stand in."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

from ..argument_checks import noun, one_of, switch
from ..calculus.exact.finite_field import as_written
from ..calculus.quantity import seconds
from ..errors import InvalidValue, Note
from ..output_file import Maker, write

_SHOWN, _TIMES = 16, 2  # values, and times of an event, in a summary
EXACT = 10**6  # digits of a number that is known exactly


@noun
@dataclass(frozen=True)
class Enclosure:
    """An interval that is proved to hold a value.

    Attributes:
        lower, upper: its ends, exact.
    """

    lower: Fraction
    upper: Fraction

    @property
    def width(self) -> Fraction:
        """Its length."""
        return self.upper - self.lower

    @property
    def digits(self) -> int:
        """How many digits of the value are known; 0 where it may be 0."""
        if not self.width:
            return EXACT
        if self.lower <= 0 <= self.upper:
            return 0
        return max(0, math.floor(math.log10(min(abs(self.lower), abs(self.upper)) / self.width)))

    def __contains__(self, value: float | Fraction) -> bool:
        return self.lower <= Fraction(value) <= self.upper

    def __float__(self) -> float:
        return float((self.lower + self.upper) / 2)

    def __str__(self) -> str:
        if not self.width:
            return f"{float(self):.17g} exactly"
        half = float(self.width / 2)
        places = max(0, min(60, 1 - math.floor(math.log10(half))))
        middle = (self.lower + self.upper) / 2
        whole = round(abs(middle) * 10**places)
        shown = f"{whole // 10**places}.{whole % 10**places:0{places}d}" if places else f"{whole}"
        return f"{'-' if middle < 0 else ''}{shown} within {half * 1.01 + 0.51 * 10.0**-places:.1e}"


@noun
@dataclass(frozen=True, eq=False)
class Proof:
    """A motion that is proved: ``proof.at(10)["theta"]`` is an interval that holds the true value.

    Attributes:
        certificate: what `save` writes and ``dalembert verify`` checks.
        start, until: from when to when it is proved, exact.
        enclosed: what is proved at a time, by name.
        events: all times at which each event happens.
        notes: why it comes less far, or is less narrow, than was asked.
    """

    certificate: Mapping
    start: Fraction
    until: Fraction
    enclosed: Callable[[Fraction], dict[str, Enclosure]]
    events: Mapping[str, tuple[Enclosure, ...]] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()

    @property
    def ok(self) -> bool:
        """Is all proved that was asked for?"""
        return not self.notes

    def at(self, t: object) -> dict[str, Enclosure]:
        """All of it at a time, by name.

        Raises:
            InvalidValue: E301, no time; E303, one for which nothing is proved.
        """
        time = t if isinstance(t, Fraction) else as_written(float(seconds(t, "t")))
        if not self.start <= time <= self.until:
            ends = f"{float(self.start):g} to {float(self.until):g}"
            fact = f"t = {float(time):g} lies outside of what is proved, {ends}"
            raise InvalidValue("E303", fact, "ask for a time in between, or prove a longer motion")
        return self.enclosed(time)

    def save(self, file: str | Path, *, overwrite: bool = False) -> Path:
        """Write the certificate, a file of JSON that ``dalembert verify`` checks.

        Raises:
            Unwritable: E530, it cannot be written there.
            WrongType, InvalidValue: E501, not the name of a file.
        """
        return write(file, json.dumps(self.certificate), Maker("proof", replaces=switch(overwrite, "overwrite")))

    def __str__(self) -> str:
        data = self.certificate
        lines = [
            f"Proof: {data['title'] or 'a motion'}, {data['principle']}",
            f"  from t = {float(self.start):g} to {float(self.until):g}, in {len(data['steps'])} steps; at the end",
            *(f"  {name:<10} {value}" for name, value in list(self.at(self.until).items())[:_SHOWN]),
            *(f"  {n:<10} {len(ts)} times: {', '.join(map(str, ts[:_TIMES]))}" for n, ts in self.events.items()),
            *(f"  doubted    {note}" for note in self.notes),
        ]
        return "\n".join(lines)


@noun
@dataclass(frozen=True, eq=False)
class ProvedRest:
    """A state of rest that is proved to exist, alone in a box among those with the same values held.

    Attributes:
        certificate: what `save` writes and ``dalembert verify`` checks.
        state: coordinates, velocities and multipliers that are states, by name.
        eigenvalues: real and imaginary parts of those of the linearised motion that are simple and not 0.
    """

    certificate: Mapping
    state: Mapping[str, Enclosure]
    eigenvalues: tuple[tuple[Enclosure, Enclosure], ...]

    @property
    def unstable(self) -> bool:
        """Is a growing eigenvalue proved?"""
        return any(real.lower > 0 for real, _ in self.eigenvalues)

    def __getitem__(self, name: str) -> Enclosure:
        return self.state[one_of(self.state, name, "the state", "state")]

    def save(self, file: str | Path, *, overwrite: bool = False) -> Path:
        """Write the certificate, as `Proof.save` does."""
        return Proof.save(self, file, overwrite=overwrite)  # type: ignore[arg-type]

    def __str__(self) -> str:
        data = self.certificate
        lines = [f"Proof: {data['title'] or 'a system'}, {data['principle']}, rests"]
        lines += [f"  {name:<10} {value}" for name, value in list(self.state.items())[:_SHOWN]]
        return "\n".join([*lines, *(f"  eigenvalue {real} and {imaginary} i" for real, imaginary in self.eigenvalues)])
