"""Names of symbols as LaTeX: Greek letters by their names, indices below, long names upright."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import sympy as sp
from sympy.printing.conventions import split_super_sub
from sympy.printing.latex import translate


def letter(name: str) -> str:
    """``roll_x`` becomes an upright roll with x below, ``Omega`` the Greek letter, ``w1`` a w with 1 below."""
    base, above, below = split_super_sub(name)
    result = _part(base)
    if below:
        result += f"_{{{' '.join(_part(b) for b in below)}}}"
    if above:
        result += f"^{{{' '.join(_part(a) for a in above)}}}"
    return result


def _part(name: str) -> str:
    shown = str(translate(name))
    if re.fullmatch(r"\w{2,}", shown) and not shown.isdigit():
        return f"\\mathrm{{{shown}}}".replace("_", "\\_")
    return shown.replace("_", "\\_")


def multiplier(name: str) -> str:
    """The LaTeX of a constraint's multiplier: ``roll_x`` becomes lambda with roll, x below."""
    base, above, below = split_super_sub(name)
    return f"\\lambda_{{{', '.join(_part(part) for part in (base, *above, *below))}}}"


def names(space: Any, symbols: Iterable[sp.Symbol] = ()) -> dict[sp.Symbol, str]:
    """The LaTeX of a space's coordinates and velocities, rates of coordinates with a dot, and of other symbols."""
    found = {s: letter(s.name) for s in (*space.coordinates, *space.velocities, *symbols)}
    for q in space.coordinates:
        rate = space.rates[q]
        if isinstance(rate, sp.Symbol) and rate in space.velocities:
            found[rate] = dotted(letter(q.name))
    return found


def dotted(shown: str) -> str:
    """One more dot on a letter, not on what stands below it."""
    if shown.startswith("\\dot"):
        return shown.replace("\\dot", "\\ddot", 1)
    base, below, rest = shown.partition("_{")
    return f"\\dot{{{base}}}{below}{rest}"


def latex(expression: Any, known: Mapping[sp.Symbol, str]) -> str:
    """An expression as LaTeX, its other symbols by their own names."""
    others = {s: letter(s.name) for s in getattr(expression, "free_symbols", ()) if s not in known}
    return str(sp.latex(expression, symbol_names={**others, **known}))
