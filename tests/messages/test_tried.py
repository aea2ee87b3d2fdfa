"""What an hour of fresh wrong inputs found: each is refused in words, or doubted, and destroys nothing."""

import warnings

import numpy as np
import pytest
import sympy as sp
from click.testing import CliRunner

import dalembert as da
from dalembert.apps.cli import main
from dalembert.apps.process import CONFINED

SPRING = """schema = 1
[space]
coordinates = { x = "line" }
[units]
x = "m"
[parameters]
m = "1 kg"
k = "4 N/m"
[lagrangian]
L = "m/2*dot(x)^2 - k/2*x^2"
[[run]]
name = "go"
principle = "free"
start = { x = "1 m", "dot(x)" = 0 }
until = "2 s"
"""
BODY = '\n[[body]]\nshape = "ball"\nat = ["x", "0", "0"]\nradius = '
FAMILY = '\n[[family]]\nname = "f"\nprinciple = "free"\nparameter = "k"\nover = '
FALLING = "m/2*(vx^2 + vy^2) - m*g*y"
DROPPED = {"x": 0, "y": 1, "vx": 0, "vy": 0}


@pytest.fixture
def call(monkeypatch, tmp_path):
    """A command, with a file and a track in the folder."""
    monkeypatch.setenv(CONFINED, str(tmp_path / "phase"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "spring.toml").write_text(SPRING)
    t = np.linspace(0, 2, 20)
    np.savetxt("track.csv", np.column_stack([t, np.cos(2 * t)]), delimiter=",", header="t,x", comments="")
    return lambda words: CliRunner().invoke(main, words.split(" ") if isinstance(words, str) else words)


def falling(**given):
    return da.System(da.coordinates("x y"), FALLING, parameters={"m": 1.0, "g": 9.81}, **given)


def path():
    spring = da.System(da.coordinates("x"), "vx^2/2 - 2*x^2")
    return da.simulate(da.free(spring), {"x": 1, "vx": 0}, until=2, samples=np.linspace(0, 2, 21))


# --- words of a command ----------------------------------------------------------------------------------------------

WORDS = {
    "run spring.toml --untill 3": ("has no option --untill", "did you mean --until?"),
    "run spring.toml --compare fast": ("has no option --compare", "takes --run NAME"),
    "compare spring.toml --run fast": ("has no option --run", "takes --compare NAME"),
    "run spring.toml --until": ("--until needs a value", "--help"),
    "run spring.toml --resume=yes": ("--resume takes no value", "--help"),
    "run spring.toml --until soon": ("--until = 'soon' is text", "one with its unit"),
    "run spring.toml --until 2m": ("--until = '2m'", 'write "2 m"'),
    "run spring.toml --out spring.toml": ("spring.toml is a file, and --out is a folder", "name of a folder"),
    "run": ("run needs FILE", "[OPTIONS] FILE [NAME=VALUE]..."),
    "check spring.toml spring.toml": ("spring.toml is more than", "check [OPTIONS] FILE"),
    "derive spring.toml --to fortran": ("--to = 'fortran' is not known", "python"),
    "derive spring.toml --out folder": ("folder is a folder, and --out is a file", "name of a file"),
    "derive spring.toml --width 3": ("--width: 3 is not in the range", "--help"),
    "film spring.toml --fps many": ("--fps = 'many' is no number", "--fps 2.5"),
    "film spring.toml --fps 0": ("--fps = 0.0 must be positive", "--fps=1"),
    "film spring.toml --length nan": ("--length = nan must be positive", "--length=1"),
    "sweep spring.toml k=1:5:3 --jobs many": ("--jobs = 'many' is no whole number", "--jobs 8"),
    "reproduce newton1687": ("PAPER = 'newton1687' is not known", "sicm"),
    "check spring.toml --seconds nan": ("nan is no limit", "--help"),
    "rnu spring.toml": ("there is no command 'rnu'", "did you mean run?"),
    "plot spring.toml": ("there is no command 'plot'", "see export"),
}


@pytest.mark.parametrize("words", WORDS)
def test_what_click_refuses_is_said_in_our_words(call, words):
    done = call(words)
    fact, remedy = WORDS[words]
    told = " ".join(done.output.split())
    assert (done.exit_code == 2 and told[:2] == "E2") or told.startswith("E307")
    assert fact in told and remedy in told.partition(" do: ")[2] + told.partition(": ")[2]
    assert "Usage:" not in told and "Error:" not in told


def test_the_end_of_a_run_may_have_its_unit(call):
    assert "0 to 120" in call(["run", "spring.toml", "--until", "2 min"]).output
    done = call(["run", "spring.toml", "--until", "2 m"])
    assert done.exit_code == 2 and "E207 --until is m, needs s" in done.output


def test_an_uncertainty_in_another_unit_than_what_it_is_of_is_refused(call):
    done = call("fit spring.toml track.csv --free k --uncertainty x=1kg")
    assert "E207 the uncertainty of x is kg, needs m" in done.output
    assert call("fit spring.toml track.csv --free k --uncertainty x=1mm").exit_code == 0


# --- files -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (FAMILY + "[3, 3]", "E241 over = [3, 3] is empty|over = [3, 4]"),
        (FAMILY + "[5, 3]", "E241 over = [5, 3] is empty|over = [3, 5]"),
        (BODY + "-1", "E147 radius of the body ball must be above 0, is -1|above 0"),
    ],
)
def test_the_remedy_is_one(call, tmp_path, more, told):
    (tmp_path / "spring.toml").write_text(SPRING + more)
    fact, remedy = told.split("|")
    output = call("check spring.toml").output
    assert fact in output and remedy in output.partition("do: ")[2]


