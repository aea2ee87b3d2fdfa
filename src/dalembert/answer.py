"""Three answers: yes with its reason, no with its proof, and not decided, with what was tried.

A verdict on all motions cannot be taken from some of them. What an identity shows is a yes, what a state contradicts is
a no, and between them lies what neither shows: it is neither true nor false, and ``bool()`` of it raises.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from .errors import InvalidValue

Place = Mapping[str, float]
_WORDS = {True: "yes", False: "no", None: "not decided"}


@dataclass(frozen=True)
class Answer:
    """A verdict.

    Attributes:
        value: True, False, or None where it was not decided.
        reason: why, or what was tried.
        witness: the state that contradicts, by name, where one does.
    """

    value: bool | None
    reason: str = ""
    witness: Place = field(default_factory=dict)

    def __bool__(self) -> bool:
        if self.value is None:
            raise InvalidValue("E158", f"not decided: {self.reason}", "ask for .value, which is None then")
        return self.value

    @property
    def word(self) -> str:
        """``yes``, ``no`` or ``not decided``."""
        return _WORDS[self.value]

    @property
    def data(self) -> dict[str, object]:
        """For programs: ``{"answer": word, "reason": ..., "witness": {...}}``."""
        return {"answer": self.word, "reason": self.reason, "witness": dict(self.witness)}

    def __str__(self) -> str:
        return f"{self.word}: {self.reason}" if self.reason else self.word


def yes(reason: str = "") -> Answer:
    """Shown, with the reason."""
    return Answer(True, reason)


def no(reason: str = "", witness: Place | None = None) -> Answer:
    """Contradicted, by a proof or by a state."""
    return Answer(False, reason, witness or {})


def undecided(tried: str) -> Answer:
    """Neither shown nor contradicted, by what was tried."""
    return Answer(None, tried)


def all_of(answers: Iterable[Answer]) -> Answer:
    """Are all of them yes? The first no decides; else what is not decided is open."""
    found = list(answers)
    against = [a for a in found if a.value is False] or [a for a in found if a.value is None]
    return next(iter(against), yes("; ".join(dict.fromkeys(a.reason for a in found if a.reason))))
