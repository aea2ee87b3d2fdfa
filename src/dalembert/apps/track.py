"""The track of a fit: a file read as the fit says, its units held against those of the system."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import sympy as sp

from ..calculus.quantity import quantity
from ..errors import DalembertError, DalembertWarning, InvalidValue
from ..record import Record
from ..study.study import FitSpec, Study
from .recorded import recorded
from .terminal import OF_COMMAND

Rule = str | Callable[[re.Match[str]], str]


def record(study: Study, spec: FitSpec, file: str) -> tuple[Record, list[str]]:
    """The record of a fit, and what has to be said of its units.

    Raises:
        DalembertError: E50x, E54x what is wrong with the file, E207 a unit that does not fit the system, E317 names of
            columns that are not there.
    """
    if file == "-":
        error = InvalidValue("E510", "- is standard input, not a file", "save the track in a file and give its name")
        error.add_note(OF_COMMAND)
        raise error
    read: dict[str, Any] = {key: list(v) if isinstance(v, tuple) else v for key, v in spec.read.items()}
    try:
        with warnings.catch_warnings(record=True) as doubts:
            warnings.simplefilter("always", DalembertWarning)
            found = recorded(file, uncertainty=dict(spec.uncertainty) or None, **read)
    except DalembertError as error:
        if spec.where is None and error.where is None:
            error.add_note(OF_COMMAND)
        raise said(error) from None
    return found, [*(in_words(str(doubt.message)) for doubt in doubts), *_units(study, spec, found)]


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
    if isinstance(spec.columns, Mapping):
        own = {*known, *study.system.symbols, "t"}
        return {
            column: e
            for column, e in spec.columns.items()
            if column in found.columns and {s.name for s in e.free_symbols} <= own
        }
    names = found.names if spec.columns is None else spec.columns
    return {name: known[name] for name in names if name in known and name in found.columns and name != found.time}


def _agree(column: str, unit: str, own: str) -> None:
    size, has = quantity(f"1 {unit}", column)
    if not own or has is None:
        return
    needs = quantity(f"1 {own}", column).dimension
    if needs is not None and has != needs:
        fact = f"{column} of the track is in {unit}, and what it shows is in {own}"
        raise InvalidValue("E207", fact, f'correct the heading, or say what it shows: --column {column}="..."')
    if size != 1:
        fact = f"{column} of the track is read in {unit}, and the file is in {own}"
        raise InvalidValue("E207", fact, "leave to = ... out of read")


# --- in words of the command -----------------------------------------------------------------------------------------


def said(error: DalembertError) -> DalembertError:
    """The error with something to type on the command line, in place of Python."""
    for each in getattr(error, "problems", (error,)):
        each.remedy = in_words(each.remedy)
    return error


def in_words(text: str) -> str:
    """Arguments of Python as options of the command."""
    for pattern, rule in _RULES:
        text = pattern.sub(rule, text)
    return text


def _each(option: str) -> Callable[[re.Match[str]], str]:
    """``units={"x": "mm", "t": "ms"}`` as one option for each."""

    def told(found: re.Match[str]) -> str:
        pairs = re.findall(r'"([^"]+)": ("[^"]*"|[^,}]+)', found[1])
        return " ".join(f"{option}{name}={value}" for name, value in pairs) or f"{option}NAME=VALUE"

    return told


def _names(option: str) -> Callable[[re.Match[str]], str]:
    """``leave=["a", "b"]`` as one option."""

    def told(found: re.Match[str]) -> str:
        names = " ".join(re.findall(r"[^\s\"',]+", found[1]))
        return f'{option}"{names}"'

    return told


_RULES: tuple[tuple[re.Pattern[str], Rule], ...] = tuple(
    (re.compile(pattern), rule)
    for pattern, rule in (
        (r'time="NAME", or time=None if there are no times', "--read time=NAME"),
        (r'gaps="refuse" or gaps="keep"', "--read gaps=keep"),
        (r"\bsort=True", "--read sort=true"),
        (r"\b(gaps|separator|decimal|scale|rotation)=(\"[^\"]*\")", r"--read \1=\2"),
        (r"\bskip=(\d+)", r"--read skip=\1"),
        (r"rotation=\{\(\"(\w+)\", \"(\w+)\"\): (\"[^\"]*\")\}", r'--read "rotation.\1 \2"=\3'),
        (r"\b(?:leave|leave out)=\[([^\]]*)\]", _names("--read leave=")),
        (r"\bcolumns=\[([^\]]*)\]", _names("--read columns=")),
        (r"\bunits=\{([^}]*)\}", _each("--read units.")),
        (r"\bscale=\{([^}]*)\}", _each("--read scale.")),
        (r"\buncertainty=\{([^}]*)\}", _each("--uncertainty ")),
        (r"\bcolumns=\{([^}]*)\}", _each("--column ")),
        (r"\bpriors=\{name: \(mean, standard deviation\)\}", "--prior NAME=MEAN,DEVIATION"),
        (r"\bpriors=\{\"(\w+)\": \(([^,]+), ([^)]+)\)\}", r"--prior \1=\2,\3"),
        (r"\bbounds=\{\"(\w+)\": \(([^,]+), ([^)]+)\)\}", r"--bound \1=\2,\3"),
        (r"parameters=\{'(\w+)': ([^}]+)\}", r"\1=\2"),
        (r"\bfree=\[([^\]]*)\]", _names("--free ")),
        (r"\bleave (\w+) out of units=", r"leave \1 out of units in read"),
        (r"\b(?:leave it out of units=)", "leave it out of units in read"),
        (r"\bstarts=(\d+)", r"--starts \1"),
        (r"more starts=", "more --starts"),
        (r"in start= or parameters=", "NAME=VALUE"),
        # of a table
        (r'(?:parameters|start) = \{ "?([\w()]+)"? = ([^ ]+) \}', r"\1=\2"),
        (r'bounds = \{ (\w+) = \["([^"]*)", "([^"]*)"\] \}', r'--bound \1="\2,\3"'),
        (r'priors = \{ (\w+) = \["([^"]*)", "([^"]*)"\] \}', r'--prior \1="\2,\3"'),
        (r'columns = \{ (\w+) = ("[^"]*") \}', r"--column \1=\2"),
        (r"principles = \[([^\]]*)\]", _names("--principles ")),
    )
)
