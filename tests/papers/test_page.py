"""A paper as one page: both formulas of an erratum, every claim, nothing that acts."""

import re
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

from click.testing import CliRunner

from dalembert.apps.cli import main
from dalembert_papers.claim import Kind, at_hand, identity, misprint
from dalembert_papers.page import paged
from dalembert_papers.reproduction import Chapter, Paper, Worked

HOSTILE = '<script>alert("x")</script> \x1b[31m \u202e'


def wrong_then_right():
    slip = at_hand(f"a lost dot {HOSTILE}", r"x = \frac{a}{b}", r"x = \frac{a}{2b}")
    yield misprint(identity("(1)", "x is a/b", 3), identity("(1)", f"x is half of it {HOSTILE}", 0), slip)
    yield replace(identity("(2)", "0 is 1", 1), name="left")


PAPER = Paper(f"A paper {HOSTILE}", "lewis1995", "kg & m", [Chapter("A < B", [wrong_then_right], kind=Kind.NEW)])


class _Elements(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))


def elements(page):
    parser = _Elements()
    parser.feed(page)
    return parser.found


def made(tmp_path: Path) -> str:
    picture = tmp_path / "one_figure.png"
    picture.write_bytes(b"\x89PNG\r\n\x1a\nnot shown")
    (chapter,) = PAPER.chapters
    return paged(PAPER, Worked([(chapter, list(chapter.claims()))], [[tmp_path / "one_figure.svgz", picture]]))


def test_printed_and_repaired_formulas_stand_beside_each_other(tmp_path):
    page = made(tmp_path)
    sides = re.search(r'<div class="sides">(.*?)<p class="small">a lost dot', page, re.DOTALL).group(1)
    printed, instead = sides.split("instead")
    assert printed.count("<math") == instead.count("<math") == 1
    assert "does not hold" in printed and "residual 3" in printed
    assert "does not hold" not in instead and "holds" in instead
    assert "(1): text at hand" in page


def test_every_claim_is_told_and_what_is_not_right_cannot_be_missed(tmp_path):
    page = made(tmp_path)
    assert "1 of 2 claims hold: 1 misprint, 1 new." in page
    assert "<strong>UNEXPECTED</strong>" in page
    assert re.findall(r'<img src="data:image/png;base64,[^"]+" alt="one figure"', page)


def test_nothing_of_a_paper_acts_in_the_page(tmp_path):
    page = made(tmp_path)
    there = elements(page)
    assert not {tag for tag, _ in there} & {"script", "iframe", "object", "embed", "link", "base", "form"}
    for _, attributes in there:
        assert not [name for name in attributes if name.startswith("on")]
        assert all(v.startswith(("#", "data:image/")) for k, v in attributes.items() if k in ("href", "src"))
    assert "default-src 'none'" in unescape(page)
    assert not set(page) & {"\x1b", "\u202e"}


def test_the_command_writes_a_page_and_replaces_nothing_of_others(tmp_path):
    place = tmp_path / "page.html"
    arguments = ["reproduce", "appell-hamel", "--no-figures", "--chapter", "3", "--html", str(place)]
    assert CliRunner().invoke(main, arguments).exit_code == 0
    assert place.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert CliRunner().invoke(main, arguments).exit_code == 0  # its own page
    place.write_text("mine")
    assert CliRunner().invoke(main, arguments).exit_code == 2
    assert place.read_text() == "mine"
    place.unlink()
    place.mkdir()
    assert CliRunner().invoke(main, arguments).exit_code == 2
    assert place.is_dir()
