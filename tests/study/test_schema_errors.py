"""What is wrong in a file: code, line, caret, remedy; all at once. Rows 94, 95, and what of E1 to E3 is text."""

import math
import pickle
import re
from importlib import import_module

import pytest

import dalembert as da
from dalembert.errors import DalembertError, InvalidValue, Place, Problems
from dalembert.study import read_source

# (code, piece of the sleigh, what stands in its place, what the caret is below)
SYNTAX = [
    ("E507", "m = 1.5", "m = 0,5", ","),
    ("E507", "m = 1.5", "m = ", None),
    ("E507", "m = 1.5", "m = 1.5\nm = 2", None),
    ("E507", "m = 1.5", 'm = "1.5', None),
    ("E507", "m = 1.5", "m = [1, 2", None),
    ("E507", "m = 1.5", "dot(x) = 1.5", "("),
    ("E507", "m = 1.5", f"m = {'[' * 5000}", None),
    ("E507", "m = 1.5", f"m = {'[' * 100}{']' * 100}", None),
    ("E507", "m = 1.5", f"m = {'9' * 5000}", None),
    ("E507", "m = 1.5", f"{'a.' * 3000}a = 1", None),
    ("E507", "m = 1.5", 'm = "\\q"', None),
    ("E507", "m = 1.5", "m = 1.5 J = 2", "J"),
    ("E507", "[space]", "[space", None),
    ("E507", "[parameters]", "[units]\n[units]", None),
]
KEYS = [
    ("E508", "[lagrangian]", "[langrangian]", "[langrangian]"),
    ("E508", "[parameters]", "[paramters]", "[paramters]"),
    ("E508", "until = 2", "until = 2\nrtoll = 1e-9", "rtoll"),
    ("E508", "until = 2", "until = 2\noptions = { rtoll = 1e-9 }", "rtoll"),
    ("E508", "phi = ", "phii = ", "phii"),
    ("E508", "until = 2", "", "[[run]]"),
    ("E508", "schema = 1\n", "", None),
    ("E508", 'title = "Sleigh"', "title = 3", "3"),
    ("E508", 'name = "blade"', "name = [1]", "[1]"),
    ("E508", "[[constraint]]", "[constraint]", "[constraint]"),
    ("E508", 'theta = "angle"', 'theta = "angel"', '"angel"'),
    ("E508", 'theta = "angle"', 'theta = { kind = "angle", velocty = "w" }', "velocty"),
    ("E508", "m = 1.5", 'm = { value = 1.5, sign = "plus" }', '"plus"'),
    ("E102", "until = 2", "until = 2\nrtol = 1e-9\noptions = { rtol = 1e-8 }", "1e-8"),
    ("E508", "until = 2", "until = 2\norder = 2.0", "2.0"),
    ("E508", "[[run]]", '[[force]]\nalong = "x"\n\n[[run]]', "along"),
    ("E508", "[[run]]", '[[force]]\nvelocity = ["dot(x)"]\nforce = "-m"\n\n[[run]]', '"-m"'),
    ("E509", "schema = 1", "schema = 2", "2"),
    ("E509", "schema = 1", "schema = 0", "0"),
    ("E509", "schema = 1", "schema = 99\nanything = 3", "99"),
]
TEXTS = [
    ("E702", "J/2*", "JJ/2*", "JJ"),
    ("E704", "J/2*", "2J*", "J"),
    ("E703", "*cos(theta)", "*cosh2(theta)", "cosh2"),
    ("E706", "*sin(theta)", "*sin(theta) = 0", "="),
    ("E707", "J/2*dot", "J/2*(dot", "("),
    ("E710", "J/2*", "J/2*dot(m)*", None),
    ("E701", '"dot(y)*cos(theta) - dot(x)*sin(theta)"', '""', None),
    ("E715", "J/2*", "J/2*__import__('os').system('id')*", None),
    ("E713", "J/2*", "9^9^9*", None),
    ("E716", "J/2*", "+" * 4100, None),
    ("E717", "J/2*", "J\u22122*", "\u2212"),
    ("E718", '"dot(y)*cos(theta) - dot(x)*sin(theta)"', "true", "true"),
]
SYSTEM = [
    ("E103", "J = 0.5", "J = 0.5\nx = 1", "x"),
    ("E103", "J = 0.5", "J = 0.5\nsin = 1", "sin"),
    ("E110", '"dot(y)*cos(theta) - dot(x)*sin(theta)"', '"x - x"', '"x - x"'),
    ("E111", '"dot(y)*cos(theta) - dot(x)*sin(theta)"', '"1"', '"1"'),
    ("E102", "[[run]]", '[[constraint]]\nname = "blade"\nphi = "dot(x)"\n\n[[run]]', '"blade"'),
    ("E204", "m = 1.5", "m = true", "true"),
    ("E204", "m = 1.5", 'm = "1.5"', '"1.5"'),
    ("E204", "m = 1.5", "m = 2026-01-01", "2026-01-01"),
    ("E204", "m = 1.5", "m = 07:32:00", "07:32:00"),
    ("E204", "m = 1.5", "m = [1.5]", "[1.5]"),
    ("E203", "m = 1.5", "m = nan", "nan"),
    ("E203", "m = 1.5", "m = 1e400", "1e400"),
    ("E203", "m = 1.5", "m = -inf", "-inf"),
    ("E205", "m = 1.5", 'm = { value = 0, sign = "positive" }', "0"),
    ("E206", "m = 1.5", 'm = "1.5 kgg"', '"1.5 kgg"'),
    ("E206", "m = 1.5", 'm = "10kg"', '"10kg"'),
    ("E210", "m = 1.5", 'm = "2*J"\nn = "k"\nk = "n + 1"', '"k"'),
    ("E210", "m = 1.5", 'm = "m + 1"', '"m + 1"'),
    ("E702", "m = 1.5", 'm = "2*JJ"', "JJ"),
    ("E134", "m = 1.5", 'm = { value = "1.5 kg" }\nk = "3 m"\nn = "k + m"', '"k + m"'),
    ("E127", "[[run]]", '[forces]\nvz = "-x"\n\n[[run]]', "vz"),
    ("E127", "[[run]]", "[[force]]\nvelocity = [1]\n\n[[run]]", "[[force]]"),
    ("E128", "[[run]]", '[friction]\nviscous = { velocity = ["dot(x)"], nu = -1 }\n\n[[run]]', "-1"),
    ("E125", "[[run]]", '[symmetry]\nspin = "x"\nturns = "x"\n\n[[run]]', None),
    ("E104", "[[run]]", '[symmetry]\ncyclic = "z"\n\n[[run]]', '"z"'),
    ("E109", "[[run]]", "[inertias]\ntop = [1, 1, 3]\n\n[[run]]", "[1, 1, 3]"),
    ("E130", "[[run]]", '[[wall]]\nname = "w"\nguard = "x - 5"\nrestitution = 2\n\n[[run]]', "2"),
    ("E131", "[[run]]", '[[wall]]\nname = "w"\nguard = "dot(x)"\n\n[[run]]', '"dot(x)"'),
    ("E104", "[[run]]", '[units]\nz = "m"\n\n[[run]]', "z"),
    ("E206", "[[run]]", '[units]\nx = "cm"\n\n[[run]]', '"cm"'),
]
RUNS = [
    ("E308", '"nonholonomic"', '"nonholonomik"', '"nonholonomik"'),
    ("E301", "until = 2", "until = nan", "nan"),
    ("E301", "until = 2", "until = inf", "inf"),
    ("E301", "until = 2", 'until = "soon"', '"soon"'),
    ("E302", "until = 2", "until = -2", "-2"),
    ("E207", "until = 2", 'until = "2 m"', '"2 m"'),
    ("E229", "y = 0,", "yy = 0,", "yy"),
    ("E229", "y = 0,", "m = 0,", "m"),
    ("E229", '"dot(x)" = 1', '"dot(z)" = 1', '"dot(z)"'),
    ("E233", '"dot(x)" = 1', '"dot(x)" = 1, vx = 1', "vx"),
    ("E235", "y = 0,", "lam_blade = 0,", "lam_blade"),
    ("E204", "y = 0,", "y = true,", "true"),
    ("E204", "y = 0,", 'y = "2*r",', '"2*r"'),
    ("E206", "y = 0,", 'y = "1 cn",', '"1 cn"'),
    ("E203", "y = 0,", "y = nan,", "nan"),
    ("E202", "until = 2", "until = 2\nparameters = { mas = 2 }", "mas"),
    ("E303", "until = 2", "until = 2\nsamples = [1, 0]", "[1, 0]"),
    ("E303", "until = 2", "until = 2\nsamples = [0, 3]", "[0, 3]"),
    ("E303", "until = 2", "until = 2\nsamples = 1", "1"),
    ("E304", "until = 2", "until = 2\nsamples = 1000000000", "1000000000"),
    ("E305", "until = 2", "until = 2\nrtol = 0", "0"),
    ("E307", "until = 2", 'until = 2\nmethod = "RK54"', '"RK54"'),
    ("E307", "until = 2", 'until = 2\nstabilisation = "none"', '"none"'),
    ("E313", "until = 2", "until = 2\nmax_steps = 20000000", "20000000"),
    ("E313", "until = 2", "until = 2\nseconds = 3600", "3600"),
    ("E131", "until = 2", "until = 2\nwalls = true", "true"),
    ("E316", "until = 2", 'until = 2\nevent = [{ name = "e", guard = "x", then = "halt" }]', '"halt"'),
    ("E316", "until = 2", 'until = 2\nevent = [{ name = "e", guard = "x", direction = 2 }]', "2"),
    ("E702", "until = 2", 'until = 2\nevent = [{ name = "e", guard = "xx" }]', "xx"),
    ("E307", "[[run]]\nname", '[[compare]]\nprinciples = "free"\nuntil = 1\n\n[[run]]\nname', '"free"'),
    (
        "E241",
        "[[run]]\nname",
        '[[sweep]]\nprinciple = "free"\nstart = { x = "0:1" }\nuntil = 1\n\n[[run]]\nname',
        '"0:1"',
    ),
    (
        "E241",
        "[[run]]\nname",
        '[[sweep]]\nprinciple = "free"\nstart = { x = "1:1:9" }\nuntil = 1\n\n[[run]]\nname',
        '"1:1:9"',
    ),
    (
        "E304",
        "[[run]]\nname",
        '[[sweep]]\nprinciple = "free"\nstart = { x = "0:1:2000", y = "0:1:2000" }\nuntil = 1\n\n[[run]]\nname',
        None,
    ),
]


