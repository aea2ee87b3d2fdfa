"""A linear model along a path: its matrices as functions of time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from ...calculus.quantity import seconds
from ...given import noun
from ...trajectory import check_times
from .linear import Linear
from .tangent import Tangent


@noun
@dataclass(frozen=True, eq=False)
class LinearAlong:
    """x' = A(t) x + B(t) w , z = C(t) x + D(t) w along a path, x and w being changes from it.

    Attributes:
        t: times of the path (N,).
        tangent: what it is made of.
        values: of all symbols at times.
    """

    t: np.ndarray
    tangent: Tangent
    values: Callable[[np.ndarray], Mapping[str, ArrayLike]]

    @property
    def states(self) -> tuple[str, ...]:
        """Names of x, the same at all times."""
        return self.tangent.states

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of w."""
        return self.tangent.moved

    @cached_property
    def _matrices(self) -> tuple[np.ndarray, ...]:
        return self.tangent.matrices(self.values(self.t), len(self.t))

    @property
    def A(self) -> np.ndarray:
        """At the times of the path (N, r, r)."""
        return self._matrices[0]

    @property
    def B(self) -> np.ndarray:
        """At the times of the path (N, r, k)."""
        return self._matrices[1]

    @property
    def C(self) -> np.ndarray:
        """At the times of the path (N, p, r)."""
        return self._matrices[2]

    @property
    def D(self) -> np.ndarray:
        """At the times of the path (N, p, k)."""
        return self._matrices[3]

    def at(self, t: float) -> Linear:
        """The model at a time.

        Raises:
            InvalidValue: E303, outside the path.
        """
        when = check_times([seconds(t, "t", "E303")], float(self.t[0]), float(self.t[-1]))
        return self.tangent.at(self.values(when))

    def __str__(self) -> str:
        lines = [f"linear model along a path, t from {self.t[0]:g} to {self.t[-1]:g}"]
        lines += [f"  states       {', '.join(self.states)}", f"  inputs       {', '.join(self.inputs) or 'none'}"]
        return "\n".join([*lines, "  at(t)        the model at a time; A, B, C, D at the times of the path, .t"])

    __repr__ = __str__
