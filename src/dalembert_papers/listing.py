"""What a reader sees of claims: a line an equation, what is printed otherwise, and how many there are of which kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from textwrap import wrap

from rich.console import Console

from .claim import MEANINGS, Claim, Kind

_ORDER = tuple(MEANINGS)
_COLUMNS = (
    ("+1", "claims about the place beside the one that is told; --claims tells all, whole"),
    ("0, 2e-9, -", "the residual: 0 by algebra, or a number; - where it was neither"),
    (
        "at the end",
        "a law of the library that turned the claim red when it was broken; (its formula): a slip in the claim did",
    ),
)
_LEAST = 24  # columns that a sentence has at least


def print_lines_of(console: Console, title: str, claims: Sequence[Claim], each: bool = False) -> None:
    """A chapter: a line an equation, or with `each` every claim in full."""
    right = sum(claim.is_right for claim in claims)
    _out(console, f"{title}: {right} of {len(claims)} hold", "bold")
    for line, claim in every_claim(claims, console.width) if each else by_equation(claims, console.width):
        _out(console, line, "" if claim.is_right else "bold red")
    _out(console, "")


def by_equation(claims: Sequence[Claim], width: int) -> Iterator[tuple[str, Claim]]:
    """A line an equation, and the claim that stands in it: the most telling one, and how many more there are.

    Columns: place, word, sentence, residual, and where there is room a law that was seen to turn it red, or
    `(its formula)` where a slip in one of the paper's was.
    """
    places: dict[str, list[Claim]] = {}
    for claim in claims:
        places.setdefault(claim.where, []).append(claim)
    first = min(max(map(len, places), default=0), width // 5)
    room = width - 2 - first - 1 - 12 - 1 - 1 - 6
    law = 0 if width < 80 else min(max((len(_law(c)) for c in claims), default=0), 22, room - _LEAST - 1)
    rest = room - (law + 1 if law else 0)
    for where, here in places.items():
        claim = min(here, key=lambda c: (_ORDER.index(c.word), not c.key))
        more = f" +{len(here) - 1}" if len(here) > 1 else ""
        told = _cut(claim.sentence, max(rest, _LEAST) - len(more)) + more
        line = f"  {_cut(where, first):{first}} {claim.word:12} {told:{max(rest, _LEAST)}} {_number(here, claim):>6}"
        yield (f"{line} {_law(claim)[:law]}" if law else line).rstrip(), claim


def every_claim(claims: Sequence[Claim], width: int) -> Iterator[tuple[str, Claim]]:
    """Every claim in full: place, word, sentence, what was computed, its name and its laws."""
    for claim in claims:
        for line in wrap(f"{claim.word:12} {claim.where}: {claim.sentence}", width - 2, subsequent_indent=" " * 13):
            yield f"  {line}".rstrip(), claim
        told = [claim.computed, claim.name, *_broken(claim)]
        for line in wrap("; ".join(told), width - 15):
            yield f"{'':15}{line}", claim


def print_errata(console: Console, claims: Sequence[Claim]) -> None:
    """What is printed and is not so, and what stands in its place."""
    found = [claim for claim in claims if claim.erratum]
    if found:
        _out(console, "What is printed otherwise", "bold")
    for claim in found:
        for line in _erratum(claim, console.width):
            _out(console, line, "" if claim.is_right else "bold red")
    if found:
        _out(console, "")


def _erratum(claim: Claim, width: int) -> Iterator[str]:
    erratum = claim.erratum
    assert erratum is not None
    printed = erratum.printed
    holds = "holds" if printed.holds else "does not hold"
    repaired = "holds" if claim.holds == claim.expected else "does not hold"
    yield f"  {claim.where}: {erratum.slip.origin}"
    for name, text in (
        ("printed", f"{printed.statement}. It {holds}: {printed.computed}"),
        ("instead", f"{claim.statement}. It {repaired}: {claim.computed}"),
        ("because", erratum.slip.derivation),
    ):
        for number, line in enumerate(wrap(text, width - 13)):
            yield f"    {name if not number else '':8} {line}"


def print_counts(console: Console, claims: Sequence[Claim]) -> None:
    """How many claims there are of which kind, and how many hold."""
    for claim in (c for c in claims if not c.is_right):
        for line in wrap(f"UNEXPECTED {claim.name} {claim.where}: {claim.sentence} ({claim.computed})", console.width):
            _out(console, line, "bold red")
    kinds = Counter(str(claim.kind or Kind.CONFIRMED) for claim in claims)
    told = "; ".join(f"{kinds[kind]} {kind}" for kind in Kind if kinds[kind])
    right = sum(claim.is_right for claim in claims)
    _out(console, f"{right} of {len(claims)} claims hold{': ' * bool(told)}{told}.")


def print_legend(console: Console, claims: Sequence[Claim], each: bool = False) -> None:
    """What the words of these claims mean and, where each equation has a line, what its columns are."""
    here = {claim.word for claim in claims}
    rows = [(word, meaning) for word, meaning in MEANINGS.items() if word in here]
    for word, meaning in [*rows, *(() if each else _COLUMNS)]:
        for number, line in enumerate(wrap(meaning, console.width - 15)):
            _out(console, f"  {'' if number else word:12} {line}")


def _out(console: Console, line: str, style: str = "") -> None:
    console.print(line, style=style or None, markup=False, highlight=False, soft_wrap=True)


def _number(here: Sequence[Claim], told: Claim) -> str:
    """The residual of a claim; of several that say no other thing the largest; - where none decided."""
    numbers = [c.residual for c in here if c.word == told.word and c.expected and c.residual is not None]
    return "-" if not numbers else f"{max(numbers):.0e}" if max(numbers) else "0"


def _law(claim: Claim) -> str:
    return claim.laws[0] if claim.laws else "(its formula)" if claim.slip else "-"


def _broken(claim: Claim) -> Iterator[str]:
    """What turned it red, in full."""
    if claim.laws:
        yield f"broken by {', '.join(claim.laws)}"
    elif claim.slip:
        yield f"broken by a slip in {claim.slip}"


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: max(width - 3, 1)].rstrip() + "..."