@pytest.mark.parametrize(("code", "old", "new", "below"), [*SYNTAX, *KEYS, *TEXTS, *SYSTEM, *RUNS])
def test_one_problem(files, code, old, new, below):
    text = files.changed(old, new)
    found = [p for p in files.problems(text) if p.code == code]
    assert found, [p.line for p in files.problems(text)]
    error = found[0]
    first = text[: text.index(new) if new else 0].count("\n") + 1
    assert first <= error.where.line <= first + new.count("\n") + (1 if below is None else 0) if new else True
    if below is not None:
        assert files.meant(error) == below
    assert error.remedy or error.detail
    shown = str(error).splitlines()
    assert shown[0] == f"{code} {error.fact}"
    assert shown[1].startswith(f"  sleigh.toml:{error.where.line}  ") if error.where else True
    assert shown[-1] == f"  dalembert explain {code}" if error.where else True
    assert error.line.count("\n") == 0


@pytest.mark.parametrize(("code", "old", "new", "below"), [*KEYS, *TEXTS, *SYSTEM, *RUNS])
def test_one_slip_is_one_message(files, code, old, new, below):
    more = {"E125": 2, "E710": 1, "E716": 1}.get(code, 1)
    if new.startswith("anything") or old in ("[parameters]", "schema = 1\n") or "99" in new:
        return
    found = files.problems(files.changed(old, new))
    assert len(found) <= more, [p.line for p in found]


