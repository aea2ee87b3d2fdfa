"""The command line, used as a person would."""

import json
import sys
from dataclasses import replace
from importlib import reload
from pathlib import Path

import pytest
from click.testing import CliRunner

from dalembert.apps.cli import main
from dalembert_papers.claim import Claim, Kind, at_hand, misprint, small
from dalembert_papers.lewis_murray import families, figures
from dalembert_papers.listing import by_equation
from dalembert_papers.reproduction import Chapter, Paper, Wanted
from dalembert_papers.shelf import papers

PAPERS = papers()


def test_help_names_the_papers():
    result = CliRunner().invoke(main, ["reproduce", "--help"])
    assert result.exit_code == 0
    for paper, entry in PAPERS.items():
        assert f"{paper}: {entry.summary.split()[0]}" in result.output
    assert max(map(len, result.output.splitlines())) <= 80


def test_unknown_paper_is_refused_with_the_known_ones():
    result = CliRunner().invoke(main, ["reproduce", "lewis-muray"])
    assert result.exit_code == 2
    assert "lewis-murray" in result.output


def test_figures_are_drawn_as_svg_and_png(tmp_path: Path):
    drawn = [file.name for files in figures.draw(tmp_path) for file in files]
    numbers = ("05", "08", "09", "10", "11", "12", "13")
    assert sorted(drawn) == sorted(f"figure-{n}.{kind}" for n in numbers for kind in ("png", "svg"))
    assert all((tmp_path / name).stat().st_size > 10_000 for name in drawn)


@pytest.mark.parametrize("name", families.FAMILIES)
def test_vakonomic_families_stop_at_the_edge(name):
    _, varied, values = families.FAMILIES[name]
    for path in families.family(False, varied, (values[0], values[-1])):
        assert path.ok
        assert path.outcome.startswith("stopped by edge")
        assert path["x"][-1] ** 2 + path["y"][-1] ** 2 == pytest.approx(15.0**2, rel=1e-12)


WRONG = Claim("(0)", "1 = 2", True, "1 != 2", False)


def test_a_claim_that_does_not_come_out_gives_exit_code_1(monkeypatch):
    import dalembert_papers.lewis_murray as app

    monkeypatch.setattr(app, "PAPER", replace(app.PAPER, chapters=[Chapter("tampered", [lambda: [WRONG]])]))
    result = CliRunner().invoke(main, ["reproduce", "lewis-murray", "--no-figures"])
    assert result.exit_code == 1
    assert "UNEXPECTED" in result.output
    assert "0 of 1 claims" in result.output


def paper(*chapters, figures=()):
    """A reproduction made of chapters only."""
    return Paper("Author [2000], title", "key2000", "a line", chapters, figures=figures)


def test_chapters_are_printed_in_order_and_what_belongs_below_them(capsys):
    right, printed = Claim("(1)", "x [1] = x", True, "residual 0", True), []
    first = Chapter("first", [lambda: [right]], after=lambda console: printed.append("below"))
    chapters = first, Chapter("second", [lambda: [right]])
    assert paper(*chapters).reproduce(None) == 0
    text = capsys.readouterr().out
    assert printed == ["below"]
    assert text.index("Author [2000]") < text.index("first: 1 of 1") < text.index("second: 1 of 1")
    assert "x [1] = x" in text
    assert "2 of 2 claims" in text


def test_a_chapter_that_is_not_listed_still_counts(capsys):
    assert paper(Chapter("silent", [lambda: [WRONG]], listed=False)).reproduce(None) == 1
    text = capsys.readouterr().out
    assert "silent" not in text
    assert "0 of 1 claims" in text


def test_a_misprint_that_suddenly_holds_is_wrong():
    assert paper(Chapter("", [lambda: [Claim("(1)", "as printed", False, "residual 0", True)]])).reproduce(None) == 1


