"""What a reader looks at first in a path: places, headings, how far bodies have turned; or the columns asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..equations.start import ENERGY
from ..given import one_of
from ..trajectory import Trajectory

if TYPE_CHECKING:
    import sympy as sp

    from ..equations import Equations
    from ..model.space import Attitude

SHOWN = 5  # lines, unless columns are asked for
_WIDTH = 12
NOTHING: Mapping[str, sp.Expr] = MappingProxyType({})


class Seen(NamedTuple):
    """A number along a path.

    Attributes:
        name: of it.
        values: (N,).
        unit: "" where none is known.
    """

    name: str
    values: np.ndarray
    unit: str = ""


def lines(path: Trajectory, columns: Sequence[str] = (), defined: Mapping[str, sp.Expr] = NOTHING) -> list[str]:
    """First and last value of each, a line each; the last line may name what is left out.

    `defined` says what columns stand for that the file defines.

    Raises:
        UnknownName: E317, a column that the path has not.
    """
    if columns:
        return [_line(_column(path, one_of(path.names, name, "the path", "column"), defined)) for name in columns]
    every = list(looked_at(path))
    shown = every if len(every) <= SHOWN else every[: SHOWN - 1]
    left = [each.name for each in every[len(shown) :]]
    return [*map(_line, shown), *([f"  and {', '.join(left)}"] if left else [])]


def check(columns: Sequence[str], equations: Equations, defined: Iterable[str] = ()) -> None:
    """Refuse a column that no path of these equations will have, and that is not defined (UnknownName E317)."""
    contacts = equations.contacts.forces.values() if equations.contacts is not None else ()
    forces = [name for each in contacts for name in each]
    names = [*equations.states, *forces, *(s.name for s in equations.multipliers), ENERGY]
    names += [*equations.system.inputs, *defined]
    for name in columns:
        one_of(names, name, "the path", "column")


def _line(seen: Seen) -> str:
    unit = f" {seen.unit}" if seen.unit else ""
    return f"  {seen.name:<{_WIDTH}}{seen.values[0]:>14.6g} -> {seen.values[-1]:.6g}{unit}"


def looked_at(path: Trajectory) -> Iterator[Seen]:
    """Coordinates; rotations as the angle by which they have turned; where there is little of these, speeds."""
    space = getattr(path.system, "space", None)
    if space is None:
        yield from (_column(path, name) for name in path.names)
        return
    parts = {s.name for attitude in space.attitudes.values() for s in attitude.coordinates}
    plain = [q.name for q in space.coordinates if q.name not in parts]
    yield from (_column(path, name) for name in plain)
    yield from (Seen(f"{name} turned", _turned(path, attitude), "deg") for name, attitude in space.attitudes.items())
    if len(plain) + len(space.attitudes) < SHOWN - 1:
        yield from (_column(path, u.name) for u in space.velocities)


def _column(path: Trajectory, name: str, defined: Mapping[str, sp.Expr] = NOTHING) -> Seen:
    unit = getattr(path.system, "unit", None)
    known = {**getattr(path.system, "symbols", {}), **getattr(getattr(path.system, "space", None), "by_name", {})}
    symbol = known.get(name, defined.get(name))
    return Seen(name, path[name], unit(symbol) if unit and symbol is not None else "")


def _turned(path: Trajectory, attitude: Attitude) -> np.ndarray:
    """The angle in degrees between the attitude and that at the start, from 0 to 180 (N,)."""
    ends = [{s: path[s.name][i] for s in attitude.coordinates} for i in (0, -1)]
    first, last = (np.array(attitude.matrix.xreplace(end).tolist(), float) for end in ends)
    # 1 + 2 cos = trace R(0)^T R
    cos = np.clip((np.trace(first.T @ last) - 1) / 2, -1, 1)
    return np.array([0.0, np.degrees(np.arccos(cos))])
