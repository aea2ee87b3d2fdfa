"""What was met: each row of the page leads to something on it, and what its listings claim is true."""

import re
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
sys.path.insert(0, str(DOCS))

from extensions.listings import Page  # noqa: E402

PAGE = (DOCS / "explanation" / "met.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (.+)\n((?:(?!## ).*\n)*)", PAGE, re.M))
OWN = {"Printing", "Steering", "Geometry", "Walls and friction"}  # they take no names of the sections before
FIRST = 'import numpy as np\nimport dalembert as da\nq2 = da.coordinates("x y")\n'


def anchor(title):
    return title.lower().replace(" ", "-")


def listings(text):
    return re.findall(r"^```\{run\}\n(?::.*\n)*((?:(?!```).*\n)*)```", text, re.M)


def test_every_row_leads_to_a_section_a_page_or_words():
    rows = re.findall(r"^\| (?!what was met|---|who|student|engineer|teacher)(.+) \| (.+) \|$", PAGE, re.M)
    assert len(rows) >= 31
    known = {anchor(title) for title in SECTIONS}
    for row, shown in rows:
        assert {*re.findall(r"\(#([\w-]+)\)", shown)} <= known, row
        for page in re.findall(r"\{doc\}`([^`]+)`", shown):
            assert (DOCS / "explanation" / f"{page}.md").resolve().exists(), row


def test_each_section_is_one_that_is_run():
    assert SECTIONS.keys() >= OWN
    assert all(listings(SECTIONS[title]) for title in OWN)


@pytest.mark.parametrize("title", sorted(OWN))
def test_what_a_section_claims_is_true(title):
    page = Page("met")
    with page.folder:
        page.run(FIRST)
        printed = "".join(page.run(code)[0] for code in listings(SECTIONS[title]))
    assert "False" not in printed and printed.count("True") >= 1, printed
    if title == "Walls and friction":
        assert re.search(r"^\{\([^()]*\)\}$", printed, re.M), printed  # one motion, whatever the order
        assert int(re.search(r"^\d+$", printed, re.M).group()) < 216_935 / 50
    if title == "Geometry":
        assert "E232" in printed and "there is one around almost every point" in printed
    if title == "Printing":
        assert "p1 - p3 = const" in printed and "..." not in printed
        assert r"\omega_L" in printed and r"\lambda_{\mathrm{roll},x}" in printed
