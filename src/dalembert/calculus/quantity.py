"""Quantities: finite real numbers, physical dimensions, and numbers with a unit, kept in base SI.

A number with a unit is written as text: ``"2.54 cm"``, ``"45 rpm"``, ``"9.81 m/s^2"``. It is read by the small grammar
below; Pint is asked for the size of single units only, by name, so that it never sees an expression. Those of mechanics
stand here as Pint has them, since its registry takes longer to load than most files take to read. Angles are in
radians, and numbers. Units with an offset or on a logarithmic scale (degC, dB) are refused.
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from ..errors import DalembertError, InvalidValue, WrongType, as_given, did_you_mean
from ..errors.lookalike_letters import shape
from ..errors.remedies import NoNumber, Option
from .line_width import DECIMAL

# --- numbers ----------------------------------------------------------------------------------------------------------

LARGEST = 1e100  # beyond it, and below 1/LARGEST, products soon leave the range of floating point


def number(value: object, name: str, kind: str = "E204", finite: str = "E203") -> float:
    """The value as a float: Python, NumPy (0-d too) and SymPy real numbers, fractions and decimals.

    Args:
        value: what was given.
        name: what it is called in the message.
        kind: code for something that is not a number.
        finite: code for a number that is not finite.

    Raises:
        WrongType: text, a truth value, a complex number, an array, None, ...
        InvalidValue: NaN, infinite, or beyond the range of floating point.
    """
    if type(value) is float and math.isfinite(value):  # most of them are
        return value
    if isinstance(value, np.ndarray | np.generic) and np.ndim(value) == 0 and not np.any(getattr(value, "mask", False)):
        value = value.item()
    if isinstance(value, sp.Expr) and not isinstance(value, sp.Lambda) and value.is_number and value.is_extended_real:
        value = float(value)
    if isinstance(value, bool) or not isinstance(value, Real | Fraction | Decimal):
        shown = as_given(value)
        raise WrongType(kind, (name, NoNumber(shown, type(value).__name__)), "give one finite real number")
    try:
        result = float(value)
    except OverflowError:
        raise InvalidValue(finite, f"{name} is beyond 1.8e308, the largest float", "choose other units") from None
    except ValueError:  # a decimal that signals
        result = math.nan
    if not math.isfinite(result):
        raise InvalidValue(finite, f"{name} = {result} is not a finite number", "give one finite real number")
    return result


def is_finite(value: object) -> bool:
    """Is this one finite real number?"""
    try:
        return math.isfinite(number(value, "value"))
    except DalembertError:
        return False


# --- dimensions -------------------------------------------------------------------------------------------------------

_ORDER = {name: i for i, name in enumerate(("kg", "m", "s", "A", "K", "mol", "cd"))}


@dataclass(frozen=True)
class Dimension:
    """Powers of base units, ``Dimension.of({"kg": 1, "s": -2})``; shown as ``kg/s**2``, and as ``1`` for a number."""

    powers: tuple[tuple[str, Fraction], ...] = ()

    @classmethod
    def of(cls, powers: Mapping[str, int | Fraction]) -> Dimension:
        """From ``{base unit: power}``."""
        kept = {name: Fraction(e) for name, e in powers.items() if e != 0}
        return cls(tuple(sorted(kept.items(), key=lambda item: (_ORDER.get(item[0], len(_ORDER)), item[0]))))

    def __mul__(self, other: Dimension) -> Dimension:
        powers = dict(self.powers)
        for name, e in other.powers:
            powers[name] = powers.get(name, Fraction(0)) + e
        return Dimension.of(powers)

    def __truediv__(self, other: Dimension) -> Dimension:
        return self * other**-1

    def __pow__(self, exponent: int | Fraction) -> Dimension:
        return Dimension.of({name: e * exponent for name, e in self.powers})

    def __str__(self) -> str:
        above = [power(name, e) for name, e in self.powers if e > 0]
        below = [power(name, -e) for name, e in self.powers if e < 0]
        if not below:
            return "*".join(above) or "1"
        divisor = "*".join(below)
        return ("*".join(above) or "1") + "/" + (divisor if len(below) == 1 else f"({divisor})")


def power(name: str, exponent: Fraction) -> str:
    """``name**exponent`` for the eye."""
    if exponent == 1:
        return name
    return f"{name}**{exponent}" if exponent.denominator == 1 else f"{name}**({exponent})"


NUMBER = Dimension()
SECOND = Dimension.of({"s": 1})


# --- numbers with a unit ----------------------------------------------------------------------------------------------

_TEXT = re.compile(rf"([+-]?{DECIMAL})\s+(\S.*)\Z", re.DOTALL)
_GLUED = re.compile(r"[+-]?[0-9.]++(?:[eE][+-]?[0-9]++)?(?![eE])(?:[^\W\d_]|°)")
_DIGITS = re.compile(rf"[+-]?{DECIMAL}")
_COMMA = re.compile(r"[+-]?[0-9]++,[0-9]++(?:\s|\Z)")
_FORMULA = re.compile(r"[\w)]\s*+[*/^+]\s*+[\w(]|(?<!\w)[0-9]*+[^\W\d]\w*+\s*+\(")  # a word is read once
# a number, a blank and the beginning of a unit; a number alone; a number glued to what follows
_VALUE = re.compile(rf"\s*[+-]?{DECIMAL}(?:\s+(?:[^\W\d_]|°|1\s*/)|\s*\Z|°)")
_STUCK = re.compile(rf"\s*[+-]?{DECIMAL}[^\W\d_]\w*\s*\Z")
_HERTZ = re.compile(r"\b[^\W\d_]?Hz\b|hertz\b")
_TOKEN = re.compile(
    r"\s*(?:(?P<power>(?:\*\*|\^)\s*[+-]?[0-9]+(?:\.[0-9]+)?)|(?P<name>[^\W\d_]\w*|°[^\W\d_]*)|(?P<sign>[1*/()]))"
)
_DASHES = ("\N{MINUS SIGN}", "\N{EN DASH}", "\N{EM DASH}", "\N{FULLWIDTH HYPHEN-MINUS}", "\N{HYPHEN}")
_SPELT = str.maketrans({"²": "^2", "³": "^3", "·": "*", "⋅": "*", "−": "-"})
_LONGEST, _STEEPEST = 100, 20
_BASE = {"kilogram": "kg", "meter": "m", "second": "s", "ampere": "A", "kelvin": "K", "mole": "mol", "candela": "cd"}
_COMMON = (
    "m",
    "cm",
    "mm",
    "km",
    "kg",
    "g",
    "s",
    "ms",
    "min",
    "h",
    "rad",
    "deg",
    "rpm",
    "Hz",
    "N",
    "J",
    "W",
    "Pa",
    "lb",
)
# units as people write them; and what these texts are to pint
_MEANT = {"Nm": "N*m", "mNm": "mN*m", "kNm": "kN*m", "Ncm": "N*cm", "Ns": "N*s", "Nms": "N*m*s", "gr": "g", "U": "rpm"}
_MEANT |= {"rev": "turn", "rot": "turn", "kgm": "kg*m", "kgm2": "kg*m^2", "gm": "g", "cms": "cm/s", "Min": "min"}
_MEANT |= {"kmh": "km/h", "mps": "m/s"}
_OTHERS = {
    "Nm": "number of yarn",
    "mNm": "number of yarn",
    "kNm": "number of yarn",
    "gr": "grain, 65 mg",
    "U": "enzyme unit",
    "Min": "mega-inch",
}


PIXELS = {"px", "pix", "pixel", "pixels"}
_OF_PICTURES = PIXELS | {"css_pixel", "dot"}  # to pint 1/96 inch, or a unit of its own


class Quantity(NamedTuple):
    """A value in base SI, and its dimension where a unit was given."""

    value: float
    dimension: Dimension | None


class _Unit(NamedTuple):
    factor: float
    dimension: Dimension

    def times(self, other: _Unit, exponent: int | Fraction = 1) -> _Unit:
        return _Unit(self.factor * other.factor ** float(exponent), self.dimension * other.dimension**exponent)


_ONE = _Unit(1.0, Dimension())


def _of_mechanics() -> dict[str, _Unit]:
    """Units that most files are written in, in the very floats that Pint has for them."""
    base = {"m": {"m": 1}, "s": {"s": 1}, "rad": {}, "Hz": {"s": -1}, "N": {"kg": 1, "m": 1, "s": -2}}
    base |= {"J": {"kg": 1, "m": 2, "s": -2}, "W": {"kg": 1, "m": 2, "s": -3}, "Pa": {"kg": 1, "m": -1, "s": -2}}
    units = {name: _Unit(1.0, Dimension.of(powers)) for name, powers in base.items()}
    gram = _Unit(0.001, Dimension.of({"kg": 1}))
    thousands = {"m": 0.001, "k": 1000.0}  # of what stands above; the others are rarely met in mechanics
    units |= {f"{p}{name}": _Unit(f, units[name].dimension) for p, f in thousands.items() for name in base}
    units |= {"kg": _Unit(1.0, gram.dimension), "g": gram, "cm": _Unit(0.01, units["m"].dimension)}
    units |= {name: _Unit(size, SECOND) for name, size in (("min", 60.0), ("h", 3600.0))}
    turning = units["Hz"].dimension
    return units | {"deg": _Unit(math.pi / 180, NUMBER), "rpm": _Unit(2 * math.pi / 60, turning)}


_MECHANICS = _of_mechanics()


def quantity(value: object, name: str, needs: Dimension | None = None) -> Quantity:
    """A number as it is, or text with a unit converted to base SI.

    Args:
        value: a real number, or text ``"value unit"``.
        name: what it is called in messages.
        needs: the dimension it must have, if that is known.

    Raises:
        WrongType: E204, neither a number nor a number with a unit.
        InvalidValue: E203 not finite, E206 not a unit, E207 a unit of another dimension than `needs`; E801 if pint is
            not installed.
    """
    if not isinstance(value, str):
        return Quantity(number(value, name), None)
    found = _TEXT.match(value.strip()) if len(value) <= _LONGEST else None
    if not found:
        raise _no_quantity(value, name)
    unit = _unit(found[2], f"{name} = {as_given(value)}")
    if needs is not None and unit.dimension != needs:
        raise wrong_dimension(name, unit.dimension, needs)
    return Quantity(number(_times(found[1], name, unit.factor), name), unit.dimension)


def seconds(value: object, name: str, code: str = "E301") -> float:
    """A time in s: a number, or text with a unit of time, ``"2 min"``.

    Raises:
        WrongType, InvalidValue: with this code, it is neither, or not finite; E206, E207 a unit that is none of time.
    """
    try:
        return number(value, name) if not isinstance(value, str) else quantity(value, name, SECOND).value
    except DalembertError as error:
        if error.code == "E204":
            fact = f"{name} = {as_given(value)} is no time"
            raise WrongType(code, fact, 'a number of seconds, or one with a unit: "10 s"') from None
        told = code if error.code == "E203" else error.code
        raise type(error)(told, *error.told, error.detail) from None


def is_quantity(text: str) -> bool:
    """Is it a value with a unit, or meant as one, rather than an expression?"""
    return bool(_VALUE.match(text) or _STUCK.match(text) or _COMMA.match(text.lstrip()))


def is_formula(text: str) -> bool:
    """Is it an expression, ``"2/5*m*r^2"``, and neither a value nor a word alone?"""
    return not is_quantity(text) and bool(_FORMULA.search(text))


def has_unit(text: str) -> bool:
    """Is it a value with a unit, and not a number alone?"""
    return is_quantity(text) and not _DIGITS.fullmatch(text.strip())


def scaled(given: str) -> bool:
    """Is it text with a unit in which its number is another one than in base SI: "10 cm", "45 rpm"?"""
    found = _TEXT.match(given.strip())
    return found is not None and not math.isclose(_unit(found[2], given).factor, 1, rel_tol=1e-12)


def in_hertz(given: object) -> bool:
    """Is it text that counts cycles in a second: "1 Hz", "3 kHz"?"""
    return isinstance(given, str) and bool(_HERTZ.search(given))


def refuse_bare(name: str, given: object, own: object) -> None:
    """E207: a number without a unit in place of a value that has one, which base SI would not show in the same number.

    Args:
        name: what it is called.
        given: the new value.
        own: the value as it was written: number or text.
    """
    if isinstance(given, str) or not isinstance(own, str) or not scaled(own) or given == 0:
        return
    unit, (value, has) = own.strip().split(None, 1)[1], quantity(own, name)
    bare = f"{given:g}" if isinstance(given, int | float) else as_given(given)
    fact = f"{name} = {bare} has no unit, but {name} was given as {as_given(own)}"
    base = f"{value:.6g} {has}" if has and has.powers else f"{value:.6g} rad"
    raise InvalidValue(
        "E207", fact, f'write "{bare} {unit}"; or say that it is in base SI, where {as_given(own)} is "{base}"'
    )


def dimension(text: object, name: str) -> Dimension:
    """The dimension of a unit of base SI given as text: ``"m"``, ``"kg*m^2"``, ``"rad"``.

    Raises:
        InvalidValue: E206, not a unit, or one that is not of base SI.
    """
    if isinstance(text, Dimension):
        return text
    if not isinstance(text, str) or len(text) > _LONGEST:
        raise InvalidValue("E206", f"the unit of {name} is {as_given(text)}, not text", Option("units", {name: "m"}))
    if text.strip() in ("1", ""):
        return Dimension()
    unit = _unit(text.strip(), f"units[{as_given(name)}] = {as_given(text)}")
    if not math.isclose(unit.factor, 1, rel_tol=1e-12):
        base = str(unit.dimension) if unit.dimension.powers else "rad"
        raise InvalidValue(
            "E206",
            f"units[{as_given(name)}] = {as_given(text)} is {unit.factor:g} times the unit of base SI, "
            "in which numbers are kept",
            (
                *(Option("units", {name: base}), ", and give the value with its unit: "),
                Option(name, f"{1 / unit.factor:g} {text.strip()}"),
            ),
        )
    return unit.dimension


def _times(digits: str, name: str, factor: float) -> float:
    """The product as it is in decimals, so that 2.54 cm is 0.0254 m and not the next float."""
    value = number(float(digits), name)  # what is too long to be expanded is 0 or infinite here
    return float(Fraction(digits) * Fraction(repr(factor))) if value else 0.0


def wrong_dimension(name: str, found: object, needs: object) -> InvalidValue:
    """E207: a unit that does not fit."""
    found, needs = ("a number" if str(d) == "1" else str(d) for d in (found, needs))
    remedy = f"give {name} in a unit that is {needs}"
    if needs == "a number":
        remedy = f'give {name} as a number, or as an angle: "30 deg"'
    return InvalidValue("E207", f"{name} is {found}, needs {needs}", remedy)


def _no_quantity(value: str, name: str) -> DalembertError:
    """E203 or E204 for a text without a unit; a hint where one can be told."""
    plain = value.strip()
    if plain[:1] in _DASHES:
        fact = f"{name} = {as_given(value)} begins with a dash that is no minus sign of a number"
        meant = f"-{plain[1:].lstrip()}"
        return InvalidValue(
            "E204", fact, f"write {as_given(meant) if ' ' in meant else meant}, with the - of the keyboard"
        )
    if _COMMA.match(plain):
        return InvalidValue("E204", f"{name} = {as_given(value)} is not a number", "write . as decimal mark")
    if _GLUED.match(plain):
        return InvalidValue("E206", f"{name} = {as_given(value)}: a blank is missing before the unit", _parted(plain))
    if _FORMULA.search(plain):
        fact = f"{name} = {as_given(value)} is a formula, and a number is wanted here"
        return WrongType(
            "E204", fact, "give its value; the parameters of a System, and those of a system file, may be formulas"
        )
    try:
        number(value, name)
    except DalembertError as error:
        return type(error)(error.code, error.told[0], 'give a number without quotes, or one with its unit: "10 cm"')
    raise AssertionError("text is no number")


def _parted(glued: str) -> str:
    """How to write a value and its unit that stand together."""
    digits = _DIGITS.match(glued)
    if digits is None or len(glued) > _LONGEST:
        return 'write "10 cm", not "10cm"'
    return f'write "{digits[0]} {glued[digits.end() :]}"'


# --- the grammar: names joined by * / ^ and ( ), and 1 before a / ----------------------------------------------------


def _unit(text: str, where: str) -> _Unit:
    tokens = list(_tokens(text.translate(_SPELT), where))
    unit = _product(tokens, where)
    if tokens:
        raise InvalidValue("E206", f"{where}: a ) too many in the unit", 'for example "kg/(m*s)"')
    if not (math.isfinite(unit.factor) and unit.factor > 0):
        raise InvalidValue("E203", f"{where}: the unit is out of range", "choose another unit")
    return unit


def _tokens(text: str, where: str) -> Iterator[tuple[str, str]]:
    at = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if not found:
            strange = text[at:].strip()[:12]
            remedy = 'write "30 percent"' if strange[0] == "%" else 'for example "kg*m^2/s"'
            raise InvalidValue("E206", f"{where}: {as_given(strange)} is not part of a unit", remedy)
        at = found.end()
        yield str(found.lastgroup), found[str(found.lastgroup)]


def _product(tokens: list[tuple[str, str]], where: str) -> _Unit:
    """Factors up to the end or a closing parenthesis; a blank multiplies, but not after a division."""
    unit, divided, sign = _power(tokens, where), False, 1
    while tokens and tokens[0] != ("sign", ")"):
        if tokens[0] in (("sign", "*"), ("sign", "/")):
            sign = 1 if tokens.pop(0)[1] == "*" else -1
        elif divided:
            raise InvalidValue("E206", f"{where}: what is divided by?", 'write kg/(m*s) or kg/m*s, not "kg/m s"')
        else:
            sign = 1
        divided = divided or sign < 0
        unit = unit.times(_power(tokens, where), sign)
    return unit


def _power(tokens: list[tuple[str, str]], where: str) -> _Unit:
    base = _factor(tokens, where)
    if not tokens or tokens[0][0] != "power":
        return base
    exponent = Fraction(tokens.pop(0)[1].lstrip("*^ \t"))
    if abs(exponent) > _STEEPEST:
        raise InvalidValue("E206", f"{where}: the exponent {exponent} is too large", f"at most {_STEEPEST}")
    return _ONE.times(base, exponent)


def _factor(tokens: list[tuple[str, str]], where: str) -> _Unit:
    kind, text = tokens.pop(0) if tokens else ("end", "the end")
    if kind == "name":
        return _named(text, where)
    if text == "1":
        return _ONE
    if text == "(":
        inner = _product(tokens, where)
        if tokens:
            tokens.pop(0)
            return inner
        text = "the end"
    raise InvalidValue("E206", f"{where}: a unit is missing before {as_given(text)}", 'for example "kg*m^2/s"')


# --- the size of one unit ---------------------------------------------------------------------------------------------


def _named(name: str, where: str) -> _Unit:
    meant = _meant(name)
    if meant and name in _OTHERS:
        fact = f"{where}: {as_given(name)} is the {_OTHERS[name]} here"
        raise InvalidValue("E206", fact, f"write {meant}")
    if name.lower() in _OF_PICTURES:
        fact = f"{where}: {name} is a point of a picture, which is no length"
        raise InvalidValue("E206", fact, "give a number, and the scale of the picture as a parameter in 1/m")
    unit = _MECHANICS.get(name) or _from_pint(name)
    if unit is not None and math.isnan(unit.factor):
        raise InvalidValue(
            "E206",
            f"{where}: {name} is a scale with an offset or a logarithmic one, not a unit",
            "give the value in base SI",
        )
    if unit is None:
        close = difflib.get_close_matches(name, _COMMON, n=1, cutoff=0.5)
        twin = [known for known in _COMMON if shape(known) == shape(name)]
        raise InvalidValue(
            "E206",
            f"{where}: unknown unit {as_given(name)}",
            f"write {meant}" if meant else did_you_mean(name, twin) if twin else _proposed(close),
        )
    return unit


def _proposed(close: list[str]) -> str:
    return f"did you mean {close[0]}?" if close else "for example " + ", ".join(_COMMON[:12])


def _meant(name: str) -> str:
    """The spelling of a unit that is often written in another way: Nm, m2, Kg; "" if it is not one of these."""
    square = re.fullmatch(r"([a-z]+)([23])", name)
    if square and square[1] in _COMMON:
        return f"{square[1]}^{square[2]}"
    lower = name.lower()
    return _MEANT.get(name) or (lower if lower != name and lower in _COMMON and len(name) > 1 else "")


@lru_cache(maxsize=1024)
def _from_pint(name: str) -> _Unit | None:
    """One unit by its name; None if there is none, factor NaN if it is a scale with an offset or a logarithm."""
    registry = _registry()
    try:
        zero, one = (registry.Quantity(x, name).to_base_units() for x in (0.0, 1.0))
    except (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError):  # as Pint has them
        return None
    if float(zero.magnitude) != 0:
        return _Unit(math.nan, Dimension())
    powers = {_BASE.get(base, base): Fraction(power) for base, power in one.unit_items()}
    return _Unit(float(one.magnitude), Dimension.of({k: v for k, v in powers.items() if k != "radian"}))


@lru_cache(maxsize=1)
def _registry() -> Any:
    try:
        import pint
    except ImportError:
        raise InvalidValue(
            "E801",
            "values with units need pint, which is not installed",
            "pip install pint, or give numbers in base SI (kg, m, s, rad)",
        ) from None
    return pint.UnitRegistry()