def test_a_heading_that_stands_twice_is_called_one(tmp_path):
    (tmp_path / "twice.csv").write_text("t,x\n0,1\nt,x\n1,2\n")
    with pytest.raises(da.DalembertError, match="E542 t holds 't': the heading stands twice") as refused:
        da.recorded(tmp_path / "twice.csv")
    assert refused.value.where.line == 3


# --- walls and events ------------------------------------------------------------------------------------------------


def test_a_restitution_beside_declared_walls_is_not_left_out():
    system = falling(walls={"low": "y"})
    with pytest.raises(da.DalembertError, match=r"E130 restitution = 0.5 is of walls that are given here"):
        da.impacts.walls(system, restitution=0.5)
    assert len(da.impacts.walls(system)) == 1
    event = da.impacts.walls(falling(), {"low": "y"}, restitution=0.5)
    path = da.simulate(da.free(falling()), DROPPED, until=0.6, events=event)
    assert path.impulses["low"]["normal"][0] == pytest.approx(1.5 * np.sqrt(2 * 9.81), rel=1e-9)


def test_an_event_of_a_walls_name_that_happens_elsewhere_is_refused():
    """It took the wall's place, and the motion fell through the floor."""
    equations = da.free(falling(walls={"low": "y"}))
    half = da.Event("low", "y - 0.5", "mark")
    with pytest.raises(da.DalembertError, match=r"E316 the event low has the name of the wall y > 0") as refused:
        da.simulate(equations, DROPPED, until=1, events=[half])
    assert "another name" in refused.value.remedy
    assert da.simulate(equations, DROPPED, until=1, events=[half], walls=False)["y"][-1] < 0
    stop = da.Event("low", "2*y", "stop")
    assert da.simulate(equations, DROPPED, until=1, events=[stop])["y"][-1] == pytest.approx(0, abs=1e-9)


def test_a_wall_and_a_contact_of_one_name_are_refused():
    with pytest.raises(da.DalembertError, match="E102 a wall and a contact are called 'c'"):
        falling(walls={"c": "y"}, contacts={"c": da.contact("5 - y")})


# --- calls -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("part", [slice(0, 2, 0), slice("a", "b"), slice(0.5, 1.5), slice(None, None, -1)])
def test_a_part_of_a_path_is_counted_in_samples_that_rise(part):
    with pytest.raises(da.DalembertError, match=r"E303 path.* is no part of the path"):
        path()[part]
    assert len(path()[np.int64(2) : 11 : 3]) == 3


