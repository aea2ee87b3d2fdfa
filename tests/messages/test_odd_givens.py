"""What a hostile afternoon found: masked and endless whole numbers, names that are none, digits of other scripts."""

import numpy as np
import pytest
from click.testing import CliRunner

import dalembert as da
from dalembert.apps.cli import main
from dalembert.apps.confined import CONFINED

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
def test_models_that_do_not_say_what_rolls_are_told_from_a_slip(tmp_path, text):
    (tmp_path / "robot.urdf").write_text(text)
    with pytest.raises(da.DalembertError, match="URDF and MuJoCo do not say what rolls"):
        da.read(tmp_path / "robot.urdf")
    for name in ("from_urdf", "from_mujoco"):
        with pytest.raises(AttributeError, match="do not say what rolls"):
            getattr(da, name)
