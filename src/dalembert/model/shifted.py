"""Values with the digits of those that they replace, and the point elsewhere: 66.9 for 0.0669, as grams for kilograms.

A value of d digits is met again at another power 10^n by intent where it is round: 1, 10, 100. The more digits, and the
farther the point is moved, the less so.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from ..errors import Note, warn

ENOUGH, FARTHEST = 4, 6  # digits and places together at which it is doubted; places beyond which it is no slip
EXACT = 1e-9


def shifted_notes(
    before: Mapping[str, float | None], override: Mapping[str, float], shown: set[str] | None = None
) -> list[Note]:
    """W214: values whose digits are those before, with the point elsewhere.

    Each is a note; shown is the first of each name, which is put among the `shown`: in a loop over decades every value
    has the digits of that before.
    """
    found = {
        name: shifted(name, value, old, "declared as") for name, value in override.items() if (old := before.get(name))
    }
    notes, shown = [], set() if shown is None else shown
    for name, told in found.items():
        if told:
            notes.append(Note("W214", told) if name in shown else warn("W214", told, 6))
            shown.add(name)
    return notes


def shifted(name: str, value: float, before: float, how: str) -> str:
    """The doubt in words, if there is one; `how` the value before was given."""
    n = places(value, before)
    times = f"{10**n:g} times that" if n > 0 else f"{10**n:g} of that"
    told = f"{name} = {value:g} has the digits of {before:g}, which {name} is {how}, and is {times}"
    return f"{told}: is it in another unit?" if n else ""


def places(value: float, before: float) -> int:
    """n with  value = 10^n before,  0 where that is no cause for doubt."""
    ratio = value / before if before else 0.0
    if not 10.0**-FARTHEST / 2 < ratio < 2 * 10.0**FARTHEST:
        return 0
    n = round(math.log10(ratio))
    same = abs(ratio / 10.0**n - 1) < EXACT
    return n if same and n and digits(before) and digits(before) + abs(n) >= ENOUGH else 0


def digits(value: float) -> int:
    """How many digits a number has from its first to its last that is not 0; none where it is a power of ten."""
    told = f"{abs(value):.12e}".partition("e")[0].replace(".", "").rstrip("0")
    return 0 if told == "1" else len(told)
