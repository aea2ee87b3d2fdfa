"""What a hostile afternoon found: masked and endless whole numbers, names that are none, digits of other scripts."""

import json
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
[parameters]
k = 4
[lagrangian]
L = "dot(x)^2/2 - k/2*x^2"
[[run]]
name = "go"
principle = "free"
start = { x = 1, "dot(x)" = 0 }
until = 2
"""


@pytest.fixture
def call(monkeypatch, tmp_path):
    monkeypatch.setenv(CONFINED, str(tmp_path / "phase"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "spring.toml").write_text(SPRING)
    t = np.linspace(0, 2, 20)
    np.savetxt("track.csv", np.column_stack([t, np.cos(2 * t)]), delimiter=",", header="t,x", comments="")
    return lambda *words: CliRunner().invoke(main, words)


@pytest.mark.parametrize("kind", [int, float, np.int8])
def test_a_masked_value_is_a_gap(kind):
    column = np.ma.masked_array(np.array([1, 2, 3], kind), mask=[0, 1, 0])
    with pytest.raises(da.DalembertError, match="E543 a value is missing, of x in row 1"):
        da.recorded({"t": [0, 1, 2], "x": column})


@pytest.mark.parametrize(
    ("data", "code"), [({"t": [0, 1], "x": [10**400, 1]}, "E542"), ({"t": [0, 1], None: [0, 1]}, "E540")]
)
def test_columns_that_are_none_are_refused(data, code):
    with pytest.raises(da.DalembertError, match=code):
        da.recorded(data)


@pytest.mark.parametrize("value", ["k=\N{ARABIC-INDIC DIGIT THREE}", "k=\N{FULLWIDTH DIGIT THREE}", "k=1_000"])
def test_a_number_on_the_command_line_is_one_of_a_file(call, value):
    done = call("run", "spring.toml", value)
    assert done.exit_code == 2 and "E204" in done.output


def test_a_fit_that_is_named_and_not_there_is_refused(call):
    done = call("fit", "spring.toml", "track.csv", "--free", "k", "--name", "other")
    assert done.exit_code == 2 and "E307 spring.toml asks for no fit" in done.output


def test_a_lagrangian_without_a_square_is_refused_in_words():
    with pytest.raises(da.DalembertError, match="E108"):
        da.simulate(da.free(da.System(da.coordinates("x y"), "vx*vy")), {"x": 1, "y": 0, "vx": 1, "vy": 1}, until=1)


@pytest.mark.parametrize("name", ["", " ", "\t"])
def test_a_name_of_which_nothing_shows_is_none(name):
    q = da.coordinates("x")
    with pytest.raises(da.DalembertError, match="E719"):
        da.System(q, "vx^2/2", momenta={name: "vx"})
    with pytest.raises(da.DalembertError, match="E316"):
        da.Event(name, q["x"])


@pytest.mark.parametrize("text", ['<robot name="r"><link name="a"/></robot>', '\n<?xml version="1.0"?>\n<mujoco/>'])
def test_files_of_robots_are_told_from_a_slip(tmp_path, text):
    (tmp_path / "robot.urdf").write_text(text)
    with pytest.raises(da.DalembertError, match=r"dalembert new NAME --from robot\.urdf"):
        da.read(tmp_path / "robot.urdf")


POINT, MOVING = da.coordinates("x y"), "m/2*(vx^2 + vy^2)"
SI = {"x": "m", "y": "m"}


def doubts(L=MOVING, **given):
    """The doubts of a system, as codes and first words."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        da.System(POINT, L, **{"parameters": {"m": 1.0}, **given})
    return [str(w.message) for w in caught]


@pytest.mark.parametrize("other", [500, 0.5])
def test_a_bare_mass_beside_one_in_grams_is_doubted_in_python_as_in_a_file(other):
    (said,) = doubts("M/2*vx^2 + m/2*vy^2", parameters={"M": "200 g", "m": other}, units=SI)
    assert said.startswith(f'W210 m = {other:g} has no unit and is taken in kg, beside M = "200 g"')
    assert not doubts("M/2*vx^2 + m/2*vy^2", parameters={"M": "0.2 kg", "m": other}, units=SI)
    assert not doubts("M/2*vx^2 + m/2*vy^2", parameters={"M": "200 g", "m": "0.5 kg"}, units=SI)


