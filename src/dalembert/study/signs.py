"""The sign of a potential in a Lagrangian that is written as a sum of its parts: L = T - V."""

from __future__ import annotations

import re
from collections.abc import Mapping

import sympy as sp

from ..calculus.symbols import free_symbols
from ..model.space import Space

_SUM = re.compile(r"\s*[+-]?\s*\w+(\s*[+-]\s*\w+)+\s*")
_TERM = re.compile(r"([+-]?)\s*(\w+)")
_POTENTIAL = re.compile(r"[VU]\w{0,9}")  # as it is called in the field


def added_potential(L: object, parts: Mapping[str, sp.Expr], space: Space) -> str:
    """In words, a part called as a potential, without velocities, that stands with a plus beside a kinetic energy."""
    if not isinstance(L, str) or not _SUM.fullmatch(L):
        return ""
    signs = {name: sign or "+" for sign, name in _TERM.findall(L)}
    moving = {name for name in signs if name in parts and free_symbols(parts[name]) & {*space.velocities}}
    added = [n for n in signs if signs[n] == "+" and n in parts and n not in moving and _POTENTIAL.fullmatch(n)]
    if not added or not any(signs[name] == "+" for name in moving):
        return ""
    return f'{added[0]} is added in L = "{L.strip()}": a potential is subtracted, L = T - V'
