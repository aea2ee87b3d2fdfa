"""``[inputs]``: files run as the system in Python does, are written and read again, and refused at their places."""

import math
from pathlib import Path

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.apps import runs
from dalembert.apps.python_script import script
from dalembert.study import Study, read, read_source, write_source
from dalembert.study.inputs import ColumnSpec, TableSpec

FILE = """schema = 1
title = "Pushed"

[space]
coordinates = { x = "line", y = "line" }

[units]
x = "m"
y = "m"

[parameters]
m = "2 kg"
k = "1 kg/s"
b = "2 kg*m/s^3"

[inputs]
F = "0.5*b*sin(t)*c - dot(x)*h"
G = { times = [0, 1, "2 s"], values = ["1 N", 2, "0.3 kN"], kind = "linear" }
H = { file = "push.csv", column = "H", time = "when", kind = "cubic" }
w = "?"

[definitions]
c = "1 + t"
h = "k"

[lagrangian]
L = "m/2*(dot(x)^2 + dot(y)^2)"

[[constraint]]
name = "drive"
phi = "dot(y) - w"

[forces]
"dot(x)" = "F + G + H"

[[run]]
name = "one"
principle = "nonholonomic"
start = { x = 0, y = 0, "dot(x)" = 0 }
inputs = { w = "2 + sin(t)" }
until = 2

[[run]]
name = "two"
principle = "nonholonomic"
start = { x = 0, y = 0, "dot(x)" = 0 }
until = 2

[run.inputs]
w = "0.5 m/s"
H = 0
"""
WHEN, VALUES = np.linspace(0, 3, 7), np.array([1.0, 2.0, 0.0, -1.0, 1.0, 0.5, 0.2])
STEADY = FILE.replace('F = "0.5*b*sin(t)*c - dot(x)*h"', "F = 3").partition("G = {")[0].replace("F + G + H", "F")
LONE = """schema = 1
[space]
coordinates = { x = "line" }
[inputs]
F = "?"
[lagrangian]
L = "dot(x)^2/2"
[forces]
"dot(x)" = "F"
"""
SWEEP = """[[sweep]]
principle = "free"
start = { x = 0, "dot(x)" = 0 }
until = 2
"""


@pytest.fixture
def file(tmp_path):
    """The file with the table that it names beside it."""
    rows = "".join(f"{t},{H}\n" for t, H in zip(WHEN, VALUES, strict=True))
    (tmp_path / "push.csv").write_text("when,H [N]\n" + rows)
    (tmp_path / "pushed.toml").write_text(FILE)
    return tmp_path / "pushed.toml"


def in_python():
    q = da.coordinates("x y")
    t = sp.Symbol("t", real=True)
    system = da.System(
        q, "m/2*(vx^2 + vy^2)", {"drive": "vy - w"}, forces={"x": "F + G + H"}, parameters={"m": 2.0}, inputs="F G H w"
    )
    inputs = {
        "F": sp.sin(t) * (1 + t) - q.velocities[0],
        "G": da.inputs.tabulated([0, 1, 2], [1, 2, 300], "linear"),
        "H": da.inputs.tabulated(WHEN, VALUES, "cubic"),
        "w": "2 + sin(t)",
    }
    return da.nonholonomic(system), inputs


def test_a_file_runs_as_its_system_does_in_python(file):
    study = read(file)
    equations, inputs = in_python()
    start = {"x": 0, "y": 0, "vx": 0}
    for spec, given in zip(study.runs, (inputs, inputs | {"w": 0.5, "H": 0.0}), strict=True):
        path, other = runs.run(study, spec), da.simulate(equations, start, until=2.0, inputs=given)
        assert path.ok
        for name in (*equations.states, "F", "G", "H", "w"):
            assert path[name][-1] == pytest.approx(other[name][-1], abs=1e-10), name
    assert runs.start(study, study.runs[0], "nonholonomic")["vy"] == 2.0


def test_the_recipe_of_the_how_to_runs_files_with_inputs(file):
    """What `docs/howto/own-file.md` writes in Python gives the path of the command line, columns of files among it."""
    page = (Path(__file__).parents[2] / "docs" / "howto" / "own-file.md").read_text(encoding="utf-8")
    (recipe,) = [line for line in page.splitlines() if line.startswith("path = da.simulate(equations, run.start")]
    study = read(file)
    for run in study.runs:
        names = {"da": da, "equations": da.nonholonomic(study.of(run).system), "run": run}
        exec(recipe, names)
        assert names["path"].at(2)["x"] == pytest.approx(runs.run(study, run).at(2)["x"], abs=1e-13)