@pytest.mark.parametrize(("g", "unit"), [(981, "cm"), (9810, "mm"), (-32.2, "ft")])
def test_gravity_in_another_unit_than_base_si_is_doubted(g, unit):
    L = MOVING + " - m*g*y"
    (said,) = doubts(L, parameters={"m": "1 kg", "g": g}, units=SI)
    assert said.startswith(f"W210 g = {g:g} is taken in m/s^2") and f'"{g:g} {unit}/s^2"' in said
    for fine in ({"m": "1 kg", "g": f"{abs(g)} {unit}/s^2"}, {"m": "1 kg", "g": 9.81}):
        assert not doubts(L, parameters=fine, units=SI)
    assert not doubts(L, parameters={"m": 1, "g": g})  # nothing says that numbers are in metres
    system = da.System(POINT, L, parameters={"m": "1 kg", "g": 9.81}, units=SI)
    with pytest.warns(da.DalembertWarning) as caught:
        da.free(system).start(x=0, y=0, vx=0, vy=0, parameters={"g": g})
    assert any(str(w.message).startswith("W210 g") for w in caught)


def test_a_force_that_the_potential_gives_already_is_doubted():
    weighed = {"m": 1, "g": 9.81, "c": 0.1}
    (said,) = doubts(MOVING + " - m*g*y", forces={"vy": "-m*g - c*vy"}, parameters=weighed)
    assert said == "W130 the force on vy holds -g*m, which L gives as well: it acts twice"
    (said,) = doubts(MOVING + " - c*x^2/2", forces={"vx": "-c*x"}, parameters={"m": 1, "c": 0.1})
    assert "-c*x" in said
    assert not doubts(MOVING + " - m*g*y", forces={"vy": "-c*vy", "vx": "-m*g"}, parameters=weighed)


def test_a_wall_and_a_contact_of_one_surface_are_refused():
    with pytest.raises(da.DalembertError, match="E132 the wall low and the contact floor"):
        da.System(POINT, MOVING, parameters={"m": 1}, walls={"low": "y"}, contacts={"floor": da.contact("2*y")})
    da.System(POINT, MOVING, parameters={"m": 1}, walls={"top": "2 - y"}, contacts={"floor": da.contact("y")})


@pytest.mark.parametrize("symbols", [{"x": "q", "y": "q"}, {"x": "y"}, {"x": r"\xi", "y": r" \xi"}, {"x": "m"}])
def test_one_letter_for_two_things_is_refused(symbols):
    with pytest.raises(da.DalembertError, match=r"E151 .* is printed so, too"):
        da.System(POINT, MOVING, parameters={"m": 1}, symbols=symbols)
    da.System(POINT, MOVING, parameters={"m": 1}, symbols={"x": "y", "y": "x"})


def test_a_gap_of_the_wrong_sign_is_said_to_be_one():
    e = da.free(da.System(POINT, MOVING, parameters={"m": 1}, contacts={"floor": da.contact("-y")}))
    with pytest.raises(da.DalembertError, match="E240") as refused:
        da.simulate(e, {"x": 0, "y": 1, "vx": 0, "vy": 0}, until=1)
    assert "positive where the motion is free" in refused.value.remedy


SWING = da.System(da.angle("th"), "vth^2/2 + 9.81*cos(th)", forces={"vth": "F"}, inputs="F")
FREE = da.free(da.System(da.angle("th"), "vth^2/2"))


@pytest.mark.parametrize(
    "asked",
    [
        lambda th: da.two_point(FREE, {"th": 0}, {"th": th}, duration=1, starts=1),
        lambda th: da.two_point(FREE, {"th": th}, {"th": 0}, duration=1, starts=1),
        lambda th: da.steady(FREE, {"th": th, "vth": 0}),
        lambda th: da.steer(SWING, "F", {"th": 0}, {"th": th, "vth": 0}, until=2, bounds={"vth": (5, 6)}),
    ],
)
def test_degrees_are_doubted_wherever_a_place_is_given(asked):
    with pytest.warns(da.DalembertWarning, match="W209 th = 90 rad is 14.3 turns"):
        told(lambda: asked(90))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        told(lambda: asked("90 rad"))
        told(lambda: asked(1.57))


