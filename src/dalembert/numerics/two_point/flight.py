"""A motion from one point, with its derivatives by what is free there, at any times: smooth, or in stretches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ..policy import Policy
from ..sensitivities.stretches import Motion
from ..sensitivities.through import directions
from ..vector_field.field import Field
from .flow import Flow


class Flight(Protocol):
    """A motion that was begun."""

    @property
    def cuts(self) -> Sequence[float]:
        """Times inside at which it goes on otherwise."""

    @property
    def met(self) -> Sequence[str]:
        """What happens, in order."""

    def at(self, times: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
        """States (N, n) and derivatives (N, n, d) at times that rise; None where the motion ends before."""


@dataclass(frozen=True, eq=False)
class Smooth:
    """A motion on which nothing happens.

    Attributes:
        field: the equations, from the start.
        flow: what carries it with its derivatives.
        rows: the start with derivatives there.
    """

    field: Field
    flow: Flow
    rows: np.ndarray
    cuts: Sequence[float] = ()
    met: Sequence[str] = ()

    def at(self, times: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
        """As of `Flight`."""
        found = self.flow.carry(self.field, self.field.start.t, self.rows, times)
        return None if found is None else self.flow.split(found)


@dataclass(frozen=True, eq=False)
class Changing:
    """A motion that meets something on its way.

    Attributes:
        motion: in stretches.
        policy: how each is integrated.
        S: derivatives at the start (n, d).
    """

    motion: Motion
    policy: Policy
    S: np.ndarray

    @property
    def cuts(self) -> Sequence[float]:
        """As of `Flight`."""
        return [stretch.end for stretch in self.motion.stretches[:-1]]

    @property
    def met(self) -> Sequence[str]:
        """As of `Flight`."""
        return self.motion.met

    def at(self, times: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
        """As of `Flight`.

        Raises:
            InvalidValue: E319, an instant without derivatives.
        """
        return directions(self.motion, self.policy, self.S, np.asarray(times, float))
