"""Names as a page shows them: lambda with its constraint below, Greek letters, a dot on rates of coordinates."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ...model.space import Space

_LATIN = """alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi chi
    psi omega Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega lam"""
_GREEK = dict(zip(_LATIN.split(), "αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΦΨΩλ", strict=True))
_PARTS = re.compile(r"([^\W\d_]+?)_?(\d+|_.+)?")


def shown(names: Iterable[str], space: Space) -> dict[str, list[str]]:
    """Of each name what stands on the line, and what below it; a rate has the dot of its coordinate."""
    rates = {str(u): str(q) for q, u in space.rates.items()}
    return {name: _dotted(rates[name]) if name in rates else _parted(name) for name in names}


def _dotted(coordinate: str) -> list[str]:
    base, below = _parted(coordinate)
    return [base[0] + "\u0307" + base[1:], below]


def _parted(name: str) -> list[str]:
    """``lam_roll_x`` -> λ, roll x; ``w1`` -> w, 1."""
    found = _PARTS.fullmatch(name)
    if found is None:
        return [name, ""]
    base, below = found[1], (found[2] or "").lstrip("_").replace("_", " ")
    return [_GREEK.get(base, base), below]