@pytest.mark.parametrize(
    ("value", "said"),
    [(10**4000, "E203 m is beyond 1.8e308, the largest float"), ("30 %", 'E206 .*\n  do: write "30 percent"$')],
)
def test_numbers_beyond_floats_and_per_cent_are_told_with_what_to_write(value, said):
    with pytest.raises(da.DalembertError, match=said):
        da.System(POINT, MOVING, parameters={"m": value})
    assert da.System(POINT, MOVING, parameters={"m": "30 percent"}).parameters["m"] == 0.3


SWINGING = da.free(da.System(da.coordinates("x"), "vx^2/2 - x^2/2"))


@pytest.mark.parametrize(
    ("atol", "doubted"),
    [(1e-3, 1), ({"x": 1e-3, "vx": 1e-12}, 1), ([1e-12, 2e-6], 1), (1e-7, 0), ([1e-12, 1e-7], 0), (None, 0)],
)
def test_an_absolute_tolerance_is_weighed_against_the_size_of_the_start(atol, doubted):
    asks = [
        lambda: da.simulate(SWINGING, {"x": 1.0, "vx": 0}, until=1, atol=atol),
        lambda: da.sweep(SWINGING, starts={"x": [0.1, 1.0], "vx": 0}, until=1, atol=atol),
    ]
    for ask in asks:
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            ask()
        assert ["W306 atol" in str(each.message) for each in seen] == [True] * doubted


BESIDE = da.free(da.System(da.coordinates("x y"), "(vx^2 + vy^2)/2 + k*x - x^2/2", parameters={"k": 1.0}))


@pytest.mark.parametrize(("atol", "doubted"), [(1e-3, True), (1e-9, False), (None, False)])
def test_of_a_body_at_rest_it_is_weighed_against_what_it_reaches(atol, doubted):
    path = da.simulate(BESIDE, dict.fromkeys(("x", "y", "vx", "vy"), 0), until=1, atol=atol)
    assert [note.startswith("W306") and "no state is above 0.84" in note for note in path.audit.notes] == [
        True
    ] * doubted


@pytest.mark.parametrize("size", [1e-11, 1e-7])
def test_small_states_beside_large_ones_have_few_digits_or_a_tolerance_of_their_own(size):
    """x = size (cos t + sin t): against a tolerance for y = 1; the one that is named gives all digits."""
    start = {"x": size, "vx": size, "y": 1.0, "vy": 0.0}
    path = da.simulate(BESIDE, start, until=1, parameters={"k": 0})
    if size > 1e-9:
        assert not path.audit.notes
        return
    (note,) = path.audit.notes
    assert note.startswith("W306") and " to x, vx, " in note
    with pytest.warns(da.DalembertWarning, match="W306.* to x, vx, .*said of 2 of 2"):
        da.sweep(BESIDE, starts={**start, "y": [1.0, 2.0]}, until=1, parameters={"k": 0})
    own = json.loads(note[note.index("{") :])
    path = da.simulate(BESIDE, start, until=1, parameters={"k": 0}, atol=own)
    assert not path.audit.notes and path["x"] == pytest.approx(size * (np.cos(path.t) + np.sin(path.t)), rel=1e-11)


def test_options_that_are_no_words_and_strengths_beyond_floats_are_refused():
    with pytest.raises(da.DalembertError, match="E543 gaps"):
        da.recorded({"t": [0, 1], "x": [0, 1]}, gaps=np.zeros(2))
    with pytest.raises(da.DalembertError, match="E307 strengths"):
        da.limit(
            SWINGING.system, start={}, strengths=[1, 10, 10**400], until=1, penalty="viscous", principle="nonholonomic"
        )


@pytest.mark.parametrize(("angle", "doubted"), [(7, 1), (10, 1), (-10, 1), (10.0, 0), (10.5, 0), (6, 0), (12.6, 1)])
def test_whole_numbers_above_a_turn_are_doubted_as_degrees(angle, doubted):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        FREE.start(th=angle, vth=0)
    assert ["W209" in str(each.message) for each in seen] == [True] * doubted


def told(ask):
    """What is answered, or the refusal: here only doubts are looked at."""
    try:
        return ask()
    except da.DalembertError as error:
        return error


