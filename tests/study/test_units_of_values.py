"""A number is in the unit of what it replaces, and text with a unit is taken where the numbers are known to be SI."""

import warnings

import pytest

import dalembert as da
from dalembert.apps import runs
from dalembert.apps.assignments import assignments
from dalembert.study import read_source

FILE = """
schema = 1
[space]
coordinates = {{x = "line"}}
[parameters]
m = {m}
k = {k}
[lagrangian]
L = "m*vx^2/2 - k*x^2/2"
[[run]]
principle = "free"
start = {{x = {x}, vx = 0}}
until = 1
"""
IN_UNITS = FILE.format(m='"66.9 g"', k='"2 N/m"', x='"10 cm"')
BARE = FILE.format(m="66.9", k="2", x="10")


def given(text, word):
    study = read_source(text)
    return runs.changed(study.runs[0], study, assignments([word], study))


def refused(text, word):
    with pytest.raises(da.DalembertError) as caught:
        spec = given(text, word)
        runs.start(read_source(text), spec, "free")
    assert caught.value.code == "E207"
    return str(caught.value)


@pytest.mark.parametrize("word, remedy", [("m=66.9", "66.9 g"), ("m=0.0669", "0.0669 kg"), ("x=10", '"0.1 m"')])
def test_a_number_in_place_of_a_value_with_a_unit_is_refused(word, remedy):
    assert remedy in refused(IN_UNITS, word)


@pytest.mark.parametrize("word", ["m=67 g", "m=0.067 kg", "k=3", "x=11 cm", "x=0"])
def test_a_value_in_its_unit_and_a_number_in_place_of_one_in_base_si_are_taken(word):
    assert given(IN_UNITS, word)


@pytest.mark.parametrize("word", ["m=66.9 g", "x=10 cm", "x=10 m", "k=2 N/m"])
def test_text_with_a_unit_is_refused_where_nothing_says_in_which_units_the_numbers_are(word):
    assert "in base SI" in refused(BARE, word)


@pytest.mark.parametrize("old, new", [("until = 1", "until = 1\nparameters = {m = 66.9}"), ("x = 10", 'x = "10 cm"')])
def test_entries_of_a_file_are_held_to_the_same(old, new):
    text = (IN_UNITS if "m" in new.split("=")[-2] else BARE).replace(old, new)
    with pytest.raises(da.DalembertError, match="E207"):
        study = read_source(text)
        runs.start(study, study.runs[0], "free")


def test_a_sweep_is_held_to_the_same():
    text = IN_UNITS.replace("[[run]]", "[[sweep]]")
    for new in ("parameters = {m = [60, 70]}", 'parameters = {m = "60:70:3"}'):
        with pytest.raises(da.DalembertError, match="E207 m = 60 has no unit"):
            read_source(text + new)
    assert read_source(text + 'parameters = {m = "60:70:3 g"}').sweeps[0].parameters["m"][0] == 0.06


def test_a_box_of_samples_keeps_its_units():
    e = da.free(da.System(da.coordinates("x"), "m*vx^2/2", parameters={"m": "1 kg"}, units={"x": "m"}))
    box = da.ensembles.samples(2, x=(0, "10 cm"), vx=("1 kg", "2 kg"))
    with pytest.raises(da.DalembertError, match="E207 vx is kg, needs m/s"):
        da.sweep(e, starts=box, until=1)
    with pytest.raises(da.DalembertError, match="E207"):
        da.ensembles.samples(2, x=("1 cm", "2 kg"))


@pytest.mark.parametrize("option", ['rtol = "1e-9 m"', 'atol = "1 mm"', 'seconds = "5 m"'])
def test_options_have_the_dimension_that_they_are_of(option):
    with pytest.raises(da.DalembertError, match="E207"):
        read_source(IN_UNITS + f"options = {{ {option} }}")


MIXED = """
schema = 1
[units]
x = "m"
m = "kg"
[space]
coordinates = {{ x = "line" }}
[parameters]
m = "10 g"
r = {r}
[lagrangian]
L = "m/2*(dot(x)^2 + (dot(x)/r*x)^2)"
[[run]]
name = "cast"
principle = "free"
start = {{ x = "10 cm", vx = {v} }}
until = 1
"""


@pytest.mark.parametrize(
    ("r", "v", "told"),
    [
        ("1.27", "0.5", ['r = 1.27 has no unit and is taken in m, beside x = "10 cm" in cast: was "1.27 cm" meant?']),
        ('"1.27 m"', "0.5", []),
        ('"2 cm"', "0", []),
    ],
)
def test_lengths_in_one_file_are_held_against_each_other(tmp_path, r, v, told):
    file = tmp_path / "mixed.toml"
    file.write_text(MIXED.format(r=r, v=v))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = [note.text for note in da.read(file).notes if note.code == "W210"]
    assert [text[: len(begin)] for text, begin in zip(found, told, strict=True)] == told


