"""What one meets first is short and true: the README's script, file, commands, numbers and links, and the recipes."""

import re
import sys
from pathlib import Path

import numpy as np
import pytest
import sympy as sp
from click.testing import CliRunner

import dalembert as da
from dalembert.apps.cli import main

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))  # the benchmarks are no part of the package

from benchmarks.jobs import JOBS  # noqa: E402

README = (ROOT / "README.md").read_text(encoding="utf-8")
GUIDE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(("file", "most"), [("README.md", 9000), ("CHANGELOG.md", 6000)])
def test_what_one_meets_first_is_short(file, most):
    assert len((ROOT / file).read_bytes()) <= most


@pytest.fixture(scope="module")
def script():
    (code,) = re.findall(r"```python\n(.*?)```", README, re.S)
    names: dict = {}
    exec(compile(code, "README.md", "exec"), names)
    return names


def test_the_script_runs_and_is_right(script):
    path = script["path"]
    assert path.ok
    # the skate with its mass ahead of the blade: v' = a w^2, w' = -(m a/(J + m a^2)) v w in the blade's frame
    p = {"m": 1.0, "J": 0.5, "a": 0.3}
    v = path["vx"] * np.cos(path["theta"]) + path["vy"] * np.sin(path["theta"])
    w = path["vtheta"]
    invariant = p["m"] * v**2 + (p["J"] + p["m"] * p["a"] ** 2) * w**2
    assert invariant == pytest.approx(invariant[0], rel=1e-11)
    assert path.at(5.0)["vtheta"] < path.at(0.0)["vtheta"]


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
        assert (ROOT / file).stat().st_size > 10_000


def test_the_file_is_the_same_sleigh_and_its_command_says_what_is_told(script, tmp_path, monkeypatch):
    name, text = re.search(r"`(\w+\.toml)`:\n\n```toml\n(.*?)```", README, re.S).groups()
    monkeypatch.chdir(tmp_path)
    Path(name).write_text(text, encoding="utf-8")
    same, sleigh = da.read(name).system, script["sleigh"]
    assert same.values() == sleigh.values()
    for state in np.random.default_rng(1).normal(size=(5, 6)):
        given = {**sleigh.values(), **dict(zip((s.name for s in sleigh.space), state, strict=True))}
        there, here = (
            [float(f.subs({s: given[s.name] for s in f.free_symbols})) for f in (s.lagrangian, s.constraints[0].given)]
            for s in (same, sleigh)
        )
        assert there == pytest.approx(here, rel=1e-13)
    (line,) = re.findall(rf"^\.venv/bin/dalembert (.* {name})$", README, re.M)
    done = CliRunner().invoke(main, line.split(), catch_exceptions=False)
    told = re.search(r"It ends: \*(.*?)\*\.", README, re.S).group(1)
    assert " ".join(told.split()) in " ".join(done.output.split())


def test_numbers_of_speed_stand_in_the_table_of_benchmarks_under_a_line_that_is_there():
    measured = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8").splitlines()
    rows = re.findall(
        r"^\| .* \| ([\d.]+ [\w/]+) \| (?:([\d.]+ [\w/]+), .*|no rival) \| `(\w+)/(\w+)` \|$", README, re.M
    )
    assert len(rows) == 5
    lines = {(job.name, contest.key): contest.against for job in JOBS for contest in job.contests}
    for ours, theirs, job, key in rows:
        named = [line for line in measured if line.strip().startswith(lines[job, key].strip())]
        assert any(ours in line and theirs in line for line in named), (job, key)


@pytest.mark.parametrize("text", [README, GUIDE], ids=["README", "CONTRIBUTING"])
def test_links_and_places_lead_somewhere(text):
    named = re.findall(r"\]\((?!https?:)([^)#]+)\)", text)
    named += [place for place in re.findall(r"`([\w./]+/[\w./]*)`", text) if place[0] not in "./"]
    assert named
    for place in named:
        if place != "docs/_build/index.html" and place not in {f"{j.name}/{c.key}" for j in JOBS for c in j.contests}:
            assert (ROOT / place).exists() or (ROOT / "src" / "dalembert" / place).exists(), place


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
