"""A paper is one file or one folder: found by itself, named after it, worked through one group at a time."""

from dataclasses import replace
from importlib import import_module
from itertools import islice

import pytest

from dalembert.apps.citations import references
from dalembert.errors import DalembertError
from dalembert_papers.claim import MEANINGS
from dalembert_papers.places import speaks_of
from dalembert_papers.reproduction import Wanted, named
from dalembert_papers.shelf import papers
from dalembert_papers.uses import public_functions

PAPERS = {name: import_module(f"dalembert_papers.{entry.module}").PAPER for name, entry in papers().items()}
CHAPTERS = [(name, chapter) for name, paper in PAPERS.items() for chapter in paper.chapters]


def test_the_papers_are_those_of_the_readme():
    assert list(PAPERS) == ["appell-hamel", "families", "lewis-murray", "rolling-disc", "sicm", "symmetric-sphere"]


def test_a_file_or_a_folder_with_a_paper_is_found_and_nothing_else(tmp_path):
    (tmp_path / "robert_hooke.py").write_text('"""A spring: its period.\n\nMore."""\n\nPAPER = 1 / 0\n')
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "__init__.py").write_text('"""Two springs."""\n\nPAPER = 1 / 0\n')
    (tmp_path / "shared.py").write_text('"""What two papers need."""\n\nx = "PAPER"\n')
    found = papers(tmp_path)
    assert {name: (each.module, each.summary) for name, each in found.items()} == {
        "folder": ("folder", "Two springs"),
        "robert-hooke": ("robert_hooke", "A spring: its period"),
    }


@pytest.mark.parametrize("paper", PAPERS.values(), ids=PAPERS)
def test_the_source_is_in_the_bibliography(paper):
    assert paper.source in references()


@pytest.mark.parametrize("chapter", [c for _, c in CHAPTERS], ids=[f"{n}-{c.title[:20]}" for n, c in CHAPTERS])
def test_a_chapter_names_each_group_once(chapter):
    assert chapter.groups
    assert len(set(chapter.groups)) == len(chapter.groups)


def test_claims_are_found_one_by_one():
    chapter = PAPERS["sicm"].chapters[0]
    first = list(islice(chapter.claims(), 2))
    own = list(islice((c for group in chapter.groups for c in group()), 2))
    assert [replace(c, name="", kind=o.kind, functions=()) for c, o in zip(first, own, strict=True)] == own
    assert [c.name for c in first] == [f"{named(chapter.groups[0])}.{i}" for i in (1, 2)]
    assert {(c.kind, c.functions) for c in first} == {(chapter.kind, public_functions(chapter.groups[0]))}


@pytest.mark.parametrize("paper", PAPERS.values(), ids=PAPERS)
def test_claims_can_be_asked_for_by_name(paper):
    names = [named(group) for chapter in paper.chapters for group in chapter.groups]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(
    ("asked", "where", "is_it"),
    [
        ("(57)", "(57)", True),
        ("57", "(52) to (57)", True),
        ("3.7", "3.7", True),
        ("(3.1)", "(3.1a) to (3.1c)", True),
        ("Prop. 2.8", "Proposition 2.8", True),
        ("Section 4", "section 4", True),
        ("(1.185)", "after (1.185)", True),
        ("(5)", "(57)", False),
        ("(3.1)", "(3.10a)", False),
        ("Lemma 3", "(3)", False),
    ],
)
def test_a_place_is_known_by_what_a_person_writes(asked, where, is_it):
    assert speaks_of(where, asked) == is_it


def test_claims_can_be_asked_for_by_their_place(capsys):
    worked = PAPERS["appell-hamel"].work_through(None, Wanted(only=("(41)", "45")))
    assert {claim.where for claim in worked.claims} >= {"(45)"}
    assert all(speaks_of(claim.where, "(41)") or speaks_of(claim.where, "(45)") for claim in worked.claims)
    told = " ".join(capsys.readouterr().out.split())
    assert all(claim.sentence in told and f"{claim.word} {MEANINGS[claim.word]}" in told for claim in worked.claims)
    with pytest.raises(DalembertError, match=r"no claim \'\(999\)\'"):
        PAPERS["appell-hamel"].work_through(None, Wanted(only=("(999)",)))


def test_no_paper_imports_another():
    """What two papers share has a file of its own."""
    import ast

    from dalembert_papers.shelf import ROOM

    modules = {entry.module for entry in papers().values()}
    for module in modules:
        for file in (ROOM / module).rglob("*.py"):
            up = len(file.relative_to(ROOM).parts)  # dots that lead to this room
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ImportFrom) and node.level == up:
                    assert (node.module or "").partition(".")[0] not in modules, f"{file}:{node.lineno}"
