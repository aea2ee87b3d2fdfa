"""What a single run would doubt of its parameters, asked of some members of a sweep."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterator

import numpy as np

from ...equations import Equations
from ...errors import InvalidValue, Note, warn
from .axes import Grid

_MOST = 16  # members that are asked


def doubted(equations: Equations, grid: Grid, with_units: Collection[str]) -> Iterator[Note]:
    """W109, W128, W210, W214 once each: of how many of the members that were asked, and of which first."""
    system = equations.system
    asked = np.unique(np.linspace(0, grid.total - 1, _MOST).round().astype(int))
    members = [{name: float(column[0]) for name, column in grid.part(int(i), int(i) + 1).items()} for i in asked]
    own = [{name: x for name, x in member.items() if name in system.symbols} for member in members]
    if not any(x != system.parameters.get(name) for values in own for name, x in values.items()):
        return
    swept = {name for name in own[0] if len({values[name] for values in own}) > 1}
    found: dict[str, list[tuple[int, str]]] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for i, values in zip(asked, own, strict=True):
            bare = {name: x for name, x in values.items() if name not in with_units}
            fixed = {name: x for name, x in bare.items() if name not in swept}
            for note in (*_of(equations, values), *system.bare(bare), *system.shifted(fixed)):
                found.setdefault(note.code, []).append((int(i), note.text))
    for code, told in found.items():
        member, text = told[0]
        where = f"{len(told)} of {len(asked)} members that were asked, first of member {member}"
        yield warn(code, text if len(asked) == 1 else f"{text} (said of {where})", 6)


def _of(equations: Equations, values: dict[str, float]) -> list[Note]:
    """Nothing where the values are refused: that is the member's own."""
    try:
        return list(equations.system.doubts(equations.system.values(values)))
    except InvalidValue:
        return []
