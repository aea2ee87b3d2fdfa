"""The simple values of a system file, each checked by a function that says what it wants.

A value that is refused here raises `Unfit` with a code of the catalogue, so that all problems of a file come out
together.
"""

from __future__ import annotations

import datetime
import itertools
import math
import re
from typing import Any, TypeGuard

from ..calculus.dimension import SECOND
from ..calculus.quantity import is_quantity, quantity, seconds
from ..calculus.text import DECIMAL
from ..errors import DalembertError, InvalidValue, as_given
from ..errors.surfaces import FILE
from ..plain_file import plain, shown
from .tables import Unfit, unfit

LONGEST, LONGEST_NAME = 4000, 100  # characters of a text, of the name of a run or a force
MOST_NAMES = 200
MOST = 10_000_000  # samples
_UNIT_EACH = re.compile(r"\s*([^\s:]+) +([^\s:][^:]*?)\s*:\s*([^\s:]+) +\2\s*:\s*([^\s:]+)\s*")
_AS_RANGE = 'write "first:last:count", such as "0:100:11", or with a unit "0:100:11 cm"'
_RANGE = re.compile(r"\s*([^:\s]+)\s*:\s*([^:\s]+)\s*:\s*([^:\s]+)(\s+\S.*)?\Z")
FREQUENCIES = "slowest", "fastest"  # words for one of the frequencies of small swings
_SWINGS = 'swing = true, "slowest", "fastest" or "3 rad/s"'
_NUMBER = re.compile(rf"[+-]?{DECIMAL}\Z")


def refusal(code: str, fact: str, remedy: str = "") -> Unfit:
    """A problem of one value; its key is put before the fact."""
    return unfit(code, fact=fact, remedy=remedy)


def said(error: DalembertError) -> Unfit:
    """An error of the library as the problem of one value."""
    error.on(FILE)
    return unfit(error.code, fact=error.fact, remedy=error.remedy, detail=error.detail, whole=True)


def kind(given: object) -> str:
    """What a TOML value is, in words."""
    if isinstance(given, bool):
        return "true or false"
    if isinstance(given, datetime.date | datetime.time):
        return "a date or time"
    words = ((str, "text"), (int, "a number"), (float, "a number"), (list, "a list"), (dict, "a table"))
    return next((word for of, word in words if isinstance(given, of)), type(given).__name__)


def _is_number(given: object) -> TypeGuard[float]:
    return isinstance(given, int | float) and not isinstance(given, bool)


def _finite(given: float) -> float:
    try:
        whole = math.isfinite(given)
    except OverflowError:
        whole = False
    if not whole:
        raise refusal("E203", f"is {given}, not a finite number" if isinstance(given, float) else "is too large", "1.0")
    return given


def line(given: object) -> str:
    """One line of text; control characters are left out."""
    if not isinstance(given, str):
        raise _no_text(given)
    return _not_endless(shown(given))


def _no_text(given: object) -> Unfit:
    """E508, with the text that was meant where a list holds just one."""
    one = given[0] if isinstance(given, list) and len(given) == 1 and isinstance(given[0], str) else ""
    remedy = "give one text" if isinstance(given, list | dict) else "put it in quotes"
    return refusal("E508", f"must be text, not {kind(given)}", f'"{as_given(plain(one))[1:-1]}"' if one else remedy)


def _not_endless(given: str) -> str:
    if len(given) > LONGEST:
        raise refusal("E716", f"has {len(given)} characters, the limit is {LONGEST}", "give parts of it names")
    return given


def name(given: object) -> str:
    """A name of a few words; control characters are refused."""
    read = line(given)
    if read != given or not read.strip() or len(read) > LONGEST_NAME:
        fact = f"{as_given(plain(str(given)))} cannot be a name"
        raise refusal("E719", fact, f"use letters, digits and _, at most {LONGEST_NAME} characters")
    return read


