"""Bodies, scene and ranges in files: written and read again they are the same; refusals point at the value."""

from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.apps.runs import motion_asked
from dalembert.calculus.graph import Graph, evaluate
from dalembert.scene import poses
from dalembert.study import read_source, write_source
from dalembert.study.study import RunSpec

FILE = """schema = 1
[space]
coordinates = { x = "line", y = "line", phi = "angle" }
[units]
x = "m"
[parameters]
m = "1 kg"
J = "2 kg*m^2"
l = "10 cm"
[definitions]
h = "l/2"
[lagrangian]
L = "m*(dot(x)^2 + dot(y)^2)/2 + J*dot(phi)^2/2"
"""
PICTURE = """
[[body]]
shape = "floor"
[[body]]
name = "board"
shape = "box"
size = ["l", "10 cm", 0.02]
at = ["x", "y", "h"]
turn = ["z phi", "x pi/2"]
trace = true
[[body]]
shape = "rod"
from = [0, 0, 0]
to = ["l", 0, 0]
on = "board"
[scene]
up = "-z"
[explore]
ranges = { l = ["5 cm", "20 cm"], "dot(x)" = [-1, 1] }
until = "20 s"
"""


def test_a_picture_is_the_same_when_it_is_written_and_read_again():
    study = read_source(FILE + PICTURE)
    text = write_source(study)
    again = read_source(text)
    assert [b.name for b in study.system.bodies] == ["floor", "board", "rod"]
    assert again.system.bodies == study.system.bodies and write_source(again) == text
    assert again.system.scene == study.system.scene and again.system.scene.up == "-z"
    assert again.system.explore.ranges == {"l": (0.05, 0.2), "vx": (-1, 1)} and again.system.explore.until == 20


@pytest.mark.filterwarnings("ignore:W119")
def test_a_picture_does_not_keep_a_run_from_being_resumed():
    run = RunSpec("run", "free")
    assert motion_asked(read_source(FILE + PICTURE), run) == motion_asked(read_source(FILE), run)


BAD = [
    ("E147", '"10 cm", 0.02]', '"10 cm"]', "size"),
    ("E702", '"h"]', '"q"]', "at"),
    ("E702", "z phi", "z fi", "turn"),
    ("E148", "z phi", "w phi", "turn"),
    ("E147", '"box"', '"bax"', "shape"),
    ("E148", 'on = "board"', 'on = "bord"', "on"),
    ("E149", '"-z"', '"w"', "up"),
    ("E149", '["5 cm", "20 cm"]', '["20 cm", "5 cm"]', "ranges"),
    ("E207", '["5 cm", "20 cm"]', '["5 kg", "20 kg"]', "ranges"),
    ("E149", "{ l =", "{ q =", "ranges"),
    ("E203", "[-1, 1]", "[nan, 1]", "ranges"),
    ("E207", '"10 cm", 0.02', '"10 kg", 0.02', "size"),
    ("E134", '["l", 0, 0]', '["J", 0, 0]', "to"),
    ("E147", 'to = ["l", 0, 0]\n', "", "shape"),
]


@pytest.mark.parametrize(("code", "right", "wrong", "key"), BAD)
def test_a_bad_picture_is_refused_where_it_stands(code, right, wrong, key):
    assert right in PICTURE
    with pytest.raises(da.DalembertError) as refused:
        read_source(FILE + PICTURE.replace(right, wrong))
    assert refused.value.code == code and refused.value.where.text.startswith(key)


def test_the_example_of_the_reference_is_drawn():
    told = (Path(__file__).parents[2] / "docs" / "reference" / "file.md").read_text(encoding="utf-8")
    example = told.partition("```{file} disc.toml\n")[2].partition("```")[0]
    system = read_source(example).system
    arm, disc = poses(system, Graph())
    frame = np.reshape(evaluate(disc.frame, {**system.parameters, "phi": 0.5}), (3, 4))
    # the screen's axes: x stays, y is up
    assert frame[:, 3] == pytest.approx([0.4 * np.sin(0.5), 0, -0.4 * np.cos(0.5)])
    assert arm.shape == "rod" and disc.trace is not None
