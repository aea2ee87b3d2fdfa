"""A function to be compiled, still on the graph: its outputs, and a linear system that is solved on the way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...calculus.graph import Graph, Node, operations
from .ir_numbers import SCALAR, Real
from .llvm_ir import Inputs, emit, emit_saddle


@dataclass(frozen=True)
class Function:
    """Outputs, which may contain the solution x of K x = b.

    Attributes:
        outputs: nodes of one graph.
        size: number of unknowns, 0 where nothing is solved.
        system: K by rows and then b, free of x.
    """

    outputs: tuple[Node, ...]
    size: int = 0
    system: tuple[Node, ...] = ()

    @staticmethod
    def unknowns(graph: Graph, size: int) -> list[Node]:
        """Symbols that stand for x, and behind them for the margin of the solver."""
        return [graph.symbol(f"x:{i}") for i in range(size + 1)]

    @classmethod
    def solving(cls, outputs: Sequence[Node], system: Sequence[Node], size: int) -> Function:
        """The function whose outputs contain `unknowns`."""
        return cls(tuple(outputs), size, tuple(system))

    @property
    def graph(self) -> Graph:
        """Where its nodes live."""
        return self.outputs[0].graph

    @property
    def cost(self) -> int:
        """Operations, without those of the solver."""
        return sum(operations([*self.outputs, *self.system]).values())

    def text(self, name: str, inputs: Inputs, real: Real = SCALAR) -> str:
        """IR of the function."""
        if not self.size:
            return emit(name, self.outputs, inputs, real=real)
        known = {**inputs, **{f"x:{i}": ("x", i) for i in range(self.size + 1)}}
        return emit_saddle(name, self.size, self.system, self.outputs, known, real=real)
