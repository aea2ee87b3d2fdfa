"""A chapter: claims that belong together, made one group after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from rich.console import Console

from .claim import Claim, Group, Kind
from .uses import public_functions

Printer = Callable[[Console], None]


@dataclass(frozen=True)
class Chapter:
    """Claims that belong together.

    Attributes:
        title: its heading.
        groups: functions that yield claims, called in order, each when the one before it is worked through.
        after: prints what belongs below, a table of numbers for instance; called when all claims are checked.
        listed: are the claims printed one by one, or only counted?
        kind: what its claims are to the paper, where they do not say so themselves.
    """

    title: str
    groups: Sequence[Group]
    after: Printer | None = None
    listed: bool = True
    kind: Kind = Kind.CONFIRMED

    def claims(self, groups: Sequence[Group] | None = None) -> Iterator[Claim]:
        """Every claim of the chapter, or of some of its groups, one after the other."""
        for group in self.groups if groups is None else groups:
            functions = public_functions(group)
            for number, claim in enumerate(group(), 1):
                name, kind = f"{named(group)}.{number}", claim.kind or self.kind
                yield replace(claim, name=name, kind=kind, functions=functions)


def named(group: Group) -> str:
    """``file.group``, as claims are asked for."""
    return f"{group.__module__.rpartition('.')[2]}.{group.__name__}"
