"""The README does what it says: its script runs, and so does what its table tells to try."""

import re
from pathlib import Path

import numpy as np
import pytest
import sympy as sp
from click.testing import CliRunner

import dalembert as da
from dalembert.apps.cli import main

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def script():
    return _run(0)


def _run(number):
    code = re.findall(r"```python\n(.*?)```", README, re.S)[number]
    names: dict = {}
    exec(compile(code, "README.md", "exec"), names)
    return names


def test_the_first_script_runs_and_is_right(script, capsys):
    path = script["path"]
    assert path.ok
    # the skate with its mass ahead of the blade: v' = a w^2, w' = -(m a/(J + m a^2)) v w in the blade's frame
    p = {"m": 1.0, "J": 0.5, "a": 0.3}
    v = path["vx"] * np.cos(path["theta"]) + path["vy"] * np.sin(path["theta"])
    w = path["vtheta"]
    invariant = p["m"] * v**2 + (p["J"] + p["m"] * p["a"] ** 2) * w**2
    assert invariant == pytest.approx(invariant[0], rel=1e-11)
    assert path.at(5.0)["vtheta"] < path.at(0.0)["vtheta"]


def test_the_second_script_reduces_and_bounces(capsys):
    names = _run(1)
    shown = capsys.readouterr().out
    whole = da.simulate(da.nonholonomic(names["disc"]), names["start"], until=2.0)
    x = float(next(line for line in shown.splitlines() if re.fullmatch(r"-?[0-9.]+", line)))
    assert x == pytest.approx(whole.at(2.0)["x"], abs=1e-7)
    assert "Rolling disc, reduced by shift x" in shown
    assert "floor: 3 times" in shown


def test_the_third_script_counts_the_discs_that_fall(capsys):
    names = _run(2)
    shown = [int(n) for n in re.findall(r"\d+", capsys.readouterr().out)]
    ends, disc = names["ends"], names["disc"]
    assert shown == [int(n) for n in (ends.outcome == 1).sum("vpsi_start")]
    for i, spin in enumerate(names["rolling"]["vpsi"][:20]):
        start = disc.start(**{**names["rolling"], "vpsi": spin}, parameters={"C": 0.5})
        path = da.simulate(disc, start, until=5.0, events=[names["flat"]])
        assert path.outcome.startswith("stopped") == (ends.outcome.sel(C=0.5)[i] == 1)


def test_the_fourth_script_recovers_the_truth_and_rejects_what_is_wrong(capsys):
    names = _run(3)
    shown = capsys.readouterr().out
    fit = da.fit(names["ball"], names["track"], principle="nonholonomic", **names["given"])
    for name, true in {"vx": 0.0, "vy": 5.0, "Omega": names["truth"].system.values()["Omega"], "nu": 3.0}.items():
        assert abs(fit[name] - true) < 3 * fit.errors[name]
    assert fit.adequate
    assert "nonholonomic, air is the only candidate that remains" in " ".join(shown.split())


def test_what_the_table_tells_to_try(script):
    lines = re.findall(r"^\| `(.*?)` \|", README, re.M)
    tried = [line for line in lines if line.startswith(("da.", "path."))]
    assert len(tried) == 6
    names = {**script, "da": da, "sp": sp}
    results = [eval(line, names) for line in tried]
    assert results[0].ok
    assert results[1].t[-1] < 10
    assert results[1]["x"][-1] == pytest.approx(1.0, abs=1e-12)
    assert results[2].provenance["parameters"]["a"] == 0.1
    assert results[2].ok
    examined, coincident, compared = results[3:]
    assert (examined.verdict, examined.growth, examined.generating) == ("nonholonomic", (2, 3), True)
    moving, rest = coincident.branches
    assert (list(map(str, moving.conditions)), rest.at_rest) == (["vtheta"], True)
    assert not compared.agree
    assert 0 < compared.pairs[0].parts_at < 10


def test_the_figure_is_there():
    for file in re.findall(r"!\[.*?\]\((.*?)\)", README):
        assert (Path(__file__).parents[1] / file).stat().st_size > 10_000


def test_the_first_command_ends_with_the_page_that_it_names(tmp_path, monkeypatch):
    # what the line does after the installation, by the same words
    line = next(line for line in README.splitlines() if line.startswith("python3 -m venv") and "explore" in line)
    commands = [part.strip().removeprefix(".venv/bin/dalembert ").split() for part in line.split("&&")[2:]]
    assert [words[0] for words in commands] == ["new", "explore"]
    monkeypatch.chdir(tmp_path)
    for words in commands:
        assert CliRunner().invoke(main, words, catch_exceptions=False).exit_code == 0
    text = README.split("```sh")[0]
    page = re.search(r"writes `(\S+\.html)`", text).group(1)
    assert "window.dalembert" in (tmp_path / page).read_text(encoding="utf-8")
