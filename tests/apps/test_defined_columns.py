"""What a file defines is shown along a motion, stored with it and exported; inputs are columns too."""

import json
import warnings
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import dalembert as da
from dalembert.apps import runs
from dalembert.apps.cli import main
from dalembert.apps.process import CONFINED
from dalembert.study import read_source

FILE = """schema = 1
title = "Pulled"
[space]
coordinates = { x = "line", theta = "angle" }
[units]
x = "m"
[parameters]
m = "2 kg"
J = "3 kg m^2"
D = "35 cm"
half = "D/2"
[inputs]
F = "2 N"
[definitions]
tip = "x - D*cos(theta)"
middle = "tip + half*cos(theta)"
power = "F*dot(x)"
[lagrangian]
L = "m/2*dot(x)^2 + J/2*dot(theta)^2"
[forces]
"dot(x)" = "F"
[[run]]
name = "pull"
principle = "free"
start = { x = 0, theta = 0, "dot(x)" = "1 m/s", "dot(theta)" = "2 rad/s" }
until = 3
"""


@pytest.fixture(autouse=True)
def here(monkeypatch, tmp_path):
    monkeypatch.setenv(CONFINED, str(tmp_path / "phase"))
    monkeypatch.chdir(tmp_path)
    Path("pull.toml").write_text(FILE)


def call(*words, code=0):
    reply = CliRunner().invoke(main, list(words))
    assert reply.exit_code == code, reply.output
    return reply.stdout


def test_definitions_and_inputs_are_shown_stored_and_exported():
    shown = call("run", "pull.toml", "--columns", "tip middle power F", "D=0.5 m")
    # x = t + t^2/2, v = 1 + t, theta = 2 t
    assert f"{7.5 - 0.5 * np.cos(6):.6g} m" in shown
    assert f"{7.5 - 0.25 * np.cos(6):.6g} m" in shown  # half follows D
    assert "2 -> 8 kg*m**2/s**3" in shown
    (stored,) = Path("results/pull").glob("*.npz")
    path = da.load(stored)
    for t in (0.0, 1.234, 3.0):
        assert path.at(t)["tip"] == pytest.approx(t + t**2 / 2 - 0.5 * np.cos(2 * t), abs=1e-7)
    call("export", str(stored), "--csv")
    heads = stored.with_suffix(".csv").read_text().splitlines()[0].split(",")
    assert heads[-3:] == ["tip", "middle", "power"]


def test_a_run_that_was_interrupted_goes_on_with_them():
    call("run", "pull.toml", "--columns", "tip", "--until", "1")
    first = da.load("results/pull/pull.npz")
    call("run", "pull.toml", "--columns", "tip")
    whole = da.load("results/pull/pull.npz")
    study = read_source(FILE)
    on = runs.run(study, study.runs[0], before=runs.without_columns(study, first))
    again = runs.with_columns(study, on, ["tip"])
    assert again.names == whole.names
    assert again["tip"][-1] == pytest.approx(whole["tip"][-1], abs=1e-9)


def test_a_name_that_is_none_is_told_with_the_definitions():
    told = call("run", "pull.toml", "--columns", "tipp", "--json", code=2)
    problem = json.loads(told)["problems"][0]
    assert problem["code"] == "E317" and "tip" in problem["remedy"]


def test_places_are_no_potentials_and_energies_are():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read_source(FILE)
    with pytest.warns(da.DalembertWarning, match="W119 definition V is not used"):
        read_source(FILE.replace("[lagrangian]", 'V = "F*x"\n[lagrangian]'))
