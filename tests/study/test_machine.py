"""``[machine]`` in a file: the system is that of the same machine in Python; problems are told at their place."""

import pytest

import dalembert as da
from dalembert.study import read_source

CART = """
schema = 1
[parameters]
M = 3.0
m = 2.0
l = 0.5
[inputs]
push = 0.4
[machine]
gravity = [0, 0, -9.81]
[machine.bodies.cart]
mass = "M"
[machine.bodies.rod]
mass = "m"
centre = [0, 0, "-l"]
inertia = [0.01, 0.01, 0.0002]
[machine.joints.x]
kind = "slide"
behind = "cart"
axis = "x"
torque = "push"
[machine.joints.a]
kind = "hinge"
before = "cart"
behind = "rod"
axis = "-y"
damping = 0.1
"""

RUN = """
[[run]]
principle = "free"
start = { x = 0, a = 0.3, "dot(x)" = 0.1, "dot(a)" = -0.4 }
until = 1
"""


def test_the_machine_of_a_file_is_that_of_python():
    machine = da.Machine(parameters={"M": 3.0, "m": 2.0, "l": 0.5}, inputs="push")
    machine.body("cart", mass="M")
    machine.body("rod", mass="m", centre=[0, 0, "-l"], inertia=[0.01, 0.01, 0.0002])
    machine.joint("x", "slide", "ground", "cart", axis="x", torque="push")
    machine.joint("a", "hinge", "cart", "rod", axis="-y", damping=0.1)
    study = read_source(CART + RUN)
    assert study.system.lagrangian == machine.system.lagrangian
    state, inputs = {"x": 0, "a": 0.3, "vx": 0.1, "va": -0.4}, {"push": 0.4}
    found = [
        equations.evaluate(equations.start(state, inputs=inputs), inputs=inputs)["accelerations"]
        for equations in (da.free(study.system), da.free(machine.system))
    ]
    assert found[0] == pytest.approx(found[1], rel=1e-13)


def test_a_file_adds_constraints_and_forces_to_its_machine():
    study = read_source(CART + '[[constraint]]\nname = "still"\nphi = "x"\n[forces]\na = "0.5"\n')
    found = da.nonholonomic(study.system)
    start = found.start({"x": 0, "a": 0, "vx": 0, "va": 0}, inputs={"push": 0})
    # (J + m l^2) a'' = 0.5
    assert found.evaluate(start, inputs={"push": 0})["accelerations"]["va"] == pytest.approx(0.5 / 0.51, rel=1e-12)


def test_a_constraint_does_not_take_the_place_of_a_row_of_the_machine():
    file = CART + '[machine.relations]\nmesh = "x - a"\n[[constraint]]\nname = "mesh"\nphi = "x"\n'
    with pytest.raises(da.DalembertError, match="'mesh' already") as refused:
        read_source(file)
    assert refused.value.code == "E102"


def test_wheels_loops_blades_and_relations_stand_in_a_file():
    study = read_source(
        """
schema = 1
[machine]
base = { planar = "base" }
[machine.bodies.base]
mass = 5
inertia = [0.1, 0.1, 0.2]
[machine.bodies.left]
mass = 0.5
inertia = [0.001, 0.002, 0.001]
[machine.bodies.right]
mass = 0.5
inertia = [0.001, 0.002, 0.001]
[machine.joints.left_wheel]
kind = "hinge"
before = "base"
behind = "left"
axis = "y"
at = [0, 0.2, 0.1]
[machine.joints.right_wheel]
kind = "hinge"
before = "base"
behind = "right"
axis = "y"
at = [0, -0.2, 0.1]
[machine.wheels.left]
radius = "10 cm"
[machine.wheels.right]
radius = "10 cm"
[machine.blades.base]
at = [0, 0, 0]
[machine.relations]
straight = "left_wheel - right_wheel"
[[machine.force]]
body = "base"
force = [1, 0, 0]
axes = "body"
"""
    )
    names = [c.name for c in study.system.constraints]
    # the blade below the axle holds nothing that its wheels do not
    assert names == ["left_roll", "left_side", "right_roll", "straight"]


@pytest.mark.parametrize(
    ("old", "new", "code", "line"),
    [
        ('behind = "rod"', 'behind = "rot"', "E164", "[machine.joints.a]"),
        ('kind = "hinge"', 'kind = "hings"', "E164", None),
        ('axis = "-y"', "axis = [0, 0, 0]", "E164", None),
        ("damping = 0.1", "dampin = 0.1", "E508", "dampin"),
        ('mass = "m"', 'mass = "mm"', "E702", None),
        ("gravity = [0, 0, -9.81]", "gravity = [0, 0]", "E164", None),
        ("[machine]", '[machine]\nbase = "planar"', "E508", "base"),
        ("[machine]", '[machine]\nrolls = ["cart"]', "E508", "rolls"),
        ("[machine]", '[machine]\nfile = "cart.urdf"', "E508", None),
        ("[machine]", "[space]\ncoordinates = 'y'\n[machine]", "E508", "space"),
    ],
)
def test_what_is_no_machine_is_told_at_its_place(old, new, code, line):
    with pytest.raises(da.DalembertError) as refused:
        read_source(CART.replace(old, new) + RUN)
    problems = getattr(refused.value, "problems", (refused.value,))
    assert problems[0].code == code
    assert problems[0].where is not None
    if line is not None:
        assert line in CART.replace(old, new).splitlines()[problems[0].where.line - 1] or line == "space"
