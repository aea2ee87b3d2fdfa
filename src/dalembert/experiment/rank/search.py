"""The search for the best motion of one candidate.

Where small changes of the start grow large, a motion that begins at a guess is far off long before the record ends, or
there is none that long. So the search begins with the first rows, from many places, and takes in more rows as it goes:
each best motion is the guess for a longer part.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...errors import InvalidValue
from ...record import Record
from ..fit import prepared
from ..fit.data import Data, data
from ..fit.descend import Care, Minimum, descend, descend_once, first_noise, merge, merit, scattered
from ..fit.model import ELSEWHERE, Model, NoMotion
from .shares import Share

LONGER = 1.4  # one part's length over that of the part before
ENOUGH, MORE = 1.0, 4.0  # numbers over unknowns: of the first part, and of a longer one where searches begin anew
KEPT, FAR = 3, 4.0  # places that are followed from part to part; times the lowest cost, from where a place is given up
ALIKE = 1e-3  # of the size: places closer than this are one
FAMILY = 10  # places that a search over lam(0) begins at, at least
STEPS, TIGHT = 40, 1e-15  # downhill in a part, and the smallest one: motions may part fast
MAX_STEPS = 5_000  # of a motion at trial values
LOSS = "linear"


@dataclass(frozen=True, eq=False)
class Search:
    """How the best motions are searched for, the same for all candidates.

    Attributes:
        record: what was seen.
        uncertainty: as of `fit`.
        starts: how many places a search begins at, at least 10 where multipliers are unknown.
        spread, seed: of these places.
        how: t, until, events and options, as of `fit`.
    """

    record: Record
    uncertainty: Mapping[str, Any]
    starts: int
    spread: float
    seed: int
    how: Mapping[str, Any]

    def count(self, share: Share) -> int:
        """How many places a candidate's search begins at."""
        return max(self.starts, FAMILY) if set(share.free) & set(_multipliers(share)) else self.starts


@dataclass(frozen=True, eq=False)
class Found:
    """A candidate's model and the minima that were found, the best first.

    Attributes:
        model: of the whole record.
        minima: of it.
        tried: how many places the search began at.
        ways: longer and longer parts of the record, and places that were reached on each.
    """

    model: Model
    minima: tuple[Minimum, ...]
    tried: int
    ways: tuple[tuple[Model, tuple[np.ndarray, ...]], ...] = ()

    @property
    def best(self) -> Minimum:
        """The lowest minimum."""
        return self.minima[0]

    def also(self, guesses: Iterable[np.ndarray]) -> Found:
        """The same after searches from further places."""
        found = list(self.minima)
        for theta in guesses:
            _try(found, self.model, theta)
        return replace(self, minima=tuple(sorted(found, key=merit)))


def search(share: Share, columns: Any, how: Search) -> Found:
    """All minima that were found for one candidate; none where no motion lasts to the end of the record.

    Raises:
        DalembertError: what `fit` refuses; E551 if from the guess there is no motion even for the first rows.
    """
    if share.refused is not None:
        raise share.refused
    model, whole = _whole(share, columns, how)
    count, found = how.count(share), list[Minimum]()
    parts = _parts(model)
    if whole:
        rng = np.random.default_rng(how.seed)
        for k in range(1 if parts and _grows(share) else count):
            _try(found, model, model.unknowns.guess if k == 0 else scattered(model, rng, how.spread))
    ways = tuple(zip(parts, _grown(parts, count, how), strict=True))
    for theta in ways[-1][1] if ways else ():
        _try(found, model, theta)
    return Found(model, tuple(sorted(found, key=merit)), count, ways)


def nothing(label: str) -> InvalidValue:
    """E551: no search came to a motion."""
    return InvalidValue("E551", f"no motion of {label} was found that lasts to the end of the record", ELSEWHERE)


def _multipliers(share: Share) -> list[str]:
    return [s.name for s in share.equations.states_of_multipliers]


def _grows(share: Share) -> bool:
    """Are multipliers states? Then a motion from a guess is soon far away."""
    return bool(_multipliers(share))