@pytest.mark.parametrize(
    ("formula", "number"), [("sqrt(m*J)", math.sqrt(1.5 * 0.5)), ("-J", -0.5), ("pi/4", math.pi / 4)]
)
def test_a_formula_in_a_start_is_refused_with_the_number_that_it_is(files, formula, number):
    study = read_source(files.SLEIGH)
    equations, start = da.nonholonomic(study.system), {**study.runs[0].start, "x": formula}
    with pytest.raises(da.DalembertError) as alone:
        equations.start(**start)
    with pytest.raises(da.DalembertError) as ranging:
        da.sweep(equations, starts=start, until=1)
    for error in (files.only(files.changed("x = 0,", f'x = "{formula}",')), alone.value, ranging.value):
        told = re.fullmatch(r"give its number[^:]*: ([-.\d]+)(;.*table)?", error.remedy)
        assert error.code == "E204" and float(told[1]) == pytest.approx(number, rel=1e-11)
        assert read_source(files.changed("x = 0,", f"x = {told[1]},")).runs[0].start["x"] == float(told[1])


def test_a_misspelt_table_is_read_as_the_one_that_was_meant(files):
    text = files.changed("[parameters]", "[paramters]")
    error = files.only(text)
    assert (error.code, error.remedy) == ("E508", "did you mean parameters?")
    found = files.problems(files.changed("J/2*", "JJ/2*", text.replace("[lagrangian]", "[Lagrangian]")))
    assert [(p.code, p.where.line) for p in found] == [("E508", 7), ("E508", 11), ("E702", 12)]


