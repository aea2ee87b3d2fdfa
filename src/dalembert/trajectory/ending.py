"""How a run ended, for programs: its words may change, this does not."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Ending:
    """At its end where both are empty.

    Attributes:
        event: the name of the event that stopped it.
        code: the code of the error for which it could not go on.
    """

    event: str = ""
    code: str = ""

    @classmethod
    def told(cls, outcome: str, reached: bool) -> Ending:
        """From the words of a path that was stored without it."""
        if not reached:
            return cls(code=outcome.partition(" ")[0])
        stopped, _, rest = outcome.partition("stopped by ")
        return cls(event=rest.rpartition(" at t = ")[0]) if rest and not stopped else cls()