def _grown(parts: Sequence[Model], count: int, how: Search) -> list[tuple[np.ndarray, ...]]:
    """Places that are reached on each part, from those of the part before; on two of them also from all over.

    On a short part predictions change evenly with the unknowns; on a longer one noise misleads less.
    """
    found: list[tuple[np.ndarray, ...]] = []
    rng = np.random.default_rng(how.seed)
    places: Sequence[np.ndarray] = []
    fresh = {0, next((i for i, part in enumerate(parts) if len(part.data) >= MORE * len(part.unknowns)), 0)}
    for i, part in enumerate(parts):
        if i in fresh:
            random = [scattered(part, rng, how.spread) for _ in range(count - 1)]
            places = [*places, part.unknowns.guess, *random]
        reached = [m for m in (_approach(part, theta) for theta in places) if m is not None]
        reached.sort(key=lambda m: m[0])
        places = [theta for cost, theta in _distinct(reached, part.unknowns.size) if cost <= FAR * (reached[0][0] + 1)]
        found.append(tuple(places))
    return found


def _distinct(reached: Sequence[tuple[float, np.ndarray]], size: np.ndarray) -> list[tuple[float, np.ndarray]]:
    """The lowest few, without those that another one stands for."""
    kept: list[tuple[float, np.ndarray]] = []
    for cost, theta in reached:
        same = [abs(cost - c) < ALIKE * (1 + c) and (np.abs(theta - p) < ALIKE * size).all() for c, p in kept]
        if not any(same) and len(kept) < KEPT:
            kept.append((cost, theta))
    return kept


def _approach(part: Model, theta: np.ndarray) -> tuple[float, np.ndarray] | None:
    """Some steps downhill: the cost and the place that were reached, None where there is no motion."""
    try:
        found = descend_once(part, theta, LOSS, first_noise(part), Care(TIGHT, STEPS))
    except NoMotion:
        return None
    return found.cost, found.theta


def _try(found: list[Minimum], model: Model, theta: np.ndarray) -> None:
    try:
        merge(found, descend(model, theta, LOSS), model.unknowns.size)
    except NoMotion:
        return


# --- parts of a record -----------------------------------------------------------------------------------------------


def _whole(share: Share, columns: Any, how: Search) -> tuple[Model, bool]:
    """The model of the whole record; does the guess last to its end?"""
    rows, refusal = len(how.record), None
    while rows >= 2 or refusal is None:
        part = how.record if rows == len(how.record) else how.record[:rows]
        try:
            model = _prepared(share, part, columns, how, rows)
        except InvalidValue as error:
            if error.code != "E551" or how.record.time not in how.record.columns or _by_function(columns):
                raise
            refusal, rows = refusal or error, int(rows / LONGER)
            continue
        if part is how.record:
            return model, True
        return on(model, data(how.record, model.data.names, how.uncertainty), how.how.get("until")), False
    assert refusal is not None
    raise refusal


def _by_function(columns: Any) -> bool:
    values = columns.values() if isinstance(columns, Mapping) else ()
    return any(callable(c) and not hasattr(c, "free_symbols") for c in values)


def _prepared(share: Share, record: Record, columns: Any, how: Search, rows: int) -> Model:
    known = {k: v[:rows] if np.ndim(v) else v for k, v in how.uncertainty.items()}
    options = {"max_steps": MAX_STEPS, **how.how}
    if record is not how.record:
        options.pop("until", None)
    return prepared(
        share.equations, record, start=share.start, free=share.free, columns=columns, parameters=share.parameters,
        bounds=share.bounds, priors=share.priors, uncertainty=known or None, least=0, **options
    )  # fmt: skip


def on(model: Model, seen: Data, until: float | None = None) -> Model:
    """The same model of other numbers, run as long as they last."""
    last = float(seen.t[seen.row].max())
    return replace(model.on(data=seen), until=max(last, until or last))


def until(model: Model, time: float) -> Model | None:
    """The model of the numbers up to a time, None where they are fewer than unknowns, or all at the start."""
    t = model.data.t[model.data.row]
    mask = t <= time
    if mask.sum() + model.unknowns.has_prior.sum() <= len(model.unknowns) or not (t[mask] > model.t).any():
        return None
    return on(model, model.data.part(mask))


def _parts(model: Model) -> list[Model]:
    """Longer and longer parts of the numbers, without the whole; none where a column is a function of the path."""
    if not model.by_tangents or not len(model.data.t):
        return []
    times = np.sort(model.data.t[model.data.row])
    least = int(np.ceil(ENOUGH * max(len(model.unknowns), 1)))
    if least >= len(times):
        return []
    first, last, ends = times[least] - model.t, times[-1] - model.t, list[float]()
    while first > 0 and first * LONGER < last:
        ends.append(model.t + first)
        first *= LONGER
    return [part for part in (until(model, end) for end in ends) if part is not None]