def test_all_problems_come_at_once_in_the_order_of_the_file(files):
    text = (
        files.SLEIGH.replace("m = 1.5", "m = nan")
        .replace("J/2", "JJ/2")
        .replace("until = 2", "until = -2\nrtoll = 1e-9")
    )
    text = text.replace("cos(theta) -", "cos(thetta) -").replace("y = 0", "yy = 0")
    with pytest.raises(Problems) as caught:
        read_source(text, "s.toml")
    error = caught.value
    assert [p.code for p in error.problems] == ["E203", "E702", "E702", "E229", "E302", "E508"]
    assert [p.where.line for p in error.problems] == [8, 12, 16, 21, 22, 23]
    assert isinstance(error, ValueError)
    assert error.line.count("\n") == 5
    assert str(error).startswith("6 problems in s.toml:\n\nE203 ")


def test_at_most_twenty_are_shown(files):
    extra = "".join(f'c{n} = "unknown{n}"\n' for n in range(40))
    with pytest.raises(Problems) as caught:
        read_source(files.changed("J = 0.5\n", f"J = 0.5\n{extra}"))
    assert len(caught.value.problems) == 40
    assert str(caught.value).count("E702 c") == 20
    assert str(caught.value).count("dalembert explain E702") == 1  # once for all of them
    assert str(caught.value).endswith("and 20 more")


def test_the_system_is_not_built_from_a_file_that_is_refused(files, monkeypatch):
    monkeypatch.setattr(import_module("dalembert.study.build"), "System", None)
    assert files.only(files.changed("m = 1.5", "m = nan")).code == "E203"


def test_dimensions_that_differ_are_told_at_their_term(files):
    text = files.changed("m = 1.5", 'm = "1.5 kg"').replace("J = 0.5", 'J = "0.5 kg"')
    text = text.replace("[lagrangian]", '[units]\nx = "m"\ny = "m"\n\n[lagrangian]')
    error = files.only(text)
    assert (error.code, error.where.text[:3]) == ("E134", "L =")
    text = files.changed("dot(y)*cos(theta) -", "dot(y)*cos(theta) - x +")
    error = files.only(text.replace("[lagrangian]", '[units]\nx = "m"\ny = "m"\n\n[lagrangian]'))
    assert (error.code, error.where.text[:5]) == ("E134", "phi =")
    assert pointed(error) == "x"


def test_dimensions_that_differ_are_told_at_a_part_of_the_lagrangian(files):
    units = '[units]\nx = "m"\n\n[lagrangian]\nV = "k*x/2"\n'
    text = files.changed("m = 1.5", 'm = "1.5 kg"\nk = "2 N/m"').replace("[lagrangian]\n", units)
    line = next(line for line in text.splitlines() if line.startswith("L ="))
    error = files.only(text.replace(line, 'T = "m/2*dot(x)^2 + m/2*dot(y)^2 + J/2*dot(theta)^2"\nL = "T - 3*V"'))
    assert (error.code, error.where.text[:3]) == ("E134", "T =")
    assert pointed(error) == "m/2*dot(x)^2"
    error = files.only(text.replace(line, 'L = "m/2*(dot(x)^2 + x*dot(x)) - V*x"'))
    assert pointed(error) == "x*dot(x)"


