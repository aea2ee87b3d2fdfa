"""What of a paper is covered: for each thing it numbers, the claims made there and the general functions they call.

    python -m dalembert_papers.coverage docs/explanation/coverage.md

works through every paper and writes the page. Something is *general* if a claim about it calls a function that takes
any user's system, beyond those that only state one; *special* if its claims do not; *missing* if there are none. Of
each paper's claims it is told how many were seen to turn red when something was broken on purpose.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from .broken_by import seen, with_laws
from .claim import Claim
from .places import is_of, places
from .shelf import papers
from .uses import public_names

_FILE = Path(__file__).with_name("items.toml")
_STATE = ("model", "calculus", "systems", "errors")  # rooms whose functions state a system, and find nothing of it
Found = Iterable[tuple[str, Sequence[str]]]  # places of claims, and the public functions that are called there


@dataclass(frozen=True)
class Item:
    """One thing that a paper numbers.

    Attributes:
        name: ``"(3.6)"``, ``"Theorem 2"``.
        subject: what it is about.
        claims: how many claims there are about it.
        functions: the public functions that these call beyond those that state a system, sorted.
    """

    name: str
    subject: str
    claims: int = 0
    functions: tuple[str, ...] = ()

    @property
    def status(self) -> str:
        """``"general"``, ``"special"`` or ``"missing"``."""
        return "general" if self.functions else "special" if self.claims else "missing"


def covered(paper: str, found: Found) -> list[Item]:
    """Each thing that a paper numbers, with what was claimed of it."""
    told = [(set(places(where)), functions) for where, functions in found]
    items = []
    for name, subject in numbered(paper):
        here = [functions for at, functions in told if any(is_of(place, name) for place in at)]
        general = sorted({f for functions in here for f in functions if f not in _stating()})
        items.append(Item(name, subject, len(here), tuple(general)))
    return items


def numbered(paper: str) -> Iterator[tuple[str, str]]:
    """(name, subject) of each thing that a paper numbers, in order."""
    for names, subject in tomllib.loads(_FILE.read_text(encoding="utf-8"))[paper].items():
        for name in [names] if " to " not in names and "," not in names else places(names):
            yield name, subject


@cache
def _stating() -> frozenset[str]:
    """Public functions that state a system and find nothing of it."""
    return frozenset(name for (module, _), name in public_names().items() if module.split(".")[1] in _STATE)


# --- the page --------------------------------------------------------------------------------------------------------

_HEAD = """# What of the papers is covered

Each thing that a paper numbers, and how `dalembert reproduce` works it through: *general* by functions that take any
user's system (they are named), *special* by code of the paper alone, *missing* not at all. Figures of motions are drawn
and not listed. A claim was *seen red* if it failed when a law of the library was broken on purpose, or, where no law
on the list did it, when a sign, a factor or a number of a formula that it is given was (`python -m mutations`).
`python -m dalembert_papers.coverage docs/explanation/coverage.md` wrote this page.
"""


def page(found: Iterable[tuple[str, list[Item], str]]) -> str:
    """The page, of every paper's items and what was seen of its claims."""
    return "\n".join((_HEAD, *(table(*each) for each in found)))


def seen_red(source: str, claims: Iterable[Claim]) -> str:
    """How many claims of a paper were seen to turn red, and by what."""
    every = list(with_laws(source, claims))
    if source not in seen():
        return f"No law was broken yet against its {len(every)} claims."
    laws, slips = sum(bool(c.laws) for c in every), sum(bool(c.slip) and not c.laws for c in every)
    return (
        f"Of {len(every)} claims {laws} were seen red by a broken law, {slips} by a slip in a formula, "
        f"{len(every) - laws - slips} by neither."
    )


def table(paper: str, items: Sequence[Item], red: str) -> str:
    """The section of one paper."""
    counts = ", ".join(f"{sum(i.status == s for i in items)} {s}" for s in ("general", "special", "missing"))
    lines = [
        f"## {paper}",
        "",
        f"{len(items)} in all: {counts}. {red}",
        "",
        "| | about | claims | by |",
        "|---|---|---|---|",
    ]
    for item in items:
        by = ", ".join(f"`{f}`" for f in item.functions) or f"*{item.status}*"
        lines.append(f"| {item.name} | {item.subject} | {item.claims} | {by} |")
    return "\n".join((*lines, ""))


def main(arguments: Sequence[str]) -> int:
    """Work through every paper and write the page to the file that is named."""
    (file,) = arguments
    found = []
    for name, entry in papers().items():
        paper = entry.paper
        claims = [claim for chapter in paper.chapters for claim in chapter.claims()]
        items = covered(name, [(claim.where, claim.functions) for claim in claims])
        found.append((name, items, seen_red(paper.source, claims)))
    Path(file).write_text(page(found), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
