"""Ranking: several candidates held against one record, what remains of them, and what the record cannot tell apart."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..argument_checks import noun
from ..display import html
from ..errors import InvalidValue, Note, UnknownName, as_given, did_you_mean
from .fit import Fit

WIDTH, SHOWN = 80, 24  # of a summary; candidates in it
NO_SUPPORT = 10.0  # a difference of AIC from which a candidate has essentially no support [burnham2002, section 2.6]
EQUAL = 1.0  # distance of two best motions over the noise below which no test tells them apart

CAVEAT = (
    "AIC and BIC compare candidates on the same numbers, they test none. They take the noise for Gaussian and "
    "independent from row to row; with few numbers per unknown, or an unknown at its bound, they are rough. The "
    "weights are chances only if one of these candidates is right."
)

__all__ = ["CAVEAT", "Candidate", "Forecast", "Nested", "Passages", "Ranking", "Tie"]


@dataclass(frozen=True, eq=False)
class Forecast:
    """What a candidate, fitted to the earlier rows, says of the later ones.

    Attributes:
        cuts: times; up to each the candidate was fitted, and predicted the rows up to the next.
        t, column: of each predicted number (L,); the column as an index.
        errors: (seen - predicted) over the noise (L,), the same noise for all candidates; infinite without a motion.
        chi2: by how much the least chi2 rises from the rows before the first cut to all rows.
        dof: how many later numbers are not used up by unknowns that only they show.
        p_value: chance of a larger rise if the candidate is right [chow1960]; None where it cannot be told.
        why: why there is none, "" if there is.
    """

    cuts: tuple[float, ...] = ()
    t: np.ndarray = field(default_factory=lambda: np.empty(0))
    column: np.ndarray = field(default_factory=lambda: np.empty(0, int))
    errors: np.ndarray = field(default_factory=lambda: np.empty(0))
    chi2: float = math.nan
    dof: int = 0
    p_value: float | None = None
    why: str = ""

    @property
    def score(self) -> float:
        """Root mean square of the errors: about 1 or a little more for a candidate that is right; NaN without any."""
        return float(np.sqrt(np.mean(self.errors**2))) if len(self.errors) else math.nan


@dataclass(frozen=True, eq=False)
class Passages:
    """Later crossings of a ray, seen and predicted from the earlier rows.

    Attributes:
        t, sigma_t: when the record crosses it (c,), and how well that is known.
        predicted: when the candidate does (c,), the nearest crossing of its own; infinite without one.
        sigma_predicted: how well the earlier rows know that (c,).
        columns: what else is seen there.
        values, sigma: these columns at the record's crossings (c, k), and how well they are known.
        there: these columns at the candidate's crossings (c, k).
    """

    t: np.ndarray
    sigma_t: np.ndarray
    predicted: np.ndarray
    sigma_predicted: np.ndarray
    columns: tuple[str, ...]
    values: np.ndarray
    sigma: np.ndarray
    there: np.ndarray

    def __len__(self) -> int:
        return len(self.t)

    @property
    def late(self) -> np.ndarray:
        """By how much the crossings are seen later than predicted (c,)."""
        return np.asarray(self.t - self.predicted)

    @property
    def score(self) -> float:
        """Root mean square of `late` over both uncertainties, about 1 if the candidate is right; NaN without any."""
        with np.errstate(invalid="ignore"):
            z = np.where(np.isfinite(self.predicted), self.late / np.hypot(self.sigma_t, self.sigma_predicted), np.inf)
        return float(np.sqrt(np.mean(z**2))) if len(self) else math.nan


@dataclass(frozen=True, eq=False)
class Candidate:
    """One candidate of a `Ranking`.

    Attributes:
        label: its name.
        principle: of its equations.
        equations: these.
        fit: its best fit, None if there is none.
        failed: why there is none, "" if there is.
        open: why it can neither be rejected nor fitted to the whole record, "" if it can.
        difference: its criterion less the least of all.
        weight: Akaike's weight, exp(-difference/2) over the sum of these [burnham2002, section 2.9].
        rejected: why it is rejected, empty if it is not.
        forecast: of the later rows, None if that was not asked for.
        passages: of a ray, None if that was not asked for.
        notes: what was taken from elsewhere.
    """

    label: str
    principle: str
    equations: Any
    fit: Fit | None = None
    failed: str = ""
    open: str = ""
    difference: float = math.inf
    weight: float = 0.0
    rejected: tuple[str, ...] = ()
    forecast: Forecast | None = None
    passages: Passages | None = None
    notes: tuple[Note, ...] = ()

    @property
    def remains(self) -> bool:
        """Was it fitted, and not rejected, nor left open?"""
        return self.fit is not None and not self.rejected and not self.open


@dataclass(frozen=True)
class Tie:
    """Two candidates that both remain.

    Attributes:
        first, second: their labels, the better first.
        difference: of the criterion.
        largest: largest difference of their predictions over the noise.
        distance: root of the sum of the squares of all these.
    """

    first: str
    second: str
    difference: float
    largest: float
    distance: float

    @property
    def equal(self) -> bool:
        """Are both motions the same within the noise of all numbers together?"""
        return self.distance < EQUAL


@dataclass(frozen=True)
class Nested:
    """A candidate that contains another one: with its extra unknowns at 0 it is the other.

    Attributes:
        larger, smaller: their labels.
        extra: unknowns ``{name: (low, high)}`` that only the larger has, with their intervals of 95 per cent; of one
            that is never negative the upper limit of 95 per cent, from 0.
        gain: how much lower -2 log likelihood is with them.
        p_value: chance of a larger gain if the smaller is right.
    """

    larger: str
    smaller: str
    extra: Mapping[str, tuple[float, float]]
    gain: float
    p_value: float


@noun
@dataclass(frozen=True, eq=False)
class Ranking:
    """Candidates held against one record.

    Attributes:
        title: of the system.
        candidates: the best first, those without a fit last.
        criterion: ``"AIC"`` where the noise is known, ``"AICc"`` where it was estimated: what the differences are of.
        numbers: how many numbers, the same for all.
        columns: which.
        ties: pairs of candidates that remain.
        nested: candidates that contain others, where neither is rejected by itself.
        later: time of the first cut, None if nothing was predicted.
        ray: what is crossed, "" if nothing was asked.
        verdict: what the record decides, and what it cannot, in sentences.
        notes: what was assumed, and doubts.
    """

    title: str
    candidates: tuple[Candidate, ...]
    criterion: str
    numbers: int
    columns: tuple[str, ...]
    ties: tuple[Tie, ...]
    nested: tuple[Nested, ...]
    later: float | None
    ray: str
    verdict: str
    notes: tuple[Note, ...]

    def __getitem__(self, label: str) -> Candidate:
        for candidate in self.candidates:
            if candidate.label == label:
                return candidate
        known = [c.label for c in self.candidates]
        raise UnknownName("E317", f"there is no candidate {as_given(label)}", did_you_mean(str(label), known))

    def __iter__(self) -> Iterator[Candidate]:
        return iter(self.candidates)

    def __len__(self) -> int:
        return len(self.candidates)

    @property
    def best(self) -> Candidate:
        """The first of those that remain; where none does, the one with the least criterion."""
        return next((c for c in self.candidates if c.remains), self.candidates[0])

    @property
    def remaining(self) -> tuple[str, ...]:
        """Labels of candidates that are not rejected."""
        return tuple(c.label for c in self.candidates if c.remains)

    @property
    def rejected(self) -> dict[str, str]:
        """Labels of candidates that are, and why."""
        return {c.label: "; ".join(c.rejected) for c in self.candidates if c.rejected}

    @property
    def failed(self) -> dict[str, str]:
        """Labels of candidates without a fit, and why."""
        return {c.label: c.failed for c in self.candidates if c.failed}

    @property
    def open(self) -> dict[str, str]:
        """Labels of candidates that the record leaves open since their motions cannot be followed to its end."""
        return {c.label: c.open for c in self.candidates if c.open}

    @property
    def undecided(self) -> tuple[tuple[str, str], ...]:
        """Pairs that the record cannot decide between."""
        return tuple((tie.first, tie.second) for tie in self.ties)

    @property
    def decided(self) -> bool:
        """Does exactly one candidate remain, and is none left open?"""
        return len(self.remaining) == 1 and not self.open

    def to_dataframe(self) -> object:
        """One row per candidate as a pandas DataFrame (needs pandas)."""
        try:
            import pandas as pd
        except ImportError:
            raise InvalidValue("E801", "this needs pandas, which is not installed", "pip install pandas") from None
        return pd.DataFrame([_as_row(c) for c in self.candidates]).set_index("candidate")

    # --- the eye -------------------------------------------------------------------------------------------------

    def __str__(self) -> str:
        what = f"{self.numbers} numbers of {', '.join(self.columns)}"
        lines = _wrapped(f"{self.title or 'System'}: {len(self)} candidates, {what}", "")
        lines += self._table()
        lines += [piece for line in self.verdict.splitlines() for piece in _wrapped(line, "")]
        lines += [piece for note in self.notes for piece in _wrapped(f"note  {note}", "      ")]
        return "\n".join([*lines, *_wrapped(CAVEAT, "")])

    __repr__ = __str__

    def _table(self) -> list[str]:
        later, ray = self.later is not None, bool(self.ray)
        head = f"{'':<23}{'k':>3}{'chi2/dof':>10}{'p':>9}{self.criterion:>10}{'weight':>8}"
        lines = [head + (f"{'later':>8}" if later else "") + (f"{'ray':>8}" if ray else "")]
        for c in self.candidates[:SHOWN]:
            why = c.failed or (f"open: {c.open}" if c.open else "" if c.fit is not None else "; ".join(c.rejected))
            lines += _wrapped(f"{_short(c.label):<23}  {why}", " " * 25) if why else []
            lines += [self._row(c, c.fit, later, ray)] if c.fit is not None and not why else []
        left = len(self) - SHOWN
        return [*lines, *([f"and {left} more candidates"] if left > 0 else [])]

    def _row(self, c: Candidate, fit: Fit, later: bool, ray: bool) -> str:
        per = f"{fit.chi2 / fit.dof:.3g}" if fit.p_value is not None else "-"
        p = "-" if fit.p_value is None else f"{fit.p_value:.2g}" if fit.p_value > 1e-99 else "0"
        line = f"{_short(c.label):<23}{fit.counted:>3}{per:>10}{p:>9}{f'+{c.difference:.1f}':>10}{c.weight:>8.2g}"
        line += _number(c.forecast.score if c.forecast else math.nan) if later else ""
        return line + (_number(c.passages.score if c.passages else math.nan) if ray else "")

    def _repr_html_(self) -> str | None:
        return html(self)


def _number(x: float) -> str:
    return f"{'-' if math.isnan(x) else 'none' if math.isinf(x) else f'{x:.3g}':>8}"


def _short(label: str) -> str:
    return label if len(label) <= 22 else label[:19] + "..."


def _wrapped(line: str, indent: str) -> list[str]:
    return textwrap.wrap(line, WIDTH, subsequent_indent=indent) or [""]


def _as_row(c: Candidate) -> dict[str, object]:
    fit = c.fit
    row: dict[str, Any] = {"candidate": c.label, "principle": c.principle, "k": fit.counted if fit else None}
    for name in ("chi2", "dof", "p_value", "loglikelihood", "aic", "aicc", "bic"):
        row[name] = getattr(fit, name) if fit else None
    row |= {"difference": c.difference, "weight": c.weight, "remains": c.remains}
    row |= {"later": c.forecast.score if c.forecast else None, "later_p": c.forecast.p_value if c.forecast else None}
    row |= {"ray": c.passages.score if c.passages else None}
    return row | {"why": c.failed or c.open or "; ".join(c.rejected)}
