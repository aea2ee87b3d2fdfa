"""Long straight-line code cut into functions of bounded length, so that compiling takes time in proportion to it.

Values that one piece computes and a later one takes lie in room on the caller's stack, whose places are used again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

LARGEST = 20_000  # operations of one function; longer ones are cut
LENGTH = 1000  # operations of a piece
PREFIX = "dalembert_piece"  # of the names of pieces
Operands = Callable[[int], Sequence[int]]  # what an operation is computed from, by index


@dataclass(frozen=True)
class CodePieces:
    """Operations cut into pieces.

    Attributes:
        parts: the operations of each piece, operands first.
        places: where values lie that are taken outside the piece that computes them.
        room: how many places there are.
    """

    parts: tuple[Sequence[int], ...]
    places: Mapping[int, int]
    room: int

    @classmethod
    def of(cls, order: Sequence[int], operands: Operands, asked: Collection[int], known: Collection[int]) -> CodePieces:
        """Operations, operands first, those that are asked for, and those that the caller has computed already."""
        parts = tuple(order[first : first + LENGTH] for first in range(0, len(order), LENGTH))
        made = {i: k for k, part in enumerate(parts) for i in part} | dict.fromkeys(known, -1)
        last: dict[int, int] = {}
        for k, part in enumerate(parts):
            last |= {j: k for i in part for j in operands(i) if made.get(j, k) != k}
        last |= {i: len(parts) for i in asked if made.get(i, -1) >= 0}
        places = _places(last, made, len(parts))
        return cls(parts, places, 1 + max(places.values(), default=0))


def _places(last: Mapping[int, int], made: Mapping[int, int], count: int) -> dict[int, int]:
    """Where values lie that are made by one piece (-1: before all) and taken by later ones up to the last."""
    new: list[list[int]] = [[] for _ in range(count + 1)]
    for i in sorted(last):
        new[made[i] + 1].append(i)
    gone: list[list[int]] = [[] for _ in range(count + 1)]
    places: dict[int, int] = {}
    free: list[int] = []
    for k in range(count + 1):
        for i in new[k]:
            places[i] = free.pop() if free else len(places)  # without a free one, all places so far are taken
            gone[last[i]].append(places[i])
        free += gone[k - 1] if k else []
    return places
