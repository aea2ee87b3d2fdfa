"""Work that is counted instead of timed, so that a search ends at the same place on every machine."""

from __future__ import annotations

import math
from dataclasses import dataclass


class Exceeded(Exception):
    """The work allowed is done, or an expression has grown beyond what can be worked with."""


@dataclass
class Effort:
    """How much more work may be done.

    Attributes:
        left: in the unit of whoever spends it; without end by default.
    """

    left: float = math.inf

    def spend(self, work: float) -> None:
        """Count work about to be done.

        Raises:
            Exceeded: there is not so much left.
        """
        self.left -= work
        if self.left < 0:
            raise Exceeded
