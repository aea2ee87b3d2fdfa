"""The nouns of a benchmark: a job is a list of contests, each held against a bar."""

from __future__ import annotations

import math
import operator
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

COMPARISONS = {"<=": operator.le, ">=": operator.ge}


class Missing(Exception):
    """Something that a contest needs is not there; the message says what."""


@dataclass(frozen=True)
class Bar:
    """What a contest's value is held against: ``Bar("<=", 1.0)``."""

    sense: str
    limit: float

    def met(self, value: float) -> bool:
        """Is the bar met? Never by a value that is not a number."""
        return bool(COMPARISONS[self.sense](value, self.limit))

    def __str__(self) -> str:
        return f"{self.sense} {self.limit:g}"


@dataclass(frozen=True)
class Measured:
    """What a contest gave: the value, both sides as text, and its quartiles over the rounds."""

    value: float
    ours: str
    theirs: str = ""
    spread: tuple[float, float] | None = None


@dataclass(frozen=True)
class Contest:
    """One line of the table.

    Attributes:
        key: name within the job.
        against: the opponent and what is measured, in words.
        bar: what the value must meet; None for a line that is there to be read.
        measure: does the work.
    """

    key: str
    against: str
    bar: Bar | None
    measure: Callable[[], Measured]


@dataclass(frozen=True)
class Job:
    """A job: `name` to ask for it, `title` for the table, which says what the values are."""

    name: str
    title: str
    contests: Sequence[Contest]


@dataclass(frozen=True)
class Line:
    """A contest that was held: measured, or the reason why not."""

    job: Job
    contest: Contest
    measured: Measured | None
    absent: str = ""
    failed: bool = False

    @property
    def name(self) -> str:
        """Job and contest, the key of its reason."""
        return f"{self.job.name}/{self.contest.key}"

    @property
    def verdict(self) -> str:
        """``"met"``, ``"missed"``, ``"missing"``, ``"failed"``, or nothing where there is no bar."""
        if self.measured is None:
            return "failed" if self.failed else "missing"
        if self.contest.bar is None:
            return ""
        return "met" if self.contest.bar.met(self.measured.value) else "missed"


def hold(job: Job, contest: Contest) -> Line:
    """Hold one contest; one that breaks does not stop the others."""
    try:
        return Line(job, contest, contest.measure())
    except Missing as absent:
        return Line(job, contest, None, str(absent))
    except Exception as error:
        text = f"{type(error).__name__}: {error}"
        return Line(job, contest, None, text.splitlines()[0], failed=True)


def need(package: str) -> Any:
    """An optional package, imported; Missing where it is not installed."""
    try:
        return import_module(package)
    except ImportError:
        raise Missing(f"{package.partition('.')[0]} not installed") from None


# --- time ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Timing:
    """Seconds of both sides, round by round."""

    ours: list[float] = field(default_factory=list)
    theirs: list[float] = field(default_factory=list)

    def share(self, ours: float = 1.0, theirs: float = 1.0) -> Measured:
        """Our best time over theirs; the arguments divide the times, for instance by how many things were done."""
        return self._measured(min(self.ours) / min(self.theirs), lambda a, b: a / b, ours, theirs)

    def gain(self, ours: float = 1.0, theirs: float = 1.0) -> Measured:
        """Their best time over ours."""
        return self._measured(min(self.theirs) / min(self.ours), lambda a, b: b / a, ours, theirs)

    def _measured(self, best: float, ratio: Callable[[float, float], float], ours: float, theirs: float) -> Measured:
        scale = ratio(1 / ours, 1 / theirs)
        rounds = [ratio(a, b) * scale for a, b in zip(self.ours, self.theirs, strict=True)]
        return Measured(
            best * scale,
            duration(min(self.ours) / ours),
            duration(min(self.theirs) / theirs),
            quartiles(rounds),
        )


def quartiles(values: Sequence[float]) -> tuple[float, float]:
    """Between these lies the middle half."""
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    return low, high


def alternate(
    ours: Callable[[], Any], theirs: Callable[[], Any], rounds: int = 9, seconds: float = 8.0, warm: bool = True
) -> Timing:
    """Time both in alternation, A B A B ..., after one call of each that is not counted.

    Args:
        ours, theirs: what to time; one that returns a float gives its own seconds.
        rounds: how many times.
        seconds: no further round is begun after this, once there are two.
        warm: call each once before; False for long runs of compiled code that has run already.
    """
    if warm:
        ours(), theirs()
    timing, began = Timing(), time.perf_counter()
    while len(timing.ours) < rounds and (len(timing.ours) < 2 or time.perf_counter() - began < seconds):
        timing.ours.append(clock(ours))
        timing.theirs.append(clock(theirs))
    return timing


def clock(work: Callable[[], Any]) -> float:
    """Seconds of one call, or what it says they were."""
    began = time.perf_counter()
    said = work()
    return said if isinstance(said, float) else time.perf_counter() - began


def duration(seconds: float) -> str:
    """Seconds in a unit that fits: ``"1.23 ms"``."""
    if not seconds > 0:
        return "0 s"
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def against_error(ours: float, theirs: float) -> Measured:
    """Our error over theirs."""
    return Measured(ours / theirs if theirs else math.inf, f"{ours:.1e}", f"{theirs:.1e}")
