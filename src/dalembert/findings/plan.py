"""Plan: designs of an experiment in the order in which they tell two candidates apart."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..argument_checks import noun
from ..display import html
from ..errors import InvalidValue, Note

WIDTH, SHOWN = 80, 20  # of a summary; designs in it
SURE = 0.9  # chance from which a design is said to decide
NOTHING = 1.0  # standard deviations below which a design decides nothing

__all__ = ["Design", "Plan", "Separation"]


@dataclass(frozen=True)
class Separation:
    """How far the rival's nearest motion is from the motion of the candidate that is taken for right.

    Attributes:
        truth, rival: labels.
        sigmas: root of the least chi2 of the rival, fitted to numbers without noise; 0 where it can do the same motion,
            infinite where it has none, NaN where the truth has none.
        chance: that AIC is higher by 10 or more for the rival, with noise.
        nearest: best values of the rival.
        why: why there is no number, "" if there is.
    """

    truth: str
    rival: str
    sigmas: float
    chance: float
    nearest: Mapping[str, float]
    why: str = ""


@dataclass(frozen=True)
class Design:
    """One way to do the experiment.

    Attributes:
        values: what was varied ``{name: value}``.
        separations: the first candidate being right, and the second.
        idle: labels of those whose being right no design shows, since the rival can do all their motions; they are left
            out of what follows.
    """

    values: Mapping[str, float]
    separations: tuple[Separation, ...]
    idle: tuple[str, ...] = ()

    @property
    def shown(self) -> list[Separation]:
        """Separations that are known and can be more than 0."""
        return [s for s in self.separations if not math.isnan(s.sigmas) and s.truth not in self.idle]

    @property
    def sigmas(self) -> float:
        """The smaller of both separations; the one that is known and not idle; NaN without any."""
        return min((s.sigmas for s in self.shown), default=math.nan)

    @property
    def chance(self) -> float:
        """The smaller of both chances."""
        return min((s.chance for s in self.shown), default=0.0)

    def __getitem__(self, name: str) -> float:
        return self.values[name]

    def __str__(self) -> str:
        return ", ".join(f"{n} = {v:.6g}" for n, v in self.values.items())


@noun
@dataclass(frozen=True, eq=False)
class Plan:
    """Designs, the one that separates two candidates most first.

    Attributes:
        title: of the system.
        between: the labels of the two.
        designs: the best first.
        uncertainty: of each column that is measured.
        notes: what was assumed.
    """

    title: str
    between: tuple[str, str]
    designs: tuple[Design, ...]
    uncertainty: Mapping[str, float]
    notes: tuple[Note, ...] = ()

    def __getitem__(self, place: int) -> Design:
        return self.designs[place]

    def __iter__(self) -> Iterator[Design]:
        return iter(self.designs)

    def __len__(self) -> int:
        return len(self.designs)

    @property
    def best(self) -> Design:
        """The design that separates most."""
        return self.designs[0]

    def to_dataframe(self) -> object:
        """One row per design as a pandas DataFrame (needs pandas)."""
        try:
            import pandas as pd
        except ImportError:
            raise InvalidValue("E801", "this needs pandas, which is not installed", "pip install pandas") from None
        rows = [
            {**d.values, **{f"if {s.truth}": s.sigmas for s in d.separations}, "chance": d.chance} for d in self.designs
        ]
        return pd.DataFrame(rows)

    # --- the eye -------------------------------------------------------------------------------------------------

    def __str__(self) -> str:
        noise = ", ".join(f"{n} to +- {s:.3g}" for n, s in self.uncertainty.items())
        lines = _wrapped(f"{self.title or 'System'}: {' or '.join(self.between)}, measuring {noise}")
        lines += [_columns([*self.best.values, *(f"if {label}" for label in self.between), "chance"])]
        lines += [self._row(d) for d in self.designs[:SHOWN]]
        lines += [f"and {len(self) - SHOWN} more designs"] if len(self) > SHOWN else []
        lines += _wrapped(
            "Separation in standard deviations of the noise if the one that is named is right: the least over all "
            "values of what is not known. Chance: that AIC then rejects the other."
        )
        lines += [piece for line in self.advice.splitlines() for piece in _wrapped(line)]
        lines += [piece for line in self.why for piece in _wrapped(line)]
        return "\n".join([*lines, *(piece for n in self.notes for piece in _wrapped(f"note  {n}", "      "))])

    __repr__ = __str__

    def _row(self, d: Design) -> str:
        found = [_sigmas(s.sigmas) for s in d.separations]
        return _columns([*(f"{v:.6g}" for v in d.values.values()), *found, f"{100 * d.chance:.0f} %"])

    @property
    def advice(self) -> str:
        """What to try, in words."""
        best = self.best
        if not best.sigmas >= NOTHING:
            both = " and ".join(self.between)
            return f"None of these designs tells {both} apart: less noise, more rows or a longer run may."
        told = f"Try {best}: there the two are {_sigmas(best.sigmas)} standard deviations apart"
        if best.chance >= SURE:
            return f"{told}, and one track decides."
        return f"{told}; one track decides in {100 * best.chance:.0f} of 100 cases."

    @property
    def why(self) -> list[str]:
        """Why some separations have no number."""
        told = {f"{s.truth} right: {s.why}." for d in self.designs for s in d.separations if s.why}
        rival = dict(zip(self.between, self.between[::-1], strict=True))
        idle = [f"If {n} is right no design excludes {rival[n]}, which can do the same." for n in self.best.idle]
        return [*idle, *sorted(told)[:3]]

    def _repr_html_(self) -> str | None:
        return html(self)


def _sigmas(x: float) -> str:
    return "-" if math.isnan(x) else "no motion" if math.isinf(x) else f"{x:.3g}" if x >= 5e-4 else "0"


def _columns(cells: list[str]) -> str:
    width = min(17, max(9, (WIDTH - 2) // len(cells) - 1))
    return "".join(f" {cell[:width]:>{width}}" for cell in cells)


def _wrapped(line: str, indent: str = "") -> list[str]:
    return textwrap.wrap(line, WIDTH, subsequent_indent=indent) or [""]
