"""Loops that do not wait for each other, done in the same turns: what waits in one is computed while another waits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

Turns = Sequence[Sequence[int]]  # the operations of each turn; a single turn is no loop
Operands = Callable[[int], Sequence[int]]
NEAR = 8  # turns by which loops may differ that are done together; those that are left are written straight


def in_levels(parts: Iterable[Turns], operands: Operands) -> list[Turns]:
    """The same operations in an order that leaves their operands first, with fewer and wider loops.

    A loop is one level above all that it takes; what lies between loops is done as soon as the loops before it are.
    """
    level: dict[int, int] = {}
    loops: dict[int, list[Turns]] = {}
    straight: dict[int, list[int]] = {}
    for turns in parts:
        if len(turns) > 1:
            own = 1 + _above(level, (j for turn in turns for i in turn for j in operands(i)))
            level |= {i: own for turn in turns for i in turn}
            loops.setdefault(own, []).append(turns)
        else:
            for i in turns[0]:
                level[i] = _above(level, operands(i))
                straight.setdefault(level[i], []).append(i)
    found: list[Turns] = []
    for own in range(1 + max(level.values(), default=0)):
        wide, left = _together(loops.get(own, []))
        rest = left + straight.get(own, [])
        found += [*wide, *([[rest]] if rest else [])]
    return found


def _above(level: dict[int, int], taken: Iterable[int]) -> int:
    return max((level[j] for j in taken if j in level), default=0)


def _together(loops: Sequence[Turns]) -> tuple[list[Turns], list[int]]:
    """Loops of nearly as many turns as one, and the operations of turns that are left."""
    wide: list[list[Turns]] = []
    for turns in sorted(loops, key=len):
        if wide and len(turns) - len(wide[-1][0]) <= NEAR:
            wide[-1].append(turns)
        else:
            wide.append([turns])
    left = [i for some in wide for turns in some for turn in turns[len(some[0]) :] for i in turn]
    return [[[i for turn in each for i in turn] for each in zip(*some, strict=False)] for some in wide], left
