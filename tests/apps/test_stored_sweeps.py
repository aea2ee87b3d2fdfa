"""Sweeps on the command line and their folders: each its own, none of another thing, none left by a refusal."""

import io
from importlib import import_module

import pytest
from click.testing import CliRunner

import dalembert as da
from dalembert.apps.cli import main
from dalembert.apps.process import CONFINED

commands_of_sweep = import_module("dalembert.apps.commands.sweep")
FILE = """schema = 1
[space]
coordinates = { x = "line" }
[parameters]
k = 1.0
[lagrangian]
L = "dot(x)^2/2 - k*x^2/2"
[[run]]
name = "one"
principle = "free"
until = 0.2
start = { x = 1.0, "dot(x)" = 0.0 }
"""


@pytest.fixture
def swept(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(CONFINED, str(tmp_path / "phase"))  # no process apart: what is asked is where things lie
    (tmp_path / "spring.toml").write_text(FILE)

    def run(*words):
        found = CliRunner().invoke(main, ["sweep", "spring.toml", *words])
        return found.exit_code, found.output

    return run


def test_sweeps_over_other_axes_have_other_folders(swept, tmp_path):
    for words in (["x=0:1:2"], ["x=0:1:3"], ["k=1,2"], ["x=0:1:2", "--until", "0.1"]):
        code, text = swept(*words)
        assert code == 0, text
    assert len(list((tmp_path / "results" / "spring").iterdir())) == 4
    assert "E530" in swept("x=0:1:2")[1]
    assert swept("x=0:1:2", "--resume")[0] == 0


def test_a_folder_of_something_else_is_refused_as_such(swept, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "results.zarr").write_text("dear")
    assert "E520" in swept("x=0:1:2", "--store", "mine")[1]
    assert "E520" in swept("x=0:1:2", "--store", "mine", "--resume")[1]
    assert (tmp_path / "mine" / "results.zarr").read_text() == "dear"
    assert not (tmp_path / "results").exists()


def test_what_is_suspect_is_said_why(swept, tmp_path):
    assert "suspect" not in swept("x=0:1:3", "--store", "s")[1]
    found = da.ensembles.stored(tmp_path / "s")
    for name, value in (("verdict", 1), ("energy_drift", 3e-6)):
        found[name][1] = value
    text = da.ensembles.summary(found)
    assert "suspect      energy unaccounted, up to 3.0e-06 of its terms (1e-07 allowed)\n" in text
    rows = da.ensembles.summary(found, "verdict").splitlines()[-3:]
    assert [row.split()[1] for row in rows] == ["ok", "suspect", "ok"]  # and not 0, 1, 0
    found["energy_drift"][1] = 0.0
    assert "suspect      a declared momentum changed\n" in da.ensembles.summary(found)


def test_a_table_has_all_rows_and_on_a_terminal_says_which_are_left_out(swept, tmp_path, monkeypatch):
    piped = swept("x=0:19:20", "--store", "s")[1]
    assert "..." not in piped and [float(row.split()[0]) for row in piped.splitlines()[3:23]] == list(range(20))
    monkeypatch.setattr(commands_of_sweep, "lines_of_table", lambda: 12)  # as where somebody looks
    seen = swept("x=0:19:20", "--store", "s", "--resume")[1].splitlines()
    assert seen[9].startswith("  and 8 rows between: all are there in a pipe or a file")
    assert [float(row.split()[0]) for row in seen[3:9] + seen[10:16]] == [*range(6), *range(14, 20)]
    with pytest.raises(da.DalembertError, match="E307 rows = 1 must be"):
        da.ensembles.summary(da.ensembles.stored(tmp_path / "s"), rows=1)


def test_the_first_word_of_a_sweep_comes_before_its_work(monkeypatch):
    class Terminal(io.StringIO):
        isatty = staticmethod(lambda: True)

    monkeypatch.setattr("sys.stderr", err := Terminal())
    with pytest.raises(da.DalembertError, match="E307 sweep needs equations"):
        da.sweep(None, starts={}, until=1, progress=True)  # refused as soon as it begins
    assert err.getvalue().startswith("sweeping: ")


def test_a_stored_sweep_is_no_path_and_says_what_opens_it(swept, tmp_path):
    swept("x=0:1:2", "--store", "s")
    with pytest.raises(da.DalembertError, match=r"E502 .*stored sweep\n  do: da\.ensembles\.stored\('"):
        da.load(tmp_path / "s")


def test_members_that_reach_the_end_are_told_from_those_that_an_event_stops():
    free = da.free(da.System(da.coordinates("x"), "dot(x)^2/2"))
    wall = da.Event("wall", "x - 0.75", then="stop")
    found = da.sweep(free, starts={"x": 0, "vx": [0.5, 1.0, 2.0]}, until=1.0, events=[wall])
    first, *_, slow, fast, faster = da.ensembles.summary(found).splitlines()
    assert first == "3 members: 1 reached the end, 2 stopped by an event"
    assert [row.endswith("event") for row in (slow, fast, faster)] == [False, True, True]
