"""Functions of time, states and parameters that are asked for at many rows: compiled for lanes, called once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ...calculus.frame import TIME
from ...calculus.graph import Node
from .batch_calls import map_lanes
from .compiler import Library, widest
from .function_source import Function
from .ir_numbers import Real

NAME = "rows"
LARGE = 4000  # operations above which registers do not hold more than four lanes' numbers


@dataclass(frozen=True)
class CompiledRows:
    """Outputs as machine code.

    Attributes:
        library: holds the code.
        width: lanes.
        size: how many outputs there are.
        states, parameters: names of the columns of y and p.
    """

    library: Library = field(repr=False)
    width: int
    size: int
    states: tuple[str, ...]
    parameters: tuple[str, ...]

    @classmethod
    def of(cls, outputs: Sequence[Node], states: Sequence[str], parameters: Sequence[str]) -> CompiledRows:
        """Compile outputs, nodes of one graph in states, parameters and time."""
        inputs = {name: ("y", i) for i, name in enumerate(states)}
        inputs |= {TIME.name: ("t", 0)} | {name: ("p", j) for j, name in enumerate(parameters)}
        function = Function(tuple(outputs))
        width = min(widest(), 4) if function.cost > LARGE else widest()
        library = Library.compile({NAME: function.text(NAME, inputs, Real.lanes(width))})
        return cls(library, width, len(outputs), tuple(states), tuple(parameters))

    def __call__(self, t: np.ndarray, y: np.ndarray, parameters: Mapping[str, np.ndarray]) -> np.ndarray:
        """The outputs (K, size) at times (K,), states (K, n or more) and parameters (K,) by name."""
        p = np.empty((len(t), len(self.parameters)))
        for j, name in enumerate(self.parameters):
            p[:, j] = parameters[name]
        return map_lanes(self.library.address(NAME), self.width, t, y, p, self.size)