@pytest.mark.parametrize(("samples", "remedy"), [(21, "np.linspace(0, 2, 21)"), (2.5, "np.linspace(0, 2, 101)")])
def test_samples_are_times_and_no_count(samples, remedy):
    equations = da.free(falling())
    with pytest.raises(da.DalembertError, match="E303 samples are the times themselves") as refused:
        da.simulate(equations, DROPPED, until=2, samples=samples)
    assert remedy in refused.value.remedy


def test_a_start_of_many_rows_is_refused():
    pandas = pytest.importorskip("pandas")
    with pytest.raises(da.DalembertError, match=r"E241 a start is one state, not DataFrame of the shape \(2, 4\)"):
        da.simulate(da.free(falling()), pandas.DataFrame([DROPPED, DROPPED]), until=1)


def test_a_column_of_a_table_is_given_once():
    with pytest.raises(da.DalembertError, match="E241 x is given twice"):
        da.ensembles.table({"x": [1, 2]}, x=[1, 2])


def test_a_measure_of_executed_code_has_a_fingerprint(tmp_path):
    space = {}
    exec("far = lambda path: 1.0", space)  # as notebooks and doctests do, without a module's name
    space["far"].__module__ = None
    spring = da.free(da.System(da.coordinates("x"), "vx^2/2 - 2*x^2"))
    found = da.sweep(spring, starts={"x": [1, 2], "vx": 0}, until=1, keep={"far": space["far"]}, store=tmp_path / "s")
    assert found["far"].values.tolist() == [1, 1]


def test_a_loop_over_decades_doubts_a_parameter_once_and_notes_it_each_time():
    equations = da.free(falling())
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        notes = [equations.start(**DROPPED, parameters={"g": 9.81 * 10.0**n}).notes for n in (-2, -1, 1, 2)]
    assert [w.message.code for w in caught] == ["W214"]
    assert [[note.code for note in each] for each in notes] == [["W214"]] * 4


# --- numbers a thousand times off ------------------------------------------------------------------------------------

STRETCHED = "m/2*(vx^2 + vy^2) - k/2*(sqrt(x^2 + y^2) - a)^2"


