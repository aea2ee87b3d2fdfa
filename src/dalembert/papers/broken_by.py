"""Which laws of the library were seen to turn a claim red when they were broken on purpose.

``broken_by.json`` is written by ``python -m mutations sentinels``, which breaks them: it tells what was seen, not what
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


@cache
def seen() -> dict[str, dict[str, list[str]]]:
    """By paper's source and `key` of a claim: names of laws."""
    return dict(json.loads(FILE.read_text(encoding="utf-8")))


def key(claim: Claim) -> str:
    """What stays when claims are added beside it: group, place and statement."""
    return f"{claim.name.rpartition('.')[0]}: {claim.where}: {claim.statement}"


def with_laws(source: str, claims: Iterable[Claim]) -> Iterator[Claim]:
    """The claims of a paper, each with the laws that turned it red."""
    known = seen().get(source, {})
    for claim in claims:
        yield replace(claim, laws=tuple(known.get(key(claim), ())))
