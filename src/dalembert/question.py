"""What is asked of a record, as values: what is unknown, how numbers count, how the best is looked for, how models run.

    Question(Guess({"x": 0.1, "vx": 1.0}, free="vx"), Likelihood(loss="huber"), Search(starts=20), Runs(t=0.0))

A fit, a ranking and a plan are asked the same; scripts write it as keywords, files as tables.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from .errors import InvalidValue, UnknownName, as_given, did_you_mean
from .errors.remedies import Option

Names = str | Sequence[Any]  # "x y", or a list of text and symbols
Named = Mapping[Any, Any]  # values by name or symbol, as users write them
LOSSES = ("linear", "soft_l1", "huber", "cauchy", "arctan")
MOST_STARTS = 10_000
_TABLES = ("parameters", "bounds", "priors", "uncertainty")


@dataclass(frozen=True)
class Guess:
    """Values by name, which of them are unknown, and what is known of these.

    Attributes:
        start: values as `Equations.start` takes them, guesses for those that are free.
        free: names of the unknowns.
        parameters: values that replace the system's, and those of names that only columns have.
        bounds: ``{name: (low, high)}``, None for an open end.
        priors: ``{name: (mean, standard deviation)}``.
    """

    start: Named = field(default_factory=dict)
    free: Names = ()
    parameters: Named = field(default_factory=dict)
    bounds: Named = field(default_factory=dict)
    priors: Named = field(default_factory=dict)


def refuse_inputs(names: Iterable[str], inputs: Iterable[str]) -> None:
    """E202: an input among what is to be found; what is unknown of it is a parameter of the formula that drives it."""
    for name in sorted({*names} & {*inputs}):
        fact = f"free: {name} is an input, which is given to a fit and not found"
        gain = f"{name}_0"
        formula = Option("inputs", {name: gain})
        remedy = (
            f"declare a parameter {gain}, drive {name} by it, ",
            formula,
            ", and find that: ",
            Option("free", [gain]),
        )
        raise UnknownName("E202", fact, remedy, subject=("fit", "free", name))


@dataclass(frozen=True)
class Likelihood:
    """What of a record is compared with a motion, and how much each number counts.

    Attributes:
        columns: names, or ``{column: expression or function of the path}``; None for all that both have.
        uncertainty: ``{column: standard uncertainty}``, in place of the record's.
        loss: of the residuals over their uncertainty, one of `LOSSES`.
    """

    columns: object = None
    uncertainty: Named = field(default_factory=dict)
    loss: str = "linear"

    def checked(self) -> Likelihood:
        """The likelihood itself (E307 if there is no loss of its name)."""
        if not isinstance(self.loss, str) or self.loss not in LOSSES:
            raise InvalidValue("E307", f"there is no loss {as_given(self.loss)}", did_you_mean(str(self.loss), LOSSES))
        return self


@dataclass(frozen=True)
class Search:
    """From where the best values are looked for.

    Attributes:
        starts: how many places a search begins at, the first of them the guess.
        spread: how far about the guess the others are, in its sizes.
        seed: of these places.
    """

    starts: int = 1
    spread: float = 1.0
    seed: int = 0

    def checked(self) -> Search:
        """The search with plain numbers (E307 if they are none)."""
        return Search(
            _whole("starts", self.starts, 1, MOST_STARTS, f"1 to {MOST_STARTS}", 20),
            _positive("spread", self.spread),
            _whole("seed", self.seed, 0, math.inf, "not negative", 0),
        )


@dataclass(frozen=True)
class Runs:
    """When and how a model runs at trial values.

    Attributes:
        t: time of the start; None for the first time of the record.
        until: time of the end; None for the last.
        events: of the runs.
        inputs: what drives the system's inputs, as of `simulate`.
        options: those of `simulate`.
    """

    t: float | None = None
    until: float | None = None
    events: Sequence[Any] = ()
    inputs: Mapping[str, object] | None = None
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Question:
    """A question to a record.

    Attributes:
        guess: what is unknown, and what is known of it.
        likelihood: what is compared, and how much it counts.
        search: from where the best values are looked for.
        runs: when and how the model runs.
    """

    guess: Guess = field(default_factory=Guess)
    likelihood: Likelihood = field(default_factory=Likelihood)
    search: Search = field(default_factory=Search)
    runs: Runs = field(default_factory=Runs)

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Question:
        """From keywords; those that are none of a question are options of the runs, tables that are None are empty."""
        rest = {k: v for k, v in given.items() if v is not None or k not in _TABLES}
        if (t := _time_of(rest)) is not None:
            rest["t"] = t

        def own(part: type) -> dict[str, Any]:
            return {f.name: rest.pop(f.name) for f in fields(part) if f.name in rest and f.name != "options"}

        return cls(
            Guess(**own(Guess)), Likelihood(**own(Likelihood)), Search(**own(Search)), Runs(**own(Runs), options=rest)
        )


def _time_of(given: Mapping[str, object]) -> object:
    """The time that a start by name brings; None if it brings none (E233 if another one is given beside it)."""
    start, t = given.get("start"), given.get("t")
    brought = start.get("t") if isinstance(start, Mapping) else None
    if None not in (t, brought) and t != brought:
        fact = f"the start says t = {as_given(brought)}, and t = {as_given(t)} is given beside it"
        raise InvalidValue("E233", fact, ("leave ", Option("t"), " out, or t out of the start"))
    return brought


OPTIONS = tuple(f.name for part in (Guess, Likelihood, Search, Runs) for f in fields(part) if f.name != "options")


def _whole(name: str, given: Any, least: int, most: float, told: str, instead: int) -> int:
    try:
        value = -1 if isinstance(given, bool) else operator.index(given)
    except TypeError:
        value = -1
    if not least <= value <= most:
        raise InvalidValue("E307", f"{name} = {as_given(given)} must be a whole number, {told}", Option(name, instead))
    return value


def _positive(name: str, given: Any) -> float:
    try:
        value = float(given)
    except (TypeError, ValueError, OverflowError):
        value = math.nan
    if not 0 < value < math.inf:
        raise InvalidValue("E307", f"{name} = {as_given(given)} must be a positive number", Option(name, 1.0))
    return value