def text(given: object) -> str:
    """Text of any lines."""
    if not isinstance(given, str):
        raise _no_text(given)
    return _not_endless(given)


def expression(given: object) -> Any:
    """Text of the expression language, or a number."""
    if _is_number(given):
        return _finite(given)
    if not isinstance(given, str):
        raise refusal("E718", f"must be an expression in quotes or a number, not {kind(given)}", '"m/2*dot(x)^2"')
    return text(given)


def names(given: object) -> tuple[str, ...]:
    """``"x y"`` or a list of names."""
    if isinstance(given, list) and all(isinstance(name, str) for name in given):
        listed = given
    elif isinstance(given, str):
        listed = given.replace(",", " ").split()
    else:
        raise refusal("E508", f"must be names, not {kind(given)}", 'write "x y" or ["x", "y"]')
    if len(listed) > MOST_NAMES:
        raise refusal("E135", f"has {len(listed)} names, the limit for a file is {MOST_NAMES}", "write several files")
    for name in listed:
        if not name or name != plain(name):
            raise refusal("E719", f"{as_given(plain(name))} is not a name", "use letters, digits and _")
    return tuple(listed)


def texts(given: object) -> tuple[str, ...]:
    """Texts: one, or a list of them."""
    listed = [given] if isinstance(given, str) else given
    if not isinstance(listed, list) or not all(isinstance(entry, str) for entry in listed):
        raise refusal("E508", f"must be text or a list of texts, not {kind(given)}", '["lewis1995"]')
    return tuple(_not_endless(shown(entry)) for entry in listed)


def value(given: object) -> Any:
    """A number, or text with a unit."""
    if isinstance(given, list | dict):
        raise refusal("E204", f"must be a number or text with a unit, not {kind(given)}", '1.5 or "10 cm"')
    try:
        quantity(given, "the value")
    except DalembertError as error:
        raise said(error) from None
    return given


def moment(given: object) -> float:
    """Seconds: a number, or text with a unit of time."""
    try:
        return seconds(given, "the time")
    except DalembertError as error:
        raise said(error) from None


def moments(given: object) -> Any:
    """How many, or which."""
    if isinstance(given, int) and not isinstance(given, bool):
        if given < 2:
            raise refusal("E303", f"is {given}: there are two sample times at least", "samples = 1001")
        if given > MOST:
            raise refusal("E304", f"asks for {given} sample times, the limit is {MOST}", "take fewer")
        return given
    if not isinstance(given, list) or not given:
        what = f"{given:g}" if isinstance(given, float) else "an empty one" if given == [] else kind(given)
        fact = f"must be a whole number of sample times or a list of times, not {what}"
        raise refusal("E303", fact, "1001, or [0, 0.5, 1]")
    times = tuple(moment(entry) for entry in given)
    if any(b <= a for a, b in itertools.pairwise(times)):
        raise refusal("E303", "holds times that do not rise", "sort them, each only once")
    return times


def start_value(given: object) -> Any:
    """A number, text with a unit; for a rotation "identity", a 3 x 3 matrix or the parts of a quaternion.

    Other text is refused where the parameters are known.
    """
    if isinstance(given, dict):
        return {str(key): _finite_number(entry) for key, entry in given.items()}
    if isinstance(given, list):
        rows = [_row(row) for row in given]
        return tuple(rows)
    return text(given) if isinstance(given, str) and not is_quantity(given) else value(given)


def _row(row: Any) -> Any:
    return tuple(_finite_number(entry) for entry in row) if isinstance(row, list) else _finite_number(row)


def _finite_number(given: object) -> float:
    if not _is_number(given):
        raise refusal("E204", f"holds {as_given(given)}, which is not a number", "give numbers")
    return float(_finite(given))


def spread(text: str, name: str) -> tuple[Any, ...]:
    """The values of a range ``"first:last:count unit"``.

    Raises:
        InvalidValue: E241, the text is no range.
    """
    try:
        found: tuple[Any, ...] = axis(text)
    except Unfit as error:
        (problem,) = error.problems
        fact, remedy = problem.about["fact"], problem.about["remedy"]
        raise InvalidValue(problem.kind, f"{name} {fact}", remedy) from None
    return found


