"""The commands, used as a person would: what they print, what they leave behind, how they exit."""

import csv
import json
import math
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import zipfile
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import psutil
import pytest
from click.testing import CliRunner
from scipy.spatial.transform import Rotation

import dalembert as da
from begun import telling, until
from dalembert.apps import assignments, gallery, process, results, runs
from dalembert.apps.cli import main
from dalembert.apps.commands import COMMANDS
from dalembert.apps.explore.scenario import scenario
from dalembert.apps.process import CONFINED
from dalembert.apps.terminal import folded
from dalembert.trajectory.join import joined

SLEIGH = """
schema = 1
title = "Sleigh"
[space]
coordinates = { x = "line", y = "line", theta = "angle" }
[parameters]
m = "1 kg"
J = "0.5 kg*m^2"
a = "30 cm"
[lagrangian]
L = "m/2*((dot(x) - a*dot(theta)*sin(theta))^2 + (dot(y) + a*dot(theta)*cos(theta))^2) + J/2*dot(theta)^2"
[[constraint]]
name = "blade"
phi = "dot(y)*cos(theta) - dot(x)*sin(theta)"
[[run]]
name = "turn"
principle = "nonholonomic"
start = { x = 0, y = 0, theta = "20 deg", "dot(x)" = "1 m/s", "dot(theta)" = 0.2 }
until = 4
"""
SPRING = """
schema = 1
[space]
coordinates = { x = "line" }
[parameters]
m = 1
k = 4
[lagrangian]
L = "m/2*dot(x)^2 - k/2*x^2"
[[run]]
name = "long"
principle = "free"
start = { x = 1, "dot(x)" = 0 }
until = 1e7
samples = 101
"""
SLIDING = """
schema = 1
[space]
coordinates = { x = "line", y = "line" }
[parameters]
m = "2 kg"
g = "9.81 m/s^2"
[lagrangian]
L = "m/2*(dot(x)^2 + dot(y)^2) - m*g*y"
[[contact]]
name = "floor"
gap = "y"
slip = ["dot(x)"]
mu = 0.3
[[run]]
name = "slide"
principle = "free"
start = { x = 0, y = 0, "dot(x)" = "3 m/s", "dot(y)" = 0 }
until = "2 s"
"""
PRINCIPLES = "nonholonomic,vakonomic"