def codes(system, **start):
    """Of the doubts of a start that are shown."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        da.free(system).start(**start)
    return [w.message.code for w in caught]


@pytest.mark.parametrize(
    ("parameters", "units"),
    [({"m": 1, "k": 10, "a": 0.25}, None), ({"m": "1 kg", "k": "10 N/m", "a": "0.25 m"}, {"x": "m", "y": "m"})],
)
def test_a_start_a_thousand_times_all_lengths_is_doubted(parameters, units):
    system = da.System(da.plane("x y"), STRETCHED, parameters=parameters, units=units)
    assert codes(system, x=250, y=0, vx=0, vy=0) == ["W213"]
    assert codes(system, x=249, y=0, vx=0, vy=0) == []
    if units:
        assert codes(system, x="250 m", y="0 m", vx=0, vy=0) == []


def test_where_nothing_bends_a_motion_may_begin_anywhere():
    rod = da.System(da.coordinates("x y"), FALLING + " - m*g*a", parameters={"m": 1, "g": 9.81, "a": 0.01})
    assert codes(rod, x=1e5, y=1e5, vx=0, vy=0) == []


@pytest.mark.parametrize(("speed", "told"), [(4e8, ["W216"]), ("4e8 m/s", ["W216"]), (2.9e8, []), ("4e8 mm/s", [])])
def test_a_speed_above_that_of_light_is_doubted_where_units_are_known(speed, told):
    measured = da.System(da.line("x"), "m*vx^2/2", parameters={"m": "1 kg"}, units={"x": "m"})
    assert codes(measured, x="0 m", vx=speed) == told
    assert codes(da.System(da.line("x"), "m*vx^2/2", parameters={"m": 1}), x=0, vx=4e8) == []


def test_an_input_a_thousand_times_that_of_the_file_is_doubted(call, tmp_path):
    pushed = SPRING + '\n[inputs]\nu = 4\n[[force]]\ncomponents = { "dot(x)" = "u" }\n'
    (tmp_path / "spring.toml").write_text(pushed)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        assert "W214 u = 4000 has the digits of 4" in call("run spring.toml u=4000").output
        assert "W214" not in call("run spring.toml u=3 --force").output


@pytest.mark.parametrize(
    ("measure", "told"), [(lambda path: 1 / 0, "it raises ZeroDivisionError"), (lambda path: np.nan, "it returns nan")]
)
def test_a_measure_that_has_no_number_for_any_member_is_doubted(measure, told):
    spring = da.free(da.System(da.coordinates("x"), "vx^2/2 - 2*x^2"))
    with pytest.warns(da.DalembertWarning, match=f"W318 the measure 'far' gives no number .* of member 0 {told}"):
        found = da.sweep(spring, starts={"x": [1, 2], "vx": 0}, until=1, keep={"far": measure})
    assert np.isnan(found["far"]).all()
    some = da.sweep(
        spring, starts={"x": [1, 2], "vx": 0}, until=1, keep={"far": lambda path: 1 / float(path["x"][0] - 1)}
    )
    assert np.isnan(some["far"].values).tolist() == [True, False]


def test_a_speed_that_passes_that_of_light_in_a_run_is_doubted():
    """v = F t/m is 1e9 m/s at the end; half the time is too short for it."""
    pushed = {"forces": {"vx": "F"}, "parameters": {"m": "1 kg", "F": "1e6 N"}, "units": {"x": "m"}}
    equations = da.free(da.System(da.line("x"), "m*vx^2/2", **pushed))
    for until, told in ((1000, ["W216"]), (200, [])):
        path = da.simulate(equations, {"x": "0 m", "vx": "0 m/s"}, until=until)
        assert [note[:4] for note in path.audit.notes if "W216" in note] == told


def test_a_picture_has_no_lengths():
    """To Pint a pixel is 1/96 inch: 2 px were half a millimetre."""
    with pytest.raises(da.DalembertError, match=r"E206 .* a point of a picture"):
        da.System(da.line("x"), "m*vx^2/2", parameters={"m": "1 kg", "a": "2 px"}, units={"x": "m"})


def test_a_file_that_is_no_result_is_not_called_missing(call, tmp_path):
    (tmp_path / "notes.txt").write_text("t, x")
    assert "E520 notes.txt ends on .txt" in call("export notes.txt --csv").output
    assert "E501" in call("cite missing.txt").output


def test_an_axis_of_the_command_line_in_another_unit_points_at_nothing_else(call, tmp_path):
    driven = SPRING + '\n[inputs]\nu = "4 N"\n[[force]]\ncomponents = { "dot(x)" = "u" }\n'
    (tmp_path / "spring.toml").write_text(driven)
    for word in ("u=1:3:3 kg", "x=1:3:3 kg"):
        told = call(["sweep", "spring.toml", word]).output
        assert "E207" in told and "spring.toml:" not in told


def test_a_key_that_the_bibliography_lacks_is_doubted(call, tmp_path):
    cited = 'cite = ["lewis1996", "lewis1995", "A book, 1990"]\n'
    (tmp_path / "spring.toml").write_text(SPRING.replace("[space]", f"{cited}[space]", 1))
    told = " ".join(call("check spring.toml").output.split())
    assert "W154 lewis1996 is no key of the bibliography, and is cited as it stands: is it lewis1995?" in told
    assert told.count("W154") == 1


@pytest.mark.parametrize(
    ("written", "told"), [("sin(30)", ["W209"]), ("cos(-90)", ["W209"]), ("sin(30*pi/180)", []), ("sin(0.5)", [])]
)
def test_a_sine_of_a_number_above_a_turn_is_doubted(written, told):
    """A slope of 30 degrees: sin(30 rad) = -0.99 turns it round."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = da.System(da.coordinates("x"), f"vx^2/2 - 9.81*x*{written}")
    assert [note.code for note in made.notes] == told


