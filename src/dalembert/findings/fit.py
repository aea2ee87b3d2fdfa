"""Fit: a model with its unknowns chosen to describe a record best, how sure they are, and what the data do not see."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ..argument_checks import noun
from ..display import html
from ..errors import InvalidValue, Note, UnknownName, as_given, did_you_mean
from ..record import Record
from ..trajectory import Trajectory

WIDTH, SHOWN = 80, 14  # of a summary; unknowns in it
FEW = 2  # combinations that are told in full
DECIDES = 1e-3  # chance below which residuals are not noise

__all__ = ["Fit", "Profile", "Unseen"]


@dataclass(frozen=True)
class Unseen:
    """Unknowns of which the data see combinations only.

    Attributes:
        names: of these unknowns.
        directions: changes ``{name: change}`` that change no prediction, to first order.
        seen: combinations that are seen: ``{name: weight}`` across all directions.
        relative: are changes and weights those of logarithms? Then a direction is a set of changes in per cent, and a
            combination a product of powers. Else they count in sizes of the unknowns.
        lost: do predictions change along the directions, by derivatives that hold no digit, as in chaos?
    """

    names: tuple[str, ...]
    directions: tuple[Mapping[str, float], ...]
    seen: tuple[Mapping[str, float], ...]
    relative: bool = True
    lost: bool = False

    def __str__(self) -> str:
        if self.lost:
            return f"{', '.join(self.names)}: how predictions change is not known to one digit, as in chaos"
        if not self.seen:
            alone = len(self.names) == 1
            return f"{', '.join(self.names)}: {'it changes' if alone else 'they change'} no prediction"
        if self.relative and len(self.seen) <= FEW:
            return f"{', '.join(self.names)}: seen only as {', '.join(map(_product, self.seen))}"
        return f"{', '.join(self.names)}: only {len(self.seen)} of {len(self.names)} combinations are seen"


def _product(weights: Mapping[str, float]) -> str:
    parts = [name if power == 1 else f"{name}^{power:.4g}" for name, power in weights.items()]
    return " ".join(parts)


@noun
@dataclass(frozen=True, eq=False)
class Profile:
    """The best fit for each of some values of one unknown.

    Attributes:
        name: of the unknown.
        values: (N,).
        rise: of -2 log likelihood above its least (N,); infinite where no motion was found.
        others: best values of the other unknowns ``{name: (N,)}``.
        level: rise at the ends of the interval of 95 per cent.
    """

    name: str
    values: np.ndarray
    rise: np.ndarray
    others: Mapping[str, np.ndarray]
    level: float

    def __str__(self) -> str:
        inside = self.values[self.rise <= self.level]
        span = f"{inside.min():.6g} to {inside.max():.6g}" if len(inside) else "none of them"
        return f"profile of {self.name} at {len(self.values)} values; within {self.level:.3g}: {span}"

    __repr__ = __str__


@noun
@dataclass(frozen=True, eq=False)
class Fit(Mapping[str, float]):
    """A model held against a record, its unknowns chosen best. A mapping of the unknowns to their values.

    Attributes:
        title: of the system.
        principle: of the equations.
        names: of the unknowns, d of them.
        theta: their values (d,).
        covariance: (d, d): infinite on unknowns that the data do not see, NaN on one at its bound.
        at_bound: unknowns that stand at a bound.
        size: how large a change of each counted as large (d,).
        chi2: sum of the squared residuals over the noise, those of the priors included.
        dof: numbers and priors less unknowns.
        p_value: chance of a larger chi2 if the model is right; None where the noise was estimated from the residuals,
            or the loss is not linear.
        loglikelihood: of the numbers.
        counted: unknowns and estimated noises.
        noise: standard deviation of each column, the median where it differs from row to row.
        estimated: columns whose noise was estimated.
        columns: what was fitted.
        numbers: how many numbers.
        t: time of each number (K,), NaN for those without.
        column: column of each number (K,).
        seen, predicted, sigma: the numbers, the model's, and the noise (K,).
        path: the motion at the best values.
        unseen: combinations that the data do not see.
        minima: other minima that were found: values and how much higher -2 log likelihood is.
        tried: how many starts.
        converged: did the search end by itself?
        loss: of the residuals.
        record, equations: what was fitted, and to what.
        notes: doubts.
    """

    title: str
    principle: str
    names: tuple[str, ...]
    theta: np.ndarray
    covariance: np.ndarray
    at_bound: tuple[str, ...]
    size: np.ndarray
    chi2: float
    dof: int
    p_value: float | None
    loglikelihood: float
    counted: int
    noise: Mapping[str, float]
    estimated: tuple[str, ...]
    columns: tuple[str, ...]
    t: np.ndarray
    column: np.ndarray
    seen: np.ndarray
    predicted: np.ndarray
    sigma: np.ndarray
    path: Trajectory
    unseen: tuple[Unseen, ...]
    minima: tuple[tuple[Mapping[str, float], float], ...]
    tried: int
    converged: bool
    loss: str
    record: Record
    equations: Any
    notes: tuple[Note, ...] = ()
    along: Callable[[str, Sequence[float] | None, int], Profile] = field(repr=False, kw_only=True)
    between: Callable[[str, float], tuple[float, float]] = field(repr=False, kw_only=True)
    at: Callable[[np.ndarray], tuple[dict[str, np.ndarray], dict[str, np.ndarray]]] = field(repr=False, kw_only=True)

    # --- values --------------------------------------------------------------------------------------------------

    def __getitem__(self, name: object) -> float:
        return float(self.theta[self._place(name)])

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def _place(self, name: object) -> int:
        key = str(getattr(name, "name", name))
        if key not in self.names:
            raise UnknownName("E317", f"{as_given(key)} was not fitted", did_you_mean(key, self.names))
        return self.names.index(key)

    @cached_property
    def errors(self) -> dict[str, float]:
        """Standard uncertainties by name: infinite where the data do not see it, NaN at a bound."""
        return dict(zip(self.names, map(float, np.sqrt(np.diag(self.covariance))), strict=True))

    @cached_property
    def correlation(self) -> np.ndarray:
        """Correlations (d, d), NaN where an uncertainty is not finite."""
        s = np.array(list(self.errors.values()))
        with np.errstate(all="ignore"):
            return np.where(np.isfinite(np.outer(s, s)), self.covariance / np.outer(s, s), np.nan)

    @property
    def numbers(self) -> int:
        """How many numbers were fitted."""
        return len(self.seen)

    @property
    def residuals(self) -> np.ndarray:
        """(seen - predicted) over the noise (K,)."""
        return np.asarray((self.seen - self.predicted) / self.sigma)

    # --- information ---------------------------------------------------------------------------------------------

    @property
    def aic(self) -> float:
        """Akaike's criterion, -2 log L + 2 k [akaike1974]; k counts the unknowns and the noises that were estimated."""
        return -2 * self.loglikelihood + 2 * self.counted

    @property
    def aicc(self) -> float:
        """AIC corrected for few numbers, aic + 2 k (k + 1)/(n - k - 1) [hurvich1989]; infinite for n <= k + 1."""
        k, n = self.counted, self.numbers
        return self.aic + 2 * k * (k + 1) / (n - k - 1) if n > k + 1 else math.inf

    @property
    def bic(self) -> float:
        """Schwarz's criterion, -2 log L + k log n [schwarz1978]."""
        return -2 * self.loglikelihood + self.counted * math.log(self.numbers)

    @property
    def adequate(self) -> bool | None:
        """Are the residuals such as the noise would make them? None where the noise was estimated from them."""
        return None if self.p_value is None else self.p_value >= DECIDES

    # --- further -------------------------------------------------------------------------------------------------

    def profile(self, name: object, values: Sequence[float] | None = None, points: int = 21) -> Profile:
        """The best fit at each of some values of one unknown; by default over three of its uncertainties.

        Raises:
            UnknownName: E317, it was not fitted.
        """
        return self.along(self.names[self._place(name)], values, points)

    def interval(self, name: object, level: float = 0.95) -> tuple[float, float]:
        """The interval of one unknown in which the profile likelihood stays within `level`; open ends are infinite.

        Raises:
            UnknownName: E317, it was not fitted.
            InvalidValue: E553, a level outside (0, 1).
        """
        return self.between(self.names[self._place(name)], level)

    def predict(self, t: Any) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
        """What the model says at other times, also later ones: values and their standard uncertainties by column.

        The uncertainties are those of the unknowns, without the noise; infinite where an unknown that the data do not
        see matters. Columns that are functions of the path are left out.

        Raises:
            InvalidValue: E303 times that are no rising numbers, or before the start; E551 no motion reaches them.
        """
        return self.at(t)

    def to_dataframe(self) -> object:
        """The numbers, what is predicted for them and the residuals as a pandas DataFrame (needs pandas)."""
        try:
            import pandas as pd
        except ImportError:
            raise InvalidValue("E801", "this needs pandas, which is not installed", "pip install pandas") from None
        names = [self.columns[i] for i in self.column]
        table = {"t": self.t, "column": names, "seen": self.seen, "predicted": self.predicted, "sigma": self.sigma}
        return pd.DataFrame({**table, "residual": self.residuals})

    # --- the eye -------------------------------------------------------------------------------------------------

    def __str__(self) -> str:
        what = f"{self.numbers} numbers of {', '.join(self.columns)}"
        lines = [f"{self.title or 'System'}: {self.principle}, fitted to {what}"]
        lines += [self._row(name) for name in self.names[:SHOWN]]
        lines += [f"  and {len(self.names) - SHOWN} more unknowns"] if len(self.names) > SHOWN else []
        noise = ", ".join(f"{n} {s:.3g}{' (estimated)' if n in self.estimated else ''}" for n, s in self.noise.items())
        lines += [f"noise        {noise}", f"residuals    {self._judged}"]
        lines += [f"information  AIC {self.aic:.2f}, AICc {self.aicc:.2f}, BIC {self.bic:.2f}"]
        lines += [f"not seen     {told}" for told in self.unseen]
        lines += [f"minima       {len(self.minima)} higher ones from {self.tried} starts"] if self.tried > 1 else []
        lines += [f"note         {note}" for note in self.notes if note.code != "W556"]
        return "\n".join(piece for line in lines for piece in _folded(line))

    __repr__ = __str__

    def _row(self, name: str) -> str:
        error = self.errors[name]
        if name in self.at_bound:
            about = "at its bound"
        elif math.isinf(error):
            about = "not seen by the data"
        else:
            about = f"+- {error:.2g}"
        digits = 6 if not math.isfinite(error) or not error else _digits(self[name], error)
        return f"  {name:<14}{self[name]:>14.{digits}g}  {about}"

    @property
    def _judged(self) -> str:
        if self.p_value is None:
            return f"{len(self.seen)} numbers, {self.dof} degrees of freedom"
        told = f"chi2 {self.chi2:.4g} for {self.dof} degrees of freedom, p = {self.p_value:.2g}"
        return told if self.adequate else f"{told}: not noise alone"

    def _repr_html_(self) -> str | None:
        return html(self)


def _digits(value: float, error: float) -> int:
    """Significant digits down to the second one of the uncertainty."""
    if not value:
        return 2
    return int(min(15, max(2, math.floor(math.log10(abs(value))) - math.floor(math.log10(error)) + 2)))


def _folded(line: str) -> list[str]:
    import textwrap

    return textwrap.wrap(line, WIDTH, subsequent_indent=" " * 15, drop_whitespace=True) if len(line) > WIDTH else [line]
