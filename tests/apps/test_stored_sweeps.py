"""Sweeps on the command line and their folders: each its own, none of another thing, none left by a refusal."""

import pytest
from click.testing import CliRunner

import dalembert as da
from dalembert.apps.cli import main
from dalembert.apps.confined import CONFINED

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


def test_a_stored_sweep_is_no_path_and_says_what_opens_it(swept, tmp_path):
    swept("x=0:1:2", "--store", "s")
    with pytest.raises(da.DalembertError, match=r"E502 .*stored sweep\n  do: da\.ensembles\.stored\('"):
        da.load(tmp_path / "s")
