"""From a file, arrays or a DataFrame to a `Record`: units, scale, turn and offset, times, gaps, doubts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..argument_checks import names as names_of
from ..argument_checks import public, switch, text, whole
from ..errors import InvalidValue, Note, UnknownName, as_given, did_you_mean
from ..errors.remedies import Option
from ..record import Record
from ..record.cell_separators import check_mark
from . import camera
from .column_units import converted, doubted, into, known
from .record_draft import Draft, check_gaps, draft_of, in_order_of_time, time_column

__all__ = ["recorded"]

Some = Mapping[str, Any]


@public
def recorded(
    data: object,
    *,
    columns: Mapping[str, str] | Sequence[str] | None = None,
    leave: Sequence[str] = (),
    units: Mapping[str, str] | None = None,
    uncertainty: Some | None = None,
    time: str | None = "t",
    scale: object = None,
    offset: Some | None = None,
    rotation: object = None,
    to: str | Sequence[str] = (),
    gaps: str = "refuse",
    sort: bool = False,
    separator: str | None = None,
    decimal: str | None = None,
    skip: int = 0,
    source: str = "",
) -> Record:
    """What was measured, as a `Record` in base SI.

    A file is text: a heading with names, a row for each time; ``#`` begins a comment. Units stand in the heading as
    ``x [cm]``, ``x (cm)`` or ``x/cm``, or in a row of their own below it. Columns ``sigma_x``, ``sigma(x)`` or ``u(x)``
    hold the standard uncertainty of ``x``. Encoding, separator and decimal mark are recognised where the text leaves
    no doubt.

    Args:
        data: name of a file; mapping of names to arrays; array (N, k) with ``columns`` as names; or DataFrame.
        columns: new names ``{old: new}``; or the names of the columns to read, of all if there is no heading.
        leave: columns not to read.
        units: ``{name: unit}`` where the heading does not say; numbers without a unit are taken as they are.
        uncertainty: ``{name: standard uncertainty}``: a number in base SI, ``"1 mm"``, or an array (N,) in base SI.
        time: name of the column of times, None if there is none; a column ``time`` is taken for ``t``.
        scale: length of a pixel, ``"0.12 mm"``, of all columns but the times that have no unit; or a factor or length
            by name, ``{"x": "0.12 mm", "y": "-0.12 mm"}``.
        offset: ``{name: what is added}``, after scale and turn: a number in base SI or ``"-3 s"``.
        rotation: angle by which (x, y) and (vx, vy) are turned, number or ``"30 deg"``; other pairs by name:
            ``{("u", "v"): "30 deg"}``. Uncertainties are turned as those of independent errors.
        to: base units other than SI to give the numbers in: ``"cm"`` or ``("cm", "g")``.
        gaps: ``"refuse"`` or ``"keep"`` cells without a value, as NaN.
        sort: put the rows in order of time if they are not.
        separator, decimal: of a file, where the text leaves a doubt.
        skip: lines of a file before its heading.
        source: where it is from: key in a bibliography, person, date.

    Returns:
        The record; what was done stands in its ``provenance``, doubts (W548) in its ``notes``.

    Raises:
        WrongType: E501, nothing that can be read.
        MissingFile: E501, there is no such file.
        InvalidValue: E502 to E506, E510 the file cannot be read; E540 no heading; E541 separator or decimal mark in
            doubt; E542 text for a number; E543 a missing value; E544 times that do not rise; E545 a time twice; E546
            fewer than 2 rows; E547 more than 10^7; E206, E207 a unit that is none or does not fit.
        UnknownName: E317, a name that no column bears.
    """
    _check_how(separator, decimal, skip, sort, source)
    if not isinstance(gaps, str) or gaps not in ("refuse", "keep"):
        remedy = (Option("read.gaps", "refuse"), " or ", Option("read.gaps", "keep"))
        raise InvalidValue("E543", f"gaps={as_given(gaps)} is not known", remedy)
    units, uncertainty, offset = ({} if asked is None else asked for asked in (units, uncertainty, offset))
    draft = draft_of(data, columns, leave, separator, decimal, skip)
    for name, asked in (("units", units), ("uncertainty", uncertainty), ("offset", offset)):
        _check_names(draft, asked, name)
    clock = time_column(draft, time)
    converted(draft, units, clock)
    camera.scaled(draft, scale, clock)
    known(draft, uncertainty)
    camera.turned(draft, rotation, clock)
    camera.moved(draft, offset)
    if clock is not None:
        in_order_of_time(draft, clock, sort)
    check_gaps(draft, clock, gaps)
    notes = doubted(draft, clock, rotation)
    into(draft, names_of(to, "to", some=False))
    return _record(draft, source, clock or "", notes)


def _check_how(separator: object, decimal: object, skip: object, sort: object, source: object) -> None:
    """E307: how a file is read, and what is said of it, are of other kinds."""
    for name, asked in (("separator", separator), ("decimal", decimal), ("source", source)):
        if asked is not None:
            check_mark(name, text(asked, name))
    whole(skip, "skip"), switch(sort, "sort")


def _record(draft: Draft, source: str, clock: str, notes: tuple[Note, ...]) -> Record:
    provenance = {**draft.provenance, "done": tuple(draft.done)}
    units = {k: u for k, u in draft.units.items() if u}
    return Record(draft.values, source, draft.sigma, units, clock, provenance, notes)


def _check_names(draft: Draft, asked: object, where: str) -> None:
    if not isinstance(asked, Mapping):
        name = list(draft.values)[-1]  # the first is the time
        raise InvalidValue("E317", f"{where}= needs the names of columns", Option(f"read.{where}", {name: ...}))
    for name in asked:
        if name not in draft.values:
            raise UnknownName("E317", f"{where}: there is no column {as_given(name)}", did_you_mean(name, draft.values))