@pytest.fixture
def file(tmp_path, monkeypatch):
    """The sleigh's file, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sleigh.toml").write_text(SLEIGH)
    return "sleigh.toml"


@pytest.fixture(autouse=True)
def here(monkeypatch, tmp_path):
    """Work in this process: the child process has tests of its own."""
    monkeypatch.setenv(CONFINED, str(tmp_path / "phase"))


@pytest.fixture
def apart(here, monkeypatch):
    """Work in a child process, as for a file of somebody else."""
    monkeypatch.delenv(CONFINED)


def call(*words):
    """Exit code, stdout, stderr."""
    done = CliRunner().invoke(main, [str(word) for word in words])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.stdout, done.stderr


def answer(*words, code=0):
    """The answer as data."""
    found, out, err = call(*words, "--json")
    assert found == code, (out, err)
    data = json.loads(out)
    assert data["command"] == words[0] and data["exit"] == code and data["ok"] == (code == 0)
    return data


# --- all of them -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", COMMANDS)
def test_help_fits_a_terminal_and_has_an_example(name):
    code, out, _ = call(name, "--help")
    assert code == 0 and max(map(len, out.splitlines())) <= 80
    assert "--json" in out
    assert f"dalembert {name}" in out.split("Usage")[1].split("\n", 1)[1]


def test_a_misspelt_command_is_answered_with_the_right_one():
    code, _, err = call("chek", "x.toml")
    assert code == 2 and "did you mean check?" in err


def test_new_check_run_compare_report_as_a_newcomer(file):
    """From an empty folder to a report, with what each command says is next."""
    assert call("new", "mine", "--from", "penny")[0] == 0
    data = answer("check", "mine.toml")
    assert data["constraints"] and data["next"] == "dalembert run mine.toml"
    answers = [data["examination"]["holonomic"], *(r["integrable"] for r in data["examination"]["rows"].values())]
    assert all(a["answer"] in ("yes", "no", "not decided") and a["reason"] for a in answers)
    runs = answer("run", "mine.toml", "--report", "page.html")["runs"]
    assert all(run["audit"]["verdict"] == "ok" for run in runs)
    assert os.path.getsize("page.html") > 10_000
    assert answer("compare", "mine.toml", "--report", "parting.html")["comparisons"]
    assert os.path.exists("parting.html")


ROBOT = """<robot name="arm"><link name="ground"/><link name="rod"><inertial><origin xyz="0 0 -0.4"/><mass value="2"/>
<inertia ixx="0.1" iyy="0.1" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="shoulder" type="continuous"><parent link="ground"/><child link="rod"/><axis xyz="0 1 0"/>
<dynamics damping="0.1"/></joint></robot>"""


def test_new_writes_a_file_of_a_robot_that_check_run_and_explore_take(file):
    with open("arm.urdf", "w", encoding="utf-8") as robot:
        robot.write(ROBOT)
    assert call("new", "arm", "--from", "arm.urdf")[0] == 0
    assert answer("check", "arm.toml")["next"] == "dalembert run arm.toml"
    assert all(run["audit"]["verdict"] == "ok" for run in answer("run", "arm.toml")["runs"])
    assert call("explore", "arm.toml")[0] == 0
    assert da.read("arm.toml").system.space["shoulder"].name == "shoulder"


@pytest.mark.parametrize(
    ("origin", "options", "told"),
    [
        ("nowhere.urdf", (), "nowhere.urdf"),
        ("arm.urdf", ("--rolls", "rod"), "fixed"),
        ("arm.urdf", ("--base", "planar", "--rolls", "wheel*"), "wheel"),
        ("../arm.urdf", (), "outside the folder"),
    ],
)
def test_new_tells_what_is_wrong_with_a_robot(origin, options, told, file):
    for place in ("arm.urdf", "../arm.urdf"):
        with open(place, "w", encoding="utf-8") as robot:
            robot.write(ROBOT)
    code, _, err = call("new", "arm", "--from", origin, *options)
    assert code == 1, err
    assert told in err
    assert not os.path.exists("arm.toml")


def test_new_does_not_replace_a_file(file):
    code, _, err = call("new", "sleigh")
    assert code == 2 and "E530" in err and "--force" in err


@pytest.mark.parametrize("name", gallery.names())
def test_a_new_file_of_every_gallery_system_passes_its_check(name, file):
    assert call("new", "mine", "--from", name)[0] == 0
    code, out, err = call("check", "mine.toml")
    assert code == 0, err
    assert "is in order" in out


@pytest.mark.parametrize(
    "words", [("compare", "--principles", "nonholonomic,vakonomic"), ("run", "--principle", "vakonomic")]
)
def test_multipliers_of_a_principle_of_the_command_line_are_given_there(file, words):
    command, *more = words
    said = "".join(call(command, file, *more)[1:])
    assert "E234" in said and "add to the command line: lam_blade=0" in " ".join(said.split())
    assert call(command, file, *more, "lam_blade=0", "--until", "0.5")[0] == 0


# --- check, derive ---------------------------------------------------------------------------------------------------


def test_check_tells_what_it_found(file):
    data = answer("check", file)
    assert data["constraints"] == {"blade": "linear"}
    state = data["starts"]["turn"]["nonholonomic"]
    assert state["vy"] == pytest.approx(np.tan(np.deg2rad(20)), rel=1e-12)  # follows from the blade


def test_check_tells_all_problems_at_once_with_their_places(file):
    text = SLEIGH.replace("J/2", "JJ/2").replace("cos(theta) - dot", "cos(thetta) - dot").replace("until", "untill")
    with open(file, "w") as stream:
        stream.write(text)
    data = answer("check", file, code=1)
    assert len(data["problems"]) >= 3
    lines = text.splitlines()
    for problem in data["problems"]:
        assert problem["where"]["file"].endswith(file)
        assert problem["where"]["text"].strip() == lines[problem["where"]["line"] - 1].strip()
        assert problem["fact"] and problem["remedy"]
    _, _, err = call("check", file)
    assert all(word in err for word in ("JJ", "thetta", "untill", "^"))


@pytest.mark.filterwarnings("default::dalembert.DalembertWarning")
@pytest.mark.parametrize(
    ("more", "code"), [("", 0), ('[[run]]\nprinciple = "free"\nstart = { x = 0 }\nuntil = 1\n', 1)]
)
def test_check_tells_a_doubt_once_and_where_something_is_refused_too(file, more, code):
    with open(file, "w") as stream:
        stream.write(SLEIGH.replace('theta = "20 deg"', "theta = 360") + more)
    exit_code, out, err = call("check", file)
    assert exit_code == code
    assert (out + err).count("W209 theta = 360 rad") == 1


def test_a_start_that_cannot_be_completed_is_found_by_check(file):
    with open(file, "w") as stream:
        stream.write(SLEIGH.replace('"dot(x)" = "1 m/s", ', ""))
    data = answer("check", file, code=1)
    assert data["problems"][0]["code"] == "E230" and data["problems"][0]["where"]


@pytest.mark.parametrize("form", ["text", "latex", "html", "python", "c", "script"])
def test_derive_in_every_form(file, form):
    data = answer("derive", file, f"--{form}")
    assert data == answer("derive", file, "--to", form)
    assert list(data["equations"]) == ["nonholonomic"]
    assert len(data["equations"]["nonholonomic"]) > 100


def test_derive_in_speeds_that_the_constraints_leave_free(file):
    assert "s1' = a*omega**2" in answer("derive", file, "--lean")["equations"]["nonholonomic"].replace(
        "vtheta", "omega"
    )
    program = answer("derive", file, "--python", "--lean")["equations"]["nonholonomic"]
    assert "def from_velocities(t, y, p):" in program
    assert '"x": 0.0' in program
    assert "void prepare(double *p)" in answer("derive", file, "--c", "--lean")["equations"]["nonholonomic"]
    for refused, code in ((("--html",), "E307"), (("--principle", "vakonomic"), "E160")):
        assert code in "".join(call("derive", file, "--lean", "--json", *refused)[1:])


def test_derive_leaves_out_what_has_no_lean_form_where_nobody_asked_for_it(file):
    both = SLEIGH + '\n[[compare]]\nname = "both"\nprinciples = ["nonholonomic", "vakonomic"]\n'
    both += 'start = { x = 0, y = 0, theta = 0, "dot(x)" = 1, "dot(theta)" = 1, lam_blade = 0 }\nuntil = 1\n'
    Path(file).write_text(both, encoding="utf-8")
    assert set(answer("derive", file)["equations"]) == {"nonholonomic", "vakonomic"}
    code, out, said = call("derive", file, "--lean", "--json")
    assert code == 0
    assert set(json.loads(out)["equations"]) == {"nonholonomic"}
    assert "vakonomic: no lean form, left out" in said


def test_derive_breaks_rows_where_asked(file):
    words = "derive", file, "--principle", "vakonomic", "--width", "60"
    assert max(map(len, call(*words)[1].splitlines())) <= 60
    narrow, wide = (call(*words[:-2], "--latex", *each)[1] for each in (words[-2:], ()))
    assert narrow.count("\\\\") > wide.count("\\\\")
    code, _, err = call(*words, "--python")
    assert code == 2 and "E307 --python has no width" in err


def test_derive_gives_files_and_pipes_whole_rows(file):
    whole = answer("derive", file, "--principle", "vakonomic")["equations"]["vakonomic"]
    assert max(map(len, whole.splitlines())) > 80 and "..." not in whole
    assert call("derive", file, "--principle", "vakonomic", "--out", "eq.txt")[0] == 0
    with open("eq.txt") as stream:
        assert stream.read() == whole + "\n"


def test_derive_writes_programs_that_run(file):
    assert call("derive", file, "--python", "--out", "eq.py")[0] == 0
    done = subprocess.run([sys.executable, "-I", "-S", "eq.py"], capture_output=True, text=True, check=True)
    assert len(done.stdout.splitlines()) > 10
    assert call("derive", file, "--script", "--out", "use.py")[0] == 0
    done = subprocess.run([sys.executable, "use.py"], capture_output=True, text=True, check=True)
    assert "verdict      ok" in done.stdout


def test_a_script_reads_the_file_in_its_folder(file):
    pathlib.Path("sub").mkdir()
    pathlib.Path(file).rename(f"sub/{file}")
    assert f'da.read("sub/{file}")' in answer("derive", f"sub/{file}", "--script")["equations"]["nonholonomic"]


@pytest.mark.parametrize("lean", [(), ("--lean",)])
def test_derive_writes_programs_that_run_as_far_as_the_run_they_begin_as(file, lean):
    pathlib.Path(file).write_text(SLEIGH.replace("until = 4", 't = "3 s"\nuntil = "3.5 s"'))
    for form, name, commands in (
        ("python", "eq.py", [[sys.executable, "eq.py"]]),
        ("c", "eq.c", [["gcc", "-o", "./eq", "eq.c", "-lm"], ["./eq"]] if shutil.which("gcc") else []),
        ("javascript", "eq.js", [["node", "eq.js"]] if shutil.which("node") else []),
    ):
        assert call("derive", file, f"--{form}", "--out", name, *lean)[0] == 0
        for command in commands:
            table = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
        if commands:
            assert [float(table[i].split(",")[0]) for i in (1, -1)] == [3.0, 3.5]
    assert call("derive", file, "--fmu", "--out", "eq.fmu", *lean)[0] == 0
    described = zipfile.ZipFile("eq.fmu").read("modelDescription.xml").decode()
    assert '<DefaultExperiment startTime="3.0" stopTime="3.5"' in described


@pytest.mark.parametrize("lean", [(), ("--lean",)])
@pytest.mark.parametrize("given", ["2.5", '"3*sin(2*t) - k*dot(x)"'])
def test_derive_writes_programs_with_the_inputs_of_the_file(file, given, lean):
    driven = SLEIGH.replace("[lagrangian]", f'k = "1 kg/s"\n[inputs]\nF = {given}\n[lagrangian]')
    force = '[[force]]\nvelocity = ["dot(x)", "dot(y)"]\nforce = ["F*cos(theta)", "F*sin(theta)"]\n[[run]]'
    pathlib.Path(file).write_text(driven.replace("[[run]]", force))
    assert call("derive", file, "--python", "--out", "eq.py", *lean)[0] == 0
    table = subprocess.run(
        [sys.executable, "eq.py", "4"], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    end = dict(zip(table[0].split(","), map(float, table[-1].split(",")), strict=True))
    study = da.read(file)
    path = runs.run(study, study.runs[0])
    for name in ("x", "y", "theta"):
        assert end[name] == pytest.approx(path.at(end["t"])[name], abs=1e-5)
    for form in ("c", "javascript"):
        assert call("derive", file, f"--{form}", *lean)[0] == 0


def test_a_page_has_sliders_of_inputs_that_are_numbers(file):
    force = '[forces]\n"dot(x)" = "F"\n[[run]]'
    text = SLEIGH.replace("[[run]]", force)
    pathlib.Path(file).write_text(text.replace("[lagrangian]", "F = 2.5\n[lagrangian]"))
    as_parameter = scenario(da.read(file))
    pathlib.Path(file).write_text(text.replace("[lagrangian]", "[inputs]\nF = 2.5\n[lagrangian]"))
    found = scenario(da.read(file))
    assert found.system.parameters["F"] == 2.5
    for one, other in zip(found.formed, as_parameter.formed, strict=True):
        (a,), (b,) = ([*each.starts.values()] for each in (one, other))
        assert (a.state, a.parameters) == (b.state, b.parameters)
        (first, second), t = ((each.equations, begin) for each, begin in ((one, a), (other, b))), {"t": 0.0}
        accelerations = [e.accelerations({**s.state, **s.parameters, **t})[0] for e, s in (first, second)]
        assert accelerations[0] == pytest.approx(accelerations[1])
    assert call("explore", file, "F=3")[0] == 0
    page = pathlib.Path(file).with_suffix(".html").name
    assert '"F"' in pathlib.Path(page).read_text()
    for value, told in (("sin(t)", "changes with time in"), ("?", "has no value in")):
        pathlib.Path(file).write_text(text.replace("[lagrangian]", f'[inputs]\nF = "{value}"\n[lagrangian]'))
        said = "".join(call("explore", file, "--json")[1:])
        assert "E307" in said and told in said


def test_derive_takes_values_of_the_command_line(file):
    driven = SLEIGH.replace("[lagrangian]", "[inputs]\nF = { times = [0, 4], values = [0, 1] }\n[lagrangian]")
    driven = driven.replace("[[run]]", '[forces]\n"dot(x)" = "F"\n[[run]]')
    pathlib.Path(file).write_text(driven)
    values = ("F=0.7*cos(t)", "m=3")
    assert call("derive", file, "--python", "--out", "eq.py", *values)[0] == 0
    table = subprocess.run(
        [sys.executable, "eq.py", "4"], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    end = dict(zip(table[0].split(","), map(float, table[-1].split(",")), strict=True))
    study = da.read(file)
    spec = runs.changed(study.runs[0], study, {"F": "0.7*cos(t)", "m": 3.0})
    assert end["x"] == pytest.approx(runs.run(study, spec).at(end["t"])["x"], abs=1e-5)
    for words, code in (
        (("--text",), "E307"),
        (("--fmu", "--out", "a.fmu"), "E307"),
        (("--c", "--principle", "hamel"), "E308"),
    ):
        said = "".join(call("derive", file, *words, "--json", "F=1")[1:])
        assert code.strip() in said, words


def test_derive_refuses_a_table_as_an_input_of_a_program(file):
    driven = SLEIGH.replace("[lagrangian]", "[inputs]\nF = { times = [0, 4], values = [0, 1] }\n[lagrangian]")
    driven = driven.replace("[[run]]", '[forces]\n"dot(x)" = "F"\n[[run]]')
    pathlib.Path(file).write_text(driven)
    said = "".join(call("derive", file, "--python", "--json")[1:])
    assert "E186" in said and "the input F is given by a table" in said
    assert "to push it from outside: F=0 behind the file" in said
    assert '"F",' in call("derive", file, "F=0", "--c")[1]


def test_derive_writes_units_for_other_tools(file):
    for more, states in (((), ["x", "vx"]), (("--lean",), ["s1"])):
        out = f"sleigh{len(more)}.fmu"
        assert call("derive", file, "--fmu", "--out", out, *more)[0] == 0
        with zipfile.ZipFile(out) as container:
            text = container.read("modelDescription.xml").decode()
        assert all(f'<Float64 name="{name}"' in text for name in states)
    assert call("derive", file, "--fmu", "--out", out, "--lean")[0] == 0  # its own it replaces
    for refused in (("--out", "a.zip"), ()):
        assert any(code in "".join(call("derive", file, "--fmu", "--json", *refused)[1:]) for code in ("E804", "E307"))
    told = "".join(call("derive", file, "--fmu", "--json", "--out", "b.fmu", "--principle", "free")[1:])
    assert "E308" in told


def test_derive_takes_several_principles_parted_by_commas(file):
    asked = answer("derive", file, "--principle", "nonholonomic, vakonomic")
    assert asked == answer("derive", file, "--principle", "nonholonomic", "--principle", "vakonomic,nonholonomic")
    assert list(asked["equations"]) == ["nonholonomic", "vakonomic"]


def test_derive_takes_free_equations_where_nothing_is_constrained_and_no_principle_is_named(file):
    with open(file, "w") as stream:
        stream.write(SPRING.split("[[run]]", maxsplit=1)[0])
    code, out, err = call("derive", file)
    assert code == 0 and "vx' " in out and "nothing is constrained" in err
    assert out == call("derive", file, "--principle", "free")[1]


def test_derive_needs_a_principle_where_the_file_names_none(file):
    with open(file, "w") as stream:
        stream.write(SLEIGH.split("[[run]]", maxsplit=1)[0])
    code, _, err = call("derive", file)
    assert code == 2 and "--principle" in err
    assert call("derive", file, "--principle", "vakonomic")[0] == 0
    code, _, err = call("derive", file, "--principle", "nonholonomical")
    assert code == 2 and "did you mean nonholonomic?" in err


# --- run -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "read"),
    {
        "75cm": "75 cm", "-3.5e2mm": "-3.5e2 mm", "20°": "20 °", "3 cm": "3 cm", "9.81m/s^2": "9.81 m/s^2", "1e5": 1e5,
        "5e": "5e", "2t": "2t", "2*t": "2*t", "2sin(t)": "2sin(t)", "x+1": "x+1",
    }.items(),
)  # fmt: skip
def test_a_unit_may_stand_close_to_its_value(text, read):
    assert assignments.value(text) == read


def test_a_unit_may_stand_close_to_its_value_on_every_command_line(file):
    for command, more in (("run", "--force"), ("compare", "--principles=nonholonomic,vakonomic"), ("sweep", "m=1,2")):
        ends = []
        for words in (("a=20cm", "dot(x)=90cm/s"), ("a=20 cm", "dot(x)=90 cm/s")):
            given = ["lam_blade=0"] if command == "compare" else []
            code, out, err = call(command, file, *words, *given, more, "--json")
            ends.append((code, json.loads(out).get("runs", [{}])[0].get("end")) if command == "run" else code)
            for stored in pathlib.Path("results").rglob("*.zarr"):
                shutil.rmtree(stored)
        assert ends[0] == ends[1], (command, err)
        assert ends[0] in (0, 1) or ends[0][0] == 0
    assert assignments.assignments(["a=20:30:2cm"], da.read(file), ranges=True) == {"a": ("20.0 cm", "30.0 cm")}


def test_times_of_the_file_after_another_end_are_left_out_and_it_is_said(file):
    swept = '[[sweep]]\nname = "s"\nprinciple = "nonholonomic"\nuntil = 4\ntimes = [1, 3, 4]\n'
    swept += 'parameters = { a = ["10 cm", "20 cm"] }\n'
    pathlib.Path(file).write_text(f"{SLEIGH}samples = [0, 2, 4]\n{swept}")
    code, _, err = call("sweep", file, "--until", "3.5", "--json")
    assert code == 0 and "times of the file after --until 3.5 are left out, the last is 3" in err
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(runs, "talk", lambda text: None)
        study = da.read(file)
        assert runs.changed(study.sweeps[0], study, {}, until=3.5).times == (1, 3)
        assert runs.changed(study.runs[0], study, {}, until=2.5).samples == (0, 2)
        assert runs.changed(study.sweeps[0], study, {}, until=0.5).times == (1, 3, 4)  # none is left: E303 says so
    assert "E303" in "".join(call("sweep", file, "--until", "0.5", "--json")[1:])


def test_a_run_is_what_the_library_computes(file):
    data = answer("run", file)["runs"][0]
    study = da.read(file)
    equations = da.nonholonomic(study.system)
    start = equations.start(x=0, y=0, theta=np.deg2rad(20), vx=1.0, vtheta=0.2)
    path = da.simulate(equations, start, until=4.0)
    stored = da.load(data["file"])
    assert {name: data["end"][name] for name in path.names} == {name: path[name][-1] for name in path.names}
    assert np.array_equal(stored.values, path.values)
    assert stored.provenance["run"] == "turn" and len(stored.provenance["sha256"]) == 64


def test_values_may_be_replaced_on_the_command_line(file):
    data = answer("run", file, "a=10 cm", "dot(theta)=0.5", "--until", "1")["runs"][0]
    assert data["end"]["t"] == 1.0 and data["start"]["vtheta"] == 0.5
    assert da.load(data["file"]).provenance["parameters"]["a"] == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("words", "needle"),
    [(["aa=1"], "did you mean a?"), (["a"], "NAME=VALUE"), (["a=1", "a=2"], "twice"), (["--run", "tern"], "turn")],
)
def test_wrong_words_are_wrong_commands(file, words, needle):
    code, _, err = call("run", file, *words)
    assert code == 2 and needle in err


@pytest.mark.parametrize(
    "words",
    [["run", "{}", "--out", ""], ["export", "{}", "--csv", "--out", ""], ["sweep", "{}", "--store="], ["derive", ""]],
)
def test_an_empty_path_is_no_folder(file, words):
    code, _, err = call(*(word.format(file) for word in words))
    assert code == 2 and "the path is empty" in err


def test_a_run_that_fails_exits_with_3_and_keeps_its_part(file):
    text = SLEIGH.replace(
        "until = 4", 'until = 4\nevent = [{ name = "far", guard = "sqrt(0.5 - x) + 1", then = "stop" }]'
    )
    with open(file, "w") as stream:
        stream.write(text)
    data = answer("run", file, code=3)
    assert data["runs"][0]["audit"]["verdict"] == "failed"
    assert os.path.exists(data["runs"][0]["file"])


def test_the_summary_has_at_most_12_lines(file):
    _, out, _ = call("run", file)
    assert len(out.splitlines()) <= 12 and max(map(len, out.splitlines())) <= 80
    assert "dalembert export" in out


# --- interrupted, resumed --------------------------------------------------------------------------------------------


def test_an_interrupted_path_goes_on_to_the_same_end(file):
    with open(file, "w") as stream:
        stream.write(SPRING)
    equations = da.free(da.read(file).system)
    start = equations.start(x=1, vx=0)
    asked = iter([False, True])
    part = da.simulate(equations, start, until=5000.0, halt=lambda: next(asked))
    assert part.outcome.startswith("E320") and not part.ok and 0 < part.t[-1] < 5000
    last = dict(zip(part.names[: part.states], part.values[-1], strict=False))
    rest = da.simulate(equations, equations.start(t=float(part.t[-1]), **last), until=5000.0)
    path = joined(part, rest)
    assert path.ok and path.outcome == "reached t = 5000"
    t = np.linspace(0, 5000, 501)
    assert np.abs(path.at(t)["x"] - np.cos(2 * t)).max() <= 1e-7  # rtol 1e-12 over 10^4 radians
    assert path.audit.steps == part.audit.steps + rest.audit.steps
    assert len(path.t) == len(part.t) + len(rest.t) - 1 and np.all(np.diff(path.t) > 0)


def test_a_path_of_samples_that_stopped_between_two_goes_on_and_is_stored(file, tmp_path):
    equations = da.nonholonomic(da.read(file).system)
    start = equations.start(x=0, y=0, theta=0.3, vx=1.0, vtheta=0.2)
    until, samples = 200.0, np.linspace(0, 200, 9)
    asked = iter([False, True])
    part = da.simulate(equations, start, until=until, samples=samples, max_step=0.1, halt=lambda: next(asked, True))
    assert not part.reached and 0 < part.t[-1] < part.dense.interpolant.t[-1] < until
    rest = da.simulate(equations, part.state(part.t[-1]), until=until, samples=samples[samples >= part.t[-1]])
    path = joined(part, rest)
    path.save(tmp_path / "whole.npz")
    whole = da.simulate(equations, start, until=until, samples=samples)
    for found in (path, da.load(tmp_path / "whole.npz")):
        np.testing.assert_allclose(found.values, whole.values, atol=1e-10)
        np.testing.assert_allclose(found.at(part.t[-1] * 1.001)["x"], whole.at(part.t[-1] * 1.001)["x"], atol=1e-9)


def test_paths_that_do_not_meet_are_not_joined(file):
    equations = da.nonholonomic(da.read(file).system)
    path = da.simulate(equations, equations.start(x=0, y=0, theta=0.3, vx=1.0, vtheta=0.2), until=1.0)
    with pytest.raises(da.DalembertError, match="E303"):
        joined(path, path)


def test_control_c_stores_what_is_reached_and_resume_goes_on(file, tmp_path):
    with open(file, "w") as stream:
        stream.write(SPRING)
    known, told = telling(tmp_path, "run_context.py", "gather", 2)
    command = [sys.executable, "-m", "dalembert", "run", file]
    process = subprocess.Popen(command, env=known, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    until(told, process)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert process.returncode == 4, (out, err)
    assert "--resume" in out and "Traceback" not in err
    stored = da.load("results/sleigh/long.npz")
    reached = stored.t[-1]
    data = answer("run", file, "--resume", "--until", str(reached + 10.0))["runs"][0]
    assert data["end"]["t"] == reached + 10.0 and data["audit"]["verdict"] == "ok"


def test_what_is_finished_is_not_shortened_by_going_on(file):
    data = answer("run", file)["runs"][0]
    end, stored = data["end"]["t"], next(Path("results/sleigh").glob("*.npz"))
    before = stored.read_bytes()
    code, _, err = call("run", file, "--resume", "--until", str(end / 2))
    assert code and "E521" in err and f"reaches t = {end:g}" in err and stored.read_bytes() == before
    assert answer("run", file, "--resume")["runs"][0]["end"]["t"] == end
    assert answer("run", file, "--until", str(end / 2))["runs"][0]["end"]["t"] == end / 2


def test_what_is_asked_otherwise_does_not_replace_what_the_file_asks(file):
    ways = [(), ("m=2",), ("m=3",)]
    stored = [answer("run", file, *way)["runs"][0]["file"] for way in ways]
    assert len(set(stored)) == len(ways)
    assert answer("run", file, "m=2")["runs"][0]["file"] == stored[1]
    assert da.load(stored[0]).provenance["parameters"]["m"] != da.load(stored[1]).provenance["parameters"]["m"] == 2


# --- compare, sweep, export, cite ------------------------------------------------------------------------------------


def test_compare_says_where_the_principles_part(file):
    data = answer("compare", file, "lam_blade=0", "--principles", PRINCIPLES, "--figure", "c.svg")
    pair = data["comparisons"][0]["pairs"][0]
    assert 0 < pair["parts_at"] < 4 and "part" in pair["verdict"]
    assert os.path.getsize("c.svg") > 10_000


@pytest.mark.parametrize("words", [("compare", "--principles", PRINCIPLES), ("sweep", "a=0.1,0.2")], ids=lambda w: w[0])
def test_a_figure_of_no_form_is_refused_before_any_work(file, words, monkeypatch):
    def no_work(*_):
        raise AssertionError("the file was read")

    monkeypatch.setattr("dalembert.study.read", no_work)
    for name in ("f.xyz", "f"):
        code, out, err = call(words[0], file, *words[1:], "--figure", name)
        assert code == 2 and not out and err.startswith("E307") and "--figure f.svg" in err and "png" in err
        assert os.listdir() == [file]


def test_multipliers_may_be_numbered_as_in_a_file(file):
    pairs = [
        answer("compare", file, word, "--principles", PRINCIPLES)["comparisons"] for word in ("lam1=2", "lam_blade=2")
    ]
    assert pairs[0] == pairs[1]


def test_compare_without_principles_says_how(file):
    code, _, err = call("compare", file)
    assert code == 2 and "--principles nonholonomic,vakonomic" in err


def test_a_sweep_is_what_single_runs_give_and_can_be_read_again(file):
    pytest.importorskip("zarr")
    words = ["sweep", file, "dot(theta)=0:1:5", "a=10 cm,20 cm", "--figure", "s.svg"]
    data = answer(*words)["sweeps"][0]
    assert data["outcomes"] == {"reached the end": 10}
    assert os.path.getsize("s.svg") > 5_000
    code, _, err = call(*words)
    assert code == 2 and "--resume" in err
    assert answer(*words, "--resume")["sweeps"][0]["outcomes"] == data["outcomes"]
    assert call("export", data["store"], "--csv", "--out", "table")[0] == 0
    rows = np.genfromtxt("table.csv", delimiter=",", names=True)
    assert len(rows) == 10
    one = answer("run", file, "dot(theta)=0.75", "a=20 cm")["runs"][0]["end"]
    row = rows[(rows["vtheta_start"] == 0.75) & (rows["a"] == 0.2)]
    assert row["x"][0] == pytest.approx(one["x"], rel=1e-9)


def stored_in(out):
    """Where a sweep says that it lies."""
    return next(line.split()[1] for line in out.splitlines() if line.startswith("stored "))


DERIVED = SLEIGH.replace('J = "0.5 kg*m^2"', 'J = "m*a^2/2"')


def test_axes_stay_axes_where_other_parameters_follow_from_them(file):
    pathlib.Path(file).write_text(DERIVED)
    words = ["m=1:2:2", "dot(x)=1,2", "dot(theta)=.1:.5:3", "a=10 cm,20 cm"]
    code, out, _ = call("sweep", file, *words, "--columns", "x")
    assert code == 0 and "over vx_start (2) x vtheta_start (3) x m (2) x a (2)" in out.splitlines()[1]
    assert out.splitlines()[2].split() == ["vx_start", "vtheta_star", "m", "a", "x"]
    ends = da.ensembles.stored(stored_in(out))
    one = answer("run", file, "m=2", "dot(x)=2", "dot(theta)=0.3", "a=20 cm")["runs"][0]["end"]
    assert float(ends.x.sel(vx_start=2, vtheta_start=0.3, m=2, a=0.2, method="nearest")) == pytest.approx(
        one["x"], rel=1e-9
    )


def test_a_parameter_that_only_feeds_others_is_varied_as_any(file):
    text = SLEIGH.replace('J = "0.5 kg*m^2"', 'J = "m*d^2/2"\nd = "80 cm"')
    swept = """
