"""Entries without a start begin as the first run does, and say so."""

import pytest
from click.testing import CliRunner

import dalembert as da
from dalembert.apps import runs
from dalembert.apps.cli import main
from dalembert.apps.process import CONFINED
from dalembert.study import read_source, write_source

FILE = """schema = 1
[space]
coordinates = { x = "line", y = "line", z = "line" }
[parameters]
m = 2
k = 1
w = 1
h = 1
[lagrangian]
L = "m/2*(dot(x)^2 + dot(y)^2 + dot(z)^2) - k*(2 + sin(w*t))*x^2"
[[constraint]]
name = "tie"
phi = "dot(z) - y*dot(x)/h"
[[run]]
name = "slow"
principle = "vakonomic"
t = 0.5
until = 1
start = { x = 0.1, y = 1, z = 0, "dot(x)" = 0.5, "dot(y)" = 0, lam1 = 0.3 }
[[run]]
name = "fast"
principle = "nonholonomic"
until = 1
start = { x = 0, y = 1, z = 0, "dot(x)" = 5, "dot(y)" = 0 }
"""
SWEEP = '[[sweep]]\nname = "all"\nprinciple = "nonholonomic"\nuntil = 1\nparameters = { m = [1, 2] }\n'
COMPARE = '[[compare]]\nname = "both"\nprinciples = ["nonholonomic", "vakonomic"]\nuntil = 1\n'
FIT = '[[fit]]\nname = "mass"\nprinciples = ["nonholonomic"]\nfree = ["m"]\n'
WHOLE = 'start = { x = 0.1, y = 1, z = 0, "dot(x)" = 0.5, "dot(y)" = 0 }\n'


@pytest.fixture
def called(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(CONFINED, str(tmp_path / "phase"))

    def call(*words):
        found = CliRunner().invoke(main, list(words))
        return found.exit_code, found.output

    return call


def test_an_entry_without_a_start_is_one_with_that_of_the_first_run():
    lent = read_source(FILE + SWEEP + COMPARE + FIT, "f.toml")
    given = read_source(
        FILE + SWEEP + "t = 0.5\n" + WHOLE + COMPARE + "t = 0.5\n" + WHOLE.replace("}", ", lam1 = 0.3 }") + FIT + WHOLE,
        "f.toml",
    )
    assert (lent.sweeps, lent.compares, lent.fits) == (given.sweeps, given.compares, given.fits)
    assert [spec.start_of for spec in (*lent.sweeps, *lent.compares, *lent.fits)] == ["slow"] * 3
    assert [spec.start_of for spec in (*given.sweeps, *given.compares, *given.fits)] == [""] * 3


def test_the_motion_is_that_of_the_run():
    study = read_source(FILE + SWEEP, "f.toml")
    path = da.simulate(da.nonholonomic(study.system), {"x": 0.1, "y": 1, "z": 0, "vx": 0.5, "vy": 0, "t": 0.5}, until=1)
    assert abs(float(runs.sweep(study, study.sweeps[0]).x[1]) - path["x"][-1]) < 1e-8


def test_multipliers_alone_are_laid_over_it():
    more = SWEEP.replace("nonholonomic", "vakonomic") + "start = { lam_tie = [0, 1] }\n"
    spec = read_source(FILE + more, "f.toml").sweeps[0]
    assert spec.start["lam_tie"] == (0, 1) and spec.start["vx"] == 0.5 and spec.start_of == "slow"


def test_a_start_that_gives_something_is_the_entrys_own(called):
    spec = read_source(FILE + SWEEP + 'start = { "dot(x)" = [1, 2] }\n', "f.toml").sweeps[0]
    assert spec.start == {"vx": (1, 2)} and spec.t == 0.0 and spec.start_of == ""


def test_what_is_wrong_with_the_runs_start_is_said_once():
    with pytest.raises(da.DalembertError) as told:
        read_source(FILE.replace('"dot(x)" = 0.5', "yy = 1") + SWEEP + COMPARE, "f.toml")
    assert str(told.value).count("unknown name") == 1


def test_it_is_written_and_read_again():
    study = read_source(FILE + SWEEP + COMPARE, "f.toml")
    again = read_source(write_source(study), "f.toml")
    assert again.sweeps == study.sweeps and again.compares == study.compares


def test_commands_say_whose_start_it_is(called, tmp_path):
    (tmp_path / "f.toml").write_text(FILE + SWEEP + COMPARE + FIT)
    text = called("check", "f.toml")[1]
    for name in ("all", "both", "mass"):
        assert f"{name} has no start of its own: it begins as the run slow does" in text
    code, text = called("sweep", "f.toml")
    assert code == 0 and "\nstart        that of the run slow\n" in text
    code, text = called("compare", "f.toml")
    assert code == 0 and text.rstrip().endswith("start        that of the run slow")
    (tmp_path / "t.csv").write_text("t [s], x [m]\n" + "".join(f"{0.5 + k / 20}, {0.1 + k / 40}\n" for k in range(9)))
    for more in ((), ("--uncertainty", "x=1mm")):
        code, text = called("fit", "f.toml", "t.csv", *more)
        assert "note: mass has no start of its own: it begins as the run slow does" in text, text


def test_a_sweep_under_another_principle_says_where_multipliers_go(called, tmp_path):
    (tmp_path / "f.toml").write_text(FILE.replace(", lam1 = 0.3", "").replace("vakonomic", "free") + SWEEP)
    code, text = called("sweep", "f.toml", "--principle", "vakonomic")
    assert code == 1 and "add to the command line: lam_tie=0" in text
    assert called("sweep", "f.toml", "lam_tie=0", "--principle", "vakonomic")[0] == 0
