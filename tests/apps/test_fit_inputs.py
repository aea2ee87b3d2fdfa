"""``dalembert fit`` of files with ``[inputs]``: numbers, formulas with unknown gains and tables drive fits as runs."""

import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.linalg import expm

import dalembert as da
from dalembert.apps.cli import main
from dalembert.apps.process import CONFINED
from dalembert.study import read_source, write_source

FILE = """schema = 1
title = "Cart"
[space]
coordinates = { x = "line" }
[units]
x = "m"
[parameters]
m = "2 kg"
k = "3 N/m"
c = "1 N s/m"
[inputs]
F = { file = "push.csv", column = "F", time = "when", kind = "linear" }
G = "-k*x - c*dot(x)"
H = "?"
[lagrangian]
L = "m/2*dot(x)^2"
[forces]
"dot(x)" = "F + G + H"
[[run]]
name = "pushed"
principle = "free"
start = { x = 1, "dot(x)" = 0.1 }
until = 3
inputs = { H = "0.4 N" }
"""
FIT = """[[fit]]
name = "gains"
principles = "free"
free = ["m", "k", "c", "dot(x)"]
start = { x = 1, "dot(x)" = 0.1 }
uncertainty = { x = 1e-6 }
rtol = 1e-11
inputs = { H = "0.4 N" }
"""
TRUTH = {"m": 2.2, "k": 3.5, "c": 0.8, "vx": 0.3}
T = np.linspace(0, 3, 61)


@pytest.fixture(autouse=True)
def here(monkeypatch, tmp_path):
    """The force that was measured, in ms and mN, and the way of the cart under it."""
    monkeypatch.setenv(CONFINED, str(tmp_path / "phase"))
    monkeypatch.chdir(tmp_path)
    table("push.csv", "when [ms],F [mN]", 1e3 * T, 1e3 * np.sin(3 * T))
    table("track.csv", "t [s],x [m]", T, way())


def way():
    """x(t) of  m x'' = F - k x - c x' + H  with F joined by lines: exact, by exponentials of  (x, x', F, F', 1)."""
    m, k, c = (TRUTH[name] for name in "mkc")
    push, step = np.sin(3 * T), T[1] - T[0]
    A = np.zeros((5, 5))
    A[0, 1] = A[2, 3] = 1
    A[1] = np.array([-k, -c, 1, 0, 0.4]) / m
    over, x, found = expm(step * A), np.array([1, TRUTH["vx"]]), [1.0]
    for now, then in itertools.pairwise(push):
        x = (over @ [*x, now, (then - now) / step, 1])[:2]
        found.append(x[0])
    return np.array(found)


def table(name, heading, *columns):
    np.savetxt(name, np.column_stack(columns), delimiter=",", header=heading, comments="")


def call(*words):
    return CliRunner().invoke(main, [*words, "--json"])


def fitted(*words):
    reply = call("fit", "cart.toml", "track.csv", *words)
    assert reply.exit_code == 0, reply.output
    return json.loads(reply.stdout)["fits"][0]["values"]


def written(text):
    Path("cart.toml").write_text(text)


def test_a_fit_finds_the_gains_under_the_force_of_the_file():
    written(FILE + FIT)
    values = fitted()
    for name, value in TRUTH.items():
        assert values[name] == pytest.approx(value, rel=1e-5), name


def test_a_fit_made_of_a_run_has_its_inputs():
    written(FILE)
    values = fitted("--free", "m k c vx", "--uncertainty", "x=1e-6")
    assert values["k"] == pytest.approx(TRUTH["k"], rel=1e-5)


@pytest.mark.filterwarnings("default::dalembert.DalembertWarning")
def test_the_command_line_goes_over_the_file():
    written((FILE + FIT).replace("0.4 N", "2 N"))
    assert fitted()["k"] != pytest.approx(TRUTH["k"], rel=1e-2)
    assert fitted("H=0.4")["k"] == pytest.approx(TRUTH["k"], rel=1e-5)


def test_an_input_without_a_value_is_refused_where_it_stands():
    written((FILE + FIT).replace('inputs = { H = "0.4 N" }', ""))
    reply = call("fit", "cart.toml", "track.csv")
    assert reply.exit_code == 1
    error = json.loads(reply.stdout)["problems"][0]
    assert (error["code"], error["where"]["line"]) == ("E180", 14)


def test_a_file_with_such_a_fit_is_written_and_read_again():
    study = read_source(FILE + FIT)
    again = read_source(write_source(study))
    assert again.fits == study.fits
    assert again.fits[0].question.runs.inputs == {**study.inputs, "H": "0.4 N"}


def test_an_input_is_no_unknown():
    """H is given; what is unknown of it is a parameter: that remedy finds H = 0.4 N."""
    written((FILE + FIT).replace('free = ["m"', 'free = ["H", "m"'))
    (problem,) = json.loads(call("fit", "cart.toml", "track.csv").stdout)["problems"]
    assert problem["code"] == "E202" and "H is an input" in problem["fact"]
    assert 'free = ["H_0"]' in problem["remedy"] and 'H = "H_0"' in problem["remedy"]
    gain = FILE.replace('c = "1 N s/m"', 'c = "1 N s/m"\nH_0 = "1 N"')
    known = "parameters = { m = 2.2, k = 3.5, c = 0.8 }"
    found = FIT.replace('inputs = { H = "0.4 N" }', f'inputs = {{ H = "H_0" }}\n{known}')
    written(gain + found.replace('"m", "k", "c", "dot(x)"', '"H_0", "dot(x)"'))
    assert fitted()["H_0"] == pytest.approx(0.4, rel=1e-4)


def test_an_input_is_no_unknown_in_scripts():
    study, record = read_source(FILE), da.recorded("track.csv")
    guess = {
        "start": {"x": 1, "vx": 0.1},
        "free": ["H"],
        "uncertainty": {"x": 1e-6},
        "inputs": {"H": 0.4, "F": 0, "G": 0},
    }
    for ask in (
        lambda: da.fit(da.free(study.system), record, **guess),
        lambda: da.rank({"a": da.free(study.system), "b": da.free(study.system)}, record, **guess),
    ):
        with pytest.raises(da.DalembertError, match="E202 free: H is an input"):
            ask()