def axis(given: object) -> Any:
    """One value, a list of values, or a range ``"first:last:count unit"``, both ends included."""
    if isinstance(given, list):
        if not given:
            raise refusal("E241", "is an empty list", "give at least one value")
        return tuple(value(entry) for entry in given)
    found = _RANGE.match(_unit_last(given)) if isinstance(given, str) else None
    if isinstance(given, str) and ":" in given and found is None:
        raise refusal("E241", f"= {as_given(given)} is not a range", _AS_RANGE)
    return value(given) if found is None else _spread(found)


def _unit_last(text: str) -> str:
    """``"300 N:900 N:3"`` as ``"300:900:3 N"``."""
    found = _UNIT_EACH.fullmatch(text)
    return text if found is None else f"{found[1]}:{found[3]}:{found[4]} {found[2]}"


def _spread(found: re.Match[str]) -> tuple[Any, ...]:
    first, last, count, unit = found.groups()
    if not (_NUMBER.match(first) and _NUMBER.match(last) and count.isascii() and count.isdecimal()):
        raise refusal("E241", f"= {as_given(found[0])} is not a range", _AS_RANGE)
    n = int(count[:9])
    if not 2 <= n <= 1_000_000:
        raise refusal("E241", f"asks for {count[:12]} values: a range has 2 to 1000000", '"0:100:11" has 11')
    a, b = (float(_finite(float(end))) for end in (first, last))
    if a == b:
        raise refusal(
            "E241", f"= {as_given(found[0])} is {n} times the same value", f"give {first} alone, or another end"
        )
    # both ends are exactly those that were written
    values = [a + (b - a) * i / (n - 1) for i in range(n - 1)] + [b]
    if unit is None:
        return tuple(values)
    texts = tuple(f"{x!r} {unit.strip()}" for x in values)
    value(texts[0])
    return texts


def _two(given: object, example: str) -> list[Any]:
    if not isinstance(given, list) or len(given) != 2:
        what = f"a list of {len(given)}" if isinstance(given, list) else kind(given)
        raise refusal("E508", f"must be two values, not {what}", example)
    return given


def ends(given: object) -> tuple[Any, Any]:
    """The lower and the upper bound; "-" is an open end, None here."""
    low, high = (
        None if end == "-" else value(end) for end in _two(given, '["4 rad/s", "6 rad/s"], "-" for an open end')
    )
    return low, high


def pair(given: object) -> tuple[Any, Any]:
    """A mean and a standard deviation."""
    mean, deviation = map(value, _two(given, '["1.27 cm", "0.01 cm"]: mean, standard deviation'))
    return mean, deviation


def span(given: object) -> tuple[Any, Any]:
    """Where what is followed begins and ends."""
    low, high = map(value, _two(given, '["0 m/s", "10 m/s"]: from, to'))
    return low, high


def swing(given: object) -> float | str | bool | None:
    """Which small swing: the only one, that of about a frequency, the slowest or the fastest."""
    if isinstance(given, bool):
        return given or None
    if given in FREQUENCIES:
        return str(given)
    try:
        return quantity(given, "the frequency", SECOND**-1).value
    except DalembertError as error:
        told = said(error) if error.code != "E204" else None
        raise told or refusal("E508", f"= {as_given(given)} says not which", _SWINGS) from None


def observed(given: object) -> Any:
    """Names of columns, or what each column is: ``{ px = "k*x + x0" }``."""
    return {str(key): expression(e) for key, e in given.items()} if isinstance(given, dict) else names(given)


def renamed(given: object) -> Any:
    """Names of columns, or new names by the old ones."""
    return {str(key): line(name) for key, name in given.items()} if isinstance(given, dict) else names(given)
