"""Which part of a paper is worked through."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from dalembert.errors import InvalidValue, as_given, closest

from .chapter import Chapter, named
from .claim import Claim, Group
from .places import speaks_of
from .uses import texts


@dataclass(frozen=True)
class Wanted:
    """Which part of a paper is worked through.

    Attributes:
        chapters: numbers from 1, or parts of titles; all if there are none.
        only: names of groups or claims, with * and ?, or places of the paper; all if there are none.
    """

    chapters: Sequence[str] = ()
    only: Sequence[str] = ()

    @property
    def whole(self) -> bool:
        """Is it all of it?"""
        return not self.chapters and not self.only

    def of(self, chapters: Sequence[Chapter]) -> list[tuple[Chapter, list[Group]]]:
        """The chapters and their groups that are asked for.

        Raises:
            InvalidValue: E307, something is asked for that is not there.
        """
        numbered = {str(i): chapter for i, chapter in enumerate(chapters, 1)}
        for asked in self.chapters:
            if asked not in numbered and not any(asked.lower() in c.title.lower() for c in chapters):
                known = "\n".join(f"{i}  {chapter.title}" for i, chapter in numbered.items())
                raise InvalidValue(
                    "E307", f"there is no chapter {as_given(asked)}", f"a number, or a part of a title:\n{known}"
                )
        chosen = [c for i, c in numbered.items() if not self.chapters or self._asks(i, c)]
        found = [(c, [g for g in c.groups if self.reaches(g)]) for c in chosen]
        if not any(groups for _, groups in found):
            raise self.nothing(chosen)
        return [(c, groups) for c, groups in found if groups]

    def _asks(self, number: str, chapter: Chapter) -> bool:
        return any(a == number or (not a.isdigit() and a.lower() in chapter.title.lower()) for a in self.chapters)

    def reaches(self, group: Group) -> bool:
        """May a group hold a claim that is asked for?"""
        name = named(group)
        return not self.only or any(
            fnmatchcase(name, o)
            or fnmatchcase(name, o.rpartition(".")[0])
            or any(speaks_of(t, o) for t in texts(group))
            for o in self.only
        )

    def takes(self, claim: Claim) -> bool:
        """Is it one of those that are asked for?"""
        group = claim.name.rpartition(".")[0]
        return not self.only or any(
            fnmatchcase(claim.name, o) or fnmatchcase(group, o) or speaks_of(claim.where, o) for o in self.only
        )

    def nothing(self, chapters: Sequence[Chapter]) -> InvalidValue:
        """None of their claims is one that is asked for."""
        names = sorted(named(g) for chapter in chapters for g in chapter.groups)
        files = dict.fromkeys(f"{name.partition('.')[0]}.*" for name in names)
        close = next((found for o in self.only if (found := closest(o, names))), None)
        remedy = (
            f"did you mean {close}?" if close else f"a place of the paper, as its lines begin, or {', '.join(files)}"
        )
        return InvalidValue("E307", f"there is no claim {', '.join(map(as_given, self.only))}", remedy)