[[sweep]]
name = "sizes"
principle = "nonholonomic"
until = 4
parameters = { d = ["40 cm", "1 m"], m = [1, 2] }
"""
    start = text.partition("start = ")[2].partition("\n")[0]
    pathlib.Path(file).write_text(f"{text}{swept}start = {start}\n")
    code, out, err = call("sweep", file, "--columns", "x")
    assert code == 0 and "over d (2) x m (2)" in out.splitlines()[1], err
    asked = call("sweep", file, "d=40:100:2 cm", "m=1,2", "--columns", "x", "--store", "other.zarr")[1]
    assert asked.splitlines()[:6] == out.splitlines()[:6]
    ends = da.ensembles.stored(stored_in(out))
    one = answer("run", file, "m=2", "d=40 cm")["runs"][0]["end"]
    assert float(ends.x.sel(m=2, d=0.4, method="nearest")) == pytest.approx(one["x"], rel=1e-9)
    alone = call("sweep", file, "d=40 cm", "m=1,2", "--columns", "x")[1]
    assert [row.split()[-1] for row in alone.splitlines()[3:5]] == [row.split()[-1] for row in out.splitlines()[3:5]]


def test_a_changed_file_is_another_sweep(file):
    first = call("sweep", file, "dot(theta)=0,1")[1]
    pathlib.Path(file).write_text(SLEIGH.replace("until = 4", "until = 3"))
    code, again, _ = call("sweep", file, "dot(theta)=0,1")
    assert code == 0 and stored_in(first) != stored_in(again)


def test_ranges_take_units_and_columns_are_kept(file):
    each, last = ("a=10 cm:20 cm:3", "a=10:20:3 cm")
    words = "--columns", "energy lam_blade"
    first = call("sweep", file, each, *words)[1]
    # the same sweep, which lies in the same folder
    again = call("sweep", file, last, *words, "--resume")[1]
    assert first == again
    found = [text.splitlines()[1:6] for text in (first, again)]
    assert found[0][1].split() == ["a", "energy", "lam_blade"] and found[0][2].split()[0] == "0.1"
    code, _, err = call("sweep", file, "a=10 cm:20:3")
    assert code == 2 and "E241" in err and "0:100:11 cm" in err


EVENT = """
[[run.event]]
name = "far"
guard = "x - 2"
then = "stop"
"""


def test_members_that_end_early_are_counted_first_and_marked(file):
    pathlib.Path(file).write_text(SLEIGH + EVENT)
    _, out, _ = call("sweep", file, "m=-1,1", "dot(x)=0.1,2")
    lines = out.splitlines()
    assert lines[0] == "4 members: 2 E108 kinetic energy negative, 1 reached the end, 1 stopped by an event"
    assert lines[1].endswith("nonholonomic, over vx_start (2) x m (2)")
    marks = {tuple(line.split()[:2]): line.split()[-1] for line in lines[3:7]}
    assert marks["0.1", "-1"] == "E108" and marks["2", "1"] == "event" and marks["0.1", "1"] not in ("E108", "event")
    study = da.read(file)
    ends = da.sweep(
        da.nonholonomic(study.system),
        starts={"x": 0, "y": 0, "theta": "20 deg", "vx": [0.1, 2], "vtheta": 0.2},
        parameters={"m": [-1, 1]},
        until=4,
        events=[da.Event("far", study.system.space["x"] - 2, "stop")],
    )
    assert da.ensembles.summary(ends).splitlines() == lines[:7]  # a script shows the same


def test_export_has_every_digit(file):
    stored = answer("run", file)["runs"][0]["file"]
    assert call("export", stored, "--csv", "--npz", "--html", "--svg")[0] == 0
    path = da.load(stored)
    table = np.genfromtxt(stored.replace(".npz", ".csv"), delimiter=",", names=True)
    assert np.array_equal(table["x"], path["x"]) and np.array_equal(table["t"], path.t)
    code, _, err = call("export", stored)
    assert code == 2 and "--csv" in err


def test_export_says_that_there_were_no_events(file):
    stored = answer("run", file)["runs"][0]["file"]
    assert "heads alone: the run has no events" in call("export", stored, "--events")[1]


def test_export_has_a_row_for_each_event_in_the_order_of_their_times(file):
    events = ""
    for name, guard in (("turned, at last", "theta - 0.5"), ("away", "x - 1"), ("never", "x + 9")):
        events += f'[[run.event]]\nname = "{name}"\nguard = "{guard}"\nthen = "mark"\n'
    pathlib.Path(file).write_text(SLEIGH + events)
    stored = answer("run", file)["runs"][0]["file"]
    for _ in range(2):  # its own it replaces
        assert call("export", stored, "--events")[0] == 0
    table = pathlib.Path(stored.replace(".npz", "-events.csv"))
    path = da.load(stored)
    with table.open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [float(row["t"]) for row in rows] == sorted(t for times in path.t_events for t in times)
    assert {row["event"] for row in rows} == {"turned, at last", "away"}
    for row in rows:
        marks = path.marks[row["event"]]
        assert float(row["t"]) in marks.t and float(row["x"]) in marks.values[:, marks.names.index("x")]
    table.write_text(table.read_text() + "mine\n")
    assert "E530" in "".join(call("export", stored, "--events", "--json")[1:])


CART = """
schema = 1
space = { coordinates = { s = "line", n = "line" } }
parameters = { g = 9.81, mu = 0.2, mus = 0.5 }
lagrangian = { L = "(dot(s)^2 + dot(n)^2)/2 - g*(s*sin(0.25) + n*cos(0.25))" }
contact = [{ name = "wheels", gap = "n", slip = ["dot(s)"], mu = "mu", mu_static = "mus" }]

