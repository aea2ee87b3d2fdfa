"""What was seen to turn a claim red: laws of the library that were broken on purpose, or slips in what it is given.

``python -m mutations sentinels`` writes ``broken_by.json`` and ``slipped_by.json``: they tell what was seen, not what
should be.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

from .claim import Claim

FILE = Path(__file__).with_suffix(".json")
SLIPS = FILE.with_name("slipped_by.json")


@cache
def seen() -> dict[str, dict[str, list[str]]]:
    """By paper's source and `key` of a claim: names of laws."""
    return dict(json.loads(FILE.read_text(encoding="utf-8")))


@cache
def slips() -> dict[str, dict[str, str]]:
    """By paper's source and `key` of a claim that no law turned red: a slip in a formula of the paper's that did."""
    return dict(json.loads(SLIPS.read_text(encoding="utf-8")))


def key(claim: Claim) -> str:
    """What stays when claims are added beside it: group, place and statement."""
    return f"{claim.name.rpartition('.')[0]}: {claim.where}: {claim.statement}"


def with_laws(source: str, claims: Iterable[Claim]) -> Iterator[Claim]:
    """The claims of a paper, each with the laws that turned it red, or the slip that did."""
    laws, given = seen().get(source, {}), slips().get(source, {})
    for claim in claims:
        name = key(claim)
        yield replace(claim, laws=tuple(laws.get(name, ())), slip=given.get(name, ""))
