"""The simple values of a system file, each checked by a function that says what it wants.

A value that is refused here raises `PydanticCustomError` with a code of the catalogue as its type, so that all problems
of a file come out together.
"""

from __future__ import annotations

import itertools
import math
import re
from typing import Annotated, Any, TypeGuard

from pydantic import PlainValidator
from pydantic_core import PydanticCustomError

from ..calculus.language.syntax_errors import LIMITS
from ..calculus.line_width import DECIMAL
from ..calculus.quantity import SECOND, is_quantity, quantity, seconds
from ..errors import DalembertError, InvalidValue, as_given
from ..errors.interfaces import FILE
from ..input_file import plain, shown
from .toml_text import kind

LONGEST_NAME = 100  # characters of the name of a run or a force
MOST_NAMES = 200
MOST = 10_000_000  # samples
_UNIT_EACH = re.compile(r"\s*([^\s:]+) +([^\s:][^:]*?)\s*:\s*([^\s:]+) +\2\s*:\s*([^\s:]+)\s*")
_AS_RANGE = 'write "first:last:count", such as "0:100:11", or with a unit "0:100:11 cm"'
_RANGE = re.compile(r"\s*([^:\s]+)\s*:\s*([^:\s]+)\s*:\s*([^:\s]+)(\s+\S.*)?\Z")
FREQUENCIES = "slowest", "fastest"  # words for one of the frequencies of small swings
_SWINGS = 'swing = true, "slowest", "fastest" or "3 rad/s"'
_NUMBER = re.compile(rf"[+-]?{DECIMAL}\Z")


def refusal(code: str, fact: str, remedy: str = "") -> PydanticCustomError:
    """A problem of one value; its key is put before the fact."""
    return PydanticCustomError(code, "{fact}", {"fact": fact, "remedy": remedy})


def said(error: DalembertError) -> PydanticCustomError:
    """An error of the library as the problem of one value."""
    error.on(FILE)
    context = {"fact": error.fact, "remedy": error.remedy, "detail": error.detail, "whole": True}
    return PydanticCustomError(error.code, "{fact}", context)


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _finite(value: float) -> float:
    try:
        whole = math.isfinite(value)
    except OverflowError:
        whole = False
    if not whole:
        raise refusal("E203", f"is {value}, not a finite number" if isinstance(value, float) else "is too large", "1.0")
    return value


def _line(value: object) -> str:
    """One line of text; control characters are left out."""
    if not isinstance(value, str):
        raise _no_text(value)
    return _not_endless(shown(value))


def _no_text(value: object) -> PydanticCustomError:
    """E508, with the text that was meant where a list holds just one."""
    one = value[0] if isinstance(value, list) and len(value) == 1 and isinstance(value[0], str) else ""
    remedy = "give one text" if isinstance(value, list | dict) else "put it in quotes"
    return refusal("E508", f"must be text, not {kind(value)}", f'"{as_given(plain(one))[1:-1]}"' if one else remedy)


def _not_endless(value: str) -> str:
    if len(value) > LIMITS.characters:
        fact = f"has {len(value)} characters, the limit is {LIMITS.characters}"
        raise refusal("E716", fact, "give parts of it names")
    return value


def _name(value: Any) -> str:
    """A name of a few words; control characters are refused."""
    line = _line(value)
    if line != value or not line.strip() or len(line) > LONGEST_NAME:
        fact = f"{as_given(plain(value))} cannot be a name"
        raise refusal("E719", fact, f"use letters, digits and _, at most {LONGEST_NAME} characters")
    return line


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise _no_text(value)
    return _not_endless(value)


def _expression(value: object) -> object:
    """Text of the expression language, or a number."""
    if _is_number(value):
        return _finite(value)
    if not isinstance(value, str):
        raise refusal("E718", f"must be an expression in quotes or a number, not {kind(value)}", '"m/2*dot(x)^2"')
    return _text(value)


def _names(value: object) -> tuple[str, ...]:
    """``"x y"`` or a list of names."""
    if isinstance(value, list) and all(isinstance(name, str) for name in value):
        listed = value
    elif isinstance(value, str):
        listed = value.replace(",", " ").split()
    else:
        raise refusal("E508", f"must be names, not {kind(value)}", 'write "x y" or ["x", "y"]')
    if len(listed) > MOST_NAMES:
        raise refusal("E135", f"has {len(listed)} names, the limit for a file is {MOST_NAMES}", "write several files")
    for name in listed:
        if not name or name != plain(name):
            raise refusal("E719", f"{as_given(plain(name))} is not a name", "use letters, digits and _")
    return tuple(listed)


def _listed(value: object) -> tuple[str, ...]:
    """Texts: one, or a list of them."""
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, list) or not all(isinstance(entry, str) for entry in listed):
        raise refusal("E508", f"must be text or a list of texts, not {kind(value)}", '["lewis1995"]')
    return tuple(_not_endless(shown(entry)) for entry in listed)


def _value(value: object) -> object:
    """A number, or text with a unit."""
    if isinstance(value, list | dict):
        raise refusal("E204", f"must be a number or text with a unit, not {kind(value)}", '1.5 or "10 cm"')
    try:
        quantity(value, "the value")
    except DalembertError as error:
        raise said(error) from None
    return value


def _time(value: object) -> float:
    """Seconds: a number, or text with a unit of time."""
    try:
        return seconds(value, "the time")
    except DalembertError as error:
        raise said(error) from None


