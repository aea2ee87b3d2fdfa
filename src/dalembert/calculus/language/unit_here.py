"""What to write in a formula, which is in base SI, where a unit stands: pi/2 for ``90 deg``, 0.0254 for ``2.54 cm``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from ...errors import DalembertError
from ..quantity import quantity
from .meaning import Scope
from .tokens import Token

_UNITS = frozenset(("m", "cm", "mm", "km", "kg", "g", "s", "ms", "min", "h", "rad", "deg", "rpm", "Hz", "N", "J", "W"))
_WITHIN = {"STAR", "SLASH", "POWER", "NUMBER"}
_BEFORE = {"SLASH", "POWER"}  # a number behind these is bound to what stands before them
_ROUND = 1e-14  # of a size that is a simple part of pi
_PARTS = 3600  # the most parts of pi that are looked for
_ONE = Fraction(1)
_SHORT = 12  # numerators and denominators that are written out


def remedy(found: Sequence[Token], at: int, scope: Scope) -> str | None:
    """What to write for the number, name or bracket before ``found[at]`` and its unit; None where there is no unit."""
    if not _is_unit(found[at], scope):
        return None
    unit, size = _longest(found, at, scope)
    before = found[at - 1]
    if before.kind == "NUMBER" and (at < 2 or found[at - 2].kind not in _BEFORE):
        given = f"{before.text} {unit}"
        value = _of_pi(size, Fraction(before.text)) or f"{quantity(given, unit).value:.15g}"
        return f'formulas are in base SI: write {value} for {given}\nor give it a name in the parameters: "{given}"'
    left = "(...)" if before.kind == "RPAR" else before.text
    factor = _of_pi(size) or ("" if size == 1 else f"{size:.15g}")
    return f"formulas are in base SI: write {'*'.join(filter(None, (left, factor)))} for {left} {unit}"


def _is_unit(token: Token, scope: Scope) -> bool:
    return token.kind == "NAME" and token.text in _UNITS and token.text not in scope.names


def _longest(found: Sequence[Token], at: int, scope: Scope) -> tuple[str, float]:
    """The unit that begins here, as far as all its names are units of their own, and its size in base SI."""
    end = at + 1
    while end < len(found) and (found[end].kind in _WITHIN or _is_unit(found[end], scope)):
        end += 1
    for last in range(end, at, -1):
        text = "".join(f" {token.text}" if token.kind == "NAME" else token.text for token in found[at:last]).strip()
        text = text.replace("/ ", "/").replace("* ", "*")
        try:
            return text, quantity(f"1 {text}", text).value
        except DalembertError:  # it ends with an operator, or with a number that is another factor
            continue
    raise AssertionError(found[at].text)  # each of `_UNITS` is one


def _of_pi(size: float, number: Fraction = _ONE) -> str:
    """A number times a size as a part of pi; "" where the size is none."""
    part = Fraction(size / math.pi).limit_denominator(_PARTS)
    if not math.isclose(size, float(part) * math.pi, rel_tol=_ROUND):
        return ""
    whole = number * part
    if max(whole.numerator, whole.denominator) <= _SHORT:
        return _parts(whole)
    return "*".join([*([f"{float(number):.15g}"] if number != 1 else []), _parts(part)])  # 12.5*pi/180, not 5*pi/72


def _parts(part: Fraction) -> str:
    """So many parts of pi."""
    over = "" if part.denominator == 1 else f"/{part.denominator}"
    return f"pi{over}" if part.numerator == 1 else f"{part.numerator}*pi{over}"
