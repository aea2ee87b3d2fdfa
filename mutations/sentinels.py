"""Which laws, and which slips in what it is given, turned each claim red, as `dalembert reproduce` tells it beside it.

Of the laws that were broken those come first that turn fewest claims red: they are nearest to what the claim says.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

MOST = 3  # laws that are told of a claim


def told(rows: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, list[str]]]:
    """By paper and claim (group: where: statement): the names of laws, of rows that `against_claims.tried` gave."""
    weights: dict[str, int] = defaultdict(int)
    by_paper: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for row in (row for row in rows if row["kind"] == "claims"):
        weights[row["law"]] += len(row["red"])
        for claim in row["red"]:
            by_paper[row["paper"]][claim].add(row["law"])
    return {
        paper: {c: sorted(laws, key=lambda law: (weights[law], law))[:MOST] for c, laws in sorted(claims.items())}
        for paper, claims in sorted(by_paper.items())
    }


def slipped(rows: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, str]]:
    """By paper and claim the first slip in what it is given that turned it red, of rows that `inputs.tried` gave."""
    by_paper: dict[str, dict[str, str]] = defaultdict(dict)
    for row in (row for row in rows if row["kind"] == "inputs"):
        for claim in row["red"]:
            by_paper[row["paper"]].setdefault(claim, row["slip"])
    return {paper: dict(sorted(claims.items())) for paper, claims in sorted(by_paper.items())}


def write(rows: Sequence[Mapping[str, Any]], *, beside: bool = False) -> tuple[int, int]:
    """Write `told` and `slipped` where the papers read them, by their sources; how many claims each speaks of.

    Of papers that were not tried this time stays what was seen before; with `beside` of other claims of a paper, too.
    """
    from dalembert_papers.broken_by import FILE, SLIPS, seen, slips

    names = _sources()
    laws = {names[paper]: claims for paper, claims in told(rows).items()}
    given = {names[paper]: claims for paper, claims in slipped(rows).items()}
    for file, found in ((FILE, _joined(seen(), laws, beside)), (SLIPS, _joined(slips(), given, beside))):
        file.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return sum(map(len, laws.values())), sum(map(len, given.values()))


def _joined(before: Mapping[str, Any], now: Mapping[str, Any], beside: bool) -> dict[str, Any]:
    """By source what was seen now, beside what was seen of other claims before."""
    new = {s: dict(sorted({**before.get(s, {}), **claims}.items())) for s, claims in now.items()} if beside else now
    return {**before, **new}


def spoken(paper: str) -> frozenset[str]:
    """The claims of a paper of which `write` has told."""
    from dalembert_papers.broken_by import seen, slips

    source = _sources()[paper]
    return frozenset((*seen().get(source, ()), *slips().get(source, ())))


def _sources() -> dict[str, str]:
    """By paper the key of its source."""
    from dalembert_papers.shelf import papers

    return {name: import_module(f"dalembert_papers.{each.module}").PAPER.source for name, each in papers().items()}
