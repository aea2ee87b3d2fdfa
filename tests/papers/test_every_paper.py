"""Every claim of every paper comes out as the derivation says, and ``dalembert reproduce`` says so.

The tests of a paper are one household: what is claimed is worked through once, for the test of its group and for the
reproduction. That chapters ask their groups one by one is tested in ``test_shelf.py``.
"""

import re
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest
from click.testing import CliRunner

from dalembert.apps.cli import main
from dalembert_papers.coverage import covered, page, seen_red, table
from dalembert_papers.reproduction import Chapter, Wanted, named
from dalembert_papers.shelf import papers
from dalembert_papers.uses import public_functions
from worked import worked

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "howto" / "reproduce.md"
COVERAGE = DOCS / "explanation" / "coverage.md"
PAPERS = {name: import_module(f"dalembert_papers.{entry.module}").PAPER for name, entry in papers().items()}
GROUPS = [(name, group) for name, paper in PAPERS.items() for chapter in paper.chapters for group in chapter.groups]


def said(paper, group):
    return f"{paper}:{group.__module__.rpartition('.')[2]}.{group.__name__}"


@pytest.mark.parametrize("group", [group for _, group in GROUPS], ids=[said(*each) for each in GROUPS])
def test_every_claim_is_as_expected(group):
    found = worked(group)
    assert found
    assert not [str(c) for c in found if not c.is_right]
    assert not [c.where for c in found if not Wanted(only=(c.where,)).reaches(group)]  # found by its place


@pytest.mark.parametrize(
    ("paper", "arguments", "figures"),
    [
        ("lewis-murray", ["--out", "here/figures"], 8),
        ("appell-hamel", ["--out", "here"], 2),
        ("families", ["--out", "here"], 1),
        ("sicm", [], 0),
        ("rolling-disc", ["--no-figures"], 0),
        ("symmetric-sphere", ["--no-figures"], 0),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_reproduction_ends_with_a_verdict_and_exit_code_0(tmp_path: Path, monkeypatch, paper, arguments, figures):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Chapter, "claims", lambda self: (claim for group in self.groups for claim in worked(group)))
    result = CliRunner().invoke(main, ["reproduce", paper, *arguments])
    assert result.exit_code == 0, result.output[-2000:]
    right, total = re.search(r"(\d+) of (\d+) claims hold", result.output).groups()
    assert right == total
    # the page of the papers names the number of claims
    assert re.search(rf"`dalembert reproduce {paper}` .* {total} claims", PAGE.read_text(encoding="utf-8"))
    assert max(len(line) for line in result.output.splitlines() if "drawn" not in line) <= 80
    assert len(list(tmp_path.rglob("*.svg"))) == figures
    assert ("no figures: --out FOLDER draws them" in result.output) == (figures == 0)


@pytest.mark.parametrize("name", PAPERS)
def test_the_page_of_what_is_covered_says_what_the_claims_cover(name):
    groups = [group for chapter in PAPERS[name].chapters for group in chapter.groups]
    claims = [replace(c, name=f"{named(group)}.{i}", functions=public_functions(group)) for group in groups
              for i, c in enumerate(worked(group), 1)]  # fmt: skip
    items = covered(name, [(claim.where, claim.functions) for claim in claims])
    assert table(name, items, seen_red(PAPERS[name].source, claims)) in COVERAGE.read_text(encoding="utf-8")


def test_the_page_of_what_is_covered_holds_the_papers_in_order_and_nothing_else():
    """With the tables of the test above: what ``python -m dalembert_papers.coverage`` writes, letter by letter."""
    first, *sections = COVERAGE.read_text(encoding="utf-8").split("\n## ")
    assert first == page([])
    assert [section.partition("\n")[0] for section in sections] == list(PAPERS)
    for section in sections:  # a table ends a section
        assert section.endswith("|\n") and section.count("\n\n") == 2