def pointed(error):
    return error.where.text[error.where.column :][: error.where.length]


def test_a_later_error_finds_its_place(files):
    import dalembert as da

    text = files.changed("m/2*(dot(x)^2 + dot(y)^2)", "m/2*dot(x)^2")
    study = read_source(text, "s.toml")
    with pytest.raises(DalembertError) as caught:
        da.nonholonomic(study.system)
    error = study.locate(caught.value)
    assert (error.code, error.where.line) == ("E112", 16)
    assert "s.toml:16" in str(error)


def test_a_title_and_a_name_hold_no_control_characters(files):
    study = read_source(files.changed("Sleigh", "Slei\\u001b[31mgh</script>\\u202e"))
    assert study.title == study.system.title == "Slei [31mgh</script> "
    error = files.only(files.changed('"blade"', '"bla\\u001bde"'))
    assert error.code == "E719"
    assert "\x1b" not in str(error)


def test_messages_show_no_control_character(files):
    shown = str(files.problems(files.changed("m = 1.5", "m = 1.5 \x1b[31m"))[0])
    assert "\x1b" not in shown


def test_a_long_line_is_cut_around_the_caret():
    place = Place("f.toml", 3, 500, "x" * 500 + "HERE" + "y" * 500, 4)
    line, carets = place.shown
    assert len(line) <= 78  # and an indent of two: a terminal of 80 columns
    assert line[carets.index("^") : carets.rindex("^") + 1] == "HERE"


@pytest.mark.parametrize("column", [0, 10, 62, 70, 75, 76])
@pytest.mark.parametrize("name", ["f.toml", "a_folder/of_some/long_name/of_a_file_of_mine.toml"])
def test_what_is_meant_stays_in_a_line_that_is_cut(name, column):
    text = "a" * column + "HERE" + "b" * (76 - column)
    line, carets = Place(name, 12, column, text, 4).shown
    assert len(line) <= max(78, len(name) + 5 + 30)
    assert line[carets.index("^") : carets.rindex("^") + 1] == "HERE"


@pytest.mark.parametrize("name", ["<b>", "a\nb"])
def test_the_name_of_a_text_is_one_line(name):
    with pytest.raises(DalembertError) as caught:
        read_source("x = ", name)
    assert "\n" not in str(caught.value.where)


def test_errors_with_places_survive_a_process_border(files):
    error = files.only(files.changed("m = 1.5", "m = nan"))
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.where) == (str(error), error.where)
    both = Problems([error, InvalidValue("E1", "two")], "s.toml")
    assert str(pickle.loads(pickle.dumps(both))) == str(both)


# (piece of the sleigh, what stands in its place, what is to be typed): in the words of a file, not of Python
REMEDIES = [
    ("m = 1.5", "m = 1.5 kg", 'm = "1.5 kg"'),
    ("m = 1.5", "m: 1.5", "not a colon: m = "),
    ("m = 1.5", "µ = 1.5", '"μ" = '),
    ("m = 1.5", "m = “1.5 kg”", "straight quotes"),
    ("m = 1.5", "m = 1.5 // mass", "#"),
    ("m = 1.5", "m = .5", "0.2"),
    ("m = 1.5", 'm = "1.5 Kg"', "write kg"),
    ("m = 1.5", "m = { value = 1.5, unit = 'kg' }", 'value = "0.2 kg"'),
    ("until = 2", "t_end = 2", "did you mean until?"),
    ("until = 2", "until = 2\ntitle = 'late'", "at the top of the file"),
    ("[parameters]", "[[parameters]]", "[parameters], with one bracket"),
    ("until = 2", "until = 2\norder = 4.0", "4"),
    ("until = 2", 'until = 2\nmax_steps = "500"', "500, without quotes"),
    ("until = 2", 'until = 2\nwalls = "no"', "false, without quotes"),
    ("until = 2", 'until = 2\nmethod = ["taylor"]', '"taylor"'),
    ("schema = 1\n", "schema = 1\nschema = 1\n", "give each key once"),
    ("m = 1.5", 'm = "90°"', 'write "90 °"'),
    ("m = 1.5", 'm = "1.5kg"', 'write "1.5 kg"'),
    ("m = 1.5", 'm = "20 °C"', "base SI"),
    ("m = 1.5", 'm = "5 kmh"', "write km/h"),
    ("[[run]]", "[run", "[parameters], with one bracket on each side"),
    ('theta = "angle"', "theta = angle", "quotes"),
    ('coordinates = { x = "line"', 'coordinates = {\nx = "line"', "[space.coordinates]"),
    ("schema = 1\n", "schema = 1\n[[event]]\nname = 'e'\n", "[[run.event]] below its [[run]]"),
    (
        "[parameters]",
        "[constraints]\nroll = 'x'\n[parameters]",
        "[[constraint]], with two brackets, one for each, with name and phi",
    ),
    ("[space]", "[space]\nangles = ['a', 'b']", 'coordinates = { a = "angle", b = "angle" }'),
    ("[space]", "[space]\nline = 'u v'", 'coordinates = { u = "line", v = "line" }'),
]