HELD = """schema = 1
[space]
coordinates = { theta = "angle" }
[parameters]
l = "1 m"
[inputs]
M = "0 m^2/s^2"
[lagrangian]
L = "l^2*dot(theta)^2/2 + 9.81*l*cos(theta)"
[forces]
theta = "M"
[[run]]
name = "go"
principle = "free"
start = { theta = 0.1, "dot(theta)" = 0 }
until = 1
"""
SLIPS = [
    (
        "until = 1",
        'until = 1\nparameters = { M = "1 m^2/s^2" }',
        "E202 M is an input, no parameter",
        "inputs = { M = 0.1 }",
    ),
    ("theta = 0.1", 'theta = "\N{MINUS SIGN}1 rad"', "E204", "write '-1 rad', with the - of the keyboard"),
    ('"angle" }', '"angle", }', "E507", "no comma stands before a }"),
    ("[[run]]", "[run]\nuntil = 1\n[[run]]", "E507", "the first is [run]: write [[run]] there too"),
]


@pytest.mark.parametrize(("right", "wrong", "code", "remedy"), SLIPS)
def test_slips_of_files_are_told_with_what_to_write(call, tmp_path, right, wrong, code, remedy):
    (tmp_path / "held.toml").write_text(HELD.replace(right, wrong, 1))
    told = " ".join(call("check held.toml").output.split())
    assert code in told and remedy in told


def test_a_family_of_a_file_with_inputs_is_in_order(call, tmp_path):
    """`dalembert family` follows it; `check` said that the input had no value."""
    family = (
        '[[family]]\nname = "f"\nprinciple = "free"\nparameter = "l"\nover = ["1 m", "2 m"]\nstart = { theta = 0.1 }\n'
    )
    (tmp_path / "held.toml").write_text(HELD + family)
    assert "start of family f" in call("check held.toml").output


@pytest.mark.parametrize(
    ("guard", "then", "told"),
    [
        ("y - l", "mark", ""),
        ("y - 1", "mark", ""),  # a number may carry a unit
        ("y - 3*t", "mark", ""),
        ("x^2 + y^2 - l^2", "mark", ""),
        ("y", {"vy": "-0.5*vy + 2"}, ""),
        ("y - g", "stop", "m + m/s**2 in the guard of edge"),
        ("x^2 + y - l^2", "mark", "the guard of edge"),
        (sp.Symbol("y") - sp.Symbol("g"), "mark", "the guard of edge"),
        ("y", {"vy": "-y"}, "m/s + m in the new vy of edge"),
    ],
)
def test_the_dimensions_of_an_event_fit(guard, then, told):
    given = {"m": "1 kg", "g": "9.81 m/s^2", "l": "2 m"}
    L = "m*(vx^2 + vy^2)/2 - m*g*y*(1 + 0*y/l)"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        e = da.free(da.System(da.coordinates("x y"), L, parameters=given, units={"x": "m", "y": "m"}))
        start = {"x": "0 m", "y": "1 m", "vx": "0 m/s", "vy": "0 m/s"}
        edge = [da.Event("edge", guard, then)]
        if not told:
            assert da.simulate(e, start, until=0.3, events=edge).ok
            return
        with pytest.raises(da.DalembertError, match="E134") as refused:
            da.simulate(e, start, until=0.3, events=edge)
        assert told in refused.value.fact


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("run spring.toml until=3", "--until 3, where the command has it"),
        ("run spring.toml principle=gauss", "--principle gauss, where the command has it"),
        ("run track.csv", "track.csv is a table, and a system file is wanted: dalembert fit SYSTEM.toml track.csv"),
        ("fit track.csv spring.toml --free k", "dalembert fit SYSTEM.toml track.csv"),
        ("new a/b/c --from penny", "there is no folder a/b do: make the folder, or give a place in one that is there"),
    ],
)
def test_what_stands_in_the_wrong_place_is_told_where_it_belongs(call, words, told):
    assert told in " ".join(call(words).output.split())