def _times(value: object) -> object:
    """How many, or which."""
    if isinstance(value, int) and not isinstance(value, bool):
        if value < 2:
            raise refusal("E303", f"is {value}: there are two sample times at least", "samples = 1001")
        if value > MOST:
            raise refusal("E304", f"asks for {value} sample times, the limit is {MOST}", "take fewer")
        return value
    if not isinstance(value, list) or not value:
        given = f"{value:g}" if isinstance(value, float) else "an empty one" if value == [] else kind(value)
        fact = f"must be a whole number of sample times or a list of times, not {given}"
        raise refusal("E303", fact, "1001, or [0, 0.5, 1]")
    times = tuple(_time(entry) for entry in value)
    if any(b <= a for a, b in itertools.pairwise(times)):
        raise refusal("E303", "holds times that do not rise", "sort them, each only once")
    return times


def _start_value(value: object) -> object:
    """A number, text with a unit; for a rotation "identity", a 3 x 3 matrix or the parts of a quaternion.

    Other text is refused where the parameters are known.
    """
    if isinstance(value, dict):
        return {str(key): _finite_number(entry) for key, entry in value.items()}
    if isinstance(value, list):
        rows = [_row(row) for row in value]
        return tuple(rows)
    return _text(value) if isinstance(value, str) and not is_quantity(value) else _value(value)


def _row(row: object) -> object:
    return tuple(_finite_number(entry) for entry in row) if isinstance(row, list) else _finite_number(row)


def _finite_number(value: object) -> float:
    if not _is_number(value):
        raise refusal("E204", f"holds {as_given(value)}, which is not a number", "give numbers")
    return float(_finite(value))


def spread(text: str, name: str) -> tuple[Any, ...]:
    """The values of a range ``"first:last:count unit"``.

    Raises:
        InvalidValue: E241, the text is no range.
    """
    try:
        found: tuple[Any, ...] = _axis(text)
    except PydanticCustomError as error:
        about = error.context or {}
        raise InvalidValue(error.type, f"{name} {about.get('fact')}", str(about.get("remedy"))) from None
    return found


def _axis(value: object) -> Any:
    """One value, a list of values, or a range ``"first:last:count unit"``, both ends included."""
    if isinstance(value, list):
        if not value:
            raise refusal("E241", "is an empty list", "give at least one value")
        return tuple(_value(entry) for entry in value)
    found = _RANGE.match(_unit_last(value)) if isinstance(value, str) else None
    if isinstance(value, str) and ":" in value and found is None:
        raise refusal("E241", f"= {as_given(value)} is not a range", _AS_RANGE)
    return _value(value) if found is None else _spread(found)


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
    _value(texts[0])
    return texts


def _two(value: object, example: str) -> list[object]:
    if not isinstance(value, list) or len(value) != 2:
        given = f"a list of {len(value)}" if isinstance(value, list) else kind(value)
        raise refusal("E508", f"must be two values, not {given}", example)
    return value


def _ends(value: object) -> tuple[Any, Any]:
    """The lower and the upper bound; "-" is an open end, None here."""
    low, high = (
        None if end == "-" else _value(end) for end in _two(value, '["4 rad/s", "6 rad/s"], "-" for an open end')
    )
    return low, high


def _pair(value: object) -> tuple[Any, Any]:
    """A mean and a standard deviation."""
    mean, deviation = map(_value, _two(value, '["1.27 cm", "0.01 cm"]: mean, standard deviation'))
    return mean, deviation


def _span(value: object) -> tuple[Any, Any]:
    """Where what is followed begins and ends."""
    low, high = map(_value, _two(value, '["0 m/s", "10 m/s"]: from, to'))
    return low, high


def _swing(value: object) -> float | str | bool | None:
    """Which small swing: the only one, that of about a frequency, the slowest or the fastest."""
    if isinstance(value, bool):
        return value or None
    if value in FREQUENCIES:
        return str(value)
    try:
        return quantity(value, "the frequency", SECOND**-1).value
    except DalembertError as error:
        told = said(error) if error.code != "E204" else None
        raise told or refusal("E508", f"= {as_given(value)} says not which", _SWINGS) from None


def _observed(value: object) -> object:
    """Names of columns, or what each column is: ``{ px = "k*x + x0" }``."""
    return {str(key): _expression(e) for key, e in value.items()} if isinstance(value, dict) else _names(value)


def _renamed(value: object) -> object:
    """Names of columns, or new names by the old ones."""
    return {str(key): _line(name) for key, name in value.items()} if isinstance(value, dict) else _names(value)


Line = Annotated[str, PlainValidator(_line)]
Name = Annotated[str, PlainValidator(_name)]
Text = Annotated[str, PlainValidator(_text)]
Expression = Annotated[Any, PlainValidator(_expression)]
NameList = Annotated[tuple[str, ...], PlainValidator(_names)]
Texts = Annotated[tuple[str, ...], PlainValidator(_listed)]
Value = Annotated[Any, PlainValidator(_value)]
Time = Annotated[float, PlainValidator(_time)]
Times = Annotated[Any, PlainValidator(_times)]
StartValue = Annotated[Any, PlainValidator(_start_value)]
AxisValue = Annotated[Any, PlainValidator(_axis)]
Ends = Annotated[Any, PlainValidator(_ends)]
Pair = Annotated[Any, PlainValidator(_pair)]
Span = Annotated[Any, PlainValidator(_span)]
Swing = Annotated[float | str | bool | None, PlainValidator(_swing)]
Observed = Annotated[Any, PlainValidator(_observed)]
Renamed = Annotated[Any, PlainValidator(_renamed)]