def test_a_column_is_read_anew_for_each_run(file):
    study = read(file)
    first = study.inputs["H"].table()
    rows = "".join(f"{t},{2 * H}\n" for t, H in zip(WHEN, VALUES, strict=True))
    (file.parent / "push.csv").write_text("when,H [N]\n" + rows)
    assert study.runs[0].inputs["H"].table().values == pytest.approx(2 * first.values)


@pytest.mark.parametrize(
    ("time", "remedy"), [("when [s]", 'time = "when", without its unit'), ("t", "known names: H, when")]
)
def test_a_wrong_column_of_times_is_told_in_words_of_the_file(file, time, remedy):
    (file.parent / "push.csv").write_text("when [s],H [N]\n0,1\n3,1\n")
    file.write_text(FILE.replace('time = "when"', f'time = "{time}"'))
    study = read(file)
    with pytest.raises(da.DalembertError, match="E317") as refused:
        runs.prepare(study, study.runs[0])
    assert refused.value.remedy == remedy
    assert refused.value.where is not None


def test_a_run_goes_on_where_it_was_interrupted(file):
    study = read(file)
    spec = study.runs[0]
    half = runs.run(study, runs.changed(spec, study, {}, until=1.0))
    on = runs.run(study, spec, before=half)
    assert on["x"][-1] == pytest.approx(runs.run(study, spec)["x"][-1], abs=1e-9)


def test_files_are_written_and_read_again(files):
    study = read_source(FILE)
    text = write_source(study)
    again = read_source(text)
    assert write_source(again) == text
    assert files.differences(study.system, again.system) == []
    assert (again.system.inputs, again.inputs, again.runs) == (study.system.inputs, study.inputs, study.runs)
    assert study.inputs["G"] == TableSpec((0.0, 1.0, 2.0), (1.0, 2.0, 300.0), "linear")
    assert study.inputs["H"] == ColumnSpec("push.csv", "H", "when", "cubic")
    assert set(study.inputs) == {"F", "G", "H"}
    assert study.runs[1].inputs == {**study.inputs, "w": "0.5 m/s", "H": 0}


@pytest.mark.filterwarnings("ignore:W119")
def test_a_system_with_inputs_is_written(files):
    system = in_python()[0].system.changed(inputs="F G H w more")
    text = write_source(system)
    again = read_source(text).system
    assert again.inputs == ("F", "G", "H", "w", "more")
    assert files.differences(system, again) == ["laws"]  # the force was given by the name of the coordinate
    driven = Study("", system, inputs={"F": 1.5, "w": sp.sin(sp.Symbol("t", real=True))})
    assert read_source(write_source(driven)).inputs == {"F": 1.5, "w": sp.sin(sp.Symbol("t", real=True))}


def test_values_from_the_command_line(file):
    study = read(file)
    spec = runs.changed(study.runs[1], study, {"w": 1.0, "G": "t^2", "F": 0.0})
    path = runs.run(study, spec)
    assert path["y"][-1] == pytest.approx(2.0, abs=1e-12)
    assert path["vx"][-1] == pytest.approx(8 / 3 / 2, abs=1e-10)


def test_comparisons_take_what_runs_take(file):
    entry = 'compare]]\nprinciples = ["nonholonomic", "vakonomic"]\ninputs = { w = "2 + sin(t)" }\n'
    text = FILE + f'[[{entry}start = {{ x = 0, y = 0, "dot(x)" = 0, lam_drive = 0 }}\nuntil = 2\n'
    file.write_text(text)
    study = read(file)
    assert write_source(read_source(write_source(study))) == write_source(study)
    assert runs.compare(study, study.compares[0]).pairs[0].agree


def test_sweeps_take_numbers_and_formulas():
    text = LONE + SWEEP + 'inputs = { F = "1:3:3" }\n'
    study = read_source(text)
    assert read_source(write_source(study)).sweeps == study.sweeps
    result = runs.sweep(study, study.sweeps[0], progress=False)
    assert result["vx"].values.ravel() == pytest.approx([2.0, 4.0, 6.0])
    study = read_source(LONE.replace('"?"', '"sin(t)"') + SWEEP)
    assert "free" in runs.prepare(study, study.sweeps[0])
    # v' = sin t from rest
    assert float(runs.sweep(study, study.sweeps[0])["vx"]) == pytest.approx(1 - math.cos(2), abs=1e-8)


