"""Each erratum is one claim: what is printed does not hold, what stands in its place does, and why is said."""

from dataclasses import replace
from importlib import import_module

import pytest

from dalembert_papers.claim import Kind, Origin, at_hand, author, identity, misprint, scope
from dalembert_papers.shelf import papers
from worked import worked

SOUND = {"families"}  # numbers of many papers, none of them misprinted
PAPERS = {name: import_module(f"dalembert_papers.{each.module}").PAPER for name, each in papers().items()}


@pytest.mark.parametrize("paper", PAPERS)
def test_each_says_whose_slip_it_is_and_why(paper):
    claims = [c for chapter in PAPERS[paper].chapters for group in chapter.groups for c in worked(group)]
    errata = [c for c in claims if c.erratum]
    assert bool(errata) == (paper not in SOUND)
    for claim in errata:
        slip, printed = claim.erratum.slip, claim.erratum.printed
        assert claim.holds and claim.expected and not printed.holds, str(claim)
        assert slip.derivation, str(claim)
        assert bool(slip.printed) == bool(slip.repaired), str(claim)
        assert claim.kind == (Kind.SCOPE if slip.origin == Origin.SCOPE else Kind.MISPRINT)
    assert not [c for c in claims if c.statement.startswith(("as printed", "repaired"))]


def test_a_misprint_fails_if_the_printed_form_holds_or_the_repaired_one_does_not():
    right, wrong = identity("(1)", "0", 0), identity("(1)", "1", 1)
    assert misprint(wrong, right, author()).is_right
    assert not misprint(right, right, author()).is_right
    assert not misprint(wrong, wrong, author()).is_right
    told = misprint(wrong, right, at_hand("a dot")).data
    assert (told["residual"], told["erratum"]["residual"], told["erratum"]["origin"]) == (0.0, 1.0, "text at hand")
    assert misprint(wrong, right, scope()).word == "scope"


def test_what_is_rightly_not_so_is_said_with_not():
    claim = replace(identity("(1)", "1 = 0", 1, expected=False), kind=Kind.NEW)
    assert (claim.word, claim.sentence, claim.is_right) == ("new", "not so: 1 = 0", True)
