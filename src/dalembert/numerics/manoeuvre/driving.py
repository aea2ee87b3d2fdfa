"""Tables of inputs on a mesh: from the values at its times to the coefficients that the equations of a run know."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import sympy as sp

from ..inputs.drive import Drive, of_table
from ..inputs.table import tabulated


@dataclass(frozen=True, eq=False)
class Driving:
    """Inputs that are to be found, each a table on a mesh of equal steps.

    Attributes:
        names: of the inputs.
        kind: of the tables: ``"hold"``, ``"linear"`` or ``"cubic"``.
        steps: of the mesh, N.
        drives: what stands for each input in the equations: coefficients, and a formula of these.
    """

    names: tuple[str, ...]
    kind: str
    steps: int
    drives: tuple[Drive, ...]

    @classmethod
    def of(cls, names: Sequence[str], kind: str, steps: int, fresh: Callable[[str], str]) -> Driving:
        """Tables on a mesh; `fresh` makes a name that nothing else has."""
        some = tabulated([0.0, 1.0, 2.0, 3.0], [0.0, 1.0, -1.0, 2.0], kind)
        return cls(tuple(names), kind, steps, tuple(of_table(name, some, fresh) for name in names))

    @property
    def formulas(self) -> dict[str, sp.Expr]:
        """What stands for an input, where it is not itself a coefficient."""
        return {d.name: d.formula for d in self.drives if d.formula is not None}

    @property
    def coefficients(self) -> tuple[str, ...]:
        """Names of all coefficients, input by input."""
        return tuple(name for d in self.drives for name in d.coefficients)

    @property
    def knots(self) -> int:
        """Values of one table: the last one of a table that is held lasts until the end."""
        return self.steps if self.kind == "hold" else self.steps + 1

    @property
    def maps(self) -> list[np.ndarray]:
        """From the values at the knots to the coefficients of each power on all intervals, [(N, knots)].

            w = c_k0 + c_k1 (t - t_k) + ... ,  t_k = k

        Each is linear in the values, so it is known from tables that are 1 at one knot.
        """
        units = np.eye(self.knots)
        pieces = np.stack([tabulated(np.arange(self.knots, dtype=float), row, self.kind).pieces for row in units], -1)
        return [pieces[: self.steps, power] for power in range(pieces.shape[1])]

    @property
    def here(self) -> np.ndarray:
        """At which fraction of the time the knots are (knots,)."""
        return np.arange(self.knots) / self.steps