@pytest.mark.parametrize("width", [40, 60, 79, 80, 81, 100, 200])
def test_a_line_of_an_equation_stays_within_the_terminal(width):
    claims = [
        replace(WRONG, where=where, statement="so " * words, laws=laws)
        for where, words in (("(1)", 1), ("section 3, curvature of the splitting", 40))
        for laws in (("splitting-horizontal-part",), ())
    ]
    lines = [line for line, _ in by_equation(claims, width)]
    assert max(map(len, lines)) <= max(width, 2 + width // 5 + 1 + 12 + 1 + 24 + 1 + 6)


def test_a_part_of_a_paper_is_worked_through(capsys):
    worked = []

    def one():
        worked.append("one")
        yield misprint(small("(1)", "x", 1.0, 1e-9), small("(1)", "y", 0.0, 1e-9), at_hand("a dot"))
        yield small("(1)", "w", 0.0, 1e-9, kind=Kind.NEW)

    def two():
        worked.append("two")
        yield Claim("(2)", "z", True, "3.2e-16", True, residual=3.2e-16, bound=1e-9)
        yield Claim("(2)", "not z", False, "1", False)

    whole = paper(Chapter("The first", [one]), Chapter("Others", [two]))
    place = one.__module__.rpartition(".")[2]
    kinds = {c.name: c.kind for c in whole.work_through(None).claims}
    assert kinds == {
        f"{place}.one.1": "misprint",
        f"{place}.one.2": "new",
        f"{place}.two.1": "confirmed",
        f"{place}.two.2": "confirmed",
    }
    text = capsys.readouterr().out
    assert "4 of 4 claims hold: 2 confirmed; 1 misprint; 1 new." in text
    assert "text at hand" in text
    assert "fails" not in text  # no word of failure for what is as it should be
    assert all(line == line.rstrip() for line in text.splitlines())
    assert max(map(len, text.splitlines())) <= 80
    worked.clear()
    assert [c.name for c in whole.work_through(None, Wanted(["first"])).claims] == [f"{place}.one.1", f"{place}.one.2"]
    assert [c.name for c in whole.work_through(None, Wanted(["2"], ["*.two.1"])).claims] == [f"{place}.two.1"]
    assert worked == ["one", "two"]
    with pytest.raises(ValueError, match="E307 there is no chapter '3'"):
        whole.work_through(None, Wanted(["3"]))
    with pytest.raises(ValueError, match="E307 there is no claim 'three'"):
        whole.work_through(None, Wanted([], ["three"]))


def test_claims_are_told_to_programs_and_what_is_not_there_is_refused():
    said = CliRunner().invoke(main, ["reproduce", "sicm", "--json", "--no-figures", "--only", "any_system.forms"])
    assert said.exit_code == 0, said.output
    told = json.loads(said.output)["claims"]
    assert [c["id"] for c in told] == [f"any_system.forms.{i}" for i in range(1, 9)]
    assert {"equation", "statement", "kind", "residual", "bound", "functions", "mutations"} <= told[0].keys()
    assert (told[0]["kind"], told[0]["equation"]) == ("new", "(1.235)")
    assert told[0]["residual"] <= told[0]["bound"]
    refused = CliRunner().invoke(main, ["reproduce", "sicm", "--chapter", "nine"])
    assert refused.exit_code == 2
    assert "there is no chapter 'nine'" in refused.output


def test_a_folder_that_cannot_be_written_is_refused_before_any_claim_is_checked(tmp_path: Path, monkeypatch):
    import dalembert_papers.appell_hamel as app

    (tmp_path / "file").write_text("")
    tampered = Chapter("", [lambda: pytest.fail("worked before it looked")])
    monkeypatch.setattr(app, "PAPER", replace(app.PAPER, chapters=[tampered]))
    result = CliRunner().invoke(main, ["reproduce", "appell-hamel", "--out", str(tmp_path / "file" / "figures")])
    assert result.exit_code == 2


def test_without_figures_no_folder_is_made(tmp_path: Path):
    folder = tmp_path / "figures"
    assert paper(Chapter("", [])).reproduce(folder) == 0
    assert not folder.exists()


def test_without_the_papers_it_is_said_what_to_install(monkeypatch):
    from dalembert.apps.commands import reproduce

    try:
        with monkeypatch.context() as alone:
            alone.setitem(sys.modules, "dalembert_papers", None)
            reload(reproduce)
        assert reproduce.papers().keys() == PAPERS.keys()
        for words in ([], ["lewis-murray"]):
            refused = CliRunner().invoke(main, ["reproduce", *words])
            assert refused.exit_code == 2
            assert "E801" in refused.output
            assert "pip install ./src/dalembert_papers" in refused.output
        assert "none; in a copy of the repository" in CliRunner().invoke(main, ["reproduce", "--help"]).output
    finally:
        reload(reproduce)
    assert CliRunner().invoke(main, ["reproduce"]).exit_code == 2
