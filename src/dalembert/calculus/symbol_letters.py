r"""Letters of symbols: Greek by their names, indices below, names of several letters upright, dots on rates.

theta  \theta      x1  x_{1}      wL  \mathrm{wL}      lam_roll_x  \lambda_{\mathrm{roll},x}      é  \text{é}
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import lru_cache

import sympy as sp
from sympy.printing.conventions import split_super_sub
from sympy.printing.latex import translate

POSITION, VELOCITY, PUSH, ACCELERATION = 1, 2, 3, 4  # ranks of what moves; a parameter has rank 0
RATE = ":dot"  # ends the name of a symbol that stands for the rate of another
_GREEK = re.compile(r"GREEK (SMALL|CAPITAL) LETTER (?:FINAL )?(\w+?)(?: WITH .*)?\Z")


class Alphabet(dict[str, str]):
    """The LaTeX of symbols by their names, and the ranks of those that move, in the order of the space.

    Attributes:
        ranks: `POSITION`, `VELOCITY` or `PUSH` (a multiplier), by name; the rate of a velocity is an `ACCELERATION`.
    """

    def __init__(self, letters: Mapping[str, str], ranks: Mapping[str, int] | None = None) -> None:
        super().__init__(letters)
        self.ranks: dict[str, int] = dict(ranks or {})
        self.places = {name: k for k, name in enumerate(self.ranks)}

    def rank(self, name: str) -> int:
        """The rank of a symbol."""
        if name in self.ranks:
            return self.ranks[name]
        return ACCELERATION if name.endswith(RATE) else 0

    def place(self, name: str) -> int:
        """Where it stands among what moves."""
        return self.places.get(name.removesuffix(RATE), len(self.places))

    def known(self, letters: Mapping[str, str]) -> Alphabet:
        """The alphabet with other letters for some of the names."""
        return Alphabet({**self, **letters}, self.ranks)

    def show(self, name: str) -> str:
        """The LaTeX of a symbol; a rate that has no letter of its own is that of its symbol with a dot."""
        if name in self:
            return self[name]
        return dotted(self.show(name.removesuffix(RATE))) if name.endswith(RATE) else letter(name)


@lru_cache(maxsize=4096)
def letter(name: str) -> str:
    r"""A name as a letter with an index: theta and the Greek letter itself are \theta, x1 and x₁ are x_{1}."""
    base, *index = _parts(name)
    return f"{base}_{{{','.join(index)}}}" if index else base


def multiplier(constraint: str) -> str:
    """The multiplier of a constraint: lambda with the constraint's name below."""
    return f"\\lambda_{{{','.join(_parts(constraint))}}}"


def _parts(name: str) -> list[str]:
    plain = "".join(_typed(c) for c in unicodedata.normalize("NFC", name))
    base, above, below = split_super_sub(plain)
    return [_part(part) for part in (base, *below, *above) if part]


def _part(name: str) -> str:
    if not name.isascii():
        return f"\\text{{{name}}}"  # math has no accents of its own: \ddot{a} is an acceleration
    if not name.isalnum():
        return "\\mathrm{" + "".join(c if c.isalnum() else "\\_" if c == "_" else " " for c in name) + "}"
    shown = str(translate(name))
    return shown if shown != name or len(name) == 1 or name.isdigit() else f"\\mathrm{{{name}}}"


def _typed(c: str) -> str:
    """A character as it is typed: Greek letters by name, indices and letters of other styles plain, accents kept."""
    name = greek(c)
    if name:
        return name
    plain = unicodedata.normalize("NFKD", c)
    return plain if plain.isascii() else "" if unicodedata.combining(c) else c


def greek(c: str) -> str:
    """The name of a Greek letter, capital where it is; "" of another character."""
    found = None if c.isascii() else _GREEK.match(unicodedata.name(c, ""))
    return (found[2].lower() if found[1] == "SMALL" else found[2].capitalize()) if found else ""


def dotted(shown: str) -> str:
    """One more dot, on a letter and not on what stands below it."""
    if shown.startswith("\\dot{"):
        return shown.replace("\\dot", "\\ddot", 1)
    base, below, rest = shown.partition("_")
    return f"\\dot{{{base}}}{below}{rest}"


def letters(
    coordinates: Sequence[sp.Symbol],
    rates: Mapping[sp.Symbol, sp.Expr],
    velocities: Sequence[sp.Symbol],
    given: Mapping[str, str] | None = None,
) -> Alphabet:
    r"""Coordinates and velocities: \dot{x} for a velocity that is the rate of x, the symbol's own letter otherwise.

    Args:
        coordinates: of the space.
        rates: their rates.
        velocities: of the space.
        given: letters that the user chose, by name; they come first.
    """
    chosen = dict(given or {})
    found = {s.name: letter(s.name) for s in (*coordinates, *velocities)} | chosen
    own = {u.name for u in velocities} - set(chosen)
    for q in coordinates:
        rate = rates[q]
        if isinstance(rate, sp.Symbol) and rate.name in own:
            found[rate.name] = dotted(found[q.name])
    ranks = {q.name: POSITION for q in coordinates} | {u.name: VELOCITY for u in velocities}
    return Alphabet(found, ranks)
