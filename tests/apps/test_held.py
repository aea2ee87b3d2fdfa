"""Inputs that are numbers as parameters: families of a file follow one."""

import json
import warnings
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from dalembert.apps.cli import main
from dalembert.apps.process import CONFINED
from dalembert.apps.study_inputs import inputs_as_parameters
from dalembert.study import read_source

FILE = """schema = 1
title = "Pendulum held by a torque"
[space]
coordinates = { theta = "angle" }
[parameters]
m = "1 kg"
l = "1 m"
g = "9.81 m/s^2"
[inputs]
M = "0 N m"
[lagrangian]
L = "m/2*l^2*dot(theta)^2 + m*g*l*cos(theta)"
[forces]
"dot(theta)" = "M"
[[run]]
name = "still"
principle = "free"
start = { theta = 0.1, "dot(theta)" = 0 }
until = 2
[[run]]
name = "pushed"
principle = "free"
start = { theta = 0.1, "dot(theta)" = 0 }
inputs = { M = "300 N cm" }
until = 2
"""


def test_each_run_has_its_number_among_its_parameters():
    study = inputs_as_parameters(read_source(FILE))[0]
    assert study.system.inputs == ()
    assert [spec.parameters for spec in study.runs] == [{"M": "0 N m"}, {"M": "300 N cm"}]
    assert study.system.parameters["M"] == 0
    assert (
        inputs_as_parameters(read_source(FILE), {"M": "2 N m"})[0].system.parameters["M"] == 2
    )  # asked for beside the one start


def test_parameters_given_by_formulas_still_follow():
    """I = m l^2 has a unit of its own, and no place in the system but in its formula."""
    study = read_source(FILE.replace('g = "9.81 m/s^2"', 'g = "9.81 m/s^2"\nI = "m*l^2"').replace("m/2*l^2", "I/2"))
    steady = inputs_as_parameters(study)[0].system
    assert steady.defined == study.system.defined
    assert steady.values({"l": 3.0})["I"] == pytest.approx(9.0)


def test_a_family_follows_an_input(monkeypatch, tmp_path):
    """m g l sin(theta) = M."""
    monkeypatch.setenv(CONFINED, str(tmp_path / "phase"))
    monkeypatch.chdir(tmp_path)
    Path("pendulum.toml").write_text(FILE)
    reply = CliRunner().invoke(main, ["family", "pendulum.toml", "M=0:9 N m", "--csv", "rows.csv"])
    assert reply.exit_code == 0, reply.output
    heads, *rows = Path("rows.csv").read_text().splitlines()
    places = [heads.split(",").index(name) for name in ("M", "theta")]
    M, theta = np.array([[float(row.split(",")[i]) for i in places] for row in rows]).T
    assert M.max() == pytest.approx(9)
    assert 9.81 * np.sin(theta) == pytest.approx(M, abs=1e-8)
    Path("pendulum.toml").write_text(FILE.replace('"0 N m"', '"sin(t)"'))
    reply = CliRunner().invoke(main, ["family", "pendulum.toml", "M=0:9 N m", "--json"])
    assert json.loads(reply.stdout)["problems"][0]["code"] == "E307"


def answer(*words):
    reply = CliRunner().invoke(main, [*words, "--json"])
    return json.loads(reply.stdout)


def test_only_the_run_that_a_family_begins_as_needs_numbers(monkeypatch, tmp_path):
    """Of the others a page leaves out those in which an input changes with time, and says so."""
    monkeypatch.setenv(CONFINED, str(tmp_path / "phase"))
    monkeypatch.chdir(tmp_path)
    moved = FILE.replace('"300 N cm"', '"A*sin(t)"').replace("[inputs]", 'A = "1 N m"\n[inputs]')
    Path("pendulum.toml").write_text(moved)
    assert answer("family", "pendulum.toml", "M=0:9 N m")["ok"]
    told = answer("explore", "pendulum.toml", "--out", "p.html")
    assert told["notes"][-1] == "the start pushed is left out: M changes with time"
    Path("pendulum.toml").write_text(moved.replace('"0 N m"', '"cos(t)"'))
    for words in (["explore", "pendulum.toml", "--out", "q.html"], ["family", "pendulum.toml", "l=1:2"]):
        assert answer(*words)["problems"][0]["code"] == "E307"
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # A is of use in a formula that M = 1 replaces
            assert answer(*words, "M=1 N m")["ok"]
