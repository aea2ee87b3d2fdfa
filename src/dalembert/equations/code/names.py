"""Names and texts of a user in a program that is written for them: safe whatever they hold.

A name becomes an identifier of ASCII letters, digits and ``_`` that is no word of Python or C and no name of their
libraries. Other text goes into string literals and comments only, escaped or reduced to plain characters.
"""

from __future__ import annotations

import keyword
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence

from ...calculus.elementary import ELEMENTARY

_C_WORDS = """auto break case char const continue default do double else enum extern float for goto if inline int long
    register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while asm
    bool complex imaginary true false main errno assert stdin stdout stderr unix linux i386 near far signgam abs labs
    div ldiv exit atof atoi printf fprintf puts putchar strtod strtol strchr strcmp strncmp strlen memcpy malloc free"""
_MATH = """acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 fabs fdim floor
    fma fmax fmin fmod frexp hypot ilogb isfinite isgreater isinf isless isnan isnormal j0 j1 jn ldexp lgamma llrint
    llround log log10 log1p log2 logb lrint lround modf nan nearbyint nextafter nexttoward pow remainder remquo rint
    round scalbln scalbn signbit sin sinh sqrt tan tanh tgamma trunc y0 y1 yn gamma gcd inf pi tau"""
_PYTHON = """abs all any bool dict enumerate float int isinstance len list map math max min next print range repr set
    sorted str sum sys tuple zip type id iter input open vars dir hash"""
_OWN = """t y p dy out rhs multipliers residual solve step main answer report read_arguments usage names values divide
    minimum maximum sign select power k1 k2 k3 k4 matrix right result prepare velocities
    from_velocities health trusted PARAMETERS STATES START MULTIPLIERS RESIDUALS TIME UNTIL VELOCITIES GIVEN"""
_CALLED = {spelling.call for row in ELEMENTARY.values() for spelling in (row.c, row.python)}
RESERVED = frozenset(f"{_C_WORDS} {_MATH} {_PYTHON} {_OWN}".split()) | {*keyword.kwlist, *keyword.softkwlist} | _CALLED
_GREEK = re.compile(r"GREEK (SMALL|CAPITAL) LETTER (?:FINAL )?(\w+)(?: WITH .*)?\Z")
_LONGEST = 48


def identifiers(names: Iterable[str]) -> dict[str, str]:
    """An identifier for each name, all different."""
    found: dict[str, str] = {}
    used: set[str] = set()
    for name in names:
        plain = _plain(name)
        identifier, count = plain, 2
        while identifier in used:
            identifier, count = f"{plain}_{count}", count + 1
        used.add(identifier)
        found[name] = identifier
    return found


def prefix(used: Mapping[str, str]) -> str:
    """A letter such that no identifier in use is that letter and a number."""
    taken = {re.sub(r"\d+\Z", "", identifier) for identifier in used.values()}
    return next(p for p in ("c", "h", "k", "w", *(f"c{'_' * i}" for i in range(1, 99))) if p not in taken)


def numbered(symbols: Sequence[str], used: Mapping[str, str]) -> dict[str, str]:
    """An identifier for each symbol: a letter that no identifier in use has with a number, and 1, 2, ..."""
    letter = prefix(used)
    return {symbol: f"{letter}{i + 1}" for i, symbol in enumerate(symbols)}


def _plain(name: str) -> str:
    letters = "".join(_ascii(c) for c in unicodedata.normalize("NFKD", name))
    text = re.sub(r"\W", "_", letters, flags=re.ASCII)[:_LONGEST] or "_"
    if not text[0].isalpha():
        text = f"x{text}"
    # macros of C are written in capitals: EOF, NULL, HUGE_VAL; I is its imaginary unit
    shouted = text.upper() == text and (len(text) > 2 or text == "I")
    return f"{text}_" if shouted or text in RESERVED or text.endswith("_") else text


def _ascii(c: str) -> str:
    if c.isascii():
        return c if c.isprintable() else "_"
    greek = _GREEK.match(unicodedata.name(c, ""))
    if greek:
        return greek[2].capitalize() if greek[1] == "CAPITAL" else greek[2].lower()
    return "" if unicodedata.combining(c) else f"_{ord(c):x}"


def remark(text: str) -> str:
    """Text for a comment of either language: one line of plain characters that cannot end the comment or go on."""
    line = "".join(_shown(c) for c in " ".join(text.split()))
    line = line.replace("\\", "/").replace("*/", "* /").replace("/*", "/ *")
    return re.sub(r"\?(?=\?)", "? ", line)  # two of them begin a trigraph of C


def _shown(c: str) -> str:
    return (c if c.isprintable() else " ") if c.isascii() else _ascii(c).strip("_") or "?"


def python_literal(text: str) -> str:
    """The text as a literal of Python, in ASCII."""
    inside = ascii(text)[1:-1]
    return f'"{inside}"' if '"' not in inside and "'" not in inside and "\\" not in inside else ascii(text)


def c_literal(text: str) -> str:
    """The text as a string literal of C, its UTF-8 bytes escaped unless they are letters, digits or blanks."""
    plain = set(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_ .,:=()+-")
    return '"' + "".join(chr(b) if b in plain else f"\\{b:03o}" for b in text.encode("utf-8")) + '"'
