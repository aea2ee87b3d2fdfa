"""Families as the command line asks for them: entries of the file with values replaced, or one of its first run.

``NAME=LOW:HIGH`` is what changes, and its range; every other word is a value, as for runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import sympy as sp

from ..calculus.quantity import SECOND, is_quantity, quantity
from ..errors import DalembertError, InvalidValue, as_given
from ..errors.surfaces import COMMAND
from ..model.expression import Reader
from ..numerics.families.columns import DRIFT, PERIOD
from ..study.leaves import FREQUENCIES
from ..study.study import FamilySpec, Study
from . import assignments, runs
from .terminal import talk


@dataclass(frozen=True)
class Wish:
    """What options say of a family: text as it was typed, or None."""

    principle: str | None = None
    fix: str = ""
    period: str | None = None
    swing: str | None = None
    symmetry: bool = False


def beginning(study: Study, run: str | None) -> Study:
    """The study whose first run is this one, and whose families it begins alone; as it is without a name.

    Where it has several runs and no families, and none is named, it is said with which one begins.

    Raises:
        UnknownName: E307, there is no such run.
    """
    if run is not None:
        (first,) = runs.chosen(study.runs, [run], "run", study.name)
        return replace(study, runs=(first, *(each for each in study.runs if each is not first)), families=())
    if len(study.runs) > 1 and not study.families:
        talk(f"the family begins near the start of the run {study.runs[0].name}; --run NAME takes another")
    return study


def asked(study: Study, words: Iterable[str], wish: Wish) -> tuple[FamilySpec, ...]:
    """The families of the file, or one of its first run, with what the command line replaces.

    Raises:
        InvalidValue: E307, a word that is no assignment, two ranges, or nothing to follow; E241, a range that is none.
        DalembertError: as of `assignments.assignments`.
    """
    words = list(words)
    ranges = [word for word in words if _is_range(word)]
    if len(ranges) > 1:
        fact = f"{' and '.join(ranges)}: one thing changes along a family"
        raise InvalidValue("E307", fact, "give one range; dalembert sweep takes several")
    given = values(study, words)
    what = _range(study, ranges[0]) if ranges else None
    specs = study.families or (_of_run(study, what),)
    return tuple(_changed(study, spec, given, what, wish) for spec in specs)


def values(study: Study, words: Iterable[str]) -> dict[str, object]:
    """What the words that are no ranges give a value.

    Raises:
        DalembertError: as of `assignments.assignments`.
    """
    return assignments.assignments([word for word in words if not _is_range(word)], study)


def _is_range(word: str) -> bool:
    return ":" in word.partition("=")[2]


def _range(study: Study, word: str) -> tuple[str, tuple[float, float]]:
    """What changes, and both ends in base SI."""
    name, _, text = (part.strip() for part in word.partition("="))
    if name != PERIOD and not name.startswith(DRIFT):
        others = study.system.definitions
        (name,) = assignments.assignments([f"{name}=0"], study, others=others)
    ends = text.split(":")
    last, _, unit = ends[-1].strip().partition(" ")
    if len(ends) != 2 or not ends[0].strip() or not last:
        fact = f"{as_given(word)} is no range"
        raise InvalidValue("E241", fact, f'{name}=0:10, or with a unit "{name}=0:10 m/s"')
    try:
        low, high = (_end(study, name, f"{end.strip()} {unit}".strip()) for end in (ends[0], last))
    except DalembertError as error:
        raise error.on(COMMAND) from None
    if not low < high:
        raise InvalidValue("E241", f"{as_given(word)} is empty", f"{name}={high:g}:{low + (low == high):g}")
    return name, (low, high)


def _end(study: Study, name: str, text: str) -> float:
    given = assignments.value(text)
    if name in study.constants or name in study.system.parameters:
        return float(study.overrides({name: given})[name])
    return quantity(given, name).value


def _of_run(study: Study, what: tuple[str, tuple[float, float]] | None) -> FamilySpec:
    """A family that begins at the start of the first run."""
    if what is None:
        fact = f"{study.name} has no [[family]], and nothing says what changes, and from where to where"
        raise InvalidValue("E307", fact, "dalembert family FILE NAME=0:10")
    run = next(iter(study.runs), None)
    principle = run.principle if run else "nonholonomic" if study.system.constraints else "free"
    name = f"family of {run.name}" if run else "family"
    if run is None:
        return FamilySpec(name, principle, *what)
    return FamilySpec(name, principle, *what, run.start, run.parameters, events=run.events, where=run.where)


def _changed(
    study: Study,
    spec: FamilySpec,
    given: Mapping[str, object],
    what: tuple[str, tuple[float, float]] | None,
    wish: Wish,
) -> FamilySpec:
    """The entry with what the command line replaces."""
    if given:
        spec = runs.changed(spec, study, given)
    if what is not None:
        spec = replace(spec, parameter=what[0], over=what[1])
    if wish.principle is not None:
        spec = replace(spec, principle=wish.principle)
    if wish.fix:
        spec = replace(spec, fix=tuple(wish.fix.replace(",", " ").split()))
    if wish.period is not None and wish.swing is not None:
        raise InvalidValue("E307", "--period and --swing are two ways to begin a family", "leave one out")
    if wish.period is not None:
        spec = replace(spec, period=_period(study, wish.period), swing=None, of=None)
    if wish.swing is not None:
        spec = replace(spec, swing=_swing(wish.swing), period=None, of=None)
    return replace(spec, symmetry=True) if wish.symmetry else spec


def _period(study: Study, text: str) -> float | sp.Expr:
    """Seconds, or a formula in the parameters."""
    if is_quantity(text):
        return quantity(assignments.value(text), "the period", SECOND).value
    return Reader.of(study.system).read(text, "the period")


def _swing(text: str) -> float | str | bool:
    """One of the words, or a frequency."""
    if text in FREQUENCIES:
        return text
    return True if text == "only" else quantity(assignments.value(text), "the frequency", SECOND**-1).value