@pytest.mark.parametrize(("old", "new", "typed"), REMEDIES)
def test_remedies_are_in_the_words_of_a_file(files, old, new, typed):
    told = " ".join(problem.remedy for problem in files.problems(files.changed(old, new)))
    assert typed in told and "={" not in told and "da." not in told


def test_other_spellings_of_a_rate_are_told_as_dot():
    text = (
        'schema = 1\n[space]\ncoordinates = "x"\n[lagrangian]\nL = "dot(x)^2"\n[[run]]\nprinciple = "free"\nuntil = 1\n'
    )
    for key in ("xdot", "x_dot", '"dot x"', '"x\'"', '"dx/dt"', '"d(x)"'):
        with pytest.raises(DalembertError) as caught:
            read_source(f"{text}start = {{ x = 0, {key} = 1 }}\n")
        assert caught.value.code == "E229" and caught.value.remedy == 'write "dot(x)"'


def test_two_entries_of_a_name_are_refused():
    text = 'schema = 1\n[space]\ncoordinates = "x"\n[lagrangian]\nL = "dot(x)^2"\n'
    run = '[[run]]\nname = "go"\nprinciple = "free"\nuntil = 1\nstart = { x = 0, vx = 0 }\n'
    with pytest.raises(DalembertError) as caught:
        read_source(text + run + run)
    assert caught.value.code == "E102" and caught.value.where.line == 12


def test_a_plastic_wall_may_be_told_as_text():
    text = 'schema = 1\n[space]\ncoordinates = "x"\n[lagrangian]\nL = "dot(x)^2"\n[[wall]]\nname = "w"\nguard = "x"\n'
    as_text, as_number = (read_source(f"{text}restitution = {e}\n").system.walls for e in ('"0"', "0"))
    assert str(as_text) == str(as_number) != str(read_source(text).system.walls)


@pytest.mark.parametrize("name", ["x", '"dot(x)"', "vx"])
def test_a_force_on_a_coordinate_is_that_on_its_rate(files, name):
    forced = files.changed("[[run]]", f'[forces]\n{name} = "-3*dot(x)"\n\n[[run]]')
    x, vx = (read_source(forced, "f.toml").system.space[n] for n in ("x", "vx"))
    assert x != vx and read_source(forced, "f.toml").system.forces[0] == -3 * vx


def test_a_rotation_that_goes_by_its_velocities_is_told_its_name():
    text = (
        "schema = 1\n[space]\nrotation = 'w'\n[lagrangian]\nL = '(w1^2 + w2^2 + w3^2)/2'\n[[run]]\nprinciple = 'free'\n"
    )
    with pytest.raises(DalembertError, match="E229") as caught:
        read_source(text + "start = { w = 'identity', w1 = 0, w2 = 0, w3 = 1 }\nuntil = 1\n")
    assert 'the rotation is called R: R = "identity"; its velocities are w1, w2, w3' in str(caught.value)
    assert read_source(text + "start = { R = 'identity', w1 = 0, w2 = 0, w3 = 1 }\nuntil = 1\n").runs
