"""What a program says about itself: the equations it stands for, what it assumes; its method is [hairer1993 II.1]."""

from __future__ import annotations

import keyword
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING

from ...calculus.elementary_functions import ELEMENTARY
from ...calculus.line_width import cut
from ...errors import warn
from .listing import Listing

if TYPE_CHECKING:
    from .. import Equations


_WIDTH = 96
_METHOD = (
    "main integrates by the classical Runge-Kutta method of order 4, between two rows in so many steps that half as "
    "many lead to the same within 1e-9, unless it is told in how many; where the most are not enough it returns 4, "
    "and 5 where its table cannot be written. It does not return to the constraints after a step, as the library's own "
    "integrator does: it prints the largest residual at the end."
)
_SPEEDS = (
    "Lean form: the states are the coordinates and the speeds that the constraints leave free, so that linear and "
    "affine constraints hold whatever the states are."
)
_GOES_ON = "it goes on as if there were none"
_BACK = " from_velocities makes the state of coordinates and velocities, velocities leads back."


def lines(listing: Listing, main: bool = True) -> list[str]:
    """Lines of plain text for a comment."""
    equations = listing.equations
    said = [remark(line) for line in equations.header.splitlines()]
    said += [cut(remark(f"{c.name}: 0 = {c.given}"), _WIDTH) for c in equations.constraints]
    said.append("")
    if listing.in_speeds:
        back = _BACK if "from_velocities" in listing.functions else ""
        said += wrap(f"{_SPEEDS}{back} The speeds are {', '.join(listing.states[listing.coordinates :])}", _WIDTH)
        said += [*(cut(remark(f"  {name} = {meaning}"), _WIDTH) for name, meaning in listing.speeds.items()), ""]
    for part in (
        _solver(listing, main),
        *_limits(listing),
        *([_METHOD] if main else []),
        "Quantities are in the units of the system: base SI.",
    ):
        said += wrap(remark(part), _WIDTH)
    return [line.rstrip() for line in said]


def _solver(listing: Listing, main: bool) -> str:
    equations = listing.equations
    if listing.in_speeds:
        return (
            "Where health is below 1 these equations are near a pole, or the metric is not positive"
            f"{': main stops there' if main else ''}."
        )
    if listing.pivoted:
        stops = "the program stops" if main else "they return 1"
        return f"Accelerations come from a linear system, solved with pivots; where it is singular {stops}."
    kept = ", and that the constraints are independent" if equations.constraints else ""
    return (
        "Accelerations come from elimination without choice of pivots. It assumes that the metric of the kinetic "
        f"energy is positive definite, as it was wherever it was tried{kept}."
    )


def _limits(listing: Listing) -> list[str]:
    """What the library does and the program does not."""
    equations = listing.equations
    said: list[str] = []
    left = [c.name for i, c in enumerate(equations.constraints) if i not in equations.kept]
    if left and not listing.in_speeds:
        said.append(f"The rows of {', '.join(left)} follow from the others and are left out of the accelerations.")
    if equations.direct is not None and not listing.in_speeds and equations.direct.charts:
        said.append("This form is singular at some states where the motion is not; the program does not look for them.")
    if equations.space.retraction:
        said.append("Rotations and directions are not brought back to unit length.")
    return said + [f"{what} are not watched: {', '.join(named)}." for what, named in _unwatched(equations).items()]


def _unwatched(equations: Equations) -> dict[str, tuple[str, ...]]:
    """What the library's integrator watches, and a program does not."""
    system = equations.system
    found = {
        "Walls": tuple(wall.name for wall in system.walls),
        "Contacts": tuple(contact.name for contact in system.contacts),
        "Laws that end where their slip is 0": tuple(system.rest),
    }
    return {what: named for what, named in found.items() if named}


def doubted(listing: Listing, stacklevel: int = 5) -> Listing:
    """W803, once told, where the system has what a program does not watch: its motion goes on as if it were not there.

    `stacklevel` counts from `warn` to whom it is told.
    """
    doubt_unwatched(listing.equations, stacklevel + 1)
    return listing


def doubt_unwatched(equations: Equations, stacklevel: int = 4) -> None:
    """W803 as `doubted`, of functions that another library integrates."""
    for what, named in _unwatched(equations).items():
        unwatched(what[0].lower() + what[1:], named, stacklevel + 1)


def unwatched(what: str, named: Iterable[str], stacklevel: int = 3) -> None:
    """W803: the program does not watch these."""
    warn("W803", f"the program does not watch {what}: {', '.join(named)}; {_GOES_ON}", stacklevel)


# --- names and texts of a user, safe in a program --------------------------------------------------------------------
# A name becomes an identifier of ASCII letters, digits and ``_`` that is no word of Python or C and no name of their
# libraries. Other text goes into string literals and comments only, escaped or reduced to plain characters.

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


# --- how many steps a program takes between two rows where nobody says it --------------------------------------------

# Of the size of each number; from so many steps on, which a force that changes with time does not meet in its zeros,
# to so many, at which it is said that they are not enough: at jumps no number would be.
CHOICE = {"tolerance": "1e-9", "least": "100", "finest": "6400"}