def test_a_sweep_of_a_table_says_what_it_takes():
    held = read_source(LONE.replace('"?"', "{ times = [0, 2], values = [0, 1] }") + SWEEP)
    with pytest.raises(da.DalembertError, match="E186 the input F is given by a table") as refused:
        runs.sweep(held, held.sweeps[0])
    first, second = refused.value.remedy.splitlines()
    # each way out is one
    assert "F=0,0.1 behind the command, or inputs = { F = [0, 0.1] } in the [[sweep]]" in first
    study = read_source(LONE + SWEEP + "inputs = { F = [0, 0.1] }\n")
    assert runs.sweep(study, study.sweeps[0], progress=False).sizes
    assert "one member after the other: dalembert run FILE" in second


def test_the_script_of_a_study_runs_it(file, monkeypatch):
    monkeypatch.chdir(file.parent)
    text = script(read("pushed.toml"), "nonholonomic")
    assert compile(text, "script", "exec")
    calls = [line.removeprefix("path = ") for line in text.splitlines() if line.startswith("path = ")]
    assert len(calls) == 2
    assert 'da.recorded("push.csv", time="when")["H"], "cubic"' in calls[0]
    assert "\"w\": '0.5 m/s'" in calls[1]


REFUSED = [
    ("E182", "F = 3", "F = [1]", "[1]"),
    ("E182", "F = 3", "F = true", "true"),
    ("E182", "F = 3", 'F = { value = 1, file = "a.csv" }', '{ value = 1, file = "a.csv" }'),
    ("E182", "F = 3", "F = { times = [0, 1] }", "{ times = [0, 1] }"),
    ("E182", "F = 3", 'F = { kind = "hold" }', '{ kind = "hold" }'),
    ("E182", "F = 3", "F = { times = [0, 1, 1], values = [1, 2, 3] }", "{ times = [0, 1, 1], values = [1, 2, 3] }"),
    ("E182", "F = 3", "F = { times = [0, 1], values = [1, 2, 3] }", "{ times = [0, 1], values = [1, 2, 3] }"),
    ("E203", "F = 3", "F = nan", "nan"),
    ("E203", "F = 3", "F = { times = [0, 1], values = [1, nan] }", "nan"),
    ("E207", "F = 3", 'F = "1 kg"', '"1 kg"'),
    ("E207", "F = 3", 'F = { times = [0, 1], values = [1, "1 kg"] }', '"1 kg"'),
    ("E508", "F = 3", "F = { times = [0, 1], values = [1, 2], kind = 'linea' }", "'linea'"),
    ("E702", "F = 3", 'F = "z + 1"', "z"),
    ("E103", "m = ", "F = 1\nm = ", "F"),
    ("E103", "F = 3", "F = 3\nx = 3", "x"),
    ("E719", "F = 3", '"2a" = 3\nF = 3', '"2a"'),
]


@pytest.mark.parametrize(("code", "old", "new", "place"), REFUSED)
def test_refused_at_its_place(files, code, old, new, place):
    error = files.only(files.changed(old, new, STEADY.replace('"dot(x)" = "F"', "") + _REST))
    assert (error.code, files.meant(error)) == (code, place)
    assert error.remedy


_REST = """
[lagrangian]
L = "m/2*(dot(x)^2 + dot(y)^2)"
[forces]
"dot(x)" = "F"
[[run]]
principle = "free"
start = { x = 0, y = 0, "dot(x)" = 0, "dot(y)" = 0 }
until = 2
"""


@pytest.mark.parametrize(
    ("code", "more", "place"),
    [
        ("E180", 'inputs = { F = "?" }', "F"),
        ("E181", "inputs = { F = 1, G = 2 }", "G"),
        ("E183", "inputs = { F = { times = [0, 1], values = [1, 2], kind = 'linear' } }", None),
        ("E501", 'inputs = { F = { file = "no.csv", column = "F" } }', None),
        ("E510", 'inputs = { F = { file = "../no.csv", column = "F" } }', None),
        ("E510", 'inputs = { F = { file = "/etc/hosts", column = "F" } }', None),
        ("E317", 'inputs = { F = { file = "push.csv", column = "F", time = "when" } }', None),
        ("E207", 'inputs = { F = { file = "kilo.csv", column = "H" } }', None),
    ],
)
def test_what_a_run_refuses_is_told_where_it_stands(file, files, code, more, place):
    (file.parent / "kilo.csv").write_text("t,H [kg]\n0,1\n3,1\n")
    file.write_text((STEADY + _REST).replace("F = 3", 'F = "?"') + more + "\n")
    with pytest.raises(da.DalembertError) as refused:
        study = read(file)
        runs.prepare(study, study.runs[0])
    error = refused.value
    assert error.code == code
    assert error.where is not None
    assert files.meant(error) == ('"?"' if code == "E180" else place or more[len("inputs = { F = ") : -2])
