"""Nodes of the graph computed by another library of numbers or symbols, operation by operation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar, cast

from ...calculus.elementary_functions import ELEMENTARY
from ...calculus.graph import CONSTANT, SYMBOL, Node, live
from ...errors import InvalidValue

T = TypeVar("T")


@dataclass(frozen=True)
class LinkedLibrary(Generic[T]):
    """Another library.

    Attributes:
        name: as it is called.
        operations: what computes each operation.
    """

    name: str
    operations: Mapping[str, Callable[..., object]]

    def nodes(self, outputs: Sequence[Node], values: Mapping[str, T]) -> list[T]:
        """Values of the outputs; numbers of the graph stay Python's.

        Raises:
            InvalidValue: E803, a function that this library lacks.
        """
        found: dict[int, T] = {}
        for i in live(outputs):
            key = outputs[0].graph.nodes[i]
            if key[0] in (CONSTANT, SYMBOL):
                found[i] = cast(T, float(key[1])) if key[0] == CONSTANT else values[key[1]]
            else:
                found[i] = cast(T, self._of(key[0])(*(found[j] for j in key[1:])))
        return [found[y.index] for y in outputs]

    def _of(self, name: str) -> Callable[..., object]:
        found = self.operations.get(name)
        if found is None:
            raise InvalidValue(
                "E803",
                f"{self.name} has no function {name}, which stands in these equations",
                "equations.to_c() and equations.to_python() carry its text along",
            )
        return found


def arithmetic() -> dict[str, Callable[..., object]]:
    """The operations for which Python has a sign: these other libraries take as they are."""
    return {name: row.plain for name, row in ELEMENTARY.items() if row.plain and row.machine.kind == "instruction"}
