"""How large a text may be. A file cannot raise these limits; the person who calls may."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Limits of one text.

    Attributes:
        characters: of the text.
        depth: of brackets, and of the parse tree.
        operations: operators and function calls.
        exponent: largest absolute value of a numerical exponent.
        digits: of one number.
        decimal: largest absolute decimal exponent; numbers lie between 1e-300 and 1e300.
        bits: of numerators and denominators together when numbers are multiplied out.
        radical: the same for a number under a root, which SymPy factors.
        name: characters of a name.
    """

    characters: int = 40_000
    depth: int = 60
    operations: int = 20_000
    exponent: int = 64
    digits: int = 40
    decimal: int = 300
    bits: int = 4096
    radical: int = 512
    name: int = 64


LIMITS = Limits()