PUSHED = """
schema = 1
[space]
coordinates = {{a = "angle"}}
[inputs]
tau = {tau}
[parameters]
m = "0.3 kg"
l = {l}
g = "9.81 m/s^2"
[lagrangian]
L = "m*l^2*va^2/2 + m*g*l*cos(a)"
[forces]
va = "tau"
[[run]]
principle = "free"
start = {{a = {a}, va = {va}}}
until = 1
"""


@pytest.mark.parametrize(
    "given, told",
    [
        ({"l": "25"}, "l = 25 in m"),
        ({"l": "0", "tau": "5"}, ""),  # only lengths, masses and times are often told in other units
        ({"a": '"30 deg"'}, ""),  # a rate is in rad/s
        ({}, ""),
        ({"l": '"2*s"'}, ""),
    ],
)
def test_numbers_of_a_file_without_a_unit_beside_values_with_one_are_told(given, told):
    own = {"tau": '"5 N*m"', "l": '"25 cm"', "a": "0.5", "va": "2", **given}
    text = PUSHED.format(**own).replace(
        "[lagrangian]", 's = "1 m"\n[lagrangian]' if "s" in own["l"] else "[lagrangian]"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        notes = [note.text for note in read_source(text).notes if note.code == "W215"]
    assert len(notes) == bool(told) and all(told in note for note in notes)


TORQUE = PUSHED.format(tau='"5 mN*m"', l='"25 cm"', a="0.5", va="2")
TABLE = TORQUE.replace('"5 mN*m"', '{ times = [0, 1], values = ["5 mN*m", "6 mN*m"] }')


@pytest.mark.parametrize("text", [TORQUE, TABLE])
@pytest.mark.parametrize("word", ["tau=5", "tau=0.005"])
def test_a_number_in_place_of_an_input_with_a_unit_is_refused(text, word):
    with pytest.raises(da.DalembertError, match=r"E207 tau = [\d.]+ has no unit, but tau was given as '5 mN\*m'"):
        given(text, word)
    assert given(text, word + " N*m").inputs["tau"].endswith(" N*m")


@pytest.mark.parametrize(
    "more, name",
    [
        ("inputs = { tau = 5 }", "tau"),
        ("inputs = { tau = { times = [0, 1], values = [5, 6] } }", "tau"),
        ('[[sweep]]\nprinciple = "free"\nuntil = 1\ninputs = { tau = [5, 6] }', "tau"),
        ("[explore]\nranges = { tau = [5, 6] }", "tau"),
        ("[explore]\nranges = { l = [5, 60] }", "l"),
        ('[[fit]]\nprinciples = "free"\nfree = "l"\nbounds = { l = [5, 60] }', "l"),
        ('[[fit]]\nprinciples = "free"\nfree = "l"\npriors = { l = [25, 1] }', "l"),
    ],
)
def test_what_entries_say_of_a_value_with_a_unit_has_one(more, name):
    with pytest.raises(da.DalembertError, match=f"E207 {name} = (5|25) has no unit, but {name} was given as"):
        read_source(TORQUE + more)


def test_an_end_near_the_number_of_another_unit_is_doubted():
    text = TORQUE.replace("until = 1", 'until = "2 min"')
    study = read_source(text)
    with pytest.warns(da.DalembertWarning, match="W210 until = 3 has no unit .* was declared as '2 min'"):
        runs.changed(study.runs[0], study, {}, until=3.0)
    assert runs.changed(study.runs[0], study, {}, until=180.0).until == 180


@pytest.mark.parametrize(
    ("heading", "word", "refused"), [("F [mN]", "F=5", True), ("F [mN]", "F=5 mN", False), ("F", "F=5", False)]
)
def test_a_number_in_place_of_a_column_is_held_to_the_unit_of_its_heading(tmp_path, heading, word, refused):
    (tmp_path / "push.csv").write_text(f"t,{heading}\n0,0\n1,3\n2,4\n")
    text = IN_UNITS.replace("[lagr", '[inputs]\nF = {file = "push.csv", column = "F"}\n[lagr') + '[forces]\nvx = "F"\n'
    (tmp_path / "a.toml").write_text(text)
    study = da.read(str(tmp_path / "a.toml"))
    if not refused:
        assert runs.changed(study.runs[0], study, assignments([word], study)).inputs["F"] != 3
        return
    with pytest.raises(da.DalembertError, match="E207 F = 5 has no unit, but F was given as '3 mN'"):
        runs.changed(study.runs[0], study, assignments([word], study))
