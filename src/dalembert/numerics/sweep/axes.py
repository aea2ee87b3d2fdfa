"""What is varied: axes whose outer product is the grid of members, generated a stretch at a time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

MEMBER = "member"


@dataclass(frozen=True)
class Axis:
    """One dimension of the grid.

    Attributes:
        dim: its name.
        columns: values that change along it, (L,) by name of state or parameter.
        labels: coordinates of the result along it, (L,) by name.
    """

    dim: str
    columns: Mapping[str, np.ndarray]
    labels: Mapping[str, np.ndarray]

    def __len__(self) -> int:
        return len(next(iter(self.labels.values())))


@dataclass(frozen=True)
class Grid:
    """All members: the outer product of the axes, the last one fastest, and what is the same for all.

    Attributes:
        axes: in order; none for a single member.
        constants: values by name of state or parameter.
    """

    axes: tuple[Axis, ...]
    constants: Mapping[str, float] = field(default_factory=dict)

    @property
    def shape(self) -> tuple[int, ...]:
        """Lengths of the axes."""
        return tuple(len(axis) for axis in self.axes)

    @property
    def total(self) -> int:
        """How many members there are."""
        total = 1
        for length in self.shape:
            total *= length
        return total

    @property
    def varied(self) -> tuple[str, ...]:
        """Names of states and parameters that change."""
        return tuple(name for axis in self.axes for name in axis.columns)

    def largest(self, names: Iterable[str]) -> float:
        """The largest absolute value of these names among all members."""
        values = {name: np.abs(value) for name, value in self.constants.items()}
        values |= {name: np.abs(column).max() for axis in self.axes for name, column in axis.columns.items()}
        return float(max((values[name] for name in names), default=0.0))

    def part(self, first: int, last: int) -> dict[str, np.ndarray]:
        """Values by name of the members from `first` to before `last`, (last - first,)."""
        count = last - first
        values = {name: np.full(count, value) for name, value in self.constants.items()}
        rest = np.arange(first, last)
        for axis in reversed(self.axes):
            rest, place = np.divmod(rest, len(axis))
            values |= {name: column[place] for name, column in axis.columns.items()}
        return values
