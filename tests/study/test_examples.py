"""The example files of the documentation: read without a doubt, and what they are copies of."""

import warnings
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.principles.principle_table import named
from dalembert.study import read
from dalembert.systems import ball_on_turntable, chaplygin_sleigh, rolling_disc

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "files"
NAMES = sorted(path.name for path in FOLDER.glob("*.toml"))


@pytest.mark.parametrize("name", NAMES)
def test_it_is_read_without_a_doubt_and_runs(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        study = read(FOLDER / name)
        assert not [n for n in study.notes if n.code[0] == "W"]
        for run in study.runs:
            equations = named(run.principle)(study.system)
            assert da.simulate(equations, equations.start(**run.start), until=run.until / 4).ok


@pytest.mark.parametrize(
    ("name", "module", "parameters"),
    [
        ("ball_on_turntable.toml", ball_on_turntable, None),
        ("chaplygin_sleigh.toml", chaplygin_sleigh, None),
        ("rolling_disc.toml", rolling_disc, None),
    ],
)
def test_it_moves_as_the_gallery_says(name, module, parameters):
    study = read(FOLDER / name)
    run = study.runs[0]
    values = study.system.values()
    start = da.nonholonomic(study.system).start(**run.start)
    path = da.simulate(da.nonholonomic(study.system), start, until=1.0)
    own = module.system().changed(parameters=values, units=study.system.units)
    other = da.simulate(da.nonholonomic(own), {**run.start}, until=1.0)
    # the same equations in another order of terms: rounding along the run
    assert np.allclose([path[c][-1] for c in ("x", "y")], [other[c][-1] for c in ("x", "y")], rtol=1e-9, atol=1e-12)


def test_the_ball_runs_on_a_circle_in_seven_halves_of_a_turn():
    study = read(FOLDER / "ball_on_turntable.toml")
    run = study.runs[0]
    turn = 60 / 45
    path = da.simulate(da.nonholonomic(study.system), run.start, until=7 / 2 * turn)
    # a solid ball: period 7/2 of the table's [lewis1995, section 3.3]
    assert np.allclose([path["x"][-1], path["y"][-1]], [0.1, 0.0], atol=1e-9)


SPEEDING = """schema = 1
[space]
coordinates = "x y"
[definitions]
speed = "sqrt(dot(x)^2 + dot(y)^2)"
spare = "x^2"
[lagrangian]
L = "(dot(x)^2 + dot(y)^2)/2"
"""


def test_names_are_kept_and_one_of_places_without_units_is_a_potential_that_may_be_forgotten(tmp_path):
    (tmp_path / "s.toml").write_text(SPEEDING, encoding="utf-8")
    with pytest.warns(da.DalembertWarning, match="W119 definition spare"):
        found = read(tmp_path / "s.toml")
    assert set(found.system.definitions) == {"speed", "spare"}
    assert [note.text for note in found.notes if note.code == "W119"] == ["definition spare is not used anywhere"]


@pytest.mark.parametrize(
    ("L", "doubted"), [("T + V", True), ("V+T", True), ("T - V", False), ("-V + T", False), ("T + W", False)]
)
def test_a_potential_that_is_added_is_doubted(L, doubted, tmp_path, recwarn):
    other = "W" if "W" in L else "V"
    text = f'schema = 1\n[space]\ncoordinates = "x"\n[lagrangian]\nT = "dot(x)^2/2"\n{other} = "2*x^2"\nL = "{L}"\n'
    (tmp_path / "s.toml").write_text(text, encoding="utf-8")
    found = read(tmp_path / "s.toml")
    assert ("W126" in {note.code for note in found.notes}) == doubted == any("W126" in str(w.message) for w in recwarn)
