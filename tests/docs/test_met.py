"""What was met: each row of the page leads to something on it, and what its listings claim is true."""

import re
import sys
import warnings
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
sys.path.insert(0, str(DOCS))

from extensions.listings import Page  # noqa: E402

PAGE = (DOCS / "explanation" / "met.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (.+)\n((?:(?!## ).*\n)*)", PAGE, re.M))
ROWS = re.findall(r"^\| (?!what was met|---|who|student|engineer|teacher)(.+) \| (.+) \|$", PAGE, re.M)
OWN = {"Printing", "Steering", "Geometry", "Walls and friction"}  # they take no names of the sections before
FIRST = 'import numpy as np\nimport dalembert as da\nq2 = da.coordinates("x y")\n'
BLOCK = re.compile(r"^```\{(run|file|shell)\}(?: (\S+))?\n(?::.*\n)*((?:(?!```).*\n)*)```", re.M)
NUMBER = r"[-+\d.e]+"

# the words that begin a row, and what is seen of it in its section
SEEN = {
    "a row of a path did not start a run": [r"^True$"],
    "one multiplier had three names": [r"^\{'lam_blade': (0\.\d{13})\d*\} \1\d*$"],
    "vakonomic motions were second class": [
        r"^steady motion: .*\n.* lam_c = 1$",
        r"^lam_c\*y \+ vx: constant",
        r"^vx: not constant",
    ],
    "`da.limit` took no Taylor series": [r"positions and momenta of the limit motion", r"^ +400 .* yes +\d+ +ok$"],
    "`Limit.order` counted strengths": [
        r"^ +strength .* in fit",
        r"order 1\.0\d+ over strengths\s+100 to 400 \(3 of 3\)",
    ],
    "a period over fewer crossings": [r"^6\.28318\d+\nE548 x = 0 is crossed 3 times .*too few for 8 periods\n  do: "],
    '`I="2/5*m*r^2"` was understood': [r"^\{'J': a\*\*2\*m/2\}$", r"'m': 3\}"],
    "with a derived parameter the axes": [
        r"over vx_start \(2\) x m \(2\) x a \(2\)$",
        r"^ +vx_start +m +a +x +lam_blade$",
        rf"^ +0\.3 +2 +0\.3 +{NUMBER} +{NUMBER}$",
    ],
    "members that an event stopped": [r"\A8 members: 4 reached the end, 4 stopped by an event$", r"^ +1 +2 .* event$"],
    "a refused sweep left its folder": [r"^E229 False\n.*'m': 3\}"],
    "a sweep could not be drawn": [
        r"^ends.svg: .*\$m\$ \(kg\), .*\$x\$ \(m\) at the end, ",
        r"^path.svg: .*theta\$.*lambda_\{\\mathrm\{blade\}\}",
    ],
    "lengths in cm beside bare numbers": [r'W210 r = 1.27 has no unit .* beside x = "10 cm"', r"but for 1 doubt"],
    "`new --from ball_on_turntable`": [
        r'^ball\.toml: x = "m"$',
        r"^ball\.toml: r = \{value = 0\.0127,",
        r"^ball\.toml: start = \{x = 0\.1,",
    ],
    "`run` printed half a quaternion": [
        r"^  R turned +0 -> 129\.961 deg$",
        r"^  energy +0\.00245875 -> ",
        r"bowl, that turns about the vertical \[fasso2016\]$",
    ],
    "a bare `TypeError`": [r"^E101 gauge_momenta needs a Reduction, not System\n  do: "],
    '`headings="R"` could not': [r"^E122 .* constraint a(.*\n)+  do: .*headings=\"R\""],
    "`da.plan(columns=...)`": [r"^E559 columns "],
    "`print(equations)` searched": [r"^True$", r"p1 - p3 = const$"],
    "LaTeX took": [r"\\omega_L", r"\\lambda_\{\\mathrm\{roll\},x\}"],
    "nothing could be steered": [r"\A(True\n){4}\[\[0\.\]\n \[1\.\]\]$"],
    "a space from its anchor": [r"^Space\(.* a b c d e\)\nSpace\(.* w1 w2 w3\)$", r"^True$"],
    "`noether` of a cosine series": [r"series: changes L"],
    "a reduced bicycle": [r"^E232 the constraint rear_contact does not hold"],
    "three walls met in a corner": [rf"^\{{\({NUMBER}, {NUMBER}, {NUMBER}\)\}}$"],  # one motion, whatever the order
    "`da.impacts.loss` on a sphere": [r"^[123]?\d{1,3}$"],
    "impulses of walls that bounce": [r"^\{'floor': \{'normal': array\(\[6\.64\d+, 3\.32\d+\]\)\}\}$"],
    "a path that friction had stopped": [r"^True W310 the run ends at t = 0\.170068 of 10"],
    "curvature of one's own connection": [r"^\{\(0, 1\): \(0, 0, -1\)\}$", r"there is one around almost every point"],
    "`distributions(...).at(start)`": [r"^True$"],
}


def anchor(title):
    return title.lower().replace(" ", "-")


def answered(page, title):
    """What the listings of a section print, commands included."""
    printed = ""
    for kind, name, body in BLOCK.findall(SECTIONS[title]):
        if kind == "file":
            (Path(page.folder.name) / name).write_text(body, encoding="utf-8")
        elif kind == "run":
            printed += page.run(body)[0]
        else:
            with warnings.catch_warnings():
                warnings.simplefilter("default")  # as a user has them
                printed += "".join(page.command(line)[1] for line in body.splitlines() if line)
    return printed + written(page)


def written(page):
    """What stands in the files that a reader would open: the words of figures, the file itself."""
    said, folder = "", Path(page.folder.name)
    for picture in sorted(folder.glob("*.svg")):
        words = re.findall(r"<!-- (.+?) -->", picture.read_text(encoding="utf-8"))
        said += f"{picture.name}: {', '.join(words)}\n"
    for study in folder.glob("ball.toml"):
        said += "".join(f"ball.toml: {line}\n" for line in study.read_text(encoding="utf-8").splitlines())
    return said


def hold(title, printed):
    assert "False\n" not in printed.replace("E229 False\n", ""), printed
    for row, shown in ROWS:
        if f"(#{anchor(title)})" in shown:
            for pattern in next(SEEN[words] for words in SEEN if row.startswith(words)):
                assert re.search(pattern, printed, re.M), f"{row}\n{pattern}\n{printed}"


def test_every_row_leads_to_a_section_a_page_or_words():
    assert len(ROWS) >= 31
    known = {anchor(title) for title in SECTIONS}
    for row, shown in ROWS:
        anchors = re.findall(r"\(#([\w-]+)\)", shown)
        assert {*anchors} <= known, row
        assert sum(row.startswith(words) for words in SEEN) == bool(anchors), row
        for page in re.findall(r"\{doc\}`([^`]+)`", shown):
            assert (DOCS / "explanation" / f"{page}.md").resolve().exists(), row


def test_what_the_sections_before_claim_is_true():
    page = Page("met")
    with page.folder:
        for title, text in SECTIONS.items():
            if title not in OWN and BLOCK.search(text):
                hold(title, answered(page, title))


@pytest.mark.parametrize("title", sorted(OWN))
def test_what_a_section_claims_is_true(title):
    page = Page("met")
    with page.folder:
        page.run(FIRST)
        printed = answered(page, title)
    hold(title, printed)
    if title == "Printing":
        assert "..." not in printed
