"""What was found, as tables: law by law who noticed, and the claims that nothing turned red."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from .against_claims import right
from .law import Law

Rows = Sequence[dict[str, Any]]


def markdown(laws: Sequence[Law], rows: Rows) -> str:
    """Both tables and their sums."""
    return "\n".join([*_sums(laws, rows), "", *_by_law(laws, rows), "", *_never(rows)]) + "\n"


def _claims(rows: Rows) -> dict[str, list[str]]:
    """All claims that hold in sound sources, by paper."""
    return {row["paper"]: right(row["groups"]) for row in rows if row["kind"] == "sound"}


def _red(rows: Rows) -> dict[str, Counter[str]]:
    """By how many laws each claim was turned red, by paper."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        if row["kind"] == "claims":
            found[row["paper"]].update(set(row["red"]))
    return found


def _sums(laws: Sequence[Law], rows: Rows) -> Iterator[str]:
    """How many laws were noticed, and how many claims can be turned red."""
    by_claims = {row["law"] for row in rows if row["kind"] == "claims" and (row["red"] or row["gone"])}
    tried = {row["law"] for row in rows if row["kind"] == "tests"}
    by_tests = {row["law"] for row in rows if row["kind"] == "tests" and row["how"] != "green"}
    yield f"{len(laws)} laws; {len(by_claims)} are noticed by claims; {len(by_tests)} of {len(tried)} tried by tests."
    claims, red = _claims(rows), _red(rows)
    yield ""
    yield "| paper | claims | turned red by some law | by none |"
    yield "|---|---|---|---|"
    for paper, every in claims.items():
        turned = sum(claim in red[paper] for claim in every)
        yield f"| {paper} | {len(every)} | {turned} | {len(every) - turned} |"


def _by_law(laws: Sequence[Law], rows: Rows) -> Iterator[str]:
    """A line a law."""
    yield "| law | file | claims that went red | test that went red |"
    yield "|---|---|---|---|"
    for law in laws:
        found = [row for row in rows if row.get("law") == law.name]
        claims = [_told(r) for r in found if r["kind"] == "claims" and (r["red"] or r["gone"])]
        tests = [r["test"] or r["how"] for r in found if r["kind"] == "tests"] or ["not tried"]
        said = law.law.replace("|", "\\|")
        yield f"| {law.name}: {said} | `{law.file}` | {', '.join(claims) or '-'} | {tests[0]} |"


def _told(row: dict[str, Any]) -> str:
    gone = f" and {len(row['gone'])} not come to" if row["gone"] else ""
    return f"{len(row['red'])}{gone} of {row['paper']}"


def _never(rows: Rows) -> Iterator[str]:
    """Claims that stayed green whatever was broken."""
    red = _red(rows)
    yield "Claims that no law on the list turns red:"
    yield ""
    for paper, every in _claims(rows).items():
        for claim in every:
            if claim not in red[paper]:
                yield f"- {paper}: {claim}"