def test_a_doubt_of_an_end_is_kept_with_the_curves():
    with pytest.warns(da.DalembertWarning):
        found = da.two_point(FREE, {"th": 0}, {"th": 90}, duration=1, starts=1)
    assert [note.code for note in found.notes] == ["W209"]


@pytest.mark.parametrize("density", ["0", "-1", "-x^2"])
def test_a_density_that_is_nowhere_positive_is_none(density):
    with pytest.raises(da.DalembertError, match=r"E719 the density .* is nowhere positive"):
        da.symmetry.measure(da.System(POINT, MOVING, parameters={"m": 1}), density=density)


def test_a_motion_that_begins_outside_is_said_to():
    path = da.simulate(da.free(da.System(POINT, MOVING, parameters={"m": 1})), dict(x=30, y=0, vx=1, vy=0), until=1)
    with pytest.warns(da.DalembertWarning, match="W580 the distance is 30 at the first time, beyond 0.3 already"):
        assert da.measures.exit_time(path, 0.3) == (0.0, 0.0)


@pytest.mark.parametrize("name", ["path.csv", "path.NC", "path.html"])
def test_a_path_is_not_stored_under_the_name_of_another_form(tmp_path, name):
    path = da.simulate(FREE, {"th": 0, "vth": 1}, until=1)
    with pytest.raises(da.DalembertError, match=r"E307 .* ends in \.") as refused:
        path.save(tmp_path / name)
    assert "export" in refused.value.remedy and not [*tmp_path.iterdir()]
    path.save(tmp_path / "path.npz")


def test_a_report_does_not_show_the_equations_of_another_system(tmp_path):
    path = da.simulate(FREE, {"th": 0, "vth": 1}, until=1)
    with pytest.raises(da.DalembertError, match="E549 the path has no x, y"):
        da.report(path, tmp_path / "page.html", system=da.System(POINT, MOVING, parameters={"m": 1}))
    assert not [*tmp_path.iterdir()]
    da.report(path, tmp_path / "page.html", system=FREE.system)


def test_an_almost_space_of_ones_own_is_told_how_it_may_be_vakonomic():
    given = {"velocities": "a b", "anchor": [[1, 0], [0, 1]], "brackets": {("a", "b"): [0, 0]}}
    own, plain = da.Space("x y", **given, almost=True), da.Space("x y", **given)
    with pytest.raises(da.DalembertError, match=r"E163 .* as it was declared") as refused:
        da.vakonomic(da.System(own, "a^2 + b^2", {"line": "a - x*b"}))
    assert "almost=True of brackets that are not projected, leave it out" in refused.value.remedy
    da.vakonomic(da.System(plain, "a^2 + b^2", {"line": "a - x*b"}))


@pytest.mark.filterwarnings("ignore:.*W208")  # badly scaled, which it is
@pytest.mark.parametrize("tiny", [5e-324, 1e-300])
def test_a_number_next_to_nothing_is_not_taken_for_gravity(tiny):
    # its share of 981 is no number
    system = da.System(da.coordinates("x"), "dot(x)^2/2 - k*x", parameters={"k": 1.0})
    assert da.free(system).start(x=0, vx=0, parameters={"k": tiny}).parameters["k"] == tiny


def test_a_derivative_of_sympy_is_told_as_one():
    # its parameters were told instead: "(t, 1) cannot be computed here: Tuple"
    q = da.coordinates("x")
    with pytest.raises(da.DalembertError, match=r"E719 Derivative\(x, t\)") as refused:
        da.System(q, q["vx"] ** 2 + sp.Derivative(q["x"], sp.Symbol("t")))
    assert refused.value.remedy == "write a velocity by its name"


def test_a_number_that_is_text_is_not_called_too_large():
    with pytest.raises(da.DalembertError, match=r"E542 x holds the text '1'") as refused:
        da.recorded({"t": [0, 1, 2], "x": np.array([1, "1", 3], object)})
    assert "np.array(values, float)" in refused.value.remedy
    with pytest.raises(da.DalembertError, match=r"E542 x holds '1e999', more than the largest"):
        da.recorded({"t": [0, 1, 2], "x": np.array([1, "1e999", 3], object)})
