"""What is to be found: parameters, values of the start, names of the columns, and what is known of each."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...equations import Equations, Start
from ...errors import InvalidValue, UnknownName, WrongType, about, as_given, did_you_mean, kind_of
from ...errors.remedies import Option
from ...question import Guess, Named, refuse_inputs
from ..name_arguments import by_name, check_known, listed


@dataclass(frozen=True, eq=False)
class Unknowns:
    """The unknowns theta, d of them, in the order in which they were named.

    Attributes:
        names: of the unknowns.
        kinds: ``"start"``, ``"parameter"`` or ``"column"`` for each.
        guess: first values (d,).
        low, high: bounds (d,), infinite where there are none.
        mean, spread: of Gaussian priors (d,), NaN where there are none.
        size: how large a change of each is no small one (d,): its guess, or what it is of the order of.
        fixed: all other values, ``{"start": {...}, "parameter": {...}, "column": {...}}``.
    """

    names: tuple[str, ...]
    kinds: tuple[str, ...]
    guess: np.ndarray
    low: np.ndarray
    high: np.ndarray
    mean: np.ndarray
    spread: np.ndarray
    size: np.ndarray
    fixed: Mapping[str, Mapping[str, Any]]

    def __len__(self) -> int:
        return len(self.names)

    def values(self, kind: str, theta: np.ndarray) -> dict[str, Any]:
        """All values of one kind, the unknown ones from theta."""
        own = {n: float(v) for n, k, v in zip(self.names, self.kinds, theta, strict=True) if k == kind}
        return {**self.fixed[kind], **own}

    def of_kind(self, *kinds: str) -> tuple[str, ...]:
        """Names of the unknowns of some kinds."""
        return tuple(n for n, k in zip(self.names, self.kinds, strict=True) if k in kinds)

    @property
    def has_prior(self) -> np.ndarray:
        """Which unknowns have a prior (d,)."""
        return np.isfinite(self.mean)

    def held(self, name: str, value: float) -> Unknowns:
        """The unknowns without one of them, which is fixed."""
        place = self.names.index(name)
        rest = [i for i in range(len(self)) if i != place]
        kind = self.kinds[place]
        parts = {f: getattr(self, f)[rest] for f in ("guess", "low", "high", "mean", "spread", "size")}
        names, kinds = tuple(self.names[i] for i in rest), tuple(self.kinds[i] for i in rest)
        fixed = {**self.fixed, kind: {**self.fixed[kind], name: value}}
        return replace(self, names=names, kinds=kinds, fixed=fixed, **parts)


def unknowns(
    equations: Equations,
    start: Start,
    guess: Guess,
    own: Mapping[str, float],
    least: int = 1,
) -> Unknowns:
    """The unknowns of a fit, checked.

    Args:
        equations: of the motion.
        start: the completed guess.
        guess: what is to be found, and what is known of it.
        own: values of the names that only the columns have.
        least: how many there must be.

    Raises:
        InvalidValue: E550 nothing is free, or a name twice, or a value that follows from others; E551 a guess outside
            its bounds; E553 bounds or a prior that cannot be.
        UnknownName: E202, a name that is neither a parameter, nor a value given at the start, nor one of the columns.
    """
    names = _names(guess.free, least)
    refuse_inputs(names, equations.system.inputs)
    given = [n for n in equations.states if n in start.given]
    kinds = tuple(_kind(n, equations, given, start, own) for n in names)
    values = {**own, **start.parameters, **{n: start[n] for n in given}}
    first = np.array([values[n] for n in names], float)
    low, high = _bounds(equations, names, kinds, guess.bounds)
    # E551, a guess outside its bounds
    for name, g, a, b in zip(names, first, low, high, strict=True):
        if not a <= g <= b:
            fact = f"the guess {name} = {g:g} lies outside its bounds {a:g} and {b:g}"
            raise InvalidValue("E551", fact, "give a guess inside, or other bounds", subject=("fit", "bounds", name))
    mean, spread = _priors(names, guess.priors)
    fixed = {
        "start": {n: v for n, v in start.given.items() if n not in names},
        "parameter": {n: v for n, v in start.parameters.items() if n not in names},
        "column": {n: v for n, v in own.items() if n not in names},
    }
    size = np.where(np.isfinite(spread), spread, np.abs(first))
    return Unknowns(names, kinds, first, low, high, mean, spread, size, fixed)


def _names(free: object, least: int) -> tuple[str, ...]:
    if not isinstance(free, str | list | tuple):
        raise WrongType("E550", f"free is a list of names, not {kind_of(free)}", Option("free", ["Omega", "vx"]))
    names = listed(free)
    if len(names) < least:
        raise InvalidValue("E550", "nothing is free: there is nothing to fit", Option("free", ["Omega", "vx"]))
    twice = sorted({n for n in names if names.count(n) > 1})
    if twice:
        raise InvalidValue(
            "E550", f"{', '.join(twice)} is named twice in free", "name each once", subject=("fit", "free", twice[0])
        )
    return names


def _kind(name: str, equations: Equations, given: Sequence[str], start: Start, own: Mapping[str, float]) -> str:
    with about("fit", "free", name):
        return _found(name, equations, given, start, own)


def _found(name: str, equations: Equations, given: Sequence[str], start: Start, own: Mapping[str, float]) -> str:
    """Where the value stands that is to be found."""
    if name in given:
        return "start"
    if name in start.parameters:
        return "parameter"
    if name in own:
        return "column"
    if name in equations.states:
        fact = f"{name} was not given at the start: it follows from {', '.join(given)}"
        raise InvalidValue(
            "E550", fact, ("let these be free instead, or give it in ", Option("fit.start"), " in place of one of them")
        )
    if name in equations.space.attitudes:
        fact = f"{name} is a rotation, not a number"
        raise InvalidValue(
            "E550", fact, ("give its coordinates in ", Option("fit.start"), f" ({', '.join(equations.states)[:60]})")
        )
    known = [*given, *start.parameters, *own]
    fact = f"{as_given(name)} is neither a parameter, nor a value given at the start, nor a name in the columns"
    raise UnknownName("E202", fact, did_you_mean(name, known))


def _bounds(
    equations: Equations, names: Sequence[str], kinds: Sequence[str], given: Named
) -> tuple[np.ndarray, np.ndarray]:
    """Bounds as given, within what the symbols of parameters allow; 0 below coefficients of friction."""
    asked = _of_free(given, names, "bounds", '{"mu": (0, None)}')
    low, high = np.full(len(names), -math.inf), np.full(len(names), math.inf)
    for i, (name, kind) in enumerate(zip(names, kinds, strict=True)):
        if kind == "parameter":
            low[i], high[i] = equations.system.range_of(name)
        if name not in asked:
            continue
        ends = _two(asked[name], f"the bounds of {name}", '{"mu": (0, None)}', open_ends=True)
        low[i], high[i] = max(low[i], ends[0]), min(high[i], ends[1])
        if not low[i] < high[i]:
            raise InvalidValue(
                "E553",
                f"the bounds of {name}, {low[i]:g} and {high[i]:g}, leave nothing",
                "low < high",
                subject=("fit", "bounds", name),
            )
    return low, high


def _priors(names: Sequence[str], given: Named) -> tuple[np.ndarray, np.ndarray]:
    asked = _of_free(given, names, "priors", '{"r": (1.27, 0.01)}')
    mean, spread = np.full(len(names), math.nan), np.full(len(names), math.nan)
    for i, name in enumerate(names):
        if name in asked:
            mean[i], spread[i] = _two(asked[name], f"the prior of {name}", '{"r": (1.27, 0.01)}', open_ends=False)
            if not spread[i] > 0:
                fact = f"the standard deviation of the prior of {name} is {spread[i]:g}, it must be positive"
                raise InvalidValue(
                    "E553",
                    fact,
                    "a value that is known exactly is not free: leave it out of free",
                    subject=("fit", "priors", name),
                )
    return mean, spread


def _of_free(given: Named, names: Sequence[str], what: str, example: str) -> dict[str, object]:
    found = by_name(given, what, "E553", f"{what}={example}")
    check_known(found, names, what, "is not free")
    return found


def _two(given: Any, what: str, example: str, open_ends: bool) -> tuple[float, float]:
    try:
        a, b = given
        ends = (-math.inf if a is None and open_ends else float(a), math.inf if b is None and open_ends else float(b))
    except (TypeError, ValueError, OverflowError):
        raise WrongType(
            "E553", f"{what} must be two numbers, not {as_given(given)}", f"for example {example}"
        ) from None
    if math.isnan(ends[0]) or math.isnan(ends[1]) or not (open_ends or np.isfinite(ends).all()):
        raise InvalidValue("E553", f"{what} are no two finite numbers: {as_given(given)}", f"for example {example}")
    return ends
