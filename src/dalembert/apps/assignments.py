"""``NAME=VALUE`` on the command line, and entries made of it where a file has none."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from ..calculus.line_width import DECIMAL
from ..errors import DalembertError, InvalidValue, UnknownName, as_given, did_you_mean
from ..errors.interfaces import COMMAND
from ..study.study import CompareSpec, Study, SweepSpec
from ..study.value_types import spread

_NO_UNIT = r"[eE](?:[+-]?[0-9]|\Z)|t\b|[^\W\d_]\w*\s*\("  # an exponent that breaks off; 2t and 2sin(t), which lack a *
_GLUED = re.compile(rf"([+-]?{DECIMAL})((?!{_NO_UNIT})(?:[^\W\d_]|°).*)\Z")
_OPTIONS = ("until", "principle", "principles", "samples", "columns", "free", "jobs")  # of commands
_EXAMPLE = 'write NAME=VALUE, such as Omega="30 rpm" or x=0.1'


def assignments(
    words: Iterable[str], study: Study, ranges: bool = False, others: Iterable[str] = ()
) -> dict[str, object]:
    """Values by name, as text: parameters, start values, multipliers; with `ranges` tuples for axes.

    `others` are further names that there are.

    Raises:
        InvalidValue: E307, a word without ``=``, or a name given twice.
        UnknownName: E307, the system has no such parameter or state.
    """
    found: dict[str, Any] = {}
    known, spelled, own = _known(study) | set(others), _numbered(study), study.system.space.velocities
    rates = {f"dot({q})": str(rate) for q, rate in study.system.space.rates.items() if rate in own}
    for word in words:
        name, sign, text = (part.strip() for part in word.partition("="))
        if not sign or not name or not text:
            raise InvalidValue("E307", f"{as_given(word)} is no assignment", _EXAMPLE)
        name = spelled.get(name, name) if name not in known else name
        name = rates.get(name, name)
        if name in found:
            raise InvalidValue("E307", f"{name} is given twice", "give it once")
        if name not in known:
            fact = f"{study.name} has no parameter, input or state {as_given(name)}"
            remedy = f"--{name} {text}, where the command has it" if name in _OPTIONS else did_you_mean(name, known)
            raise UnknownName("E307", fact, remedy)
        found[name] = _range(text, name) if ranges else value(text)
    return found


def value(text: str) -> Any:
    """A number, or text with a unit, which may stand close: ``75cm``."""
    if text.isascii() and "_" not in text:  # float() reads digits of every script, which look like other things
        with suppress(ValueError):
            return float(text)
    return parted(text)


def parted(text: str) -> str:
    """A value and the unit that stands close to it with a blank between: as a file and Python have them."""
    glued = _GLUED.match(text.strip())
    return f"{glued[1]} {glued[2]}" if glued else text


def _range(text: str, name: str) -> object:
    try:
        return _axis(text, name)
    except DalembertError as error:
        raise error.on(COMMAND) from None


def _axis(text: str, name: str) -> Any:
    """One value, ``A,B,C`` or the range ``FIRST:LAST:COUNT unit``."""
    if "," in text:
        return tuple(value(part.strip()) for part in text.split(","))
    return spread(":".join(map(parted, text.split(":"))), name) if ":" in text else value(text)


def _numbered(study: Study) -> dict[str, str]:
    """lam1, lam2, ... for the multipliers in the order of the constraints, as in a file."""
    return {f"lam{i}": c.multiplier.name for i, c in enumerate(study.system.constraints, 1)}


def _known(study: Study) -> set[str]:
    system, space = study.system, study.system.space
    multipliers = {c.multiplier.name for c in (*system.constraints, *system.equivalent)}
    return {
        *system.parameters,
        *study.constants,
        *system.inputs,
        *space.by_name,
        *space.attitudes,
        *multipliers,
        *(f"dot({q})" for q in space.coordinates),
    }


def as_comparisons(study: Study, principles: tuple[str, ...] | None) -> tuple[CompareSpec, ...]:
    """The runs of a file without comparisons, each as a comparison of these principles.

    Raises:
        InvalidValue: E307, no principles are named.
    """
    if principles is None and study.runs:
        fact = f"{study.name} has no [[compare]]"
        raise InvalidValue("E307", fact, "dalembert compare FILE --principles nonholonomic,vakonomic")
    return tuple(run.like(CompareSpec, principles=principles or (), start_of=run.name) for run in study.runs)


def as_sweeps(study: Study, axes: Mapping[str, object]) -> tuple[SweepSpec, ...]:
    """The first run of a file without sweeps, as a sweep over these axes.

    Raises:
        InvalidValue: E307, there are no axes.
    """
    if not any(isinstance(value, tuple) for value in axes.values()) and study.runs:
        fact = f"{study.name} has no [[sweep]], and no range is given"
        raise InvalidValue("E307", fact, "dalembert sweep FILE NAME=0:100:11")
    return tuple(run.like(SweepSpec, name=f"sweep of {run.name}", start_of=run.name) for run in study.runs[:1])
