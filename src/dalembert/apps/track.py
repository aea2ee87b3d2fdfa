"""The track of a fit: a file read as the fit says, its units held against those of the system."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from typing import Any

import sympy as sp

from ..calculus.quantity import quantity, wrong_dimension
from ..errors import DalembertError, DalembertWarning, InvalidValue
from ..errors.remedies import Option
from ..errors.surfaces import COMMAND, FILE
from ..experiment.names import listed
from ..record import Record
from ..recording import recorded
from ..study.study import FitSpec, Study


def record(study: Study, spec: FitSpec, file: str) -> tuple[Record, list[str]]:
    """The record of a fit, and what has to be said of its units.

    Raises:
        DalembertError: E50x, E54x what is wrong with the file, E207 a unit that does not fit the system, E317 names of
            columns that are not there.
    """
    if file == "-":
        error = InvalidValue("E510", "- is standard input, not a file", "save the track in a file and give its name")
        raise error.on(COMMAND)
    surface = COMMAND if spec.where is None else FILE
    read: dict[str, Any] = {key: list(v) if isinstance(v, tuple) else v for key, v in spec.read.items()}
    try:
        with warnings.catch_warnings(record=True) as doubts:
            warnings.simplefilter("always", DalembertWarning)
            found = recorded(file, uncertainty=dict(spec.question.likelihood.uncertainty) or None, **read)
    except DalembertError as error:
        raise error.on(surface) from None
    return found, [*(_told(doubt.message, surface) for doubt in doubts), *_units(study, spec, found)]


def _told(doubt: Warning | str, surface: str) -> str:
    return doubt.on(surface) if isinstance(doubt, DalembertWarning) else str(doubt)


def _units(study: Study, spec: FitSpec, found: Record) -> Iterator[str]:
    """Units that are known on one side only, each kind said once.

    Raises:
        InvalidValue: E207, a column in another unit than what it shows.
    """
    bare, alone = [], []
    for column, shown in _shown(study, spec, found).items():
        own, unit = study.system.unit(shown), found.units.get(column, "")
        if unit and unit not in ("1", "rad", "px"):
            _agree(column, unit, own)
            alone += [] if own else [f"{column} ({unit})"]
        elif not unit and own:
            _sized(column, spec.question.likelihood.uncertainty.get(column), own)
            bare.append(f"{column} in {own}")
    if found.time and not found.units.get(found.time):
        bare.append(f"{found.time} in s")
    if bare:
        yield f"the track has no units for all columns; taken: {', '.join(bare)}"
    if alone and "to" not in spec.read:
        yield f"the system file has no unit for what {', '.join(alone)} shows; if it is not base SI: --read to=cm"


def _shown(study: Study, spec: FitSpec, found: Record) -> dict[str, sp.Expr]:
    """What each column of the fit is, where that is known of the system alone."""
    known = {s.name: s for s in study.system.space}
    columns = spec.question.likelihood.columns
    if isinstance(columns, Mapping):
        own = {*known, *study.system.symbols, "t"}
        return {
            column: e
            for column, e in columns.items()
            if column in found.columns and {s.name for s in e.free_symbols} <= own
        }
    names = found.names if columns is None else listed(columns)
    return {name: known[name] for name in names if name in known and name in found.columns and name != found.time}


def _sized(column: str, given: object, own: str) -> None:
    """E207: the uncertainty of a column without a unit is in another one than what it shows."""
    has, needs = quantity(given or 0, column).dimension, quantity(f"1 {own}", column).dimension
    if has is not None and needs is not None and has != needs:
        raise wrong_dimension(f"the uncertainty of {column}", has, own)


def _agree(column: str, unit: str, own: str) -> None:
    size, has = quantity(f"1 {unit}", column)
    if not own or has is None:
        return
    needs = quantity(f"1 {own}", column).dimension
    if needs is not None and has != needs:
        fact = f"{column} of the track is in {unit}, and what it shows is in {own}"
        raise InvalidValue(
            "E207", fact, ("correct the heading, or say what it shows: ", Option("columns", {column: "..."}))
        )
    if size != 1:
        fact = f"{column} of the track is read in {unit}, and the file is in {own}"
        raise InvalidValue("E207", fact, "leave to = ... out of read")