[[run]]
principle = "free"
start = { s = 0, n = 0, "dot(s)" = 3, "dot(n)" = 0 }
until = 2
"""
HALF = '[[run.event]]\nname = "half"\nguard = "dot(s) - 1.5"\nthen = "mark"\n'


@pytest.mark.parametrize("marked", [False, True])
def test_export_of_events_has_what_contacts_do_with_every_digit(file, marked):
    """v(t) = 3 - g (sin a + mu cos a) t: it sticks where that is 0; with a mark half of the way up beside it."""
    pathlib.Path(file).write_text(CART + HALF * marked)
    run = answer("run", file)["runs"][0]
    stored = run["file"]
    assert not [note for note in run["audit"]["notes"] if note.startswith("N410")]  # though the last piece rests
    for _ in range(2):  # its own it replaces
        assert "heads" not in call("export", stored, "--events")[1]
    with pathlib.Path(stored.replace(".npz", "-events.csv")).open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    end = 3 / (9.81 * (math.sin(0.25) + 0.2 * math.cos(0.25)))
    expected = [("wheels", 0, "slides"), *[("half", end / 2, "")] * marked, ("wheels", end, "sticks")]
    assert [(row["event"], row["mode"]) for row in rows] == [(name, mode) for name, _, mode in expected]
    np.testing.assert_allclose([float(row["t"]) for row in rows], [t for _, t, _ in expected], rtol=0, atol=1e-9)


@pytest.mark.parametrize("what", ["sleigh.toml", "penny", None])
def test_cite_knows_files_and_systems(file, what):
    code, out, _ = call("cite", *([what] if what else []))
    assert code == 0 and out.strip()
    code, out, _ = call("cite", *([what] if what else []), "--bibtex")
    assert code == 0 and out.lstrip().startswith("@")


def test_what_is_nothing_is_said_so(file):
    code, _, err = call("cite", "sleih.toml")
    assert code == 2 and "did you mean sleigh.toml?" in err


def test_the_gallery_lists_every_system_with_its_whole_title(file):
    _, out, _ = call("gallery")
    lines, words = out.splitlines(), " ".join(out.split())
    assert max(map(len, lines)) <= 80
    for name in gallery.names():
        assert any(line.startswith(f"{name} ") for line in lines)
        assert f"{name} {gallery.about(name)} [{gallery.module(name).SOURCE}]" in words
        assert gallery.listed(name).said == gallery.module(name).__doc__.strip()
        assert gallery.listed(name).variants == tuple(gallery.variants(name))


def test_the_first_sight_says_what_to_do_first():
    _, out, err = call()
    lines = (out + err).splitlines()
    begin = lines.index("  Begin with these three:")
    assert [line.split()[1] for line in lines[begin + 1 : begin + 4]] == ["new", "explore", "run"]


def test_a_run_shows_places_and_how_far_a_body_has_turned(file, monkeypatch):
    study = gallery.study("ball_on_turntable", None)
    path = runs.run(study, study.runs[0])
    told = [line.split() for line in results.lines_of_columns(path)]
    assert [words[0] for words in told] == ["x", "y", "R", "vx", "and"]
    # the turn between two attitudes, by SciPy
    R = [Rotation.from_quat([path[f"R_{k}"][i] for k in "xyzw"]) for i in (0, -1)]
    assert float(told[2][4]) == pytest.approx(np.degrees((R[0].inv() * R[1]).magnitude()), rel=1e-5)
    assert [line.split()[0] for line in results.lines_of_columns(path, ["energy", "w3"])] == ["energy", "w3"]


def test_a_run_shows_the_columns_that_are_asked_for(file):
    _, out, _ = call("run", str(file), "--columns", "dot(x)", "--force")
    assert any(line.startswith("  vx  ") for line in out.splitlines())
    _, out, _ = call("run", str(file), "--columns", "theta energy", "--force")
    assert [line.split()[0] for line in out.splitlines()[2:4]] == ["theta", "energy"]
    code, _, err = call("run", str(file), "--columns", "teta", "--force")
    assert code == 2 and "did you mean theta" in err


def test_a_run_tells_the_modes_of_contacts(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pathlib.Path("block.toml").write_text(SLIDING)
    code, out, _ = call("run", "block.toml", "--report", "block.html", "--columns", "vx floor_normal floor_friction")
    told = "contact      floor: slides from 0 s, sticks from 1.019 s"  # v / (mu g)
    assert code == 0 and told in out.splitlines()
    normal, friction = (line.split() for line in out.splitlines()[3:5])
    assert (normal[0], float(normal[1])) == ("floor_normal", pytest.approx(2 * 9.81))
    assert (friction[0], float(friction[1])) == ("floor_friction", pytest.approx(-0.3 * 2 * 9.81, rel=1e-5))
    assert told in str(da.load("results/block/slide.npz")).splitlines()
    page = pathlib.Path("block.html").read_text()
    assert "Contacts</caption>" in page and "1.01937" in page
    modes = answer("run", "block.toml", "--force")["runs"][0]["contacts"]
    assert [(each["contact"], each["mode"]) for each in modes] == [("floor", "slides"), ("floor", "sticks")]
    assert [each["t"] for each in modes] == pytest.approx([0, 3 / (0.3 * 9.81)])


def test_the_gallery_runs_a_system(file):
    data = answer("gallery", "penny")
    assert all(each["audit"]["verdict"] == "ok" for each in data["results"] if "audit" in each)
    code, _, err = call("gallery", "peny")
    assert code == 2 and "did you mean penny?" in err


def test_explain_and_doctor(file):
    assert "E234" in call("explain", "e234")[1]
    assert answer("doctor")["checks"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "powershell"])
def test_completion(shell, monkeypatch):
    code, out, _ = call("completion", shell)
    assert code == 0 and "_DALEMBERT_COMPLETE" in out


def test_powershell_is_answered_a_word_a_line():
    words = {"_DALEMBERT_COMPLETE": "powershell_complete", "COMP_WORDS": "dalembert ga", "COMP_WORD": "ga"}
    done = CliRunner().invoke(main, [], prog_name="dalembert", env=words)
    assert done.output.split("\t")[0] == "gallery"


# --- the child process -----------------------------------------------------------------------------------------------


def test_a_foreign_file_is_stopped_at_its_limits(file, apart, monkeypatch):
    monkeypatch.setattr(process, "_LOOK", 1e-3)  # long before any machine has loaded what a derivation needs
    with monkeypatch.context() as patch:
        patch.setattr(psutil.Process, "cpu_times", lambda _: SimpleNamespace(user=600.0, system=1.0))
        assert call("check", file, "--seconds", "700")[0] == 0
        code, _, err = call("check", file, "--seconds", "600.5")
    assert code == 1 and "E136" in err and "600.5 s" in err and "--seconds 600" in err
    code, _, err = call("check", file, "--gibibytes", "0.01")
    assert code == 1 and "0.01 GiB" in err


def test_the_child_answers_like_the_parent(file, apart):
    code, out, err = call("check", file)
    assert (code, out, err) == call("check", file, "--trust") and code == 0
    with open(file, "w") as stream:
        stream.write(SLEIGH.replace("J/2", "JJ/2"))
    code, _, err = call("check", file)
    assert code == 1 and "JJ" in err


# --- small things ----------------------------------------------------------------------------------------------------


def test_a_reader_that_goes_away_is_no_error(file):
    command = f"{sys.executable} -m dalembert explain | head -1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.stdout and not done.stderr


def test_a_terminal_without_greek_is_no_error(file):
    with open(file, "w", encoding="utf-8") as stream:
        stream.write(SLEIGH.replace("theta =", '"θ" =').replace("theta", "θ"))
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "LC_ALL": "C", "PYTHONUTF8": "0"}
    command = [sys.executable, "-m", "dalembert", "check", file]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_long_lines_are_broken_and_quoted_ones_are_not():
    quoted = "x" * 100
    text = f"E1 {'word ' * 30}\n  {quoted}\n  {' ' * 50}^^^\n  do: {'type ' * 30}"
    lines = folded(text).splitlines()
    assert f"  {quoted}" in lines
    assert all(len(line) <= 80 for line in lines if quoted not in line)
    assert folded(folded(text)) == folded(text)


def test_a_setting_with_which_a_package_does_not_load_is_named(monkeypatch, tmp_path):
    (tmp_path / "unloaded.py").write_text("raise RuntimeError('unrecognized value for UNLOADED_DEBUG: evil')")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(gallery, "names", lambda: import_module("unloaded"))
    assert call("gallery")[2].startswith("E499")
    monkeypatch.setenv("UNLOADED_DEBUG", "evil")
    code, _, err = call("gallery")
    assert code == 2
    assert err.startswith("E801 unloaded does not load")
    assert "env -u UNLOADED_DEBUG dalembert" in err


def test_a_fault_of_the_library_is_no_traceback(monkeypatch, file):
    monkeypatch.setattr(gallery, "names", lambda: 1 / 0)
    code, _, err = call("gallery")
    assert code == 3 and err.startswith("E499") and "Traceback" not in err
    assert process.tell_derived() is None


def test_what_a_start_lacks_is_told_at_the_start_in_words_of_the_file(file):
    code, _, err = call("run", file, "--principle", "vakonomic")
    assert code == 1 and "start = {" in err and "add to the command line: lam_blade=0" in err and "=..." not in err


@pytest.mark.parametrize(
    ("asked", "meant"),
    [("coin", "eulers_disc or penny"), ("vertical_disc", "coupled_discs or penny"), ("turntable", "ball_on_turntable")],
)
def test_systems_of_the_gallery_are_found_by_what_is_said_of_them(asked, meant):
    for command in (["explore", asked], ["film", asked], ["new", "mine", "--from", asked]):
        code, _, err = call(*command)
        assert code and f"did you mean {meant}?" in err
        assert err.startswith("E308" if command[0] == "new" else "E501")


def test_a_file_of_ones_own_is_no_system_of_the_gallery():
    for asked, meant in (("robot.toml", "dalembert check robot.toml"), ("t.csv", "dalembert fit FILE.toml t.csv")):
        code, _, err = call("new", "mine", "--from", asked)
        assert code == 2 and err.startswith("E308") and meant in err


def test_a_system_of_the_gallery_is_no_file_yet():
    for command in ("run", "check", "derive", "compare", "sweep"):
        code, _, err = call(command, "painleve_rod")
        assert code and err.startswith("E501") and "dalembert new NAME --from painleve_rod" in err


def test_what_only_python_has_is_not_proposed_to_the_command_line(tmp_path):
    bare = tmp_path / "bare.toml"
    bare.write_text(
        'schema = 1\n[space]\ncoordinates = { a = "angle" }\n[lagrangian]\nL = "dot(a)^2"\n'
        '[[run]]\nname = "one"\nprinciple = "free"\nstart = { a = 0, "dot(a)" = 1 }\nuntil = 1\n'
    )
    code, _, err = call("film", str(bare))
    assert code and "da." not in err
    assert "[[body]]" in err or "dalembert film FILE" in err


def test_a_wrong_value_on_the_command_line_is_a_wrong_command(file):
    assert call("run", file, "a=10 parsnips")[0] == 2


def test_click_answers_in_json_too(file):
    assert "--bogus" in answer("run", file, "--bogus", code=2)["problems"][0]["fact"]
    code, out, _ = call("rnu", "--json")
    assert code == 2 and "did you mean run?" in json.loads(out)["problems"][0]["fact"]


def test_runs_whose_names_look_alike_are_stored_apart():
    from dalembert.apps.results import file_names

    assert file_names(["a b", "a-b", "A b", "c"]) == {"a b": "a-b", "a-b": "a-b-2", "A b": "A-b-3", "c": "c"}


def test_a_motion_of_no_length_has_one_sample(file):
    runs = answer("run", file, "--until", "0")["runs"]
    assert runs[0]["end"]["t"] == 0
