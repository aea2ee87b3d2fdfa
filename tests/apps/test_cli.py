"""The command line, used as a person would."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from dalembert.apps.cli import main
from dalembert.apps.lewis_murray import figures


def test_help_names_the_papers():
    result = CliRunner().invoke(main, ["reproduce", "--help"])
    assert result.exit_code == 0
    assert "lewis-murray" in result.output
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


@pytest.mark.parametrize("name", figures.FAMILIES)
def test_vakonomic_families_stop_at_the_edge(name):
    _, varied, values = figures.FAMILIES[name]
    for path in figures.family(False, varied, (values[0], values[-1])):
        assert path.ok
        assert path.outcome.startswith("stopped by edge")
        assert path["x"][-1] ** 2 + path["y"][-1] ** 2 == pytest.approx(15.0**2, rel=1e-12)


@pytest.mark.parametrize("arguments", [["--no-figures"], ["--out", "here/figures"]])
def test_reproduction_ends_with_a_verdict_and_exit_code_0(tmp_path: Path, monkeypatch, arguments):
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, ["reproduce", "lewis-murray", *arguments])
    assert result.exit_code == 0, result.output[-2000:]
    assert "136 of 136 claims are as the derivation says they should be" in result.output
    assert max(map(len, result.output.splitlines())) <= 80 or "drawn" in result.output
    assert len(list(tmp_path.rglob("*.svg"))) == (7 if "--out" in arguments else 0)


def test_a_claim_that_does_not_come_out_gives_exit_code_1(monkeypatch):
    import dalembert.apps.lewis_murray as app
    from dalembert.apps.claim import Claim

    monkeypatch.setattr(app, "_chapters", lambda: [("tampered", [Claim("(0)", "1 = 2", True, "1 != 2", False)])])
    result = CliRunner().invoke(main, ["reproduce", "lewis-murray", "--no-figures"])
    assert result.exit_code == 1
    assert "(should: yes)" in " ".join(result.output.split())
